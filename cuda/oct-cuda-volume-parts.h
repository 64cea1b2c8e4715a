/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launchers of the kernels for volumes, as those of oct-cuda-kernels.h.
 */
#pragma once

#include "oct-volume-types.h"

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values per row and bytes from one row to the next are those of images and of
 * `raw`: [bscans][nz][raw_row] of 8 bit, rows a multiple of 16 bytes. */
typedef struct {
  const uint8_t *images;
  size_t stride;
  uint32_t pixel_size, decimation, depth; /* of the images */
  uint8_t *raw;
  size_t raw_row;
  uint32_t nx, nz, bscans; /* that are stored, one below the other */
} OctCudaVolumeStore;

cudaError_t oct_cuda_launch_volume_store (
    const OctCudaVolumeStore *store, cudaStream_t stream);

/* `voxels`: an array (A-line, depth, B-scan), its width a multiple of 16, what
 * is beyond the A-lines as the last one; `extents`: smallest and largest value,
 * uchar2 [ny][tz][tx], of 8 x 8 voxels and one more each way. */
typedef struct {
  const uint8_t *raw;
  size_t raw_row;
  uint32_t nx, ny, nz;
  uint32_t first, count; /* B-scans that are smoothed */
  int outer;             /* over five depths, not three */
  cudaSurfaceObject_t voxels;
  uchar2 *extents;
  uint32_t tx, tz;
} OctCudaVolumeSmooth;

cudaError_t oct_cuda_launch_volume_smooth (
    const OctCudaVolumeSmooth *smooth, cudaStream_t stream);

/* Extents to those of blocks, uchar2 [gy][gz][gx], and distances to the next
 * with something to see. */
typedef struct {
  const uchar2 *extents;
  uint32_t tx, tz, ny;
  uchar2 *cells;
  uint8_t *distance, *scratch; /* [gy][gz][gx] each */
  uint32_t gx, gy, gz;
  const uint16_t *seen; /* [257] see oct_volume_get_seen() */
} OctCudaVolumeCells;

cudaError_t oct_cuda_launch_volume_cells (
    const OctCudaVolumeCells *cells, cudaStream_t stream);
cudaError_t oct_cuda_launch_volume_distances (
    const OctCudaVolumeCells *cells, cudaStream_t stream);

#define OCT_CUDA_VOLUME_MOST_BSCANS 8192

/* Counts the voxels: those of every `step`-th A-line of every `step`-th B-scan
 * that is chosen (one bit each), from depth `first` on. */
typedef struct {
  cudaSurfaceObject_t voxels;
  uint32_t nx, ny, nz, step, first;
  uint32_t chosen[OCT_CUDA_VOLUME_MOST_BSCANS / 32];
  OctVolumeLevels *levels; /* on the device */
} OctCudaVolumeCount;

cudaError_t oct_cuda_launch_volume_count (
    const OctCudaVolumeCount *count, cudaStream_t stream);

/* The data that rays read. */
typedef struct {
  cudaTextureObject_t voxels, light, extinction;
  const uint8_t *distance;
  const uchar2 *cells;
  const OctTransferEntry *transfer; /* [OCT_TRANSFER_SIZE] */
} OctCudaVolumeRead;

typedef struct {
  OctVolumeScene scene;
  OctCudaVolumeRead read;
  cudaSurfaceObject_t extinction, light; /* float; uchar2 */
  OctPoint directions[OCT_VOLUME_DIRECTIONS];
} OctCudaVolumeLight;

cudaError_t oct_cuda_launch_volume_light (
    const OctCudaVolumeLight *light, cudaStream_t stream);

/* `planes`: RGBA, or luma and chroma; a picture of `eyes` beside each other. */
typedef struct {
  uint8_t *planes[2];
  size_t strides[2];
  uint32_t width, height; /* of one eye */
  uint32_t eyes;
  int is_nv12;
} OctCudaVolumeTarget;

typedef struct {
  OctVolumeScene scene;
  OctCudaVolumeRead read;
  OctVolumeEye eyes[2];
  OctVolumeMode mode;
  OctCudaVolumeTarget to;
} OctCudaVolumeRender;

cudaError_t oct_cuda_launch_volume_render (
    const OctCudaVolumeRender *render, cudaStream_t stream);

/* RGBA of fewer rays, `from`, to a picture, linear between them. */
cudaError_t oct_cuda_launch_volume_scale (const OctCudaVolumeTarget *from,
    const OctCudaVolumeTarget *to, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
