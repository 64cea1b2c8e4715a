/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Repeated B-scans moved onto the first of a place: plans.
 */
#include "oct-align.h"
#include "oct-cuda-private.h"
#include "oct-cuda-repeats.h"

#define NAME "align"

struct _OctPlan {
  OctAlignParams params; /* lines: of one B-scan */
  guint count;           /* repeats of this place */
  gboolean overlap;
  OctCudaAlign align; /* its memory, on the device */
};

static void
cuda_align_destroy (OctPlan *plan)
{
  oct_cuda_free (plan->align.mean);
  oct_cuda_free (plan->align.moved);
  oct_cuda_free (plan->align.weighted);
  oct_cuda_free (plan->align.lags);
  oct_cuda_free (plan->align.group_lags);
  oct_cuda_free (plan->align.shifts);
  oct_cuda_free (plan->align.bands);
  oct_cuda_free (plan->align.lateral);
  oct_cuda_free (plan->align.powers);
  oct_cuda_free (plan->align.coherent);
  oct_cuda_free (plan->align.found);
  g_free (plan);
}

static void
cuda_align_set_params (OctPlan *plan, const OctAlignParams *params)
{
  plan->params = *params;
  plan->params.bscans = OCT_BSCANS (params);
  plan->params.lines = params->lines / plan->params.bscans;
}

/* All that any phase needs, as update() changes it. */
static gboolean
cuda_align_alloc (OctPlan *plan, GError **error)
{
  OctCudaAlign *a = &plan->align;
  const OctAlignParams *params = &plan->params;
  gsize lines = params->lines;
  gsize values = lines * params->depth_bins * sizeof *a->mean;
  gboolean is_lateral = params->registration == OCT_ALIGN_TRANSLATION;
  struct {
    gpointer *memory;
    gsize size;
  } const parts[] = {
    { (gpointer *)&a->mean, values },
    { (gpointer *)&a->moved, is_lateral ? values : 1 },
    { (gpointer *)&a->weighted, values },
    { (gpointer *)&a->lags, lines * OCT_CUDA_ALIGN_LAGS * sizeof *a->lags },
    { (gpointer *)&a->group_lags,
        a->groups * OCT_CUDA_ALIGN_LAGS * sizeof *a->group_lags },
    { (gpointer *)&a->shifts, a->groups * sizeof *a->shifts },
    { (gpointer *)&a->bands, lines * OCT_ALIGN_BANDS * sizeof *a->bands },
    { (gpointer *)&a->lateral,
        lines * 2 * OCT_CUDA_ALIGN_LATERAL_LAGS * sizeof *a->lateral },
    { (gpointer *)&a->powers, lines * 2 * sizeof *a->powers },
    { (gpointer *)&a->coherent, lines * 4 * sizeof *a->coherent },
    { (gpointer *)&a->found, sizeof *a->found },
  };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    *parts[i].memory = oct_cuda_alloc (parts[i].size, NAME, error);
    if (*parts[i].memory == NULL)
      return FALSE;
  }
  return TRUE;
}

static OctPlan *
cuda_align_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!oct_check_align (data, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  cuda_align_set_params (plan, data);
  plan->overlap = oct_cuda_can_overlap ();
  plan->align.groups =
      oct_align_count_groups (plan->params.lines, plan->params.group);
  if (cuda_align_alloc (plan, error))
    return plan;
  cuda_align_destroy (plan);
  return NULL;
}

static gboolean
cuda_align_update (OctPlan *plan, gconstpointer data)
{
  OctAlignParams mine = plan->params;

  mine.lines *= mine.bscans;
  if (!oct_check_align (data, NULL) || !oct_align_is_same (&mine, data))
    return FALSE;
  cuda_align_set_params (plan, data);
  return TRUE;
}

static void
cuda_align_reset (OctPlan *plan)
{
  plan->count = 0;
}

static OctCudaAlign
cuda_align_make (const OctPlan *plan, const OctPlane *in, const OctPlane *out)
{
  const OctAlignParams *params = &plan->params;
  OctCudaAlign a = plan->align;

  a.in = in->data;
  a.in_stride = in->stride;
  a.out = out->data;
  a.out_stride = out->stride;
  a.lines = params->lines;
  a.depth_bins = params->depth_bins;
  a.most = params->max_shift;
  a.is_axial = params->registration != OCT_ALIGN_NONE;
  a.is_lateral = params->registration == OCT_ALIGN_TRANSLATION;
  a.phase = (int)params->phase;
  a.may_reject = oct_align_may_reject (params);
  a.least_coherence = 1 - params->reject;
  return a;
}

static gboolean
cuda_align_run_one (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    cudaStream_t stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaAlign a = cuda_align_make (plan, &in->planes[0], &out->planes[0]);

  if (plan->count == plan->params.repeats)
    plan->count = 0;
  if (plan->count++ == 0)
    return oct_cuda_check (
        oct_cuda_launch_align_begin (&a, queue), NAME, error);
  return oct_cuda_check (oct_cuda_launch_align_find (&a, queue), NAME, error)
         && (!a.is_lateral
             || oct_cuda_check (
                 oct_cuda_launch_align_lateral (&a, queue), NAME, error))
         && oct_cuda_check (
             oct_cuda_launch_align_finish (&a, queue), NAME, error);
}

static gboolean
cuda_align_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctAlignParams *params = &plan->params;
  gsize size = 2 * sizeof (float), row = params->depth_bins * size;

  if (!oct_cuda_check_plane (&in->planes[0], row, size, error)
      || !oct_cuda_check_plane (&out->planes[0], row, size, error))
    return FALSE;
  for (guint bscan = 0; bscan < params->bscans; bscan++) {
    OctFrame from = oct_frame_get_bscan (in, bscan, params->lines, 0);
    OctFrame to = oct_frame_get_bscan (out, bscan, params->lines, 0);

    if (!cuda_align_run_one (plan, &from, &to, stream, error))
      return FALSE;
  }
  return TRUE;
}

/* How many were rejected stays on the device. */
const OctOperationTable oct_cuda_align = {
  .create = cuda_align_create,
  .update = cuda_align_update,
  .run = cuda_align_run,
  .reset = cuda_align_reset,
  .destroy = cuda_align_destroy,
};
