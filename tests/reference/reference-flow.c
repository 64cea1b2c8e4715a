/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion and fluctuations: docs/elements/octdoppler.md and octdynamic.md, by
 * direct sums.
 */
#include "reference-plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Complex
flow_value (Complex a)
{
  double power = creal (a) * creal (a) + cimag (a) * cimag (a);

  return power <= OCT_FLOW_MOST ? a : 0;
}

static double
flow_power (Complex a)
{
  return creal (a) * creal (a) + cimag (a) * cimag (a);
}

static Complex *
flow_copy (const Complex *in, gsize n)
{
  Complex *copy = g_new (Complex, n);

  for (gsize i = 0; i < n; i++)
    copy[i] = flow_value (in[i]);
  return copy;
}

/* Sum over the window around value q of line x, of those that there are. */
static Complex
flow_window (const Complex *map, guint lines, guint bins, guint x, guint q,
    guint window_lines, guint window_bins)
{
  gint half = (gint)window_lines / 2, wide = (gint)window_bins / 2;
  Complex sum = 0;

  for (gint i = (gint)x - half; i <= (gint)x + half; i++)
    for (gint j = (gint)q - wide; j <= (gint)q + wide; j++)
      if (i >= 0 && i < (gint)lines && j >= 0 && j < (gint)bins)
        sum += map[(gsize)i * bins + j];
  return sum;
}

/* The lowest mean of eight bands of depth. */
static double
flow_lowest_band (const double *power, guint lines, guint bins)
{
  guint size = bins / OCT_FLOW_BANDS;
  double lowest = INFINITY;

  if (size == 0)
    return 0;
  for (guint band = 0; band < OCT_FLOW_BANDS; band++) {
    double sum = 0;

    for (guint x = 0; x < lines; x++)
      for (guint i = 0; i < size; i++)
        sum += power[(gsize)x * bins + band * size + i];
    lowest = fmin (lowest, sum / ((double)lines * size));
  }
  return lowest;
}

/* ------------------------------------------------------------------- Doppler
 */

/* The phase of the tissue, of line x of the products. */
static double
bulk_phase (
    const Complex *c, guint lines, guint bins, guint x, guint bulk_lines)
{
  const gint n = OCT_DOPPLER_BULK;
  double histogram[OCT_DOPPLER_BULK] = { 0 }, smooth[OCT_DOPPLER_BULK];
  double l, r, shift;
  gint at = 0, half = (gint)bulk_lines / 2;

  if (bulk_lines == 0)
    return 0;
  for (gint i = (gint)x - half; i <= (gint)x + half; i++)
    for (guint q = 0; i >= 0 && i < (gint)lines && q < bins; q++) {
      Complex v = c[(gsize)i * bins + q];
      /* 0 in the middle of the first bin */
      double place = (carg (v) + G_PI) / (2 * G_PI) * n - 0.5;
      gint bin = (gint)floor (place);

      histogram[(bin + n) % n] += cabs (v) * (1 - (place - bin));
      histogram[(bin + 1) % n] += cabs (v) * (place - bin);
    }
  for (gint i = 0; i < n; i++)
    smooth[i] =
        2 * histogram[i] + histogram[(i + 1) % n] + histogram[(i + n - 1) % n];
  for (gint i = 0; i < n; i++)
    if (smooth[i] > smooth[at])
      at = i;
  if (smooth[at] == 0)
    return 0;
  l = log (smooth[(at + n - 1) % n] / smooth[at]);
  r = log (smooth[(at + 1) % n] / smooth[at]);
  shift =
      isfinite (l) && isfinite (r) && l + r < 0 ? 0.5 * (l - r) / (l + r) : 0;
  return (at + 0.5 + shift) * 2 * G_PI / n - G_PI;
}

/* Products of a with b, turned back, and powers, added to the sums. */
static void
add_pairs (const OctDopplerParams *p, const Complex *a, const Complex *b,
    guint lines, Complex *c, double *power)
{
  guint bins = p->depth_bins;
  gsize n = (gsize)lines * bins;
  g_autofree Complex *products = g_new (Complex, n + 1);

  for (gsize i = 0; i < n; i++)
    products[i] = b[i] * conj (a[i]);
  for (guint x = 0; x < lines; x++) {
    double bulk = bulk_phase (products, lines, bins, x, p->bulk_lines);

    for (gsize i = (gsize)x * bins; i < (gsize)(x + 1) * bins; i++) {
      c[i] += products[i] * cexp (-I * bulk);
      power[i] += (flow_power (a[i]) + flow_power (b[i])) / 2;
    }
  }
}

