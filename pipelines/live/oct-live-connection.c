/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-connection.h"

#include "oct-head.h"
#include "oct-listener.h"
#include "oct-live-head.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#define KEY "oct-live-connection"
#define PIECE 4096
#define HELLO_MS 20 /* between looks for the rest of a greeting */
/* Milliseconds that keys may take while others wait for theirs. */
#define KEYS_PATIENCE 600
#define RECORD 5     /* bytes before a record of TLS */
#define HANDSHAKE 22 /* kind of such a record */

typedef enum {
  GREETING, /* TLS: the first message has not come in whole */
  WAITING,  /* for others' keys to be made */
  KEYS,     /* are being made, in a thread that has to end first */
  HEAD,     /* of the request is being read */
  SERVED,   /* the HTTP library has it */
  REFUSED,  /* the answer is out */
} Stage;

struct _OctLiveConnection {
  OctLiveHall *hall;
  GSocket *socket;
  GIOStream *base; /* of the socket, or TLS on top of it */
  GSocketAddress *local, *remote;
  char address[OCT_LISTENER_ADDRESS];
  Stage stage;
  gint64 born, since; /* of the stage; monotonic, microseconds */
  gboolean over;      /* while keys are made: nobody waits for them */
  GSource *source;
  GByteArray *start;
  gboolean upgrade, stays;
  OctLiveChannel *stream; /* belongs to the HTTP library */
  OctVisitor visitor;
  guint seat;
};

const char oct_live_connection_headers[] =
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(), microphone=(), geolocation=()\r\n"
    "Cache-Control: no-store\r\n"
    "Connection: close\r\n";

static void make_keys (OctLiveConnection *connection);

/* ------------------------------------------------------------------------ end
 */

static void
clear_source (OctLiveConnection *connection)
{
  if (connection->source == NULL)
    return;
  g_source_destroy (connection->source);
  g_clear_pointer (&connection->source, g_source_unref);
}

static void
connection_watch (
    OctLiveConnection *connection, GSource *source, GSourceFunc func)
{
  clear_source (connection);
  connection->source = source;
  g_source_set_callback (source, func, connection, NULL);
  g_source_attach (source, NULL);
}

static void
free_connection (OctLiveConnection *connection)
{
  OctLiveHall *hall = connection->hall;

  clear_source (connection);
  oct_door_leave (hall->door, connection);
  oct_seats_leave (hall->seats, connection->seat);
  g_ptr_array_remove (hall->connections, connection);
  g_object_set_data (G_OBJECT (connection->remote), KEY, NULL);
  g_object_unref (connection->remote);
  g_object_unref (connection->local);
  g_object_unref (connection->base);
  g_object_unref (connection->socket);
  g_byte_array_unref (connection->start);
  g_free (connection);
}

static void
set_stage (OctLiveConnection *connection, Stage stage)
{
  connection->stage = stage;
  connection->since = g_get_monotonic_time ();
}

/* The parts still held by the library or by the thread that makes keys come
 * back. */
void
oct_live_connection_cut (OctLiveConnection *connection)
{
  if (connection->stage == SERVED)
    oct_live_channel_cut (connection->stream);
  else
    g_socket_shutdown (connection->socket, TRUE, TRUE, NULL);
  connection->over = TRUE;
  if (connection->stage != SERVED && connection->stage != KEYS)
    free_connection (connection);
}

void
oct_live_connection_check (OctLiveConnection *connection, gint64 now)
{
  gboolean known = connection->seat != 0;
  gint64 since = connection->since;
  guint limit;

  switch (connection->stage) {
  case KEYS:
    limit = OCT_LIVE_KEYS_TIME;
    break;
  case SERVED:
    limit = known ? OCT_LIVE_ANSWER_TIME : OCT_LIVE_REFUSAL_TIME;
    oct_live_channel_check (connection->stream, now);
    break;
  case REFUSED:
    limit = OCT_LISTENER_LINGER;
    break;
  default:
    limit = OCT_LISTENER_REQUEST_TIME;
    since = connection->born;
    break;
  }
  if (!connection->stays && now - since > limit * G_TIME_SPAN_SECOND)
    oct_live_connection_cut (connection);
}

/* -------------------------------------------------------------------- refusal
 */

