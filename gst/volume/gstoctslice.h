/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctvolumefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_SLICE (gst_oct_slice_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (GstOctSlice, gst_oct_slice, GST, OCT_SLICE, GstOctVolumeFilter)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octslice);

G_END_DECLS
