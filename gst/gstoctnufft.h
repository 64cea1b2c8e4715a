/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_NUFFT (gst_oct_nufft_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctNUFFT, gst_oct_nufft, GST, OCT_NUFFT, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octnufft);

/* OctKernel */
#define GST_TYPE_OCT_KERNEL (gst_oct_kernel_get_type ())
GType gst_oct_kernel_get_type (void);

G_END_DECLS
