/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How much and how fast A-scans fluctuate: plans.
 */
#include "oct-cuda-flow.h"
#include "oct-cuda-private.h"
#include "oct-dynamic.h"

#include <math.h>

#define NAME "dynamic"

struct _OctPlan {
  OctDynamicParams params;
  OctDynamicState state;
  OctCudaDynamic dynamic; /* without the planes of a frame */
  guint lines;            /* of one B-scan */
  gboolean overlap;
};

static void
cuda_dynamic_destroy (OctPlan *plan)
{
  OctCudaDynamic *d = &plan->dynamic;

  oct_cuda_free (d->mean);
  oct_cuda_free (d->variance);
  oct_cuda_free (d->steps);
  oct_cuda_free (d->last);
  oct_cuda_free (d->bands);
  oct_cuda_free (d->means);
  g_free (plan);
}

/* All but the memory. */
static void
cuda_dynamic_set (OctPlan *plan, const OctDynamicParams *p)
{
  OctCudaDynamic *d = &plan->dynamic;

  plan->params = *p;
  d->flow.lines = (int)plan->lines;
  d->flow.bins = (int)p->depth_bins;
  d->flow.window_lines = (int)p->window_lines;
  d->flow.window_bins = (int)p->window_bins;
  d->flow.is_image = !p->values;
  d->flow.pixel_size = p->format == OCT_IMAGE_RGBA ? 4 : 1;
  d->given_noise = p->noise;
  d->quantity = p->quantity;
  d->rate = (float)p->rate;
  d->low = (float)p->min_frequency;
  d->octaves = (float)log2 (p->max_frequency / p->min_frequency);
  d->min = (float)p->min;
  d->range = (float)(p->max - p->min);
}

static gboolean
cuda_dynamic_alloc (gpointer to, gsize bytes, GError **error)
{
  return (*(gpointer *)to = oct_cuda_alloc (bytes, NAME, error)) != NULL;
}

static OctPlan *
cuda_dynamic_create (gconstpointer data, GError **error)
{
  const OctDynamicParams *params = data;
  OctPlan *plan;
  OctCudaDynamic *d;
  gsize map;

  if (!oct_check_dynamic (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  d = &plan->dynamic;
  plan->overlap = oct_cuda_can_overlap ();
  plan->lines = params->lines / OCT_BSCANS (params);
  map = (gsize)plan->lines * params->depth_bins * sizeof (float);
  if (cuda_dynamic_alloc (&d->mean, map, error)
      && cuda_dynamic_alloc (&d->variance, map, error)
      && cuda_dynamic_alloc (&d->steps, map, error)
      && cuda_dynamic_alloc (&d->last, map, error)
      && cuda_dynamic_alloc (&d->bands,
          (gsize)plan->lines * OCT_FLOW_BANDS * sizeof (double), error)
      && cuda_dynamic_alloc (
          &d->means, (OCT_FLOW_BANDS + 1) * sizeof (double), error)) {
    cuda_dynamic_set (plan, params);
    return plan;
  }
  cuda_dynamic_destroy (plan);
  return NULL;
}

static gboolean
cuda_dynamic_update (OctPlan *plan, gconstpointer data)
{
  if (!oct_check_dynamic (data, NULL)
      || !oct_dynamic_is_same (&plan->params, data))
    return FALSE;
  cuda_dynamic_set (plan, data);
  return TRUE;
}

static void
cuda_dynamic_reset (OctPlan *plan)
{
  plan->state = (OctDynamicState){ 0 };
}

static double
cuda_dynamic_get_found (OctPlan *plan)
{
  return (double)plan->state.count;
}

static gboolean
cuda_dynamic_bscan (OctPlan *plan, const OctFrame *from, const OctFrame *to,
    cudaStream_t stream, GError **error)
{
  const OctDynamicParams *p = &plan->params;
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaDynamic d = plan->dynamic;
  gsize size = p->values ? sizeof (float) : (gsize)d.flow.pixel_size;
  OctDynamicTurn turn;

  if (!oct_cuda_check_plane (&to->planes[0],
          (p->values ? p->depth_bins : plan->lines) * size, size, error)
      || (!p->values && p->format == OCT_IMAGE_NV12
          && !oct_cuda_clear_chroma (
              &to->planes[1], plan->lines, p->depth_bins, NAME, stream, error)))
    return FALSE;
  turn = oct_dynamic_next (&plan->state, p);
  d.g = turn.g;
  d.h = turn.h;
  d.is_first = turn.is_first;
  d.flow.in = from->planes[0].data;
  d.flow.in_stride = from->planes[0].stride;
  d.flow.out = to->planes[0].data;
  d.flow.out_stride = to->planes[0].stride;
  return oct_cuda_check (oct_cuda_launch_dynamic (&d, queue), NAME, error);
}

static gboolean
cuda_dynamic_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctDynamicParams *p = &plan->params;

  if (!oct_cuda_check_plane (&in->planes[0],
          (gsize)p->depth_bins * 2 * sizeof (float), 2 * sizeof (float), error))
    return FALSE;
  for (guint i = 0; i < OCT_BSCANS (p); i++) {
    OctFrame from = oct_frame_get_bscan (in, i, plan->lines, 0);
    OctFrame to =
        p->values ? oct_frame_get_bscan (out, i, plan->lines, 0) : out[i];

    if (!cuda_dynamic_bscan (plan, &from, &to, stream, error))
      return FALSE;
  }
  return TRUE;
}

const OctOperationTable oct_cuda_dynamic = {
  .create = cuda_dynamic_create,
  .update = cuda_dynamic_update,
  .run = cuda_dynamic_run,
  .reset = cuda_dynamic_reset,
  .get_found = cuda_dynamic_get_found,
  .destroy = cuda_dynamic_destroy,
};
