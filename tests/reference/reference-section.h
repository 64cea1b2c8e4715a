/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Sections of volumes in double precision, as oct-section.h defines them.
 */
#pragma once

#include "oct-section.h"

/* [bscans][depth][lines] grey levels. */
typedef struct {
  const guint8 *voxels;
  guint lines, depth, bscans;
} ReferenceVolume;

/* levels[height][width], not rounded; negative: outside the volume. */
void oct_reference_slice (const ReferenceVolume *volume, const OctSlice *slice,
    guint width, guint height, double *levels);

/* surface[bscans][lines], -1: none; before and with the median. */
void oct_reference_surface (const ReferenceVolume *volume,
    const OctEnface *enface, gint *found, gint *surface);

/* levels[height][width], not rounded; there[bscans]: B-scans of which the
 * automatic range is. */
void oct_reference_enface (const ReferenceVolume *volume,
    const OctEnface *enface, const guint8 *there, guint width, guint height,
    double *levels);
