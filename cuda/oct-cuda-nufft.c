/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra at non-uniform wavenumbers to A-scans by gridding: plans.  Grids of
 * some lengths need one kernel; cuFFT does all others between two.
 */
#include "oct-cuda-nufft.h"
#include "oct-cuda-gridding.h"
#include "oct-cuda-transform.h"

#include <math.h>
#include <string.h>

#define NAME "nufft"
/* taps that one kernel does; usual nodes and kernels need 4 to 8, those of
 * complex spectra twice as many */
#define MAX_FUSED_TAPS 24
/* more taps and cells than the first nodes need, for those that follow */
#define SPARE_TAPS 2
#define SPARE_CELLS(cells) ((cells) + (cells) / 16 + 16)

struct _OctPlan {
  OctSampleFormat format;
  guint samples, lines;
  guint depth_bins;
  gboolean overlap;
  OctCudaGridding gridding;
  guint taps, max_taps, max_cells;
  OctCudaTable first; /* guint32 [max_cells]; one kernel: made there */
  float *weights;     /* [taps][cells], one kernel: [taps][grid] */
  gboolean weights_changed;
  gboolean fused;           /* one kernel does it */
  guint processors, memory; /* of the device, see OctCudaFused */
  OctCudaTable turns; /* twiddle factors, float2 [grid], one kernel only */
  OctCudaTransform transform; /* of the cells, cuFFT only */
};

/* Weights of every value of the transform in one kernel; 0: it cannot be. */
static guint
fused_taps (const OctPlan *plan)
{
  guint together = plan->format == OCT_SAMPLE_CF32 ? 1 : 2, taps;

  taps = oct_cuda_gridding_circle (&plan->gridding, together);
  taps += taps % 2;
  return taps <= MIN (MAX_FUSED_TAPS, plan->samples) ? taps : 0;
}

/* Sets the cells by the tables of new nodes; FALSE without an error when they
 * do not fit. */
static gboolean
set_cells (OctPlan *plan, GError **error)
{
  const OctNufftTables *t = &plan->gridding.tables;
  guint32 *first;

  plan->taps = plan->fused ? fused_taps (plan) : t->taps;
  if (plan->taps == 0 || plan->taps > plan->max_taps
      || (!plan->fused && t->cells > plan->max_cells))
    return FALSE;
  plan->weights_changed = TRUE;
  if (plan->fused)
    return TRUE;
  first = oct_cuda_table_edit (&plan->first, NAME, error);
  if (first == NULL)
    return FALSE;
  memcpy (first, t->first, t->cells * sizeof *first);
  return TRUE;
}

/* Tables for one kernel, if that can be. */
static gboolean
cuda_nufft_choose (OctPlan *plan, GError **error)
{
  guint grid = plan->gridding.tables.grid;
  OctCudaFused fused = { .grid = grid };
  int fits = 0;

  plan->taps = fused_taps (plan);
  if (plan->taps == 0)
    return TRUE;
  fused.is_complex = plan->format == OCT_SAMPLE_CF32;
  fused.rows.samples = plan->samples;
  for (gint spare = SPARE_TAPS; spare >= 0 && !fits; spare -= SPARE_TAPS) {
    fused.taps = plan->max_taps = plan->taps + (guint)spare;
    if (!oct_cuda_check (oct_cuda_fused_prepare (&fused, &fits), NAME, error))
      return FALSE;
  }
  plan->fused = fits;
  plan->processors = fused.processors;
  plan->memory = fused.memory;
  plan->max_cells = grid;
  return TRUE;
}

static gboolean
make_cells (OctPlan *plan, GError **error)
{
  const OctNufftTables *t = &plan->gridding.tables;

  if (!cuda_nufft_choose (plan, error))
    return FALSE;
  if (!plan->fused) {
    plan->max_taps = MIN (t->taps + SPARE_TAPS, plan->samples);
    plan->max_cells = SPARE_CELLS (t->cells);
  }
  plan->weights = oct_cuda_alloc (
      (gsize)plan->max_taps * plan->max_cells * sizeof (float), NAME, error);
  return plan->weights != NULL
         && oct_cuda_table_init (
             &plan->first, plan->max_cells * sizeof (guint32), NAME, error)
         && set_cells (plan, error);
}

static gboolean
cuda_nufft_make_turns (OctPlan *plan, GError **error)
{
  guint grid = plan->gridding.tables.grid;
  float2 *turns;

  if (!oct_cuda_table_init (&plan->turns, grid * sizeof (float2), NAME, error)
      || (turns = oct_cuda_table_edit (&plan->turns, NAME, error)) == NULL)
    return FALSE;
  for (guint i = 0; i < grid; i++) {
    double angle = -2 * G_PI * i / grid;
    turns[i].x = (float)cos (angle);
    turns[i].y = (float)sin (angle);
  }
  return TRUE;
}

static void
cuda_nufft_destroy (OctPlan *plan)
{
  oct_cuda_transform_clear (&plan->transform);
  oct_cuda_gridding_clear (&plan->gridding);
  oct_cuda_table_clear (&plan->first);
  oct_cuda_table_clear (&plan->turns);
  oct_cuda_free (plan->weights);
  g_free (plan);
}

