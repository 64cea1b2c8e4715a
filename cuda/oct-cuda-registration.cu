/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which way a frame has moved, and means of frames that are moved.
 *
 * Nothing waits for the host: the shift that a level has found, and where the
 * frames of the ring lie, are in device memory.  One kernel makes all levels of
 * an image; one compares, a block for each shift that is tried; one chooses the
 * best of them; and one adds the frames of the ring, a thread for a value.
 */
#include "oct-cuda-launch.cuh"

#define THREADS 256
#define COMPARE_THREADS 512
#define WARPS (COMPARE_THREADS / 32)

/* ------------------------------------------------------------------- values
 */

/* The value by which images are compared, see oct-registration.h. */
template <OctCudaRegistrationValue KIND>
__device__ __forceinline__ float
read_value (const uint8_t *plane, size_t stride, uint32_t y, uint32_t x)
{
  if (KIND == OCT_CUDA_REGISTRATION_BYTES)
    return row_of (plane, stride, y)[x];
  if (KIND == OCT_CUDA_REGISTRATION_WORDS)
    return ((const uint16_t *)row_of (plane, stride, y))[x];
  if (KIND == OCT_CUDA_REGISTRATION_COLOURS) {
    uchar4 colour = ((const uchar4 *)row_of (plane, stride, y))[x];

    return (float)(colour.x + colour.y + colour.z);
  }
  float2 value = ((const float2 *)row_of (plane, stride, y))[x];
  float power = value.x * value.x + value.y * value.y;

  return isfinite (power) ? sqrtf (sqrtf (power)) : 0;
}

/* Level blockIdx.z: of the mean the rows that are compared, of a frame all,
 * where its finest level is the frame itself. */
template <OctCudaRegistrationValue KIND>
static __global__ void
__launch_bounds__ (THREADS) make_levels (OctCudaRegistration r, bool is_mean)
{
  uint32_t l = blockIdx.z, x = blockIdx.x * THREADS + threadIdx.x;
  const OctRegistrationLevel &level = r.plan.levels[l];
  uint32_t rows = is_mean ? level.sampled : level.rows;
  float *out = is_mean ? r.mean[l] : r.frame[l];

  begin_kernel ();
  if (x >= level.columns || (l == 0 && !is_mean))
    return;
  for (uint32_t i = blockIdx.y; i < rows; i += gridDim.y) {
    uint32_t y = (is_mean ? i * level.step : i) << l;
    float sum = 0;

    for (uint32_t dy = 0; dy < 1u << l; dy++)
      for (uint32_t dx = 0; dx < 1u << l; dx++)
        sum += read_value<KIND> (r.plane, r.stride, y + dy, (x << l) + dx);
    out[(size_t)i * level.columns + x] = sum;
  }
}

/* ------------------------------------------------------------------- search
 */

__device__ __forceinline__ double
warp_sum (double value)
{
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync (~0u, value, offset);
  return value;
}

/* Shifts that are tried on a level. */
struct Window {
  int first_row, first_column, rows, columns;

  __device__ __forceinline__ Window (const OctCudaRegistration &r, uint32_t l)
  {
    const OctRegistrationLevel &level = r.plan.levels[l];
    bool is_coarsest = l == r.plan.n - 1;
    int down = is_coarsest ? 0 : r.shift[0],
        across = is_coarsest ? 0 : r.shift[1];

    first_row =
        oct_registration_first (down, is_coarsest, level.most_rows, &rows);
    first_column = oct_registration_first (
        across, is_coarsest, level.most_columns, &columns);
  }
};

/* Shift number blockIdx.x: its sums. */
template <OctCudaRegistrationValue KIND, bool FINEST>
static __global__ void
__launch_bounds__ (COMPARE_THREADS) compare (OctCudaRegistration r, uint32_t l)
{
  const OctRegistrationLevel &level = r.plan.levels[l];
  __shared__ double parts[6][WARPS];

  begin_kernel ();
  Window window (r, l);
  if (blockIdx.x >= window.rows * window.columns)
    return;
  int down = window.first_row + (int)blockIdx.x / window.columns;
  int across = window.first_column + (int)blockIdx.x % window.columns;
  uint32_t pixels = level.sampled * level.columns;
  double sums[6] = { 0 };

  for (uint32_t i = threadIdx.x; i < pixels; i += COMPARE_THREADS) {
    uint32_t row = i / level.columns;
    int y = (int)(row * level.step) + down;
    int x = (int)(i % level.columns) + across;

    if (y < 0 || y >= (int)level.rows || x < 0 || x >= (int)level.columns)
      continue;
    double f = FINEST ? read_value<KIND> (r.plane, r.stride, y, x)
                      : r.frame[l][(size_t)y * level.columns + x];
    double g = r.mean[l][i];

    sums[0]++;
    sums[1] += f;
    sums[2] += g;
    sums[3] += f * f;
    sums[4] += g * g;
    sums[5] += f * g;
  }
  for (int k = 0; k < 6; k++) {
    double sum = warp_sum (sums[k]);

    if (threadIdx.x % 32 == 0)
      parts[k][threadIdx.x / 32] = sum;
  }
  __syncthreads ();
  if (threadIdx.x < 6) {
    double sum = 0;

    for (int warp = 0; warp < WARPS; warp++)
      sum += parts[threadIdx.x][warp];
    r.sums[blockIdx.x * 6 + threadIdx.x] = sum;
  }
}

