/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * k-clocks: a block of threads for an A-line, then a thread for each sample of the
 * reference.
 */
#include "oct-cuda-kclock.h"
#include "oct-cuda-launch.cuh"

#define THREADS 256
#define BLOCKS OCT_KCLOCK_BLOCKS
#define GROUP (THREADS / BLOCKS) /* threads of a part of the sweep */
#define EXTENT OCT_KCLOCK_EXTENT
#define HALF OCT_KCLOCK_HALF_MEAN
#define TAPS OCT_KCLOCK_TAPS
/* cos 1.5, the phase that a hop exceeds */
#define HOP 0.0707372f

__device__ static float
load_value (const OctCudaKclock &c, const void *row, int i)
{
  switch (c.sample_size) {
  case 1:
    return ((const uint8_t *)row)[i];
  case 2:
    return ((const uint16_t *)row)[i];
  default:
    return ((const float *)row)[i];
  }
}

/* The sum over the threads of a block; `parts`: [THREADS / 32] in shared
 * memory. */
__device__ static float
sum_block (float value, float *parts)
{
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync (0xffffffff, value, step);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads ();
  value = 0;
  for (int i = 0; i < THREADS / 32; i++)
    value += parts[i];
  return value;
}

/* ---------------------------------------------------------------------- bins */

__global__ static void
kclock_load (const __grid_constant__ OctCudaKclock c)
{
  __shared__ float parts[THREADS / 32];
  const int n = (int)c.rows.samples;
  const char *row = (const char *)c.rows.in + c.rows.in_stride * blockIdx.x;
  float *to = c.padded + (size_t)c.length * blockIdx.x;
  float sum = 0, mean;

  begin_kernel ();
  for (int i = (int)threadIdx.x; i < n; i += THREADS)
    sum += load_value (c, row, n + i);
  mean = sum_block (sum, parts) / (float)n;
  for (int i = (int)threadIdx.x; i < c.length; i += THREADS) {
    int at = abs (i - OCT_KCLOCK_PAD);

    to[i] = load_value (c, row, n + (at < n ? at : 2 * (n - 1) - at)) - mean;
  }
}

__global__ static void
kclock_filter (const __grid_constant__ OctCudaKclock c)
{
  __shared__ float parts[THREADS / 32];
  const float2 *bins = c.bins + (size_t)c.pitch * blockIdx.x;
  float2 *to = c.analytic + (size_t)c.length * blockIdx.x;
  float signal = 0, noise = 0;

  begin_kernel ();
  for (int q = (int)threadIdx.x; q < c.length; q += THREADS) {
    float2 bin = make_float2 (0, 0);
    int role = 0;

    if (q > 0 && q < c.length / 2) {
      bin = bins[q];
      role = c.tables.role[q];
    }
    if (role != 0) {
      float2 a = bins[q - 1], b = bins[q + 1];
      float re = 0.5f * bin.x - 0.25f * (a.x + b.x);
      float im = 0.5f * bin.y - 0.25f * (a.y + b.y);
      float power = re * re + im * im;

      signal += role > 0 ? power : 0;
      noise += role < 0 ? power : 0;
    }
    if (q > 0 && q < c.length / 2) {
      bin.x *= c.tables.filter[q];
      bin.y *= c.tables.filter[q];
    }
    to[q] = bin;
  }
  signal = sum_block (signal, parts);
  noise = sum_block (noise, parts);
  if (threadIdx.x == 0) {
    float mean = c.noises > 8 ? noise / (float)c.noises : 0;
    float above = signal - mean * (float)c.signals;

    c.faults[blockIdx.x] =
        above > 0 && above >= c.least_snr * mean * (float)c.length / 2
            ? OCT_CUDA_KCLOCK_GOOD
            : OCT_CUDA_KCLOCK_WEAK;
  }
}

/* -------------------------------------------------------------------- A-lines */

/* Shared by the threads of an A-line. */
typedef struct {
  float re[BLOCKS], im[BLOCKS], residual[BLOCKS];
  float fit[OCT_KCLOCK_MOST_ORDER + 1];
  float parts[THREADS / 32];
  float t, rms;
  int in_range;
} LineState;

