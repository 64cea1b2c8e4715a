/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes to test and measure renderers with, as images [bscans][depth][lines]
 * of 8 bit, one B-scan after the other.
 */
#pragma once

#include <glib.h>

typedef struct {
  guint lines, depth, bscans;
} VolumeSize;

/* g_free(); all zeros */
guint8 *volume_new (const VolumeSize *size);

static inline guint8 *
volume_at (const VolumeSize *size, guint8 *images, guint line, guint depth,
    guint bscan)
{
  return images + ((gsize)bscan * size->depth + depth) * size->lines + line;
}

/* Layered tissue with a pit, folds, a vessel and speckle, black above it and
 * with noise below: what a renderer has to do in earnest. */
void volume_fill_tissue (const VolumeSize *size, guint8 *images);

/* Where f (x, y, z) >= 0, of positions 0 .. 1 along lines, B-scans and depth,
 * `level`; smooth over a voxel. */
typedef double (*VolumeShape) (
    double x, double y, double z, gconstpointer data);
void volume_fill_shape (const VolumeSize *size, guint8 *images,
    VolumeShape shape, gconstpointer data, guint8 level);
