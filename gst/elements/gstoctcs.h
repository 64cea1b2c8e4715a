/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_CS (gst_oct_cs_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctCS, gst_oct_cs, GST, OCT_CS, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octcs);

G_END_DECLS
