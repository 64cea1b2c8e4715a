/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes in focus at all depths: phases between B-scans, and blocks of planes
 * before, between and after their transforms.
 */
#include "oct-cuda-launch.cuh"
#include "oct-cuda-refocus.h"

#define THREADS 256
#define MOST_PLANES 16

/* Values that do not count are 0, also those that are not numbers. */
__device__ __forceinline__ float2
refocus_value (const float2 *line, int bin)
{
  float2 a = line[bin];

  return a.x * a.x + a.y * a.y <= OCT_CUDA_REFOCUS_MOST ? a
                                                        : make_float2 (0, 0);
}

/* The sum of `value` over a block, in the first thread; always in the same
 * order. */
static __device__ double
refocus_sum (double value, double *shared)
{
  __syncthreads ();
  shared[threadIdx.x] = value;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads ();
    if ((int)threadIdx.x < half)
      shared[threadIdx.x] += shared[threadIdx.x + half];
  }
  __syncthreads ();
  return shared[0];
}

/* A block has a B-scan. */
static __global__ void
__launch_bounds__ (THREADS) find_products (OctCudaRefocus r)
{
  __shared__ double shared[THREADS];
  int y = blockIdx.x;
  double re = 0, im = 0;

  begin_kernel ();
  for (int x = 0; y > 0 && x < r.lines; x++) {
    size_t row = (size_t)y * r.lines + x;
    const float2 *line = (const float2 *)row_of (r.in, r.in_stride, row);
    const float2 *before =
        (const float2 *)row_of (r.in, r.in_stride, row - r.lines);

    for (int q = threadIdx.x; q < r.bins; q += THREADS) {
      float2 a = refocus_value (line, q), b = refocus_value (before, q);

      re += (double)a.x * b.x + (double)a.y * b.y;
      im += (double)a.y * b.x - (double)a.x * b.y;
    }
  }
  re = refocus_sum (re, shared);
  im = refocus_sum (im, shared);
  if (threadIdx.x == 0) {
    r.products[2 * y] = re;
    r.products[2 * y + 1] = im;
  }
}

/* One thread: each turn follows from the one before. */
static __global__ void
find_turns (OctCudaRefocus r)
{
  double re = 1, im = 0;

  begin_kernel ();
  for (int y = 0; y < r.bscans; y++) {
    double c = r.align ? r.products[2 * y] : 0;
    double d = r.align ? r.products[2 * y + 1] : 0, size = hypot (c, d);

    if (y > 0 && size > 0) {
      double turned = (re * c + im * d) / size;

      im = (im * c - re * d) / size;
      re = turned;
      size = hypot (re, im);
      re /= size;
      im /= size;
    }
    r.turns[2 * y] = (float)re;
    r.turns[2 * y + 1] = (float)im;
  }
}

/* A block has some bins and a part of the A-lines. */
static __global__ void
__launch_bounds__ (THREADS) find_powers (OctCudaRefocus r)
{
  int q = blockIdx.x * THREADS + threadIdx.x;
  int rows = r.bscans * r.lines;
  double power = 0;

  begin_kernel ();
  if (q >= r.bins)
    return;
  for (int row = blockIdx.y; row < rows; row += OCT_CUDA_REFOCUS_PARTS) {
    float2 a =
        refocus_value ((const float2 *)row_of (r.in, r.in_stride, row), q);

    power += a.x * a.x + a.y * a.y;
  }
  r.powers[(size_t)blockIdx.y * r.bins + q] = power;
}

/* ------------------------------------------------------------------- planes
 */

/* The value of a thread: plane i of A-line `row`; FALSE: there is none. */
__device__ __forceinline__ bool
refocus_place (const OctCudaRefocus &r, const OctCudaRefocusBlock &b,
    size_t &at, size_t &row, int &i)
{
  at = (size_t)blockIdx.x * THREADS + threadIdx.x;
  row = at / b.planes;
  i = (int)(at % b.planes);
  return row < (size_t)r.bscans * r.lines;
}

static __global__ void
__launch_bounds__ (THREADS)
    load_planes (OctCudaRefocus r, OctCudaRefocusBlock b, float2 *to)
{
  size_t at, row;
  int i;

  begin_kernel ();
  if (!refocus_place (r, b, at, row, i))
    return;
  if (i < b.count) {
    float2 a = refocus_value ((const float2 *)row_of (r.in, r.in_stride, row),
        b.bins != NULL ? b.bins[i] : b.first + i);
    float2 turn = ((const float2 *)r.turns)[row / r.lines];

    to[at] =
        make_float2 (a.x * turn.x - a.y * turn.y, a.x * turn.y + a.y * turn.x);
  } else {
    to[at] = make_float2 (0, 0);
  }
}

