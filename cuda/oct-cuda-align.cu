/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Repeated B-scans moved onto the first of a place.
 *
 * A block for an A-line: the lags, then the shift and the phase with the values
 * of the A-line in registers, then the mean.  Between them one block adds up
 * what the A-lines have found, in a fixed order.  Nothing comes back to the
 * host.
 */
#include "oct-cuda-align-parts.cuh"
#include "oct-cuda-repeats.h"

#include <cmath>

/* --------------------------------------------------------------------- begin
 */

static __global__ void
__launch_bounds__ (KEEP_THREADS) align_begin (OctCudaAlign a)
{
  begin_kernel ();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    a.found->kept = 1;
  for (uint32_t line = blockIdx.x; line < a.lines; line += gridDim.x)
    for (uint32_t q = threadIdx.x; q < a.depth_bins; q += KEEP_THREADS) {
      float2 b = finite_parts (row_of (a.in, a.in_stride, line)[q]);

      a.mean[(size_t)line * a.depth_bins + q] = b;
      row_of (a.out, a.out_stride, line)[q] = b;
    }
}

/* ---------------------------------------------------------------------- lags
 */

/* Power of the bands of depth, by warps. */
__device__ __forceinline__ void
sum_bands (const OctCudaAlign &a, uint32_t line)
{
  const float2 *b = row_of (a.in, a.in_stride, line);

  for (uint32_t band = threadIdx.x / 32; band < OCT_ALIGN_BANDS;
       band += LAG_THREADS / 32) {
    uint32_t end = oct_align_band (a.depth_bins, band + 1);
    float sum = 0;

    for (uint32_t q = oct_align_band (a.depth_bins, band) + threadIdx.x % 32;
         q < end; q += 32)
      sum += power_of (finite_parts (b[q]));
    sum = warp_sum (sum);
    if (threadIdx.x % 32 == 0)
      a.bands[(size_t)line * OCT_ALIGN_BANDS + band] = sum;
  }
}

static __global__ void
__launch_bounds__ (LAG_THREADS) align_lags (OctCudaAlign a)
{
  __shared__ float2 of_a[CHUNK], of_b[CHUNK + 2 * FARTHEST];
  __shared__ float2 sums[OCT_CUDA_ALIGN_LAGS];
  uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  uint32_t lags = 2 * a.most + 1;

  begin_kernel ();
  for (uint32_t line = blockIdx.x; line < a.lines; line += gridDim.x) {
    const float2 *b = row_of (a.in, a.in_stride, line);

    sum_bands (a, line);
    if (!a.is_axial)
      continue;
    for (uint32_t u = threadIdx.x; u < lags; u += LAG_THREADS)
      sums[u] = make_float2 (0, 0);
    for (uint32_t first = 0; first < a.depth_bins; first += CHUNK) {
      __syncthreads ();
      for (uint32_t i = threadIdx.x; i < CHUNK; i += LAG_THREADS)
        of_a[i] = first + i < a.depth_bins
                      ? a.mean[(size_t)line * a.depth_bins + first + i]
                      : make_float2 (0, 0);
      for (uint32_t i = threadIdx.x; i < CHUNK + 2 * a.most; i += LAG_THREADS) {
        int64_t q = (int64_t)first + i - a.most;

        of_b[i] = q >= 0 && q < a.depth_bins ? finite_parts (b[q])
                                             : make_float2 (0, 0);
      }
      __syncthreads ();
      for (uint32_t u = warp; u < lags; u += LAG_THREADS / 32) {
        float re = 0, im = 0;

#pragma unroll 8
        for (uint32_t i = lane; i < CHUNK; i += 32) {
          float2 c = product (of_b[i + u], of_a[i]);

          re += c.x;
          im += c.y;
        }
        re = warp_sum (re);
        im = warp_sum (im);
        if (lane == 0) {
          sums[u].x += re;
          sums[u].y += im;
        }
      }
    }
    __syncthreads ();
    for (uint32_t u = threadIdx.x; u < lags; u += LAG_THREADS)
      a.lags[(size_t)line * OCT_CUDA_ALIGN_LAGS + u] = power_of (sums[u]);
    __syncthreads ();
  }
}

