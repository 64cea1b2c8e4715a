/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilesink.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_RAW_SINK (gst_oct_raw_sink_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctRawSink, gst_oct_raw_sink, GST, OCT_RAW_SINK, GstOctFileSink)

GST_ELEMENT_REGISTER_DECLARE (octrawsink);

G_END_DECLS
