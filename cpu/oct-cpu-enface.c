/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Projections along the depth on the CPU: all A-lines of a B-scan side by side,
 * the B-scans distributed over all cores.
 */
#include "oct-cpu-sections-parts.h"
#include "oct-simd.h"

#include <string.h>

#define STEP OCT_ENFACE_STEP

/* Rows after which it is looked whether all A-lines are done. */
#define LOOK 32

/* ------------------------------------------------------------------ surface
 */

/* d[z] to d[z + 1], see OctEnface.  If d[z] is above `rise` and d[z + 1] is
 * less, z is the surface. */
OCT_VECTORISED static void
step_rises (const guint8 *above, const guint8 *here, const guint8 *below,
    guint n, gint16 rise, gint16 z, gint16 *d, gint16 *found)
{
  for (guint x = 0; x < n; x++) {
    gint16 next = (gint16)(d[x] + above[x] + below[x] - 2 * here[x]);

    found[x] = ((found[x] < 0) & (d[x] > rise) & (next < d[x])) ? z : found[x];
    d[x] = next;
  }
}

static void
begin_rises (const OctCpuSections *s, guint y, guint from, gint16 *d)
{
  memset (d, 0, s->nx * sizeof *d);
  for (guint k = 0; k < STEP; k++) {
    const guint8 *below =
        oct_cpu_sections_row (s, y, MIN (from + k, s->nz - 1));
    const guint8 *above =
        oct_cpu_sections_row (s, y, from > k ? from - k - 1 : 0);

    for (guint x = 0; x < s->nx; x++)
      d[x] = (gint16)(d[x] + below[x] - above[x]);
  }
}

static gboolean
are_all_found (const gint16 *found, guint n)
{
  for (guint x = 0; x < n; x++)
    if (found[x] < 0)
      return FALSE;
  return TRUE;
}

static void
find_surface (const OctCpuSections *s, const OctEnface *e, guint y, gint16 *d)
{
  gint16 *found = s->found + (gsize)y * s->nx;
  gint16 rise = (gint16)(STEP * e->surface_rise);
  guint last = s->nz - 1;

  for (guint x = 0; x < s->nx; x++)
    found[x] = -1;
  if (e->surface_from > last)
    return;
  begin_rises (s, y, e->surface_from, d);
  for (guint z = e->surface_from; z < last; z++) {
    step_rises (oct_cpu_sections_row (s, y, z > STEP ? z - STEP : 0),
        oct_cpu_sections_row (s, y, z),
        oct_cpu_sections_row (s, y, MIN (z + STEP, last)), s->nx, rise,
        (gint16)z, d, found);
    if (z % LOOK == 0 && are_all_found (found, s->nx))
      return;
  }
  for (guint x = 0; x < s->nx; x++)
    if (found[x] < 0 && d[x] > rise)
      found[x] = (gint16)last;
}

/* The value with `rank` others below it; moves values (C. A. R. Hoare, Commun.
 * ACM 4, 321 (1961)). */
static gint16
select_rank (gint16 *values, gint n, gint rank)
{
  gint low = 0, high = n - 1;

  while (low < high) {
    gint16 pivot = values[(low + high) / 2];
    gint i = low, k = high;

    while (i <= k) {
      while (values[i] < pivot)
        i++;
      while (values[k] > pivot)
        k--;
      if (i <= k) {
        gint16 t = values[i];

        values[i++] = values[k];
        values[k--] = t;
      }
    }
    if (rank <= k)
      high = k;
    else if (rank >= i)
      low = i;
    else
      break;
  }
  return values[rank];
}

/* -1: there is none */
static gint
get_surface (const OctCpuSections *s, guint radius, guint y, guint x)
{
  gint16
      values[(2 * OCT_ENFACE_MAX_RADIUS + 1) * (2 * OCT_ENFACE_MAX_RADIUS + 1)];
  guint x0 = x > radius ? x - radius : 0, x1 = MIN (x + radius, s->nx - 1);
  guint y0 = y > radius ? y - radius : 0, y1 = MIN (y + radius, s->ny - 1);
  gint n = 0;

  for (guint k = y0; k <= y1; k++)
    for (guint i = x0; i <= x1; i++) {
      gint16 found = s->found[(gsize)k * s->nx + i];

      values[n] = found;
      n += found >= 0;
    }
  return n > 0 ? select_rank (values, n, n / 2) : -1;
}

/* ---------------------------------------------------------------- projection
 */

/* Projects one A-line from voxel z0 to z1 - 1.  `first`: start of the slab. */
static float
project_line (const OctCpuSections *s, const OctEnface *e, const guint8 *line,
    gint first, gint z0, gint z1)
{
  guint sum = 0, high = 0;
  gint at = z0;

  if (z0 >= z1)
    return 0;
  for (gint z = z0; z < z1; z++) {
    guint value = line[(gsize)z * s->row];

    if (e->mode == OCT_ENFACE_SUM)
      sum += value > e->threshold ? value - e->threshold : 0;
    else
      sum += value;
    at = value > high ? z : at;
    high = MAX (high, value);
  }
  switch (e->mode) {
  case OCT_ENFACE_MEAN:
    return (float)((double)sum / (z1 - z0));
  case OCT_ENFACE_MAX:
    return (float)high;
  case OCT_ENFACE_SUM:
    return (float)sum;
  default:
    return high >= e->threshold ? (float)(at - first + 1) : 0;
  }
}

