/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctfilesink.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_COMEDI_SINK (gst_oct_comedi_sink_get_type ())
G_DECLARE_FINAL_TYPE (
    GstOctComediSink, gst_oct_comedi_sink, GST, OCT_COMEDI_SINK, GstOctFileSink)

GST_ELEMENT_REGISTER_DECLARE (octcomedisink);

G_END_DECLS
