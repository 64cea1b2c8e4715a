/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Counts to powers in one pass over memory: what the operations background,
 * resample, dispersion, fft and the first half of logscale do one by one.
 *
 * A group of threads takes `Lines` A-lines at a time, which share all tables.
 * The spectrum of the source is removed as count * lines - sum, in whole
 * numbers, and 1 / lines is part of the window.  The spline is that of
 * oct-cuda-spline.cuh, with its weights calculated from the fraction of the
 * position; what is read there goes straight into the registers of the FFT of
 * oct-cuda-butterfly.cuh.  Real A-lines are transformed as half as many complex
 * values (see oct-cuda-fft.cu), so that A-lines never mix.
 *
 * Powers leave with their extent, or what the contrast range needs
 * (oct-cuda-found.cuh).
 *
 * All rows of a block are of one B-scan: its mean, and its statistics.  Several
 * B-scans are rows of the grid of blocks.
 */
#pragma once

#include "oct-cuda-butterfly.cuh"
#include "oct-cuda-found.cuh"
#include "oct-cuda-spline.cuh"

#define VALUES 16 /* complex ones of a thread, of one A-line */
#define LEAST_THREADS 64

static_assert (OCT_CUDA_PASS_GUARD == GUARD, "rows in shared memory");

template <int Length, bool Complex, int Lines> struct Pass {
  static constexpr int size = Complex ? Length : Length / 2; /* of the FFT */
  static constexpr int threads = size / VALUES;              /* of a group */
  static constexpr int groups =
      threads < LEAST_THREADS ? LEAST_THREADS / threads : 1;
  static constexpr int block = groups * threads;
  static constexpr int lines = groups * Lines; /* of a block */
  static constexpr int chunks = Length / CHUNK / threads;
  static constexpr int values = Complex ? VALUES / 2 : VALUES; /* that leave */
  static constexpr int pitch = Steps<size, VALUES>::pitch ();  /* float2 */
  static constexpr int ends = Length / CHUNK + 2; /* of either direction */
  /* two A-lines take 96 registers, one 64 */
  static constexpr int resident = block > 512 / Lines
                                      ? 1
                                      : (Lines > 1 ? 640 : 1024) / block;
  static constexpr size_t bytes =
      lines * (pitch * sizeof (float2) + 2 * ends * sizeof (float));

  static_assert (pitch * 2 >= Length + 2 * GUARD, "a row of samples fits");
  static_assert (pitch * sizeof (float2) % 16 == 0, "rows are aligned");
};

/* ---------------------------------------------------------------- samples */

/* CHUNK samples in a row; Whole: by few accesses, which the address allows. */
template <typename Sample> struct Octet;

template <> struct Octet<uint8_t> {
  uint2 v;
  template <bool Whole>
  __device__ __forceinline__ void read (const uint8_t *from)
  {
    if constexpr (Whole) {
      v = __ldcs ((const uint2 *)from);
    } else {
      v.x = from[0] | from[1] << 8 | from[2] << 16 | (uint32_t)from[3] << 24;
      v.y = from[4] | from[5] << 8 | from[6] << 16 | (uint32_t)from[7] << 24;
    }
  }
  __device__ __forceinline__ uint32_t operator[] (int k) const
  {
    return (k < 4 ? v.x : v.y) >> k % 4 * 8 & 0xff;
  }
};

template <> struct Octet<uint16_t> {
  uint4 v;
  template <bool Whole>
  __device__ __forceinline__ void read (const uint16_t *from)
  {
    if constexpr (Whole)
      v = __ldcs ((const uint4 *)from);
    else
      v = make_uint4 (from[0] | (uint32_t)from[1] << 16,
          from[2] | (uint32_t)from[3] << 16, from[4] | (uint32_t)from[5] << 16,
          from[6] | (uint32_t)from[7] << 16);
  }
  __device__ __forceinline__ uint32_t operator[] (int k) const
  {
    uint32_t two = k < 2 ? v.x : k < 4 ? v.y : k < 6 ? v.z : v.w;
    return k % 2 ? two >> 16 : two & 0xffff;
  }
};

