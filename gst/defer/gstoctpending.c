/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctpending.h"
#include "gstocterror.h"
#include "gstoctgpuallocator.h"

#define MEMORY_TYPE "OctPendingMemory"

GType
gst_oct_pending_api_get_type (void)
{
  static gsize type = 0;
  static const char *tags[] = { NULL };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, gst_meta_api_type_register ("GstOctPendingAPI", tags));
  return (GType)type;
}

static void
copy_pending (GstOctPending *to, const GstOctPending *from)
{
  guint i;

  memset (to, 0, sizeof *to);
  to->origin = gst_oct_origin_ref (from->origin);
  to->bscans = from->bscans;
  for (i = 0; i < from->n; i++)
    gst_oct_pending_add (to, from->steps[i], from->owners[i]);
}

/* ------------------------------------------------------------------- memory */

/* Values are on the host, on the GPU, or both, and then the same. */
typedef struct {
  GstMemory parent;
  GstOctRunner *runner;
  GMutex lock;           /* several threads may map at once */
  GstOctPending pending; /* nothing once it is done, or has failed */
  gpointer host, gpu;    /* NULL: not there */
} PendingMemory;

typedef GstOctGpuAllocator GstOctPendingAllocator;
typedef GstOctGpuAllocatorClass GstOctPendingAllocatorClass;

static GType gst_oct_pending_allocator_get_type (void);
G_DEFINE_TYPE (GstOctPendingAllocator, gst_oct_pending_allocator,
    GST_TYPE_OCT_GPU_ALLOCATOR);

/* Does what is pending, with the context pushed.  Where that fails there are no
 * values anywhere.  Returns NULL, or with an error the element that the step
 * belongs to, a new reference. */
static GstElement *
pending_finish (PendingMemory *memory, GError **error)
{
  const OctBackend *backend = gst_oct_runner_get_backend (memory->runner);
  GstOctPending *pending = &memory->pending;
  GstElement *last = pending->owners[pending->n - 1], *failed = NULL;
  OctStepShape shape = oct_step_get_output (pending->steps[pending->n - 1]);
  OctFrame to = { .planes = { { NULL, oct_step_shape_row (&shape) } } };
  gpointer data = backend->alloc (memory->parent.maxsize, error);
  gboolean ok;

  to.planes[0].data = data;
  ok = data != NULL
       && gst_oct_runner_run (memory->runner, pending, OCT_N_OPERATIONS, NULL,
           &to, &failed, error);
  if (ok) {
    failed = NULL;
    if (gst_oct_runner_get_cuda (memory->runner) != NULL)
      memory->gpu = data;
    else
      memory->host = data;
  } else {
    if (data != NULL)
      backend->free (data);
    failed = gst_object_ref (failed != NULL ? failed : last);
  }
  gst_oct_pending_clear (pending);
  return failed;
}

/* Copies the values between GPU and host, which waits. */
static gboolean
copy_values (
    PendingMemory *memory, OctCopy direction, gpointer to, gconstpointer from)
{
  GstOctCuda *cuda = gst_oct_runner_get_cuda (memory->runner);
  const OctDevice *device = gst_oct_cuda_get_device (cuda);
  gpointer stream = gst_oct_cuda_get_stream (cuda, GST_OCT_STREAM_COMPUTE);
  gsize size = memory->parent.maxsize;

  return device->copy (direction, to, size, from, size, size, 1, stream, NULL)
         && device->stream_synchronize (stream, NULL);
}

static void
drop_gpu (PendingMemory *memory)
{
  if (memory->gpu != NULL)
    gst_oct_runner_get_backend (memory->runner)->free (memory->gpu);
  memory->gpu = NULL;
}

static void
drop_host (PendingMemory *memory)
{
  if (memory->host == NULL)
    return;
  if (gst_oct_runner_get_cuda (memory->runner) != NULL)
    g_free (memory->host);
  else
    gst_oct_runner_get_backend (memory->runner)->free (memory->host);
  memory->host = NULL;
}

