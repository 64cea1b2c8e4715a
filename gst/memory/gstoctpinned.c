/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctpinned.h"
#include "gstocterror.h"
#include "gstoctpieces.h"

#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_oct_cuda_debug);
#define GST_CAT_DEFAULT gst_oct_cuda_debug

#define MEMORY_TYPE "OctPinnedMemory"

typedef struct {
  GstMemory parent;
  GstOctCuda *cuda;
  gpointer data;
  gpointer event; /* recorded after the download, NULL until the first */
  GMutex lock;    /* several threads may map at once */
  gboolean pending;
  gboolean is_block; /* goes back to the allocator */
} PinnedMemory;

/* Blocks that an allocator keeps at most. */
#define MOST_IDLE 16

/* One that nobody has any more.  It is always written in the same stream, and
 * so one image after the other. */
typedef struct {
  gpointer data, event;
  gsize size;
} IdleBlock;

typedef struct {
  GstAllocator parent;
  GstOctCuda *cuda;
  GWeakRef element; /* which posts errors */
  gint posted;      /* atomic */
  GMutex lock;
  GQueue idle; /* IdleBlock */
} GstOctPinnedAllocator;

typedef GstAllocatorClass GstOctPinnedAllocatorClass;

static GType gst_oct_pinned_allocator_get_type (void);
G_DEFINE_TYPE (
    GstOctPinnedAllocator, gst_oct_pinned_allocator, GST_TYPE_ALLOCATOR);

/* Parts of a memory share its data and its event. */
static PinnedMemory *
get_root (GstMemory *memory)
{
  return (PinnedMemory *)(memory->parent != NULL ? memory->parent : memory);
}

static void
init_memory (PinnedMemory *memory, GstMemoryFlags flags,
    GstAllocator *allocator, GstMemory *parent, gsize maxsize, gsize align,
    gsize offset, gsize size)
{
  gst_memory_init (GST_MEMORY_CAST (memory), flags, allocator, parent, maxsize,
      align, offset, size);
  g_mutex_init (&memory->lock);
}

/* Memory that copies are waited for. */
static GstMemory *
alloc_pageable (gsize size, gsize maxsize, const GstAllocationParams *params)
{
  guint8 *data = g_try_malloc (maxsize + params->align);
  gsize past = (gsize)data & params->align;

  if (data == NULL)
    return NULL;
  return gst_memory_new_wrapped (params->flags,
      data + (past != 0 ? params->align + 1 - past : 0), maxsize,
      params->prefix, size, data, g_free);
}

static gpointer
alloc_pinned (GstOctCuda *cuda, gsize size, GError **error)
{
  gpointer data;

  if (!gst_oct_cuda_push (cuda, error))
    return NULL;
  data = gst_oct_cuda_get_device (cuda)->alloc_host (size, error);
  gst_oct_cuda_pop (cuda);
  return data;
}

static GstMemory *
pinned_alloc (GstAllocator *base, gsize size, GstAllocationParams *params)
{
  GstOctPinnedAllocator *allocator = (GstOctPinnedAllocator *)base;
  gsize maxsize = size + params->prefix + params->padding;
  g_autoptr (GError) error = NULL;
  PinnedMemory *memory;
  /* pages: aligned to more than anybody asks for */
  gpointer data = alloc_pinned (allocator->cuda, maxsize, &error);

  /* The next operation reports a GPU that has failed. */
  if (data == NULL) {
    GST_WARNING_OBJECT (allocator,
        "ordinary memory, to and from which copies are slower: %s",
        error->message);
    return alloc_pageable (size, maxsize, params);
  }
  /* copies from the GPU leave the padding of rows as it is */
  memset (data, 0, maxsize);
  memory = g_new0 (PinnedMemory, 1);
  memory->cuda = gst_oct_cuda_ref (allocator->cuda);
  memory->data = data;
  init_memory (memory, params->flags, base, NULL, maxsize, params->align,
      params->prefix, size);
  return GST_MEMORY_CAST (memory);
}

static gboolean
wait_for_download (PinnedMemory *memory, GError **error)
{
  const OctDevice *device = gst_oct_cuda_get_device (memory->cuda);
  gboolean ok = TRUE;

  g_mutex_lock (&memory->lock);
  if (memory->pending) {
    ok = gst_oct_cuda_push (memory->cuda, error);
    if (ok) {
      ok = device->event_synchronize (memory->event, error);
      gst_oct_cuda_pop (memory->cuda);
    }
    memory->pending = !ok;
  }
  g_mutex_unlock (&memory->lock);
  return ok;
}

