/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing: what is done with single values and within a warp.
 */
#pragma once

#include "oct-cuda-launch.cuh"

#define FULL_WARP 0xffffffffu
#define NOT_FINITE 0x7f800000u /* bits of such magnitudes and above */

__device__ __forceinline__ float
no_number ()
{
  return __int_as_float (0x7fc00000);
}

__device__ __forceinline__ float
square (float2 a)
{
  return fmaf (a.x, a.x, a.y * a.y);
}

__device__ __forceinline__ uint32_t
largest_of_warp (uint32_t value)
{
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = max (value, __shfl_xor_sync (FULL_WARP, value, step));
  return value;
}

__device__ __forceinline__ float
sum_of_warp (float value)
{
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync (FULL_WARP, value, step);
  return value;
}

__device__ __forceinline__ float
power_of_two (int exponent)
{
  return __int_as_float ((exponent + 127) << 23);
}

/* The lower median of the finite values of a warp, one or none a lane; 0
 * without any. */
__device__ __forceinline__ float
median_of_warp (float value)
{
  uint32_t lane = threadIdx.x % 32, before = 0, found;
  bool finite = isfinite (value);
  uint32_t count = __popc (__ballot_sync (FULL_WARP, finite));

  for (uint32_t i = 0; i < 32; i++) {
    float other = __shfl_sync (FULL_WARP, value, i);
    before +=
        isfinite (other) && (other < value || (other == value && i < lane));
  }
  found = __ballot_sync (FULL_WARP, finite && before == (count - 1) / 2);
  value = __shfl_sync (FULL_WARP, value, found ? __ffs (found) - 1 : 0);
  return count > 0 ? value : 0;
}

/* That brings a magnitude of these bits near 1; 0 and what is not finite stay.
 */
__device__ __forceinline__ int
exponent_of (uint32_t magnitude)
{
  int exponent = (int)(magnitude >> 23) - 127;

  return magnitude == 0 ? 0 : min (max (exponent, -126), 126);
}

/* 1 / step of the next move, from <s, T s> and |s|^2 of the last, s = x' - x */
__device__ __forceinline__ float
inverse_step (float squares, float energy, float step_min, float step_max)
{
  float step = fminf (fmaxf (energy / squares, step_min), step_max);

  return 1 / (squares > 0 ? step : step_max);
}

/* The part of a modulus that the soft threshold keeps, from its square */
__device__ __forceinline__ float
kept_part (float square, float cut)
{
  return fmaxf (fmaf (-cut, rsqrtf (square), 1), 0);
}

/* x' of one mode, or of two real ones (ends); returns x' - x */
__device__ __forceinline__ float2
move (
    float2 &x, float2 g, float inverse, float cut, bool is_there, bool is_ends)
{
  float2 u = make_float2 (fmaf (-inverse, g.x, x.x), fmaf (-inverse, g.y, x.y));
  float re = kept_part (square (u), cut), im = re;
  float2 next, step;

  if (is_ends) {
    re = kept_part (u.x * u.x, cut);
    im = kept_part (u.y * u.y, cut);
  }
  next = make_float2 (is_there ? re * u.x : 0, is_there ? im * u.y : 0);
  step = make_float2 (next.x - x.x, next.y - x.y);
  x = next;
  return step;
}
