/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A background fitted to one A-line: the same code on the CPU and, compiled by
 * nvcc, on the GPU.
 *
 * The source and the camera's gain drift a little from A-line to A-line, in
 * brightness and in tilt along the spectrum.  So b (1 + e0 + e1 x + e2 x^2) is
 * removed in place of b, x = -1 .. 1 along the A-line, whose squared distance
 * from the A-line is least.  e is the fit to A - b: nothing is lost in single
 * precision where A-line and background are nearly the same.
 */
#pragma once

#include <math.h>

#ifdef __CUDACC__
#  define OCT_FIT_INLINE static __host__ __device__ __forceinline__
#else
#  define OCT_FIT_INLINE static inline
#endif

#define OCT_FIT_TERMS 3

/* A term counts as none when the others explain all but this part of its
 * squares: with two samples, or a background that is bright at few of them. */
#define OCT_FIT_LEAST 1e-9

/* Over the samples i at which A[i] - b[i] is finite. */
typedef struct {
  double squares[5];  /* sum of b[i]^2 x[i]^m */
  double products[3]; /* sum of (A[i] - b[i]) b[i] x[i]^m */
} OctFitSums;

/* The factor of x = scale i - 1, and 0 for a single sample. */
OCT_FIT_INLINE float
oct_fit_scale (unsigned samples)
{
  return samples > 1 ? (float)(2.0 / (samples - 1)) : 1;
}

OCT_FIT_INLINE float
oct_fit_x (float scale, unsigned i)
{
  return (float)i * scale - 1;
}

/* `terms`: 1 (e0 alone) or 3.  e[3] is 0 if it cannot be determined. */
OCT_FIT_INLINE void
oct_fit_solve (const OctFitSums *sums, int terms, float *e)
{
  const double *m = sums->squares, *d = sums->products;
  double c0, c1 = 0, c2 = 0; /* of 1, x - a, x^2 - s (x - a) - t */
  double a, s = 0, t, x2, norm, d1;

  e[0] = e[1] = e[2] = 0;
  if (!(m[0] > 0))
    return;
  c0 = d[0] / m[0];
  a = m[1] / m[0];
  t = m[2] / m[0];
  norm = m[2] - a * m[1];
  d1 = d[1] - a * d[0];
  x2 = m[3] - a * m[2];
  if (terms > 1 && norm > OCT_FIT_LEAST * m[0]) {
    c1 = d1 / norm;
    s = x2 / norm;
    norm = m[4] - s * x2 - t * m[2];
    if (norm > OCT_FIT_LEAST * m[0])
      c2 = (d[2] - s * d1 - t * d[0]) / norm;
  }
  c0 += -c1 * a + c2 * (s * a - t);
  c1 -= c2 * s;
  if (!isfinite (c0) || !isfinite (c1) || !isfinite (c2))
    return;
  e[0] = (float)c0;
  e[1] = (float)c1;
  e[2] = (float)c2;
}
