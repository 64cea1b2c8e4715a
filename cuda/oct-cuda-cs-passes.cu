/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing in passes over memory, for every size and kernel: what
 * stands between the FFTs of cuFFT.  One block works on one A-line; sums over
 * an A-line are ready when the block ends, so that no pass waits for the host.
 */
#include "oct-cuda-cs-values.cuh"

#define THREADS 256
#define WARPS (THREADS / 32)
#define BINS THREADS /* of the digits of a number while its rank is found */

__device__ __forceinline__ float
add (float a, float b)
{
  return a + b;
}

__device__ __forceinline__ float2
add (float2 a, float2 b)
{
  return make_float2 (a.x + b.x, a.y + b.y);
}

__device__ __forceinline__ float
scaled (float factor, float a)
{
  return factor * a;
}

__device__ __forceinline__ float2
scaled (float factor, float2 a)
{
  return make_float2 (factor * a.x, factor * a.y);
}

__device__ __forceinline__ float
dot (float a, float b)
{
  return a * b;
}

__device__ __forceinline__ float
dot (float2 a, float2 b)
{
  return fmaf (a.x, b.x, a.y * b.y);
}

__device__ __forceinline__ uint32_t
bits_of (float a)
{
  return __float_as_uint (fabsf (a));
}

__device__ __forceinline__ uint32_t
bits_of (float2 a)
{
  return max (bits_of (a.x), bits_of (a.y));
}

/* Of all threads of a block, for all of them. */
__device__ __forceinline__ float
sum_of_block (float value)
{
  __shared__ float parts[WARPS];

  value = sum_of_warp (value);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads ();
  value = 0;
  for (int w = 0; w < WARPS; w++)
    value += parts[w];
  return value;
}

__device__ __forceinline__ uint32_t
largest_of_block (uint32_t value)
{
  __shared__ uint32_t parts[WARPS];

  value = largest_of_warp (value);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads ();
  for (int w = 0; w < WARPS; w++)
    value = max (value, parts[w]);
  return value;
}

/* The A-line of a B-scan that a block works on. */
__device__ __forceinline__ uint32_t
line_of (const OctCudaCsPasses &p, uint32_t block)
{
  return p.spread ? (2 * block + 1) * p.rows.lines / (2 * p.lines)
                  : p.first_line + block;
}

/* ---------------------------------------------------------------- samples */

/* samples[line][kept], scaled; zeros where one is not finite.  Input: what the
 * A-lines are, Value: what is calculated with. */
template <typename Input, typename Value>
static __global__ void
take_samples (OctCudaCsPasses p)
{
  const Input *in = row_of (
      (const Input *)p.rows.in, p.rows.in_stride, line_of (p, blockIdx.x));
  Value *samples = (Value *)p.samples + (size_t)blockIdx.x * p.kept;
  uint32_t largest = 0;
  int exponent;
  float scale;

  begin_kernel ();
  for (uint32_t i = threadIdx.x; i < p.kept; i += THREADS)
    largest = max (largest, bits_of (in[p.column[i]]));
  largest = largest_of_block (largest);
  exponent = exponent_of (largest);
  scale = power_of_two (-exponent);
  for (uint32_t i = threadIdx.x; i < p.kept; i += THREADS) {
    Value value = {};
    if (largest < NOT_FINITE) {
      if constexpr (sizeof (Value) > sizeof (Input))
        value.x = scale * in[p.column[i]];
      else
        value = scaled (scale, in[p.column[i]]);
    }
    samples[i] = value;
  }
  if (threadIdx.x == 0) {
    OctCudaCsLine *line = &p.states[blockIdx.x];
    line->exponent = exponent;
    line->is_bad = largest >= NOT_FINITE;
    line->squares = line->energy = 0;
  }
}

/* Samples to the cells of the FFT: cell x of the grid without end is cell
 * (origin + x) modulo length. */
template <typename Value>
static __global__ void
grid_samples (OctCudaCsPasses p)
{
  size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
  size_t line = at / p.length;
  uint32_t cell = (uint32_t)(at % p.length);
  uint32_t x = cell >= p.origin ? cell - p.origin : cell + p.length - p.origin;
  Value sum = {};

  begin_kernel ();
  if (line >= p.lines)
    return;
  for (; x < p.cells; x += p.length) {
    const Value *samples = (Value *)p.samples + line * p.kept + p.first[x];
    for (uint32_t tap = 0; tap < p.taps; tap++)
      sum = add (
          sum, scaled (p.cell_weights[(size_t)x * p.taps + tap], samples[tap]));
  }
  ((Value *)p.grid)[at] = sum;
}

/* ------------------------------------------------------------------ steps */

/* Mode i of an A-line: q, and where it stands in the FFT. */
__device__ __forceinline__ int32_t
mode_of (const OctCudaCsPasses &p, uint32_t i)
{
  return (int32_t)i - (int32_t)p.negative;
}

