/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The inner loops of the transform of A-lines side by side
 * (oct-cpu-lanes-fft.h), compiled once for each set of vectors that a processor
 * may have.
 *
 * Complex values are [n][2][16].  Where a function takes `flip`, that is 0, or
 * 16 to take the imaginary part for the real one and the real one for the
 * imaginary: a forward transform flipped at both of its ends is a backward one.
 */
#pragma once

#include "oct-cpu-lanes-fft.h"

G_BEGIN_DECLS

/* floats of one complex value of all A-lines */
#define OCT_LANES_VALUE 32

/* Where the values of the first step come from. */
typedef struct {
  const float *in;   /* [length][2][16], or: */
  OctLanesRead read; /* NULL: in */
  gpointer data;     /* for it */
  guint flip;
} OctLanesSource;

/* Of a transform of radix x columns values, one step of radix r:
 *   x[k][j] = twiddles[j][k] sum_e x[e][j] exp (-2 pi i e k / r), j < columns,
 * in rows `row` floats apart; twiddles [columns][r - 1][2] from k = 1 on. */
typedef void (*OctLanesPass) (
    float *work, gsize row, const float *twiddles, guint columns);

/* The same from values that follow each other to rows. */
typedef void (*OctLanesFirst) (const OctLanesSource *source, float *out,
    gsize row, const float *twiddles, guint columns);

/* Where the bins of the last step go: value k of block b is bin q = start + b
 * block_step + k step, and goes to out[q - first] modulo length if that is
 * below count. */
typedef struct {
  float *out;
  OctLanesWrite write; /* NULL: out */
  gpointer data;       /* for it */
  gssize start, block_step, step;
  gssize first, count, length;
  guint flip;
} OctLanesTarget;

/* The last step: transforms of `radix` values that follow each other. */
typedef void (*OctLanesLast) (
    const float *in, guint flip, guint blocks, const OctLanesTarget *target);

#define OCT_LANES_MAX_RADIX 16

typedef struct {
  /* by radix; NULL where there is none */
  OctLanesFirst first[OCT_LANES_MAX_RADIX + 1];
  OctLanesPass pass[OCT_LANES_MAX_RADIX + 1];
  OctLanesLast last[OCT_LANES_MAX_RADIX + 1];
  /* out[i] = factors[i] in[i], complex; in and out may be the same */
  void (*multiply) (const float *in, guint in_flip, const float *factors,
      gsize count, float *out, guint out_flip);
  /* Bins first .. first + count - 1 of 2 half real values from the transform z
   * of them taken as `half` complex ones; twiddles [half + 1][2] of exp (-2 pi
   * i q / (2 half)) / 2; factors [count] of the bins, NULL: 1 */
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
