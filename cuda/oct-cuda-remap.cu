/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-lines of a path to the rows of a raster.
 *
 * A-lines are kept with their depths side by side.  A warp makes a piece
 * of a pixel: its threads read the same piece of each of up to 12 A-lines, some
 * depths at once.  The warps of a block work on pixels side by side, which use
 * nearly the same A-lines: most of them are read from the caches.
 */
#include "oct-cuda-launch.cuh"
#include "oct-cuda-remap.h"

#define WARP 32
#define WARPS 8
#define THREADS (WARP * WARPS)
/* Pixels of a block of an image, whose rows are written so many at once, and its
 * warps: few, and a row of the raster is ready sooner. */
#define TILE 32
#define TILE_WARPS 16
/* Side of a square that is turned. */
#define SQUARE 32

#define ALL_LANES 0xffffffffu
/* As oct_scan_remap_get_weights() has them. */
#define LEAST_LEFT 0.1f
#define LEAST_AGREEMENT 0.5f
/* Squares whose root is found from its inverse. */
#define SMALLEST_SQUARE 1e-30f
#define LARGEST_SQUARE 1e30f

/* -------------------------------------------------------------------- store */

/* Squares of an image, which has a depth in each row. */
template <typename Value>
static __global__ void
__launch_bounds__ (SQUARE *WARPS) store_image (OctCudaRemap r, const void *from,
    size_t stride, size_t first, const uint8_t *valid)
{
  __shared__ Value square[SQUARE][SQUARE + 1];
  uint32_t left = blockIdx.x * SQUARE, top = blockIdx.y * SQUARE;
  uint32_t line = left + threadIdx.x, z = top + threadIdx.x;

  begin_kernel ();
  for (uint32_t k = threadIdx.y; k < SQUARE; k += WARPS)
    if (line < r.lines && top + k < r.depths)
      square[k][threadIdx.x] =
          ((const Value *)row_of (from, stride, top + k))[line];
  __syncthreads ();
  for (uint32_t k = threadIdx.y; k < SQUARE; k += WARPS) {
    size_t at = first + left + k;

    if (left + k >= r.lines || z >= r.depths
        || (valid != NULL && valid[left + k] == 0))
      continue;
    ((Value *)row_of (r.store, r.pitch, at))[z] = square[threadIdx.x][k];
    if (z == 0)
      r.seen[at] = 1;
  }
}

/* An A-scan a block. */
static __global__ void
__launch_bounds__ (THREADS) store_ascans (OctCudaRemap r, const void *from,
    size_t stride, size_t first, const uint8_t *valid)
{
  uint32_t line = blockIdx.x;
  const float2 *values;
  float2 *to;

  begin_kernel ();
  if (valid != NULL && valid[line] == 0)
    return;
  values = (const float2 *)row_of (from, stride, line);
  to = (float2 *)row_of (r.store, r.pitch, first + line);
  for (uint32_t z = threadIdx.x; z < r.depths; z += THREADS)
    to[z] = values[z];
  if (threadIdx.x == 0)
    r.seen[first + line] = 1;
}

extern "C" cudaError_t
oct_cuda_launch_remap_store (const OctCudaRemap *r, const void *from,
    size_t stride, size_t first, const uint8_t *valid, OctCudaQueue queue)
{
  dim3 squares (
      (r->lines + SQUARE - 1) / SQUARE, (r->depths + SQUARE - 1) / SQUARE);
  dim3 threads (SQUARE, WARPS);

  switch (r->kind) {
  case OCT_CUDA_REMAP_U8:
    return launch (queue, store_image<uint8_t>, squares, threads, 0, *r, from,
        stride, first, valid);
  case OCT_CUDA_REMAP_U16:
    return launch (queue, store_image<uint16_t>, squares, threads, 0, *r, from,
        stride, first, valid);
  default:
    return launch (queue, store_ascans, r->lines, THREADS, 0, *r, from, stride,
        first, valid);
  }
}

/* -------------------------------------------------------------------- fetch */

/* The weights of a pixel: thread i of a warp has that of its A-line i. */
struct Weights {
  uint32_t count, number;
  float weight;
};

/* Those whose A-lines have come, one after the other, as
 * oct_scan_remap_get_weights(). */
