/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctrenderer.h"
#include "gstoctaccess.h"
#include "gstoctframe.h"

struct _GstOctRenderer {
  GstOctCuda *cuda; /* NULL: the CPU */
  const OctBackend *backend;
  const OctVolumeTable *table;
  OctVolume *volume;
  OctVolumeParams params;
  GstOctInfo input, output;
  gboolean input_on_gpu;
  GstOctUploads *uploads; /* to the GPU, from the host */
  GstOctAccess *access;   /* of pictures, NULL until set_output() */
  OctPlan *average;       /* of repeated images, NULL: none yet */
  OctFrame mean;          /* the last one, of `average` */

  /* from begin() to end() */
  GstBuffer *images;
  OctFrame frame;
  GstOctMappedFrame mapped;
  GstMapInfo map;
  GstOctUpload *upload;
};

static gboolean
renderer_enter (GstOctRenderer *r, GError **error)
{
  return r->cuda == NULL || gst_oct_cuda_push (r->cuda, error);
}

static void
renderer_leave (GstOctRenderer *r)
{
  if (r->cuda != NULL)
    gst_oct_cuda_pop (r->cuda);
}

static gpointer
get_compute (GstOctRenderer *r)
{
  return r->cuda != NULL
             ? gst_oct_cuda_get_stream (r->cuda, GST_OCT_STREAM_COMPUTE)
             : NULL;
}

GstOctRenderer *
gst_oct_renderer_new (GstOctRendererKind kind, GstOctCuda *cuda,
    const GstOctInfo *input, gboolean input_on_gpu,
    const OctVolumeParams *params, GError **error)
{
  GstOctRenderer *r = g_new0 (GstOctRenderer, 1);
  gboolean ok = TRUE;

  r->backend = cuda != NULL ? gst_oct_cuda_get_device (cuda)->backend
                            : oct_backend_cpu ();
  r->cuda = cuda != NULL ? gst_oct_cuda_ref (cuda) : NULL;
  r->table =
      kind == GST_OCT_RENDERER_RAYS ? r->backend->volume : r->backend->sections;
  r->params = *params;
  r->input = *input;
  r->input_on_gpu = input_on_gpu;
  if (r->table == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "This build cannot make pictures of volumes on a GPU; set backend=cpu "
        "and images in host memory.");
    gst_oct_renderer_free (r);
    return NULL;
  }
  if (renderer_enter (r, error)) {
    r->volume = r->table->create (params, error);
    ok = r->volume != NULL;
    if (ok && cuda != NULL && !input_on_gpu) {
      r->uploads = gst_oct_uploads_new (cuda, input, 0, error);
      ok = r->uploads != NULL;
    }
    renderer_leave (r);
  } else {
    ok = FALSE;
  }
  if (!ok)
    g_clear_pointer (&r, gst_oct_renderer_free);
  return r;
}

void
gst_oct_renderer_free (GstOctRenderer *r)
{
  g_clear_pointer (&r->access, gst_oct_access_free);
  if (renderer_enter (r, NULL)) {
    if (r->volume != NULL)
      r->table->destroy (r->volume);
    if (r->average != NULL)
      r->backend->operations[OCT_OPERATION_AVERAGE]->destroy (r->average);
    if (r->mean.planes[0].data != NULL)
      r->backend->free (r->mean.planes[0].data);
    g_clear_pointer (&r->uploads, gst_oct_uploads_unref);
    renderer_leave (r);
  }
  if (r->cuda != NULL)
    gst_oct_cuda_unref (r->cuda);
  g_free (r);
}

const OctVolumeParams *
gst_oct_renderer_get_params (GstOctRenderer *r)
{
  return &r->params;
}

/* ------------------------------------------------------------------- images */

static gboolean
begin_images (GstOctRenderer *r, GError **error)
{
  if (r->cuda == NULL) {
    if (!gst_oct_frame_map (
            &r->mapped, &r->input, r->images, GST_MAP_READ, error))
      return FALSE;
    r->frame = r->mapped.frame;
    return TRUE;
  }
  if (r->input_on_gpu)
    return gst_oct_cuda_map (
        r->cuda, &r->input, r->images, GST_MAP_READ, &r->frame, &r->map, error);
  r->upload = gst_oct_uploads_begin (r->uploads, r->images, error);
  if (r->upload == NULL)
    return FALSE;
  r->frame = gst_oct_upload_get_frame (r->upload);
  return TRUE;
}

