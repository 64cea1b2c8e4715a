/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes that are filled in: what is stored, what is measured of it, linear
 * interpolation.
 */
#include "oct-cuda-volume-cs-fft.cuh"

#include <float.h>

#define THREADS 256
/* Depths side by side of sums, and A-lines. */
#define DEPTHS ((uint32_t)OCT_CUDA_VOLUME_CS_PITCH)
#define ROWS (THREADS / DEPTHS)

/* -------------------------------------------------------------------- store */

/* One A-line a block. */
__global__ void
__launch_bounds__ (THREADS) store_kernel (OctCudaVolumeCs cs, const char *rows,
    size_t stride, uint32_t first, int whole, uint32_t bscan)
{
  uint32_t k = first + blockIdx.x, place = cs.places[k];
  uint32_t row = whole ? place - bscan * cs.lines : blockIdx.x;
  const void *from = rows + stride * row;
  const uint8_t *mask = cs.masks + (size_t)mask_of (cs, place) * cs.samples;
  int good = 1;

  if (cs.samples == 0) {
    float2 *to = (float2 *)cs.given + (size_t)k * cs.pitch;

    for (uint32_t i = threadIdx.x; i < cs.pitch; i += THREADS) {
      float2 v = i < cs.depths ? ((const float2 *)from)[i] : make_float2 (0, 0);

      good &= isfinite (v.x) && isfinite (v.y);
      to[i] = v;
    }
  } else {
    float *to = (float *)cs.given + (size_t)k * cs.samples;

    for (uint32_t i = threadIdx.x; i < cs.samples; i += THREADS) {
      float v = ((const float *)from)[i];

      good &= isfinite (v);
      to[i] = mask[i] ? v * cs.window[i] : 0;
    }
  }
  good = __syncthreads_and (good);
  if (threadIdx.x == 0)
    cs.valid[k] = (uint8_t)good;
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_store (const OctCudaVolumeCs *cs, const void *rows,
    size_t stride, uint32_t first, uint32_t last, int whole, uint32_t bscan,
    cudaStream_t stream)
{
  if (first == last)
    return cudaSuccess;
  store_kernel<<<last - first, THREADS, 0, stream>>> (
      *cs, (const char *)rows, stride, first, whole, bscan);
  return cudaGetLastError ();
}

/* --------------------------------------------------------------------- sums */

typedef struct {
  double power, re, im, a, b;
} Sum;

/* The A-scan at a place, NULL: there is none. */
__device__ __forceinline__ const float2 *
find_line (const OctCudaVolumeCs &cs, uint32_t x, uint32_t y)
{
  int32_t k = cs.number[(size_t)y * cs.lines + x];

  return k >= 0 && cs.valid[k] ? cs.ascans + (size_t)k * cs.pitch : NULL;
}

__device__ __forceinline__ void
add_pair (const float2 *line, float2 a, uint32_t z, double *sum)
{
  if (line == NULL)
    return;
  float2 b = line[z];

  sum[0] += (double)a.x * b.x + (double)a.y * b.y;
  sum[1] += (double)a.x * b.y - (double)a.y * b.x;
  sum[2] += (double)a.x * a.x + (double)a.y * a.y;
  sum[3] += (double)b.x * b.x + (double)b.y * b.y;
}

/* 16 depths of one B-scan a block: 16 A-lines at a time. */
__global__ void
__launch_bounds__ (THREADS)
    sums_kernel (OctCudaVolumeCs cs, double *sums, int *most)
{
  __shared__ double scratch[33];
  __shared__ float largest[33];
  uint32_t y = blockIdx.y, z = blockIdx.x * DEPTHS + threadIdx.x % DEPTHS;
  double sum[9] = { 0 }, *to;
  float power = 0, part = 0;

  for (uint32_t x = threadIdx.x / DEPTHS; x < cs.lines; x += ROWS) {
    const float2 *line = find_line (cs, x, y);

    if (line == NULL)
      continue;
    float2 a = line[z];
    sum[0] += (double)a.x * a.x + (double)a.y * a.y;
    power = fmaxf (power, power_of (a));
    part = fmaxf (part, fmaxf (fabsf (a.x), fabsf (a.y)));
    if (x + 1 < cs.lines)
      add_pair (find_line (cs, x + 1, y), a, z, sum + 1);
    if (y + 1 < cs.bscans)
      add_pair (find_line (cs, x, y + 1), a, z, sum + 5);
  }
  to = sums + ((size_t)y * gridDim.x + blockIdx.x) * 9;
  for (int i = 0; i < 9; i++) {
    double all = join_block<false> (sum[i], scratch);

    if (threadIdx.x == 0)
      to[i] = all;
  }
  power = join_block<true> (power, largest);
  part = join_block<true> (part, largest);
  /* as integers they have the same order: none is below 0 */
  if (threadIdx.x == 0) {
    atomicMax (most, __float_as_int (power));
    atomicMax (most + 1, __float_as_int (part));
  }
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_sums (const OctCudaVolumeCs *cs, double *sums,
    OctCudaVolumeCsMost *most, cudaStream_t stream)
{
  dim3 grid (cs->pitch / DEPTHS, cs->bscans);
  cudaError_t status = cudaMemsetAsync (most, 0, sizeof *most, stream);

  if (status != cudaSuccess)
    return status;
  sums_kernel<<<grid, THREADS, 0, stream>>> (*cs, sums, (int *)most);
  return cudaGetLastError ();
}

/* ------------------------------------------------------------------- linear */

__device__ __forceinline__ float2
mix_of (float2 a, float2 b, float weight)
{
  return make_float2 (
      (1 - weight) * sqrtf (power_of (a)) + weight * sqrtf (power_of (b)), 0);
}

/* One A-line a block, of those that were taken. */
__global__ void
__launch_bounds__ (THREADS) mix_lines_kernel (
    OctCudaVolumeCs cs, const OctCudaVolumeCsMix *mix, float2 *volume)
{
  uint32_t at = blockIdx.x;
  OctCudaVolumeCsMix m = mix[at];
  const float2 *a, *b;
  float2 *to = volume + (size_t)at * cs.pitch;

  if (m.a < 0)
    return;
  a = cs.ascans + (size_t)m.a * cs.pitch;
  b = cs.ascans + (size_t)m.b * cs.pitch;
  for (uint32_t z = threadIdx.x; z < cs.pitch; z += THREADS)
    to[z] = m.a == m.b && m.weight == 0 ? a[z] : mix_of (a[z], b[z], m.weight);
}

/* One A-line a block, of B-scans that have none. */
__global__ void
__launch_bounds__ (THREADS) mix_rows_kernel (
    OctCudaVolumeCs cs, const OctCudaVolumeCsMix *rows, float2 *volume)
{
  uint32_t x = blockIdx.x, y = blockIdx.y;
  OctCudaVolumeCsMix m = rows[y];
  const float2 *a, *b;
  float2 *to = volume + ((size_t)y * cs.lines + x) * cs.pitch;

  if (m.a < 0)
    return;
  a = volume + ((size_t)m.a * cs.lines + x) * cs.pitch;
  b = volume + ((size_t)m.b * cs.lines + x) * cs.pitch;
  for (uint32_t z = threadIdx.x; z < cs.pitch; z += THREADS)
    to[z] = mix_of (a[z], b[z], m.weight);
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_linear (const OctCudaVolumeCs *cs,
    const OctCudaVolumeCsMix *mix, const OctCudaVolumeCsMix *rows,
    float2 *volume, cudaStream_t stream)
{
  dim3 grid (cs->lines, cs->bscans);

  mix_lines_kernel<<<cs->lines * cs->bscans, THREADS, 0, stream>>> (
      *cs, mix, volume);
  mix_rows_kernel<<<grid, THREADS, 0, stream>>> (*cs, rows, volume);
  return cudaGetLastError ();
}

/* ------------------------------------------------------------------ spectra */

/* A^H of the spectra of A-lines k and k + 1 in values, to their A-scans. */
__device__ __forceinline__ void
write_pair (const OctCudaVolumeCsSpectra &s, uint32_t k)
{
  const OctCudaVolumeCs &cs = s.cs;
  uint32_t n = cs.samples;
  float scale = (float)(1 / sqrt ((double)n));
  float2 *to = s.ascans + (size_t)k * cs.pitch;

  for (uint32_t q = threadIdx.x; q < cs.pitch; q += blockDim.x) {
    float2 a = make_float2 (0, 0), b = a;

    if (q > 0 && q < cs.depths) {
      a = bin_of (0, values[q], values[n - q]) * scale;
      b = bin_of (1, values[q], values[n - q]) * scale;
    }
    to[q] = a;
    if (k + 1 < cs.taken)
      to[cs.pitch + q] = b;
  }
}

/* Sample i of the given A-line k: 0 if that is not there. */
__device__ __forceinline__ float
given_of (const OctCudaVolumeCs &cs, uint32_t k, uint32_t i, bool there)
{
  return there ? ((const float *)cs.given)[(size_t)k * cs.samples + i] : 0;
}

__global__ void
__launch_bounds__ (OCT_CUDA_VOLUME_CS_THREADS, 1)
    adjoint_kernel (const __grid_constant__ OctCudaVolumeCsSpectra s)
{
  const OctCudaVolumeCs &cs = s.cs;
  uint32_t k = 2 * blockIdx.x;
  bool a = cs.valid[k], b = k + 1 < cs.taken && cs.valid[k + 1];

  for (uint32_t i = threadIdx.x; i < cs.samples; i += blockDim.x)
    values[i] =
        make_float2 (given_of (cs, k, i, a), given_of (cs, k + 1, i, b));
  run_fft (s.fft);
  write_pair (s, k);
}

/* Bins of two real spectra at once, conjugated for the transform back. */
__device__ __forceinline__ void
read_pair (const OctCudaVolumeCsSpectra &s, uint32_t k)
{
  const OctCudaVolumeCs &cs = s.cs;
  uint32_t n = cs.samples;
  const float2 *from = s.ascans + (size_t)k * cs.pitch;

  for (uint32_t q = threadIdx.x; q <= n / 2; q += blockDim.x) {
    float2 a = make_float2 (0, 0), b = a;

    if (q > 0 && q < cs.depths) {
      a = from[q];
      if (k + 1 < cs.taken)
        b = from[cs.pitch + q];
    }
    join_bins (a, b, &values[q], &values[q > 0 ? n - q : 0]);
  }
}

/* The residual of a pair of spectra in values, 0 if not there; returns half of
 * the square of its change: both halves of a real spectrum hold the same. */
__device__ __forceinline__ float
compare_pair (const OctCudaVolumeCsSpectra &s, uint32_t k)
{
  const OctCudaVolumeCs &cs = s.cs;
  uint32_t n = cs.samples;
  bool there[2] = { cs.valid[k] != 0,
    k + 1 < cs.taken && cs.valid[k + 1] != 0 };
  float scale = (float)(1 / sqrt ((double)n)), sum = 0;
  const uint8_t *masks[2];

  for (uint32_t j = 0; j < 2; j++)
    masks[j] =
        cs.masks + (size_t)(there[j] ? mask_of (cs, cs.places[k + j]) : 0) * n;
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
    float2 v = conjugate (values[i]);
    float found[2] = { v.x, v.y };

#pragma unroll
    for (uint32_t j = 0; j < 2; j++) {
      size_t at = (size_t)(k + j) * n + i;
      float given = given_of (cs, k + j, i, there[j]);
      float next = there[j] && masks[j][i] ? found[j] * scale - given : -given;
      float before = s.first || !there[j] ? -given : s.residual[at];

      if (there[j])
        s.residual[at] = next;
      sum += (next - before) * (next - before);
      found[j] = next;
    }
    values[i] = make_float2 (found[0], found[1]);
  }
  return sum / 2;
}

__global__ void
__launch_bounds__ (OCT_CUDA_VOLUME_CS_THREADS, 1)
    compare_kernel (const __grid_constant__ OctCudaVolumeCsSpectra s)
{
  __shared__ double scratch[33];
  double sum = 0;

  read_pair (s, 2 * blockIdx.x);
#pragma unroll 1
  for (int back = 1; back >= 0; back--) {
    run_fft (s.fft);
    if (back)
      sum = compare_pair (s, 2 * blockIdx.x);
  }
  write_pair (s, 2 * blockIdx.x);
  sum = join_block<false> (sum, scratch);
  if (threadIdx.x == 0)
    s.sums[blockIdx.x] = sum;
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_adjoint (
    const OctCudaVolumeCsSpectra *s, cudaStream_t stream)
{
  size_t memory = fft_memory (&s->fft);
  cudaError_t status = allow_memory (adjoint_kernel, memory);

  if (status != cudaSuccess)
    return status;
  adjoint_kernel<<<(s->cs.taken + 1) / 2, s->fft.threads, memory, stream>>> (
      *s);
  return cudaGetLastError ();
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_compare (
    const OctCudaVolumeCsSpectra *s, cudaStream_t stream)
{
  size_t memory = fft_memory (&s->fft);
  cudaError_t status = allow_memory (compare_kernel, memory);

  if (status != cudaSuccess)
    return status;
  compare_kernel<<<(s->cs.taken + 1) / 2, s->fft.threads, memory, stream>>> (
      *s);
  return cudaGetLastError ();
}
