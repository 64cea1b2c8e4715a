/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctallocation.h"
#include "gstoctpinned.h"

#include <gst/base/gstbasetransform.h>

/* Rows start on cache lines, as vector loads like them. */
#define BUFFER_ALIGNMENT 63

typedef struct {
  GstCaps *caps;
  guint size, min, max;
  GstAllocator *allocator;
  GstAllocationParams params;
  gboolean video_meta; /* downstream takes any stride */
} Request;

static gboolean
configure_pool (GstBufferPool *pool, const Request *request)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (
      config, request->caps, request->size, request->min, request->max);
  gst_buffer_pool_config_set_allocator (
      config, request->allocator, &request->params);
  if (request->video_meta
      && gst_buffer_pool_has_option (pool, GST_BUFFER_POOL_OPTION_VIDEO_META))
    gst_buffer_pool_config_add_option (
        config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (gst_buffer_pool_set_config (pool, config))
    return TRUE;
  /* a foreign pool that rejects our wishes may have changed them to values that
   * it supports */
  config = gst_buffer_pool_get_config (pool);
  if (!gst_buffer_pool_config_validate_params (
          config, request->caps, request->size, request->min, request->max)) {
    gst_structure_free (config);
    return FALSE;
  }
  return gst_buffer_pool_set_config (pool, config);
}

/* Whether the pool that downstream offers is one of GStreamer's own with the
 * usual memory.  Such a one is offered for want of a better: memory of another
 * kind is for a display or a device, and padded rows have a reason. */
static gboolean
is_plain (GstBufferPool *pool)
{
  GstStructure *config;
  GstAllocator *allocator = NULL;
  gboolean plain;

  if (G_OBJECT_TYPE (pool) != GST_TYPE_BUFFER_POOL
      && G_OBJECT_TYPE (pool) != GST_TYPE_VIDEO_BUFFER_POOL)
    return FALSE;
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_allocator (config, &allocator, NULL);
  plain = (allocator == NULL
              || g_strcmp0 (allocator->mem_type, GST_ALLOCATOR_SYSMEM) == 0)
          && !gst_buffer_pool_config_has_option (
              config, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
  gst_structure_free (config);
  return plain;
}

static GstBufferPool *
choose_pool (GstElement *element, GstBufferPool *offered, gboolean is_wanted,
    Request *request, gsize size)
{
  GstBufferPool *pool = offered;

  request->size = MAX (request->size, size);
  if (pool != NULL) {
    if (configure_pool (pool, request))
      return pool;
    GST_INFO_OBJECT (element, "%" GST_PTR_FORMAT " refused, own pool", pool);
    gst_object_unref (pool);
    /* no other memory will do if this one was asked for */
    if (is_wanted)
      return NULL;
    request->size = size;
    request->min = request->max = 0;
  }
  pool = gst_structure_has_name (
             gst_caps_get_structure (request->caps, 0), "video/x-raw")
             ? gst_video_buffer_pool_new ()
             : gst_buffer_pool_new ();
  if (!configure_pool (pool, request))
    gst_clear_object (&pool);
  return pool;
}

gboolean
gst_oct_decide_allocation (GstElement *element, GstQuery *query,
    GstBufferPool *wanted, GstAllocator *allocator)
{
  Request request = { 0 };
  GstOctInfo info;
  GstBufferPool *pool = NULL;
  gboolean update_pool, update_params;

  gst_query_parse_allocation (query, &request.caps, NULL);
  if (request.caps == NULL
      || !gst_oct_info_from_caps (&info, request.caps, NULL))
    return FALSE;
  gst_allocation_params_init (&request.params);
  update_params = gst_query_get_n_allocation_params (query) > 0;
  if (update_params)
    gst_query_parse_nth_allocation_param (
        query, 0, &request.allocator, &request.params);
  request.params.align = MAX (request.params.align, BUFFER_ALIGNMENT);
  update_pool = gst_query_get_n_allocation_pools (query) > 0;
  if (update_pool)
    gst_query_parse_nth_allocation_pool (
        query, 0, &pool, &request.size, &request.min, &request.max);
  if (wanted != NULL) {
    gst_clear_object (&pool);
    pool = gst_object_ref (wanted);
    request.size = 0;
  } else if (allocator != NULL && (pool == NULL || is_plain (pool))) {
    /* as many buffers as downstream holds, and as many more as it likes */
    gst_clear_object (&pool);
    request.size = request.max = 0;
    gst_clear_object (&request.allocator);
    request.allocator = gst_object_ref (allocator);
    /* it packs as the caps say, whatever downstream can take */
  }
  request.video_meta =
      info.is_video
      && gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  pool = choose_pool (element, pool, wanted != NULL, &request, info.size);
  if (pool != NULL) {
    if (update_params)
      gst_query_set_nth_allocation_param (
          query, 0, request.allocator, &request.params);
    else
      gst_query_add_allocation_param (
          query, request.allocator, &request.params);
    if (update_pool)
      gst_query_set_nth_allocation_pool (
          query, 0, pool, request.size, request.min, request.max);
    else
      gst_query_add_allocation_pool (
          query, pool, request.size, request.min, request.max);
  }
  gst_clear_object (&request.allocator);
  if (pool == NULL)
    return FALSE;
  gst_object_unref (pool);
  return TRUE;
}

/* A type of the plugin nvcodec, that is not there before it is used. */
#define CUDA_FILTER "GstCudaBaseTransform"

GType
gst_oct_reader_api_get_type (void)
{
  static gsize type = 0;
  /* foreign filters drop a meta about the memory that they read */
  static const char *tags[] = { GST_META_TAG_MEMORY_STR, NULL };

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, gst_meta_api_type_register ("GstOctReaderAPI", tags));
  return (GType)type;
}

