/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * All A-lines of a volume at once: steps of SpaRSA.
 *
 * A step goes over the volume twice, once in blocks of B-scans (cosine
 * coefficients along, threshold, and back) and once in blocks across them (the
 * A-lines that were taken, compared, and cosine coefficients of the
 * difference): lines of one direction and some depths are all that a block
 * holds.  The step size stays on the device.
 */
#include "oct-cuda-volume-cs-fft.cuh"

#define LEAST_STEP 0.1 /* of 1 / step size */
#define MOST_STEP 1e30
#define FLOOR 1e-3f /* is added to the power transfer of the spot */

/* one block at least: else the compiler makes room for two, and has too few
 * registers */
#define BOUNDS __launch_bounds__ (OCT_CUDA_VOLUME_CS_THREADS, 1)

/* Lines of one direction, 1 << bits depths of each, in device memory.  A thread
 * has one of these depths. */
typedef struct {
  size_t first, step; /* values; of this thread */
} Lines;

__device__ __forceinline__ uint32_t
get_depth (const OctCudaVolumeCsFft &f)
{
  return threadIdx.x & ((1u << f.bits) - 1);
}

__device__ __forceinline__ Lines
get_row (const OctCudaVolumeCsJoint &j)
{
  return { (size_t)blockIdx.y * j.cs.lines * j.cs.pitch
               + (blockIdx.x << j.along.bits) + get_depth (j.along),
    j.cs.pitch };
}

__device__ __forceinline__ Lines
get_column (const OctCudaVolumeCsJoint &j)
{
  return { (size_t)blockIdx.y * j.cs.pitch + (blockIdx.x << j.across.bits)
               + get_depth (j.across),
    (size_t)j.cs.lines * j.cs.pitch };
}

/* Places of a thread: from its first one on, this far apart. */
__device__ __forceinline__ uint32_t
first_place (const OctCudaVolumeCsFft &f)
{
  return threadIdx.x >> f.bits;
}

__device__ __forceinline__ uint32_t
next_place (const OctCudaVolumeCsFft &f)
{
  return blockDim.x >> f.bits;
}

/* Where place k of this thread's depth is among the values, and where it stands
 * for the transform of their cosines. */
__device__ __forceinline__ uint32_t
value_of (uint32_t k, const OctCudaVolumeCsFft &f)
{
  return (k << f.bits) + get_depth (f);
}

__device__ __forceinline__ uint32_t
reordered_value (uint32_t k, const OctCudaVolumeCsFft &f)
{
  return value_of (reordered (k, f.count), f);
}

__device__ __forceinline__ void
read_lines (const float2 *__restrict__ from, const Lines &l,
    const OctCudaVolumeCsFft &f)
{
  uint32_t hop = next_place (f), k = first_place (f);

  from += l.first + k * l.step;
#pragma unroll 8
  for (; k < f.count; k += hop, from += hop * l.step)
    values[reordered_value (k, f)] = *from;
}

/* Writes the lines of a transform back. */
__device__ __forceinline__ void
write_lines (
    const Lines &l, const OctCudaVolumeCsFft &f, float2 *__restrict__ to)
{
  uint32_t hop = next_place (f), k = first_place (f);

  to += l.first + k * l.step;
#pragma unroll 4
  for (; k < f.count; k += hop, to += hop * l.step)
    *to = conjugate (values[reordered_value (k, f)]);
}

/* Coefficients k and count - k are made by one thread; the same where there is
 * one alone. */
__device__ __forceinline__ uint32_t
mirror_of (uint32_t k, const OctCudaVolumeCsFft &f)
{
  return k == 0 ? 0 : f.count - k;
}

/* ------------------------------------------------------------------ columns */

__device__ __forceinline__ void
read_cosines (const float2 *__restrict__ from, const Lines &l,
    const OctCudaVolumeCsFft &f)
{
  uint32_t hop = next_place (f);

  from += l.first;
#pragma unroll 4
  for (uint32_t k = first_place (f); k <= f.count / 2; k += hop) {
    uint32_t other = mirror_of (k, f);
    float2 a = from[k * l.step], b = from[other * l.step];

    values[value_of (k, f)] = from_cosine (a, b, k, f);
    if (other != k)
      values[value_of (other, f)] = from_cosine (b, a, other, f);
  }
}

