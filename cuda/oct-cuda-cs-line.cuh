/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing of A-lines that stay on the chip from their samples to
 * the result (oct-cs.h), what all solvers have in common: one block for a
 * complex A-line or for two real ones, which are the real and the imaginary
 * parts of the cells.
 *
 * T is Toeplitz, in the modes of one diagonal over Size cells.  In place of x
 * and T x the residual g = T x - b is kept, which T s of every step s = x' - x
 * is added to: one transform forth and one back for each step but the last.
 * The step length needs <s, T s> = sum band |F s|^2, which the cells give, and
 * |s|^2; both are summed between barriers that are there anyway.
 *
 * g waits in shared memory for the next step, x in registers.  A-lines are
 * scaled by powers of two to the same size, so that neither of a pair drowns
 * the other; one that is not finite is calculated as zeros.
 */
#pragma once

#include "oct-cuda-cs-chip-transform.cuh"
#include "oct-cuda-cs-values.cuh"

/* Values that threads of a block exchange, apart from the transform. */
template <int Warps> struct Exchange {
  uint32_t largest[2][Warps];
  float sums[2][2][2][Warps]; /* [turn][steps, energies][A-line] */
  float sigma;
};

/* Spread: A-lines from all over the B-scan, where `spread` says so. */
template <int First, int Second, bool Complex, bool Spread> struct Line {
  typedef Chip<First, Second> Layout;
  static constexpr int threads = Layout::threads;
  static constexpr int warps = threads / 32;
  typedef Exchange<warps> Shared;

  const OctCudaCsChip &p;
  float2 *cells;
  Shared &shared;
  int t;
  /* of two A-lines, or of one the modes q and -q */
  float2 x[2][SLOTS];
  float4 *residuals; /* [SLOTS][threads], g of the same modes; first of all */
  float2 *samples;   /* [kept] */

  __device__ Line (const OctCudaCsChip &p, float2 *cells, Shared &shared)
      : p (p), cells (cells), shared (shared), t (threadIdx.x),
        residuals ((float4 *)(cells + Layout::places) + threadIdx.x),
        samples (cells + Layout::places)
  {
  }

  /* The number of A-line i of this block. */
  __device__ __forceinline__ uint32_t number_of (int i) const
  {
    return Complex ? blockIdx.x : 2 * blockIdx.x + i;
  }

  __device__ __forceinline__ bool is_there (int i) const
  {
    return number_of (i) < (Spread && p.spread ? p.noise_lines : p.rows.lines);
  }

  __device__ __forceinline__ const char *row_in (int i) const
  {
    uint32_t line = number_of (i);

    if (Spread && p.spread)
      line = (2 * line + 1) * p.rows.lines / (2 * p.noise_lines);
    return (const char *)p.rows.in + p.rows.in_stride * line;
  }

  /* The background of A-line i. */
  template <typename Removed>
  __device__ __forceinline__ const Removed *removed_of (int i) const
  {
    return (const Removed *)((const char *)p.table
                             + number_of (i) / p.bscan * p.table_step);
  }

  /* A count less the background; by sums it is exact, but for the last
   * rounding. */
  __device__ __forceinline__ float less (uint32_t count, uint32_t sum) const
  {
    return (float)(int32_t)(count * p.bscan - sum) / (float)p.bscan;
  }

  __device__ __forceinline__ float less (uint32_t count, float2 removed) const
  {
    return ((float)count - removed.x) - removed.y;
  }

  /* Counts of both A-lines to samples[], some on their way together. */
  template <typename Count, typename Removed>
  __device__ __forceinline__ void read_counts (uint32_t (&largest)[2])
  {
    constexpr uint32_t batch = 4;
    bool both = is_there (1);
    const Count *in[2] = { (const Count *)row_in (0),
      (const Count *)row_in (both ? 1 : 0) };
    const Removed *from[2] = { removed_of<Removed> (0),
      removed_of<Removed> (both ? 1 : 0) };

#pragma unroll 1
    for (uint32_t first = t; first < p.kept; first += batch * threads) {
      uint32_t count[batch][2], column[batch];
      Removed removed[batch][2];
#pragma unroll
      for (uint32_t k = 0; k < batch; k++)
        column[k] = __ldg (&p.column[min (first + k * threads, p.kept - 1)]);
#pragma unroll
      for (uint32_t k = 0; k < batch; k++)
#pragma unroll
        for (int l = 0; l < 2; l++) {
          count[k][l] = in[l][column[k]];
          removed[k][l] = p.table ? from[l][column[k]] : Removed ();
        }
#pragma unroll
      for (uint32_t k = 0; k < batch; k++) {
        float2 value = make_float2 (less (count[k][0], removed[k][0]),
            both ? less (count[k][1], removed[k][1]) : 0);
        if (first + k * threads < p.kept)
          samples[first + k * threads] = value;
        largest[0] = max (largest[0], __float_as_uint (fabsf (value.x)));
        largest[1] = max (largest[1], __float_as_uint (fabsf (value.y)));
      }
    }
  }

  /* Bits of the largest magnitude of A-line i. */
  __device__ __forceinline__ uint32_t largest_of (int i) const
  {
    uint32_t largest = 0;

#pragma unroll
    for (int w = 0; w < warps; w++)
      largest = max (largest, shared.largest[Complex ? 0 : i][w]);
    return largest;
  }

  __device__ __forceinline__ void read_floats (uint32_t (&largest)[2])
  {
    const char *in[2] = { row_in (0), is_there (1) ? row_in (1) : NULL };

    for (uint32_t i = t; i < p.kept; i += threads) {
      uint32_t column = __ldg (&p.column[i]);
      float2 value;
      if (Complex) {
        value = ((const float2 *)in[0])[column];
      } else {
        value.x = ((const float *)in[0])[column];
        value.y = in[1] ? ((const float *)in[1])[column] : 0;
      }
      samples[i] = value;
      largest[0] = max (largest[0], __float_as_uint (fabsf (value.x)));
      largest[1] = max (largest[1], __float_as_uint (fabsf (value.y)));
    }
  }

  /* samples[i] of both A-lines, multiplied by `scale`, a power of two */
  __device__ __forceinline__ void read_samples (float (&scale)[2])
  {
    uint32_t largest[2] = { 0, 0 };
    bool bad[2];

    if (Complex || p.sample_size == 4)
      read_floats (largest);
    else if (p.sample_size == 2 && p.mode == OCT_CUDA_BACKGROUND_SUMS)
      read_counts<uint16_t, uint32_t> (largest);
    else if (p.sample_size == 2)
      read_counts<uint16_t, float2> (largest);
    else if (p.mode == OCT_CUDA_BACKGROUND_SUMS)
      read_counts<uint8_t, uint32_t> (largest);
    else
      read_counts<uint8_t, float2> (largest);
    if (Complex)
      largest[0] = max (largest[0], largest[1]);
#pragma unroll
    for (int l = 0; l < (Complex ? 1 : 2); l++) {
      largest[l] = largest_of_warp (largest[l]);
      if (t % 32 == 0)
        shared.largest[l][t / 32] = largest[l];
    }
    if (!Spread && p.sigmas && t < 32) {
      float sigma = median_of_warp (
          t < p.noise_lines ? __ldcg (&p.sigmas[t]) : no_number ());
      if (t == 0)
        shared.sigma = sigma;
    }
    __syncthreads ();
#pragma unroll
    for (int l = 0; l < 2; l++) {
      largest[l] = largest_of (l);
      bad[l] = largest[l] >= NOT_FINITE;
      scale[l] = power_of_two (-exponent_of (largest[l]));
    }
    for (uint32_t i = t; i < p.kept; i += threads) {
      float2 value = samples[i];
      samples[i] = make_float2 (
          bad[0] ? 0 : scale[0] * value.x, bad[1] ? 0 : scale[1] * value.y);
    }
    __syncthreads ();
  }

  /* x = 0, and -b in place of the result of a transform. */
  __device__ __forceinline__ void begin (
      float (&scale)[2], float2 (&at)[SLOTS], float2 (&other)[SLOTS])
  {
    read_samples (scale);
#pragma unroll 1
    for (int group = 0; group < 2; group++) {
      float2 v[16] = {};
      for (uint32_t tap = 0; tap < p.taps; tap++) {
        const float2 *entries =
            p.gridding + tap * Layout::size + group * 16 * threads + t;
#pragma unroll
        for (int i = 0; i < 16; i++) {
          float2 entry = __ldg (&entries[i * threads]);
          float2 value = samples[__float_as_uint (entry.y)];
          v[i].x = fmaf (entry.x, value.x, v[i].x);
          v[i].y = fmaf (entry.x, value.y, v[i].y);
        }
      }
      Layout::put_cells (t, group, cells, v);
    }
    __syncthreads ();
    Layout::back (t, cells, p.circle);
    __syncthreads ();
    Layout::get_modes (t, cells, p.circle, at, other);
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      int q = Layout::mode_of (t, s);
      float a = __ldg (&p.factors[q]), b = a;
      if (Layout::is_ends (t, s))
        b = __ldg (&p.factors[Layout::size / 4]);
      at[s] = make_float2 (-a * at[s].x, -a * at[s].y);
      other[s] = make_float2 (-b * other[s].x, -b * other[s].y);
      residuals[s * threads] = make_float4 (0, 0, 0, 0);
      x[0][s] = x[1][s] = make_float2 (0, 0);
    }
  }

  /* g += what a transform has brought for one slot. */
  __device__ __forceinline__ float4 absorbed (
      int s, float4 g, float2 a, float2 b) const
  {
    if (Complex)
      return make_float4 (g.x + a.x, g.y + a.y, g.z + b.x, g.w + b.y);
    if (Layout::is_ends (t, s))
      return make_float4 (
          g.x + 2 * a.x, g.y + 2 * b.x, g.z + 2 * a.y, g.w + 2 * b.y);
    return make_float4 (g.x + (a.x + b.x), g.y + (a.y - b.y), g.z + (a.y + b.y),
        g.w + (b.x - a.x));
  }

  /* x' - x of one slot of two real A-lines, a and b, for the transform;
   * squares: |x' - x|^2 of this thread */
  __device__ __forceinline__ void join_slot (
      int s, float2 a, float2 b, float2 &at, float2 &other, float (&squares)[2])
  {
    bool ends = Layout::is_ends (t, s);

    if (ends) {
      if (!p.nyquist)
        x[0][s].y = x[1][s].y = a.y = b.y = 0;
      at = make_float2 (a.x, b.x);
      other = make_float2 (a.y, b.y);
      squares[0] += square (a);
      squares[1] += square (b);
    } else {
      at = make_float2 (a.x - b.y, a.y + b.x);
      other = make_float2 (a.x + b.y, b.x - a.y);
      squares[0] = fmaf (2, square (a), squares[0]);
      squares[1] = fmaf (2, square (b), squares[1]);
    }
  }

  /* x' of one slot; at, other: x' - x for the transform; squares: |x' - x|^2 of
   * this thread */
  __device__ __forceinline__ void move_slot (int s, float4 g,
      const float (&inverse)[2], const float (&cut)[2], float2 &at,
      float2 &other, float (&squares)[2])
  {
    uint32_t q = Layout::mode_of (t, s);
    bool ends = Layout::is_ends (t, s), there = q < p.modes;
    float2 g0 = make_float2 (g.x, g.y), g1 = make_float2 (g.z, g.w);

    if (Complex) {
      uint32_t behind = ends ? Layout::size / 4 : q;
      at = move (x[0][s], g0, inverse[0], cut[0], there, false);
      other = move (
          x[1][s], g1, inverse[0], cut[0], behind <= p.samples / 2, false);
      squares[0] += square (at) + square (other);
      return;
    }
    float2 a = move (x[0][s], g0, inverse[0], cut[0], there, ends);
    float2 b = move (x[1][s], g1, inverse[1], cut[1], there, ends);
    join_slot (s, a, b, at, other, squares);
  }

  /* Sums of the warps, for step_length(); what: 0 |s|^2, 1 <s, T s> */
  __device__ __forceinline__ void put_sums (
      uint32_t turn, int what, float a, float b)
  {
    a = sum_of_warp (a);
    if (!Complex)
      b = sum_of_warp (b);
    if (t % 32 == 0) {
      shared.sums[turn][what][0][t / 32] = a;
      if (!Complex)
        shared.sums[turn][what][1][t / 32] = b;
    }
  }

  /* T s of the modes */
  __device__ __forceinline__ void apply (
      uint32_t turn, float2 (&at)[SLOTS], float2 (&other)[SLOTS])
  {
    float2 energy = make_float2 (0, 0);

    Layout::put_modes (t, cells, at, other);
    __syncthreads ();
    Layout::forth (t, cells, p.circle);
    __syncthreads ();
    Layout::multiply (t, cells, p.circle, p.band, energy);
    if (Complex)
      put_sums (turn, 1, energy.x + energy.y, 0);
    else /* the band has half its values, for the sum of a pair */
      put_sums (turn, 1, 2 * energy.x, 2 * energy.y);
    __syncthreads ();
    Layout::back (t, cells, p.circle);
    __syncthreads ();
    Layout::get_modes (t, cells, p.circle, at, other);
  }

  __device__ __forceinline__ void write (int l) const
  {
    float2 *out =
        row_of ((float2 *)p.rows.out, p.rows.out_stride, number_of (l));
    uint32_t largest = largest_of (l);
    float scale = largest >= NOT_FINITE ? no_number ()
                                        : power_of_two (exponent_of (largest));

#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
      uint32_t q = Layout::mode_of (t, s), bin = q - p.depth_start;
      float2 value = x[l][s];
      if (!Complex && Layout::is_ends (t, s))
        value.y = 0;
      if (bin < p.depth_bins)
        out[bin] = make_float2 (scale * value.x, scale * value.y);
    }
  }
};

/* Shared memory of a block. */
template <typename Layout>
static constexpr size_t
memory_of_line ()
{
  return Layout::places * sizeof (float2)
         + Layout::threads * SLOTS * sizeof (float4);
}

/* A kernel of a block for every A-line, or two. */
template <typename Layout>
static cudaError_t
launch_lines (void (*kernel) (OctCudaCsChip), const OctCudaCsChip *p,
    uint32_t lines, OctCudaQueue queue)
{
  constexpr size_t bytes = memory_of_line<Layout> ();
  cudaError_t status = cudaSuccess;

  if (bytes > 40 * 1024)
    status = cudaFuncSetAttribute ((const void *)kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  if (status != cudaSuccess)
    return status;
  return launch (queue, kernel, p->is_complex ? lines : (lines + 1) / 2,
      Layout::threads, bytes, *p);
}
