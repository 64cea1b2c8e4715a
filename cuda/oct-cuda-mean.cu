/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The mean of a B-scan alone: sums of the columns of counts.
 *
 * Blocks are small, so that they find room beside those of other kernels, which
 * work on the B-scan before.  A block owns COLUMNS neighbouring samples of a
 * part of the A-lines.  Parts are added up in memory of the plan, whole numbers
 * in any order; the last block of its columns takes them out and leaves zeros
 * for the next B-scan.  Several B-scans are rows of the grid of blocks.
 */
#include "oct-cuda-background-parts.cuh"

#define VALUES 8 /* neighbouring samples of one thread */
#define LANES 8  /* threads of one row */
#define COLUMNS (LANES * VALUES)
#define THREADS 256
#define WARPS (THREADS / 32)
#define ROWS (THREADS / LANES) /* rows that are read together */
#define BATCH 4                /* rows that a thread has in flight */

/* VALUES samples in few registers. */
template <typename Sample> struct Packed;

template <> struct Packed<uint8_t> {
  typedef uint2 Vector;
  static constexpr int bits = 8;
};

template <> struct Packed<uint16_t> {
  typedef uint4 Vector;
  static constexpr int bits = 16;
};

template <typename Sample>
__device__ __forceinline__ void
add_vector (
    const typename Packed<Sample>::Vector &vector, uint32_t (&sums)[VALUES])
{
  constexpr int bits = Packed<Sample>::bits, each = 32 / bits;
  const uint32_t *words = (const uint32_t *)&vector;

#pragma unroll
  for (int k = 0; k < VALUES; k++)
    sums[k] += words[k / each] >> k % each * bits & ((1u << bits) - 1);
}

/* Row `line` of the B-scan of this block. */
__device__ __forceinline__ size_t
row_number (const OctCudaRows &rows, uint32_t line)
{
  return (size_t)blockIdx.y * rows.lines + line;
}

/* The sums of VALUES columns over every `step`th line from `line` on. */
template <typename Sample>
__device__ __forceinline__ void
sum_whole (const OctCudaRows &rows, uint32_t line, uint32_t step,
    uint32_t column, uint32_t (&sums)[VALUES])
{
  typedef typename Packed<Sample>::Vector Vector;
  const char *from = (const char *)(row_of ((const Sample *)rows.in,
                                        rows.in_stride, row_number (rows, line))
                                    + column);
  size_t ahead = step * rows.in_stride;

  for (; line < rows.lines; line += BATCH * step, from += BATCH * ahead) {
    Vector batch[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      batch[i] = {};
      if (line + i * step < rows.lines)
        batch[i] = __ldg ((const Vector *)(from + i * ahead));
    }
#pragma unroll
    for (int i = 0; i < BATCH; i++)
      add_vector<Sample> (batch[i], sums);
  }
}

/* The same at the end of rows, or where they are not aligned. */
template <typename Sample>
__device__ __forceinline__ void
sum_each (const OctCudaRows &rows, uint32_t line, uint32_t step,
    uint32_t column, uint32_t (&sums)[VALUES])
{
  uint32_t last = rows.samples - 1;

  for (; line < rows.lines; line += step) {
    const Sample *row = row_of (
        (const Sample *)rows.in, rows.in_stride, row_number (rows, line));
#pragma unroll
    for (int k = 0; k < VALUES; k++)
      sums[k] += row[min (column + k, last)];
  }
}

/* The sum over all rows of the block, of column threadIdx.x of the first
 * COLUMNS threads. */
__device__ __forceinline__ uint32_t
sum_rows (uint32_t (&sums)[VALUES])
{
  __shared__ uint32_t partial[WARPS][COLUMNS];
  uint32_t lane = threadIdx.x % 32, total = 0;

#pragma unroll
  for (int k = 0; k < VALUES; k++) {
#pragma unroll
    for (int offset = LANES; offset < 32; offset *= 2)
      sums[k] += __shfl_xor_sync (~0u, sums[k], offset);
    if (lane < LANES)
      partial[threadIdx.x / 32][lane * VALUES + k] = sums[k];
  }
  __syncthreads ();
  if (threadIdx.x < COLUMNS)
#pragma unroll
    for (int warp = 0; warp < WARPS; warp++)
      total += partial[warp][threadIdx.x];
  return total;
}

