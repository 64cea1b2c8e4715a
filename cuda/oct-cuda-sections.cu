/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Sections of volumes: planes, and projections along the depth.
 *
 * Neighbouring threads have neighbouring A-lines, or pixels, so that the values
 * that they read at a depth lie in a row.
 */
#include "oct-cuda-sections.h"

#include "oct-section-limits.h"

#define ACROSS 32
#define DOWN 8
#define THREADS (ACROSS * DOWN)

__device__ __forceinline__ int
limit (int a, int last)
{
  return min (max (a, 0), last);
}

__device__ __forceinline__ const uint8_t *
row_of (const OctCudaVoxels &v, uint32_t bscan, uint32_t depth)
{
  return v.voxels + ((size_t)bscan * v.nz + depth) * v.row;
}

__device__ __forceinline__ uint8_t
to_grey (float value)
{
  return (uint8_t)(fminf (fmaxf (value, 0.f), 255.f) + .5f);
}

__device__ __forceinline__ void
put_grey (const OctCudaGrey &to, uint32_t x, uint32_t y, uint8_t grey)
{
  uint8_t *at = to.pixels + y * to.stride + (size_t)x * to.pixel_size;

  if (to.pixel_size == 4)
    *(uchar4 *)at = make_uchar4 (grey, grey, grey, 255);
  else
    *at = grey;
}

__device__ __forceinline__ float
lerp (float a, float b, float t)
{
  return a + (b - a) * t;
}

/* The two values around a position of n, and how far it is from the first. */
__device__ __forceinline__ float
bracket (float at, uint32_t n, uint32_t &low, uint32_t &high)
{
  float a = fminf (fmaxf (at - .5f, 0.f), n - 1.f);

  low = min ((uint32_t)a, n - 1);
  high = min (low + 1, n - 1);
  return a - low;
}

/* ------------------------------------------------------------------- planes
 */

__device__ uint8_t
read_voxel (const OctCudaVoxels &v, float x, float y, float z)
{
  uint32_t x0, x1, y0, y1, z0, z1;
  float tx, ty, tz, rows[2][2];

  if (!(x >= 0 && y >= 0 && z >= 0 && x <= v.nx && y <= v.ny && z <= v.nz))
    return 0;
  tx = bracket (x, v.nx, x0, x1);
  ty = bracket (y, v.ny, y0, y1);
  tz = bracket (z, v.nz, z0, z1);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++) {
      const uint8_t *row = row_of (v, k ? y1 : y0, i ? z1 : z0);

      rows[k][i] = lerp (row[x0], row[x1], tx);
    }
  return (uint8_t)(lerp (lerp (rows[0][0], rows[0][1], tz),
                       lerp (rows[1][0], rows[1][1], tz), ty)
                   + .5f);
}

__global__ void __launch_bounds__ (THREADS)
slice_kernel (OctCudaSlice s)
{
  uint32_t x = blockIdx.x * ACROSS + threadIdx.x % ACROSS;
  uint32_t y = blockIdx.y * DOWN + threadIdx.x / ACROSS;
  float u = x + .5f, v = y + .5f;

  if (x >= s.to.width || y >= s.to.height)
    return;
  put_grey (s.to, x, y,
      read_voxel (s.from, s.origin[0] + u * s.right[0] + v * s.down[0],
          s.origin[1] + u * s.right[1] + v * s.down[1],
          s.origin[2] + u * s.right[2] + v * s.down[2]));
}

static dim3
grid_of (uint32_t width, uint32_t height)
{
  return dim3 ((width + ACROSS - 1) / ACROSS, (height + DOWN - 1) / DOWN);
}

extern "C" cudaError_t
oct_cuda_launch_slice (const OctCudaSlice *s, cudaStream_t stream)
{
  slice_kernel<<<grid_of (s->to.width, s->to.height), THREADS, 0, stream>>> (
      *s);
  return cudaGetLastError ();
}

/* ------------------------------------------------------------------ surface
 */

