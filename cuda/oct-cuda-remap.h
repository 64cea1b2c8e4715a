/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launchers of the kernels that make rasters of the A-lines of a path, as those
 * of oct-cuda-kernels.h.
 */
#pragma once

#include "oct-cuda-kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that A-lines begin at multiples of, so that a thread reads some of its
 * values at once, after the last one too. */
#define OCT_CUDA_REMAP_ALIGNMENT 16u
#define OCT_CUDA_REMAP_MOST 12u

typedef enum {
  OCT_CUDA_REMAP_U8,
  OCT_CUDA_REMAP_U16,
  OCT_CUDA_REMAP_COMPLEX,    /* A-scans: sums of the values */
  OCT_CUDA_REMAP_AMPLITUDES, /* with the phase of the nearest A-line */
} OctCudaRemapKind;

typedef struct {
  OctCudaRemapKind kind;
  uint32_t lines, depths, columns;
  size_t pitch;   /* bytes from one A-line to the next */
  uint8_t *store; /* A-lines of the path */
  uint8_t *seen;  /* one for each, 0: it has not come */
  /* the weights of pixel p are first[p] .. first[p + 1] - 1, at most
   * OCT_CUDA_REMAP_MOST, the nearest A-line first */
  const uint32_t *first, *number;
  const float *weight;
} OctCudaRemap;

/* A B-scan to A-lines `first` .. first + lines - 1 of the path.  Rows of `from`
 * are depths of an image, or A-scans.  `valid` [lines] on the device: A-lines
 * with 0 stay as they were; NULL: all are there. */
cudaError_t oct_cuda_launch_remap_store (const OctCudaRemap *remap,
    const void *from, size_t stride, size_t first, const uint8_t *valid,
    OctCudaQueue queue);

/* The pixels from `pixel` on, a row of the raster.  `all`: every A-line has
 * come. */
cudaError_t oct_cuda_launch_remap_fetch (const OctCudaRemap *remap,
    size_t pixel, int all, void *to, size_t stride, OctCudaQueue queue);

#ifdef __cplusplus
}
#endif
