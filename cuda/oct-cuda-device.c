/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Memory, streams, events and copies of the CUDA run time for gst/.
 */
#include "oct-cuda-device.h"
#include "oct-cuda-private.h"

static gboolean
cuda_device_check (cudaError_t result, const char *what, GError **error)
{
  if (result == cudaSuccess)
    return TRUE;
  /* an error that stays in the run time would be blamed on the next kernel */
  cudaGetLastError ();
  if (oct_cuda_is_lost (result))
    g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
        "The GPU failed in the operation of this element or one before it: "
        "%s%s.",
        cudaGetErrorString (result), oct_cuda_advice (result));
  else
    g_set_error (error, OCT_ERROR,
        result == cudaErrorMemoryAllocation ? OCT_ERROR_MEMORY
                                            : OCT_ERROR_DEVICE,
        "%s failed on the GPU: %s.", what, cudaGetErrorString (result));
  return FALSE;
}

/* Nobody hears of it, and neither must the next kernel. */
static void
cuda_device_ignore (cudaError_t result)
{
  if (result != cudaSuccess)
    cudaGetLastError ();
}

static gboolean
has_kernels (GError **error)
{
  struct cudaDeviceProp properties = { .name = "" };
  int device = 0, oldest = 0;
  cudaError_t result = oct_cuda_find_kernels (&oldest);

  if (result != cudaErrorNoKernelImageForDevice
      && result != cudaErrorInvalidDeviceFunction)
    return cuda_device_check (
        result, "Looking for the kernels of the plugin", error);
  cudaGetLastError ();
  cuda_device_ignore (cudaGetDevice (&device));
  cuda_device_ignore (cudaGetDeviceProperties (&properties, device));
  g_set_error (error, OCT_ERROR, OCT_ERROR_DEVICE,
      "GPU %d (%s) has compute capability %d.%d, and this build of the plugin "
      "is for %d.%d and newer; set `cuda-device-id` to another GPU or "
      "backend=cpu.",
      device, properties.name, properties.major, properties.minor, oldest / 100,
      oldest % 100 / 10);
  return FALSE;
}

static gpointer
alloc_host (gsize size, GError **error)
{
  gpointer memory = NULL;

  /* portable: page-locked for every context of the process */
  if (cuda_device_check (cudaHostAlloc (&memory, size, cudaHostAllocPortable),
          "Allocating page-locked memory", error))
    return memory;
  return NULL;
}

static void
free_host (gpointer memory)
{
  cuda_device_ignore (cudaFreeHost (memory));
}

static gpointer
alloc_device (gsize size, GError **error)
{
  gpointer memory = NULL;

  return cuda_device_check (
             cudaMalloc (&memory, size), "Allocating memory", error)
             ? memory
             : NULL;
}

static void
free_device (gpointer memory)
{
  cuda_device_ignore (cudaFree (memory));
}

static gsize
free_memory (void)
{
  gsize unused = 0, total;

  return cuda_device_check (
             cudaMemGetInfo (&unused, &total), "Asking for its memory", NULL)
             ? unused
             : 0;
}

static gpointer
stream_new (gboolean blocking, GError **error)
{
  cudaStream_t stream = NULL;
  int least, greatest;

  /* B-scans come before pictures of volumes, which take their time */
  if (cuda_device_check (cudaDeviceGetStreamPriorityRange (&least, &greatest),
          "Creating a stream", error))
    cuda_device_check (
        cudaStreamCreateWithPriority (&stream,
            blocking ? cudaStreamDefault : cudaStreamNonBlocking, greatest),
        "Creating a stream", error);
  return stream;
}

static void
stream_free (gpointer stream)
{
  cuda_device_ignore (cudaStreamDestroy (stream));
}

static gboolean
stream_synchronize (gpointer stream, GError **error)
{
  return cuda_device_check (
      cudaStreamSynchronize (stream), "A computation", error);
}

static gpointer
event_new (GError **error)
{
  cudaEvent_t event = NULL;

  cuda_device_check (cudaEventCreateWithFlags (&event, cudaEventDisableTiming),
      "Creating an event", error);
  return event;
}

static void
event_free (gpointer event)
{
  cuda_device_ignore (cudaEventDestroy (event));
}

static gboolean
event_record (gpointer event, gpointer stream, GError **error)
{
  return cuda_device_check (
      cudaEventRecord (event, stream), "Recording an event", error);
}

static gboolean
event_synchronize (gpointer event, GError **error)
{
  return cuda_device_check (
      cudaEventSynchronize (event), "A computation", error);
}

static gboolean
stream_wait (gpointer stream, gpointer event, GError **error)
{
  return cuda_device_check (
      cudaStreamWaitEvent (stream, event, 0), "Waiting for an event", error);
}

static gboolean
cuda_device_copy (OctCopy direction, gpointer dest, gsize dest_stride,
    gconstpointer src, gsize src_stride, gsize row_bytes, gsize rows,
    gpointer stream, GError **error)
{
  enum cudaMemcpyKind kind = direction == OCT_COPY_UPLOAD
                                 ? cudaMemcpyHostToDevice
                                 : cudaMemcpyDeviceToHost;

  /* one long copy is faster than one of rows */
  if (dest_stride == row_bytes && src_stride == row_bytes)
    return cuda_device_check (
        cudaMemcpyAsync (dest, src, row_bytes * rows, kind, stream),
        "Copying a B-scan", error);
  return cuda_device_check (cudaMemcpy2DAsync (dest, dest_stride, src,
                                src_stride, row_bytes, rows, kind, stream),
      "Copying a B-scan", error);
}

__attribute__ ((visibility ("default"))) const char oct_cuda_version[] =
    OCT_DEVICE_VERSION;

__attribute__ ((visibility ("default"))) const OctDevice *
oct_cuda_get_device (GError **error)
{
  static OctDevice device = {
    .has_kernels = has_kernels,
    .alloc_host = alloc_host,
    .free_host = free_host,
    .alloc = alloc_device,
    .free = free_device,
    .free_memory = free_memory,
    .stream_new = stream_new,
    .stream_free = stream_free,
    .stream_synchronize = stream_synchronize,
    .event_new = event_new,
    .event_free = event_free,
    .event_record = event_record,
    .event_synchronize = event_synchronize,
    .stream_wait = stream_wait,
    .copy = cuda_device_copy,
  };
  const OctBackend *backend = oct_backend_cuda (error);

  if (backend == NULL)
    return NULL;
  device.backend = backend;
  return &device;
}
