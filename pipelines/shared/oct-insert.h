/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * An element that is put into a pipeline that runs, between two others, once
 * the stream has shown that it is needed.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* `before` and `after` are of one bin, linked by their pads "src" and "sink";
 * no references.  `part`: between them, owned by the bin; NULL: nothing. */
typedef struct {
  GstElement *before, *after, *part;
} OctInsert;

/* A bin of the launch line `line`, which delivers whole volumes at once, and of
 * a queue of up to `most` B-scans, from which they go on as evenly as they were
 * taken: for encoders to keep up with and for eyes.  NULL if an element is not
 * installed. */
GstElement *oct_insert_make_paced (const char *line, guint most);

/* In the streaming thread of `before`, while the present part holds no B-scans
 * but those in its queue: puts `part` in its place.  `part`: NULL: nothing. */
void oct_insert_change (OctInsert *insert, GstElement *part);

/* After that, in the probe of a buffer: a newly linked element gets its events
 * with the next push, so that this buffer is pushed again. */
GstPadProbeReturn oct_insert_push_again (GstPad *pad, GstPadProbeInfo *info);

/* The place of a B-scan in its volume; 0 if it is not known. */
guint oct_insert_get_bscan (GstBuffer *buffer);

G_END_DECLS