/* The lowest mean power of a band, by the warps. */
__device__ __forceinline__ void
solve_noise (const OctCudaAlign &a)
{
  __shared__ double means[OCT_ALIGN_BANDS], sums[OCT_ALIGN_BANDS];
  uint32_t band = threadIdx.x / 32, lane = threadIdx.x % 32;
  uint32_t rows = oct_align_band (a.depth_bins, band + 1)
                  - oct_align_band (a.depth_bins, band);
  double sum = 0;

  for (uint32_t line = lane; line < a.lines; line += 32)
    sum += __ldcg (&a.bands[(size_t)line * OCT_ALIGN_BANDS + band]);
  sum = warp_sum (sum);
  if (lane == 0) {
    means[band] = rows > 0 ? sum / ((double)rows * a.lines) : INFINITY;
    sums[band] = sum;
  }
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  for (uint32_t i = 1; i < OCT_ALIGN_BANDS; i++) {
    means[0] = means[i] < means[0] ? means[i] : means[0];
    sums[0] += sums[i];
  }
  sums[0] /= (double)a.depth_bins * a.lines;
  a.found->noise = (float)means[0];
  a.found->least = (float)(10 * means[0] < sums[0] ? 10 * means[0] : sums[0]);
}

__device__ __forceinline__ void
solve_shifts (const OctCudaAlign &a)
{
  __shared__ float all[OCT_CUDA_ALIGN_LAGS];
  __shared__ float shift;
  uint32_t lags = 2 * a.most + 1;

  for (uint32_t i = threadIdx.x; i < a.groups * lags; i += SOLVE_THREADS) {
    uint32_t group = i / lags, u = i % lags;
    uint32_t end = oct_align_group (a.lines, a.groups, group + 1);
    double sum = 0;

    for (uint32_t line = oct_align_group (a.lines, a.groups, group); line < end;
         line++)
      sum += __ldcg (&a.lags[(size_t)line * OCT_CUDA_ALIGN_LAGS + u]);
    a.group_lags[(size_t)group * OCT_CUDA_ALIGN_LAGS + u] = (float)sum;
  }
  __syncthreads ();
  for (uint32_t u = threadIdx.x; u < lags; u += SOLVE_THREADS) {
    double sum = 0;

    for (uint32_t group = 0; group < a.groups; group++)
      sum += __ldcg (&a.group_lags[(size_t)group * OCT_CUDA_ALIGN_LAGS + u]);
    all[u] = (float)sum;
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    float peak = oct_align_peak (all, (int)a.most, OCT_ALIGN_CLEAR);

    shift = isnan (peak) ? 0 : peak;
  }
  __syncthreads ();
  for (uint32_t group = threadIdx.x; group < a.groups; group += SOLVE_THREADS) {
    float sums[OCT_CUDA_ALIGN_LAGS], peak;

    for (uint32_t u = 0; u < lags; u++)
      sums[u] = __ldcg (&a.group_lags[(size_t)group * OCT_CUDA_ALIGN_LAGS + u]);
    peak = oct_align_peak (sums, (int)a.most, OCT_ALIGN_CLEAR);
    a.shifts[group] = isnan (peak) ? shift : peak;
  }
}

static __global__ void
__launch_bounds__ (SOLVE_THREADS) align_solve (OctCudaAlign a)
{
  begin_kernel ();
  solve_noise (a);
  if (a.is_axial)
    solve_shifts (a);
}

/* --------------------------------------------------------------------- shift
 */

struct Taps {
  int whole;
  float taps[OCT_ALIGN_TAPS];

  /* for the A-line, by one thread */
  __device__ __forceinline__ void find (const OctCudaAlign &a, uint32_t line)
  {
    oct_align_taps (
        oct_align_between (a.shifts, a.lines, a.groups, line), &whole, taps);
  }

