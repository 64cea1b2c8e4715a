/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double
oct_curve_interpolate (const double *x, const double *y, guint n, double at)
{
  guint low = 0, high = n - 1;

  if (!(at > x[0]))
    return y[0];
  if (at >= x[n - 1])
    return y[n - 1];
  while (high - low > 1) {
    guint middle = low + (high - low) / 2;

    if (x[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  return y[low] + (y[high] - y[low]) / (x[high] - x[low]) * (at - x[low]);
}

/* The sums of v, v exp (-i f j) and v exp (i f j) over the samples before each
 * one: a Hann kernel is a sum of three boxes, so that the time does not grow
 * with its length. */
static void
sum_up (const double complex *v, guint n, double f, double complex *sums)
{
  double complex turn = 1, step = cexp (I * f);

  sums[0] = sums[1] = sums[2] = 0;
  for (guint j = 0; j < n; j++) {
    const double complex *last = sums + 3 * (gsize)j;
    double complex *next = sums + 3 * (gsize)(j + 1);

    next[0] = last[0] + v[j];
    next[1] = last[1] + v[j] * conj (turn);
    next[2] = last[2] + v[j] * turn;
    /* kept on the circle over many thousand steps */
    turn = j % 64 == 63 ? cexp (I * f * (j + 1)) : turn * step;
  }
}

void
oct_curve_smooth (
    const double complex *v, guint n, guint half, double complex *out)
{
  double f = G_PI / (half + 1.0);
  g_autofree double complex *sums = g_new (double complex, 3 * ((gsize)n + 1));
  g_autofree double *weights = g_new (double, (gsize)half + 1);

  /* of a kernel that ends i samples from its middle */
  for (guint i = 0; i <= half; i++)
    weights[i] = (i > 0 ? weights[i - 1] : 0) + 0.5 + 0.5 * cos (f * i);
  sum_up (v, n, f, sums);
  for (guint j = 0; j < n; j++) {
    guint left = MIN (j, half), right = MIN (n - 1 - j, half);
    const double complex *low = sums + 3 * (gsize)(j - left);
    const double complex *high = sums + 3 * (gsize)(j + right + 1);
    double complex turn = cexp (I * f * j);

    out[j] = (0.5 * (high[0] - low[0]) + 0.25 * turn * (high[1] - low[1])
                 + 0.25 * conj (turn) * (high[2] - low[2]))
             / (weights[left] + weights[right] - 1);
  }
}

void
oct_curve_unwrap (double *phase, guint n, guint from)
{
  for (guint i = from + 1; i < n; i++)
    phase[i] -= 2 * G_PI * rint ((phase[i] - phase[i - 1]) / (2 * G_PI));
  for (guint i = from; i-- > 0;)
    phase[i] -= 2 * G_PI * rint ((phase[i] - phase[i + 1]) / (2 * G_PI));
}

static int
curve_compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

double
oct_curve_quantile (const double *values, guint n, double part)
{
  g_autofree double *sorted = g_memdup2 (values, n * sizeof *values);
  double at = n > 0 ? part * (n - 1.0) : 0;
  guint i = (guint)at;

  if (n == 0)
    return 0;
  qsort (sorted, n, sizeof *sorted, curve_compare);
  return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i])
                   : sorted[n - 1];
}

void
oct_curve_gradient (const double *values, guint n, double *gradient)
{
  for (guint i = 0; i < n; i++) {
    guint low = i > 0 ? i - 1 : 0, high = MIN (i + 1, n - 1);

    gradient[i] =
        high > low ? (values[high] - values[low]) / (high - low) : 0.0;
  }
}

/* Second derivatives [n] of the natural cubic spline. */
static double complex *
find_bends (const double complex *y, guint n)
{
  double complex *bend = g_new0 (double complex, n);
  g_autofree double *pivot = g_new0 (double, n);

  /* 1 4 1 on the diagonals, from the first to the last but one */
  for (guint i = 1; i + 1 < n; i++) {
    double complex right = 6 * (y[i - 1] - 2 * y[i] + y[i + 1]);

    pivot[i] = 1 / (4 - (i > 1 ? pivot[i - 1] : 0));
    bend[i] = (right - (i > 1 ? bend[i - 1] : 0)) * pivot[i];
  }
  for (guint i = n - 2; i >= 2; i--)
    bend[i - 1] -= pivot[i - 1] * bend[i];
  return bend;
}

void
oct_curve_spline (const double complex *values, guint n, const double *at,
    guint count, double complex *out)
{
  g_autofree double complex *bend = find_bends (values, n);

  for (guint j = 0; j < count; j++) {
    double position = CLAMP (at[j], 0, n - 1.0);
    guint i = MIN ((guint)position, n - 2);
    double t = position - i, u = 1 - t;

    out[j] = u * values[i] + t * values[i + 1]
             + ((u * u * u - u) * bend[i] + (t * t * t - t) * bend[i + 1]) / 6;
  }
}

void
oct_curve_fit_line (const double *x, const double *y, const double *weights,
    guint n, double *offset, double *slope)
{
  double sum = 0, sx = 0, sy = 0, xx = 0, xy = 0;

  for (guint i = 0; i < n; i++) {
    double w = weights != NULL ? weights[i] : 1;

    sum += w;
    sx += w * x[i];
    sy += w * y[i];
  }
  sx = sum > 0 ? sx / sum : 0;
  sy = sum > 0 ? sy / sum : 0;
  for (guint i = 0; i < n; i++) {
    double w = weights != NULL ? weights[i] : 1;

    xx += w * (x[i] - sx) * (x[i] - sx);
    xy += w * (x[i] - sx) * (y[i] - sy);
  }
  *slope = xx > 0 ? xy / xx : 0;
  *offset = sy - *slope * sx;
}

void
oct_curve_legendre (guint i, guint n, double p[4])
{
  double x = 2.0 * i / (n - 1) - 1;

  p[0] = 1;
  p[1] = x;
  p[2] = (3 * x * x - 1) / 2;
  p[3] = (5 * x * x - 3) * x / 2;
}

gboolean
oct_curve_fit_cubic (
    const double *y, const double *weights, guint n, double coefficients[4])
{
  double a[16] = { 0 }, p[4];

  memset (coefficients, 0, 4 * sizeof *coefficients);
  for (guint i = 0; i < n; i++) {
    oct_curve_legendre (i, n, p);
    for (guint r = 0; r < 4; r++) {
      coefficients[r] += weights[i] * p[r] * y[i];
      for (guint c = 0; c < 4; c++)
        a[4 * r + c] += weights[i] * p[r] * p[c];
    }
  }
  return oct_curve_solve (a, 4, coefficients);
}

guint
oct_curve_bspline (guint segments, guint n, double position, double weights[4])
{
  double at = position / (n - 1) * segments;
  guint segment = MIN ((guint)MAX (at, 0), segments - 1);
  double t = at - segment, u = 1 - t;

  weights[0] = u * u * u / 6;
  weights[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
  weights[2] = (3 * u * u * u - 6 * u * u + 4) / 6;
  weights[3] = t * t * t / 6;
  return segment;
}

void
oct_curve_solve_again (const double *factor, guint n, double *b)
{
  for (guint i = 0; i < n; i++) {
    for (guint j = 0; j < i; j++)
      b[i] -= factor[(gsize)i * n + j] * b[j];
    b[i] /= factor[(gsize)i * n + i];
  }
  for (guint i = n; i-- > 0;) {
    for (guint j = i + 1; j < n; j++)
      b[i] -= factor[(gsize)j * n + i] * b[j];
    b[i] /= factor[(gsize)i * n + i];
  }
}

gboolean
oct_curve_solve (double *a, guint n, double *b)
{
  for (guint i = 0; i < n; i++) {
    double *row = a + (gsize)i * n;

    for (guint j = 0; j <= i; j++) {
      const double *other = a + (gsize)j * n;
      double sum = row[j];

      for (guint k = 0; k < j; k++)
        sum -= row[k] * other[k];
      if (j < i)
        row[j] = sum / other[j];
      else if (sum > 0 && isfinite (sum))
        row[i] = sqrt (sum);
      else
        return FALSE;
    }
  }
  oct_curve_solve_again (a, n, b);
  return TRUE;
}