/* The answer is small and the first thing that is sent: it goes out at once.
 * Further bytes of the other side are not read; it has a moment to read us. */
static void
connection_refuse (OctLiveConnection *connection, const OctLiveHead *head)
{
  GOutputStream *out = g_io_stream_get_output_stream (connection->base);
  g_autofree char *answer = g_strdup_printf (
      "HTTP/1.1 %u %s\r\n%s%s%s"
      "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
      "Content-Type: text/plain; charset=utf-8\r\n"
      "Content-Length: %" G_GSIZE_FORMAT "\r\n\r\n%s",
      head->status, soup_status_get_phrase (head->status),
      oct_live_connection_headers,
      connection->hall->certificate != NULL
          ? "Strict-Transport-Security: " OCT_LIVE_HSTS "\r\n"
          : "",
      head->status == SOUP_STATUS_METHOD_NOT_ALLOWED ? "Allow: GET, HEAD\r\n"
                                                     : "",
      strlen (head->sentence), head->sentence);

  clear_source (connection);
  g_pollable_output_stream_write_nonblocking (
      G_POLLABLE_OUTPUT_STREAM (out), answer, strlen (answer), NULL, NULL);
  g_socket_shutdown (connection->socket, FALSE, TRUE, NULL);
  set_stage (connection, REFUSED);
}

/* ----------------------------------------------------------------------- head
 */

static void
on_stream_end (gpointer data)
{
  free_connection (data);
}

/* libsoup takes its references. */
static void
live_connection_serve (OctLiveConnection *connection, gsize head)
{
  g_autoptr (GBytes) start =
      g_bytes_new (connection->start->data, connection->start->len);
  g_autoptr (GSocketAddress) local = g_object_ref (connection->local);
  g_autoptr (GSocketAddress) remote = g_object_ref (connection->remote);
  g_autoptr (OctLiveChannel) stream =
      oct_live_channel_new (connection->base, connection->socket, start, head,
          connection->upgrade, on_stream_end, connection);

  clear_source (connection);
  g_byte_array_set_size (connection->start, 0);
  connection->stream = stream;
  set_stage (connection, SERVED);
  soup_server_accept_iostream (
      connection->hall->server, G_IO_STREAM (stream), local, remote, NULL);
}

static void
take_head (OctLiveConnection *connection, gsize looked_at)
{
  GByteArray *start = connection->start;
  gsize from = looked_at > 3 ? looked_at - 3 : 0;
  gsize end =
      oct_head_find_end ((const char *)start->data + from, start->len - from);
  gsize length = end != 0 ? from + end : start->len;
  OctLiveHead head;

  if (end == 0 && length <= OCT_LIVE_MAX_HEAD)
    return;
  head = oct_live_head_check (
      (const char *)start->data, length, connection->hall->certificate != NULL);
  connection->upgrade = head.upgrade;
  if (head.status != 0)
    connection_refuse (connection, &head);
  else
    live_connection_serve (connection, length);
}

static gboolean
on_readable (gpointer pollable, gpointer data)
{
  OctLiveConnection *connection = data;
  GByteArray *start = connection->start;
  gsize before = start->len;
  g_autoptr (GError) error = NULL;
  gssize got;

  g_byte_array_set_size (start, before + PIECE);
  got = g_pollable_input_stream_read_nonblocking (
      G_POLLABLE_INPUT_STREAM (g_io_stream_get_input_stream (connection->base)),
      start->data + before, PIECE, NULL, &error);
  g_byte_array_set_size (start, before + MAX (got, 0));
  if (got > 0)
    take_head (connection, before);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
    oct_live_connection_cut (connection);
  return G_SOURCE_CONTINUE;
}

static void
begin_head (OctLiveConnection *connection)
{
  GPollableInputStream *in =
      G_POLLABLE_INPUT_STREAM (g_io_stream_get_input_stream (connection->base));

  set_stage (connection, HEAD);
  connection_watch (connection,
      g_pollable_input_stream_create_source (in, NULL),
      G_SOURCE_FUNC (on_readable));
}

/* ----------------------------------------------------------------------- keys
 */

/* Keys that are being made, in all or for one address. */
static guint
count_keys (OctLiveHall *hall, const char *address)
{
  guint count = 0;

  for (guint i = 0; i < hall->connections->len; i++) {
    OctLiveConnection *connection = g_ptr_array_index (hall->connections, i);

    count += connection->stage == KEYS
             && (address == NULL || g_str_equal (connection->address, address));
  }
  return count;
}

