/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes in focus at all depths: plans.  Blocks of planes are transformed by
 * cuFFT and stay in the cache of the device between its passes.  The search for
 * the focus waits for the device after each focus that it tries.
 */
#include "oct-cuda-private.h"
#include "oct-cuda-refocus.h"
#include "oct-refocus.h"

#include <string.h>

#define NAME "refocus"
/* bytes of a block, so that the cache has it */
#define BLOCK_SIZE ((gsize)16 << 20)

G_STATIC_ASSERT (OCT_CUDA_REFOCUS_MOST == OCT_FLOW_MOST);
G_STATIC_ASSERT (OCT_REFOCUS_PLANES <= 16);

struct _OctPlan {
  OctRefocusParams params;
  OctCudaRefocus refocus; /* without the planes of a frame */
  gboolean overlap;
  guint planes; /* of a block */
  OctCudaTable slopes, phases;
  float *block;
  cufftHandle transform;
  /* automatic */
  float *spectra, *tried;
  cufftHandle search;
  int *chosen;
  double *sums;
  double *host; /* copies of powers, or of sums */
  OctRefocusState state;
  cudaStream_t stream; /* of the volume under way */
};

static void
cuda_refocus_destroy (OctPlan *plan)
{
  if (plan->transform != 0)
    cufftDestroy (plan->transform);
  if (plan->search != 0)
    cufftDestroy (plan->search);
  oct_cuda_table_clear (&plan->slopes);
  oct_cuda_table_clear (&plan->phases);
  oct_cuda_free (plan->refocus.products);
  oct_cuda_free (plan->refocus.turns);
  oct_cuda_free (plan->refocus.powers);
  oct_cuda_free (plan->block);
  oct_cuda_free (plan->spectra);
  oct_cuda_free (plan->tried);
  oct_cuda_free (plan->chosen);
  oct_cuda_free (plan->sums);
  g_free (plan->host);
  g_free (plan);
}

/* Planes side by side, along y and x. */
static gboolean
cuda_refocus_plan (
    const OctPlan *plan, guint planes, cufftHandle *transform, GError **error)
{
  int n[] = { plan->refocus.bscans, plan->refocus.lines };

  return oct_cuda_check_fft (cufftPlanMany (transform, 2, n, n, (int)planes, 1,
                                 n, (int)planes, 1, CUFFT_C2C, (int)planes),
      NAME, error);
}

static gboolean
cuda_refocus_alloc (gpointer to, gsize bytes, GError **error)
{
  return (*(gpointer *)to = oct_cuda_alloc (bytes, NAME, error)) != NULL;
}

static gboolean
cuda_refocus_alloc_search (OctPlan *plan, GError **error)
{
  const OctRefocusParams *p = &plan->params;
  guint n = oct_refocus_count_planes (p);
  gsize size = (gsize)p->lines * n * sizeof (float2);
  gsize powers = (gsize)OCT_CUDA_REFOCUS_PARTS * p->depth_bins;
  gsize sums = (gsize)OCT_CUDA_REFOCUS_PARTS * n * 2;

  plan->host = g_new (double, MAX (powers, sums));
  return cuda_refocus_alloc (
             &plan->refocus.powers, powers * sizeof (double), error)
         && cuda_refocus_alloc (&plan->spectra, size, error)
         && cuda_refocus_alloc (&plan->tried, size, error)
         && cuda_refocus_alloc (&plan->chosen, n * sizeof (int), error)
         && cuda_refocus_alloc (&plan->sums, sums * sizeof (double), error)
         && cuda_refocus_plan (plan, n, &plan->search, error);
}

static gboolean
cuda_refocus_alloc_all (OctPlan *plan, GError **error)
{
  const OctRefocusParams *p = &plan->params;
  gsize values = p->lines, bscans = (gsize)plan->refocus.bscans;

  return oct_cuda_table_init (
             &plan->slopes, values * sizeof (double), NAME, error)
         && oct_cuda_table_init (
             &plan->phases, values * sizeof (double), NAME, error)
         && cuda_refocus_alloc (
             &plan->refocus.products, 2 * bscans * sizeof (double), error)
         && cuda_refocus_alloc (
             &plan->refocus.turns, 2 * bscans * sizeof (float), error)
         && cuda_refocus_alloc (
             &plan->block, values * plan->planes * sizeof (float2), error)
         && cuda_refocus_plan (plan, plan->planes, &plan->transform, error)
         && (!p->automatic || cuda_refocus_alloc_search (plan, error));
}

static gboolean
cuda_refocus_edit_phases (
    OctPlan *plan, const OctRefocusState *state, GError **error)
{
  double *phases = oct_cuda_table_edit (&plan->phases, NAME, error);

  if (phases != NULL)
    oct_refocus_fill_phases (&plan->params, state, phases);
  return phases != NULL;
}

