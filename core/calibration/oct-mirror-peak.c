/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-mirror-peak.h"

#include <math.h>
#include <string.h>

#include "oct-curve.h"
#include "oct-fourier.h"

#define PADDING OCT_MIRROR_PEAK_PADDING

/* |a| of u[samples] on uniform wavenumbers. */
static double *
mirror_peak_transform (const double complex *u, guint n, OctWindow kind)
{
  guint length = PADDING * n;
  double *ascan = g_new (double, length / 2);
  g_autofree double complex *x = g_new0 (double complex, length);
  g_autofree double *window = g_new (double, n);
  g_autoptr (OctFourier) fourier = oct_fourier_new (length);

  oct_window_fill (kind, n, NULL, window);
  for (guint i = 0; i < n; i++)
    x[i] = u[i] * window[i];
  oct_fourier_forward (fourier, x);
  for (guint q = 0; q < length / 2; q++)
    ascan[q] = cabs (x[q]) / sqrt (n);
  return ascan;
}

double *
oct_mirror_peak_transform (const double complex *average, guint n,
    const double *k_index, const double *dispersion)
{
  return oct_mirror_peak_transform_with (
      average, n, k_index, dispersion, OCT_WINDOW_HANN);
}

double *
oct_mirror_peak_transform_with (const double complex *average, guint n,
    const double *k_index, const double *dispersion, OctWindow window)
{
  g_autofree double complex *y = g_new (double complex, n);
  g_autofree double complex *u = g_new (double complex, n);
  gboolean falls = k_index != NULL && k_index[n - 1] < k_index[0];
  double complex mean = 0;

  for (guint i = 0; i < n; i++)
    mean += average[i] / n;
  /* read backwards its phase would fall */
  for (guint i = 0; i < n; i++)
    y[i] = falls ? conj (average[i] - mean) : average[i] - mean;
  if (k_index != NULL)
    oct_curve_spline (y, n, k_index, n, u);
  else
    memcpy (u, y, n * sizeof *u);
  if (dispersion != NULL)
    for (guint i = 0; i < n; i++)
      u[i] *= cexp (I * dispersion[i]);
  return mirror_peak_transform (u, n, window);
}

double *
oct_mirror_peak_transform_ideal (
    const double *amplitudes, guint n, const double *k_index, double bin)
{
  g_autofree double complex *y = g_new (double complex, n);
  g_autofree double complex *u = g_new (double complex, n);

  for (guint i = 0; i < n; i++)
    y[i] = amplitudes[i];
  oct_curve_spline (y, n, k_index, n, u);
  for (guint i = 0; i < n; i++)
    u[i] *= cexp (2 * I * G_PI * bin * i / n);
  return mirror_peak_transform (u, n, OCT_WINDOW_HANN);
}

/* Width at `part` of the value at i, linear between the values. */
static double
mirror_peak_find_width (const double *a, guint count, guint i, double part)
{
  double limit = a[i] * part, left, right;
  guint l = i, r = i;

  while (l > 0 && a[l] > limit)
    l--;
  while (r + 1 < count && a[r] > limit)
    r++;
  left = l < i ? l + (limit - a[l]) / (a[l + 1] - a[l]) : l;
  right = r > i ? r - (limit - a[r]) / (a[r - 1] - a[r]) : r;
  return right - left;
}

void
oct_mirror_peak_measure (const double *ascan, guint samples, double low,
    double high, OctMirrorPeak *peak)
{
  guint count = PADDING * samples / 2, far = 0;
  guint from = (guint)CLAMP (low * PADDING, 0, count - 1);
  guint end = (guint)CLAMP (high * PADDING, from + 1, count);
  guint highest = from;
  double tail;

  for (guint q = from; q < end; q++)
    if (ascan[q] > ascan[highest])
      highest = q;
  peak->bin = (double)highest / PADDING;
  peak->level = 20 * log10 (MAX (ascan[highest], 1e-300));
  peak->width_3db =
      mirror_peak_find_width (ascan, count, highest, pow (10, -3 / 20.0))
      / PADDING;
  peak->width_6db =
      mirror_peak_find_width (ascan, count, highest, pow (10, -6 / 20.0))
      / PADDING;
  peak->width_20db =
      mirror_peak_find_width (ascan, count, highest, 0.1) / PADDING;
  tail = 1.5 * peak->width_20db * PADDING;
  for (guint q = from; q < count; q++)
    if (fabs ((double)q - highest) > tail
        && (far == 0 || ascan[q] > ascan[far]))
      far = q;
  peak->side_lobe_bin = (double)far / PADDING;
  peak->side_lobe =
      far > 0 ? 20 * log10 (MAX (ascan[far], 1e-300)) - peak->level : -HUGE_VAL;
}