static gboolean
pending_enter (PendingMemory *memory)
{
  GstOctCuda *cuda = gst_oct_runner_get_cuda (memory->runner);

  return cuda == NULL || gst_oct_cuda_push (cuda, NULL);
}

static void
pending_leave (PendingMemory *memory)
{
  GstOctCuda *cuda = gst_oct_runner_get_cuda (memory->runner);

  if (cuda != NULL)
    gst_oct_cuda_pop (cuda);
}

static gpointer
get_host (PendingMemory *memory, gboolean write)
{
  if (memory->host == NULL && memory->gpu != NULL) {
    memory->host = g_try_malloc (memory->parent.maxsize);
    if (memory->host != NULL
        && !copy_values (memory, OCT_COPY_DOWNLOAD, memory->host, memory->gpu))
      g_clear_pointer (&memory->host, g_free);
  }
  if (write && memory->host != NULL)
    drop_gpu (memory);
  return memory->host;
}

static gpointer
get_gpu (PendingMemory *memory, gboolean write)
{
  if (memory->gpu == NULL && memory->host != NULL) {
    memory->gpu = gst_oct_runner_get_backend (memory->runner)
                      ->alloc (memory->parent.maxsize, NULL);
    if (memory->gpu != NULL
        && !copy_values (memory, OCT_COPY_UPLOAD, memory->gpu, memory->host))
      drop_gpu (memory);
  }
  if (write && memory->gpu != NULL)
    drop_host (memory);
  return memory->gpu;
}

static gpointer
pending_map (GstMemory *base, gsize maxsize, GstMapFlags flags)
{
  PendingMemory *memory = (PendingMemory *)base;
  GstOctCuda *cuda = gst_oct_runner_get_cuda (memory->runner);
  gboolean write = (flags & GST_MAP_WRITE) != 0;
  g_autoptr (GstElement) failed = NULL;
  g_autoptr (GError) error = NULL;
  gpointer data = NULL;

  g_mutex_lock (&memory->lock);
  if (pending_enter (memory)) {
    if (memory->pending.n > 0)
      failed = pending_finish (memory, &error);
    if (cuda == NULL || (flags & GST_OCT_MAP_CUDA) == 0)
      data = get_host (memory, write);
    else if ((data = get_gpu (memory, write)) != NULL
             && (flags & GST_OCT_MAP_QUEUED) == 0
             && !gst_oct_cuda_get_device (cuda)->stream_synchronize (
                 gst_oct_cuda_get_stream (cuda, GST_OCT_STREAM_COMPUTE), NULL))
      data = NULL;
    pending_leave (memory);
  }
  g_mutex_unlock (&memory->lock);
  /* a handler of the error may map the memory */
  if (failed != NULL)
    gst_oct_element_error (failed, &error);
  return data;
}

static void
pending_unmap (GstMemory *memory)
{
}

static void
release_parent (gpointer parent)
{
  GstMapInfo *map = parent;

  gst_memory_unmap (map->memory, map);
  gst_memory_unref (map->memory);
  g_free (map);
}

/* A part of it is memory like any other. */
static GstMemory *
pending_share (GstMemory *memory, gssize offset, gssize size)
{
  GstMapInfo *map = g_new0 (GstMapInfo, 1);

  if (size == -1)
    size = (gssize)memory->size - offset;
  gst_memory_ref (memory);
  if (!gst_memory_map (memory, map, GST_MAP_READ)) {
    gst_memory_unref (memory);
    g_free (map);
    return NULL;
  }
  return gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, map->data,
      map->maxsize, (gsize)offset, (gsize)size, map, release_parent);
}

static void
pending_free (GstAllocator *allocator, GstMemory *base)
{
  PendingMemory *memory = (PendingMemory *)base;

  gst_oct_pending_clear (&memory->pending);
  drop_host (memory);
  if (memory->gpu != NULL && pending_enter (memory)) {
    drop_gpu (memory);
    pending_leave (memory);
  }
  gst_oct_runner_unref (memory->runner);
  g_mutex_clear (&memory->lock);
  g_free (memory);
}

