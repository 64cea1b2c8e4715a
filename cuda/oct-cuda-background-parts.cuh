/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * From the sum of a column to the background that is subtracted from it.
 */
#pragma once

#include "oct-cuda-launch.cuh"

#include <math_constants.h>

/* (high, low) */
__device__ __forceinline__ float2
split (double value)
{
  return make_float2 ((float)value, (float)(value - (float)value));
}

/* `mean` is NaN where no A-line has a finite value: such a B-scan is passed
 * over, and the first one that has values is the beginning. */
__device__ __forceinline__ double
update_running (
    const OctCudaBackground &background, uint32_t column, double mean)
{
  /* past the L1 cache, which may hold that of an earlier B-scan */
  double running = __ldcg (&background.running[column]);

  if (background.forget || isnan (running))
    running = mean;
  else if (!isnan (mean))
    running += background.running_weight * (mean - running);
  background.running[column] = running;
  return running;
}

template <typename Sum>
__device__ __forceinline__ float2
find_background (const OctCudaBackground &background, uint32_t column,
    Sum total, uint32_t count)
{
  double value = count > 0 ? (double)total / count : CUDART_NAN;

  if (background.mode == OCT_CUDA_BACKGROUND_RUNNING)
    value = update_running (background, column, value);
  return split (value);
}
