/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Amplitudes of the missing A-lines, direction by direction: basis pursuit by
 * the dual alternating directions of YALL1 (oct-cuda-volume-cs-pursuit.cuh) for
 * orthonormal bases, all steps of some depths of one line in a block.
 *
 * Values are pairs: of real bases, two depths; of the Fourier basis one depth,
 * whose coefficients are complex.  The values of the line itself are in the
 * order of its transform, and conjugated after the transform back.
 */
#include "oct-cuda-volume-cs-pursuit.cuh"
#include "oct-cuda-volume-cs-fft.cuh"

#define WAVELET 0
#define COSINE 1
#define FOURIER 2

#define TAPS 8
#define LEVELS 4
#define APPROXIMATION 0.05f /* weight */
#define MOST_SIDE 8         /* pairs side by side */
#define SUMS PURSUIT_SUMS
#define WARPS (OCT_CUDA_VOLUME_CS_THREADS / 32)

/* db4, orthonormal */
__device__ __forceinline__ constexpr float
low_of (int t)
{
  constexpr float low[TAPS] = { 0.230377813f, 0.714846571f, 0.630880768f,
    -0.0279837694f, -0.187034812f, 0.0308413818f, 0.0328830117f,
    -0.0105974018f };

  return low[t];
}

__device__ __forceinline__ constexpr float
high_of (int t)
{
  return t % 2 == 0 ? low_of (TAPS - 1 - t) : -low_of (TAPS - 1 - t);
}

/* The state of the lines of a block: [x or y of a pair][pair]. */
typedef struct {
  float mu[2][MOST_SIDE], least[2][MOST_SIDE], scale[2][MOST_SIDE];
  int done[2][MOST_SIDE];
  double sums[SUMS][2][MOST_SIDE];
  float2 parts[WARPS][SUMS][MOST_SIDE];
} Rows;

/* ---------------------------------------------------------------- transforms */

/* One level: `n` values of each column to n / 2 of each band. */
__device__ __forceinline__ void
split (uint32_t n, uint32_t bits)
{
  uint32_t side = (1u << bits) - 1, total = n / 2 << bits;
  float2 a[EACH / 2], d[EACH / 2];

#pragma unroll
  for (int m = 0; m < EACH / 2; m++) {
    uint32_t i = threadIdx.x + m * blockDim.x, at = 2 * (i >> bits);

    a[m] = d[m] = make_float2 (0, 0);
    if (i < total)
#pragma unroll
      for (int t = 0; t < TAPS; t++) {
        float2 v = values[((at + t) % n << bits) + (i & side)];

        a[m] = a[m] + v * low_of (t);
        d[m] = d[m] + v * high_of (t);
      }
  }
  __syncthreads ();
#pragma unroll
  for (int m = 0; m < EACH / 2; m++) {
    uint32_t i = threadIdx.x + m * blockDim.x;

    if (i < total) {
      values[i] = a[m];
      values[total + i] = d[m];
    }
  }
  __syncthreads ();
}

__device__ __forceinline__ void
join (uint32_t n, uint32_t bits)
{
  uint32_t side = (1u << bits) - 1, total = n / 2 << bits;
  float2 even[EACH / 2], odd[EACH / 2];

#pragma unroll
  for (int m = 0; m < EACH / 2; m++) {
    uint32_t i = threadIdx.x + m * blockDim.x;

    even[m] = odd[m] = make_float2 (0, 0);
    if (i < total)
#pragma unroll
      for (int r = 0; r < TAPS / 2; r++) {
        uint32_t from = (((i >> bits) + n - r) % (n / 2) << bits) + (i & side);
        float2 a = values[from], d = values[total + from];

        even[m] = even[m] + a * low_of (2 * r) + d * high_of (2 * r);
        odd[m] = odd[m] + a * low_of (2 * r + 1) + d * high_of (2 * r + 1);
      }
  }
  __syncthreads ();
#pragma unroll
  for (int m = 0; m < EACH / 2; m++) {
    uint32_t i = threadIdx.x + m * blockDim.x;
    uint32_t to = (2 * (i >> bits) << bits) + (i & side);

    if (i < total) {
      values[to] = even[m];
      values[to + side + 1] = odd[m];
    }
  }
  __syncthreads ();
}