gboolean
gst_oct_renderer_begin (GstOctRenderer *r, GstBuffer *images, GError **error)
{
  gboolean ok;

  if (!renderer_enter (r, error))
    return FALSE;
  r->images = images;
  ok = begin_images (r, error);
  renderer_leave (r);
  return ok;
}

gboolean
gst_oct_renderer_store (
    GstOctRenderer *r, guint image, guint bscan, guint n, GError **error)
{
  OctFrame frame = oct_frame_get_bscan (&r->frame, image, r->params.depth, 0);
  gboolean ok;

  if (!renderer_enter (r, error))
    return FALSE;
  ok = r->table->store (r->volume, &frame, bscan, n, get_compute (r), error);
  renderer_leave (r);
  return ok;
}

static gboolean
renderer_prepare_mean (GstOctRenderer *r, guint frames, GError **error)
{
  const OctOperationTable *table =
      r->backend->operations[OCT_OPERATION_AVERAGE];
  OctAverageParams params = { .format = OCT_SAMPLE_U8,
    .values = r->params.lines * r->params.pixel_size,
    .rows = r->params.depth,
    .bscans = 1,
    .mode = OCT_AVERAGE_BLOCK,
    .frames = frames };

  if (r->average != NULL)
    return TRUE;
  if (table == NULL || frames > OCT_AVERAGE_MOST) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%u B-scans at each place were to be averaged, at most %u are "
        "possible; "
        "set `repeated` to first.",
        frames, table != NULL ? OCT_AVERAGE_MOST : 1);
    return FALSE;
  }
  if (r->mean.planes[0].data == NULL) {
    r->mean.planes[0].stride = params.values;
    r->mean.planes[0].data =
        r->backend->alloc ((gsize)params.values * params.rows, error);
  }
  if (r->mean.planes[0].data != NULL)
    r->average = table->create (&params, error);
  return r->average != NULL;
}

gboolean
gst_oct_renderer_store_mean (GstOctRenderer *r, guint image, guint bscan,
    guint frames, gboolean first, GError **error)
{
  const OctOperationTable *table =
      r->backend->operations[OCT_OPERATION_AVERAGE];
  OctFrame frame = oct_frame_get_bscan (&r->frame, image, r->params.depth, 0);
  gboolean ok;

  if (!renderer_enter (r, error))
    return FALSE;
  ok = renderer_prepare_mean (r, frames, error);
  if (ok && first)
    table->reset (r->average);
  ok = ok && table->run (r->average, &frame, &r->mean, get_compute (r), error)
       && r->table->store (
           r->volume, &r->mean, bscan, 1, get_compute (r), error);
  renderer_leave (r);
  return ok;
}

gboolean
gst_oct_renderer_end (GstOctRenderer *r, GError **error)
{
  gboolean ok = TRUE;

  if (!renderer_enter (r, error))
    return FALSE;
  if (r->cuda == NULL) {
    gst_oct_frame_unmap (&r->mapped);
  } else if (r->upload != NULL) {
    ok = gst_oct_upload_used (r->upload, error);
    g_clear_pointer (&r->upload, gst_oct_upload_unref);
  } else {
    gst_buffer_unmap (r->images, &r->map);
  }
  r->images = NULL;
  renderer_leave (r);
  return ok;
}

/* ----------------------------------------------------------------- pictures */

gboolean
gst_oct_renderer_show (GstOctRenderer *r, GError **error)
{
  gboolean ok;

  if (!renderer_enter (r, error))
    return FALSE;
  ok = r->table->show (r->volume, get_compute (r), error);
  renderer_leave (r);
  return ok;
}

gboolean
gst_oct_renderer_clear (GstOctRenderer *r, GError **error)
{
  gboolean ok;

  if (!renderer_enter (r, error))
    return FALSE;
  ok = r->table->clear (r->volume, get_compute (r), error);
  renderer_leave (r);
  return ok;
}

gboolean
gst_oct_renderer_get_levels (GstOctRenderer *r, OctVolumeLevels *levels,
    gboolean *changed, GError **error)
{
  gboolean ok;

  if (!renderer_enter (r, error))
    return FALSE;
  ok = r->table->get_levels (r->volume, levels, changed, error);
  renderer_leave (r);
  return ok;
}

