/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Statistics of the powers that a pass writes: their extent, or those for the
 * contrast range, by sums of whole numbers, which are the same in any order.
 */
#pragma once

#include "oct-cuda-powers.cuh"

/* the histogram in shared memory: two bins of 16 bits a word */
#define HISTOGRAM_WORDS ((OCT_CONTRAST_BINS + 1) / 2)
#define HISTOGRAM_FULL 65535u
/* bins of a lane where one warp has all of them, an odd number */
#define HISTOGRAM_PARTS (((OCT_CONTRAST_BINS + 31) / 32) | 1u)
/* log2 of powers as whole numbers */
#define LOG_STEPS 65536

/* Row `line` of the B-scan of this block. */
__device__ __forceinline__ size_t
row_number (const OctCudaPass &p, uint32_t line)
{
  return (size_t)blockIdx.y * p.rows.lines + line;
}

/* Sum over the lanes of a warp; of few and small numbers, as their sum is one
 * of 32 bits. */
__device__ __forceinline__ int32_t
warp_add (int32_t value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync (~0u, value);
#else
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync (~0u, value, offset);
  return value;
#endif
}

__device__ __forceinline__ uint32_t
warp_least (uint32_t value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync (~0u, value);
#else
  for (int offset = 16; offset > 0; offset /= 2)
    value = min (value, __shfl_xor_sync (~0u, value, offset));
  return value;
#endif
}

/* Smallest and largest power of one thread, by their bits. */
struct Extent {
  uint32_t lowest, highest;

  __device__ __forceinline__ void clear ()
  {
    lowest = OCT_CUDA_NO_LOWEST;
    highest = OCT_CUDA_NO_HIGHEST;
  }

  /* not-a-number is more than infinity, with a sign too */
  __device__ __forceinline__ void add (float power)
  {
    uint32_t bits = __float_as_uint (power);

    lowest = min (lowest, bits);
    highest = max (highest, bits < OCT_CUDA_NO_LOWEST ? bits + 1 : 0);
  }

  /* by all threads of the block; scratch: 2 words that are (NO_LOWEST,
   * ~NO_HIGHEST) */
  __device__ __forceinline__ void flush (
      uint32_t *scratch, OctCudaStatistics *statistics)
  {
    lowest = warp_least (lowest);
    highest = ~warp_least (~highest);
    if (threadIdx.x % 32 == 0) {
      atomicMin (&scratch[0], lowest);
      atomicMin (&scratch[1], ~highest);
    }
    __syncthreads ();
    if (threadIdx.x == 0)
      atomicMin (&statistics->lowest, scratch[0]);
    if (threadIdx.x == 1)
      atomicMax (&statistics->highest, ~scratch[1]);
  }
};

/* The sum of the values of one warp in a depth band. */
struct Band {
  long long sum; /* of log2 power times LOG_STEPS */
  uint32_t count, unused;
};

