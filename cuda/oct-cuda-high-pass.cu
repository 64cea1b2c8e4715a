/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Every A-line less the mean of the A-lines around it.
 *
 * A thread goes along one column over a chunk of A-lines with the sum over the
 * window: one value comes in, one goes out.  It has BATCH A-lines in flight,
 * three values each; two of the three are in the caches, so that every sample
 * is read once from memory, and the first window of the chunk.  Counts are
 * whole numbers; sums of floats begin anew with every chunk.
 */
#include "oct-cuda-background-parts.cuh"

#define THREADS 128
#define BATCH 8
#define CHUNK 64u

template <typename Sample> struct Window {
  uint32_t width;
  uint32_t sum;

  __device__ __forceinline__ void add (Sample value, uint32_t times)
  {
    sum += times * value;
  }
  __device__ __forceinline__ void move (Sample comes, Sample goes)
  {
    sum += (uint32_t)comes - goes;
  }
  /* exact up to the division */
  __device__ __forceinline__ float less (Sample value) const
  {
    return (float)(int32_t)(value * width - sum) / (float)width;
  }
};

template <> struct Window<float> {
  uint32_t width;
  uint32_t count;
  double sum;

  __device__ __forceinline__ void add (float value, uint32_t times)
  {
    bool counts = isfinite (value);
    sum += counts ? (double)value * times : 0;
    count += counts ? times : 0;
  }
  __device__ __forceinline__ void move (float comes, float goes)
  {
    bool in = isfinite (comes), away = isfinite (goes);
    sum += (in ? (double)comes : 0) - (away ? (double)goes : 0);
    count += (uint32_t)in - (uint32_t)away;
  }
  __device__ __forceinline__ float less (float value) const
  {
    return (float)(value - sum / count);
  }
};

/* blockIdx.y: the chunk. */
template <typename Sample>
__global__ void
__launch_bounds__ (THREADS)
    remove_neighbours (OctCudaRows rows, uint32_t width, uint32_t chunk)
{
  uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  int64_t last = (int64_t)rows.lines - 1, half = width / 2;
  int64_t line = (int64_t)blockIdx.y * chunk;
  int64_t end = min (line + chunk, last + 1), begin, behind;
  Window<Sample> window = {};
  const Sample *column = (const Sample *)rows.in + i;
  auto at = [&] (int64_t n) {
    return *row_of (
        column, rows.in_stride, (size_t)min (max (n, (int64_t)0), last));
  };

  begin_kernel ();
  if (i >= rows.samples)
    return;
  window.width = width;
  begin = line - half;
  behind = line + half;
  if (begin < 0)
    window.add (at (0), (uint32_t)-begin);
  if (behind > last)
    window.add (at (last), (uint32_t)(behind - last));
  begin = max (begin, (int64_t)0);
  behind = min (behind, last);
#pragma unroll 8
  for (int64_t n = begin; n <= behind; n++)
    window.add (at (n), 1);
  for (; line < end; line += BATCH) {
    Sample here[BATCH], comes[BATCH], goes[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      here[k] = at (line + k);
      comes[k] = at (line + k + half + 1);
      goes[k] = at (line + k - half);
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      if (line + k < end)
        row_of ((float *)rows.out, rows.out_stride, (size_t)(line + k))[i] =
            window.less (here[k]);
      window.move (comes[k], goes[k]);
    }
  }
}

extern "C" cudaError_t
oct_cuda_launch_high_pass (const OctCudaRows *rows, uint32_t sample_size,
    uint32_t width, OctCudaQueue queue)
{
  /* as many A-lines as are read for the first sum */
  uint32_t chunk = width > CHUNK ? width : CHUNK;
  dim3 grid ((rows->samples + THREADS - 1) / THREADS,
      (rows->lines + chunk - 1) / chunk);

  switch (sample_size) {
  case 1:
    return launch (queue, remove_neighbours<uint8_t>, grid, THREADS, 0, *rows,
        width, chunk);
  case 2:
    return launch (queue, remove_neighbours<uint16_t>, grid, THREADS, 0, *rows,
        width, chunk);
  default:
    return launch (
        queue, remove_neighbours<float>, grid, THREADS, 0, *rows, width, chunk);
  }
}