/* Bins to cosine coefficients, or (BACK) the opposite. */
template <bool BACK>
__device__ __forceinline__ void
turn_cosines (const OctCudaVolumeCsFft &f)
{
  uint32_t total = (f.count / 2 + 1) << f.bits, side = (1u << f.bits) - 1;

  for (uint32_t i = threadIdx.x; i < total; i += blockDim.x) {
    uint32_t k = i >> f.bits, other = k == 0 ? 0 : f.count - k;
    uint32_t mirror = (other << f.bits) + (i & side);
    float2 a = values[i], b = values[mirror];

    values[i] = BACK ? from_cosine (a, b, k, f) : to_cosine (a, b, k, f);
    if (other != k)
      values[mirror] =
          BACK ? from_cosine (b, a, other, f) : to_cosine (b, a, other, f);
  }
}

__device__ __forceinline__ void
turn_waves (const OctCudaVolumeCsFft &f, bool back)
{
  float scale = 1 / sqrtf ((float)f.count);
  uint32_t total = f.count << f.bits;

  for (uint32_t i = threadIdx.x; i < total; i += blockDim.x)
    values[i] = (back ? conjugate (values[i]) : values[i]) * scale;
}

/* Lines to coefficients, or back to conjugated lines, in place. */
template <int BASIS>
__device__ __noinline__ void
turn (OctCudaVolumeCsFft f, uint32_t places, bool back)
{
  __syncthreads ();
  if (BASIS == WAVELET && !back)
#pragma unroll 1
    for (uint32_t n = places; n > places >> LEVELS; n /= 2)
      split (n, f.bits);
  else if (BASIS == WAVELET)
#pragma unroll 1
    for (uint32_t n = places >> (LEVELS - 1); n <= places; n *= 2)
      join (n, f.bits);
  else {
    if (BASIS == COSINE && back)
      turn_cosines<true> (f);
    if (BASIS == FOURIER && back)
      turn_waves (f, true);
    run_fft (f);
    if (BASIS == COSINE && !back)
      turn_cosines<false> (f);
    if (BASIS == FOURIER && !back)
      turn_waves (f, false);
  }
  __syncthreads ();
}

/* The value of a line after the transform back. */
template <int BASIS>
__device__ __forceinline__ float2
straight (float2 v)
{
  return BASIS == WAVELET ? v : conjugate (v);
}

/* Where place i of a line stands. */
template <int BASIS>
__device__ __forceinline__ uint32_t
stands (uint32_t i, uint32_t count)
{
  return BASIS == COSINE ? reordered (i, count) : i;
}

/* The place of a line that stands at i. */
template <int BASIS>
__device__ __forceinline__ uint32_t
place_at (uint32_t i, uint32_t count)
{
  if (BASIS != COSINE)
    return i;
  return i < (count + 1) / 2 ? 2 * i : 2 * (count - 1 - i) + 1;
}

/* --------------------------------------------------------------------- rows */

/* Adds up what the threads of each column have, to rows->sums. */
template <int N>
__device__ __forceinline__ void
add_up (const float2 (&v)[N], uint32_t bits, Rows *rows)
{
  uint32_t sides = 1u << bits, lane = threadIdx.x % 32;

#pragma unroll
  for (int n = 0; n < N; n++) {
    float2 sum = v[n];

    for (uint32_t o = 16; o >= sides; o /= 2) {
      sum.x += __shfl_xor_sync (~0u, sum.x, o);
      sum.y += __shfl_xor_sync (~0u, sum.y, o);
    }
    if (lane < sides)
      rows->parts[threadIdx.x / 32][n][lane] = sum;
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < N * sides; i += blockDim.x) {
    double x = 0, y = 0;

    for (uint32_t w = 0; w < blockDim.x / 32; w++) {
      float2 part = rows->parts[w][i >> bits][i & (sides - 1)];

      x += part.x;
      y += part.y;
    }
    rows->sums[i >> bits][0][i & (sides - 1)] = x;
    rows->sums[i >> bits][1][i & (sides - 1)] = y;
  }
  __syncthreads ();
}

/* The sum of both of a pair, in each. */
__device__ __forceinline__ void
share (double (*sums)[MOST_SIDE], uint32_t t)
{
  sums[0][t] = sums[1][t] = sums[0][t] + sums[1][t];
}

