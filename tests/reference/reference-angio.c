/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion in repeated B-scans: docs/elements/octangio.md.
 */
#include "reference-plan.h"

#include <math.h>

#define BANDS 8
#define PLACES 16
#define SLOPE 1.3
#define BINS (160 * 16 + 2)

/* Sums over the repeats of a pixel in which it is neither zero nor without end,
 * in two passes: their mean before the differences from it. */
typedef struct {
  guint n;
  double power, residual, difference, amplitude;
  /* of products of consecutive repeats: of phases alone; mean power of a pair */
  double phase_re, phase_im, product_re, product_im, pair;
} Pixel;

static gboolean
angio_counts (Complex a)
{
  return isfinite (creal (a)) && isfinite (cimag (a)) && a != 0;
}

static double
angio_power (Complex a)
{
  return creal (a) * creal (a) + cimag (a) * cimag (a);
}

static void
angio_add_pair (Pixel *pixel, Complex before, Complex a)
{
  Complex product = a * conj (before), phase = product / cabs (product);
  double pairs = pixel->n - 1;

  pixel->difference += angio_power (a - before) / 2 / pairs;
  pixel->phase_re += creal (phase) / pairs;
  pixel->phase_im += cimag (phase) / pairs;
  pixel->product_re += creal (product) / pairs;
  pixel->product_im += cimag (product) / pairs;
  pixel->pair += (angio_power (a) + angio_power (before)) / 2 / pairs;
}

static Pixel
angio_find_pixel (const OctReference *plan, gsize at)
{
  Complex mean = 0, before = 0;
  double amplitude = 0;
  Pixel pixel = { 0 };
  guint k = 0;

  for (GList *link = plan->past.head; link != NULL; link = link->next) {
    Complex a = ((const Complex *)link->data)[at];

    if (!angio_counts (a))
      continue;
    pixel.n++;
    mean += a;
    amplitude += cabs (a);
    pixel.power += angio_power (a);
  }
  if (pixel.n > 0) {
    mean /= pixel.n;
    amplitude /= pixel.n;
    pixel.power /= pixel.n;
  }
  if (pixel.n < 2)
    return pixel;
  for (GList *link = plan->past.head; link != NULL; link = link->next) {
    Complex a = ((const Complex *)link->data)[at];

    if (!angio_counts (a))
      continue;
    pixel.residual += angio_power (a - mean) / (pixel.n - 1);
    pixel.amplitude += pow (cabs (a) - amplitude, 2) / pixel.n;
    if (k++ > 0)
      angio_add_pair (&pixel, before, a);
    before = a;
  }
  return pixel;
}

/* ------------------------------------------------------------------- medians
 */

static guint
angio_bin (double value)
{
  int exponent;
  double mantissa;

  if (!(value >= ldexp (1, -80)))
    return 0;
  if (value >= ldexp (1, 80))
    return BINS - 1;
  mantissa = 2 * frexp (value, &exponent); /* 1 .. 2 */
  return 1 + 16 * (guint)(exponent - 1 + 80) + (guint)(16 * (mantissa - 1));
}

/* Half of the values are below it, those of a bin in even steps. */
static double
angio_median (const guint *counts)
{
  double total = 0, before = 0;
  guint bin = 0;

  for (guint i = 0; i < BINS; i++)
    total += counts[i];
  while (before + counts[bin] <= total / 2)
    before += counts[bin++];
  if (bin == 0)
    return 0;
  return ldexp (1 + ((bin - 1) % 16 + (total / 2 - before) / counts[bin]) / 16,
      (int)((bin - 1) / 16) - 80);
}

/* Median of a gamma variable of shape k: 1 - e^-x sum_i<k x^i / i! = 1/2. */
static double
angio_gamma_median (guint k)
{
  double low = 0, high = 2. * k;

  for (guint step = 0; step < 100; step++) {
    double x = (low + high) / 2, term = exp (-x), sum = 0;

    for (guint i = 0; i < k; i++) {
      sum += term;
      term *= x / (i + 1);
    }
    if (sum > 0.5)
      low = x;
    else
      high = x;
  }
  return low;
}

