/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The steps of the non-uniform FFT around cuFFT: weights, samples to cells,
 * cells to A-scans and back; see core/oct-nufft.h.
 */
#include "oct-cuda-launch.cuh"
#include "oct-nufft-kernel.h"

#define THREADS 256
#define LINES 4 /* that share the weights a thread has read */
#define MAX_WIDTH 16

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

/* ---------------------------------------------------------------- weights */

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
  return launch (queue, make_node_weights, blocks_for (grid->samples), THREADS,
      0, *grid, offset, window, parameter, is_gaussian, node_weights);
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

__device__ __forceinline__ void
add_product (float &sum, float weight, float value)
{
  sum += weight * value;
}

__device__ __forceinline__ void
add_product (float2 &sum, float weight, float2 value)
{
  sum.x += weight * value.x;
  sum.y += weight * value.y;
}

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

__device__ __forceinline__ float
shifted_back (float value, float2 shift)
{
  return value;
}

__device__ __forceinline__ float2
shifted_back (float2 value, float2 shift)
{
  return make_float2 (shift.x * value.x + shift.y * value.y,
      shift.x * value.y - shift.y * value.x);
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

/* One thread per sample of LINES lines. */
template <typename Cell, typename Value>
__global__ void
interpolate (OctCudaGrid grid, const Cell *cells, const float2 *shifts,
    uint32_t lines, Value *out, size_t out_stride)
{
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t n = (uint32_t)(at % grid.samples);
  size_t line = at / grid.samples * LINES;
  Cell sums[LINES] = {};
  float2 shift = make_float2 (1, 0);
  uint32_t cell;

  begin_kernel ();
  if (line >= lines)
    return;
  if (shifts != NULL)
    shift = shifts[n];
  cell = (grid.origin + (uint32_t)grid.lowest[n]) % grid.grid;
  for (uint32_t m = 0; m < grid.width; m++) {
    float weight = grid.node_weights[(size_t)n * grid.width + m];
#pragma unroll
    for (int i = 0; i < LINES; i++)
      if (line + i < lines)
        add_product (sums[i], weight, cells[(line + i) * grid.grid + cell]);
    cell = cell + 1 < grid.grid ? cell + 1 : 0;
  }
#pragma unroll
  for (int i = 0; i < LINES; i++)
    if (line + i < lines)
      convert (
          shifted_back (sums[i], shift), row_of (out, out_stride, line + i)[n]);
}

template <typename Cell, typename Value>
static cudaError_t
launch_interpolate (const OctCudaGrid *grid, const void *cells,
    const float2 *shifts, uint32_t lines, void *out, size_t out_stride,
    OctCudaQueue queue)
{
  uint32_t blocks = blocks_for ((size_t)grid->samples * line_groups (lines));

  return launch (queue, interpolate<Cell, Value>, blocks, THREADS, 0, *grid,
      (const Cell *)cells, shifts, lines, (Value *)out, out_stride);
}

extern "C" cudaError_t
oct_cuda_launch_interpolate (const OctCudaGrid *grid, const void *cells,
    int complex_cells, int complex_samples, const float2 *shifts,
    uint32_t lines, void *out, size_t out_stride, OctCudaQueue queue)
{
  if (complex_samples)
    return launch_interpolate<float2, float2> (
        grid, cells, shifts, lines, out, out_stride, queue);
  if (complex_cells)
    return launch_interpolate<float2, float> (
        grid, cells, shifts, lines, out, out_stride, queue);
  return launch_interpolate<float, float> (
      grid, cells, shifts, lines, out, out_stride, queue);
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

/* Bin l of the spectrum, 0 where no mode lies. */
__device__ __forceinline__ float2
mode_at (const OctCudaModes &modes, const float2 *row, uint32_t l)
{
  uint32_t i = l - (uint32_t)modes.first_mode;

  if (i >= modes.depth_bins)
    i -= modes.grid; /* bins of negative depth lie at the end */
  if (i >= modes.depth_bins)
    return make_float2 (0, 0);
  return make_float2 (row[i].x * modes.factors[i], row[i].y * modes.factors[i]);
}

/* One thread per bin of the spectrum.  The real part of what an inverse
 * transform gives is the inverse transform of the Hermitian part. */
static __global__ void
place_modes (
    OctCudaModes modes, const float2 *in, size_t in_stride, float2 *spectra)
{
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t bins = modes.is_complex ? modes.grid : modes.grid / 2 + 1;
  size_t line = at / bins;
  uint32_t l = (uint32_t)(at % bins);
  float2 value, other;

  begin_kernel ();
  if (line >= modes.lines)
    return;
  in = row_of (in, in_stride, line);
  value = mode_at (modes, in, l);
  if (!modes.is_complex) {
    other = mode_at (modes, in, l == 0 ? 0 : modes.grid - l);
    value.x = 0.5f * (value.x + other.x);
    value.y = 0.5f * (value.y - other.y);
  }
  spectra[at] = value;
}

extern "C" cudaError_t
oct_cuda_launch_place_modes (const OctCudaModes *modes, const void *in,
    size_t in_stride, float2 *spectra, OctCudaQueue queue)
{
  uint32_t bins = modes->is_complex ? modes->grid : modes->grid / 2 + 1;

  return launch (queue, place_modes, blocks_for ((size_t)modes->lines * bins),
      THREADS, 0, *modes, (const float2 *)in, in_stride, spectra);
}