__device__ __forceinline__ uint32_t
place_of (const OctCudaCsPasses &p, int32_t q)
{
  return q < 0 ? p.length + q : q;
}

/* How often mode q of a real A-line counts. */
__device__ __forceinline__ float
weight_of (const OctCudaCsPasses &p, int32_t q)
{
  return p.is_complex || q == 0 || 2 * q == (int32_t)p.length ? 1 : 2;
}

/* Threshold of an A-line, as it is scaled. */
__device__ __forceinline__ float
threshold_of (const OctCudaCsPasses &p, const OctCudaCsLine *state)
{
  __shared__ float sigma;

  if (p.spread)
    return p.tau * p.sigmas[blockIdx.x];
  if (p.sigmas && threadIdx.x < 32) {
    float median = median_of_warp (
        threadIdx.x < p.noise_lines ? p.sigmas[threadIdx.x] : no_number ());
    if (threadIdx.x == 0)
      sigma = median;
  }
  __syncthreads ();
  return power_of_two (-state->exponent)
         * (p.sigmas ? p.tau * sigma : p.threshold);
}

/* What the FFT has brought becomes -b at first, later T s: g += that (Absorb);
 * x' and, for the FFT, s = x' - x (Move). */
template <bool Absorb, bool Move>
static __global__ void
advance_modes (OctCudaCsPasses p)
{
  OctCudaCsLine *state = &p.states[blockIdx.x];
  float2 *spectrum = p.spectrum + (size_t)blockIdx.x * p.pitch;
  float2 *xs = p.x + (size_t)blockIdx.x * p.modes;
  float2 *gs = p.g + (size_t)blockIdx.x * p.modes;
  float inverse = 1, cut = 0, squares = 0;

  begin_kernel ();
  if (Move) {
    if (!p.is_first)
      inverse =
          inverse_step (state->squares, state->energy, p.step_min, p.step_max);
    cut = inverse * threshold_of (p, state);
  }
  for (uint32_t i = threadIdx.x; i < p.modes; i += THREADS) {
    int32_t q = mode_of (p, i);
    float2 *place = &spectrum[place_of (p, q)];
    float factor = p.factors[abs (q)];
    float2 zero = make_float2 (0, 0), g = p.is_first && Absorb ? zero : gs[i];
    float2 x = p.is_first ? zero : xs[i];
    if (Absorb)
      gs[i] = g = add (g,
          scaled (p.is_first ? -p.gridding_factors[abs (q)] : factor, *place));
    if (Move) {
      float2 step = move (x, g, inverse, cut, true, false);
      squares = fmaf (weight_of (p, q), square (step), squares);
      *place = scaled (factor, step);
      xs[i] = x;
    }
  }
  if constexpr (Move) {
    for (uint32_t i = p.modes - p.negative + threadIdx.x;
         i < p.pitch - p.negative; i += THREADS)
      spectrum[i] = make_float2 (0, 0);
    squares = sum_of_block (squares);
    if (threadIdx.x == 0)
      state->squares = squares;
  }
}

/* h = band g, energy = <g, h>; h and g are the same where the band is of one
 * diagonal. */
template <typename Value>
static __global__ void
multiply_band (OctCudaCsPasses p)
{
  const Value *g = (Value *)p.grid + (size_t)blockIdx.x * p.length;
  Value *h = (Value *)p.product + (size_t)blockIdx.x * p.length;
  float energy = 0;

  begin_kernel ();
  for (uint32_t c = threadIdx.x; c < p.length; c += THREADS) {
    Value own = g[c], sum = scaled (p.band[c], own);
    for (uint32_t d = 1; d < p.diagonals; d++) {
      const float *band = p.band + (size_t)d * p.length;
      uint32_t above = c + d, below = c - d;
      if (above >= p.length)
        above %= p.length;
      if (c < d)
        below = (c + d * p.length - d) % p.length;
      sum = add (sum, scaled (band[c], g[above]));
      sum = add (sum, scaled (band[below], g[below]));
    }
    h[c] = sum;
    energy += dot (own, sum);
  }
  energy = sum_of_block (energy);
  if (threadIdx.x == 0)
    p.states[blockIdx.x].energy = energy;
}

/* ---------------------------------------------------------------- results */

/* The bin that holds the value of that rank, which becomes its rank in there;
 * by and for all threads of a warp. */
__device__ __forceinline__ uint32_t
choose_bin (const uint32_t *bins, uint32_t &rank)
{
  uint32_t lane = threadIdx.x % 32, own[BINS / 32], sum = 0, upto, chosen = 0;
  uint32_t rest;
  int finder;

#pragma unroll
  for (int i = 0; i < BINS / 32; i++)
    sum += own[i] = bins[lane * (BINS / 32) + i];
  upto = sum;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    uint32_t lower = __shfl_up_sync (FULL_WARP, upto, step);
    if ((int)lane >= step)
      upto += lower;
  }
  finder =
      __ffs (__ballot_sync (FULL_WARP, rank >= upto - sum && rank < upto)) - 1;
  rest = rank - (upto - sum);