/* The best shift of a level, the first of equals; on the finest one it says
 * where the frame is. */
static __global__ void __launch_bounds__ (32)
    choose (OctCudaRegistration r, uint32_t l)
{
  begin_kernel ();
  Window window (r, l);
  int n = window.rows * window.columns, best = n;
  double highest = -1e300;

  for (int i = (int)threadIdx.x; i < n; i += 32) {
    const double *s = r.sums + i * 6;
    OctRegistrationSums sums = { s[0], s[1], s[2], s[3], s[4], s[5] };
    double score = oct_registration_score (&sums, r.plan.levels[l].independent,
        window.first_row + i / window.columns,
        window.first_column + i % window.columns);

    if (score > highest) {
      highest = score;
      best = i;
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    double score = __shfl_xor_sync (~0u, highest, offset);
    int i = __shfl_xor_sync (~0u, best, offset);

    if (score > highest || (score == highest && i < best)) {
      highest = score;
      best = i;
    }
  }
  if (threadIdx.x != 0)
    return;
  /* all lanes have read the previous shift */
  r.shift[0] = window.first_row + best / window.columns;
  r.shift[1] = window.first_column + best % window.columns;
  if (l == 0)
    for (int k = 0; k < 2; k++)
      r.where[2 * r.place + k] =
          (int)((uint32_t)r.where[2 * r.former + k] + (uint32_t)r.shift[k]);
}

template <OctCudaRegistrationValue KIND>
static cudaError_t
launch_levels (const OctCudaRegistration &r, bool is_mean, OctCudaQueue queue)
{
  const OctRegistrationLevel &level = r.plan.levels[0];
  uint32_t rows = is_mean ? level.sampled : level.rows;
  dim3 grid ((level.columns + THREADS - 1) / THREADS, rows < 4096 ? rows : 4096,
      r.plan.n);

  return launch (queue, make_levels<KIND>, grid, THREADS, 0, r, is_mean);
}

template <OctCudaRegistrationValue KIND>
static cudaError_t
launch_search (const OctCudaRegistration &r, OctCudaQueue queue)
{
  cudaError_t status =
      r.plan.n > 1 ? launch_levels<KIND> (r, false, queue) : cudaSuccess;

  for (uint32_t l = r.plan.n; status == cudaSuccess && l-- > 0;) {
    bool is_coarsest = l == r.plan.n - 1;
    const uint32_t side = 2 * OCT_REGISTRATION_FINE + 1;
    uint32_t tried = is_coarsest ? OCT_REGISTRATION_TRIED : side * side;

    status = l == 0 ? launch (
                 queue, compare<KIND, true>, tried, COMPARE_THREADS, 0, r, l)
                    : launch (queue, compare<KIND, false>, tried,
                        COMPARE_THREADS, 0, r, l);
    if (status == cudaSuccess)
      status = launch (queue, choose, 1, 32, 0, r, l);
  }
  return status;
}

extern "C" cudaError_t
oct_cuda_launch_registration_find (
    const OctCudaRegistration *r, OctCudaQueue queue)
{
  switch (r->kind) {
  case OCT_CUDA_REGISTRATION_BYTES:
    return launch_search<OCT_CUDA_REGISTRATION_BYTES> (*r, queue);
  case OCT_CUDA_REGISTRATION_WORDS:
    return launch_search<OCT_CUDA_REGISTRATION_WORDS> (*r, queue);
  case OCT_CUDA_REGISTRATION_COLOURS:
    return launch_search<OCT_CUDA_REGISTRATION_COLOURS> (*r, queue);
  default:
    return launch_search<OCT_CUDA_REGISTRATION_COMPLEX> (*r, queue);
  }
}

extern "C" cudaError_t
oct_cuda_launch_registration_keep (
    const OctCudaRegistration *r, OctCudaQueue queue)
{
  switch (r->kind) {
  case OCT_CUDA_REGISTRATION_BYTES:
    return launch_levels<OCT_CUDA_REGISTRATION_BYTES> (*r, true, queue);
  case OCT_CUDA_REGISTRATION_WORDS:
    return launch_levels<OCT_CUDA_REGISTRATION_WORDS> (*r, true, queue);
  case OCT_CUDA_REGISTRATION_COLOURS:
    return launch_levels<OCT_CUDA_REGISTRATION_COLOURS> (*r, true, queue);
  default:
    return launch_levels<OCT_CUDA_REGISTRATION_COMPLEX> (*r, true, queue);
  }
}

/* -------------------------------------------------------------------- means
 */

__device__ __forceinline__ float
finite_or_zero (float value)
{
  return isfinite (value) ? value : 0;
}

/* Where value (y, x) of the mean is in the frame that is `age` frames older
 * than the last one: its number in the ring; FALSE: nowhere. */
__device__ __forceinline__ bool
find_value (
    const OctCudaMoved &m, uint32_t age, uint32_t y, uint32_t x, size_t *at)
{
  uint32_t place = (m.place + m.frames - age) % m.frames;
  int down = m.where[2 * place] - m.where[2 * m.place];
  int across = m.where[2 * place + 1] - m.where[2 * m.place + 1];

  if (m.half) {
    down = oct_registration_half (down);
    across = oct_registration_half (across);
  }
  int64_t row = (int64_t)y + down;
  int64_t value = (int64_t)x + (int64_t)across * m.parts;

  if (row < 0 || row >= m.rows || value < 0 || value >= m.width)
    return false;
  *at = place * m.values + m.at + (size_t)row * m.width + (size_t)value;
  return true;
}

/* The last frame is not read from the ring, where this writes it. */
template <typename Value>
static __global__ void
__launch_bounds__ (THREADS) mean_of_counts (OctCudaMoved m)
{
  uint32_t x = blockIdx.x * THREADS + threadIdx.x;
  Value *ring = (Value *)m.ring;

  begin_kernel ();
  if (x >= m.width)
    return;
  for (uint32_t y = blockIdx.y; y < m.rows; y += gridDim.y) {
    uint32_t sum = ((const Value *)row_of (m.in, m.in_stride, y))[x], n = 1;
    size_t at;

    ring[m.place * m.values + m.at + (size_t)y * m.width + x] = (Value)sum;
    for (uint32_t age = 1; age < m.count; age++)
      if (find_value (m, age, y, x, &at)) {
        sum += ring[at];
        n++;
      }
    ((Value *)row_of (m.out, m.out_stride, y))[x] =
        (Value)((2 * sum + n) / (2 * n));
  }
}

static __global__ void
__launch_bounds__ (THREADS) mean_of_powers (OctCudaMoved m)
{
  uint32_t x = blockIdx.x * THREADS + threadIdx.x;
  float *ring = (float *)m.ring;

  begin_kernel ();
  if (x >= m.width)
    return;
  for (uint32_t y = blockIdx.y; y < m.rows; y += gridDim.y) {
    float2 value = ((const float2 *)row_of (m.in, m.in_stride, y))[x];
    float power = finite_or_zero (value.x * value.x + value.y * value.y);
    double sum = power;
    uint32_t n = 1;
    size_t at;

    ring[m.place * m.values + m.at + (size_t)y * m.width + x] = power;
    for (uint32_t age = 1; age < m.count; age++)
      if (find_value (m, age, y, x, &at)) {
        sum += ring[at];
        n++;
      }
    ((float2 *)row_of (m.out, m.out_stride, y))[x] =
        make_float2 ((float)sqrt (sum / n), 0);
  }
}

static __global__ void
__launch_bounds__ (THREADS) mean_of_values (OctCudaMoved m)
{
  uint32_t x = blockIdx.x * THREADS + threadIdx.x;
  float2 *ring = (float2 *)m.ring;

  begin_kernel ();
  if (x >= m.width)
    return;
  for (uint32_t y = blockIdx.y; y < m.rows; y += gridDim.y) {
    float2 value = ((const float2 *)row_of (m.in, m.in_stride, y))[x];
    double re, im;
    uint32_t n = 1;
    size_t at;

    value = make_float2 (finite_or_zero (value.x), finite_or_zero (value.y));
    re = value.x;
    im = value.y;
    ring[m.place * m.values + m.at + (size_t)y * m.width + x] = value;
    for (uint32_t age = 1; age < m.count; age++)
      if (find_value (m, age, y, x, &at)) {
        re += ring[at].x;
        im += ring[at].y;
        n++;
      }
    ((float2 *)row_of (m.out, m.out_stride, y))[x] =
        make_float2 ((float)(re / n), (float)(im / n));
  }
}

extern "C" cudaError_t
oct_cuda_launch_moved (const OctCudaMoved *m, OctCudaQueue queue)
{
  dim3 grid (
      (m->width + THREADS - 1) / THREADS, m->rows < 32768 ? m->rows : 32768);

  switch (m->kind) {
  case OCT_CUDA_AVERAGE_BYTES:
    return launch (queue, mean_of_counts<uint8_t>, grid, THREADS, 0, *m);
  case OCT_CUDA_AVERAGE_WORDS:
    return launch (queue, mean_of_counts<uint16_t>, grid, THREADS, 0, *m);
  case OCT_CUDA_AVERAGE_POWER:
    return launch (queue, mean_of_powers, grid, THREADS, 0, *m);
  default:
    return launch (queue, mean_of_values, grid, THREADS, 0, *m);
  }
}
