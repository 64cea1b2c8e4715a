/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The score of oct-refine.h, on blocks of A-lines side by side: the spline of
 * each line is computed once, and evaluated at other positions for every k map.
 */
#include "oct-refine.h"

#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-cpu-resampler.h"
#include "oct-curve.h"
#include "oct-number.h"
#include "oct-simd.h"
#include "oct-window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* samples / SMOOTH: half length of the kernel that smooths the light. */
#define SMOOTH 16
/* Limits of the light at the new position of a sample, relative to its own. */
#define LEAST_LIGHT 0.5
#define MOST_LIGHT 2.0

typedef struct {
  const OctAutofocusParams *params;
  guint first, count;  /* bins */
  guint lines, blocks; /* lines that count */
  float *splines;      /* [blocks][size] */
  gsize size;          /* floats of one */
  double *x;           /* [samples] -1 .. 1 */
  double *p2, *p3;     /* [samples] */
  double *window, *envelope, *light;
  double line2[2], line3[2]; /* subtracted from P2 and P3: offset, slope */
  double pivot, spread;

  OctCpuResampler resampler; /* of q2, q3 */
  double q2, q3;
  GError *error;
  float *factors; /* [samples][2] */
  float *values;  /* [samples][2][lane] */
  float *bins;    /* [count][2][lane] */
  OctLanesFft *fft;
  gpointer scratch;
} Refiner;

/* -------------------------------------------------------------------- score
 */

static gboolean
use_map (Refiner *r, double q2, double q3, GError **error)
{
  guint samples = r->params->samples;
  g_autofree double *positions = g_new (double, samples);
  g_autofree double *scale = g_new (double, samples);
  const OctResampleParams params = { samples, OCT_LANES, OCT_RESAMPLE_CUBIC, 1,
    positions };

  if (r->resampler.weights != NULL && r->q2 == q2 && r->q3 == q3)
    return TRUE;
  for (guint i = 0; i < samples; i++) {
    double t = CLAMP (r->x[i] + q2 * r->p2[i] + q3 * r->p3[i], -1, 1);
    double there = oct_curve_interpolate (r->x, r->envelope, samples, t);

    positions[i] = (t + 1) / 2 * (samples - 1);
    scale[i] =
        r->window[i]
        * CLAMP (r->envelope[i] / MAX (there, 1e-30), LEAST_LIGHT, MOST_LIGHT);
  }
  oct_cpu_resampler_clear (&r->resampler);
  memset (&r->resampler, 0, sizeof r->resampler);
  r->q2 = q2;
  r->q3 = q3;
  return oct_cpu_resampler_init (&r->resampler, &params, scale, error);
}

/* Phases on the corrected axis.  c2 and c3 are phases at the pivot: the phase
 * of the correction there is added. */
static void
find_phases (const Refiner *r, const double values[OCT_REFINE_VALUES],
    double *phase2, double *phase3)
{
  *phase2 = values[OCT_REFINE_C2] + G_PI * r->pivot * values[OCT_REFINE_Q2];
  *phase3 = values[OCT_REFINE_C3] + G_PI * r->pivot * values[OCT_REFINE_Q3];
}

/* sums[lane] of the squares of the powers */
OCT_VECTORISED static void
cpu_refine_add_squares (
    const float *restrict bins, guint count, float *restrict sums)
{
  for (guint i = 0; i < count; i++) {
    const float *re = bins + (gsize)i * 2 * OCT_LANES;
    const float *im = re + OCT_LANES;

    for (guint lane = 0; lane < OCT_LANES; lane++) {
      float power = re[lane] * re[lane] + im[lane] * im[lane];

      sums[lane] += power * power;
    }
  }
}

static double
cpu_refine_score_block (Refiner *r, guint block)
{
  float sums[OCT_LANES] __attribute__ ((aligned (64))) = { 0 };
  double sum = 0;

  oct_cpu_resampler_read_complex (&r->resampler, r->splines + block * r->size,
      r->factors, 0, 1, r->params->samples, r->values);
  oct_lanes_fft_run (
      r->fft, r->values, r->bins, r->first, r->count, r->scratch);
  cpu_refine_add_squares (r->bins, r->count, sums);
  for (guint lane = 0; lane < OCT_LANES; lane++)
    if (block * OCT_LANES + lane < r->lines)
      sum += log (MAX ((double)sums[lane], 1e-30));
  return sum;
}

