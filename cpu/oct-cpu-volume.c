/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-volume-parts.h"

#include "oct-cpu-vector.h"
#include "oct-simd.h"
#include "oct-volume.h"

#include <string.h>

/* Rows begin on vectors; a voxel more is read than there are. */
#define ROW_ALIGNMENT 32

static void
cpu_volume_destroy (OctVolume *volume)
{
  oct_cpu_free (volume->raw);
  oct_cpu_free (volume->voxels);
  oct_cpu_free (volume->stale);
  oct_cpu_free (volume->stale_cells);
  oct_cpu_free (volume->there);
  oct_cpu_free (volume->shown);
  oct_cpu_free (volume->scratch);
  oct_cpu_free (volume->low);
  oct_cpu_free (volume->high);
  oct_cpu_free (volume->distance);
  oct_cpu_free (volume->extinction);
  oct_cpu_free (volume->light);
  oct_cpu_free (volume->small);
  oct_cpu_free (volume->levels);
  g_free (volume);
}

static gsize
scratch_size (const OctVolume *volume)
{
  /* sums over three B-scans of five rows, and one row of sums over those */
  return oct_cpu_pad (6 * (volume->row + 2 * OCT_VECTOR) * sizeof (guint16));
}

static gpointer
alloc_zeros (gsize size, GError **error)
{
  gpointer memory = oct_cpu_alloc (MAX (1, size), 1, error);

  if (memory != NULL)
    memset (memory, 0, size);
  return memory;
}

/* Bytes of a line of /proc/meminfo such as "MemTotal:  16331752 kB"; 0: it is
 * not there. */
static guint64
find_amount (const char *text, const char *name)
{
  const char *line = strstr (text, name);

  return line != NULL ? g_ascii_strtoull (line + strlen (name), NULL, 10) << 10
                      : 0;
}

typedef struct {
  guint64 available, total, swap; /* bytes, 0: not known */
} Memory;

static Memory
read_memory (void)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    return (Memory){ 0 };
  return (Memory){ find_amount (text, "MemAvailable:"),
    find_amount (text, "MemTotal:"), find_amount (text, "SwapTotal:") };
}

void
oct_cpu_volume_set_memory_error (
    const OctVolumeParams *params, guint64 size, GError **error)
{
  Memory memory = read_memory ();
  g_autofree char *found = NULL;

  g_clear_error (error);
  /* a limit of the process can be lower than the free memory */
  if (memory.available > 0 && memory.available < size)
    found = g_strdup_printf ("where %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                             " MB are free",
        memory.available >> 20, memory.total >> 20);
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "A volume of %u B-scans of %u A-lines and %u depths needs "
      "%" G_GUINT64_FORMAT
      " MB of memory, %s; set a larger `decimation` or fewer `bscans`%s.",
      params->bscans, params->lines, params->depth, size >> 20,
      found != NULL ? found : "which there is not",
      memory.total > 0 && size > memory.total ? "" : ", or end other programs");
}

gboolean
oct_cpu_volume_check_memory (
    const OctVolumeParams *params, guint64 size, GError **error)
{
  Memory memory = read_memory ();

  if (memory.total == 0 || size <= memory.total + memory.swap)
    return TRUE;
  oct_cpu_volume_set_memory_error (params, size, error);
  return FALSE;
}

static gboolean
cpu_volume_clear (OctVolume *volume, gpointer stream, GError **error)
{
  gsize cells = (gsize)volume->gx * volume->gy * volume->gz;

  memset (volume->raw, 0, volume->raw_row * volume->nz * volume->ny);
  memset (volume->voxels, 0, volume->slice * (volume->ny + 1));
  memset (volume->stale, 0, volume->ny);
  memset (volume->stale_cells, 0, volume->gy);
  memset (volume->there, 0, volume->ny);
  memset (volume->shown, 0, volume->ny);
  memset (volume->low, 0, cells);
  memset (volume->high, 0, cells);
  volume->has_distance = volume->has_light = volume->has_counted = FALSE;
  return TRUE;
}

static gboolean
cpu_volume_alloc_all (OctVolume *volume, GError **error)
{
  gsize cells = (gsize)volume->gx * volume->gy * volume->gz;
  gsize light = OCT_VOLUME_LIGHT_X * OCT_VOLUME_LIGHT_Y * OCT_VOLUME_LIGHT_Z;

  return (volume->raw = oct_cpu_alloc (
              volume->raw_row, (gsize)volume->nz * volume->ny, error))
         && (volume->voxels =
                 oct_cpu_alloc (volume->slice, volume->ny + 1, error))
         && (volume->stale = oct_cpu_alloc (volume->ny, 1, error))
         && (volume->stale_cells = oct_cpu_alloc (volume->gy, 1, error))
         && (volume->there = oct_cpu_alloc (volume->ny, 1, error))
         && (volume->shown = oct_cpu_alloc (volume->ny, 1, error))
         && (volume->scratch =
                 oct_cpu_alloc (volume->threads, scratch_size (volume), error))
         && (volume->low = oct_cpu_alloc (cells, 1, error))
         && (volume->high = oct_cpu_alloc (cells, 1, error))
         && (volume->distance = oct_cpu_alloc (cells, 1, error))
         && (volume->extinction = alloc_zeros (
                 (OCT_VOLUME_LIGHT_X + 2) * (OCT_VOLUME_LIGHT_Y + 2)
                     * (OCT_VOLUME_LIGHT_Z + 2) * sizeof (float),
                 error))
         && (volume->light = oct_cpu_alloc (2 * light, 1, error))
         && (volume->levels = oct_cpu_alloc (
                 sizeof (OctVolumeLevels), volume->threads, error));
}

