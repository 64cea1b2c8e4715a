/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans of a part of the samples, each A-line by itself: the least sum of |x|
 * over the modes of the unitary transform with A x = y where samples are kept
 * (Xu, Huang and Kang 2014, first step).
 *
 * All steps of two A-lines in one block, whose spectra are the real and the
 * imaginary part of one transform.  Modes 0 to samples / 2 are enough, and all
 * but the first and, of an even number, the last one count twice.
 *
 * The step sizes of the two may be far apart.  mu z - x is transformed to
 * samples in place of z - x / mu: it is of the size of the given samples, and
 * neither line is lost in the rounding of the other.
 */
#include "oct-cuda-volume-cs-pursuit.cuh"
#include "oct-cuda-volume-cs-fft.cuh"

#define SUMS PURSUIT_SUMS
#define WARPS (OCT_CUDA_VOLUME_CS_THREADS / 32)

/* The state of both lines, for all threads. */
typedef struct {
  float mu[2], least[2], scale[2]; /* the given samples are divided by scale */
  int done[2];
  float parts[WARPS][2 * SUMS];
  double sums[2 * SUMS];
} Rows;

/* A block at work. */
typedef struct {
  float2 *x, *z; /* [2][bins], after the values */
  const uint8_t *masks[2];
  const float *given[2]; /* NULL: nothing is there */
  uint32_t bins;
} Pair;

__device__ __forceinline__ Pair
get_pair (const OctCudaVolumeCs &cs)
{
  Pair pair;

  pair.bins = cs.samples / 2 + 1;
  pair.x = values + cs.samples;
  pair.z = pair.x + 2 * pair.bins;
#pragma unroll
  for (uint32_t j = 0; j < 2; j++) {
    uint32_t k = 2 * blockIdx.x + j;
    bool there = k < cs.taken && cs.valid[k];

    pair.masks[j] =
        cs.masks + (size_t)mask_of (cs, there ? cs.places[k] : 0) * cs.samples;
    pair.given[j] =
        there ? (const float *)cs.given + (size_t)k * cs.samples : NULL;
  }
  return pair;
}

__device__ __forceinline__ float
given_of (const Pair &pair, uint32_t j, uint32_t i)
{
  return pair.given[j] != NULL ? pair.given[j][i] : 0;
}

/* --------------------------------------------------------------------- sums */

/* Adds up what the threads have, to rows->sums: [N][2 lines]. */
template <int N>
__device__ __forceinline__ void
add_up (const float (&v)[N][2], Rows *rows)
{
  uint32_t lane = threadIdx.x % 32;

#pragma unroll
  for (int n = 0; n < 2 * N; n++) {
    float sum = v[n / 2][n % 2];

    for (int o = 16; o > 0; o /= 2)
      sum += __shfl_xor_sync (~0u, sum, o);
    if (lane == 0)
      rows->parts[threadIdx.x / 32][n] = sum;
  }
  __syncthreads ();
  if (threadIdx.x < 2 * N) {
    double sum = 0;

    for (uint32_t w = 0; w < blockDim.x / 32; w++)
      sum += rows->parts[w][threadIdx.x];
    rows->sums[threadIdx.x] = sum;
  }
  __syncthreads ();
}

/* true: both lines are done. */
__device__ __forceinline__ bool
judge (Rows *rows, uint32_t step, bool last)
{
  int done = 1;

  if (threadIdx.x < 2) {
    uint32_t j = threadIdx.x;
    double sums[SUMS];

#pragma unroll
    for (int n = 0; n < SUMS; n++)
      sums[n] = rows->sums[2 * n + j];
    done = rows->done[j] || last
           || pursuit_judge (sums, step, rows->least[j], &rows->mu[j]);
    rows->done[j] = done;
  }
  return __syncthreads_and (done);
}

/* --------------------------------------------------------------------- steps */

/* Copies the given lines, in units of their largest value, to values; the mean
 * over the kept samples gives the first step size.  A line of zeros is done. */
__device__ __forceinline__ void
begin (const Pair &pair, uint32_t samples, Rows *rows, float *scratch)
{
  float most[2] = { 0, 0 }, sums[2][2] = { { 0, 0 }, { 0, 0 } };

  for (uint32_t i = threadIdx.x; i < samples; i += blockDim.x)
#pragma unroll
    for (uint32_t j = 0; j < 2; j++) {
      float size = fabsf (given_of (pair, j, i));

      most[j] = fmaxf (most[j], size);
      sums[0][j] += size;
      sums[1][j] += pair.masks[j][i];
    }
#pragma unroll
  for (uint32_t j = 0; j < 2; j++)
    most[j] = join_block<true> (most[j], scratch);
  add_up (sums, rows);
  if (threadIdx.x < 2) {
    uint32_t j = threadIdx.x;
    float scale = j == 0 ? most[0] : most[1];
    float mu = scale > 0
                   ? (float)(rows->sums[j] / ((double)scale * rows->sums[2 + j]))
                   : 1;

    rows->done[j] = scale == 0;
    rows->scale[j] = scale > 0 ? scale : 1;
    rows->mu[j] = mu;
    rows->least[j] = PURSUIT_LEAST * mu;
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < samples; i += blockDim.x)
    values[i] = make_float2 (given_of (pair, 0, i) / rows->scale[0],
        given_of (pair, 1, i) / rows->scale[1]);
}

