/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilesink.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_VOLUME_SINK (gst_oct_volume_sink_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctVolumeSink, gst_oct_volume_sink, GST, OCT_VOLUME_SINK, GstOctFileSink)

GST_ELEMENT_REGISTER_DECLARE (octvolumesink)

G_END_DECLS
