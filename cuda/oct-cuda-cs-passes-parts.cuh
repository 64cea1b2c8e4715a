/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing in passes over memory: what the steps of all solvers have
 * in common.  One block works on one A-line.
 */
#pragma once

#include "oct-cuda-cs-values.cuh"

#define THREADS 256
#define WARPS (THREADS / 32)

__device__ __forceinline__ float
add (float a, float b)
{
  return a + b;
}

__device__ __forceinline__ float2
add (float2 a, float2 b)
{
  return make_float2 (a.x + b.x, a.y + b.y);
}

__device__ __forceinline__ float
scaled (float factor, float a)
{
  return factor * a;
}

__device__ __forceinline__ float2
scaled (float factor, float2 a)
{
  return make_float2 (factor * a.x, factor * a.y);
}

__device__ __forceinline__ float
dot (float a, float b)
{
  return a * b;
}

__device__ __forceinline__ float
dot (float2 a, float2 b)
{
  return fmaf (a.x, b.x, a.y * b.y);
}

__device__ __forceinline__ uint32_t
bits_of (float a)
{
  return __float_as_uint (fabsf (a));
}

__device__ __forceinline__ uint32_t
bits_of (float2 a)
{
  return max (bits_of (a.x), bits_of (a.y));
}

/* The sum over all threads of a block, for all of them. */
__device__ __forceinline__ float
sum_of_block (float value)
{
  __shared__ float parts[WARPS];

  value = sum_of_warp (value);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads ();
  value = 0;
  for (int w = 0; w < WARPS; w++)
    value += parts[w];
  return value;
}

__device__ __forceinline__ uint32_t
largest_of_block (uint32_t value)
{
  __shared__ uint32_t parts[WARPS];

  value = largest_of_warp (value);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads ();
  for (int w = 0; w < WARPS; w++)
    value = max (value, parts[w]);
  return value;
}

/* The A-line of a B-scan that a block works on. */
__device__ __forceinline__ uint32_t
line_of (const OctCudaCsPasses &p, uint32_t block)
{
  return p.spread ? (2 * block + 1) * p.rows.lines / (2 * p.lines)
                  : p.first_line + block;
}

/* Mode i of an A-line: q, and where it stands in the FFT. */
__device__ __forceinline__ int32_t
mode_of (const OctCudaCsPasses &p, uint32_t i)
{
  return (int32_t)i - (int32_t)p.negative;
}

__device__ __forceinline__ uint32_t
place_of (const OctCudaCsPasses &p, int32_t q)
{
  return q < 0 ? p.length + q : q;
}

/* How often mode q of a real A-line counts. */
__device__ __forceinline__ float
weight_of (const OctCudaCsPasses &p, int32_t q)
{
  return p.is_complex || q == 0 || 2 * q == (int32_t)p.length ? 1 : 2;
}

/* Threshold of an A-line, as it is scaled. */
__device__ __forceinline__ float
threshold_of (const OctCudaCsPasses &p, const OctCudaCsLine *state)
{
  __shared__ float sigma;

  if (p.sigmas && threadIdx.x < 32) {
    float median = median_of_warp (
        threadIdx.x < p.noise_lines ? p.sigmas[threadIdx.x] : no_number ());
    if (threadIdx.x == 0)
      sigma = median;
  }
  __syncthreads ();
  return power_of_two (-state->exponent)
         * (p.sigmas ? p.tau * sigma : p.threshold);
}

/* Clears the cells of the FFT that are not modes. */
__device__ __forceinline__ void
clear_between (const OctCudaCsPasses &p, float2 *spectrum)
{
  for (uint32_t i = p.modes - p.negative + threadIdx.x;
       i < p.pitch - p.negative; i += THREADS)
    spectrum[i] = make_float2 (0, 0);
}
