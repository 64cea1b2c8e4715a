/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cuda-blas.h"

#include <dlfcn.h>

#define SONAME "libcublas.so." G_STRINGIFY (CUBLAS_VER_MAJOR)

static gboolean
cuda_blas_load (OctCudaBlas *blas, GError **error)
{
  const struct {
    const char *name;
    gpointer function;
  } functions[] = { { "cublasCreate_v2", &blas->create },
    { "cublasDestroy_v2", &blas->destroy },
    { "cublasSetStream_v2", &blas->set_stream },
    { "cublasSetWorkspace_v2", &blas->set_workspace },
    { "cublasGemmEx", &blas->gemm } };
  gpointer library = dlopen (SONAME, RTLD_NOW | RTLD_LOCAL);
  const char *problem = library == NULL ? dlerror () : NULL;

  for (guint i = 0; problem == NULL && i < G_N_ELEMENTS (functions); i++) {
    gpointer function = dlsym (library, functions[i].name);
    if (function == NULL)
      problem = dlerror ();
    else
      *(gpointer *)functions[i].function = function;
  }
  if (problem == NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "The exact transform needs NVIDIA's library cuBLAS (" SONAME
      "), which cannot be loaded (%s): install it, or use method=nufft or "
      "backend=cpu",
      problem);
  if (library != NULL)
    dlclose (library);
  return FALSE;
}

const OctCudaBlas *
oct_cuda_blas (GError **error)
{
  static GMutex mutex;
  static OctCudaBlas blas;
  static gboolean loaded = FALSE;

  g_mutex_lock (&mutex);
  loaded = loaded || cuda_blas_load (&blas, error);
  g_mutex_unlock (&mutex);
  return loaded ? &blas : NULL;
}

gboolean
oct_cuda_check_blas (
    cublasStatus_t status, const char *operation, GError **error)
{
  if (status == CUBLAS_STATUS_SUCCESS)
    return TRUE;
  cudaGetLastError ();
  if (status == CUBLAS_STATUS_ALLOC_FAILED)
    return oct_cuda_check (cudaErrorMemoryAllocation, operation, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "cuBLAS failed in the operation %s: error %d", operation, status);
  return FALSE;
}
