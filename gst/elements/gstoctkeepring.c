/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctkeepring.h"

#include <gst/video/video.h>

/* The bytes of a copy, until its last reference is gone. */
typedef struct {
  gsize *all; /* atomic, of all copies; a reference (GRcBox) */
  gsize size;
} Share;

struct _GstOctKeepRing {
  GQueue buffers; /* GstBuffer */
  guint64 bytes;
  gsize *all;       /* bytes of all copies that are alive; atomic */
  GstMemory *spare; /* of a buffer that has left, for the next one; or NULL */
  /* GstEvent, one of a name: before the first buffer, and after the last one */
  GPtrArray *events, *last_events;
};

static GPtrArray *
ring_new_events (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)gst_event_unref);
}

GstOctKeepRing *
gst_oct_keep_ring_new (void)
{
  GstOctKeepRing *ring = g_new0 (GstOctKeepRing, 1);

  ring->all = g_atomic_rc_box_new0 (gsize);
  ring->events = ring_new_events ();
  ring->last_events = ring_new_events ();
  return ring;
}

void
gst_oct_keep_ring_free (GstOctKeepRing *ring)
{
  gst_oct_keep_ring_clear (ring);
  g_ptr_array_unref (ring->events);
  g_ptr_array_unref (ring->last_events);
  g_atomic_rc_box_release (ring->all);
  g_free (ring);
}

/* ------------------------------------------------------------------- events */

static GQuark
ring_get_events_quark (void)
{
  static GQuark quark = 0;

  if (quark == 0)
    quark = g_quark_from_static_string ("gst-oct-keep-events");
  return quark;
}

/* NULL: there are none. */
static GPtrArray *
ring_get_buffer_events (GstBuffer *buffer)
{
  return gst_mini_object_get_qdata (
      GST_MINI_OBJECT (buffer), ring_get_events_quark ());
}

/* The newest of a name is in force. */
static void
ring_put_event (GPtrArray *events, GstEvent *event)
{
  const GstStructure *s = gst_event_get_structure (event);

  for (guint i = 0; i < events->len; i++)
    if (gst_event_has_name (
            g_ptr_array_index (events, i), gst_structure_get_name (s))) {
      g_ptr_array_remove_index (events, i);
      break;
    }
  g_ptr_array_add (events, gst_event_ref (event));
}

static void
ring_put_events (GPtrArray *to, const GPtrArray *from)
{
  for (guint i = 0; from != NULL && i < from->len; i++)
    ring_put_event (to, g_ptr_array_index (from, i));
}

/* Events of a buffer that leaves hold for those after it. */
static void
ring_let_go (GstOctKeepRing *ring, GstBuffer *buffer)
{
  ring_put_events (ring->events, ring_get_buffer_events (buffer));
}

static void
ring_attach_events (GstOctKeepRing *ring, GstBuffer *copy)
{
  if (ring->last_events->len == 0)
    return;
  gst_mini_object_set_qdata (GST_MINI_OBJECT (copy), ring_get_events_quark (),
      ring->last_events, (GDestroyNotify)g_ptr_array_unref);
  ring->last_events = ring_new_events ();
}

void
gst_oct_keep_ring_take_event (GstOctKeepRing *ring, GstEvent *event)
{
  if (gst_event_get_structure (event) == NULL) /* it says nothing */
    return;
  ring_put_event (
      ring->buffers.length > 0 ? ring->last_events : ring->events, event);
}

void
gst_oct_keep_ring_get_events (const GstOctKeepRing *ring, GPtrArray *events)
{
  ring_put_events (events, ring->events);
}

void
gst_oct_keep_ring_get_last_events (
    const GstOctKeepRing *ring, GPtrArray *events)
{
  ring_put_events (events, ring->last_events);
}

void
gst_oct_keep_ring_push_events (GstBuffer *buffer, GstPad *pad)
{
  const GPtrArray *events = ring_get_buffer_events (buffer);

  for (guint i = 0; events != NULL && i < events->len; i++)
    gst_pad_push_event (pad, gst_event_ref (g_ptr_array_index (events, i)));
}

/* ------------------------------------------------------------------ buffers */

void
gst_oct_keep_ring_forget (GstOctKeepRing *ring)
{
  gst_oct_keep_ring_clear (ring);
  g_ptr_array_set_size (ring->events, 0);
}

void
gst_oct_keep_ring_clear (GstOctKeepRing *ring)
{
  GstBuffer *buffer;

  while ((buffer = g_queue_pop_head (&ring->buffers)) != NULL) {
    ring_let_go (ring, buffer);
    gst_buffer_unref (buffer);
  }
  ring_put_events (ring->events, ring->last_events);
  g_ptr_array_set_size (ring->last_events, 0);
  ring->bytes = 0;
  g_clear_pointer (&ring->spare, gst_memory_unref);
}

/* Memory of new pages costs as much as the copy: what has just left is used
 * again, if no file is being written of it. */
static GstMemory *
ring_take_memory (GstOctKeepRing *ring, gsize size)
{
  GstMemory *memory = g_steal_pointer (&ring->spare);
  gsize whole;

  if (memory != NULL) {
    (void)gst_memory_get_sizes (memory, NULL, &whole);
    if (whole >= size && whole <= 2 * size
        && GST_MINI_OBJECT_REFCOUNT_VALUE (memory) == 1) {
      gst_memory_resize (memory, 0, (gssize)size);
      return memory;
    }
    gst_memory_unref (memory);
  }
  return gst_allocator_alloc (NULL, size, NULL);
}

static void
ring_free_share (gpointer data)
{
  Share *share = data;

  g_atomic_pointer_add (share->all, -(gssize)share->size);
  g_atomic_rc_box_release (share->all);
  g_free (share);
}

