/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launchers of the kernels of repeated B-scans, as in oct-cuda-kernels.h.
 */
#pragma once

#include "oct-align-values.h"
#include "oct-angio-values.h"
#include "oct-cuda-kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Statistics of the repeats of a place, on the device. */
typedef struct {
  uint32_t counts[OCT_ANGIO_BANDS][OCT_ANGIO_BINS]; /* of r */
  uint32_t still_counts[OCT_ANGIO_BINS];
  unsigned long long there; /* repeats of the values in counts */
  OctAngioNoise found;
  float noise, still; /* of this image */
} OctCudaAngioFound;

/* Motion, see OctAngioParams; the launchers in their order. */
typedef struct {
  const float2 *in; /* the newest repeat */
  size_t in_stride;
  float2 *ring;          /* [repeats][lines][depth_bins] */
  uint32_t first, count; /* the oldest one, and how many there are */
  uint32_t place;        /* of the newest */
  int keeps;             /* it goes into the ring */
  uint32_t repeats, lines, depth_bins;
  /* of the method, in the place of r; 0: r itself */
  int is_difference, is_amplitude, is_product;
  int is_unit; /* products of amplitudes 1 */
  /* [lines][depth_bins]; `other`: of products, as on the CPU */
  float *mean, *power, *other;
  float *R, *I, *O;
  uint32_t window_lines, window_bins;
  OctCudaAngioFound *statistics;
  double noise, least_still; /* noise 0: found */
  OctAngioShow show;
  int is_log, is_black;
  OctCudaMapping mapping;
  uint32_t pixel_size;
  uint8_t *out;
  size_t out_stride;
} OctCudaAngio;

/* r and p, and the noise */
cudaError_t oct_cuda_launch_angio_find (
    const OctCudaAngio *angio, OctCudaQueue queue);
/* R and I, and how much still tissue changes */
cudaError_t oct_cuda_launch_angio_windows (
    const OctCudaAngio *angio, OctCudaQueue queue);
/* the image, or a black one */
cudaError_t oct_cuda_launch_angio_show (
    const OctCudaAngio *angio, OctCudaQueue queue);

#define OCT_CUDA_ALIGN_LAGS 65 /* 2 OCT_ALIGN_FARTHEST + 1 */
#define OCT_CUDA_ALIGN_LATERAL_LAGS (2 * OCT_ALIGN_LATERAL + 1)

/* How repeats are aligned, on the device. */
typedef struct {
  float noise; /* of this repeat */
  float least; /* of values that say whether it is good */
  float along; /* shift along the A-lines */
  int is_good;
  uint32_t kept; /* repeats of this place in the mean */
} OctCudaAlignFound;

/* Repeated B-scans moved onto the first of a place, see OctAlignParams; the
 * launchers in their order. */
typedef struct {
  const float2 *in;
  size_t in_stride;
  float2 *out;
  size_t out_stride;
  uint32_t lines, depth_bins, groups, most;
  int is_axial, is_lateral;
  int phase; /* OctAlignPhase */
  int may_reject;
  double least_coherence; /* 1 - reject */
  float2 *mean;           /* [lines][depth_bins] */
  float2 *moved;          /* the same, if is_lateral */
  float2 *weighted;       /* the same, for OCT_PHASE_LINE */
  float *lags;            /* [lines][OCT_CUDA_ALIGN_LAGS] */
  float *group_lags;      /* [groups][OCT_CUDA_ALIGN_LAGS] */
  float *shifts;          /* [groups] */
  double *bands;          /* [lines][OCT_ALIGN_BANDS] */
  double *lateral;        /* [lines][2 OCT_CUDA_ALIGN_LATERAL_LAGS] */
  double *powers;         /* [lines][2] */
  double *coherent;       /* [lines][4] */
  OctCudaAlignFound *found;
} OctCudaAlign;

/* The first of a place. */
cudaError_t oct_cuda_launch_align_begin (
    const OctCudaAlign *align, OctCudaQueue queue);
/* Noise and axial shifts. */
cudaError_t oct_cuda_launch_align_find (
    const OctCudaAlign *align, OctCudaQueue queue);
/* The shift along the A-lines, if is_lateral. */
cudaError_t oct_cuda_launch_align_lateral (
    const OctCudaAlign *align, OctCudaQueue queue);
/* Moved, turned, and kept or rejected. */
cudaError_t oct_cuda_launch_align_finish (
    const OctCudaAlign *align, OctCudaQueue queue);

#ifdef __cplusplus
}
#endif
