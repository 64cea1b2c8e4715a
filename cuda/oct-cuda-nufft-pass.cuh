/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Counts to powers with the non-uniform FFT, in one pass over memory: what the
 * operations background, dispersion, nufft and the first half of logscale do
 * one by one.
 *
 * As in oct-cuda-nufft-fused.cu there is one block for every processor, which
 * keeps the weights in shared memory, and groups of threads in it that take
 * A-lines of their own.  Samples are counts when they are read, all of an
 * A-line at once, while the one before is being transformed; the background is
 * removed as oct-cuda-pass-parts.cuh does, on their way to shared memory.
 * There a real sample becomes a complex one where dispersion is compensated,
 * times a factor which also shifts the selected modes to 0.
 */
#pragma once

#include "oct-cuda-nufft-parts.cuh"
#include "oct-cuda-pass-parts.cuh"

#include <cuda_pipeline.h>

/* shared memory that is not asked for by size */
#define STATIC_BYTES 64

template <int Size, bool Complex, int Lines> struct NufftPass {
  typedef Layout<Size, Complex, Lines> Groups;
  static constexpr int values = Groups::values, threads = Groups::threads;
  /* 255 registers for every thread: with less, shared memory leaves no room in
   * the cache for values that are put aside */
  static constexpr int max_threads = 256;
  static constexpr int max_groups =
      max_threads / threads < 8 ? max_threads / threads : 8;
  static constexpr int warps = threads * max_groups / 32;
  /* of a thread and line: there are no more samples than real cells, or complex
   * ones */
  static constexpr int chunks =
      (values * (Complex ? 1 : 2) + CHUNK - 1) / CHUNK;
};

/* ---------------------------------------------------------------- samples */

/* CHUNK counts of 8 or 16 bit as they come. */
struct Counts {
  uint32_t words[4];

  template <typename Sample>
  __device__ __forceinline__ void put (const Octet<Sample> &octet)
  {
    const uint32_t *from = (const uint32_t *)&octet.v;
#pragma unroll
    for (int i = 0; i < (int)(sizeof (octet.v) / 4); i++)
      words[i] = from[i];
  }
  template <typename Sample>
  __device__ __forceinline__ Octet<Sample> get () const
  {
    Octet<Sample> octet;
    uint32_t *to = (uint32_t *)&octet.v;
#pragma unroll
    for (int i = 0; i < (int)(sizeof (octet.v) / 4); i++)
      to[i] = words[i];
    return octet;
  }
};

/* Where the address allows no wider access, or at the end of the row; zeros
 * after the last sample.  Out of line: many copies of it would push the rest
 * of the kernel out of the cache of instructions. */
template <typename Sample>
static __device__ __noinline__ Octet<Sample>
read_each (const Sample *row, uint32_t start, uint32_t samples)
{
  Octet<Sample> octet;
  Sample all[CHUNK];

#pragma unroll
  for (int k = 0; k < CHUNK; k++)
    all[k] = start + k < samples ? row[start + k] : (Sample)0;
  octet.template read<false> (all);
  return octet;
}

/* CHUNK samples from `start` on. */
template <typename Sample>
__device__ __forceinline__ Octet<Sample>
read_octet (const Sample *row, uint32_t start, uint32_t samples, bool whole)
{
  Octet<Sample> octet;

  if (whole && start + CHUNK <= samples)
    octet.template read<true> (row + start);
  else
    octet = read_each (row, start, samples);
  return octet;
}

/* All counts of some lines; chunk h of a thread is number t + h Threads. */
template <int Threads, int Chunks, int Lines>
__device__ __forceinline__ void
read_counts (const OctCudaPass &p, bool whole, uint32_t line, uint32_t t,
    Counts (&raw)[Chunks][Lines])
{
#pragma unroll
  for (int h = 0; h < Chunks; h++) {
    uint32_t start = (t + h * Threads) * CHUNK;
    if (start < p.rows.samples)
#pragma unroll
      for (int l = 0; l < Lines; l++) {
        const void *row = row_of ((const char *)p.rows.in, p.rows.in_stride,
            row_number (p, min (line + l, p.rows.lines - 1)));
        if (p.sample_size == 2)
          raw[h][l].put (
              read_octet ((const uint16_t *)row, start, p.rows.samples, whole));
        else
          raw[h][l].put (
              read_octet ((const uint8_t *)row, start, p.rows.samples, whole));
      }
  }
}

