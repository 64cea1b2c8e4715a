/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The listening socket, and the connections that come in by it
 * (oct-live-connection.h).  Main thread.
 */
#pragma once

#include "oct-places.h"

#include <gio/gio.h>
#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _OctLiveListener OctLiveListener;

/* Listens on `address` (an IP address) and `port` (0 = any) and hands
 * connections to `server`.  Each of them serves one request.  `certificate`:
 * for TLS, or NULL.  `limits`: of connections of those who are allowed in.
 * NULL with an error of one sentence. */
OctLiveListener *oct_live_listener_new (const char *address, guint port,
    GTlsCertificate *certificate, const OctSeatLimits *limits,
    SoupServer *server, GError **error);
/* Stops listening and ends all connections; after the server has released
 * them. */
void oct_live_listener_free (OctLiveListener *listener);

/* The port that it listens on. */
guint oct_live_listener_get_port (OctLiveListener *listener);

G_END_DECLS
