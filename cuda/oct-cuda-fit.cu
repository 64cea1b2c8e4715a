/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A background fitted to every A-line, oct-fit.h: finding e.
 *
 * One block per A-line, so that all of them are on their way at once.  An
 * A-line is read once from memory, the background from the caches; sums are in
 * double and in a fixed order.  Values that are not finite count in neither
 * sum.
 */
#include "oct-cuda-background-parts.cuh"
#include "oct-fit.h"

#define THREADS 256
#define WARPS (THREADS / 32)
#define SUMS 8 /* of OctFitSums */

static_assert (sizeof (OctFitSums) == SUMS * sizeof (double), "only sums");

/* The sums over the block, in its first thread. */
__device__ __forceinline__ void
sum_block (double (&sums)[SUMS])
{
  __shared__ double partial[WARPS][SUMS];
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;

#pragma unroll
  for (int m = 0; m < SUMS; m++) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
      sums[m] += __shfl_xor_sync (~0u, sums[m], offset);
    if (lane == 0)
      partial[warp][m] = sums[m];
  }
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
#pragma unroll
  for (int m = 0; m < SUMS; m++) {
    sums[m] = 0;
    for (int i = 0; i < WARPS; i++)
      sums[m] += partial[i][m];
  }
}

template <typename Sample>
__global__ void
__launch_bounds__ (THREADS) find_fits (OctCudaFit p)
{
  const Sample *row =
      row_of ((const Sample *)p.rows.in, p.rows.in_stride, blockIdx.x);
  double sums[SUMS] = {};
  float scale = oct_fit_scale (p.rows.samples);

  begin_kernel ();
#pragma unroll 4
  for (uint32_t i = threadIdx.x; i < p.rows.samples; i += THREADS) {
    float2 b = p.table[i];
    float x = oct_fit_x (scale, i), d = ((float)row[i] - b.x) - b.y;
    double high = isfinite (d) ? b.x : 0, t = isfinite (d) ? d * high : 0;
    double square = high * high, x2 = (double)x * x;

    sums[0] += square;
    sums[1] += square * x;
    sums[2] += square * x2;
    sums[3] += square * x2 * x;
    sums[4] += square * x2 * x2;
    sums[5] += t;
    sums[6] += t * x;
    sums[7] += t * x2;
  }
  sum_block (sums);
  if (threadIdx.x == 0) {
    OctFitSums all = { { sums[0], sums[1], sums[2], sums[3], sums[4] },
      { sums[5], sums[6], sums[7] } };
    float e[3];

    oct_fit_solve (&all, p.terms, e);
    p.fits[blockIdx.x] = make_float4 (e[0], e[1], e[2], 0);
  }
}

extern "C" cudaError_t
oct_cuda_launch_fit (const OctCudaFit *fit, OctCudaQueue queue)
{
  switch (fit->sample_size) {
  case 1:
    return launch (
        queue, find_fits<uint8_t>, fit->rows.lines, THREADS, 0, *fit);
  case 2:
    return launch (
        queue, find_fits<uint16_t>, fit->rows.lines, THREADS, 0, *fit);
  default:
    return launch (queue, find_fits<float>, fit->rows.lines, THREADS, 0, *fit);
  }
}
