/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctfiller.h"
#include "gstoctaccess.h"
#include "gstoctframe.h"
#include "gstoctpinned.h"

struct _GstOctFiller {
  GstOctCuda *cuda; /* NULL: the CPU */
  const OctVolumeCsTable *table;
  OctVolumeCs *cs;
  GstOctInfo input, output;
  gboolean input_on_gpu, output_on_gpu;
  GstOctUploads *uploads; /* to the GPU, from the host */
  GstOctAccess *access;   /* of the output, NULL until set_output() */
  GstBufferPool *pool;    /* likewise */

  /* from begin() to end() */
  GstBuffer *bscans;
  OctFrame frame;
  GstOctMappedFrame mapped;
  GstMapInfo map;
  GstOctUpload *upload;
};

static gboolean
filler_enter (GstOctFiller *f, GError **error)
{
  return f->cuda == NULL || gst_oct_cuda_push (f->cuda, error);
}

static void
filler_leave (GstOctFiller *f)
{
  if (f->cuda != NULL)
    gst_oct_cuda_pop (f->cuda);
}

/* With the context. */
static gboolean
make_uploads (GstOctFiller *f, GError **error)
{
  g_clear_pointer (&f->uploads, gst_oct_uploads_unref);
  if (f->cuda == NULL || f->input_on_gpu)
    return TRUE;
  f->uploads = gst_oct_uploads_new (f->cuda, &f->input, 0, error);
  return f->uploads != NULL;
}

static gboolean
make_all (GstOctFiller *f, const OctVolumeCsParams *params, GError **error)
{
  gboolean ok;

  if (f->table == NULL) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "This build cannot fill in volumes on a GPU; set backend=cpu, and let "
        "B-scans come in host memory.");
    return FALSE;
  }
  if (!filler_enter (f, error))
    return FALSE;
  f->cs = f->table->create (params,
      f->cuda != NULL
          ? gst_oct_cuda_get_stream (f->cuda, GST_OCT_STREAM_COMPUTE)
          : NULL,
      error);
  ok = f->cs != NULL && make_uploads (f, error);
  filler_leave (f);
  return ok;
}

GstOctFiller *
gst_oct_filler_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, const OctVolumeCsParams *params, GError **error)
{
  GstOctFiller *f = g_new0 (GstOctFiller, 1);

  f->cuda = cuda != NULL ? gst_oct_cuda_ref (cuda) : NULL;
  f->table = cuda != NULL ? gst_oct_cuda_get_device (cuda)->backend->volume_cs
                          : oct_backend_cpu ()->volume_cs;
  f->input = *input;
  f->input_on_gpu = input_on_gpu;
  if (!make_all (f, params, error))
    g_clear_pointer (&f, gst_oct_filler_free);
  return f;
}

static void
forget_output (GstOctFiller *f)
{
  g_clear_pointer (&f->access, gst_oct_access_free);
  if (f->pool != NULL)
    gst_buffer_pool_set_active (f->pool, FALSE);
  gst_clear_object (&f->pool);
}

void
gst_oct_filler_free (GstOctFiller *f)
{
  forget_output (f);
  if (filler_enter (f, NULL)) {
    if (f->cs != NULL)
      f->table->destroy (f->cs);
    g_clear_pointer (&f->uploads, gst_oct_uploads_unref);
    filler_leave (f);
  }
  if (f->cuda != NULL)
    gst_oct_cuda_unref (f->cuda);
  g_free (f);
}

gboolean
gst_oct_filler_set_input (
    GstOctFiller *f, const GstOctInfo *input, GError **error)
{
  gboolean ok;

  f->input = *input;
  if (!filler_enter (f, error))
    return FALSE;
  ok = make_uploads (f, error);
  filler_leave (f);
  return ok;
}

/* ------------------------------------------------------------------ B-scans */

static gboolean
begin_bscans (GstOctFiller *f, GError **error)
{
  if (f->cuda == NULL) {
    if (!gst_oct_frame_map (
            &f->mapped, &f->input, f->bscans, GST_MAP_READ, error))
      return FALSE;
    f->frame = f->mapped.frame;
    return TRUE;
  }
  if (f->input_on_gpu)
    return gst_oct_cuda_map (f->cuda, &f->input, f->bscans,
        GST_MAP_READ | GST_OCT_MAP_QUEUED, &f->frame, &f->map, error);
  f->upload = gst_oct_uploads_begin (f->uploads, f->bscans, error);
  if (f->upload == NULL)
    return FALSE;
  f->frame = gst_oct_upload_get_frame (f->upload);
  return TRUE;
}

gboolean
gst_oct_filler_begin (GstOctFiller *f, GstBuffer *bscans, GError **error)
{
  gboolean ok;

  if (!filler_enter (f, error))
    return FALSE;
  f->bscans = bscans;
  ok = begin_bscans (f, error);
  filler_leave (f);
  return ok;
}

gboolean
gst_oct_filler_store (GstOctFiller *f, guint image, guint lines, guint bscan,
    gboolean whole, GError **error)
{
  OctFrame frame = oct_frame_get_bscan (&f->frame, image, lines, 0);
  gboolean ok;

  if (!filler_enter (f, error))
    return FALSE;
  ok = f->table->store (f->cs, bscan, &frame.planes[0], whole, error);
  filler_leave (f);
  return ok;
}

