/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The inner loops of the transform of A-lines side by side
 * (oct-cpu-lanes-fft.h), compiled once for each vector instruction set.
 *
 * Complex values are [n][2][16].  `flip` is 0, or 16 to exchange real and
 * imaginary parts: a forward transform flipped at both of its ends is a
 * backward one.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

/* floats of one complex value of all A-lines */
#define OCT_LANES_VALUE 32

/* Reads `count` values first, first + step, ... of the A-lines into
 * values[count][2][16]. */
typedef void (*OctLanesRead) (
    gpointer data, guint first, guint step, guint count, float *values);

/* Receives `count` bins first, first + step, ...: bins[count][2][16], which may
 * be overwritten. */
typedef void (*OctLanesWrite) (
    gpointer data, guint first, guint step, guint count, float *bins);

/* The source of the values of the first step. */
typedef struct {
  const float *in;   /* [length][2][16], or: */
  OctLanesRead read; /* NULL: in */
  gpointer data;     /* for it */
  guint flip;
} OctLanesSource;

/* One step of radix r, of a transform of radix x columns values:
 *   x[k][j] = twiddles[j][k] sum_e x[e][j] exp (-2 pi i e k / r), j < columns,
 * in rows `row` floats apart; twiddles [columns][r - 1][2] from k = 1 on. */
typedef void (*OctLanesPass) (
    float *work, gsize row, const float *twiddles, guint columns);

/* The same from consecutive values to rows. */
typedef void (*OctLanesFirst) (const OctLanesSource *source, float *out,
    gsize row, const float *twiddles, guint columns);

/* The target of the bins of the last step.  Value k of block b is bin q = start
 * + b block_step + k step; it is written to out[q - first], modulo length, if
 * that is below count. */
typedef struct {
  float *out;
  OctLanesWrite write; /* NULL: out */
  gpointer data;       /* for it */
  gssize start, block_step, step;
  gssize first, count, length;
  guint flip;
} OctLanesTarget;

/* The last step: transforms of `radix` consecutive values. */
typedef void (*OctLanesLast) (
    const float *in, guint flip, guint blocks, const OctLanesTarget *target);

#define OCT_LANES_MAX_RADIX 16

typedef struct {
  /* by radix; NULL: there is none */
  OctLanesFirst first[OCT_LANES_MAX_RADIX + 1];
  OctLanesPass pass[OCT_LANES_MAX_RADIX + 1];
  OctLanesLast last[OCT_LANES_MAX_RADIX + 1];
  /* out[i] = factors[i] in[i], complex; in and out may be the same */
  void (*multiply) (const float *in, guint in_flip, const float *factors,
      gsize count, float *out, guint out_flip);
  /* Bins first .. first + count - 1 of 2 half real values, from the transform z
   * of the same values as `half` complex ones; twiddles [half + 1][2] of exp
   * (-2 pi i q / (2 half)) / 2; factors [count] of the bins, NULL: 1 */
  void (*separate) (const float *z, guint half, const float *twiddles,
      const float *factors, guint first, guint count, float *out);
  /* The way back: z from bins 0 .. half */
  void (*join) (const float *bins, guint half, const float *twiddles, float *z);
} OctLanesKernels;

extern const OctLanesKernels oct_lanes_kernels_baseline;
/* x86 alone */
extern const OctLanesKernels oct_lanes_kernels_avx2;
extern const OctLanesKernels oct_lanes_kernels_avx512;

G_END_DECLS
