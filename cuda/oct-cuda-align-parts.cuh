/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Small functions of the alignment of repeats.
 */
#pragma once

#include "oct-cuda-launch.cuh"
#include "oct-cuda-repeats.h"

#define LAG_THREADS 128
#define CHUNK 1024
#define FARTHEST ((OCT_CUDA_ALIGN_LAGS - 1) / 2)
#define SOLVE_THREADS (32 * OCT_ALIGN_BANDS)
#define LINE_THREADS 256
#define LINE_WARPS (LINE_THREADS / 32)
#define KEEP_THREADS 256
#define MOST_BLOCKS 4096u

/* OctAlignPhase */
enum { PHASE_NONE, PHASE_MEAN, PHASE_HISTOGRAM, PHASE_MODE, PHASE_LINE };

template <typename Value>
__device__ __forceinline__ Value
warp_sum (Value value)
{
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync (~0u, value, offset);
  return value;
}

__device__ __forceinline__ float2
finite_parts (float2 a)
{
  return make_float2 (isfinite (a.x) ? a.x : 0, isfinite (a.y) ? a.y : 0);
}

/* b conj a */
__device__ __forceinline__ float2
product (float2 b, float2 a)
{
  return make_float2 (b.x * a.x + b.y * a.y, b.y * a.x - b.x * a.y);
}

__device__ __forceinline__ float
power_of (float2 a)
{
  return a.x * a.x + a.y * a.y;
}
