/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-kclock.h"

#include "oct-params.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- checks */

static gboolean
kclock_check_numbers (const OctKclockParams *p, GError **error)
{
  if ((guint)p->method <= OCT_KCLOCK_AUTO && p->order <= OCT_KCLOCK_MOST_ORDER
      && p->average >= 1 && p->average <= OCT_KCLOCK_MOST_AVERAGE
      && p->max_jitter >= 0 && p->max_jitter <= OCT_KCLOCK_MOST_JITTER
      && isfinite (p->min_snr) && fabs (p->delay) <= OCT_KCLOCK_MOST_DELAY)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "order=%u, average=%u, max-jitter=%g, min-snr=%g and delay=%g of a "
      "k-clock were asked for; set `order` up to %d, `average` to 1 to %d, "
      "`max-jitter` to 0 to %g and `delay` to %g to %g samples.",
      p->order, p->average, p->max_jitter, p->min_snr, p->delay,
      OCT_KCLOCK_MOST_ORDER, OCT_KCLOCK_MOST_AVERAGE, OCT_KCLOCK_MOST_JITTER,
      -OCT_KCLOCK_MOST_DELAY, OCT_KCLOCK_MOST_DELAY);
  return FALSE;
}

gboolean
oct_check_kclock (const OctKclockParams *p, GError **error)
{
  if (p->samples < OCT_KCLOCK_LEAST_SAMPLES
      || p->samples > OCT_MAX_SAMPLES / 2) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A-lines of %u samples and as many of a k-clock came, %d to %u of "
        "either were expected; set the number of samples of the digitizer to "
        "one of these.",
        p->samples, OCT_KCLOCK_LEAST_SAMPLES, OCT_MAX_SAMPLES / 2);
    return FALSE;
  }
  if (p->format != OCT_SAMPLE_U8 && p->format != OCT_SAMPLE_U16
      && p->format != OCT_SAMPLE_F32) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A k-clock in samples of format %d cannot be read: they must be 8 bit, "
        "16 bit or 32 bit float.",
        p->format);
    return FALSE;
  }
  return oct_check_size (2 * p->samples, p->lines, error)
         && oct_check_bscans (p->bscans, p->lines, error)
         && kclock_check_numbers (p, error);
}

gboolean
oct_kclock_is_same (const OctKclockParams *a, const OctKclockParams *b)
{
  return a->format == b->format && a->samples == b->samples
         && a->lines == b->lines && a->average == b->average;
}

guint
oct_kclock_length (guint samples)
{
  for (guint length = (samples + 2 * OCT_KCLOCK_PAD + 1) / 2 * 2;;
       length += 2) {
    guint rest = length;

    for (guint prime = 2; prime <= 7; prime++)
      while (rest % prime == 0)
        rest /= prime;
    if (rest == 1)
      return length;
  }
}

guint
oct_kclock_first_lines (const OctKclockParams *params)
{
  return MIN (OCT_KCLOCK_FIRST_LINES, MIN (params->average, params->lines));
}

/* ------------------------------------------------------------- interpolation */

/* The modified Bessel function of order 0, by its power series. */
static double
kclock_bessel (double x)
{
  double term = 1, sum = 1;

  for (guint i = 1; term > 1e-17 * sum; i++) {
    term *= x * x / 4 / ((double)i * i);
    sum += term;
  }
  return sum;
}

static double
kclock_weight (double d)
{
  double half = OCT_KCLOCK_TAPS / 2.0, r = d / half;
  double sinc = d == 0 ? 1 : sin (G_PI * d) / (G_PI * d);

  return fabs (r) >= 1
             ? 0
             : sinc * kclock_bessel (OCT_KCLOCK_BETA * sqrt (1 - r * r));
}

