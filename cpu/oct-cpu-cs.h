/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The normal operator T = A^H A and b = A^H y of a block of A-lines side by
 * side (oct-cpu-lanes.h), as core/oct-cs.h defines them, for the solver in
 * oct-cpu-cs.c.
 *
 * An iterate is [modes][2][lane], one or two runs of modes that follow each
 * other in the FFT: for real A-lines q = 0, 1, ...; for complex ones those from
 * -(N/2) to -1 stand before.
 */
#pragma once

#include "oct-cpu-lanes-fft.h"
#include "oct-cs.h"

G_BEGIN_DECLS

typedef struct {
  guint start; /* of the run in an iterate, modes */
  guint modes;
  guint place; /* of its first mode in the FFT */
} OctCpuCsRun;

typedef struct {
  OctCsTables tables;
  guint parts; /* 1 real, 2 complex: floats of one value */
  OctCpuCsRun runs[2];
  guint n_runs;
  guint modes;     /* of all runs */
  guint paired;    /* real: those before this one have a partner, but for 0 */
  guint margin;    /* cells around the grid */
  float *factors;  /* [modes] of T, before and behind the FFTs */
  float *gridding; /* [modes] of b, behind that FFT */
  float *band;     /* [length][2 margin + 1] */
  OctLanesFft *forward, *backward;
} OctCpuCsOperator;

/* The scratch of one thread, of all lanes. */
typedef struct {
  float *placed; /* [bins][2] of real A-lines: modes at their places */
  float *grid;   /* [length][parts] cells, with `margin` more on both sides */
  float *cells;  /* [length][parts] cells, or those of the gridding */
  gpointer transform;
} OctCpuCsScratch;

/* Cleared with _clear() in any case, from all zeros; may be set again.  FALSE
 * with OCT_ERROR_MEMORY. */
gboolean oct_cpu_cs_operator_set (
    OctCpuCsOperator *op, const OctCsParams *params, GError **error);
void oct_cpu_cs_operator_clear (OctCpuCsOperator *op);

/* Bytes of scratch, which begins as zeros; divides them when base is given. */
gsize oct_cpu_cs_divide (
    const OctCpuCsOperator *op, guint8 *base, OctCpuCsScratch *scratch);

/* b of A-lines, value column[i] of rows [..][parts][lane] being their samples.
 */
void oct_cpu_cs_adjoint (const OctCpuCsOperator *op,
    const OctCpuCsScratch *scratch, const guint32 *column, const float *rows,
    float *b);

/* tx += T change; adds <change, T change> to product[lane]. */
void oct_cpu_cs_apply (const OctCpuCsOperator *op,
    const OctCpuCsScratch *scratch, const float *change, float *tx,
    double *product);

G_END_DECLS
