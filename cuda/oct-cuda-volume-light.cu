/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes on the screen: the light, on its coarse grid.
 */
#include "oct-cuda-volume-read.cuh"

#include "oct-volume-light.h"

#define THREADS 256
#define LX OCT_VOLUME_LIGHT_X
#define LY OCT_VOLUME_LIGHT_Y
#define LZ OCT_VOLUME_LIGHT_Z

__global__ void __launch_bounds__ (THREADS)
extinction_kernel (const __grid_constant__ OctCudaVolumeLight l)
{
  __shared__ __align__ (8) HalfEntry transfer[OCT_TRANSFER_SIZE];
  int x = blockIdx.x * 32 + threadIdx.x % 32;
  int z = blockIdx.y * 8 + threadIdx.x / 32, y = blockIdx.z;
  OctRaySampler s;
  OctPoint voxels;

  load_transfer (l.read.transfer, transfer);
  init_sampler (s, l.scene, l.read, transfer);
  voxels.x = (float)l.scene.nx / LX;
  voxels.y = (float)l.scene.ny / LY;
  voxels.z = (float)l.scene.nz / LZ;
  if (x < LX && z < LZ)
    surf3Dwrite (oct_ray_mean_extinction (&l.scene, &s, voxels, x, y, z),
        l.extinction, x * (int)sizeof (float), z, y);
}

__global__ void __launch_bounds__ (THREADS)
light_kernel (const __grid_constant__ OctCudaVolumeLight l)
{
  /* neighbouring points read neighbouring voxels */
  int x = blockIdx.x * 8 + threadIdx.x % 8;
  int z = blockIdx.y * 8 + threadIdx.x / 8 % 8;
  int y = blockIdx.z * 4 + threadIdx.x / 64;
  OctPoint p, per_mm;
  OctRaySampler s;
  float shadow, occlusion;

  init_sampler (s, l.scene, l.read, nullptr);
  p.x = (x + .5f) / LX;
  p.y = (y + .5f) / LY;
  p.z = (z + .5f) / LZ;
  per_mm.x = .5f / l.scene.half.x;
  per_mm.y = .5f / l.scene.half.y;
  per_mm.z = .5f / l.scene.half.z;
  if (x >= LX || z >= LZ || y >= LY)
    return;
  oct_ray_find_light (
      &l.scene, &s, l.directions, p, per_mm, &shadow, &occlusion);
  surf3Dwrite (make_uchar2 ((unsigned char)(255 * shadow + .5f),
                   (unsigned char)(255 * occlusion + .5f)),
      l.light, x * (int)sizeof (uchar2), z, y);
}

extern "C" cudaError_t
oct_cuda_launch_volume_light (
    const OctCudaVolumeLight *l, cudaStream_t stream)
{
  dim3 cells ((LX + 31) / 32, (LZ + 7) / 8, LY);
  dim3 points ((LX + 7) / 8, (LZ + 7) / 8, (LY + 3) / 4);

  extinction_kernel<<<cells, THREADS, 0, stream>>> (*l);
  light_kernel<<<points, THREADS, 0, stream>>> (*l);
  return cudaGetLastError ();
}
