/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Extents of blocks, distances and light, found before pictures are made.
 */
#include "oct-cpu-volume-sampler.h"

#include "oct-simd.h"
#include "oct-volume-light.h"

#include <string.h>

/* ------------------------------------------------------------------- extents
 */

OCT_VECTORISED static void
cpu_volume_light_extend (const guint8 *row, guint n, guint8 *low, guint8 *high)
{
  for (guint i = 0; i < n; i++) {
    low[i] = MIN (low[i], row[i]);
    high[i] = MAX (high[i], row[i]);
  }
}

/* The extents of the blocks cy, cz, from the extents of their rows together. */
static void
find_cells_of_row (OctVolume *volume, guint cy, guint cz, const guint8 *low,
    const guint8 *high)
{
  gsize at = ((gsize)cy * volume->gz + cz) * volume->gx;

  for (guint cx = 0; cx < volume->gx; cx++) {
    guint end = MIN ((cx + 1) * OCT_VOLUME_CELL + 1, volume->nx);
    guint8 least = 255, most = 0;

    for (guint x = cx * OCT_VOLUME_CELL; x < end; x++) {
      least = MIN (least, low[x]);
      most = MAX (most, high[x]);
    }
    volume->low[at + cx] = least;
    volume->high[at + cx] = most;
  }
}

static void
cpu_volume_light_find_cells (
    gpointer data, guint first, guint end, guint thread)
{
  OctVolume *volume = data;
  guint8 low[OCT_VOLUME_MAX_SIZE], high[OCT_VOLUME_MAX_SIZE];

  for (guint i = first; i < end; i++) {
    guint cy = i / volume->gz, cz = i % volume->gz;
    guint to_y = MIN ((cy + 1) * OCT_VOLUME_CELL + 1, volume->ny);
    guint to_z = MIN ((cz + 1) * OCT_VOLUME_CELL + 1, volume->nz);

    if (!volume->stale_cells[cy])
      continue;
    memset (low, 255, volume->nx);
    memset (high, 0, volume->nx);
    for (guint y = cy * OCT_VOLUME_CELL; y < to_y; y++)
      for (guint z = cz * OCT_VOLUME_CELL; z < to_z; z++)
        cpu_volume_light_extend (
            volume->voxels + y * volume->slice + z * volume->row, volume->nx,
            low, high);
    find_cells_of_row (volume, cy, cz, low, high);
  }
}

void
oct_cpu_volume_find_cells (OctVolume *volume)
{
  oct_parallel_for (volume->gy * volume->gz, 8, oct_cpu_threads (G_MAXUINT),
      cpu_volume_light_find_cells, volume);
  memset (volume->stale_cells, 0, volume->gy);
}

/* ----------------------------------------------------------------- distances
 */

/* Along one axis: the distance to the next block with something to see, where
 * distances along the axes before are known.  A block at k along this axis with
 * a distance d along the others is max (k, d) away. */
static void
cpu_volume_light_spread (guint8 *distance, guint n, gsize step)
{
  guint8 before[OCT_VOLUME_CELLS (OCT_VOLUME_MAX_SIZE)];

  for (guint i = 0; i < n; i++)
    before[i] = distance[i * step];
  for (guint i = 0; i < n; i++) {
    guint best = before[i];

    for (guint k = 1; k < best; k++) {
      guint other = OCT_VOLUME_FAR;

      if (i >= k)
        other = MIN (other, before[i - k]);
      if (i + k < n)
        other = MIN (other, before[i + k]);
      best = MIN (best, MAX (other, k));
    }
    distance[i * step] = (guint8)best;
  }
}

typedef struct {
  OctVolume *volume;
  guint16 seen[257];
} Distances;

static void
spread_planes (gpointer data, guint first, guint end, guint thread)
{
  const Distances *d = data;
  OctVolume *volume = d->volume;
  gsize plane = (gsize)volume->gx * volume->gz;

  for (guint y = first; y < end; y++) {
    guint8 *distance = volume->distance + y * plane;

    for (gsize i = 0; i < plane; i++)
      distance[i] = oct_volume_is_seen (d->seen, volume->low[y * plane + i],
                        volume->high[y * plane + i])
                        ? 0
                        : OCT_VOLUME_FAR;
    for (guint z = 0; z < volume->gz; z++)
      cpu_volume_light_spread (distance + (gsize)z * volume->gx, volume->gx, 1);
    for (guint x = 0; x < volume->gx; x++)
      cpu_volume_light_spread (distance + x, volume->gz, volume->gx);
  }
}

static void
spread_bscans (gpointer data, guint first, guint end, guint thread)
{
  const Distances *d = data;
  OctVolume *volume = d->volume;

  for (guint i = first; i < end; i++)
    cpu_volume_light_spread (
        volume->distance + i, volume->gy, (gsize)volume->gx * volume->gz);
}

