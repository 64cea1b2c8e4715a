/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How much and how fast A-scans fluctuate: a block has an A-line and brings the
 * means of its values up to date; one block finds the noise; tiles of windows
 * and results.
 */
#include "oct-cuda-flow.cuh"

#define PI 3.14159265358979f
#define DARK -100.0f

/* As OctDynamicQuantity. */
enum { COLOUR, FREQUENCY, ACTIVITY };

static __global__ void
__launch_bounds__ (FLOW_THREADS) update_means (OctCudaDynamic d)
{
  __shared__ FlowBands bands;
  const OctCudaFlow &f = d.flow;
  int line = blockIdx.x;

  begin_kernel ();
  flow_bands_clear (bands);
  for (int i = threadIdx.x; i < f.bins; i += FLOW_THREADS) {
    size_t at = (size_t)line * f.bins + i;
    float2 a = ((const float2 *)row_of (f.in, f.in_stride, line))[i];
    float power, x;

    a = flow_value (a, power);
    x = flow_magnitude (a);
    flow_bands_add (bands, i, f.bins / OCT_CUDA_FLOW_BANDS, power);
    if (d.is_first) {
      d.mean[at] = d.last[at] = x;
      d.variance[at] = d.steps[at] = 0;
      continue;
    }
    float mean = d.mean[at], off = x - mean, step = x - d.last[at];

    d.mean[at] = mean + d.g * off;
    d.variance[at] = (1 - d.g) * (d.variance[at] + d.g * off * off);
    d.steps[at] += d.h * (step * step - d.steps[at]);
    d.last[at] = x;
  }
  flow_bands_finish (bands, d.bands + (size_t)line * OCT_CUDA_FLOW_BANDS);
}

/* Means of the bands over time; after them half of the lowest. */
static __global__ void
__launch_bounds__ (FLOW_THREADS) update_noise (OctCudaDynamic d)
{
  __shared__ FlowBands bands;
  __shared__ double sums[OCT_CUDA_FLOW_BANDS];
  double count = (double)d.flow.lines * (d.flow.bins / OCT_CUDA_FLOW_BANDS);
  double lowest = 0;

  begin_kernel ();
  flow_bands_clear (bands);
  for (int line = threadIdx.x; line < d.flow.lines; line += FLOW_THREADS)
    for (int i = 0; i < OCT_CUDA_FLOW_BANDS; i++)
      bands.sums[i][threadIdx.x] +=
          d.bands[(size_t)line * OCT_CUDA_FLOW_BANDS + i];
  flow_bands_finish (bands, sums);
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  for (int i = 0; i < OCT_CUDA_FLOW_BANDS; i++) {
    double mean = count > 0 ? sums[i] / count : 0;

    if (!d.is_first)
      mean = d.means[i] + d.g * (mean - d.means[i]);
    d.means[i] = mean;
    lowest = i == 0 ? mean : fmin (lowest, mean);
  }
  d.means[OCT_CUDA_FLOW_BANDS] =
      (d.given_noise > 0 ? d.given_noise : lowest) / 2;
}

/* For the value in the middle of the window. */
__device__ __forceinline__ void
find_both (const OctCudaDynamic &d, int line, int bin, float &frequency,
    float &activity)
{
  FlowWindow w = flow_window (d.flow, line, bin, d.flow.lines);
  float noise = (float)d.means[OCT_CUDA_FLOW_BANDS], v0 = 0, v1 = 0, u, ratio;

  for (int y = w.first_line; y < w.end_line; y++)
    for (int i = w.first_bin; i < w.end_bin; i++) {
      v0 += d.variance[(size_t)y * d.flow.bins + i];
      v1 += d.steps[(size_t)y * d.flow.bins + i];
    }
  u = v0 > 0 ? fminf (v1 / (2 * v0), 2) : 0;
  frequency = d.rate / PI * atan2f (sqrtf (u), sqrtf (2 - u));
  ratio = noise > 0 ? (v0 / flow_count (w) - noise) / noise : 0;
  activity = ratio > 1e-10f ? fmaxf (10 * log10f (ratio), DARK) : DARK;
}

__device__ __forceinline__ uint32_t
colour_of (float f, float v)
{
  float h = 4 * (1 - f);
  uint32_t red = flow_level (255 * v * __saturatef (2 - h), 0);
  uint32_t green = flow_level (255 * v * __saturatef (fminf (h, 4 - h)), 0);
  uint32_t blue = flow_level (255 * v * __saturatef (h - 2), 0);

  return red | green << 8 | blue << 16 | 0xff000000u;
}

__device__ __forceinline__ uint32_t
pixel_of (const OctCudaDynamic &d, float frequency, float activity)
{
  float v = __saturatef ((activity - d.min) / d.range);
  float f = __saturatef (log2f (fmaxf (frequency / d.low, 1)) / d.octaves);

  if (d.quantity == COLOUR)
    return colour_of (f, v);
  return flow_grey (flow_level (255
                                    * (d.quantity == ACTIVITY ? v
                                        : v > 0               ? f
                                                              : 0),
      0));
}

static __global__ void
__launch_bounds__ (FLOW_TILE *FLOW_ROWS) find_fluctuations (OctCudaDynamic d)
{
  __shared__ FlowTile tile;
  int first_line = blockIdx.y * FLOW_TILE, first_bin = blockIdx.x * FLOW_TILE;
  int bin = first_bin + (int)threadIdx.x;

  begin_kernel ();
  for (int i = threadIdx.y; i < FLOW_TILE; i += FLOW_ROWS) {
    int line = first_line + i;
    float frequency, activity;

    if (line >= d.flow.lines || bin >= d.flow.bins)
      continue;
    find_both (d, line, bin, frequency, activity);
    if (d.flow.is_image)
      tile.levels[i][threadIdx.x] = pixel_of (d, frequency, activity);
    else
      ((float *)row_of (d.flow.out, d.flow.out_stride, line))[bin] =
          d.quantity == FREQUENCY ? frequency : activity;
  }
  if (d.flow.is_image)
    flow_put_tile (
        d.flow, tile, d.flow.out, d.flow.out_stride, first_line, first_bin);
}

extern "C" cudaError_t
oct_cuda_launch_dynamic (const OctCudaDynamic *d, OctCudaQueue queue)
{
  cudaError_t status =
      launch (queue, update_means, d->flow.lines, FLOW_THREADS, 0, *d);

  if (status == cudaSuccess)
    status = launch (queue, update_noise, 1, FLOW_THREADS, 0, *d);
  return status != cudaSuccess
             ? status
             : launch (queue, find_fluctuations, flow_tiles (&d->flow),
                 dim3 (FLOW_TILE, FLOW_ROWS), 0, *d);
}
