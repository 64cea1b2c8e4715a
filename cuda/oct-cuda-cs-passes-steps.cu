/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The solvers of few steps in passes over memory, see oct-cuda-cs-passes.cu and
 * oct-cs.h.  The block of an A-line knows |g|^2 before it goes on, and the
 * powers of all depths before it weighs the first.
 */
#include "oct-cuda-cs-passes-parts.cuh"
#include "oct-cuda-cs-solvers.cuh"

/* The modes that there are, partners and all: of real A-lines all but q = 0 and
 * the one in the middle, N / 2, count twice (weight_of()). */
__device__ __forceinline__ float
count_modes (const OctCudaCsPasses &p)
{
  uint32_t ends = 2 * (p.modes - 1) == p.length ? 2 : 1;

  return (float)(p.is_complex ? p.modes : 2 * p.modes - ends);
}

/* The place among the modes of place `at` on the circle, which may lie before
 * the first or after the last. */
__device__ __forceinline__ uint32_t
on_circle (const OctCudaCsPasses &p, int32_t at, int32_t circle)
{
  at %= circle;
  if (at < 0)
    at += circle;
  return (uint32_t)(at < (int32_t)p.modes ? at : circle - at);
}

/* g += what the FFT has brought, which is b at first; rms g. */
__device__ __forceinline__ float
absorb (const OctCudaCsPasses &p, const float2 *spectrum, float2 *gs)
{
  float squares = 0;

  for (uint32_t i = threadIdx.x; i < p.modes; i += THREADS) {
    int32_t q = mode_of (p, i);
    float factor =
        p.is_first ? -p.gridding_factors[abs (q)] : p.factors[abs (q)];
    float2 g = scaled (factor, spectrum[place_of (p, q)]);
    if (!p.is_first)
      g = add (gs[i], g);
    gs[i] = g;
    squares = fmaf (weight_of (p, q), square (g), squares);
  }
  return sqrtf (sum_of_block (squares) / count_modes (p));
}

/* The l1 norm's step; |x' - x|^2 of this thread. */
__device__ __forceinline__ float
shrink (const OctCudaCsPasses &p, float2 *spectrum, float2 *xs,
    const float2 *gs, float inverse, float cut)
{
  float squares = 0;

  for (uint32_t i = threadIdx.x; i < p.modes; i += THREADS) {
    int32_t q = mode_of (p, i);
    float2 x = p.is_first ? make_float2 (0, 0) : xs[i];
    float2 step = move (x, gs[i], inverse, cut, true, false);
    squares = fmaf (weight_of (p, q), square (step), squares);
    spectrum[place_of (p, q)] = scaled (p.factors[abs (q)], step);
    xs[i] = x;
  }
  return squares;
}

__device__ __forceinline__ float2
find_u (const OctCudaCsPasses &p, const float2 *xs, float2 g, float inverse,
    uint32_t i)
{
  float2 x = p.is_first ? make_float2 (0, 0) : xs[i];

  return make_float2 (fmaf (-inverse, g.x, x.x), fmaf (-inverse, g.y, x.y));
}

__device__ __forceinline__ float
power_around (const OctCudaCsPasses &p, const float *power, int32_t i)
{
  float sum = 0;

  if (i >= REACH && i + REACH < (int32_t)p.modes) {
#pragma unroll
    for (int32_t d = -REACH; d <= REACH; d++)
      sum += power[i + d];
  } else {
    int32_t circle = (int32_t)count_modes (p);
    for (int32_t d = -REACH; d <= REACH; d++)
      sum += power[on_circle (p, i + d, circle)];
  }
  return sum;
}