void
oct_kclock_fill_kernel (float *kernel)
{
  for (guint phase = 0; phase <= OCT_KCLOCK_PHASES; phase++) {
    double x = (double)phase / OCT_KCLOCK_PHASES, sum = 0;
    double weights[OCT_KCLOCK_TAPS];

    for (gint i = 0; i < OCT_KCLOCK_TAPS; i++)
      sum += weights[i] = kclock_weight (x - (i - (OCT_KCLOCK_TAPS / 2 - 1)));
    for (gint i = 0; i < OCT_KCLOCK_TAPS; i++)
      kernel[phase * OCT_KCLOCK_TAPS + i] = (float)(weights[i] / sum);
  }
}

/* -------------------------------------------------------------------- tables */

/* Beyond its ends the phase goes on as straight lines. */
void
oct_kclock_extend (OctKclock *k)
{
  const gint n = (gint)k->params.samples, e = OCT_KCLOCK_EXTENT;
  double *p = k->phase + e;

  for (gint i = 1; i <= e; i++) {
    p[-i] = p[0] - i * (p[1] - p[0]);
    p[n - 1 + i] = p[n - 1] + i * (p[n - 1] - p[n - 2]);
  }
}

static void
kclock_make_phasors (OctKclock *k)
{
  const guint n = k->params.samples + 2 * OCT_KCLOCK_EXTENT;

  for (guint i = 0; i < n; i++) {
    double before = k->phase[i > 0 ? i - 1 : 0];
    double after = k->phase[i + 1 < n ? i + 1 : i];

    k->cosine[i] = (float)cos (k->phase[i]);
    k->sine[i] = (float)sin (k->phase[i]);
    k->slope[i] = (float)((after - before) / 2);
    k->bend[i] =
        i > 0 && i + 1 < n ? (float)(after + before - 2 * k->phase[i]) : 0;
  }
}

/* |M| over 17 samples, zeros beyond the ends. */
static void
kclock_make_gaps (OctKclock *k)
{
  const gint n = (gint)k->params.samples, half = OCT_KCLOCK_HALF_MEAN;

  for (gint i = 0; i < n; i++) {
    double sum = 0;

    for (gint j = MAX (0, i - half); j <= MIN (n - 1, i + half); j++)
      sum += k->amplitude[j];
    sum *= 0.3 / (2 * half + 1);
    k->gap[i] = k->weight[i] > k->weight_inside ? (float)(sum * sum) : -1;
  }
}

/* The phase `f` samples after sample i, and its slope there: the parabola through
 * the three samples around the nearest one. */
static double
kclock_phase_at (const OctKclock *k, guint i, double f, double *slope)
{
  const double *p = k->phase + OCT_KCLOCK_EXTENT + i + (f > 0.5 ? 1 : 0);
  double d = f > 0.5 ? f - 1 : f, first = (p[1] - p[-1]) / 2;
  double second = p[1] + p[-1] - 2 * p[0];

  *slope = first + d * second;
  return p[0] + d * (first + 0.5 * d * second);
}

/* Where each of the uniform wavenumbers is in the reference. */
static void
kclock_make_places (OctKclock *k)
{
  const guint n = k->params.samples;
  const double *p = k->phase + OCT_KCLOCK_EXTENT;
  guint i = 0;

  for (guint j = 0; j < n; j++) {
    double target = k->first + (k->last - k->first) * j / (n - 1);
    double slope = 1, f;

    while (i + 2 < n && p[i + 1] <= target)
      i++;
    f = (target - p[i]) / MAX (p[i + 1] - p[i], 1e-9);
    for (guint round = 0; round < 2; round++) {
      f = CLAMP (f, -1, 2);
      f -= (kclock_phase_at (k, i, f, &slope) - target) / MAX (slope, 1e-3);
    }
    k->place[j] = (gint32)i;
    k->fraction[j] = (float)CLAMP (f, -1, 2);
    k->inverse[j] = (float)(1 / MAX (slope, 1e-3));
  }
}

