/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_LOGSCALE (gst_oct_logscale_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctLogScale, gst_oct_logscale, GST, OCT_LOGSCALE, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octlogscale);

G_END_DECLS