static gboolean
pending_is_on_gpu (GstMemory *memory, GstOctCuda *cuda)
{
  return gst_oct_runner_get_cuda (((PendingMemory *)memory)->runner) == cuda;
}

static void
gst_oct_pending_allocator_class_init (GstOctPendingAllocatorClass *klass)
{
  klass->parent_class.free = pending_free;
  klass->is_on_gpu = pending_is_on_gpu;
}

static void
gst_oct_pending_allocator_init (GstOctPendingAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = MEMORY_TYPE;
  allocator->mem_map = pending_map;
  allocator->mem_unmap = pending_unmap;
  allocator->mem_share = pending_share;
  GST_OBJECT_FLAG_SET (allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

/* One for the process. */
static GstAllocator *
get_allocator (void)
{
  static gsize allocator = 0;

  if (g_once_init_enter (&allocator)) {
    GstAllocator *only =
        g_object_new (gst_oct_pending_allocator_get_type (), NULL);

    gst_object_ref_sink (only);
    GST_OBJECT_FLAG_SET (only, GST_OBJECT_FLAG_MAY_BE_LEAKED);
    g_once_init_leave (&allocator, (gsize)only);
  }
  return (GstAllocator *)allocator;
}

GstMemory *
gst_oct_pending_memory_new (GstOctPending *pending, GstOctRunner *runner)
{
  OctStepShape shape = oct_step_get_output (pending->steps[pending->n - 1]);
  OctFrame from = gst_oct_origin_get_frame (pending->origin);
  gsize size =
      oct_step_shape_row (&shape) * oct_frame_count_lines (&from, shape.rows);
  PendingMemory *memory = g_new0 (PendingMemory, 1);

  gst_memory_init (
      GST_MEMORY_CAST (memory), 0, get_allocator (), NULL, size, 63, 0, size);
  g_mutex_init (&memory->lock);
  memory->runner = gst_oct_runner_ref (runner);
  memory->pending = *pending;
  memset (pending, 0, sizeof *pending);
  return GST_MEMORY_CAST (memory);
}

static gboolean
pending_is_ours (GstMemory *memory)
{
  return memory->allocator != NULL && memory->allocator == get_allocator ();
}

gboolean
gst_oct_pending_get (
    GstBuffer *buffer, GstOctCuda *cuda, GstOctPending *pending)
{
  GstMemory *memory = gst_buffer_n_memory (buffer) == 1
                          ? gst_buffer_peek_memory (buffer, 0)
                          : NULL;
  PendingMemory *root = (PendingMemory *)memory;
  gboolean is_pending;

  if (memory == NULL || !pending_is_ours (memory)
      || gst_oct_runner_get_cuda (root->runner) != cuda)
    return FALSE;
  g_mutex_lock (&root->lock);
  is_pending = root->pending.n > 0;
  if (is_pending)
    copy_pending (pending, &root->pending);
  g_mutex_unlock (&root->lock);
  return is_pending;
}

gboolean
gst_oct_pending_get_aside (
    GstBuffer *buffer, GstOctPending *pending, GstOctRunner **runner)
{
  GstMemory *memory = gst_buffer_n_memory (buffer) == 1
                          ? gst_buffer_peek_memory (buffer, 0)
                          : NULL;
  GstOctRunner *theirs;

  if (memory == NULL || !pending_is_ours (memory))
    return FALSE;
  theirs = ((PendingMemory *)memory)->runner;
  if (!gst_oct_pending_get (buffer, gst_oct_runner_get_cuda (theirs), pending))
    return FALSE;
  *runner = gst_oct_runner_new (
      gst_oct_runner_get_backend (theirs), gst_oct_runner_get_cuda (theirs));
  return TRUE;
}
