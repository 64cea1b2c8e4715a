/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The fixed pattern by minimum variance, oct-backend.h, from the mean that
 * was found before: the kernels between and after the transforms of cuFFT.
 *
 * A-lines are compared with the mean, as the CPU backend does.  How many of
 * them count is known on the device alone: there are as many rows for the
 * transforms as A-lines, and the last ones are zeros.  All sums are in a fixed
 * order.
 */
#include "oct-cuda-background-parts.cuh"

#define THREADS 256
#define WARPS (THREADS / 32)
#define SCAN_THREADS 1024

static uint32_t
blocks_for (uint32_t values)
{
  return (values + THREADS - 1) / THREADS;
}

/* The sum over the block, in every thread. */
__device__ __forceinline__ double
sum_block (double value)
{
  __shared__ double partial[WARPS];
  double total = 0;

  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync (~0u, value, offset);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads ();
  for (int warp = 0; warp < WARPS; warp++)
    total += partial[warp];
  return total;
}

/* ------------------------------------------------------ A-lines that count */

/* The mean as (high, low). */
static __global__ void
split_mean (OctCudaFixedPattern p)
{
  uint32_t i = blockIdx.x * THREADS + threadIdx.x;

  begin_kernel ();
  if (i >= p.rows.samples)
    return;
  p.mean[i] =
      p.sample_size == sizeof (float)
          ? ((const float2 *)p.found)[i]
          : split ((double)((const uint32_t *)p.found)[i] / p.rows.lines);
}

/* One block per A-line: 1 / brightness - 1, NaN where it does not count. */
template <typename Sample>
__global__ void
find_brightness (OctCudaFixedPattern p)
{
  uint32_t line = blockIdx.x;
  const Sample *row =
      row_of ((const Sample *)p.rows.in, p.rows.in_stride, line);
  double dot = 0, square = 0, brightness;

  begin_kernel ();
  for (uint32_t i = threadIdx.x; i < p.rows.samples; i += THREADS) {
    double mean = (double)p.mean[i].x + p.mean[i].y;
    dot += (double)row[i] * mean;
    square += mean * mean;
  }
  dot = sum_block (dot);
  square = sum_block (square);
  if (threadIdx.x > 0)
    return;
  brightness = dot / square;
  p.excess[line] = isfinite (brightness) && brightness >= p.dark
                       ? (float)(1 / brightness - 1)
                       : CUDART_NAN_F;
  if (line == 0)
    *p.square = square;
}

/* The numbers of those that count, in their order, and how they are divided:
 * one block. */
static __global__ void
__launch_bounds__ (SCAN_THREADS) divide_lines (OctCudaFixedPattern p)
{
  __shared__ uint32_t warps[SCAN_THREADS / 32];
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = 0;

  begin_kernel ();
  for (uint32_t first = 0; first < p.rows.lines; first += SCAN_THREADS) {
    uint32_t line = first + threadIdx.x;
    bool counts = line < p.rows.lines && !isnan (p.excess[line]);
    uint32_t votes = __ballot_sync (~0u, counts), before = count;

    if (lane == 0)
      warps[warp] = __popc (votes);
    __syncthreads ();
    for (uint32_t i = 0; i < SCAN_THREADS / 32; i++) {
      before += i < warp ? warps[i] : 0;
      count += warps[i];
    }
    if (counts)
      p.used[before + __popc (votes & ((1u << lane) - 1))] = line;
    __syncthreads ();
  }
  if (threadIdx.x > 0)
    return;
  p.division->runs =
      count / p.least < 1 ? 1 : min (count / p.least, p.most_runs);
  p.division->run = count / p.division->runs;
}

/* --------------------------------------------------- A-lines less the mean */

template <typename Sample>
__device__ __forceinline__ float
compare (const OctCudaFixedPattern &p, uint32_t line, uint32_t i)
{
  float value =
      (float)row_of ((const Sample *)p.rows.in, p.rows.in_stride, line)[i];

  return fmaf (p.excess[line], value, value - p.mean[i].x) - p.mean[i].y;
}

__device__ __forceinline__ void
put (const OctCudaFixedPattern &p, void *values, size_t at, float value)
{
  if (p.is_complex)
    ((float2 *)values)[at] = make_float2 (value, 0);
  else
    ((float *)values)[at] = value;
}

/* The means over the runs: blockIdx.y is a run. */
template <typename Sample>
__global__ void
find_run_means (OctCudaFixedPattern p)
{
  uint32_t i = blockIdx.x * THREADS + threadIdx.x, k = blockIdx.y;
  uint32_t run = 0;
  double sum = 0;
  float mean = 0;

  begin_kernel ();
  if (i >= p.rows.samples)
    return;
  if (k < p.division->runs)
    run = p.division->run;
  for (uint32_t n = 0; n < run; n++)
    sum += compare<Sample> (p, p.used[k * run + n], i);
  if (run > 0)
    mean = (float)(sum / run);
  p.means[(size_t)k * p.rows.samples + i] = mean;
  put (p, p.mean_values, (size_t)k * p.rows.samples + i, mean);
}

/* Rows first_row + blockIdx.y of those that count, less the means of their
 * runs. */