/* One block at work. */
typedef struct {
  float2 *b, *x; /* [places][1 << bits], after the values */
  Rows *rows;
  const uint8_t *kept; /* [count] */
  uint32_t t, total;   /* of this thread; values */
} Solver;

__device__ __forceinline__ float2
row_of (const float (&of)[2][MOST_SIDE], uint32_t t)
{
  return make_float2 (of[0][t], of[1][t]);
}

template <int BASIS>
__device__ __forceinline__ float2
sizes_of (float2 v)
{
  float size = sqrtf (power_of (v));

  return BASIS == FOURIER ? make_float2 (size, size)
                          : make_float2 (fabsf (v.x), fabsf (v.y));
}

__device__ __forceinline__ float2
divided (float2 a, float2 b)
{
  return make_float2 (a.x / b.x, a.y / b.y);
}

__device__ __forceinline__ float2
product (float2 a, float2 b)
{
  return make_float2 (a.x * b.x, a.y * b.y);
}

/* b in units of its largest value, the first step size by its mean. */
template <int BASIS>
__device__ __forceinline__ void
begin (const OctCudaVolumeCsPaper &p, const Solver &s, uint32_t n_kept)
{
  float2 sums[1] = { make_float2 (0, 0) }, most = sums[0];
  Rows *rows = s.rows;
  uint32_t sides = 1u << p.bits;

  for (uint32_t i = threadIdx.x; i < s.total; i += blockDim.x) {
    float2 v = s.b[i];

    sums[0] = sums[0] + make_float2 (fabsf (v.x), fabsf (v.y));
    most =
        make_float2 (fmaxf (most.x, fabsf (v.x)), fmaxf (most.y, fabsf (v.y)));
  }
  for (uint32_t i = threadIdx.x; i < 2 * MOST_SIDE; i += blockDim.x)
    rows->scale[i / MOST_SIDE][i % MOST_SIDE] = 0;
  __syncthreads ();
  /* as integers they have the same order: none is below 0 */
  atomicMax ((int *)&rows->scale[0][s.t], __float_as_int (most.x));
  atomicMax ((int *)&rows->scale[1][s.t], __float_as_int (most.y));
  add_up (sums, p.bits, rows);
  if (threadIdx.x < 2 * sides) {
    uint32_t part = threadIdx.x >> p.bits, t = threadIdx.x & (sides - 1);
    uint32_t from = BASIS == FOURIER ? 0 : part;
    float scale = rows->scale[from][t];
    float mu =
        scale > 0 ? (float)rows->sums[0][from][t] / scale / (float)n_kept : 1;

    rows->done[part][t] = scale == 0;
    rows->mu[part][t] = mu;
    rows->least[part][t] = PURSUIT_LEAST * mu;
  }
  __syncthreads ();
  if (BASIS == FOURIER && threadIdx.x < sides)
    rows->scale[1][threadIdx.x] = rows->scale[0][threadIdx.x];
  __syncthreads ();
  float2 scale = row_of (rows->scale, s.t);
  for (uint32_t i = threadIdx.x; i < s.total; i += blockDim.x)
    s.b[i] = make_float2 (scale.x > 0 ? s.b[i].x / scale.x : 0,
        scale.y > 0 ? s.b[i].y / scale.y : 0);
}

/* y = A (z - x / mu) + b / mu where lines are kept, dual = A^H y. */
template <int BASIS>
__device__ __forceinline__ float2
find_dual (const OctCudaVolumeCsPaper &p, const Solver &s)
{
  float2 mu = row_of (s.rows->mu, s.t), sum = make_float2 (0, 0);

  for (uint32_t i = threadIdx.x; i < s.total; i += blockDim.x)
    values[i] = values[i] - divided (s.x[i], mu);
  turn<BASIS> (p.fft, p.places, true);
  for (uint32_t i = threadIdx.x; i < s.total; i += blockDim.x) {
    uint32_t at = place_at<BASIS> (i >> p.bits, p.count);
    float2 y = make_float2 (0, 0), b = s.b[i];

    if (at < p.count && s.kept[at])
      y = straight<BASIS> (values[i]) + divided (b, mu);
    values[i] = y;
    sum = sum + product (b, y);
  }
  turn<BASIS> (p.fft, p.places, false);
  return sum;
}