  __device__ __forceinline__ float2 read (
      const float2 *b, uint32_t depth_bins, uint32_t q) const
  {
    float2 sum = make_float2 (0, 0);

#pragma unroll
    for (int k = 0; k < OCT_ALIGN_TAPS; k++) {
      int at = (int)q + whole + k - OCT_ALIGN_TAPS_BEFORE;

      if (at >= 0 && at < (int)depth_bins) {
        float2 value = finite_parts (b[at]);

        sum.x += taps[k] * value.x;
        sum.y += taps[k] * value.y;
      }
    }
    return sum;
  }
};

/* ------------------------------------------------------------------- lateral
 */

static __global__ void
__launch_bounds__ (KEEP_THREADS) align_move (OctCudaAlign a)
{
  __shared__ Taps taps;

  begin_kernel ();
  for (uint32_t line = blockIdx.x; line < a.lines; line += gridDim.x) {
    __syncthreads ();
    if (threadIdx.x == 0)
      taps.find (a, line);
    __syncthreads ();
    for (uint32_t q = threadIdx.x; q < a.depth_bins; q += KEEP_THREADS)
      a.moved[(size_t)line * a.depth_bins + q] =
          taps.read (row_of (a.in, a.in_stride, line), a.depth_bins, q);
  }
}

/* Products with the A-lines around, by warps. */
static __global__ void
__launch_bounds__ (LAG_THREADS) align_lateral (OctCudaAlign a)
{
  uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  begin_kernel ();
  for (uint32_t line = blockIdx.x; line < a.lines; line += gridDim.x) {
    const float2 *of_a = a.mean + (size_t)line * a.depth_bins;

    for (uint32_t j = warp; j < OCT_CUDA_ALIGN_LATERAL_LAGS;
         j += LAG_THREADS / 32) {
      int64_t other = (int64_t)line + j - OCT_ALIGN_LATERAL;
      double *to =
          a.lateral + 2 * ((size_t)line * OCT_CUDA_ALIGN_LATERAL_LAGS + j);
      float re = 0, im = 0, of_mean = 0, of_moved = 0;

      if (other >= 0 && other < a.lines)
        for (uint32_t q = lane; q < a.depth_bins; q += 32) {
          float2 b = a.moved[(size_t)other * a.depth_bins + q];
          float2 c = product (b, of_a[q]);

          re += c.x;
          im += c.y;
          of_mean += power_of (of_a[q]);
          of_moved += power_of (b);
        }
      re = warp_sum (re);
      im = warp_sum (im);
      of_mean = warp_sum (of_mean);
      of_moved = warp_sum (of_moved);
      if (lane == 0) {
        to[0] = re;
        to[1] = im;
        if (j == OCT_ALIGN_LATERAL) {
          a.powers[2 * (size_t)line] = of_mean;
          a.powers[2 * (size_t)line + 1] = of_moved;
        }
      }
    }
  }
}

static __global__ void __launch_bounds__ (32 * OCT_CUDA_ALIGN_LATERAL_LAGS)
    align_solve_lateral (OctCudaAlign a)
{
  __shared__ float sums[OCT_CUDA_ALIGN_LATERAL_LAGS];
  int64_t j = (int64_t)(threadIdx.x / 32) - OCT_ALIGN_LATERAL;
  int64_t first = j < 0 ? -j : 0, end = j < 0 ? a.lines : a.lines - j;
  double coherent = 0, power = 0;

  begin_kernel ();
  for (int64_t line = first + threadIdx.x % 32; line < end; line += 32) {
    const double *sum =
        a.lateral
        + 2 * (line * OCT_CUDA_ALIGN_LATERAL_LAGS + j + OCT_ALIGN_LATERAL);
    double re = __ldcg (&sum[0]), im = __ldcg (&sum[1]);

    coherent += re * re + im * im;
    power +=
        __ldcg (&a.powers[2 * line]) * __ldcg (&a.powers[2 * (line + j) + 1]);
  }
  coherent = warp_sum (coherent);
  power = warp_sum (power);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = (float)(power > 0 ? coherent / power : 0);
  __syncthreads ();
  if (threadIdx.x == 0) {
    float peak = oct_align_peak (sums, OCT_ALIGN_LATERAL, 1);

    a.found->along = fabsf (peak) > OCT_ALIGN_LATERAL_LEAST ? peak : 0;
  }
}

