/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launchers of the kernels for sections of volumes, as those of
 * oct-cuda-kernels.h.  oct-section.h describes the results.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* [ny][nz] rows of `row` bytes. */
typedef struct {
  const uint8_t *voxels;
  size_t row;
  uint32_t nx, ny, nz;
} OctCudaVoxels;

/* Grey levels, `pixel_size` bytes apart; 4: as RGBA. */
typedef struct {
  uint8_t *pixels;
  size_t stride;
  uint32_t width, height, pixel_size;
} OctCudaGrey;

/* origin, right, down: x, y, z each */
typedef struct {
  OctCudaVoxels from;
  OctCudaGrey to;
  float origin[3], right[3], down[3];
} OctCudaSlice;

cudaError_t oct_cuda_launch_slice (
    const OctCudaSlice *slice, cudaStream_t stream);

typedef enum {
  OCT_CUDA_MEAN,
  OCT_CUDA_MAX,
  OCT_CUDA_SUM,
  OCT_CUDA_DEPTH,
} OctCudaEnfaceMode;

/* B-scans first .. first + count - 1; found: [ny][nx], -1: no surface;
 * projected: [ny][nx]. */
typedef struct {
  OctCudaVoxels from;
  uint32_t first, count;
  OctCudaEnfaceMode mode;
  int32_t start;
  uint32_t thickness, threshold;
  int flatten;
  uint32_t surface_from, surface_rise, surface_radius;
  int16_t *found;
  float *projected;
} OctCudaEnface;

/* found, and then what needs all of it: projected. */
cudaError_t oct_cuda_launch_surface (
    const OctCudaEnface *enface, cudaStream_t stream);
cudaError_t oct_cuda_launch_project (
    const OctCudaEnface *enface, cudaStream_t stream);

/* *range: black and white of the B-scans that are `there` ([ny]), both 0 where
 * there is none. */
typedef struct {
  const float *projected;
  const uint8_t *there;
  uint32_t nx, ny;
  double full;
  float2 *range;
} OctCudaEnfaceRange;

cudaError_t oct_cuda_launch_enface_range (
    const OctCudaEnfaceRange *range, cudaStream_t stream);

/* `range`: on the device, or NULL: black and white.  thickness > 0: depths, of
 * a slab so thick. */
typedef struct {
  const float *projected;
  uint32_t nx, ny;
  const float2 *range;
  float black, white;
  uint32_t thickness;
  OctCudaGrey to;
} OctCudaEnfacePicture;

cudaError_t oct_cuda_launch_enface_picture (
    const OctCudaEnfacePicture *picture, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
