/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-repeat.h"

#include <math.h>

#include "oct-fourier.h"

#define SHORTEST 64
/* Half lengths of the mean that is subtracted, which is not the fringe, and of
 * the mean over its square, in which single fringes are no longer seen. */
#define SLOW 32
#define FRINGES 8
/* Autocorrelation at the lag that repeats, and over its standard deviation for
 * values that are independent of each other (Bartlett 1946: 1 / sqrt (n), with
 * n means that do not overlap). */
#define LEAST 0.25
#define CERTAIN 12.0
/* Fraction of the highest: multiples of the lag are as high, and the first one
 * is the lag. */
#define AS_HIGH 0.9

/* Moving mean of v[n] over 2 half + 1 values, fewer at the ends. */
static double *
repeat_smooth (const double *v, gsize n, guint half)
{
  double *mean = g_new (double, n);
  double sum = 0;
  gsize from = 0, end = 0;

  for (gsize i = 0; i < n; i++) {
    for (; end < n && end <= i + half; end++)
      sum += v[end];
    for (; from + half < i; from++)
      sum -= v[from];
    mean[i] = sum / (end - from);
  }
  return mean;
}

/* The square of the changes within 2 SLOW + 1 samples, as a mean over some of
 * them, without its mean over all. */
static double *
find_power (const double *values, gsize n)
{
  g_autofree double *slow = repeat_smooth (values, n, SLOW);
  g_autofree double *once = NULL;
  double *power, mean = 0;

  for (gsize i = 0; i < n; i++)
    slow[i] = (values[i] - slow[i]) * (values[i] - slow[i]);
  /* twice, as the side lobes of one mean let patterns of few samples through */
  once = repeat_smooth (slow, n, FRINGES);
  power = repeat_smooth (once, n, FRINGES);
  for (gsize i = 0; i < n; i++)
    mean += power[i] / n;
  for (gsize i = 0; i < n; i++)
    power[i] -= mean;
  return power;
}

/* Autocorrelation of v[n] at the lags 0 .. n / 2, each from its own number of
 * products, over that at 0 (Wiener and Khinchin).  NULL: v is constant. */
static double *
find_autocorrelation (const double *v, gsize n)
{
  guint length = 1;
  double *result = g_new (double, n / 2 + 1), first;
  g_autofree double complex *x = NULL;
  g_autoptr (OctFourier) fourier = NULL;

  while (length < n + n / 2 + 1)
    length *= 2;
  fourier = oct_fourier_new (length);
  x = g_new0 (double complex, length);
  for (gsize i = 0; i < n; i++)
    x[i] = v[i];
  oct_fourier_forward (fourier, x);
  for (guint i = 0; i < length; i++)
    x[i] = creal (x[i]) * creal (x[i]) + cimag (x[i]) * cimag (x[i]);
  oct_fourier_backward (fourier, x);
  first = creal (x[0]) / n;
  if (!(first > 0)) {
    g_free (result);
    return NULL;
  }
  for (gsize lag = 0; lag <= n / 2; lag++)
    result[lag] = creal (x[lag]) / (n - lag) / first;
  return result;
}

static gsize
repeat_find_highest (const double *v, gsize from, gsize end)
{
  gsize highest = from;

  for (gsize i = from; i < end; i++)
    if (v[i] > v[highest])
      highest = i;
  return highest;
}

/* The first lag after the peak at 0 whose correlation is as high as any. */
static gsize
find_first_lag (const double *correlation, gsize end, double highest)
{
  gsize lag = 1;

  while (lag < end && correlation[lag] > 0.5 * highest)
    lag++;
  lag = MAX (lag, SHORTEST);
  while (lag < end && correlation[lag] < AS_HIGH * highest)
    lag++;
  return repeat_find_highest (correlation, lag, MIN (lag + lag / 8 + 1, end));
}

guint
oct_repeat_find (const double *values, gsize count)
{
  gsize n = MIN (count, OCT_REPEAT_VALUES), end = n / OCT_REPEAT_LINES, lag;
  g_autofree double *power = NULL;
  g_autofree double *correlation = NULL;
  double highest, period;

  if (end <= 2 * SHORTEST)
    return 0;
  power = find_power (values, n);
  correlation = find_autocorrelation (power, n);
  if (correlation == NULL)
    return 0;
  highest = correlation[repeat_find_highest (correlation, SHORTEST, end)];
  lag = find_first_lag (correlation, end, highest);
  highest = correlation[lag];
  if (lag + 1 >= end || highest < LEAST
      || highest * sqrt (n / (4.0 * FRINGES)) < CERTAIN)
    return 0;
  /* at a multiple of it the same error is a smaller part */
  period = lag;
  for (guint times = 2; 1.1 * times * period < n / 2; times *= 2) {
    gsize middle = (gsize)rint (times * period), half = (gsize)(period / 8);

    period = (double)repeat_find_highest (
                 correlation, middle - half, MIN (middle + half, n / 2) + 1)
             / times;
  }
  return (guint)rint (period);
}
