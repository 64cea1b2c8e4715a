/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_KRESAMPLE (gst_oct_kresample_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctKResample, gst_oct_kresample, GST, OCT_KRESAMPLE, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octkresample);

G_END_DECLS
