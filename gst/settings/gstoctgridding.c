/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctgridding.h"

static const GEnumValue kernels[] = {
  { OCT_KERNEL_KAISER_BESSEL, "Kaiser-Bessel", "kaiser-bessel" },
  { OCT_KERNEL_GAUSSIAN, "Gaussian", "gaussian" },
  { 0, NULL, NULL },
};

GST_OCT_DEFINE_ENUM (gst_oct_kernel_get_type, "GstOctKernel", kernels)
