/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-rtsp-connection.h"

#include "oct-listener.h"
#include "oct-rtsp-message.h"

#include <gst/rtsp/gstrtspdefs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#define PIECE 65536
/* Bytes that wait for a slow viewer inside of this computer: a picture or two;
 * the library drops further ones. */
#define INSIDE (256 * 1024)
#define TRIES 3
#define SESSION "oct-session"

/* One direction: the bytes held wait until `to` takes them. */
typedef struct {
  OctRtspConnection *connection;
  GSocket *from, *to;
  GByteArray *held;
  gsize ready;  /* of it that may go on */
  gint64 since; /* of the last progress */
  gboolean full;
  GSource *source;
} Flow;

struct _OctRtspConnection {
  OctRtspHall *hall;
  GSocketConnection *base; /* of the viewer */
  GSocketAddress *remote;
  OctVisitor visitor; /* its address, after it has begun to play its role */
  gint64 born;        /* monotonic, microseconds */
  gint64 refused;     /* when, or 0 */
  Flow up, down;      /* to the library, and back */
  GSocket *inside;    /* to the library, NULL before the first request */
  gint *plays;        /* set by the library's thread; a g_atomic_rc_box */
  gboolean waits;     /* for its share of requests */
  OctPurse purse;     /* of one that plays */
  guint seat;
};

static gboolean on_up (GSocket *socket, GIOCondition condition, gpointer data);
static gboolean on_down (
    GSocket *socket, GIOCondition condition, gpointer data);

/* ------------------------------------------------------------------------ end
 */

static void
flow_rest (Flow *flow)
{
  if (flow->source != NULL)
    g_source_destroy (flow->source);
  g_clear_pointer (&flow->source, g_source_unref);
}

static void
clear_flow (Flow *flow)
{
  flow_rest (flow);
  g_byte_array_unref (flow->held);
}

static void
rtsp_cut (OctRtspConnection *connection)
{
  OctRtspHall *hall = connection->hall;

  clear_flow (&connection->up);
  clear_flow (&connection->down);
  oct_door_leave (hall->door, connection);
  oct_seats_leave (hall->seats, connection->seat);
  g_ptr_array_remove (hall->connections, connection);
  if (connection->inside != NULL)
    g_socket_close (connection->inside, NULL);
  g_clear_object (&connection->inside);
  g_io_stream_close (G_IO_STREAM (connection->base), NULL, NULL);
  g_object_unref (connection->base);
  g_object_unref (connection->remote);
  g_atomic_rc_box_release (connection->plays);
  g_free (connection);
}

/* ----------------------------------------------------------------- two flows
 */

/* Waits until it can go on: for room if something is ready, else for more. */
static void
flow_watch (Flow *flow, GSocketSourceFunc func)
{
  gboolean full = flow->ready > 0;

  if (flow->source != NULL && flow->full == full)
    return;
  flow_rest (flow);
  flow->full = full;
  flow->source = g_socket_create_source (
      full ? flow->to : flow->from, full ? G_IO_OUT : G_IO_IN, NULL);
  g_source_set_callback (
      flow->source, G_SOURCE_FUNC (func), flow->connection, NULL);
  g_source_attach (flow->source, g_main_context_get_thread_default ());
}

/* FALSE when the other side is gone. */
static gboolean
flow_send (Flow *flow)
{
  while (flow->ready > 0) {
    g_autoptr (GError) error = NULL;
    gssize sent = g_socket_send (
        flow->to, (const char *)flow->held->data, flow->ready, NULL, &error);

    if (sent < 0)
      return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
    g_byte_array_remove_range (flow->held, 0, sent);
    flow->ready -= sent;
    flow->since = g_get_monotonic_time ();
  }
  return TRUE;
}

/* FALSE when the other side has ended. */
static gboolean
flow_receive (Flow *flow, gsize most)
{
  gsize before = flow->held->len;
  g_autoptr (GError) error = NULL;
  gssize got;

  g_byte_array_set_size (flow->held, before + most);
  got = g_socket_receive (
      flow->from, (char *)flow->held->data + before, most, NULL, &error);
  g_byte_array_set_size (flow->held, before + MAX (got, 0));
  flow->since = g_get_monotonic_time ();
  return got > 0
         || (got < 0
             && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK));
}