/* FALSE: there are enough. */
static gboolean
keep_block (GstOctPinnedAllocator *allocator, PinnedMemory *memory)
{
  IdleBlock *block = NULL;

  if (!memory->is_block)
    return FALSE;
  g_mutex_lock (&allocator->lock);
  if (allocator->idle.length < MOST_IDLE) {
    block = g_new0 (IdleBlock, 1);
    *block = (IdleBlock){ memory->data, memory->event, memory->parent.maxsize };
    g_queue_push_head (&allocator->idle, block);
  }
  g_mutex_unlock (&allocator->lock);
  return block != NULL;
}

static void
pinned_free (GstAllocator *base, GstMemory *base_memory)
{
  PinnedMemory *memory = (PinnedMemory *)base_memory;

  if (memory->cuda != NULL
      && keep_block ((GstOctPinnedAllocator *)base, memory)) {
    gst_oct_cuda_unref (memory->cuda);
  } else if (memory->cuda != NULL) {
    const OctDevice *device = gst_oct_cuda_get_device (memory->cuda);

    wait_for_download (memory, NULL);
    if (gst_oct_cuda_push (memory->cuda, NULL)) {
      if (memory->event != NULL)
        device->event_free (memory->event);
      device->free_host (memory->data);
      gst_oct_cuda_pop (memory->cuda);
    }
    gst_oct_cuda_unref (memory->cuda);
  }
  g_mutex_clear (&memory->lock);
  g_free (memory);
}

static void
pinned_post_error (GstAllocator *base, GError **error)
{
  GstOctPinnedAllocator *allocator = (GstOctPinnedAllocator *)base;
  g_autoptr (GstElement) element = g_weak_ref_get (&allocator->element);

  GST_ERROR_OBJECT (allocator, "no image: %s", (*error)->message);
  if (element != NULL
      && g_atomic_int_compare_and_exchange (&allocator->posted, FALSE, TRUE))
    gst_oct_element_error (element, error);
}

static gpointer
pinned_map (GstMemory *memory, gsize maxsize, GstMapFlags flags)
{
  PinnedMemory *root = get_root (memory);
  g_autoptr (GError) error = NULL;

  if (wait_for_download (root, &error))
    return root->data;
  pinned_post_error (memory->allocator, &error);
  return NULL;
}

static void
pinned_unmap (GstMemory *memory)
{
}

static GstMemory *
pinned_share (GstMemory *memory, gssize offset, gssize size)
{
  PinnedMemory *root = get_root (memory);
  PinnedMemory *part = g_new0 (PinnedMemory, 1);

  if (size == -1)
    size = (gssize)memory->size - offset;
  init_memory (part,
      GST_MINI_OBJECT_FLAGS (&root->parent)
          | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
      memory->allocator, GST_MEMORY_CAST (root), memory->maxsize, memory->align,
      memory->offset + (gsize)offset, (gsize)size);
  return GST_MEMORY_CAST (part);
}

static void
free_idle (GstOctPinnedAllocator *allocator)
{
  const OctDevice *device = gst_oct_cuda_get_device (allocator->cuda);
  IdleBlock *block;

  while ((block = g_queue_pop_head (&allocator->idle)) != NULL) {
    if (gst_oct_cuda_push (allocator->cuda, NULL)) {
      if (block->event != NULL) {
        device->event_synchronize (block->event, NULL);
        device->event_free (block->event);
      }
      device->free_host (block->data);
      gst_oct_cuda_pop (allocator->cuda);
    }
    g_free (block);
  }
}

static void
pinned_finalize (GObject *object)
{
  GstOctPinnedAllocator *allocator = (GstOctPinnedAllocator *)object;

  free_idle (allocator);
  g_mutex_clear (&allocator->lock);

  gst_oct_cuda_unref (allocator->cuda);
  g_weak_ref_clear (&allocator->element);
  G_OBJECT_CLASS (gst_oct_pinned_allocator_parent_class)->finalize (object);
}

static void
gst_oct_pinned_allocator_class_init (GstOctPinnedAllocatorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pinned_finalize;
  klass->alloc = pinned_alloc;
  klass->free = pinned_free;
}

static void
gst_oct_pinned_allocator_init (GstOctPinnedAllocator *allocator)
{
  GstAllocator *base = GST_ALLOCATOR_CAST (allocator);

  base->mem_type = MEMORY_TYPE;
  base->mem_map = pinned_map;
  base->mem_unmap = pinned_unmap;
  base->mem_share = pinned_share;
  g_mutex_init (&allocator->lock);
}

GstAllocator *
gst_oct_pinned_allocator_new (GstOctCuda *cuda, GstElement *element)
{
  GstOctPinnedAllocator *allocator =
      g_object_new (gst_oct_pinned_allocator_get_type (), NULL);

  gst_object_ref_sink (allocator);
  allocator->cuda = gst_oct_cuda_ref (cuda);
  g_weak_ref_init (&allocator->element, element);
  return GST_ALLOCATOR_CAST (allocator);
}

