/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans to spectra at non-uniform wavenumbers by gridding: plans of the
 * adjoint of oct-cuda-nufft.c.
 */
#include "oct-cuda-gridding.h"

#define NAME "nufft-adjoint"

struct _OctPlan {
  OctSampleFormat format;
  guint samples, lines;
  guint depth_bins;
  gboolean overlap;
  gboolean complex_cells;
  OctCudaGridding gridding;
  cufftHandle transform;
  float2 *spectrum; /* [lines][grid], real cells: [lines][grid / 2 + 1] */
  gpointer cells;   /* [lines][grid]; complex: spectrum */
};

static gboolean
make_transform (OctPlan *plan, GError **error)
{
  gboolean is_complex =
      oct_cuda_gridding_complex (&plan->gridding, plan->format);
  guint grid = plan->gridding.tables.grid;
  guint bins = is_complex ? grid : grid / 2 + 1;

  plan->complex_cells = is_complex;
  plan->spectrum =
      oct_cuda_alloc ((gsize)plan->lines * bins * sizeof (float2), NAME, error);
  if (plan->spectrum == NULL)
    return FALSE;
  plan->cells = plan->spectrum;
  if (!is_complex) {
    plan->cells = oct_cuda_alloc (
        (gsize)plan->lines * grid * sizeof (float), NAME, error);
    if (plan->cells == NULL)
      return FALSE;
  }
  plan->transform = oct_cuda_fft_plan (is_complex ? CUFFT_C2C : CUFFT_C2R, grid,
      bins, grid, plan->lines, NAME, error);
  return plan->transform != 0;
}

static void
adjoint_destroy (OctPlan *plan)
{
  if (plan->transform != 0)
    cufftDestroy (plan->transform);
  oct_cuda_gridding_clear (&plan->gridding);
  if (plan->cells != plan->spectrum)
    oct_cuda_free (plan->cells);
  oct_cuda_free (plan->spectrum);
  g_free (plan);
}

static OctPlan *
adjoint_create (gconstpointer data, GError **error)
{
  const OctNufftParams *params = data;
  OctPlan *plan = g_new0 (OctPlan, 1);

  plan->format = params->format;
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->depth_bins = params->depth_bins;
  plan->overlap = oct_cuda_can_overlap ();
  if (!oct_cuda_gridding_init (&plan->gridding, params, NAME, error)
      || !make_transform (plan, error)) {
    adjoint_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
adjoint_update (OctPlan *plan, gconstpointer data)
{
  const OctNufftParams *params = data;

  if (params->format != plan->format || params->lines != plan->lines
      || !oct_cuda_gridding_update (&plan->gridding, params))
    return FALSE;
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
    status = cufftExecC2C (
        plan->transform, plan->spectrum, plan->spectrum, CUFFT_INVERSE);
  else
    status = cufftExecC2R (plan->transform, plan->spectrum, plan->cells);
  return oct_cuda_check_fft (status, NAME, error);
}

static gboolean
adjoint_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gsize size = oct_sample_format_size (plan->format);
  gboolean is_complex = plan->complex_cells;
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaGrid grid = oct_cuda_gridding_grid (&plan->gridding);
  OctCudaModes modes = {
    .lines = plan->lines,
    .grid = grid.grid,
    .is_complex = is_complex,
    .first_mode = plan->gridding.tables.first_mode,
    .depth_bins = plan->depth_bins,
    .factors = oct_cuda_gridding_factors (&plan->gridding),
  };

  return oct_cuda_check_plane (
             from, plan->depth_bins * sizeof (float2), sizeof (float2), error)
         && oct_cuda_check_plane (to, plan->samples * size, size, error)
         && oct_cuda_gridding_upload (&plan->gridding, queue, error)
         && oct_cuda_check (oct_cuda_launch_place_modes (&modes, from->data,
                                from->stride, plan->spectrum, queue),
             NAME, error)
         && run_transform (plan, queue, error)
         && oct_cuda_check (oct_cuda_launch_interpolate (&grid, plan->cells,
                                is_complex, plan->format == OCT_SAMPLE_CF32,
                                oct_cuda_gridding_shifts (&plan->gridding),
                                plan->lines, to->data, to->stride, queue),
             NAME, error);
}

const OctOperationTable oct_cuda_nufft_adjoint = {
  .name = NAME,
  .create = adjoint_create,
  .update = adjoint_update,
  .run = adjoint_run,
  .destroy = adjoint_destroy,
};
