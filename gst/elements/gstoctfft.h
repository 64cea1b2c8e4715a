/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_FFT (gst_oct_fft_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctFFT, gst_oct_fft, GST, OCT_FFT, GstOctFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octfft);

G_END_DECLS
