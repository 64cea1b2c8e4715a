/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The normal operator T = A^H A and b = A^H y of a block of A-lines side by
 * side (oct-cpu-lanes.h), as oct-cs.h defines them, for the solvers in
 * oct-cpu-cs-solver.c.
 *
 * An iterate is [modes][2][lane], one or two runs of modes that follow each
 * other in the FFT: for real A-lines q = 0, 1, ...; for complex ones preceded
 * by those from -(N/2) to -1.
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
  guint paired;    /* real: modes 1 .. paired - 1 have a partner */
  guint margin;    /* cells around the grid */
  float rate;      /* kept / N, the mean of T's diagonal */
  float *factors;  /* [modes] of T, before and after the FFTs */
  float *gridding; /* [modes] of b, after its FFT */
  float *band;     /* [length][2 margin + 1] */
  OctLanesFft *forward, *backward;
} OctCpuCsOperator;

/* The scratch of one thread, for all lanes. */
typedef struct {
  float *placed; /* [bins][2], real A-lines: modes in their bins */
  float *grid;   /* [length][parts] cells, with `margin` more on both sides */
  float *cells;  /* [length][parts] cells, also of the gridding */
  gpointer transform;
} OctCpuCsScratch;

/* The weight of a mode in norms and means: a mode of a real A-line counts for
 * its partner too. */
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

/* Bytes of scratch, which must be zeros at first.  Divides `base` unless it is
 * NULL. */
gsize oct_cpu_cs_divide (
    const OctCpuCsOperator *op, guint8 *base, OctCpuCsScratch *scratch);

/* b of the A-lines; their samples are value column[i] of rows [..][parts][lane]
 * times scale[lane].  squares[lane] = |b|^2. */
void oct_cpu_cs_adjoint (const OctCpuCsOperator *op,
    const OctCpuCsScratch *scratch, const guint32 *column, const float *rows,
    const float *scale, float *b, double *squares);

/* gradient += T change; product[lane] = <change, T change>, squares[lane] =
 * |gradient|^2. */
void oct_cpu_cs_apply (const OctCpuCsOperator *op,
    const OctCpuCsScratch *scratch, const float *change, float *gradient,
    double *product, double *squares);

G_END_DECLS
