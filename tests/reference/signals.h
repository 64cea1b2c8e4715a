/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Inputs of the tests, made from seeds: the same numbers wherever they are
 * made.
 */
#pragma once

#include "oct-reference.h"

/* Normal distribution of unit width. */
double signal_normal (GRand *random);
/* The same, real and imaginary part. */
Complex signal_complex (GRand *random);

/* Counts 0 .. full, whole numbers: a source with the fringes of a few mirrors,
 * and noise.  `level` of the source, 0.45 is a good one, 0.95 saturates. */
void signal_spectra (GRand *random, guint lines, guint samples, double full,
    double level, double *counts);

/* positions[samples] of uniform wavenumbers: rising, not evenly spread, both
 * ends outside. */
void signal_positions (guint samples, double *positions);

/* rad */
void signal_dispersion (guint samples, double *phase);

/* nodes[samples]: rising at irregular distances from `low` to `high`; `jitter`,
 * below 1, of the mean distance. */
void signal_nodes (GRand *random, guint samples, double low, double high,
    double jitter, double *nodes);

/* A-scans of speckle that falls by 39 dB over the depth. */
void signal_a_scans (
    GRand *random, guint lines, guint depth_bins, Complex *a_scans);
