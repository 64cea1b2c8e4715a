/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcuda.h"
#include "gstoctframe.h"
#include "gstoctgpuallocator.h"

/* also of the files that use this one */
GST_DEBUG_CATEGORY (gst_oct_cuda_debug);
#define GST_CAT_DEFAULT gst_oct_cuda_debug

#ifdef HAVE_CUDA

#  define GST_USE_UNSTABLE_API
#  include "gstoctmodule.h"

#  include <gmodule.h>
#  if GST_CHECK_VERSION(1, 24, 0)
#    include <gst/cuda/gstcuda.h>
#  else
#    include <gst/cuda/gstcudautils.h>
#  endif

/* GstCudaMemory of formats that GstCuda does not know is one row of pixels of
 * 4 bytes; larger rows than this were not seen to work, and caps allow none
 * (OCT_MAX_BSCAN_VALUES). */
#  define MAX_ROW_BYTES (G_GUINT64_CONSTANT (512) << 20)

struct _GstOctCuda {
  GstCudaContext *context; /* which owns this struct */
  const OctDevice *device;
  gpointer streams[GST_OCT_N_STREAMS];
};

/* ---------------------------------------------------------------- the device
 */

void
gst_oct_cuda_set_plugin_file (const char *file)
{
  gst_oct_module_set_plugin_file (file);
}

static const OctDevice *
get_device (GError **error)
{
  static GMutex lock;
  static gboolean asked = FALSE;
  static const OctDevice *device = NULL;
  static GError *reason = NULL;

  g_mutex_lock (&lock);
  if (!asked) {
    asked = TRUE;
    GST_DEBUG_CATEGORY_INIT (gst_oct_cuda_debug, "octcuda", 0, "OCT on GPUs");
    /* in GStreamer 1.22 any other use of GstCuda without this aborts */
    if (!gst_cuda_load_library ())
      g_set_error (&reason, OCT_ERROR, OCT_ERROR_DEVICE,
          "there is no NVIDIA driver (libcuda.so.1) on this machine");
    else
      device = gst_oct_module_load (&reason);
    if (device != NULL)
      gst_cuda_memory_init_once ();
    else
      GST_INFO ("no CUDA: %s", reason->message);
  }
  if (device == NULL && error != NULL)
    *error = g_error_copy (reason);
  g_mutex_unlock (&lock);
  return device;
}

gboolean
gst_oct_cuda_is_usable (GError **error)
{
  return get_device (error) != NULL;
}

/* --------------------------------------------------------------- the context
 */

static GQuark
cuda_quark (void)
{
  return g_quark_from_static_string ("GstOctCuda");
}

/* The data that the elements of a context share, made by the first of them.
 * They are freed with the context, and CUDA destroys the streams of a context
 * with it. */
static GstOctCuda *
get_shared (GstCudaContext *context, GError **error)
{
  static GMutex lock;
  GstOctCuda *cuda;
  gboolean ok = TRUE;
  guint i;

  g_mutex_lock (&lock);
  cuda = g_object_get_qdata (G_OBJECT (context), cuda_quark ());
  if (cuda == NULL) {
    cuda = g_new0 (GstOctCuda, 1);
    cuda->context = context;
    cuda->device = get_device (error);
    ok = cuda->device != NULL && gst_oct_cuda_push (cuda, error);
    if (ok) {
      ok = cuda->device->has_kernels (error);
      for (i = 0; ok && i < GST_OCT_N_STREAMS; i++) {
        cuda->streams[i] =
            cuda->device->stream_new (i == GST_OCT_STREAM_COMPUTE, error);
        ok = cuda->streams[i] != NULL;
      }
      gst_oct_cuda_pop (cuda);
    }
    if (ok)
      g_object_set_qdata_full (G_OBJECT (context), cuda_quark (), cuda, g_free);
    else
      g_clear_pointer (&cuda, g_free);
  }
  g_mutex_unlock (&lock);
  return cuda;
}

