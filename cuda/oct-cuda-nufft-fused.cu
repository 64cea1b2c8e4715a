/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The non-uniform FFT in one pass over memory (oct-cuda-nufft-parts.cuh):
 * samples to shared memory, A-scans out.
 */
#include "oct-cuda-nufft-parts.cuh"

#include <cuda_pipeline.h>

/* ---------------------------------------------------------------- weights */

/* The first sample, round the circle, whose kernel begins in cells `low` to
 * `high`, taken round the grid: the nodes rise or fall, over one period. */
__device__ __forceinline__ uint32_t
first_sample (const OctCudaGrid &grid, uint32_t low, uint32_t high)
{
  bool rising = grid.lowest[grid.samples - 1] >= grid.lowest[0];
  uint32_t from = 0, to = grid.samples;

  /* of a whole period the last ones may begin where the first ones do */
  if (rising && low == 0
      && (uint32_t)grid.lowest[grid.samples - 1] >= grid.grid)
    low = grid.grid;
  while (from < to) {
    uint32_t middle = (from + to) / 2, cell = (uint32_t)grid.lowest[middle];
    if (rising ? cell < low : cell > high)
      from = middle + 1;
    else
      to = middle;
  }
  return from < grid.samples ? from : 0;
}

/* One thread per weight. */
static __global__ void
make_fused_weights (OctCudaGrid grid, uint32_t together, uint32_t taps,
    uint32_t *first, float *weights)
{
  uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t tap = at / grid.grid, cell = at % grid.grid, value = cell / together;
  uint32_t x, low, high, n, m;
  float sum = 0;

  begin_kernel ();
  if (tap >= taps)
    return;
  /* of the grid without end: the first cell of this value, then this one */
  x = value * together + grid.grid - grid.origin;
  low = (x + grid.grid - (grid.width - 1) % grid.grid) % grid.grid;
  high = (x + together - 1) % grid.grid;
  n = first_sample (grid, low, high);
  if (tap == 0 && cell % together == 0)
    first[value] = n;
  n = n + tap < grid.samples ? n + tap : n + tap - grid.samples;
  /* of all cells that meet in this one */
  for (x = (x + cell % together) % grid.grid; x < grid.cells; x += grid.grid) {
    m = x - (uint32_t)grid.lowest[n];
    if (m < grid.width)
      sum += grid.node_weights[(size_t)n * grid.width + m];
  }
  weights[at] = sum;
}

extern "C" cudaError_t
oct_cuda_launch_fused_weights (const OctCudaGrid *grid, int is_complex,
    uint32_t taps, uint32_t *first, float *weights, OctCudaQueue queue)
{
  uint32_t together = is_complex ? 1 : 2;

  return launch (queue, make_fused_weights, (grid->grid * taps + 255) / 256,
      256, 0, *grid, together, taps, first, weights);
}

/* -------------------------------------------------------------- transform */

/* Starts copying an A-line, its first samples once more after the last. */
template <typename Sample, int Threads>
__device__ __forceinline__ void
fetch (const Sample *row, uint32_t samples, uint32_t taps, bool aligned,
    uint32_t t, Sample *to)
{
  constexpr uint32_t step = 16 / sizeof (Sample);

  if (aligned) {
#pragma unroll 1
    for (uint32_t i = t * step; i < samples; i += Threads * step)
      __pipeline_memcpy_async (to + i, row + i, 16);
  } else {
#pragma unroll 1
    for (uint32_t i = t; i < samples; i += Threads)
      __pipeline_memcpy_async (to + i, row + i, sizeof (Sample));
  }
  if (t < taps)
    __pipeline_memcpy_async (to + samples + t, row + t, sizeof (Sample));
}

/* Shifts the selected modes to 0. */
template <int Threads, int Lines>
__device__ __forceinline__ void
shift_modes (const float2 *shifts, uint32_t samples, uint32_t taps, uint32_t t,
    float2 *memory, uint32_t pitch)
{
#pragma unroll 1
  for (uint32_t i = t; i < samples + taps; i += Threads) {
    float2 shift = __ldg (&shifts[i < samples ? i : i - samples]);
#pragma unroll
    for (int l = 0; l < Lines; l++)
      memory[l * pitch + i] = memory[l * pitch + i] * shift;
  }
}

