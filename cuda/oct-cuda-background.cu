/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Counts to float, minus the spectrum of the source (see the CPU backend for
 * the two steps of the subtraction).
 *
 * A block owns COLUMNS neighbouring samples of all A-lines: it sums them, and
 * reads them again, from its L1 cache in most cases, to take the mean off.  So
 * a B-scan is one kernel that reads every count once from memory.  Counts are
 * summed as integers, floats in double and in a fixed order.
 */
#include "oct-cuda-background-parts.cuh"
#include "oct-fit.h"

#define COLUMNS 16
#define VALUES 4                 /* neighbouring samples of one thread */
#define LANES (COLUMNS / VALUES) /* threads of one row */
#define THREADS 1024
#define ROWS (THREADS / LANES) /* rows that are read together */
#define WARPS (THREADS / 32)
#define BATCH 4 /* rows that a thread has in flight */

/* VALUES samples as they lie in memory */
template <typename Sample> struct Traits;
template <> struct Traits<uint8_t> {
  typedef uint32_t Sum;
  typedef uchar4 Vector;
};
template <> struct Traits<uint16_t> {
  typedef uint32_t Sum;
  typedef ushort4 Vector;
};
template <> struct Traits<float> {
  typedef double Sum;
  typedef float4 Vector;
};

/* Whole: the row has all VALUES samples from `column` on, at an address that
 * allows one access for them. */
template <typename Sample, bool Whole>
__device__ __forceinline__ typename Traits<Sample>::Vector
read_values (const OctCudaRows &rows, uint32_t line, uint32_t column)
{
  typedef typename Traits<Sample>::Vector Vector;
  const Sample *row = row_of ((const Sample *)rows.in, rows.in_stride, line);
  Vector vector = {};

  if (Whole)
    return *(const Vector *)(row + column);
  if (column < rows.samples)
    vector.x = row[column];
  if (column + 1 < rows.samples)
    vector.y = row[column + 1];
  if (column + 2 < rows.samples)
    vector.z = row[column + 2];
  if (column + 3 < rows.samples)
    vector.w = row[column + 3];
  return vector;
}

template <bool Whole>
__device__ __forceinline__ void
write_values (
    const OctCudaRows &rows, uint32_t line, uint32_t column, float4 values)
{
  float *row = row_of ((float *)rows.out, rows.out_stride, line);

  if (Whole) {
    *(float4 *)(row + column) = values;
    return;
  }
  if (column < rows.samples)
    row[column] = values.x;
  if (column + 1 < rows.samples)
    row[column + 1] = values.y;
  if (column + 2 < rows.samples)
    row[column + 2] = values.z;
  if (column + 3 < rows.samples)
    row[column + 3] = values.w;
}

/* Sum over the rows of the block, of column `threadIdx.x / 32` in every thread
 * of the first COLUMNS warps. */
template <typename Sum>
__device__ __forceinline__ Sum
sum_rows (Sum (&sums)[VALUES])
{
  __shared__ Sum partial[WARPS][COLUMNS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Sum total = 0;

  for (int k = 0; k < VALUES; k++) {
    for (int offset = LANES; offset < 32; offset *= 2)
      sums[k] += __shfl_xor_sync (~0u, sums[k], offset);
    if (lane < LANES)
      partial[warp][lane * VALUES + k] = sums[k];
  }
  __syncthreads ();
  if (warp < COLUMNS) {
    total = partial[lane][warp];
    for (int offset = 1; offset < 32; offset *= 2)
      total += __shfl_xor_sync (~0u, total, offset);
  }
  return total;
}

/* Reads a batch of rows, those past the end as zeros. */
template <typename Sample, bool Whole>
__device__ __forceinline__ void
read_batch (const OctCudaRows &rows, uint32_t line, uint32_t column,
    typename Traits<Sample>::Vector (&batch)[BATCH])
{
#pragma unroll
  for (int i = 0; i < BATCH; i++) {
    batch[i] = {};
    if (line + i * ROWS < rows.lines)
      batch[i] = read_values<Sample, Whole> (rows, line + i * ROWS, column);
  }
}

/* Floats that are not finite do not count. */
template <typename Sum, typename Value>
__device__ __forceinline__ void
add_value (Value value, Sum &sum, uint32_t &excluded)
{
  if constexpr (sizeof (Sum) == sizeof (double)) {
    bool finite = isfinite (value);
    sum += finite ? value : 0;
    excluded += !finite;
  } else {
    sum += value;
  }
}

/* sums, and the number of values that they leave out */
template <typename Sample, bool Whole>
__device__ __forceinline__ void
sum_lines (const OctCudaRows &rows, uint32_t column,
    typename Traits<Sample>::Sum (&sums)[VALUES], uint32_t (&excluded)[VALUES])
{
  for (uint32_t line = threadIdx.x / LANES; line < rows.lines;
       line += BATCH * ROWS) {
    typename Traits<Sample>::Vector batch[BATCH];
    read_batch<Sample, Whole> (rows, line, column, batch);
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      add_value (batch[i].x, sums[0], excluded[0]);
      add_value (batch[i].y, sums[1], excluded[1]);
      add_value (batch[i].z, sums[2], excluded[2]);
      add_value (batch[i].w, sums[3], excluded[3]);
    }
  }
}

