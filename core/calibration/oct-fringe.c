/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-fringe.h"

#include <math.h>
#include <string.h>

#include "oct-curve.h"
#include "oct-fourier.h"

#define FIRST OCT_FRINGE_FIRST_BIN
/* Power of the noise in the transform with a Hann window, over that of a
 * sample. */
#define HANN_POWER 0.375
/* In power: a peak over the minimum between it and the zero delay. */
#define ABOVE_FLANK 4.0
/* Fraction of the coherence that noise allows: lines see the same mirror. */
#define AGREE 0.9
/* Variation of a fringe's amplitude, over its mean: two mirrors of amplitudes 1
 * and 1/2 beat by 0.23. */
#define BEAT 0.16
/* Periods over the record: slower changes of the amplitude are the source's
 * spectrum, slower ones of the phase the cubic's. */
#define RIPPLE_FIRST 10
#define RIPPLE_LEAST 2

static double
fringe_power (double complex v)
{
  return creal (v) * creal (v) + cimag (v) * cimag (v);
}

/* y[lines][samples]: raw without the background, g * background with the gain
 * of each line by least squares. */
static double *
fringe_subtract (
    const double *raw, guint lines, guint samples, const double *background)
{
  double *y = g_memdup2 (raw, (gsize)lines * samples * sizeof *raw);
  double square = 0;

  if (background == NULL)
    return y;
  for (guint i = 0; i < samples; i++)
    square += background[i] * background[i];
  for (guint line = 0; line < lines && square > 0; line++) {
    double *row = y + (gsize)line * samples, product = 0;

    for (guint i = 0; i < samples; i++)
      product += row[i] * background[i];
    for (guint i = 0; i < samples; i++)
      row[i] -= product / square * background[i];
  }
  return y;
}

/* Mean over the lines of the power at the bins 0 .. samples / 2, with a Hann
 * window. */
static double *
fringe_find_powers (const double *y, guint lines, guint n)
{
  guint bins = n / 2 + 1;
  double *p = g_new0 (double, bins);
  g_autofree double complex *x = g_new (double complex, n);
  g_autoptr (OctFourier) fourier = oct_fourier_new (n);

  for (guint line = 0; line < lines; line++) {
    const double *row = y + (gsize)line * n;
    double mean = 0;

    for (guint i = 0; i < n; i++)
      mean += row[i] / n;
    for (guint i = 0; i < n; i++)
      x[i] = (row[i] - mean) * (0.5 - 0.5 * cos (2 * G_PI * i / (n - 1)));
    oct_fourier_forward (fourier, x);
    for (guint q = 0; q < bins; q++)
      p[q] += fringe_power (x[q]) / lines;
  }
  return p;
}

static double
fringe_find_highest (const double *p, guint from, guint end)
{
  double highest = 0;

  for (guint q = from; q < end; q++)
    highest = MAX (highest, p[q]);
  return highest;
}

/* A mirror's peak is broad before the wavenumbers are known: it is the band of
 * 0.8 to 1.25 of its centre with most power above the floor. */
static guint
find_band (const double *p, guint bins, double floor)
{
  g_autofree double *sum = g_new0 (double, bins + 1);
  double most = -1;
  guint band = FIRST;

  for (guint q = 0; q < bins; q++)
    sum[q + 1] = sum[q] + (q >= FIRST ? MAX (p[q] - 2 * floor, 0) : 0);
  for (guint q = FIRST; q < (guint)(bins / 1.05); q++) {
    guint low = MAX ((guint)(0.8 * q), FIRST);
    guint high = MIN ((guint)(1.25 * q) + 1, bins);

    if (sum[high] - sum[low] > most) {
      most = sum[high] - sum[low];
      band = q;
    }
  }
  return band;
}

/* Whether the highest of these bins is a peak: between it and the zero delay
 * there is less.  Else it is the flank of the source's own spectrum. */
