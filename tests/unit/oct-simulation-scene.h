/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Scenes of the simulated spectrometer, for tests of estimates from any scene:
 * on uniform wavenumbers, with the dispersion as phases at the ends of the axis
 * in rad, without the mean of the lines.
 */
#pragma once

#include "oct-simulation.h"

/* Layers of scatterers with speckle: surfaces at 150, 230, 330 and 460 um,
 * tilted like waves, scatterers that neighbouring lines share. */
typedef struct {
  guint n;
  double *z, *amplitude, *at; /* um, of the reference arm's, in lines */
} SimulationScatterers;

static inline void
simulation_scatter (Simulation *sim, guint lines, SimulationScatterers *s)
{
  static const double surfaces[] = { 150, 230, 330, 460 };
  static const double decay[] = { 0.004, 0.002, 0.006 };
  static const double bright[] = { 1, 0.45, 0.8 };

  s->n = 35 * lines;
  s->z = g_new (double, s->n);
  s->amplitude = g_new (double, s->n);
  s->at = g_new (double, s->n);
  for (guint i = 0; i < s->n; i++) {
    guint layer = g_rand_int_range (sim->random, 0, 3);
    double z =
        g_rand_double_range (sim->random, surfaces[layer], surfaces[layer + 1]);

    s->z[i] = z;
    s->amplitude[i] = 0.012 * signal_normal (sim->random) * bright[layer]
                      * exp (-decay[layer] * (z - 150) / 2);
    s->at[i] = g_rand_double_range (sim->random, -8.0, lines + 8.0);
  }
}

/* field[SIM_N] += what comes back from `depth` um, on uniform wavenumbers, with
 * the fall-off of pixels of the size of a sample. */
static inline void
simulation_reflect (
    const Simulation *sim, double depth, double amplitude, Complex *field)
{
  double step = sim->k_range / (SIM_N - 1);
  double f = 2 * depth * sim->k_range / (2 * G_PI) / SIM_N;
  Complex turn = cexp (2 * I * depth * step);
  Complex value = cexp (2 * I * depth * sim->k[0]) * amplitude
                  * exp (-pow (G_PI * f, 2) / (4 * G_LN2));

  if (f > 0)
    value *= sin (G_PI * f) / (G_PI * f);
  for (guint n = 0; n < SIM_N; n++) {
    field[n] += value;
    value *= turn;
  }
}

/* spectra[lines][SIM_N] of fields[lines][SIM_N], through the dispersion */
static inline void
simulation_expose (Simulation *sim, guint lines, const Complex *fields,
    double c2, double c3, float *spectra)
{
  g_autofree double *mean = g_new0 (double, SIM_N);
  double light[SIM_N], counts[SIM_N];
  Complex field[SIM_N];

  memcpy (light, sim->light, sizeof light);
  for (guint n = 0; n < SIM_N; n++) {
    double k = sim->k[0] + sim->k_range * n / (SIM_N - 1);

    sim->light[n] = exp (-4 * G_LN2 * pow ((2e3 * G_PI / k - 845) / 50, 2));
  }
  for (guint line = 0; line < lines; line++) {
    for (guint n = 0; n < SIM_N; n++) {
      double x = 2.0 * n / (SIM_N - 1) - 1;

      field[n] =
          fields[(gsize)line * SIM_N + n] * cexp (I * x * x * (c2 + c3 * x));
    }
    simulation_detect (sim, field, TRUE, counts);
    for (guint n = 0; n < SIM_N; n++) {
      spectra[(gsize)line * SIM_N + n] = (float)counts[n];
      mean[n] += counts[n] / lines;
    }
  }
  for (guint i = 0; i < lines * SIM_N; i++)
    spectra[i] -= (float)mean[i % SIM_N];
  memcpy (sim->light, light, sizeof light);
}

/* spectra[lines][SIM_N] of layers */
static inline void
simulation_tissue (
    Simulation *sim, guint lines, double c2, double c3, float *spectra)
{
  static const double surfaces[] = { 150, 230, 330, 460 };
  g_autofree Complex *fields = g_new0 (Complex, (gsize)lines * SIM_N);
  SimulationScatterers s;

  simulation_scatter (sim, lines, &s);
  for (guint line = 0; line < lines; line++) {
    double shift = 20 * sin (2 * G_PI * line / lines / 1.5);
    Complex *field = fields + (gsize)line * SIM_N;

    for (guint i = 0; i < s.n; i++) {
      double weight = exp (-pow ((s.at[i] - line) / 4, 2));

      if (weight > 0.02)
        simulation_reflect (
            sim, s.z[i] + shift, weight * s.amplitude[i], field);
    }
    for (guint i = 0; i < G_N_ELEMENTS (surfaces); i++)
      simulation_reflect (
          sim, surfaces[i] + shift, i > 0 ? 0.012 : 0.03, field);
  }
  simulation_expose (sim, lines, fields, c2, c3, spectra);
  g_free (s.z);
  g_free (s.amplitude);
  g_free (s.at);
}
