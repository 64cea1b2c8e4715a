/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra to A-scans: window, zero padding, unitary FFT along the A-line, crop
 * in depth.  One A-line at a time in scratch that stays in the L1 cache.
 */
#include "oct-cpu-private.h"
#include "oct-simd.h"

#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <string.h>

struct _OctPlan {
  OctSampleFormat format;
  guint samples, lines, length, threads;
  guint depth_start, depth_bins;
  float *window;       /* [samples], with the N^-1/2 of the transform */
  guint8 *scratch;     /* [threads][scratch_size]: input, then output */
  gsize scratch_size;  /* bytes of one thread */
  gsize output_offset; /* bytes from the input to the output */
  fftwf_plan transform;
};

OCT_VECTORISED static void
apply_window_real (const float *restrict in, const float *restrict window,
    guint samples, float *restrict out)
{
  for (guint i = 0; i < samples; i++)
    out[i] = in[i] * window[i];
}

OCT_VECTORISED static void
apply_window_complex (const float *restrict in, const float *restrict window,
    guint samples, float *restrict out)
{
  for (guint i = 0; i < samples; i++) {
    out[2 * i] = in[2 * i] * window[i];
    out[2 * i + 1] = in[2 * i + 1] * window[i];
  }
}

static gboolean
check_params (const OctFftParams *params, GError **error)
{
  if (!oct_cpu_check_size (params->samples, params->lines, error))
    return FALSE;
  if (params->format != OCT_SAMPLE_F32 && params->format != OCT_SAMPLE_CF32) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Spectra of sample format %d cannot be transformed: they must be real "
        "or complex 32 bit float",
        params->format);
    return FALSE;
  }
  if (params->length < params->samples || params->length > OCT_MAX_SAMPLES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The length of the transform is %u: it must be between the %u samples "
        "of an A-line and %u",
        params->length, params->samples, OCT_MAX_SAMPLES);
    return FALSE;
  }
  if (params->depth_bins < 1 || params->depth_bins > params->length / 2
      || params->depth_start > params->length / 2 - params->depth_bins) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%u depth bins from bin %u on do not fit a transform of length %u, "
        "which has %u",
        params->depth_bins, params->depth_start, params->length,
        params->length / 2);
    return FALSE;
  }
  return oct_cpu_check_finite (
      params->window, params->samples, "The window", error);
}

static void
apply_params (OctPlan *plan, const OctFftParams *params)
{
  plan->depth_start = params->depth_start;
  plan->depth_bins = params->depth_bins;
  for (guint i = 0; i < plan->samples; i++)
    plan->window[i] = (float)(params->window[i] / sqrt (plan->samples));
}

static gboolean
make_transform (OctPlan *plan, GError **error)
{
  gpointer in = plan->scratch, out = plan->scratch + plan->output_offset;
  int length = (int)plan->length;

  oct_cpu_planner_lock ();
  if (plan->format == OCT_SAMPLE_F32)
    plan->transform = fftwf_plan_dft_r2c_1d (length, in, out, FFTW_MEASURE);
  else
    plan->transform =
        fftwf_plan_dft_1d (length, in, out, FFTW_FORWARD, FFTW_MEASURE);
  oct_cpu_planner_unlock ();
  if (plan->transform == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "FFTW has no plan for a transform of length %u", plan->length);
    return FALSE;
  }
  /* run() writes the samples alone, so that the zero padding stays; the
   * transform is out of place and keeps its input */
  memset (plan->scratch, 0, plan->threads * plan->scratch_size);
  return TRUE;
}

static void
fft_destroy (OctPlan *plan)
{
  if (plan->transform != NULL) {
    oct_cpu_planner_lock ();
    fftwf_destroy_plan (plan->transform);
    oct_cpu_planner_unlock ();
  }
  oct_cpu_free (plan->window);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static OctPlan *
fft_create (gconstpointer data, GError **error)
{
  const OctFftParams *params = data;
  OctPlan *plan;

  if (!check_params (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->format = params->format;
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->length = params->length;
  plan->threads = oct_backend_cpu_get_threads ();
  plan->output_offset =
      oct_cpu_pad (plan->length * oct_sample_format_size (plan->format));
  plan->scratch_size =
      plan->output_offset
      + oct_cpu_pad (((gsize)plan->length + 2) * sizeof (fftwf_complex));
  if (!(plan->window = oct_cpu_alloc (plan->samples, sizeof (float), error))
      || !(plan->scratch =
               oct_cpu_alloc (plan->threads, plan->scratch_size, error))
      || !make_transform (plan, error)) {
    fft_destroy (plan);
    return NULL;
  }
  apply_params (plan, params);
  return plan;
}

static gboolean
fft_update (OctPlan *plan, gconstpointer data)
{
  const OctFftParams *params = data;

  if (params->format != plan->format || params->samples != plan->samples
      || params->lines != plan->lines || params->length != plan->length
      || !check_params (params, NULL))
    return FALSE;
  apply_params (plan, params);
  return TRUE;
}

static gboolean
fft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gboolean real = plan->format == OCT_SAMPLE_F32;
  gsize out_bytes = plan->depth_bins * sizeof (fftwf_complex);

  if (!oct_cpu_check_plane (
          from, plan->samples * oct_sample_format_size (plan->format), error)
      || !oct_cpu_check_plane (to, out_bytes, error))
    return FALSE;
#pragma omp parallel for num_threads(oct_cpu_threads(plan->threads))
  for (guint line = 0; line < plan->lines; line++) {
    guint8 *scratch =
        plan->scratch + (gsize)omp_get_thread_num () * plan->scratch_size;
    fftwf_complex *spectrum = (fftwf_complex *)(scratch + plan->output_offset);

    if (real) {
      apply_window_real (oct_cpu_row (from, line), plan->window, plan->samples,
          (float *)scratch);
      fftwf_execute_dft_r2c (plan->transform, (float *)scratch, spectrum);
    } else {
      apply_window_complex (oct_cpu_row (from, line), plan->window,
          plan->samples, (float *)scratch);
      fftwf_execute_dft (plan->transform, (fftwf_complex *)scratch, spectrum);
    }
    memcpy (oct_cpu_row (to, line), spectrum + plan->depth_start, out_bytes);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_fft = {
  .name = "fft",
  .create = fft_create,
  .update = fft_update,
  .run = fft_run,
  .destroy = fft_destroy,
};
