/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctimagefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_SHARPEN (gst_oct_sharpen_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctSharpen, gst_oct_sharpen, GST, OCT_SHARPEN, GstOctImageFilter)

GST_ELEMENT_REGISTER_DECLARE (octsharpen);

G_END_DECLS