/* ------------------------------------------------------------------- values */

static void
angio_find_noise (OctReference *plan, const Pixel *pixels)
{
  const OctAngioParams *p = plan->params;
  guint lines = p->lines / OCT_BSCANS (p), shape;
  double lowest = INFINITY, sum = 0, count = 0;

  for (guint band = 0; band < BANDS; band++) {
    g_autofree guint *counts = g_new0 (guint, BINS);
    guint first = (guint)((guint64)p->depth_bins * band / BANDS);
    guint end = (guint)((guint64)p->depth_bins * (band + 1) / BANDS);
    guint some = 0;

    for (guint line = 0; line < lines; line++)
      for (guint i = first; i < end; i++) {
        const Pixel *pixel = &pixels[(gsize)line * p->depth_bins + i];

        if (pixel->n < 2)
          continue;
        counts[angio_bin (pixel->residual)]++;
        some++;
        sum += pixel->n;
      }
    count += some;
    if (some > 0)
      lowest = MIN (lowest, angio_median (counts));
  }
  if (count == 0)
    return;
  shape = MAX (2, (guint)floor (sum / count + 0.5)) - 1;
  plan->noise_images = MIN (PLACES, plan->noise_images + 1);
  plan->noise += (lowest * shape / angio_gamma_median (shape) - plan->noise)
                 / plan->noise_images;
}

/* W of a member, at `offset` in Pixel. */
static double
angio_window (const OctAngioParams *p, const Pixel *pixels, guint line, guint i,
    gsize offset)
{
  gint lines = (gint)(p->lines / OCT_BSCANS (p));
  gint across = (gint)p->window_lines / 2, deep = (gint)p->window_bins / 2;
  double sum = 0, count = 0;

  for (gint x = MAX (0, (gint)line - across);
       x <= MIN (lines - 1, (gint)line + across); x++)
    for (gint q = MAX (0, (gint)i - deep);
         q <= MIN ((gint)p->depth_bins - 1, (gint)i + deep); q++) {
      sum += G_STRUCT_MEMBER (
          double, &pixels[x * (gint)p->depth_bins + q], offset);
      count++;
    }
  return sum / count;
}

static double
angio_ratio (double a, double b)
{
  return b > 0 ? a / b : 0;
}

/* 0 .. 1 */
static double
angio_decibels (const OctAngioParams *p, double ratio)
{
  return (10 * log10 (MAX (ratio, 1e-20)) - p->min) / (p->max - p->min);
}

static double
angio_show (const OctAngioParams *p, double R, double P, double mean,
    double other, double s2, double e)
{
  double d = s2 + e * P;

  switch (p->method) {
  case OCT_ANGIO_FLOW:
    return angio_ratio (pow (MAX (0, R - d), 2), R * P);
  case OCT_ANGIO_INDEX:
    return angio_decibels (p, angio_ratio (R, d));
  case OCT_ANGIO_NOISE_IMMUNE:
    return P - s2 < 0.5 * s2 ? 0 : angio_ratio (R - s2, P - s2);
  case OCT_ANGIO_ID_MASK:
    return R > SLOPE * s2 ? angio_ratio (R, P) : 0;
  case OCT_ANGIO_PHASE_VARIANCE:
    return mean == 0 && other == 0 ? 0 : 1 - hypot (mean, other);
  case OCT_ANGIO_CDV:
    return P > 0 ? 1 - hypot (mean, other) / P : 0;
  default:
    return angio_decibels (p, angio_ratio (mean, s2));
  }
}

static gsize
angio_get_member (OctAngioMethod method)
{
  switch (method) {
  case OCT_ANGIO_COMPLEX_DIFFERENCE:
    return G_STRUCT_OFFSET (Pixel, difference);
  case OCT_ANGIO_SPECKLE_VARIANCE:
    return G_STRUCT_OFFSET (Pixel, amplitude);
  case OCT_ANGIO_PHASE_VARIANCE:
    return G_STRUCT_OFFSET (Pixel, phase_re);
  case OCT_ANGIO_CDV:
    return G_STRUCT_OFFSET (Pixel, product_re);
  default:
    return G_STRUCT_OFFSET (Pixel, residual);
  }
}

