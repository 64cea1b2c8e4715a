/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The gridding kernels in single precision, for weights on the fly: the same
 * code on the CPU and, compiled by nvcc, on the GPU.  Relative errors below
 * 1e-5 (Kaiser-Bessel, where the kernel is small) and 2e-6 (Gaussian); what
 * gridding loses is more, but for the widest kernels.
 */
#pragma once

#include <math.h>

#ifdef __CUDACC__
#  define OCT_KERNEL_INLINE static __host__ __device__ __forceinline__
#else
#  define OCT_KERNEL_INLINE static inline
#endif

/* Modified Bessel function I0 (x), x >= 0: Abramowitz and Stegun 9.8.1, 9.8.2,
 * relative error below 5e-7 in single precision, for x to 30. */
OCT_KERNEL_INLINE float
oct_kernel_i0 (float x)
{
  float t = x / 3.75f, sum;

  if (t < 1) {
    t *= t;
    sum = 0.0045813f;
    sum = sum * t + 0.0360768f;
    sum = sum * t + 0.2659732f;
    sum = sum * t + 1.2067492f;
    sum = sum * t + 3.0899424f;
    sum = sum * t + 3.5156229f;
    return sum * t + 1;
  }
  t = 1 / t;
  sum = 0.00392377f;
  sum = sum * t - 0.01647633f;
  sum = sum * t + 0.02635537f;
  sum = sum * t - 0.02057706f;
  sum = sum * t + 0.00916281f;
  sum = sum * t - 0.00157565f;
  sum = sum * t + 0.00225319f;
  sum = sum * t + 0.01328592f;
  sum = sum * t + 0.39894228f;
  return sum * expf (x) / sqrtf (x);
}

/* weights[m] = window I0 (beta sqrt (1 - (2 (offset + m)/width)^2)) / width */
OCT_KERNEL_INLINE void
oct_kernel_kaiser_bessel (
    float beta, int width, float offset, float window, float *weights)
{
  for (int m = 0; m < width; m++) {
    float x = 2 * (offset + (float)m) / (float)width;
    float inside = (1 - x) * (1 + x);
    weights[m] = window / (float)width
                 * oct_kernel_i0 (beta * sqrtf (inside > 0 ? inside : 0));
  }
}

/* weights[m] = window exp (-(offset + m)^2 / 4t) by fast gridding (Greengard
 * and Lee 2004): exp (-(m + c)^2 / 4t) exp (-(m + c) f / 2t) exp (-f^2 / 4t)
 * with whole numbers m + c and the fraction f.  Three exponentials for all
 * cells; `table` [width] holds exp (-(m + c)^2 / 4t), c = -(width / 2). */
OCT_KERNEL_INLINE void
oct_kernel_gaussian (float t, int width, float offset, float window,
    const float *table, float *weights)
{
  int centre = width / 2;
  float f = offset + (float)centre; /* within half a cell, or one, of 0 */
  float step = expf (-f / (2 * t));
  float factor = window * expf (-f * f / (4 * t) + f * (float)centre / (2 * t));

  for (int m = 0; m < width; m++) {
    weights[m] = factor * table[m];
    factor *= step;
  }
}
