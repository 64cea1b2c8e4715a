/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans to an image: plans.  The range of a B-scan, and its history, are
 * found and kept on the device; nothing comes back to the host.
 */
#include "oct-cuda-private.h"
#include "oct-params.h"

#include <string.h>

#define NAME "logscale"

struct _OctPlan {
  OctLogscaleParams params;
  gboolean overlap;
  gboolean forget;        /* the history, with the next automatic range */
  guint turn;             /* 0 and 1, by automatic ranges */
  OctCudaTable range;     /* OctCudaRange */
  OctCudaExtent *extents; /* device */
};

static const struct {
  guint pixel_size;
  double full;
} image_formats[] = {
  [OCT_IMAGE_GRAY8] = { 1, 255 },
  [OCT_IMAGE_GRAY16] = { 2, 65535 },
  [OCT_IMAGE_NV12] = { 1, 255 },
  [OCT_IMAGE_RGBA] = { 4, 255 },
};

static void
logscale_destroy (OctPlan *plan)
{
  oct_cuda_table_clear (&plan->range);
  oct_cuda_free (plan->extents);
  g_free (plan);
}

static OctPlan *
logscale_create (gconstpointer data, GError **error)
{
  const OctLogscaleParams *params = data;
  gsize blocks;
  OctPlan *plan;
  OctCudaRange *range;

  if (!oct_check_logscale (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->overlap = oct_cuda_can_overlap ();
  blocks = oct_cuda_extent_blocks (params->lines);
  plan->extents = oct_cuda_alloc (blocks * sizeof (OctCudaExtent), NAME, error);
  if (plan->extents == NULL
      || !oct_cuda_table_init (&plan->range, sizeof (OctCudaRange), NAME, error)
      || (range = oct_cuda_table_edit (&plan->range, NAME, error)) == NULL) {
    logscale_destroy (plan);
    return NULL;
  }
  memset (range, 0, sizeof (*range));
  for (guint turn = 0; turn < 2; turn++) {
    range->lowest[turn] = OCT_CUDA_NO_LOWEST;
    range->highest[turn] = OCT_CUDA_NO_HIGHEST;
  }
  return plan;
}

/* The history is converted by the device when the scale has changed. */
static gboolean
logscale_update (OctPlan *plan, gconstpointer data)
{
  const OctLogscaleParams *params = data;

  if (params->depth_bins != plan->params.depth_bins
      || params->lines != plan->params.lines
      || params->format != plan->params.format
      || !oct_check_logscale (params, NULL))
    return FALSE;
  plan->params = *params;
  return TRUE;
}

static void
logscale_reset (OctPlan *plan)
{
  plan->forget = TRUE;
}

static gboolean
find_range (
    OctPlan *plan, const OctPlane *from, OctCudaQueue queue, GError **error)
{
  const OctLogscaleParams *params = &plan->params;
  OctCudaFindRange find = {
    .in = from->data,
    .in_stride = from->stride,
    .lines = params->lines,
    .depth_bins = params->depth_bins,
    .is_log = params->scale == OCT_SCALE_LOG,
    .contrast = params->range == OCT_RANGE_CONTRAST,
    .turn = plan->turn,
    .extents = plan->extents,
    .range = plan->range.device,
  };

  return oct_cuda_table_upload (&plan->range, NAME, queue.stream, error)
         && oct_cuda_check (
             oct_cuda_launch_find_range (&find, queue), NAME, error);
}

static gboolean
check_planes (const OctPlan *plan, const OctFrame *in, const OctFrame *out,
    GError **error)
{
  const OctLogscaleParams *params = &plan->params;
  gsize pixel_size = image_formats[params->format].pixel_size;

  return oct_cuda_check_plane (&in->planes[0],
             params->depth_bins * sizeof (float2), sizeof (float2), error)
         && oct_cuda_check_plane (
             &out->planes[0], params->lines * pixel_size, pixel_size, error)
         && (params->format != OCT_IMAGE_NV12
             || oct_cuda_check_plane (
                 &out->planes[1], (params->lines + 1) / 2 * 2, 1, error));
}

static gboolean
logscale_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctLogscaleParams *params = &plan->params;
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaMap map = {
    .in = from->data,
    .in_stride = from->stride,
    .lines = params->lines,
    .depth_bins = params->depth_bins,
    .is_log = params->scale == OCT_SCALE_LOG,
    .pixel_size = image_formats[params->format].pixel_size,
    .out = to->data,
    .out_stride = to->stride,
    .full = image_formats[params->format].full,
    .contrast = params->range == OCT_RANGE_CONTRAST,
    .smoothing = params->range_smoothing,
    .forget = plan->forget,
    .turn = plan->turn,
  };

  if (!check_planes (plan, in, out, error))
    return FALSE;
  if (params->format == OCT_IMAGE_NV12) {
    map.chroma = out->planes[1].data;
    map.chroma_stride = out->planes[1].stride;
  }
  if (params->range == OCT_RANGE_MANUAL) {
    map.mapping =
        oct_cuda_make_mapping (map.is_log, map.full, params->min, params->max);
  } else {
    if (!find_range (plan, from, queue, error))
      return FALSE;
    map.range = plan->range.device;
    plan->forget = FALSE;
    plan->turn ^= 1;
  }
  return oct_cuda_check (oct_cuda_launch_map (&map, queue), NAME, error);
}

const OctOperationTable oct_cuda_logscale = {
  .name = NAME,
  .create = logscale_create,
  .update = logscale_update,
  .run = logscale_run,
  .reset = logscale_reset,
  .destroy = logscale_destroy,
};