static void
go_down (OctRtspConnection *connection)
{
  Flow *flow = &connection->down;

  flow->ready = flow->held->len;
  if (!flow_send (flow))
    rtsp_cut (connection);
  else
    flow_watch (flow, on_down);
}

static gboolean
on_down (GSocket *socket, GIOCondition condition, gpointer data)
{
  OctRtspConnection *connection = data;

  if (connection->down.ready == 0 && !flow_receive (&connection->down, PIECE))
    rtsp_cut (connection);
  else
    go_down (connection);
  return G_SOURCE_CONTINUE;
}

/* --------------------------------------------------------------- the library
 */

static void
on_play (GstRTSPClient *client, GstRTSPContext *context, gpointer plays)
{
  g_atomic_int_set ((gint *)plays, TRUE);
}

static void
release_plays (gpointer plays, GClosure *closure)
{
  g_atomic_rc_box_release (plays);
}

static void
leave_session (GstRTSPClient *client)
{
  GstRTSPSession *session = g_object_get_data (G_OBJECT (client), SESSION);
  g_autoptr (GstRTSPSessionPool) pool = NULL;

  if (session == NULL)
    return;
  pool = gst_rtsp_client_get_session_pool (client);
  gst_rtsp_session_pool_remove (pool, session);
}

/* A viewer has one: its second ends the first. */
static void
on_new_session (GstRTSPClient *client, GstRTSPSession *session, gpointer data)
{
  leave_session (client);
  g_object_set_data_full (
      G_OBJECT (client), SESSION, g_object_ref (session), g_object_unref);
}

/* The library keeps the session of a viewer that left without a TEARDOWN for a
 * minute: sixteen of them would shut out everybody. */
static void
on_closed (GstRTSPClient *client, gpointer data)
{
  leave_session (client);
}

static void
on_client (GstRTSPServer *server, GstRTSPClient *client, gpointer data)
{
  OctRtspHall *hall = data;

  g_signal_connect (client, "new-session", G_CALLBACK (on_new_session), NULL);
  g_signal_connect (client, "closed", G_CALLBACK (on_closed), NULL);
  g_signal_connect_data (client, "play-request", G_CALLBACK (on_play),
      g_atomic_rc_box_acquire (hall->coming->plays), release_plays, 0);
}

/* A listening socket that is gone when its one connection is there.  Somebody
 * else on this computer may have been faster: then it is not ours. */
static gboolean
make_pair (GSocket **ours, GSocket **theirs)
{
  g_autoptr (GSocket) listening = g_socket_new (
      G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);
  g_autoptr (GSocket) near = g_socket_new (
      G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);
  g_autoptr (GSocketAddress) any =
      g_inet_socket_address_new_from_string ("127.0.0.1", 0);
  g_autoptr (GSocketAddress) address = NULL, mine = NULL, other = NULL;
  g_autoptr (GSocket) far = NULL;

  if (listening == NULL || near == NULL
      || !g_socket_bind (listening, any, FALSE, NULL)
      || !g_socket_listen (listening, NULL))
    return FALSE;
  address = g_socket_get_local_address (listening, NULL);
  if (address == NULL || !g_socket_connect (near, address, NULL, NULL))
    return FALSE;
  far = g_socket_accept (listening, NULL, NULL);
  if (far == NULL)
    return FALSE;
  mine = g_socket_get_local_address (near, NULL);
  other = g_socket_get_remote_address (far, NULL);
  if (mine == NULL || other == NULL
      || g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (mine))
             != g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (other)))
    return FALSE;
  *ours = g_steal_pointer (&near);
  *theirs = g_steal_pointer (&far);
  return TRUE;
}

