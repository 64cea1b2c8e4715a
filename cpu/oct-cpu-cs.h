/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The normal operator T = A^H A and b = A^H y of one A-line at a time, as
 * core/oct-cs.h defines them, for the solver in oct-cpu-cs.c.
 *
 * An iterate is one or two runs of modes that follow each other in the FFT: for
 * real A-lines q = 0, 1, ...; for complex ones the modes from -(N/2) to -1 too.
 * Runs begin at multiples of 64 bytes and are filled up with zeros, so that
 * loops over them have no rests.
 */
#pragma once

#include "oct-cpu-half.h"
#include "oct-cs.h"

G_BEGIN_DECLS

typedef struct {
  gsize start;  /* of the run in an iterate, floats */
  gsize values; /* floats, a multiple of OCT_VECTOR, with the zeros */
  guint modes;  /* without them */
  gsize place;  /* of its first mode in the FFT */
} OctCpuCsRun;

typedef struct {
  OctCsTables tables;
  guint parts; /* 1 real, 2 complex: floats of one value */
  OctCpuCsRun runs[2];
  guint n_runs;
  gsize iterate; /* floats of an iterate */
  gsize bins;    /* complex values of `placed` */
  /* all [iterate]: of T before and behind, and behind the FFT of b; each factor
   * twice, zero between the runs */
  float *before, *behind, *gridding;
  float *band;     /* [diagonals][band_row] with what is met at either end */
  gsize band_row;  /* floats */
  OctCpuHalf half; /* real and even length, else: */
  fftwf_plan forward, backward;
} OctCpuCsOperator;

/* The scratch of one thread. */
typedef struct {
  fftwf_complex *placed;   /* [bins] modes times `before` at their places */
  fftwf_complex *spectrum; /* [bins] */
  float *grid;             /* [length] cells with halves of a kernel around */
  float *cells;            /* [length] cells, or those of the gridding */
} OctCpuCsScratch;

/* Cleared with _clear() in any case, from all zeros; may be set again.  FALSE
 * with OCT_ERROR_MEMORY. */
gboolean oct_cpu_cs_operator_set (
    OctCpuCsOperator *op, const OctCsParams *params, GError **error);
void oct_cpu_cs_operator_clear (OctCpuCsOperator *op);

/* Bytes of scratch, which begins as zeros; divides them when base is given. */
gsize oct_cpu_cs_divide (
    const OctCpuCsOperator *op, guint8 *base, OctCpuCsScratch *scratch);

/* b of an A-line, row[column[i]] being its samples. */
void oct_cpu_cs_adjoint (const OctCpuCsOperator *op,
    const OctCpuCsScratch *scratch, const guint32 *column, const float *row,
    float *b);

/* T x of what stands in scratch->placed. */
void oct_cpu_cs_apply (
    const OctCpuCsOperator *op, const OctCpuCsScratch *scratch, float *tx);

G_END_DECLS
