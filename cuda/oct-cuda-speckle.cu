/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images with less speckle.  A block has its part of the image with the border
 * around it in shared memory, as floats, so that nothing is converted twice; a
 * thread does four neighbouring pixels in two rows and reads their common
 * neighbours once, 16 bytes at a time.
 *
 * bilateral, 7 x 7: 49 exponentials a pixel by the special function units, 16 a
 * clock and multiprocessor, take 28 us for 2048 x 1000 on an H200; the five
 * operations besides each, 17 us, go on beside them.
 */
#include "oct-cuda-launch.cuh"

#define ACROSS 32
#define DOWN 8
#define ROWS 2
#define THREADS (ACROSS * DOWN)
#define PIXELS 4
#define TILE_WIDTH (ACROSS * PIXELS)
#define TILE_HEIGHT (DOWN * ROWS)

/* Floats of a row in shared memory, whole groups of four. */
template <int R> struct Tile {
  enum {
    WIDTH = (TILE_WIDTH + 2 * R + 3) / 4 * 4,
    HEIGHT = TILE_HEIGHT + 2 * R
  };
  float level[HEIGHT][WIDTH];
};

__device__ __forceinline__ int
clamp (int value, int most)
{
  return min (max (value, 0), most);
}

/* Pixels beyond the edges are the nearest ones. */
template <int R>
__device__ __forceinline__ void
load_tile (const OctCudaSpeckle &s, const uint8_t *in, Tile<R> &tile)
{
  int left = blockIdx.x * TILE_WIDTH - R, top = blockIdx.y * TILE_HEIGHT - R;

  for (int i = threadIdx.x; i < Tile<R>::WIDTH * Tile<R>::HEIGHT;
       i += THREADS) {
    int row = i / Tile<R>::WIDTH, column = i % Tile<R>::WIDTH;
    int y = clamp (top + row, s.height - 1);
    int x = clamp (left + column, s.width - 1);

    tile.level[row][column] =
        row_of (in, s.in_stride, y)[(size_t)x * s.pixel_size];
  }
}

/* The neighbours of four pixels in one row. */
template <int R>
__device__ __forceinline__ void
read_row (const Tile<R> &tile, int row, int column, float (&to)[12])
{
  const float4 *from = (const float4 *)&tile.level[row][column];

#pragma unroll
  for (int i = 0; i < (PIXELS + 2 * R + 3) / 4; i++) {
    float4 four = from[i];

    to[4 * i] = four.x;
    to[4 * i + 1] = four.y;
    to[4 * i + 2] = four.z;
    to[4 * i + 3] = four.w;
  }
}

__device__ __forceinline__ float
exp2_fast (float x)
{
  float y;

  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/* exp (-(dx^2 + dy^2) / 2 s^2 - d^2 / 2 sigma^2), as a power of two. */
template <int R>
__device__ __forceinline__ void
bilateral (const OctCudaSpeckle &s, const Tile<R> &tile, int row, int column,
    float (&result)[PIXELS])
{
  float middle[12], sum[PIXELS] = {}, weights[PIXELS] = {};

  read_row<R> (tile, row + R, column, middle);
#pragma unroll
  for (int dy = -R; dy <= R; dy++) {
    float v[12];

    read_row<R> (tile, row + R + dy, column, v);
#pragma unroll
    for (int dx = -R; dx <= R; dx++) {
      float apart = (float)(dx * dx + dy * dy) * s.apart;

#pragma unroll
      for (int i = 0; i < PIXELS; i++) {
        float difference = v[i + R + dx] - middle[i + R];
        float w =
            exp2_fast (fmaf (difference * difference, s.difference, apart));

        sum[i] = fmaf (w, v[i + R + dx], sum[i]);
        weights[i] += w;
      }
    }
  }
#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    result[i] = __fdividef (sum[i], weights[i]);
}

/* The sums are whole numbers below 2^24. */
template <int R>
__device__ __forceinline__ void
lee (const OctCudaSpeckle &s, const Tile<R> &tile, int row, int column,
    float (&result)[PIXELS])
{
  const float n = (2 * R + 1) * (2 * R + 1);
  float middle[12], sum[PIXELS] = {}, squares[PIXELS] = {};

  read_row<R> (tile, row + R, column, middle);
#pragma unroll
  for (int dy = 0; dy <= 2 * R; dy++) {
    float v[12];

    read_row<R> (tile, row + dy, column, v);
#pragma unroll
    for (int dx = 0; dx <= 2 * R; dx++)
#pragma unroll
      for (int i = 0; i < PIXELS; i++) {
        float difference = v[i + dx] - middle[i + R];

        sum[i] += difference;
        squares[i] = fmaf (difference, difference, squares[i]);
      }
  }
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    float mean = sum[i] / n;
    /* n squares - sum^2 is below 2^31: exact in double precision alone */
    float variance = (float)(((double)n * squares[i] - (double)sum[i] * sum[i])
                             / ((double)n * n));
    float kept = variance > s.noise ? (variance - s.noise) / variance : 0;

    result[i] = middle[i + R] + mean - kept * mean;
  }
}