/* The imaginary part of products. */
static gsize
angio_get_other (OctAngioMethod method)
{
  return method == OCT_ANGIO_CDV ? G_STRUCT_OFFSET (Pixel, product_im)
                                 : G_STRUCT_OFFSET (Pixel, phase_im);
}

/* How much still tissue changes. */
static double
angio_find_still (const OctAngioParams *p, const double *R, const double *P,
    gsize values, double s2)
{
  g_autofree guint *counts = g_new0 (guint, BINS);
  gboolean any = FALSE;

  for (gsize i = 0; i < values; i++)
    if (P[i] > 10 * s2) {
      counts[angio_bin ((R[i] - s2) / P[i])]++;
      any = TRUE;
    }
  return any ? MAX (p->still, angio_median (counts)) : p->still;
}

/* One image, not rounded: [depth_bins][lines]. */
static void
angio_make_image (OctReference *plan, Complex *out)
{
  const OctAngioParams *p = plan->params;
  guint lines = p->lines / OCT_BSCANS (p);
  gsize values = (gsize)lines * p->depth_bins;
  g_autofree Pixel *pixels = g_new (Pixel, values);
  g_autofree double *R = g_new (double, values), *P = g_new (double, values);
  g_autofree double *mean = g_new (double, values);
  g_autofree double *other = g_new (double, values);
  gsize power = p->method == OCT_ANGIO_CDV ? G_STRUCT_OFFSET (Pixel, pair)
                                           : G_STRUCT_OFFSET (Pixel, power);
  double full = p->format == OCT_IMAGE_GRAY16 ? 65535 : 255, s2, e;

  for (gsize i = 0; i < values; i++)
    pixels[i] = angio_find_pixel (plan, i);
  angio_find_noise (plan, pixels);
  s2 = p->noise > 0 ? p->noise : plan->noise;
  for (guint line = 0; line < lines; line++)
    for (guint i = 0; i < p->depth_bins; i++) {
      gsize at = (gsize)line * p->depth_bins + i;

      R[at] =
          angio_window (p, pixels, line, i, G_STRUCT_OFFSET (Pixel, residual));
      P[at] = angio_window (p, pixels, line, i, power);
      mean[at] =
          angio_window (p, pixels, line, i, angio_get_member (p->method));
      other[at] =
          angio_window (p, pixels, line, i, angio_get_other (p->method));
    }
  e = angio_find_still (p, R, P, values, s2);
  for (guint line = 0; line < lines; line++)
    for (guint i = 0; i < p->depth_bins; i++) {
      gsize at = (gsize)line * p->depth_bins + i;
      double shown = angio_show (p, R[at], P[at], mean[at], other[at], s2, e);

      out[(gsize)i * lines + line] = full * CLAMP (shown, 0, 1);
    }
}

void
reference_angio (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctAngioParams *p = plan->params;
  gsize values = (gsize)p->lines / OCT_BSCANS (p) * p->depth_bins;

  for (guint bscan = 0; bscan < OCT_BSCANS (p); bscan++) {
    Complex *repeat = g_memdup2 (in + bscan * values, values * sizeof *repeat);
    gboolean is_block = p->mode == OCT_AVERAGE_BLOCK;
    guint n;

    if (is_block && g_queue_get_length (&plan->past) == p->repeats)
      reference_forget (plan);
    g_queue_push_tail (&plan->past, repeat);
    if (g_queue_get_length (&plan->past) > p->repeats)
      g_free (g_queue_pop_head (&plan->past));
    n = g_queue_get_length (&plan->past);
    plan->found = n;
    if (n >= 2 && (!is_block || n == p->repeats))
      angio_make_image (plan, out + bscan * values);
    else
      for (gsize i = 0; i < values; i++)
        out[bscan * values + i] = 0;
  }
}
