/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibration-axis.h"
#include "oct-curve.h"

/* A copy in ascending order of `key`, itself ascending or descending. */
static double *
calibration_axis_ascending (const double *values, const double *key, guint n)
{
  double *copy = g_new (double, n);
  gboolean down = key[n - 1] < key[0];

  for (guint i = 0; i < n; i++)
    copy[i] = values[down ? n - 1 - i : i];
  return copy;
}

static double *
calibration_axis_indices (guint n)
{
  double *index = g_new (double, n);

  for (guint i = 0; i < n; i++)
    index[i] = i;
  return index;
}

double
oct_calibration_wavenumber (double nm)
{
  return 2 * G_PI / (nm * 1e-3);
}

/* As Calibration.from_wavelengths of the reference. */
void
oct_calibration_axis_from_wavelengths (const double *nm, guint n,
    double *positions, double *nodes, double *k_min, double *k_max)
{
  g_autofree double *pixel = calibration_axis_indices (n);
  g_autofree double *nm_up = calibration_axis_ascending (nm, nm, n);
  g_autofree double *pixel_up = calibration_axis_ascending (pixel, nm, n);
  double low = oct_calibration_wavenumber (nm_up[n - 1]);
  double high = oct_calibration_wavenumber (nm_up[0]);

  for (guint i = 0; i < n; i++) {
    double k = low + (high - low) * i / (n - 1);

    /* the wavenumber is its own inverse */
    positions[i] = oct_curve_interpolate (
        nm_up, pixel_up, n, oct_calibration_wavenumber (k));
    nodes[i] =
        (oct_calibration_wavenumber (nm[i]) - low) / (high - low) * (n - 1);
  }
  *k_min = low;
  *k_max = high;
}

/* As Calibration.from_k_index of the reference. */
void
oct_calibration_axis_from_k_index (
    const double *k_index, guint n, double *nodes)
{
  g_autofree double *j = calibration_axis_indices (n);
  g_autofree double *s = calibration_axis_ascending (k_index, k_index, n);
  g_autofree double *t = calibration_axis_ascending (j, k_index, n);
  double first = (t[1] - t[0]) / (s[1] - s[0]);
  double last = (t[n - 1] - t[n - 2]) / (s[n - 1] - s[n - 2]);

  for (guint i = 0; i < n; i++) {
    if (i < s[0])
      nodes[i] = t[0] + (i - s[0]) * first;
    else if (i > s[n - 1])
      nodes[i] = t[n - 1] + (i - s[n - 1]) * last;
    else
      nodes[i] = oct_curve_interpolate (s, t, n, i);
  }
}

/* The sample, and its part, that lies at `at` between samples i and i + 1 of y,
 * which rises: Lagrange's polynomial that gives the sample of y. */
static double
invert_between (const double *y, guint n, guint i, double at)
{
  guint order = MIN (n, 4), first = MIN (i > 0 ? i - 1 : 0, n - order);
  double p = 0;

  for (guint a = 0; a < order; a++) {
    double term = a;

    for (guint b = 0; b < order; b++)
      if (b != a)
        term *= (at - y[first + b]) / (y[first + a] - y[first + b]);
    p += term;
  }
  /* where samples are far from even it may leave them */
  return CLAMP (first + p, i, i + 1);
}

void
oct_calibration_axis_from_k_position (
    const double *k_position, guint n, double *positions)
{
  g_autofree double *y = calibration_axis_ascending (k_position, k_position, n);
  gboolean down = k_position[n - 1] < k_position[0];
  guint i = 0;

  for (guint j = 0; j < n; j++) {
    double p;

    while (i + 2 < n && y[i + 1] <= j)
      i++;
    if (j < y[0] || j > y[n - 1])
      p = i + (j - y[i]) / (y[i + 1] - y[i]);
    else
      p = invert_between (y, n, i, j);
    positions[j] = down ? n - 1 - p : p;
  }
}

void
oct_calibration_axis_to_uniform (
    const double *nodes, const double *values, guint n, double *uniform)
{
  g_autofree double *t = calibration_axis_ascending (nodes, nodes, n);
  g_autofree double *up = calibration_axis_ascending (values, nodes, n);

  for (guint i = 0; i < n; i++)
    uniform[i] = oct_curve_interpolate (t, up, n, i);
}

void
oct_calibration_axis_to_samples (
    const double *nodes, const double *uniform, guint n, double *values)
{
  for (guint i = 0; i < n; i++) {
    double at = CLAMP (nodes[i], 0, n - 1);
    guint base = MIN ((guint)at, n - 2);

    values[i] =
        uniform[base] + (at - base) * (uniform[base + 1] - uniform[base]);
  }
}

void
oct_calibration_axis_turn (double *values, guint n)
{
  for (guint i = 0; i < n / 2; i++) {
    double value = values[i];

    values[i] = values[n - 1 - i];
    values[n - 1 - i] = value;
  }
}

void
oct_calibration_axis_shift (double *positions, const double *shift, guint n)
{
  g_autofree double *original = g_memdup2 (positions, n * sizeof *positions);

  for (guint i = 0; i < n; i++) {
    double at = i + 0.5 * shift[i] * (n - 1);
    guint base = (guint)CLAMP (at, 0, n - 2);

    positions[i] =
        original[base] + (at - base) * (original[base + 1] - original[base]);
  }
}
