/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_VOLUME_CS (gst_oct_volume_cs_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctVolumeCs, gst_oct_volume_cs, GST, OCT_VOLUME_CS, GstElement)

GST_ELEMENT_REGISTER_DECLARE (octvolumecs)

G_END_DECLS
