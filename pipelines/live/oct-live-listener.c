/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-listener.h"

#include "oct-live-connection.h"

/* Connections that the system keeps until we have taken them: those beyond are
 * lost without a word. */
#define BACKLOG 512

struct _OctLiveListener {
  GSocketService *service;
  OctLiveHall hall;
  guint port;
  guint timer;
};

static gboolean
on_incoming (GSocketService *service, GSocketConnection *incoming,
    GObject *source, gpointer data)
{
  OctLiveListener *listener = data;

  oct_live_connection_begin (&listener->hall, incoming);
  return TRUE;
}

static gboolean
listener_on_second (gpointer data)
{
  OctLiveListener *listener = data;
  gint64 now = g_get_monotonic_time ();

  /* one that is over leaves the list */
  for (guint i = listener->hall.connections->len; i-- > 0;)
    oct_live_connection_check (
        g_ptr_array_index (listener->hall.connections, i), now);
  return G_SOURCE_CONTINUE;
}

OctLiveListener *
oct_live_listener_new (const char *address, guint port,
    GTlsCertificate *certificate, const OctLiveSeatLimits *limits,
    SoupServer *server, GError **error)
{
  g_autoptr (GSocketAddress) wanted =
      g_inet_socket_address_new_from_string (address, port);
  g_autoptr (GSocketAddress) effective = NULL;
  OctLiveListener *listener = g_new0 (OctLiveListener, 1);
  g_autoptr (GError) reason = NULL;

  listener->service = g_socket_service_new ();
  g_socket_listener_set_backlog (
      G_SOCKET_LISTENER (listener->service), BACKLOG);
  listener->hall.server = server;
  listener->hall.door = oct_live_door_new ();
  listener->hall.seats = oct_live_seats_new (limits);
  listener->hall.connections = g_ptr_array_new ();
  g_set_object (&listener->hall.certificate, certificate);
  /* a time that runs out does not wait for the network */
  listener->timer = g_timeout_add_seconds_full (
      G_PRIORITY_HIGH, 1, listener_on_second, listener, NULL);
  if (!g_socket_listener_add_address (G_SOCKET_LISTENER (listener->service),
          wanted, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &effective,
          &reason)) {
    g_set_error (error, G_IO_ERROR, reason->code,
        "Nothing can be served at address %s, port %u (%s); choose others with "
        "--address and --port.",
        address, port, reason->message);
    oct_live_listener_free (listener);
    return NULL;
  }
  listener->port =
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
  g_signal_connect (
      listener->service, "incoming", G_CALLBACK (on_incoming), listener);
  return listener;
}

/* A thread that makes keys holds its connection: that one is left to the end
 * of the program. */
void
oct_live_listener_free (OctLiveListener *listener)
{
  g_signal_handlers_disconnect_by_data (listener->service, listener);
  g_socket_service_stop (listener->service);
  g_socket_listener_close (G_SOCKET_LISTENER (listener->service));
  g_object_unref (listener->service);
  g_source_remove (listener->timer);
  for (guint i = listener->hall.connections->len; i-- > 0;)
    oct_live_connection_cut (g_ptr_array_index (listener->hall.connections, i));
  if (listener->hall.connections->len > 0)
    return;
  g_clear_object (&listener->hall.certificate);
  oct_live_door_free (listener->hall.door);
  oct_live_seats_free (listener->hall.seats);
  g_ptr_array_unref (listener->hall.connections);
  g_free (listener);
}

guint
oct_live_listener_get_port (OctLiveListener *listener)
{
  return listener->port;
}
