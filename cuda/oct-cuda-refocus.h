/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Launchers of the kernels of volumes out of focus, as in oct-cuda-kernels.h.
 *
 * A block has `planes` depth planes side by side: [bscans][lines][planes]
 * complex floats.
 */
#pragma once

#include "oct-cuda-kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_CUDA_REFOCUS_MOST 1e30f
/* parts of sums over a volume or over planes, which are added in order */
#define OCT_CUDA_REFOCUS_PARTS 64

typedef struct {
  int bscans, lines, bins; /* lines of one B-scan */
  const float *in;         /* [bscans * lines][bins] complex */
  size_t in_stride;
  float *out; /* the same */
  size_t out_stride;
  int align;
  double *products; /* [bscans] complex, of B-scans y and y - 1 */
  float *turns;     /* [bscans] complex */
  double *powers;   /* [OCT_CUDA_REFOCUS_PARTS][bins]; NULL: not needed */
} OctCudaRefocus;

/* Finds turns and powers. */
cudaError_t oct_cuda_launch_refocus_look (
    const OctCudaRefocus *refocus, OctCudaQueue queue);

typedef struct {
  int planes, count; /* of a block; those that there are, others are 0 */
  const int *bins;   /* [count]; NULL: first, first + 1, ... */
  int first;         /* bin */
  const double *slopes, *phases; /* [bscans][lines] */
  double start;                  /* bins from the focus to bin 0 */
  double scale;
} OctCudaRefocusBlock;

/* Reads and turns planes. */
cudaError_t oct_cuda_launch_refocus_load (const OctCudaRefocus *refocus,
    const OctCudaRefocusBlock *block, float *to, OctCudaQueue queue);
/* Multiplies spectra by the phases of their planes; from and to may be the
 * same. */
cudaError_t oct_cuda_launch_refocus_filter (const OctCudaRefocus *refocus,
    const OctCudaRefocusBlock *block, const float *from, float *to,
    OctCudaQueue queue);
/* Writes planes. */
cudaError_t oct_cuda_launch_refocus_store (const OctCudaRefocus *refocus,
    const OctCudaRefocusBlock *block, const float *from, OctCudaQueue queue);
/* sums[OCT_CUDA_REFOCUS_PARTS][planes][2]: of powers and of their squares; at
 * most 16 planes. */
cudaError_t oct_cuda_launch_refocus_sums (const OctCudaRefocus *refocus,
    const OctCudaRefocusBlock *block, const float *from, double *sums,
    OctCudaQueue queue);

#ifdef __cplusplus
}
#endif