/* The four A-lines around a place, each with its weight and turn. */
struct Cubic {
  const float2 *lines[4];
  float2 turns[4];

  /* by one thread */
  __device__ __forceinline__ void find (
      const OctCudaAlign &a, uint32_t line, float along)
  {
    float below = floorf (along), t = along - below;
    float weights[4] = { t * (-0.5f + t * (1 - 0.5f * t)),
      1 + t * t * (-2.5f + 1.5f * t), t * (0.5f + t * (2 - 1.5f * t)),
      t * t * (-0.5f + 0.5f * t) };

    for (int k = 0; k < 4; k++) {
      int64_t other = (int64_t)line + (int)below + k - 1;
      const double *sum;
      float phase;

      other = other < 0 ? 0 : other < a.lines ? other : (int64_t)a.lines - 1;
      sum = a.lateral
            + 2 * (other * OCT_CUDA_ALIGN_LATERAL_LAGS + OCT_ALIGN_LATERAL);
      phase = (float)atan2 (__ldcg (&sum[1]), __ldcg (&sum[0]));
      lines[k] = a.moved + (size_t)other * a.depth_bins;
      turns[k] =
          make_float2 (weights[k] * cosf (phase), weights[k] * -sinf (phase));
    }
  }

  __device__ __forceinline__ float2 read (uint32_t q) const
  {
    float2 sum = make_float2 (0, 0);

#pragma unroll
    for (int k = 0; k < 4; k++) {
      float2 b = lines[k][q];

      sum.x += b.x * turns[k].x - b.y * turns[k].y;
      sum.y += b.x * turns[k].y + b.y * turns[k].x;
    }
    return sum;
  }
};

/* --------------------------------------------------------------------- phase
 */

/* The sum over the block, the same in all threads. */
template <int N>
__device__ __forceinline__ void
block_sum (float (&values)[N])
{
  __shared__ float sums[LINE_WARPS][N];

  __syncthreads ();
#pragma unroll
  for (int i = 0; i < N; i++) {
    float sum = warp_sum (values[i]);

    if (threadIdx.x % 32 == 0)
      sums[threadIdx.x / 32][i] = sum;
  }
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < N; i++) {
    values[i] = 0;
    for (int warp = 0; warp < LINE_WARPS; warp++)
      values[i] += sums[warp][i];
  }
}

/* An A-line in the registers of a block: value k of a thread is that at depth
 * threadIdx.x + k LINE_THREADS. */
