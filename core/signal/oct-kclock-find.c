/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The first reference of a k-clock, in double precision.
 */
#include "oct-kclock.h"

#include "oct-fourier.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define B OCT_KCLOCK_BLOCKS
/* cycles per sample above which a clock may be one that is folded back */
#define FASTEST 0.48
/* cycles of a sweep that say something of its speed */
#define FEWEST 8

struct _OctKclockWork {
  guint most; /* A-lines */
  OctFourier *plain, *padded;
  double complex *line; /* [length] */
  double complex *z;    /* [most][samples] */
  double *power;        /* [samples / 2 + 1] */
  double *smooth, *sorted;
  double complex *mean, *boxed;       /* [samples] */
  float *delays, *errors, *residuals; /* [most], ..., [most][B] */
  double complex *sums;               /* [most][B] */
  float *kept;                        /* [most][samples] */
};

void
oct_kclock_free (OctKclock *k)
{
  struct _OctKclockWork *w = k != NULL ? k->work : NULL;

  if (k == NULL)
    return;
  if (w != NULL) {
    oct_fourier_free (w->plain);
    oct_fourier_free (w->padded);
    g_free (w->line);
    g_free (w->z);
    g_free (w->power);
    g_free (w->smooth);
    g_free (w->sorted);
    g_free (w->mean);
    g_free (w->boxed);
    g_free (w->delays);
    g_free (w->errors);
    g_free (w->residuals);
    g_free (w->sums);
    g_free (w->kept);
  }
  g_free (w);
  g_free (k->phase);
  g_free (k->amplitude);
  g_free (k->weight);
  g_free (k->filter);
  g_free (k->role);
  g_free (k->cosine);
  g_free (k->sine);
  g_free (k->slope);
  g_free (k->bend);
  g_free (k->gap);
  g_free (k->place);
  g_free (k->fraction);
  g_free (k->inverse);
  g_free (k);
}

static struct _OctKclockWork *
kclock_new_work (const OctKclock *k)
{
  const gsize n = k->params.samples, most = oct_kclock_first_lines (&k->params);
  struct _OctKclockWork *w = g_new0 (struct _OctKclockWork, 1);

  w->most = (guint)most;
  w->plain = oct_fourier_new ((guint)n);
  w->padded = oct_fourier_new (k->length);
  w->line = g_new (double complex, k->length);
  w->power = g_new (double, n / 2 + 1);
  w->smooth = g_new (double, n / 2 + 1);
  w->sorted = g_new (double, MAX (n / 2 + 1, most));
  w->mean = g_new (double complex, n);
  w->boxed = g_new (double complex, n);
  w->delays = g_new (float, most);
  w->errors = g_new (float, most);
  w->residuals = g_new (float, most *B);
  w->sums = g_new (double complex, most *B);
  w->kept = g_new (float, most *n);
  w->z = g_try_new (double complex, most *n);
  return w;
}

OctKclock *
oct_kclock_new (const OctKclockParams *params, GError **error)
{
  OctKclock *k = g_new0 (OctKclock, 1);
  const gsize n = params->samples, more = n + 2 * OCT_KCLOCK_EXTENT;

  k->params = *params;
  k->why = OCT_KCLOCK_NONE;
  k->length = oct_kclock_length (params->samples);
  k->phase = g_new0 (double, more);
  k->amplitude = g_new0 (double, n);
  k->weight = g_new0 (float, n);
  k->filter = g_new0 (float, k->length / 2 + 1);
  k->role = g_new0 (gint8, k->length / 2 + 1);
  k->cosine = g_new0 (float, more);
  k->sine = g_new0 (float, more);
  k->slope = g_new0 (float, more);
  k->bend = g_new0 (float, more);
  k->gap = g_new0 (float, n);
  k->place = g_new0 (gint32, n);
  k->fraction = g_new0 (float, n);
  k->inverse = g_new0 (float, n);
  k->work = kclock_new_work (k);
  if (k->work->z != NULL)
    return k;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "There is no memory for %u A-lines of a k-clock of %u samples.",
      k->work->most, params->samples);
  oct_kclock_free (k);
  return NULL;
}

/* ---------------------------------------------------------------------- band */

