/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Functions that the operations of the CUDA backend share on the host.
 */
#pragma once

#include "oct-backend-cuda.h"
#include "oct-cuda-kernels.h"
#include "oct-volume-cs.h"
#include "oct-volume.h"

#include <cufft.h>

G_BEGIN_DECLS

/* A table for each, oct_cuda_<name>; weak, so that one that nobody has written
 * yet is NULL, which elements have a sentence for. */
#define OCT_CUDA_DECLARE(NAME, name, params)                                   \
  extern const OctOperationTable oct_cuda_##name __attribute__ ((weak));
OCT_OPERATIONS (OCT_CUDA_DECLARE)

/* TRUE on success; else OCT_ERROR_MEMORY or OCT_ERROR_DEVICE with the name of
 * the operation. */
gboolean oct_cuda_check (
    cudaError_t status, const char *operation, GError **error);
gboolean oct_cuda_check_fft (
    cufftResult status, const char *operation, GError **error);

/* Errors of the device that every later call reports again, whichever kernel
 * made them. */
gboolean oct_cuda_is_lost (cudaError_t status);

/* The end of a sentence about an error that CUDA does not recover from in this
 * process; else an empty string. */
const char *oct_cuda_advice (cudaError_t status);

/* Device memory, NULL with an error; freed with oct_cuda_free(). */
gpointer oct_cuda_alloc (gsize bytes, const char *operation, GError **error);
void oct_cuda_free (gpointer memory);

/* A plan of cuFFT for tightly packed rows, 0 with an error. */
cufftHandle oct_cuda_fft_plan (cufftType type, guint length, guint in_row,
    guint out_row, guint lines, const char *operation, GError **error);

/* Whether the current device starts kernels ahead, see OctCudaQueue. */
gboolean oct_cuda_can_overlap (void);

/* Copies of a table on the host: one that is being written, and two that may
 * still be on their way to the device. */
#define OCT_CUDA_TABLE_COPIES 3

/**
 * A table in device memory that may change between two runs.
 *
 * The new values wait in page-locked memory and are copied by the next run in
 * its stream, so that kernels in flight keep the old ones.  Copies take turns,
 * so that new values need not wait for those before to arrive; each is made
 * when it is needed first, since most tables are written once.
 */
typedef struct {
  gpointer device;
  gsize size;
  struct {
    gpointer host;
    cudaEvent_t copied; /* host may be written again */
  } copies[OCT_CUDA_TABLE_COPIES];
  guint newest; /* the copy that was written last */
  gboolean changed;
} OctCudaTable;

/* `table`: anything; it has to be cleared also where init has failed. */
gboolean oct_cuda_table_init (
    OctCudaTable *table, gsize size, const char *operation, GError **error);
/* Frees the memory; of zeros too. */
void oct_cuda_table_clear (OctCudaTable *table);
/* Part of create() and update(): host memory of `size` bytes to write the new
 * values to, all of them, since it does not hold the ones before; or NULL with
 * an error when there is no memory or the device has failed. */
gpointer oct_cuda_table_edit (
    OctCudaTable *table, const char *operation, GError **error);
/* Part of run(): queues the copy if there are new values. */
gboolean oct_cuda_table_upload (OctCudaTable *table, const char *operation,
    cudaStream_t stream, GError **error);

/* TRUE when a row of row_bytes fits the stride of the plane, and rows begin at
 * multiples of `alignment`. */
gboolean oct_cuda_check_plane (
    const OctPlane *plane, gsize row_bytes, gsize alignment, GError **error);
/* Makes the chroma of an NV12 image of that size grey, in the stream. */
gboolean oct_cuda_clear_chroma (const OctPlane *chroma, guint width,
    guint height, const char *name, gpointer stream, GError **error);

/* FALSE for images of 16 bit: filters of images know those that stay on a GPU.
 */
gboolean oct_cuda_check_grey (
    OctImageFormat format, const char *operation, GError **error);

/* The layout of the result of OCT_OPERATION_MEAN: SUMS or TABLE. */
OctCudaBackgroundMode oct_cuda_found_mode (
    OctBackgroundMode mode, OctSampleFormat format);
/* Whether the sums of so many lines can be removed exactly: count x lines - sum
 * has to be a number of 32 bits with a sign. */
gboolean oct_cuda_sums_fit (OctSampleFormat format, guint lines);
/* A stored background as a pass reads it, (high, low) with room for whole
 * chunks; FALSE with an error, then, too, it has to be cleared. */
gboolean oct_cuda_stored_init (OctCudaTable *table,
    const OctBackgroundParams *background, const char *operation,
    GError **error);
/* TRUE when it is there and aligned as promised. */
gboolean oct_cuda_check_found (const OctPlane *found, GError **error);

extern const OctFusedTable oct_cuda_fused;
extern const OctVolumeTable oct_cuda_volume;
extern const OctVolumeTable oct_cuda_sections;
extern const OctVolumeCsTable oct_cuda_volume_cs;
extern const OctRemapTable oct_cuda_remap;

/* Before a volume is allocated, that takes `needed` bytes: an error with both
 * sizes, which CUDA does not tell. */
gboolean oct_cuda_volume_check_memory (
    const OctVolumeParams *params, guint64 needed, GError **error);

G_END_DECLS
