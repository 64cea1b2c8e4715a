/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Each A-line by itself, from a part of its samples: all steps of two A-lines
 * in one block, whose spectra are real and imaginary part of one transform; and
 * the smoothing of their envelopes from pass to pass.
 */
#include "oct-cuda-volume-cs-fft.cuh"

#define FALL 0.5f   /* of the thresholds from step to step */
#define OFFSET 0.3f /* of the noise: what counts as dark */
#define LEAST_STEP 0.1f
#define MOST_STEP 1e30f

/* A block at work: of two A-lines each. */
typedef struct {
  float2 *residual;     /* [samples] one A-line, and the other */
  float2 *coefficients; /* [2][depths] */
  const uint8_t *masks[2];
  const float *given[2], *power[2]; /* NULL: nothing there, nothing known */
  float alpha[2], raised[2], high[2];
} Pair;

__device__ __forceinline__ Pair
get_pair (const OctCudaVolumeCsEnvelope &e)
{
  const OctCudaVolumeCs &cs = e.cs;
  Pair pair;

  pair.residual = values + cs.samples;
  pair.coefficients = pair.residual + cs.samples;
#pragma unroll
  for (uint32_t j = 0; j < 2; j++) {
    uint32_t k = 2 * blockIdx.x + j;
    bool there = k < cs.taken && cs.valid[k];
    uint32_t place = there ? cs.places[k] : 0;

    pair.masks[j] = cs.masks + (size_t)mask_of (cs, place) * cs.samples;
    pair.given[j] =
        there ? (const float *)cs.given + (size_t)k * cs.samples : NULL;
    pair.power[j] =
        there && e.power != NULL ? e.power + (size_t)place * cs.pitch : NULL;
    pair.alpha[j] = 1;
  }
  return pair;
}

__device__ __forceinline__ float
get_threshold (
    const OctCudaVolumeCsEnvelope &e, const Pair &pair, uint32_t j, uint32_t q)
{
  if (e.power == NULL || pair.power[j] == NULL)
    return OFFSET * e.noise;
  return e.noise * e.noise / (sqrtf (pair.power[j][q]) + OFFSET * e.noise);
}

/* The bin of one A-line, from the joint bins of both. */
__device__ __forceinline__ float2
get_gradient (const OctCudaVolumeCsEnvelope &e, uint32_t j, uint32_t q)
{
  return bin_of (j, values[q], values[e.cs.samples - q])
         * (1 / sqrtf ((float)e.cs.samples));
}

__device__ __forceinline__ void
find_highest (const OctCudaVolumeCsEnvelope &e, Pair &pair, float *scratch)
{
  float high[2] = { 0, 0 };

  for (uint32_t q = 1 + threadIdx.x; q < e.cs.depths; q += blockDim.x)
#pragma unroll
    for (uint32_t j = 0; j < 2; j++)
      high[j] = fmaxf (high[j], sqrtf (power_of (get_gradient (e, j, q)))
                                    / get_threshold (e, pair, j, q));
#pragma unroll
  for (uint32_t j = 0; j < 2; j++)
    pair.high[j] = join_block<true> (high[j], scratch);
}

/* The next coefficients of the gradient in values, whose bins take its place,
 * conjugated for the transform back; moved: the square of their change. */
__device__ __forceinline__ void
shrink (const OctCudaVolumeCsEnvelope &e, const Pair &pair, bool first,
    float *moved)
{
  uint32_t n = e.cs.samples, depths = e.cs.depths;

  moved[0] = moved[1] = 0;
  for (uint32_t q = threadIdx.x; q <= n - depths; q += blockDim.x)
    if (q == 0 || q >= depths)
      values[q] = make_float2 (0, 0);
  for (uint32_t q = 1 + threadIdx.x; q < depths; q += blockDim.x) {
    float2 next[2];

#pragma unroll
    for (uint32_t j = 0; j < 2; j++) {
      float2 *c = pair.coefficients + (size_t)j * depths + q;
      float2 before = first ? make_float2 (0, 0) : *c,
             g = get_gradient (e, j, q);
      float2 u = make_float2 (
          before.x - g.x / pair.alpha[j], before.y - g.y / pair.alpha[j]);
      float size = sqrtf (power_of (u));
      float least =
          get_threshold (e, pair, j, q) * pair.raised[j] / pair.alpha[j];

      next[j] = u * (size > least ? (size - least) / size : 0);
      moved[j] += power_of (next[j] - before);
      *c = next[j];
    }
    join_bins (next[0], next[1], &values[q], &values[n - q]);
  }
}