/* All rows of a batch are read before the first is written: in and out may be
 * the same memory. */
template <typename Sample, bool Whole>
__device__ __forceinline__ void
subtract (const OctCudaRows &rows, uint32_t column, float4 high, float4 low)
{
  for (uint32_t line = threadIdx.x / LANES; line < rows.lines;
       line += BATCH * ROWS) {
    typename Traits<Sample>::Vector batch[BATCH];
    read_batch<Sample, Whole> (rows, line, column, batch);
#pragma unroll
    for (int i = 0; i < BATCH; i++)
      if (line + i * ROWS < rows.lines)
        write_values<Whole> (rows, line + i * ROWS, column,
            make_float4 (((float)batch[i].x - high.x) - low.x,
                ((float)batch[i].y - high.y) - low.y,
                ((float)batch[i].z - high.z) - low.z,
                ((float)batch[i].w - high.w) - low.w));
  }
}

/* store (column, sum of the values, number of them) for the columns of the
 * block */
template <typename Sample, typename Store>
__device__ __forceinline__ void
find_sums (const OctCudaBackground &background, uint32_t first, bool whole,
    Store store)
{
  typedef typename Traits<Sample>::Sum Sum;
  const OctCudaRows &rows = background.rows;
  uint32_t column = first + threadIdx.x % LANES * VALUES;
  Sum sums[VALUES] = {}, total;
  uint32_t excluded[VALUES] = {}, count = rows.lines;

  if (whole)
    sum_lines<Sample, true> (rows, column, sums, excluded);
  else
    sum_lines<Sample, false> (rows, column, sums, excluded);
  total = sum_rows (sums);
  if constexpr (sizeof (Sum) == sizeof (double))
    count -= sum_rows (excluded);
  column = first + threadIdx.x / 32;
  if (threadIdx.x % 32 == 0 && threadIdx.x / 32 < COLUMNS
      && column < rows.samples)
    store (column, total, count);
}

/* The background that was found or given before; it ends with the last column.
 */
__device__ __forceinline__ float2
known_background (const OctCudaBackground &background, uint32_t column)
{
  if (!background.table || column >= background.rows.samples)
    return make_float2 (0, 0);
  if (background.mode == OCT_CUDA_BACKGROUND_SUMS)
    return split ((double)((const uint32_t *)background.table)[column]
                  / background.rows.lines);
  return ((const float2 *)background.table)[column];
}

template <typename Sample>
__global__ void
__launch_bounds__ (THREADS)
    remove_background (OctCudaBackground background, bool aligned)
{
  const OctCudaRows &rows = background.rows;
  __shared__ float4 high[LANES], low[LANES];
  uint32_t first = blockIdx.x * COLUMNS, lane = threadIdx.x % LANES;
  uint32_t column = first + lane * VALUES;
  bool whole = aligned && column + VALUES <= rows.samples;

  begin_kernel ();
  if (background.mode < OCT_CUDA_BACKGROUND_TABLE) {
    find_sums<Sample> (
        background, first, whole, [&] (uint32_t i, auto total, uint32_t count) {
          float2 value = find_background (background, i, total, count);
          ((float *)high)[i - first] = value.x;
          ((float *)low)[i - first] = value.y;
        });
  } else if (threadIdx.x < COLUMNS) {
    float2 value = known_background (background, first + threadIdx.x);
    ((float *)high)[threadIdx.x] = value.x;
    ((float *)low)[threadIdx.x] = value.y;
  }
  __syncthreads ();
  if (whole)
    subtract<Sample, true> (rows, column, high[lane], low[lane]);
  else
    subtract<Sample, false> (rows, column, high[lane], low[lane]);
}