static gboolean
cuda_refocus_set (OctPlan *plan, const OctRefocusParams *params, GError **error)
{
  double *slopes = oct_cuda_table_edit (&plan->slopes, NAME, error);

  if (slopes == NULL)
    return FALSE;
  plan->params = *params;
  plan->refocus.align = params->align;
  plan->state = oct_refocus_begin (params);
  oct_refocus_fill_slopes (&plan->params, slopes);
  return cuda_refocus_edit_phases (plan, &plan->state, error);
}

static OctPlan *
cuda_refocus_create (gconstpointer data, GError **error)
{
  const OctRefocusParams *params = data;
  gsize plane;
  OctPlan *plan;

  if (!oct_check_refocus (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->overlap = oct_cuda_can_overlap ();
  plan->refocus.bscans = (int)OCT_BSCANS (params);
  plan->refocus.lines = (int)(params->lines / OCT_BSCANS (params));
  plan->refocus.bins = (int)params->depth_bins;
  plane = params->lines * sizeof (float2);
  plan->planes =
      (guint)CLAMP (BLOCK_SIZE / plane, 1, MIN (params->depth_bins, 1024));
  if (cuda_refocus_alloc_all (plan, error)
      && cuda_refocus_set (plan, params, error))
    return plan;
  cuda_refocus_destroy (plan);
  return NULL;
}

static gboolean
cuda_refocus_update (OctPlan *plan, gconstpointer data)
{
  return oct_check_refocus (data, NULL)
         && oct_refocus_is_same (&plan->params, data)
         && cuda_refocus_set (plan, data, NULL);
}

static double
cuda_refocus_get_found (OctPlan *plan)
{
  return plan->state.is_found ? plan->state.focus : 0;
}

/* ------------------------------------------------------------------- search
 */

static gboolean
cuda_refocus_transform (cufftHandle transform, float *block, int direction,
    cudaStream_t stream, GError **error)
{
  cufftComplex *values = (cufftComplex *)block;

  return oct_cuda_check_fft (cufftSetStream (transform, stream), NAME, error)
         && oct_cuda_check_fft (
             cufftExecC2C (transform, values, values, direction), NAME, error);
}

static gboolean
cuda_refocus_fetch (
    OctPlan *plan, const double *from, gsize count, GError **error)
{
  return oct_cuda_check (
             cudaMemcpyAsync (plan->host, from, count * sizeof (double),
                 cudaMemcpyDeviceToHost, plan->stream),
             NAME, error)
         && oct_cuda_check (cudaStreamSynchronize (plan->stream), NAME, error);
}

static OctCudaRefocusBlock
cuda_refocus_begin_block (
    const OctPlan *plan, guint planes, const OctRefocusState *state)
{
  return (OctCudaRefocusBlock){ .planes = (int)planes,
    .count = (int)planes,
    .slopes = plan->slopes.device,
    .phases = plan->phases.device,
    .start = plan->params.depth_start - state->focus,
    .scale = 1. / plan->params.lines };
}

static gboolean
cuda_refocus_measure (gpointer data, const OctRefocusState *state,
    double *sharpness, GError **error)
{
  OctPlan *plan = data;
  guint n = oct_refocus_count_planes (&plan->params);
  OctCudaQueue queue = { plan->stream, plan->overlap };
  OctCudaRefocusBlock block = cuda_refocus_begin_block (plan, n, state);
  double sums[2 * OCT_REFOCUS_PLANES] = { 0 };

  block.bins = plan->chosen;
  if ((plan->params.modes > 1 && !cuda_refocus_edit_phases (plan, state, error))
      || !oct_cuda_table_upload (&plan->phases, NAME, plan->stream, error)
      || !oct_cuda_check (oct_cuda_launch_refocus_filter (&plan->refocus,
                              &block, plan->spectra, plan->tried, queue),
          NAME, error)
      || !cuda_refocus_transform (
          plan->search, plan->tried, CUFFT_INVERSE, plan->stream, error)
      || !oct_cuda_check (oct_cuda_launch_refocus_sums (&plan->refocus, &block,
                              plan->tried, plan->sums, queue),
          NAME, error)
      || !cuda_refocus_fetch (
          plan, plan->sums, OCT_CUDA_REFOCUS_PARTS * 2 * n, error))
    return FALSE;
  for (guint part = 0; part < OCT_CUDA_REFOCUS_PARTS; part++)
    for (guint i = 0; i < 2 * n; i++)
      sums[i] += plan->host[part * 2 * n + i];
  *sharpness = oct_refocus_sharpness (&plan->params, sums);
  return TRUE;
}

/* The brightest planes, to the device. */
static gboolean
cuda_refocus_choose (OctPlan *plan, GError **error)
{
  guint bins = plan->params.depth_bins;
  guint n = oct_refocus_count_planes (&plan->params);
  guint chosen[OCT_REFOCUS_PLANES];

  if (!cuda_refocus_fetch (plan, plan->refocus.powers,
          (gsize)OCT_CUDA_REFOCUS_PARTS * bins, error))
    return FALSE;
  for (guint part = 1; part < OCT_CUDA_REFOCUS_PARTS; part++)
    for (guint q = 0; q < bins; q++)
      plan->host[q] += plan->host[(gsize)part * bins + q];
  oct_refocus_choose_planes (&plan->params, plan->host, chosen);
  return oct_cuda_check (
             cudaMemcpyAsync (plan->chosen, chosen, n * sizeof (int),
                 cudaMemcpyHostToDevice, plan->stream),
             NAME, error)
         && oct_cuda_check (cudaStreamSynchronize (plan->stream), NAME, error);
}

static gboolean
cuda_refocus_search (OctPlan *plan, GError **error)
{
  guint n = oct_refocus_count_planes (&plan->params);
  OctCudaQueue queue = { plan->stream, plan->overlap };
  OctRefocusState none = { FALSE };
  OctCudaRefocusBlock block = cuda_refocus_begin_block (plan, n, &none);

  block.bins = plan->chosen;
  /* aberrations of the volume before */
  return cuda_refocus_edit_phases (plan, &none, error)
         && cuda_refocus_choose (plan, error)
         && oct_cuda_check (oct_cuda_launch_refocus_load (
                                &plan->refocus, &block, plan->spectra, queue),
             NAME, error)
         && cuda_refocus_transform (
             plan->search, plan->spectra, CUFFT_FORWARD, plan->stream, error)
         && oct_refocus_search (
             &plan->params, cuda_refocus_measure, plan, &plan->state, error)
         && cuda_refocus_edit_phases (plan, &plan->state, error);
}

/* ----------------------------------------------------------------------- run
 */

static gboolean
cuda_refocus_run_block (OctPlan *plan, guint first, GError **error)
{
  OctCudaQueue queue = { plan->stream, plan->overlap };
  OctCudaRefocusBlock block =
      cuda_refocus_begin_block (plan, plan->planes, &plan->state);
  const OctCudaRefocus *r = &plan->refocus;

  block.first = (int)first;
  block.count = (int)MIN (plan->planes, plan->params.depth_bins - first);
  if (!oct_cuda_check (
          oct_cuda_launch_refocus_load (r, &block, plan->block, queue), NAME,
          error))
    return FALSE;
  if (plan->state.is_found
      && (!cuda_refocus_transform (
              plan->transform, plan->block, CUFFT_FORWARD, plan->stream, error)
          || !oct_cuda_check (oct_cuda_launch_refocus_filter (
                                  r, &block, plan->block, plan->block, queue),
              NAME, error)
          || !cuda_refocus_transform (plan->transform, plan->block,
              CUFFT_INVERSE, plan->stream, error)))
    return FALSE;
  return oct_cuda_check (
      oct_cuda_launch_refocus_store (r, &block, plan->block, queue), NAME,
      error);
}

static gboolean
cuda_refocus_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gsize row = plan->params.depth_bins * sizeof (float2);
  OctCudaQueue queue = { stream, plan->overlap };

  if (!oct_cuda_check_plane (from, row, sizeof (float2), error)
      || !oct_cuda_check_plane (to, row, sizeof (float2), error)
      || !oct_cuda_table_upload (&plan->slopes, NAME, stream, error))
    return FALSE;
  plan->stream = stream;
  plan->refocus.in = from->data;
  plan->refocus.in_stride = from->stride;
  plan->refocus.out = to->data;
  plan->refocus.out_stride = to->stride;
  if (!oct_cuda_check (
          oct_cuda_launch_refocus_look (&plan->refocus, queue), NAME, error)
      || (plan->params.automatic && !cuda_refocus_search (plan, error))
      || !oct_cuda_table_upload (&plan->phases, NAME, stream, error))
    return FALSE;
  for (guint q = 0; q < plan->params.depth_bins; q += plan->planes)
    if (!cuda_refocus_run_block (plan, q, error))
      return FALSE;
  return TRUE;
}

const OctOperationTable oct_cuda_refocus = {
  .create = cuda_refocus_create,
  .update = cuda_refocus_update,
  .run = cuda_refocus_run,
  .get_found = cuda_refocus_get_found,
  .destroy = cuda_refocus_destroy,
};
