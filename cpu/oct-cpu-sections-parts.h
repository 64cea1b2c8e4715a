/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Sections of a volume on the CPU: shared parts.
 *
 * `raw` holds the stored voxels.  Pictures are made from `shown`, which show()
 * updates from `raw`: a volume that is only half replaced is not visible.
 */
#pragma once

#include "oct-cpu-private.h"
#include "oct-volume.h"

G_BEGIN_DECLS

/* The OctVolume of this table. */
typedef struct {
  OctVolumeParams params;
  guint nx, ny, nz;    /* voxels: lines, B-scans, depths */
  guint8 *raw, *shown; /* [ny][nz] rows of `row` bytes */
  gsize row;
  guint8 *stale; /* [ny] raw differs from shown */
  double time;   /* duration of the last picture */

  OctEnfaceState state;
  gint16 *found;    /* [ny][nx] surface of each A-line, -1: none */
  float *projected; /* [ny][nx] */
  gint16 *scratch;  /* `scratch_size` bytes per thread */
  gsize scratch_size;
  guint threads; /* with scratch */
} OctCpuSections;

static inline const guint8 *
oct_cpu_sections_row (const OctCpuSections *s, guint bscan, guint depth)
{
  return s->shown + ((gsize)bscan * s->nz + depth) * s->row;
}

/* Updates the projection if it is stale. */
void oct_cpu_enface_project (OctCpuSections *s, const OctEnface *enface);

/* Black and white of a picture of the projection; FALSE: it is all black. */
gboolean oct_cpu_enface_get_range (const OctCpuSections *s,
    const OctEnface *enface, float *black, float *white);

G_END_DECLS
