/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra to A-scans: plans.  Lengths that oct-cuda-fft.cu knows are windowed,
 * transformed and cropped by one kernel; cuFFT does all others between two.
 */
#include "oct-cuda-transform.h"
#include "oct-params.h"

#include <math.h>

#define NAME "fft"

struct _OctPlan {
  OctSampleFormat format;
  guint samples, lines, length;
  guint depth_start, depth_bins;
  gboolean overlap;
  OctCudaTable window; /* float [samples], with the factors of the transform */
  OctCudaTable turns;  /* twiddle factors, float2 [length], own FFT only */
  OctCudaTransform transform; /* of the padded A-lines, cuFFT only */
};

static gboolean
own_transform (const OctPlan *plan)
{
  return oct_cuda_fft_has (plan->length, plan->format == OCT_SAMPLE_CF32);
}

static gboolean
cuda_fft_apply_params (
    OctPlan *plan, const OctFftParams *params, GError **error)
{
  /* the own transform of real spectra adds two halves */
  double halves =
      plan->transform.plan == 0 && plan->format == OCT_SAMPLE_F32 ? 2 : 1;
  double scale = 1 / (halves * sqrt (plan->samples));
  float *window = oct_cuda_table_edit (&plan->window, NAME, error);

  if (window == NULL)
    return FALSE;
  for (guint i = 0; i < plan->samples; i++)
    window[i] = (float)(scale * params->window[i]);
  plan->depth_start = params->depth_start;
  plan->depth_bins = params->depth_bins;
  return TRUE;
}

static gboolean
cuda_fft_make_turns (OctPlan *plan, GError **error)
{
  float2 *turns;

  if (!oct_cuda_table_init (
          &plan->turns, plan->length * sizeof (float2), NAME, error)
      || (turns = oct_cuda_table_edit (&plan->turns, NAME, error)) == NULL)
    return FALSE;
  for (guint i = 0; i < plan->length; i++) {
    double angle = -2 * G_PI * i / plan->length;
    turns[i].x = (float)cos (angle);
    turns[i].y = (float)sin (angle);
  }
  return TRUE;
}

static void
cuda_fft_destroy (OctPlan *plan)
{
  oct_cuda_transform_clear (&plan->transform);
  oct_cuda_table_clear (&plan->window);
  oct_cuda_table_clear (&plan->turns);
  g_free (plan);
}

static OctPlan *
cuda_fft_create (gconstpointer data, GError **error)
{
  const OctFftParams *params = data;
  OctPlan *plan;

  if (!oct_check_fft (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->format = params->format;
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->length = params->length;
  plan->overlap = oct_cuda_can_overlap ();
  if (!oct_cuda_table_init (
          &plan->window, plan->samples * sizeof (float), NAME, error)
      || !(own_transform (plan)
               ? cuda_fft_make_turns (plan, error)
               : oct_cuda_transform_init (&plan->transform, plan->format,
                   plan->length, plan->lines, FALSE, NAME, error))
      || !cuda_fft_apply_params (plan, params, error)) {
    cuda_fft_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
cuda_fft_update (OctPlan *plan, gconstpointer data)
{
  const OctFftParams *params = data;

  return params->format == plan->format && params->samples == plan->samples
         && params->lines == plan->lines && params->length == plan->length
         && oct_check_fft (params, NULL)
         && cuda_fft_apply_params (plan, params, NULL);
}

static gboolean
cuda_fft_run_cufft (
    OctPlan *plan, const OctCudaFft *fft, OctCudaQueue queue, GError **error)
{
  OctCudaTransform *t = &plan->transform;

  return oct_cuda_check (
             oct_cuda_launch_window (fft, t->values, t->is_complex, queue),
             NAME, error)
         && oct_cuda_transform_run (t, queue.stream, NAME, error)
         && oct_cuda_check (
             oct_cuda_launch_crop (fft, t->spectra, t->pitch, queue), NAME,
             error);
}

static gboolean
cuda_fft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gsize size = oct_sample_format_size (plan->format);
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaFft fft = {
    .rows = { from->data, from->stride, to->data, to->stride,
        oct_frame_count_lines (in, plan->lines), plan->samples },
    .is_complex = plan->format == OCT_SAMPLE_CF32,
    .length = plan->length,
    .depth_start = plan->depth_start,
    .depth_bins = plan->depth_bins,
    .window = plan->window.device,
    .turns = plan->turns.device,
  };

  if (!oct_cuda_check_plane (from, plan->samples * size, size, error)
      || !oct_cuda_check_plane (
          to, plan->depth_bins * sizeof (float2), sizeof (float2), error)
      || !oct_cuda_table_upload (&plan->window, NAME, stream, error)
      || !oct_cuda_table_upload (&plan->turns, NAME, stream, error))
    return FALSE;
  if (plan->transform.plan != 0)
    return cuda_fft_run_cufft (plan, &fft, queue, error);
  return oct_cuda_check (oct_cuda_launch_fft (&fft, queue), NAME, error);
}

const OctOperationTable oct_cuda_fft = {
  .create = cuda_fft_create,
  .update = cuda_fft_update,
  .run = cuda_fft_run,
  .destroy = cuda_fft_destroy,
};
