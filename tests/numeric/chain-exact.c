/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chain-case.h"

#include <math.h>
#include <string.h>

static double
raw_value (const ChainCase *c, guint line, guint i)
{
  const guint8 *row = c->raw + line * c->in_stride;

  if (c->format == OCT_SAMPLE_U8)
    return row[i];
  if (c->format == OCT_SAMPLE_U16)
    return ((const guint16 *)row)[i];
  return ((const float *)row)[i];
}

static void
exact_background (const ChainCase *c, double *spectra)
{
  for (guint i = 0; i < c->samples; i++) {
    double removed = 0;

    if (c->has_background && c->mode == OCT_BACKGROUND_BSCAN)
      for (guint line = 0; line < c->lines; line++)
        removed += raw_value (c, line, i) / c->lines;
    else if (c->has_background && c->mode == OCT_BACKGROUND_STORED)
      removed = c->stored[i];
    for (guint line = 0; line < c->lines; line++)
      spectra[line * c->samples + i] = raw_value (c, line, i) - removed;
  }
}

/* Second derivatives / 6 of the natural spline. */
static void
exact_moments (const double *y, guint n, double *moments)
{
  double factors[2 * MAX_SAMPLES] = { 0 };

  memset (moments, 0, n * sizeof *moments);
  for (guint i = 1; i + 1 < n; i++) {
    factors[i] = 1 / (4 - factors[i - 1]);
    moments[i] = factors[i] * (y[i - 1] - 2 * y[i] + y[i + 1] - moments[i - 1]);
  }
  for (guint i = n - 1; i-- > 1;)
    moments[i] -= factors[i] * moments[i + 1];
}

static double
exact_lanczos (const double *y, guint n, double position)
{
  gint base = (gint)floor (position);
  double sum = 0, total = 0;

  for (gint i = base - 3; i <= base + 4; i++) {
    double x = G_PI * (position - i);
    double weight = x == 0                ? 1
                    : fabs (x) < 4 * G_PI ? 4 * sin (x) * sin (x / 4) / (x * x)
                                          : 0;

    if (i < 0 || i >= (gint)n)
      continue;
    sum += weight * y[i];
    total += weight;
  }
  return sum / total;
}

/* Twice as many samples by zero padding of the transform, the bin of half the
 * length halved. */
static void
exact_upsample (const double *y, guint n, double *fine)
{
  complex double bins[MAX_SAMPLES / 2 + 1], turns[2 * MAX_SAMPLES];

  for (guint i = 0; i < 2 * n; i++)
    turns[i] = cexp (G_PI * I * i / n);
  for (guint q = 0; q <= n / 2; q++) {
    bins[q] = 0;
    for (guint i = 0; i < n; i++)
      bins[q] += y[i] * conj (turns[2 * (q * i % n)]) / n;
    if (q > 0 && 2 * q < n)
      bins[q] *= 2;
  }
  for (guint i = 0; i < 2 * n; i++) {
    fine[i] = 0;
    for (guint q = 0; q <= n / 2; q++)
      fine[i] += creal (bins[q] * turns[q * i % (2 * n)]);
  }
}

static void
exact_resample (const ChainCase *c, double *samples)
{
  guint n = c->samples * c->upsample;
  double y[2 * MAX_SAMPLES], m[2 * MAX_SAMPLES];

  if (c->upsample == 2)
    exact_upsample (samples, c->samples, y);
  else
    memcpy (y, samples, n * sizeof *y);
  exact_moments (y, n, m);
  for (guint j = 0; j < c->samples; j++) {
    double position = c->upsample * CLAMP (c->positions[j], 0, c->samples - 1);
    guint base = MIN ((guint)position, n - 2);
    double f = position - base, g = 1 - f;

    if (c->method == OCT_RESAMPLE_LANCZOS)
      samples[j] = exact_lanczos (y, n, position);
    else
      samples[j] = g * y[base] + f * y[base + 1];
    if (c->method == OCT_RESAMPLE_CUBIC)
      samples[j] += (g * g * g - g) * m[base] + (f * f * f - f) * m[base + 1];
  }
}

static void
exact_fft (
    const ChainCase *c, const complex double *spectrum, complex double *out)
{
  g_autofree complex double *turns = g_new (complex double, c->length);

  for (guint i = 0; i < c->length; i++)
    turns[i] = cexp (-2 * G_PI * I * i / c->length);
  for (guint q = 0; q < c->bins; q++) {
    complex double sum = 0;
    guint64 bin = c->first_bin + q;

    for (guint i = 0; i < c->samples; i++)
      sum += c->window[i] * spectrum[i] * turns[bin * i % c->length];
    out[q] = sum / sqrt (c->samples);
  }
}

/* Square of the norm of what is transformed, in all bins of the transform
 * together. */
static double
energy (const ChainCase *c, const complex double *spectrum)
{
  double sum = 0;

  for (guint i = 0; i < c->samples; i++)
    sum += pow (cabs (spectrum[i]) * (c->has_fft ? c->window[i] : 1), 2);
  return c->has_fft ? sum * c->length / c->samples : sum;
}

complex double *
chain_case_exact (const ChainCase *c, double *level)
{
  gboolean is_complex = c->format == OCT_SAMPLE_CF32;
  complex double *rows = g_new (complex double, c->lines * c->bins);
  g_autofree double *spectra = g_new (double, c->lines * c->samples);
  complex double spectrum[MAX_SAMPLES];

  *level = 0;
  if (!is_complex)
    exact_background (c, spectra);
  for (guint line = 0; line < c->lines; line++) {
    double *real = spectra + line * c->samples;

    if (c->has_resample)
      exact_resample (c, real);
    for (guint i = 0; i < c->samples; i++) {
      spectrum[i] = is_complex ? raw_value (c, line, 2 * i)
                                     + I * raw_value (c, line, 2 * i + 1)
                               : real[i];
      if (c->has_dispersion)
        spectrum[i] *= cexp (I * c->phase[i]);
    }
    if (c->has_fft)
      exact_fft (c, spectrum, rows + line * c->bins);
    else
      memcpy (rows + line * c->bins, spectrum, c->bins * sizeof *rows);
    *level += energy (c, spectrum);
  }
  *level = sqrt (*level * c->bins / (c->has_fft ? c->length : c->samples));
  return rows;
}
