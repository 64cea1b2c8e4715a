/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilesink.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_IGTL_SINK (gst_oct_igtl_sink_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctIgtlSink, gst_oct_igtl_sink, GST, OCT_IGTL_SINK, GstOctFileSink)

GST_ELEMENT_REGISTER_DECLARE (octigtlsink);

G_END_DECLS
