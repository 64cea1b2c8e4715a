/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A listening socket of a server, and the rules for every connection that comes
 * in by it: the times allowed, and how an address is counted.  How many
 * may come is in oct-places.h.  Sources are in the thread's default context of
 * oct_listener_new().
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Seconds: from coming in to the end of a request's head, for a refusal to be
 * read, and without any progress of the data that waits for a client. */
#define OCT_LISTENER_REQUEST_TIME 10
#define OCT_LISTENER_LINGER 1
#define OCT_LISTENER_PATIENCE 12
/* Size of the text of an address. */
#define OCT_LISTENER_ADDRESS 64

typedef struct _OctListener OctListener;

typedef struct {
  void (*incoming) (GSocketConnection *incoming, gpointer data);
  /* Once a second, before whatever the network has; `now`: microseconds. */
  void (*second) (gint64 now, gpointer data);
} OctListenerEvents;

/* Listens on `address` (an IP address) and `port` (0 = any).  NULL with the
 * system's error. */
OctListener *oct_listener_new (const char *address, guint port,
    const OctListenerEvents *events, gpointer data, GError **error);
/* Stops listening; connections are not touched. */
void oct_listener_free (OctListener *listener);

/* The port that it listens on. */
guint oct_listener_get_port (OctListener *listener);

/* The text by which a client is counted: its IPv4 address, or the first 64 bits
 * of an IPv6 address. */
void oct_listener_describe_address (
    GSocketAddress *remote, char text[OCT_LISTENER_ADDRESS]);

/* Raises the limit of open files, as far as the system allows: connections must
 * not be the reason that the next part of a recording finds none left. */
void oct_listener_raise_limit (void);

G_END_DECLS
