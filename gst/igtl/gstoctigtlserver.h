/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A server of OpenIGTLink for one stream.  Its own thread sends each peer the
 * newest message of each kind: a peer that is slow misses images, and holds up
 * neither the stream nor another peer.  Peers cannot do anything but ask for
 * the status.
 */
#pragma once

#include "oct-igtl.h"

G_BEGIN_DECLS

typedef enum {
  GST_OCT_IGTL_STATUS, /* these two are sent to new peers, too */
  GST_OCT_IGTL_TRANSFORM,
  GST_OCT_IGTL_IMAGE,
  GST_OCT_IGTL_N_KINDS,
} GstOctIgtlKind;

typedef struct {
  guint peers;     /* that are connected */
  guint64 sent;    /* images, of all peers */
  guint64 skipped; /* images that a peer has missed, of all peers */
} GstOctIgtlCounts;

typedef struct _GstOctIgtlServer GstOctIgtlServer;

/* Listens at the IP address `address`, port 0: any free one.  `most` peers at
 * the same time, three quarters of them from one address.  NULL with
 * OCT_ERROR_SETTINGS. */
GstOctIgtlServer *gst_oct_igtl_server_new (
    const char *address, guint port, guint most, GError **error);

/* Only users of this computer can reach it. */
gboolean gst_oct_igtl_server_is_local (const GstOctIgtlServer *server);
guint gst_oct_igtl_server_get_port (const GstOctIgtlServer *server);
/* Any thread. */
void gst_oct_igtl_server_get_counts (
    GstOctIgtlServer *server, GstOctIgtlCounts *counts);

/* Any thread, waits for nothing; takes the message. */
void gst_oct_igtl_server_send (
    GstOctIgtlServer *server, GstOctIgtlKind kind, GBytes *message);

/* Sends what waits, for half a second at the most, and closes. */
void gst_oct_igtl_server_free (GstOctIgtlServer *server);

G_END_DECLS
