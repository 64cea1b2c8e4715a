/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Counts to float, minus the spectrum of the source: plans.
 */
#include "oct-cuda-private.h"
#include "oct-params.h"

#include <string.h>

#define NAME "background"

struct _OctPlan {
  OctBackgroundMode mode;
  OctSampleFormat format;
  guint samples;
  guint lines; /* of one B-scan */
  guint bscans;
  gboolean found;
  gboolean overlap;
  double running_weight;
  double *running; /* device [samples] */
  gboolean has_running;
  OctCudaTable table; /* float2 [samples] (high, low), STORED */
  /* the mean alone */
  OctCudaTable scratch;
  guint processors;
};

static gboolean
apply_params (OctPlan *plan, const OctBackgroundParams *params, GError **error)
{
  if (params->mode == OCT_BACKGROUND_STORED) {
    float2 *table = oct_cuda_table_edit (&plan->table, NAME, error);
    if (table == NULL)
      return FALSE;
    for (guint i = 0; i < plan->samples; i++) {
      table[i].x = (float)params->background[i];
      table[i].y = (float)(params->background[i] - table[i].x);
    }
  }
  plan->bscans = OCT_BSCANS (params);
  plan->mode = params->mode;
  plan->found = params->found;
  plan->running_weight = params->running_weight;
  return TRUE;
}

static void
background_destroy (OctPlan *plan)
{
  oct_cuda_free (plan->running);
  oct_cuda_table_clear (&plan->table);
  oct_cuda_table_clear (&plan->scratch);
  g_free (plan);
}