static void
set_maker (GstElement *element, GstOctCudaSlot *slot, GThread *maker)
{
  GST_OBJECT_LOCK (element);
  slot->maker = maker;
  GST_OBJECT_UNLOCK (element);
}

/* Asks other elements, which may ask back: without a lock. */
static gboolean
ensure_context (GstElement *element, gint device_id, GstOctCudaSlot *slot)
{
  gboolean ok;

  set_maker (element, slot, g_thread_self ());
  ok = gst_cuda_ensure_element_context (
      element, device_id, (GstCudaContext **)&slot->context);
  set_maker (element, slot, NULL);
  return ok;
}

GstOctCuda *
gst_oct_cuda_ensure (
    GstElement *element, gint device_id, GstOctCudaSlot *slot, GError **error)
{
  if (!gst_oct_cuda_is_usable (error))
    return NULL;
  if (!ensure_context (element, device_id, slot)) {
    g_autofree char *gpu = device_id < 0
                               ? g_strdup ("the first GPU")
                               : g_strdup_printf ("GPU %d", device_id);

    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "No CUDA context could be made on %s; set `cuda-device-id` to a GPU of "
        "this machine or backend=cpu, and start the program again if the GPU "
        "failed in it before.",
        gpu);
    return NULL;
  }
  return get_shared (slot->context, error);
}

void
gst_oct_cuda_forget (GstElement *element, GstOctCudaSlot *slot)
{
  gpointer context;

  GST_OBJECT_LOCK (element);
  context = g_steal_pointer (&slot->context);
  GST_OBJECT_UNLOCK (element);
  gst_clear_object (&context);
}

/* The first one stays. */
void
gst_oct_cuda_set_context (GstElement *element, GstContext *context,
    gint device_id, GstOctCudaSlot *slot)
{
  GstCudaContext *found = NULL;

  if (!gst_oct_cuda_is_usable (NULL))
    return;
  gst_cuda_handle_set_context (element, context, device_id, &found);
  GST_OBJECT_LOCK (element);
  if (slot->context == NULL
      && (slot->maker == NULL || slot->maker == g_thread_self ()))
    slot->context = g_steal_pointer (&found);
  GST_OBJECT_UNLOCK (element);
  gst_clear_object (&found);
}

gboolean
gst_oct_cuda_answer_query (
    GstElement *element, GstQuery *query, GstOctCudaSlot *slot)
{
  GstCudaContext *context = NULL;
  gboolean answered;

  GST_OBJECT_LOCK (element);
  if (slot->maker == NULL && slot->context != NULL)
    context = gst_object_ref (slot->context);
  GST_OBJECT_UNLOCK (element);
  answered = context != NULL
             && gst_cuda_handle_context_query (element, query, context);
  gst_clear_object (&context);
  return answered;
}

GstOctCuda *
gst_oct_cuda_wrap (gpointer handle, guint device, GError **error)
{
  GstCudaContext *context;
  GstOctCuda *cuda;

  if (!gst_oct_cuda_is_usable (error))
    return NULL;
  context = gst_cuda_context_new_wrapped (handle, (CUdevice)device);
  if (context == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "The context of GPU %u cannot be used; end the program and start it "
        "again.",
        device);
    return NULL;
  }
  cuda = get_shared (context, error);
  if (cuda == NULL)
    gst_object_unref (context);
  return cuda;
}

void
gst_oct_cuda_offer (GstOctCuda *cuda, GstElement *pipeline)
{
  g_autoptr (GstContext) context = gst_context_new_cuda_context (cuda->context);

  gst_element_set_context (pipeline, context);
}

/* A function of the driver, which has been loaded for long, that GstCuda does not
 * hand on. */
