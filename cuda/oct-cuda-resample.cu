/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Resampling along the A-line: a block keeps one A-line in shared memory and
 * reads it at all positions.
 */
#include "oct-cuda-spline.cuh"

#define MAX_THREADS 1024
#define BATCH 4 /* outputs of a thread that are found together */
/* enough for two A-lines a block, which share the weights */
#define MANY_LINES 500
#define DEFAULT_SHARED (48 * 1024) /* of a block without further ado */

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

/**
 * row[line][0 .. n-1] = coefficients of the spline through in[line][0 .. n-1].
 * ends: [Lines][2][blockDim.x + 2] in shared memory.  Whole: the block holds
 * all chunks at once, in registers; else it walks over the rows and back.
 */
template <bool Whole, int Lines>
__device__ __forceinline__ void
find_coefficients (const float *const (&in)[Lines], bool aligned,
    uint32_t length, float *ends, float *row, uint32_t pitch)
{
  uint32_t threads = blockDim.x, t = threadIdx.x;
  uint32_t turn = threads * CHUNK, step = 2 * (threads + 2);
  uint32_t last = Whole ? 0 : (length - 1) / turn * turn;
  float *backward = ends + threads + 2;
  float v[Lines][CHUNK];

  for (uint32_t first = 0; first <= last; first += turn) {
    Chunk chunk (first + t * CHUNK, length);
#pragma unroll
    for (int l = 0; l < Lines; l++)
      read_chunk (in[l], aligned, chunk, v[l]);
    for_lines<Lines> (chunk, [&] (auto inside, int l) {
      eliminate<decltype (inside)::value> (chunk, v[l]);
    });
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      if (t < 2 && first == 0)
        ends[l * step + t] = 0;
      ends[l * step + t + 2] = v[l][CHUNK - 1];
    }
    __syncthreads ();
    for_lines<Lines> (chunk, [&] (auto inside, int l) {
      const float *before = ends + l * step + t;
      carry_forward<decltype (inside)::value> (
          chunk, before[1] + chunk_a * before[0], v[l]);
    });
    if constexpr (!Whole) {
      write_chunk (row, chunk, v[0]);
      __syncthreads ();
      if (t < 2)
        ends[t] = ends[threads + t];
      __syncthreads ();
    }
  }
  for (uint32_t turns = last / turn + 1; turns-- > 0;) {
    uint32_t first = turns * turn;
    Chunk chunk (first + t * CHUNK, length);
    if constexpr (!Whole)
      read_chunk (row, false, chunk, v[0]);
    for_lines<Lines> (chunk, [&] (auto inside, int l) {
      substitute<decltype (inside)::value> (chunk, v[l]);
    });
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      if (t < 2 && first == last)
        backward[l * step + threads + t] = 0;
      backward[l * step + t] = v[l][0];
    }
    __syncthreads ();
    for_lines<Lines> (chunk, [&] (auto inside, int l) {
      const float *behind = backward + l * step + t;
      carry_backward<decltype (inside)::value> (
          chunk, behind[1] + chunk_a * behind[2], v[l]);
    });
#pragma unroll
    for (int l = 0; l < Lines; l++)
      write_chunk (row + l * pitch, chunk, v[l]);
    if constexpr (!Whole) {
      __syncthreads ();
      if (t < 2)
        backward[threads + t] = backward[t];
      __syncthreads ();
    }
  }
}

__device__ __forceinline__ float
sum_taps (float4 weights, const float *values)
{
  return weights.x * values[0] + weights.y * values[1] + weights.z * values[2]
         + weights.w * values[3];
}

/* result[line] of output j of all lines of the block */
template <OctCudaResampleMethod Method, int Lines>
__device__ __forceinline__ void
read_position (const OctCudaResample &p, const float *row, uint32_t pitch,
    uint32_t j, float (&result)[Lines])
{
  const float *values = row + __ldg (&p.first[j]);

  if constexpr (Method == OCT_CUDA_RESAMPLE_LINEAR) {
    float2 weights = __ldg ((const float2 *)p.weights + j);
#pragma unroll
    for (int l = 0; l < Lines; l++)
      result[l] =
          weights.x * values[l * pitch] + weights.y * values[l * pitch + 1];
  } else {
    float4 weights = __ldg ((const float4 *)p.weights + j);
#pragma unroll
    for (int l = 0; l < Lines; l++)
      result[l] = sum_taps (weights, values + l * pitch);
  }
  if constexpr (Method == OCT_CUDA_RESAMPLE_LANCZOS) {
    float4 weights = __ldg ((const float4 *)p.weights + p.rows.samples + j);
#pragma unroll
    for (int l = 0; l < Lines; l++)
      result[l] += sum_taps (weights, values + l * pitch + 4);
  }
}

/* BATCH outputs are found before the first is written, so that their taps are
 * read together. */
template <OctCudaResampleMethod Method, int Lines>
__device__ __forceinline__ void
read_positions (const OctCudaResample &p, const float *row, uint32_t pitch,
    float *const (&out)[Lines])
{
  uint32_t threads = blockDim.x, samples = p.rows.samples;

  for (uint32_t j = threadIdx.x; j < samples; j += BATCH * threads) {
    float results[BATCH][Lines];
#pragma unroll
    for (int i = 0; i < BATCH; i++)
      read_position<Method, Lines> (
          p, row, pitch, min (j + i * threads, samples - 1), results[i]);
#pragma unroll
    for (int i = 0; i < BATCH; i++)
#pragma unroll
      for (int l = 0; l < Lines; l++)
        if (j + i * threads < samples && out[l])
          out[l][j + i * threads] = results[i][l];
  }
}

