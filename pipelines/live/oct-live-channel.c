/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "oct-live-channel.h"

#include "oct-listener.h"

#include "oct-live-frames.h"

#include <poll.h>
#include <string.h>

#define TO_MS(bytes) ((guint)((bytes)*1000.0 / OCT_LIVE_CHANNEL_RATE) + 1)

/* ------------------------------------------------------------- both directions
 */

/* libsoup may hold these for longer than the stream, which then is NULL. */
typedef struct {
  GInputStream parent;
  OctLiveChannel *stream;
} Input;
typedef struct {
  GInputStreamClass parent;
} InputClass;
typedef struct {
  GOutputStream parent;
  OctLiveChannel *stream;
} Output;
typedef struct {
  GOutputStreamClass parent;
} OutputClass;

static void input_pollable_init (GPollableInputStreamInterface *interface);
static void output_pollable_init (GPollableOutputStreamInterface *interface);
static GType input_get_type (void);
static GType output_get_type (void);

G_DEFINE_TYPE_WITH_CODE (Input, input, G_TYPE_INPUT_STREAM,
    G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM, input_pollable_init))
G_DEFINE_TYPE_WITH_CODE (Output, output, G_TYPE_OUTPUT_STREAM,
    G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_OUTPUT_STREAM, output_pollable_init))

struct _OctLiveChannel {
  GIOStream parent;
  GIOStream *base;
  GSocket *socket;
  Input *input;
  Output *output;
  GBytes *start;
  gsize head, taken; /* bytes of start: the request; those handed out */
  gboolean upgrade, ended;
  OctLiveFrames frames;
  double allowance; /* bytes of frames */
  gint64 allowed_at;
  gint64 blocked_at; /* since when nothing can be written, 0 = it can */
  OctLiveChannelEnd end;
  gpointer end_data;
};

G_DEFINE_FINAL_TYPE (OctLiveChannel, oct_live_channel, G_TYPE_IO_STREAM)

static void
tell_end (OctLiveChannel *stream)
{
  OctLiveChannelEnd end = stream->end;

  stream->end = NULL;
  if (end != NULL)
    end (stream->end_data);
}

void
oct_live_channel_cut (OctLiveChannel *stream)
{
  if (!stream->ended)
    g_socket_shutdown (stream->socket, TRUE, TRUE, NULL);
  stream->ended = TRUE;
}

void
oct_live_channel_check (OctLiveChannel *stream, gint64 now)
{
  if (stream->blocked_at != 0
      && now - stream->blocked_at > OCT_LISTENER_PATIENCE * G_TIME_SPAN_SECOND)
    oct_live_channel_cut (stream);
}