gboolean
gst_oct_pinned_is_allocator (GstAllocator *allocator)
{
  return G_OBJECT_TYPE (allocator) == gst_oct_pinned_allocator_get_type ();
}

static gboolean
is_pinned_memory (GstMemory *memory)
{
  return memory->allocator != NULL
         && gst_oct_pinned_is_allocator (memory->allocator);
}

gboolean
gst_oct_pinned_is (GstMemory *memory, GstOctCuda *cuda)
{
  return is_pinned_memory (memory) && get_root (memory)->cuda == cuda;
}

gboolean
gst_oct_pinned_is_ours (GstBuffer *buffer)
{
  guint n = gst_buffer_n_memory (buffer), i = 0;

  while (i < n
         && is_pinned_memory (
             gst_oct_piece_get_origin (gst_buffer_peek_memory (buffer, i))))
    i++;
  return n > 0 && i == n;
}

gboolean
gst_oct_pinned_holds (GstBuffer *buffer, GstOctCuda *cuda)
{
  return gst_buffer_n_memory (buffer) == 1
         && gst_oct_pinned_is (gst_buffer_peek_memory (buffer, 0), cuda);
}

static IdleBlock *
take_idle (GstOctPinnedAllocator *allocator, gsize size)
{
  IdleBlock *block;

  g_mutex_lock (&allocator->lock);
  block = g_queue_pop_tail (&allocator->idle);
  if (block != NULL && block->size != size) {
    g_queue_push_tail (&allocator->idle, block);
    block = NULL;
  }
  g_mutex_unlock (&allocator->lock);
  return block;
}

/* A block of another size than before: those go. */
static PinnedMemory *
make_block (GstOctPinnedAllocator *allocator, gsize size)
{
  GstAllocationParams params = { 0 };
  GstMemory *memory;

  g_mutex_lock (&allocator->lock);
  free_idle (allocator);
  g_mutex_unlock (&allocator->lock);
  memory = pinned_alloc (GST_ALLOCATOR_CAST (allocator), size, &params);
  if (memory != NULL && !is_pinned_memory (memory)) {
    gst_memory_unref (memory);
    memory = NULL;
  }
  if (memory != NULL)
    ((PinnedMemory *)memory)->is_block = TRUE;
  return (PinnedMemory *)memory;
}

GstMemory *
gst_oct_pinned_block_new (GstAllocator *base, gsize size)
{
  GstOctPinnedAllocator *allocator = (GstOctPinnedAllocator *)base;
  PinnedMemory *memory;
  IdleBlock *idle;

  if (base == NULL
      || G_OBJECT_TYPE (base) != gst_oct_pinned_allocator_get_type ())
    return NULL;
  idle = take_idle (allocator, size);
  if (idle == NULL)
    return GST_MEMORY_CAST (make_block (allocator, size));
  memory = g_new0 (PinnedMemory, 1);
  memory->cuda = gst_oct_cuda_ref (allocator->cuda);
  memory->data = idle->data;
  memory->event = idle->event;
  memory->pending = idle->event != NULL;
  memory->is_block = TRUE;
  init_memory (memory, 0, base, NULL, size, 0, 0, size);
  g_free (idle);
  return GST_MEMORY_CAST (memory);
}

GstMemory *
gst_oct_pinned_part_new (GstMemory *block, gsize offset, gsize size)
{
  PinnedMemory *part = g_new0 (PinnedMemory, 1);

  init_memory (part, 0, block->allocator, block, block->maxsize, block->align,
      block->offset + offset, size);
  return GST_MEMORY_CAST (part);
}

gboolean
gst_oct_pinned_are_parts (GstBuffer *const *buffers, guint n, gsize step)
{
  GstMemory *first = gst_buffer_peek_memory (buffers[0], 0);

  for (guint i = 0; i < n; i++) {
    GstMemory *memory = gst_buffer_n_memory (buffers[i]) == 1
                            ? gst_buffer_peek_memory (buffers[i], 0)
                            : NULL;

    if (memory == NULL || !is_pinned_memory (memory) || memory->parent == NULL
        || memory->parent != first->parent
        || memory->offset != first->offset + i * step)
      return FALSE;
  }
  return TRUE;
}

gpointer
gst_oct_pinned_peek (GstMemory *memory)
{
  return (guint8 *)get_root (memory)->data + memory->offset;
}

gboolean
gst_oct_pinned_mark (GstMemory *base_memory, gpointer stream, GError **error)
{
  PinnedMemory *memory = get_root (base_memory);
  const OctDevice *device = gst_oct_cuda_get_device (memory->cuda);
  gboolean ok;

  g_mutex_lock (&memory->lock);
  if (memory->event == NULL)
    memory->event = device->event_new (error);
  ok = memory->event != NULL
       && device->event_record (memory->event, stream, error);
  memory->pending = ok;
  g_mutex_unlock (&memory->lock);
  return ok;
}
