/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared parts of the operations of the CPU backend.
 *
 * Every operation works on blocks of A-lines, one thread per block at a
 * time.  A result never depends on the number of threads: a value is computed
 * by the same instructions in the same order whichever thread gets its block.
 */
#pragma once

#include "oct-backend.h"
#include "oct-parallel.h"

G_BEGIN_DECLS

/* A table for each, oct_cpu_<name>. */
#define OCT_CPU_DECLARE(NAME, name, params)                                    \
  extern const OctOperationTable oct_cpu_##name;
OCT_OPERATIONS (OCT_CPU_DECLARE)
extern const OctFusedTable oct_cpu_fused;
extern const OctVolumeTable oct_cpu_volume;
extern const OctVolumeTable oct_cpu_sections;
extern const OctVolumeCsTable oct_cpu_volume_cs;
extern const OctRemapTable oct_cpu_remap;

/* 64 byte aligned, not initialised, freed with oct_cpu_free(); NULL with
 * OCT_ERROR_MEMORY. */
gpointer oct_cpu_alloc (gsize count, gsize size, GError **error);
void oct_cpu_free (gpointer memory);

/* Memory that is reused when its contents change in size, such as nodes that
 * change from B-scan to B-scan.  All zeros before the first use. */
typedef struct {
  gpointer data;
  gsize size; /* bytes */
} OctCpuBuffer;

/* Returns `buffer->data` with room for count x size bytes, 64 byte aligned,
 * uninitialised; it is reallocated if too small, without its contents.  NULL
 * with OCT_ERROR_MEMORY, and then the buffer is empty. */
gpointer oct_cpu_reserve (
    OctCpuBuffer *buffer, gsize count, gsize size, GError **error);
/* Frees the memory; the buffer can be used again. */
void oct_cpu_release (OctCpuBuffer *buffer);

/* Bytes rounded up so that the scratch of two threads shares no cache line. */
gsize oct_cpu_pad (gsize bytes);

/* TRUE when a row of row_bytes fits the stride of the plane. */
gboolean oct_cpu_check_plane (
    const OctPlane *plane, gsize row_bytes, GError **error);

/* Arguments of the pieces of a loop over A-lines. */
typedef struct {
  OctPlan *plan;
  const OctPlane *from, *to;
  guint lines;         /* that there are, where it may be fewer than planned */
  gconstpointer extra; /* arguments of the operation */
} OctCpuLoop;

/* Runs `rows`, a loop over the rows of an image with the OctCpuLoop as its
 * data, on images of one size and format; makes the chroma of NV12 grey. */
gboolean oct_cpu_filter_image (OctPlan *plan, const OctFrame *in,
    const OctFrame *out, OctImageFormat format, guint width, guint height,
    guint threads, OctParallelTask rows, GError **error);

/* A-lines that a thread processes at a time. */
#define OCT_CPU_GRAIN 16

/* Threads that run() may use: the present setting, at most `prepared`, the
 * number of threads that create() allocated scratch for. */
guint oct_cpu_threads (guint prepared);

static inline gpointer
oct_cpu_row (const OctPlane *plane, gsize row)
{
  return (guint8 *)plane->data + row * plane->stride;
}

G_END_DECLS