static void
set_up_inside (GSocket *ours, GSocket *theirs)
{
  g_socket_set_option (ours, SOL_SOCKET, SO_RCVBUF, INSIDE, NULL);
  g_socket_set_option (theirs, SOL_SOCKET, SO_SNDBUF, INSIDE, NULL);
  g_socket_set_option (ours, IPPROTO_TCP, TCP_NODELAY, TRUE, NULL);
  g_socket_set_option (theirs, IPPROTO_TCP, TCP_NODELAY, TRUE, NULL);
  g_socket_set_blocking (ours, FALSE);
}

static gboolean
go_inside (OctRtspConnection *connection)
{
  GInetSocketAddress *remote = G_INET_SOCKET_ADDRESS (connection->remote);
  g_autofree char *ip =
      g_inet_address_to_string (g_inet_socket_address_get_address (remote));
  GSocket *ours = NULL, *theirs = NULL;
  gboolean taken = FALSE;

  for (guint i = 0; i < TRIES && ours == NULL; i++)
    make_pair (&ours, &theirs);
  if (ours == NULL)
    return FALSE;
  set_up_inside (ours, theirs);
  connection->inside = ours;
  connection->up.to = connection->down.from = ours;
  connection->hall->coming = connection;
  taken = gst_rtsp_server_transfer_connection (connection->hall->server, theirs,
      ip, g_inet_socket_address_get_port (remote), NULL);
  connection->hall->coming = NULL;
  if (taken)
    flow_watch (&connection->down, on_down);
  return taken;
}

/* ------------------------------------------------------------------- requests
 */

/* The answer is small and the first thing that is sent: it goes out at once. */
static void
rtsp_answer (OctRtspConnection *connection, guint status)
{
  g_autofree char *answer =
      g_strdup_printf ("RTSP/1.0 %u %s\r\nConnection: close\r\n\r\n", status,
          gst_rtsp_status_as_text (status));
  GSocket *socket = g_socket_connection_get_socket (connection->base);

  g_socket_send (socket, answer, strlen (answer), NULL, NULL);
  g_socket_shutdown (socket, FALSE, TRUE, NULL);
  flow_rest (&connection->up);
  connection->refused = g_get_monotonic_time ();
}

/* Among the library's own answers there is no place for one of ours. */
static void
rtsp_refuse_connection (OctRtspConnection *connection, guint status)
{
  if (connection->inside != NULL)
    rtsp_cut (connection);
  else
    rtsp_answer (connection, status);
}

static gboolean
may_ask (OctRtspConnection *connection)
{
  gint64 now = g_get_monotonic_time ();

  return connection->seat != 0
             ? oct_purse_spend (&connection->purse, OCT_DOOR_REQUEST, now)
             : oct_door_spend (connection->hall->door,
                 connection->visitor.address, OCT_DOOR_REQUEST, now);
}

/* Messages go on one by one, whole. */
static void
go_up (OctRtspConnection *connection)
{
  Flow *flow = &connection->up;

  connection->waits = FALSE;
  while (TRUE) {
    OctRtspMessage message;

    if (!flow_send (flow)) {
      rtsp_cut (connection);
      return;
    }
    if (flow->ready > 0)
      break;
    message = oct_rtsp_message_check (flow->held->data, flow->held->len);
    if (message.status != 0) {
      rtsp_refuse_connection (connection, message.status);
      return;
    }
    if (message.length == 0)
      break;
    if (!may_ask (connection)) {
      connection->waits = TRUE;
      break;
    }
    if (connection->inside == NULL && !go_inside (connection)) {
      rtsp_refuse_connection (connection, GST_RTSP_STS_SERVICE_UNAVAILABLE);
      return;
    }
    g_byte_array_remove_range (flow->held, 0, message.empty);
    flow->ready = message.length;
  }
  if (connection->waits)
    flow_rest (flow);
  else
    flow_watch (flow, on_up);
}

static gboolean
on_up (GSocket *socket, GIOCondition condition, gpointer data)
{
  OctRtspConnection *connection = data;
  Flow *flow = &connection->up;

  if (flow->ready == 0
      && !flow_receive (flow, OCT_RTSP_MAX_MESSAGE - flow->held->len))
    rtsp_cut (connection);
  else
    go_up (connection);
  return G_SOURCE_CONTINUE;
}

