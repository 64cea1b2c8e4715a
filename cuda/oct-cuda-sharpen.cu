/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images with sharper edges, by an unsharp mask, in two kernels.  The first
 * means along rows: a block has its part of a row with the border around it in
 * shared memory.  The second means down columns, and makes the levels: a thread
 * does some pixels below each other, so that it reads once what they have in
 * common, and a warp reads and writes pixels beside each other.  The weights
 * are parameters, which all threads read at the same place.
 */
#include "oct-cuda-launch.cuh"

#define THREADS 256
#define ACROSS 32
#define DOWN (THREADS / ACROSS)
#define ROWS OCT_CUDA_SHARPEN_ROWS

/* Pixels beyond the edges are the nearest ones. */
__device__ __forceinline__ int
nearest (int at, int count)
{
  return min (max (at, 0), count - 1);
}

/* Blocks in one direction: `pieces` of a row after each other, all rows. */
static __global__ void
__launch_bounds__ (THREADS) mean_along_rows (OctCudaSharpen s, uint32_t pieces)
{
  __shared__ float line[THREADS + 2 * OCT_CUDA_SHARPEN_REACH];
  size_t row = blockIdx.x / pieces;
  int left = (int)(blockIdx.x % pieces) * THREADS, x = left + (int)threadIdx.x;
  const float *middle = line + s.reach + threadIdx.x;
  float sum;

  begin_kernel ();
  for (int i = threadIdx.x; i < THREADS + 2 * s.reach; i += THREADS)
    line[i] = row_of (s.in, s.in_stride,
        row)[(size_t)nearest (left - s.reach + i, s.width) * s.pixel_size];
  __syncthreads ();
  if (x >= s.width)
    return;
  sum = s.weights[0] * middle[0];
  for (int d = 1; d <= s.reach; d++)
    sum = fmaf (s.weights[d], middle[-d] + middle[d], sum);
  s.means[row * s.width + x] = sum;
}

__device__ __forceinline__ void
store_level (const OctCudaSharpen &s, size_t row, int x, float mean)
{
  float v = row_of (s.in, s.in_stride, row)[(size_t)x * s.pixel_size];
  float level = fminf (fmaxf (fmaf (s.amount, v - mean, v), 0), 255);
  uint8_t grey = (uint8_t)__float2int_rn (level);

  if (s.pixel_size == 1)
    row_of (s.out, s.out_stride, row)[x] = grey;
  else
    ((uchar4 *)row_of (s.out, s.out_stride, row))[x] =
        make_uchar4 (grey, grey, grey, 255);
}

static __global__ void
__launch_bounds__ (THREADS) sharpen_columns (OctCudaSharpen s)
{
  size_t first = (size_t)blockIdx.z * s.height;
  int x = blockIdx.x * ACROSS + threadIdx.x % ACROSS;
  int y = (blockIdx.y * DOWN + threadIdx.x / ACROSS) * ROWS;
  float sum[ROWS] = {};

  begin_kernel ();
  if (x >= s.width || y >= s.height)
    return;
  for (int i = -s.reach; i < s.reach + ROWS; i++) {
    float mean = s.means[(first + nearest (y + i, s.height)) * s.width + x];

    /* the weights of pixels that are too far away are zeros */
#pragma unroll
    for (int k = 0; k < ROWS; k++)
      sum[k] = fmaf (s.weights[abs (i - k)], mean, sum[k]);
  }
#pragma unroll
  for (int k = 0; k < ROWS; k++)
    if (y + k < s.height)
      store_level (s, first + y + k, x, sum[k]);
}

extern "C" cudaError_t
oct_cuda_launch_sharpen (const OctCudaSharpen *s, OctCudaQueue queue)
{
  uint32_t pieces = (s->width + THREADS - 1) / THREADS;
  dim3 rows (pieces * s->height * s->bscans);
  dim3 columns ((s->width + ACROSS - 1) / ACROSS,
      (s->height + DOWN * ROWS - 1) / (DOWN * ROWS), s->bscans);
  cudaError_t status =
      launch (queue, mean_along_rows, rows, THREADS, 0, *s, pieces);

  return status != cudaSuccess
             ? status
             : launch (queue, sharpen_columns, columns, THREADS, 0, *s);
}
