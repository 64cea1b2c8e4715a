/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Windows and calibrations: oct-window.h, oct-calibration.h and
 * docs/calibration.md.
 */
#include "oct-reference.h"

#include <math.h>
#include <string.h>

/* Harris, Proc. IEEE 66, 51 (1978), at x = 0 .. 1 */
static double
window_shape (const char *nick, double x)
{
  double u = 2 * G_PI * x;

  if (g_str_equal (nick, "hann"))
    return 0.5 - 0.5 * cos (u);
  if (g_str_equal (nick, "hamming"))
    return 0.54 - 0.46 * cos (u);
  if (g_str_equal (nick, "blackman"))
    return 0.42 - 0.5 * cos (u) + 0.08 * cos (2 * u);
  if (g_str_equal (nick, "tukey")) /* tapers are half of it */
    return MIN (x, 1 - x) < 0.25 ? 0.5 - 0.5 * cos (4 * G_PI * MIN (x, 1 - x))
                                 : 1;
  if (g_str_equal (nick, "gaussian")) /* sigma 0.4 of the half width */
    return exp (-0.5 * pow ((2 * x - 1) / 0.4, 2));
  g_assert_cmpstr (nick, ==, "none");
  return 1;
}

void
oct_reference_window (
    const char *nick, guint samples, const double *t, double *window)
{
  double last = samples - 1, power = 0;

  for (guint n = 0; n < samples; n++)
    power += pow (window_shape (nick, n / last), 2) / samples;
  for (guint n = 0; n < samples; n++) {
    double at = t != NULL ? CLAMP (t[n], 0, last) : n;
    window[n] = window_shape (nick, at / last) / sqrt (power);
  }
}

double
oct_reference_interpolate (
    const double *at, const double *values, guint count, double x)
{
  guint i = 0;

  if (x <= at[0])
    return values[0];
  if (x >= at[count - 1])
    return values[count - 1];
  while (x >= at[i + 1])
    i++;
  return values[i]
         + (x - at[i]) / (at[i + 1] - at[i]) * (values[i + 1] - values[i]);
}

static double *
reversed (const double *values, guint count)
{
  double *other = g_new (double, count);

  for (guint i = 0; i < count; i++)
    other[i] = values[count - 1 - i];
  return other;
}

/* As above for at[] that rises or falls. */
static double
interpolate (const double *at, const double *values, guint count, double x)
{
  g_autofree double *up = NULL, *of = NULL;

  if (at[0] < at[count - 1])
    return oct_reference_interpolate (at, values, count, x);
  up = reversed (at, count);
  of = reversed (values, count);
  return oct_reference_interpolate (up, of, count, x);
}

/* Uniform wavenumber j of the axis, k = 2 pi / wavelength in rad/um. */
static double
uniform_k (const OctReferenceCalibration *c, guint j)
{
  return c->k_min + (c->k_max - c->k_min) * j / (c->samples - 1);
}

/* Wavelengths: s is where they, linear between pixels, are those of the uniform
 * wavenumbers; t is exact. */
static void
from_wavelengths (OctReferenceCalibration *c, const double *nm)
{
  guint n = c->samples;
  g_autofree double *pixels = g_new (double, n);
  double a = 2e3 * G_PI / nm[0], b = 2e3 * G_PI / nm[n - 1];

  c->k_min = MIN (a, b);
  c->k_max = MAX (a, b);
  for (guint i = 0; i < n; i++)
    pixels[i] = i;
  for (guint i = 0; i < n; i++) {
    c->positions[i] =
        interpolate (nm, pixels, n, 2e3 * G_PI / uniform_k (c, i));
    c->nodes[i] =
        (2e3 * G_PI / nm[i] - c->k_min) / (c->k_max - c->k_min) * (n - 1);
  }
}

/* k_index is s; t is its inverse, linear between its entries and beyond. */
static void
from_k_index (OctReferenceCalibration *c, const double *s)
{
  guint n = c->samples;
  g_autofree double *index = g_new (double, n);
  guint low = s[0] < s[n - 1] ? 0 : n - 1, high = n - 1 - low;
  gint up = low == 0 ? 1 : -1;

  for (guint i = 0; i < n; i++)
    index[i] = i;
  for (guint i = 0; i < n; i++) {
    c->positions[i] = s[i];
    if (i < s[low])
      c->nodes[i] = low + (i - s[low]) * up / (s[low + up] - s[low]);
    else if (i > s[high])
      c->nodes[i] = high + (i - s[high]) * up / (s[high] - s[high - up]);
    else
      c->nodes[i] = interpolate (s, index, n, i);
  }
}

OctReferenceCalibration *
oct_reference_calibration_new (guint samples, const double *wavelength_nm,
    const double *k_index, const double *dispersion_rad,
    const double *background)
{
  OctReferenceCalibration *c = g_new0 (OctReferenceCalibration, 1);
  gsize size = samples * sizeof (double);

  c->samples = samples;
  c->positions = g_malloc (size);
  c->nodes = g_malloc (size);
  if (k_index != NULL)
    from_k_index (c, k_index);
  else
    from_wavelengths (c, wavelength_nm);
  c->background = g_memdup2 (background, size);
  /* beside wavelengths alone the phases are those of the pixels */
  if (k_index != NULL) {
    c->phase = g_memdup2 (dispersion_rad, size);
  } else if (dispersion_rad != NULL) {
    c->sample_phase = g_memdup2 (dispersion_rad, size);
    c->phase = g_malloc (size);
    for (guint j = 0; j < samples; j++)
      c->phase[j] = interpolate (c->nodes, dispersion_rad, samples, j);
  }
  return c;
}

void
oct_reference_calibration_free (OctReferenceCalibration *c)
{
  g_free (c->positions);
  g_free (c->nodes);
  g_free (c->phase);
  g_free (c->sample_phase);
  g_free (c->background);
  g_free (c);
}

static double
given_phase (const OctReferenceCalibration *c, gboolean at_samples, guint i)
{
  g_autofree double *index = NULL;

  if (c->phase == NULL || (at_samples && c->sample_phase != NULL))
    return c->phase == NULL ? 0 : c->sample_phase[i];
  if (!at_samples)
    return c->phase[i];
  index = g_new (double, c->samples);
  for (guint j = 0; j < c->samples; j++)
    index[j] = j;
  return oct_reference_interpolate (index, c->phase, c->samples, c->nodes[i]);
}

void
oct_reference_calibration_phase (const OctReferenceCalibration *c,
    gboolean at_samples, double a2, double a3, double *phase)
{
  double middle = (c->k_min + c->k_max) / 2;

  for (guint i = 0; i < c->samples; i++) {
    double at = at_samples ? c->nodes[i] : i;
    double k =
        c->k_min + (c->k_max - c->k_min) * at / (c->samples - 1) - middle;
    phase[i] = given_phase (c, at_samples, i) - (a2 * k * k + a3 * k * k * k);
  }
}
