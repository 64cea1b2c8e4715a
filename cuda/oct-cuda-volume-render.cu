/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes on the screen: pictures.  A warp has 8 x 4 rays: neighbours read
 * the same lines of the cache.
 */
#include "oct-cuda-volume-read.cuh"

#include "oct-volume-ray.h"

#define WARPS 4
#define THREADS (32 * WARPS)
/* on a multiprocessor: 64 registers a thread */
#define BLOCKS 8

__device__ __forceinline__ float
to_level (float a)
{
  return 255 * oct_ray_clamp (a);
}

/* BT.709, 16 .. 235; of grey levels. */
__device__ __forceinline__ float
luma_of (float3 c)
{
  return 16 + .182586f * c.x + .614231f * c.y + .062007f * c.z;
}

/* The pixel x, y of a picture (x of all eyes) by threads that have squares of 2
 * x 2 at lanes +1 and +8.  All threads of a warp. */
__device__ __forceinline__ void
write_pixel (const OctCudaVolumeTarget &to, uint32_t x, uint32_t y,
    bool inside, float3 c)
{
  if (!to.is_nv12) {
    if (inside)
      *(uchar4 *)(to.planes[0] + y * to.strides[0] + 4 * x) =
          make_uchar4 ((unsigned char)(c.x + .5f), (unsigned char)(c.y + .5f),
              (unsigned char)(c.z + .5f), 255);
    return;
  }
  if (inside)
    to.planes[0][y * to.strides[0] + x] = (uint8_t)(luma_of (c) + .5f);
  c.x += __shfl_xor_sync (~0u, c.x, 1);
  c.y += __shfl_xor_sync (~0u, c.y, 1);
  c.z += __shfl_xor_sync (~0u, c.z, 1);
  c.x += __shfl_xor_sync (~0u, c.x, 8);
  c.y += __shfl_xor_sync (~0u, c.y, 8);
  c.z += __shfl_xor_sync (~0u, c.z, 8);
  if (inside && !(x & 1) && !(y & 1)) {
    float u = 128 + (-.100644f * c.x - .338572f * c.y + .439216f * c.z) / 4;
    float v = 128 + (.439216f * c.x - .398942f * c.y - .040274f * c.z) / 4;

    *(uchar2 *)(to.planes[1] + (y / 2) * to.strides[1] + x) =
        make_uchar2 ((unsigned char)(u + .5f), (unsigned char)(v + .5f));
  }
}

/* Where this thread's ray is, of one eye. */
__device__ __forceinline__ void
get_pixel (uint32_t &x, uint32_t &y)
{
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  x = blockIdx.x * 16 + warp % 2 * 8 + lane % 8;
  y = blockIdx.y * 8 + warp / 2 * 4 + lane / 8;
}

template <OctVolumeMode MODE>
__global__ void __launch_bounds__ (THREADS, BLOCKS)
render_kernel (const __grid_constant__ OctCudaVolumeRender r)
{
  __shared__ __align__ (8) HalfEntry transfer[OCT_TRANSFER_SIZE];
  uint32_t x, y, eye = blockIdx.z;
  OctRaySampler s;
  OctPoint c;
  int px, py;

  if (MODE != OCT_VOLUME_MIP && MODE != OCT_VOLUME_MEAN)
    load_transfer (r.read.transfer, transfer);
  init_sampler (s, r.scene, r.read, transfer);
  get_pixel (x, y);
  /* beyond the picture: the last pixel once more, for its colour */
  px = min (x, r.to.width - 1);
  py = min (y, r.to.height - 1);
  c = oct_ray_trace (
      MODE, &r.scene, &s, &r.eyes[eye], px, py, r.to.width, r.to.height);
  write_pixel (r.to, x + eye * r.to.width, y,
      x < r.to.width && y < r.to.height,
      make_float3 (to_level (c.x), to_level (c.y), to_level (c.z)));
}

static dim3
grid_of (const OctCudaVolumeTarget *to)
{
  return dim3 ((to->width + 15) / 16, (to->height + 7) / 8, to->eyes);
}

extern "C" cudaError_t
oct_cuda_launch_volume_render (
    const OctCudaVolumeRender *r, cudaStream_t stream)
{
  dim3 grid = grid_of (&r->to);

  switch (r->mode) {
  case OCT_VOLUME_FULL:
    render_kernel<OCT_VOLUME_FULL><<<grid, THREADS, 0, stream>>> (*r);
    break;
  case OCT_VOLUME_ONCE:
    render_kernel<OCT_VOLUME_ONCE><<<grid, THREADS, 0, stream>>> (*r);
    break;
  case OCT_VOLUME_ALPHA:
    render_kernel<OCT_VOLUME_ALPHA><<<grid, THREADS, 0, stream>>> (*r);
    break;
  case OCT_VOLUME_MIP:
    render_kernel<OCT_VOLUME_MIP><<<grid, THREADS, 0, stream>>> (*r);
    break;
  case OCT_VOLUME_MEAN:
    render_kernel<OCT_VOLUME_MEAN><<<grid, THREADS, 0, stream>>> (*r);
    break;
  default:
    return cudaErrorInvalidValue;
  }
  return cudaGetLastError ();
}

/* ------------------------------------------------------------------ scaling */

__device__ __forceinline__ float3
read_pixel (const OctCudaVolumeTarget &from, uint32_t x, uint32_t y)
{
  uchar4 c = *(const uchar4 *)(from.planes[0] + y * from.strides[0] + 4 * x);

  return make_float3 (c.x, c.y, c.z);
}

__device__ __forceinline__ float3
mix_pixel (float3 a, float3 b, float t)
{
  return make_float3 (a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t,
      a.z + (b.z - a.z) * t);
}

__global__ void __launch_bounds__ (THREADS)
scale_kernel (OctCudaVolumeTarget from, OctCudaVolumeTarget to)
{
  uint32_t x, y, eye = blockIdx.z, ix, iy, next, down;
  float fx, fy;
  float3 a, b;

  get_pixel (x, y);
  fx = (min (x, to.width - 1) + .5f) * from.width / to.width - .5f;
  fy = (min (y, to.height - 1) + .5f) * from.height / to.height - .5f;
  fx = fminf (fmaxf (fx, 0), from.width - 1.f);
  fy = fminf (fmaxf (fy, 0), from.height - 1.f);
  ix = (uint32_t)fx;
  iy = (uint32_t)fy;
  next = min (ix + 1, from.width - 1) + eye * from.width;
  down = min (iy + 1, from.height - 1);
  fx -= ix;
  fy -= iy;
  ix += eye * from.width;
  a = mix_pixel (read_pixel (from, ix, iy), read_pixel (from, next, iy), fx);
  b = mix_pixel (
      read_pixel (from, ix, down), read_pixel (from, next, down), fx);
  write_pixel (to, x + eye * to.width, y,
      x < to.width && y < to.height, mix_pixel (a, b, fy));
}

extern "C" cudaError_t
oct_cuda_launch_volume_scale (const OctCudaVolumeTarget *from,
    const OctCudaVolumeTarget *to, cudaStream_t stream)
{
  scale_kernel<<<grid_of (to), THREADS, 0, stream>>> (*from, *to);
  return cudaGetLastError ();
}