/* Files that are being written hold copies that have left the ring. */
static void
ring_count (GstOctKeepRing *ring, GstBuffer *copy)
{
  static GQuark quark = 0;
  Share *share = g_new (Share, 1);

  if (quark == 0)
    quark = g_quark_from_static_string ("gst-oct-keep-share");
  *share = (Share){ g_atomic_rc_box_acquire (ring->all),
    gst_buffer_get_size (copy) };
  g_atomic_pointer_add (share->all, share->size);
  gst_mini_object_set_qdata (
      GST_MINI_OBJECT (copy), quark, share, ring_free_share);
}

static GstBuffer *
ring_copy (GstOctKeepRing *ring, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer), read;
  GstVideoMeta *video = gst_buffer_get_video_meta (buffer);
  GstBuffer *copy = gst_buffer_new ();
  GstMemory *memory = ring_take_memory (ring, size);
  GstMapInfo map;

  if (memory == NULL || !gst_memory_map (memory, &map, GST_MAP_WRITE)) {
    g_clear_pointer (&memory, gst_memory_unref);
    gst_buffer_unref (copy);
    return NULL;
  }
  read = gst_buffer_extract (buffer, 0, map.data, size);
  gst_memory_unmap (memory, &map);
  gst_buffer_append_memory (copy, memory);
  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  /* it belongs to the memory, whose bytes lie as they did */
  if (video != NULL && gst_buffer_get_video_meta (copy) == NULL)
    gst_buffer_add_video_meta_full (copy, video->flags, video->format,
        video->width, video->height, video->n_planes, video->offset,
        video->stride);
  if (read == size)
    return copy;
  gst_buffer_unref (copy);
  return NULL;
}

static gboolean
ring_is_start (GstBuffer *buffer)
{
  return !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
}

static GstClockTime
ring_get_end (GstBuffer *buffer)
{
  return GST_BUFFER_PTS (buffer)
         + (GST_BUFFER_DURATION_IS_VALID (buffer) ? GST_BUFFER_DURATION (buffer)
                                                  : 0);
}

/* Lets the first group go. */
static void
ring_drop_group (GstOctKeepRing *ring)
{
  do {
    GstBuffer *buffer = g_queue_pop_head (&ring->buffers);

    ring->bytes -= gst_buffer_get_size (buffer);
    ring_let_go (ring, buffer);
    if (ring->spare == NULL && GST_MINI_OBJECT_REFCOUNT_VALUE (buffer) == 1)
      ring->spare = gst_buffer_get_memory (buffer, 0);
    gst_buffer_unref (buffer);
  } while (ring->buffers.length > 0
           && !ring_is_start (g_queue_peek_head (&ring->buffers)));
}

/* The first buffer of the second group, or NULL. */
static GstBuffer *
ring_find_second (const GstOctKeepRing *ring)
{
  for (GList *i = ring->buffers.head != NULL ? ring->buffers.head->next : NULL;
       i != NULL; i = i->next)
    if (ring_is_start (i->data))
      return i->data;
  return NULL;
}

static void
ring_trim (GstOctKeepRing *ring, GstClockTime length, guint64 most)
{
  GstClockTime end = ring_get_end (g_queue_peek_tail (&ring->buffers));

  while (ring->buffers.length > 0) {
    GstBuffer *second = ring_find_second (ring);
    gboolean is_long =
        second != NULL && GST_BUFFER_PTS (second) + length <= end;

    if (!is_long && ring->bytes <= most)
      return;
    ring_drop_group (ring);
  }
}

gboolean
gst_oct_keep_ring_push (GstOctKeepRing *ring, GstBuffer *buffer,
    GstClockTime pts, GstClockTime dts, GstClockTime length, guint64 most)
{
  GstBuffer *copy;

  if (ring->buffers.length == 0 && !ring_is_start (buffer))
    return TRUE;
  copy = ring_copy (ring, buffer);
  if (copy == NULL)
    return FALSE;
  GST_BUFFER_PTS (copy) = pts;
  GST_BUFFER_DTS (copy) = dts;
  ring->bytes += gst_buffer_get_size (copy);
  ring_count (ring, copy);
  ring_attach_events (ring, copy);
  g_queue_push_tail (&ring->buffers, copy);
  ring_trim (ring, length, most);
  return TRUE;
}

GPtrArray *
gst_oct_keep_ring_get (const GstOctKeepRing *ring)
{
  GPtrArray *buffers =
      g_ptr_array_new_with_free_func ((GDestroyNotify)gst_buffer_unref);

  for (GList *i = ring->buffers.head; i != NULL; i = i->next)
    g_ptr_array_add (buffers, gst_buffer_ref (i->data));
  return buffers;
}

guint64
gst_oct_keep_ring_get_bytes (const GstOctKeepRing *ring)
{
  return ring->bytes;
}

guint64
gst_oct_keep_ring_get_all_bytes (const GstOctKeepRing *ring)
{
  return (gsize)g_atomic_pointer_get (ring->all);
}

gboolean
gst_oct_keep_ring_is_past (const GstOctKeepRing *ring, GstClockTime pts)
{
  const GstBuffer *last = g_queue_peek_tail ((GQueue *)&ring->buffers);

  return last != NULL && pts < GST_BUFFER_PTS (last);
}

GstClockTime
gst_oct_keep_ring_get_length (const GstOctKeepRing *ring)
{
  if (ring->buffers.length == 0)
    return 0;
  return ring_get_end (ring->buffers.tail->data)
         - GST_BUFFER_PTS (ring->buffers.head->data);
}
