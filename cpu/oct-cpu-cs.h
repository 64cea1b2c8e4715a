/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The normal operator T = A^H A and b = A^H y of a block of A-lines side by
 * side (oct-cpu-lanes.h), as oct-cs.h defines them, for the solvers in
 * oct-cpu-cs-solver.c.
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
  float rate;      /* kept / N, the mean of T's diagonal */
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

/* How often a mode counts in norms and means: those of real A-lines stand for
 * their partners, too. */
static inline guint
oct_cpu_cs_weight (const OctCpuCsOperator *op, guint mode)
{
  return op->parts == 1 && mode > 0 && mode < op->paired ? 2 : 1;
}

/* Cleared with _clear() in any case, from all zeros; may be set again.  FALSE
 * with OCT_ERROR_MEMORY. */
gboolean oct_cpu_cs_operator_set (
    OctCpuCsOperator *op, const OctCsParams *params, GError **error);
void oct_cpu_cs_operator_clear (OctCpuCsOperator *op);

/* Bytes of scratch, which begins as zeros; divides them when base is given. */
gsize oct_cpu_cs_divide (
    const OctCpuCsOperator *op, guint8 *base, OctCpuCsScratch *scratch);

/* b of A-lines, value column[i] of rows [..][parts][lane] times scale[lane]
 * being their samples; squares[lane] = |b|^2. */
void oct_cpu_cs_adjoint (const OctCpuCsOperator *op,
    const OctCpuCsScratch *scratch, const guint32 *column, const float *rows,
    const float *scale, float *b, double *squares);

/* gradient += T change; product[lane] = <change, T change>, squares[lane] =
 * |gradient|^2. */
void oct_cpu_cs_apply (const OctCpuCsOperator *op,
    const OctCpuCsScratch *scratch, const float *change, float *gradient,
    double *product, double *squares);

G_END_DECLS
