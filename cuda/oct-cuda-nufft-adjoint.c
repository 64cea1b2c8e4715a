/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans to spectra at non-uniform wavenumbers by gridding: plans of the
 * adjoint of oct-cuda-nufft.c.
 */
#include "oct-cuda-gridding.h"
#include "oct-cuda-transform.h"

#define NAME "nufft-adjoint"

struct _OctPlan {
  OctSampleFormat format;
  guint samples, lines;
  guint depth_bins;
  gboolean overlap;
  OctCudaGridding gridding;
  OctCudaTransform transform; /* its values are the cells */
};

static void
adjoint_destroy (OctPlan *plan)
{
  oct_cuda_transform_clear (&plan->transform);
  oct_cuda_gridding_clear (&plan->gridding);
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
      || !oct_cuda_transform_init (&plan->transform, plan->format,
          plan->gridding.tables.grid, plan->lines, TRUE, NAME, error)) {
    adjoint_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
adjoint_update (OctPlan *plan, gconstpointer data)
{
  const OctNufftParams *params = data;

  return params->format == plan->format && params->lines == plan->lines
         && oct_cuda_gridding_update (&plan->gridding, params);
}

static gboolean
adjoint_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gsize size = oct_sample_format_size (plan->format);
  OctCudaTransform *t = &plan->transform;
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaGrid grid = oct_cuda_gridding_grid (&plan->gridding);
  OctCudaModes modes = {
    .lines = plan->lines,
    .grid = grid.grid,
    .is_complex = t->is_complex,
    .first_mode = plan->gridding.tables.first_mode,
    .depth_bins = plan->depth_bins,
    .factors = oct_cuda_gridding_factors (&plan->gridding),
  };

  return oct_cuda_check_plane (
             from, plan->depth_bins * sizeof (float2), sizeof (float2), error)
         && oct_cuda_check_plane (to, plan->samples * size, size, error)
         && oct_cuda_gridding_upload (&plan->gridding, queue, error)
         && oct_cuda_check (oct_cuda_launch_place_modes (&modes, from->data,
                                from->stride, t->spectra, queue),
             NAME, error)
         && oct_cuda_transform_run (t, queue.stream, NAME, error)
         && oct_cuda_check (oct_cuda_launch_interpolate (&grid, t->values,
                                t->is_complex, plan->format == OCT_SAMPLE_CF32,
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
