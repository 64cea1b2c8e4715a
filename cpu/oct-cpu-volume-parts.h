/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A volume on the CPU: what its parts share.
 *
 * `raw` holds the stored images, with some depths as one; `voxels` is `raw`
 * smoothed over 3 x 3 x 3, by show(), for the B-scans that have changed.
 * Pictures are made from `voxels`, the extent of blocks, distances to blocks
 * with something to see, and the light.
 */
#pragma once

#include "oct-cpu-private.h"
#include "oct-volume-scene.h"

G_BEGIN_DECLS

struct _OctVolume {
  OctVolumeParams params;
  guint nx, ny, nz, gx, gy, gz; /* voxels and blocks: lines, B-scans, depths */

  /* rows of `raw_row` and `row` bytes, [ny][nz]; `voxels` has one row, and one
   * of each row, more than is used, which is read with a weight of 0 */
  guint8 *raw, *voxels;
  gsize raw_row, row, slice;
  guint8 *stale;         /* [ny] to be smoothed */
  guint8 *stale_cells;   /* [gy] to be looked through */
  guint8 *there, *shown; /* [ny] stored, and part of `voxels` */
  guint16 *scratch;      /* for smoothing, of each thread */
  guint threads;         /* that scratch is for */

  guint8 *low, *high; /* [gy][gz][gx] of the values */
  guint8 *distance;   /* the same size */
  gboolean has_distance;

  /* [z][x] in [y] of the coarse grid */
  float *extinction;
  guint8 *light; /* pairs: shadow, occlusion */
  gboolean has_light;

  OctVolumeLevels *levels; /* of each thread */
  gboolean has_counted;    /* get_levels() has reported the shown voxels */

  /* that distances and light are of */
  OctTransfer transfer;
  OctVolumeScene scene;

  guint8 *small; /* RGBA, what a picture is made in before it has its format */
  gsize small_size;
  double time, fixed_time;
};

/* Images of `n` B-scans, one below the other, as voxels: [n][depth] rows of
 * `row` bytes, with some depths as one. */
gboolean oct_cpu_volume_store_images (const OctVolumeParams *params,
    const OctPlane *images, guint n, guint8 *to, gsize row, GError **error);
/* FALSE with OCT_ERROR_MEMORY where `size` bytes are more than the machine has:
 * the system may promise them and end the process later on. */
gboolean oct_cpu_volume_check_memory (
    const OctVolumeParams *params, guint64 size, GError **error);
/* Replaces `error`: how many bytes are needed, and how many are free. */
void oct_cpu_volume_set_memory_error (
    const OctVolumeParams *params, guint64 size, GError **error);

/* Counts `voxels`. */
void oct_cpu_volume_count (OctVolume *volume, OctVolumeLevels *levels);

/* Extents of the blocks that have changed. */
void oct_cpu_volume_find_cells (OctVolume *volume);
/* Distances and light for transfer and scene, where they are not known. */
void oct_cpu_volume_find_distances (OctVolume *volume);
void oct_cpu_volume_find_light (OctVolume *volume);

gboolean oct_cpu_volume_render (OctVolume *volume, const OctVolumeLook *look,
    const OctVolumePicture *picture, GError **error);

G_END_DECLS
