/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The median over the lines of a B-scan (see the CPU backend for the way).
 *
 * A block owns COLUMNS neighbouring samples of all A-lines.  They are read once
 * from memory and kept in shared memory where there is room, as up to some 7000
 * A-lines of 16 bit have; else they are read again each time, from the L2
 * cache. The median of a column is halved in on: all threads of a column know
 * how many of its values are up to a limit, and go on with one half.  Whole
 * numbers alone: the order of the threads does not matter.
 */
#include "oct-cuda-background-parts.cuh"

#include <limits.h>

#define COLUMNS 16
#define THREADS 1024
#define ROWS (THREADS / COLUMNS)
#define WARPS (THREADS / 32)

/* Values as numbers with a sign, in their order; floats that are not finite
 * follow all others and do not count. */
template <typename Sample> struct Key {
  static __device__ __forceinline__ int from (Sample value)
  {
    return value;
  }
  static __device__ __forceinline__ bool counts (int)
  {
    return true;
  }
  static __device__ __forceinline__ double value (int key)
  {
    return key;
  }
};

template <> struct Key<float> {
  static __device__ __forceinline__ int in_order (int bits)
  {
    return bits ^ (bits >> 31 & INT_MAX);
  }
  static __device__ __forceinline__ int from (float value)
  {
    return isfinite (value) ? in_order (__float_as_int (value)) : INT_MAX;
  }
  static __device__ __forceinline__ bool counts (int key)
  {
    return key < INT_MAX;
  }
  static __device__ __forceinline__ double value (int key)
  {
    return __int_as_float (in_order (key)); /* the way back as well */
  }
};

/* One of two values, over the threads of a column, in all of them; `which` turn
 * of the memory, so that one barrier is enough. */
template <typename Operation>
__device__ __forceinline__ int
combine (int value, int which, int neutral, Operation operation)
{
  __shared__ int partial[2][WARPS][COLUMNS];
  uint32_t column = threadIdx.x % COLUMNS, warp = threadIdx.x / 32;

  value = operation (value, __shfl_xor_sync (~0u, value, COLUMNS));
  if (threadIdx.x % 32 < COLUMNS)
    partial[which][warp][column] = value;
  __syncthreads ();
  value = neutral;
#pragma unroll 8
  for (int i = 0; i < WARPS; i++)
    value = operation (value, partial[which][i][column]);
  return value;
}

static_assert (32 == 2 * COLUMNS, "a warp has two rows");

struct Least {
  __device__ __forceinline__ int operator() (int a, int b) const
  {
    return min (a, b);
  }
};

struct Largest {
  __device__ __forceinline__ int operator() (int a, int b) const
  {
    return max (a, b);
  }
};

struct Sum {
  __device__ __forceinline__ int operator() (int a, int b) const
  {
    return a + b;
  }
};

/* The values of the column of this thread, every ROWSth; InShared: copied
 * there. */
template <typename Sample, bool InShared> struct Column {
  const Sample *values;
  size_t stride;
  uint32_t lines;

  __device__ __forceinline__ Column (
      const OctCudaBackground &p, Sample *copy, uint32_t column)
  {
    uint32_t first = threadIdx.x / COLUMNS, last = p.rows.samples - 1;

    lines = p.rows.lines;
    values = (const Sample *)p.rows.in + min (column, last);
    stride = p.rows.in_stride;
    if (InShared) {
      Sample *to = copy + threadIdx.x % COLUMNS;
#pragma unroll 4
      for (uint32_t line = first; line < lines; line += ROWS)
        to[line * COLUMNS] = *row_of (values, stride, line);
      values = to;
      stride = COLUMNS * sizeof (Sample);
    }
  }
  template <typename Function>
  __device__ __forceinline__ void each (Function function) const
  {
#pragma unroll 4
    for (uint32_t line = threadIdx.x / COLUMNS; line < lines; line += ROWS)
      function (Key<Sample>::from (*row_of (values, stride, line)));
  }
};

template <typename Sample, bool InShared>
__global__ void
__launch_bounds__ (THREADS) find_median (OctCudaBackground p)
{
  typedef Key<Sample> K;
  extern __shared__ float4 shared[];
  uint32_t i = blockIdx.x * COLUMNS + threadIdx.x % COLUMNS;
  int low = INT_MAX, high = INT_MIN, number = 0, count = 0, next = INT_MAX;
  int turn = 0;

  begin_kernel ();
  Column<Sample, InShared> column (p, (Sample *)shared, i);
  column.each ([&] (int key) {
    if (K::counts (key)) {
      low = min (low, key);
      high = max (high, key);
      number++;
    }
  });
  low = combine (low, 0, INT_MAX, Least ());
  high = combine (high, 1, INT_MIN, Largest ());
  number = combine (number, 0, 0, Sum ());
  /* the barrier of the condition is that between two uses of a turn */
  while (__syncthreads_or (low < high)) {
    int middle = (low & high) + ((low ^ high) >> 1);

    count = 0;
    column.each ([&] (int key) { count += key <= middle; });
    count = combine (count, turn, 0, Sum ());
    turn = 1 - turn;
    if (low < high) {
      if (count > (number - 1) / 2)
        high = middle;
      else
        low = middle + 1;
    }
  }
  count = 0;
  column.each ([&] (int key) {
    count += key <= low;
    next = key > low ? min (next, key) : next;
  });
  count = combine (count, 0, 0, Sum ());
  next = combine (next, 1, INT_MAX, Least ());
  if (threadIdx.x >= COLUMNS || i >= p.rows.samples)
    return;
  ((float2 *)p.rows.out)[i] = split (
      number == 0
          ? CUDART_NAN
          : (K::value (low) + K::value (count > number / 2 ? low : next)) / 2);
}

template <typename Sample>
static cudaError_t
launch_format (
    const OctCudaBackground *background, uint32_t memory, OctCudaQueue queue)
{
  size_t bytes = (size_t)background->rows.lines * COLUMNS * sizeof (Sample);
  uint32_t blocks = (background->rows.samples + COLUMNS - 1) / COLUMNS;
  cudaError_t status;

  if (bytes > memory)
    return launch (
        queue, find_median<Sample, false>, blocks, THREADS, 0, *background);
  /* the same for all plans, which may be used at the same time */
  status = cudaFuncSetAttribute (find_median<Sample, true>,
      cudaFuncAttributeMaxDynamicSharedMemorySize, (int)memory);
  if (status != cudaSuccess)
    return status;
  return launch (
      queue, find_median<Sample, true>, blocks, THREADS, bytes, *background);
}

extern "C" uint32_t
oct_cuda_median_memory (uint32_t block_memory)
{
  /* what the kernels have beside it */
  uint32_t fixed = 2 * WARPS * COLUMNS * 3 * sizeof (int) + 1024;

  return block_memory > fixed ? block_memory - fixed : 0;
}

extern "C" cudaError_t
oct_cuda_launch_median (
    const OctCudaBackground *background, uint32_t memory, OctCudaQueue queue)
{
  switch (background->sample_size) {
  case 1:
    return launch_format<uint8_t> (background, memory, queue);
  case 2:
    return launch_format<uint16_t> (background, memory, queue);
  default:
    return launch_format<float> (background, memory, queue);
  }
}
