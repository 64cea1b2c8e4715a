/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#define KEY "oct-live-connection"
/* Seconds for a request to come in, and for which nothing may move. */
#define REQUEST_TIME 15
#define IDLE_TIME 20

struct _OctLiveListener {
  GSocketService *service;
  GTlsCertificate *certificate;
  SoupServer *server;
  guint port;
  guint max_connections;
  gint *open; /* connections; shared with them */
};

/* Belongs to the connection's remote address, which libsoup keeps with it. */
typedef struct {
  GSocket *socket;
  guint timer;
  gint *open;
} Connection;

static void
free_connection (gpointer data)
{
  Connection *connection = data;

  if (connection->timer != 0)
    g_source_remove (connection->timer);
  g_object_unref (connection->socket);
  g_atomic_int_dec_and_test (connection->open);
  g_atomic_rc_box_release (connection->open);
  g_free (connection);
}

static gboolean
on_too_slow (gpointer data)
{
  Connection *connection = data;

  connection->timer = 0;
  g_socket_shutdown (connection->socket, TRUE, TRUE, NULL);
  return G_SOURCE_REMOVE;
}

static void
watch_connection (
    OctLiveListener *listener, GSocket *socket, GSocketAddress *remote)
{
  Connection *connection = g_new (Connection, 1);

  g_socket_set_timeout (socket, IDLE_TIME);
  g_socket_set_option (socket, IPPROTO_TCP, TCP_NODELAY, TRUE, NULL);
  connection->socket = g_object_ref (socket);
  connection->open = g_atomic_rc_box_acquire (listener->open);
  g_atomic_int_inc (connection->open);
  connection->timer =
      g_timeout_add_seconds (REQUEST_TIME, on_too_slow, connection);
  g_object_set_data_full (G_OBJECT (remote), KEY, connection, free_connection);
}

/* A viewer must not stop because others call.  Closing at once tells them. */
static gboolean
on_incoming (GSocketService *service, GSocketConnection *incoming,
    GObject *source, gpointer data)
{
  OctLiveListener *listener = data;
  g_autoptr (GSocketAddress) local =
      g_socket_connection_get_local_address (incoming, NULL);
  g_autoptr (GSocketAddress) remote =
      g_socket_connection_get_remote_address (incoming, NULL);
  g_autoptr (GIOStream) stream = NULL;

  if (local == NULL || remote == NULL
      || g_atomic_int_get (listener->open) >= (gint)listener->max_connections)
    return TRUE;
  stream = listener->certificate != NULL
               ? g_tls_server_connection_new (
                   G_IO_STREAM (incoming), listener->certificate, NULL)
               : G_IO_STREAM (g_object_ref (incoming));
  if (stream == NULL)
    return TRUE;
  if (G_IS_TLS_CONNECTION (stream))
    g_tls_connection_set_require_close_notify (
        G_TLS_CONNECTION (stream), FALSE);
  watch_connection (
      listener, g_socket_connection_get_socket (incoming), remote);
  soup_server_accept_iostream (listener->server, stream, local, remote, NULL);
  return TRUE;
}

OctLiveListener *
oct_live_listener_new (const char *address, guint port,
    GTlsCertificate *certificate, guint max_connections, SoupServer *server,
    GError **error)
{
  g_autoptr (GSocketAddress) wanted =
      g_inet_socket_address_new_from_string (address, port);
  g_autoptr (GSocketAddress) effective = NULL;
  OctLiveListener *listener = g_new0 (OctLiveListener, 1);
  g_autoptr (GError) reason = NULL;

  listener->service = g_socket_service_new ();
  listener->server = server;
  listener->max_connections = max_connections;
  listener->open = g_atomic_rc_box_new0 (gint);
  g_set_object (&listener->certificate, certificate);
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

void
oct_live_listener_free (OctLiveListener *listener)
{
  g_signal_handlers_disconnect_by_data (listener->service, listener);
  g_socket_service_stop (listener->service);
  g_socket_listener_close (G_SOCKET_LISTENER (listener->service));
  g_object_unref (listener->service);
  g_clear_object (&listener->certificate);
  g_atomic_rc_box_release (listener->open);
  g_free (listener);
}

guint
oct_live_listener_get_port (OctLiveListener *listener)
{
  return listener->port;
}

static Connection *
get_connection (SoupServerMessage *message)
{
  return g_object_get_data (
      G_OBJECT (soup_server_message_get_remote_address (message)), KEY);
}

void
oct_live_listener_accept_request (SoupServerMessage *message)
{
  Connection *connection = get_connection (message);

  if (connection->timer != 0)
    g_source_remove (connection->timer);
  connection->timer = 0;
}

void
oct_live_listener_drop (SoupServerMessage *message)
{
  g_socket_shutdown (get_connection (message)->socket, TRUE, TRUE, NULL);
}