static double
cpu_refine_score (gpointer data, const double values[OCT_REFINE_VALUES])
{
  Refiner *r = data;
  const double *given = r->params->phase;
  double phase2, phase3, sum = 0;

  if (r->error != NULL
      || !use_map (r, values[OCT_REFINE_Q2], values[OCT_REFINE_Q3], &r->error))
    return -INFINITY;
  find_phases (r, values, &phase2, &phase3);
  for (guint n = 0; n < r->params->samples; n++) {
    double x = r->x[n];
    double phase =
        (given != NULL ? given[n] : 0) - x * x * (phase2 + phase3 * x);

    r->factors[2 * n] = (float)cos (phase);
    r->factors[2 * n + 1] = (float)sin (phase);
  }
  for (guint block = 0; block < r->blocks; block++)
    sum += cpu_refine_score_block (r, block);
  return sum / r->lines;
}

/* -------------------------------------------------------------------- lines
 */

static gboolean
cpu_refine_is_finite (const float *values, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += fabs (values[i]);
  return isfinite (sum) && sum > 0;
}

/* Returns the rows of the lines that count, at most OCT_AUTOFOCUS_LINES spread
 * over all.  mean: of these lines, a constant background that is not scored. */
static guint *
choose_lines (Refiner *r, const float *spectra, double *mean)
{
  const OctAutofocusParams *params = r->params;
  guint wanted = MIN (params->lines, OCT_AUTOFOCUS_LINES);
  guint *rows = g_new (guint, MAX (wanted, 1));

  memset (mean, 0, params->samples * sizeof *mean);
  for (guint i = 0; i < wanted; i++) {
    guint row = wanted > 1
                    ? (guint)((guint64)i * (params->lines - 1) / (wanted - 1))
                    : 0;
    const float *spectrum = spectra + (gsize)row * params->samples;

    if (!cpu_refine_is_finite (spectrum, params->samples))
      continue;
    rows[r->lines++] = row;
    for (guint n = 0; n < params->samples; n++)
      mean[n] += spectrum[n];
  }
  for (guint n = 0; n < params->samples; n++)
    mean[n] /= MAX (r->lines, 1);
  return rows;
}

/* Stores a line minus the mean, with unit power, and adds it to the light. */
static void
load_line (Refiner *r, guint line, const float *spectrum, const double *mean)
{
  guint samples = r->params->samples, lane = line % OCT_LANES;
  float *to = r->splines + line / OCT_LANES * r->size
              + OCT_CPU_RESAMPLER_GUARD * OCT_LANES + lane;
  double power = 0, scale;

  for (guint n = 0; n < samples; n++)
    power += (spectrum[n] - mean[n]) * (spectrum[n] - mean[n]);
  scale = power > 0 ? 1 / sqrt (power) : 0;
  for (guint n = 0; n < samples; n++) {
    double value = (spectrum[n] - mean[n]) * scale;

    to[(gsize)n * OCT_LANES] = (float)value;
    r->light[n] += value * value / r->lines;
  }
}

/* shape = x^order minus its line fitted with the light as weights: offset,
 * slope. */
static void
make_shape (Refiner *r, guint order, double *shape, double line[2])
{
  guint samples = r->params->samples;
  g_autofree double *power = g_new (double, samples);

  for (guint n = 0; n < samples; n++)
    power[n] = pow (r->x[n], order);
  oct_curve_fit_line (r->x, power, r->light, samples, &line[0], &line[1]);
  for (guint n = 0; n < samples; n++)
    shape[n] = power[n] - line[0] - line[1] * r->x[n];
}

static void
cpu_refine_measure_light (Refiner *r)
{
  guint samples = r->params->samples;
  g_autofree double complex *power = g_new (double complex, samples);
  g_autofree double complex *smooth = g_new (double complex, samples);

  for (guint n = 0; n < samples; n++)
    power[n] = r->light[n];
  oct_curve_smooth (power, samples, MAX (samples / SMOOTH, 1), smooth);
  for (guint n = 0; n < samples; n++) {
    double light = MAX (creal (smooth[n]), 0);

    r->envelope[n] = sqrt (light);
    r->light[n] = light * r->window[n] * r->window[n];
  }
  make_shape (r, 2, r->p2, r->line2);
  make_shape (r, 3, r->p3, r->line3);
}

