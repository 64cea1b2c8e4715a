/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Resampling along the A-line: a block keeps one A-line in shared memory and
 * reads it at all positions.
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
#include "oct-cuda-launch.cuh"

#define CHUNK 8
#define MAX_THREADS 1024
/* zeros before and behind a row: Lanczos reads 3 and 4 samples beyond */
#define GUARD 4
#define A 0.26794919243112270647f /* 2 - sqrt 3, the limit of a[i] */

/* a[i] of the first chunk; those of all others are A to float32 */
__device__ static constexpr float first_a[CHUNK] = { 0.f, 0.25f,
  0.26666666666666666f, 0.26785714285714286f, 0.26794258373205743f,
  0.26794871794871794f, 0.26794915836562797f, 0.26794918998527245f };

__host__ __device__ static constexpr uint32_t
padded_length (uint32_t length)
{
  return (length + CHUNK - 1) / CHUNK * CHUNK;
}

extern "C" size_t
oct_cuda_resample_row (uint32_t length)
{
  return GUARD + padded_length (length) + GUARD;
}

/* Chunk and row of one thread; the last may be past the end of the row. */
struct Chunk {
  uint32_t start, length;
  bool is_first;

  __device__ float a (int k) const
  {
    return is_first ? first_a[k] : A;
  }
};

