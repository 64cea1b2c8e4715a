/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctimagefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_FLIP (gst_oct_flip_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctFlip, gst_oct_flip, GST, OCT_FLIP, GstOctImageFilter)

GST_ELEMENT_REGISTER_DECLARE (octflip);

G_END_DECLS
