/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-units.h"

#include <string.h>

struct _OctLiveUnits {
  OctLiveGraph *graph;
  SoupWebsocketConnection *socket;
  guint receiver;
  guint sent, decoded; /* numbers of the last ones */
  guint dropped;
  gboolean flows; /* else it waits for a key frame */
  gboolean begun; /* has had a key frame */
  gboolean closed;
  GMutex lock;
  GQueue waiting; /* GstBuffer, for the main thread */
  gboolean lost;  /* some of them */
  gboolean woken;
};

static void
units_clear (gpointer data)
{
  OctLiveUnits *units = data;

  g_queue_clear_full (&units->waiting, (GDestroyNotify)gst_buffer_unref);
  g_mutex_clear (&units->lock);
  g_object_unref (units->socket);
}

static void
units_release (gpointer data)
{
  g_atomic_rc_box_release_full (data, units_clear);
}

static void
units_request_key_frame (OctLiveUnits *units)
{
  oct_live_streams_request_key_frame (
      oct_live_graph_get_streams (units->graph));
}

static gboolean
units_are_far_ahead (const OctLiveUnits *units)
{
  return units->sent - units->decoded >= OCT_LIVE_UNITS_AHEAD;
}

static void
units_send (OctLiveUnits *units, GstBuffer *buffer, gboolean key)
{
  guint8 *message;
  GstMapInfo map;
  union {
    double value;
    guint64 bits;
  } time = { GST_BUFFER_PTS (buffer) / 1e6 };
  guint64 bits = GUINT64_TO_LE (time.bits);
  guint32 number;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  number = GUINT32_TO_LE (++units->sent);
  message = g_malloc (OCT_LIVE_UNIT_HEAD + map.size);
  memcpy (message, &bits, sizeof bits);
  memcpy (message + 8, &number, sizeof number);
  message[12] = key;
  memcpy (message + OCT_LIVE_UNIT_HEAD, map.data, map.size);
  soup_websocket_connection_send_binary (
      units->socket, message, OCT_LIVE_UNIT_HEAD + map.size);
  g_free (message);
  gst_buffer_unmap (buffer, &map);
}

static void
units_take (OctLiveUnits *units, GstBuffer *buffer)
{
  gboolean key = !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);

  if (units_are_far_ahead (units))
    units->flows = FALSE;
  else
    units->flows |= key;
  if (units->flows) {
    units_send (units, buffer, key);
    units->begun = TRUE;
  } else if (units->begun)
    units->dropped++;
}

static gboolean
units_on_woken (gpointer data)
{
  OctLiveUnits *units = data;
  GQueue taken;
  gboolean lost;

  g_mutex_lock (&units->lock);
  taken = units->waiting;
  g_queue_init (&units->waiting);
  lost = units->lost;
  units->lost = units->woken = FALSE;
  g_mutex_unlock (&units->lock);
  if (lost)
    units->flows = FALSE;
  for (GList *i = taken.head; i != NULL; i = i->next)
    if (!units->closed
        && soup_websocket_connection_get_state (units->socket)
               == SOUP_WEBSOCKET_STATE_OPEN)
      units_take (units, i->data);
  g_queue_clear_full (&taken, (GDestroyNotify)gst_buffer_unref);
  if (lost && !units->closed)
    units_request_key_frame (units);
  return G_SOURCE_REMOVE;
}

/* In the encoder's thread.  If the main thread is late, those that it has not
 * taken go, and it hears of it. */
static void
units_on_frame (GstBuffer *buffer, GstCaps *caps, gpointer data)
{
  OctLiveUnits *units = data;
  gboolean wake;

  g_mutex_lock (&units->lock);
  if (units->waiting.length >= OCT_LIVE_UNITS_AHEAD) {
    g_queue_clear_full (&units->waiting, (GDestroyNotify)gst_buffer_unref);
    units->lost = TRUE;
  }
  g_queue_push_tail (&units->waiting, gst_buffer_ref (buffer));
  wake = !units->woken;
  units->woken = TRUE;
  g_mutex_unlock (&units->lock);
  if (wake)
    g_main_context_invoke_full (NULL, G_PRIORITY_DEFAULT, units_on_woken,
        g_atomic_rc_box_acquire (units), units_release);
}

OctLiveUnits *
oct_live_units_new (OctLiveGraph *graph, SoupWebsocketConnection *socket)
{
  OctLiveUnits *units = g_atomic_rc_box_new0 (OctLiveUnits);

  g_mutex_init (&units->lock);
  g_queue_init (&units->waiting);
  units->graph = graph;
  units->socket = g_object_ref (socket);
  units->receiver = oct_live_streams_add_receiver (
      oct_live_graph_get_streams (graph), OCT_LIVE_H264, units_on_frame, units);
  return units;
}

void
oct_live_units_free (OctLiveUnits *units)
{
  units->closed = TRUE;
  oct_live_streams_remove_receiver (
      oct_live_graph_get_streams (units->graph), units->receiver);
  units_release (units);
}

void
oct_live_units_answer (OctLiveUnits *units, gint64 number)
{
  gboolean was_far = units_are_far_ahead (units);

  if (number <= units->decoded || number > units->sent)
    return;
  units->decoded = (guint)number;
  if (!units->flows && was_far && !units_are_far_ahead (units))
    units_request_key_frame (units);
}

guint
oct_live_units_get_dropped (OctLiveUnits *units)
{
  return units->dropped;
}