template <> struct Octet<float> {
  float v[CHUNK];
  template <bool Whole> __device__ __forceinline__ void read (const float *from)
  {
    if constexpr (Whole) {
      float4 a = __ldcs ((const float4 *)from);
      float4 b = __ldcs ((const float4 *)from + 1);
      float all[CHUNK] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
#pragma unroll
      for (int k = 0; k < CHUNK; k++)
        v[k] = all[k];
    } else {
#pragma unroll
      for (int k = 0; k < CHUNK; k++)
        v[k] = from[k];
    }
  }
  __device__ __forceinline__ float operator[] (int k) const
  {
    return v[k];
  }
};

/* The background of the B-scan of this block. */
template <typename Entry>
__device__ __forceinline__ const Entry *
background_of (const OctCudaPass &p, uint32_t start)
{
  return (const Entry *)((const char *)p.table + blockIdx.y * p.table_step)
         + start;
}

/* CHUNK samples minus the background, at once for all lines. */
template <typename Sample, int Lines>
__device__ __forceinline__ void
subtract_sums (const OctCudaPass &p, uint32_t start,
    const Octet<Sample> (&raw)[Lines], float (&v)[Lines][CHUNK])
{
  const uint4 *from = (const uint4 *)background_of<uint32_t> (p, start);
  uint4 a = from[0], b = from[1];
  uint32_t sums[CHUNK] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };

#pragma unroll
  for (int l = 0; l < Lines; l++)
#pragma unroll
    for (int k = 0; k < CHUNK; k++) /* exact */
      v[l][k] = (float)(int32_t)((uint32_t)raw[l][k] * p.rows.lines - sums[k]);
}

template <typename Sample, int Lines>
__device__ __forceinline__ void
subtract_table (const OctCudaPass &p, uint32_t start,
    const Octet<Sample> (&raw)[Lines], float (&v)[Lines][CHUNK])
{
  const float4 *from = (const float4 *)background_of<float2> (p, start);

#pragma unroll
  for (int k = 0; k < CHUNK; k += 2) {
    float4 two = from[k / 2];
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      v[l][k] = ((float)raw[l][k] - two.x) - two.y;
      v[l][k + 1] = ((float)raw[l][k + 1] - two.z) - two.w;
    }
  }
}

template <bool Whole, typename Sample, int Threads, int Chunks, int Lines>
__device__ __forceinline__ void
read_raw (const OctCudaPass &p, uint32_t line, uint32_t t,
    Octet<Sample> (&raw)[Chunks][Lines])
{
#pragma unroll
  for (int h = 0; h < Chunks; h++)
#pragma unroll
    for (int l = 0; l < Lines; l++)
      raw[h][l].template read<Whole> (
          row_of ((const Sample *)p.rows.in, p.rows.in_stride,
              row_number (p, min (line + l, p.rows.lines - 1)))
          + (t + h * Threads) * CHUNK);
}

/* Chunk h of a thread is number t + h Threads.  All samples are on their way
 * before the first is used, and before the mean has to be there. */
template <typename Sample, int Threads, int Chunks, int Lines>
__device__ __forceinline__ void
read_rows (const OctCudaPass &p, bool whole, uint32_t line, uint32_t t,
    float (&v)[Chunks][Lines][CHUNK])
{
  Octet<Sample> raw[Chunks][Lines];

  if (whole)
    read_raw<true, Sample, Threads> (p, line, t, raw);
  else
    read_raw<false, Sample, Threads> (p, line, t, raw);
  begin_kernel ();
  if (p.table == NULL) {
#pragma unroll
    for (int h = 0; h < Chunks; h++)
#pragma unroll
      for (int l = 0; l < Lines; l++)
#pragma unroll
        for (int k = 0; k < CHUNK; k++)
          v[h][l][k] = (float)raw[h][l][k];
    return;
  }
  if constexpr (sizeof (Sample) < sizeof (float))
    if (p.mode == OCT_CUDA_BACKGROUND_SUMS) {
#pragma unroll
      for (int h = 0; h < Chunks; h++)
        subtract_sums (p, (t + h * Threads) * CHUNK, raw[h], v[h]);
      return;
    }
#pragma unroll
  for (int h = 0; h < Chunks; h++)
    subtract_table (p, (t + h * Threads) * CHUNK, raw[h], v[h]);
}

template <int Threads, int Chunks, int Lines>
__device__ __forceinline__ void
read_samples (const OctCudaPass &p, bool whole, uint32_t line, uint32_t t,
    float (&v)[Chunks][Lines][CHUNK])
{
  if (p.sample_size == 2)
    read_rows<uint16_t, Threads> (p, whole, line, t, v);
  else if (p.sample_size == 1)
    read_rows<uint8_t, Threads> (p, whole, line, t, v);
  else
    read_rows<float, Threads> (p, whole, line, t, v);
}

