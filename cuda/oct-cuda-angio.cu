/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion in repeated B-scans.
 *
 * Three passes, each along the depths: statistics of the repeats, the means
 * over windows, the image.  Between them one block finds medians from
 * histograms, which every block counts in shared memory; counts are whole
 * numbers, so their order does not matter.  Nothing comes back to the host.
 */
#include "oct-cuda-powers.cuh"
#include "oct-cuda-repeats.h"

#define FIND_THREADS 128
#define FIND_BLOCKS 128u
#define WINDOW_THREADS 256
#define WINDOW_BLOCKS 256u
#define WIDEST 31
#define SOLVE_THREADS (32 * OCT_ANGIO_BANDS)
#define TILE 32
#define TILE_ROWS 8

__device__ __forceinline__ void
clear_histogram (uint32_t *histogram)
{
  for (uint32_t i = threadIdx.x; i < OCT_ANGIO_BINS; i += blockDim.x)
    histogram[i] = 0;
  __syncthreads ();
}

__device__ __forceinline__ void
add_histogram (const uint32_t *histogram, uint32_t *to)
{
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < OCT_ANGIO_BINS; i += blockDim.x)
    if (histogram[i] > 0)
      atomicAdd (&to[i], histogram[i]);
}

/* ---------------------------------------------------------------- statistics
 */

/* Running statistics of the repeats of a value, as on the CPU. */
struct Repeats {
  float n = 0, re = 0, im = 0, q = 0, p = 0;
  float before_re = 0, before_im = 0, sum = 0;
  float other = 0, pair = 0; /* of products */

  __device__ __forceinline__ void add_product (float2 a, bool is_unit)
  {
    float power = a.x * a.x + a.y * a.y;
    float scale = !is_unit ? 1 : power > 0 ? 1 / sqrtf (power) : 0;
    float x = a.x * scale, y = a.y * scale;

    if (n > 1) {
      sum += x * before_re + y * before_im;
      other += y * before_re - x * before_im;
      pair +=
          ((x * x + y * y) + (before_re * before_re + before_im * before_im))
          / 2;
    }
    before_re = x;
    before_im = y;
  }

  __device__ __forceinline__ void add (float2 a, const OctCudaAngio &angio)
  {
    float weight, dre, dim;

    if (!isfinite (a.x) || !isfinite (a.y) || (a.x == 0 && a.y == 0))
      return;
    n++;
    weight = 1 / n;
    dre = a.x - re;
    dim = a.y - im;
    re += dre * weight;
    im += dim * weight;
    q += dre * (a.x - re) + dim * (a.y - im);
    p += (a.x * a.x + a.y * a.y - p) * weight;
    if (angio.is_difference) {
      float x = a.x - before_re, y = a.y - before_im;

      sum += n > 1 ? (x * x + y * y) / 2 : 0;
      before_re = a.x;
      before_im = a.y;
    } else if (angio.is_amplitude) {
      float d = sqrtf (a.x * a.x + a.y * a.y) - before_re;

      before_re += d * weight;
      sum += d * (d - d * weight);
    } else if (angio.is_product) {
      add_product (a, angio.is_unit);
    }
  }
};

