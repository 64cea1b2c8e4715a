/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_DISPERSION (gst_oct_dispersion_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctDispersion, gst_oct_dispersion, GST, OCT_DISPERSION, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octdispersion);

G_END_DECLS