/* ------------------------------------------------------------- resampling */

/* v: samples to coefficients of the spline.  ends: [Lines][2][Ends] in shared
 * memory, of this group alone; all threads of the block take part. */
template <int Length, int Threads, int Chunks, int Lines>
__device__ __forceinline__ void
solve_spline (uint32_t t, float *ends, float (&v)[Chunks][Lines][CHUNK])
{
  constexpr int count = Length / CHUNK + 2;

#pragma unroll
  for (int l = 0; l < Lines; l++)
    if (t < 2) {
      ends[2 * l * count + t] = 0;
      ends[(2 * l + 1) * count + count - 2 + t] = 0;
    }
#pragma unroll
  for (int h = 0; h < Chunks; h++) {
    Chunk chunk ((t + h * Threads) * CHUNK, Length);
    for_lines<Lines> (chunk, [&] (auto inside, int l) {
      eliminate<decltype (inside)::value> (chunk, v[h][l]);
    });
#pragma unroll
    for (int l = 0; l < Lines; l++)
      ends[2 * l * count + t + h * Threads + 2] = v[h][l][CHUNK - 1];
  }
  __syncthreads ();
#pragma unroll
  for (int h = 0; h < Chunks; h++) {
    Chunk chunk ((t + h * Threads) * CHUNK, Length);
    for_lines<Lines> (chunk, [&] (auto inside, int l) {
      const float *before = ends + 2 * l * count + t + h * Threads;
      carry_forward<decltype (inside)::value> (
          chunk, before[1] + chunk_a * before[0], v[h][l]);
    });
    for_lines<Lines> (chunk, [&] (auto inside, int l) {
      substitute<decltype (inside)::value> (chunk, v[h][l]);
    });
#pragma unroll
    for (int l = 0; l < Lines; l++)
      ends[(2 * l + 1) * count + t + h * Threads] = v[h][l][0];
  }
  __syncthreads ();
#pragma unroll
  for (int h = 0; h < Chunks; h++) {
    Chunk chunk ((t + h * Threads) * CHUNK, Length);
    for_lines<Lines> (chunk, [&] (auto inside, int l) {
      const float *behind = ends + (2 * l + 1) * count + t + h * Threads;
      carry_backward<decltype (inside)::value> (
          chunk, behind[1] + chunk_a * behind[2], v[h][l]);
    });
  }
}

/* v to rows in shared memory, [Lines][GUARD + Length + GUARD] `pitch` floats
 * apart; Cubic: with the coefficient before and the one after. */
template <int Length, int Threads, bool Cubic, int Chunks, int Lines>
__device__ __forceinline__ void
write_rows (uint32_t t, float *rows, uint32_t pitch,
    const float (&v)[Chunks][Lines][CHUNK])
{
#pragma unroll
  for (int h = 0; h < Chunks; h++) {
    Chunk chunk ((t + h * Threads) * CHUNK, Length);
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      float *row = rows + l * pitch + GUARD;
      write_chunk (row, chunk, v[h][l]);
      if (Cubic && chunk.start == 0)
        row[-1] = 2 * v[h][l][0] - v[h][l][1];
      if (Cubic && chunk.start + CHUNK == Length)
        row[Length] = 2 * v[h][l][CHUNK - 1] - v[h][l][CHUNK - 2];
    }
  }
  if (!Cubic && t < 2 * GUARD)
#pragma unroll
    for (int l = 0; l < Lines; l++)
      rows[l * pitch + (t < GUARD ? t : Length + t)] = 0;
}

/* Values at position j of all lines, without their factors; entry:
 * p.positions[j]. */
