/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The loops over the depths of an A-line that find motion: statistics of the
 * repeats, and windows.
 */
#pragma once

#include "oct-angio.h"

G_BEGIN_DECLS

/* Depths that are worked on together. */
#define OCT_CPU_ANGIO_CHUNK 512

/* The bin of a value that does not count. */
#define OCT_CPU_ANGIO_NO_BIN OCT_ANGIO_BINS

/* One A-line, at `count` depths, at most OCT_CPU_ANGIO_CHUNK: `repeats`: [n]
 * complex values, in the order of time. */
typedef struct {
  const float *const *repeats;
  guint n, count;
  float *mean;    /* r, or in its place that of the method */
  float *power;   /* p, or that of the method */
  float *other;   /* of products: imaginary parts, `mean` has the real ones */
  guint16 *bins;  /* of r */
  guint64 *there; /* repeats of all values that count are added to it */
} OctCpuAngioValues;

void oct_cpu_angio_find (
    OctAngioMethod method, const OctCpuAngioValues *values);

/* sum[i] += row[i] */
void oct_cpu_angio_add (const float *row, guint count, float *sum);
/* mean[i] = scale weights[i] sum_d from[i + d], |d| <= reach */
void oct_cpu_angio_window (const float *from, guint reach, const float *weights,
    float scale, guint count, float *mean);
/* Bins of (R - noise) / I where I > 10 noise. */
void oct_cpu_angio_find_still (
    const float *R, const float *I, float noise, guint count, guint16 *bins);
/* shown[i] of R[i], I[i] and O[i] */
void oct_cpu_angio_show_line (OctAngioShow show, const float *R, const float *I,
    const float *O, float noise, float still, guint count, float *shown);

G_END_DECLS