static int
cpu_refine_compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The mean depth of the light and its spread, of the lines' powers above noise.
 */
static void
measure_depths (Refiner *r, const double *powers)
{
  g_autofree double *sorted = g_memdup2 (powers, r->count * sizeof *powers);
  double sum = 0, moment = 0, square = 0, noise;

  qsort (sorted, r->count, sizeof *sorted, cpu_refine_compare_doubles);
  noise = sorted[r->count / 2];
  for (guint i = 0; i < r->count; i++) {
    double above = MAX (powers[i] - 2 * noise, 0);

    sum += above;
    moment += above * (r->first + i);
  }
  r->pivot = sum > 0 ? moment / sum : r->first;
  for (guint i = 0; i < r->count; i++)
    square += MAX (powers[i] - 2 * noise, 0) * pow (r->first + i - r->pivot, 2);
  r->spread = sum > 0 ? sqrt (square / sum) / r->pivot : 0;
}

static gboolean
find_depths (Refiner *r, GError **error)
{
  g_autofree double *powers = g_new0 (double, r->count);

  if (!use_map (r, 0, 0, error))
    return FALSE;
  for (guint n = 0; n < r->params->samples; n++) {
    r->factors[2 * n] = 1;
    r->factors[2 * n + 1] = 0;
  }
  for (guint block = 0; block < r->blocks; block++) {
    double sums[OCT_LANES] = { 0 };

    oct_cpu_resampler_read_complex (&r->resampler, r->splines + block * r->size,
        r->factors, 0, 1, r->params->samples, r->values);
    oct_lanes_fft_run (
        r->fft, r->values, r->bins, r->first, r->count, r->scratch);
    for (guint pass = 0; pass < 2; pass++)
      for (guint i = 0; i < r->count; i++)
        for (guint lane = 0;
             lane < OCT_LANES && block * OCT_LANES + lane < r->lines; lane++) {
          const float *re = r->bins + (gsize)i * 2 * OCT_LANES + lane;
          double power =
              (double)re[0] * re[0] + (double)re[OCT_LANES] * re[OCT_LANES];

          if (pass == 0)
            sums[lane] += power;
          else if (sums[lane] > 0)
            powers[i] += power / sums[lane] / r->lines;
        }
  }
  measure_depths (r, powers);
  return TRUE;
}

static gboolean
cpu_refine_load (Refiner *r, const float *spectra, GError **error)
{
  const OctAutofocusParams *params = r->params;
  g_autofree double *mean = g_new (double, params->samples);
  g_autofree guint *rows = choose_lines (r, spectra, mean);

  r->blocks = (r->lines + OCT_LANES - 1) / OCT_LANES;
  memset (r->splines, 0, r->blocks * r->size * sizeof (float));
  for (guint line = 0; line < r->lines; line++)
    load_line (r, line, spectra + (gsize)rows[line] * params->samples, mean);
  cpu_refine_measure_light (r);
  for (guint block = 0; block < r->blocks; block++)
    oct_cpu_resampler_prepare (
        &r->resampler, r->splines + block * r->size, NULL);
  return find_depths (r, error);
}

/* ------------------------------------------------------------ begin and end
 */

static void
cpu_refine_clear (Refiner *r)
{
  oct_cpu_free (r->splines);
  oct_cpu_free (r->factors);
  oct_cpu_free (r->values);
  oct_cpu_free (r->bins);
  oct_cpu_free (r->scratch);
  oct_lanes_fft_free (r->fft);
  oct_cpu_resampler_clear (&r->resampler);
  g_free (r->x);
  g_free (r->p2);
  g_free (r->p3);
  g_free (r->window);
  g_free (r->envelope);
  g_free (r->light);
  g_clear_error (&r->error);
}

