/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra at non-uniform wavenumbers to A-scans by gridding: plans.
 */
#include "oct-cuda-gridding.h"

#include <string.h>

#define NAME "nufft"
/* more taps and cells than the first nodes need, for those that follow */
#define SPARE_TAPS 2
#define SPARE_CELLS(cells) ((cells) + (cells) / 16 + 16)

struct _OctPlan {
  OctSampleFormat format;
  guint samples, lines;
  gint depth_start;
  guint depth_bins;
  gboolean overlap;
  gboolean complex_cells;
  OctCudaGridding gridding;
  guint max_taps, max_cells;
  OctCudaTable first;  /* guint32 [max_cells] */
  float *cell_weights; /* [taps][cells] */
  gboolean weights_changed;
  cufftHandle transform;
  gpointer cells;   /* [lines][grid] */
  float2 *spectrum; /* [lines][grid / 2 + 1], real cells only */
};

/* What comes of the tables of new nodes; FALSE without an error when they do
 * not fit. */
static gboolean
set_cells (OctPlan *plan, GError **error)
{
  const OctNufftTables *t = &plan->gridding.tables;
  guint32 *first;

  if (t->cells > plan->max_cells || t->taps > plan->max_taps)
    return FALSE;
  first = oct_cuda_table_edit (&plan->first, NAME, error);
  if (first == NULL)
    return FALSE;
  memcpy (first, t->first, t->cells * sizeof *first);
  plan->weights_changed = TRUE;
  return TRUE;
}

static gboolean
make_cells (OctPlan *plan, GError **error)
{
  const OctNufftTables *t = &plan->gridding.tables;

  plan->max_taps = MIN (t->taps + SPARE_TAPS, plan->samples);
  plan->max_cells = SPARE_CELLS (t->cells);
  plan->cell_weights = oct_cuda_alloc (
      (gsize)plan->max_taps * plan->max_cells * sizeof (float), NAME, error);
  return plan->cell_weights != NULL
         && oct_cuda_table_init (
             &plan->first, plan->max_cells * sizeof (guint32), NAME, error)
         && set_cells (plan, error);
}

static gboolean
make_transform (OctPlan *plan, GError **error)
{
  gboolean is_complex =
      oct_cuda_gridding_complex (&plan->gridding, plan->format);
  guint grid = plan->gridding.tables.grid;
  guint bins = is_complex ? grid : grid / 2 + 1;

  plan->complex_cells = is_complex;
  plan->cells =
      oct_cuda_alloc ((gsize)plan->lines * grid
                          * (is_complex ? sizeof (float2) : sizeof (float)),
          NAME, error);
  if (plan->cells == NULL)
    return FALSE;
  if (!is_complex) {
    plan->spectrum = oct_cuda_alloc (
        (gsize)plan->lines * bins * sizeof (float2), NAME, error);
    if (plan->spectrum == NULL)
      return FALSE;
  }
  plan->transform = oct_cuda_fft_plan (is_complex ? CUFFT_C2C : CUFFT_R2C, grid,
      grid, bins, plan->lines, NAME, error);
  return plan->transform != 0;
}

static void
nufft_destroy (OctPlan *plan)
{
  if (plan->transform != 0)
    cufftDestroy (plan->transform);
  oct_cuda_gridding_clear (&plan->gridding);
  oct_cuda_table_clear (&plan->first);
  oct_cuda_free (plan->cell_weights);
  oct_cuda_free (plan->cells);
  oct_cuda_free (plan->spectrum);
  g_free (plan);
}

static OctPlan *
nufft_create (gconstpointer data, GError **error)
{
  const OctNufftParams *params = data;
  OctPlan *plan = g_new0 (OctPlan, 1);

  plan->format = params->format;
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->depth_start = params->depth_start;
  plan->depth_bins = params->depth_bins;
  plan->overlap = oct_cuda_can_overlap ();
  if (!oct_cuda_gridding_init (&plan->gridding, params, NAME, error)
      || !make_cells (plan, error) || !make_transform (plan, error)) {
    nufft_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
nufft_update (OctPlan *plan, gconstpointer data)
{
  const OctNufftParams *params = data;

  if (params->format != plan->format || params->lines != plan->lines
      || !oct_cuda_gridding_update (&plan->gridding, params)
      || !set_cells (plan, NULL))
    return FALSE;
  plan->depth_start = params->depth_start;
  return TRUE;
}

/* Brings changed tables to the device. */
static gboolean
prepare (OctPlan *plan, OctCudaQueue queue, GError **error)
{
  const OctNufftTables *t = &plan->gridding.tables;
  OctCudaGrid grid = oct_cuda_gridding_grid (&plan->gridding);

  if (!oct_cuda_gridding_upload (&plan->gridding, queue, error)
      || !oct_cuda_table_upload (&plan->first, NAME, queue.stream, error))
    return FALSE;
  if (plan->weights_changed
      && !oct_cuda_check (
          oct_cuda_launch_cell_weights (
              &grid, plan->first.device, t->taps, plan->cell_weights, queue),
          NAME, error))
    return FALSE;
  plan->weights_changed = FALSE;
  return TRUE;
}

static gboolean
run_transform (OctPlan *plan, OctCudaQueue queue, GError **error)
{
  cufftResult status;

  if (!oct_cuda_check_fft (
          cufftSetStream (plan->transform, queue.stream), NAME, error))
    return FALSE;
  if (plan->complex_cells)
    status =
        cufftExecC2C (plan->transform, plan->cells, plan->cells, CUFFT_FORWARD);
  else
    status = cufftExecR2C (plan->transform, plan->cells, plan->spectrum);
  return oct_cuda_check_fft (status, NAME, error);
}

static gboolean
nufft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gsize size = oct_sample_format_size (plan->format);
  gboolean is_complex = plan->complex_cells;
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaGather gather = {
    .in = from->data,
    .in_stride = from->stride,
    .lines = plan->lines,
    .complex_samples = plan->format == OCT_SAMPLE_CF32,
    .complex_cells = is_complex,
    .grid = oct_cuda_gridding_grid (&plan->gridding),
    .taps = plan->gridding.tables.taps,
    .first = plan->first.device,
    .cell_weights = plan->cell_weights,
    .cells = plan->cells,
  };
  OctCudaModes modes = {
    .lines = plan->lines,
    .grid = plan->gridding.tables.grid,
    .is_complex = is_complex,
    .depth_start = plan->depth_start,
    .depth_bins = plan->depth_bins,
    .factors = oct_cuda_gridding_factors (&plan->gridding),
  };

  return oct_cuda_check_plane (from, plan->samples * size, size, error)
         && oct_cuda_check_plane (
             to, plan->depth_bins * sizeof (float2), sizeof (float2), error)
         && prepare (plan, queue, error)
         && oct_cuda_check (
             oct_cuda_launch_gather (&gather, queue), NAME, error)
         && run_transform (plan, queue, error)
         && oct_cuda_check (oct_cuda_launch_pick_modes (&modes,
                                is_complex ? plan->cells : plan->spectrum,
                                to->data, to->stride, queue),
             NAME, error);
}

const OctOperationTable oct_cuda_nufft = {
  .name = NAME,
  .create = nufft_create,
  .update = nufft_update,
  .run = nufft_run,
  .destroy = nufft_destroy,
};
