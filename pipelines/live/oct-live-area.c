/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-live-area.h"

#include <math.h>
#include <string.h>

void
oct_live_area_clear (OctLiveArea *area)
{
  g_free (area->outline);
  *area = (OctLiveArea){ 0 };
}

static void
area_set_box (OctLiveArea *area, OctLiveSpot low, OctLiveSpot high)
{
  area->low = low;
  area->high = high;
  area->corners[0] = low;
  area->corners[1] = (OctLiveSpot){ high.x, low.y };
  area->corners[2] = high;
  area->corners[3] = (OctLiveSpot){ low.x, high.y };
}

void
oct_live_area_set_raster (OctLiveArea *area, double width, double length)
{
  double x = width > 0.0 ? width : length, y = length > 0.0 ? length : width;

  oct_live_area_clear (area);
  area->sized = x > 0.0;
  if (!area->sized)
    x = y = 1.0;
  area_set_box (area, (OctLiveSpot){ -x / 2.0, -y / 2.0 },
      (OctLiveSpot){ x / 2.0, y / 2.0 });
  area->count = 4;
  area->outline = g_memdup2 (area->corners, sizeof area->corners);
}

/* ------------------------------------------------------------------- outline
 */

static int
area_compare (gconstpointer a, gconstpointer b)
{
  const OctLiveSpot *p = a, *q = b;

  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

/* Adds a place to the part of an outline from place `first` on, which turns one
 * way. */
static guint
area_add (OctLiveSpot *outline, guint first, guint count, const OctLiveSpot *p)
{
  while (count >= first + 2) {
    const OctLiveSpot *a = &outline[count - 2], *b = &outline[count - 1];

    if ((b->x - a->x) * (p->y - a->y) - (b->y - a->y) * (p->x - a->x) > 0.0)
      break;
    count--;
  }
  outline[count] = *p;
  return count + 1;
}

/* The convex hull by Andrew's monotone chain (Inf. Process. Lett. 9, 216
 * (1979)). */
static void
area_find_outline (OctLiveArea *area, OctLiveSpot *places, guint n)
{
  OctLiveSpot *outline = g_new (OctLiveSpot, 2 * (gsize)n + 2);
  guint count = 0, upper;

  qsort (places, n, sizeof *places, area_compare);
  for (guint i = 0; i < n; i++)
    count = area_add (outline, 0, count, &places[i]);
  upper = count - 1;
  for (guint i = n - 1; i-- > 0;)
    count = area_add (outline, upper, count, &places[i]);
  area->count = MAX (1, count - 1);
  area->outline = g_renew (OctLiveSpot, outline, area->count);
}

gboolean
oct_live_area_set_path (OctLiveArea *area, const double *x, const double *y,
    guint lines, guint bscans, const char *pattern)
{
  gsize n = (gsize)lines * bscans;
  g_autofree OctLiveSpot *places = NULL;
  OctLiveSpot low = { INFINITY, INFINITY }, high = { -INFINITY, -INFINITY };

  if (n < 2 || n > G_MAXINT / 4)
    return FALSE;
  places = g_new (OctLiveSpot, n);
  for (gsize i = 0; i < n; i++) {
    if (!isfinite (x[i]) || !isfinite (y[i]))
      return FALSE;
    places[i] = (OctLiveSpot){ x[i], y[i] };
    low = (OctLiveSpot){ MIN (low.x, x[i]), MIN (low.y, y[i]) };
    high = (OctLiveSpot){ MAX (high.x, x[i]), MAX (high.y, y[i]) };
  }
  oct_live_area_clear (area);
  area->sized = TRUE;
  area_set_box (area, low, high);
  if (g_strcmp0 (pattern, "raster") == 0) {
    area->corners[0] = places[0];
    area->corners[1] = places[lines - 1];
    area->corners[2] = places[n - 1];
    area->corners[3] = places[n - lines];
  }
  area_find_outline (area, places, (guint)n);
  return TRUE;
}

/* --------------------------------------------------------------------- lines
 */

void
oct_live_area_get_bscan (
    const OctLiveArea *area, double part, OctLiveSpot line[2])
{
  double y = area->low.y + part * (area->high.y - area->low.y);

  line[0] = (OctLiveSpot){ area->low.x, y };
  line[1] = (OctLiveSpot){ area->high.x, y };
}

void
oct_live_area_get_across (
    const OctLiveArea *area, double part, OctLiveSpot line[2])
{
  double x = area->low.x + part * (area->high.x - area->low.x);

  line[0] = (OctLiveSpot){ x, area->low.y };
  line[1] = (OctLiveSpot){ x, area->high.y };
}