/* The residuals of the spectra in values, there too. */
__device__ __forceinline__ void
compare (const OctCudaVolumeCsEnvelope &e, const Pair &pair, float *changed)
{
  float scale = 1 / sqrtf ((float)e.cs.samples);

  changed[0] = changed[1] = 0;
  for (uint32_t i = threadIdx.x; i < e.cs.samples; i += blockDim.x) {
    float2 v = conjugate (values[i]), before = pair.residual[i];
    float2 next = make_float2 (0, 0);

    if (pair.given[0] != NULL)
      next.x = (pair.masks[0][i] ? v.x * scale : 0) - pair.given[0][i];
    if (pair.given[1] != NULL)
      next.y = (pair.masks[1][i] ? v.y * scale : 0) - pair.given[1][i];
    changed[0] += (next.x - before.x) * (next.x - before.x);
    changed[1] += (next.y - before.y) * (next.y - before.y);
    pair.residual[i] = values[i] = next;
  }
}

__device__ __forceinline__ void
begin (const OctCudaVolumeCsEnvelope &e, const Pair &pair)
{
  for (uint32_t i = threadIdx.x; i < e.cs.samples; i += blockDim.x)
    pair.residual[i] = values[i] =
        make_float2 (pair.given[0] != NULL ? -pair.given[0][i] : 0,
            pair.given[1] != NULL ? -pair.given[1][i] : 0);
}

__device__ __forceinline__ void
write_pair (const OctCudaVolumeCsEnvelope &e, const Pair &pair)
{
  const OctCudaVolumeCs &cs = e.cs;

  for (uint32_t j = 0; j < 2 && 2 * blockIdx.x + j < cs.taken; j++) {
    float2 *to = e.volume + (size_t)cs.places[2 * blockIdx.x + j] * cs.pitch;

    for (uint32_t q = threadIdx.x; q < cs.pitch; q += blockDim.x)
      to[q] = q > 0 && q < cs.depths
                  ? pair.coefficients[(size_t)j * cs.depths + q]
                  : make_float2 (0, 0);
  }
}