static __global__ void
__launch_bounds__ (FIND_THREADS) angio_find (OctCudaAngio a)
{
  __shared__ uint32_t histogram[OCT_ANGIO_BINS];
  __shared__ unsigned long long there;
  uint32_t begin = oct_angio_band (a.depth_bins, blockIdx.y);
  uint32_t end = oct_angio_band (a.depth_bins, blockIdx.y + 1);
  size_t values = (size_t)a.lines * a.depth_bins;
  uint32_t mine = 0;

  begin_kernel ();
  if (threadIdx.x == 0)
    there = 0;
  clear_histogram (histogram);
  for (uint32_t line = blockIdx.x; line < a.lines; line += gridDim.x) {
    const float2 *newest = row_of (a.in, a.in_stride, line);

    for (uint32_t i = begin + threadIdx.x; i < end; i += FIND_THREADS) {
      size_t at = (size_t)line * a.depth_bins + i;
      float2 last = newest[i];
      uint32_t place = a.first;
      Repeats repeats;
      float r;

#pragma unroll 4
      for (uint32_t k = 0; k + 1 < a.count; k++) {
        repeats.add (a.ring[place * values + at], a);
        place = place + 1 < a.repeats ? place + 1 : 0;
      }
      repeats.add (last, a);
      if (a.keeps)
        a.ring[a.place * values + at] = last;
      r = repeats.n > 1 ? repeats.q / (repeats.n - 1) : 0;
      if (repeats.n > 1) {
        atomicAdd (&histogram[oct_angio_bin (__float_as_int (r))], 1u);
        mine += (uint32_t)repeats.n;
      }
      if (a.is_difference || a.is_product)
        r = repeats.n > 1 ? repeats.sum / (repeats.n - 1) : 0;
      else if (a.is_amplitude)
        r = repeats.n > 1 ? repeats.sum / repeats.n : 0;
      a.mean[at] = r;
      a.power[at] = repeats.p;
      if (a.is_product) {
        float pairs = repeats.n > 1 ? repeats.n - 1 : 1;

        a.power[at] = repeats.pair / pairs;
        a.other[at] = repeats.other / pairs;
      }
    }
  }
  atomicAdd (&there, (unsigned long long)mine);
  add_histogram (histogram, a.statistics->counts[blockIdx.y]);
  if (threadIdx.x == 0 && there > 0)
    atomicAdd (&a.statistics->there, there);
}

/* ------------------------------------------------------------------- medians
 */

/* By the lanes of a warp; the histogram is emptied.  Returns their number, the
 * same in all lanes; `median` is set in one lane that is told so. */
__device__ static unsigned long long
find_median (uint32_t *counts, double *median, bool *is_here)
{
  const uint32_t each = (OCT_ANGIO_BINS + 31) / 32;
  uint32_t lane = threadIdx.x % 32, first = lane * each;
  uint32_t end = first + each < OCT_ANGIO_BINS ? first + each : OCT_ANGIO_BINS;
  unsigned long long sum = 0, upto, total;

  for (uint32_t i = first; i < end; i++)
    sum += __ldcg (&counts[i]);
  upto = sum;
  for (int offset = 1; offset < 32; offset *= 2) {
    unsigned long long before = __shfl_up_sync (~0u, upto, offset);

    upto += lane >= offset ? before : 0;
  }
  total = __shfl_sync (~0u, upto, 31);
  *is_here = total > 0 && 2 * upto > total && 2 * (upto - sum) <= total;
  if (*is_here) {
    unsigned long long before = upto - sum;
    uint32_t bin = first, count;

    while (2 * (before + (count = __ldcg (&counts[bin]))) <= total) {
      before += count;
      bin++;
    }
    *median = oct_angio_value (bin, count, before, total);
  }
  __syncwarp ();
  for (uint32_t i = first; i < end; i++)
    counts[i] = 0;
  return total;
}

static __global__ void
__launch_bounds__ (SOLVE_THREADS) angio_solve_noise (OctCudaAngio a)
{
  __shared__ double medians[OCT_ANGIO_BANDS];
  __shared__ unsigned long long totals[OCT_ANGIO_BANDS];
  OctCudaAngioFound *found = a.statistics;
  uint32_t band = threadIdx.x / 32;
  unsigned long long total;
  double median;
  bool is_here;

  begin_kernel ();
  total = find_median (found->counts[band], &median, &is_here);
  if (is_here)
    medians[band] = median;
  if (threadIdx.x % 32 == 0)
    totals[band] = total;
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  total = 0;
  median = INFINITY;
  for (uint32_t i = 0; i < OCT_ANGIO_BANDS; i++) {
    total += totals[i];
    if (totals[i] > 0 && medians[i] < median)
      median = medians[i];
  }
  if (total > 0) {
    unsigned long long there = __ldcg (&found->there);
    uint32_t n = (uint32_t)((2 * there + total) / (2 * total));

    oct_angio_add_noise (
        &found->found, median / oct_angio_gamma_median ((n > 2 ? n : 2) - 1));
  }
  found->there = 0;
  found->noise = (float)(a.noise > 0 ? a.noise : found->found.noise);
}

