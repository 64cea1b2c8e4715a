/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sweep.h"
#include "signals.h"

#include <math.h>

static double
sweep_bent_phase (const Sweep *s, double n, double bend, double wave)
{
  double x = n / s->samples;
  double p = x + s->chirp * sin (2 * G_PI * x) / (2 * G_PI)
             + 0.02 * sin (6 * G_PI * x + 1) / (6 * G_PI);

  return 2 * G_PI * s->cycles * p + bend * 4 * x * (1 - x)
         + wave * sin (5 * G_PI * x);
}

double
sweep_phase (const Sweep *sweep, double n)
{
  return sweep_bent_phase (sweep, n, 0, 0);
}

double
sweep_amplitude (const Sweep *sweep, double n)
{
  double x = n / sweep->samples - 0.5;

  return exp (4 * log (sweep->edge) * x * x);
}

void
sweep_fill (const Sweep *s, GRand *random, guint lines, double *values)
{
  double noise = pow (10, -s->snr / 20) / G_SQRT2;

  for (guint l = 0; l < lines; l++) {
    double *spectrum = values + (gsize)l * 2 * s->samples;
    double *clock = spectrum + s->samples;
    double t = g_rand_double_range (random, -1, 1) * s->jitter;
    double bend = s->bend * signal_normal (random);
    double wave = s->wave * signal_normal (random);

    for (guint i = 0; i < s->samples; i++) {
      spectrum[i] =
          cos (s->depth * sweep_bent_phase (s, i - t - s->late, bend, wave)
               + s->turn);
      clock[i] = sweep_amplitude (s, i - t)
                     * cos (sweep_bent_phase (s, i - t, bend, wave))
                 + noise * signal_normal (random);
    }
  }
}
