/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_NUFFT (gst_oct_nufft_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctNUFFT, gst_oct_nufft, GST, OCT_NUFFT, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octnufft);

G_END_DECLS