static double
flow_wrap (double phase)
{
  return phase - 2 * G_PI * rint (phase / (2 * G_PI));
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The median of the values that are still, or are not. */
static double
flow_median (const double *values, const gboolean *still, gboolean of, gsize n)
{
  g_autofree double *some = g_new (double, n);
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    if (still[i] == of)
      some[count++] = values[i];
  if (count == 0)
    return 0;
  qsort (some, count, sizeof *some, compare_doubles);
  return (some[(count - 1) / 2] + some[count / 2]) / 2;
}

/* c[k] = sum_j x[j] cos (pi k (2 j + 1) / (2 n)) along one direction, or back. */
static void
flow_cosines (double *x, guint n, gsize step, gboolean back)
{
  g_autofree double *result = g_new0 (double, n);

  for (guint k = 0; k < n; k++)
    for (guint j = 0; j < n; j++) {
      guint bin = back ? j : k, at = back ? k : j;
      double scale = !back ? 1 : (bin == 0 ? 1. : 2.) / n;

      result[k] +=
          scale * x[j * step] * cos (G_PI * bin * (2 * at + 1) / (2 * n));
    }
  for (guint k = 0; k < n; k++)
    x[k * step] = result[k];
}

static void
flow_cosines_of_all (double *x, guint lines, guint bins, gboolean back)
{
  for (guint i = 0; i < bins; i++)
    flow_cosines (x + i, lines, bins, back);
  for (guint i = 0; i < lines; i++)
    flow_cosines (x + (gsize)i * bins, bins, 1, back);
}

static void
unwrap_phases (double *phase, const gboolean *still, guint lines, guint bins)
{
  gsize n = (gsize)lines * bins;
  g_autofree double *u = g_new0 (double, n);
  double median;

  for (guint x = 0; x < lines; x++)
    for (guint q = 0; q < bins; q++) {
      gsize i = (gsize)x * bins + q;

      if (x + 1 < lines) {
        double step = flow_wrap (phase[i + bins] - phase[i]);
        u[i] += step;
        u[i + bins] -= step;
      }
      if (q + 1 < bins) {
        double step = flow_wrap (phase[i + 1] - phase[i]);
        u[i] += step;
        u[i + 1] -= step;
      }
    }
  flow_cosines_of_all (u, lines, bins, FALSE);
  for (guint x = 0; x < lines; x++)
    for (guint q = 0; q < bins; q++)
      u[(gsize)x * bins + q] /=
          x + q == 0
              ? INFINITY
              : 2 * cos (G_PI * x / lines) + 2 * cos (G_PI * q / bins) - 4;
  flow_cosines_of_all (u, lines, bins, TRUE);
  median = flow_median (u, still, TRUE, n);
  for (gsize i = 0; i < n; i++)
    phase[i] += 2 * G_PI * rint ((u[i] - median - phase[i]) / (2 * G_PI));
  median = 2 * G_PI * rint (flow_median (phase, still, FALSE, n) / (2 * G_PI));
  for (gsize i = 0; i < n; i++)
    phase[i] = still[i] ? 0 : phase[i] - median;
}

/* Phases, or variances, of the sums of `pairs` products of each value. */
static void
finish_doppler (const OctDopplerParams *p, const Complex *c,
    const double *power, guint lines, guint pairs, double *result)
{
  guint bins = p->depth_bins;
  gsize n = (gsize)lines * bins;
  g_autofree gboolean *still = g_new0 (gboolean, n);
  g_autofree Complex *above = g_new (Complex, n);
  g_autofree Complex *whole = g_new (Complex, n);
  double noise =
      p->noise > 0 ? p->noise * pairs : flow_lowest_band (power, lines, bins);

  for (gsize i = 0; i < n; i++) {
    above[i] = power[i] - noise;
    whole[i] = power[i] - p->least * noise;
  }
  for (guint x = 0; x < lines; x++)
    for (guint q = 0; q < bins; q++) {
      gsize i = (gsize)x * bins + q;
#define WINDOW(map)                                                            \
  flow_window (map, lines, bins, x, q, p->window_lines, p->window_bins)
      Complex sum = WINDOW (c);
      double signal = creal (WINDOW (above));

      still[i] = creal (WINDOW (whole)) < 0;
#undef WINDOW
      if (p->quantity == OCT_DOPPLER_VARIANCE)
        result[i] = signal > 0 ? CLAMP (1 - cabs (sum) / signal, 0, 1) : 1;
      else
        result[i] = still[i] || sum == 0 ? 0 : carg (sum);
    }
  if (p->quantity == OCT_DOPPLER_PHASE && p->unwrap)
    unwrap_phases (result, still, lines, bins);
  for (gsize i = 0; p->quantity == OCT_DOPPLER_PHASE && i < n; i++)
    result[i] *= p->scale;
}

/* A grey level that is not rounded, as RGBA three times. */
static void
put_level (OctImageFormat format, double level, gsize pixel, Complex *out)
{
  if (format != OCT_IMAGE_RGBA) {
    out[pixel] = level;
    return;
  }
  for (guint i = 0; i < 3; i++)
    out[4 * pixel + i] = level;
  out[4 * pixel + 3] = 255;
}

/* Values [lines][bins], or grey levels [bins][lines]. */
static void
put_doppler (const OctDopplerParams *p, const double *result, guint lines,
    guint whole, Complex *out)
{
  guint bins = p->depth_bins;

  for (guint x = 0; x < whole; x++)
    for (guint q = 0; q < bins; q++) {
      double v = lines > 0 ? result[(gsize)MIN (x, lines - 1) * bins + q] : 0;

      if (p->values)
        out[(gsize)x * bins + q] = v;
      else
        put_level (p->format,
            p->quantity == OCT_DOPPLER_VARIANCE
                ? 255 * v
                : CLAMP (128 + 127 * v / p->range, 1, 255),
            (gsize)q * whole + x, out);
    }
}

static void
doppler_of_lines (const OctDopplerParams *p, const Complex *a, Complex *out)
{
  guint whole = p->lines / OCT_BSCANS (p), lines = whole - 1;
  gsize n = (gsize)lines * p->depth_bins;
  g_autofree Complex *c = g_new0 (Complex, n + 1);
  g_autofree double *power = g_new0 (double, n + 1);
  g_autofree double *result = g_new0 (double, n + 1);

  if (lines > 0) {
    add_pairs (p, a, a + p->depth_bins, lines, c, power);
    finish_doppler (p, c, power, lines, 1, result);
  }
  put_doppler (p, result, lines, whole, out);
}

/* From all B-scans of the place so far, in `past`. */
static void
doppler_of_repeats (OctReference *plan, const Complex *a, Complex *out)
{
  const OctDopplerParams *p = plan->params;
  gsize n = (gsize)p->lines * p->depth_bins;
  g_autofree Complex *c = g_new0 (Complex, n);
  g_autofree double *power = g_new0 (double, n);
  g_autofree double *result = g_new0 (double, n);
  guint pairs = 0;

  if (g_queue_get_length (&plan->past) >= p->repeats)
    reference_forget (plan);
  g_queue_push_tail (&plan->past, g_memdup2 (a, n * sizeof *a));
  for (GList *link = plan->past.head; link->next != NULL; link = link->next) {
    add_pairs (p, link->data, link->next->data, p->lines, c, power);
    pairs++;
  }
  if (pairs > 0)
    finish_doppler (p, c, power, p->lines, pairs, result);
  put_doppler (p, result, p->lines, p->lines, out);
}

void
reference_doppler (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctDopplerParams *p = plan->params;
  gsize n = (gsize)p->lines / OCT_BSCANS (p) * p->depth_bins;

  for (guint i = 0; i < OCT_BSCANS (p); i++) {
    g_autofree Complex *a = flow_copy (in + i * n, n);

    gsize pixel = !p->values && p->format == OCT_IMAGE_RGBA ? 4 : 1;

    if (p->between == OCT_DOPPLER_LINES)
      doppler_of_lines (p, a, out + i * n * pixel);
    else
      doppler_of_repeats (plan, a, out);
  }
  plan->found =
      p->between == OCT_DOPPLER_LINES ? 1 : g_queue_get_length (&plan->past);
}

/* ------------------------------------------------------------------- dynamic
 */

/* The means of one value over the B-scans so far: V0 and V1. */
static void
find_means (const OctReference *plan, gsize at, double *v0, double *v1)
{
  const OctDynamicParams *p = plan->params;
  double least = 1.0 / p->frames, mean = 0, square = 0, last = 0;
  guint n = 0;

  *v1 = 0;
  for (GList *link = plan->past.head; link != NULL; link = link->next, n++) {
    double x = cabs (((Complex *)link->data)[at]);
    double g = fmax (least, 1.0 / (n + 1));

    mean += g * (x - mean);
    square += g * (x * x - square);
    if (n > 0)
      *v1 += fmax (least, 1.0 / n) * ((x - last) * (x - last) - *v1);
    last = x;
  }
  *v0 = fmax (0, square - mean * mean);
}

/* s2 of the B-scans so far, the same mean of each band. */
static double
dynamic_noise (const OctReference *plan, guint lines)
{
  const OctDynamicParams *p = plan->params;
  gsize n = (gsize)lines * p->depth_bins;
  g_autofree double *power = g_new0 (double, n);
  guint count = 0;

  if (p->noise > 0)
    return p->noise;
  for (GList *link = plan->past.head; link != NULL; link = link->next) {
    double g = fmax (1.0 / p->frames, 1.0 / ++count);

    for (gsize i = 0; i < n; i++)
      power[i] += g * (flow_power (((Complex *)link->data)[i]) - power[i]);
  }
  return flow_lowest_band (power, lines, p->depth_bins);
}

static double
limited (double value)
{
  return CLAMP (value, 0, 1);
}

/* Hue, saturation 1 and brightness to levels. */
static void
put_colour (double hue, double brightness, Complex *out)
{
  double h = 6 * hue;

  out[0] = 255 * brightness * limited (fabs (h - 3) - 1);
  out[1] = 255 * brightness * limited (2 - fabs (h - 2));
  out[2] = 255 * brightness * limited (2 - fabs (h - 4));
  out[3] = 255;
}

static void
put_dynamic (const OctDynamicParams *p, double frequency, double activity,
    guint x, guint q, guint lines, Complex *out)
{
  double v = limited ((activity - p->min) / (p->max - p->min));
  double f = limited (log (fmax (frequency, 1e-300) / p->min_frequency)
                      / log (p->max_frequency / p->min_frequency));
  gsize pixel = (gsize)q * lines + x;

  if (p->values)
    out[(gsize)x * p->depth_bins + q] =
        p->quantity == OCT_DYNAMIC_FREQUENCY ? frequency : activity;
  else if (p->quantity == OCT_DYNAMIC_COLOUR)
    put_colour (2 / 3. * (1 - f), v, out + 4 * pixel);
  else
    put_level (p->format,
        255
            * (p->quantity == OCT_DYNAMIC_ACTIVITY ? v
                : v > 0                            ? f
                                                   : 0),
        pixel, out);
}

static void
finish_dynamic (const OctReference *plan, guint lines, Complex *out)
{
  const OctDynamicParams *p = plan->params;
  guint bins = p->depth_bins;
  gsize n = (gsize)lines * bins;
  g_autofree Complex *v0 = g_new (Complex, n), *v1 = g_new (Complex, n);
  g_autofree Complex *ones = g_new (Complex, n);
  double noise = dynamic_noise (plan, lines) / 2;

  for (gsize i = 0; i < n; i++) {
    double variance, steps;

    find_means (plan, i, &variance, &steps);
    v0[i] = variance;
    v1[i] = steps;
    ones[i] = 1;
  }
  for (guint x = 0; x < lines; x++)
    for (guint q = 0; q < bins; q++) {
#define WINDOW(map)                                                            \
  creal (flow_window (map, lines, bins, x, q, p->window_lines, p->window_bins))
      double w0 = WINDOW (v0), w1 = WINDOW (v1);
      double ratio = noise > 0 ? (w0 / WINDOW (ones) - noise) / noise : 0;
#undef WINDOW
      double frequency =
          w0 > 0
              ? p->rate * acos (CLAMP (1 - w1 / (2 * w0), -1, 1)) / (2 * G_PI)
              : 0;

      put_dynamic (p, frequency,
          ratio > 0 ? fmax (10 * log10 (ratio), OCT_DYNAMIC_DARK)
                    : OCT_DYNAMIC_DARK,
          x, q, lines, out);
    }
}

void
reference_dynamic (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctDynamicParams *p = plan->params;
  guint lines = p->lines / OCT_BSCANS (p);
  gsize n = (gsize)lines * p->depth_bins;
  gsize pixel = !p->values && p->format == OCT_IMAGE_RGBA ? 4 : 1;

  for (guint i = 0; i < OCT_BSCANS (p); i++) {
    if (p->repeats > 0 && g_queue_get_length (&plan->past) >= p->repeats)
      reference_forget (plan);
    g_queue_push_tail (&plan->past, flow_copy (in + i * n, n));
    finish_dynamic (plan, lines, out + i * n * pixel);
  }
  plan->found = g_queue_get_length (&plan->past);
}