gboolean
gst_oct_filler_end (GstOctFiller *f, GError **error)
{
  gboolean ok = TRUE;

  if (!filler_enter (f, error))
    return FALSE;
  if (f->cuda == NULL) {
    gst_oct_frame_unmap (&f->mapped);
  } else if (f->upload != NULL) {
    ok = gst_oct_upload_used (f->upload, error);
    g_clear_pointer (&f->upload, gst_oct_upload_unref);
  } else {
    gst_buffer_unmap (f->bscans, &f->map);
  }
  f->bscans = NULL;
  filler_leave (f);
  return ok;
}

/* ------------------------------------------------------------------- volume */

void
gst_oct_filler_clear (GstOctFiller *f)
{
  if (!filler_enter (f, NULL))
    return;
  f->table->clear (f->cs);
  filler_leave (f);
}

gboolean
gst_oct_filler_measure (
    GstOctFiller *f, OctVolumeCsMeasures *measures, GError **error)
{
  gboolean ok;

  if (!filler_enter (f, error))
    return FALSE;
  ok = f->table->measure (f->cs, measures, error);
  filler_leave (f);
  return ok;
}

gboolean
gst_oct_filler_fill (
    GstOctFiller *f, const OctVolumeCsSettings *settings, GError **error)
{
  gboolean ok;

  if (!filler_enter (f, error))
    return FALSE;
  ok = f->table->fill (f->cs, settings, error);
  filler_leave (f);
  return ok;
}

/* ------------------------------------------------------------------- output */

static gboolean
make_pool (GstOctFiller *f, GstPad *src, GstCaps *caps)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (src);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  g_autoptr (GstBufferPool) wanted = NULL;
  g_autoptr (GstAllocator) pinned = NULL;

  /* nobody has to answer */
  if (element == NULL)
    return FALSE;
  if (!gst_pad_peer_query (src, query))
    GST_DEBUG_OBJECT (src, "no answer to the allocation query");
  gst_oct_access_set_reader (f->access, gst_oct_get_reader (src, query));
  if (f->output_on_gpu)
    wanted = gst_oct_cuda_pool_new (f->cuda);
  else if (f->cuda != NULL)
    pinned = gst_oct_pinned_allocator_new (f->cuda, element);
  if (!gst_oct_decide_allocation (element, query, wanted, pinned))
    return FALSE;
  gst_query_parse_nth_allocation_pool (query, 0, &f->pool, NULL, NULL, NULL);
  return f->pool != NULL && gst_buffer_pool_set_active (f->pool, TRUE);
}

GstCaps *
gst_oct_filler_choose_caps (GstOctFiller *f, GstPad *src, GstCaps *caps)
{
  g_autoptr (GstCaps) peer = NULL;
  GstCaps *gpu;

  if (f->cuda == NULL)
    return caps;
  gpu = gst_caps_copy (caps);
  gst_caps_set_features_simple (
      gpu, gst_caps_features_new (GST_OCT_CUDA_FEATURE, NULL));
  peer = gst_pad_peer_query_caps (src, NULL);
  /* if any caps are accepted, host memory: every element can read it */
  if (gst_caps_is_any (peer) || !gst_caps_can_intersect (peer, gpu)) {
    gst_caps_unref (gpu);
    return caps;
  }
  gst_caps_unref (caps);
  return gpu;
}

gboolean
gst_oct_filler_set_output (
    GstOctFiller *f, GstPad *src, GstCaps *caps, GError **error)
{
  forget_output (f);
  if (!gst_oct_info_from_caps (&f->output, caps, error))
    return FALSE;
  f->output_on_gpu = f->cuda != NULL && gst_oct_caps_is_on_gpu (caps);
  /* it has no input: B-scans come from the volume */
  f->access = gst_oct_access_new (f->cuda, &f->output, f->cuda != NULL,
      &f->output, f->output_on_gpu, error);
  if (f->access == NULL)
    return FALSE;
  if (make_pool (f, src, caps))
    return TRUE;
  g_propagate_error (
      error, gst_oct_no_memory_new (f->cuda, f->output_on_gpu, &f->output));
  return FALSE;
}

static gboolean
fetch_to (GstOctFiller *f, guint bscan, GstBuffer *out, GError **error)
{
  const OctFrame *to;
  OctFrame from;
  gpointer stream;
  gboolean ok;

  if (!gst_oct_access_enter (f->access, error))
    return FALSE;
  ok = gst_oct_access_begin (f->access, NULL, &out, &from, &to, &stream, error);
  if (ok) {
    ok = f->table->fetch (
        f->cs, bscan, 0, f->output.columns, &to->planes[0], error);
    ok = gst_oct_access_end (f->access, ok, error) && ok;
  }
  gst_oct_access_leave (f->access);
  return ok;
}

GstFlowReturn
gst_oct_filler_fetch (
    GstOctFiller *f, guint bscan, GstBuffer **out, GError **error)
{
  g_autoptr (GstBuffer) buffer = NULL;
  GstFlowReturn ret = gst_buffer_pool_acquire_buffer (f->pool, &buffer, NULL);

  if (ret == GST_FLOW_ERROR)
    g_propagate_error (
        error, gst_oct_no_memory_new (f->cuda, f->output_on_gpu, &f->output));
  if (ret != GST_FLOW_OK)
    return ret;
  if (!fetch_to (f, bscan, buffer, error))
    return GST_FLOW_ERROR;
  *out = g_steal_pointer (&buffer);
  return GST_FLOW_OK;
}
