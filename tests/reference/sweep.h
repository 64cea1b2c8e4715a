/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A swept source with a k-clock, as a digitizer of two channels records it: the
 * source of the experiments of octkclock.  Its phases are known.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint samples;
  double cycles;     /* of the clock in a sweep */
  double chirp;      /* by which part its speed varies */
  double edge;       /* amplitude at both ends, of that in the middle */
  double snr;        /* of the clock in dB, in the middle: A^2 / (2 s^2) */
  double jitter;     /* delays are within plus and minus so many samples */
  double bend, wave; /* rms by which sweeps differ, a bow and a wave, in rad */
  double depth;      /* of the mirror, in cycles per cycle of the clock */
  double turn;       /* rad, of the fringe of the mirror */
  double late;       /* samples of the spectrum after the clock */
} Sweep;

/* Phase of the clock and amplitude at sample n. */
double sweep_phase (const Sweep *sweep, double n);
double sweep_amplitude (const Sweep *sweep, double n);

/* values[lines][2 samples], of amplitude 1: the fringe of the mirror, without
 * envelope and noise, and the clock. */
void sweep_fill (
    const Sweep *sweep, GRand *random, guint lines, double *values);

G_END_DECLS