/* Minus the background; the values after the last sample are arbitrary, and may
 * be read: see OCT_MEAN_SIZE. */
template <typename Sample, int Lines>
__device__ __forceinline__ void
subtract (const OctCudaPass &p, uint32_t start,
    const Octet<Sample> (&raw)[Lines], float (&v)[Lines][CHUNK])
{
  if constexpr (sizeof (Sample) < sizeof (float))
    if (p.mode == OCT_CUDA_BACKGROUND_SUMS && p.table != NULL) {
      subtract_sums (p, start, raw, v);
      return;
    }
  if (p.table != NULL) {
    subtract_table (p, start, raw, v);
    return;
  }
#pragma unroll
  for (int l = 0; l < Lines; l++)
#pragma unroll
    for (int k = 0; k < CHUNK; k++)
      v[l][k] = (float)raw[l][k];
}

/* --------------------------------------------------------- shared memory */

/* Parts of a chunk in an order in which eight neighbouring threads never use
 * one bank together. */
template <int Count>
__device__ __forceinline__ void
write_parts (float4 *to, uint32_t turn, float4 (&parts)[Count])
{
#pragma unroll
  for (int step = 1; step < Count; step *= 2)
#pragma unroll
    for (int i = 0; i < Count; i++)
      if ((i & step) == 0) {
        float4 a = parts[i], b = parts[i + step];
        parts[i] = turn & step ? b : a;
        parts[i + step] = turn & step ? a : b;
      }
#pragma unroll
  for (int i = 0; i < Count; i++)
    to[i ^ turn] = parts[i];
}

/* A chunk of real samples, times `scale`, to a line in shared memory, which has
 * room for whole chunks. */
__device__ __forceinline__ void
write_samples (float scale, const float2 *, uint32_t start,
    const float (&v)[CHUNK], float *row)
{
  float4 parts[2] = { make_float4 (v[0] * scale, v[1] * scale, v[2] * scale,
                          v[3] * scale),
    make_float4 (v[4] * scale, v[5] * scale, v[6] * scale, v[7] * scale) };

  write_parts ((float4 *)(row + start), start / (4 * CHUNK) % 2, parts);
}

/* The same of complex ones, times turns[sample], which have the scale. */
__device__ __forceinline__ void
write_samples (float, const float2 *turns, uint32_t start,
    const float (&v)[CHUNK], float2 *row)
{
  float4 parts[4];

#pragma unroll
  for (int i = 0; i < 4; i++) {
    float4 two = __ldg ((const float4 *)(turns + start) + i);
    parts[i] = make_float4 (two.x * v[2 * i], two.y * v[2 * i],
        two.z * v[2 * i + 1], two.w * v[2 * i + 1]);
  }
  write_parts ((float4 *)(row + start), start / (2 * CHUNK) % 4, parts);
}

/* The first samples once more, after the last one. */
template <typename Value, int Threads, int Lines>
__device__ __forceinline__ void
repeat_first (char *memory, uint32_t line_bytes, uint32_t samples,
    uint32_t taps, uint32_t t)
{
#pragma unroll 1
  for (uint32_t i = t; i < taps; i += Threads)
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      Value *row = (Value *)(memory + l * line_bytes);
      row[samples + i] = row[i];
    }
}

