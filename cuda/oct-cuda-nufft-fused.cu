/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The non-uniform FFT in one pass over memory: samples to shared memory, cells
 * from them to the registers of an FFT, bins times their factors out.
 *
 * Real samples give real cells, of which two are one value of an FFT of half
 * the length (see oct-cuda-fft.cu); complex cells are a value each.  A value
 * has one first sample and as many weights as the most any value needs; samples
 * are taken round the circle, so that the cells which both ends of the nodes
 * reach are no exception.
 */
#include "oct-cuda-butterfly.cuh"

#include <cuda_pipeline.h>

/* Lines of one thread */
template <int Size, bool Complex, int Lines> struct Layout {
  static constexpr int values = Size % 5 == 0 ? 20 : Size % 3 == 0 ? 24 : 16;
  static constexpr int threads = Size / values; /* of one group */
  /* groups of a block, each of which works on lines of its own: as many as the
   * registers allow */
  static constexpr int max_threads = values * Lines > 32  ? 256
                                     : values *Lines > 16 ? 512
                                                          : 1024;
  static constexpr int max_groups =
      max_threads / threads < 8 ? max_threads / threads : 8;
  /* float2 of one line in shared memory for the FFT */
  static constexpr uint32_t pitch = Steps<Size, values>::pitch ();
};

/* float2 of one line in shared memory: first the samples, then the FFT. */
template <int Size, bool Complex, int Lines>
__host__ __device__ __forceinline__ uint32_t
line_pitch (uint32_t samples, uint32_t taps)
{
  constexpr uint32_t pitch = (Layout<Size, Complex, Lines>::pitch + 1) & ~1u;
  /* to whole 16 bytes */
  uint32_t needed =
      Complex ? (samples + taps + 1) & ~1u : (samples + taps + 3) / 4 * 2;

  return needed > pitch ? needed : pitch;
}

/* Real cells come in twos. */
template <bool Complex> struct Cell;

template <> struct Cell<false> {
  typedef float Sample;
  typedef float2 Weight;
  static __device__ __forceinline__ void add (
      float2 &cells, float2 weights, float sample)
  {
    cells.x += weights.x * sample;
    cells.y += weights.y * sample;
  }
};

template <> struct Cell<true> {
  typedef float2 Sample;
  typedef float Weight;
  static __device__ __forceinline__ void add (
      float2 &cell, float weight, float2 sample)
  {
    cell.x += weight * sample.x;
    cell.y += weight * sample.y;
  }
};

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

/* Waits for the other threads of the group. */
template <int Threads> struct GroupSync {
  uint32_t barrier;
  __device__ __forceinline__ void operator() () const
  {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(Threads) : "memory");
  }
};

/* Starts copying an A-line, its first samples once more behind the last. */
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

/* Moves the modes wanted around 0. */
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

/* Depth bin of bin q of the FFT; another one lies beyond the last. */
template <int Size, bool Complex>
__device__ __forceinline__ uint32_t
depth_bin (const OctCudaFused &fused, uint32_t q)
{
  uint32_t i = q - (uint32_t)fused.first_mode;

  /* modes before 0 are at the end */
  return Complex && i >= Size ? i - Size : i;
}

/* Factors of some bins, read from valid addresses. */
template <int Count> struct Factors {
  float factors[Count];
  float2 turns[Count];

  template <int Size, bool Complex, int Threads>
  __device__ __forceinline__ void read (const OctCudaFused &fused, uint32_t q)
  {
#pragma unroll
    for (int e = 0; e < Count; e++) {
      uint32_t i = depth_bin<Size, Complex> (fused, q + e * Threads);
      factors[e] = __ldg (&fused.factors[min (i, fused.depth_bins - 1)]);
      if (!Complex)
        turns[e] = __ldg (&fused.turns[q + e * Threads]);
    }
  }
};

/* Bins out of the registers, or of real A-lines from Z, which is in v and by
 * then in memory. */
template <int Size, bool Complex, int Threads, int Lines, int Values,
    typename Sync>
