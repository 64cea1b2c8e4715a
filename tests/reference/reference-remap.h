/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Rasters of the A-lines of a path, in double precision: what oct-scan-remap.h
 * and oct-remap.h say.
 */
#pragma once

#include "oct-reference.h"
#include "oct-remap.h"

/* Pixel `pixel` of the raster of lines[map->count][depths], grey levels or A-scans,
 * to value[depths]; grey levels are not rounded.  `seen` [map->count]: 0 where
 * an A-line has not come.  Returns: how sure it is that the pixel is a hole or
 * none, the distance of the weights that are left from the two limits. */
double oct_reference_remap_pixel (const OctRemapParams *params,
    const Complex *lines, const guint8 *seen, gsize pixel, Complex *value);
