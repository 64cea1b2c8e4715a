/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Layers of the simulated spectrometer as its pixels see them, each line with
 * speckle of its own: reaching deep, or in a narrow range of depths.
 */
#pragma once

#include "oct-simulation.h"

/* Dispersion, rad at the ends of the axis. */
#define SIM_LAYERS_C2 12.0

typedef struct {
  double surfaces[4]; /* um */
  double decay;       /* of the layers, relative */
} SimulationLayers;

/* some programs use one of them */
G_GNUC_UNUSED static const SimulationLayers simulation_deep = {
  { 150, 400, 650, 920 }, 0.3
};
G_GNUC_UNUSED static const SimulationLayers simulation_narrow = {
  { 150, 230, 330, 460 }, 1
};

/* field[SIM_N] += what comes back from `depth` um, with the dispersion */
static inline void
simulation_reflect_pixels (
    const Simulation *sim, double depth, double amplitude, Complex *field)
{
  double f = 2 * depth * sim->k_range / (2 * G_PI) / SIM_N;
  double size = amplitude * exp (-pow (G_PI * f, 2) / (4 * G_LN2))
                * sin (G_PI * f) / (G_PI * f);

  for (guint p = 0; p < SIM_N; p++) {
    double x = (sim->k[p] - sim->k_middle) / (sim->k_range / 2);

    field[p] +=
        size * cexp (I * (2 * sim->k[p] * depth + SIM_LAYERS_C2 * x * x));
  }
}

/* counts[SIM_N] of one A-line */
static inline void
simulation_expose_layers (
    Simulation *sim, const SimulationLayers *layers, double *counts)
{
  static const double decay[] = { 0.004, 0.002, 0.006 };
  static const double bright[] = { 1, 0.45, 0.8 };
  Complex field[SIM_N] = { 0 };

  for (guint i = 0; i < 100; i++) {
    guint layer = g_rand_int_range (sim->random, 0, 3);
    double z = g_rand_double_range (
        sim->random, layers->surfaces[layer], layers->surfaces[layer + 1]);

    simulation_reflect_pixels (sim, z,
        0.012 * signal_normal (sim->random) * bright[layer]
            * exp (-layers->decay * decay[layer] * (z - 150) / 2),
        field);
  }
  for (guint i = 0; i < 4; i++)
    simulation_reflect_pixels (sim,
        layers->surfaces[i] + g_rand_double_range (sim->random, -15, 15),
        i > 0 ? 0.012 : 0.03, field);
  simulation_detect (sim, field, TRUE, counts);
}

/* rad per 100 bins, rms under the light, that the axis is off a straight line
 */
static inline double
simulation_find_bend (const Simulation *sim, const double *positions)
{
  double x[SIM_N], wave[SIM_N], light[SIM_N], at[SIM_N];
  double z[2][2] = { { 0 } }, v[2] = { 0 }, sum = 0, error = 0;
  double offset, slope;

  for (guint p = 0; p < SIM_N; p++)
    at[p] = p;
  for (guint j = 0; j < SIM_N; j++) {
    double k = oct_reference_interpolate (
        at, sim->k, SIM_N, CLAMP (positions[j], 0, SIM_N - 1));

    x[j] = 2.0 * j / (SIM_N - 1) - 1;
    wave[j] = (k - sim->k_middle) / (sim->k_range / 2);
    light[j] = pow (exp (-4 * G_LN2 * pow ((2e3 * G_PI / k - 845) / 50, 2))
                        * (1 + cos (G_PI * x[j])),
        2);
    z[0][0] += light[j];
    z[0][1] += light[j] * x[j];
    z[1][1] += light[j] * x[j] * x[j];
    v[0] += light[j] * wave[j];
    v[1] += light[j] * wave[j] * x[j];
  }
  slope = (v[1] * z[0][0] - v[0] * z[0][1])
          / (z[1][1] * z[0][0] - z[0][1] * z[0][1]);
  offset = (v[0] - slope * z[0][1]) / z[0][0];
  for (guint j = 0; j < SIM_N; j++) {
    double off = (wave[j] - offset) / slope - x[j];

    error += light[j] * off * off;
    sum += light[j];
  }
  return sqrt (error / sum) * G_PI * 100;
}