/* Lines: that a block holds at once, 1 where it is not Whole. */
template <OctCudaResampleMethod Method, bool Whole, int Lines, bool Scratch>
__global__ void
__launch_bounds__ (MAX_THREADS, Lines > 1 ? 1 : THREADS_PER_SM / MAX_THREADS)
    resample (OctCudaResample p, bool aligned)
{
  extern __shared__ float4 shared[];
  float *ends = (float *)shared;
  uint32_t pitch = GUARD + padded_length (p.length) + GUARD;
  float *row = Scratch ? p.scratch + (size_t)blockIdx.x * pitch
                       : ends + Lines * 2 * (blockDim.x + 2);

  begin_kernel ();
  if (threadIdx.x < 2 * GUARD * Lines) {
    uint32_t i = threadIdx.x % (2 * GUARD);
    row[threadIdx.x / (2 * GUARD) * pitch
        + (i < GUARD ? i : pitch - 2 * GUARD + i)] = 0;
  }
  row += GUARD;
  for (uint32_t first = blockIdx.x * Lines; first < p.rows.lines;
       first += gridDim.x * Lines) {
    const float *in[Lines];
    float *out[Lines];
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      uint32_t line = min (first + l, p.rows.lines - 1);
      in[l] = row_of ((const float *)p.rows.in, p.rows.in_stride, line);
      out[l] = line == first + l
                   ? row_of ((float *)p.rows.out, p.rows.out_stride, line)
                   : NULL;
    }
    if constexpr (Method == OCT_CUDA_RESAMPLE_CUBIC) {
      find_coefficients<Whole, Lines> (in, aligned, p.length, ends, row, pitch);
    } else {
      for (uint32_t i = threadIdx.x * CHUNK; i < p.length;
           i += blockDim.x * CHUNK) {
        Chunk chunk (i, p.length);
        float v[Lines][CHUNK];
#pragma unroll
        for (int l = 0; l < Lines; l++)
          read_chunk (in[l], aligned, chunk, v[l]);
#pragma unroll
        for (int l = 0; l < Lines; l++)
          write_chunk (row + l * pitch, chunk, v[l]);
      }
    }
    __syncthreads ();
    read_positions<Method, Lines> (p, row, pitch, out);
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

static size_t
line_bytes (uint32_t length)
{
  return ends_bytes (length) + oct_cuda_resample_row (length) * sizeof (float);
}

extern "C" cudaError_t
oct_cuda_resample_prepare (uint32_t length, int *fits)
{
  int device, most;
  cudaError_t status = cudaGetDevice (&device);
  const void *kernels[] = {
    (const void *)resample<OCT_CUDA_RESAMPLE_CUBIC, true, 1, false>,
    (const void *)resample<OCT_CUDA_RESAMPLE_CUBIC, false, 1, false>,
    (const void *)resample<OCT_CUDA_RESAMPLE_LINEAR, true, 1, false>,
    (const void *)resample<OCT_CUDA_RESAMPLE_LANCZOS, true, 1, false>,
  };

  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (
        &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (status != cudaSuccess)
    return status;
  *fits = line_bytes (length) <= (size_t)most;
  if (!*fits || line_bytes (length) <= DEFAULT_SHARED)
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

template <OctCudaResampleMethod Method>
static cudaError_t
launch_method (const OctCudaResample *p, OctCudaQueue queue)
{
  constexpr bool cubic = Method == OCT_CUDA_RESAMPLE_CUBIC;
  bool aligned = is_aligned (p->rows.in, p->rows.in_stride, sizeof (float4));
  uint32_t threads = threads_for (p->length), lines = p->rows.lines;
  size_t bytes = line_bytes (p->length);

  if (p->scratch)
    return launch (queue, resample<Method, !cubic, 1, true>, p->blocks, threads,
        ends_bytes (p->length), *p, aligned);
  if (cubic && p->length > threads * CHUNK)
    return launch (queue, resample<Method, !cubic, 1, false>, lines, threads,
        bytes, *p, aligned);
  if (lines >= MANY_LINES && 2 * bytes <= DEFAULT_SHARED)
    return launch (queue, resample<Method, true, 2, false>, (lines + 1) / 2,
        threads, 2 * bytes, *p, aligned);
  return launch (queue, resample<Method, true, 1, false>, lines, threads, bytes,
      *p, aligned);
}

extern "C" cudaError_t
oct_cuda_launch_resample (const OctCudaResample *p, OctCudaQueue queue)
{
  switch (p->method) {
  case OCT_CUDA_RESAMPLE_LINEAR:
    return launch_method<OCT_CUDA_RESAMPLE_LINEAR> (p, queue);
  case OCT_CUDA_RESAMPLE_LANCZOS:
    return launch_method<OCT_CUDA_RESAMPLE_LANCZOS> (p, queue);
  default:
    return launch_method<OCT_CUDA_RESAMPLE_CUBIC> (p, queue);
  }
}

/* One thread per bin of the result. */
static __global__ void
pad_spectrum (
    const float2 *in, size_t pitch, float2 *out, uint32_t n, uint32_t lines)
{
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  size_t line = at / (n + 1);
  uint32_t bin = (uint32_t)(at % (n + 1));
  float2 value = make_float2 (0, 0);

  begin_kernel ();
  if (line >= lines)
    return;
  if (bin <= n / 2)
    value = in[line * pitch + bin];
  if (2 * bin == n)
    value = make_float2 (0.5f * value.x, 0.5f * value.y);
  out[at] = value;
}

extern "C" cudaError_t
oct_cuda_launch_pad_spectrum (const float2 *in, size_t pitch, float2 *out,
    uint32_t n, uint32_t lines, OctCudaQueue queue)
{
  size_t bins = (size_t)lines * (n + 1);

  return launch (queue, pad_spectrum, (uint32_t)((bins + 255) / 256), 256, 0,
      in, pitch, out, n, lines);
}
