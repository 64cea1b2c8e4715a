/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures for browsers without WebRTC: one JPEG after the other in an answer
 * that does not end.  A new one is written when the previous one has left;
 * pictures in between are skipped, so that a slow reader sees fewer pictures
 * and not older ones. */
#include "oct-live-connection.h"
#include "oct-live-server.h"

#include <string.h>

#define PICTURE_TIME 15 /* seconds for one picture to leave */
#define BOUNDARY "oct-live-picture"

typedef struct {
  OctLive *live;
  SoupServerMessage *message; /* main thread */
  guint receiver, seat;
  guint timer;      /* while a picture is being written; main thread */
  guint looker;     /* timer that looks whether anybody is there */
  gboolean writing; /* main thread */
  GMutex lock;
  GstBuffer *latest; /* not written yet */
  gboolean woken;
} Watcher;

static void
clear_watcher (gpointer data)
{
  Watcher *watcher = data;

  g_clear_pointer (&watcher->latest, gst_buffer_unref);
  g_mutex_clear (&watcher->lock);
}

static void
live_jpeg_release (gpointer data)
{
  g_atomic_rc_box_release_full (data, clear_watcher);
}

/* A viewer that reads a byte now and then keeps a place from others. */
static gboolean
on_too_slow (gpointer data)
{
  Watcher *watcher = data;
  OctLiveConnection *connection = oct_live_connection_get (watcher->message);

  watcher->timer = 0;
  if (connection != NULL)
    oct_live_connection_cut (connection);
  return G_SOURCE_REMOVE;
}

/* Without pictures no write notices that a viewer leaves.  A connection that is
 * half closed is left too: nobody asks for pictures like that. */
static gboolean
live_jpeg_look (gpointer data)
{
  Watcher *watcher = data;
  OctLiveConnection *connection = oct_live_connection_get (watcher->message);

  if (watcher->writing
      || (connection != NULL
          && !oct_live_channel_is_left (
              oct_live_connection_get_channel (connection))))
    return G_SOURCE_CONTINUE;
  watcher->looker = 0;
  watcher->writing = TRUE;
  soup_message_body_complete (
      soup_server_message_get_response_body (watcher->message));
  soup_server_message_unpause (watcher->message);
  return G_SOURCE_REMOVE;
}

static void
stop_timer (Watcher *watcher)
{
  if (watcher->timer != 0)
    g_source_remove (watcher->timer);
  watcher->timer = 0;
}

/* Ends with the boundary, since browsers show a picture when they see it. */
static void
write_picture (Watcher *watcher, GstBuffer *buffer)
{
  SoupMessageBody *body =
      soup_server_message_get_response_body (watcher->message);
  GByteArray *part = g_byte_array_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *head = NULL;
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    head = g_strdup_printf ("Content-Type: image/jpeg\r\n"
                            "X-Time: %.3f\r\n"
                            "Content-Length: %" G_GSIZE_FORMAT "\r\n\r\n",
        GST_BUFFER_PTS (buffer) / 1e6, map.size);
    g_byte_array_append (part, (const guint8 *)head, strlen (head));
    g_byte_array_append (part, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  g_byte_array_append (part, (const guint8 *)"\r\n--" BOUNDARY "\r\n",
      strlen ("\r\n--" BOUNDARY "\r\n"));
  bytes = g_byte_array_free_to_bytes (part);
  watcher->writing = TRUE;
  watcher->timer = g_timeout_add_seconds (PICTURE_TIME, on_too_slow, watcher);
  soup_message_body_append_bytes (body, bytes);
  soup_server_message_unpause (watcher->message);
}

static void
write_latest (Watcher *watcher)
{
  g_autoptr (GstBuffer) buffer = NULL;

  if (watcher->message == NULL || watcher->writing)
    return;
  g_mutex_lock (&watcher->lock);
  buffer = g_steal_pointer (&watcher->latest);
  g_mutex_unlock (&watcher->lock);
  if (buffer != NULL)
    write_picture (watcher, buffer);
}

static gboolean
on_woken (gpointer data)
{
  Watcher *watcher = data;

  g_mutex_lock (&watcher->lock);
  watcher->woken = FALSE;
  g_mutex_unlock (&watcher->lock);
  write_latest (watcher);
  return G_SOURCE_REMOVE;
}

/* In the thread of the JPEG encoder. */
static void
live_jpeg_on_jpeg (GstBuffer *buffer, GstCaps *caps, gpointer data)
{
  Watcher *watcher = data;
  gboolean wake;

  g_mutex_lock (&watcher->lock);
  g_clear_pointer (&watcher->latest, gst_buffer_unref);
  watcher->latest = gst_buffer_ref (buffer);
  wake = !watcher->woken;
  watcher->woken = TRUE;
  g_mutex_unlock (&watcher->lock);
  if (wake)
    g_main_context_invoke_full (NULL, G_PRIORITY_DEFAULT, on_woken,
        g_atomic_rc_box_acquire (watcher), live_jpeg_release);
}

static void
on_wrote_chunk (SoupServerMessage *message, gpointer data)
{
  Watcher *watcher = data;

  watcher->writing = FALSE;
  stop_timer (watcher);
  write_latest (watcher);
}

static void
on_finished (SoupServerMessage *message, gpointer data)
{
  Watcher *watcher = data;

  oct_live_streams_remove_receiver (
      oct_live_graph_get_streams (watcher->live->graph), watcher->receiver);
  oct_seats_leave (watcher->live->pictures, watcher->seat);
  stop_timer (watcher);
  if (watcher->looker != 0)
    g_source_remove (watcher->looker);
  g_signal_handlers_disconnect_by_data (message, watcher);
  watcher->message = NULL;
  live_jpeg_release (watcher);
}

void
oct_live_jpeg_answer (OctLive *live, SoupServerMessage *message)
{
  static const char first[] = "--" BOUNDARY "\r\n";
  SoupMessageHeaders *headers =
      soup_server_message_get_response_headers (message);
  SoupMessageBody *body = soup_server_message_get_response_body (message);
  OctLiveConnection *connection = oct_live_connection_get (message);
  Watcher *watcher;
  guint seat = oct_seats_take (
      live->pictures, oct_live_connection_get_visitor (connection));

  if (seat == 0) {
    soup_server_message_set_status (
        message, SOUP_STATUS_SERVICE_UNAVAILABLE, NULL);
    return;
  }
  oct_live_connection_stay (connection);
  watcher = g_atomic_rc_box_new0 (Watcher);
  g_mutex_init (&watcher->lock);
  watcher->live = live;
  watcher->seat = seat;
  watcher->message = message;
  watcher->writing = TRUE;
  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  soup_message_headers_set_encoding (headers, SOUP_ENCODING_EOF);
  soup_message_headers_replace (
      headers, "Content-Type", "multipart/x-mixed-replace; boundary=" BOUNDARY);
  soup_message_body_set_accumulate (body, FALSE);
  soup_message_body_append (body, SOUP_MEMORY_STATIC, first, strlen (first));
  g_signal_connect (
      message, "wrote-chunk", G_CALLBACK (on_wrote_chunk), watcher);
  g_signal_connect (message, "finished", G_CALLBACK (on_finished), watcher);
  watcher->looker = g_timeout_add_seconds (1, live_jpeg_look, watcher);
  watcher->receiver =
      oct_live_streams_add_receiver (oct_live_graph_get_streams (live->graph),
          OCT_LIVE_JPEG, live_jpeg_on_jpeg, watcher);
}
