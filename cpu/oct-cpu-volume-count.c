/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How many voxels of a volume have which grey level, for oct-volume-noise.h.
 */
#include "oct-cpu-volume-parts.h"

#include "oct-volume-noise.h"

#include <string.h>

typedef struct {
  const OctVolume *volume;
  guint step, first;                  /* of A-lines and B-scans; depth */
  guint8 chosen[OCT_VOLUME_MAX_SIZE]; /* B-scans */
} Count;

/* Rows of a B-scan one after the other, as they lie in memory. */
static void
count_bscan (const Count *count, guint y, OctVolumeLevels *levels)
{
  const OctVolume *v = count->volume;
  const guint8 *voxels = v->voxels + y * v->slice;
  guint8 largest[OCT_VOLUME_MAX_SIZE];
  guint n = (v->nx + count->step - 1) / count->step;

  memset (largest, 0, n);
  for (guint z = count->first; z < v->nz; z++) {
    const guint8 *row = voxels + z * v->row;
    guint *band = levels->bands[z * OCT_VOLUME_BANDS / v->nz];

    for (guint i = 0; i < n; i++) {
      guint8 level = row[i * count->step];

      band[level]++;
      largest[i] = MAX (largest[i], level);
    }
  }
  for (guint i = 0; i < n; i++)
    levels->maxima[largest[i]]++;
}

static void
count_bscans (gpointer data, guint first, guint end, guint thread)
{
  const Count *count = data;

  for (guint i = first; i < end; i++)
    if (count->chosen[i * count->step])
      count_bscan (count, i * count->step, &count->volume->levels[thread]);
}

void
oct_cpu_volume_count (OctVolume *volume, OctVolumeLevels *levels)
{
  Count count = { volume, oct_volume_levels_get_step (&volume->params),
    oct_volume_levels_get_first (&volume->params) };
  guint *sums = &levels->bands[0][0];

  oct_volume_levels_choose (&volume->params, volume->shown, count.chosen);
  memset (volume->levels, 0, volume->threads * sizeof *levels);
  oct_parallel_for ((volume->ny + count.step - 1) / count.step, 1,
      oct_cpu_threads (volume->threads), count_bscans, &count);
  *levels = volume->levels[0];
  for (guint t = 1; t < volume->threads; t++) {
    const guint *more = &volume->levels[t].bands[0][0];

    for (guint i = 0; i < sizeof *levels / sizeof *sums; i++)
      sums[i] += more[i];
  }
}