/* z exp (-i ref (n - t)) of sample i */
__device__ static float2
turn_value (const OctCudaKclock &c, float2 z, int i, int whole, float f)
{
  float4 at = c.tables.turns[EXTENT - whole + i];
  float re, im;

  oct_kclock_model (at.x, at.y, at.z, at.w, f, &re, &im);
  return make_float2 (z.x * re + z.y * im, z.y * re - z.x * im);
}

/* The sums over the parts of the sweep: 16 threads for each. */
__device__ static void
sum_parts (const OctCudaKclock &c, const float2 *z, LineState *line)
{
  const int each = (int)c.rows.samples / BLOCKS;
  const int part = (int)threadIdx.x / GROUP, own = (int)threadIdx.x % GROUP;
  int whole = (int)rintf (line->t);
  float f = (float)whole - line->t;
  float2 sum = make_float2 (0, 0);

  for (int i = own; i < each; i += GROUP) {
    float2 value =
        turn_value (c, z[part * each + i], part * each + i, whole, f);

    sum.x += value.x;
    sum.y += value.y;
  }
  for (int step = GROUP / 2; step > 0; step /= 2) {
    sum.x += __shfl_xor_sync (0xffffffff, sum.x, step);
    sum.y += __shfl_xor_sync (0xffffffff, sum.y, step);
  }
  if (own == 0) {
    line->re[part] = sum.x;
    line->im[part] = sum.y;
  }
}

__device__ static void
find_delay (const OctCudaKclock &c, const float2 *z, LineState *line)
{
  float t = 0; /* of thread 0, as the next */
  int in_range = 1;

  if (threadIdx.x == 0)
    line->t = 0;
  __syncthreads ();
  for (int round = 0; round < 2; round++) {
    sum_parts (c, z, line);
    __syncthreads ();
    if (threadIdx.x == 0 && in_range) {
      oct_kclock_solve (
          &c.blocks, line->re, line->im, round == 0, &t, line->residual);
      in_range = fabsf (t) <= (float)OCT_KCLOCK_MOST_JITTER + 1;
      line->t = in_range ? t : 0;
      line->in_range = in_range;
      line->rms = oct_kclock_rms (&c.blocks, line->residual);
    }
    __syncthreads ();
  }
}

/* The phase falls from the sample before to the one after. */
__device__ static bool
falls_at (const OctCudaKclock &c, const float2 *z, int i)
{
  float4 b = c.tables.turns[EXTENT + i - 1], a = c.tables.turns[EXTENT + i + 1];
  float slope = c.tables.turns[EXTENT + i].z;
  float re = z[i + 1].x * z[i - 1].x + z[i + 1].y * z[i - 1].y;
  float im = z[i + 1].y * z[i - 1].x - z[i + 1].x * z[i - 1].y;
  float turn_c = a.x * b.x + a.y * b.y, turn_s = a.y * b.x - a.x * b.y;

  return 2 * slope < OCT_KCLOCK_PI && im < 0 && re * turn_s + im * turn_c < 0;
}

/* The fault of an A-line whose signal was turned back. */
__device__ static int
judge (const OctCudaKclock &c, const float2 *z, LineState *line)
{
  const int n = (int)c.rows.samples;
  int gap = 0, hop = 0, falls = 0;
  float all;

  for (int i = (int)threadIdx.x; i < n; i += THREADS) {
    float least = c.tables.gap[i], power;
    float2 u = make_float2 (0, 0);

    if (least < 0)
      continue;
    for (int j = max (0, i - HALF); j <= min (n - 1, i + HALF); j++) {
      u.x += z[j].x;
      u.y += z[j].y;
    }
    u.x /= 2 * HALF + 1;
    u.y /= 2 * HALF + 1;
    power = u.x * u.x + u.y * u.y;
    gap |= !(power >= least);
    hop |= !(u.x >= HOP * sqrtf (power));
    falls += i > 0 && i + 1 < n && falls_at (c, z, i);
  }
  all = sum_block ((float)falls, line->parts);
  if (sum_block ((float)gap, line->parts) > 0)
    return OCT_CUDA_KCLOCK_GAP;
  if (sum_block ((float)hop, line->parts) > 0 || !(line->rms <= c.limit)
      || all >= 0.01f * (float)n)
    return OCT_CUDA_KCLOCK_HOP;
  return fabsf (line->t) <= c.most_jitter + 0.5f ? OCT_CUDA_KCLOCK_GOOD
                                                 : OCT_CUDA_KCLOCK_LATE;
}

