/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-snapshot.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#define NICENESS 19 /* the least that a thread can ask for */
/* For the picture that is being made when all ends. */
#define ENDING_TIME G_TIME_SPAN_SECOND

typedef struct {
  OctLiveSnapshotDone done;
  gpointer data;
} Waiting;

/* The thread holds the queues, since it may be at a picture when all ends. */
struct _OctLiveSnapshots {
  OctLiveSnapshotSource source;
  gpointer source_data;
  GArray *waiting; /* for the next picture */
  GArray *served;  /* by the picture that is being made, NULL when none is */
  gint64 begun_at; /* monotonic, microseconds */
  guint timer;
  GThread *thread;
  GAsyncQueue *images; /* GstSample, to the thread; its end is the queue */
  GAsyncQueue *made;   /* GBytes, from the thread; none is the queue itself */
  GAsyncQueue *ended;  /* itself, when the thread has */
};

/* --------------------------------------------------------------------- picture
 */

static GstFlowReturn
snapshot_on_png (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstBuffer **png = gst_pad_get_element_private (pad);

  gst_buffer_replace (png, buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
snapshot_push (GstPad *pad, GstSample *image)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  return gst_pad_push_event (pad, gst_event_new_stream_start ("snapshot"))
         && gst_pad_push_event (
             pad, gst_event_new_caps (gst_sample_get_caps (image)))
         && gst_pad_push_event (pad, gst_event_new_segment (&segment))
         && gst_pad_push (pad, gst_buffer_ref (gst_sample_get_buffer (image)))
                == GST_FLOW_OK;
}

/* Grey of 16 bit stays that: videoconvert would rather have colours of 8 bit if
 * the caps say how light the levels are (colorimetry). */
static gboolean
link_levels (GstElement *convert, GstElement *encode, GstSample *image)
{
  const char *format = gst_structure_get_string (
      gst_caps_get_structure (gst_sample_get_caps (image), 0), "format");
  g_autoptr (GstCaps) caps = NULL;

  if (format != NULL && g_str_has_prefix (format, "GRAY16"))
    caps = gst_caps_new_simple (
        "video/x-raw", "format", G_TYPE_STRING, "GRAY16_BE", NULL);
  return gst_element_link_filtered (convert, encode, caps);
}

/* Pads of our own at both ends: a pipeline would take threads of the pool that
 * all pipelines share, and those keep the priority they have. */
static gboolean
run_through (GstElement *bin, GstElement *convert, GstElement *encode,
    GstSample *image, GstBuffer **png)
{
  g_autoptr (GstPad) in = gst_element_get_static_pad (convert, "sink");
  g_autoptr (GstPad) out = gst_element_get_static_pad (encode, "src");
  GstPad *source = gst_object_ref_sink (gst_pad_new ("in", GST_PAD_SRC));
  GstPad *sink = gst_object_ref_sink (gst_pad_new ("out", GST_PAD_SINK));
  gboolean ok;

  gst_pad_set_element_private (sink, png);
  gst_pad_set_chain_function (sink, snapshot_on_png);
  gst_pad_set_active (source, TRUE);
  gst_pad_set_active (sink, TRUE);
  ok = gst_pad_link (source, in) == GST_PAD_LINK_OK
       && link_levels (convert, encode, image)
       && gst_pad_link (out, sink) == GST_PAD_LINK_OK
       && gst_element_set_state (bin, GST_STATE_PAUSED)
              != GST_STATE_CHANGE_FAILURE
       && snapshot_push (source, image);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_pad_set_active (source, FALSE);
  gst_pad_set_active (sink, FALSE);
  gst_object_unref (source);
  gst_object_unref (sink);
  return ok && *png != NULL;
}

GBytes *
oct_live_snapshot_make (GstSample *image)
{
  GstElement *convert = gst_element_factory_make ("videoconvert", NULL);
  GstElement *encode = gst_element_factory_make ("pngenc", NULL);
  GstElement *bin = gst_bin_new (NULL);
  GstBuffer *png = NULL;
  GBytes *bytes = NULL;
  GstMapInfo map;

  gst_object_ref_sink (bin);
  if (convert != NULL)
    gst_bin_add (GST_BIN (bin), convert);
  if (encode != NULL)
    gst_bin_add (GST_BIN (bin), encode);
  if (convert != NULL && encode != NULL
      && run_through (bin, convert, encode, image, &png)
      && gst_buffer_map (png, &map, GST_MAP_READ)) {
    bytes = g_bytes_new (map.data, map.size);
    gst_buffer_unmap (png, &map);
  }
  gst_clear_buffer (&png);
  gst_object_unref (bin);
  return bytes;
}

/* ---------------------------------------------------------------------- thread
 */

static void snapshot_tell (GArray *waiting, GBytes *png);
static void begin_next (OctLiveSnapshots *snapshots);

static gboolean
on_made (gpointer data)
{
  OctLiveSnapshots *snapshots = data;
  gpointer item = g_async_queue_pop (snapshots->made);
  GBytes *png = item != snapshots->made ? item : NULL;

  snapshot_tell (g_steal_pointer (&snapshots->served), png);
  g_clear_pointer (&png, g_bytes_unref);
  begin_next (snapshots);
  return G_SOURCE_REMOVE;
}

static gpointer
make_pictures (gpointer data)
{
  OctLiveSnapshots *snapshots = data;
  gpointer item;

  /* on Linux it is this thread's alone */
  if (setpriority (PRIO_PROCESS, 0, NICENESS) != 0)
    g_printerr ("Note: snapshots are made at full priority (%s).\n",
        g_strerror (errno));
  while ((item = g_async_queue_pop (snapshots->images)) != snapshots->images) {
    GBytes *png = oct_live_snapshot_make (item);

    gst_sample_unref (item);
    g_async_queue_push (
        snapshots->made, png != NULL ? (gpointer)png : snapshots->made);
    g_idle_add_full (G_PRIORITY_DEFAULT, on_made, snapshots, NULL);
  }
  g_async_queue_push (snapshots->ended, snapshots->ended);
  return NULL;
}

/* -----------------------------------------------------------------------
 * asking
 */

static void
snapshot_tell (GArray *waiting, GBytes *png)
{
  for (guint i = 0; i < waiting->len; i++) {
    Waiting *one = &g_array_index (waiting, Waiting, i);

    one->done (png, one->data);
  }
  g_array_unref (waiting);
}

static gboolean
on_time (gpointer data)
{
  OctLiveSnapshots *snapshots = data;

  snapshots->timer = 0;
  begin_next (snapshots);
  return G_SOURCE_REMOVE;
}

static void
begin_next (OctLiveSnapshots *snapshots)
{
  gint64 now = g_get_monotonic_time ();
  gint64 wait = snapshots->begun_at + OCT_LIVE_SNAPSHOT_GAP * 1000 - now;
  GstSample *image;

  if (snapshots->served != NULL || snapshots->waiting->len == 0
      || snapshots->timer != 0)
    return;
  if (snapshots->begun_at != 0 && wait > 0) {
    snapshots->timer = g_timeout_add (wait / 1000 + 1, on_time, snapshots);
    return;
  }
  snapshots->served = snapshots->waiting;
  snapshots->waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  image = snapshots->source (snapshots->source_data);
  if (image == NULL) {
    snapshot_tell (g_steal_pointer (&snapshots->served), NULL);
    return;
  }
  snapshots->begun_at = now;
  g_async_queue_push (snapshots->images, image);
}

void
oct_live_snapshots_ask (
    OctLiveSnapshots *snapshots, OctLiveSnapshotDone done, gpointer data)
{
  Waiting one = { done, data };

  g_array_append_val (snapshots->waiting, one);
  begin_next (snapshots);
}

OctLiveSnapshots *
oct_live_snapshots_new (OctLiveSnapshotSource source, gpointer data)
{
  OctLiveSnapshots *snapshots = g_new0 (OctLiveSnapshots, 1);

  snapshots->source = source;
  snapshots->source_data = data;
  snapshots->waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  snapshots->images = g_async_queue_new ();
  snapshots->made = g_async_queue_new ();
  snapshots->ended = g_async_queue_new ();
  snapshots->thread = g_thread_new ("snapshots", make_pictures, snapshots);
  return snapshots;
}

gboolean
oct_live_snapshots_free (OctLiveSnapshots *snapshots)
{
  gpointer item;

  g_async_queue_push (snapshots->images, snapshots->images);
  item = g_async_queue_timeout_pop (snapshots->ended, ENDING_TIME);
  g_idle_remove_by_data (snapshots);
  if (snapshots->timer != 0)
    g_source_remove (snapshots->timer);
  snapshots->timer = 0;
  if (snapshots->served != NULL)
    snapshot_tell (g_steal_pointer (&snapshots->served), NULL);
  if (snapshots->waiting != NULL)
    snapshot_tell (g_steal_pointer (&snapshots->waiting), NULL);
  if (item == NULL)
    return FALSE;
  g_thread_join (snapshots->thread);
  while ((item = g_async_queue_try_pop (snapshots->made)) != NULL)
    if (item != snapshots->made)
      g_bytes_unref (item);
  g_async_queue_unref (snapshots->made);
  g_async_queue_unref (snapshots->images);
  g_async_queue_unref (snapshots->ended);
  g_free (snapshots);
  return TRUE;
}
