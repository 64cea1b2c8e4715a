/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Positions of samples to try the transforms of spectra at any wavenumbers
 * with.
 */
#pragma once

#include "oct-reference.h"

typedef enum {
  NODES_SPECTROMETER, /* wavelengths of 725 to 965 nm, falling */
  NODES_RISING,       /* the same in the order of a swept source */
  NODES_RANDOM,       /* steps of 0.1 to 1.9 samples */
  NODES_BEYOND,       /* both ends outside */
  NODES_PERIODS,      /* two and a half times round */
  NODES_PART,         /* 0.4 of the axis */
  NODES_UNIFORM,
  NODES_UNIFORM_FALLING,
  N_NODES
} Nodes;

extern const char *const nodes_names[N_NODES];

/* Whether the transform of these nodes is an FFT. */
gboolean nodes_uniform (Nodes kind, guint samples);
/* Positions on the axis of that many samples, at least 2. */
void nodes_fill (Nodes kind, guint samples, GRand *random, double *nodes);