void
gst_oct_cuda_wait (GstOctCuda *cuda)
{
  static gsize asked = 0;
  static CUresult (*synchronize) (void) = NULL;

  if (g_once_init_enter (&asked)) {
    GModule *driver = g_module_open ("libcuda.so.1", G_MODULE_BIND_LAZY);

    if (driver != NULL)
      g_module_symbol (driver, "cuCtxSynchronize", (gpointer *)&synchronize);
    g_once_init_leave (&asked, 1);
  }
  if (synchronize != NULL && gst_oct_cuda_push (cuda, NULL)) {
    synchronize ();
    gst_oct_cuda_pop (cuda);
  }
}

gboolean
gst_oct_cuda_holds (GstOctCuda *cuda, GstBuffer *buffer)
{
  GstMemory *memory = gst_buffer_n_memory (buffer) == 1
                          ? gst_buffer_peek_memory (buffer, 0)
                          : NULL;

  return memory != NULL
         && (gst_oct_gpu_allocator_is_on_gpu (memory, cuda)
             || (gst_is_cuda_memory (memory)
                 && ((GstCudaMemory *)memory)->context == cuda->context));
}

GstOctCuda *
gst_oct_cuda_ref (GstOctCuda *cuda)
{
  gst_object_ref (cuda->context);
  return cuda;
}

void
gst_oct_cuda_unref (GstOctCuda *cuda)
{
  gst_object_unref (cuda->context);
}

const OctDevice *
gst_oct_cuda_get_device (GstOctCuda *cuda)
{
  return cuda->device;
}

gpointer
gst_oct_cuda_get_stream (GstOctCuda *cuda, GstOctStream which)
{
  return cuda->streams[which];
}

gboolean
gst_oct_cuda_push (GstOctCuda *cuda, GError **error)
{
  if (gst_cuda_context_push (cuda->context))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "The context of the GPU cannot be used any more; end the program and "
      "start it again.");
  return FALSE;
}

void
gst_oct_cuda_pop (GstOctCuda *cuda)
{
  gst_cuda_context_pop (NULL);
}

/* --------------------------------------------------------- buffers on the GPU
 */

typedef struct {
  GstBufferPool parent;
  GstOctCuda *cuda;
  GstVideoInfo info; /* of the memory: an image, or the surrogate */
  guint size;        /* bytes of one B-scan */
  gboolean is_image;
} GstOctCudaPool;

typedef GstBufferPoolClass GstOctCudaPoolClass;

static GType gst_oct_cuda_pool_get_type (void);
G_DEFINE_TYPE (GstOctCudaPool, gst_oct_cuda_pool, GST_TYPE_BUFFER_POOL);

static GstMemory *
cuda_memory_allocate (GstOctCudaPool *pool)
{
  GstCudaAllocator *allocator =
      (GstCudaAllocator *)gst_allocator_find (GST_CUDA_MEMORY_TYPE_NAME);
  GstMemory *memory;

#  if GST_CHECK_VERSION(1, 24, 0)
  memory = gst_cuda_allocator_alloc (
      allocator, pool->cuda->context, NULL, &pool->info);
#  else
  memory =
      gst_cuda_allocator_alloc (allocator, pool->cuda->context, &pool->info);
#  endif
  gst_object_unref (allocator);
  return memory;
}

static gboolean
pool_set_config (GstBufferPool *base, GstStructure *config)
{
  GstOctCudaPool *pool = (GstOctCudaPool *)base;
  GstCaps *caps = NULL;
  GstMemory *memory;
  GstOctInfo info;
  guint size, min, max;

  if (!gst_buffer_pool_config_get_params (config, &caps, &size, &min, &max)
      || caps == NULL || !gst_oct_info_from_caps (&info, caps, NULL))
    return FALSE;
  pool->is_image = info.is_video;
  pool->size = (guint)info.size;
  if (info.is_video) {
    pool->info = info.video;
  } else {
    if (info.size > MAX_ROW_BYTES)
      return FALSE;
    /* rows are tightly packed, so that any CUDA code finds one block */
    gst_video_info_set_format (
        &pool->info, GST_VIDEO_FORMAT_RGBA, (guint)((info.size + 3) / 4), 1);
  }
  /* as large as its memory: the pool cuts what it takes back to this size */
  memory = cuda_memory_allocate (pool);
  if (memory == NULL)
    return FALSE;
  size = info.is_video ? (guint)memory->size : (guint)info.size;
  gst_memory_unref (memory);
  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  return GST_BUFFER_POOL_CLASS (gst_oct_cuda_pool_parent_class)
      ->set_config (base, config);
}

