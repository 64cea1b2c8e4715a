/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-spectrometer.h"

#include <math.h>

/* Wavelengths per pixel in the integral over pixel and spot, and pixels on
 * either side that the spot reaches. */
#define OVERSAMPLING 8
#define SPOT_REACH 6

/* Weights of the finely spaced wavelengths that one pixel sees: spot
 * convolved with pixel. */
#define RESPONSE (2 * SPOT_REACH * OVERSAMPLING + OVERSAMPLING)

static double
get_pixel_step (guint samples)
{
  return OCT_SPECTROMETER_SPAN / samples;
}

static void
fill_response (double *response)
{
  double spot[2 * SPOT_REACH * OVERSAMPLING + 1];
  double sum = 0.0;
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (spot); i++) {
    double pixels = (double)i / OVERSAMPLING - SPOT_REACH;

    spot[i] = exp (-4.0 * G_LN2 * pixels * pixels
                   / (OCT_SPECTROMETER_SPOT * OCT_SPECTROMETER_SPOT));
    sum += spot[i];
  }
  for (i = 0; i < RESPONSE; i++)
    response[i] = 0.0;
  for (i = 0; i < G_N_ELEMENTS (spot); i++)
    for (j = 0; j < OVERSAMPLING; j++)
      response[i + j] += spot[i] / (sum * OVERSAMPLING);
}

void
oct_spectrometer_see_mirror (
    const OctSpectrometer *s, double z, double reflectivity, double *relative)
{
  gsize size = (gsize)(s->samples + 2 * SPOT_REACH) * OVERSAMPLING;
  g_autofree double *fine = g_new (double, size);
  double response[RESPONSE];
  double step = get_pixel_step (s->samples);
  gsize i, n;

  fill_response (response);
  for (i = 0; i < size; i++) {
    double pixel = (i + 0.5) / OVERSAMPLING - 0.5 - SPOT_REACH;
    double wavelength = s->wavelength[0] + pixel * step;
    double off = (wavelength - OCT_SPECTROMETER_CENTRE) / OCT_SPECTROMETER_FWHM;
    double k = 2.0 * G_PI / wavelength;
    double dk = k - s->k_centre;
    double phase = 2.0 * k * z + OCT_SPECTROMETER_A2 * dk * dk;

    fine[i] = exp (-4.0 * G_LN2 * off * off)
              * (1.0 + 2.0 * reflectivity * cos (phase)
                  + reflectivity * reflectivity);
  }
  for (n = 0; n < s->samples; n++) {
    const double *seen = fine + n * OVERSAMPLING;
    double sum = 0.0;

    for (i = 0; i < RESPONSE; i++)
      sum += response[i] * seen[i];
    relative[n] = sum;
  }
}

void
oct_spectrometer_init (OctSpectrometer *s, guint samples)
{
  double step = get_pixel_step (samples);
  double centre = OCT_SPECTROMETER_CENTRE;
  double k_span;
  guint n;

  s->samples = samples;
  s->wavelength = g_new (double, samples);
  s->k = g_new (double, samples);
  s->dispersion = g_new (double, samples);
  s->source = g_new (double, samples);
  s->k_centre = 2.0 * G_PI / centre;
  s->pixel_k = s->k_centre * step / centre;
  for (n = 0; n < samples; n++) {
    double dk;

    s->wavelength[n] = centre + (n - 0.5 * (samples - 1)) * step;
    s->k[n] = 2.0 * G_PI / s->wavelength[n];
    dk = s->k[n] - s->k_centre;
    s->dispersion[n] = OCT_SPECTROMETER_A2 * dk * dk;
  }
  k_span = (s->k[0] - s->k[samples - 1]) * samples / (samples - 1);
  s->z_spacing = G_PI / k_span;
  s->range = s->z_spacing * samples / 2;
  oct_spectrometer_see_mirror (s, 0.0, 0.0, s->source);
}

void
oct_spectrometer_clear (OctSpectrometer *s)
{
  g_clear_pointer (&s->wavelength, g_free);
  g_clear_pointer (&s->k, g_free);
  g_clear_pointer (&s->dispersion, g_free);
  g_clear_pointer (&s->source, g_free);
}

OctCalibration *
oct_spectrometer_calibrate (
    const OctSpectrometer *s, double full_scale, GError **error)
{
  g_autofree double *nm = g_new (double, s->samples);
  g_autofree double *compensation = g_new (double, s->samples);
  g_autofree double *background = g_new (double, s->samples);
  guint n;

  for (n = 0; n < s->samples; n++) {
    nm[n] = s->wavelength[n] * 1e3;
    compensation[n] = -s->dispersion[n];
    background[n] = s->source[n] * OCT_SPECTROMETER_LEVEL * full_scale;
  }
  return oct_calibration_new_from_arrays (
      s->samples, nm, NULL, compensation, background, error);
}

double
oct_spectrometer_get_fall_off (const OctSpectrometer *s, double z)
{
  double cycles = s->pixel_k * z / G_PI; /* fringes per pixel */
  double box = G_PI * cycles;
  double spot = G_PI * cycles * OCT_SPECTROMETER_SPOT;
  double sinc = fabs (box) < 1e-9 ? 1.0 : sin (box) / box;

  return sinc * exp (-spot * spot / (4.0 * G_LN2));
}
