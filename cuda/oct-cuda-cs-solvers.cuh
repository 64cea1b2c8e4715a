/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The solvers of few steps (oct-cs.h): what is done with single values, on
 * the chip and in passes over memory alike.
 */
#pragma once

#include "oct-cuda-launch.cuh"

#define REACH OCT_CUDA_CS_REACH
#define AROUND (2 * REACH + 1)
#define SHRINK OCT_CUDA_CS_SHRINK
#define KAPPA_MAX OCT_CUDA_CS_KAPPA_MAX

/* Length of the next step from <s, T s> and |s|^2 of the last one, s = x' - x
 */
__device__ __forceinline__ float
next_length (float length, float squares, float energy, float least, float most)
{
  return squares > 0 ? fminf (fmaxf (energy / squares, least), most) : length;
}

/* The least threshold of step i of `steps`, as a part of rms g. */
__device__ __forceinline__ float
continued_part (uint32_t i, uint32_t steps)
{
  float last = steps > 3 ? (float)(steps - 2) : 1;

  return OCT_CUDA_CS_CONTINUE * fmaxf (0, 1 - (float)i / last);
}

/* w, from the sum of the powers around */
__device__ __forceinline__ float
weight_of (float sum, float cut)
{
  float mean = sum * (1.f / AROUND);

  return mean > cut ? 1 - __fdividef (cut, mean) : 0;
}

/* x becomes x'; returns x' - x */
__device__ __forceinline__ float2
take (float2 &x, float2 next)
{
  float2 step = make_float2 (next.x - x.x, next.y - x.y);

  x = next;
  return step;
}

/* The number among the A-lines that the noise is found by, or -1, of line
 * `row` of a B-scan: oct_cs_noise_place(). */
__device__ __forceinline__ int
noise_place_of (uint32_t row, uint32_t lines, uint32_t n)
{
  uint32_t i = (uint32_t)((uint64_t)row * n / lines);

  for (uint32_t last = min (i + 1, n - 1); i <= last; i++)
    if ((2 * i + 1) * lines / (2 * n) == row)
      return (int)i;
  return -1;
}

/* The same of line `line` of several B-scans: the last one counts. */
template <typename Lines>
__device__ __forceinline__ int
noise_place (uint32_t line, const Lines &p)
{
  uint32_t before = p.rows.lines - p.bscan;

  return line < before ? -1
                       : noise_place_of (line - before, p.bscan, p.noise_lines);
}