static GstFlowReturn
pool_alloc_buffer (
    GstBufferPool *base, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  GstOctCudaPool *pool = (GstOctCudaPool *)base;
  GstMemory *memory = cuda_memory_allocate (pool);
  GstCudaMemory *cuda_memory = (GstCudaMemory *)memory;

  if (memory == NULL)
    return GST_FLOW_ERROR;
  if (!pool->is_image)
    gst_memory_resize (memory, 0, (gsize)pool->size);
  *buffer = gst_buffer_new ();
  gst_buffer_append_memory (*buffer, memory);
  if (pool->is_image)
    gst_buffer_add_video_meta_full (*buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_INFO_FORMAT (&pool->info), GST_VIDEO_INFO_WIDTH (&pool->info),
        GST_VIDEO_INFO_HEIGHT (&pool->info),
        GST_VIDEO_INFO_N_PLANES (&pool->info), cuda_memory->info.offset,
        cuda_memory->info.stride);
  return GST_FLOW_OK;
}

static void
pool_finalize (GObject *object)
{
  gst_oct_cuda_unref (((GstOctCudaPool *)object)->cuda);
  G_OBJECT_CLASS (gst_oct_cuda_pool_parent_class)->finalize (object);
}

static void
gst_oct_cuda_pool_class_init (GstOctCudaPoolClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pool_finalize;
  klass->set_config = pool_set_config;
  klass->alloc_buffer = pool_alloc_buffer;
}

static void
gst_oct_cuda_pool_init (GstOctCudaPool *pool)
{
}

GstBufferPool *
gst_oct_cuda_pool_new (GstOctCuda *cuda)
{
  GstOctCudaPool *pool = g_object_new (gst_oct_cuda_pool_get_type (), NULL);

  gst_object_ref_sink (pool);
  pool->cuda = gst_oct_cuda_ref (cuda);
  return &pool->parent;
}

/* Computes pending values in the compute stream; an error was reported by the
 * element whose step failed. */
static gboolean
map_pending (const GstOctInfo *info, GstBuffer *buffer, GstMapFlags flags,
    OctFrame *frame, GstMapInfo *map, GError **error)
{
  if (!gst_buffer_map (
          buffer, map, flags | GST_OCT_MAP_CUDA | GST_OCT_MAP_QUEUED)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "A buffer in the memory of the GPU cannot be mapped.");
    return FALSE;
  }
  *frame =
      (OctFrame){ .planes = { { map->data, gst_oct_info_row_size (info) } } };
  return TRUE;
}