/* First those whose address has the fewest in the making, the oldest of them
 * first. */
static void
serve_waiting (OctLiveHall *hall)
{
  OctLiveConnection *next;

  do {
    guint fewest = OCT_LIVE_MAX_KEYS_PER_ADDRESS;

    next = NULL;
    for (guint i = 0; i < hall->connections->len; i++) {
      OctLiveConnection *connection = g_ptr_array_index (hall->connections, i);
      guint count = connection->stage == WAITING
                        ? count_keys (hall, connection->address)
                        : fewest;

      if (count < fewest) {
        fewest = count;
        next = connection;
      }
    }
    if (next != NULL && count_keys (hall, NULL) < OCT_LIVE_MAX_KEYS)
      make_keys (next);
    else
      next = NULL;
  } while (next != NULL);
}

/* A slow client gives way to one whose address has no keys in the making. */
static void
live_connection_hurry (OctLiveHall *hall)
{
  gint64 now = g_get_monotonic_time ();
  OctLiveConnection *slowest = NULL;
  gboolean needed = FALSE;

  if (count_keys (hall, NULL) < OCT_LIVE_MAX_KEYS)
    return;
  for (guint i = 0; i < hall->connections->len; i++) {
    OctLiveConnection *connection = g_ptr_array_index (hall->connections, i);

    if (connection->stage == WAITING)
      needed |= count_keys (hall, connection->address) == 0;
    else if (connection->stage == KEYS && !connection->over
             && now - connection->since
                    > KEYS_PATIENCE * G_TIME_SPAN_MILLISECOND
             && (slowest == NULL || connection->since < slowest->since))
      slowest = connection;
  }
  if (needed && slowest != NULL)
    oct_live_connection_cut (slowest);
}

static void
on_keys (GObject *source, GAsyncResult *result, gpointer data)
{
  GTlsConnection *tls = G_TLS_CONNECTION (source);
  OctLiveConnection *connection = data;
  OctLiveHall *hall = connection->hall;
  GTlsProtocolVersion version = g_tls_connection_get_protocol_version (tls);

  connection->stage = REFUSED;
  /* older ones are off already, unless somebody has set them for GnuTLS */
  if (!g_tls_connection_handshake_finish (tls, result, NULL)
      || version < G_TLS_PROTOCOL_VERSION_TLS_1_2 || connection->over)
    oct_live_connection_cut (connection);
  else {
    g_socket_set_timeout (connection->socket, 2 * OCT_LISTENER_PATIENCE);
    begin_head (connection);
  }
  serve_waiting (hall);
}

/* A thread waits for the other side: only so many, and not for a client that
 * has not sent anything. */
static void
make_keys (OctLiveConnection *connection)
{
  clear_source (connection);
  set_stage (connection, KEYS);
  g_socket_set_timeout (connection->socket, OCT_LIVE_KEYS_TIME);
  g_tls_connection_handshake_async (G_TLS_CONNECTION (connection->base),
      G_PRIORITY_DEFAULT, NULL, on_keys, connection);
}

static gboolean
on_patience (gpointer data)
{
  OctLiveConnection *connection = data;

  live_connection_hurry (connection->hall);
  return G_SOURCE_CONTINUE;
}

static void
begin_waiting (OctLiveConnection *connection)
{
  OctLiveHall *hall = connection->hall;

  set_stage (connection, WAITING);
  connection_watch (
      connection, g_timeout_source_new (KEYS_PATIENCE / 2), on_patience);
  live_connection_hurry (hall);
  serve_waiting (hall);
}

static gboolean on_greeting (gpointer data);

static gboolean
on_greeted (GSocket *socket, GIOCondition condition, gpointer data)
{
  on_greeting (data);
  return G_SOURCE_CONTINUE;
}

