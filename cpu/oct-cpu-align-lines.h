/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The loops over the depths of an A-line that align it: real and imaginary
 * parts are apart.
 */
#pragma once

#include "oct-align.h"

G_BEGIN_DECLS

/* Zeros before and after the depths of a line in scratch memory. */
#define OCT_CPU_ALIGN_PAD 48

typedef struct {
  float *re, *im;
} OctCpuParts;

/* Not finite values become 0. */
void oct_cpu_align_load (const float *a_scan, guint depth, OctCpuParts to);
void oct_cpu_align_store (OctCpuParts from, guint depth, float *a_scan);
double oct_cpu_align_power (OctCpuParts a, guint depth);
/* sums[u + most] = |sum_q b[q + u] conj a[q]|^2 of b with zeros around it */
void oct_cpu_align_lags (
    OctCpuParts a, OctCpuParts b, guint depth, guint most, float *sums);
/* sum_q b[q] conj a[q] */
void oct_cpu_align_product (
    OctCpuParts a, OctCpuParts b, guint depth, double sum[2]);
void oct_cpu_align_shift (
    OctCpuParts from, float shift, guint depth, OctCpuParts to);
/* to[q] += weight b[q] (turn_re + i turn_im) */
void oct_cpu_align_add_turned (OctCpuParts b, float weight, float turn_re,
    float turn_im, guint depth, OctCpuParts to);

/* Scratch of the phase of a line. */
typedef struct {
  OctCpuParts c, weighted, turns; /* turns: of the expected phase */
  float *p;
  gint32 *bins;
} OctCpuAlignScratch;

/* b[q] *= e^-i (phase found) */
void oct_cpu_align_phase (OctAlignPhase phase, OctCpuParts a, OctCpuParts b,
    guint depth, float noise, const OctCpuAlignScratch *scratch);
/* Adds sum b conj a (two parts), sum |a|^2 and sum |b|^2 where their mean is
 * over `least`. */
void oct_cpu_align_coherence (
    OctCpuParts a, OctCpuParts b, guint depth, float least, double sums[4]);

G_END_DECLS
