/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctgpushare.h"
#include "gstoctgpuallocator.h"

#define MEMORY_TYPE "OctGpuShareMemory"

gboolean
gst_oct_gpu_share_is_usable (GError **error)
{
  return gst_oct_cuda_is_usable (error);
}

GstOctCuda *
gst_oct_gpu_share_open (gpointer handle, guint device, GError **error)
{
  return gst_oct_cuda_wrap (handle, device, error);
}

void
gst_oct_gpu_share_use (GstOctCuda *cuda, GstElement *pipeline)
{
  gst_oct_cuda_offer (cuda, pipeline);
}

/* ------------------------------------------------------------------- memory */

typedef struct {
  GstMemory parent;
  GstOctCuda *cuda;
  gpointer gpu;
  gboolean owned;
  GMutex lock;
  gpointer host; /* a copy, NULL: none yet */
} ShareMemory;

typedef GstOctGpuAllocator GstOctShareAllocator;
typedef GstOctGpuAllocatorClass GstOctShareAllocatorClass;

static GType gst_oct_share_allocator_get_type (void);
G_DEFINE_TYPE (
    GstOctShareAllocator, gst_oct_share_allocator, GST_TYPE_OCT_GPU_ALLOCATOR);

/* With the context pushed. */
static gpointer
share_get_host (ShareMemory *memory)
{
  const OctDevice *device = gst_oct_cuda_get_device (memory->cuda);
  gpointer stream =
      gst_oct_cuda_get_stream (memory->cuda, GST_OCT_STREAM_COMPUTE);
  gsize size = memory->parent.maxsize;

  if (memory->host != NULL)
    return memory->host;
  memory->host = g_try_malloc (size);
  if (memory->host != NULL
      && !(device->copy (OCT_COPY_DOWNLOAD, memory->host, size, memory->gpu,
               size, size, 1, stream, NULL)
           && device->stream_synchronize (stream, NULL)))
    g_clear_pointer (&memory->host, g_free);
  return memory->host;
}

static gpointer
share_map (GstMemory *base, gsize maxsize, GstMapFlags flags)
{
  ShareMemory *memory = (ShareMemory *)base;
  const OctDevice *device = gst_oct_cuda_get_device (memory->cuda);
  gpointer data = NULL;

  if (!gst_oct_cuda_push (memory->cuda, NULL))
    return NULL;
  g_mutex_lock (&memory->lock);
  if ((flags & GST_OCT_MAP_CUDA) == 0)
    data = share_get_host (memory);
  else if ((flags & GST_OCT_MAP_QUEUED) != 0
           || device->stream_synchronize (
               gst_oct_cuda_get_stream (memory->cuda, GST_OCT_STREAM_COMPUTE),
               NULL))
    data = memory->gpu;
  g_mutex_unlock (&memory->lock);
  gst_oct_cuda_pop (memory->cuda);
  return data;
}

static void
share_unmap (GstMemory *memory)
{
}

static void
share_free (GstAllocator *allocator, GstMemory *base)
{
  ShareMemory *memory = (ShareMemory *)base;

  if (memory->owned && gst_oct_cuda_push (memory->cuda, NULL)) {
    gst_oct_cuda_get_device (memory->cuda)->free (memory->gpu);
    gst_oct_cuda_pop (memory->cuda);
  }
  g_free (memory->host);
  g_mutex_clear (&memory->lock);
  gst_oct_cuda_unref (memory->cuda);
  g_free (memory);
}

static gboolean
share_is_on_gpu (GstMemory *memory, GstOctCuda *cuda)
{
  return ((ShareMemory *)memory)->cuda == cuda;
}

static void
gst_oct_share_allocator_class_init (GstOctShareAllocatorClass *klass)
{
  klass->parent_class.free = share_free;
  klass->is_on_gpu = share_is_on_gpu;
}

