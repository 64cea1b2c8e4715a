/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Window, unitary FFT and crop in one pass over memory, for lengths that are
 * powers of two; and the two passes around cuFFT for all others.
 *
 * The FFT is that of oct-cuda-butterfly.cuh.  Real A-lines are transformed as
 * half as many complex values,
 * z[n] = x[2n] + i x[2n+1], Z = FFT (z) of length H, and then
 * X[q] = (Z[q] + Z*[H-q]) / 2 - i/2 exp (-pi i q / H) (Z[q] - Z*[H-q]).
 */
#include "oct-cuda-butterfly.cuh"

#define VALUES 16 /* of one thread */
#define THREADS 128

template <int Size> struct Layout {
  static constexpr int threads = Size / VALUES; /* of one A-line */
  static constexpr int lines = threads < THREADS ? THREADS / threads : 1;
  static constexpr int block = lines * threads;
  static constexpr int pitch = Steps<Size, VALUES>::pitch ();
  static constexpr int resident = 1024 / block; /* 64 registers a thread */
};

/* Windowed complex samples, zeros after their end: v[e] of t + e Step.  All
 * are read, from valid addresses, before the first is used.  Whole: there is
 * no end. */
template <int Step, bool Whole>
__device__ __forceinline__ void
read_complex (
    const OctCudaFft &fft, uint32_t line, uint32_t t, float2 (&v)[VALUES])
{
  uint32_t last = fft.rows.samples - 1;
  float w[VALUES];

#pragma unroll
  for (int e = 0; e < VALUES; e++) {
    uint32_t i = t + e * Step;
    w[e] = fft.window[Whole ? i : min (i, last)];
    if (!Whole)
      w[e] = i <= last ? w[e] : 0;
  }
  begin_kernel ();
  const float2 *in =
      row_of ((const float2 *)fft.rows.in, fft.rows.in_stride, line);
#pragma unroll
  for (int e = 0; e < VALUES; e++)
    v[e] = in[Whole ? t + e * Step : min (t + e * Step, last)];
#pragma unroll
  for (int e = 0; e < VALUES; e++) {
    v[e] = scaled (v[e], w[e]);
    if (!Whole && t + e * Step > last)
      v[e] = make_float2 (0, 0);
  }
}

/* Two real samples as one value.  Pairs: their number is even and the rows are
 * aligned for it. */
template <int Step, bool Pairs>
__device__ __forceinline__ void
read_real (
    const OctCudaFft &fft, uint32_t line, uint32_t t, float2 (&v)[VALUES])
{
  const float *in =
      row_of ((const float *)fft.rows.in, fft.rows.in_stride, line);
  uint32_t last = fft.rows.samples - 1;

#pragma unroll
  for (int e = 0; e < VALUES; e++) {
    uint32_t i = 2 * (t + e * Step);
    v[e] = Pairs ? *(const float2 *)(in + min (i, last - 1))
                 : make_float2 (in[min (i, last)], in[min (i + 1, last)]);
  }
#pragma unroll
  for (int e = 0; e < VALUES; e++) {
    uint32_t i = 2 * (t + e * Step);
    float2 w = Pairs ? __ldg ((const float2 *)(fft.window + min (i, last - 1)))
                     : make_float2 (fft.window[min (i, last)],
                         fft.window[min (i + 1, last)]);
    v[e] = make_float2 (
        i <= last ? v[e].x * w.x : 0, i + 1 <= last ? v[e].y * w.y : 0);
  }
}

template <int Size, bool Whole>
__global__ void
__launch_bounds__ (Layout<Size>::block, Layout<Size>::resident)
    complex_fft (OctCudaFft fft)
{
  typedef Layout<Size> Block;
  __shared__ float2 shared[Block::lines * Block::pitch];
  uint32_t t = threadIdx.x % Block::threads;
  uint32_t slot = threadIdx.x / Block::threads;
  uint32_t line = blockIdx.x * Block::lines + slot;
  float2 v[VALUES];

  read_complex<Block::threads, Whole> (
      fft, min (line, fft.rows.lines - 1), t, v);
  transform<Size, 1> (v, t, fft.turns, shared + slot * Block::pitch);
  if (line >= fft.rows.lines)
    return;
  float2 *out = row_of ((float2 *)fft.rows.out, fft.rows.out_stride, line);
  /* no depth bin lies in the upper half: the compiler leaves out what only
   * that needs */
#pragma unroll
  for (int e = 0; e < VALUES / 2; e++) {
    uint32_t bin = t + e * Block::threads - fft.depth_start;
    if (bin < fft.depth_bins)
      out[bin] = v[e];
  }
}

