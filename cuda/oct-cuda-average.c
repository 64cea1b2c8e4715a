/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means over frames: plans.
 */
#include "oct-cuda-registration.h"

#define NAME "average"

struct _OctPlan {
  OctAverageParams params;
  OctAverageState state;
  gsize values; /* of one B-scan */
  gboolean overlap;
  gpointer ring, sums, fresh;    /* on the device, as those of the CPU */
  OctCudaRegistered *registered; /* in place of these */
};

static void
cuda_average_destroy (OctPlan *plan)
{
  oct_cuda_free (plan->ring);
  oct_cuda_free (plan->sums);
  oct_cuda_free (plan->fresh);
  oct_cuda_registered_free (plan->registered);
  g_free (plan);
}

static OctCudaAverageKind
cuda_average_get_kind (const OctAverageParams *params)
{
  switch (params->format) {
  case OCT_SAMPLE_U8:
    return OCT_CUDA_AVERAGE_BYTES;
  case OCT_SAMPLE_U16:
    return OCT_CUDA_AVERAGE_WORDS;
  default:
    return params->of == OCT_AVERAGE_POWER ? OCT_CUDA_AVERAGE_POWER
                                           : OCT_CUDA_AVERAGE_VALUES;
  }
}

static gboolean
cuda_average_alloc_sums (OctPlan *plan, GError **error)
{
  const OctAverageParams *params = &plan->params;
  gboolean is_complex = params->format == OCT_SAMPLE_CF32;
  guint parts = is_complex && params->of == OCT_AVERAGE_VALUES ? 2 : 1;
  gsize values = plan->values * parts;
  gsize size =
      is_complex ? sizeof (float) : oct_sample_format_size (params->format);

  if (oct_average_is_registered (params)) {
    plan->registered =
        oct_cuda_registered_new (params, cuda_average_get_kind (params), error);
    return plan->registered != NULL;
  }
  if (params->mode == OCT_AVERAGE_RUNNING) {
    plan->ring = oct_cuda_alloc (params->frames * values * size, NAME, error);
    if (plan->ring == NULL)
      return FALSE;
  }
  plan->sums = oct_cuda_alloc (
      values * (is_complex ? sizeof (double) : sizeof (guint32)), NAME, error);
  if (plan->sums != NULL && is_complex)
    plan->fresh = oct_cuda_alloc (values * sizeof (double), NAME, error);
  return plan->sums != NULL && (!is_complex || plan->fresh != NULL);
}

static OctPlan *
cuda_average_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!oct_check_average (data, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *(const OctAverageParams *)data;
  plan->values = oct_average_count_values (&plan->params);
  plan->overlap = oct_cuda_can_overlap ();
  if (cuda_average_alloc_sums (plan, error))
    return plan;
  cuda_average_destroy (plan);
  return NULL;
}

static gboolean
cuda_average_update (OctPlan *plan, gconstpointer data)
{
  if (!oct_check_average (data, NULL)
      || !oct_average_is_same (&plan->params, data))
    return FALSE;
  plan->params = *(const OctAverageParams *)data;
  return TRUE;
}

static void
cuda_average_reset (OctPlan *plan)
{
  plan->state = (OctAverageState){ 0 };
}

static double
cuda_average_get_found (OctPlan *plan)
{
  return plan->state.count;
}

/* `rows` of `width` values; the first is number `at` of the sums. */
static gboolean
cuda_average_plane (OctPlan *plan, const OctAverageTurn *turn,
    const OctPlane *in, const OctPlane *out, guint width, guint rows, gsize at,
    gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaAverage a = { .kind = cuda_average_get_kind (&plan->params),
    .in = in->data,
    .in_stride = in->stride,
    .out = out->data,
    .out_stride = out->stride,
    .width = width,
    .rows = rows,
    .at = at,
    .values = plan->values,
    .ring = plan->ring,
    .sums = plan->sums,
    .fresh = plan->fresh,
    .place = turn->place,
    .count = turn->count,
    .is_first = turn->is_first,
    .replaces = turn->replaces,
    .wraps = turn->wraps };

  return oct_cuda_check (oct_cuda_launch_average (&a, queue), NAME, error);
}

static gboolean
cuda_average_check_plane (const OctPlan *plan, const OctPlane *in,
    const OctPlane *out, guint width, GError **error)
{
  gsize size = oct_sample_format_size (plan->params.format);
  /* colours are read as one value */
  gsize alignment = plan->registered != NULL
                        ? MAX (size, OCT_AVERAGE_PARTS (&plan->params))
                        : size;

  return oct_cuda_check_plane (in, width * size, alignment, error)
         && oct_cuda_check_plane (out, width * size, alignment, error);
}

static gboolean
cuda_average_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctAverageParams *p = &plan->params;
  guint rows = p->rows / OCT_BSCANS (p);
  guint bscans = oct_frame_count_bscans (in, rows, OCT_BSCANS (p));

  if (!cuda_average_check_plane (
          plan, &in->planes[0], &out->planes[0], p->values, error)
      || (p->more_rows > 0
          && !cuda_average_check_plane (
              plan, &in->planes[1], &out->planes[1], p->more_values, error)))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame from = oct_frame_get_bscan (in, bscan, rows, 0);
    OctFrame to = oct_frame_get_bscan (out, bscan, rows, 0);
    OctAverageTurn turn = oct_average_next (&plan->state, p);

    if (plan->registered != NULL) {
      if (!oct_cuda_registered_run (
              plan->registered, &turn, &from, &to, stream, error))
        return FALSE;
      continue;
    }
    if (!cuda_average_plane (plan, &turn, &from.planes[0], &to.planes[0],
            p->values, rows, 0, stream, error)
        || (p->more_rows > 0
            && !cuda_average_plane (plan, &turn, &from.planes[1], &to.planes[1],
                p->more_values, p->more_rows, (gsize)rows * p->values, stream,
                error)))
      return FALSE;
  }
  return TRUE;
}

const OctOperationTable oct_cuda_average = {
  .create = cuda_average_create,
  .update = cuda_average_update,
  .run = cuda_average_run,
  .reset = cuda_average_reset,
  .get_found = cuda_average_get_found,
  .destroy = cuda_average_destroy,
};