/* ---------------------------------------------------------------------- begin
 */

/* It has begun to play; FALSE when there is no seat for it. */
static gboolean
rtsp_sit_down (OctRtspConnection *connection, gint64 now)
{
  connection->seat =
      oct_seats_take (connection->hall->seats, &connection->visitor);
  oct_purse_init (&connection->purse, now);
  oct_door_leave (connection->hall->door, connection);
  return connection->seat != 0;
}

/* Before others come, so that none is sent away for them. */
static void
rtsp_seat_players (OctRtspHall *hall)
{
  gint64 now = g_get_monotonic_time ();

  for (guint i = hall->connections->len; i-- > 0;) {
    OctRtspConnection *connection = g_ptr_array_index (hall->connections, i);

    if (g_atomic_int_get (connection->plays) && connection->seat == 0
        && !rtsp_sit_down (connection, now))
      rtsp_cut (connection);
  }
}

void
oct_rtsp_connection_begin (OctRtspHall *hall, GSocketConnection *incoming)
{
  GSocket *socket = g_socket_connection_get_socket (incoming);
  g_autoptr (GSocketAddress) remote =
      g_socket_connection_get_remote_address (incoming, NULL);
  OctRtspConnection *connection, *sent;

  if (remote == NULL)
    return;
  connection = g_new0 (OctRtspConnection, 1);
  connection->hall = hall;
  connection->base = g_object_ref (incoming);
  connection->remote = g_steal_pointer (&remote);
  connection->visitor.role = OCT_ROLE_VIEW;
  oct_listener_describe_address (
      connection->remote, connection->visitor.address);
  connection->born = g_get_monotonic_time ();
  connection->plays = g_atomic_rc_box_new0 (gint);
  connection->up = (Flow){ connection, socket, NULL, g_byte_array_new () };
  connection->down = (Flow){ connection, NULL, socket, g_byte_array_new () };
  g_socket_set_blocking (socket, FALSE);
  g_socket_set_option (socket, IPPROTO_TCP, TCP_NODELAY, TRUE, NULL);
  rtsp_seat_players (hall);
  g_ptr_array_add (hall->connections, connection);
  sent = oct_door_enter (hall->door, connection->visitor.address, connection);
  if (sent != NULL)
    rtsp_cut (sent);
  flow_watch (&connection->up, on_up);
}

void
oct_rtsp_connection_check (OctRtspConnection *connection, gint64 now)
{
  const Flow *down = &connection->down;
  gint64 limit = connection->inside == NULL ? OCT_LISTENER_REQUEST_TIME
                                            : OCT_RTSP_LOGIN_TIME;
  gboolean plays = g_atomic_int_get (connection->plays);

  if ((connection->refused != 0
          && now - connection->refused
                 > OCT_LISTENER_LINGER * G_TIME_SPAN_SECOND)
      || (!plays && now - connection->born > limit * G_TIME_SPAN_SECOND)
      || (down->ready > 0
          && now - down->since > OCT_LISTENER_PATIENCE * G_TIME_SPAN_SECOND)
      || (plays && connection->seat == 0 && !rtsp_sit_down (connection, now)))
    rtsp_cut (connection);
  else if (connection->waits)
    go_up (connection);
}

/* ----------------------------------------------------------------------- hall
 */

void
oct_rtsp_hall_init (
    OctRtspHall *hall, GstRTSPServer *server, const OctSeatLimits *limits)
{
  hall->server = server;
  hall->door = oct_door_new ();
  hall->seats = oct_seats_new (limits);
  hall->connections = g_ptr_array_new ();
  g_signal_connect (server, "client-connected", G_CALLBACK (on_client), hall);
}

void
oct_rtsp_hall_clear (OctRtspHall *hall)
{
  if (hall->server == NULL)
    return;
  g_signal_handlers_disconnect_by_data (hall->server, hall);
  for (guint i = hall->connections->len; i-- > 0;)
    rtsp_cut (g_ptr_array_index (hall->connections, i));
  oct_door_free (hall->door);
  oct_seats_free (hall->seats);
  g_ptr_array_unref (hall->connections);
}