/* The largest value that no more than half of them are below, bit by bit. */
template <int R>
__device__ __forceinline__ void
median (const OctCudaSpeckle &s, const Tile<R> &tile, int row, int column,
    float (&result)[PIXELS])
{
  const float half = (2 * R + 1) * (2 * R + 1) / 2;

#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    result[i] = 0;
  for (float bit = 128; bit >= 1; bit /= 2) {
    float below[PIXELS] = {};

#pragma unroll
    for (int dy = 0; dy <= 2 * R; dy++) {
      float v[12];

      read_row<R> (tile, row + dy, column, v);
#pragma unroll
      for (int dx = 0; dx <= 2 * R; dx++)
#pragma unroll
        for (int i = 0; i < PIXELS; i++)
          below[i] += v[i + dx] < result[i] + bit ? 1.f : 0.f;
    }
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
      result[i] += below[i] <= half ? bit : 0;
  }
}

__device__ __forceinline__ void
store (const OctCudaSpeckle &s, uint8_t *out, int x, int y,
    const float (&result)[PIXELS])
{
  uint8_t *to = row_of (out, s.out_stride, y) + (size_t)x * s.pixel_size;
  uint8_t level[PIXELS];

#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    level[i] = (uint8_t)__float2int_rn (result[i]);
  if (s.pixel_size == 1 && s.aligned && x + PIXELS <= s.width) {
    *(uchar4 *)to = make_uchar4 (level[0], level[1], level[2], level[3]);
    return;
  }
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    if (x + i >= s.width)
      return;
    if (s.pixel_size == 1)
      to[i] = level[i];
    else
      ((uchar4 *)to)[i] = make_uchar4 (level[i], level[i], level[i], 255);
  }
}

enum Method { BILATERAL, MEDIAN, LEE };

template <int R, Method METHOD>
static __global__ void
__launch_bounds__ (THREADS) filter (OctCudaSpeckle s)
{
  __shared__ __align__ (16) Tile<R> tile;
  size_t first = (size_t)blockIdx.z * s.height;
  int column = threadIdx.x % ACROSS * PIXELS;
  int x = blockIdx.x * TILE_WIDTH + column;

  begin_kernel ();
  load_tile<R> (s, row_of (s.in, s.in_stride, first), tile);
  __syncthreads ();
  for (int k = 0; k < ROWS; k++) {
    int row = threadIdx.x / ACROSS + k * DOWN;
    int y = blockIdx.y * TILE_HEIGHT + row;
    float result[PIXELS];

    if (x >= s.width || y >= s.height)
      return;
    if (METHOD == BILATERAL)
      bilateral<R> (s, tile, row, column, result);
    else if (METHOD == MEDIAN)
      median<R> (s, tile, row, column, result);
    else
      lee<R> (s, tile, row, column, result);
    store (s, row_of (s.out, s.out_stride, first), x, y, result);
  }
}

typedef void (*Kernel) (OctCudaSpeckle s);

extern "C" cudaError_t
oct_cuda_launch_speckle (const OctCudaSpeckle *s, OctCudaQueue queue)
{
  /* as OctSpeckleMethod */
  static const Kernel kernels[3][3] = {
    { filter<1, BILATERAL>, filter<2, BILATERAL>, filter<3, BILATERAL> },
    { filter<1, MEDIAN>, filter<2, MEDIAN>, filter<3, MEDIAN> },
    { filter<1, LEE>, filter<2, LEE>, filter<3, LEE> },
  };
  dim3 grid ((s->width + TILE_WIDTH - 1) / TILE_WIDTH,
      (s->height + TILE_HEIGHT - 1) / TILE_HEIGHT, s->bscans);
  OctCudaSpeckle one = *s;

  one.aligned = is_aligned (s->out, s->out_stride, 4);
  return launch (
      queue, kernels[s->method][s->size / 2 - 1], grid, THREADS, 0, one);
}