template <int VALUES> struct Line {
  float2 b[VALUES], c[VALUES];
  float p[VALUES];
  uint32_t depth;

#define EACH_VALUE                                                             \
  _Pragma ("unroll 8") for (uint32_t k = 0, q = threadIdx.x; k < VALUES;       \
                            k++, q += LINE_THREADS) if (q < depth)

  __device__ __forceinline__ void multiply (const float2 *mean)
  {
    EACH_VALUE
    {
      float2 a = mean[q];

      c[k] = product (b[k], a);
      p[k] = power_of (b[k]) + power_of (a);
    }
  }

  __device__ __forceinline__ float find_mean () const
  {
    float sum[2] = { 0, 0 };

    EACH_VALUE
    {
      sum[0] += c[k].x;
      sum[1] += c[k].y;
    }
    block_sum (sum);
    return atan2f (sum[1], sum[0]);
  }

  /* Weights are counted as whole numbers, 2^31 for all, so that their
   * order does not matter. */
  __device__ __forceinline__ float find_fullest () const
  {
    __shared__ uint32_t counts[OCT_ALIGN_PHASES];
    __shared__ float found;
    float sum[1] = { 0 };

    for (uint32_t i = threadIdx.x; i < OCT_ALIGN_PHASES; i += LINE_THREADS)
      counts[i] = 0;
    EACH_VALUE
    sum[0] += sqrtf (power_of (c[k]));
    block_sum (sum);
    EACH_VALUE
    {
      float angle = atan2f (c[k].y, c[k].x) + OCT_ALIGN_PI;
      int bin = (int)(angle * (OCT_ALIGN_PHASES / (2 * OCT_ALIGN_PI)));
      float part = sum[0] > 0 ? sqrtf (power_of (c[k])) / sum[0] : 0;

      bin = bin < OCT_ALIGN_PHASES ? bin : 0;
      atomicAdd (&counts[bin], (uint32_t)(part * 2147483648.f));
    }
    __syncthreads ();
    if (threadIdx.x == 0) {
      float weights[OCT_ALIGN_PHASES];

      for (int i = 0; i < OCT_ALIGN_PHASES; i++)
        weights[i] = (float)counts[i];
      found = oct_align_fullest (weights);
    }
    __syncthreads ();
    return found;
  }

  __device__ __forceinline__ float find_mode (float noise) const
  {
    float phase = find_fullest ();

    for (int pass = 0; pass < OCT_ALIGN_PASSES; pass++) {
      float turn_re = cosf (phase), turn_im = sinf (phase);
      float sum[2] = { 0, 0 };

      EACH_VALUE
      {
        float w =
            oct_align_weight (c[k].x, c[k].y, p[k], turn_re, turn_im, noise);

        sum[0] += w * c[k].x;
        sum[1] += w * c[k].y;
      }
      block_sum (sum);
      phase = atan2f (sum[1], sum[0]);
    }
    return phase;
  }

  /* P to `to`, with the weights of the line so far, or first as it is. */
  __device__ __forceinline__ void weigh (
      bool is_first, float phase, float slope, float noise, float2 *to) const
  {
    EACH_VALUE
    {
      float angle = phase + slope * (float)q;
      float w = is_first ? 1
                         : oct_align_weight (c[k].x, c[k].y, p[k], cosf (angle),
                             sinf (angle), noise);

      to[q] = make_float2 (w * c[k].x, w * c[k].y);
    }
    __syncthreads ();
  }

  __device__ __forceinline__ float first_slope (const float2 *P) const
  {
    float sum[2] = { 0, 0 };

    EACH_VALUE
    if (q + 1 < depth) {
      float2 step = product (P[q + 1], P[q]);

      sum[0] += step.x;
      sum[1] += step.y;
    }
    block_sum (sum);
    return atan2f (sum[1], sum[0]);
  }

  __device__ __forceinline__ float refine_slope (
      const float2 *P, float slope) const
  {
    float whole[2] = { 0, 0 }, parts[8] = { 0 }, middle, apart;

    EACH_VALUE
    {
      float size = sqrtf (power_of (P[q]));

      whole[0] += size;
      whole[1] += size * (float)q;
    }
    block_sum (whole);
    middle = whole[0] > 0 ? whole[1] / whole[0] : 0;
    EACH_VALUE
    {
      float size = sqrtf (power_of (P[q])), angle = slope * (float)q;
      float2 turn = make_float2 (cosf (angle), sinf (angle));
      float2 r = product (P[q], turn);
      float below = (float)q >= middle ? 1 : 0;

      parts[0] += (1 - below) * r.x;
      parts[1] += (1 - below) * r.y;
      parts[2] += (1 - below) * size;
      parts[3] += (1 - below) * size * (float)q;
      parts[4] += below * r.x;
      parts[5] += below * r.y;
      parts[6] += below * size;
      parts[7] += below * size * (float)q;
    }
    block_sum (parts);
    apart = (parts[6] > 0 ? parts[7] / parts[6] : 0)
            - (parts[2] > 0 ? parts[3] / parts[2] : 0);
    return atan2f (parts[5] * parts[0] - parts[4] * parts[1],
               parts[4] * parts[0] + parts[5] * parts[1])
           / (apart > 1 ? apart : 1);
  }

  __device__ __forceinline__ float line_phase (
      const float2 *P, float slope) const
  {
    float sum[2] = { 0, 0 };

    EACH_VALUE
    {
      float angle = slope * (float)q;
      float2 r = product (P[q], make_float2 (cosf (angle), sinf (angle)));

      sum[0] += r.x;
      sum[1] += r.y;
    }
    block_sum (sum);
    return atan2f (sum[1], sum[0]);
  }

  __device__ __forceinline__ void find_line (
      float noise, float2 *P, float *phase, float *slope) const
  {
    *phase = *slope = 0;
    for (int pass = 0; pass < OCT_ALIGN_PASSES; pass++) {
      weigh (pass == 0, *phase, *slope, noise, P);
      *slope = first_slope (P);
      for (int k = 0; k < 2; k++)
        *slope += refine_slope (P, *slope);
      *phase = line_phase (P, *slope);
      __syncthreads ();
    }
  }

  __device__ __forceinline__ void turn_back (float phase, float slope)
  {
    float2 turn = make_float2 (cosf (phase), sinf (phase));

    EACH_VALUE
    {
      if (slope != 0) {
        float angle = phase + slope * (float)q;

        turn = make_float2 (cosf (angle), sinf (angle));
      }
      b[k] = product (b[k], turn);
    }
  }

  __device__ __forceinline__ void find_coherence (
      const float2 *mean, float least, double *to) const
  {
    float sums[4] = { 0, 0, 0, 0 };

    EACH_VALUE
    {
      float2 a = mean[q], product_of = product (b[k], a);
      float of_a = power_of (a), of_b = power_of (b[k]);
      float counts = of_a + of_b > 2 * least ? 1 : 0;

      sums[0] += counts * product_of.x;
      sums[1] += counts * product_of.y;
      sums[2] += counts * of_a;
      sums[3] += counts * of_b;
    }
    block_sum (sums);
    if (threadIdx.x == 0)
      for (int i = 0; i < 4; i++)
        to[i] = sums[i];
  }
};

