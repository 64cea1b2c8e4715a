/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The CUDA backend: its table, its errors and its memory.
 */
#include "oct-cuda-private.h"

#include <string.h>

static gpointer
cuda_alloc_bytes (gsize size, GError **error)
{
  return oct_cuda_alloc (size, "a sequence of operations", error);
}

#define ROW(NAME, name, params) [OCT_OPERATION_##NAME] = &oct_cuda_##name,

static const OctBackend backend = {
  .name = "cuda",
  .operations = { OCT_OPERATIONS (ROW) },
  .fused = &oct_cuda_fused,
  .volume = &oct_cuda_volume,
  .sections = &oct_cuda_sections,
  .volume_cs = &oct_cuda_volume_cs,
  .remap = &oct_cuda_remap,
  .alloc = cuda_alloc_bytes,
  .free = oct_cuda_free,
};

const OctBackend *
oct_backend_cuda (GError **error)
{
  int driver = 0, runtime = 0, devices = 0;
  cudaError_t status;

  cudaRuntimeGetVersion (&runtime);
  if (cudaDriverGetVersion (&driver) != cudaSuccess || driver == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "there is no NVIDIA driver for CUDA %d on this machine",
        runtime / 1000);
    return NULL;
  }
  if (driver / 1000 < runtime / 1000) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "the NVIDIA driver knows CUDA %d.%d and this plugin needs CUDA %d",
        driver / 1000, driver % 1000 / 10, runtime / 1000);
    return NULL;
  }
  status = cudaGetDeviceCount (&devices);
  if (status == cudaSuccess && devices > 0)
    return &backend;
  cudaGetLastError ();
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "the NVIDIA driver finds no usable GPU (%s)",
      status == cudaSuccess ? "none is there" : cudaGetErrorString (status));
  return NULL;
}

gboolean
oct_cuda_is_lost (cudaError_t status)
{
  switch (status) {
  case cudaErrorECCUncorrectable:
  case cudaErrorNvlinkUncorrectable:
  case cudaErrorIllegalAddress:
  case cudaErrorLaunchTimeout:
  case cudaErrorAssert:
  case cudaErrorHardwareStackError:
  case cudaErrorIllegalInstruction:
  case cudaErrorMisalignedAddress:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorLaunchFailure:
  case cudaErrorContextIsDestroyed:
    return TRUE;
  default:
    return FALSE;
  }
}

const char *
oct_cuda_advice (cudaError_t status)
{
  return oct_cuda_is_lost (status) ? "; end the program and start it again"
                                   : "";
}

gboolean
oct_cuda_check (cudaError_t status, const char *operation, GError **error)
{
  if (status == cudaSuccess)
    return TRUE;
  /* the error of this call must not be found again by the next one */
  cudaGetLastError ();
  if (status == cudaErrorMemoryAllocation)
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "The GPU has too little memory (%s): use fewer samples "
        "or fewer A-lines per B-scan",
        operation);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "The GPU failed in the operation %s%s: %s (%s)%s", operation,
        /* kernels run later than the host: it may be another one's fault */
        oct_cuda_is_lost (status) ? " or one before it" : "",
        cudaGetErrorString (status), cudaGetErrorName (status),
        oct_cuda_advice (status));
  return FALSE;
}

gboolean
oct_cuda_check_fft (cufftResult status, const char *operation, GError **error)
{
  cudaError_t reason;

  if (status == CUFFT_SUCCESS)
    return TRUE;
  reason = cudaGetLastError ();
  if (status == CUFFT_ALLOC_FAILED)
    reason = cudaErrorMemoryAllocation;
  if (reason != cudaSuccess)
    return oct_cuda_check (reason, operation, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "cuFFT failed in the operation %s: error %d", operation, status);
  return FALSE;
}

gboolean
oct_cuda_check_grey (
    OctImageFormat format, const char *operation, GError **error)
{
  if (format != OCT_IMAGE_GRAY16)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "Images of 16 bit were given to %s on a GPU, which knows those of 8 bit; "
      "set the format to NV12 or RGBA, or backend=cpu.",
      operation);
  return FALSE;
}