/* x = A^H b from the transform of b, z = 0 */
__device__ __forceinline__ void
start (const Pair &pair, const OctCudaVolumeCsFft &f)
{
  for (uint32_t q = threadIdx.x; q < pair.bins; q += blockDim.x) {
    float2 v = values[q], mirror = values[q > 0 ? f.count - q : 0];

#pragma unroll
    for (uint32_t j = 0; j < 2; j++) {
      pair.x[j * pair.bins + q] = bin_of (j, v, mirror) * f.unit;
      pair.z[j * pair.bins + q] = make_float2 (0, 0);
    }
  }
}

/* mu z - x to values: each thread the bins that it made. */
__device__ __forceinline__ void
mix (const Pair &pair, const OctCudaVolumeCsFft &f, const Rows *rows)
{
  for (uint32_t q = threadIdx.x; q < pair.bins; q += blockDim.x) {
    const float2 *x = pair.x + q, *z = pair.z + q;

    join_bins (z[0] * rows->mu[0] - x[0],
        z[pair.bins] * rows->mu[1] - x[pair.bins], &values[q],
        &values[q > 0 ? f.count - q : 0]);
  }
}

/* y = (A (mu z - x) + b) / mu where samples are kept; value: b y */
__device__ __forceinline__ void
constrain (const Pair &pair, const OctCudaVolumeCsFft &f, const Rows *rows,
    float (&value)[2])
{
  value[0] = value[1] = 0;
  for (uint32_t i = threadIdx.x; i < f.count; i += blockDim.x) {
    float2 v = conjugate (values[i]);
    float y[2] = { v.x, v.y };

#pragma unroll
    for (uint32_t j = 0; j < 2; j++) {
      float b = given_of (pair, j, i) / rows->scale[j];

      y[j] = pair.given[j] != NULL && pair.masks[j][i]
                 ? (y[j] * f.unit + b) / rows->mu[j]
                 : 0;
      value[j] += b * y[j];
    }
    values[i] = make_float2 (y[0], y[1]);
  }
}

/* dual = A^H y; z = dual + x / mu, its modulus bounded by 1;
 * x += mu (dual - z) of lines that are not done; sums: see PURSUIT_SUMS. */
__device__ __forceinline__ void
advance (const Pair &pair, const OctCudaVolumeCsFft &f, const Rows *rows,
    float (&sums)[SUMS][2])
{
  for (uint32_t q = threadIdx.x; q < pair.bins; q += blockDim.x) {
    float2 v = values[q], mirror = values[q > 0 ? f.count - q : 0];
    float count = q == 0 || 2 * q == f.count ? 1 : 2;

#pragma unroll
    for (uint32_t j = 0; j < 2; j++) {
      float mu = rows->mu[j];
      float2 dual = bin_of (j, v, mirror) * f.unit;
      float2 x = pair.x[j * pair.bins + q], z = dual + x * (1 / mu), step;
      float size = sqrtf (power_of (z));

      z = z * (size > 1 ? 1 / size : 1);
      step = dual - z;
      if (!rows->done[j])
        x = x + step * mu;
      pair.x[j * pair.bins + q] = x;
      pair.z[j * pair.bins + q] = z;
      sums[0][j] += count * power_of (step);
      sums[1][j] += count * power_of (x);
      sums[2][j] += count * power_of (z);
      sums[3][j] += count * sqrtf (power_of (x));
    }
  }
}

/* Mode 0 is left out. */
__device__ __forceinline__ void
write_pair (const OctCudaVolumeCs &cs, const Pair &pair, const Rows *rows)
{
  for (uint32_t j = 0; j < 2 && 2 * blockIdx.x + j < cs.taken; j++) {
    float2 *to = cs.ascans + (size_t)(2 * blockIdx.x + j) * cs.pitch;

    for (uint32_t q = threadIdx.x; q < cs.pitch; q += blockDim.x)
      to[q] = q > 0 && q < cs.depths
                  ? pair.x[j * pair.bins + q] * rows->scale[j]
                  : make_float2 (0, 0);
  }
}

__global__ void
__launch_bounds__ (OCT_CUDA_VOLUME_CS_THREADS, 1)
    axial_kernel (const __grid_constant__ OctCudaVolumeCsAxial a)
{
  __shared__ float scratch[33];
  __shared__ Rows rows;
  Pair pair = get_pair (a.cs);
  float value[2] = { 0, 0 };

  begin (pair, a.cs.samples, &rows, scratch);
  /* forth, then back and forth in every step */
#pragma unroll 1
  for (uint32_t half = 0; half <= 2 * a.steps; half++) {
    uint32_t step = half / 2;
    float sums[SUMS][2] = { { 0 } };

    run_fft (a.fft);
    if (half % 2 == 1) {
      constrain (pair, a.fft, &rows, value);
      continue;
    }
    if (half == 0) {
      start (pair, a.fft);
    } else {
      sums[4][0] = value[0];
      sums[4][1] = value[1];
      advance (pair, a.fft, &rows, sums);
      if (step % 2 == 0 || step == a.steps) {
        add_up (sums, &rows);
        if (judge (&rows, step, step == a.steps))
          break;
      }
    }
    mix (pair, a.fft, &rows);
  }
  __syncthreads ();
  write_pair (a.cs, pair, &rows);
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_axial (
    const OctCudaVolumeCsAxial *a, cudaStream_t stream)
{
  size_t bins = (size_t)a->cs.samples / 2 + 1;
  size_t memory = fft_memory (&a->fft) + 4 * bins * sizeof (float2);
  cudaError_t status = allow_memory (axial_kernel, memory);

  if (status != cudaSuccess)
    return status;
  axial_kernel<<<(a->cs.taken + 1) / 2, a->fft.threads, memory, stream>>> (*a);
  return cudaGetLastError ();
}
