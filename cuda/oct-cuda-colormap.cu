/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images in colours: a table of all grey levels in shared memory.  A
 * thread makes two by two pixels.
 */
#include "oct-cuda-launch.cuh"

/* Squares of a block, 32 next to each other, and rows of them, one after the
 * other in each thread. */
#define ACROSS 32
#define DOWN 8
#define ROWS 4
#define THREADS (ACROSS * DOWN)

struct Square {
  uint8_t value[2][2]; /* [row][column] */
  bool right, below;   /* are in the picture */
};

__device__ __forceinline__ Square
read_square (const OctCudaColormap &c, uint32_t x, uint32_t y)
{
  Square s;

  s.right = x + 1 < c.width;
  s.below = y + 1 < c.height;
  for (int i = 0; i < 2; i++) {
    const uint8_t *row =
        row_of (c.in, c.in_stride, i == 1 && s.below ? y + 1 : y);

    s.value[i][0] = row[(size_t)x * c.pixel_size];
    s.value[i][1] = row[(size_t)(s.right ? x + 1 : x) * c.pixel_size];
  }
  return s;
}

static __global__ void
__launch_bounds__ (THREADS) color_rgba (OctCudaColormap c)
{
  __shared__ uchar4 table[256];
  uint32_t x = 2 * (blockIdx.x * ACROSS + threadIdx.x % ACROSS);
  uint32_t first = blockIdx.y * DOWN * ROWS + threadIdx.x / ACROSS;

  begin_kernel ();
  table[threadIdx.x] = c.rgba[threadIdx.x];
  __syncthreads ();
  for (uint32_t k = 0; k < ROWS; k++) {
    uint32_t y = 2 * (first + k * DOWN);
    Square s;

    if (x >= c.width || y >= c.height)
      return;
    s = read_square (c, x, y);
    for (int i = 0; i < (s.below ? 2 : 1); i++) {
      uchar4 *to = (uchar4 *)row_of (c.planes[0], c.strides[0], y + i) + x;

      to[0] = table[s.value[i][0]];
      if (s.right)
        to[1] = table[s.value[i][1]];
    }
  }
}

/* As oct_bt709_chroma() */
__device__ __forceinline__ uint8_t
chroma_of (const int32_t *table, const Square &s)
{
  int32_t sum = table[s.value[0][0]] + table[s.value[0][1]]
                + table[s.value[1][0]] + table[s.value[1][1]];

  return (uint8_t)((sum + (128 << 18) + (1 << 17)) >> 18);
}

static __global__ void
__launch_bounds__ (THREADS) color_nv12 (OctCudaColormap c)
{
  __shared__ uint8_t luma[256];
  __shared__ int32_t blue[256], red[256];
  uint32_t x = 2 * (blockIdx.x * ACROSS + threadIdx.x % ACROSS);
  uint32_t first = blockIdx.y * DOWN * ROWS + threadIdx.x / ACROSS;

  begin_kernel ();
  luma[threadIdx.x] = c.luma[threadIdx.x];
  blue[threadIdx.x] = c.blue[threadIdx.x];
  red[threadIdx.x] = c.red[threadIdx.x];
  __syncthreads ();
  for (uint32_t k = 0; k < ROWS; k++) {
    uint32_t y = 2 * (first + k * DOWN);
    uint8_t *to;
    Square s;

    if (x >= c.width || y >= c.height)
      return;
    s = read_square (c, x, y);
    for (int i = 0; i < (s.below ? 2 : 1); i++) {
      to = row_of (c.planes[0], c.strides[0], y + i) + x;
      to[0] = luma[s.value[i][0]];
      if (s.right)
        to[1] = luma[s.value[i][1]];
    }
    to = row_of (c.planes[1], c.strides[1], y / 2) + x;
    to[0] = chroma_of (blue, s);
    to[1] = chroma_of (red, s);
  }
}

extern "C" cudaError_t
oct_cuda_launch_colormap (const OctCudaColormap *c, OctCudaQueue queue)
{
  uint32_t down = 2 * DOWN * ROWS;
  dim3 grid ((c->width + 2 * ACROSS - 1) / (2 * ACROSS),
      (c->height + down - 1) / down);

  return launch (queue, c->is_nv12 ? color_nv12 : color_rgba, grid, THREADS, 0,
      *c);
}