/* `fused`: one kernel, or NULL, which is not an error. */
static OctPlan *
cuda_nufft_new_plan (
    const OctNufftParams *params, gboolean fused, GError **error)
{
  OctPlan *plan = g_new0 (OctPlan, 1);

  plan->format = params->format;
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->depth_bins = params->depth_bins;
  plan->overlap = oct_cuda_can_overlap ();
  if (!oct_cuda_gridding_init (&plan->gridding, params, NAME, error)
      || !make_cells (plan, error) || (fused && !plan->fused)
      || !(plan->fused ? cuda_nufft_make_turns (plan, error)
                       : oct_cuda_transform_init (&plan->transform,
                           plan->format, plan->gridding.tables.grid,
                           plan->lines, FALSE, NAME, error))) {
    cuda_nufft_destroy (plan);
    return NULL;
  }
  return plan;
}

static OctPlan *
cuda_nufft_create (gconstpointer params, GError **error)
{
  return cuda_nufft_new_plan (params, FALSE, error);
}

OctPlan *
oct_cuda_nufft_new_fused (const OctNufftParams *params)
{
  return cuda_nufft_new_plan (params, TRUE, NULL);
}

static gboolean
cuda_nufft_update (OctPlan *plan, gconstpointer data)
{
  const OctNufftParams *params = data;

  if (params->format != plan->format || params->lines != plan->lines
      || !oct_cuda_gridding_update (&plan->gridding, params))
    return FALSE;
  return set_cells (plan, NULL);
}

gboolean
oct_cuda_nufft_prepare (OctPlan *plan, OctCudaQueue *queue, GError **error)
{
  OctCudaGrid grid = oct_cuda_gridding_grid (&plan->gridding);
  cudaError_t status;

  if (!oct_cuda_gridding_upload (&plan->gridding, *queue, error)
      || !oct_cuda_table_upload (&plan->first, NAME, queue->stream, error)
      || (plan->fused
          && !oct_cuda_table_upload (&plan->turns, NAME, queue->stream, error)))
    return FALSE;
  if (!plan->weights_changed)
    return TRUE;
  plan->weights_changed = FALSE;
  status = plan->fused
               ? oct_cuda_launch_fused_weights (&grid,
                   plan->format == OCT_SAMPLE_CF32, plan->taps,
                   plan->first.device, plan->weights, *queue)
               : oct_cuda_launch_cell_weights (&grid, plan->first.device,
                   plan->taps, plan->weights, *queue);
  /* the next kernel begins with the tables, which this one makes */
  queue->overlap = FALSE;
  return oct_cuda_check (status, NAME, error);
}

void
oct_cuda_nufft_describe (const OctPlan *plan, OctCudaFused *fused)
{
  *fused = (OctCudaFused){
    .is_complex = plan->format == OCT_SAMPLE_CF32,
    .grid = plan->gridding.tables.grid,
    .taps = plan->taps,
    .first_mode = plan->gridding.tables.first_mode,
    .depth_bins = plan->depth_bins,
    .first = plan->first.device,
    .shifts = oct_cuda_gridding_shifts (&plan->gridding),
    .weights = plan->weights,
    .factors = oct_cuda_gridding_factors (&plan->gridding),
    .turns = plan->turns.device,
    .processors = plan->processors,
    .memory = plan->memory,
  };
}

static gboolean
run_fused (OctPlan *plan, guint lines, const OctPlane *from, const OctPlane *to,
    OctCudaQueue queue, GError **error)
{
  OctCudaFused fused;

  oct_cuda_nufft_describe (plan, &fused);
  fused.rows = (OctCudaRows){ from->data, from->stride, to->data, to->stride,
    lines, plan->samples };
  return oct_cuda_check (oct_cuda_launch_fused (&fused, queue), NAME, error);
}

static gboolean
cuda_nufft_run_cufft (OctPlan *plan, guint lines, const OctPlane *from,
    const OctPlane *to, OctCudaQueue queue, GError **error)
{
  OctCudaTransform *t = &plan->transform;
  OctCudaGather gather = {
    .in = from->data,
    .in_stride = from->stride,
    .lines = lines,
    .complex_samples = plan->format == OCT_SAMPLE_CF32,
    .complex_cells = t->is_complex,
    .shifts = oct_cuda_gridding_shifts (&plan->gridding),
    .grid = oct_cuda_gridding_grid (&plan->gridding),
    .taps = plan->taps,
    .first = plan->first.device,
    .cell_weights = plan->weights,
    .cells = t->values,
  };
  OctCudaModes modes = {
    .lines = lines,
    .grid = plan->gridding.tables.grid,
    .is_complex = t->is_complex,
    .first_mode = plan->gridding.tables.first_mode,
    .depth_bins = plan->depth_bins,
    .factors = oct_cuda_gridding_factors (&plan->gridding),
  };

  return oct_cuda_check (oct_cuda_launch_gather (&gather, queue), NAME, error)
         && oct_cuda_transform_run (t, queue.stream, NAME, error)
         && oct_cuda_check (oct_cuda_launch_pick_modes (&modes, t->spectra,
                                to->data, to->stride, queue),
             NAME, error);
}

static gboolean
cuda_nufft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gsize size = oct_sample_format_size (plan->format);
  guint lines = oct_frame_count_lines (in, plan->lines);
  OctCudaQueue queue = { stream, plan->overlap };

  if (!oct_cuda_check_plane (from, plan->samples * size, size, error)
      || !oct_cuda_check_plane (
          to, plan->depth_bins * sizeof (float2), sizeof (float2), error)
      || !oct_cuda_nufft_prepare (plan, &queue, error))
    return FALSE;
  return plan->fused
             ? run_fused (plan, lines, from, to, queue, error)
             : cuda_nufft_run_cufft (plan, lines, from, to, queue, error);
}

const OctOperationTable oct_cuda_nufft = {
  .create = cuda_nufft_create,
  .update = cuda_nufft_update,
  .run = cuda_nufft_run,
  .destroy = cuda_nufft_destroy,
};
