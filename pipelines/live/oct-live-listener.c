/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-listener.h"

#include "oct-live-connection.h"
#include "oct-listener.h"

struct _OctLiveListener {
  OctListener *listener;
  OctLiveHall hall;
};

static void
live_listener_on_incoming (GSocketConnection *incoming, gpointer data)
{
  oct_live_connection_begin (&((OctLiveListener *)data)->hall, incoming);
}

static void
live_listener_on_second (gint64 now, gpointer data)
{
  GPtrArray *connections = ((OctLiveListener *)data)->hall.connections;

  /* one that is over leaves the list */
  for (guint i = connections->len; i-- > 0;)
    oct_live_connection_check (g_ptr_array_index (connections, i), now);
}

OctLiveListener *
oct_live_listener_new (const char *address, guint port,
    GTlsCertificate *certificate, const OctSeatLimits *limits,
    SoupServer *server, GError **error)
{
  static const OctListenerEvents events = { live_listener_on_incoming,
    live_listener_on_second };
  OctLiveListener *listener = g_new0 (OctLiveListener, 1);
  g_autoptr (GError) reason = NULL;

  listener->listener =
      oct_listener_new (address, port, &events, listener, &reason);
  if (listener->listener == NULL) {
    g_set_error (error, G_IO_ERROR, reason->code,
        "Nothing can be served at address %s, port %u (%s); choose others with "
        "--address and --port.",
        address, port, reason->message);
    g_free (listener);
    return NULL;
  }
  listener->hall.server = server;
  listener->hall.door = oct_door_new ();
  listener->hall.seats = oct_seats_new (limits);
  listener->hall.connections = g_ptr_array_new ();
  g_set_object (&listener->hall.certificate, certificate);
  return listener;
}

/* A thread that makes keys holds its connection: that one is left to the end
 * of the program. */
void
oct_live_listener_free (OctLiveListener *listener)
{
  oct_listener_free (listener->listener);
  for (guint i = listener->hall.connections->len; i-- > 0;)
    oct_live_connection_cut (g_ptr_array_index (listener->hall.connections, i));
  if (listener->hall.connections->len > 0)
    return;
  g_clear_object (&listener->hall.certificate);
  oct_door_free (listener->hall.door);
  oct_seats_free (listener->hall.seats);
  g_ptr_array_unref (listener->hall.connections);
  g_free (listener);
}

guint
oct_live_listener_get_port (OctLiveListener *listener)
{
  return oct_listener_get_port (listener->listener);
}
