/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * One A-line of a k-clock: the same code on the CPU and, compiled by nvcc, on
 * the GPU.  Definitions: oct-kclock-params.h.
 */
#pragma once

#include "oct-kclock-limits.h"

#include <math.h>

#ifdef __CUDACC__
#  define OCT_KCLOCK_INLINE static __host__ __device__ __forceinline__
#else
#  define OCT_KCLOCK_INLINE static inline
#endif

#define OCT_KCLOCK_PI 3.14159265358979f

/* The reference in the parts of a sweep. */
typedef struct {
  float weight[OCT_KCLOCK_BLOCKS]; /* of sum 1 */
  float slope[OCT_KCLOCK_BLOCKS];  /* rad per sample */
  float mean, spread, power;       /* sum w s, sum w (s - mean)^2, sum w s^2 */
  int cycles;                      /* jitter may exceed half a cycle */
} OctKclockBlocks;

/* exp (i phase) at `f` samples, -.5 .. .5, after one with the phasor (c0, s0),
 * the slope `first` and the curvature `second` of the phase. */
OCT_KCLOCK_INLINE void
oct_kclock_model (
    float c0, float s0, float first, float second, float f, float *c, float *s)
{
  float d = f * (first + 0.5f * f * second), q = d * d;
  float cd =
      1.0f
      - q
            * (0.5f
                - q
                      * (1 / 24.0f
                          - q
                                * (1 / 720.0f
                                    - q * (1 / 40320.0f - q / 3628800.0f))));
  float sd = d
             * (1.0f
                 - q
                       * (1 / 6.0f
                           - q
                                 * (1 / 120.0f
                                     - q
                                           * (1 / 5040.0f
                                               - q
                                                     * (1 / 362880.0f
                                                         - q / 39916800.0f)))));

  *c = c0 * cd - s0 * sd;
  *s = s0 * cd + c0 * sd;
}

/* y[2][blocks], real and imaginary parts -> *t more, and what it leaves.
 * `is_first`: whole cycles from slope and offset together if b->cycles. */
OCT_KCLOCK_INLINE void
oct_kclock_solve (const OctKclockBlocks *b, const float *re, const float *im,
    int is_first, float *t, float *residual)
{
  float last = 0, turns = 0, mean = 0, product = 0, whole;

  for (int i = 0; i < OCT_KCLOCK_BLOCKS; i++) {
    float angle = atan2f (im[i], re[i]);

    if (i > 0)
      turns -= rintf ((angle - last) / (2 * OCT_KCLOCK_PI));
    last = angle;
    residual[i] = angle + turns * 2 * OCT_KCLOCK_PI;
    mean += b->weight[i] * residual[i];
  }
  whole = mean;
  if (is_first && b->cycles) {
    for (int i = 0; i < OCT_KCLOCK_BLOCKS; i++)
      product += b->weight[i] * (b->slope[i] - b->mean) * (residual[i] - mean);
    if (b->spread > 0)
      whole -= product / b->spread * b->mean;
  }
  whole = rintf (whole / (2 * OCT_KCLOCK_PI)) * 2 * OCT_KCLOCK_PI;
  product = 0;
  for (int i = 0; i < OCT_KCLOCK_BLOCKS; i++) {
    residual[i] -= whole;
    product += b->weight[i] * b->slope[i] * residual[i];
  }
  product /= b->power;
  *t -= product;
  for (int i = 0; i < OCT_KCLOCK_BLOCKS; i++)
    residual[i] -= product * b->slope[i];
}

OCT_KCLOCK_INLINE float
oct_kclock_rms (const OctKclockBlocks *b, const float *residual)
{
  float sum = 0;

  for (int i = 0; i < OCT_KCLOCK_BLOCKS; i++)
    sum += b->weight[i] * residual[i] * residual[i];
  return sqrtf (sum);
}

/* sum of c[o] T_o (x), o = 0 .. order */
OCT_KCLOCK_INLINE float
oct_kclock_chebyshev (const float *c, int order, float x)
{
  float b1 = 0, b2 = 0;

  for (int o = order; o > 0; o--) {
    float b = c[o] + 2 * x * b1 - b2;

    b2 = b1;
    b1 = b;
  }
  return c[0] + x * b1 - b2;
}