template <OctCudaPassMethod Method, int Lines>
__device__ __forceinline__ void
read_position (const OctCudaPass &p, const float *rows, uint32_t pitch,
    uint32_t j, float4 entry, float (&values)[Lines])
{
  const float *from = rows + __float_as_uint (entry.x);
  float f = entry.y, g = 1 - f;

  if constexpr (Method == OCT_CUDA_PASS_CUBIC) {
    /* the sixth is part of the factors */
    float f2 = f * f, g2 = g * g, w0 = g * g2, w3 = f * f2;
    float w1 = fmaf (f2, fmaf (3, f, -6), 4);
    float w2 = fmaf (g2, fmaf (3, g, -6), 4);
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      const float *c = from + l * pitch;
      values[l] = w0 * c[0] + w1 * c[1] + w2 * c[2] + w3 * c[3];
    }
  } else if constexpr (Method == OCT_CUDA_PASS_LINEAR) {
#pragma unroll
    for (int l = 0; l < Lines; l++)
      values[l] = g * from[l * pitch] + f * from[l * pitch + 1];
  } else if constexpr (Method == OCT_CUDA_PASS_LANCZOS) {
    float4 a = __ldg (&p.taps[j]), b = __ldg (&p.taps[p.rows.samples + j]);
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      const float *c = from + l * pitch;
      values[l] = a.x * c[0] + a.y * c[1] + a.z * c[2] + a.w * c[3]
                  + (b.x * c[4] + b.y * c[5] + b.z * c[6] + b.w * c[7]);
    }
  } else {
#pragma unroll
    for (int l = 0; l < Lines; l++)
      values[l] = from[l * pitch];
  }
}

/* x[l][e]: value t + e Threads of the FFT. */
template <OctCudaPassMethod Method, bool Complex, int Threads, int Lines>
__device__ __forceinline__ void
read_positions (const OctCudaPass &p, const float *rows, uint32_t pitch,
    uint32_t t, float2 (&x)[Lines][VALUES])
{
#pragma unroll
  for (int e = 0; e < VALUES; e++) {
    uint32_t j = t + e * Threads;
    float values[Lines];
    if constexpr (Complex) {
      float4 entry = __ldg (&p.positions[j]);
      read_position<Method> (p, rows, pitch, j, entry, values);
#pragma unroll
      for (int l = 0; l < Lines; l++)
        x[l][e] = make_float2 (values[l] * entry.z, values[l] * entry.w);
    } else {
      float4 entry = __ldg (&p.positions[2 * j]);
      float4 next = __ldg (&p.positions[2 * j + 1]);
      float others[Lines];
      read_position<Method> (p, rows, pitch, 2 * j, entry, values);
      read_position<Method> (p, rows, pitch, 2 * j + 1, next, others);
#pragma unroll
      for (int l = 0; l < Lines; l++)
        x[l][e] = make_float2 (values[l] * entry.z, others[l] * next.z);
    }
  }
}

/* Z in x to the spectra of the real A-lines: bins t + e Threads. */
template <int Size, int Threads, int Lines>
__device__ __forceinline__ void
split_real (const OctCudaPass &p, float2 *memory, uint32_t pitch, uint32_t t,
    float2 (&x)[Lines][VALUES])
{
  __syncthreads ();
#pragma unroll
  for (int l = 0; l < Lines; l++)
#pragma unroll
    for (int e = 0; e < VALUES; e++)
      memory[l * pitch + t + e * Threads] = x[l][e];
  __syncthreads ();
#pragma unroll
  for (int e = 0; e < VALUES; e++) {
    uint32_t q = t + e * Threads;
    float2 turn = __ldg (&p.turns[q]);
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      float2 a = x[l][e], b = memory[l * pitch + (Size - q) % Size];
      float2 conjugate = make_float2 (b.x, -b.y);
      x[l][e] = (a + conjugate) + turn_back (turn * (a - conjugate));
    }
  }
}

/* ----------------------------------------------------------------- kernel */

/* A-scans or powers of bins t + e Threads, e < Values. */
template <int Threads, int Values, int Lines>
__device__ __forceinline__ void
store (const OctCudaPass &p, const float2 (&x)[Lines][VALUES], uint32_t t,
    uint32_t line, Extent &extent)
{
  bool is_line[Lines];

#pragma unroll
  for (int l = 0; l < Lines; l++)
    is_line[l] = line + l < p.rows.lines;
  if (!p.to_power) {
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      float2 *out = row_of (
          (float2 *)p.rows.out, p.rows.out_stride, row_number (p, line + l));
#pragma unroll
      for (int e = 0; e < Values; e++) {
        uint32_t i = t + e * Threads - p.depth_start;
        if (is_line[l] && i < p.depth_bins)
          out[i] = x[l][e];
      }
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < Values; e++) {
    uint32_t i = t + e * Threads - p.depth_start;
#pragma unroll
    for (int l = 0; l < Lines; l++) {
      float power = exact_power_of (x[l][e]);
      if (is_line[l] && i < p.depth_bins) {
        row_of ((float *)p.rows.out, p.rows.out_stride,
            row_number (p, line + l))[i] = power;
        extent.add (power);
      }
    }
  }
}