void
oct_kclock_make_tables (OctKclock *k)
{
  oct_kclock_extend (k);
  kclock_make_phasors (k);
  kclock_make_gaps (k);
  kclock_make_places (k);
}

void
oct_kclock_renew (OctKclock *k, const double *mean, guint count)
{
  const guint n = k->params.samples;
  double a = MIN (1.0, (double)count / k->params.average);

  for (guint i = 0; count > 0 && i < n; i++) {
    double re = (1 - a) * k->amplitude[i] + a * mean[2 * i];
    double im = a * mean[2 * i + 1];

    k->amplitude[i] = hypot (re, im);
    k->phase[OCT_KCLOCK_EXTENT + i] += atan2 (im, re);
  }
  oct_kclock_make_tables (k);
}

/* ---------------------------------------------------------------- polynomials */

/* Solves a[n][n] x = b[n][m] in place; a is positive definite. */
static void
kclock_eliminate (double (*a)[OCT_KCLOCK_MOST_ORDER + 1],
    double (*b)[OCT_KCLOCK_BLOCKS], guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < n; j++) {
      double factor = a[j][i] / a[i][i];

      if (j == i)
        continue;
      for (guint l = i; l < n; l++)
        a[j][l] -= factor * a[i][l];
      for (guint l = 0; l < OCT_KCLOCK_BLOCKS; l++)
        b[j][l] -= factor * b[i][l];
    }
  for (guint i = 0; i < n; i++)
    for (guint l = 0; l < OCT_KCLOCK_BLOCKS; l++)
      b[i][l] /= a[i][i];
}

static void
kclock_make_fit (OctKclock *k)
{
  const guint terms = k->params.order + 1;
  double t[OCT_KCLOCK_MOST_ORDER + 1][OCT_KCLOCK_BLOCKS];
  double a[OCT_KCLOCK_MOST_ORDER + 1][OCT_KCLOCK_MOST_ORDER + 1] = { { 0 } };
  double b[OCT_KCLOCK_MOST_ORDER + 1][OCT_KCLOCK_BLOCKS];

  memset (k->fit, 0, sizeof k->fit);
  for (guint o = 0; o < terms; o++)
    for (guint i = 0; i < OCT_KCLOCK_BLOCKS; i++) {
      double x = (2.0 * i + 1) / OCT_KCLOCK_BLOCKS - 1;

      t[o][i] = cos (o * acos (x));
      b[o][i] = t[o][i] * k->blocks.weight[i];
    }
  for (guint o = 0; o < terms; o++)
    for (guint q = 0; q < terms; q++)
      for (guint i = 0; i < OCT_KCLOCK_BLOCKS; i++)
        a[o][q] += b[o][i] * t[q][i];
  kclock_eliminate (a, b, terms);
  for (guint o = 0; o < terms; o++)
    for (guint i = 0; i < OCT_KCLOCK_BLOCKS; i++)
      k->fit[o][i] = (float)b[o][i];
}

double
oct_kclock_steepest (const OctKclock *k)
{
  const double *p = k->phase + OCT_KCLOCK_EXTENT;
  double steepest = 0;

  for (guint i = 0; i + 1 < k->params.samples; i++)
    steepest = MAX (steepest, p[i + 1] - p[i]);
  return steepest;
}

void
oct_kclock_choose (OctKclock *k)
{
  double deepest = k->params.samples * G_PI / (k->last - k->first);

  k->blocks.cycles = k->params.max_jitter * oct_kclock_steepest (k) > G_PI;
  k->method = k->params.method;
  if (k->method == OCT_KCLOCK_AUTO)
    k->method = k->excess * deepest < 0.1 ? OCT_KCLOCK_STATIC : OCT_KCLOCK_FIT;
  kclock_make_fit (k);
}

void
oct_kclock_set_params (OctKclock *k, const OctKclockParams *params)
{
  k->params = *params;
  if (k->found)
    oct_kclock_choose (k);
}
