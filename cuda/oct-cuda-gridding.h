/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The gridding tables of oct-nufft.h on the device.
 *
 * A change of the nodes is one copy from page-locked memory; weights on the fly
 * are computed by a kernel after it.
 */
#pragma once

#include "oct-cuda-private.h"
#include "oct-nufft.h"

G_BEGIN_DECLS

typedef struct {
  const char *operation;
  OctNufftTables tables; /* on the host */
  OctKernel kernel;
  OctWeights weights;
  guint depth_bins;
  gboolean shifted; /* the tables have shifts */
  /* shifts, if any; samples x (lowest, and offset and window or the node
   * weights); the deconvolution factors of the modes */
  OctCudaTable table;
  float *node_weights; /* [samples][width], on the fly only */
  gboolean changed;    /* since the last upload */
} OctCudaGridding;

/* FALSE with an error when there is no plan for these parameters; then, too,
 * the gridding has to be cleared.  `operation`: a constant. */
gboolean oct_cuda_gridding_init (OctCudaGridding *gridding,
    const OctNufftParams *params, const char *operation, GError **error);
/* Frees what it holds on the device and the host.  All of it may be missing
 * where init has failed or the struct is zeros, and leaves zeros.  No kernel
 * that uses it may be in flight but in streams that cudaFree() waits for. */
void oct_cuda_gridding_clear (OctCudaGridding *gridding);
/* Takes other nodes, window and kernel of the same sizes.  FALSE when they do
 * not fit or cannot be. */
gboolean oct_cuda_gridding_update (
    OctCudaGridding *gridding, const OctNufftParams *params);
/* Part of run(): brings the tables to the device. */
gboolean oct_cuda_gridding_upload (
    OctCudaGridding *gridding, OctCudaQueue queue, GError **error);
/* The most samples that reach any `together` neighbouring cells of the FFT,
 * where the nodes cover no more than one period; 0 where they do. */
guint oct_cuda_gridding_circle (
    const OctCudaGridding *gridding, guint together);
/* The description for the kernels. */
OctCudaGrid oct_cuda_gridding_grid (const OctCudaGridding *gridding);
const float *oct_cuda_gridding_factors (const OctCudaGridding *gridding);
/* [samples], or NULL where nothing is shifted. */
const float2 *oct_cuda_gridding_shifts (const OctCudaGridding *gridding);

G_END_DECLS