template <int Length, bool Complex, int Lines, bool Cubic>
__global__ void
__launch_bounds__ (Pass<Length, Complex, Lines>::block,
    Pass<Length, Complex, Lines>::resident) run_pass (OctCudaPass p, bool whole)
{
  typedef Pass<Length, Complex, Lines> Block;
  constexpr int threads = Block::threads, pitch = Block::pitch;
  constexpr int warps = Block::block / 32;
  extern __shared__ float4 shared[];
  __shared__ uint32_t scratch[2];
  uint32_t t = threadIdx.x % threads, group = threadIdx.x / threads;
  float2 *all = (float2 *)shared, *memory = all + group * Lines * pitch;
  float *ends =
      (float *)(all + Block::lines * pitch) + group * Lines * 2 * Block::ends;
  Contrast<warps> *contrast =
      (Contrast<warps> *)((char *)shared + Block::bytes);
  Extent extent;

  if (threadIdx.x == 0) {
    scratch[0] = OCT_CUDA_NO_LOWEST;
    scratch[1] = ~OCT_CUDA_NO_HIGHEST;
  }
  if (p.find == OCT_CUDA_FIND_CONTRAST)
    contrast->clear ();
  extent.clear ();
  /* otherwise once the samples are on their way */
  if (!p.is_complete)
    begin_kernel ();
#pragma unroll 1
  for (uint32_t first = blockIdx.x * Block::lines; first < p.rows.lines;
       first += gridDim.x * Block::lines) {
    uint32_t line = first + group * Lines;
    float2 x[Lines][VALUES];
    float v[Block::chunks][Lines][CHUNK];

    read_samples<threads> (p, whole, line, t, v);
    if constexpr (Cubic)
      solve_spline<Length, threads> (t, ends, v);
    write_rows<Length, threads, Cubic> (t, (float *)memory, 2 * pitch, v);
    __syncthreads ();
    if constexpr (Cubic)
      read_positions<OCT_CUDA_PASS_CUBIC, Complex, threads> (
          p, (const float *)memory, 2 * pitch, t, x);
    else if (p.method == OCT_CUDA_PASS_LINEAR)
      read_positions<OCT_CUDA_PASS_LINEAR, Complex, threads> (
          p, (const float *)memory, 2 * pitch, t, x);
    else if (p.method == OCT_CUDA_PASS_LANCZOS)
      read_positions<OCT_CUDA_PASS_LANCZOS, Complex, threads> (
          p, (const float *)memory, 2 * pitch, t, x);
    else
      read_positions<OCT_CUDA_PASS_UNIFORM, Complex, threads> (
          p, (const float *)memory, 2 * pitch, t, x);
    __syncthreads ();
    transform_lines<Block::size, Complex ? 1 : 2> (
        x, t, p.turns, memory, pitch, BlockSync ());
    if constexpr (!Complex)
      split_real<Block::size, threads> (p, memory, pitch, t, x);
    store<threads, Block::values> (p, x, t, line, extent);
    __syncthreads ();
    if (p.find == OCT_CUDA_FIND_CONTRAST)
      add_rows<threads, Lines> (p, line, t, *contrast);
  }
  if (p.find == OCT_CUDA_FIND_EXTENT)
    extent.flush (scratch, p.statistics + blockIdx.y);
  if (p.find == OCT_CUDA_FIND_CONTRAST
      && contrast->flush (p.statistics + blockIdx.y, scratch))
    finish_contrast (p.statistics + blockIdx.y, (uint32_t *)shared);
}

/* -------------------------------------------------------------- launching */

/* blocks for every processor from which on two A-lines share a thread: with
 * fewer, there is too little to do for all of them */
#define MANY_BLOCKS 3

/* From so many A-lines on two share a thread.  Complex ones that are all on the
 * chip at the same time, one in each thread, are done sooner that way: 17.5 us
 * in place of 19.0 for 1000 A-lines of 2048 samples with mean and map, on an
 * H200. Real ones, and those that are counted for the contrast range, are
 * not. */