static OctVolume *
cpu_volume_create (const OctVolumeParams *params, GError **error)
{
  OctVolume *volume;

  if (!oct_volume_params_check (params, error)
      || !oct_cpu_volume_check_memory (
          params, oct_volume_get_size (params), error))
    return NULL;
  volume = g_new0 (OctVolume, 1);
  volume->params = *params;
  volume->nx = params->lines;
  volume->ny = params->bscans;
  volume->nz = oct_volume_get_depth (params);
  volume->gx = OCT_VOLUME_CELLS (volume->nx);
  volume->gy = OCT_VOLUME_CELLS (volume->ny);
  volume->gz = OCT_VOLUME_CELLS (volume->nz);
  volume->raw_row = (volume->nx + ROW_ALIGNMENT - 1) & ~(ROW_ALIGNMENT - 1);
  volume->row = (volume->nx + ROW_ALIGNMENT) & ~(ROW_ALIGNMENT - 1);
  volume->slice = volume->row * (volume->nz + 1);
  volume->threads = oct_parallel_get_threads ();
  if (cpu_volume_alloc_all (volume, error)) {
    cpu_volume_clear (volume, NULL, NULL);
    return volume;
  }
  oct_cpu_volume_set_memory_error (params, oct_volume_get_size (params), error);
  cpu_volume_destroy (volume);
  return NULL;
}

/* -------------------------------------------------------------------- store */

/* Sums of `n` rows, `step` bytes apart in a row. */
OCT_VECTORISED static void
cpu_volume_add_rows (const guint8 *from, gsize stride, guint n, guint step,
    guint count, guint8 *to)
{
  guint shift = n == 1 ? 0 : n == 2 ? 1 : n == 4 ? 2 : 3, half = n / 2;

  for (guint x = 0; x < count; x += 64) {
    guint some = MIN (64, count - x);
    guint16 sums[64];

    for (guint i = 0; i < 64; i++)
      sums[i] = (guint16)half;
    for (guint k = 0; k < n; k++) {
      const guint8 *row = from + k * stride + (gsize)x * step;

      if (step == 1)
        for (guint i = 0; i < some; i++)
          sums[i] = (guint16)(sums[i] + row[i]);
      else
        for (guint i = 0; i < some; i++)
          sums[i] = (guint16)(sums[i] + row[4 * i]);
    }
    for (guint i = 0; i < some; i++)
      to[x + i] = (guint8)(sums[i] >> shift);
  }
}

typedef struct {
  const OctVolumeParams *params;
  const OctPlane *plane;
  guint8 *to;
  gsize row;
} Store;

static void
store_rows (gpointer data, guint first, guint end, guint thread)
{
  const Store *store = data;
  const OctVolumeParams *p = store->params;
  guint some = MIN (p->decimation, p->depth), nz = oct_volume_get_depth (p);

  for (guint i = first; i < end; i++) {
    guint y = i / nz, z = i % nz;

    cpu_volume_add_rows (oct_cpu_row (store->plane,
                             (gsize)y * p->depth + (gsize)z * p->decimation),
        store->plane->stride, some == p->decimation ? some : 1, p->pixel_size,
        p->lines, store->to + i * store->row);
  }
}

gboolean
oct_cpu_volume_store_images (const OctVolumeParams *params,
    const OctPlane *images, guint n, guint8 *to, gsize row, GError **error)
{
  Store store = { params, images, to, row };

  if (!oct_cpu_check_plane (
          images, (gsize)params->lines * params->pixel_size, error))
    return FALSE;
  oct_parallel_for (n * oct_volume_get_depth (params), 64,
      oct_cpu_threads (G_MAXUINT), store_rows, &store);
  return TRUE;
}

static gboolean
cpu_volume_store (OctVolume *volume, const OctFrame *images, guint first,
    guint n, gpointer stream, GError **error)
{
  g_return_val_if_fail (first + n <= volume->ny, FALSE);
  if (!oct_cpu_volume_store_images (&volume->params, &images->planes[0], n,
          volume->raw + (gsize)first * volume->nz * volume->raw_row,
          volume->raw_row, error))
    return FALSE;
  /* it is part of the smoothed B-scans before and after it */
  for (guint y = first > 0 ? first - 1 : 0; y < MIN (first + n + 1, volume->ny);
       y++)
    volume->stale[y] = TRUE;
  memset (volume->there + first, TRUE, n);
  return TRUE;
}