gboolean
gst_oct_cuda_map (GstOctCuda *cuda, const GstOctInfo *info, GstBuffer *buffer,
    GstMapFlags flags, OctFrame *frame, GstMapInfo *map, GError **error)
{
  GstMemory *memory = gst_buffer_n_memory (buffer) == 1
                          ? gst_buffer_peek_memory (buffer, 0)
                          : NULL;
  GstCudaMemory *cuda_memory = (GstCudaMemory *)memory;
  guint i;

  if (memory != NULL && gst_oct_gpu_allocator_is_on_gpu (memory, cuda))
    return map_pending (info, buffer, flags, frame, map, error);
  if (memory == NULL || !gst_is_cuda_memory (memory)
      || cuda_memory->context != cuda->context) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "A buffer arrived that is not in the memory of this GPU context; use "
        "one GPU for the whole pipeline (`cuda-device-id`).");
    return FALSE;
  }
  /* larger is as well: GstCuda copies whole rows of its own length */
  if (!info->is_video && memory->size < info->size) {
    gst_oct_frame_set_size_error (info, memory->size, error);
    return FALSE;
  }
  if (!gst_buffer_map (buffer, map, flags | GST_MAP_CUDA)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "A buffer in the memory of the GPU cannot be mapped.");
    return FALSE;
  }
  memset (frame, 0, sizeof *frame);
  if (!info->is_video) {
    /* what others hold was copied for writing and is as large as its row */
    memory = gst_buffer_peek_memory (buffer, 0);
    if (memory->size > info->size && (flags & GST_MAP_WRITE))
      gst_memory_resize (memory, 0, (gssize)info->size);
    frame->planes[0].data = map->data;
    frame->planes[0].stride = gst_oct_info_row_size (info);
    return TRUE;
  }
  for (i = 0; i < MIN (2, GST_VIDEO_INFO_N_PLANES (&cuda_memory->info)); i++) {
    frame->planes[i].data = map->data + cuda_memory->info.offset[i];
    frame->planes[i].stride = cuda_memory->info.stride[i];
  }
  return TRUE;
}

#else /* no CUDA in this build */

#  define NO_CUDA "this build of the plugin has no CUDA backend"

void
gst_oct_cuda_set_plugin_file (const char *file)
{
}

gboolean
gst_oct_cuda_is_usable (GError **error)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_oct_cuda_debug, "octcuda", 0, "OCT on GPUs");
    GST_INFO ("no CUDA: " NO_CUDA);
    g_once_init_leave (&once, 1);
  }
  g_set_error_literal (error, OCT_ERROR, OCT_ERROR_DEVICE, NO_CUDA);
  return FALSE;
}

/* Nothing below is reached when nothing is usable. */

GstOctCuda *
gst_oct_cuda_ensure (
    GstElement *element, gint device_id, GstOctCudaSlot *slot, GError **error)
{
  gst_oct_cuda_is_usable (error);
  return NULL;
}

void
gst_oct_cuda_forget (GstElement *element, GstOctCudaSlot *slot)
{
}

void
gst_oct_cuda_set_context (GstElement *element, GstContext *context,
    gint device_id, GstOctCudaSlot *slot)
{
}

gboolean
gst_oct_cuda_answer_query (
    GstElement *element, GstQuery *query, GstOctCudaSlot *slot)
{
  return FALSE;
}

GstOctCuda *
gst_oct_cuda_wrap (gpointer handle, guint device, GError **error)
{
  gst_oct_cuda_is_usable (error);
  return NULL;
}

void
gst_oct_cuda_offer (GstOctCuda *cuda, GstElement *pipeline)
{
}

void
gst_oct_cuda_wait (GstOctCuda *cuda)
{
}

gboolean
gst_oct_cuda_holds (GstOctCuda *cuda, GstBuffer *buffer)
{
  return FALSE;
}

GstOctCuda *
gst_oct_cuda_ref (GstOctCuda *cuda)
{
  return cuda;
}

void
gst_oct_cuda_unref (GstOctCuda *cuda)
{
}

const OctDevice *
gst_oct_cuda_get_device (GstOctCuda *cuda)
{
  return NULL;
}

gpointer
gst_oct_cuda_get_stream (GstOctCuda *cuda, GstOctStream which)
{
  return NULL;
}

gboolean
gst_oct_cuda_push (GstOctCuda *cuda, GError **error)
{
  return gst_oct_cuda_is_usable (error);
}

void
gst_oct_cuda_pop (GstOctCuda *cuda)
{
}

GstBufferPool *
gst_oct_cuda_pool_new (GstOctCuda *cuda)
{
  return NULL;
}

gboolean
gst_oct_cuda_map (GstOctCuda *cuda, const GstOctInfo *info, GstBuffer *buffer,
    GstMapFlags flags, OctFrame *frame, GstMapInfo *map, GError **error)
{
  return gst_oct_cuda_is_usable (error);
}

#endif
