/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The non-uniform FFT of samples in shared memory, by groups of threads with
 * A-lines of their own: cells to the registers of an FFT, deconvolved bins
 * out.
 *
 * Real samples give real cells; two of them are one value of an FFT of half
 * the length (see oct-cuda-fft.cu); complex cells are a value each.  A value
 * has one first sample and as many weights as the most any value needs; samples
 * are taken round the circle, so that the cells which both ends of the nodes
 * reach are not an exception.
 */
#pragma once

#include "oct-cuda-butterfly.cuh"

/* Lines of one thread */
template <int Size, bool Complex, int Lines> struct Layout {
  static constexpr int values = Size % 5 == 0 ? 20 : Size % 3 == 0 ? 24 : 16;
  static constexpr int threads = Size / values; /* of one group */
  /* groups of a block, each on lines of its own: as many as the registers
   * allow */
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
  /* to whole 16 bytes; samples are written eight at a time */
  uint32_t most = samples + (taps > 8 ? taps : 8);
  uint32_t needed = Complex ? (most + 1) & ~1u : (most + 3) / 4 * 2;

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

/* Waits for the other threads of the group. */
template <int Threads> struct GroupSync {
  uint32_t barrier;
  __device__ __forceinline__ void operator() () const
  {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(Threads) : "memory");
  }
};

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
 * then in memory: emit (i, bins) for depth bin i of all lines, by all threads
 * at the same time, also where i is beyond the last. */
template <int Size, bool Complex, int Threads, int Lines, int Values,
    typename Sync, typename Emit>
__device__ __forceinline__ void
emit_bins (const OctCudaFused &fused, const float2 (&v)[Lines][Values],
    const float2 *memory, uint32_t pitch, uint32_t t, Sync sync, Emit emit)
{
  /* 16 values of two lines leave few registers */
  constexpr int batch = Values % 5 == 0 ? 5 : Values == 16 ? 2 : 4;
  const float2 *end = memory + Size - t;
  Factors<batch> now, next;

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
      float2 bins[Lines];
#pragma unroll
      for (int l = 0; l < Lines; l++) {
        float2 a = v[l][b + e];
        bins[l] = scaled (a, factor);
        if (!Complex) {
          float2 m = mirror[l * pitch];
          float2 d = turn * make_float2 (a.x - m.x, a.y + m.y);
          bins[l] =
              make_float2 ((a.x + m.x) * half + d.y, (a.y - m.y) * half - d.x);
        }
      }
      emit (i, bins);
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

/* All of the transform of samples that are in shared memory; emit: see
 * emit_bins(). */
template <int Size, bool Complex, int Threads, int Lines, int Values,
    typename Sync, typename Emit>
__device__ __forceinline__ void
transform_samples (const OctCudaFused &fused,
    const typename Cell<Complex>::Weight *weights, char *memory, uint32_t pitch,
    const uint32_t (&first)[Values], uint32_t t, Sync sync, Emit emit)
{
  uint32_t line_bytes = pitch * sizeof (float2);
  float2 v[Lines][Values];

  gather<Size, Complex, Threads> (
      weights, fused.taps, memory, line_bytes, first, v);
  sync ();
  transform_lines<Size, Complex ? 1 : 2> (
      v, t, fused.turns, (float2 *)memory, pitch, sync);
  if (!Complex) {
    sync ();
#pragma unroll
    for (int l = 0; l < Lines; l++)
#pragma unroll
      for (int e = 0; e < Values; e++)
        ((float2 *)(memory + l * line_bytes))[t + e * Threads] = v[l][e];
  }
  emit_bins<Size, Complex, Threads> (
      fused, v, (const float2 *)memory, pitch, t, sync, emit);
}
