/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Numerical dispersion compensation: multiply by exp (+i phase).
 */
#include "oct-cpu-private.h"
#include "oct-simd.h"

#include <math.h>

struct _OctPlan {
  guint samples, lines, threads;
  float *real, *imaginary; /* [samples] of exp (+i phase) */
};

OCT_VECTORISED static void
multiply (const float *restrict in, guint samples, const float *restrict real,
    const float *restrict imaginary, float *restrict out)
{
  for (guint i = 0; i < samples; i++) {
    out[2 * i] = in[i] * real[i];
    out[2 * i + 1] = in[i] * imaginary[i];
  }
}

static gboolean
check_params (const OctDispersionParams *params, GError **error)
{
  return oct_cpu_check_size (params->samples, params->lines, error)
         && oct_cpu_check_finite (
             params->phase, params->samples, "The dispersion phase", error);
}

static void
apply_params (OctPlan *plan, const OctDispersionParams *params)
{
  for (guint i = 0; i < plan->samples; i++) {
    plan->real[i] = (float)cos (params->phase[i]);
    plan->imaginary[i] = (float)sin (params->phase[i]);
  }
}

static void
dispersion_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->real);
  oct_cpu_free (plan->imaginary);
  g_free (plan);
}

static OctPlan *
dispersion_create (gconstpointer data, GError **error)
{
  const OctDispersionParams *params = data;
  OctPlan *plan;

  if (!check_params (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->threads = oct_backend_cpu_get_threads ();
  if (!(plan->real = oct_cpu_alloc (plan->samples, sizeof (float), error))
      || !(plan->imaginary =
               oct_cpu_alloc (plan->samples, sizeof (float), error))) {
    dispersion_destroy (plan);
    return NULL;
  }
  apply_params (plan, params);
  return plan;
}

static gboolean
dispersion_update (OctPlan *plan, gconstpointer data)
{
  const OctDispersionParams *params = data;

  if (params->samples != plan->samples || params->lines != plan->lines
      || !check_params (params, NULL))
    return FALSE;
  apply_params (plan, params);
  return TRUE;
}

static gboolean
dispersion_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];

  if (!oct_cpu_check_plane (from, plan->samples * sizeof (float), error)
      || !oct_cpu_check_plane (to, plan->samples * 2 * sizeof (float), error))
    return FALSE;
#pragma omp parallel for num_threads(oct_cpu_threads(plan->threads))
  for (guint line = 0; line < plan->lines; line++)
    multiply (oct_cpu_row (from, line), plan->samples, plan->real,
        plan->imaginary, oct_cpu_row (to, line));
  return TRUE;
}

const OctOperationTable oct_cpu_dispersion = {
  .name = "dispersion",
  .create = dispersion_create,
  .update = dispersion_update,
  .run = dispersion_run,
  .destroy = dispersion_destroy,
};
