/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A live video of the images at a pad of a running pipeline, encoded once for
 * all who watch, from an RTSP server and into any other GStreamer sinks.
 *
 * It has a pipeline of its own, as a recording has: a slow or vanished viewer
 * costs frames of the video and nothing of the pad's pipeline.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  guint bitrate;        /* kbit/s, 0 = 8000 */
  const char *launch;   /* a launch line that takes H.264, or NULL */
  gint rtsp_port;       /* of the RTSP server, 0 = any, -1 = no server */
  const char *address;  /* to listen on, NULL = this machine alone */
  const char *password; /* of the user "oct", NULL = none is asked for; needed
                           if `address` is not this machine alone */
} OctStreamSettings;

typedef struct {
  guint64 frames, dropped; /* encoded, and left out as encoding was too slow */
  guint restarts;          /* of `launch` after an error */
  const char *problem; /* the last one, one sentence, or NULL; belongs to the
                          stream */
} OctStreamStats;

typedef struct _OctStream OctStream;

/* Streams from the next buffer that passes the source pad `pad`, which has to
 * carry system memory.  NULL with an error of one sentence. */
OctStream *oct_stream_start (
    GstPad *pad, const OctStreamSettings *settings, GError **error);

/* "rtsp://127.0.0.1:8554/oct", NULL without a server; belongs to the stream. */
const char *oct_stream_get_url (const OctStream *stream);

void oct_stream_get_stats (OctStream *stream, OctStreamStats *stats);

/* Tells the viewers that it is over. */
void oct_stream_free (OctStream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctStream, oct_stream_free)

G_END_DECLS