/* The groups of the block take lines, `Lines` at a time.  Shared: the weights
 * stay in shared memory all the while. */
template <int Size, bool Complex, int Lines, bool Shared>
__global__ void
__launch_bounds__ (Layout<Size, Complex, Lines>::threads
                       *Layout<Size, Complex, Lines>::max_groups,
    1) fused_nufft (OctCudaFused fused, bool aligned)
{
  typedef Layout<Size, Complex, Lines> Block;
  typedef typename Cell<Complex>::Sample Sample;
  typedef typename Cell<Complex>::Weight Weight;
  constexpr int values = Block::values, threads = Block::threads;
  extern __shared__ float4 shared[];
  uint32_t t = threadIdx.x % threads, group = threadIdx.x / threads;
  uint32_t line = (blockIdx.x + gridDim.x * group) * Lines;
  uint32_t step = gridDim.x * (blockDim.x / threads) * Lines;
  uint32_t last = fused.rows.lines - 1, samples = fused.rows.samples;
  uint32_t pitch = line_pitch<Size, Complex, Lines> (samples, fused.taps);
  uint32_t line_bytes = pitch * sizeof (float2);
  uint32_t weight_chunks =
      Shared ? fused.taps * Size * sizeof (Weight) / 16 : 0;
  const Weight *weights =
      Shared ? (const Weight *)shared + t : (const Weight *)fused.weights + t;
  char *memory = (char *)(shared + weight_chunks) + group * line_bytes * Lines;
  GroupSync<threads> sync = { 1 + group };
  uint32_t first[values];

#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < weight_chunks; i += blockDim.x)
    __pipeline_memcpy_async (shared + i, (const float4 *)fused.weights + i, 16);
  begin_kernel ();
  for (bool begun = false; line <= last || !begun; line += step) {
    if (begun)
      sync ();
#pragma unroll
    for (int l = 0; l < Lines; l++)
      fetch<Sample, threads> (row_of ((const Sample *)fused.rows.in,
                                  fused.rows.in_stride, min (line + l, last)),
          samples, fused.taps, aligned, t, (Sample *)(memory + l * line_bytes));
    __pipeline_commit ();
    if (!begun) {
#pragma unroll
      for (int e = 0; e < values; e++)
        first[e] = __ldg (&fused.first[t + e * threads]) * sizeof (Sample);
    }
    __pipeline_wait_prior (0);
    if (begun)
      sync ();
    else
      __syncthreads (); /* the weights are there, too */
    if (!begun && line > last)
      return;
    begun = true;
    if (Complex && fused.shifts != NULL) {
      shift_modes<threads, Lines> (
          fused.shifts, samples, fused.taps, t, (float2 *)memory, pitch);
      sync ();
    }
    transform_samples<Size, Complex, threads, Lines> (fused, weights, memory,
        pitch, first, t, sync, [&] (uint32_t i, const float2 (&bins)[Lines]) {
#pragma unroll
          for (int l = 0; l < Lines; l++)
            if (i < fused.depth_bins && line + l <= last)
              row_of ((float2 *)fused.rows.out, fused.rows.out_stride,
                  line + l)[i] = bins[l];
        });
  }
}

/* -------------------------------------------------------------- launching */

/* Finds out whether there is a kernel, when `fused` has no lines, or launches
 * it. */
