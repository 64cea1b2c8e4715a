/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference-section.h"

#include <math.h>
#include <stdlib.h>

static double
voxel (const ReferenceVolume *v, guint x, guint y, guint z)
{
  return v->voxels[((gsize)y * v->depth + z) * v->lines + x];
}

/* Between the middles of two of n values: which, and the weight of the second.
 */
static void
between (double at, guint n, guint index[2], double weight[2])
{
  double a = fmin (fmax (at - .5, 0), n - 1);

  index[0] = (guint)floor (a);
  index[1] = MIN (index[0] + 1, n - 1);
  weight[1] = a - floor (a);
  weight[0] = 1 - weight[1];
}

void
oct_reference_slice (const ReferenceVolume *v, const OctSlice *slice,
    guint width, guint height, double *levels)
{
  const OctPoint *o = &slice->origin, *r = &slice->right, *d = &slice->down;

  for (guint j = 0; j < height; j++)
    for (guint i = 0; i < width; i++) {
      double x = o->x + (i + .5) * r->x + (j + .5) * d->x;
      double y = o->y + (i + .5) * r->y + (j + .5) * d->y;
      double z = o->z + (i + .5) * r->z + (j + .5) * d->z, level = 0;
      guint at[3][2];
      double weight[3][2];

      between (x, v->lines, at[0], weight[0]);
      between (y, v->bscans, at[1], weight[1]);
      between (z, v->depth, at[2], weight[2]);
      for (guint k = 0; k < 8; k++)
        level += weight[0][k & 1] * weight[1][k >> 1 & 1] * weight[2][k >> 2]
                 * voxel (v, at[0][k & 1], at[1][k >> 1 & 1], at[2][k >> 2]);
      levels[(gsize)j * width + i] = x < 0 || y < 0 || z < 0 || x > v->lines
                                             || y > v->bscans || z > v->depth
                                         ? -1
                                         : level;
    }
}

/* ------------------------------------------------------------------ surface
 */

static double
rise_at (const ReferenceVolume *v, guint x, guint y, gint z)
{
  double sum = 0;

  if (z >= (gint)v->depth)
    return -INFINITY;
  for (gint k = 0; k < 8; k++)
    sum += voxel (v, x, y, (guint)MIN (z + k, (gint)v->depth - 1))
           - voxel (v, x, y, (guint)MAX (z - k - 1, 0));
  return sum;
}

static int
rising (const void *a, const void *b)
{
  return *(const gint *)a - *(const gint *)b;
}

static gint
median (
    const ReferenceVolume *v, const gint *found, gint x, gint y, gint radius)
{
  gint values[121];
  guint n = 0;

  for (gint k = y - radius; k <= y + radius; k++)
    for (gint i = x - radius; i <= x + radius; i++)
      if (i >= 0 && k >= 0 && i < (gint)v->lines && k < (gint)v->bscans
          && found[k * (gint)v->lines + i] >= 0)
        values[n++] = found[k * (gint)v->lines + i];
  if (n == 0)
    return -1;
  qsort (values, n, sizeof *values, rising);
  return values[n / 2];
}

void
oct_reference_surface (
    const ReferenceVolume *v, const OctEnface *e, gint *found, gint *surface)
{
  for (guint y = 0; y < v->bscans; y++)
    for (guint x = 0; x < v->lines; x++) {
      gint *to = &found[y * v->lines + x];

      *to = -1;
      for (guint z = e->surface_from; z < v->depth && *to < 0; z++)
        if (rise_at (v, x, y, (gint)z) > 8. * e->surface_rise
            && rise_at (v, x, y, (gint)z + 1) < rise_at (v, x, y, (gint)z))
          *to = (gint)z;
    }
  for (guint y = 0; y < v->bscans; y++)
    for (guint x = 0; x < v->lines; x++)
      surface[y * v->lines + x] =
          median (v, found, (gint)x, (gint)y, (gint)e->surface_radius);
}

/* ---------------------------------------------------------------- projection
 */

