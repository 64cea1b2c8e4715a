/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The solvers of compressive sensing (oct-cs.h) on a block of A-lines side
 * by side, each with a step of its own.
 */
#pragma once

#include "oct-cpu-cs-parts.h"
#include "oct-cpu-lanes.h"

G_BEGIN_DECLS

/* The scratch of one thread: a block of A-lines.  Each is scaled by a power of
 * two to values near 1, so that squares neither overflow nor underflow. */
typedef struct {
  OctCpuCsScratch op;
  float *rows;            /* [columns][parts][lane], the samples */
  float *x, *g, *change;  /* iterates */
  float *power;           /* [modes + 2 OCT_CS_REACH][lane] */
  float scale[OCT_LANES]; /* back to counts */
  gboolean finite[OCT_LANES];
  float noise[OCT_LANES]; /* nu of OCT_CS_PERSISTENT; NaN: not finite */
  /* state of the steps */
  double squares[OCT_LANES]; /* |g|^2 */
  float step[OCT_LANES], kappa[OCT_LANES];
} OctCpuCsBlock;

typedef struct {
  OctCsSolver solver;
  guint steps;
  float sigma; /* sigma_A in counts; OCT_CS_PERSISTENT: the least nu */
  float tau;
} OctCpuCsSolve;

/* Bytes of scratch, which must be zeros at first.  Divides `base` unless it is
 * NULL.  `columns`: samples of a row. */
gsize oct_cpu_cs_block_divide (const OctCpuCsOperator *op, guint columns,
    guint8 *base, OctCpuCsBlock *block);

/* Computes x, in counts, from the samples in `rows`.  It is NaN if `finite` is
 * FALSE. */
void oct_cpu_cs_block_solve (const OctCpuCsOperator *op, const guint32 *column,
    const OctCpuCsSolve *solve, OctCpuCsBlock *block);

G_END_DECLS