static void
gst_oct_share_allocator_init (GstOctShareAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = MEMORY_TYPE;
  allocator->mem_map = share_map;
  allocator->mem_unmap = share_unmap;
  GST_OBJECT_FLAG_SET (allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

/* One for the process. */
static GstAllocator *
share_get_allocator (void)
{
  static gsize allocator = 0;

  if (g_once_init_enter (&allocator)) {
    GstAllocator *only =
        g_object_new (gst_oct_share_allocator_get_type (), NULL);

    gst_object_ref_sink (only);
    GST_OBJECT_FLAG_SET (only, GST_OBJECT_FLAG_MAY_BE_LEAKED);
    g_once_init_leave (&allocator, (gsize)only);
  }
  return (GstAllocator *)allocator;
}

GstMemory *
gst_oct_gpu_share_memory_new (
    GstOctCuda *cuda, gpointer data, gsize size, GError **error)
{
  gboolean owned = data == NULL;
  ShareMemory *memory;

  if (owned) {
    if (!gst_oct_cuda_push (cuda, error))
      return NULL;
    data = gst_oct_cuda_get_device (cuda)->alloc (size, error);
    gst_oct_cuda_pop (cuda);
    if (data == NULL)
      return NULL;
  }
  memory = g_new0 (ShareMemory, 1);
  /* a part of it is a copy on the host */
  gst_memory_init (GST_MEMORY_CAST (memory),
      GST_MEMORY_FLAG_READONLY | GST_MEMORY_FLAG_NO_SHARE,
      share_get_allocator (), NULL, size, 0, 0, size);
  g_mutex_init (&memory->lock);
  memory->cuda = gst_oct_cuda_ref (cuda);
  memory->gpu = data;
  memory->owned = owned;
  return GST_MEMORY_CAST (memory);
}

gpointer
gst_oct_gpu_share_peek (GstBuffer *buffer, GstOctCuda *cuda)
{
  GstMemory *memory = gst_buffer_n_memory (buffer) == 1
                          ? gst_buffer_peek_memory (buffer, 0)
                          : NULL;
  ShareMemory *found = (ShareMemory *)memory;

  return memory != NULL && memory->allocator == share_get_allocator ()
                 && found->cuda == cuda
             ? (guint8 *)found->gpu + memory->offset
             : NULL;
}

/* ------------------------------------------------------------------ tensors */

#define DEVICE_CUDA 2 /* kDLCUDA */

/* dlpack.h */
typedef struct _ManagedTensor ManagedTensor;
struct _ManagedTensor {
  gpointer data;
  gint32 device_type, device_id;
  gint32 n_axes;
  guint8 type_code, type_bits;
  guint16 type_lanes;
  gint64 *sizes, *distances;
  guint64 byte_offset;
  gpointer manager;
  void (*deleter) (ManagedTensor *tensor);
};

typedef struct {
  ManagedTensor tensor;
  GstOctCuda *cuda;
  GstBuffer *buffer;
  GstMapInfo map;
  gboolean wait;
  gint64 axes[]; /* sizes, then distances */
} Tensor;

static void
tensor_delete (ManagedTensor *managed)
{
  Tensor *tensor = managed->manager;

  if (tensor->wait)
    gst_oct_cuda_wait (tensor->cuda);
  gst_buffer_unmap (tensor->buffer, &tensor->map);
  gst_buffer_unref (tensor->buffer);
  gst_oct_cuda_unref (tensor->cuda);
  g_free (tensor);
}

/* Bytes from the first value to the end of the last. */
static guint64
get_extent (gint n, const gint64 *sizes, const gint64 *distances, guint bytes)
{
  guint64 last = 0;

  for (gint i = 0; i < n; i++)
    last += (guint64)(sizes[i] - 1) * (guint64)distances[i];
  return (last + 1) * bytes;
}

gpointer
gst_oct_gpu_share_tensor_new (GstOctCuda *cuda, gint device, GstBuffer *buffer,
    gsize offset, gint n, const gint64 *sizes, const gint64 *distances,
    guint8 code, guint8 bits, gboolean wait, GError **error)
{
  Tensor *tensor;

  if (!gst_oct_cuda_holds (cuda, buffer)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "The values are not in the memory of GPU %d; use one GPU for the whole "
        "pipeline (`cuda-device-id`).",
        device);
    return NULL;
  }
  tensor = g_malloc0 (sizeof *tensor + 2 * (gsize)n * sizeof (gint64));
  if (!gst_buffer_map (buffer, &tensor->map,
          GST_MAP_READ | GST_OCT_MAP_CUDA | GST_OCT_MAP_QUEUED)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "A buffer in the memory of the GPU cannot be mapped.");
    g_free (tensor);
    return NULL;
  }
  if (offset + get_extent (n, sizes, distances, bits / 8)
      > tensor->map.maxsize) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The buffer has %" G_GSIZE_FORMAT
        " bytes, but its caps say that there are "
        "more; this is a defect of the element that made it.",
        tensor->map.maxsize);
    gst_buffer_unmap (buffer, &tensor->map);
    g_free (tensor);
    return NULL;
  }
  memcpy (tensor->axes, sizes, (gsize)n * sizeof (gint64));
  memcpy (tensor->axes + n, distances, (gsize)n * sizeof (gint64));
  tensor->cuda = gst_oct_cuda_ref (cuda);
  tensor->buffer = gst_buffer_ref (buffer);
  tensor->wait = wait;
  tensor->tensor = (ManagedTensor){ .data = tensor->map.data + offset,
    .device_type = DEVICE_CUDA,
    .device_id = device,
    .n_axes = n,
    .type_code = code,
    .type_bits = bits,
    .type_lanes = 1,
    .sizes = tensor->axes,
    .distances = tensor->axes + n,
    .manager = tensor,
    .deleter = tensor_delete };
  return &tensor->tensor;
}
