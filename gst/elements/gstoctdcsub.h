/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_DCSUB (gst_oct_dcsub_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctDcSub, gst_oct_dcsub, GST, OCT_DCSUB, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octdcsub);

G_END_DECLS
