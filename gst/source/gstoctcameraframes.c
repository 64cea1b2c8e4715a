/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame downstream is a GstMemory, which may be in several buffers one after
 * the other, so it is the memory that comes back and not the buffer: its
 * dispose function gives it to the camera again in place of freeing it, as that
 * of a buffer of GstBufferPool does. */
#include "gstoctcameraframes.h"
#include "oct-types.h"

/* Rows start on cache lines, as vector loads like them. */
#define ALIGNMENT 63

typedef struct {
  GstOctCameraFrames *frames;
  GstMemory *memory;
  gsize offset; /* of the memory */
  ArvBuffer *buffer;
  gboolean held; /* downstream */
} Block;

struct _GstOctCameraFrames {
  gint
      references; /* one of each block that is not freed, and one until closed */
  gsize shown;
  guint count;
  Block *blocks;

  GMutex lock;
  gboolean closed;
  ArvStream *stream;
  GQueue idle; /* blocks that nobody has */
  guint held;
};

static GQuark
get_block_quark (void)
{
  return g_quark_from_static_string ("GstOctCameraBlock");
}

static void
frames_unref (GstOctCameraFrames *frames)
{
  if (!g_atomic_int_dec_and_test (&frames->references))
    return;
  g_queue_clear (&frames->idle);
  g_mutex_clear (&frames->lock);
  g_free (frames->blocks);
  g_free (frames);
}

/* With the lock held. */
static void
offer_block (GstOctCameraFrames *frames, Block *block)
{
  if (frames->stream != NULL)
    arv_stream_push_buffer (frames->stream, g_object_ref (block->buffer));
  else
    g_queue_push_tail (&frames->idle, block);
}

/* FALSE: the memory lives on, for the next frame. */
static gboolean
on_memory_released (GstMiniObject *object)
{
  Block *block = gst_mini_object_get_qdata (object, get_block_quark ());
  GstOctCameraFrames *frames = block->frames;
  gboolean closed;

  g_mutex_lock (&frames->lock);
  closed = frames->closed;
  if (block->held)
    frames->held--;
  block->held = FALSE;
  if (!closed) {
    gst_mini_object_ref (object);
    /* it may have been cut */
    block->memory->offset = block->offset;
    block->memory->size = frames->shown;
    offer_block (frames, block);
  }
  g_mutex_unlock (&frames->lock);
  return closed;
}

static void
on_block_freed (gpointer data)
{
  Block *block = data;

  g_object_unref (block->buffer);
  frames_unref (block->frames);
}

/* The address of memory on the host stays the same as long as it lives. */
static gboolean
set_up_block (GstOctCameraFrames *frames, Block *block, gsize size,
    GstAllocator *allocator)
{
  GstAllocationParams params = { .align = ALIGNMENT };
  GstMemory *memory = gst_allocator_alloc (allocator, size, &params);
  GstMapInfo map;

  if (memory == NULL)
    return FALSE;
  if (!gst_memory_map (memory, &map, GST_MAP_READWRITE)) {
    gst_memory_unref (memory);
    return FALSE;
  }
  gst_memory_unmap (memory, &map);
  gst_memory_resize (memory, 0, frames->shown);
  block->frames = frames;
  block->memory = memory;
  block->offset = memory->offset;
  block->buffer = arv_buffer_new_full (size, map.data, block, NULL);
  GST_MINI_OBJECT_CAST (memory)->dispose = on_memory_released;
  gst_mini_object_set_qdata (
      GST_MINI_OBJECT_CAST (memory), get_block_quark (), block, on_block_freed);
  frames->references++;
  return TRUE;
}

GstOctCameraFrames *
gst_oct_camera_frames_new (guint count, gsize size, gsize shown,
    GstAllocator *allocator, GError **error)
{
  GstOctCameraFrames *frames = g_new0 (GstOctCameraFrames, 1);

  frames->references = 1;
  frames->shown = shown;
  frames->blocks = g_new0 (Block, count);
  g_mutex_init (&frames->lock);
  g_queue_init (&frames->idle);
  for (guint i = 0; i < count; i++) {
    Block *block = &frames->blocks[i];

    if (!set_up_block (frames, block, size, allocator)
        && (allocator == NULL || !set_up_block (frames, block, size, NULL))) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
          "There is memory for %u frames of %" G_GSIZE_FORMAT
          " bytes and not for %u; set `buffers` of octcamerasrc to less.",
          i, size, count);
      gst_oct_camera_frames_close (frames);
      return NULL;
    }
    frames->count++;
    g_queue_push_tail (&frames->idle, block);
  }
  return frames;
}

void
gst_oct_camera_frames_close (GstOctCameraFrames *frames)
{
  if (frames == NULL)
    return;
  gst_oct_camera_frames_set_stream (frames, NULL);
  g_mutex_lock (&frames->lock);
  frames->closed = TRUE;
  g_mutex_unlock (&frames->lock);
  /* from here on memory that is freed is gone */
  for (Block *block = g_queue_pop_head (&frames->idle); block != NULL;
       block = g_queue_pop_head (&frames->idle))
    gst_memory_unref (block->memory);
  frames_unref (frames);
}

void
gst_oct_camera_frames_set_stream (GstOctCameraFrames *frames, ArvStream *stream)
{
  g_mutex_lock (&frames->lock);
  frames->stream = stream;
  g_queue_clear (&frames->idle);
  for (guint i = 0; i < frames->count; i++)
    if (!frames->blocks[i].held)
      offer_block (frames, &frames->blocks[i]);
  g_mutex_unlock (&frames->lock);
}

GstMemory *
gst_oct_camera_frames_take (GstOctCameraFrames *frames, ArvBuffer *filled)
{
  Block *block = (Block *)arv_buffer_get_user_data (filled);

  g_object_unref (filled);
  g_mutex_lock (&frames->lock);
  block->held = TRUE;
  frames->held++;
  g_mutex_unlock (&frames->lock);
  return block->memory;
}

void
gst_oct_camera_frames_give_back (GstOctCameraFrames *frames, ArvBuffer *filled)
{
  Block *block = (Block *)arv_buffer_get_user_data (filled);

  g_object_unref (filled);
  g_mutex_lock (&frames->lock);
  offer_block (frames, block);
  g_mutex_unlock (&frames->lock);
}

GstMemory *
gst_oct_camera_frames_take_idle (GstOctCameraFrames *frames)
{
  Block *block;

  g_mutex_lock (&frames->lock);
  block = g_queue_pop_head (&frames->idle);
  if (block != NULL) {
    block->held = TRUE;
    frames->held++;
  }
  g_mutex_unlock (&frames->lock);
  return block != NULL ? block->memory : NULL;
}

guint
gst_oct_camera_frames_count (GstOctCameraFrames *frames)
{
  return frames->count;
}

guint
gst_oct_camera_frames_count_held (GstOctCameraFrames *frames)
{
  guint held;

  g_mutex_lock (&frames->lock);
  held = frames->held;
  g_mutex_unlock (&frames->lock);
  return held;
}
