/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launchers of the kernels of A-scans that move, as in oct-cuda-kernels.h.
 */
#pragma once

#include "oct-cuda-kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of OctDopplerParams and OctDynamicParams for one B-scan. */
#define OCT_CUDA_FLOW_MOST 1e30f
#define OCT_CUDA_FLOW_BANDS 8
#define OCT_CUDA_DOPPLER_BULK 36

typedef struct {
  int lines, bins;
  int window_lines, window_bins;
  const float *in; /* [lines][bins] complex */
  size_t in_stride;
  uint8_t *out; /* floats [lines][bins], or an image [bins][lines] */
  size_t out_stride;
  int is_image, pixel_size; /* 1, or 4: RGBA */
} OctCudaFlow;

typedef struct {
  OctCudaFlow flow;
  int pairs;          /* lines that have one after them; all of repeats */
  float *previous;    /* [lines][bins] complex, or NULL: between A-lines */
  int count;          /* B-scans of the place, with this one; else 2 */
  float *products;    /* [pairs][bins] complex */
  float *sums;        /* the same over the pairs of a place, or NULL */
  float *powers;      /* [pairs][bins], of repeats sums */
  float *histograms;  /* [pairs][OCT_CUDA_DOPPLER_BULK] */
  float *turns;       /* [pairs] complex */
  double *bands;      /* [pairs][OCT_CUDA_FLOW_BANDS] */
  double *noise;      /* of one value, times the number of pairs of a place */
  double given_noise; /* the same; 0: is found */
  int bulk_lines;     /* 0: none */
  int is_variance;
  float least; /* of the noise */
  float scale, range;
  float *phases;               /* [pairs][bins]; NULL: no unwrapping */
  uint8_t *still;              /* the same */
  float *work[2];              /* the same */
  const float *across, *along; /* [pairs][pairs], [bins][bins] cosines */
  float *middle;               /* two medians */
} OctCudaDoppler;

/* All but the last results, if phases are to be unwrapped. */
cudaError_t oct_cuda_launch_doppler (
    const OctCudaDoppler *doppler, OctCudaQueue queue);
/* Phases to results. */
cudaError_t oct_cuda_launch_unwrap (
    const OctCudaDoppler *doppler, OctCudaQueue queue);

typedef struct {
  OctCudaFlow flow;
  float *mean, *variance, *steps, *last; /* [lines][bins] */
  double *bands;                         /* [lines][OCT_CUDA_FLOW_BANDS] */
  double *means; /* [OCT_CUDA_FLOW_BANDS] over time, then the noise */
  double given_noise;
  float g, h; /* see OctDynamicTurn */
  int is_first;
  int quantity;       /* OctDynamicQuantity */
  float rate;         /* Hz */
  float low, octaves; /* Hz; the logarithm of base 2 of high / low */
  float min, range;   /* dB */
} OctCudaDynamic;

cudaError_t oct_cuda_launch_dynamic (
    const OctCudaDynamic *dynamic, OctCudaQueue queue);

#ifdef __cplusplus
}
#endif
