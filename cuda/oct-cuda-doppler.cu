/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion along the beam.  A block has an A-line: its products with the next
 * one, or with the same one of the B-scan before, their histogram and the
 * powers of bands of depth; then a block for each bulk phase, and one for the
 * noise; at last tiles of windows and results, in which an image is turned.
 * Nothing is added in an order that changes from run to run.
 */
#include "oct-cuda-flow.cuh"

#define BULK OCT_CUDA_DOPPLER_BULK
#define PI 3.14159265358979f

/* With a bin more at each end, and a column for each thread. */
struct Histogram {
  float bins[BULK + 2][FLOW_THREADS];
};

__device__ __forceinline__ void
histogram_add (Histogram &h, float2 c)
{
  float place = (atan2f (c.y, c.x) + PI) * (BULK / (2 * PI)) + 0.5f;
  int bin = min (max ((int)place, 0), BULK);
  float weight = flow_magnitude (c), part = weight * (place - (float)bin);

  h.bins[bin][threadIdx.x] += weight - part;
  h.bins[bin + 1][threadIdx.x] += part;
}

__device__ __forceinline__ void
histogram_finish (Histogram &h, float *to)
{
  for (int half = FLOW_THREADS / 2; half > 0; half /= 2) {
    __syncthreads ();
    for (int i = 0; (int)threadIdx.x < half && i < BULK + 2; i++)
      h.bins[i][threadIdx.x] += h.bins[i][threadIdx.x + half];
  }
  __syncthreads ();
  if (threadIdx.x < BULK)
    to[threadIdx.x] = h.bins[threadIdx.x + 1][0]
                      + (threadIdx.x == 0           ? h.bins[BULK + 1][0]
                          : threadIdx.x == BULK - 1 ? h.bins[0][0]
                                                    : 0);
}

/* The A-lines before and after. */
__device__ __forceinline__ void
read_pair (const OctCudaDoppler &d, int line, int i, float2 &a, float2 &b)
{
  const OctCudaFlow &f = d.flow;

  if (d.previous == nullptr) {
    a = ((const float2 *)row_of (f.in, f.in_stride, line))[i];
    b = ((const float2 *)row_of (f.in, f.in_stride, line + 1))[i];
    return;
  }
  float2 *kept = (float2 *)d.previous + (size_t)line * f.bins + i;

  b = ((const float2 *)row_of (f.in, f.in_stride, line))[i];
  a = *kept;
  *kept = b;
}

static __global__ void
__launch_bounds__ (FLOW_THREADS) multiply_lines (OctCudaDoppler d)
{
  __shared__ Histogram histogram;
  __shared__ FlowBands bands;
  int line = blockIdx.x, bins = d.flow.bins;

  begin_kernel ();
  for (int i = 0; i < BULK + 2; i++)
    histogram.bins[i][threadIdx.x] = 0;
  flow_bands_clear (bands);
  for (int i = threadIdx.x; i < bins; i += FLOW_THREADS) {
    size_t at = (size_t)line * bins + i;
    float2 a, b, c;
    float pa, pb, power;

    read_pair (d, line, i, a, b);
    a = flow_value (a, pa);
    b = flow_value (b, pb);
    c = make_float2 (b.x * a.x + b.y * a.y, b.y * a.x - b.x * a.y);
    power = 0.5f * (pa + pb);
    if (d.count > 2)
      power += d.powers[at];
    ((float2 *)d.products)[at] = c;
    d.powers[at] = power;
    if (d.bulk_lines > 0)
      histogram_add (histogram, c);
    flow_bands_add (bands, i, bins / OCT_CUDA_FLOW_BANDS, power);
  }
  if (d.bulk_lines > 0)
    histogram_finish (histogram, d.histograms + (size_t)line * BULK);
  flow_bands_finish (bands, d.bands + (size_t)line * OCT_CUDA_FLOW_BANDS);
}

/* The first B-scan of a place. */
static __global__ void
__launch_bounds__ (FLOW_THREADS) keep_lines (OctCudaDoppler d)
{
  const OctCudaFlow &f = d.flow;
  int line = blockIdx.x;

  begin_kernel ();
  for (int i = threadIdx.x; i < f.bins; i += FLOW_THREADS)
    ((float2 *)d.previous)[(size_t)line * f.bins + i] =
        ((const float2 *)row_of (f.in, f.in_stride, line))[i];
}