/* |x' - x|^2 and the weights of this thread; in the last step x alone. */
__device__ __forceinline__ float2
persist (const OctCudaCsPasses &p, float2 *spectrum, float2 *xs,
    const float2 *gs, float inverse, float cut, float kappa)
{
  float *power = p.power + (size_t)blockIdx.x * p.modes;
  bool last = p.iteration + 1 == p.iterations;
  float part = 1 / (1 - kappa);
  float2 sums = make_float2 (0, 0);

  for (uint32_t i = threadIdx.x; i < p.modes; i += THREADS)
    power[i] = square (find_u (p, xs, gs[i], inverse, i));
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < p.modes; i += THREADS) {
    int32_t q = mode_of (p, i);
    float w = weight_of (power_around (p, power, (int32_t)i), cut);
    float2 u = find_u (p, xs, gs[i], inverse, i), step;
    float2 x = p.is_first ? make_float2 (0, 0) : xs[i];
    step = take (x, scaled (last ? sqrtf (w) : part * (w - kappa), u));
    xs[i] = x;
    if (last)
      continue;
    sums.x = fmaf (weight_of (p, q), square (step), sums.x);
    sums.y = fmaf (weight_of (p, q), w, sums.y);
    spectrum[place_of (p, q)] = scaled (p.factors[abs (q)], step);
  }
  return sums;
}

/* The noise of an A-line, as it was before that was scaled. */
__device__ __forceinline__ void
tell (const OctCudaCsPasses &p, const OctCudaCsLine *state, float nu)
{
  float level =
      state->is_bad ? no_number () : power_of_two (state->exponent) * nu;
  int place =
      p.spread ? (int)blockIdx.x : noise_place (line_of (p, blockIdx.x), p);

  if (place < 0)
    return;
  if (p.spread)
    p.sigmas[place] = level;
  p.told[place] = level;
}

/* Persistent: of it, else of the one that is continued. */
template <bool Persistent>
static __global__ void
step_modes (OctCudaCsPasses p)
{
  OctCudaCsLine *state = &p.states[blockIdx.x];
  OctCudaCsStep step;
  float2 *spectrum = p.spectrum + (size_t)blockIdx.x * p.pitch;
  float2 *xs = p.x + (size_t)blockIdx.x * p.modes;
  float2 *gs = p.g + (size_t)blockIdx.x * p.modes;
  bool last = p.iteration + 1 == p.iterations;
  float level, inverse, squares, weights = 0;

  begin_kernel ();
  step = p.steps[blockIdx.x];
  step.length = p.is_first ? p.rate
                           : next_length (step.length, state->squares,
                               state->energy, p.rate, p.step_max);
  step.kappa = p.is_first ? 0 : step.kappa;
  inverse = 1 / step.length;
  level = absorb (p, spectrum, gs);
  if constexpr (Persistent) {
    float lambda = last ? p.tau * p.tau / 6 : SHRINK;
    float least = power_of_two (-state->exponent) * p.threshold;
    float nu = fmaxf (level, least);
    float2 sums = persist (p, spectrum, xs, gs, inverse,
        lambda * (nu * inverse) * (nu * inverse), step.kappa);
    squares = sum_of_block (sums.x);
    weights = sum_of_block (sums.y);
    if (last && threadIdx.x == 0)
      tell (p, state, nu);
  } else {
    float above = continued_part (p.iteration, p.iterations) * level;
    float least = threshold_of (p, state);
    squares = sum_of_block (
        shrink (p, spectrum, xs, gs, inverse, inverse * fmaxf (least, above)));
  }
  clear_between (p, spectrum);
  if (threadIdx.x == 0) {
    state->squares = squares;
    step.kappa = fminf (weights / count_modes (p), KAPPA_MAX);
    p.steps[blockIdx.x] = step;
  }
}

extern "C" cudaError_t
oct_cuda_launch_cs_step (
    const OctCudaCsPasses *p, int persistent, OctCudaQueue queue)
{
  return persistent
             ? launch (queue, step_modes<true>, p->lines, THREADS, 0, *p)
             : launch (queue, step_modes<false>, p->lines, THREADS, 0, *p);
}
