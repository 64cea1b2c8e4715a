/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctpassage.h"
#include "gstoctaccess.h"
#include "gstoctframe.h"
#include "gstoctpinned.h"

struct _GstOctPassage {
  GstOctCuda *cuda; /* NULL: the CPU */
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

gboolean
gst_oct_passage_enter (GstOctPassage *p, GError **error)
{
  return p->cuda == NULL || gst_oct_cuda_push (p->cuda, error);
}

void
gst_oct_passage_leave (GstOctPassage *p)
{
  if (p->cuda != NULL)
    gst_oct_cuda_pop (p->cuda);
}

const OctBackend *
gst_oct_passage_get_backend (const GstOctPassage *p)
{
  return p->cuda != NULL ? gst_oct_cuda_get_device (p->cuda)->backend
                         : oct_backend_cpu ();
}

gpointer
gst_oct_passage_get_stream (const GstOctPassage *p)
{
  return p->cuda != NULL
             ? gst_oct_cuda_get_stream (p->cuda, GST_OCT_STREAM_COMPUTE)
             : NULL;
}

gboolean
gst_oct_passage_set_input (
    GstOctPassage *p, const GstOctInfo *input, GError **error)
{
  p->input = *input;
  if (p->cuda == NULL)
    return TRUE;
  if (!gst_oct_passage_enter (p, error))
    return FALSE;
  g_clear_pointer (&p->uploads, gst_oct_uploads_unref);
  if (!p->input_on_gpu)
    p->uploads = gst_oct_uploads_new (p->cuda, input, 0, error);
  gst_oct_passage_leave (p);
  return p->input_on_gpu || p->uploads != NULL;
}

GstOctPassage *
gst_oct_passage_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, GError **error)
{
  GstOctPassage *p = g_new0 (GstOctPassage, 1);

  p->cuda = cuda != NULL ? gst_oct_cuda_ref (cuda) : NULL;
  p->input_on_gpu = input_on_gpu;
  if (!gst_oct_passage_set_input (p, input, error))
    g_clear_pointer (&p, gst_oct_passage_free);
  return p;
}

void
gst_oct_passage_forget_output (GstOctPassage *p)
{
  g_clear_pointer (&p->access, gst_oct_access_free);
  if (p->pool != NULL)
    gst_buffer_pool_set_active (p->pool, FALSE);
  gst_clear_object (&p->pool);
}

void
gst_oct_passage_free (GstOctPassage *p)
{
  gst_oct_passage_forget_output (p);
  if (p->uploads != NULL && gst_oct_passage_enter (p, NULL)) {
    g_clear_pointer (&p->uploads, gst_oct_uploads_unref);
    gst_oct_passage_leave (p);
  }
  if (p->cuda != NULL)
    gst_oct_cuda_unref (p->cuda);
  g_free (p);
}

/* -------------------------------------------------------------------- input */

static gboolean
begin_input (GstOctPassage *p, GError **error)
{
  GstMapFlags flags = GST_MAP_READ;

  if (p->cuda == NULL) {
    if (!gst_oct_frame_map (
            &p->mapped, &p->input, p->bscans, GST_MAP_READ, error))
      return FALSE;
    p->frame = p->mapped.frame;
    return TRUE;
  }
  /* images may be of elements that work in streams of their own */
  if (!p->input.is_video)
    flags |= GST_OCT_MAP_QUEUED;
  if (p->input_on_gpu)
    return gst_oct_cuda_map (
        p->cuda, &p->input, p->bscans, flags, &p->frame, &p->map, error);
  p->upload = gst_oct_uploads_begin (p->uploads, p->bscans, error);
  if (p->upload == NULL)
    return FALSE;
  p->frame = gst_oct_upload_get_frame (p->upload);
  return TRUE;
}

gboolean
gst_oct_passage_begin (GstOctPassage *p, GstBuffer *bscans, GError **error)
{
  gboolean ok;

  if (!gst_oct_passage_enter (p, error))
    return FALSE;
  p->bscans = bscans;
  ok = begin_input (p, error);
  gst_oct_passage_leave (p);
  return ok;
}

