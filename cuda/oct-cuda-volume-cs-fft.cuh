/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Fourier transforms of a block of threads, in shared memory and in place, of
 * any length: Stockham's stages of radix 10, 8, 7, 5, 4, 3, 2, and of other
 * primes by direct sums.  All values of a stage are in registers between
 * reading and writing.
 *
 * There is the forward transform alone: the backward one of v is the conjugate
 * of that of the conjugate of v.
 */
#pragma once

#include "oct-cuda-volume-cs-kernels.h"

#define EACH ((int)OCT_CUDA_VOLUME_CS_EACH)

/* The values that are transformed; kernels may have more after them. */
extern __shared__ float2 values[];

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

__device__ __forceinline__ float2
operator* (float2 a, float s)
{
  return make_float2 (a.x * s, a.y * s);
}

__device__ __forceinline__ float2
conjugate (float2 a)
{
  return make_float2 (a.x, -a.y);
}

/* a times -i */
__device__ __forceinline__ float2
turned (float2 a)
{
  return make_float2 (a.y, -a.x);
}

__device__ __forceinline__ float
power_of (float2 a)
{
  return a.x * a.x + a.y * a.y;
}

/* cos (2 pi j / R), sin (2 pi j / R) */
template <int R>
__device__ __forceinline__ constexpr float
cosine_of (int j)
{
  constexpr float three[] = { 1, -0.5f, -0.5f };
  constexpr float five[] = { 1, 0.30901699437494742f, -0.80901699437494742f,
    -0.80901699437494742f, 0.30901699437494742f };
  constexpr float seven[] = { 1, 0.62348980185873353f, -0.22252093395631440f,
    -0.90096886790241913f, -0.90096886790241913f, -0.22252093395631440f,
    0.62348980185873353f };

  return R == 3 ? three[j] : R == 5 ? five[j] : seven[j];
}

template <int R>
__device__ __forceinline__ constexpr float
sine_of (int j)
{
  constexpr float three[] = { 0, 0.86602540378443865f, -0.86602540378443865f };
  constexpr float five[] = { 0, 0.95105651629515357f, 0.58778525229247313f,
    -0.58778525229247313f, -0.95105651629515357f };
  constexpr float seven[] = { 0, 0.78183148246802981f, 0.97492791218182361f,
    0.43388373911755812f, -0.43388373911755812f, -0.97492791218182361f,
    -0.78183148246802981f };

  return R == 3 ? three[j] : R == 5 ? five[j] : seven[j];
}

/* A transform of odd length R: pairs j and R - j share their factors. */
template <int R>
__device__ __forceinline__ void
transform_odd (float2 (&v)[R])
{
  float2 sums[R / 2 + 1], differences[R / 2 + 1], first = v[0];

#pragma unroll
  for (int j = 1; j <= R / 2; j++) {
    sums[j] = v[j] + v[R - j];
    differences[j] = v[j] - v[R - j];
    v[0] = v[0] + sums[j];
  }
#pragma unroll
  for (int k = 1; k <= R / 2; k++) {
    float2 even = first, odd = make_float2 (0, 0);

#pragma unroll
    for (int j = 1; j <= R / 2; j++) {
      even = even + sums[j] * cosine_of<R> (j * k % R);
      odd = odd + differences[j] * sine_of<R> (j * k % R);
    }
    v[k] = even + turned (odd);
    v[R - k] = even - turned (odd);
  }
}

__device__ __forceinline__ void
transform (float2 (&v)[2])
{
  float2 a = v[0];

  v[0] = a + v[1];
  v[1] = a - v[1];
}

__device__ __forceinline__ void
transform (float2 (&v)[3])
{
  transform_odd<3> (v);
}

__device__ __forceinline__ void
transform (float2 (&v)[5])
{
  transform_odd<5> (v);
}

__device__ __forceinline__ void
transform (float2 (&v)[7])
{
  transform_odd<7> (v);
}

__device__ __forceinline__ void
transform (float2 (&v)[4])
{
  float2 a = v[0] + v[2], b = v[0] - v[2];
  float2 c = v[1] + v[3], d = turned (v[1] - v[3]);

  v[0] = a + c;
  v[1] = b + d;
  v[2] = a - c;
  v[3] = b - d;
}

__device__ __forceinline__ void
transform (float2 (&v)[8])
{
  const float h = 0.70710678118654752f;
  float2 even[4] = { v[0], v[2], v[4], v[6] };
  float2 odd[4] = { v[1], v[3], v[5], v[7] };

  transform (even);
  transform (odd);
  odd[1] = odd[1] * make_float2 (h, -h);
  odd[2] = turned (odd[2]);
  odd[3] = odd[3] * make_float2 (-h, -h);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    v[k] = even[k] + odd[k];
    v[k + 4] = even[k] - odd[k];
  }
}