static gboolean
is_peak (const double *p, guint from, guint end)
{
  guint highest = from;
  double least;

  for (guint q = from; q < end; q++)
    if (p[q] > p[highest])
      highest = q;
  least = p[highest];
  for (guint q = 1; q < highest; q++)
    least = MIN (least, p[q]);
  return p[highest] > ABOVE_FLANK * least;
}

static void
find_frequency (OctFringe *f, const double *y)
{
  g_autofree double *p = fringe_find_powers (y, f->lines, f->samples);
  guint bins = f->samples / 2 + 1, band, low, high;
  /* the power of noise is distributed exponentially */
  double floor = oct_curve_quantile (p + FIRST, bins - FIRST, 0.5) / log (2);
  double highest, sum = 0, moment = 0, last;

  /* values without any noise have a floor of rounding, or none */
  floor = MAX (floor, 1e-30 * fringe_find_highest (p, 0, bins) + 1e-300);
  band = find_band (p, bins, floor);
  low = MAX ((guint)(0.75 * band), FIRST);
  high = MIN ((guint)(1.33 * band) + 1, bins);
  for (guint q = low; q < high; q++) {
    double w = MAX (p[q] - 4 * floor, 0);

    sum += w;
    moment += w * q;
  }
  highest = fringe_find_highest (p, low, high);
  f->frequency = sum > 0 ? moment / sum : band;
  f->snr = sum > 0 && is_peak (p, low, high) ? 10 * log10 (highest / floor) : 0;
  f->variance = floor / (HANN_POWER * f->samples);
  last = fringe_find_highest (p, (guint)(0.96 * bins), bins);
  highest = fringe_find_highest (p, FIRST, bins);
  f->folded = f->frequency > 0.3 * f->samples
              && last - 10 * floor * log (2) > 1e-3 * highest;
}

/* z[lines][n]: the part at 0.4 to 1.7 of the fringe's frequency, and below half
 * of the sampling rate: above it lies the conjugate of the same fringe, and the
 * two together have no common phase from line to line. */
static double complex *
fringe_filter (const double *y, guint lines, guint n, double frequency)
{
  double complex *z = g_new (double complex, (gsize)lines *n);
  g_autoptr (OctFourier) fourier = oct_fourier_new (n);
  double end = MIN (1.7 * frequency, n / 2.0);

  for (guint line = 0; line < lines; line++) {
    double complex *row = z + (gsize)line * n;

    for (guint i = 0; i < n; i++)
      row[i] = y[(gsize)line * n + i];
    oct_fourier_forward (fourier, row);
    for (guint q = 0; q < n; q++)
      if (!(q > 0.4 * frequency && q < end))
        row[q] = 0;
    oct_fourier_backward (fourier, row);
  }
  return z;
}

/* One round: the phases of the lines against the common fringe, turns[lines]
 * of modulus 1, and the common fringe from these. */
static void
fringe_lock (const double complex *z, guint lines, guint n,
    double complex *turns, double complex *common)
{
  g_autofree double complex *sum = g_new0 (double complex, n);

  for (guint line = 0; line < lines; line++) {
    const double complex *row = z + (gsize)line * n;
    double complex g = 0;

    for (guint i = 0; i < n; i++)
      g += row[i] * conj (common[i]);
    turns[line] = g / MAX (cabs (g), 1e-300);
    for (guint i = 0; i < n; i++)
      sum[i] += row[i] * conj (turns[line]) / lines;
  }
  memcpy (common, sum, n * sizeof *sum);
}

/* Phases of all lines against their common fringe, which begins as `first`;
 * returns its rms. */
static double
lock_all (const double complex *z, guint lines, guint n, guint first,
    double complex *turns)
{
  g_autofree double complex *common =
      g_memdup2 (z + (gsize)first * n, n * sizeof *z);
  double sum = 0;

  for (guint round = 0; round < 4; round++)
    fringe_lock (z, lines, n, turns, common);
  for (guint i = 0; i < n; i++)
    sum += fringe_power (common[i]);
  return sqrt (sum);
}

/* Energy of the lines within the band, [lines]; returns their mean, and the
 * strongest one. */
