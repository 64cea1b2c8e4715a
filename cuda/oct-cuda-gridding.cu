/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The weights with which samples reach cells, made on the device; see
 * oct-nufft.h.
 */
#include "oct-cuda-launch.cuh"
#include "oct-nufft-kernel.h"

#define THREADS 256
#define MAX_WIDTH 16

static __global__ void
make_node_weights (OctCudaGrid grid, const float *offset, const float *window,
    float parameter, int is_gaussian, float *node_weights)
{
  uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  float row[MAX_WIDTH], table[MAX_WIDTH];

  begin_kernel ();
  if (n >= grid.samples)
    return;
  if (parameter == 0) {
    row[0] = window[n];
  } else if (is_gaussian) {
    for (uint32_t m = 0; m < grid.width; m++) {
      float centre = (float)m - (float)(grid.width / 2);
      table[m] = expf (-centre * centre / (4 * parameter));
    }
    oct_kernel_gaussian (
        parameter, (int)grid.width, offset[n], window[n], table, row);
  } else {
    oct_kernel_kaiser_bessel (
        parameter, (int)grid.width, offset[n], window[n], row);
  }
  for (uint32_t m = 0; m < grid.width; m++)
    node_weights[(size_t)n * grid.width + m] = row[m];
}

extern "C" cudaError_t
oct_cuda_launch_node_weights (const OctCudaGrid *grid, const float *offset,
    const float *window, float parameter, int is_gaussian, float *node_weights,
    OctCudaQueue queue)
{
  return launch (queue, make_node_weights,
      (grid->samples + THREADS - 1) / THREADS, THREADS, 0, *grid, offset,
      window, parameter, is_gaussian, node_weights);
}