__device__ __forceinline__ void
write_cosines (
    const Lines &l, const OctCudaVolumeCsFft &f, float2 *__restrict__ to)
{
  uint32_t hop = next_place (f);

  to += l.first;
#pragma unroll 2
  for (uint32_t k = first_place (f); k <= f.count / 2; k += hop) {
    uint32_t other = mirror_of (k, f);
    float2 a = values[value_of (k, f)], b = values[value_of (other, f)];

    to[k * l.step] = to_cosine (a, b, k, f);
    if (other != k)
      to[other * l.step] = to_cosine (b, a, other, f);
  }
}

/* The number of the A-line that was taken at place y of this column, -1: none.
 */
__device__ __forceinline__ int32_t
find_taken (const OctCudaVolumeCsJoint &j, uint32_t y)
{
  int32_t k = __ldg (&j.cs.number[(size_t)y * j.cs.lines + blockIdx.y]);

  return k >= 0 && j.cs.valid[k] ? k : -1;
}

/* Where this thread's depth of A-line k is, of lists of those that were taken.
 */
__device__ __forceinline__ size_t
listed (const OctCudaVolumeCsJoint &j, int32_t k)
{
  return (size_t)k * j.cs.pitch + (blockIdx.x << j.across.bits)
         + get_depth (j.across);
}

/* Reads the taken A-lines for the cosine transform, 0 elsewhere. */
__device__ __forceinline__ void
read_taken (const OctCudaVolumeCsJoint &j, const float2 *__restrict__ from,
    float sign)
{
  uint32_t hop = next_place (j.across);

#pragma unroll 4
  for (uint32_t y = first_place (j.across); y < j.across.count; y += hop) {
    int32_t k = find_taken (j, y);

    values[reordered_value (y, j.across)] =
        k >= 0 ? from[listed (j, k)] * sign : make_float2 (0, 0);
  }
}

__device__ __forceinline__ void
write_taken (const OctCudaVolumeCsJoint &j)
{
  uint32_t hop = next_place (j.across);

  for (uint32_t y = first_place (j.across); y < j.across.count; y += hop) {
    int32_t k = find_taken (j, y);

    if (k >= 0)
      j.ascans[listed (j, k)] =
          conjugate (values[reordered_value (y, j.across)]);
  }
}

/* The residual of the A-scans that were taken, 0 elsewhere; returns the square
 * of its change. */
__device__ __forceinline__ float
compare_taken (const OctCudaVolumeCsJoint &j)
{
  uint32_t hop = next_place (j.across);
  const float2 *given = (const float2 *)j.cs.given;
  float sum = 0;

#pragma unroll 4
  for (uint32_t y = first_place (j.across); y < j.across.count; y += hop) {
    uint32_t to = reordered_value (y, j.across);
    int32_t k = find_taken (j, y);
    float2 next = make_float2 (0, 0);

    if (k >= 0) {
      size_t at = listed (j, k);
      float2 taken = given[at];
      float2 before = j.first ? taken * -1.0f : j.residual[at];

      next = conjugate (values[to]) - taken;
      j.residual[at] = next;
      sum += power_of (next - before);
    }
    values[to] = next;
  }
  return sum;
}

template <OctCudaVolumeCsColumns WHAT>
__global__ void BOUNDS
columns_kernel (const __grid_constant__ OctCudaVolumeCsJoint j)
{
  __shared__ double scratch[33];
  Lines l = get_column (j);
  double sum = 0;

  if (WHAT == OCT_CUDA_VOLUME_CS_BEGIN)
    read_taken (j, j.cs.ascans, -1);
  else if (WHAT == OCT_CUDA_VOLUME_CS_FORTH)
    read_taken (j, j.ascans, 1);
  else
    read_cosines (j.g, l, j.across);
    /* one call: a transform is much code */
#pragma unroll 1
  for (int back = WHAT == OCT_CUDA_VOLUME_CS_NEXT; back >= 0; back--) {
    run_fft (j.across);
    if (WHAT == OCT_CUDA_VOLUME_CS_NEXT && back)
      sum = compare_taken (j);
  }
  if (WHAT == OCT_CUDA_VOLUME_CS_END)
    write_lines (l, j.across, j.g);
  else if (WHAT == OCT_CUDA_VOLUME_CS_BACK)
    write_taken (j);
  else
    write_cosines (l, j.across, j.g);
  if (WHAT == OCT_CUDA_VOLUME_CS_NEXT) {
    sum = join_block<false> (sum, scratch);
    if (threadIdx.x == 0)
      j.changed[(size_t)blockIdx.y * gridDim.x + blockIdx.x] = sum;
  }
}

static dim3
column_grid (const OctCudaVolumeCsJoint *j)
{
  return dim3 (j->cs.pitch >> j->across.bits, j->cs.lines);
}