static double
find_energies (const double complex *z, guint lines, guint n, double *energies,
    guint *strongest)
{
  double mean = 0;

  *strongest = 0;
  for (guint line = 0; line < lines; line++) {
    energies[line] = 0;
    for (guint i = 0; i < n; i++)
      energies[line] += fringe_power (z[(gsize)line * n + i]);
    mean += energies[line] / lines;
    if (energies[line] > energies[*strongest])
      *strongest = line;
  }
  return mean;
}

/* A mirror that moves, or that is tilted below a scan, has many depths.  Puts
 * the lines that agree with the strongest one first in y, where all of them
 * agree less than their noise explains; returns their number. */
static guint
select_lines (OctFringe *f, double *y)
{
  guint lines = f->lines, n = f->samples, strongest, kept = 0;
  g_autofree double complex *z = fringe_filter (y, lines, n, f->frequency);
  g_autofree double complex *turns = g_new (double complex, lines);
  g_autofree double *energies = g_new (double, lines);
  double mean = MAX (find_energies (z, lines, n, energies, &strongest), 1e-300);
  double noise = MIN (f->variance * 1.3 * f->frequency, mean);
  double signal = mean - noise;

  f->coherence = lock_all (z, lines, n, strongest, turns) / sqrt (mean);
  if (signal < noise
      || f->coherence > AGREE * sqrt ((signal + noise / lines) / mean))
    return lines;
  for (guint line = 0; line < lines; line++) {
    double complex product = 0;

    for (guint i = 0; i < n; i++)
      product += z[(gsize)line * n + i] * conj (z[(gsize)strongest * n + i]);
    if (cabs (product)
        < AGREE * signal / mean * sqrt (energies[line] * energies[strongest]))
      continue;
    memmove (y + (gsize)kept * n, y + (gsize)line * n, n * sizeof *y);
    kept++;
  }
  return MAX (kept, 1);
}

/* The mean of the lines, turned to a common phase. */
static void
fringe_average (OctFringe *f, const double *y)
{
  guint lines = f->lines, n = f->samples, strongest;
  g_autofree double complex *z = fringe_filter (y, lines, n, f->frequency);
  g_autofree double complex *turns = g_new (double complex, lines);
  g_autofree double *energies = g_new (double, lines);
  double mean = MAX (find_energies (z, lines, n, energies, &strongest), 1e-300);

  f->coherence = lock_all (z, lines, n, strongest, turns) / sqrt (mean);
  for (guint line = 0; line < lines; line++) {
    for (guint i = 0; i < n; i++)
      f->average[i] += y[(gsize)line * n + i] * conj (turns[line]) / lines;
    f->mix += conj (turns[line]) * conj (turns[line]) / lines;
  }
  /* noise alone reaches 1 / sqrt (lines) + 1 / sqrt (samples / 2) */
  if (f->coherence > 0.4 && f->snr > 0)
    f->snr += 10 * log10 (lines) + 20 * log10 (f->coherence);
}

static double
find_saturated (const double *raw, gsize count)
{
  double largest = raw[0];
  gsize full = 0;

  for (gsize i = 1; i < count; i++)
    largest = MAX (largest, raw[i]);
  for (gsize i = 0; i < count; i++)
    full += raw[i] >= largest;
  return (double)full / count;
}

OctFringe *
oct_fringe_new (
    const double *raw, guint lines, guint samples, const double *background)
{
  OctFringe *f = g_new0 (OctFringe, 1);
  g_autofree double *y = fringe_subtract (raw, lines, samples, background);

  f->samples = samples;
  f->lines = f->given = lines;
  f->average = g_new0 (double complex, samples);
  f->saturated = find_saturated (raw, (gsize)lines * samples);
  f->coherence = 1;
  find_frequency (f, y);
  if (lines > 1) {
    f->lines = select_lines (f, y);
    if (f->lines < lines)
      find_frequency (f, y);
  }
  f->agreement = f->coherence;
  if (f->lines > 1) {
    fringe_average (f, y);
  } else {
    for (guint i = 0; i < samples; i++)
      f->average[i] = y[i];
    f->mix = f->coherence = 1;
  }
  f->variance /= f->lines;
  return f;
}