__device__ __forceinline__ void
store (const OctCudaFused &fused, const float2 (&v)[Lines][Values],
    const float2 *memory, uint32_t pitch, uint32_t t, uint32_t line, Sync sync)
{
  /* 16 values of two lines leave few registers */
  constexpr int batch = Values % 5 == 0 ? 5 : Values == 16 ? 2 : 4;
  const float2 *end = memory + Size - t;
  Factors<batch> now, next;
  float2 *rows[Lines];

#pragma unroll
  for (int l = 0; l < Lines; l++)
    rows[l] = row_of ((float2 *)fused.rows.out, fused.rows.out_stride,
        min (line + l, fused.rows.lines - 1));
  next.template read<Size, Complex, Threads> (fused, t);
  if (!Complex)
    sync ();
#pragma unroll
  for (int b = 0; b < Values; b += batch) {
    if (!Complex
        && b * Threads >= (uint32_t)fused.first_mode + fused.depth_bins)
      break;
    now = next;
    if (b + batch < Values)
      next.template read<Size, Complex, Threads> (
          fused, t + (b + batch) * Threads);
#pragma unroll
    for (int e = 0; e < batch; e++) {
      uint32_t i = depth_bin<Size, Complex> (fused, t + (b + e) * Threads);
      float factor = now.factors[e], half = 0.5f * factor;
      float2 turn = scaled (now.turns[e], half);
      /* Z[Size - q], where Z[Size] is Z[0] */
      const float2 *mirror =
          b + e == 0 && t == 0 ? memory : end - (b + e) * Threads;
#pragma unroll
      for (int l = 0; l < Lines; l++) {
        float2 a = v[l][b + e], value = scaled (a, factor);
        if (!Complex) {
          float2 m = mirror[l * pitch];
          float2 d = turn * make_float2 (a.x - m.x, a.y + m.y);
          value =
              make_float2 ((a.x + m.x) * half + d.y, (a.y - m.y) * half - d.x);
        }
        if (i < fused.depth_bins && line + l < fused.rows.lines)
          rows[l][i] = value;
      }
    }
  }
}

/* Cells of some lines: sums over the taps, an even number. */
template <int Size, bool Complex, int Threads, int Lines, int Values>
__device__ __forceinline__ void
gather (const typename Cell<Complex>::Weight *weights, uint32_t taps,
    const char *memory, uint32_t line_bytes, const uint32_t (&first)[Values],
    float2 (&v)[Lines][Values])
{
  typedef typename Cell<Complex>::Sample Sample;

#pragma unroll
  for (int l = 0; l < Lines; l++)
#pragma unroll
    for (int e = 0; e < Values; e++)
      v[l][e] = make_float2 (0, 0);
#pragma unroll 1
  for (uint32_t tap = 0; tap < taps; tap += 2) {
#pragma unroll
    for (int e = 0; e < Values; e++) {
#pragma unroll
      for (int i = 0; i < 2; i++) {
        typename Cell<Complex>::Weight weight = weights[i * Size + e * Threads];
#pragma unroll
        for (int l = 0; l < Lines; l++)
          Cell<Complex>::add (v[l][e], weight,
              *(const Sample *)(memory + l * line_bytes + first[e]
                                + i * sizeof (Sample)));
      }
    }
    weights += 2 * Size;
    memory += 2 * sizeof (Sample);
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
  float2 v[Lines][values];

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
    gather<Size, Complex, threads> (
        weights, fused.taps, memory, line_bytes, first, v);
    sync ();
    transform_lines<Size, Complex ? 1 : 2> (
        v, t, fused.turns, (float2 *)memory, pitch, sync);
    if (!Complex) {
      sync ();
#pragma unroll
      for (int l = 0; l < Lines; l++)
#pragma unroll
        for (int e = 0; e < values; e++)
          ((float2 *)(memory + l * line_bytes))[t + e * threads] = v[l][e];
    }
    store<Size, Complex, threads> (
        fused, v, (const float2 *)memory, pitch, t, line, sync);
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

  return use_kernel<Size, Complex, 2, shared> (fused, queue);
}

static cudaError_t
use (OctCudaFused *fused, OctCudaQueue queue)
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
    *fits = use (fused, none) == cudaSuccess;
  cudaGetLastError ();
  return cudaSuccess;
}

extern "C" cudaError_t
oct_cuda_launch_fused (OctCudaFused *fused, OctCudaQueue queue)
{
  return use (fused, queue);
}