/* As oct_doppler_find_bulk(). */
__device__ __forceinline__ float
find_bulk (const float *smooth)
{
  float left, middle, right, bend, shift = 0;
  int at = 0;

  for (int i = 1; i < BULK; i++)
    if (smooth[i] > smooth[at])
      at = i;
  middle = smooth[at];
  left = smooth[(at + BULK - 1) % BULK];
  right = smooth[(at + 1) % BULK];
  if (!(middle > 0))
    return 0;
  if (left > 0 && right > 0) {
    left = logf (left / middle);
    right = logf (right / middle);
    bend = left + right;
    shift = bend < 0 ? 0.5f * (left - right) / bend : 0;
  }
  return ((float)at + 0.5f + shift) * (2 * PI / BULK) - PI;
}

static __global__ void __launch_bounds__ (64) find_turns (OctCudaDoppler d)
{
  __shared__ float sum[BULK], smooth[BULK];
  int line = blockIdx.x, bin = threadIdx.x, half = d.bulk_lines / 2;
  int first = max (line - half, 0), end = min (line + half + 1, d.pairs);

  begin_kernel ();
  if (bin < BULK) {
    float s = 0;

    for (int i = first; i < end; i++)
      s += d.histograms[(size_t)i * BULK + bin];
    sum[bin] = s;
  }
  __syncthreads ();
  if (bin < BULK)
    smooth[bin] =
        2 * sum[bin] + sum[(bin + 1) % BULK] + sum[(bin + BULK - 1) % BULK];
  __syncthreads ();
  if (bin == 0) {
    float bulk = find_bulk (smooth);

    ((float2 *)d.turns)[line] = make_float2 (cosf (bulk), -sinf (bulk));
  }
}

static __global__ void
__launch_bounds__ (FLOW_THREADS) find_noise (OctCudaDoppler d)
{
  __shared__ FlowBands bands;
  __shared__ double sums[OCT_CUDA_FLOW_BANDS];
  int size = d.flow.bins / OCT_CUDA_FLOW_BANDS;

  begin_kernel ();
  flow_bands_clear (bands);
  for (int line = threadIdx.x; line < d.pairs; line += FLOW_THREADS)
    for (int i = 0; i < OCT_CUDA_FLOW_BANDS; i++)
      bands.sums[i][threadIdx.x] +=
          d.bands[(size_t)line * OCT_CUDA_FLOW_BANDS + i];
  flow_bands_finish (bands, sums);
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  for (int i = 1; i < OCT_CUDA_FLOW_BANDS; i++)
    sums[0] = fmin (sums[0], sums[i]);
  *d.noise = d.given_noise > 0 ? d.given_noise
             : size > 0        ? sums[0] / ((double)d.pairs * size)
                               : 0;
}

__device__ __forceinline__ float2
turned (float2 c, float2 turn)
{
  return make_float2 (c.x * turn.x - c.y * turn.y, c.x * turn.y + c.y * turn.x);
}

/* Sums over the pairs of a place. */
static __global__ void
__launch_bounds__ (FLOW_THREADS) add_lines (OctCudaDoppler d)
{
  int line = blockIdx.x;
  float2 turn = make_float2 (1, 0);

  begin_kernel ();
  if (d.bulk_lines > 0)
    turn = ((const float2 *)d.turns)[line];
  for (int i = threadIdx.x; i < d.flow.bins; i += FLOW_THREADS) {
    size_t at = (size_t)line * d.flow.bins + i;
    float2 *sum = (float2 *)d.sums + at;
    float2 c = turned (((const float2 *)d.products)[at], turn);

    *sum = d.count > 2 ? make_float2 (sum->x + c.x, sum->y + c.y) : c;
  }
}

/* -------------------------------------------------------------------- results
 */

