/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Base class of sinks that write files or send them: how they fail, and which
 * buffers they accept.
 *
 * Thread-safety: _fail() and _has_failed() are for any thread.
 */
#pragma once

#include <gst/base/gstbasesink.h>

G_BEGIN_DECLS

#define GST_TYPE_OCT_FILE_SINK (gst_oct_file_sink_get_type ())
G_DECLARE_DERIVABLE_TYPE (
    GstOctFileSink, gst_oct_file_sink, GST, OCT_FILE_SINK, GstBaseSink)

struct _GstOctFileSinkClass {
  GstBaseSinkClass parent_class;
};

/* At the start: no error has been posted yet. */
void gst_oct_file_sink_begin (GstOctFileSink *self);

/* Posts the error as a sentence and clears it.  Until the next start or flush
 * no other error is posted, as the base class would add one that says nothing.
 * Any thread. */
void gst_oct_file_sink_fail (GstOctFileSink *self, GError **error);

gboolean gst_oct_file_sink_has_failed (GstOctFileSink *self);

G_END_DECLS