static OctPlan *
background_create (gconstpointer data, GError **error)
{
  const OctBackgroundParams *params = data;
  OctPlan *plan;

  if (!oct_check_background (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->format = params->format;
  plan->samples = params->samples;
  plan->lines = params->lines / OCT_BSCANS (params);
  plan->overlap = oct_cuda_can_overlap ();
  plan->running = oct_cuda_alloc (plan->samples * sizeof (double), NAME, error);
  if (plan->running == NULL
      || !oct_cuda_table_init (
          &plan->table, plan->samples * sizeof (float2), NAME, error)
      || !apply_params (plan, params, error)) {
    background_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
background_update (OctPlan *plan, gconstpointer data)
{
  const OctBackgroundParams *params = data;

  return params->format == plan->format && params->samples == plan->samples
         && params->lines / OCT_BSCANS (params) == plan->lines
         && oct_check_background (params, NULL)
         && apply_params (plan, params, NULL);
}

static void
background_reset (OctPlan *plan)
{
  plan->has_running = FALSE;
}

/* Sums of counts are exact; a mean that has a history, or is one of floats, is
 * no whole number. */
OctCudaBackgroundMode
oct_cuda_found_mode (OctBackgroundMode mode, OctSampleFormat format)
{
  return mode == OCT_BACKGROUND_BSCAN && format != OCT_SAMPLE_F32
             ? OCT_CUDA_BACKGROUND_SUMS
             : OCT_CUDA_BACKGROUND_TABLE;
}

gboolean
oct_cuda_check_found (const OctPlane *found, GError **error)
{
  return oct_cuda_check_plane (&(OctPlane){ found->data, 16 }, 16, 16, error);
}

/* Of all but STORED: the mode for the kernels. */
static gboolean
choose_mode (OctPlan *plan, const OctPlane *found,
    OctCudaBackground *background, GError **error)
{
  if (plan->mode == OCT_BACKGROUND_NONE)
    return TRUE;
  if (plan->found) {
    background->mode = oct_cuda_found_mode (plan->mode, plan->format);
    background->table = found->data;
    return oct_cuda_check_found (found, error);
  }
  if (plan->mode == OCT_BACKGROUND_BSCAN) {
    background->mode = OCT_CUDA_BACKGROUND_MEAN;
    return TRUE;
  }
  background->mode = OCT_CUDA_BACKGROUND_RUNNING;
  plan->has_running = TRUE;
  return TRUE;
}

static OctCudaBackground
kernel_parameters (
    const OctPlan *plan, const OctPlane *from, const OctPlane *to)
{
  return (OctCudaBackground){
    .rows = { from->data, from->stride, to->data, to->stride, plan->lines,
        plan->samples },
    .sample_size = (guint)oct_sample_format_size (plan->format),
    .mode = OCT_CUDA_BACKGROUND_TABLE,
    .running = plan->running,
    .running_weight = plan->running_weight,
    .forget = !plan->has_running,
  };
}

static gboolean
run_bscan (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaBackground background =
      kernel_parameters (plan, &in->planes[0], &out->planes[0]);

  if (plan->mode == OCT_BACKGROUND_STORED) {
    if (!oct_cuda_table_upload (&plan->table, NAME, stream, error))
      return FALSE;
    background.table = plan->table.device;
  } else if (!choose_mode (plan, &in->planes[1], &background, error)) {
    return FALSE;
  }
  return oct_cuda_check (
      oct_cuda_launch_background (&background, queue), NAME, error);
}

static gboolean
background_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  gsize size = oct_sample_format_size (plan->format);
  guint samples = plan->samples;

  if (!oct_cuda_check_plane (&in->planes[0], samples * size, size, error)
      || !oct_cuda_check_plane (
          &out->planes[0], samples * sizeof (float), sizeof (float), error))
    return FALSE;
  for (guint bscan = 0; bscan < plan->bscans; bscan++) {
    OctFrame one_in =
        oct_frame_get_bscan (in, bscan, plan->lines, OCT_MEAN_SIZE (samples));
    OctFrame one_out = oct_frame_get_bscan (out, bscan, plan->lines, 0);

    if (!run_bscan (plan, &one_in, &one_out, stream, error))
      return FALSE;
  }
  return TRUE;
}

static OctPlan *
mean_create (gconstpointer data, GError **error)
{
  OctPlan *plan = background_create (data, error);
  gpointer scratch;
  int device = 0, processors = 0;

  if (plan == NULL)
    return NULL;
  if (!oct_cuda_check (cudaGetDevice (&device), NAME, error)
      || !oct_cuda_check (cudaDeviceGetAttribute (&processors,
                              cudaDevAttrMultiProcessorCount, device),
          NAME, error)
      || !oct_cuda_table_init (
          &plan->scratch, oct_cuda_mean_scratch (plan->samples), NAME, error)
      || (scratch = oct_cuda_table_edit (&plan->scratch, NAME, error))
             == NULL) {
    background_destroy (plan);
    return NULL;
  }
  memset (scratch, 0, plan->scratch.size);
  plan->processors = (guint)processors;
  return plan;
}

static gboolean
find_mean (OctPlan *plan, const OctPlane *from, const OctPlane *to,
    gpointer stream, GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaBackground background = kernel_parameters (plan, from, to);

  background.scratch = plan->scratch.device;
  background.processors = plan->processors;
  background.mode = OCT_CUDA_BACKGROUND_MEAN;
  if (plan->mode == OCT_BACKGROUND_RUNNING) {
    background.mode = OCT_CUDA_BACKGROUND_RUNNING;
    plan->has_running = TRUE;
  }
  return oct_cuda_check (
      oct_cuda_launch_mean (&background, queue), NAME, error);
}

/* The mean of a B-scan alone, in one kernel that needs nothing of those of
 * other plans, so that it can run in a stream of its own, and into memory that
 * was used before. */
static gboolean
mean_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  gsize size = oct_sample_format_size (plan->format);

  if (!oct_cuda_check_plane (&in->planes[0], plan->samples * size, size, error)
      || !oct_cuda_check_found (&out->planes[0], error)
      || !oct_cuda_table_upload (&plan->scratch, NAME, stream, error))
    return FALSE;
  for (guint bscan = 0; bscan < plan->bscans; bscan++) {
    OctFrame one = oct_frame_get_bscan (in, bscan, plan->lines, 0);
    OctPlane mean = {
      (guint8 *)out->planes[0].data + bscan * OCT_MEAN_SIZE (plan->samples), 0
    };

    if (!find_mean (plan, &one.planes[0], &mean, stream, error))
      return FALSE;
  }
  return TRUE;
}

const OctOperationTable oct_cuda_background = {
  .create = background_create,
  .update = background_update,
  .run = background_run,
  .reset = background_reset,
  .destroy = background_destroy,
};

const OctOperationTable oct_cuda_mean = {
  .create = mean_create,
  .update = background_update,
  .run = mean_run,
  .reset = background_reset,
  .destroy = background_destroy,
};