/* Good and Thomas: 2 and 5 have no common factor. */
__device__ __forceinline__ void
transform (float2 (&v)[10])
{
  float2 a[5], b[5];

#pragma unroll
  for (int j = 0; j < 5; j++) {
    a[j] = v[2 * j % 10] + v[(5 + 2 * j) % 10];
    b[j] = v[2 * j % 10] - v[(5 + 2 * j) % 10];
  }
  transform (a);
  transform (b);
#pragma unroll
  for (int k = 0; k < 5; k++) {
    v[6 * k % 10] = a[k];
    v[(5 + 6 * k) % 10] = b[k];
  }
}

/* q / before, of q below 2^14. */
__device__ __forceinline__ uint32_t
divide (uint32_t q, uint32_t before, uint32_t magic)
{
  return before == 1 ? q : __umulhi (q, magic);
}

template <int R>
__device__ __forceinline__ void
run_stage (const OctCudaVolumeCsFft &f, OctCudaVolumeCsStage stage)
{
  constexpr int TIMES = (EACH + R - 1) / R;
  uint32_t before = stage.before, magic = stage.magic;
  uint32_t m = f.count / R, step = m / before, total = m << f.bits;
  uint32_t side = (1u << f.bits) - 1;
  float2 v[TIMES][R];

#pragma unroll
  for (int n = 0; n < TIMES; n++) {
    /* threads without a butterfly repeat the last one: what is set in a branch
     * alone keeps its registers through all of the loop */
    uint32_t i = min (threadIdx.x + n * blockDim.x, total - 1), q = i >> f.bits;
    uint32_t k = q - divide (q, before, magic) * before;

#pragma unroll
    for (int r = 0; r < R; r++)
      v[n][r] = values[((q + r * m) << f.bits) + (i & side)];
    if (before > 1)
#pragma unroll
      for (int r = 1; r < R; r++)
        v[n][r] = v[n][r] * __ldg (&f.roots[r * k * step]);
    transform (v[n]);
  }
  __syncthreads ();
#pragma unroll
  for (int n = 0; n < TIMES; n++) {
    uint32_t i = threadIdx.x + n * blockDim.x, q = i >> f.bits;

    if (i < total) {
      uint32_t whole = divide (q, before, magic) * before;
      uint32_t to = whole * R + (q - whole);

#pragma unroll
      for (int r = 0; r < R; r++)
        values[((to + r * before) << f.bits) + (i & side)] = v[n][r];
    }
  }
  __syncthreads ();
}

/* A prime that has no butterfly: every result is a sum. */
static __device__ __forceinline__ void
run_prime_stage (const OctCudaVolumeCsFft &f, OctCudaVolumeCsStage stage)
{
  uint32_t p = stage.radix, before = stage.before;
  uint32_t m = f.count / p, total = f.count << f.bits;
  uint32_t side = (1u << f.bits) - 1;
  float2 sums[EACH];

#pragma unroll
  for (int n = 0; n < EACH; n++) {
    uint32_t i = threadIdx.x + n * blockDim.x;

    sums[n] = make_float2 (0, 0);
    if (i < total) {
      uint32_t to = i >> f.bits, run = to / (p * before);
      uint32_t rest = to - run * p * before, r = rest / before;
      uint32_t k = rest - r * before, q = run * before + k;
      uint32_t step = k * (m / before) + r * m, at = 0;

      for (uint32_t j = 0; j < p; j++) {
        sums[n] = sums[n]
                  + values[((q + j * m) << f.bits) + (i & side)]
                        * __ldg (&f.roots[at]);
        at += step;
        at -= at >= f.count ? f.count : 0;
      }
    }
  }
  __syncthreads ();
#pragma unroll
  for (int n = 0; n < EACH; n++) {
    uint32_t i = threadIdx.x + n * blockDim.x;

    if (i < total)
      values[i] = sums[n];
  }
  __syncthreads ();
}

/* The FFT of values[count][1 << bits], written by this block; complete on
 * return. */