/* The words of memory that one B-scan takes. */
__host__ __device__ __forceinline__ uint32_t
scratch_words (uint32_t samples)
{
  return (samples + COLUMNS - 1) / COLUMNS + samples;
}

/* Block c + n columns: part n of column group c. */
template <typename Sample>
__global__ void
__launch_bounds__ (THREADS)
    sum_columns (OctCudaBackground background, uint32_t columns, bool aligned)
{
  const OctCudaRows &rows = background.rows;
  __shared__ bool is_last;
  uint32_t group = blockIdx.x % columns, parts = gridDim.x / columns;
  uint32_t *scratch =
      background.scratch + blockIdx.y * scratch_words (rows.samples);
  uint32_t column = group * COLUMNS + threadIdx.x % LANES * VALUES;
  uint32_t line = blockIdx.x / columns * ROWS + threadIdx.x / LANES;
  uint32_t sums[VALUES] = {}, total;
  uint32_t *counter = scratch + group, *all = scratch + columns;
  char *out = (char *)rows.out + blockIdx.y * background.out_step;

  /* In this order: the samples are there, and a pass reads them while this
   * kernel is running. */
  begin_kernel ();
  let_next_start ();
  if (aligned && column + VALUES <= rows.samples)
    sum_whole<Sample> (rows, line, parts * ROWS, column, sums);
  else
    sum_each<Sample> (rows, line, parts * ROWS, column, sums);
  total = sum_rows (sums);
  column = group * COLUMNS + threadIdx.x;
  if (parts > 1) {
    if (threadIdx.x < COLUMNS && column < rows.samples)
      atomicAdd (&all[column], total);
    __threadfence ();
    __syncthreads ();
    if (threadIdx.x == 0)
      is_last = atomicInc (counter, parts - 1) == parts - 1;
    __syncthreads ();
    if (!is_last)
      return;
    __threadfence ();
    if (threadIdx.x < COLUMNS && column < rows.samples)
      total = atomicExch (&all[column], 0u);
  }
  if (threadIdx.x >= COLUMNS || column >= rows.samples)
    return;
  if (background.mode == OCT_CUDA_BACKGROUND_MEAN)
    ((uint32_t *)out)[column] = total;
  else
    ((float2 *)out)[column] =
        find_background (background, column, total, rows.lines);
}

extern "C" size_t
oct_cuda_mean_scratch (uint32_t samples)
{
  return scratch_words (samples) * sizeof (uint32_t);
}

template <typename Sample>
static cudaError_t
launch_counts (const OctCudaBackground *background, OctCudaQueue queue)
{
  const OctCudaRows &rows = background->rows;
  uint32_t columns = (rows.samples + COLUMNS - 1) / COLUMNS;
  /* some blocks for every processor, a batch of rows for every thread */
  uint32_t most = 4 * background->processors / (columns * background->bscans);
  uint32_t parts = (rows.lines + BATCH * ROWS - 1) / (BATCH * ROWS);

  parts = parts < most ? parts : most > 0 ? most : 1;
  return launch (queue, sum_columns<Sample>,
      dim3 (parts * columns, background->bscans), THREADS, 0, *background,
      columns, is_aligned (rows.in, rows.in_stride, VALUES * sizeof (Sample)));
}

extern "C" cudaError_t
oct_cuda_launch_mean_of_counts (
    const OctCudaBackground *background, OctCudaQueue queue)
{
  return background->sample_size == 1
             ? launch_counts<uint8_t> (background, queue)
             : launch_counts<uint16_t> (background, queue);
}
