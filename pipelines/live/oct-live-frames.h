/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Watches the frames of a WebSocket (RFC 6455, 5.2) on their way in, so that
 * nobody fills our memory with a message that does not end, or our time with
 * pings.  It looks at headers only and changes nothing.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Parts that one message may come in; control frames (ping, pong, close) at
 * once and per second in the long run.  Browsers send one part, no pings. */
#define OCT_LIVE_MAX_PARTS 64
#define OCT_LIVE_CONTROL_BURST 20
#define OCT_LIVE_CONTROL_RATE 2

typedef struct {
  guint8 header[14];
  guint have, need;  /* bytes of the header */
  guint64 left;      /* bytes of the payload still to come */
  gboolean within;   /* parts of a message have come, others follow */
  guint64 message;   /* bytes of its parts */
  guint parts;       /* of the message */
  double allowance;  /* control frames */
  gint64 allowed_at; /* monotonic time, microseconds */
} OctLiveFrames;

void oct_live_frames_init (OctLiveFrames *frames, gint64 now);

/* Takes the next bytes of the stream.  NULL while all is well, else the error,
 * after which nothing more of the stream may be used.  Adds the frames that
 * have begun to `begun`.  `now`: monotonic time in microseconds. */
const char *oct_live_frames_take (OctLiveFrames *frames, const guint8 *data,
    gsize length, gint64 now, guint *begun);

G_END_DECLS