static void
project_flat (const OctCpuSections *s, const OctEnface *e, guint y, float *to)
{
  const guint8 *lines = oct_cpu_sections_row (s, y, 0);

  for (guint x = 0; x < s->nx; x++) {
    gint surface = get_surface (s, e->surface_radius, y, x);
    gint64 first = (gint64)surface + e->start;

    to[x] = surface < 0 ? 0
                        : project_line (s, e, lines + x, (gint)first,
                            (gint)MAX (0, first),
                            (gint)MIN ((gint64)s->nz, first + e->thickness));
  }
}

OCT_VECTORISED static void
cpu_enface_add_row (const guint8 *row, guint n, guint8 threshold, guint32 *sums)
{
  for (guint x = 0; x < n; x++)
    sums[x] += row[x] > threshold ? row[x] - threshold : 0;
}

OCT_VECTORISED static void
raise_row (const guint8 *row, guint n, guint32 *high)
{
  for (guint x = 0; x < n; x++)
    high[x] = row[x] > high[x] ? row[x] : high[x];
}

/* Projects all A-lines from z0 to z1 - 1, for modes without a depth. */
static void
project_rows (const OctCpuSections *s, const OctEnface *e, guint y, guint z0,
    guint z1, guint32 *values, float *to)
{
  guint8 threshold = (guint8)(e->mode == OCT_ENFACE_SUM ? e->threshold : 0);

  memset (values, 0, s->nx * sizeof *values);
  for (guint z = z0; z < z1; z++) {
    const guint8 *row = oct_cpu_sections_row (s, y, z);

    if (e->mode == OCT_ENFACE_MAX)
      raise_row (row, s->nx, values);
    else
      cpu_enface_add_row (row, s->nx, threshold, values);
  }
  for (guint x = 0; x < s->nx; x++)
    to[x] = (float)(e->mode == OCT_ENFACE_MEAN ? (double)values[x] / (z1 - z0)
                                               : values[x]);
}

static void
project_bscan (
    const OctCpuSections *s, const OctEnface *e, guint y, gpointer scratch)
{
  float *to = s->projected + (gsize)y * s->nx;
  const guint8 *lines = oct_cpu_sections_row (s, y, 0);
  guint z0 = (guint)CLAMP (e->start, 0, (gint)s->nz);
  gint64 end = (gint64)e->start + e->thickness;
  guint z1 = (guint)CLAMP (end, 0, (gint64)s->nz);

  if (e->flatten)
    project_flat (s, e, y, to);
  else if (z0 >= z1)
    memset (to, 0, s->nx * sizeof *to);
  else if (e->mode == OCT_ENFACE_DEPTH)
    for (guint x = 0; x < s->nx; x++)
      to[x] = project_line (s, e, lines + x, e->start, (gint)z0, (gint)z1);
  else
    project_rows (s, e, y, z0, z1, scratch, to);
}

/* ------------------------------------------------------------------ threads
 */

typedef struct {
  OctCpuSections *s;
  const OctEnface *enface;
  guint first;
} Work;

static gpointer
cpu_enface_get_scratch (const OctCpuSections *s, guint thread)
{
  return (guint8 *)s->scratch + thread * s->scratch_size;
}

static void
find_some (gpointer data, guint first, guint end, guint thread)
{
  const Work *work = data;

  for (guint i = first; i < end; i++)
    find_surface (work->s, work->enface, work->first + i,
        cpu_enface_get_scratch (work->s, thread));
}

static void
project_some (gpointer data, guint first, guint end, guint thread)
{
  const Work *work = data;

  for (guint i = first; i < end; i++)
    project_bscan (work->s, work->enface, work->first + i,
        cpu_enface_get_scratch (work->s, thread));
}

void
oct_cpu_enface_project (OctCpuSections *s, const OctEnface *enface)
{
  Work work = { s, enface, 0 };
  guint threads = oct_cpu_threads (s->threads), n;

  oct_enface_state_take (&s->state, enface);
  while (enface->flatten
         && oct_enface_next_run (s->state.found, s->ny, &work.first, &n)) {
    oct_parallel_for (n, 1, threads, find_some, &work);
    work.first += n;
  }
  work.first = 0;
  while (oct_enface_next_run (s->state.project, s->ny, &work.first, &n)) {
    oct_parallel_for (n, 1, threads, project_some, &work);
    work.first += n;
  }
}

/* -------------------------------------------------------------------- range
 */

gboolean
oct_cpu_enface_get_range (const OctCpuSections *s, const OctEnface *enface,
    float *black, float *white)
{
  double full = oct_enface_get_full (enface, s->nz);
  guint bins[OCT_ENFACE_BINS] = { 0 }, n = 0, below = 0, low = 0, high = 0;

  if (!enface->is_auto) {
    *black = (float)enface->black;
    *white = (float)enface->white;
    return TRUE;
  }
  for (guint y = 0; y < s->ny; y++)
    for (guint x = 0; x < s->nx && s->state.there[y]; x++) {
      float value = s->projected[(gsize)y * s->nx + x];
      guint bin = (guint)(value * (OCT_ENFACE_BINS / full));

      if (!(value > 0))
        continue;
      bins[MIN (bin, OCT_ENFACE_BINS - 1)]++;
      n++;
    }
  if (n == 0)
    return FALSE;
  for (; below + bins[low] <= n / OCT_ENFACE_OUTSIDE; low++)
    below += bins[low];
  for (high = low; below + bins[high] < n - n / OCT_ENFACE_OUTSIDE; high++)
    below += bins[high];
  *black = (float)(full * low / OCT_ENFACE_BINS);
  *white = (float)(full * (high + 1) / OCT_ENFACE_BINS);
  return TRUE;
}
