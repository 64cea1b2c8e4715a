/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images the right way round: a thread for a column of the result, whose table
 * it keeps, and some rows of it.
 */
#include "oct-cuda-launch.cuh"

#define THREADS 128
#define ROWS 8

template <typename Value>
__device__ __forceinline__ void add (
    float (&sum)[sizeof (Value)], float weight, Value value);

template <>
__device__ __forceinline__ void
add<uint8_t> (float (&sum)[1], float weight, uint8_t value)
{
  sum[0] += weight * value;
}

template <>
__device__ __forceinline__ void
add<uchar2> (float (&sum)[2], float weight, uchar2 value)
{
  sum[0] += weight * value.x;
  sum[1] += weight * value.y;
}

template <>
__device__ __forceinline__ void
add<uchar4> (float (&sum)[4], float weight, uchar4 value)
{
  sum[0] += weight * value.x;
  sum[1] += weight * value.y;
  sum[2] += weight * value.z;
  sum[3] += weight * value.w;
}

__device__ __forceinline__ uint8_t
level (float sum)
{
  return (uint8_t)__float2int_rn (fminf (sum, 255.f));
}

__device__ __forceinline__ void
put (uint8_t *to, const float (&sum)[1])
{
  *to = level (sum[0]);
}

__device__ __forceinline__ void
put (uchar2 *to, const float (&sum)[2])
{
  *to = make_uchar2 (level (sum[0]), level (sum[1]));
}

__device__ __forceinline__ void
put (uchar4 *to, const float (&sum)[4])
{
  *to = make_uchar4 (
      level (sum[0]), level (sum[1]), level (sum[2]), level (sum[3]));
}

/* Whether a B-scan is one of the way back. */
__device__ __forceinline__ bool
way_of (const OctCudaFlip &f, uint32_t bscan)
{
  uint32_t number = f.first + bscan;

  if (f.volume > 0)
    number %= f.volume;
  return f.every_second && (number & 1) == f.odd;
}

template <typename Value>
static __global__ void
__launch_bounds__ (THREADS) flip (OctCudaFlip f)
{
  uint32_t x = blockIdx.x * THREADS + threadIdx.x;

  begin_kernel ();
  if (x >= f.width)
    return;
  for (uint32_t k = 0; k < ROWS; k++) {
    uint32_t y = blockIdx.y * ROWS + k, bscan = y / f.height;
    uint32_t row = y % f.height;
    const OctCudaFlipMap map = way_of (f, bscan) ? f.maps[1] : f.maps[0];
    uint32_t start, end;
    const Value *in;
    float sum[sizeof (Value)] = {};

    if (y >= f.rows)
      return;
    start = map.start[x];
    end = map.start[x + 1];
    in = (const Value *)row_of (f.in, f.in_stride,
             (size_t)bscan * f.height + (f.depth ? f.height - 1 - row : row))
         + map.first[x];
    for (uint32_t i = start; i < end; i++)
      add<Value> (sum, map.weights[i], in[i - start]);
    put ((Value *)row_of (f.out, f.out_stride, y) + x, sum);
  }
}

extern "C" cudaError_t
oct_cuda_launch_flip (const OctCudaFlip *f, OctCudaQueue queue)
{
  dim3 grid ((f->width + THREADS - 1) / THREADS, (f->rows + ROWS - 1) / ROWS);

  switch (f->pixel_size) {
  case 1:
    return launch (queue, flip<uint8_t>, grid, THREADS, 0, *f);
  case 2:
    return launch (queue, flip<uchar2>, grid, THREADS, 0, *f);
  default:
    return launch (queue, flip<uchar4>, grid, THREADS, 0, *f);
  }
}
