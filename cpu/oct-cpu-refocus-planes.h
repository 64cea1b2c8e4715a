/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Up to OCT_LANES depth planes of a volume side by side, and their transforms
 * along both directions.
 *
 * A block is [bscans][lines][2][OCT_LANES] floats: real parts, then imaginary
 * parts.  It is aligned to 64 bytes.
 */
#pragma once

#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"

G_BEGIN_DECLS

#define OCT_CPU_PLANES_VALUE (2 * OCT_LANES) /* floats of a value */

typedef struct {
  guint bscans, lines;                  /* of one B-scan */
  OctLanesFft *along_x[2], *along_y[2]; /* forward, backward */
} OctCpuPlanes;

/* FALSE with OCT_ERROR_MEMORY; clear() in any case. */
gboolean oct_cpu_planes_init (
    OctCpuPlanes *planes, guint bscans, guint lines, GError **error);
void oct_cpu_planes_clear (OctCpuPlanes *planes);

/* Floats of a block, and bytes of scratch of transforms. */
gsize oct_cpu_planes_count (const OctCpuPlanes *planes);
gsize oct_cpu_planes_scratch (const OctCpuPlanes *planes);

/* Reads `count` bins of A-scans, the others are zeros; values that do not count
 * are 0, and those of B-scan y are multiplied by turns[2 y] + i turns[2 y + 1]. */
void oct_cpu_planes_load (const OctCpuPlanes *planes, const OctPlane *from,
    const guint *bins, guint count, const float *turns, float *block);
/* Writes `count` consecutive bins from `first` on. */
void oct_cpu_planes_store (const OctCpuPlanes *planes, const float *block,
    guint first, guint count, const OctPlane *to);

/* Transforms B-scan y of a block along x. */
void oct_cpu_planes_run_x (const OctCpuPlanes *planes, gboolean backward,
    guint y, float *block, gpointer scratch);

/* Done between both transforms along y: to values[bscans][2][OCT_LANES]
 * of column x. */
typedef void (*OctCpuPlanesFilter) (gconstpointer data, guint x, float *values);

/* Column x of `from` to that of `to`, which may be the same: transformed
 * forward, if `forward`, filtered, transformed backward, if `backward`. */
void oct_cpu_planes_run_y (const OctCpuPlanes *planes, guint x,
    gboolean forward, gboolean backward, OctCpuPlanesFilter filter,
    gconstpointer data, const float *from, float *to, gpointer scratch);

G_END_DECLS