/* One chunk of all lines. */
template <typename Sample, int Lines, typename Value>
__device__ __forceinline__ void
write_chunks (const OctCudaPass &p, float scale, const float2 *turns,
    uint32_t start, const Octet<Sample> (&raw)[Lines], char *memory,
    uint32_t line_bytes, Value *)
{
  float v[Lines][CHUNK];

  subtract (p, start, raw, v);
#pragma unroll
  for (int l = 0; l < Lines; l++)
    write_samples (
        scale, turns, start, v[l], (Value *)(memory + l * line_bytes));
}

/* Lines of counts to shared memory. */
template <typename Sample, typename Value, int Threads, int Chunks, int Lines>
__device__ __forceinline__ void
write_counts (const OctCudaPass &p, float scale, const float2 *turns,
    uint32_t t, const Counts (&raw)[Chunks][Lines], char *memory,
    uint32_t line_bytes)
{
#pragma unroll
  for (int h = 0; h < Chunks; h++) {
    uint32_t start = (t + h * Threads) * CHUNK;
    Octet<Sample> octets[Lines];

    if (start >= p.rows.samples)
      break;
#pragma unroll
    for (int l = 0; l < Lines; l++)
      octets[l] = raw[h][l].template get<Sample> ();
    write_chunks (
        p, scale, turns, start, octets, memory, line_bytes, (Value *)NULL);
  }
}

/* Floats, which take twice the registers, are read when they are written. */
template <typename Value, int Threads, int Chunks, int Lines>
__device__ __forceinline__ void
write_floats (const OctCudaPass &p, float scale, const float2 *turns,
    bool whole, uint32_t line, uint32_t t, char *memory, uint32_t line_bytes)
{
#pragma unroll 1
  for (int h = 0; h < Chunks; h++) {
    uint32_t start = (t + h * Threads) * CHUNK;
    Octet<float> octets[Lines];

    if (start >= p.rows.samples)
      break;
#pragma unroll
    for (int l = 0; l < Lines; l++)
      octets[l] =
          read_octet (row_of ((const float *)p.rows.in, p.rows.in_stride,
                          row_number (p, min (line + l, p.rows.lines - 1))),
              start, p.rows.samples, whole);
    write_chunks (
        p, scale, turns, start, octets, memory, line_bytes, (Value *)NULL);
  }
}

/* Lines of any samples. */
template <typename Value, int Threads, int Chunks, int Lines>
__device__ __forceinline__ void
write_lines (const OctCudaPass &p, const OctCudaNufftPass &more, bool whole,
    uint32_t line, uint32_t t, const Counts (&raw)[Chunks][Lines], char *memory,
    uint32_t line_bytes)
{
  if (p.sample_size == 2)
    write_counts<uint16_t, Value, Threads> (
        p, more.scale, more.turns, t, raw, memory, line_bytes);
  else if (p.sample_size == 1)
    write_counts<uint8_t, Value, Threads> (
        p, more.scale, more.turns, t, raw, memory, line_bytes);
  else
    write_floats<Value, Threads, Chunks, Lines> (
        p, more.scale, more.turns, whole, line, t, memory, line_bytes);
}

/* --------------------------------------------------------------- kernel */

/* Bin i of some lines, as A-scans or powers. */
template <int Lines>
__device__ __forceinline__ void
put_bins (const OctCudaPass &p, uint32_t i, uint32_t line,
    const float2 (&bins)[Lines], Extent &extent)
{
#pragma unroll
  for (int l = 0; l < Lines; l++) {
    char *row = row_of ((char *)p.rows.out, p.rows.out_stride,
        row_number (p, min (line + l, p.rows.lines - 1)));

    if (line + l >= p.rows.lines || i >= p.depth_bins)
      continue;
    if (!p.to_power) {
      ((float2 *)row)[i] = bins[l];
    } else {
      float power = exact_power_of (bins[l]);
      ((float *)row)[i] = power;
      extent.add (power);
    }
  }
}

/* The groups of a block take lines, `Lines` at a time, as in fused_nufft().
 * `whole`: chunks of samples are aligned. */