/* `get` may be NULL */
static double
get_seconds (GstOctRenderer *r, double (*get) (OctVolume *volume))
{
  double seconds = 0;

  if (get == NULL || !renderer_enter (r, NULL))
    return 0;
  seconds = get (r->volume);
  renderer_leave (r);
  return seconds;
}

double
gst_oct_renderer_get_time (GstOctRenderer *r)
{
  return get_seconds (r, r->table->get_time);
}

double
gst_oct_renderer_get_fixed_time (GstOctRenderer *r)
{
  return get_seconds (r, r->table->get_fixed_time);
}

gboolean
gst_oct_renderer_set_output (GstOctRenderer *r, const GstOctInfo *output,
    gboolean output_on_gpu, GError **error)
{
  g_clear_pointer (&r->access, gst_oct_access_free);
  r->output = *output;
  /* it has no input: pictures come from the volume */
  r->access = gst_oct_access_new (r->cuda, output, r->cuda != NULL, output,
      output_on_gpu && r->cuda != NULL, error);
  if (r->access == NULL)
    return FALSE;
  /* sections have none of their own */
  if (r->cuda != NULL && r->table->get_stream (r->volume) != NULL)
    gst_oct_access_set_stream (r->access, r->table->get_stream (r->volume));
  return TRUE;
}

void
gst_oct_renderer_set_reader (GstOctRenderer *r, GstOctReader reader)
{
  gst_oct_access_set_reader (r->access, reader);
}

/* The picture to draw: one of them. */
typedef struct {
  const OctVolumeLook *look;
  OctVolumePicture *picture;
  const OctSlice *slice;
  const OctEnface *enface;
} Drawing;

static OctImageFormat
renderer_get_format (const GstOctInfo *output)
{
  switch (GST_VIDEO_INFO_FORMAT (&output->video)) {
  case GST_VIDEO_FORMAT_RGBA:
    return OCT_IMAGE_RGBA;
  case GST_VIDEO_FORMAT_NV12:
    return OCT_IMAGE_NV12;
  default:
    return OCT_IMAGE_GRAY8;
  }
}

static gboolean
draw_to (GstOctRenderer *r, const Drawing *drawing, const OctFrame *to,
    gpointer stream, GError **error)
{
  OctSectionPicture section = { renderer_get_format (&r->output),
    r->output.columns, r->output.rows, *to };
  OctVolumePicture *picture = drawing->picture;

  if (drawing->slice != NULL)
    return r->table->slice (r->volume, drawing->slice, &section, stream, error);
  if (drawing->enface != NULL)
    return r->table->enface (
        r->volume, drawing->enface, &section, stream, error);
  picture->format = section.format;
  picture->width = section.width;
  picture->height = section.height;
  picture->frame = *to;
  return r->table->render (r->volume, drawing->look, picture, error);
}

static gboolean
renderer_draw (
    GstOctRenderer *r, const Drawing *drawing, GstBuffer *out, GError **error)
{
  const OctFrame *to;
  OctFrame from;
  gpointer stream;
  gboolean ok;

  if (!gst_oct_access_enter (r->access, error))
    return FALSE;
  ok = gst_oct_access_begin (r->access, NULL, &out, &from, &to, &stream, error);
  if (ok) {
    ok = draw_to (r, drawing, to, stream, error);
    ok = gst_oct_access_end (r->access, ok, error) && ok;
  }
  gst_oct_access_leave (r->access);
  return ok;
}

gboolean
gst_oct_renderer_render (GstOctRenderer *r, const OctVolumeLook *look,
    OctVolumePicture *picture, GstBuffer *out, GError **error)
{
  return renderer_draw (
      r, &(Drawing){ .look = look, .picture = picture }, out, error);
}

gboolean
gst_oct_renderer_slice (
    GstOctRenderer *r, const OctSlice *slice, GstBuffer *out, GError **error)
{
  return renderer_draw (r, &(Drawing){ .slice = slice }, out, error);
}

gboolean
gst_oct_renderer_enface (
    GstOctRenderer *r, const OctEnface *enface, GstBuffer *out, GError **error)
{
  return renderer_draw (r, &(Drawing){ .enface = enface }, out, error);
}