/* The phase at sample x beyond that of the delay. */
__device__ static float
get_rest (const OctCudaKclock &c, int method, const float2 *z,
    const LineState *line, float x)
{
  const int n = (int)c.rows.samples;
  float f;
  int i;

  if (method == OCT_CUDA_KCLOCK_FIT) {
    float at = (x + 0.5f) / (float)(n / BLOCKS * BLOCKS) * 2 - 1;

    return oct_kclock_chebyshev (line->fit, c.order, fminf (fmaxf (at, -1), 1));
  }
  x = fminf (fmaxf (x, 0), (float)(n - 1));
  i = min ((int)x, n - 2);
  f = x - (float)i;
  return atan2f (
      z[i].y + f * (z[i + 1].y - z[i].y), z[i].x + f * (z[i + 1].x - z[i].x));
}

/* Kernels as [tap][phase], so that threads of different phases read different
 * banks of shared memory. */
typedef float Kernels[TAPS][OCT_KCLOCK_PHASES + 1];

__device__ static void
load_kernels (const OctCudaKclock &c, Kernels &kernels)
{
  for (int i = (int)threadIdx.x; i < TAPS * (OCT_KCLOCK_PHASES + 1);
       i += THREADS)
    kernels[i % TAPS][i / TAPS] = c.kernel[i];
}

/* The spectrum at sample i + f. */
__device__ static float
interpolate (const OctCudaKclock &c, const Kernels &kernels, const void *row,
    int i, float f)
{
  const int n = (int)c.rows.samples;
  float phase = f * OCT_KCLOCK_PHASES, sum = 0;
  int entry = min ((int)phase, OCT_KCLOCK_PHASES - 1);

  phase -= (float)entry;
  for (int tap = 0; tap < TAPS; tap++) {
    int at = min (max (i + tap - (TAPS / 2 - 1), 0), n - 1);

    float weight = kernels[tap][entry];

    sum += load_value (c, row, at)
           * (weight + phase * (kernels[tap][entry + 1] - weight));
  }
  return sum;
}

__device__ static void
resample (const OctCudaKclock &c, const Kernels &kernels, int method, float t,
    const void *row, const float2 *z, const LineState *line, float *to)
{
  const int n = (int)c.rows.samples;

  for (int j = (int)threadIdx.x; j < n; j += THREADS) {
    float f = c.tables.fraction[j], whole, more = 0;
    int place = c.tables.place[j], i;

    for (int round = 0;
         method != OCT_CUDA_KCLOCK_STATIC && round < OCT_KCLOCK_ROUNDS; round++)
      more = -c.tables.inverse[j]
             * get_rest (c, method, z, line, (float)place + f + t + more);
    f += t + c.delay + more;
    whole = floorf (f);
    f -= whole;
    i = place + (int)whole;
    if (i < 0 || i >= n - 1) {
      i = i < 0 ? 0 : n - 1;
      f = 0;
    }
    to[c.falling ? n - 1 - j : j] = interpolate (c, kernels, row, i, f);
  }
}

__global__ static void
__launch_bounds__ (THREADS)
    kclock_resample (const __grid_constant__ OctCudaKclock c)
{
  __shared__ LineState line;
  __shared__ Kernels kernels;
  const int n = (int)c.rows.samples;
  const char *row = (const char *)c.rows.in + c.rows.in_stride * blockIdx.x;
  float *to = (float *)((char *)c.rows.out + c.rows.out_stride * blockIdx.x);
  float2 *z = c.analytic + (size_t)c.length * blockIdx.x + OCT_KCLOCK_PAD;
  int fault, method = c.method, whole;
  float f;

  /* a table of the plan: see oct-cuda-launch.cuh */
  load_kernels (c, kernels);
  begin_kernel ();
  fault = c.faults[blockIdx.x];
  find_delay (c, z, &line);
  whole = (int)rintf (line.t);
  f = (float)whole - line.t;
  for (int i = (int)threadIdx.x; i < n; i += THREADS)
    z[i] = turn_value (c, z[i], i, whole, f);
  if (threadIdx.x <= c.order) {
    float sum = 0;

    for (int b = 0; b < BLOCKS; b++)
      sum += c.fit[threadIdx.x][b] * line.residual[b];
    line.fit[threadIdx.x] = sum;
  }
  __syncthreads ();
  if (!line.in_range && fault == OCT_CUDA_KCLOCK_GOOD)
    fault = OCT_CUDA_KCLOCK_LATE;
  if (fault == OCT_CUDA_KCLOCK_GOOD)
    fault = judge (c, z, &line);
  if (fault != OCT_CUDA_KCLOCK_GOOD)
    method = OCT_CUDA_KCLOCK_STATIC;
  resample (c, kernels, method, fault == OCT_CUDA_KCLOCK_GOOD ? line.t : 0, row,
      z, &line, to);
  if (threadIdx.x == 0)
    c.faults[blockIdx.x] = (uint8_t)fault;
}