static double
project (const ReferenceVolume *v, const OctEnface *e, guint x, guint y,
    gint surface)
{
  gint first = e->start + (e->flatten ? surface : 0), at = first;
  double sum = 0, above = 0, high = -1;
  guint n = 0;

  if (e->flatten && surface < 0)
    return 0;
  for (gint z = MAX (first, 0); z < (gint)v->depth; z++) {
    double value = voxel (v, x, y, (guint)z);

    if (z - first >= (gint)e->thickness)
      break;
    n++;
    sum += value;
    above += fmax (0, value - e->threshold);
    at = value > high ? z : at;
    high = fmax (high, value);
  }
  if (n == 0)
    return 0;
  switch (e->mode) {
  case OCT_ENFACE_MEAN:
    return sum / n;
  case OCT_ENFACE_MAX:
    return high;
  case OCT_ENFACE_SUM:
    return above;
  default:
    return high < e->threshold ? 0 : at - first + 1;
  }
}

static int
rising_values (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* Ends of the bins of the values that the n / 200 lowest and highest lie
 * beyond. */
static gboolean
find_range (const ReferenceVolume *v, const OctEnface *e, const guint8 *there,
    const double *projected, double *black, double *white)
{
  double full = e->mode == OCT_ENFACE_SUM ? fmax (1, 255. - e->threshold)
                                                * MIN (v->depth, e->thickness)
                                          : 255;
  g_autofree double *values = g_new (double, (gsize)v->lines * v->bscans);
  guint n = 0;

  for (guint i = 0; i < v->lines * v->bscans; i++)
    if (there[i / v->lines] && projected[i] > 0)
      /* stored as float */
      values[n++] =
          fmin (floor ((float)projected[i] * (OCT_ENFACE_BINS / full)),
              OCT_ENFACE_BINS - 1);
  if (n == 0)
    return FALSE;
  qsort (values, n, sizeof *values, rising_values);
  *black = values[n / 200] * full / OCT_ENFACE_BINS;
  *white = (values[n - n / 200 - 1] + 1) * full / OCT_ENFACE_BINS;
  return TRUE;
}

static double
grey_of_depth (double depth, guint thickness)
{
  if (depth < 1)
    return 0;
  return thickness > 1 ? 1 + 254 * (depth - 1) / (thickness - 1) : 1;
}

void
oct_reference_enface (const ReferenceVolume *v, const OctEnface *e,
    const guint8 *there, guint width, guint height, double *levels)
{
  gsize lines = (gsize)v->lines * v->bscans;
  g_autofree gint *found = g_new (gint, lines);
  g_autofree gint *surface = g_new (gint, lines);
  g_autofree double *projected = g_new (double, lines);
  double black = e->black, white = e->white;
  gboolean any = TRUE;

  oct_reference_surface (v, e, found, surface);
  for (gsize i = 0; i < lines; i++)
    projected[i] = project (
        v, e, (guint)(i % v->lines), (guint)(i / v->lines), surface[i]);
  if (e->is_auto && e->mode != OCT_ENFACE_DEPTH)
    any = find_range (v, e, there, projected, &black, &white);
  for (guint j = 0; j < height; j++)
    for (guint i = 0; i < width; i++) {
      guint x[2], y[2];
      double u[2], t[2], value = 0;

      if (e->mode == OCT_ENFACE_DEPTH) {
        guint nx = (2 * i + 1) * v->lines / (2 * width);
        guint ny = (2 * j + 1) * v->bscans / (2 * height);

        levels[(gsize)j * width + i] =
            grey_of_depth (projected[ny * v->lines + nx], e->thickness);
        continue;
      }
      between ((i + .5) * v->lines / width, v->lines, x, u);
      between ((j + .5) * v->bscans / height, v->bscans, y, t);
      for (guint k = 0; k < 4; k++)
        value +=
            u[k & 1] * t[k >> 1] * projected[y[k >> 1] * v->lines + x[k & 1]];
      levels[(gsize)j * width + i] =
          any ? 255 * (value - black) / (white - black) : 0;
    }
}