void
oct_cpu_volume_find_distances (OctVolume *volume)
{
  Distances d = { .volume = volume };

  if (volume->has_distance)
    return;
  oct_volume_get_seen (&volume->transfer, d.seen);
  oct_parallel_for (
      volume->gy, 1, oct_cpu_threads (G_MAXUINT), spread_planes, &d);
  oct_parallel_for (volume->gx * volume->gz, 64, oct_cpu_threads (G_MAXUINT),
      spread_bscans, &d);
  volume->has_distance = TRUE;
}

/* --------------------------------------------------------------------- light
 */

typedef struct {
  OctVolume *volume;
  OctRaySampler sampler;
  OctPoint directions[OCT_VOLUME_DIRECTIONS];
} Light;

/* Whether all blocks that a cell of the coarse grid reads are empty. */
static gboolean
is_empty (const OctVolume *volume, OctPoint voxels, guint x, guint y, guint z)
{
  gint x0 = (gint)((x * voxels.x - 1) / OCT_VOLUME_CELL);
  gint y0 = (gint)((y * voxels.y - 1) / OCT_VOLUME_CELL);
  gint z0 = (gint)((z * voxels.z - 1) / OCT_VOLUME_CELL);
  gint x1 = (gint)(((x + 1) * voxels.x + 1) / OCT_VOLUME_CELL);
  gint y1 = (gint)(((y + 1) * voxels.y + 1) / OCT_VOLUME_CELL);
  gint z1 = (gint)(((z + 1) * voxels.z + 1) / OCT_VOLUME_CELL);

  for (gint j = MAX (y0, 0); j <= MIN (y1, (gint)volume->gy - 1); j++)
    for (gint k = MAX (z0, 0); k <= MIN (z1, (gint)volume->gz - 1); k++)
      for (gint i = MAX (x0, 0); i <= MIN (x1, (gint)volume->gx - 1); i++)
        if (volume->distance[((gsize)j * volume->gz + k) * volume->gx + i] == 0)
          return FALSE;
  return TRUE;
}

static void
find_extinctions (gpointer data, guint first, guint end, guint thread)
{
  const Light *light = data;
  OctVolume *volume = light->volume;
  OctPoint voxels = { (float)volume->nx / OCT_VOLUME_LIGHT_X,
    (float)volume->ny / OCT_VOLUME_LIGHT_Y,
    (float)volume->nz / OCT_VOLUME_LIGHT_Z };

  for (guint i = first; i < end; i++) {
    guint y = i / OCT_VOLUME_LIGHT_Z, z = i % OCT_VOLUME_LIGHT_Z;
    float *row = volume->extinction + (y + 1) * OCT_CPU_LIGHT_SLICE
                 + (z + 1) * OCT_CPU_LIGHT_ROW + 1;

    for (guint x = 0; x < OCT_VOLUME_LIGHT_X; x++)
      row[x] = is_empty (volume, voxels, x, y, z)
                   ? 0
                   : oct_ray_mean_extinction (&volume->scene, &light->sampler,
                       voxels, (int)x, (int)y, (int)z);
  }
}

static void
cpu_volume_light_find_light (
    gpointer data, guint first, guint end, guint thread)
{
  const Light *light = data;
  OctVolume *volume = light->volume;
  OctPoint per_mm = { 0.5f / volume->scene.half.x, 0.5f / volume->scene.half.y,
    0.5f / volume->scene.half.z };

  for (guint i = first; i < end; i++) {
    guint y = i / OCT_VOLUME_LIGHT_Z, z = i % OCT_VOLUME_LIGHT_Z;
    guint8 *row = volume->light + (gsize)i * 2 * OCT_VOLUME_LIGHT_X;

    for (guint x = 0; x < OCT_VOLUME_LIGHT_X; x++) {
      OctPoint p = { (x + 0.5f) / OCT_VOLUME_LIGHT_X,
        (y + 0.5f) / OCT_VOLUME_LIGHT_Y, (z + 0.5f) / OCT_VOLUME_LIGHT_Z };
      float shadow, occlusion;

      oct_ray_find_light (&volume->scene, &light->sampler, light->directions, p,
          per_mm, &shadow, &occlusion);
      row[2 * x] = (guint8)(255 * shadow + 0.5f);
      row[2 * x + 1] = (guint8)(255 * occlusion + 0.5f);
    }
  }
}

void
oct_cpu_volume_find_light (OctVolume *volume)
{
  guint threads = oct_cpu_threads (G_MAXUINT);
  Light light = { .volume = volume };

  if (volume->has_light)
    return;
  oct_cpu_sampler_init (&light.sampler, volume);
  oct_volume_get_directions (light.directions);
  oct_parallel_for (OCT_VOLUME_LIGHT_Y * OCT_VOLUME_LIGHT_Z, 16, threads,
      find_extinctions, &light);
  oct_parallel_for (OCT_VOLUME_LIGHT_Y * OCT_VOLUME_LIGHT_Z, 16, threads,
      cpu_volume_light_find_light, &light);
  volume->has_light = TRUE;
}