/* Statistics of a block with up to `Warps` warps for the contrast range. */
template <int Warps> struct Contrast {
  uint32_t histogram[(HISTOGRAM_WORDS + 3) / 4 * 4];
  Band bands[Warps][OCT_CONTRAST_BANDS];

  __device__ __forceinline__ void clear ()
  {
    uint32_t *words = (uint32_t *)this;

    for (uint32_t i = threadIdx.x; i < sizeof (*this) / 4; i += blockDim.x)
      words[i] = 0;
  }

  __device__ __forceinline__ void add_to_band (
      uint32_t band, int32_t sum, int32_t count)
  {
    Band *mine = &bands[threadIdx.x / 32][band];

    sum = warp_add (sum);
    count = warp_add (count);
    if (threadIdx.x % 32 == 0) {
      mine->sum += sum;
      mine->count += count;
    }
  }

  /* The powers of bin i of some lines; by all lanes of a warp, counts:
   * whether the lines are to be counted. */
  template <int Lines>
  __device__ __forceinline__ void add (const OctCudaPass &p, uint32_t i,
      const float (&powers)[Lines], const bool (&counts)[Lines])
  {
    bool is_row =
        i >= oct_contrast_first_row (p.depth_bins) && i < p.depth_bins;
    uint32_t band = min (__umulhi (8 * i + 7, p.band_factor), 7), first;
    int32_t sum = 0, count = 0;

#pragma unroll
    for (int l = 0; l < Lines; l++)
      if (is_row && counts[l] && is_counted (powers[l])) {
        int32_t exponent;
        float fraction = log2_parts (powers[l], &exponent);
        uint32_t bin = contrast_bin (powers[l]);

        sum += exponent * LOG_STEPS + __float2int_rn (fraction * LOG_STEPS);
        count++;
        atomicAdd (
            &histogram[bin < HISTOGRAM_WORDS ? bin : bin - HISTOGRAM_WORDS],
            bin < HISTOGRAM_WORDS ? 1u : 65536u);
      }
    band = is_row ? band : 7;
    first = __shfl_sync (~0u, band, 0);
    if (__all_sync (~0u, band == first)) {
      add_to_band (first, sum, count);
      return;
    }
#pragma unroll 1
    for (uint32_t b = 0; b < OCT_CONTRAST_BANDS; b++)
      if (__any_sync (~0u, band == b))
        add_to_band (b, band == b ? sum : 0, band == b ? count : 0);
  }

  /* Adds all of the block to that of the B-scan.  True in all threads of the
   * last block. */
  __device__ __forceinline__ bool flush (
      OctCudaStatistics *statistics, uint32_t *is_last)
  {
    __syncthreads ();
    if (threadIdx.x < OCT_CONTRAST_BANDS) {
      unsigned long long sum = 0;
      uint32_t count = 0;
      for (int warp = 0; warp < Warps; warp++) {
        sum += (unsigned long long)bands[warp][threadIdx.x].sum;
        count += bands[warp][threadIdx.x].count;
      }
      atomicAdd (&statistics->sums[threadIdx.x], sum);
      atomicAdd (&statistics->counts[threadIdx.x], count);
    }
    for (uint32_t i = threadIdx.x; i < HISTOGRAM_WORDS; i += blockDim.x) {
      uint32_t two = histogram[i];
      if (two % 65536 > 0)
        atomicAdd (&statistics->histogram[i], two % 65536);
      if (two / 65536 > 0)
        atomicAdd (&statistics->histogram[i + HISTOGRAM_WORDS], two / 65536);
    }
    __threadfence ();
    __syncthreads ();
    if (threadIdx.x == 0)
      *is_last =
          atomicInc (&statistics->blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads ();
    return *is_last != 0;
  }
};

/* Adds the powers of some lines, which this group of threads has written, after
 * a barrier: it reads memory, so that the code is there once and not for every
 * value that a thread holds.  By all threads of the group. */
template <int Threads, int Lines, int Warps>
__device__ __forceinline__ void
add_rows (
    const OctCudaPass &p, uint32_t line, uint32_t t, Contrast<Warps> &contrast)
{
  constexpr int batch = 4; /* on their way together */
  bool is_line[Lines];

#pragma unroll
  for (int l = 0; l < Lines; l++)
    is_line[l] = line + l < p.rows.lines;
#pragma unroll 1
  for (uint32_t first = 0; first < p.depth_bins; first += batch * Threads) {
    float powers[batch][Lines];
#pragma unroll
    for (int b = 0; b < batch; b++) {
      uint32_t i = min (first + b * Threads + t, p.depth_bins - 1);
#pragma unroll
      for (int l = 0; l < Lines; l++)
        powers[b][l] =
            __ldcg (row_of ((const float *)p.rows.out, p.rows.out_stride,
                        row_number (p, min (line + l, p.rows.lines - 1)))
                    + i);
    }
#pragma unroll
    for (int b = 0; b < batch; b++)
      contrast.add (p, first + b * Threads + t, powers[b], is_line);
  }
}

/* The lowest mean of a depth band, for all lanes of a warp; the bands are 0
 * from then on. */
__device__ __forceinline__ double
find_floor (OctCudaStatistics *statistics)
{
  uint32_t band = min (threadIdx.x % 32, OCT_CONTRAST_BANDS - 1u);
  uint32_t count = __ldcg (&statistics->counts[band]);
  long long sum = (long long)__ldcg (&statistics->sums[band]);
  double low = count > 0 ? (double)sum / LOG_STEPS / count : INFINITY;

  __syncwarp ();
  statistics->sums[band] = 0;
  statistics->counts[band] = 0;
  for (int offset = 16; offset > 0; offset /= 2)
    low = fmin (low, __shfl_xor_sync (~0u, low, offset));
  return low;
}

/* The sum of `value` over the lanes in front of this one; *total: over all. */
__device__ __forceinline__ uint32_t
warp_before (uint32_t value, uint32_t *total)
{
  uint32_t sum = value;

  for (uint32_t offset = 1; offset < 32; offset *= 2) {
    uint32_t before = __shfl_up_sync (~0u, sum, offset);
    sum += threadIdx.x % 32 >= offset ? before : 0;
  }
  *total = __shfl_sync (~0u, sum, 31);
  return sum - value;
}

/* The histogram to shared memory, from the brightest downwards and with zeros
 * after its end; it is empty from then on. */
__device__ __forceinline__ void
take_histogram (OctCudaStatistics *statistics, uint32_t *bins)
{
  constexpr uint32_t batch = 8; /* on their way together */
  uint32_t counts[batch];

#pragma unroll 1
  for (uint32_t first = threadIdx.x; first < HISTOGRAM_PARTS * 32;
       first += batch * blockDim.x) {
#pragma unroll
    for (uint32_t k = 0; k < batch; k++) {
      uint32_t i = first + k * blockDim.x;
      counts[k] = i < OCT_CONTRAST_BINS ? __ldcg (
                      &statistics->histogram[OCT_CONTRAST_BINS - 1 - i])
                                        : 0;
    }
#pragma unroll
    for (uint32_t k = 0; k < batch; k++) {
      uint32_t i = first + k * blockDim.x;
      if (i < HISTOGRAM_PARTS * 32)
        bins[i] = counts[k];
      if (i < OCT_CONTRAST_BINS)
        statistics->histogram[OCT_CONTRAST_BINS - 1 - i] = 0;
    }
  }
}

/* Both ends of the contrast range, by the last block; all that was counted is 0
 * again.  bins: [HISTOGRAM_PARTS * 32] in shared memory. */
static __device__ __noinline__ void
finish_contrast (OctCudaStatistics *statistics, uint32_t *bins)
{
  uint32_t lane = threadIdx.x, sum = 0, more, above, total, place, rest = 0;
  double low;

  __threadfence ();
  take_histogram (statistics, bins);
  __syncthreads ();
  if (threadIdx.x >= 32)
    return;
  low = find_floor (statistics);
  /* a lane takes an odd number of bins in a row: no bank twice */
#pragma unroll 7
  for (uint32_t i = 0; i < HISTOGRAM_PARTS; i++)
    sum += bins[lane * HISTOGRAM_PARTS + i];
  more = warp_before (sum, &total);
  above = total / OCT_CONTRAST_ABOVE;
  if (total == 0) {
    if (lane == 0)
      statistics->contrast_is_valid = 0;
    return;
  }
  /* the lane whose bins it is in, then the bin */
  place = (uint32_t)__ffs (
              (int)__ballot_sync (~0u, above >= more && above < more + sum))
          - 1;
  more = __shfl_sync (~0u, more, place);
  for (uint32_t first = 0; first < HISTOGRAM_PARTS; first += 32) {
    uint32_t i = first + lane, at = place * HISTOGRAM_PARTS + i, all;
    uint32_t count = i < HISTOGRAM_PARTS ? bins[at] : 0;

    rest = more + warp_before (count, &all);
    if (above >= rest && above < rest + count)
      set_contrast<true> (
          statistics, low, OCT_CONTRAST_BINS - 1 - at, count, rest, above);
    more += all;
  }
}