template <int Length, bool Complex>
static uint64_t
lines_for_two (const OctCudaPass *p)
{
  uint64_t least =
      (uint64_t)MANY_BLOCKS * p->processors * Pass<Length, Complex, 2>::lines;
  uint64_t at_once = (uint64_t)p->processors
                     * Pass<Length, Complex, 1>::resident
                     * Pass<Length, Complex, 1>::lines;

  return Complex && p->find != OCT_CUDA_FIND_CONTRAST && at_once >= least
             ? at_once + 1
             : least;
}
/* blocks that are started one after the other, where each counts on its own */
#define WAVES 3

/* Finds out whether there is a kernel, when there are no lines, or launches. */
template <int Length, bool Complex, int Lines, bool Cubic>
static cudaError_t
use_kernel (const OctCudaPass *p, OctCudaQueue queue)
{
  typedef Pass<Length, Complex, Lines> Block;
  auto kernel = run_pass<Length, Complex, Lines, Cubic>;
  bool contrast = p->find == OCT_CUDA_FIND_CONTRAST;
  size_t most = Block::bytes + sizeof (Contrast<Block::block / 32>);
  uint32_t blocks = (p->rows.lines + Block::lines - 1) / Block::lines;
  uint32_t turns = 1, room = p->processors * Block::resident * WAVES;

  static_assert (Block::bytes >= HISTOGRAM_PARTS * 32 * sizeof (uint32_t),
      "the histogram of all fits");
  static_assert (Block::lines * (Length / 2) <= HISTOGRAM_FULL,
      "bins of 16 bits can count all");
  if (p->rows.lines == 0)
    return cudaFuncSetAttribute (
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most);
  if (contrast) {
    /* fewer blocks have fewer histograms to add */
    turns = (uint32_t)(((uint64_t)blocks * p->bscans + room - 1) / room);
    turns = min (turns, HISTOGRAM_FULL / (Block::lines * (Length / 2)));
  }
  /* The small blocks of real A-lines pile up on few processors when they are
   * placed beside those of the mean: 29.6 us instead of 20.3 us for 1000 A-lines
   * of 2048 samples on an H200. */
  queue.overlap = queue.overlap && Complex;
  return launch (queue, kernel, dim3 ((blocks + turns - 1) / turns, p->bscans),
      Block::block, contrast ? most : Block::bytes, *p,
      is_aligned (
          p->rows.in, p->rows.in_stride, min (p->sample_size * CHUNK, 16)));
}

template <int Length, bool Complex, int Lines>
static cudaError_t
use_lines (const OctCudaPass *p, OctCudaQueue queue)
{
  return p->method == OCT_CUDA_PASS_CUBIC
             ? use_kernel<Length, Complex, Lines, true> (p, queue)
             : use_kernel<Length, Complex, Lines, false> (p, queue);
}

template <int Length, bool Complex>
static cudaError_t
use_length (const OctCudaPass *p, OctCudaQueue queue)
{
  /* two of the longest leave room for nothing else */
  if constexpr (Length < 8192 || !Complex) {
    if (p->rows.lines == 0
        || (uint64_t)p->rows.lines * p->bscans
               >= lines_for_two<Length, Complex> (p)) {
      cudaError_t status = use_lines<Length, Complex, 2> (p, queue);
      if (p->rows.lines > 0 || status != cudaSuccess)
        return status;
    }
  }
  return use_lines<Length, Complex, 1> (p, queue);
}

/* oct_cuda_launch_pass() of real or complex A-lines; of no lines,
 * oct_cuda_pass_prepare(): an error where there is no kernel. */
template <bool Complex>
static cudaError_t
use_pass (const OctCudaPass *p, OctCudaQueue queue)
{
  switch (p->rows.samples) {
  case 256:
    return use_length<256, Complex> (p, queue);
  case 512:
    return use_length<512, Complex> (p, queue);
  case 1024:
    return use_length<1024, Complex> (p, queue);
  case 2048:
    return use_length<2048, Complex> (p, queue);
  case 4096:
    return use_length<4096, Complex> (p, queue);
  case 8192:
    return use_length<8192, Complex> (p, queue);
  default:
    return cudaErrorInvalidValue;
  }
}

extern "C" {
cudaError_t oct_cuda_use_real_pass (const OctCudaPass *p, OctCudaQueue queue);
cudaError_t oct_cuda_use_complex_pass (
    const OctCudaPass *p, OctCudaQueue queue);
}
