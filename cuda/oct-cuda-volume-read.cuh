/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How rays read a volume on the GPU, see oct-volume-ray.h: by the texture
 * units, which are linear between voxels with weights of 8 bit.
 */
#pragma once

#include "oct-cuda-volume-parts.h"

#include <cuda_fp16.h>

#define OCT_RAY __device__ __forceinline__
#define OCT_RAY_EXP(x) __expf (x)
#define OCT_RAY_RSQRT(x) rsqrtf (x)
#define OCT_RAY_MAX(a, b) fmaxf (a, b)
#define OCT_RAY_MIN(a, b) fminf (a, b)

/* An entry of the transfer function in shared memory. */
struct HalfEntry {
  __half2 red_green, blue_extinction;
};

struct OctRaySampler {
  OctCudaVolumeRead read;
  const HalfEntry *transfer; /* in shared memory */
  int gx, gz;
  float last_x; /* beyond it the array has more columns than the volume */
  OctPoint light_scale;
};

__device__ __forceinline__ void
init_sampler (OctRaySampler &s, const OctVolumeScene &scene,
    const OctCudaVolumeRead &read, const HalfEntry *transfer)
{
  s.read = read;
  s.transfer = transfer;
  s.gx = scene.gx;
  s.gz = scene.gz;
  s.last_x = scene.nx - .5f;
  s.light_scale.x = 1.f / scene.nx;
  s.light_scale.y = 1.f / scene.ny;
  s.light_scale.z = 1.f / scene.nz;
}

/* All threads of a block.  The largest half is 65504. */
__device__ __forceinline__ void
load_transfer (const OctTransferEntry *from, HalfEntry *to)
{
  for (int i = threadIdx.x; i < OCT_TRANSFER_SIZE; i += blockDim.x) {
    OctTransferEntry e = from[i];

    to[i].red_green = __floats2half2_rn (e.red, e.green);
    to[i].blue_extinction =
        __floats2half2_rn (e.blue, fminf (e.extinction, 6e4f));
  }
  __syncthreads ();
}

OCT_RAY float
oct_ray_value (const OctRaySampler *s, float x, float y, float z)
{
  return tex3D<float> (s->read.voxels, fminf (x, s->last_x), z, y);
}

OCT_RAY OctTransferEntry
oct_ray_transfer (const OctRaySampler *s, float value)
{
  HalfEntry e = s->transfer[(int)(value * (OCT_TRANSFER_SIZE - 1) + .5f)];
  float2 a = __half22float2 (e.red_green);
  float2 b = __half22float2 (e.blue_extinction);
  OctTransferEntry entry;

  entry.red = a.x;
  entry.green = a.y;
  entry.blue = b.x;
  entry.extinction = b.y;
  return entry;
}

OCT_RAY int
oct_ray_distance (const OctRaySampler *s, int x, int y, int z)
{
  return __ldg (s->read.distance + ((size_t)y * s->gz + z) * s->gx + x);
}

OCT_RAY int
oct_ray_highest (const OctRaySampler *s, int x, int y, int z)
{
  return s->read.cells[((size_t)y * s->gz + z) * s->gx + x].y;
}

OCT_RAY void
oct_ray_light (
    const OctRaySampler *s, OctPoint p, float *shadow, float *occlusion)
{
  float2 l = tex3D<float2> (s->read.light, p.x * s->light_scale.x,
      p.z * s->light_scale.z, p.y * s->light_scale.y);

  *shadow = l.x;
  *occlusion = l.y;
}

OCT_RAY float
oct_ray_extinction (const OctRaySampler *s, float x, float y, float z)
{
  return tex3D<float> (s->read.extinction, x, z, y);
}
