/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctlivesrc.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_CAMERA_SRC (gst_oct_camera_src_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctCameraSrc, gst_oct_camera_src, GST, OCT_CAMERA_SRC, GstOctLiveSrc)

GST_ELEMENT_REGISTER_DECLARE (octcamerasrc);

G_END_DECLS