static __global__ void
__launch_bounds__ (THREADS) filter_planes (
    OctCudaRefocus r, OctCudaRefocusBlock b, const float2 *from, float2 *to)
{
  size_t at, row;
  double bin, re, im;
  float2 a;
  int i;

  begin_kernel ();
  if (!refocus_place (r, b, at, row, i))
    return;
  bin = b.start + (b.bins == NULL ? b.first + i : i < b.count ? b.bins[i] : 0);
  sincos (b.phases[row] + b.slopes[row] * bin, &im, &re);
  re *= b.scale;
  im *= b.scale;
  a = from[at];
  to[at] =
      make_float2 ((float)(a.x * re - a.y * im), (float)(a.x * im + a.y * re));
}

static __global__ void
__launch_bounds__ (THREADS)
    store_planes (OctCudaRefocus r, OctCudaRefocusBlock b, const float2 *from)
{
  size_t at, row;
  int i;

  begin_kernel ();
  if (refocus_place (r, b, at, row, i) && i < b.count)
    ((float2 *)row_of (r.out, r.out_stride, row))[b.first + i] = from[at];
}

/* A thread has a plane and some of the A-lines of its block. */
static __global__ void
__launch_bounds__ (THREADS) add_planes (
    OctCudaRefocus r, OctCudaRefocusBlock b, const float2 *from, double *sums)
{
  __shared__ double shared[2][THREADS];
  int step = THREADS / MOST_PLANES;
  int i = threadIdx.x % MOST_PLANES, part = threadIdx.x / MOST_PLANES;
  int rows = r.bscans * r.lines;
  double sum = 0, squares = 0;

  begin_kernel ();
  for (int row = blockIdx.x * step + part; i < b.planes && row < rows;
       row += OCT_CUDA_REFOCUS_PARTS * step) {
    float2 a = from[(size_t)row * b.planes + i];
    double power = (double)a.x * a.x + (double)a.y * a.y;

    sum += power;
    squares += power * power;
  }
  shared[0][threadIdx.x] = sum;
  shared[1][threadIdx.x] = squares;
  __syncthreads ();
  if (part > 0 || i >= b.planes)
    return;
  for (int other = 1; other < step; other++) {
    sum += shared[0][other * MOST_PLANES + i];
    squares += shared[1][other * MOST_PLANES + i];
  }
  sums += 2 * ((size_t)blockIdx.x * b.planes + i);
  sums[0] = sum;
  sums[1] = squares;
}

/* ---------------------------------------------------------------- launchers
 */

static unsigned
count_blocks (const OctCudaRefocus *r, const OctCudaRefocusBlock *b)
{
  size_t values = (size_t)r->bscans * r->lines * b->planes;

  return (unsigned)((values + THREADS - 1) / THREADS);
}

extern "C" cudaError_t
oct_cuda_launch_refocus_look (const OctCudaRefocus *r, OctCudaQueue queue)
{
  dim3 grid ((r->bins + THREADS - 1) / THREADS, OCT_CUDA_REFOCUS_PARTS);
  cudaError_t status = cudaSuccess;

  if (r->align)
    status = launch (queue, find_products, r->bscans, THREADS, 0, *r);
  if (status == cudaSuccess)
    status = launch (queue, find_turns, 1, 1, 0, *r);
  return status != cudaSuccess || r->powers == NULL
             ? status
             : launch (queue, find_powers, grid, THREADS, 0, *r);
}

extern "C" cudaError_t
oct_cuda_launch_refocus_load (const OctCudaRefocus *r,
    const OctCudaRefocusBlock *b, float *to, OctCudaQueue queue)
{
  return launch (queue, load_planes, count_blocks (r, b), THREADS, 0, *r, *b,
      (float2 *)to);
}

extern "C" cudaError_t
oct_cuda_launch_refocus_filter (const OctCudaRefocus *r,
    const OctCudaRefocusBlock *b, const float *from, float *to,
    OctCudaQueue queue)
{
  return launch (queue, filter_planes, count_blocks (r, b), THREADS, 0, *r, *b,
      (const float2 *)from, (float2 *)to);
}

extern "C" cudaError_t
oct_cuda_launch_refocus_store (const OctCudaRefocus *r,
    const OctCudaRefocusBlock *b, const float *from, OctCudaQueue queue)
{
  return launch (queue, store_planes, count_blocks (r, b), THREADS, 0, *r, *b,
      (const float2 *)from);
}

extern "C" cudaError_t
oct_cuda_launch_refocus_sums (const OctCudaRefocus *r,
    const OctCudaRefocusBlock *b, const float *from, double *sums,
    OctCudaQueue queue)
{
  return launch (queue, add_planes, OCT_CUDA_REFOCUS_PARTS, THREADS, 0, *r, *b,
      (const float2 *)from, sums);
}
