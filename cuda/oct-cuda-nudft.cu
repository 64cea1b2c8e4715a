/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The exact transform as a dense product: its matrix, and the data as sums of
 * two numbers of half precision.
 *
 * Half precision has 11 bits, so that the two parts hold 22 of the 24 of a
 * float; the product of the two low parts is left out.
 */
#include "oct-cuda-launch.cuh"

#include <cuda_fp16.h>

#define THREADS 256
#define WARPS (THREADS / 32)

__device__ __forceinline__ void
split (float value, __half &high, __half &low)
{
  high = __float2half_rn (value);
  low = __float2half_rn (value - __half2float (high));
}

/* One thread per element. */
static __global__ void
make_matrix (OctCudaNudftMatrix m)
{
  uint32_t rows = m.depth_bins * 2, columns = m.samples * m.parts;
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t row = (uint32_t)(at / m.pitch), column = (uint32_t)(at % m.pitch);
  uint32_t i = row / 2, row_part = row % 2;
  uint32_t n = column / m.parts, part = column % m.parts;
  __half *to = (__half *)m.matrix + (size_t)row * 3 * m.pitch + column;
  __half high = __float2half_rn (0), low = high;

  begin_kernel ();
  if (row >= rows)
    return;
  if (column < columns) {
    double q = (double)m.depth_start + i, turns = m.nodes[n] * q / m.samples;
    double cosine, sine;

    /* exp (-i angle) (re + i im): parts of the sums over re and im */
    sincospi (2 * (turns - rint (turns)), &sine, &cosine);
    if (row_part == 1)
      sine = -sine;
    split ((float)(m.scale * m.window[n] * (row_part == part ? cosine : sine)),
        high, low);
  }
  to[0] = high;
  to[m.pitch] = high;
  to[2 * m.pitch] = low;
}

extern "C" cudaError_t
oct_cuda_launch_nudft_matrix (
    const OctCudaNudftMatrix *matrix, OctCudaQueue queue)
{
  size_t elements = (size_t)matrix->depth_bins * 2 * matrix->pitch;

  return launch (queue, make_matrix,
      (uint32_t)((elements + THREADS - 1) / THREADS), THREADS, 0, *matrix);
}

/* Largest magnitude of a row, over all threads of the block; not-a-number does
 * not count. */
__device__ __forceinline__ float
largest_of_row (const float *row, uint32_t values)
{
  __shared__ float parts[WARPS];
  float largest = 0;

  for (uint32_t i = threadIdx.x; i < values; i += THREADS)
    largest = fmaxf (largest, fabsf (row[i]));
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf (largest, __shfl_xor_sync (~0u, largest, step));
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = largest;
  __syncthreads ();
  for (int i = 0; i < WARPS; i++)
    largest = fmaxf (largest, parts[i]);
  return largest;
}

/* One block per line.  Values that fit halves as they are, counts for example,
 * stay so, which saves the second pass over the products. */
static __global__ void
split_rows (const float *in, size_t in_stride, uint32_t values, __half *halves,
    uint32_t pitch, int32_t *exponents)
{
  uint32_t line = blockIdx.x;
  const float *row = row_of (in, in_stride, line);
  __half *to = halves + (size_t)line * 3 * pitch;
  int32_t exponent = 0;
  float largest;

  begin_kernel ();
  largest = largest_of_row (row, values);
  if (largest > 0 && isfinite (largest) && (largest < 1 || largest >= 32768))
    exponent = ilogbf (largest) - 7;
  for (uint32_t i = threadIdx.x; i < pitch; i += THREADS) {
    __half high, low;
    split (i < values ? scalbnf (row[i], -exponent) : 0, high, low);
    to[i] = high;
    to[pitch + i] = low;
    to[2 * pitch + i] = high;
  }
  if (threadIdx.x == 0)
    exponents[line] = exponent;
}

extern "C" cudaError_t
oct_cuda_launch_nudft_split (const void *in, size_t in_stride, uint32_t values,
    uint32_t lines, void *halves, uint32_t pitch, int32_t *exponents,
    OctCudaQueue queue)
{
  return launch (queue, split_rows, lines, THREADS, 0, (const float *)in,
      in_stride, values, (__half *)halves, pitch, exponents);
}

/* One block per line. */
static __global__ void
rescale_rows (
    float *out, size_t out_stride, uint32_t values, const int32_t *exponents)
{
  float *row = row_of (out, out_stride, blockIdx.x);
  int32_t exponent;

  begin_kernel ();
  exponent = exponents[blockIdx.x];
  if (exponent == 0)
    return;
  for (uint32_t i = threadIdx.x; i < values; i += THREADS)
    row[i] = scalbnf (row[i], exponent);
}

extern "C" cudaError_t
oct_cuda_launch_nudft_rescale (void *out, size_t out_stride, uint32_t values,
    uint32_t lines, const int32_t *exponents, OctCudaQueue queue)
{
  return launch (queue, rescale_rows, lines, THREADS, 0, (float *)out,
      out_stride, values, exponents);
}
