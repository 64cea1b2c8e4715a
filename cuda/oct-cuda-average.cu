/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means over frames: a thread for a value, which adds it to its sum and takes
 * from it what leaves the ring.
 */
#include "oct-cuda-launch.cuh"

#define THREADS 256

/* To nearest, halves up. */
template <typename Value>
static __global__ void
__launch_bounds__ (THREADS) average_counts (OctCudaAverage a)
{
  uint32_t x = blockIdx.x * THREADS + threadIdx.x;

  begin_kernel ();
  if (x >= a.width)
    return;
  for (uint32_t y = blockIdx.y; y < a.rows; y += gridDim.y) {
    size_t i = a.at + (size_t)y * a.width + x;
    uint32_t value = ((const Value *)row_of (a.in, a.in_stride, y))[x];
    uint32_t sum = a.is_first ? 0 : ((uint32_t *)a.sums)[i];

    if (a.ring != nullptr) {
      Value *old = (Value *)a.ring + a.place * a.values + i;

      if (a.replaces)
        sum -= *old;
      *old = (Value)value;
    }
    sum += value;
    ((uint32_t *)a.sums)[i] = sum;
    ((Value *)row_of (a.out, a.out_stride, y))[x] =
        (Value)((2 * sum + a.count) / (2 * a.count));
  }
}

__device__ __forceinline__ float
finite_or_zero (float value)
{
  return isfinite (value) ? value : 0;
}

/* As add_one() of the CPU. */
__device__ __forceinline__ double
add_one (const OctCudaAverage &a, size_t i, uint32_t parts, float value)
{
  double *sums = (double *)a.sums, *fresh = (double *)a.fresh;
  double sum = a.is_first ? 0 : sums[i];

  if (a.ring != nullptr) {
    float *old = (float *)a.ring + a.place * a.values * parts + i;
    double begun = a.place == 0 ? value : fresh[i] + value;

    sum += a.replaces ? (double)value - *old : value;
    *old = value;
    fresh[i] = begun;
    if (a.wraps)
      sum = begun;
  } else {
    sum += value;
  }
  sums[i] = sum;
  return sum / a.count;
}

template <bool POWER>
static __global__ void
__launch_bounds__ (THREADS) average_complex (OctCudaAverage a)
{
  uint32_t x = blockIdx.x * THREADS + threadIdx.x;

  begin_kernel ();
  if (x >= a.width)
    return;
  for (uint32_t y = blockIdx.y; y < a.rows; y += gridDim.y) {
    size_t i = a.at + (size_t)y * a.width + x;
    float2 value = ((const float2 *)row_of (a.in, a.in_stride, y))[x], mean;

    if (POWER) {
      float power = finite_or_zero (value.x * value.x + value.y * value.y);

      mean = make_float2 ((float)sqrt (fmax (0., add_one (a, i, 1, power))), 0);
    } else {
      mean.x = (float)add_one (a, 2 * i, 2, finite_or_zero (value.x));
      mean.y = (float)add_one (a, 2 * i + 1, 2, finite_or_zero (value.y));
    }
    ((float2 *)row_of (a.out, a.out_stride, y))[x] = mean;
  }
}

extern "C" cudaError_t
oct_cuda_launch_average (const OctCudaAverage *a, OctCudaQueue queue)
{
  dim3 grid (
      (a->width + THREADS - 1) / THREADS, a->rows < 32768 ? a->rows : 32768);

  switch (a->kind) {
  case OCT_CUDA_AVERAGE_BYTES:
    return launch (queue, average_counts<uint8_t>, grid, THREADS, 0, *a);
  case OCT_CUDA_AVERAGE_WORDS:
    return launch (queue, average_counts<uint16_t>, grid, THREADS, 0, *a);
  case OCT_CUDA_AVERAGE_POWER:
    return launch (queue, average_complex<true>, grid, THREADS, 0, *a);
  default:
    return launch (queue, average_complex<false>, grid, THREADS, 0, *a);
  }
}
