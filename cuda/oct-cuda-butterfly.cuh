/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * An FFT within a block of threads, for kernels that do more in the same pass
 * over memory.
 *
 * Stockham's autosort FFT: a thread holds `Values` numbers, 16 or a small
 * multiple of a power of two, and the A-line changes hands through shared
 * memory between the steps.  Steps of radix 16 or less come first; the last one
 * has the radix Values and leaves the bins in natural order.
 */
#pragma once

#include "oct-cuda-launch.cuh"

__device__ __forceinline__ float2
operator+ (float2 a, float2 b)
{
  return make_float2 (a.x + b.x, a.y + b.y);
}

__device__ __forceinline__ float2
operator- (float2 a, float2 b)
{
  return make_float2 (a.x - b.x, a.y - b.y);
}

__device__ __forceinline__ float2
operator* (float2 a, float2 b)
{
  return make_float2 (a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ float
scaled (float a, float factor)
{
  return a * factor;
}

__device__ __forceinline__ float2
scaled (float2 a, float factor)
{
  return make_float2 (a.x * factor, a.y * factor);
}

/* -i a */
__device__ __forceinline__ float2
turn_back (float2 a)
{
  return make_float2 (a.y, -a.x);
}

/* DFTs of v[0], v[Step], ..., result in place and in natural order */
template <int Radix, int Step> struct Dft;

template <int Step> struct Dft<2, Step> {
  static __device__ __forceinline__ void run (float2 *v)
  {
    float2 a = v[0], b = v[Step];
    v[0] = a + b;
    v[Step] = a - b;
  }
};

template <int Step> struct Dft<4, Step> {
  static __device__ __forceinline__ void run (float2 *v)
  {
    float2 a = v[0] + v[2 * Step], b = v[0] - v[2 * Step];
    float2 c = v[Step] + v[3 * Step];
    float2 d = turn_back (v[Step] - v[3 * Step]);
    v[0] = a + c;
    v[Step] = b + d;
    v[2 * Step] = a - c;
    v[3 * Step] = b - d;
  }
};

template <int Step> struct Dft<8, Step> {
  static __device__ __forceinline__ void run (float2 *v)
  {
    const float h = 0.70710678118654752440f;
    float2 odd[4];
    Dft<4, 2 * Step>::run (v);
    Dft<4, 2 * Step>::run (v + Step);
    odd[0] = v[Step];
    odd[1] = v[3 * Step] * make_float2 (h, -h);
    odd[2] = turn_back (v[5 * Step]);
    odd[3] = v[7 * Step] * make_float2 (-h, -h);
    /* even bins lie at even steps: spread them to both halves */
    float2 even[4] = { v[0], v[2 * Step], v[4 * Step], v[6 * Step] };
#pragma unroll
    for (int k = 0; k < 4; k++) {
      v[k * Step] = even[k] + odd[k];
      v[(k + 4) * Step] = even[k] - odd[k];
    }
  }
};

template <int Step> struct Dft<16, Step> {
  static __device__ __forceinline__ void run (float2 *v)
  {
    const float c = 0.92387953251128675613f, s = 0.38268343236508977173f;
    const float h = 0.70710678118654752440f;
    float2 t[16];
#pragma unroll
    for (int i = 0; i < 4; i++)
      Dft<4, 4 * Step>::run (v + i * Step);
    /* v[i + 4 k] times exp (-2 pi i i k / 16) */
    v[5 * Step] = v[5 * Step] * make_float2 (c, -s);
    v[9 * Step] = v[9 * Step] * make_float2 (h, -h);
    v[13 * Step] = v[13 * Step] * make_float2 (s, -c);
    v[6 * Step] = v[6 * Step] * make_float2 (h, -h);
    v[10 * Step] = turn_back (v[10 * Step]);
    v[14 * Step] = v[14 * Step] * make_float2 (-h, -h);
    v[7 * Step] = v[7 * Step] * make_float2 (s, -c);
    v[11 * Step] = v[11 * Step] * make_float2 (-h, -h);
    v[15 * Step] = v[15 * Step] * make_float2 (-c, s);
#pragma unroll
    for (int k = 0; k < 4; k++)
      Dft<4, Step>::run (v + 4 * k * Step);
#pragma unroll
    for (int i = 0; i < 16; i++)
      t[i] = v[(i % 4 * 4 + i / 4) * Step];
#pragma unroll
    for (int i = 0; i < 16; i++)
      v[i * Step] = t[i];
  }
};

/* cos and sin of 2 pi k / n for constants, |k| <= n, by their series */
__host__ __device__ constexpr double
series (double x, bool is_sine)
{
  double term = is_sine ? x : 1, sum = term;

  for (int i = is_sine ? 2 : 1; i < 40; i += 2) {
    term *= -x * x / (i * (i + 1.));
    sum += term;
  }
  return sum;
}

/* a exp (-2 pi i K / N) */
template <int K, int N>
__device__ __forceinline__ float2
turned (float2 a)
{
  constexpr double angle =
      2 * 3.14159265358979323846 * (2 * K > N ? K - N : K) / N;
  constexpr float c = (float)series (angle, false);
  constexpr float s = (float)series (angle, true);

  if constexpr (K == 0)
    return a;
  return a * make_float2 (c, -s);
}

template <int Step> struct Dft<5, Step> {
  static __device__ __forceinline__ void run (float2 *v)
  {
    const float c1 = 0.30901699437494742410f, s1 = 0.95105651629515357212f;
    const float c2 = -0.80901699437494742410f, s2 = 0.58778525229247312917f;
    float2 a = v[Step] + v[4 * Step], b = v[2 * Step] + v[3 * Step];
    float2 c = turn_back (v[Step] - v[4 * Step]);
    float2 d = turn_back (v[2 * Step] - v[3 * Step]);
    float2 e = v[0] + scaled (a, c1) + scaled (b, c2);
    float2 f = v[0] + scaled (a, c2) + scaled (b, c1);
    float2 g = scaled (c, s1) + scaled (d, s2);
    float2 h = scaled (c, s2) - scaled (d, s1);
    v[0] = v[0] + a + b;
    v[Step] = e + g;
    v[2 * Step] = f + h;
    v[3 * Step] = f - h;
    v[4 * Step] = e - g;
  }
};

template <int Step> struct Dft<3, Step> {
  static __device__ __forceinline__ void run (float2 *v)
  {
    const float s = 0.86602540378443864676f;
    float2 a = v[Step] + v[2 * Step];
    float2 b = scaled (turn_back (v[Step] - v[2 * Step]), s);
    float2 c = v[0] - scaled (a, 0.5f);
    v[0] = v[0] + a;
    v[Step] = c + b;
    v[2 * Step] = c - b;
  }
};

/* of First x Second values, both of the above (Cooley and Tukey) */
template <int First, int Second, int Step> struct ProductDft {
  template <int... I>
  static __device__ __forceinline__ void turn (
      float2 *v, std::integer_sequence<int, I...>)
  {
    ((v[I * Step] =
             turned<I / Second *(I % Second), First * Second> (v[I * Step])),
        ...);
  }
  static __device__ __forceinline__ void run (float2 *v)
  {
    float2 t[First * Second];
#pragma unroll
    for (int i = 0; i < Second; i++)
      Dft<First, Second * Step>::run (v + i * Step);
    turn (v, std::make_integer_sequence<int, First * Second> ());
#pragma unroll
    for (int k = 0; k < First; k++)
      Dft<Second, Step>::run (v + k * Second * Step);
#pragma unroll
    for (int i = 0; i < First * Second; i++)
      t[i] = v[(i % First * Second + i / First) * Step];
#pragma unroll
    for (int i = 0; i < First * Second; i++)
      v[i * Step] = t[i];
  }
};

template <int Step> struct Dft<20, Step> : ProductDft<4, 5, Step> {
};
template <int Step> struct Dft<24, Step> : ProductDft<8, 3, Step> {
};
template <int Step> struct Dft<40, Step> : ProductDft<8, 5, Step> {
};

/* v[l][m Step] *= w^m for m = 1 .. Radix - 1 and all lines l */
template <int Radix, int Step, int Lines, int Values>
__device__ __forceinline__ void
twist (float2 (&v)[Lines][Values], int first, float2 w)
{
  float2 high = make_float2 (1, 0), low[4];

  low[0] = make_float2 (1, 0);
  low[1] = w;
  low[2] = w * w;
  low[3] = low[2] * w;
#pragma unroll
  for (int m = 1; m < Radix; m++) {
    if (m == 4)
      high = low[2] * low[2];
    else if (m % 4 == 0)
      high = high * (low[2] * low[2]);
    float2 power = m < 4 ? low[m] : m % 4 == 0 ? high : high * low[m % 4];
#pragma unroll
    for (int l = 0; l < Lines; l++)
      v[l][first + m * Step] = v[l][first + m * Step] * power;
  }
}

/* The steps of an FFT of `Size` values by Size / Values threads. */
template <int Size, int Values> struct Steps {
  static constexpr int threads = Size / Values;
  /* largest power of two of the values of a thread */
  static constexpr int power = Values & -Values;

  /* after transforms of `done` */
  __host__ __device__ static constexpr int radix (int done)
  {
    int rest = threads / done;
    return done == threads ? Values : rest < power ? rest : power;
  }
  /* Unused values after every 16, so that half a warp (of 16 float2) does not
   * hit a bank of shared memory twice, when a step writes runs of `done` values
   * that are done * radix apart. */
  __host__ __device__ static constexpr int gap (int done)
  {
    return done >= 16                  ? 0
           : done * radix (done) >= 16 ? 16 / radix (done)
                                       : done;
  }
  /* float2 of one A-line in shared memory */
  __host__ __device__ static constexpr int pitch ()
  {
    int most = 0;
    for (int done = 1; done < threads; done *= radix (done))
      most = gap (done) > most ? gap (done) : most;
    return Size + Size / 16 * most;
  }
};

/* Waits for the threads that work on the same A-lines: all of the block. */
struct BlockSync {
  __device__ __forceinline__ void operator() () const
  {
    __syncthreads ();
  }
};

/**
 * The steps from transforms of `Done` on to the end, by all threads that sync()
 * waits for; every thread works on `Lines` A-lines, which share the factors.
 * v[l]: x[t + e Size / Values]; in the end X[t + e Size / Values].
 * turns[k], twiddle factors: exp (-2 pi i k / (Size Scale)); memory: of these
 * A-lines, `pitch` values each, at least Steps::pitch, that no thread uses any
 * more.
 */
template <int Size, int Scale, int Done = 1, int Lines, int Values,
    typename Sync>
__device__ __forceinline__ void
transform_lines (float2 (&v)[Lines][Values], uint32_t t, const float2 *turns,
    float2 *memory, uint32_t pitch, Sync sync)
{
  typedef Steps<Size, Values> S;
  constexpr int radix = S::radix (Done), count = Values / radix;
  constexpr int threads = S::threads, gap = S::gap (Done);

#pragma unroll
  for (int b = 0; b < count; b++) {
    uint32_t k = (t + b * threads) % Done;
    if (Done > 1)
      twist<radix, count> (
          v, b, __ldg (&turns[k * (Size / (Done * radix) * Scale)]));
#pragma unroll
    for (int l = 0; l < Lines; l++)
      Dft<radix, count>::run (v[l] + b);
  }
  if constexpr (Done * radix < Size) {
    if (Done > 1)
      sync ();
#pragma unroll
    for (int b = 0; b < count; b++) {
      uint32_t j = t + b * threads;
      uint32_t i = j / Done * Done * radix + j % Done;
      float2 *to = memory + i + i / 16 * gap;
#pragma unroll
      for (int l = 0; l < Lines; l++)
#pragma unroll
        for (int m = 0; m < radix; m++)
          to[l * pitch + m * Done
              + (Done * radix < 16 ? 0 : m * Done / 16 * gap)] =
              v[l][b + m * count];
    }
    sync ();
    const float2 *from = memory + t + t / 16 * gap;
#pragma unroll
    for (int l = 0; l < Lines; l++)
#pragma unroll
      for (int e = 0; e < Values; e++)
        v[l][e] = from[l * pitch + e * threads + e * threads / 16 * gap];
    transform_lines<Size, Scale, Done * radix> (
        v, t, turns, memory, pitch, sync);
  }
}

/* One A-line. */
template <int Size, int Scale, int Values>
__device__ __forceinline__ void
transform (float2 (&v)[Values], uint32_t t, const float2 *turns, float2 *memory)
{
  transform_lines<Size, Scale> (reinterpret_cast<float2 (&)[1][Values]> (v), t,
      turns, memory, 0, BlockSync ());
}