__device__ void
keep_seen (const OctCudaRemap &r, Weights &w)
{
  uint32_t lane = threadIdx.x % WARP, count = 0, number = 0;
  bool there = lane < w.count && r.seen[w.number] != 0;
  unsigned mask = __ballot_sync (ALL_LANES, there);
  float weight = 0, sum = 0, size = 0;

  if (__popc (mask) == (int)w.count)
    return;
  for (uint32_t i = 0; i < w.count; i++) {
    uint32_t other = __shfl_sync (ALL_LANES, w.number, i);
    float of = __shfl_sync (ALL_LANES, w.weight, i);

    if ((mask >> i & 1) == 0)
      continue;
    sum += of;
    size += fabsf (of);
    if (lane == count) {
      number = other;
      weight = of;
    }
    count++;
  }
  w.count = sum >= LEAST_LEFT && sum >= LEAST_AGREEMENT * size ? count : 0;
  w.number = number;
  w.weight = weight / sum;
}

__device__ Weights
get_weights (const OctCudaRemap &r, size_t pixel, bool all)
{
  uint32_t lane = threadIdx.x % WARP, first = r.first[pixel];
  Weights w = { r.first[pixel + 1] - first, 0, 0 };

  if (lane < w.count) {
    w.number = r.number[first + lane];
    w.weight = r.weight[first + lane];
  }
  if (!all)
    keep_seen (r, w);
  return w;
}

__device__ __forceinline__ float
find_amplitude (float re, float im)
{
  float square = re * re + im * im;

  return square > SMALLEST_SQUARE && square < LARGEST_SQUARE
             ? square * rsqrtf (square)
             : hypotf (re, im);
}

/* A thread reads N depths of an A-line at once, of SOME A-lines before it needs
 * the first of them. */
template <OctCudaRemapKind KIND> struct Piece;

template <> struct Piece<OCT_CUDA_REMAP_U8> {
  typedef uint8_t Value;
  typedef uchar4 Read;
  static const int N = 4, SOME = 6;
  static const int MOST = 255;
};

template <> struct Piece<OCT_CUDA_REMAP_U16> {
  typedef uint16_t Value;
  typedef ushort4 Read;
  static const int N = 4, SOME = 6;
  static const int MOST = 65535;
};

template <> struct Piece<OCT_CUDA_REMAP_COMPLEX> {
  typedef float4 Read;
  static const int N = 2, SOME = 4;
};

template <> struct Piece<OCT_CUDA_REMAP_AMPLITUDES> {
  typedef float4 Read;
  static const int N = 2, SOME = 4;
};

template <OctCudaRemapKind KIND, typename Read>
__device__ __forceinline__ void
add_piece (float sums[4], float weight, Read v)
{
  if (KIND == OCT_CUDA_REMAP_AMPLITUDES) {
    sums[0] += weight * find_amplitude (v.x, v.y);
    sums[1] += weight * find_amplitude (v.z, v.w);
  } else {
    sums[0] += weight * v.x;
    sums[1] += weight * v.y;
    sums[2] += weight * v.z;
    sums[3] += weight * v.w;
  }
}

/* The sums of the depths of thread `at` of an A-line.  `nearest`: the values of
 * the first A-line there. */
template <OctCudaRemapKind KIND>
__device__ __forceinline__ void
add_lines (const OctCudaRemap &r, const Weights &w, uint32_t at, bool there,
    float sums[4], typename Piece<KIND>::Read *nearest)
{
  typedef typename Piece<KIND>::Read Read;
  const uint32_t SOME = Piece<KIND>::SOME;

  for (uint32_t i = 0; i < w.count; i += SOME) {
    Read v[SOME];

#pragma unroll
    for (uint32_t k = 0; k < SOME; k++) {
      uint32_t number = __shfl_sync (ALL_LANES, w.number, i + k);

      v[k] = {};
      if (there && i + k < w.count)
        v[k] = ((const Read *)row_of (
            (const uint8_t *)r.store, r.pitch, number))[at];
    }
    if (KIND == OCT_CUDA_REMAP_AMPLITUDES && i == 0)
      *nearest = v[0];
#pragma unroll
    for (uint32_t k = 0; k < SOME; k++) {
      float weight = __shfl_sync (ALL_LANES, w.weight, i + k);

      if (i + k < w.count)
        add_piece<KIND> (sums, weight, v[k]);
    }
  }
}