__global__ void
__launch_bounds__ (OCT_CUDA_VOLUME_CS_THREADS, 1)
    envelope_kernel (const __grid_constant__ OctCudaVolumeCsEnvelope e)
{
  __shared__ float scratch[33];
  Pair pair = get_pair (e);
  float fall = 1, moved[2] = { 0, 0 };

  begin (e, pair);
  /* forth, and back but for the last time */
#pragma unroll 1
  for (uint32_t half = 0; half < 2 * e.steps - 1; half++) {
    run_fft (e.fft);
    if (half % 2 == 0) {
      if (half == 0)
        find_highest (e, pair, scratch);
      fall *= FALL;
#pragma unroll
      for (uint32_t j = 0; j < 2; j++)
        pair.raised[j] = fmaxf (1, pair.high[j] * fall);
      shrink (e, pair, half == 0, moved);
    } else {
      float changed[2];

      compare (e, pair, changed);
#pragma unroll
      for (uint32_t j = 0; j < 2; j++) {
        float by = join_block<false> (moved[j], scratch);
        float to = join_block<false> (changed[j], scratch) / 2;

        pair.alpha[j] =
            by > 0 ? fminf (fmaxf (to / by, LEAST_STEP), MOST_STEP) : MOST_STEP;
      }
    }
  }
  __syncthreads ();
  write_pair (e, pair);
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_envelope (
    const OctCudaVolumeCsEnvelope *e, cudaStream_t stream)
{
  size_t memory = 3 * fft_memory (&e->fft);
  cudaError_t status = allow_memory (envelope_kernel, memory);

  if (status != cudaSuccess)
    return status;
  envelope_kernel<<<(e->cs.taken + 1) / 2, e->fft.threads, memory, stream>>> (
      *e);
  return cudaGetLastError ();
}

/* ---------------------------------------------------------------- smoothing */

#define THREADS 256
/* Places along the direction of smoothing that a thread makes. */
#define SOME 8
#define WIDE ((int)OCT_CUDA_VOLUME_CS_RADIUS)

/* One A-line a block: |x|^2, along the depths. */
__global__ void
__launch_bounds__ (THREADS)
    smooth_depths_kernel (OctCudaVolumeCs cs, const float2 *volume,
        const __grid_constant__ OctCudaVolumeCsWeights w, float *to)
{
  const float2 *line = volume + (size_t)blockIdx.x * cs.pitch;
  int radius = (int)w.radius, last = (int)cs.depths - 1;

  to += (size_t)blockIdx.x * cs.pitch;
  for (int z = threadIdx.x; z < (int)cs.pitch; z += THREADS) {
    float sum = 0;

#pragma unroll
    for (int k = -WIDE; k <= WIDE; k++)
      if (k >= -radius && k <= radius)
        sum +=
            w.weights[k + radius] * power_of (line[min (max (z + k, 0), last)]);
    to[z] = sum;
  }
}

/* Smooths SOME places at one depth along a direction of `count` lines, `step`
 * values apart; the first and last one are repeated. */
__global__ void
__launch_bounds__ (THREADS) smooth_lines_kernel (const float *from, float *to,
    uint32_t pitch, uint32_t count, size_t step, size_t others,
    const __grid_constant__ OctCudaVolumeCsWeights w)
{
  uint32_t z = blockIdx.x * THREADS + threadIdx.x;
  int first = (int)blockIdx.y * SOME, last = (int)count - 1;
  int radius = (int)w.radius;
  float near[SOME + 2 * WIDE];

  if (z >= pitch)
    return;
  from += blockIdx.z * others + z;
  to += blockIdx.z * others + z;
#pragma unroll
  for (int i = 0; i < SOME + 2 * WIDE; i++)
    near[i] = from[(size_t)min (max (first + i - WIDE, 0), last) * step];
#pragma unroll
  for (int i = 0; i < SOME; i++) {
    float sum = 0;

#pragma unroll
    for (int k = -WIDE; k <= WIDE; k++)
      if (k >= -radius && k <= radius)
        sum += w.weights[k + radius] * near[i + k + WIDE];
    if (first + i <= last)
      to[(size_t)(first + i) * step] = sum;
  }
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_smooth (const OctCudaVolumeCs *cs,
    const float2 *volume, const OctCudaVolumeCsWeights *axial,
    const OctCudaVolumeCsWeights *lateral, float *smooth, float *power,
    cudaStream_t stream)
{
  size_t line = cs->pitch, bscan = line * cs->lines;
  uint32_t parts = (cs->pitch + THREADS - 1) / THREADS;
  dim3 along (parts, (cs->lines + SOME - 1) / SOME, cs->bscans);
  dim3 across (parts, (cs->bscans + SOME - 1) / SOME, cs->lines);

  smooth_depths_kernel<<<cs->lines * cs->bscans, THREADS, 0, stream>>> (
      *cs, volume, *axial, power);
  smooth_lines_kernel<<<along, THREADS, 0, stream>>> (
      power, smooth, cs->pitch, cs->lines, line, bscan, *lateral);
  smooth_lines_kernel<<<across, THREADS, 0, stream>>> (
      smooth, power, cs->pitch, cs->bscans, bscan, line, *lateral);
  return cudaGetLastError ();
}
