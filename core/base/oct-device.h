/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The functions of a GPU that gst/ needs besides the operations: page-locked
 * memory, streams, events and copies.  A module that is loaded at run time
 * fills the table in, so that the plugin itself links nothing of CUDA's run
 * time.
 *
 * Every function works in the CUDA context that is current in the calling
 * thread.  Those that take a GError fail (FALSE or NULL) with a sentence that
 * names the failure: OCT_ERROR_MEMORY if there is too little, else
 * OCT_ERROR_DEVICE.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

typedef enum {
  OCT_COPY_UPLOAD,   /* host to device */
  OCT_COPY_DOWNLOAD, /* device to host */
} OctCopy;

typedef struct {
  const OctBackend *backend;

  /* Whether the kernels of this build run on the device of the context: FALSE
   * with a sentence when it is too old for them. */
  gboolean (*has_kernels) (GError **error);

  /* Page-locked host memory, aligned to 64 bytes at least.  Any thread may
   * write to it and read it. */
  gpointer (*alloc_host) (gsize size, GError **error);
  void (*free_host) (gpointer memory);

  /* Device memory. */
  gpointer (*alloc) (gsize size, GError **error);
  void (*free) (gpointer memory);

  /* Bytes of unused device memory, 0 when unknown. */
  gsize (*free_memory) (void);

  /* `blocking`: what uses the NULL stream waits for this stream. */
  gpointer (*stream_new) (gboolean blocking, GError **error);
  void (*stream_free) (gpointer stream);
  gboolean (*stream_synchronize) (gpointer stream, GError **error);

  /* Events do not measure time. */
  gpointer (*event_new) (GError **error);
  void (*event_free) (gpointer event);
  gboolean (*event_record) (gpointer event, gpointer stream, GError **error);
  /* The host waits. */
  gboolean (*event_synchronize) (gpointer event, GError **error);
  /* The stream waits, the host does not.  NULL: the NULL stream, and so all
   * that is queued in blocking streams from then on. */
  gboolean (*stream_wait) (gpointer stream, gpointer event, GError **error);

  /* rows x row_bytes from src to dest, rows `stride` bytes apart; asynchronous
   * when the host memory is page-locked. */
  gboolean (*copy) (OctCopy direction, gpointer dest, gsize dest_stride,
      gconstpointer src, gsize src_stride, gsize row_bytes, gsize rows,
      gpointer stream, GError **error);
} OctDevice;

/* The symbols of the module.  The first is a text, char[]: the loader must not
 * call a module whose version is not OCT_DEVICE_VERSION, which the build
 * defines for both sides as the version of the project and a sum of the headers
 * with the structs that they share.
 *
 * The second is an OctDeviceGet: the table, which lives as long as the process,
 * or NULL with OCT_ERROR_DEVICE and a clause that names the missing part
 * (driver, device). */
typedef const OctDevice *(*OctDeviceGet) (GError **error);
#define OCT_DEVICE_MODULE "liboctcuda.so"
#define OCT_DEVICE_VERSION_SYMBOL "oct_cuda_version"
#define OCT_DEVICE_SYMBOL "oct_cuda_get_device"

G_END_DECLS