gboolean
oct_cuda_check_plane (
    const OctPlane *plane, gsize row_bytes, gsize alignment, GError **error)
{
  gsize address = (gsize)plane->data;

  if (plane->data == NULL || plane->stride < row_bytes) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The buffer has rows of %" G_GSIZE_FORMAT
        " bytes where %" G_GSIZE_FORMAT " are needed",
        plane->data != NULL ? plane->stride : 0, row_bytes);
    return FALSE;
  }
  if (address % alignment != 0 || plane->stride % alignment != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The buffer has rows %" G_GSIZE_FORMAT
        " bytes apart, which the GPU cannot read: they must begin at multiples "
        "of %" G_GSIZE_FORMAT " bytes",
        plane->stride, alignment);
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_cuda_clear_chroma (const OctPlane *chroma, guint width, guint height,
    const char *name, gpointer stream, GError **error)
{
  gsize row = ((gsize)width + 1) / 2 * 2;

  return oct_cuda_check_plane (chroma, row, 1, error)
         && oct_cuda_check (cudaMemset2DAsync (chroma->data, chroma->stride,
                                128, row, (height + 1) / 2, stream),
             name, error);
}

gpointer
oct_cuda_alloc (gsize bytes, const char *operation, GError **error)
{
  gpointer memory = NULL;

  if (oct_cuda_check (cudaMalloc (&memory, bytes), operation, error))
    return memory;
  return NULL;
}

void
oct_cuda_free (gpointer memory)
{
  if (memory != NULL && cudaFree (memory) != cudaSuccess)
    cudaGetLastError ();
}

cufftHandle
oct_cuda_fft_plan (cufftType type, guint length, guint in_row, guint out_row,
    guint lines, const char *operation, GError **error)
{
  int n = (int)length, in_embed = (int)in_row, out_embed = (int)out_row;
  cufftHandle plan = 0;
  cufftResult status = cufftPlanMany (&plan, 1, &n, &in_embed, 1, in_embed,
      &out_embed, 1, out_embed, type, (int)lines);

  if (oct_cuda_check_fft (status, operation, error))
    return plan;
  return 0;
}

gboolean
oct_cuda_can_overlap (void)
{
  int device = 0, major = 0;

  if (cudaGetDevice (&device) != cudaSuccess
      || cudaDeviceGetAttribute (
             &major, cudaDevAttrComputeCapabilityMajor, device)
             != cudaSuccess) {
    cudaGetLastError ();
    return FALSE;
  }
  return major >= 9;
}

gboolean
oct_cuda_table_init (
    OctCudaTable *table, gsize size, const char *operation, GError **error)
{
  memset (table, 0, sizeof (*table));
  table->size = size;
  return oct_cuda_check (cudaMalloc (&table->device, size), operation, error);
}

void
oct_cuda_table_clear (OctCudaTable *table)
{
  oct_cuda_free (table->device);
  for (guint i = 0; i < OCT_CUDA_TABLE_COPIES; i++) {
    gpointer host = table->copies[i].host;
    cudaEvent_t copied = table->copies[i].copied;
    if (host != NULL && cudaFreeHost (host) != cudaSuccess)
      cudaGetLastError ();
    if (copied != NULL && cudaEventDestroy (copied) != cudaSuccess)
      cudaGetLastError ();
  }
  memset (table, 0, sizeof (*table));
}

gpointer
oct_cuda_table_edit (OctCudaTable *table, const char *operation, GError **error)
{
  guint next = table->newest;
  gpointer *host;
  cudaEvent_t *copied;

  /* values that no run has taken yet are written over */
  if (!table->changed)
    next = (next + 1) % OCT_CUDA_TABLE_COPIES;
  host = &table->copies[next].host;
  copied = &table->copies[next].copied;
  if (*copied == NULL
      && !oct_cuda_check (
          cudaEventCreateWithFlags (copied, cudaEventDisableTiming), operation,
          error))
    return NULL;
  if (*host == NULL
      && !oct_cuda_check (cudaMallocHost (host, table->size), operation, error))
    return NULL;
  if (!oct_cuda_check (cudaEventSynchronize (*copied), operation, error))
    return NULL;
  table->newest = next;
  table->changed = TRUE;
  return *host;
}

gboolean
oct_cuda_table_upload (OctCudaTable *table, const char *operation,
    cudaStream_t stream, GError **error)
{
  guint newest = table->newest;

  if (!table->changed)
    return TRUE;
  table->changed = FALSE;
  return oct_cuda_check (
             cudaMemcpyAsync (table->device, table->copies[newest].host,
                 table->size, cudaMemcpyHostToDevice, stream),
             operation, error)
         && oct_cuda_check (
             cudaEventRecord (table->copies[newest].copied, stream), operation,
             error);
}