template <int Size, bool Complex, int Lines, bool Shared>
__global__ void
__launch_bounds__ (NufftPass<Size, Complex, Lines>::max_threads, 1) nufft_pass (
    OctCudaPass p, OctCudaFused fused, OctCudaNufftPass more, bool whole)
{
  typedef NufftPass<Size, Complex, Lines> Block;
  typedef typename Cell<Complex>::Sample Sample;
  typedef typename Cell<Complex>::Weight Weight;
  constexpr int values = Block::values, threads = Block::threads;
  constexpr int chunks = Block::chunks;
  extern __shared__ float4 shared[];
  __shared__ uint32_t scratch[2];
  uint32_t t = threadIdx.x % threads, group = threadIdx.x / threads;
  uint32_t groups = blockDim.x / threads;
  uint32_t line = (blockIdx.x + gridDim.x * group) * Lines;
  uint32_t step = gridDim.x * groups * Lines;
  uint32_t lines = p.rows.lines;
  uint32_t pitch =
      line_pitch<Size, Complex, Lines> (p.rows.samples, fused.taps);
  uint32_t line_bytes = pitch * sizeof (float2);
  uint32_t weight_chunks =
      Shared ? fused.taps * Size * sizeof (Weight) / 16 : 0;
  const Weight *weights =
      Shared ? (const Weight *)shared + t : (const Weight *)fused.weights + t;
  char *all = (char *)(shared + weight_chunks);
  char *memory = all + group * line_bytes * Lines;
  Contrast<Block::warps> *contrast =
      (Contrast<Block::warps> *)(all + groups * line_bytes * Lines);
  GroupSync<threads> sync = { 1 + group };
  uint32_t first[values];
  Counts raw[chunks][Lines];
  Extent extent;

  if (threadIdx.x == 0) {
    scratch[0] = OCT_CUDA_NO_LOWEST;
    scratch[1] = ~OCT_CUDA_NO_HIGHEST;
  }
  if (p.find == OCT_CUDA_FIND_CONTRAST)
    contrast->clear ();
  extent.clear ();
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < weight_chunks; i += blockDim.x)
    __pipeline_memcpy_async (shared + i, (const float4 *)fused.weights + i, 16);
  __pipeline_commit ();
  if (!p.is_complete)
    begin_kernel ();
  if (p.sample_size < 4 && line < lines)
    read_counts<threads> (p, whole, line, t, raw);
#pragma unroll
  for (int e = 0; e < values; e++)
    first[e] = __ldg (&fused.first[t + e * threads]) * sizeof (Sample);
  /* otherwise once the samples are on their way */
  if (p.is_complete)
    begin_kernel ();
  __pipeline_wait_prior (0);
  __syncthreads ();
#pragma unroll 1
  for (; line < lines; line += step) {
    write_lines<Sample, threads> (
        p, more, whole, line, t, raw, memory, line_bytes);
    sync ();
    repeat_first<Sample, threads, Lines> (
        memory, line_bytes, p.rows.samples, fused.taps, t);
    sync ();
    if (p.sample_size < 4 && line + step < lines)
      read_counts<threads> (p, whole, line + step, t, raw);
    transform_samples<Size, Complex, threads, Lines> (fused, weights, memory,
        pitch, first, t, sync, [&] (uint32_t i, const float2 (&bins)[Lines]) {
          put_bins (p, i, line, bins, extent);
        });
    sync ();
    if (p.find == OCT_CUDA_FIND_CONTRAST)
      add_rows<threads, Lines> (p, line, t, *contrast);
  }
  if (p.find == OCT_CUDA_FIND_EXTENT)
    extent.flush (scratch, p.statistics + blockIdx.y);
  if (p.find == OCT_CUDA_FIND_CONTRAST
      && contrast->flush (p.statistics + blockIdx.y, scratch))
    finish_contrast (p.statistics + blockIdx.y, (uint32_t *)shared);
}

/* ------------------------------------------------------------ launching */

/* Finds out whether there is a kernel, when there are no lines, or launches
 * it. */