/* An image: TILE columns of a block, some depths of them. */
template <OctCudaRemapKind KIND>
static __global__ void
__launch_bounds__ (WARP *TILE_WARPS)
    fetch_image (OctCudaRemap r, size_t pixel, int all, void *to, size_t stride)
{
  typedef typename Piece<KIND>::Value Value;
  typedef typename Piece<KIND>::Read Read;
  const uint32_t n = Piece<KIND>::N, deep = n * WARP;
  /* a row more, so that columns begin in different banks */
  __shared__ Read tile[TILE][WARP + 1];
  uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  uint32_t left = blockIdx.y * TILE, at = blockIdx.x * WARP + lane;
  bool there = at * n < r.depths;

  begin_kernel ();
  for (uint32_t k = warp; k < TILE && left + k < r.columns; k += TILE_WARPS) {
    Weights w = get_weights (r, pixel + left + k, all != 0);
    float sums[4] = { 0, 0, 0, 0 };
    Value grey[4];
    Read unused = {};

    add_lines<KIND> (r, w, at, there, sums, &unused);
    for (int i = 0; i < 4; i++)
      grey[i] = (Value)(fminf (fmaxf (sums[i], 0), Piece<KIND>::MOST) + 0.5f);
    tile[k][lane] = { grey[0], grey[1], grey[2], grey[3] };
  }
  __syncthreads ();
  if (left + lane >= r.columns)
    return;
  for (uint32_t k = warp; k < deep; k += TILE_WARPS) {
    uint32_t z = blockIdx.x * deep + k;

    if (z < r.depths)
      ((Value *)row_of (to, stride, z))[left + lane] =
          ((const Value *)tile[lane])[k];
  }
}

/* The sum of amplitudes has the phase of the nearest A-line. */
__device__ __forceinline__ float2
turn_amplitude (float sum, float re, float im)
{
  float own = find_amplitude (re, im), amplitude = fmaxf (sum, 0);

  return own > 0 ? make_float2 (amplitude * (re / own), amplitude * (im / own))
                 : make_float2 (amplitude, 0);
}

/* A-scans: a pixel for each warp of a block, some depths of it.  `wide`: rows
 * begin at multiples of 16 bytes. */
template <OctCudaRemapKind KIND>
static __global__ void
__launch_bounds__ (THREADS) fetch_ascans (
    OctCudaRemap r, size_t pixel, int all, void *to, size_t stride, int wide)
{
  uint32_t column = blockIdx.y * WARPS + threadIdx.x / WARP;
  uint32_t at = blockIdx.x * WARP + threadIdx.x % WARP;
  bool there = 2 * at < r.depths, both = 2 * at + 1 < r.depths;
  float sums[4] = { 0, 0, 0, 0 };
  float4 nearest = make_float4 (0, 0, 0, 0);
  float2 a, b, *row;

  begin_kernel ();
  if (column >= r.columns)
    return;
  add_lines<KIND> (
      r, get_weights (r, pixel + column, all != 0), at, there, sums, &nearest);
  if (!there)
    return;
  if (KIND == OCT_CUDA_REMAP_AMPLITUDES) {
    a = turn_amplitude (sums[0], nearest.x, nearest.y);
    b = turn_amplitude (sums[1], nearest.z, nearest.w);
  } else {
    a = make_float2 (sums[0], sums[1]);
    b = make_float2 (sums[2], sums[3]);
  }
  row = (float2 *)row_of (to, stride, column);
  if (wide && both) {
    ((float4 *)row)[at] = make_float4 (a.x, a.y, b.x, b.y);
    return;
  }
  row[2 * at] = a;
  if (both)
    row[2 * at + 1] = b;
}

extern "C" cudaError_t
oct_cuda_launch_remap_fetch (const OctCudaRemap *r, size_t pixel, int all,
    void *to, size_t stride, OctCudaQueue queue)
{
  uint32_t deep = WARP * Piece<OCT_CUDA_REMAP_U8>::N;
  uint32_t deep_ascans = WARP * Piece<OCT_CUDA_REMAP_COMPLEX>::N;
  dim3 tiles ((r->depths + deep - 1) / deep, (r->columns + TILE - 1) / TILE);
  dim3 grid ((r->depths + deep_ascans - 1) / deep_ascans,
      (r->columns + WARPS - 1) / WARPS);
  int wide = is_aligned (to, stride, sizeof (float4));

  switch (r->kind) {
  case OCT_CUDA_REMAP_U8:
    return launch (queue, fetch_image<OCT_CUDA_REMAP_U8>, tiles,
        WARP * TILE_WARPS, 0, *r, pixel, all, to, stride);
  case OCT_CUDA_REMAP_U16:
    return launch (queue, fetch_image<OCT_CUDA_REMAP_U16>, tiles,
        WARP * TILE_WARPS, 0, *r, pixel, all, to, stride);
  case OCT_CUDA_REMAP_COMPLEX:
    return launch (queue, fetch_ascans<OCT_CUDA_REMAP_COMPLEX>, grid, THREADS,
        0, *r, pixel, all, to, stride, wide);
  default:
    return launch (queue, fetch_ascans<OCT_CUDA_REMAP_AMPLITUDES>, grid,
        THREADS, 0, *r, pixel, all, to, stride, wide);
  }
}