/* Size: half the length of the transform */
template <int Size, bool Pairs>
__global__ void
__launch_bounds__ (Layout<Size>::block, Layout<Size>::resident)
    real_fft (OctCudaFft fft)
{
  typedef Layout<Size> Block;
  __shared__ float2 shared[Block::lines * Block::pitch];
  uint32_t t = threadIdx.x % Block::threads;
  uint32_t slot = threadIdx.x / Block::threads;
  uint32_t line = blockIdx.x * Block::lines + slot;
  float2 *mine = shared + slot * Block::pitch;
  float2 v[VALUES];

  begin_kernel ();
  read_real<Block::threads, Pairs> (fft, min (line, fft.rows.lines - 1), t, v);
  transform<Size, 2> (v, t, fft.turns, mine);
  __syncthreads ();
#pragma unroll
  for (int e = 0; e < VALUES; e++)
    mine[t + e * Block::threads] = v[e];
  __syncthreads ();
  if (line >= fft.rows.lines)
    return;
  float2 *out = row_of ((float2 *)fft.rows.out, fft.rows.out_stride, line);
#pragma unroll
  for (int e = 0; e < VALUES; e++) {
    uint32_t q = t + e * Block::threads;
    float2 b = mine[(Size - q) % Size];
    float2 conjugate = make_float2 (b.x, -b.y);
    if (q - fft.depth_start < fft.depth_bins)
      out[q - fft.depth_start] =
          (v[e] + conjugate)
          + turn_back (__ldg (&fft.turns[q]) * (v[e] - conjugate));
  }
}

extern "C" int
oct_cuda_fft_has (uint32_t length, int is_complex)
{
  uint32_t size = is_complex ? length : length / 2;

  return (length & (length - 1)) == 0 && size >= 256 && size <= 4096;
}

template <int Size>
static cudaError_t
launch_size (const OctCudaFft *fft, OctCudaQueue queue)
{
  typedef Layout<Size> Block;
  dim3 grid ((fft->rows.lines + Block::lines - 1) / Block::lines);

  if (fft->is_complex && fft->rows.samples == Size)
    return launch (queue, complex_fft<Size, true>, grid, Block::block, 0, *fft);
  if (fft->is_complex)
    return launch (
        queue, complex_fft<Size, false>, grid, Block::block, 0, *fft);
  if (fft->rows.samples % 2 == 0
      && is_aligned (fft->rows.in, fft->rows.in_stride, sizeof (float2)))
    return launch (queue, real_fft<Size, true>, grid, Block::block, 0, *fft);
  return launch (queue, real_fft<Size, false>, grid, Block::block, 0, *fft);
}

extern "C" cudaError_t
oct_cuda_launch_fft (const OctCudaFft *fft, OctCudaQueue queue)
{
  switch (fft->is_complex ? fft->length : fft->length / 2) {
  case 256:
    return launch_size<256> (fft, queue);
  case 512:
    return launch_size<512> (fft, queue);
  case 1024:
    return launch_size<1024> (fft, queue);
  case 2048:
    return launch_size<2048> (fft, queue);
  case 4096:
    return launch_size<4096> (fft, queue);
  default:
    return cudaErrorInvalidValue;
  }
}

/* One thread per value of the padded rows. */
template <typename Value, typename Padded>
__global__ void
apply_window (OctCudaFft fft, Padded *padded_rows)
{
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  size_t line = at / fft.length;
  uint32_t i = (uint32_t)(at % fft.length);
  Padded value = {};

  begin_kernel ();
  if (line >= fft.rows.lines)
    return;
  if (i < fft.rows.samples)
    convert (scaled (row_of ((const Value *)fft.rows.in, fft.rows.in_stride,
                         line)[i],
                 fft.window == NULL ? 1 : fft.window[i]),
        value);
  padded_rows[at] = value;
}

extern "C" cudaError_t
oct_cuda_launch_window (const OctCudaFft *fft, void *padded_rows,
    int complex_padded, OctCudaQueue queue)
{
  size_t values = (size_t)fft->rows.lines * fft->length;
  dim3 grid ((uint32_t)((values + 255) / 256));

  if (fft->is_complex)
    return launch (queue, apply_window<float2, float2>, grid, 256, 0, *fft,
        (float2 *)padded_rows);
  if (complex_padded)
    return launch (queue, apply_window<float, float2>, grid, 256, 0, *fft,
        (float2 *)padded_rows);
  return launch (queue, apply_window<float, float>, grid, 256, 0, *fft,
      (float *)padded_rows);
}

/* One thread per bin of the result. */
static __global__ void
cuda_fft_crop (OctCudaFft fft, const float2 *spectra, size_t pitch)
{
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  size_t line = at / fft.depth_bins;
  uint32_t bin = (uint32_t)(at % fft.depth_bins);

  begin_kernel ();
  if (line < fft.rows.lines)
    row_of ((float2 *)fft.rows.out, fft.rows.out_stride, line)[bin] =
        spectra[line * pitch + fft.depth_start + bin];
}

extern "C" cudaError_t
oct_cuda_launch_crop (const OctCudaFft *fft, const float2 *spectra,
    size_t pitch, OctCudaQueue queue)
{
  size_t bins = (size_t)fft->rows.lines * fft->depth_bins;

  return launch (queue, cuda_fft_crop, (uint32_t)((bins + 255) / 256), 256, 0, *fft,
      spectra, pitch);
}