__device__ __forceinline__ void
read_chunk (
    const float *in, bool aligned, const Chunk &chunk, float (&v)[CHUNK])
{
  if (aligned && chunk.start + CHUNK <= chunk.length) {
#pragma unroll
    for (int k = 0; k < CHUNK; k += 4) {
      float4 four = *(const float4 *)(in + chunk.start + k);
      v[k] = four.x;
      v[k + 1] = four.y;
      v[k + 2] = four.z;
      v[k + 3] = four.w;
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < CHUNK; k++)
    v[k] = chunk.start + k < chunk.length ? in[chunk.start + k] : 0;
}

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
__device__ __forceinline__ void
eliminate (const Chunk &chunk, float (&v)[CHUNK])
{
  float g = 0;

#pragma unroll
  for (int k = 0; k < CHUNK; k++) {
    uint32_t i = chunk.start + k;
    if (i > 0 && i + 1 < chunk.length)
      v[k] = chunk.a (k) * (6 * v[k] - g);
    g = v[k];
  }
}

__device__ __forceinline__ void
carry_forward (const Chunk &chunk, float carry, float (&v)[CHUNK])
{
#pragma unroll
  for (int k = 0; k < CHUNK; k++) {
    carry *= -A;
    if (chunk.start + k + 1 < chunk.length)
      v[k] += carry;
  }
}

/* g -> c without carry */
__device__ __forceinline__ void
substitute (const Chunk &chunk, float (&v)[CHUNK])
{
  float c = 0;

#pragma unroll
  for (int k = CHUNK - 1; k >= 0; k--) {
    uint32_t i = chunk.start + k;
    if (i > 0 && i + 1 < chunk.length)
      v[k] -= chunk.a (k) * c;
    c = v[k];
  }
}

__device__ __forceinline__ void
carry_backward (const Chunk &chunk, float carry, float (&v)[CHUNK])
{
#pragma unroll
  for (int k = CHUNK - 1; k >= 0; k--) {
    carry *= -chunk.a (k);
    v[k] += carry;
  }
}

/* product of -a over a whole chunk */
__device__ static constexpr float chunk_a = A * A * A * A * A * A * A * A;

/**
 * row[0 .. n-1] = coefficients of the spline through in[0 .. n-1].
 * ends: [2][blockDim.x + 2] in shared memory.  Whole: the block holds all
 * chunks at once, in registers; else it walks over the row and back.
 */
template <bool Whole>
__device__ __forceinline__ void
find_coefficients (
    const float *in, bool aligned, uint32_t length, float *ends, float *row)
{
  uint32_t threads = blockDim.x, t = threadIdx.x;
  uint32_t turn = threads * CHUNK;
  uint32_t last = Whole ? 0 : (length - 1) / turn * turn;
  float *backward = ends + threads + 2;
  float v[CHUNK];

  for (uint32_t first = 0; first <= last; first += turn) {
    Chunk chunk = { first + t * CHUNK, length, first == 0 && t == 0 };
    read_chunk (in, aligned, chunk, v);
    eliminate (chunk, v);
    if (t < 2 && first == 0)
      ends[t] = 0;
    ends[t + 2] = v[CHUNK - 1];
    __syncthreads ();
    carry_forward (chunk, ends[t + 1] + chunk_a * ends[t], v);
    if constexpr (!Whole) {
      write_chunk (row, chunk, v);
      __syncthreads ();
      if (t < 2)
        ends[t] = ends[threads + t];
      __syncthreads ();
    }
  }
  for (uint32_t turns = last / turn + 1; turns-- > 0;) {
    uint32_t first = turns * turn;
    Chunk chunk = { first + t * CHUNK, length, first == 0 && t == 0 };
    if (!Whole)
      read_chunk (row, false, chunk, v);
    substitute (chunk, v);
    if (t < 2 && first == last)
      backward[threads + t] = 0;
    backward[t] = v[0];
    __syncthreads ();
    carry_backward (chunk, backward[t + 1] + chunk_a * backward[t + 2], v);
    write_chunk (row, chunk, v);
    if constexpr (!Whole) {
      __syncthreads ();
      if (t < 2)
        backward[threads + t] = backward[t];
      __syncthreads ();
    }
  }
}

/* Natural ends: c[-1] = 2 c[0] - c[1], c[n] = 2 c[n-1] - c[n-2]. */
__device__ __forceinline__ float
read_cubic (const OctCudaResample &p, const float *row, uint32_t j)
{
  OctCudaPosition position = p.positions[j];
  const float *c = row + position.base;
  float f = position.fraction, g = 1 - f;
  float before = g * g * g, behind = f * f * f;
  float left = 4 - 3 * f * f * (2 - f), right = 4 - 3 * g * g * (2 - g);

  if (position.base == 0) {
    left += 2 * before;
    right -= before;
    before = 0;
  }
  if (position.base + 2 == (int32_t)p.length) {
    right += 2 * behind;
    left -= behind;
    behind = 0;
  }
  return (before * c[-1] + left * c[0] + right * c[1] + behind * c[2])
         * (p.scale / 6);
}

__device__ __forceinline__ float
read_lanczos (const OctCudaResample &p, const float *row, uint32_t j)
{
  const float *y = row + p.positions[j].base - 3;
  float sum = 0;

#pragma unroll
  for (int tap = 0; tap < OCT_CUDA_LANCZOS_TAPS; tap++)
    sum += p.weights[(size_t)tap * p.rows.samples + j] * y[tap];
  return sum * p.scale;
}

__device__ __forceinline__ float
read_linear (const OctCudaResample &p, const float *row, uint32_t j)
{
  OctCudaPosition position = p.positions[j];
  const float *y = row + position.base;

  return ((1 - position.fraction) * y[0] + position.fraction * y[1]) * p.scale;
}

template <OctCudaResampleMethod Method, bool Whole>
__global__ void
__launch_bounds__ (MAX_THREADS, THREADS_PER_SM / MAX_THREADS)
    resample (OctCudaResample p, bool aligned)
{
  extern __shared__ float4 shared[];
  float *ends = (float *)shared;
  size_t row_length = GUARD + padded_length (p.length) + GUARD;
  float *row = p.scratch ? p.scratch + blockIdx.x * row_length
                         : ends + 2 * (blockDim.x + 2);

  begin_kernel ();
  if (threadIdx.x < 2 * GUARD)
    row[threadIdx.x < GUARD ? threadIdx.x
                            : row_length - 1 - threadIdx.x + GUARD] = 0;
  row += GUARD;
  for (uint32_t line = blockIdx.x; line < p.rows.lines; line += gridDim.x) {
    const float *in = row_of ((const float *)p.rows.in, p.rows.in_stride, line);
    float *out = row_of ((float *)p.rows.out, p.rows.out_stride, line);
    if (Method == OCT_CUDA_RESAMPLE_CUBIC) {
      find_coefficients<Whole> (in, aligned, p.length, ends, row);
    } else {
      /* zeros up to the guard, too */
      for (uint32_t i = threadIdx.x; i < padded_length (p.length);
           i += blockDim.x)
        row[i] = i < p.length ? in[i] : 0;
    }
    __syncthreads ();
    for (uint32_t j = threadIdx.x; j < p.rows.samples; j += blockDim.x) {
      if (Method == OCT_CUDA_RESAMPLE_CUBIC)
        out[j] = read_cubic (p, row, j);
      else if (Method == OCT_CUDA_RESAMPLE_LANCZOS)
        out[j] = read_lanczos (p, row, j);
      else
        out[j] = read_linear (p, row, j);
    }
    __syncthreads ();
  }
}

static uint32_t
threads_for (uint32_t length)
{
  uint32_t chunks = (length + CHUNK - 1) / CHUNK;
  uint32_t threads = (chunks + 31) / 32 * 32;
  return threads < MAX_THREADS ? threads : MAX_THREADS;
}

static size_t
ends_bytes (uint32_t length)
{
  return 2 * (threads_for (length) + 2) * sizeof (float);
}

extern "C" cudaError_t
oct_cuda_resample_prepare (uint32_t length, int *fits)
{
  size_t bytes =
      ends_bytes (length) + oct_cuda_resample_row (length) * sizeof (float);
  int device, most;
  cudaError_t status = cudaGetDevice (&device);
  const void *kernels[] = {
    (const void *)resample<OCT_CUDA_RESAMPLE_CUBIC, true>,
    (const void *)resample<OCT_CUDA_RESAMPLE_CUBIC, false>,
    (const void *)resample<OCT_CUDA_RESAMPLE_LINEAR, true>,
    (const void *)resample<OCT_CUDA_RESAMPLE_LANCZOS, true>,
  };

  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (
        &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (status != cudaSuccess)
    return status;
  *fits = bytes <= (size_t)most;
  if (!*fits || bytes <= 48 * 1024)
    return cudaSuccess;
  for (const void *kernel : kernels) {
    /* the most there is, so that a smaller plan takes nothing from a larger */
    status = cudaFuncSetAttribute (
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (status != cudaSuccess)
      return status;
  }
  return cudaSuccess;
}

extern "C" cudaError_t
oct_cuda_launch_resample (const OctCudaResample *p, OctCudaQueue queue)
{
  bool aligned = is_aligned (p->rows.in, p->rows.in_stride, sizeof (float4));
  uint32_t threads = threads_for (p->length);
  size_t shared = ends_bytes (p->length);

  if (!p->scratch)
    shared += oct_cuda_resample_row (p->length) * sizeof (float);
  switch (p->method) {
  case OCT_CUDA_RESAMPLE_LINEAR:
    return launch (queue, resample<OCT_CUDA_RESAMPLE_LINEAR, true>, p->blocks,
        threads, shared, *p, aligned);
  case OCT_CUDA_RESAMPLE_LANCZOS:
    return launch (queue, resample<OCT_CUDA_RESAMPLE_LANCZOS, true>, p->blocks,
        threads, shared, *p, aligned);
  default:
    if (p->length <= threads * CHUNK)
      return launch (queue, resample<OCT_CUDA_RESAMPLE_CUBIC, true>, p->blocks,
          threads, shared, *p, aligned);
    return launch (queue, resample<OCT_CUDA_RESAMPLE_CUBIC, false>, p->blocks,
        threads, shared, *p, aligned);
  }
}

/* One thread per bin of the result. */
static __global__ void
pad_spectrum (const float2 *in, float2 *out, uint32_t n, uint32_t lines)
{
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  size_t line = at / (n + 1);
  uint32_t bin = (uint32_t)(at % (n + 1));
  float2 value = make_float2 (0, 0);

  begin_kernel ();
  if (line >= lines)
    return;
  if (bin <= n / 2)
    value = in[line * (n / 2 + 1) + bin];
  if (2 * bin == n)
    value = make_float2 (0.5f * value.x, 0.5f * value.y);
  out[at] = value;
}

extern "C" cudaError_t
oct_cuda_launch_pad_spectrum (const float2 *in, float2 *out, uint32_t n,
    uint32_t lines, OctCudaQueue queue)
{
  size_t bins = (size_t)lines * (n + 1);

  return launch (queue, pad_spectrum, (uint32_t)((bins + 255) / 256), 256, 0,
      in, out, n, lines);
}
