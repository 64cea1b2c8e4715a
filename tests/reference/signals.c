/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "signals.h"

#include <math.h>

double
signal_normal (GRand *random)
{
  /* Box and Muller; 1 - u is never 0 */
  double size = sqrt (-2 * log (1 - g_rand_double (random)));

  return size * cos (2 * G_PI * g_rand_double (random));
}

Complex
signal_complex (GRand *random)
{
  double real = signal_normal (random);

  return CMPLX (real, signal_normal (random));
}

void
signal_spectra (GRand *random, guint lines, guint samples, double full,
    double level, double *counts)
{
  for (guint line = 0; line < lines; line++) {
    const double mirrors[][2] = { { 0.05 + 0.002 * line, 0.2 }, { 0.17, 0.1 },
      { 0.31, 0.02 } };
    double starts[G_N_ELEMENTS (mirrors)];

    for (guint m = 0; m < G_N_ELEMENTS (mirrors); m++)
      starts[m] = g_rand_double_range (random, 0, 2 * G_PI);
    for (guint i = 0; i < samples; i++) {
      double x = samples > 1 ? (double)i / (samples - 1) : 0.5, fringes = 0;
      double chirp = 9 * (x - 0.5) * (x - 0.5), value;
      for (guint m = 0; m < G_N_ELEMENTS (mirrors); m++)
        fringes +=
            mirrors[m][1]
            * cos (2 * G_PI * mirrors[m][0] * samples * x + starts[m] + chirp);
      value = full * level * exp (-8 * (x - 0.5) * (x - 0.5)) * (1 + fringes)
              + full * 1e-3 * signal_normal (random);
      counts[(gsize)line * samples + i] = CLAMP (rint (value), 0, full);
    }
  }
}

void
signal_positions (guint samples, double *positions)
{
  for (guint i = 0; i < samples; i++) {
    double x = samples > 1 ? (double)i / (samples - 1) : 0;
    positions[i] = (samples - 1) * (x + 0.12 * x * (1 - x)) * 1.01 - 0.3;
  }
}

void
signal_dispersion (guint samples, double *phase)
{
  for (guint i = 0; i < samples; i++) {
    double x = samples > 1 ? 2. * i / (samples - 1) - 1 : 0;
    phase[i] = 12 * x * x - 3 * x * x * x;
  }
}

void
signal_nodes (GRand *random, guint samples, double low, double high,
    double jitter, double *nodes)
{
  nodes[0] = 0;
  for (guint n = 1; n < samples; n++)
    nodes[n] =
        nodes[n - 1] + g_rand_double_range (random, 1 - jitter, 1 + jitter);
  for (guint n = 0; n + 1 < samples; n++)
    nodes[n] = low + nodes[n] / nodes[samples - 1] * (high - low);
  nodes[samples - 1] = high;
}

void
signal_a_scans (GRand *random, guint lines, guint depth_bins, Complex *a_scans)
{
  for (gsize i = 0; i < (gsize)lines * depth_bins; i++) {
    double x = depth_bins > 1 ? (double)(i % depth_bins) / (depth_bins - 1) : 0;
    a_scans[i] = 3e3 * exp (-9 * x) * signal_complex (random);
  }
}