/* ------------------------------------------------------------------- reference */

/* One block: counts the A-lines of the frame. */
__global__ static void
kclock_count (const __grid_constant__ OctCudaKclock c)
{
  __shared__ int counts[OCT_CUDA_KCLOCK_FAULTS + 1];
  int own[OCT_CUDA_KCLOCK_FAULTS + 1] = { 0 };

  begin_kernel ();
  if (threadIdx.x <= OCT_CUDA_KCLOCK_FAULTS)
    counts[threadIdx.x] = 0;
  __syncthreads ();
  for (int i = (int)threadIdx.x; i < (int)c.rows.lines; i += THREADS) {
    int fault = c.faults[i];

    for (int kind = 0; kind < OCT_CUDA_KCLOCK_FAULTS; kind++)
      own[kind] += fault == kind;
    own[OCT_CUDA_KCLOCK_FAULTS] +=
        fault == OCT_CUDA_KCLOCK_GOOD && i % c.step == 0;
  }
  for (int kind = 0; kind <= OCT_CUDA_KCLOCK_FAULTS; kind++)
    atomicAdd (&counts[kind], own[kind]);
  __syncthreads ();
  if (threadIdx.x < OCT_CUDA_KCLOCK_FAULTS)
    c.told->counts[threadIdx.x] += (unsigned long long)counts[threadIdx.x];
  if (threadIdx.x == 0) {
    int good = counts[OCT_CUDA_KCLOCK_GOOD];

    c.state[0] = good;
    c.state[1] = counts[OCT_CUDA_KCLOCK_FAULTS];
    if (2 * good < (int)c.rows.lines)
      c.told->is_lost = 1;
  }
}

/* Mean of the A-lines that renew the reference, in their order. */
__global__ static void
kclock_renew (const __grid_constant__ OctCudaKclock c)
{
  const int n = (int)c.rows.samples;
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), count;
  double re = 0, im = 0, a;

  begin_kernel ();
  count = c.state[1];
  if (i >= n || count == 0 || 2 * c.state[0] < (int)c.rows.lines)
    return;
  for (int line = 0; line < (int)c.rows.lines; line += c.step) {
    float2 value;

    if (c.faults[line] != OCT_CUDA_KCLOCK_GOOD)
      continue;
    value = c.analytic[(size_t)c.length * line + OCT_KCLOCK_PAD + i];
    re += value.x;
    im += value.y;
  }
  a = fmin (1.0, (double)count / c.average);
  re = (1 - a) * c.tables.amplitude[i] + a * re / count;
  im = a * im / count;
  c.tables.amplitude[i] = sqrt (re * re + im * im);
  c.tables.phase[EXTENT + i] += atan2 (im, re);
}

/* The phase of sample i, which goes on as straight lines beyond the ends. */
__device__ static double
extended_phase (const double *p, int n, int i)
{
  if (i < 0)
    return p[0] + i * (p[1] - p[0]);
  if (i >= n)
    return p[n - 1] + (i - (n - 1)) * (p[n - 1] - p[n - 2]);
  return p[i];
}

