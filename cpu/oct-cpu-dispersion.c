/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Numerical dispersion compensation: multiply by exp (+i phase).
 */
#include "oct-cpu-private.h"
#include "oct-cpu-vector.h"
#include "oct-params.h"
#include "oct-simd.h"

#include <math.h>

struct _OctPlan {
  guint samples, lines, threads;
  float *factors; /* [samples] pairs (re, im) of exp (+i phase) */
};

OCT_VECTORISED static void
multiply (const float *restrict in, guint samples,
    const float *restrict factors, float *restrict out)
{
  guint i = 0;

  for (; i + OCT_VECTOR <= samples; i += OCT_VECTOR) {
    OctVector value = *(const OctVector *)(in + i);
    const OctVector *factor = (const OctVector *)(factors + 2 * i);
    OctVector *to = (OctVector *)(out + 2 * i);
    to[0] = factor[0] * OCT_FIRST_TWICE (value);
    to[1] = factor[1] * OCT_SECOND_TWICE (value);
  }
  for (; i < samples; i++) {
    out[2 * i] = in[i] * factors[2 * i];
    out[2 * i + 1] = in[i] * factors[2 * i + 1];
  }
}

static void
cpu_dispersion_apply_params (OctPlan *plan, const OctDispersionParams *params)
{
  for (guint i = 0; i < plan->samples; i++) {
    plan->factors[2 * i] = (float)cos (params->phase[i]);
    plan->factors[2 * i + 1] = (float)sin (params->phase[i]);
  }
}

static void
cpu_dispersion_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->factors);
  g_free (plan);
}

static OctPlan *
cpu_dispersion_create (gconstpointer data, GError **error)
{
  const OctDispersionParams *params = data;
  OctPlan *plan;

  if (!oct_check_dispersion (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->threads = oct_backend_cpu_get_threads ();
  plan->factors =
      oct_cpu_alloc ((gsize)plan->samples * 2, sizeof (float), error);
  if (plan->factors == NULL) {
    cpu_dispersion_destroy (plan);
    return NULL;
  }
  cpu_dispersion_apply_params (plan, params);
  return plan;
}

static gboolean
cpu_dispersion_update (OctPlan *plan, gconstpointer data)
{
  const OctDispersionParams *params = data;

  if (params->samples != plan->samples || params->lines != plan->lines
      || !oct_check_dispersion (params, NULL))
    return FALSE;
  cpu_dispersion_apply_params (plan, params);
  return TRUE;
}

static void
multiply_lines (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;

  for (guint line = first; line < end; line++)
    multiply (oct_cpu_row (loop->from, line), loop->plan->samples,
        loop->plan->factors, oct_cpu_row (loop->to, line));
}

static gboolean
cpu_dispersion_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan, .from = from, .to = to };

  if (!oct_cpu_check_plane (from, plan->samples * sizeof (float), error)
      || !oct_cpu_check_plane (to, plan->samples * 2 * sizeof (float), error))
    return FALSE;
  oct_parallel_for (oct_frame_count_lines (in, plan->lines), OCT_CPU_GRAIN,
      oct_cpu_threads (plan->threads), multiply_lines, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_dispersion = {
  .create = cpu_dispersion_create,
  .update = cpu_dispersion_update,
  .run = cpu_dispersion_run,
  .destroy = cpu_dispersion_destroy,
};
