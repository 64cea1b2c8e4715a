/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Phases without jumps: the sum of the wrapped steps, its Poisson equation by
 * cosine transforms, which are products with matrices of cosines here, medians,
 * and whole turns that bring the phases nearest to the solution.
 */
#include "oct-cuda-flow.cuh"

#define THREADS 256
#define MEDIAN_THREADS 1024
#define PI 3.14159265358979f
#define TURN (2 * PI)

static dim3
blocks_of (const OctCudaDoppler *d)
{
  size_t n = (size_t)d->pairs * d->flow.bins;

  return dim3 ((unsigned)((n + THREADS - 1) / THREADS));
}

__device__ __forceinline__ float
wrap (float phase)
{
  return phase > PI ? phase - TURN : phase < -PI ? phase + TURN : phase;
}

static __global__ void
__launch_bounds__ (THREADS) diverge (OctCudaDoppler d)
{
  size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
  int bins = d.flow.bins, line = (int)(at / bins), i = (int)(at % bins);
  const float *here = d.phases + at;
  float sum = 0;

  begin_kernel ();
  if (line >= d.pairs)
    return;
  if (i + 1 < bins)
    sum += wrap (here[1] - here[0]);
  if (i > 0)
    sum -= wrap (here[0] - here[-1]);
  if (line + 1 < d.pairs)
    sum += wrap (here[bins] - here[0]);
  if (line > 0)
    sum -= wrap (here[0] - here[-bins]);
  d.work[0][at] = sum;
}

/* One factor of a product: the value of row r, column c is at r row + c column,
 * one of which is 1. */
struct Factor {
  const float *values;
  size_t row, column;
};

/* A tile of a factor, whose neighbours in memory are read by neighbours. */
__device__ __forceinline__ void
load_tile (const Factor &f, int first_row, int first_column, int rows,
    int columns, float (*tile)[FLOW_TILE + 1])
{
  for (int i = threadIdx.y; i < FLOW_TILE; i += FLOW_ROWS) {
    int y = f.column == 1 ? i : (int)threadIdx.x;
    int x = f.column == 1 ? (int)threadIdx.x : i;
    int row = first_row + y, column = first_column + x;

    tile[y][x] = row < rows && column < columns
                     ? f.values[row * f.row + column * f.column]
                     : 0;
  }
}

/* to[rows][columns] = a [rows][count] b [count][columns] */
static __global__ void
__launch_bounds__ (FLOW_TILE *FLOW_ROWS) multiply_matrices (
    Factor a, Factor b, int rows, int count, int columns, float *to)
{
  __shared__ float left[FLOW_TILE][FLOW_TILE + 1];
  __shared__ float right[FLOW_TILE][FLOW_TILE + 1];
  int first_row = blockIdx.y * FLOW_TILE, first_column = blockIdx.x * FLOW_TILE;
  float sums[FLOW_TILE / FLOW_ROWS] = {};

  begin_kernel ();
  for (int first = 0; first < count; first += FLOW_TILE) {
    load_tile (a, first_row, first, rows, count, left);
    load_tile (b, first, first_column, count, columns, right);
    __syncthreads ();
    for (int k = 0; k < FLOW_TILE; k++)
      for (int i = 0; i < FLOW_TILE / FLOW_ROWS; i++)
        sums[i] = fmaf (left[threadIdx.y + i * FLOW_ROWS][k],
            right[k][threadIdx.x], sums[i]);
    __syncthreads ();
  }
  for (int i = 0; i < FLOW_TILE / FLOW_ROWS; i++) {
    int row = first_row + (int)threadIdx.y + i * FLOW_ROWS;
    int column = first_column + (int)threadIdx.x;

    if (row < rows && column < columns)
      to[(size_t)row * columns + column] = sums[i];
  }
}

static cudaError_t
multiply (OctCudaQueue queue, Factor a, Factor b, int rows, int count,
    int columns, float *to)
{
  dim3 grid ((columns + FLOW_TILE - 1) / FLOW_TILE,
      (rows + FLOW_TILE - 1) / FLOW_TILE);

  return launch (queue, multiply_matrices, grid, dim3 (FLOW_TILE, FLOW_ROWS), 0,
      a, b, rows, count, columns, to);
}

/* The equation of each pair of cosines, and the factors of their way back. */
static __global__ void
__launch_bounds__ (THREADS) solve (OctCudaDoppler d)
{
  size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
  int bins = d.flow.bins, line = (int)(at / bins), i = (int)(at % bins);

  begin_kernel ();
  if (line >= d.pairs)
    return;
  float a = sinpif (0.5f * (float)line / (float)d.pairs);
  float b = sinpif (0.5f * (float)i / (float)bins);
  float scale = (line == 0 ? 1.f : 2.f) * (i == 0 ? 1.f : 2.f)
                / ((float)d.pairs * (float)bins);

  d.work[0][at] = at == 0 ? 0 : d.work[0][at] * scale / (-4 * (a * a + b * b));
}

/* -------------------------------------------------------------------- medians
 */

