/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-refocus-planes.h"

#include "oct-simd.h"

#include <string.h>

gboolean
oct_cpu_planes_init (
    OctCpuPlanes *planes, guint bscans, guint lines, GError **error)
{
  planes->bscans = bscans;
  planes->lines = lines;
  for (guint i = 0; i < 2; i++) {
    planes->along_x[i] = oct_lanes_fft_new (lines, i, error);
    if (planes->along_x[i] == NULL)
      return FALSE;
    planes->along_y[i] = oct_lanes_fft_new (bscans, i, error);
    if (planes->along_y[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

void
oct_cpu_planes_clear (OctCpuPlanes *planes)
{
  for (guint i = 0; i < 2; i++) {
    g_clear_pointer (&planes->along_x[i], oct_lanes_fft_free);
    g_clear_pointer (&planes->along_y[i], oct_lanes_fft_free);
  }
}

gsize
oct_cpu_planes_count (const OctCpuPlanes *planes)
{
  return (gsize)planes->bscans * planes->lines * OCT_CPU_PLANES_VALUE;
}

/* A column, and the scratch of the transforms. */
gsize
oct_cpu_planes_scratch (const OctCpuPlanes *planes)
{
  gsize most = 0;

  for (guint i = 0; i < 2; i++) {
    most = MAX (most, oct_lanes_fft_scratch (planes->along_x[i]));
    most = MAX (most, oct_lanes_fft_scratch (planes->along_y[i]));
  }
  return planes->bscans * OCT_CPU_PLANES_VALUE * sizeof (float) + most;
}

/* One value of each plane of an A-scan, turned. */
static inline void
planes_load_value (const float *line, const guint *bins, guint count,
    const float *turn, float *value)
{
  for (guint i = 0; i < count; i++) {
    float re = line[2 * bins[i]], im = line[2 * bins[i] + 1];

    /* also if it is not a number */
    if (!(re * re + im * im <= OCT_FLOW_MOST))
      re = im = 0;
    value[i] = re * turn[0] - im * turn[1];
    value[OCT_LANES + i] = re * turn[1] + im * turn[0];
  }
}

void
oct_cpu_planes_load (const OctCpuPlanes *planes, const OctPlane *from,
    const guint *bins, guint count, const float *turns, float *block)
{
  gsize rows = (gsize)planes->bscans * planes->lines;

  if (count < OCT_LANES)
    memset (block, 0, oct_cpu_planes_count (planes) * sizeof (float));
  for (gsize row = 0; row < rows; row++)
    planes_load_value (oct_cpu_row (from, row), bins, count,
        turns + 2 * (row / planes->lines), block + row * OCT_CPU_PLANES_VALUE);
}

void
oct_cpu_planes_store (const OctCpuPlanes *planes, const float *block,
    guint first, guint count, const OctPlane *to)
{
  gsize rows = (gsize)planes->bscans * planes->lines;

  for (gsize row = 0; row < rows; row++) {
    float *line = (float *)oct_cpu_row (to, row) + 2 * first;
    const float *value = block + row * OCT_CPU_PLANES_VALUE;

    for (guint i = 0; i < count; i++) {
      line[2 * i] = value[i];
      line[2 * i + 1] = value[OCT_LANES + i];
    }
  }
}

void
oct_cpu_planes_run_x (const OctCpuPlanes *planes, gboolean backward, guint y,
    float *block, gpointer scratch)
{
  float *line = block + (gsize)y * planes->lines * OCT_CPU_PLANES_VALUE;

  oct_lanes_fft_run (planes->along_x[backward], line, line, 0, planes->lines,
      (float *)scratch + planes->bscans * OCT_CPU_PLANES_VALUE);
}

void
oct_cpu_planes_run_y (const OctCpuPlanes *planes, guint x, gboolean forward,
    gboolean backward, OctCpuPlanesFilter filter, gconstpointer data,
    const float *from, float *to, gpointer scratch)
{
  const gsize size = OCT_CPU_PLANES_VALUE * sizeof (float);
  float *column = scratch;
  gpointer rest = column + planes->bscans * OCT_CPU_PLANES_VALUE;
  gsize step = (gsize)planes->lines * OCT_CPU_PLANES_VALUE;

  from += (gsize)x * OCT_CPU_PLANES_VALUE;
  to += (gsize)x * OCT_CPU_PLANES_VALUE;
  for (guint y = 0; y < planes->bscans; y++)
    memcpy (column + (gsize)y * OCT_CPU_PLANES_VALUE, from + y * step, size);
  if (forward)
    oct_lanes_fft_run (
        planes->along_y[FALSE], column, column, 0, planes->bscans, rest);
  filter (data, x, column);
  if (backward)
    oct_lanes_fft_run (
        planes->along_y[TRUE], column, column, 0, planes->bscans, rest);
  for (guint y = 0; y < planes->bscans; y++)
    memcpy (to + y * step, column + (gsize)y * OCT_CPU_PLANES_VALUE, size);
}