template <int Size, bool Complex, int Lines, bool Shared>
static cudaError_t
use_kernel (OctCudaFused *fused, OctCudaQueue queue)
{
  typedef Layout<Size, Complex, Lines> Block;
  typedef typename Cell<Complex>::Sample Sample;
  size_t group_bytes =
      sizeof (float2) * Lines
      * line_pitch<Size, Complex, Lines> (fused->rows.samples, fused->taps);
  auto kernel = fused_nufft<Size, Complex, Lines, Shared>;
  size_t weights =
      Shared ? fused->taps * Size * sizeof (typename Cell<Complex>::Weight) : 0;
  uint32_t processors = fused->processors;
  uint32_t wanted = (fused->rows.lines + Lines - 1) / Lines, groups;

  if (weights + group_bytes > fused->memory)
    return cudaErrorInvalidValue;
  if (wanted == 0)
    return cudaFuncSetAttribute (kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, (int)fused->memory);
  groups = (uint32_t)((fused->memory - weights) / group_bytes);
  groups = groups < Block::max_groups ? groups : Block::max_groups;
  if (groups > (wanted + processors - 1) / processors)
    groups = (wanted + processors - 1) / processors;
  if (processors > (wanted + groups - 1) / groups)
    processors = (wanted + groups - 1) / groups;
  return launch (queue, kernel, processors, groups * Block::threads,
      weights + groups * group_bytes, *fused,
      is_aligned (fused->rows.in, fused->rows.in_stride, 16)
          && fused->rows.samples % (16 / sizeof (Sample)) == 0);
}

template <int Size, bool Complex>
static cudaError_t
use_size (OctCudaFused *fused, OctCudaQueue queue)
{
  /* beside the weights there has to be room for enough A-lines */
  constexpr bool shared =
      Size * sizeof (typename Cell<Complex>::Weight) <= 16384;

  uint32_t once = 2 * fused->processors * Layout<Size, Complex, 2>::max_groups;

  /* where every group has two lines alone, it does not pay to bring the weights
   * to shared memory first */
  if constexpr (shared)
    if (fused->rows.lines <= once) {
      cudaError_t status = use_kernel<Size, Complex, 2, false> (fused, queue);
      if (fused->rows.lines > 0 || status != cudaSuccess)
        return status;
    }
  return use_kernel<Size, Complex, 2, shared> (fused, queue);
}

static cudaError_t
cuda_nufft_fused_use (OctCudaFused *fused, OctCudaQueue queue)
{
  /* Real spectra of 1024 and 2048 samples times 1.25, 1.5 and 2; 2048 times 1;
   * 4096 times 1.25.  Complex ones have as many cells as samples: those of
   * about that many samples; 4096 of them have no single kernel. */
#define REAL(size)                                                             \
  case size:                                                                   \
    return use_size<size / 2, false> (fused, queue);
#define COMPLEX(size)                                                          \
  case size:                                                                   \
    return use_size<size, true> (fused, queue);
  if (fused->is_complex)
    switch (fused->grid) {
      COMPLEX (640)
      COMPLEX (768)
      COMPLEX (1024)
      COMPLEX (1280)
      COMPLEX (1536)
      COMPLEX (2048)
      COMPLEX (2560)
    default:
      return cudaErrorInvalidValue;
    }
  switch (fused->grid) {
    REAL (1280)
    REAL (1536)
    REAL (2048)
    REAL (2560)
    REAL (3072)
    REAL (4096)
    REAL (5120)
  default:
    return cudaErrorInvalidValue;
  }
#undef REAL
#undef COMPLEX
}

extern "C" cudaError_t
oct_cuda_fused_prepare (OctCudaFused *fused, int *fits)
{
  int device = 0, memory = 0, processors = 0;
  OctCudaQueue none = {};
  cudaError_t status = cudaGetDevice (&device);

  *fits = 0;
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (
        &memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (
        &processors, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess)
    return status;
  fused->memory = (uint32_t)memory;
  fused->processors = (uint32_t)processors;
  fused->rows.lines = 0;
  if (fused->grid % 2 == 0)
    *fits = cuda_nufft_fused_use (fused, none) == cudaSuccess;
  cudaGetLastError ();
  return cudaSuccess;
}

extern "C" cudaError_t
oct_cuda_launch_fused (OctCudaFused *fused, OctCudaQueue queue)
{
  return cuda_nufft_fused_use (fused, queue);
}
