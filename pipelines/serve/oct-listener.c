/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-listener.h"

#include <netinet/in.h>
#include <sys/resource.h>

/* Connections that the system keeps until we have taken them: those beyond are
 * lost without a word. */
#define BACKLOG 512

struct _OctListener {
  GSocketService *service;
  GSource *timer;
  GMainContext *context;
  OctListenerEvents events;
  gpointer data;
  guint port;
};

static gboolean
on_incoming (GSocketService *service, GSocketConnection *incoming,
    GObject *source, gpointer data)
{
  OctListener *listener = data;

  listener->events.incoming (incoming, listener->data);
  return TRUE;
}

static gboolean
listener_on_second (gpointer data)
{
  OctListener *listener = data;

  listener->events.second (g_get_monotonic_time (), listener->data);
  return G_SOURCE_CONTINUE;
}

OctListener *
oct_listener_new (const char *address, guint port,
    const OctListenerEvents *events, gpointer data, GError **error)
{
  g_autoptr (GSocketAddress) wanted =
      g_inet_socket_address_new_from_string (address, port);
  g_autoptr (GSocketAddress) effective = NULL;
  OctListener *listener;

  if (wanted == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "this is not an IP address");
    return NULL;
  }
  listener = g_new0 (OctListener, 1);
  listener->events = *events;
  listener->data = data;
  listener->context = g_main_context_ref_thread_default ();
  listener->service = g_socket_service_new ();
  g_socket_listener_set_backlog (
      G_SOCKET_LISTENER (listener->service), BACKLOG);
  if (!g_socket_listener_add_address (G_SOCKET_LISTENER (listener->service),
          wanted, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &effective,
          error)) {
    oct_listener_free (listener);
    return NULL;
  }
  listener->port =
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
  g_signal_connect (
      listener->service, "incoming", G_CALLBACK (on_incoming), listener);
  /* a time that runs out does not wait for the network */
  listener->timer = g_timeout_source_new_seconds (1);
  g_source_set_priority (listener->timer, G_PRIORITY_HIGH);
  g_source_set_callback (listener->timer, listener_on_second, listener, NULL);
  g_source_attach (listener->timer, listener->context);
  return listener;
}

void
oct_listener_free (OctListener *listener)
{
  g_signal_handlers_disconnect_by_data (listener->service, listener);
  g_socket_service_stop (listener->service);
  g_socket_listener_close (G_SOCKET_LISTENER (listener->service));
  g_object_unref (listener->service);
  if (listener->timer != NULL) {
    g_source_destroy (listener->timer);
    g_source_unref (listener->timer);
  }
  g_main_context_unref (listener->context);
  g_free (listener);
}

guint
oct_listener_get_port (OctListener *listener)
{
  return listener->port;
}

/* An IPv6 client has 2^64 addresses. */
void
oct_listener_describe_address (
    GSocketAddress *remote, char text[OCT_LISTENER_ADDRESS])
{
  GInetAddress *address =
      g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (remote));
  g_autofree char *whole = g_inet_address_to_string (address);
  const guint8 *bytes = g_inet_address_to_bytes (address);

  if (g_inet_address_get_family (address) == G_SOCKET_FAMILY_IPV6
      && !g_inet_address_get_is_loopback (address)
      && !IN6_IS_ADDR_V4MAPPED ((const struct in6_addr *)bytes))
    g_snprintf (text, OCT_LISTENER_ADDRESS,
        "%02x%02x:%02x%02x:%02x%02x:%02x%02x::/64", bytes[0], bytes[1],
        bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]);
  else
    g_strlcpy (text, whole, OCT_LISTENER_ADDRESS);
}

void
oct_listener_raise_limit (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit (RLIMIT_NOFILE, &limit);
}