/* Sums over a window: c, and the power. */
__device__ __forceinline__ float2
sum_window (const OctCudaDoppler &d, const FlowWindow &w, float &power)
{
  const float2 *c = (const float2 *)(d.sums != nullptr ? d.sums : d.products);
  float2 sum = make_float2 (0, 0);

  power = 0;
  for (int line = w.first_line; line < w.end_line; line++) {
    size_t at = (size_t)line * d.flow.bins;
    float2 row = make_float2 (0, 0);

    for (int i = w.first_bin; i < w.end_bin; i++) {
      row.x += c[at + i].x;
      row.y += c[at + i].y;
      power += d.powers[at + i];
    }
    if (d.sums == nullptr && d.bulk_lines > 0)
      row = turned (row, ((const float2 *)d.turns)[line]);
    sum.x += row.x;
    sum.y += row.y;
  }
  return sum;
}

/* A phase, or a variance; `still`: the phase is 0 by the noise. */
__device__ __forceinline__ float
find_value (const OctCudaDoppler &d, int line, int bin, bool &still)
{
  FlowWindow w = flow_window (d.flow, min (line, d.pairs - 1), bin, d.pairs);
  float count = flow_count (w), noise = (float)*d.noise, power, signal;
  float2 sum = sum_window (d, w, power);

  still = power < d.least * noise * count;
  if (!d.is_variance)
    return still ? 0 : atan2f (sum.y, sum.x);
  signal = power - noise * count;
  return signal > 0 ? fmaxf (1 - flow_magnitude (sum) / signal, 0) : 1;
}

__device__ __forceinline__ uint32_t
grey_of (const OctCudaDoppler &d, float value)
{
  return flow_grey (
      d.is_variance ? flow_level (255 * value, 0)
                    : flow_level (128 + value * (127 * d.scale / d.range), 1));
}

__device__ __forceinline__ void
put_value (const OctCudaDoppler &d, int line, int bin, float value)
{
  ((float *)row_of (d.flow.out, d.flow.out_stride, line))[bin] =
      d.is_variance ? value : d.scale * value;
}

/* `empty`: without a pair. */
static __global__ void
__launch_bounds__ (FLOW_TILE *FLOW_ROWS)
    find_values (OctCudaDoppler d, bool empty)
{
  __shared__ FlowTile tile;
  int first_line = blockIdx.y * FLOW_TILE, first_bin = blockIdx.x * FLOW_TILE;
  int bin = first_bin + (int)threadIdx.x;

  begin_kernel ();
  for (int i = threadIdx.y; i < FLOW_TILE; i += FLOW_ROWS) {
    int line = first_line + i;
    bool still = false;
    float value;

    if (line >= d.flow.lines || bin >= d.flow.bins)
      continue;
    value = empty ? 0 : find_value (d, line, bin, still);
    if (d.phases != nullptr && !empty) {
      if (line < d.pairs) {
        d.phases[(size_t)line * d.flow.bins + bin] = value;
        d.still[(size_t)line * d.flow.bins + bin] = still;
      }
    } else if (d.flow.is_image) {
      tile.levels[i][threadIdx.x] = grey_of (d, value);
    } else {
      put_value (d, line, bin, value);
    }
  }
  if (d.flow.is_image && (d.phases == nullptr || empty))
    flow_put_tile (
        d.flow, tile, d.flow.out, d.flow.out_stride, first_line, first_bin);
}

extern "C" cudaError_t
oct_cuda_launch_doppler (const OctCudaDoppler *d, OctCudaQueue queue)
{
  dim3 lines (d->pairs), tiles = flow_tiles (&d->flow);
  dim3 block (FLOW_TILE, FLOW_ROWS);
  bool empty = d->pairs == 0 || d->count < 2;
  cudaError_t status = cudaSuccess;

  if (empty) {
    if (d->previous != nullptr)
      status = launch (queue, keep_lines, lines, FLOW_THREADS, 0, *d);
    return status != cudaSuccess
               ? status
               : launch (queue, find_values, tiles, block, 0, *d, true);
  }
  status = launch (queue, multiply_lines, lines, FLOW_THREADS, 0, *d);
  if (status == cudaSuccess && d->bulk_lines > 0)
    status = launch (queue, find_turns, lines, 64, 0, *d);
  if (status == cudaSuccess)
    status = launch (queue, find_noise, 1, FLOW_THREADS, 0, *d);
  if (status == cudaSuccess && d->sums != nullptr)
    status = launch (queue, add_lines, lines, FLOW_THREADS, 0, *d);
  return status != cudaSuccess
             ? status
             : launch (queue, find_values, tiles, block, 0, *d, false);
}
