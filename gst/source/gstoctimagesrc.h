/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_IMAGE_SRC (gst_oct_image_src_get_type ())
/* clang-format off */
G_DECLARE_FINAL_TYPE (
    GstOctImageSrc, gst_oct_image_src, GST, OCT_IMAGE_SRC, GstBin)
/* clang-format on */

GST_ELEMENT_REGISTER_DECLARE (octimagesrc);

G_END_DECLS
