/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the kernels of A-scans that move: sums of bands of depth, sums over
 * windows, and tiles of results.
 *
 * Maps are [lines][bins], tightly packed, of all B-scans of a frame.
 */
#pragma once

#include "oct-cuda-flow.h"
#include "oct-cuda-launch.cuh"

/* of a block that has an A-line */
#define FLOW_THREADS 128
/* bins and lines of a block that has a tile of results, and its rows of threads */
#define FLOW_TILE 32
#define FLOW_ROWS 8

/* a value that counts, else 0 */
__device__ __forceinline__ float2
flow_value (float2 a, float &power)
{
  power = a.x * a.x + a.y * a.y;
  if (power <= OCT_CUDA_FLOW_MOST)
    return a;
  power = 0;
  return make_float2 (0, 0);
}

/* |a|, whose square need not be in the range of a float. */
__device__ __forceinline__ float
flow_magnitude (float2 a)
{
  float x = fabsf (a.x), y = fabsf (a.y);
  float most = fmaxf (x, y), least = fminf (x, y);
  float t = least / (most > 0 ? most : 1);

  return most * sqrtf (1 + t * t);
}

/* Sums of the bands of depth of a line.  Each thread has sums of its own, so
 * that two runs add in the same order. */
struct FlowBands {
  double sums[OCT_CUDA_FLOW_BANDS][FLOW_THREADS];
};

__device__ __forceinline__ void
flow_bands_clear (FlowBands &bands)
{
  for (int i = 0; i < OCT_CUDA_FLOW_BANDS; i++)
    bands.sums[i][threadIdx.x] = 0;
}

__device__ __forceinline__ void
flow_bands_add (FlowBands &bands, uint32_t at, uint32_t size, float value)
{
  uint32_t band = size > 0 ? at / size : OCT_CUDA_FLOW_BANDS;

  if (band < OCT_CUDA_FLOW_BANDS)
    bands.sums[band][threadIdx.x] += value;
}

/* The sums over all threads, to `to`. */
__device__ __forceinline__ void
flow_bands_finish (FlowBands &bands, double *to)
{
  for (int half = FLOW_THREADS / 2; half > 0; half /= 2) {
    __syncthreads ();
    for (int i = 0; (int)threadIdx.x < half && i < OCT_CUDA_FLOW_BANDS; i++)
      bands.sums[i][threadIdx.x] += bands.sums[i][threadIdx.x + half];
  }
  __syncthreads ();
  if (threadIdx.x < OCT_CUDA_FLOW_BANDS)
    to[threadIdx.x] = bands.sums[threadIdx.x][0];
}

/* The values around one, of those that there are. */
struct FlowWindow {
  int first_line, end_line, first_bin, end_bin;
};

__device__ __forceinline__ FlowWindow
flow_window (const OctCudaFlow &f, int line, int bin, int lines)
{
  int half = f.window_lines / 2, wide = f.window_bins / 2;
  FlowWindow w;

  w.first_line = max (line - half, 0);
  w.end_line = min (line + half + 1, lines);
  w.first_bin = max (bin - wide, 0);
  w.end_bin = min (bin + wide + 1, f.bins);
  return w;
}

__device__ __forceinline__ float
flow_count (const FlowWindow &w)
{
  return (float)((w.end_line - w.first_line) * (w.end_bin - w.first_bin));
}

__device__ __forceinline__ uint8_t
flow_level (float level, float least)
{
  return (uint8_t)__float2int_rn (fminf (fmaxf (level, least), 255));
}

/* A tile of levels, [line][bin], to an image [bin][line] of bytes, or of RGBA. */
struct FlowTile {
  uint32_t levels[FLOW_TILE][FLOW_TILE + 1];
};

__device__ __forceinline__ uint32_t
flow_grey (uint8_t level)
{
  return level * 0x010101u | 0xff000000u;
}

__device__ __forceinline__ void
flow_put_tile (const OctCudaFlow &f, const FlowTile &tile, uint8_t *image,
    size_t stride, int first_line, int first_bin)
{
  __syncthreads ();
  for (int i = threadIdx.y; i < FLOW_TILE; i += FLOW_ROWS) {
    int line = first_line + (int)threadIdx.x, bin = first_bin + i;

    if (line >= f.lines || bin >= f.bins)
      continue;
    if (f.pixel_size == 4)
      ((uint32_t *)row_of (image, stride, bin))[line] =
          tile.levels[threadIdx.x][i];
    else
      row_of (image, stride, bin)[line] = (uint8_t)tile.levels[threadIdx.x][i];
  }
}

static inline dim3
flow_tiles (const OctCudaFlow *f)
{
  return dim3 ((f->bins + FLOW_TILE - 1) / FLOW_TILE,
      (f->lines + FLOW_TILE - 1) / FLOW_TILE);
}