/* Reads the A-line where it is to be. */
template <int VALUES>
__device__ __forceinline__ void
read_line (const OctCudaAlign &a, uint32_t line, Line<VALUES> &values)
{
  __shared__ Taps taps;
  __shared__ Cubic cubic;
  const float2 *b = row_of (a.in, a.in_stride, line);
  uint32_t depth = a.depth_bins;
  float along = a.is_lateral ? __ldcg (&a.found->along) : 0;

  __syncthreads ();
  if (threadIdx.x == 0) {
    if (along != 0)
      cubic.find (a, line, along);
    else if (a.is_axial && !a.is_lateral)
      taps.find (a, line);
  }
  __syncthreads ();
  EACH_VALUE
  values.b[k] = along != 0     ? cubic.read (q)
                : a.is_lateral ? a.moved[(size_t)line * depth + q]
                : a.is_axial   ? taps.read (b, depth, q)
                               : finite_parts (b[q]);
}

template <int VALUES>
static __global__ void
__launch_bounds__ (LINE_THREADS) align_lines (OctCudaAlign a)
{
  Line<VALUES> values;
  uint32_t depth = a.depth_bins;
  float noise;

  begin_kernel ();
  noise = __ldcg (&a.found->noise);
  values.depth = depth;
  for (uint32_t line = blockIdx.x; line < a.lines; line += gridDim.x) {
    const float2 *mean = a.mean + (size_t)line * depth;
    float2 *out = row_of (a.out, a.out_stride, line);
    float phase = 0, slope = 0;

    read_line (a, line, values);
    if (a.phase != PHASE_NONE) {
      values.multiply (mean);
      if (a.phase == PHASE_LINE)
        values.find_line (
            noise, a.weighted + (size_t)line * depth, &phase, &slope);
      else
        phase = a.phase == PHASE_MEAN        ? values.find_mean ()
                : a.phase == PHASE_HISTOGRAM ? values.find_fullest ()
                                             : values.find_mode (noise);
      values.turn_back (phase, slope);
    }
    if (a.may_reject)
      values.find_coherence (
          mean, __ldcg (&a.found->least), a.coherent + 4 * (size_t)line);
    EACH_VALUE
    out[q] = values.b[k];
  }
}

/* ---------------------------------------------------------------------- keep
 */