__device__ __forceinline__ void
run_fft (const OctCudaVolumeCsFft &f)
{
  __syncthreads ();
#pragma unroll 1
  for (uint32_t s = 0; s < f.stages; s++) {
    OctCudaVolumeCsStage stage = f.stage[s];

    switch (stage.radix) {
    case 10:
      run_stage<10> (f, stage);
      break;
    case 8:
      run_stage<8> (f, stage);
      break;
    case 7:
      run_stage<7> (f, stage);
      break;
    case 5:
      run_stage<5> (f, stage);
      break;
    case 4:
      run_stage<4> (f, stage);
      break;
    case 3:
      run_stage<3> (f, stage);
      break;
    case 2:
      run_stage<2> (f, stage);
      break;
    default:
      run_prime_stage (f, stage);
    }
  }
}

/* ------------------------------------------------------- cosine transforms */

/* Where the Fourier transform takes place j of a line for its cosine transform:
 * even places first, then odd ones from the end (Makhoul 1980). */
__device__ __forceinline__ uint32_t
reordered (uint32_t j, uint32_t count)
{
  return j % 2 == 0 ? j / 2 : count - 1 - j / 2;
}

/* Orthonormal cosine coefficient k of the bins k and count - k. */
__device__ __forceinline__ float2
to_cosine (float2 a, float2 b, uint32_t k, const OctCudaVolumeCsFft &f)
{
  float scale = f.unit * (k == 0 ? 0.5f : 0.70710678118654752f);
  float2 w = __ldg (&f.quarter[k]) * scale;

  return make_float2 (w.x * (a.x + b.x) - w.y * (a.y - b.y),
      w.x * (a.y + b.y) + w.y * (a.x - b.x));
}

/* The conjugate of the bin k of which the backward transform makes lines, of
 * coefficients a = k and b = count - k. */
__device__ __forceinline__ float2
from_cosine (float2 a, float2 b, uint32_t k, const OctCudaVolumeCsFft &f)
{
  float scale = f.unit * (k == 0 ? 1 : 0.70710678118654752f);
  float other = k == 0 ? 0 : scale;
  float2 c = make_float2 (a.x * scale + b.y * other, a.y * scale - b.x * other);

  return conjugate (conjugate (__ldg (&f.quarter[k])) * c);
}

/* ------------------------------------------------------------- real spectra */

/* Bin k of one of two real lines that were transformed together, line 0 as the
 * real and line 1 as the imaginary part: of their bins k and count - k. */
__device__ __forceinline__ float2
bin_of (uint32_t line, float2 v, float2 mirror)
{
  float2 w = conjugate (mirror);

  return (line == 0 ? v + w : turned (v - w)) * 0.5f;
}

/* The opposite: bins k and count - k of both lines, of bin k of each,
 * conjugated for the transform back. */
__device__ __forceinline__ void
join_bins (float2 a, float2 b, float2 *v, float2 *mirror)
{
  /* b times i is what turned() gives, negative */
  *v = conjugate (a - turned (b));
  *mirror = a + turned (b);
}

/* Number of the mask of the A-line at a place. */
__device__ __forceinline__ uint32_t
mask_of (const OctCudaVolumeCs &cs, uint32_t place)
{
  return (place % cs.lines + 7 * (place / cs.lines)) % OCT_CUDA_VOLUME_CS_MASKS;
}

/* ---------------------------------------------------------------------- sums */

template <bool MAXIMUM, typename Value>
__device__ __forceinline__ Value
join_two (Value a, Value b)
{
  return MAXIMUM ? (a > b ? a : b) : a + b;
}

/* The sum, or the largest, of the values of all threads, in all of them;
 * `scratch` [33] in shared memory, free again on return. */
template <bool MAXIMUM, typename Value>
__device__ __forceinline__ Value
join_block (Value value, Value *scratch)
{
  uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  for (int o = 16; o > 0; o /= 2)
    value = join_two<MAXIMUM> (value, __shfl_xor_sync (~0u, value, o));
  if (lane == 0)
    scratch[warp] = value;
  __syncthreads ();
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? scratch[lane] : Value (0);
    for (int o = 16; o > 0; o /= 2)
      value = join_two<MAXIMUM> (value, __shfl_xor_sync (~0u, value, o));
    if (lane == 0)
      scratch[32] = value;
  }
  __syncthreads ();
  value = scratch[32];
  __syncthreads ();
  return value;
}

/* Shared memory of a kernel that needs more than there is without asking. */
template <typename Kernel>
static cudaError_t
allow_memory (Kernel kernel, size_t bytes)
{
  /* of 48 KB the kernel may have some besides */
  if (bytes <= 24 * 1024)
    return cudaSuccess;
  return cudaFuncSetAttribute (
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}

static inline size_t
fft_memory (const OctCudaVolumeCsFft *f)
{
  return ((size_t)f->count << f->bits) * sizeof (float2);
}