template <int Size, bool Complex, int Lines, bool Shared>
static cudaError_t
use_nufft_kernel (const OctCudaPass *p, const OctCudaFused *fused,
    const OctCudaNufftPass *more, OctCudaQueue queue)
{
  typedef NufftPass<Size, Complex, Lines> Block;
  typedef Contrast<Block::warps> Found;
  auto kernel = nufft_pass<Size, Complex, Lines, Shared>;
  size_t group_bytes =
      sizeof (float2) * Lines
      * line_pitch<Size, Complex, Lines> (p->rows.samples, fused->taps);
  size_t fixed =
      Shared ? fused->taps * Size * sizeof (typename Cell<Complex>::Weight) : 0;
  size_t memory = fused->memory - STATIC_BYTES;
  bool contrast = p->find == OCT_CUDA_FIND_CONTRAST;
  uint32_t wanted = (p->rows.lines + Lines - 1) / Lines, groups, blocks, turns;
  /* that a B-scan can have */
  uint32_t processors = (p->processors + p->bscans - 1) / p->bscans;

  /* with two taps, the fewest */
  static_assert (
      Size * sizeof (float2) * Lines
              + (Shared ? 2 * Size * sizeof (typename Cell<Complex>::Weight)
                        : 0)
          >= HISTOGRAM_PARTS * 32 * sizeof (uint32_t),
      "the histogram of all fits");
  if (p->rows.samples > Block::chunks * CHUNK * Block::threads)
    return cudaErrorInvalidValue;
  if (wanted == 0)
    return fixed + sizeof (Found) + group_bytes > memory
               ? cudaErrorInvalidValue
               : cudaFuncSetAttribute (kernel,
                   cudaFuncAttributeMaxDynamicSharedMemorySize, (int)memory);
  if (contrast)
    fixed += sizeof (Found);
  groups = (uint32_t)((memory - fixed) / group_bytes);
  groups = min (groups, (uint32_t)Block::max_groups);
  groups = min (groups, (wanted + processors - 1) / processors);
  blocks = min (processors, (wanted + groups - 1) / groups);
  if (contrast) {
    /* bins of 16 bits have to count all lines of a block */
    turns = max (1u, HISTOGRAM_FULL / (groups * Lines * p->depth_bins));
    blocks = max (blocks, (wanted + groups * turns - 1) / (groups * turns));
  }
  return launch (queue, kernel, dim3 (blocks, p->bscans),
      groups * Block::threads, fixed + groups * group_bytes, *p, *fused, *more,
      is_aligned (
          p->rows.in, p->rows.in_stride, min (p->sample_size * CHUNK, 16)));
}

template <int Size, bool Complex>
static cudaError_t
use_nufft_size (const OctCudaPass *p, const OctCudaFused *fused,
    const OctCudaNufftPass *more, OctCudaQueue queue)
{
  /* as in oct-cuda-nufft-fused.cu; it makes no difference to complex ones */
  constexpr bool shared =
      Size * sizeof (typename Cell<Complex>::Weight) <= 16384;
  uint32_t once = 2 * p->processors * NufftPass<Size, Complex, 2>::max_groups;

  if constexpr (shared && !Complex)
    if ((uint64_t)p->rows.lines * p->bscans <= once) {
      cudaError_t status =
          use_nufft_kernel<Size, Complex, 2, false> (p, fused, more, queue);
      if (p->rows.lines > 0 || status != cudaSuccess)
        return status;
    }
  return use_nufft_kernel<Size, Complex, 2, shared> (p, fused, more, queue);
}

extern "C" {
cudaError_t oct_cuda_use_real_nufft_pass (const OctCudaPass *p,
    const OctCudaFused *fused, const OctCudaNufftPass *more,
    OctCudaQueue queue);
cudaError_t oct_cuda_use_complex_nufft_pass (const OctCudaPass *p,
    const OctCudaFused *fused, const OctCudaNufftPass *more,
    OctCudaQueue queue);
}