void
oct_fringe_free (OctFringe *f)
{
  if (f == NULL)
    return;
  g_free (f->average);
  g_free (f);
}

/* The analytic signal of the fringe, z[samples]: 0.5 to 1.6 of its frequency,
 * below half of the sampling rate, as the conjugate of the same fringe lies
 * above it, and their sum has no phase.  Its phase is unwrapped from the
 * brightest sample on, and its power is the weight of the phase. */
static void
find_analytic (
    const OctFringe *f, double complex *z, double *phase, double *power)
{
  guint n = f->samples, brightest = 0;
  guint half = (guint)CLAMP (n / f->frequency, 1, n);
  g_autofree double complex *low = g_new (double complex, n);
  g_autofree double complex *smooth = g_new (double complex, n);
  g_autoptr (OctFourier) fourier = oct_fourier_new (n);
  double end = MIN (1.6 * f->frequency, n / 2.0);

  oct_curve_smooth (f->average, n, half, low);
  for (guint i = 0; i < n; i++)
    z[i] = f->average[i] - low[i];
  oct_fourier_forward (fourier, z);
  for (guint q = 0; q < n; q++)
    if (!(q > 0.5 * f->frequency && q < end))
      z[q] = 0;
  oct_fourier_backward (fourier, z);
  for (guint i = 0; i < n; i++) {
    phase[i] = carg (z[i]);
    power[i] = fringe_power (z[i]);
    low[i] = cabs (z[i]);
  }
  oct_curve_smooth (low, n, MAX (n / 20, 1), smooth);
  for (guint i = 1; i < n; i++)
    if (creal (smooth[i]) > creal (smooth[brightest]))
      brightest = i;
  oct_curve_unwrap (phase, n, brightest);
}

gboolean
oct_fringe_fit_cubic (const OctFringe *f, double phase[4])
{
  guint n = f->samples;
  g_autofree double complex *z = g_new (double complex, n);
  g_autofree double *angle = g_new (double, n);
  g_autofree double *weight = g_new (double, n);

  find_analytic (f, z, angle, weight);
  return oct_curve_fit_cubic (angle, weight, n, phase);
}

/* The highest of |transform| of v[n] with a Hann window from bin `from` on, to
 * a quarter of n; over that of bin 0. */
static double
find_variation (const double *v, guint n, guint from, guint *bin)
{
  g_autofree double complex *x = g_new (double complex, n);
  g_autoptr (OctFourier) fourier = oct_fourier_new (n);

  for (guint i = 0; i < n; i++)
    x[i] = v[i] * (0.5 - 0.5 * cos (2 * G_PI * i / (n - 1)));
  oct_fourier_forward (fourier, x);
  *bin = from;
  for (guint q = from; q < n / 4; q++)
    if (cabs (x[q]) > cabs (x[*bin]))
      *bin = q;
  return cabs (x[*bin]) / MAX (cabs (x[0]), 1e-300);
}

guint
oct_fringe_find_ripple (const OctFringe *f)
{
  guint n = f->samples, bin;
  g_autofree double complex *z = g_new (double complex, n);
  g_autofree double *angle = g_new (double, n);
  g_autofree double *weight = g_new (double, n);
  double cubic[4], legendre[4];

  find_analytic (f, z, angle, weight);
  if (!oct_curve_fit_cubic (angle, weight, n, cubic))
    return 0;
  for (guint i = 0; i < n; i++)
    weight[i] = sqrt (weight[i]);
  if (find_variation (weight, n, RIPPLE_FIRST, &bin) > BEAT)
    return 0;
  for (guint i = 0; i < n; i++) {
    oct_curve_legendre (i, n, legendre);
    for (guint term = 0; term < 4; term++)
      angle[i] -= cubic[term] * legendre[term];
    angle[i] *= weight[i];
  }
  find_variation (angle, n, RIPPLE_LEAST, &bin);
  return bin;
}