static __global__ void __launch_bounds__ (32) angio_solve_still (OctCudaAngio a)
{
  double median = 0;
  bool is_here;
  unsigned long long total;

  begin_kernel ();
  total = find_median (a.statistics->still_counts, &median, &is_here);
  if (is_here)
    a.statistics->still =
        (float)(median > a.least_still ? median : a.least_still);
  if (total == 0 && threadIdx.x == 0)
    a.statistics->still = (float)a.least_still;
}

/* ------------------------------------------------------------------- windows
 */

/* Sums over A-lines first .. end - 1 at depth `i`. */
__device__ __forceinline__ float
sum_lines (const float *plane, uint32_t depth_bins, uint32_t first,
    uint32_t end, int64_t i)
{
  float sum = 0;

  if (i < 0 || i >= depth_bins)
    return 0;
  for (uint32_t line = first; line < end; line++)
    sum += plane[(size_t)line * depth_bins + i];
  return sum;
}

__device__ __forceinline__ float
sum_around (const float *sums, uint32_t reach)
{
  float sum = sums[0];

  for (uint32_t d = 1; d <= reach; d++)
    sum += sums[d] + sums[-(int)d];
  return sum;
}

static __global__ void
__launch_bounds__ (WINDOW_THREADS) angio_windows (OctCudaAngio a)
{
  __shared__ uint32_t histogram[OCT_ANGIO_BINS];
  __shared__ float means[WINDOW_THREADS + WIDEST],
      powers[WINDOW_THREADS + WIDEST], others[WINDOW_THREADS + WIDEST];
  uint32_t reach = a.window_bins / 2, some = a.window_lines / 2;
  uint32_t i = blockIdx.x * WINDOW_THREADS + threadIdx.x;
  uint32_t above = i > reach ? i - reach : 0;
  uint32_t below = i + reach + 1 < a.depth_bins ? i + reach + 1 : a.depth_bins;
  bool needs_still = oct_angio_needs_still (a.show);
  float noise, weight = 1.f / (float)(below - above);

  begin_kernel ();
  noise = __ldcg (&a.statistics->noise);
  clear_histogram (histogram);
  for (uint32_t line = blockIdx.y; line < a.lines; line += gridDim.y) {
    uint32_t first = line > some ? line - some : 0;
    uint32_t end = line + some + 1 < a.lines ? line + some + 1 : a.lines;
    float scale = 1.f / (float)(end - first);

    __syncthreads ();
    for (uint32_t k = threadIdx.x; k < WINDOW_THREADS + 2 * reach;
         k += WINDOW_THREADS) {
      int64_t at = (int64_t)blockIdx.x * WINDOW_THREADS + k - reach;

      means[k] = sum_lines (a.mean, a.depth_bins, first, end, at);
      powers[k] = sum_lines (a.power, a.depth_bins, first, end, at);
      if (a.is_product)
        others[k] = sum_lines (a.other, a.depth_bins, first, end, at);
    }
    __syncthreads ();
    if (i < a.depth_bins) {
      size_t at = (size_t)line * a.depth_bins + i;
      float R =
          sum_around (&means[threadIdx.x + reach], reach) * (weight * scale);
      float I =
          sum_around (&powers[threadIdx.x + reach], reach) * (weight * scale);

      a.R[at] = R;
      a.I[at] = I;
      if (a.is_product)
        a.O[at] =
            sum_around (&others[threadIdx.x + reach], reach) * (weight * scale);
      if (needs_still && I > 10 * noise)
        atomicAdd (
            &histogram[oct_angio_bin (__float_as_int ((R - noise) / I))], 1u);
    }
  }
  if (needs_still)
    add_histogram (histogram, a.statistics->still_counts);
}

