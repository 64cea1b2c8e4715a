/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How many voxels of a volume have which grey level, for oct-volume-noise.h.
 */
#include "oct-cuda-volume-parts.h"

#define THREADS 128

/* The first depth of a band: those z with z BANDS / nz >= band, rounded down. */
__device__ __forceinline__ uint32_t
first_depth (uint32_t band, uint32_t nz)
{
  return (band * nz + OCT_VOLUME_BANDS - 1) / OCT_VOLUME_BANDS;
}

/* A thread has the voxels of an A-line in the band blockIdx.y; if that is
 * OCT_VOLUME_BANDS, it has all of them, and finds the largest. */
__global__ void
count_kernel (OctCudaVolumeCount c)
{
  __shared__ uint32_t counts[256];
  uint32_t band = blockIdx.y, i = blockIdx.x * THREADS + threadIdx.x;
  uint32_t columns = (c.nx + c.step - 1) / c.step;
  uint32_t rows = (c.ny + c.step - 1) / c.step;
  bool finds_largest = band == OCT_VOLUME_BANDS;
  uint32_t *to = finds_largest ? c.levels->maxima : c.levels->bands[band];
  int x = (int)(i % columns * c.step), y = (int)(i / columns * c.step);

  for (uint32_t k = threadIdx.x; k < 256; k += THREADS)
    counts[k] = 0;
  __syncthreads ();
  if (i < columns * rows && ((c.chosen[y / 32] >> (y % 32)) & 1) != 0) {
    uint32_t z = finds_largest ? 0 : first_depth (band, c.nz);
    uint32_t end = finds_largest ? c.nz : first_depth (band + 1, c.nz);
    uint32_t largest = 0;

    for (z = z > c.first ? z : c.first; z < end; z++) {
      uint32_t level = surf3Dread<unsigned char> (c.voxels, x, (int)z, y);

      if (finds_largest)
        largest = max (largest, level);
      else
        atomicAdd (&counts[level], 1u);
    }
    if (finds_largest)
      atomicAdd (&counts[largest], 1u);
  }
  __syncthreads ();
  for (uint32_t k = threadIdx.x; k < 256; k += THREADS)
    if (counts[k] != 0)
      atomicAdd (&to[k], counts[k]);
}

extern "C" cudaError_t
oct_cuda_launch_volume_count (const OctCudaVolumeCount *c, cudaStream_t stream)
{
  uint32_t lines =
      ((c->nx + c->step - 1) / c->step) * ((c->ny + c->step - 1) / c->step);
  dim3 grid ((lines + THREADS - 1) / THREADS, OCT_VOLUME_BANDS + 1);
  cudaError_t status =
      cudaMemsetAsync (c->levels, 0, sizeof *c->levels, stream);

  if (status != cudaSuccess)
    return status;
  count_kernel<<<grid, THREADS, 0, stream>>> (*c);
  return cudaGetLastError ();
}
