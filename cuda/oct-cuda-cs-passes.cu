/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing in passes over memory, for every size and kernel: what
 * stands between the FFTs of cuFFT.  One block works on one A-line; sums over
 * an A-line are ready when the block ends, so that no pass waits for the host.
 */
#include "oct-cuda-cs-passes-parts.cuh"

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

/* Adds the result of the FFT to g: -b at first, T s later; x' and, for the FFT,
 * s = x' - x. */
static __global__ void
advance_modes (OctCudaCsPasses p)
{
  OctCudaCsLine *state = &p.states[blockIdx.x];
  float2 *spectrum = p.spectrum + (size_t)blockIdx.x * p.pitch;
  float2 *xs = p.x + (size_t)blockIdx.x * p.modes;
  float2 *gs = p.g + (size_t)blockIdx.x * p.modes;
  float inverse = 1, cut, squares = 0;

  begin_kernel ();
  if (!p.is_first)
    inverse =
        inverse_step (state->squares, state->energy, p.step_min, p.step_max);
  cut = inverse * threshold_of (p, state);
  for (uint32_t i = threadIdx.x; i < p.modes; i += THREADS) {
    int32_t q = mode_of (p, i);
    float2 *place = &spectrum[place_of (p, q)];
    float factor = p.factors[abs (q)];
    float2 zero = make_float2 (0, 0), g = p.is_first ? zero : gs[i];
    float2 x = p.is_first ? zero : xs[i], step;
    gs[i] = g = add (
        g, scaled (p.is_first ? -p.gridding_factors[abs (q)] : factor, *place));
    step = move (x, g, inverse, cut, true, false);
    squares = fmaf (weight_of (p, q), square (step), squares);
    *place = scaled (factor, step);
    xs[i] = x;
  }
  clear_between (p, spectrum);
  squares = sum_of_block (squares);
  if (threadIdx.x == 0)
    state->squares = squares;
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
oct_cuda_launch_cs_advance (const OctCudaCsPasses *p, OctCudaQueue queue)
{
  return launch (queue, advance_modes, p->lines, THREADS, 0, *p);
}

extern "C" cudaError_t
oct_cuda_launch_cs_multiply (const OctCudaCsPasses *p, OctCudaQueue queue)
{
  return p->is_complex
             ? launch (queue, multiply_band<float2>, p->lines, THREADS, 0, *p)
             : launch (queue, multiply_band<float>, p->lines, THREADS, 0, *p);
}

extern "C" cudaError_t
oct_cuda_launch_cs_write (const OctCudaCsPasses *p, OctCudaQueue queue)
{
  return launch (queue, write_modes, p->lines, THREADS, 0, *p);
}