__device__ static void
make_turn (const OctCudaKclock &c, const double *p, int i)
{
  const int n = (int)c.rows.samples;
  double phase = extended_phase (p, n, i);
  double before = i > -EXTENT ? extended_phase (p, n, i - 1) : phase;
  double after = i < n + EXTENT - 1 ? extended_phase (p, n, i + 1) : phase;
  float4 turn;

  sincosf ((float)(phase
                   - rint (phase / (2 * 3.14159265358979323846)) * 2
                         * 3.14159265358979323846),
      &turn.y, &turn.x);
  turn.z = (float)((after - before) / 2);
  turn.w = i > -EXTENT && i < n + EXTENT - 1
               ? (float)(after + before - 2 * phase)
               : 0;
  c.tables.turns[EXTENT + i] = turn;
}

__device__ static void
make_gap (const OctCudaKclock &c, int i)
{
  const int n = (int)c.rows.samples;
  double sum = 0;

  for (int j = max (0, i - HALF); j <= min (n - 1, i + HALF); j++)
    sum += c.tables.amplitude[j];
  sum *= 0.3 / (2 * HALF + 1);
  c.tables.gap[i] =
      c.tables.weight[i] > c.weight_inside ? (float)(sum * sum) : -1;
}

/* As kclock_make_places() of the host. */
__device__ static void
make_place (const OctCudaKclock &c, const double *p, int j)
{
  const int n = (int)c.rows.samples;
  double target = c.first + (c.last - c.first) * j / (n - 1), slope = 1, f;
  int low = 0, high = n - 1;

  while (high - low > 1) {
    int middle = (low + high) / 2;

    if (p[middle] <= target)
      low = middle;
    else
      high = middle;
  }
  low = min (low, n - 2);
  f = (target - p[low]) / fmax (p[low + 1] - p[low], 1e-9);
  for (int round = 0; round < 2; round++) {
    int at;
    double d, first, second, phase;

    f = fmin (fmax (f, -1.0), 2.0);
    at = low + (f > 0.5);
    d = f > 0.5 ? f - 1 : f;
    first = (extended_phase (p, n, at + 1) - extended_phase (p, n, at - 1)) / 2;
    second = extended_phase (p, n, at + 1) + extended_phase (p, n, at - 1)
             - 2 * extended_phase (p, n, at);
    slope = fmax (first + d * second, 1e-3);
    phase = extended_phase (p, n, at) + d * (first + 0.5 * d * second);
    f -= (phase - target) / slope;
  }
  c.tables.place[j] = low;
  c.tables.fraction[j] = (float)fmin (fmax (f, -1.0), 2.0);
  c.tables.inverse[j] = (float)(1 / slope);
}

__global__ static void
kclock_tables (const __grid_constant__ OctCudaKclock c)
{
  const int n = (int)c.rows.samples;
  const double *p = c.tables.phase + EXTENT;
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  begin_kernel ();
  if (i < n + 2 * EXTENT)
    make_turn (c, p, i - EXTENT);
  if (i < n) {
    make_gap (c, i);
    make_place (c, p, i);
  }
}

/* ------------------------------------------------------------------- launchers */

static dim3
blocks_of (const OctCudaKclock *c, int more)
{
  return dim3 ((unsigned)(((int)c->rows.samples + more + 127) / 128));
}

cudaError_t
oct_cuda_launch_kclock_tables (const OctCudaKclock *c, OctCudaQueue queue)
{
  return launch (queue, kclock_tables, blocks_of (c, 2 * EXTENT), 128, 0, *c);
}

cudaError_t
oct_cuda_launch_kclock_load (const OctCudaKclock *c, OctCudaQueue queue)
{
  return launch (queue, kclock_load, c->rows.lines, THREADS, 0, *c);
}

cudaError_t
oct_cuda_launch_kclock_filter (const OctCudaKclock *c, OctCudaQueue queue)
{
  return launch (queue, kclock_filter, c->rows.lines, THREADS, 0, *c);
}

cudaError_t
oct_cuda_launch_kclock_resample (const OctCudaKclock *c, OctCudaQueue queue)
{
  cudaError_t status =
      launch (queue, kclock_resample, c->rows.lines, THREADS, 0, *c);

  if (status == cudaSuccess)
    status = launch (queue, kclock_count, 1, THREADS, 0, *c);
  if (status == cudaSuccess)
    status = launch (queue, kclock_renew, blocks_of (c, 0), 128, 0, *c);
  return status == cudaSuccess ? oct_cuda_launch_kclock_tables (c, queue)
                               : status;
}