/* ---------------------------------------------------------------- smoothing */

/* to = a + 2 b + c */
OCT_VECTORISED static void
sum_bscans (
    const guint8 *a, const guint8 *b, const guint8 *c, guint n, guint16 *to)
{
  for (guint i = 0; i < n; i++)
    to[i] = (guint16)(a[i] + 2 * b[i] + c[i]);
}

/* Over five depths, then three A-lines; weights of the outer depths `outer` 1
 * or 0, all of them 16; `sums` has one value before the first. */
OCT_VECTORISED static void
sum_depths (
    guint16 *const rows[5], gboolean outer, guint n, guint16 *sums, guint8 *to)
{
  const guint16 *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3],
                *e = rows[4];

  if (outer)
    for (guint i = 0; i < n; i++)
      sums[i] = (guint16)(a[i] + 4 * (b[i] + d[i]) + 6 * c[i] + e[i]);
  else
    for (guint i = 0; i < n; i++)
      sums[i] = (guint16)(4 * (b[i] + 2 * c[i] + d[i]));
  sums[-1] = sums[0];
  sums[n] = sums[n - 1];
  for (guint i = 0; i < n; i++)
    to[i] = (guint8)(((guint32)sums[(gssize)i - 1] + 2u * sums[i] + sums[i + 1]
                         + 128)
                     >> 8);
}

static void
smooth_bscan (OctVolume *volume, guint y, guint16 *scratch)
{
  gsize row = volume->row + 2 * OCT_VECTOR;
  gsize slice = volume->raw_row * volume->nz;
  const guint8 *a = volume->raw + slice * (y > 0 ? y - 1 : 0);
  const guint8 *b = volume->raw + slice * y;
  const guint8 *c = volume->raw + slice * MIN (y + 1, volume->ny - 1);
  guint16 *sums[5], *last = scratch + 5 * row + OCT_VECTOR;
  gboolean outer = volume->params.decimation == 1;
  gint nz = (gint)volume->nz;

  for (gint z = -2; z < nz + 2; z++) {
    gint from = CLAMP (z, 0, nz - 1);
    guint16 *newest = scratch + (gsize)((z + 5) % 5) * row;

    sum_bscans (a + from * volume->raw_row, b + from * volume->raw_row,
        c + from * volume->raw_row, volume->nx, newest);
    if (z < 2)
      continue;
    for (gint k = 0; k < 5; k++)
      sums[k] = scratch + (gsize)((z - 4 + k + 5) % 5) * row;
    sum_depths (sums, outer, volume->nx, last,
        volume->voxels + y * volume->slice + (gsize)(z - 2) * volume->row);
  }
}

static void
smooth_stale (gpointer data, guint first, guint end, guint thread)
{
  OctVolume *volume = data;
  guint16 *scratch =
      (guint16 *)((guint8 *)volume->scratch + thread * scratch_size (volume));

  for (guint y = first; y < end; y++)
    if (volume->stale[y])
      smooth_bscan (volume, y, scratch);
}

static gboolean
cpu_volume_show (OctVolume *volume, gpointer stream, GError **error)
{
  gboolean any = FALSE;

  oct_parallel_for (
      volume->ny, 1, oct_cpu_threads (volume->threads), smooth_stale, volume);
  for (guint y = 0; y < volume->ny; y++) {
    if (!volume->stale[y])
      continue;
    volume->stale[y] = FALSE;
    any = TRUE;
    volume->stale_cells[y / OCT_VOLUME_CELL] = TRUE;
    /* the last voxel of a block is the first of the next */
    if (y % OCT_VOLUME_CELL == 0 && y > 0)
      volume->stale_cells[y / OCT_VOLUME_CELL - 1] = TRUE;
  }
  if (any) {
    memcpy (volume->shown, volume->there, volume->ny);
    oct_cpu_volume_find_cells (volume);
    volume->has_distance = volume->has_light = volume->has_counted = FALSE;
  }
  return TRUE;
}

static gboolean
cpu_volume_get_levels (OctVolume *volume, OctVolumeLevels *levels,
    gboolean *changed, GError **error)
{
  *changed = !volume->has_counted;
  if (*changed)
    oct_cpu_volume_count (volume, levels);
  volume->has_counted = TRUE;
  return TRUE;
}

static gpointer
cpu_volume_get_stream (OctVolume *volume)
{
  return NULL;
}

static double
cpu_volume_get_time (OctVolume *volume)
{
  return volume->time;
}

static double
cpu_volume_get_fixed_time (OctVolume *volume)
{
  return volume->fixed_time;
}

const OctVolumeTable oct_cpu_volume = {
  .create = cpu_volume_create,
  .store = cpu_volume_store,
  .show = cpu_volume_show,
  .render = oct_cpu_volume_render,
  .clear = cpu_volume_clear,
  .get_levels = cpu_volume_get_levels,
  .get_stream = cpu_volume_get_stream,
  .get_time = cpu_volume_get_time,
  .get_fixed_time = cpu_volume_get_fixed_time,
  .destroy = cpu_volume_destroy,
};