gboolean
oct_live_channel_is_left (OctLiveChannel *stream)
{
  struct pollfd poll_fd = { .fd = g_socket_get_fd (stream->socket),
    .events = POLLRDHUP };

  return stream->ended
         || (poll (&poll_fd, 1, 0) > 0
             && (poll_fd.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
}

static gssize
channel_fail (GError **error, gint code, const char *sentence)
{
  g_set_error_literal (error, G_IO_ERROR, code, sentence);
  return -1;
}

/* ------------------------------------------------------------------------- in
 */

/* Bytes that may be taken now. */
static gsize
get_allowance (OctLiveChannel *stream)
{
  gint64 now = g_get_monotonic_time ();

  stream->allowance +=
      (now - stream->allowed_at) * 1e-6 * OCT_LIVE_CHANNEL_RATE;
  stream->allowance = MIN (stream->allowance, OCT_LIVE_CHANNEL_BURST);
  stream->allowed_at = now;
  return stream->allowance > 0.0 ? (gsize)stream->allowance : 0;
}

/* At most `count` bytes of those read before, and not beyond `end`. */
static gssize
take_start (OctLiveChannel *stream, void *buffer, gsize count, gsize end)
{
  const guint8 *data = g_bytes_get_data (stream->start, NULL);

  count = MIN (count, end - stream->taken);
  memcpy (buffer, data + stream->taken, count);
  stream->taken += count;
  return count;
}

static gssize
read_frames (OctLiveChannel *stream, void *buffer, gsize count, GError **error)
{
  gsize allowance = get_allowance (stream), size;
  const char *wrong;
  guint begun = 0;
  gssize got;

  if (allowance == 0)
    return channel_fail (error, G_IO_ERROR_WOULD_BLOCK, "Not that fast.");
  count = MIN (count, allowance);
  size = g_bytes_get_size (stream->start);
  if (stream->taken < size)
    got = take_start (stream, buffer, count, size);
  else
    got = g_pollable_input_stream_read_nonblocking (
        G_POLLABLE_INPUT_STREAM (g_io_stream_get_input_stream (stream->base)),
        buffer, count, NULL, error);
  if (got <= 0)
    return got;
  wrong = oct_live_frames_take (
      &stream->frames, buffer, got, stream->allowed_at, &begun);
  stream->allowance -= got + (double)begun * OCT_LIVE_CHANNEL_FRAME;
  if (wrong != NULL) {
    oct_live_channel_cut (stream);
    return channel_fail (error, G_IO_ERROR_CONNECTION_CLOSED, wrong);
  }
  return got;
}

static gssize
input_read_nonblocking (
    GPollableInputStream *pollable, void *buffer, gsize count, GError **error)
{
  OctLiveChannel *stream = ((Input *)pollable)->stream;

  if (stream == NULL || stream->ended)
    return channel_fail (error, G_IO_ERROR_CLOSED, "The connection is closed.");
  if (stream->taken < stream->head)
    return take_start (stream, buffer, count, stream->head);
  if (!stream->upgrade)
    return channel_fail (
        error, G_IO_ERROR_WOULD_BLOCK, "Nothing follows a request.");
  return read_frames (stream, buffer, count, error);
}

static gboolean
input_is_readable (GPollableInputStream *pollable)
{
  OctLiveChannel *stream = ((Input *)pollable)->stream;

  if (stream == NULL || stream->ended || stream->taken < stream->head)
    return TRUE;
  if (!stream->upgrade || get_allowance (stream) == 0)
    return FALSE;
  return stream->taken < g_bytes_get_size (stream->start)
         || g_pollable_input_stream_is_readable (G_POLLABLE_INPUT_STREAM (
             g_io_stream_get_input_stream (stream->base)));
}

/* After a request it never gets ready; after too many bytes, later. */
static GSource *
input_create_source (GPollableInputStream *pollable, GCancellable *cancellable)
{
  OctLiveChannel *stream = ((Input *)pollable)->stream;
  g_autoptr (GSource) child = NULL;

  if (stream == NULL || stream->ended || stream->taken < stream->head)
    child = g_timeout_source_new (0);
  else if (stream->upgrade && get_allowance (stream) == 0)
    child = g_timeout_source_new (TO_MS (1.0 - stream->allowance));
  else if (stream->upgrade && stream->taken < g_bytes_get_size (stream->start))
    child = g_timeout_source_new (0);
  else if (stream->upgrade)
    child = g_pollable_input_stream_create_source (
        G_POLLABLE_INPUT_STREAM (g_io_stream_get_input_stream (stream->base)),
        NULL);
  return g_pollable_source_new_full (pollable, child, cancellable);
}

/* libsoup never waits in a read; a caller that would gets an error instead. */
static gssize
input_read (GInputStream *input, void *buffer, gsize count,
    GCancellable *cancellable, GError **error)
{
  return input_read_nonblocking (
      G_POLLABLE_INPUT_STREAM (input), buffer, count, error);
}

static void
input_pollable_init (GPollableInputStreamInterface *interface)
{
  interface->is_readable = input_is_readable;
  interface->create_source = input_create_source;
  interface->read_nonblocking = input_read_nonblocking;
}

static void
input_class_init (InputClass *class)
{
  G_INPUT_STREAM_CLASS (class)->read_fn = input_read;
}

static void
input_init (Input *input)
{
}

/* ------------------------------------------------------------------------ out
 */

static GPollableOutputStream *
get_sink (OctLiveChannel *stream)
{
  return G_POLLABLE_OUTPUT_STREAM (
      g_io_stream_get_output_stream (stream->base));
}

static gssize
output_write_nonblocking (GPollableOutputStream *pollable, const void *buffer,
    gsize count, GError **error)
{
  OctLiveChannel *stream = ((Output *)pollable)->stream;
  GError *reason = NULL;
  gssize written;

  if (stream == NULL || stream->ended)
    return channel_fail (error, G_IO_ERROR_CLOSED, "The connection is closed.");
  written = g_pollable_output_stream_write_nonblocking (
      get_sink (stream), buffer, count, NULL, &reason);
  if (written > 0)
    stream->blocked_at = 0;
  else if (stream->blocked_at == 0
           && g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
    stream->blocked_at = g_get_monotonic_time ();
  if (reason != NULL)
    g_propagate_error (error, reason);
  return written;
}

static gboolean
output_is_writable (GPollableOutputStream *pollable)
{
  OctLiveChannel *stream = ((Output *)pollable)->stream;

  return stream == NULL || stream->ended
         || g_pollable_output_stream_is_writable (get_sink (stream));
}

static GSource *
output_create_source (
    GPollableOutputStream *pollable, GCancellable *cancellable)
{
  OctLiveChannel *stream = ((Output *)pollable)->stream;
  g_autoptr (GSource) child =
      stream == NULL || stream->ended
          ? g_timeout_source_new (0)
          : g_pollable_output_stream_create_source (get_sink (stream), NULL);

  return g_pollable_source_new_full (pollable, child, cancellable);
}

static gssize
output_write (GOutputStream *output, const void *buffer, gsize count,
    GCancellable *cancellable, GError **error)
{
  return output_write_nonblocking (
      G_POLLABLE_OUTPUT_STREAM (output), buffer, count, error);
}

static void
output_pollable_init (GPollableOutputStreamInterface *interface)
{
  interface->is_writable = output_is_writable;
  interface->create_source = output_create_source;
  interface->write_nonblocking = output_write_nonblocking;
}

static void
output_class_init (OutputClass *class)
{
  G_OUTPUT_STREAM_CLASS (class)->write_fn = output_write;
}

static void
output_init (Output *output)
{
}

/* --------------------------------------------------------------------- stream
 */

static GInputStream *
get_input (GIOStream *stream)
{
  return G_INPUT_STREAM (OCT_LIVE_CHANNEL (stream)->input);
}

static GOutputStream *
get_output (GIOStream *stream)
{
  return G_OUTPUT_STREAM (OCT_LIVE_CHANNEL (stream)->output);
}

/* TLS ends with a message, which may block: sent only if it goes at once. */
static gboolean
close_stream (GIOStream *io, GCancellable *cancellable, GError **error)
{
  OctLiveChannel *stream = OCT_LIVE_CHANNEL (io);

  if (!stream->ended && stream->blocked_at == 0
      && (g_socket_condition_check (stream->socket, G_IO_OUT) & G_IO_OUT))
    g_io_stream_close (stream->base, NULL, NULL);
  else
    oct_live_channel_cut (stream);
  stream->ended = TRUE;
  tell_end (stream);
  return TRUE;
}

/* Nothing waits: no thread is needed. */
static void
close_async (GIOStream *stream, int priority, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (stream, NULL, callback, data);

  close_stream (stream, NULL, NULL);
  g_task_return_boolean (task, TRUE);
}

static gboolean
close_finish (GIOStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static void
oct_live_channel_finalize (GObject *object)
{
  OctLiveChannel *stream = OCT_LIVE_CHANNEL (object);

  tell_end (stream);
  stream->input->stream = NULL;
  stream->output->stream = NULL;
  g_object_unref (stream->input);
  g_object_unref (stream->output);
  g_object_unref (stream->base);
  g_object_unref (stream->socket);
  g_bytes_unref (stream->start);
  G_OBJECT_CLASS (oct_live_channel_parent_class)->finalize (object);
}

static void
oct_live_channel_class_init (OctLiveChannelClass *class)
{
  GIOStreamClass *io = G_IO_STREAM_CLASS (class);

  G_OBJECT_CLASS (class)->finalize = oct_live_channel_finalize;
  io->get_input_stream = get_input;
  io->get_output_stream = get_output;
  io->close_fn = close_stream;
  io->close_async = close_async;
  io->close_finish = close_finish;
}

static void
oct_live_channel_init (OctLiveChannel *stream)
{
  stream->input = g_object_new (input_get_type (), NULL);
  stream->output = g_object_new (output_get_type (), NULL);
  stream->input->stream = stream;
  stream->output->stream = stream;
}

OctLiveChannel *
oct_live_channel_new (GIOStream *base, GSocket *socket, GBytes *start,
    gsize head, gboolean upgrade, OctLiveChannelEnd end, gpointer data)
{
  OctLiveChannel *stream = g_object_new (OCT_LIVE_TYPE_CHANNEL, NULL);

  stream->base = g_object_ref (base);
  stream->socket = g_object_ref (socket);
  stream->start = g_bytes_ref (start);
  stream->head = head;
  stream->upgrade = upgrade;
  stream->allowed_at = g_get_monotonic_time ();
  stream->allowance = OCT_LIVE_CHANNEL_BURST;
  oct_live_frames_init (&stream->frames, stream->allowed_at);
  stream->end = end;
  stream->end_data = data;
  return stream;
}