OctFrame
gst_oct_passage_get_bscan (const GstOctPassage *p, guint image, guint rows)
{
  return oct_frame_get_bscan (&p->frame, image, rows, 0);
}

gboolean
gst_oct_passage_end (GstOctPassage *p, GError **error)
{
  gboolean ok = TRUE;

  if (!gst_oct_passage_enter (p, error))
    return FALSE;
  if (p->cuda == NULL) {
    gst_oct_frame_unmap (&p->mapped);
  } else if (p->upload != NULL) {
    ok = gst_oct_upload_used (p->upload, error);
    g_clear_pointer (&p->upload, gst_oct_upload_unref);
  } else {
    gst_buffer_unmap (p->bscans, &p->map);
  }
  p->bscans = NULL;
  gst_oct_passage_leave (p);
  return ok;
}

/* ------------------------------------------------------------------- output */

static gboolean
make_pool (GstOctPassage *p, GstPad *src, GstCaps *caps)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (src);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  g_autoptr (GstBufferPool) wanted = NULL;
  g_autoptr (GstAllocator) pinned = NULL;

  if (element == NULL)
    return FALSE;
  /* nobody has to answer */
  if (!gst_pad_peer_query (src, query))
    GST_DEBUG_OBJECT (src, "no answer to the allocation query");
  gst_oct_access_set_reader (p->access, gst_oct_get_reader (src, query));
  if (p->output_on_gpu)
    wanted = gst_oct_cuda_pool_new (p->cuda);
  else if (p->cuda != NULL)
    pinned = gst_oct_pinned_allocator_new (p->cuda, element);
  if (!gst_oct_decide_allocation (element, query, wanted, pinned))
    return FALSE;
  gst_query_parse_nth_allocation_pool (query, 0, &p->pool, NULL, NULL, NULL);
  return p->pool != NULL && gst_buffer_pool_set_active (p->pool, TRUE);
}

GstCaps *
gst_oct_passage_choose_caps (GstOctPassage *p, GstPad *src, GstCaps *caps)
{
  g_autoptr (GstCaps) peer = NULL;
  GstCaps *gpu;

  if (p->cuda == NULL)
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
gst_oct_passage_set_output (
    GstOctPassage *p, GstPad *src, GstCaps *caps, GError **error)
{
  gst_oct_passage_forget_output (p);
  if (!gst_oct_info_from_caps (&p->output, caps, error))
    return FALSE;
  p->output_on_gpu = p->cuda != NULL && gst_oct_caps_is_on_gpu (caps);
  /* it has no input: B-scans were kept */
  p->access = gst_oct_access_new (p->cuda, &p->output, p->cuda != NULL,
      &p->output, p->output_on_gpu, error);
  if (p->access == NULL)
    return FALSE;
  if (make_pool (p, src, caps))
    return TRUE;
  g_propagate_error (
      error, gst_oct_no_memory_new (p->cuda, p->output_on_gpu, &p->output));
  return FALSE;
}

const GstOctInfo *
gst_oct_passage_get_output (const GstOctPassage *p)
{
  return &p->output;
}

GstFlowReturn
gst_oct_passage_acquire (GstOctPassage *p, GstBuffer **out, GError **error)
{
  GstFlowReturn ret = gst_buffer_pool_acquire_buffer (p->pool, out, NULL);

  if (ret == GST_FLOW_ERROR)
    g_propagate_error (
        error, gst_oct_no_memory_new (p->cuda, p->output_on_gpu, &p->output));
  return ret;
}

gboolean
gst_oct_passage_begin_output (
    GstOctPassage *p, GstBuffer **out, OctFrame *to, GError **error)
{
  const OctFrame *frames;
  gpointer stream;
  OctFrame none;

  if (!gst_oct_access_enter (p->access, error))
    return FALSE;
  if (gst_oct_access_begin (
          p->access, NULL, out, &none, &frames, &stream, error)) {
    *to = frames[0];
    return TRUE;
  }
  gst_oct_access_leave (p->access);
  return FALSE;
}

gboolean
gst_oct_passage_end_output (GstOctPassage *p, gboolean success, GError **error)
{
  gboolean ok = gst_oct_access_end (p->access, success, error) && success;

  gst_oct_access_leave (p->access);
  return ok;
}