/* VALUES samples less what was fitted to their A-line. */
template <typename Vector>
__device__ __forceinline__ float4
subtract_fit (const Vector &v, const float2 (&b)[VALUES],
    const float (&x)[VALUES], float4 e)
{
  float samples[VALUES] = { (float)v.x, (float)v.y, (float)v.z, (float)v.w };

#pragma unroll
  for (int k = 0; k < VALUES; k++)
    samples[k] = ((samples[k] - b[k].x) - b[k].y)
                 - fmaf (x[k], fmaf (x[k], e.z, e.y), e.x) * b[k].x;
  return make_float4 (samples[0], samples[1], samples[2], samples[3]);
}

template <typename Sample, bool Whole>
__device__ __forceinline__ void
subtract_fits (const OctCudaBackground &background, uint32_t column)
{
  const OctCudaRows &rows = background.rows;
  float scale = oct_fit_scale (rows.samples), x[VALUES];
  float2 b[VALUES];

#pragma unroll
  for (int k = 0; k < VALUES; k++) {
    b[k] = known_background (background, column + k);
    x[k] = oct_fit_x (scale, column + k);
  }
  for (uint32_t line = threadIdx.x / LANES; line < rows.lines;
       line += BATCH * ROWS) {
    typename Traits<Sample>::Vector batch[BATCH];
    read_batch<Sample, Whole> (rows, line, column, batch);
#pragma unroll
    for (int i = 0; i < BATCH; i++)
      if (line + i * ROWS < rows.lines)
        write_values<Whole> (rows, line + i * ROWS, column,
            subtract_fit (batch[i], b, x, background.fits[line + i * ROWS]));
  }
}

/* The same as above with a background that is found and fitted. */
template <typename Sample>
__global__ void
__launch_bounds__ (THREADS)
    remove_fitted (OctCudaBackground background, bool aligned)
{
  uint32_t column = blockIdx.x * COLUMNS + threadIdx.x % LANES * VALUES;

  begin_kernel ();
  if (aligned && column + VALUES <= background.rows.samples)
    subtract_fits<Sample, true> (background, column);
  else
    subtract_fits<Sample, false> (background, column);
}

/* The mean alone, of floats, see oct_cuda_launch_mean(). */
static __global__ void
__launch_bounds__ (THREADS)
    find_mean (OctCudaBackground background, bool aligned)
{
  const OctCudaRows &rows = background.rows;
  uint32_t first = blockIdx.x * COLUMNS;
  bool whole =
      aligned && first + threadIdx.x % LANES * VALUES + VALUES <= rows.samples;

  begin_kernel ();
  find_sums<float> (
      background, first, whole, [&] (uint32_t i, double total, uint32_t count) {
        ((float2 *)rows.out)[i] = find_background (background, i, total, count);
      });
}

extern "C" cudaError_t
oct_cuda_launch_mean_of_floats (
    const OctCudaBackground *background, OctCudaQueue queue)
{
  const OctCudaRows &rows = background->rows;

  return launch (queue, find_mean,
      dim3 ((rows.samples + COLUMNS - 1) / COLUMNS), THREADS, 0, *background,
      is_aligned (rows.in, rows.in_stride, sizeof (float4)));
}

template <typename Sample>
static cudaError_t
launch_format (const OctCudaBackground *background, OctCudaQueue queue)
{
  const OctCudaRows &rows = background->rows;
  dim3 grid ((rows.samples + COLUMNS - 1) / COLUMNS);
  bool aligned = is_aligned (rows.in, rows.in_stride, VALUES * sizeof (Sample))
                 && is_aligned (rows.out, rows.out_stride, sizeof (float4));

  return launch (queue,
      background->fits != NULL ? remove_fitted<Sample>
                               : remove_background<Sample>,
      grid, THREADS, 0, *background, aligned);
}

extern "C" cudaError_t
oct_cuda_find_kernels (int *oldest)
{
  static const int built[] = { __CUDA_ARCH_LIST__ };
  cudaFuncAttributes attributes;

  *oldest = built[0];
  /* the others are compiled for the same devices */
  return cudaFuncGetAttributes (
      &attributes, (const void *)remove_background<uint16_t>);
}

extern "C" cudaError_t
oct_cuda_launch_background (
    const OctCudaBackground *background, OctCudaQueue queue)
{
  switch (background->sample_size) {
  case 1:
    return launch_format<uint8_t> (background, queue);
  case 2:
    return launch_format<uint16_t> (background, queue);
  default:
    return launch_format<float> (background, queue);
  }
}