template <typename Sample>
__global__ void
find_differences (OctCudaFixedPattern p)
{
  uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  uint32_t row = p.first_row + blockIdx.y, run;
  float value = 0;

  begin_kernel ();
  if (i >= p.rows.samples)
    return;
  run = p.division->run;
  if (row < p.division->runs * run)
    value = compare<Sample> (p, p.used[row], i)
            - p.means[(size_t)(row / run) * p.rows.samples + i];
  put (p, p.values, (size_t)blockIdx.y * p.rows.samples + i, value);
}

/* -------------------------------------------------------------- frequencies */

/* Adds the squares of these rows: blockIdx.y is a run. */
static __global__ void
add_powers (OctCudaFixedPattern p)
{
  uint32_t q = blockIdx.x * THREADS + threadIdx.x, k = blockIdx.y;
  uint32_t bins = p.rows.samples / 2 + 1, begin, end;
  double sum = 0;

  begin_kernel ();
  if (q >= bins || k >= p.division->runs)
    return;
  begin = max (k * p.division->run, p.first_row);
  end = min ((k + 1) * p.division->run, p.first_row + p.many_rows);
  for (uint32_t row = begin; row < end; row++) {
    float2 f = p.spectra[(size_t)(row - p.first_row) * p.pitch + q];
    sum += fmaf (f.x, f.x, f.y * f.y);
  }
  if (p.first_row > 0)
    sum += p.variances[(size_t)k * bins + q];
  p.variances[(size_t)k * bins + q] = sum;
}

/* Chooses for every frequency the mean over the run of least variance. */
static __global__ void
choose_runs (OctCudaFixedPattern p)
{
  uint32_t q = blockIdx.x * THREADS + threadIdx.x, best = 0;
  uint32_t bins = p.rows.samples / 2 + 1, run;
  double least = CUDART_INF, rounding;
  float2 value;

  begin_kernel ();
  if (q >= bins)
    return;
  run = p.division->run;
  rounding = p.rounding * *p.square;
  for (uint32_t k = 0; k < p.division->runs && run > 0; k++) {
    double variance = fmax (p.variances[(size_t)k * bins + q] / run, rounding);
    if (variance < least) {
      least = variance;
      best = k;
    }
  }
  value = p.mean_spectra[(size_t)best * p.pitch + q];
  p.chosen[q] = value;
  if (p.is_complex && q > 0)
    p.chosen[p.rows.samples - q] = make_float2 (value.x, -value.y);
}

/* The background: the mean and the chosen pattern, (high, low). */
static __global__ void
add_mean (OctCudaFixedPattern p)
{
  uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  double value;

  begin_kernel ();
  if (i >= p.rows.samples)
    return;
  value = p.is_complex ? ((const float2 *)p.chosen_values)[i].x
                       : ((const float *)p.chosen_values)[i];
  ((float2 *)p.rows.out)[i] =
      split ((double)p.mean[i].x + p.mean[i].y + value / p.rows.samples);
}

/* ----------------------------------------------------------------- launchers
 */

template <typename Sample>
static cudaError_t
launch_begin (const OctCudaFixedPattern *p, OctCudaQueue queue)
{
  uint32_t blocks = blocks_for (p->rows.samples);
  cudaError_t status = launch (queue, split_mean, blocks, THREADS, 0, *p);

  if (status == cudaSuccess)
    status =
        launch (queue, find_brightness<Sample>, p->rows.lines, THREADS, 0, *p);
  if (status == cudaSuccess)
    status = launch (queue, divide_lines, 1, SCAN_THREADS, 0, *p);
  if (status == cudaSuccess)
    status = launch (queue, find_run_means<Sample>, dim3 (blocks, p->most_runs),
        THREADS, 0, *p);
  return status;
}

extern "C" cudaError_t
oct_cuda_launch_pattern_begin (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue)
{
  switch (pattern->sample_size) {
  case 1:
    return launch_begin<uint8_t> (pattern, queue);
  case 2:
    return launch_begin<uint16_t> (pattern, queue);
  default:
    return launch_begin<float> (pattern, queue);
  }
}

extern "C" cudaError_t
oct_cuda_launch_pattern_rows (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue)
{
  dim3 grid (blocks_for (pattern->rows.samples), pattern->many_rows);

  switch (pattern->sample_size) {
  case 1:
    return launch (
        queue, find_differences<uint8_t>, grid, THREADS, 0, *pattern);
  case 2:
    return launch (
        queue, find_differences<uint16_t>, grid, THREADS, 0, *pattern);
  default:
    return launch (queue, find_differences<float>, grid, THREADS, 0, *pattern);
  }
}

extern "C" cudaError_t
oct_cuda_launch_pattern_powers (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue)
{
  dim3 grid (blocks_for (pattern->rows.samples / 2 + 1), pattern->most_runs);

  return launch (queue, add_powers, grid, THREADS, 0, *pattern);
}

extern "C" cudaError_t
oct_cuda_launch_pattern_choose (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue)
{
  return launch (queue, choose_runs, blocks_for (pattern->rows.samples / 2 + 1),
      THREADS, 0, *pattern);
}

extern "C" cudaError_t
oct_cuda_launch_pattern_end (
    const OctCudaFixedPattern *pattern, OctCudaQueue queue)
{
  return launch (queue, add_mean, blocks_for (pattern->rows.samples), THREADS,
      0, *pattern);
}
