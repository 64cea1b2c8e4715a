/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Numerical dispersion compensation: multiply by exp (+i phase).
 *
 * A thread keeps its part of the table in registers for LINES A-lines.
 */
#include "oct-cuda-launch.cuh"

#define THREADS 256
#define VALUES                                                                 \
  2 /* so that neighbouring threads write neighbouring 16 bytes                \
     */
#define LINES 8

template <bool Whole>
__device__ __forceinline__ void
multiply_lines (
    const OctCudaRows &rows, const float2 *table, uint32_t i, uint32_t first)
{
  uint32_t next = min (i + 1, rows.samples - 1);
  float2 turn = table[i], next_turn = table[next], values[LINES];

#pragma unroll
  for (int line = 0; line < LINES; line++) {
    const float *in = row_of ((const float *)rows.in, rows.in_stride,
        min (first + line, rows.lines - 1));
    values[line] =
        Whole ? *(const float2 *)(in + i) : make_float2 (in[i], in[next]);
  }
#pragma unroll
  for (int line = 0; line < LINES; line++) {
    float2 *out =
        row_of ((float2 *)rows.out, rows.out_stride, first + line) + i;
    float4 result =
        make_float4 (values[line].x * turn.x, values[line].x * turn.y,
            values[line].y * next_turn.x, values[line].y * next_turn.y);
    if (first + line >= rows.lines)
      continue;
    if (Whole) {
      *(float4 *)out = result;
      continue;
    }
    out[0] = make_float2 (result.x, result.y);
    if (i + 1 < rows.samples)
      out[1] = make_float2 (result.z, result.w);
  }
}

static __global__ void
__launch_bounds__ (THREADS) multiply (
    OctCudaRows rows, const float2 *table, uint32_t columns, bool aligned)
{
  uint32_t i = (blockIdx.x % columns * THREADS + threadIdx.x) * VALUES;
  uint32_t first = blockIdx.x / columns * LINES;

  begin_kernel ();
  if (i >= rows.samples)
    return;
  if (aligned && i + VALUES <= rows.samples)
    multiply_lines<true> (rows, table, i, first);
  else
    multiply_lines<false> (rows, table, i, first);
}

extern "C" cudaError_t
oct_cuda_launch_dispersion (
    const OctCudaRows *rows, const float2 *table, OctCudaQueue queue)
{
  uint32_t width = THREADS * VALUES;
  uint32_t columns = (rows->samples + width - 1) / width;
  dim3 grid (columns * ((rows->lines + LINES - 1) / LINES));
  bool aligned = is_aligned (rows->in, rows->in_stride, sizeof (float2))
                 && is_aligned (rows->out, rows->out_stride, sizeof (float4));

  return launch (
      queue, multiply, grid, THREADS, 0, *rows, table, columns, aligned);
}
