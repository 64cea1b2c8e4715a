/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Numerical dispersion compensation: plans.
 */
#include "oct-cuda-private.h"
#include "oct-params.h"

#include <math.h>

#define NAME "dispersion"

struct _OctPlan {
  guint samples, lines;
  gboolean overlap;
  OctCudaTable table; /* float2 [samples] exp (+i phase) */
};

static gboolean
cuda_dispersion_apply_params (
    OctPlan *plan, const OctDispersionParams *params, GError **error)
{
  float2 *table = oct_cuda_table_edit (&plan->table, NAME, error);

  if (table == NULL)
    return FALSE;
  for (guint i = 0; i < plan->samples; i++) {
    table[i].x = (float)cos (params->phase[i]);
    table[i].y = (float)sin (params->phase[i]);
  }
  return TRUE;
}

static void
cuda_dispersion_destroy (OctPlan *plan)
{
  oct_cuda_table_clear (&plan->table);
  g_free (plan);
}

static OctPlan *
cuda_dispersion_create (gconstpointer data, GError **error)
{
  const OctDispersionParams *params = data;
  OctPlan *plan;

  if (!oct_check_dispersion (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->overlap = oct_cuda_can_overlap ();
  if (!oct_cuda_table_init (
          &plan->table, plan->samples * sizeof (float2), NAME, error)
      || !cuda_dispersion_apply_params (plan, params, error)) {
    cuda_dispersion_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
cuda_dispersion_update (OctPlan *plan, gconstpointer data)
{
  const OctDispersionParams *params = data;

  return params->samples == plan->samples && params->lines == plan->lines
         && oct_check_dispersion (params, NULL)
         && cuda_dispersion_apply_params (plan, params, NULL);
}

static gboolean
cuda_dispersion_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaRows rows = { from->data, from->stride, to->data, to->stride,
    oct_frame_count_lines (in, plan->lines), plan->samples };

  return oct_cuda_check_plane (
             from, plan->samples * sizeof (float), sizeof (float), error)
         && oct_cuda_check_plane (
             to, plan->samples * sizeof (float2), sizeof (float2), error)
         && oct_cuda_table_upload (&plan->table, NAME, stream, error)
         && oct_cuda_check (
             oct_cuda_launch_dispersion (&rows, plan->table.device, queue),
             NAME, error);
}

const OctOperationTable oct_cuda_dispersion = {
  .create = cuda_dispersion_create,
  .update = cuda_dispersion_update,
  .run = cuda_dispersion_run,
  .destroy = cuda_dispersion_destroy,
};