/* Each A-line may have any phase. */
static __global__ void __launch_bounds__ (3 * 32) align_judge (OctCudaAlign a)
{
  __shared__ double sums[3];
  uint32_t part = threadIdx.x / 32;
  double sum = 0;

  begin_kernel ();
  for (uint32_t line = threadIdx.x % 32; line < a.lines; line += 32) {
    const double *of = a.coherent + 4 * (size_t)line;
    double x = __ldcg (&of[part > 0 ? part + 1 : 0]);
    double y = part > 0 ? 0 : __ldcg (&of[1]);

    sum += part > 0 ? x : sqrt (x * x + y * y);
  }
  sum = warp_sum (sum);
  if (threadIdx.x % 32 == 0)
    sums[part] = sum;
  __syncthreads ();
  if (threadIdx.x == 0)
    a.found->is_good =
        sums[1] + sums[2] == 0
        || sums[0] >= a.least_coherence * sqrt (sums[1] * sums[2]);
}

static __global__ void
__launch_bounds__ (KEEP_THREADS) align_keep (OctCudaAlign a)
{
  bool is_good;
  float weight;

  begin_kernel ();
  is_good = !a.may_reject || __ldcg (&a.found->is_good);
  weight = 1.f / (float)(__ldcg (&a.found->kept) + 1);
  for (uint32_t line = blockIdx.x; line < a.lines; line += gridDim.x)
    for (uint32_t q = threadIdx.x; q < a.depth_bins; q += KEEP_THREADS) {
      float2 *out = &row_of (a.out, a.out_stride, line)[q];
      float2 *mean = &a.mean[(size_t)line * a.depth_bins + q], m = *mean;
      float2 b = *out;

      if (is_good)
        *mean = make_float2 (
            m.x + weight * (b.x - m.x), m.y + weight * (b.y - m.y));
      else
        *out = make_float2 (0, 0);
    }
}

/* After all blocks of align_keep() have read it. */
static __global__ void
align_count (OctCudaAlign a)
{
  begin_kernel ();
  if (!a.may_reject || __ldcg (&a.found->is_good))
    a.found->kept++;
}

/* ------------------------------------------------------------------ launches
 */

static uint32_t
line_blocks (const OctCudaAlign *a)
{
  return a->lines < MOST_BLOCKS ? a->lines : MOST_BLOCKS;
}

extern "C" cudaError_t
oct_cuda_launch_align_begin (const OctCudaAlign *a, OctCudaQueue queue)
{
  return launch (queue, align_begin, line_blocks (a), KEEP_THREADS, 0, *a);
}

extern "C" cudaError_t
oct_cuda_launch_align_find (const OctCudaAlign *a, OctCudaQueue queue)
{
  cudaError_t status =
      launch (queue, align_lags, line_blocks (a), LAG_THREADS, 0, *a);

  return status != cudaSuccess
             ? status
             : launch (queue, align_solve, 1, SOLVE_THREADS, 0, *a);
}

extern "C" cudaError_t
oct_cuda_launch_align_lateral (const OctCudaAlign *a, OctCudaQueue queue)
{
  cudaError_t status =
      launch (queue, align_move, line_blocks (a), KEEP_THREADS, 0, *a);

  if (status == cudaSuccess)
    status = launch (queue, align_lateral, line_blocks (a), LAG_THREADS, 0, *a);
  return status != cudaSuccess ? status
                               : launch (queue, align_solve_lateral, 1,
                                   32 * OCT_CUDA_ALIGN_LATERAL_LAGS, 0, *a);
}

extern "C" cudaError_t
oct_cuda_launch_align_finish (const OctCudaAlign *a, OctCudaQueue queue)
{
  cudaError_t status = launch (queue,
      a->depth_bins <= 4 * LINE_THREADS    ? align_lines<4>
      : a->depth_bins <= 8 * LINE_THREADS  ? align_lines<8>
      : a->depth_bins <= 32 * LINE_THREADS ? align_lines<32>
                                           : align_lines<256>,
      line_blocks (a), LINE_THREADS, 0, *a);

  if (status == cudaSuccess && a->may_reject)
    status = launch (queue, align_judge, 1, 3 * 32, 0, *a);
  if (status == cudaSuccess)
    status = launch (queue, align_keep, line_blocks (a), KEEP_THREADS, 0, *a);
  return status != cudaSuccess ? status
                               : launch (queue, align_count, 1, 1, 0, *a);
}