/* values = z = what the bound leaves of dual + x / mu, x += mu (dual - z);
 * sums: of the step, x, z, what is made least. */
template <int BASIS>
__device__ __forceinline__ void
update (const OctCudaVolumeCsPaper &p, const Solver &s, float2 (&sums)[SUMS])
{
  float2 mu = row_of (s.rows->mu, s.t);
  int done_x = s.rows->done[0][s.t], done_y = s.rows->done[1][s.t];

  for (uint32_t i = threadIdx.x; i < s.total; i += blockDim.x) {
    float weight = BASIS == WAVELET && i >> p.bits < p.places >> LEVELS
                       ? APPROXIMATION
                       : 1;
    float2 dual = values[i], x = s.x[i], z = dual + divided (x, mu);
    float2 size = sizes_of<BASIS> (z);
    float2 next = make_float2 (z.x * (weight / fmaxf (weight, size.x)),
        z.y * (weight / fmaxf (weight, size.y)));
    float2 step = dual - next, moved = x + product (mu, step);

    /* what is done stays as it was then */
    x = make_float2 (done_x ? x.x : moved.x, done_y ? x.y : moved.y);
    values[i] = next;
    s.x[i] = x;
    sums[0] = sums[0] + product (step, step);
    sums[1] = sums[1] + product (x, x);
    sums[2] = sums[2] + product (next, next);
    sums[3] = sums[3] + sizes_of<BASIS> (x) * weight;
  }
}

/* TRUE: all rows are done. */
template <int BASIS>
__device__ __forceinline__ bool
check (const OctCudaVolumeCsPaper &p, const Solver &s, uint32_t step)
{
  uint32_t sides = 1u << p.bits;
  Rows *rows = s.rows;
  int done = 1;

  if (BASIS == FOURIER && threadIdx.x < sides)
    for (int n = 0; n < SUMS; n++)
      if (n != 3)
        share (rows->sums[n], threadIdx.x);
  __syncthreads ();
  if (threadIdx.x < 2 * sides) {
    uint32_t part = threadIdx.x >> p.bits, t = threadIdx.x & (sides - 1);
    double sums[SUMS];

#pragma unroll
    for (int n = 0; n < SUMS; n++)
      sums[n] = rows->sums[n][part][t];
    done =
        rows->done[part][t] || step == p.steps
        || pursuit_judge (sums, step, rows->least[part][t], &rows->mu[part][t]);
    rows->done[part][t] = done;
  }
  return __syncthreads_and (done);
}

/* -------------------------------------------------------------------- lines */

/* Values of place i of this line in device memory: of one depth, or two. */
template <int BASIS>
__device__ __forceinline__ float2 *
find_value (const OctCudaVolumeCsPaper &p, uint32_t i, uint32_t t)
{
  size_t place = p.direction == 0 ? (size_t)blockIdx.y * p.cs.lines + i
                                  : (size_t)i * p.cs.lines + blockIdx.y;
  uint32_t z = BASIS == FOURIER ? (blockIdx.x << p.bits) + t
                                : 2 * ((blockIdx.x << p.bits) + t);

  return p.volume + place * p.cs.pitch + z;
}

/* Returns how many lines are kept. */
template <int BASIS>
__device__ __forceinline__ uint32_t
read_rows (const OctCudaVolumeCsPaper &p, const Solver &s)
{
  __shared__ uint32_t scratch[33];
  uint32_t kept = 0;

  for (uint32_t i = threadIdx.x; i < s.total; i += blockDim.x)
    s.b[i] = make_float2 (0, 0);
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < p.count << p.bits; i += blockDim.x) {
    uint32_t at = i >> p.bits;
    const float2 *from = find_value<BASIS> (p, at, s.t);

    if (!s.kept[at])
      continue;
    kept += s.t == 0;
    s.b[(stands<BASIS> (at, p.count) << p.bits) + s.t] =
        make_float2 (from[0].x, BASIS == FOURIER ? 0 : from[1].x);
  }
  return join_block<false> (kept, scratch);
}