extern "C" uint32_t
oct_cuda_volume_cs_column_blocks (const OctCudaVolumeCsJoint *j)
{
  dim3 grid = column_grid (j);

  return grid.x * grid.y;
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_columns (const OctCudaVolumeCsJoint *j,
    OctCudaVolumeCsColumns what, cudaStream_t stream)
{
  void (*kernel) (OctCudaVolumeCsJoint) =
      what == OCT_CUDA_VOLUME_CS_BEGIN
          ? columns_kernel<OCT_CUDA_VOLUME_CS_BEGIN>
      : what == OCT_CUDA_VOLUME_CS_NEXT
          ? columns_kernel<OCT_CUDA_VOLUME_CS_NEXT>
      : what == OCT_CUDA_VOLUME_CS_BACK
          ? columns_kernel<OCT_CUDA_VOLUME_CS_BACK>
      : what == OCT_CUDA_VOLUME_CS_FORTH
          ? columns_kernel<OCT_CUDA_VOLUME_CS_FORTH>
          : columns_kernel<OCT_CUDA_VOLUME_CS_END>;
  size_t memory = fft_memory (&j->across);
  cudaError_t status = allow_memory (kernel, memory);

  if (status != cudaSuccess)
    return status;
  kernel<<<column_grid (j), j->across.threads, memory, stream>>> (*j);
  return cudaGetLastError ();
}

/* --------------------------------------------------------------------- rows */

__device__ __forceinline__ float
get_threshold (const OctCudaVolumeCsJoint &j, uint32_t k)
{
  float pass = __ldg (&j.pass_y[blockIdx.y]) * __ldg (&j.pass_x[k]);

  return j.unit * rsqrtf (pass + FLOOR);
}

__global__ void BOUNDS
highest_kernel (const __grid_constant__ OctCudaVolumeCsJoint j)
{
  __shared__ float scratch[33];
  float most = 0;

  read_lines (j.g, get_row (j), j.along);
  run_fft (j.along);
  for (uint32_t k = first_place (j.along); k <= j.along.count / 2;
       k += next_place (j.along)) {
    uint32_t other = mirror_of (k, j.along);
    float2 a = values[value_of (k, j.along)];
    float2 b = values[value_of (other, j.along)];

    most = fmaxf (most, sqrtf (power_of (to_cosine (a, b, k, j.along)))
                            / get_threshold (j, k));
    most = fmaxf (most, sqrtf (power_of (to_cosine (b, a, other, j.along)))
                            / get_threshold (j, other));
  }
  most = join_block<true> (most, scratch);
  /* as integers they have the same order: none is below 0 */
  if (threadIdx.x == 0)
    atomicMax ((int *)&j.step->high, __float_as_int (most));
}

/* The next coefficient of `before`; sum: the square of its change. */
__device__ __forceinline__ float2
shrink (
    float2 before, float2 g, float per_alpha, float threshold, float *sum)
{
  float2 u = before - g * per_alpha;
  float power = power_of (u);
  float keep =
      power > threshold * threshold ? 1 - threshold * rsqrtf (power) : 0;
  float2 next = u * fmaxf (keep, 0);

  *sum += power_of (next - before);
  return next;
}

/* The next coefficients, from the transform in values; their bins to values. */
__device__ __forceinline__ float
shrink_row (const OctCudaVolumeCsJoint &j, const Lines &l)
{
  const OctCudaVolumeCsFft &f = j.along;
  double alpha = j.step->alpha;
  float per_alpha = (float)(1 / alpha), sum = 0;
  float raised = (float)(fmax (1.0, (double)j.step->high * j.fall) / alpha);
  float2 *c = j.c + l.first;
  uint32_t hop = next_place (f);

#pragma unroll 4
  for (uint32_t k = first_place (f); k <= f.count / 2; k += hop) {
    uint32_t other = mirror_of (k, f);
    float2 p = make_float2 (0, 0), q = p;

    if (!j.first) {
      p = c[k * l.step];
      q = c[other * l.step];
    }
    float2 a = values[value_of (k, f)], b = values[value_of (other, f)];
    p = shrink (p, to_cosine (a, b, k, f), per_alpha,
        get_threshold (j, k) * raised, &sum);
    c[k * l.step] = p;
    if (other != k) {
      q = shrink (q, to_cosine (b, a, other, f), per_alpha,
          get_threshold (j, other) * raised, &sum);
      c[other * l.step] = q;
      values[value_of (other, f)] = from_cosine (q, p, other, f);
    } else {
      q = p;
    }
    values[value_of (k, f)] = from_cosine (p, q, k, f);
  }
  return sum;
}

/* Coefficients begin to come while their gradient is transformed. */
__device__ __forceinline__ void
prefetch_row (const OctCudaVolumeCsJoint &j, const Lines &l)
{
  uint32_t hop = next_place (j.along), k = first_place (j.along);
  const float2 *c = j.c + l.first + k * l.step;

  for (; k < j.along.count && !j.first; k += hop, c += hop * l.step)
    asm volatile ("prefetch.global.L2 [%0];" ::"l"(c));
}

__global__ void BOUNDS
rows_kernel (const __grid_constant__ OctCudaVolumeCsJoint j)
{
  __shared__ double scratch[33];
  Lines l = get_row (j);
  double sum = 0;

  read_lines (j.g, l, j.along);
  prefetch_row (j, l);
#pragma unroll 1
  for (int forth = 1; forth >= 0; forth--) {
    run_fft (j.along);
    if (forth)
      sum = shrink_row (j, l);
  }
  write_lines (l, j.along, j.g);
  sum = join_block<false> (sum, scratch);
  if (threadIdx.x == 0)
    j.moved[(size_t)blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

static dim3
row_grid (const OctCudaVolumeCsJoint *j)
{
  return dim3 (j->cs.pitch >> j->along.bits, j->cs.bscans);
}

extern "C" uint32_t
oct_cuda_volume_cs_row_blocks (const OctCudaVolumeCsJoint *j)
{
  dim3 grid = row_grid (j);

  return grid.x * grid.y;
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_rows (
    const OctCudaVolumeCsJoint *j, cudaStream_t stream)
{
  size_t memory = fft_memory (&j->along);
  cudaError_t status = allow_memory (rows_kernel, memory);

  if (status != cudaSuccess)
    return status;
  rows_kernel<<<row_grid (j), j->along.threads, memory, stream>>> (*j);
  return cudaGetLastError ();
}

__global__ void
start_kernel (OctCudaVolumeCsStep *step)
{
  step->alpha = 1;
  step->high = 0;
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_highest (
    const OctCudaVolumeCsJoint *j, cudaStream_t stream)
{
  size_t memory = fft_memory (&j->along);
  cudaError_t status = allow_memory (highest_kernel, memory);

  if (status != cudaSuccess)
    return status;
  start_kernel<<<1, 1, 0, stream>>> (j->step);
  highest_kernel<<<row_grid (j), j->along.threads, memory, stream>>> (*j);
  return cudaGetLastError ();
}

/* -------------------------------------------------------------- phase steps */

__global__ void
phases_kernel (const __grid_constant__ OctCudaVolumeCs cs, float2 *values,
    int listed, double step_x, double step_y)
{
  __shared__ float2 factor;

  values += (size_t)blockIdx.x * cs.pitch;
  if (threadIdx.x == 0) {
    uint32_t place = listed ? cs.places[blockIdx.x] : blockIdx.x;
    double re, im;

    sincos (step_x * (place % cs.lines) + step_y * (place / cs.lines), &im, &re);
    factor = make_float2 ((float)re, (float)im);
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < cs.pitch; i += blockDim.x)
    values[i] = values[i] * factor;
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_phases (const OctCudaVolumeCs *cs, float2 *values,
    int listed, double step_x, double step_y, cudaStream_t stream)
{
  uint32_t lines = listed ? cs->taken : cs->lines * cs->bscans;

  phases_kernel<<<lines, 256, 0, stream>>> (
      *cs, values, listed, step_x, step_y);
  return cudaGetLastError ();
}

/* --------------------------------------------------------------- step size */

__device__ double
sum_of (const double *values, uint32_t count, double *scratch)
{
  double sum = 0;

  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
    sum += values[i];
  return join_block<false> (sum, scratch);
}

__global__ void BOUNDS
alpha_kernel (const __grid_constant__ OctCudaVolumeCsJoint j, uint32_t n_moved)
{
  __shared__ double scratch[33];
  double moved = sum_of (j.moved, n_moved, scratch);
  double changed = sum_of (j.changed, j.n_changed, scratch);

  if (threadIdx.x == 0)
    j.step->alpha = moved > 0
                        ? fmin (fmax (changed / moved, LEAST_STEP), MOST_STEP)
                        : MOST_STEP;
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_alpha (
    const OctCudaVolumeCsJoint *j, cudaStream_t stream)
{
  alpha_kernel<<<1, OCT_CUDA_VOLUME_CS_THREADS, 0, stream>>> (
      *j, oct_cuda_volume_cs_row_blocks (j));
  return cudaGetLastError ();
}
