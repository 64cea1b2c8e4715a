/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion along the beam: plans.
 */
#include "oct-cuda-flow.h"
#include "oct-cuda-private.h"
#include "oct-doppler.h"

#include <math.h>

#define NAME "doppler"
/* A matrix of cosines has the square of it. */
#define MOST_UNWRAPPED 8192u

G_STATIC_ASSERT (OCT_CUDA_FLOW_BANDS == OCT_FLOW_BANDS);
G_STATIC_ASSERT (OCT_CUDA_DOPPLER_BULK == OCT_DOPPLER_BULK);
G_STATIC_ASSERT (OCT_CUDA_FLOW_MOST == OCT_FLOW_MOST);

struct _OctPlan {
  OctDopplerParams params;
  OctCudaDoppler doppler; /* without the planes of a frame */
  guint lines;            /* of one B-scan */
  guint count;            /* B-scans of the place */
  OctCudaTable across, along;
  gboolean overlap;
};

static void
cuda_doppler_destroy (OctPlan *plan)
{
  OctCudaDoppler *d = &plan->doppler;

  oct_cuda_free (d->previous);
  oct_cuda_free (d->products);
  oct_cuda_free (d->sums);
  oct_cuda_free (d->powers);
  oct_cuda_free (d->histograms);
  oct_cuda_free (d->turns);
  oct_cuda_free (d->bands);
  oct_cuda_free (d->noise);
  oct_cuda_free (d->phases);
  oct_cuda_free (d->still);
  oct_cuda_free (d->work[0]);
  oct_cuda_free (d->work[1]);
  oct_cuda_free (d->middle);
  oct_cuda_table_clear (&plan->across);
  oct_cuda_table_clear (&plan->along);
  g_free (plan);
}

static gboolean
cuda_doppler_unwraps (const OctDopplerParams *params)
{
  return params->unwrap && params->quantity == OCT_DOPPLER_PHASE;
}

static gboolean
cuda_doppler_check (const OctDopplerParams *params, GError **error)
{
  guint lines = params->lines / OCT_BSCANS (params);

  if (!oct_check_doppler (params, error))
    return FALSE;
  if (!cuda_doppler_unwraps (params)
      || (lines <= MOST_UNWRAPPED && params->depth_bins <= MOST_UNWRAPPED))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "unwrap=true of octdoppler takes B-scans of at most %u A-lines and %u "
      "depths on a GPU, found %u and %u; set `depth-bins` to fewer, or "
      "`backend` "
      "to cpu.",
      MOST_UNWRAPPED, MOST_UNWRAPPED, lines, params->depth_bins);
  return FALSE;
}

/* All but the memory. */
static void
cuda_doppler_set (OctPlan *plan, const OctDopplerParams *p)
{
  OctCudaDoppler *d = &plan->doppler;

  plan->params = *p;
  d->flow.lines = (int)plan->lines;
  d->flow.bins = (int)p->depth_bins;
  d->flow.window_lines = (int)p->window_lines;
  d->flow.window_bins = (int)p->window_bins;
  d->flow.is_image = !p->values;
  d->flow.pixel_size = p->format == OCT_IMAGE_RGBA ? 4 : 1;
  d->bulk_lines = (int)p->bulk_lines;
  d->is_variance = p->quantity == OCT_DOPPLER_VARIANCE;
  d->least = (float)p->least;
  d->scale = (float)p->scale;
  d->range = (float)p->range;
}

/* NULL stays NULL, and so does the error. */
static gboolean
cuda_doppler_alloc (gpointer to, gsize bytes, GError **error)
{
  return (*(gpointer *)to = oct_cuda_alloc (MAX (bytes, 1), NAME, error))
         != NULL;
}

static gboolean
fill_cosines (OctCudaTable *table, guint count, GError **error)
{
  float *values;

  if (!oct_cuda_table_init (
          table, (gsize)count * count * sizeof (float), NAME, error))
    return FALSE;
  values = oct_cuda_table_edit (table, NAME, error);
  if (values == NULL)
    return FALSE;
  for (guint k = 0; k < count; k++)
    for (guint j = 0; j < count; j++)
      values[(gsize)k * count + j] =
          (float)cos (G_PI * k * (2.0 * j + 1) / (2.0 * count));
  return TRUE;
}

static gboolean
alloc_unwrapping (OctPlan *plan, gsize values, GError **error)
{
  OctCudaDoppler *d = &plan->doppler;

  if (!cuda_doppler_alloc (&d->phases, values * sizeof (float), error)
      || !cuda_doppler_alloc (&d->still, values, error)
      || !cuda_doppler_alloc (&d->work[0], values * sizeof (float), error)
      || !cuda_doppler_alloc (&d->work[1], values * sizeof (float), error)
      || !cuda_doppler_alloc (&d->middle, 2 * sizeof (float), error)
      || !fill_cosines (&plan->across, (guint)d->pairs, error)
      || !fill_cosines (&plan->along, plan->params.depth_bins, error))
    return FALSE;
  d->across = plan->across.device;
  d->along = plan->along.device;
  return TRUE;
}

