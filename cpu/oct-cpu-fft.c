/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra to A-scans: window, zero padding, unitary FFT along the A-line, crop
 * in depth.  One A-line at a time in scratch that stays in the L1 cache.
 *
 * Real A-lines of even length are transformed as half as many complex values,
 * z[n] = x[2n] + i x[2n+1], Z = FFT (z) of length H = length / 2, and then
 * X[q] = (Z[q] + Z*[H-q]) / 2 - i/2 exp (-2 pi i q / length) (Z[q] - Z*[H-q]):
 * FFTW's complex transforms are more than twice as fast as its real ones.
 */
#include "oct-cpu-fftw.h"
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
  gboolean halved;     /* real A-lines as complex ones of half the length */
  float *window;       /* [samples], with the factors of the transform */
  float *turn_swapped; /* [length / 2] x (c, -c), halved only */
  float *turn;         /* [length / 2] x (s, s), exp (..) = c + i s */
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

/* out[i] = X[first + i] x 2 from the transform of half the length, of which
 * z[half] is a copy of z[0] */
OCT_VECTORISED static void
separate (const float *z, guint half, const float *turn_swapped,
    const float *turn, guint first, guint count, float *restrict out)
{
  const OctVector conjugate = { 1, -1, 1, -1, 1, -1, 1, -1 };
  guint i = 0;

  for (; i + OCT_VECTOR / 2 <= count; i += OCT_VECTOR / 2) {
    gsize at = 2 * (gsize)(first + i);
    OctVector a = *(const OctVector *)(z + at);
    OctVector b = *(const OctVector *)(z + 2 * (gsize)half - at - 6);
    OctVector difference;
    b = OCT_PICK (b, b, 6, 7, 4, 5, 2, 3, 0, 1) * conjugate;
    difference = a - b;
    *(OctVector *)(out + 2 * i) =
        (a + b)
        + OCT_PICK (difference, difference, 1, 0, 3, 2, 5, 4, 7, 6)
              * *(const OctVector *)(turn_swapped + at)
        + difference * *(const OctVector *)(turn + at);
  }
  for (; i < count; i++) {
    gsize at = 2 * (gsize)(first + i);
    const float *a = z + at, *b = z + 2 * (gsize)half - at;
    float real = a[0] - b[0], imaginary = a[1] + b[1];
    out[2 * i] = (a[0] + b[0]) + imaginary * turn_swapped[at] + real * turn[at];
    out[2 * i + 1] =
        (a[1] - b[1]) + real * turn_swapped[at + 1] + imaginary * turn[at];
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

static void
set_turns (OctPlan *plan)
{
  for (guint i = 0; plan->halved && i < plan->length / 2; i++) {
    double angle = -2 * G_PI * i / plan->length;
    plan->turn_swapped[2 * i] = (float)cos (angle);
    plan->turn_swapped[2 * i + 1] = (float)-cos (angle);
    plan->turn[2 * i] = plan->turn[2 * i + 1] = (float)sin (angle);
  }
}

static gboolean
make_transform (OctPlan *plan, GError **error)
{
  if (plan->halved)
    plan->transform =
        oct_cpu_fftw_plan (OCT_CPU_FFTW_FORWARD, plan->length / 2, error);
  else if (plan->format == OCT_SAMPLE_F32)
    plan->transform =
        oct_cpu_fftw_plan (OCT_CPU_FFTW_REAL_TO_COMPLEX, plan->length, error);
  else
    plan->transform =
        oct_cpu_fftw_plan (OCT_CPU_FFTW_FORWARD, plan->length, error);
  if (plan->transform == NULL)
    return FALSE;
  /* run() writes the samples alone, so that the zero padding stays; the
   * transform is out of place and keeps its input */
  memset (plan->scratch, 0, plan->threads * plan->scratch_size);
  return TRUE;
}

static void
fft_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->window);
  oct_cpu_free (plan->turn_swapped);
  oct_cpu_free (plan->turn);
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
      || (plan->halved
          && (!(plan->turn_swapped =
                      oct_cpu_alloc (plan->length, sizeof (float), error))
              || !(plan->turn =
                       oct_cpu_alloc (plan->length, sizeof (float), error))))
      || !make_transform (plan, error)) {
    fft_destroy (plan);
    return NULL;
  }
  set_turns (plan);
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
    if (!plan->halved)
      fftwf_execute_dft_r2c (plan->transform, windowed, spectrum);
  }
  if (plan->halved) {
    guint half = plan->length / 2;
    fftwf_execute_dft (plan->transform, (fftwf_complex *)scratch, spectrum);
    memcpy (spectrum[half], spectrum[0], sizeof (fftwf_complex));
    separate ((const float *)spectrum, half, plan->turn_swapped, plan->turn,
        plan->depth_start, plan->depth_bins, out);
  } else {
    memcpy (out, spectrum + plan->depth_start,
        plan->depth_bins * sizeof (fftwf_complex));
  }
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
