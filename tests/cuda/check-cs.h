/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Under-sampled spectra for the checks and the benchmark of compressive
 * sensing.
 */
#pragma once

#include "check.h"
#include "oct-cs.h"

typedef enum {
  CS_NODES_SPECTROMETER, /* wavelengths of 725 to 965 nm, falling */
  CS_NODES_RISING,       /* the same, turned round */
  CS_NODES_UNIFORM,
} CsNodes;

/* nodes[samples]; returns their number. */
guint check_cs_nodes (CsNodes kind, guint samples, double *nodes);
/* kept[at most samples]: samples of a mask of that rate, one at least; returns
 * their number. */
guint check_cs_mask (guint samples, double rate, guint32 seed, guint32 *kept);
/* row[samples] of floats or pairs of them. */
void check_cs_row (const double *nodes, guint samples, gboolean is_complex,
    double noise, GRand *random, float *row);
