/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The natural cubic spline through an A-line, by the threads of a block.
 *
 * Cubic: the natural spline through y[0 .. n-1] is a sum of B-splines with
 * coefficients c[0] = y[0], c[i-1] + 4 c[i] + c[i+1] = 6 y[i], c[n-1] = y[n-1],
 * and c[-1] = 2 c[0] - c[1] and so at the end.  Elimination gives
 *   g[i] = a[i] (6 y[i] - g[i-1]),  c[i] = g[i] - a[i] c[i+1],
 *   a[i] = 1 / (4 - a[i-1]), a[0] = 0 (c[0] is known).
 * A thread does both recursions for CHUNK samples as if nothing came before;
 * what does come before enters as a carry, times the product of -a over the
 * samples between.  That product is 3e-5 for a whole chunk, so that the carry
 * of two chunks is exact to float32.
 */
#pragma once

#include "oct-cuda-launch.cuh"

#define CHUNK 8
/* values before and after a row in shared memory: Lanczos reads 3 and 4
 * samples beyond, a spline one */
#define GUARD 4
#define A 0.26794919243112270647f /* 2 - sqrt 3, the limit of a[i] */

/* a[i] of the first chunk; those of all others are A to float32 */
__device__ static constexpr float first_a[CHUNK] = { 0.f, 0.25f,
  0.26666666666666666f, 0.26785714285714286f, 0.26794258373205743f,
  0.26794871794871794f, 0.26794915836562797f, 0.26794918998527245f };

/* Chunk and row of one thread; the last may be past the end of the row. */
struct Chunk {
  uint32_t start, length;
  bool is_first;
  bool is_inside; /* all neighbours are there, all a[i] are A */

  __device__ Chunk (uint32_t start, uint32_t length)
      : start (start), length (length), is_first (start == 0),
        is_inside (start > 0 && start + CHUNK < length)
  {
  }

  __device__ float a (int k) const
  {
    return is_first ? first_a[k] : A;
  }

  /* neither c[0] nor c[n-1], which are known, nor past the end */
  __device__ bool is_unknown (int k) const
  {
    return start + k > 0 && start + k + 1 < length;
  }
};

/* Up to the end of the padded row. */
__device__ __forceinline__ void
write_chunk (float *row, const Chunk &chunk, const float (&v)[CHUNK])
{
  if (chunk.start < chunk.length) {
#pragma unroll
    for (int k = 0; k < CHUNK; k += 4)
      *(float4 *)(row + chunk.start + k) =
          make_float4 (v[k], v[k + 1], v[k + 2], v[k + 3]);
  }
}

/* y -> g without carry */
template <bool Inside>
__device__ __forceinline__ void
eliminate (const Chunk &chunk, float (&v)[CHUNK])
{
  float g = 0;

#pragma unroll
  for (int k = 0; k < CHUNK; k++) {
    if (Inside)
      v[k] = 6 * A * v[k] - A * g;
    else if (chunk.is_unknown (k))
      v[k] = chunk.a (k) * (6 * v[k] - g);
    g = v[k];
  }
}

template <bool Inside>
__device__ __forceinline__ void
carry_forward (const Chunk &chunk, float carry, float (&v)[CHUNK])
{
  float factor = 1;

#pragma unroll
  for (int k = 0; k < CHUNK; k++) {
    factor *= -A;
    if (Inside || chunk.start + k + 1 < chunk.length)
      v[k] += factor * carry;
  }
}

/* g -> c without carry */
template <bool Inside>
__device__ __forceinline__ void
substitute (const Chunk &chunk, float (&v)[CHUNK])
{
  float c = 0;

#pragma unroll
  for (int k = CHUNK - 1; k >= 0; k--) {
    if (Inside)
      v[k] -= A * c;
    else if (chunk.is_unknown (k))
      v[k] -= chunk.a (k) * c;
    c = v[k];
  }
}

template <bool Inside>
__device__ __forceinline__ void
carry_backward (const Chunk &chunk, float carry, float (&v)[CHUNK])
{
  float factor = 1, first_factor = 1;

#pragma unroll
  for (int k = CHUNK - 1; k >= 0; k--) {
    factor *= -A;
    first_factor *= -first_a[k];
    v[k] += (!Inside && chunk.is_first ? first_factor : factor) * carry;
  }
}

/* step (inside, line) for all A-lines of a block, with one branch for all */
template <int Lines, typename Step>
__device__ __forceinline__ void
for_lines (const Chunk &chunk, Step step)
{
  if (chunk.is_inside) {
#pragma unroll
    for (int l = 0; l < Lines; l++)
      step (std::true_type (), l);
  } else {
#pragma unroll
    for (int l = 0; l < Lines; l++)
      step (std::false_type (), l);
  }
}

/* product of -a over a whole chunk */
__device__ static constexpr float chunk_a = A * A * A * A * A * A * A * A;
