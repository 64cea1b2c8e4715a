/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The listening socket: accepts as many connections as are allowed, encrypts
 * them where asked to, and closes those that do not get on.
 */
#pragma once

#include <gio/gio.h>
#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct _OctLiveListener OctLiveListener;

/* Listens on `address` (an IP address) and `port` (0 = any) and hands
 * connections to `server`.  Each of them serves one request.  `certificate`:
 * for TLS, or NULL.  NULL with an error of one sentence. */
OctLiveListener *oct_live_listener_new (const char *address, guint port,
    GTlsCertificate *certificate, guint max_connections, SoupServer *server,
    GError **error);
/* Stops listening; connections stay. */
void oct_live_listener_free (OctLiveListener *listener);

/* The port that it listens on. */
guint oct_live_listener_get_port (OctLiveListener *listener);

/* The request has come in whole: the connection may take its time now. */
void oct_live_listener_accept_request (SoupServerMessage *message);
/* Closes the connection at once, whatever is under way. */
void oct_live_listener_drop (SoupServerMessage *message);

G_END_DECLS