static int
kclock_compare (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double
kclock_median (struct _OctKclockWork *w, const double *values, guint count)
{
  memcpy (w->sorted, values, count * sizeof *values);
  qsort (w->sorted, count, sizeof *values, kclock_compare);
  return count % 2 ? w->sorted[count / 2]
                   : (w->sorted[count / 2 - 1] + w->sorted[count / 2]) / 2;
}

static double
kclock_mean (const float *clock, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += clock[i];
  return sum / n;
}

static void
kclock_add_power (
    struct _OctKclockWork *w, const float *clock, guint n, double *power)
{
  double mean = kclock_mean (clock, n);

  for (guint i = 0; i < n; i++)
    w->line[i] = (clock[i] - mean) * (0.5 - 0.5 * cos (2 * G_PI * i / (n - 1)));
  oct_fourier_forward (w->plain, w->line);
  for (guint i = 0; i <= n / 2; i++)
    power[i] += creal (w->line[i] * conj (w->line[i]));
}

/* The mean of 2 half + 1 bins, zeros beyond the ends. */
static void
kclock_box_power (const double *from, guint count, gint half, double *to)
{
  for (gint i = 0; i < (gint)count; i++) {
    to[i] = 0;
    for (gint j = MAX (0, i - half); j <= MIN ((gint)count - 1, i + half); j++)
      to[i] += from[j] / (2 * half + 1);
  }
}

/* The last bin from `from` in steps of 1 or -1 that is above `least`, gaps of up
 * to `gap` bins bridged. */
static gint
kclock_end_of_run (
    const double *p, gint count, gint from, gint step, double least, gint gap)
{
  gint last = from;

  for (gint i = from + step; i >= 0 && i < count && abs (i - last) <= gap;
       i += step)
    if (p[i] > least)
      last = i;
  return last;
}

/* The band, or why there is none. */
static OctKclockFault
kclock_find_band (OctKclock *k, const float *clocks, guint lines)
{
  struct _OctKclockWork *w = k->work;
  const guint n = k->params.samples, count = n / 2 + 1;
  double floor, least, margin;
  guint peak = 0;
  gint low, high, gap = (gint)MAX (4, n / 100);

  memset (w->power, 0, count * sizeof *w->power);
  for (guint i = 0; i < lines; i++)
    kclock_add_power (w, clocks + (gsize)i * n, n, w->power);
  kclock_box_power (w->power, count, 4, w->smooth);
  floor = kclock_median (w, w->smooth, count);
  for (guint i = 0; i < count; i++)
    if (w->smooth[i] > w->smooth[peak])
      peak = i;
  least =
      floor
      + MAX (1e-3 * (w->smooth[peak] - floor), 6 * floor / sqrt (9.0 * lines));
  if (!(w->smooth[peak] > least) || !isfinite (w->smooth[peak]))
    return OCT_KCLOCK_NONE;
  low = kclock_end_of_run (w->smooth, (gint)count, (gint)peak, -1, least, gap);
  high = kclock_end_of_run (w->smooth, (gint)count, (gint)peak, 1, least, gap);
  if (high > FASTEST * n)
    return OCT_KCLOCK_FAST;
  if (peak < FEWEST)
    return OCT_KCLOCK_SLOW;
  margin = (high - low) * 0.3 + 4;
  k->band[0] = MAX (2, low - margin) / n;
  k->band[1] = MIN (n / 2.0 - 2, high + margin) / n;
  return OCT_KCLOCK_GOOD;
}

static void
kclock_make_filter (OctKclock *k)
{
  const guint m = k->length;
  double width = MAX (0.15 * (k->band[1] - k->band[0]), 2.0 / m);

  k->signals = k->noises = 0;
  for (guint q = 0; q <= m / 2; q++) {
    double f = (double)q / m;
    double up = CLAMP ((f - k->band[0] + width) / width, 0, 1);
    double down = CLAMP ((k->band[1] + width - f) / width, 0, 1);
    double pass = sin (G_PI / 2 * up) * sin (G_PI / 2 * down);

    k->filter[q] = q == 0 || q == m / 2 ? 0 : (float)(2 * pass * pass / m);
    k->role[q] = 0;
    if (q == 0 || q == m / 2)
      continue;
    if (f >= k->band[0] && f <= k->band[1])
      k->role[q] = 1;
    else if ((f < k->band[0] - 0.01 || f > k->band[1] + 0.01) && f > 0.005)
      k->role[q] = -1;
    k->signals += k->role[q] > 0;
    k->noises += k->role[q] < 0;
  }
}

/* Part of the noise that the filter lets through. */
static double
kclock_noise_bandwidth (const OctKclock *k)
{
  double sum = 0;

  for (guint q = 0; q <= k->length / 2; q++) {
    double half = k->filter[q] * (double)k->length / 2;
    sum += half * half;
  }
  return sum / (k->length / 2.0);
}

static void
kclock_analyse (OctKclock *k, const float *clock, double complex *z)
{
  struct _OctKclockWork *w = k->work;
  const gint n = (gint)k->params.samples, m = (gint)k->length;
  double mean = kclock_mean (clock, (guint)n);

  for (gint i = 0; i < m; i++) {
    gint at = ABS (i - OCT_KCLOCK_PAD);

    w->line[i] = clock[at < n ? at : 2 * (n - 1) - at] - mean;
  }
  oct_fourier_forward (w->padded, w->line);
  for (gint q = 0; q < m; q++)
    w->line[q] *= q <= m / 2 ? (double)k->filter[q] * m : 0;
  oct_fourier_backward (w->padded, w->line);
  memcpy (z, w->line + OCT_KCLOCK_PAD, (gsize)n * sizeof *z);
}

/* -------------------------------------------------------------------- delays */

static void
kclock_make_blocks (OctKclock *k)
{
  const guint n = k->params.samples, each = n / B;
  const double *p = k->phase + OCT_KCLOCK_EXTENT;
  double weights[B] = { 0 }, slopes[B] = { 0 }, all = 0, mean = 0;
  double spread = 0, power = 0;

  for (guint i = 0; i < each * B; i++) {
    double slope = (p[i + 1 < n ? i + 1 : i] - p[i > 0 ? i - 1 : 0])
                   / (i > 0 && i + 1 < n ? 2 : 1);

    weights[i / each] += k->weight[i];
    slopes[i / each] += k->weight[i] * slope;
    all += k->weight[i];
  }
  for (guint b = 0; b < B; b++) {
    slopes[b] /= MAX (weights[b], 1e-300);
    weights[b] /= all;
    mean += weights[b] * slopes[b];
  }
  for (guint b = 0; b < B; b++) {
    spread += weights[b] * pow (slopes[b] - mean, 2);
    power += weights[b] * pow (slopes[b], 2);
    k->blocks.weight[b] = (float)weights[b];
    k->blocks.slope[b] = (float)slopes[b];
  }
  k->blocks.mean = (float)mean;
  k->blocks.spread = (float)spread;
  k->blocks.power = (float)power;
}

/* z exp (-i ref (n - t)) of sample n, by the tables. */
static double complex
kclock_turn (const OctKclock *k, const double complex *z, guint i, float t)
{
  gint whole = (gint)lrintf (t);
  gint at = OCT_KCLOCK_EXTENT - whole + (gint)i;
  float c, s;

  oct_kclock_model (k->cosine[at], k->sine[at], k->slope[at], k->bend[at],
      (float)whole - t, &c, &s);
  return z[i] * (c - I * s);
}

static void
kclock_sum_blocks (
    const OctKclock *k, const double complex *z, float t, double complex *sums)
{
  const guint each = k->params.samples / B;

  memset (sums, 0, B * sizeof *sums);
  for (guint i = 0; i < each * B; i++)
    sums[i / each] += kclock_turn (k, z, i, t);
}

/* Delays, residuals and their rms of all A-lines. */
static void
kclock_find_delays (OctKclock *k, guint lines, const double complex *against)
{
  struct _OctKclockWork *w = k->work;
  const float far = (float)OCT_KCLOCK_MOST_JITTER + 2;

  for (guint i = 0; i < lines; i++) {
    const double complex *z = w->z + (gsize)i * k->params.samples;
    double complex sums[B];
    float re[B], im[B], t = 0;

    for (guint round = 0; round < 2; round++) {
      kclock_sum_blocks (k, z, t, sums);
      for (guint b = 0; b < B; b++) {
        double complex y =
            against != NULL ? sums[b] * conj (against[b]) : sums[b];
        re[b] = (float)creal (y);
        im[b] = (float)cimag (y);
      }
      oct_kclock_solve (
          &k->blocks, re, im, round == 0, &t, w->residuals + i * B);
      t = isfinite (t) ? CLAMP (t, -far, far) : 0;
    }
    w->delays[i] = t;
    w->errors[i] = oct_kclock_rms (&k->blocks, w->residuals + i * B);
  }
}

static double
kclock_median_of (struct _OctKclockWork *w, const float *values, guint count)
{
  /* there are no more A-lines than bins of the power spectrum */
  for (guint i = 0; i < count; i++)
    w->smooth[i] = values[i];
  return count > 0 ? kclock_median (w, w->smooth, count) : 0;
}

/* ----------------------------------------------------------------- reference */

/* The mean over 2 half + 1 samples, mirrored at the ends. */
static void
kclock_box (const double complex *from, gint n, gint half, double complex *to)
{
  for (gint i = 0; i < n; i++) {
    to[i] = 0;
    for (gint j = i - half; j <= i + half; j++) {
      gint at = ABS (j);

      to[i] += from[at < n ? at : 2 * (n - 1) - at] / (2 * half + 1);
    }
  }
}

static void
kclock_begin_reference (OctKclock *k, guint lines)
{
  struct _OctKclockWork *w = k->work;
  const guint n = k->params.samples;
  double *p = k->phase + OCT_KCLOCK_EXTENT, mean = 0;

  memset (w->mean, 0, n * sizeof *w->mean);
  for (guint i = 0; i < n; i++)
    k->amplitude[i] = 0;
  for (guint l = 0; l < lines; l++) {
    const double complex *z = w->z + (gsize)l * n;

    for (guint i = 0; i < n; i++) {
      k->amplitude[i] += creal (z[i] * conj (z[i]));
      if (i + 1 < n)
        w->mean[i] += z[i + 1] * conj (z[i]);
    }
  }
  for (guint i = 0; i < n; i++)
    mean += k->amplitude[i] / n;
  for (guint i = 0; i < n; i++)
    k->weight[i] = (float)(k->amplitude[i] / mean);
  k->weight_inside = 0;
  for (guint i = 0; i < n; i++)
    k->weight_inside = MAX (k->weight_inside, 0.2f * k->weight[i]);
  kclock_box (w->mean, (gint)n - 1, 4, w->boxed);
  p[0] = 0;
  for (guint i = 0; i + 1 < n; i++)
    p[i + 1] = p[i] + carg (w->boxed[i]);
}

/* Adds the unwrapped phase of values[n] to the reference. */
static void
kclock_add_phase (OctKclock *k, const double complex *values)
{
  const guint n = k->params.samples;
  double *p = k->phase + OCT_KCLOCK_EXTENT, last = 0, turns = 0;

  for (guint i = 0; i < n; i++) {
    double angle = carg (values[i]);

    if (i > 0)
      turns -= rint ((angle - last) / (2 * G_PI));
    last = angle;
    p[i] += angle + 2 * G_PI * turns;
  }
}

/* The phases of the strongest A-line against the reference. */
static void
kclock_find_strongest (OctKclock *k, guint lines, double complex *against)
{
  struct _OctKclockWork *w = k->work;
  double best = -1;

  for (guint l = 0; l < lines; l++) {
    double complex *sums = w->sums + (gsize)l * B;
    double strength = 0;

    kclock_sum_blocks (k, w->z + (gsize)l * k->params.samples, 0, sums);
    for (guint b = 0; b < B; b++)
      strength += cabs (sums[b]);
    if (strength > best) {
      best = strength;
      for (guint b = 0; b < B; b++)
        against[b] = sums[b] / MAX (cabs (sums[b]), 1e-300);
    }
  }
}

static void
kclock_align (OctKclock *k, guint lines, const double complex *against)
{
  struct _OctKclockWork *w = k->work;
  const guint n = k->params.samples;
  double limit, middle;
  guint kept = 0;

  kclock_make_blocks (k);
  kclock_find_delays (k, lines, against);
  limit = 5 * kclock_median_of (w, w->errors, lines) + 1e-6;
  for (guint l = 0; l < lines; l++)
    if (w->errors[l] <= limit)
      w->residuals[kept++] = w->delays[l];
  middle = kclock_median_of (w, w->residuals, kept);
  memset (w->mean, 0, n * sizeof *w->mean);
  for (guint l = 0; l < lines; l++) {
    const double complex *z = w->z + (gsize)l * n;
    float t = CLAMP (w->delays[l] - (float)middle,
        -(float)OCT_KCLOCK_MOST_JITTER - 2, (float)OCT_KCLOCK_MOST_JITTER + 2);

    for (guint i = 0; w->errors[l] <= limit && i < n; i++)
      w->mean[i] += kclock_turn (k, z, i, t) / MAX (kept, 1);
  }
}

/* The mean squared residual beyond that of the noise, see the header. */
static double
kclock_find_excess (const OctKclock *k, guint lines)
{
  struct _OctKclockWork *w = k->work;
  const guint each = k->params.samples / B;
  double cells = MAX (1.0, each * kclock_noise_bandwidth (k)), sum = 0;

  for (guint l = 0; l < lines; l++) {
    const double complex *z = w->z + (gsize)l * k->params.samples;

    for (guint b = 1; b + 1 < B; b++) {
      double complex y = 0, back;
      double noise = 0, residual = w->residuals[l * B + b], a;

      for (guint i = b * each; i < (b + 1) * each; i++)
        y += kclock_turn (k, z, i, w->delays[l]);
      back = conj (y) / MAX (cabs (y), 1e-300);
      a = cabs (y) / each;
      for (guint i = b * each; i < (b + 1) * each; i++)
        noise +=
            pow (cimag (kclock_turn (k, z, i, w->delays[l]) * back), 2) / each;
      sum += residual * residual - noise / MAX (a * a, 1e-300) / cells;
    }
  }
  return sqrt (MAX (0.0, sum / ((double)lines * (B - 2))));
}

static gboolean
kclock_is_rising (const OctKclock *k)
{
  const double *p = k->phase + OCT_KCLOCK_EXTENT;

  for (guint i = 0; i + 1 < k->params.samples; i++)
    if (!(p[i + 1] > p[i]) && k->weight[i] > k->weight_inside)
      return FALSE;
  return p[k->params.samples - 1] > p[0];
}

/* The speed comes near to half a cycle per sample, where it would fold back. */
static gboolean
kclock_is_fast (const OctKclock *k)
{
  const double *p = k->phase + OCT_KCLOCK_EXTENT;

  for (guint i = 0; i + 8 < k->params.samples; i++)
    if (p[i + 8] - p[i] > 8 * 2 * G_PI * FASTEST)
      return TRUE;
  return FALSE;
}

/* A-lines of finite values, one after the other. */
static guint
kclock_keep_finite (const float *clocks, guint lines, guint n, float *kept)
{
  guint count = 0;

  for (guint l = 0; l < lines; l++) {
    float sum = 0;

    for (guint i = 0; i < n; i++)
      sum += fabsf (clocks[(gsize)l * n + i]);
    if (isfinite (sum))
      memcpy (
          kept + (gsize)count++ * n, clocks + (gsize)l * n, n * sizeof *kept);
  }
  return count;
}

void
oct_kclock_find (OctKclock *k, const float *clocks, guint lines)
{
  struct _OctKclockWork *w = k->work;
  const guint n = k->params.samples;
  float *kept = w->kept;
  double complex against[B];

  k->found = FALSE;
  k->why = OCT_KCLOCK_NONE;
  lines = kclock_keep_finite (clocks, MIN (lines, w->most), n, kept);
  if (lines == 0)
    return;
  k->why = kclock_find_band (k, kept, lines);
  if (k->why != OCT_KCLOCK_GOOD)
    return;
  k->why = OCT_KCLOCK_NONE;
  kclock_make_filter (k);
  for (guint l = 0; l < lines; l++)
    kclock_analyse (k, kept + (gsize)l * n, w->z + (gsize)l * n);
  kclock_begin_reference (k, lines);
  k->blocks.cycles = k->params.max_jitter * oct_kclock_steepest (k) > G_PI;
  for (guint round = 0; round < 3; round++) {
    oct_kclock_make_tables (k);
    if (round == 0)
      kclock_find_strongest (k, lines, against);
    kclock_align (k, lines, round == 0 ? against : NULL);
    if (round == 0)
      kclock_box (w->mean, (gint)n, OCT_KCLOCK_HALF_MEAN, w->boxed);
    kclock_add_phase (k, round == 0 ? w->boxed : w->mean);
  }
  for (guint i = 0; i < n; i++)
    k->amplitude[i] = cabs (w->mean[i]);
  k->first = k->phase[OCT_KCLOCK_EXTENT];
  k->last = k->phase[OCT_KCLOCK_EXTENT + n - 1];
  if (kclock_is_fast (k))
    k->why = OCT_KCLOCK_FAST;
  if (k->why == OCT_KCLOCK_FAST || !kclock_is_rising (k) || !isfinite (k->last))
    return;
  kclock_make_blocks (k);
  oct_kclock_make_tables (k);
  kclock_find_delays (k, lines, NULL);
  k->limit = (float)MAX (0.3, 5 * kclock_median_of (w, w->errors, lines));
  k->excess = kclock_find_excess (k, lines);
  k->found = TRUE;
  oct_kclock_choose (k);
}
