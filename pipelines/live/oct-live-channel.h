/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A connection for the HTTP library, with bounded input.
 *
 * libsoup reads for as long as there is something to read, which lets a fast
 * sender keep the main loop, and it keeps parts of a message for as long as
 * more of them come.  This stream hands it the head of one request that was
 * found right, and nothing after it; if the request opens a WebSocket, its
 * frames follow, so many bytes at once and per second, watched by
 * oct-live-frames.h.  Main thread.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* WebSocket input: bytes at once and per second; every frame counts as some
 * more bytes for the work that it makes. */
#define OCT_LIVE_CHANNEL_BURST 131072
#define OCT_LIVE_CHANNEL_RATE 65536
#define OCT_LIVE_CHANNEL_FRAME 256

#define OCT_LIVE_TYPE_CHANNEL (oct_live_channel_get_type ())
G_DECLARE_FINAL_TYPE (
    OctLiveChannel, oct_live_channel, OCT_LIVE, CHANNEL, GIOStream)

/* Called once, when the stream has ended in whatever way. */
typedef void (*OctLiveChannelEnd) (gpointer data);

/* `base`: the socket's connection, or TLS on top of it.  `start`: the bytes
 * read so far, with `head` bytes of request; `upgrade`: frames follow. */
OctLiveChannel *oct_live_channel_new (GIOStream *base, GSocket *socket,
    GBytes *start, gsize head, gboolean upgrade, OctLiveChannelEnd end,
    gpointer data);

/* Ends it at once, whatever waits to be written. */
void oct_live_channel_cut (OctLiveChannel *stream);

/* Whether the other side has gone, or will send nothing any more. */
gboolean oct_live_channel_is_left (OctLiveChannel *stream);

/* Ends it when the data to be sent have not moved for too long. */
void oct_live_channel_check (OctLiveChannel *stream, gint64 now);

G_END_DECLS