/* d[z], see OctEnface, from depth to depth. */
__global__ void __launch_bounds__ (THREADS)
surface_kernel (OctCudaEnface e)
{
  uint32_t x = blockIdx.x * ACROSS + threadIdx.x % ACROSS;
  uint32_t i = blockIdx.y * DOWN + threadIdx.x / ACROSS, y = e.first + i;
  int rise = OCT_ENFACE_STEP * (int)e.surface_rise, d = 0, found = -1;
  int last = (int)e.from.nz - 1, z = (int)e.surface_from;
  const uint8_t *line;

  if (x >= e.from.nx || i >= e.count)
    return;
  line = row_of (e.from, y, 0) + x;
  for (int k = 0; k < OCT_ENFACE_STEP && z <= last; k++)
    d += line[(size_t)limit (z + k, last) * e.from.row]
         - line[(size_t)limit (z - k - 1, last) * e.from.row];
  for (; z < last && found < 0; z++) {
    int next = d
               + line[(size_t)limit (z - OCT_ENFACE_STEP, last) * e.from.row]
               + line[(size_t)limit (z + OCT_ENFACE_STEP, last) * e.from.row]
               - 2 * line[(size_t)z * e.from.row];

    if (d > rise && next < d)
      found = z;
    d = next;
  }
  if (found < 0 && z == last && d > rise)
    found = last;
  e.found[(size_t)y * e.from.nx + x] = (int16_t)found;
}

extern "C" cudaError_t
oct_cuda_launch_surface (const OctCudaEnface *e, cudaStream_t stream)
{
  surface_kernel<<<grid_of (e->from.nx, e->count), THREADS, 0, stream>>> (*e);
  return cudaGetLastError ();
}

/* ---------------------------------------------------------------- projection
 */

/* The median of those that were found around it, -1: none: the value with m / 2
 * of m below it, by counting, of values that are alike the first ones first. */
__device__ int
get_surface (const OctCudaEnface &e, int x, int y)
{
  int radius = (int)e.surface_radius, m = 0;
  int x0 = max (x - radius, 0), x1 = min (x + radius, (int)e.from.nx - 1);
  int y0 = max (y - radius, 0), y1 = min (y + radius, (int)e.from.ny - 1);

  for (int k = y0; k <= y1; k++)
    for (int i = x0; i <= x1; i++)
      m += e.found[(size_t)k * e.from.nx + i] >= 0;
  for (int k = y0; k <= y1; k++)
    for (int i = x0; i <= x1; i++) {
      int value = e.found[(size_t)k * e.from.nx + i], below = 0, same = 0;

      if (value < 0)
        continue;
      for (int n = y0; n <= y1; n++)
        for (int l = x0; l <= x1; l++) {
          int other = e.found[(size_t)n * e.from.nx + l];

          below += other >= 0 && other < value;
          same += other == value;
        }
      if (below <= m / 2 && m / 2 < below + same)
        return value;
    }
  return -1;
}

__global__ void __launch_bounds__ (THREADS)
project_kernel (OctCudaEnface e)
{
  uint32_t x = blockIdx.x * ACROSS + threadIdx.x % ACROSS;
  uint32_t i = blockIdx.y * DOWN + threadIdx.x / ACROSS, y = e.first + i;
  int surface = 0, first, z0, z1, at;
  uint32_t sum = 0, high = 0;
  const uint8_t *line;
  float value = 0;

  if (x >= e.from.nx || i >= e.count)
    return;
  if (e.flatten)
    surface = get_surface (e, (int)x, (int)y);
  first = surface + e.start;
  z0 = max (first, 0);
  z1 = (int)min ((long long)e.from.nz, (long long)first + e.thickness);
  at = z0;
  line = row_of (e.from, y, 0) + x;
  for (int z = z0; z < z1 && surface >= 0; z++) {
    uint32_t v = line[(size_t)z * e.from.row];

    sum += e.mode == OCT_CUDA_SUM ? (v > e.threshold ? v - e.threshold : 0) : v;
    at = v > high ? z : at;
    high = max (high, v);
  }
  if (z0 < z1 && surface >= 0)
    switch (e.mode) {
    case OCT_CUDA_MEAN:
      value = (float)((double)sum / (z1 - z0));
      break;
    case OCT_CUDA_MAX:
      value = (float)high;
      break;
    case OCT_CUDA_SUM:
      value = (float)sum;
      break;
    case OCT_CUDA_DEPTH:
      value = high >= e.threshold ? (float)(at - first + 1) : 0.f;
      break;
    }
  e.projected[(size_t)y * e.from.nx + x] = value;
}

extern "C" cudaError_t
oct_cuda_launch_project (const OctCudaEnface *e, cudaStream_t stream)
{
  project_kernel<<<grid_of (e->from.nx, e->count), THREADS, 0, stream>>> (*e);
  return cudaGetLastError ();
}

/* -------------------------------------------------------------------- range
 */

#define RANGE_THREADS 1024
#define PART (OCT_ENFACE_BINS / 64)