static void
make_axis (Refiner *r)
{
  guint samples = r->params->samples;

  r->x = g_new (double, samples);
  r->p2 = g_new0 (double, samples);
  r->p3 = g_new0 (double, samples);
  r->window = g_new (double, samples);
  r->envelope = g_new (double, samples);
  r->light = g_new0 (double, samples);
  for (guint n = 0; n < samples; n++) {
    r->x[n] = 2.0 * n / (samples - 1) - 1;
    r->envelope[n] = 1;
  }
  oct_window_fill (OCT_WINDOW_HANN, samples, NULL, r->window);
}

static gboolean
cpu_refine_make (Refiner *r, const OctAutofocusParams *params, GError **error)
{
  const gsize lanes = OCT_LANES * sizeof (float);
  guint most = MIN (params->lines, OCT_AUTOFOCUS_LINES);
  guint end = params->end > 0 ? MIN (params->end, params->samples / 2)
                              : params->samples / 2;

  r->params = params;
  r->first = params->first;
  r->count = end - params->first;
  make_axis (r);
  if (!use_map (r, 0, 0, error))
    return FALSE;
  r->size = oct_cpu_resampler_size (&r->resampler);
  return (r->splines =
                 oct_cpu_alloc ((most + OCT_LANES - 1) / OCT_LANES * r->size,
                     sizeof (float), error))
         && (r->factors =
                 oct_cpu_alloc (params->samples, 2 * sizeof (float), error))
         && (r->values = oct_cpu_alloc (params->samples, 2 * lanes, error))
         && (r->bins = oct_cpu_alloc (r->count, 2 * lanes, error))
         && (r->fft = oct_lanes_fft_new (params->samples, FALSE, error))
         && (r->scratch =
                 oct_cpu_alloc (1, oct_lanes_fft_scratch (r->fft), error));
}

static void
cpu_refine_describe (const Refiner *r, OctRefine *found)
{
  double q2 = found->values[OCT_REFINE_Q2], q3 = found->values[OCT_REFINE_Q3];
  double light = 0, square = 0;

  find_phases (r, found->values, &found->phase2, &found->phase3);
  found->warp[0] = -q2 * r->line2[0] - q3 * r->line3[0];
  found->warp[1] = -q2 * r->line2[1] - q3 * r->line3[1];
  found->warp[2] = q2;
  found->warp[3] = q3;
  for (guint n = 0; n < r->params->samples; n++) {
    double shift = q2 * r->p2[n] + q3 * r->p3[n];

    light += r->light[n];
    square += r->light[n] * shift * shift;
  }
  found->change = sqrt (square / light) * G_PI * 100;
}

static gboolean
check_spread (const Refiner *r, GError **error)
{
  g_autofree char *spread =
      oct_number_beside (100 * r->spread, 100 * OCT_REFINE_LEAST_SPREAD, 0);

  if (r->spread >= OCT_REFINE_LEAST_SPREAD)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "This scene cannot tell wrong wavenumbers from dispersion: its light "
      "comes from depths close together (around bin %.0f, %s %% of that to "
      "either side, and %.0f %% are needed); look at something that shows from "
      "near the zero delay to deep, or calibrate with a mirror at two depths "
      "(oct-calibrate).",
      r->pivot, spread, 100 * OCT_REFINE_LEAST_SPREAD);
  return FALSE;
}

gboolean
oct_refine_find (const OctAutofocusParams *params, const float *spectra,
    OctRefine *found, GError **error)
{
  OctAutofocusParams third = *params;
  OctAutofocus focus = { 0 };
  Refiner r = { 0 };
  gboolean ok;

  *found = (OctRefine){ { 0 } };
  third.third = TRUE;
  if (!oct_autofocus_find (&third, spectra, &focus, error)
      || !oct_autofocus_check (&focus, error))
    return FALSE;
  ok = cpu_refine_make (&r, params, error)
       && cpu_refine_load (&r, spectra, error);
  found->lines = r.lines;
  found->pivot = r.pivot;
  found->spread = r.spread;
  ok = ok && check_spread (&r, error)
       && oct_refine_search (
           cpu_refine_score, &r, focus.c2, focus.c3, params->cancelled, found);
  if (ok && r.error != NULL) {
    g_propagate_error (error, g_steal_pointer (&r.error));
    ok = FALSE;
  }
  if (ok)
    cpu_refine_describe (&r, found);
  cpu_refine_clear (&r);
  return ok;
}