/* A key that is larger if the value is. */
__device__ __forceinline__ uint32_t
key_of (float value)
{
  uint32_t bits = __float_as_uint (value);

  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ __forceinline__ float
value_of (uint32_t key)
{
  return __uint_as_float (key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

/* The k-th smallest of the values whose mark is `of`, byte by byte of its key.
 * All threads of the block get it. */
__device__ float
select_value (const float *values, const uint8_t *marks, bool of, size_t n,
    uint32_t k, uint32_t *histogram)
{
  __shared__ uint32_t key, left;

  if (threadIdx.x == 0) {
    key = 0;
    left = k;
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    uint32_t mask = shift == 24 ? 0 : 0xffffffffu << (shift + 8);

    for (int i = threadIdx.x; i < 256; i += MEDIAN_THREADS)
      histogram[i] = 0;
    __syncthreads ();
    for (size_t i = threadIdx.x; i < n; i += MEDIAN_THREADS)
      if ((marks[i] != 0) == of) {
        uint32_t one = key_of (values[i]);

        if ((one & mask) == (key & mask))
          atomicAdd (&histogram[one >> shift & 255], 1u);
      }
    __syncthreads ();
    if (threadIdx.x == 0) {
      uint32_t byte = 0;

      while (byte < 255 && left >= histogram[byte])
        left -= histogram[byte++];
      key |= byte << shift;
    }
    __syncthreads ();
  }
  float value = value_of (key);

  __syncthreads ();
  return value;
}

/* `turns`: rounded to whole turns */
static __global__ void
__launch_bounds__ (MEDIAN_THREADS) find_median (const float *values,
    const uint8_t *marks, bool of, size_t n, bool turns, float *median)
{
  __shared__ uint32_t histogram[256], count;
  float middle = 0;

  begin_kernel ();
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads ();
  for (size_t i = threadIdx.x; i < n; i += MEDIAN_THREADS)
    if ((marks[i] != 0) == of)
      atomicAdd (&count, 1u);
  __syncthreads ();
  if (count > 0) {
    middle = select_value (values, marks, of, n, count / 2, histogram);
    if (count % 2 == 0)
      middle =
          (middle
              + select_value (values, marks, of, n, count / 2 - 1, histogram))
          / 2;
  }
  if (threadIdx.x == 0)
    *median = turns ? TURN * rintf (middle / TURN) : middle;
}

/* -------------------------------------------------------------------- results
 */

static __global__ void
__launch_bounds__ (THREADS) add_turns (OctCudaDoppler d)
{
  size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;

  begin_kernel ();
  if (at < (size_t)d.pairs * d.flow.bins)
    d.phases[at] +=
        TURN * rintf ((d.work[0][at] - d.middle[0] - d.phases[at]) / TURN);
}

static __global__ void
__launch_bounds__ (FLOW_TILE *FLOW_ROWS) put_phases (OctCudaDoppler d)
{
  __shared__ FlowTile tile;
  int first_line = blockIdx.y * FLOW_TILE, first_bin = blockIdx.x * FLOW_TILE;
  int bin = first_bin + (int)threadIdx.x;

  begin_kernel ();
  for (int i = threadIdx.y; i < FLOW_TILE; i += FLOW_ROWS) {
    int line = first_line + i;

    if (line >= d.flow.lines || bin >= d.flow.bins)
      continue;
    size_t at = (size_t)min (line, d.pairs - 1) * d.flow.bins + bin;
    float phase = d.still[at] ? 0 : d.phases[at] - d.middle[1];

    if (d.flow.is_image)
      tile.levels[i][threadIdx.x] =
          flow_grey (flow_level (128 + phase * (127 * d.scale / d.range), 1));
    else
      ((float *)row_of (d.flow.out, d.flow.out_stride, line))[bin] =
          d.scale * phase;
  }
  if (d.flow.is_image)
    flow_put_tile (
        d.flow, tile, d.flow.out, d.flow.out_stride, first_line, first_bin);
}

static cudaError_t
launch_equation (const OctCudaDoppler *d, OctCudaQueue queue)
{
  int lines = d->pairs, bins = d->flow.bins;
  size_t l = (size_t)lines, n = (size_t)bins;
  Factor across = { d->across, l, 1 }, across_back = { d->across, 1, l };
  Factor along = { d->along, 1, n }, along_back = { d->along, n, 1 };
  Factor first = { d->work[0], n, 1 }, second = { d->work[1], n, 1 };
  cudaError_t status =
      multiply (queue, across, first, lines, lines, bins, d->work[1]);

  if (status == cudaSuccess)
    status = multiply (queue, second, along, lines, bins, bins, d->work[0]);
  if (status == cudaSuccess)
    status = launch (queue, solve, blocks_of (d), THREADS, 0, *d);
  if (status == cudaSuccess)
    status =
        multiply (queue, across_back, first, lines, lines, bins, d->work[1]);
  if (status == cudaSuccess)
    status =
        multiply (queue, second, along_back, lines, bins, bins, d->work[0]);
  return status;
}

extern "C" cudaError_t
oct_cuda_launch_unwrap (const OctCudaDoppler *d, OctCudaQueue queue)
{
  size_t n = (size_t)d->pairs * d->flow.bins;
  cudaError_t status = launch (queue, diverge, blocks_of (d), THREADS, 0, *d);

  if (status == cudaSuccess)
    status = launch_equation (d, queue);
  if (status == cudaSuccess)
    status = launch (queue, find_median, 1, MEDIAN_THREADS, 0,
        (const float *)d->work[0], (const uint8_t *)d->still, true, n, false,
        d->middle);
  if (status == cudaSuccess)
    status = launch (queue, add_turns, blocks_of (d), THREADS, 0, *d);
  if (status == cudaSuccess)
    status = launch (queue, find_median, 1, MEDIAN_THREADS, 0,
        (const float *)d->phases, (const uint8_t *)d->still, false, n, true,
        d->middle + 1);
  return status != cudaSuccess
             ? status
             : launch (queue, put_phases, flow_tiles (&d->flow),
                 dim3 (FLOW_TILE, FLOW_ROWS), 0, *d);
}