template <int BASIS>
__device__ __forceinline__ void
write_rows (const OctCudaVolumeCsPaper &p, const Solver &s)
{
  float2 scale = row_of (s.rows->scale, s.t);

  for (uint32_t i = threadIdx.x; i < s.total; i += blockDim.x)
    values[i] = product (s.x[i], scale);
  turn<BASIS> (p.fft, p.places, true);
  for (uint32_t i = threadIdx.x; i < p.count << p.bits; i += blockDim.x) {
    uint32_t at = i >> p.bits;
    float2 *to = find_value<BASIS> (p, at, s.t);
    float2 v =
        straight<BASIS> (values[(stands<BASIS> (at, p.count) << p.bits) + s.t]);

    to[0].x = v.x;
    if (BASIS != FOURIER)
      to[1].x = v.y;
  }
}

template <int BASIS>
__global__ void
__launch_bounds__ (OCT_CUDA_VOLUME_CS_THREADS, 1)
    pursue_kernel (const __grid_constant__ OctCudaVolumeCsPaper p)
{
  __shared__ Rows rows;
  Solver s;
  uint32_t n_kept;

  s.total = p.places << p.bits;
  s.t = threadIdx.x & ((1u << p.bits) - 1);
  s.b = values + s.total;
  s.x = s.b + s.total;
  s.rows = &rows;
  s.kept = p.there + (p.direction == 0 ? (size_t)blockIdx.y * p.count : 0);
  n_kept = read_rows<BASIS> (p, s);
  if (n_kept == 0)
    return;
  begin<BASIS> (p, s, n_kept);
  for (uint32_t i = threadIdx.x; i < s.total; i += blockDim.x)
    values[i] = s.b[i];
  turn<BASIS> (p.fft, p.places, false);
  for (uint32_t i = threadIdx.x; i < s.total; i += blockDim.x) {
    s.x[i] = values[i];
    values[i] = make_float2 (0, 0);
  }
#pragma unroll 1
  for (uint32_t step = 1; step <= p.steps; step++) {
    float2 sums[SUMS];

#pragma unroll
    for (int n = 0; n < SUMS; n++)
      sums[n] = make_float2 (0, 0);
    sums[4] = find_dual<BASIS> (p, s);
    update<BASIS> (p, s, sums);
    if (step % 2 != 0 && step != p.steps)
      continue;
    add_up (sums, p.bits, &rows);
    if (check<BASIS> (p, s, step))
      break;
  }
  write_rows<BASIS> (p, s);
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_pursue (
    const OctCudaVolumeCsPaper *p, cudaStream_t stream)
{
  void (*kernel) (OctCudaVolumeCsPaper) =
      p->basis == WAVELET  ? pursue_kernel<WAVELET>
      : p->basis == COSINE ? pursue_kernel<COSINE>
                           : pursue_kernel<FOURIER>;
  uint32_t depths = (p->basis == FOURIER ? 1u : 2u) << p->bits;
  dim3 grid (
      p->cs.pitch / depths, p->direction == 0 ? p->cs.bscans : p->cs.lines);
  size_t memory = ((size_t)p->places << p->bits) * 3 * sizeof (float2);
  cudaError_t status = allow_memory (kernel, memory);

  if (status != cudaSuccess)
    return status;
  kernel<<<grid, p->fft.threads, memory, stream>>> (*p);
  return cudaGetLastError ();
}

/* --------------------------------------------------------------- amplitudes */

#define THREADS 256

/* One A-line a block. */
__global__ void
__launch_bounds__ (THREADS) place_kernel (OctCudaVolumeCs cs, float2 *volume)
{
  int32_t k = cs.number[blockIdx.x];
  bool there = k >= 0 && cs.valid[k];
  const float2 *from = cs.ascans + (size_t)(there ? k : 0) * cs.pitch;

  volume += (size_t)blockIdx.x * cs.pitch;
  for (uint32_t z = threadIdx.x; z < cs.pitch; z += THREADS)
    volume[z] = make_float2 (there ? sqrtf (power_of (from[z])) : 0, 0);
}

extern "C" cudaError_t
oct_cuda_launch_volume_cs_amplitudes (
    const OctCudaVolumeCs *cs, float2 *volume, cudaStream_t stream)
{
  place_kernel<<<cs->lines * cs->bscans, THREADS, 0, stream>>> (*cs, volume);
  return cudaGetLastError ();
}
