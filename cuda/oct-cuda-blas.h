/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * cuBLAS, loaded when the first plan needs it: a large library, without which
 * all other operations work.
 */
#pragma once

#include "oct-cuda-private.h"

#include <cublas_v2.h>

G_BEGIN_DECLS

typedef struct {
  __typeof__ (cublasCreate_v2) *create;
  __typeof__ (cublasDestroy_v2) *destroy;
  __typeof__ (cublasSetStream_v2) *set_stream;
  __typeof__ (cublasSetWorkspace_v2) *set_workspace;
  __typeof__ (cublasGemmEx) *gemm;
} OctCudaBlas;

/* The library, which is never unloaded, or NULL with OCT_ERROR_DEVICE. */
const OctCudaBlas *oct_cuda_blas (GError **error);

/* TRUE on success; else OCT_ERROR_MEMORY or OCT_ERROR_DEVICE with the name of
 * the operation. */
gboolean oct_cuda_check_blas (
    cublasStatus_t status, const char *operation, GError **error);

G_END_DECLS