#pragma unroll
  for (int i = 0; i < BINS / 32 - 1; i++)
    if (chosen == i && rest >= own[i]) {
      rest -= own[i];
      chosen++;
    }
  rank = __shfl_sync (FULL_WARP, rest, finder);
  return __shfl_sync (FULL_WARP, lane * (BINS / 32) + chosen, finder);
}

/* The median of |g| over the deeper modes of an A-line, by the digits of its
 * square.  is_last: in counts, no number for A-lines that are not finite. */
static __global__ void
find_sigmas (OctCudaCsPasses p, int is_last)
{
  const OctCudaCsLine *state = &p.states[blockIdx.x];
  const float2 *g = p.g + (size_t)blockIdx.x * p.modes;
  uint32_t from = p.all_samples / 4 + p.negative;
  uint32_t end = (p.all_samples + 1) / 2 + p.negative, prefix = 0;
  uint32_t rank = (end - from - 1) / 2;
  __shared__ uint32_t bins[BINS], chosen;

  begin_kernel ();
  for (int shift = 24; shift >= 0; shift -= 8) {
    bins[threadIdx.x] = 0;
    __syncthreads ();
    for (uint32_t i = from + threadIdx.x; i < end; i += THREADS) {
      uint32_t key = __float_as_uint (square (g[i]));
      if (shift == 24 || key >> (shift + 8) == prefix)
        atomicAdd (&bins[key >> shift & (BINS - 1)], 1);
    }
    __syncthreads ();
    if (threadIdx.x < 32) {
      uint32_t bin = choose_bin (bins, rank);
      if (threadIdx.x == 0)
        chosen = bin;
    }
    __syncthreads ();
    prefix = prefix << 8 | chosen;
  }
  if (threadIdx.x == 0)
    p.sigmas[blockIdx.x] =
        !is_last        ? sigma_of (prefix)
        : state->is_bad ? no_number ()
                        : power_of_two (state->exponent) * sigma_of (prefix);
}

static __global__ void
write_modes (OctCudaCsPasses p)
{
  const OctCudaCsLine *state = &p.states[blockIdx.x];
  const float2 *x =
      p.x + (size_t)blockIdx.x * p.modes + p.negative + p.depth_start;
  float2 *out =
      row_of ((float2 *)p.rows.out, p.rows.out_stride, line_of (p, blockIdx.x));
  float scale;

  begin_kernel ();
  scale = state->is_bad ? no_number () : power_of_two (state->exponent);
  for (uint32_t i = threadIdx.x; i < p.depth_bins; i += THREADS)
    out[i] = scaled (scale, x[i]);
}

/* ------------------------------------------------------------------- host */

extern "C" cudaError_t
oct_cuda_launch_cs_begin (const OctCudaCsPasses *p, OctCudaQueue queue)
{
  size_t cells = (size_t)p->lines * p->length;
  dim3 blocks ((uint32_t)((cells + THREADS - 1) / THREADS));
  cudaError_t status;

  if (!p->is_complex)
    status =
        launch (queue, take_samples<float, float>, p->lines, THREADS, 0, *p);
  else if (p->real_input)
    status =
        launch (queue, take_samples<float, float2>, p->lines, THREADS, 0, *p);
  else
    status =
        launch (queue, take_samples<float2, float2>, p->lines, THREADS, 0, *p);
  if (status != cudaSuccess)
    return status;
  return p->is_complex
             ? launch (queue, grid_samples<float2>, blocks, THREADS, 0, *p)
             : launch (queue, grid_samples<float>, blocks, THREADS, 0, *p);
}

extern "C" cudaError_t
oct_cuda_launch_cs_advance (
    const OctCudaCsPasses *p, int absorb, int move, OctCudaQueue queue)
{
  if (absorb && move)
    return launch (queue, advance_modes<true, true>, p->lines, THREADS, 0, *p);
  if (absorb)
    return launch (queue, advance_modes<true, false>, p->lines, THREADS, 0, *p);
  return launch (queue, advance_modes<false, true>, p->lines, THREADS, 0, *p);
}

extern "C" cudaError_t
oct_cuda_launch_cs_multiply (const OctCudaCsPasses *p, OctCudaQueue queue)
{
  return p->is_complex
             ? launch (queue, multiply_band<float2>, p->lines, THREADS, 0, *p)
             : launch (queue, multiply_band<float>, p->lines, THREADS, 0, *p);
}

extern "C" cudaError_t
oct_cuda_launch_cs_sigmas (
    const OctCudaCsPasses *p, int is_last, OctCudaQueue queue)
{
  return launch (queue, find_sigmas, p->lines, THREADS, 0, *p, is_last);
}

extern "C" cudaError_t
oct_cuda_launch_cs_write (const OctCudaCsPasses *p, OctCudaQueue queue)
{
  return launch (queue, write_modes, p->lines, THREADS, 0, *p);
}
