/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A simulated spectrometer for the tests of meters and of the dispersion
 * search: 1024 pixels over 845 +- 50 nm, a Gaussian source of 50 nm, a camera
 * of 12 bits with 20000 electrons, read noise of 30 electrons and shot noise.
 * Pixels in the order of rising wavenumber.
 */
#pragma once

#include "oct-meter-fft.h"
#include "oct-reference.h"
#include "oct-window.h"
#include "signals.h"

#include <math.h>

#define SIM_N 1024
#define SIM_ELECTRONS 20000.0
#define SIM_READ 30.0
#define SIM_FULL 4095.0
#define SIM_LEVEL 0.7 /* of full, by the source alone */

typedef struct {
  GRand *random;
  double k[SIM_N];     /* rad/um, rising */
  double light[SIM_N]; /* of the source, 1 at its top */
  double nodes[SIM_N]; /* of each pixel on the uniform axis */
  double positions[SIM_N];
  double k_middle, k_range;
} Simulation;

/* `bend` of the wavelength scale in nm. */
static inline void
simulation_init (Simulation *sim, guint32 seed, double bend)
{
  double at[SIM_N];

  sim->random = g_rand_new_with_seed (seed);
  for (guint p = 0; p < SIM_N; p++) {
    double x = 1 - 2.0 * p / (SIM_N - 1);
    double nm = 845 + 50 * x + bend * (x * x - 1.0 / 3);

    sim->k[p] = 2e3 * G_PI / nm;
    sim->light[p] = exp (-4 * G_LN2 * pow ((nm - 845) / 50, 2));
    at[p] = p;
  }
  sim->k_range = sim->k[SIM_N - 1] - sim->k[0];
  sim->k_middle = 0.5 * (sim->k[SIM_N - 1] + sim->k[0]);
  for (guint p = 0; p < SIM_N; p++) {
    sim->nodes[p] = (sim->k[p] - sim->k[0]) / sim->k_range * (SIM_N - 1);
    sim->positions[p] = oct_reference_interpolate (
        sim->k, at, SIM_N, sim->k[0] + sim->k_range * p / (SIM_N - 1));
  }
}

static inline void
simulation_clear (Simulation *sim)
{
  g_rand_free (sim->random);
}

/* um from one depth bin to the next */
static inline double
simulation_bin (const Simulation *sim)
{
  return G_PI * (SIM_N - 1) / (SIM_N * sim->k_range);
}

/* counts[SIM_N] of the light of the source times |1 + field|^2 */
static inline void
simulation_detect (
    Simulation *sim, const Complex *field, gboolean noise, double *counts)
{
  for (guint p = 0; p < SIM_N; p++) {
    double power = pow (cabs (1 + (field != NULL ? field[p] : 0)), 2);
    double electrons = SIM_LEVEL * SIM_ELECTRONS * sim->light[p] * power;

    if (noise)
      electrons += sqrt (electrons) * signal_normal (sim->random)
                   + SIM_READ * signal_normal (sim->random);
    counts[p] = electrons / SIM_ELECTRONS * SIM_FULL;
    if (noise)
      counts[p] = CLAMP (rint (counts[p]), 0, SIM_FULL);
  }
}

/* uniform[lines][SIM_N] of values[lines][SIM_N] by the natural spline */
static inline void
simulation_resample (
    const Simulation *sim, guint lines, const double *values, double *uniform)
{
  OctResampleParams params = { SIM_N, lines, OCT_RESAMPLE_CUBIC, 1,
    sim->positions };
  g_autoptr (OctReference) spline =
      oct_reference_new (OCT_OPERATION_RESAMPLE, &params, NULL);
  g_autofree Complex *in = g_new (Complex, (gsize)lines * SIM_N);
  g_autofree Complex *out = g_new (Complex, (gsize)lines * SIM_N);

  for (gsize i = 0; i < (gsize)lines * SIM_N; i++)
    in[i] = values[i];
  oct_reference_run (spline, in, NULL, out);
  for (gsize i = 0; i < (gsize)lines * SIM_N; i++)
    uniform[i] = creal (out[i]);
}

/* ascans[lines][SIM_N / 2] complex of uniform[lines][SIM_N], Hann window */
static inline void
simulation_transform (guint lines, const double *uniform, float *ascans)
{
  g_autoptr (OctMeterFft) fft = oct_meter_fft_new (SIM_N);
  double window[SIM_N], re[SIM_N], im[SIM_N];

  oct_window_fill (OCT_WINDOW_HANN, SIM_N, NULL, window);
  for (guint line = 0; line < lines; line++) {
    for (guint i = 0; i < SIM_N; i++) {
      re[i] = uniform[(gsize)line * SIM_N + i] * window[i] / sqrt (SIM_N);
      im[i] = 0;
    }
    oct_meter_fft_run (fft, re, im);
    for (guint i = 0; i < SIM_N / 2; i++) {
      ascans[((gsize)line * SIM_N / 2 + i) * 2] = re[i];
      ascans[((gsize)line * SIM_N / 2 + i) * 2 + 1] = im[i];
    }
  }
}
