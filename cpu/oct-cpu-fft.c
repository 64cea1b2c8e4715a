/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra to A-scans: window, zero padding, unitary FFT along the A-line, crop
 * in depth.  One A-line at a time in scratch that stays in the L1 cache.
 */
#include "oct-cpu-fftw.h"
#include "oct-cpu-half.h"
#include "oct-cpu-private.h"
#include "oct-cpu-vector.h"
#include "oct-params.h"
#include "oct-simd.h"

#include <fftw3.h>
#include <math.h>
#include <string.h>

struct _OctPlan {
  OctSampleFormat format;
  guint samples, lines, length, threads;
  guint depth_start, depth_bins;
  gboolean halved;      /* real A-lines as complex ones of half the length */
  float *window;        /* [samples], with the factors of the transform */
  guint8 *scratch;      /* [threads][scratch_size]: input, then output */
  gsize scratch_size;   /* bytes of one thread */
  gsize output_offset;  /* bytes from the input to the output */
  fftwf_plan transform; /* not halved */
  OctCpuHalf half;      /* halved */
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
  guint i = 0;

  for (; i + OCT_VECTOR <= samples; i += OCT_VECTOR) {
    OctVector w = *(const OctVector *)(window + i);
    const OctVector *from = (const OctVector *)(in + 2 * i);
    OctVector *to = (OctVector *)(out + 2 * i);
    to[0] = from[0] * OCT_PICK (w, w, 0, 0, 1, 1, 2, 2, 3, 3);
    to[1] = from[1] * OCT_PICK (w, w, 4, 4, 5, 5, 6, 6, 7, 7);
  }
  for (; i < samples; i++) {
    out[2 * i] = in[2 * i] * window[i];
    out[2 * i + 1] = in[2 * i + 1] * window[i];
  }
}

static void
apply_params (OctPlan *plan, const OctFftParams *params)
{
  double scale = (plan->halved ? 0.5 : 1) / sqrt (plan->samples);

  plan->depth_start = params->depth_start;
  plan->depth_bins = params->depth_bins;
  for (guint i = 0; i < plan->samples; i++)
    plan->window[i] = (float)(scale * params->window[i]);
}

static gboolean
make_transform (OctPlan *plan, GError **error)
{
  OctCpuFftwKind kind = plan->format == OCT_SAMPLE_F32
                            ? OCT_CPU_FFTW_REAL_TO_COMPLEX
                            : OCT_CPU_FFTW_FORWARD;

  if (plan->halved) {
    if (!oct_cpu_half_init (&plan->half, plan->length, error))
      return FALSE;
  } else {
    plan->transform = oct_cpu_fftw_plan (kind, plan->length, error);
    if (plan->transform == NULL)
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
  oct_cpu_free (plan->window);
  oct_cpu_half_clear (&plan->half);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static OctPlan *
fft_create (gconstpointer data, GError **error)
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
  plan->halved = plan->format == OCT_SAMPLE_F32 && plan->length % 2 == 0;
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
      || !oct_check_fft (params, NULL))
    return FALSE;
  apply_params (plan, params);
  return TRUE;
}

static void
transform_line (
    const OctPlan *plan, guint8 *scratch, const float *in, float *out)
{
  fftwf_complex *spectrum = (fftwf_complex *)(scratch + plan->output_offset);
  float *windowed = (float *)scratch;

  if (plan->format == OCT_SAMPLE_CF32) {
    apply_window_complex (in, plan->window, plan->samples, windowed);
    fftwf_execute_dft (plan->transform, (fftwf_complex *)scratch, spectrum);
  } else {
    apply_window_real (in, plan->window, plan->samples, windowed);
    if (plan->halved) {
      oct_cpu_half_run (&plan->half, windowed, spectrum, plan->depth_start,
          plan->depth_bins, NULL, out);
      return;
    }
    fftwf_execute_dft_r2c (plan->transform, windowed, spectrum);
  }
  memcpy (out, spectrum + plan->depth_start,
      plan->depth_bins * sizeof (fftwf_complex));
}

static void
transform_lines (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;

  for (guint line = first; line < end; line++)
    transform_line (plan, plan->scratch + (gsize)thread * plan->scratch_size,
        oct_cpu_row (loop->from, line), oct_cpu_row (loop->to, line));
}

static gboolean
fft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan, .from = from, .to = to };

  if (!oct_cpu_check_plane (
          from, plan->samples * oct_sample_format_size (plan->format), error)
      || !oct_cpu_check_plane (
          to, plan->depth_bins * sizeof (fftwf_complex), error))
    return FALSE;
  oct_parallel_for (plan->lines, OCT_CPU_GRAIN, oct_cpu_threads (plan->threads),
      transform_lines, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_fft = {
  .name = "fft",
  .create = fft_create,
  .update = fft_update,
  .run = fft_run,
  .destroy = fft_destroy,
};