/* Looks at the first record without taking it. */
static gboolean
on_greeting (gpointer data)
{
  OctLiveConnection *connection = data;
  guint8 greeting[PIECE];
  gssize got = recv (g_socket_get_fd (connection->socket), greeting,
      sizeof greeting, MSG_PEEK | MSG_DONTWAIT);
  gsize whole = sizeof greeting;

  if (got >= RECORD)
    whole = RECORD + (greeting[3] << 8 | greeting[4]);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)
      || (got > 0 && greeting[0] != HANDSHAKE))
    oct_live_connection_cut (connection);
  else if (got >= (gssize)MIN (whole, sizeof greeting)) {
    if (oct_door_spend (connection->hall->door, connection->address,
            OCT_DOOR_KEY, g_get_monotonic_time ()))
      begin_waiting (connection);
    else
      oct_live_connection_cut (connection);
  } else if (got > 0)
    connection_watch (connection, g_timeout_source_new (HELLO_MS), on_greeting);
  return G_SOURCE_CONTINUE;
}

/* ---------------------------------------------------------------------- begin
 */

/* Without a word about the database, every connection would read all the
 * authorities that the system trusts: 70 ms, and 4 MB for as long as it lasts.
 * Nobody is asked for a certificate. */
static GIOStream *
make_base (OctLiveHall *hall, GSocketConnection *incoming)
{
  GTlsBackend *backend = g_tls_backend_get_default ();

  if (hall->certificate == NULL)
    return G_IO_STREAM (g_object_ref (incoming));
  return g_initable_new (g_tls_backend_get_server_connection_type (backend),
      NULL, NULL, "base-io-stream", incoming, "certificate", hall->certificate,
      "database", NULL, "require-close-notify", FALSE, NULL);
}

void
oct_live_connection_begin (OctLiveHall *hall, GSocketConnection *incoming)
{
  g_autoptr (GSocketAddress) local =
      g_socket_connection_get_local_address (incoming, NULL);
  g_autoptr (GSocketAddress) remote =
      g_socket_connection_get_remote_address (incoming, NULL);
  OctLiveConnection *connection, *sent;
  GIOStream *base;

  if (local == NULL || remote == NULL)
    return;
  base = make_base (hall, incoming);
  if (base == NULL)
    return;
  connection = g_new0 (OctLiveConnection, 1);
  connection->hall = hall;
  connection->socket = g_object_ref (g_socket_connection_get_socket (incoming));
  connection->base = base;
  connection->local = g_steal_pointer (&local);
  connection->remote = g_steal_pointer (&remote);
  oct_listener_describe_address (connection->remote, connection->address);
  connection->start = g_byte_array_new ();
  connection->born = g_get_monotonic_time ();
  g_socket_set_timeout (connection->socket, 2 * OCT_LISTENER_PATIENCE);
  g_socket_set_option (
      connection->socket, IPPROTO_TCP, TCP_NODELAY, TRUE, NULL);
  g_object_set_data (G_OBJECT (connection->remote), KEY, connection);
  g_ptr_array_add (hall->connections, connection);
  sent = oct_door_enter (hall->door, connection->address, connection);
  if (sent != NULL)
    oct_live_connection_cut (sent);
  if (hall->certificate == NULL)
    begin_head (connection);
  else
    connection_watch (connection,
        g_socket_create_source (connection->socket, G_IO_IN, NULL),
        G_SOURCE_FUNC (on_greeted));
}

/* ------------------------------------------------------------------- messages
 */

OctLiveConnection *
oct_live_connection_get (SoupServerMessage *message)
{
  return g_object_get_data (
      G_OBJECT (soup_server_message_get_remote_address (message)), KEY);
}

const char *
oct_live_connection_get_address (OctLiveConnection *connection)
{
  return connection->address;
}

gboolean
oct_live_connection_is_upgrade (OctLiveConnection *connection)
{
  return connection->upgrade;
}

OctLiveChannel *
oct_live_connection_get_channel (OctLiveConnection *connection)
{
  return connection->stream;
}

gboolean
oct_live_connection_admit (
    OctLiveConnection *connection, const OctVisitor *visitor)
{
  connection->visitor = *visitor;
  connection->seat = oct_seats_take (connection->hall->seats, visitor);
  if (connection->seat == 0)
    return FALSE;
  oct_door_leave (connection->hall->door, connection);
  return TRUE;
}

const OctVisitor *
oct_live_connection_get_visitor (OctLiveConnection *connection)
{
  return &connection->visitor;
}

void
oct_live_connection_stay (OctLiveConnection *connection)
{
  connection->stays = TRUE;
}