static gboolean
cuda_doppler_alloc_all (OctPlan *plan, GError **error)
{
  const OctDopplerParams *p = &plan->params;
  OctCudaDoppler *d = &plan->doppler;
  gsize pairs = (gsize)d->pairs, values = pairs * p->depth_bins;
  gboolean repeats = p->between == OCT_DOPPLER_REPEATS;

  return cuda_doppler_alloc (&d->products, 2 * values * sizeof (float), error)
         && cuda_doppler_alloc (&d->powers, values * sizeof (float), error)
         && cuda_doppler_alloc (
             &d->histograms, pairs * OCT_DOPPLER_BULK * sizeof (float), error)
         && cuda_doppler_alloc (&d->turns, 2 * pairs * sizeof (float), error)
         && cuda_doppler_alloc (
             &d->bands, pairs * OCT_FLOW_BANDS * sizeof (double), error)
         && cuda_doppler_alloc (&d->noise, sizeof (double), error)
         && (!repeats
             || (cuda_doppler_alloc (
                     &d->previous, 2 * values * sizeof (float), error)
                 && cuda_doppler_alloc (
                     &d->sums, 2 * values * sizeof (float), error)))
         && (!cuda_doppler_unwraps (p) || d->pairs == 0
             || alloc_unwrapping (plan, values, error));
}

static OctPlan *
cuda_doppler_create (gconstpointer data, GError **error)
{
  const OctDopplerParams *params = data;
  OctPlan *plan;

  if (!cuda_doppler_check (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->overlap = oct_cuda_can_overlap ();
  plan->lines = params->lines / OCT_BSCANS (params);
  plan->doppler.pairs =
      (int)(params->between == OCT_DOPPLER_LINES ? plan->lines - 1
                                                 : plan->lines);
  cuda_doppler_set (plan, params);
  if (cuda_doppler_alloc_all (plan, error))
    return plan;
  cuda_doppler_destroy (plan);
  return NULL;
}

static gboolean
cuda_doppler_update (OctPlan *plan, gconstpointer data)
{
  if (!cuda_doppler_check (data, NULL)
      || !oct_doppler_is_same (&plan->params, data))
    return FALSE;
  cuda_doppler_set (plan, data);
  return TRUE;
}

static void
cuda_doppler_reset (OctPlan *plan)
{
  plan->count = 0;
}

static double
cuda_doppler_get_found (OctPlan *plan)
{
  return plan->params.between == OCT_DOPPLER_REPEATS ? plan->count : 1;
}

/* ----------------------------------------------------------------------- run
 */

static gboolean
cuda_doppler_bscan (OctPlan *plan, const OctFrame *from, const OctFrame *to,
    cudaStream_t stream, GError **error)
{
  const OctDopplerParams *p = &plan->params;
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaDoppler d = plan->doppler;

  if (d.previous != NULL)
    plan->count = plan->count >= p->repeats ? 1 : plan->count + 1;
  d.count = d.previous != NULL ? (int)plan->count : 2;
  d.given_noise = p->noise * MAX (d.count - 1, 1);
  d.flow.in = from->planes[0].data;
  d.flow.in_stride = from->planes[0].stride;
  d.flow.out = to->planes[0].data;
  d.flow.out_stride = to->planes[0].stride;
  if (!oct_cuda_check (oct_cuda_launch_doppler (&d, queue), NAME, error))
    return FALSE;
  return d.phases == NULL || d.pairs == 0 || d.count < 2
         || oct_cuda_check (oct_cuda_launch_unwrap (&d, queue), NAME, error);
}

static gboolean
cuda_doppler_check_out (
    const OctPlan *plan, const OctFrame *out, GError **error)
{
  const OctDopplerParams *p = &plan->params;
  gsize size =
      p->values ? sizeof (float) : (gsize)plan->doppler.flow.pixel_size;

  return oct_cuda_check_plane (&out->planes[0],
      (p->values ? p->depth_bins : plan->lines) * size, size, error);
}

static gboolean
cuda_doppler_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctDopplerParams *p = &plan->params;

  if (!oct_cuda_check_plane (&in->planes[0],
          (gsize)p->depth_bins * 2 * sizeof (float), 2 * sizeof (float), error)
      || (plan->across.device != NULL
          && (!oct_cuda_table_upload (&plan->across, NAME, stream, error)
              || !oct_cuda_table_upload (&plan->along, NAME, stream, error))))
    return FALSE;
  for (guint i = 0; i < OCT_BSCANS (p); i++) {
    OctFrame from = oct_frame_get_bscan (in, i, plan->lines, 0);
    OctFrame to =
        p->values ? oct_frame_get_bscan (out, i, plan->lines, 0) : out[i];

    if (!cuda_doppler_check_out (plan, &to, error)
        || (!p->values && p->format == OCT_IMAGE_NV12
            && !oct_cuda_clear_chroma (
                &to.planes[1], plan->lines, p->depth_bins, NAME, stream, error))
        || !cuda_doppler_bscan (plan, &from, &to, stream, error))
      return FALSE;
  }
  return TRUE;
}

const OctOperationTable oct_cuda_doppler = {
  .create = cuda_doppler_create,
  .update = cuda_doppler_update,
  .run = cuda_doppler_run,
  .reset = cuda_doppler_reset,
  .get_found = cuda_doppler_get_found,
  .destroy = cuda_doppler_destroy,
};