/* --------------------------------------------------------------------- image
 */

__device__ __forceinline__ uint32_t
level_of (float value, const OctCudaAngio &a)
{
  float level;

  if (a.is_log) {
    int32_t exponent;
    float fraction = log2_parts (fmaxf (value, 1e-20f), &exponent);

    level = (float)(exponent - a.mapping.reference) * a.mapping.scale
            + (fraction * a.mapping.scale + a.mapping.offset);
  } else {
    level = (value - a.mapping.offset) * a.mapping.scale;
  }
  return (uint32_t)rintf (fminf (fmaxf (level, 0), a.mapping.full));
}

__device__ __forceinline__ void
put_pixel (const OctCudaAngio &a, uint32_t row, uint32_t line, uint32_t level)
{
  uint8_t *to =
      a.out + (size_t)row * a.out_stride + (size_t)line * a.pixel_size;

  if (a.pixel_size == 1)
    *to = (uint8_t)level;
  else if (a.pixel_size == 2)
    *(uint16_t *)to = (uint16_t)level;
  else
    *(uint32_t *)to = level * 0x010101u | 0xff000000u;
}

static __global__ void
__launch_bounds__ (TILE *TILE_ROWS) angio_show (OctCudaAngio a)
{
  __shared__ uint32_t levels[TILE][TILE + 1];
  uint32_t x = threadIdx.x % TILE, y = threadIdx.x / TILE;
  uint32_t depth = blockIdx.x * TILE, line = blockIdx.y * TILE;
  float noise, still;

  begin_kernel ();
  noise = __ldcg (&a.statistics->noise);
  still = __ldcg (&a.statistics->still);
  for (uint32_t k = y; k < TILE; k += TILE_ROWS) {
    size_t at = (size_t)(line + k) * a.depth_bins + depth + x;
    bool is_in = depth + x < a.depth_bins && line + k < a.lines;

    levels[k][x] = is_in && !a.is_black ? level_of (
                       oct_angio_show (a.show, a.R[at], a.I[at],
                           a.is_product ? a.O[at] : 0, noise, still),
                       a)
                                        : 0;
  }
  __syncthreads ();
  for (uint32_t k = y; k < TILE; k += TILE_ROWS)
    if (depth + k < a.depth_bins && line + x < a.lines)
      put_pixel (a, depth + k, line + x, levels[x][k]);
}

/* ------------------------------------------------------------------ launches
 */

extern "C" cudaError_t
oct_cuda_launch_angio_find (const OctCudaAngio *a, OctCudaQueue queue)
{
  dim3 grid (a->lines < FIND_BLOCKS ? a->lines : FIND_BLOCKS, OCT_ANGIO_BANDS);
  cudaError_t status = launch (queue, angio_find, grid, FIND_THREADS, 0, *a);

  return status != cudaSuccess
             ? status
             : launch (queue, angio_solve_noise, 1, SOLVE_THREADS, 0, *a);
}

extern "C" cudaError_t
oct_cuda_launch_angio_windows (const OctCudaAngio *a, OctCudaQueue queue)
{
  dim3 grid ((a->depth_bins + WINDOW_THREADS - 1) / WINDOW_THREADS,
      a->lines < WINDOW_BLOCKS ? a->lines : WINDOW_BLOCKS);
  cudaError_t status =
      launch (queue, angio_windows, grid, WINDOW_THREADS, 0, *a);

  return status != cudaSuccess || !oct_angio_needs_still (a->show)
             ? status
             : launch (queue, angio_solve_still, 1, 32, 0, *a);
}

extern "C" cudaError_t
oct_cuda_launch_angio_show (const OctCudaAngio *a, OctCudaQueue queue)
{
  dim3 grid ((a->depth_bins + TILE - 1) / TILE, (a->lines + TILE - 1) / TILE);

  return launch (queue, angio_show, grid, TILE * TILE_ROWS, 0, *a);
}
