/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctorigin.h"

struct _GstOctOrigin {
  gint references;
  const OctBackend *backend; /* what `mean` is of */
  GstBuffer *buffer;         /* on the host, or on the GPU */
  GstOctMappedFrame mapped;  /* on the host */
  guint lines;               /* that there are; 0: all */
  gpointer mean;

  GstOctCuda *cuda;     /* NULL: on the host */
  GstOctUpload *upload; /* fetched to the GPU, else `buffer` is there */
  GstMapInfo map;
  OctFrame frame;
};

static GQuark
allowed_quark (void)
{
  return g_quark_from_static_string ("gst-oct-origin-allowed");
}

void
gst_oct_origin_allow (GstMemory *memory)
{
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), allowed_quark (),
      GINT_TO_POINTER (TRUE), NULL);
}

/* The B-scans that a buffer of several has. */
static void
find_lines (GstOctOrigin *origin, GstOctInfo *there, const GstOctInfo *most,
    GstBuffer *buffer)
{
  gst_oct_info_of_buffer (there, most, buffer);
  origin->lines = there->rows < most->rows ? there->rows : 0;
}

/* Several memories become one. */
static GstBuffer *
copy_origin (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) > 1 ? gst_buffer_copy_region (buffer,
             GST_BUFFER_COPY_ALL | GST_BUFFER_COPY_MERGE | GST_BUFFER_COPY_DEEP,
             0, (gsize)-1)
                                          : gst_buffer_copy_deep (buffer);
}

/* A camera may have a few buffers only and stands still while we keep them;
 * ordinary memory is plentiful.  Read-only memory belongs to its maker. */
static gboolean
may_keep (GstBuffer *buffer)
{
  GstBufferPool *pool = buffer->pool;
  GstMemory *memory;
  GstStructure *config;
  guint max = 0;

  if (gst_buffer_n_memory (buffer) != 1)
    return FALSE;
  memory = gst_buffer_peek_memory (buffer, 0);
  if (memory->parent != NULL)
    memory = memory->parent;
  if (pool == NULL)
    return !GST_MEMORY_IS_READONLY (memory)
           || gst_mini_object_get_qdata (
                  GST_MINI_OBJECT_CAST (memory), allowed_quark ())
                  != NULL;
  if (G_OBJECT_TYPE (pool) != GST_TYPE_BUFFER_POOL
      && G_OBJECT_TYPE (pool) != GST_TYPE_VIDEO_BUFFER_POOL)
    return FALSE;
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, NULL, NULL, &max);
  gst_structure_free (config);
  return max == 0;
}

GstOctOrigin *
gst_oct_origin_new (const OctBackend *backend, const GstOctInfo *info,
    GstBuffer *buffer, gsize mean_size, GError **error)
{
  GstOctOrigin *origin = g_new0 (GstOctOrigin, 1);
  GstOctInfo there;

  origin->references = 1;
  origin->backend = backend;
  find_lines (origin, &there, info, buffer);
  if (mean_size > 0
      && (origin->mean = backend->alloc (mean_size, error)) == NULL) {
    g_free (origin);
    return NULL;
  }
  origin->buffer =
      may_keep (buffer) ? gst_buffer_ref (buffer) : copy_origin (buffer);
  if (origin->buffer == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "There is no memory for a copy of a B-scan of %" G_GSIZE_FORMAT
        " bytes; set `lines` or `samples` smaller, or end other programs.",
        there.size);
  } else if (gst_oct_frame_map (&origin->mapped, &there, origin->buffer,
                 GST_MAP_READ, error)) {
    return origin;
  }
  gst_clear_buffer (&origin->buffer);
  if (origin->mean != NULL)
    backend->free (origin->mean);
  g_free (origin);
  return NULL;
}

GstOctOrigin *
gst_oct_origin_new_on_gpu (
    GstOctCuda *cuda, const GstOctInfo *info, GstBuffer *buffer, GError **error)
{
  GstOctOrigin *origin = g_new0 (GstOctOrigin, 1);
  GstOctInfo there;

  origin->references = 1;
  find_lines (origin, &there, info, buffer);
  if (!gst_oct_cuda_map (cuda, &there, buffer, GST_MAP_READ, &origin->frame,
          &origin->map, error)) {
    g_free (origin);
    return NULL;
  }
  origin->frame.lines = origin->lines;
  origin->cuda = gst_oct_cuda_ref (cuda);
  origin->buffer = gst_buffer_ref (buffer);
  return origin;
}

GstOctOrigin *
gst_oct_origin_new_fetched (GstOctCuda *cuda, GstOctUpload *upload)
{
  GstOctOrigin *origin = g_new0 (GstOctOrigin, 1);

  origin->references = 1;
  origin->cuda = gst_oct_cuda_ref (cuda);
  origin->upload = upload;
  origin->frame = gst_oct_upload_get_frame (upload);
  origin->frame.planes[1].data = gst_oct_upload_get_extra (upload);
  return origin;
}

GstOctOrigin *
gst_oct_origin_ref (GstOctOrigin *origin)
{
  g_atomic_int_inc (&origin->references);
  return origin;
}

static void
release_on_gpu (GstOctOrigin *origin)
{
  if (origin->upload != NULL) {
    gst_oct_upload_unref (origin->upload);
  } else if (gst_oct_cuda_push (origin->cuda, NULL)) {
    gst_buffer_unmap (origin->buffer, &origin->map);
    gst_oct_cuda_pop (origin->cuda);
  }
  gst_oct_cuda_unref (origin->cuda);
}

void
gst_oct_origin_unref (GstOctOrigin *origin)
{
  if (!g_atomic_int_dec_and_test (&origin->references))
    return;
  if (origin->cuda != NULL)
    release_on_gpu (origin);
  else
    gst_oct_frame_unmap (&origin->mapped);
  gst_clear_buffer (&origin->buffer);
  if (origin->mean != NULL)
    origin->backend->free (origin->mean);
  g_free (origin);
}

OctFrame
gst_oct_origin_get_frame (const GstOctOrigin *origin)
{
  OctFrame frame = { .planes = { origin->mapped.frame.planes[0] } };

  if (origin->cuda != NULL)
    return origin->frame;
  frame.planes[1].data = origin->mean;
  frame.lines = origin->lines;
  return frame;
}

void
gst_oct_origin_begun (GstOctOrigin *origin)
{
  if (origin->upload != NULL)
    gst_oct_upload_begun (origin->upload);
}

gboolean
gst_oct_origin_used (GstOctOrigin *origin, GError **error)
{
  return origin->upload == NULL || gst_oct_upload_used (origin->upload, error);
}

/* -------------------------------------------------------------------- steps */

void
gst_oct_pending_add (GstOctPending *pending, OctStep *step, GstElement *owner)
{
  g_assert (pending->n < OCT_SEQUENCE_MAX);
  pending->steps[pending->n] = oct_step_ref (step);
  pending->owners[pending->n] = gst_object_ref (owner);
  pending->n++;
}

void
gst_oct_pending_clear (GstOctPending *pending)
{
  guint i;

  g_clear_pointer (&pending->origin, gst_oct_origin_unref);
  for (i = 0; i < pending->n; i++) {
    oct_step_unref (pending->steps[i]);
    gst_object_unref (pending->owners[i]);
  }
  memset (pending, 0, sizeof *pending);
}