static GstOctReader
get_foreign_reader (GstPad *pad)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);
  g_autoptr (GstElement) next =
      peer != NULL ? gst_pad_get_parent_element (peer) : NULL;
  GType filter = g_type_from_name (CUDA_FILTER);

  if (next == NULL)
    return GST_OCT_READER_ANY;
  if (g_str_equal (G_OBJECT_TYPE_NAME (next), "GstCapsFilter"))
    return get_foreign_reader (
        GST_BASE_TRANSFORM_SRC_PAD (GST_BASE_TRANSFORM (next)));
  return filter != G_TYPE_INVALID && g_type_is_a (G_OBJECT_TYPE (next), filter)
                 && !gst_base_transform_is_passthrough (
                     GST_BASE_TRANSFORM (next))
             ? GST_OCT_READER_FILTER
             : GST_OCT_READER_ANY;
}

GstOctReader
gst_oct_get_reader (GstPad *pad, GstQuery *query)
{
  GstOctReader foreign = get_foreign_reader (pad);

  /* an element that works in place passes on the replies of those after it */
  return foreign == GST_OCT_READER_ANY
                 && gst_query_find_allocation_meta (
                     query, GST_OCT_READER_API_TYPE, NULL)
             ? GST_OCT_READER_OWN
             : foreign;
}

void
gst_oct_propose_pinned_pool (
    GstOctCuda *cuda, const GstOctInfo *info, GstQuery *query)
{
  g_autoptr (GstAllocator) allocator =
      gst_oct_pinned_allocator_new (cuda, NULL);

  gst_oct_propose_pool (allocator, info, 4, query);
}

void
gst_oct_propose_pool (
    GstAllocator *allocator, const GstOctInfo *info, guint min, GstQuery *query)
{
  GstCaps *caps = NULL;
  GstBufferPool *pool;
  GstStructure *config;

  gst_query_parse_allocation (query, &caps, NULL);
  if (caps == NULL)
    return;
  pool = info->is_video ? gst_video_buffer_pool_new () : gst_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, (guint)info->size, min, 0);
  gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (gst_buffer_pool_set_config (pool, config))
    gst_query_add_allocation_pool (query, pool, (guint)info->size, min, 0);
  gst_query_add_allocation_param (query, allocator, NULL);
  gst_object_unref (pool);
}

GError *
gst_oct_no_memory_new (
    GstOctCuda *cuda, gboolean on_gpu, const GstOctInfo *info)
{
  const OctDevice *device;
  gpointer memory;
  GError *error = NULL;

  /* an allocator does not tell a GPU that has failed from one that is full */
  if (cuda != NULL && gst_oct_cuda_push (cuda, &error)) {
    device = gst_oct_cuda_get_device (cuda);
    memory = on_gpu ? device->alloc (info->size, &error)
                    : device->alloc_host (info->size, &error);
    if (memory != NULL && on_gpu)
      device->free (memory);
    else if (memory != NULL)
      device->free_host (memory);
    gst_oct_cuda_pop (cuda);
  }
  if (g_error_matches (error, OCT_ERROR, OCT_ERROR_DEVICE))
    return error;
  g_clear_error (&error);
  return g_error_new (OCT_ERROR, OCT_ERROR_MEMORY,
      "There is not enough memory%s for another B-scan of %u x %u values "
      "(%" G_GSIZE_FORMAT " bytes); set `lines` or `samples` smaller, or end "
      "other programs%s.",
      on_gpu ? " on the GPU" : "", info->columns, info->rows, info->size,
      on_gpu ? " that use the GPU" : "");
}