/* The bin with which more than `most` values are reached. */
__device__ uint32_t
find_bin (const uint32_t *bins, const uint32_t *parts, uint32_t most)
{
  uint32_t below = 0, part = 0, bin;

  while (part < 63 && below + parts[part] <= most)
    below += parts[part++];
  for (bin = part * PART;
       bin < OCT_ENFACE_BINS - 1 && below + bins[bin] <= most; bin++)
    below += bins[bin];
  return bin;
}

/* One block. */
__global__ void __launch_bounds__ (RANGE_THREADS)
range_kernel (OctCudaEnfaceRange r)
{
  __shared__ uint32_t bins[OCT_ENFACE_BINS], parts[64], n;
  double per = OCT_ENFACE_BINS / r.full;

  for (uint32_t i = threadIdx.x; i < OCT_ENFACE_BINS; i += RANGE_THREADS)
    bins[i] = 0;
  __syncthreads ();
  for (uint32_t y = 0; y < r.ny; y++) {
    if (!r.there[y])
      continue;
    for (uint32_t x = threadIdx.x; x < r.nx; x += RANGE_THREADS) {
      float value = r.projected[(size_t)y * r.nx + x];

      if (value > 0)
        atomicAdd (
            &bins[min ((uint32_t)(value * per), OCT_ENFACE_BINS - 1u)], 1u);
    }
  }
  __syncthreads ();
  if (threadIdx.x < 64) {
    uint32_t sum = 0;

    for (uint32_t i = 0; i < PART; i++)
      sum += bins[threadIdx.x * PART + i];
    parts[threadIdx.x] = sum;
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    n = 0;
    for (uint32_t i = 0; i < 64; i++)
      n += parts[i];
  }
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  if (n == 0) {
    *r.range = make_float2 (0, 0);
    return;
  }
  /* with which n - outside values are reached: more than one less */
  *r.range = make_float2 (
      (float)(r.full * find_bin (bins, parts, n / OCT_ENFACE_OUTSIDE)
              / OCT_ENFACE_BINS),
      (float)(r.full
              * (find_bin (bins, parts, n - n / OCT_ENFACE_OUTSIDE - 1) + 1)
              / OCT_ENFACE_BINS));
}

extern "C" cudaError_t
oct_cuda_launch_enface_range (
    const OctCudaEnfaceRange *r, cudaStream_t stream)
{
  range_kernel<<<1, RANGE_THREADS, 0, stream>>> (*r);
  return cudaGetLastError ();
}

/* ------------------------------------------------------------------ picture
 */

__device__ __forceinline__ uint8_t
grey_of_depth (const OctCudaEnfacePicture &p, uint32_t i, uint32_t j)
{
  uint32_t x = (uint32_t)((2ull * i + 1) * p.nx / (2 * p.to.width));
  uint32_t y = (uint32_t)((2ull * j + 1) * p.ny / (2 * p.to.height));
  float depth = p.projected[(size_t)y * p.nx + x];

  return depth < 1 ? 0
                   : to_grey (1
                              + 254 * (depth - 1)
                                    / (float)(max (p.thickness, 2u) - 1));
}

__device__ __forceinline__ uint8_t
grey_of (const OctCudaEnfacePicture &p, uint32_t i, uint32_t j)
{
  uint32_t x0, x1, y0, y1;
  float u = bracket ((i + .5f) * p.nx / p.to.width, p.nx, x0, x1);
  float t = bracket ((j + .5f) * p.ny / p.to.height, p.ny, y0, y1);
  const float *a = p.projected + (size_t)y0 * p.nx;
  const float *b = p.projected + (size_t)y1 * p.nx;
  float2 range =
      p.range != nullptr ? *p.range : make_float2 (p.black, p.white);

  if (!(range.x < range.y))
    return 0;
  return to_grey ((lerp (lerp (a[x0], a[x1], u), lerp (b[x0], b[x1], u), t)
                      - range.x)
                  * (255 / (range.y - range.x)));
}

__global__ void __launch_bounds__ (THREADS)
picture_kernel (OctCudaEnfacePicture p)
{
  uint32_t x = blockIdx.x * ACROSS + threadIdx.x % ACROSS;
  uint32_t y = blockIdx.y * DOWN + threadIdx.x / ACROSS;

  if (x < p.to.width && y < p.to.height)
    put_grey (p.to, x, y,
        p.thickness > 0 ? grey_of_depth (p, x, y) : grey_of (p, x, y));
}

extern "C" cudaError_t
oct_cuda_launch_enface_picture (
    const OctCudaEnfacePicture *p, cudaStream_t stream)
{
  picture_kernel<<<grid_of (p->to.width, p->to.height), THREADS, 0, stream>>> (
      *p);
  return cudaGetLastError ();
}
