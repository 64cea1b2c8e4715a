/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The steps of the non-uniform FFT around cuFFT: samples to cells, cells to
 * A-scans; see oct-nufft.h.
 */
#include "oct-cuda-launch.cuh"

#define THREADS 256
#define LINES 4 /* that share the weights a thread has read */

/* Lines of A-scans or samples that a thread of kernels with LINES works on. */
static uint32_t
line_groups (uint32_t lines)
{
  return (lines + LINES - 1) / LINES;
}

static uint32_t
blocks_for (size_t threads)
{
  return (uint32_t)((threads + THREADS - 1) / THREADS);
}

/* Weight with which sample n reaches cell x of the grid without end. */
__device__ __forceinline__ float
weight_at (const OctCudaGrid &grid, uint32_t n, uint32_t x)
{
  uint32_t m = x - (uint32_t)grid.lowest[n];

  return m < grid.width ? grid.node_weights[(size_t)n * grid.width + m] : 0;
}

static __global__ void
make_cell_weights (
    OctCudaGrid grid, const uint32_t *first, uint32_t taps, float *cell_weights)
{
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t tap = (uint32_t)(at / grid.cells), x = (uint32_t)(at % grid.cells);

  begin_kernel ();
  if (tap < taps)
    cell_weights[at] = weight_at (grid, first[x] + tap, x);
}

extern "C" cudaError_t
oct_cuda_launch_cell_weights (const OctCudaGrid *grid, const uint32_t *first,
    uint32_t taps, float *cell_weights, OctCudaQueue queue)
{
  return launch (queue, make_cell_weights,
      blocks_for ((size_t)grid->cells * taps), THREADS, 0, *grid, first, taps,
      cell_weights);
}

/* ------------------------------------------------------- samples and cells */

/* The weight of a sample with its shift, which only complex samples have. */
__device__ __forceinline__ void
add_shifted (float &sum, float weight, float2 shift, float value)
{
  sum += weight * value;
}

__device__ __forceinline__ void
add_shifted (float2 &sum, float weight, float2 shift, float2 value)
{
  float re = weight * shift.x, im = weight * shift.y;
  sum.x += re * value.x - im * value.y;
  sum.y += re * value.y + im * value.x;
}

/* One thread per cell of LINES lines. */
template <typename Value, typename Cell>
__global__ void
gather_cells (OctCudaGather gather)
{
  const OctCudaGrid &grid = gather.grid;
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t cell = (uint32_t)(at % grid.grid);
  size_t line = at / grid.grid * LINES;
  uint32_t x =
      cell >= grid.origin ? cell - grid.origin : cell + grid.grid - grid.origin;
  Value sums[LINES] = {};

  begin_kernel ();
  if (line >= gather.lines)
    return;
  /* cells that meet here, the second at the ends of the nodes only */
  for (; x < grid.cells; x += grid.grid) {
    uint32_t first = gather.first[x];
    for (uint32_t tap = 0; tap < gather.taps; tap++) {
      float weight = gather.cell_weights[(size_t)tap * grid.cells + x];
      float2 shift = gather.shifts != NULL ? gather.shifts[first + tap]
                                           : make_float2 (1, 0);
#pragma unroll
      for (int i = 0; i < LINES; i++)
        if (line + i < gather.lines)
          add_shifted (sums[i], weight, shift,
              row_of ((const Value *)gather.in, gather.in_stride,
                  line + i)[first + tap]);
    }
  }
#pragma unroll
  for (int i = 0; i < LINES; i++)
    if (line + i < gather.lines)
      convert (sums[i], ((Cell *)gather.cells)[(line + i) * grid.grid + cell]);
}

extern "C" cudaError_t
oct_cuda_launch_gather (const OctCudaGather *gather, OctCudaQueue queue)
{
  uint32_t blocks =
      blocks_for ((size_t)gather->grid.grid * line_groups (gather->lines));

  if (gather->complex_samples)
    return launch (
        queue, gather_cells<float2, float2>, blocks, THREADS, 0, *gather);
  if (gather->complex_cells)
    return launch (
        queue, gather_cells<float, float2>, blocks, THREADS, 0, *gather);
  return launch (
      queue, gather_cells<float, float>, blocks, THREADS, 0, *gather);
}

/* ------------------------------------------------------ cells and A-scans */

__device__ __forceinline__ float2
scale (float2 value, float factor)
{
  return make_float2 (value.x * factor, value.y * factor);
}

/* One thread per depth bin. */
static __global__ void
pick_modes (
    OctCudaModes modes, const float2 *spectra, float2 *out, size_t out_stride)
{
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  size_t line = at / modes.depth_bins;
  uint32_t i = (uint32_t)(at % modes.depth_bins);
  int32_t q = modes.first_mode + (int32_t)i;
  uint32_t pitch = modes.is_complex ? modes.grid : modes.grid / 2 + 1;

  begin_kernel ();
  if (line >= modes.lines)
    return;
  q = q < 0 ? q + (int32_t)modes.grid : q;
  row_of (out, out_stride, line)[i] =
      scale (spectra[line * pitch + (uint32_t)q], modes.factors[i]);
}

extern "C" cudaError_t
oct_cuda_launch_pick_modes (const OctCudaModes *modes, const float2 *spectra,
    void *out, size_t out_stride, OctCudaQueue queue)
{
  return launch (queue, pick_modes,
      blocks_for ((size_t)modes->lines * modes->depth_bins), THREADS, 0, *modes,
      spectra, (float2 *)out, out_stride);
}
