/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The transforms of samples at any positions as plain sums in double precision,
 * and positions to try them with.
 */
#pragma once

#include "oct-backend.h"

#include <complex.h>

typedef double complex Complex;

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
/* One line by gridding, as core/oct-nufft.h says. */
void reference_gridded (
    const OctNufftParams *p, gboolean adjoint, const Complex *in, Complex *out);
/* One line by the definition. */
void reference_exact (
    const OctNufftParams *p, gboolean adjoint, const Complex *in, Complex *out);
