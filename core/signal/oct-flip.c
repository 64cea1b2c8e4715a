/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-flip.h"

#include "oct-speckle.h"

#include <math.h>

/* The weight of an A-line that does not show in 256 grey levels. */
#define NO_WEIGHT 1e-3f

gboolean
oct_check_flip (const OctFlipParams *params, GError **error)
{
  if (!oct_check_image (
          params->width, params->height, params->bscans, params->format, error))
    return FALSE;
  if ((guint)params->way_back > OCT_WAY_BACK_EVEN
      || (guint)params->motion > OCT_MOTION_SINE) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no way back %d or motion %d of the beam.", params->way_back,
        params->motion);
    return FALSE;
  }
  if (!(fabs (params->way_back_shift) <= OCT_MAX_LINES)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`way-back-shift` is %g A-lines; set it to a value from %d to %d.",
        params->way_back_shift, -(gint)OCT_MAX_LINES, (gint)OCT_MAX_LINES);
    return FALSE;
  }
  if (params->motion == OCT_MOTION_SINE
      && !(params->duty > 0 && params->duty <= 1)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`duty` is %g; set it above 0 and to at most 1.", params->duty);
    return FALSE;
  }
  return TRUE;
}

typedef struct {
  guint width;
  gboolean mirrored;
  double shift; /* A-lines */
  OctMotion motion;
  double half_angle;
} Scan;

/* The A-line that was taken where column x (also x.5, an edge of it) is. */
static double
source_of (const Scan *scan, double x)
{
  double u, t;

  if (scan->motion == OCT_MOTION_LINEAR)
    return (scan->mirrored ? scan->width - 1 - x : x) + scan->shift;
  u = (2 * x + 1) / scan->width - 1;
  u = CLAMP (scan->mirrored ? -u : u, -1, 1);
  t = asin (u * sin (scan->half_angle)) / scan->half_angle;
  return ((t + 1) * scan->width - 1) / 2 + scan->shift;
}

/* Integral up to x of the contribution of A-line `k` of `width` to L: a
 * triangle around k, and 1 beyond the ends of the image.  It starts at a place
 * where that is 0; for the first A-line, which has none, at 0. */
static double
integral_of (guint width, guint k, double x)
{
  double y = x - k, inside;

  if (y <= 0)
    inside = k == 0 ? y : y <= -1 ? 0 : (y + 1) * (y + 1) / 2;
  else
    inside = (k == 0 ? 0 : 0.5)
             + (k == width - 1 ? y
                 : y >= 1      ? 0.5
                               : y - y * y / 2);
  return inside;
}

static void
add_tap (GArray *weights, double weight)
{
  float value = (float)weight;

  g_array_append_val (weights, value);
}

/* L at s: one A-line, or two. */
static void
add_point (const Scan *scan, double s, guint32 *first, GArray *weights)
{
  double last = scan->width - 1, part;

  s = CLAMP (s, 0, last);
  *first = (guint32)s;
  part = s - *first;
  add_tap (weights, 1 - part);
  if (part > 0)
    add_tap (weights, part);
}

/* The mean of L from a to b. */
static void
add_mean (const Scan *scan, double a, double b, guint32 *first, GArray *weights)
{
  double last = scan->width - 1;
  guint end;

  if (!(b - a > 1e-9)) {
    add_point (scan, a, first, weights);
    return;
  }
  *first = (guint32)CLAMP (floor (a), 0, last);
  end = (guint)CLAMP (floor (b) + 1, 0, last);
  for (guint k = *first; k <= end; k++)
    add_tap (weights,
        (integral_of (scan->width, k, b) - integral_of (scan->width, k, a))
            / (b - a));
}

void
oct_flip_map_init (OctFlipMap *map, const OctFlipParams *params, guint width,
    gboolean is_way_back)
{
  GArray *weights = g_array_new (FALSE, FALSE, sizeof (float));
  Scan scan = { .width = width,
    .mirrored = (params->lateral != 0) != (is_way_back != 0),
    .shift = !is_way_back             ? 0
             : width == params->width ? params->way_back_shift
                                      : params->way_back_shift / 2,
    .motion = params->motion,
    .half_angle = params->duty * G_PI / 2 };

  map->width = width;
  map->start = g_new (guint32, (gsize)width + 1);
  map->first = g_new (guint32, width);
  for (guint x = 0; x < width; x++) {
    double a, b;

    map->start[x] = weights->len;
    if (scan.motion == OCT_MOTION_LINEAR) {
      add_point (&scan, source_of (&scan, x), &map->first[x], weights);
      continue;
    }
    a = source_of (&scan, x - 0.5);
    b = source_of (&scan, x + 0.5);
    add_mean (&scan, MIN (a, b), MAX (a, b), &map->first[x], weights);
  }
  map->start[width] = map->taps = weights->len;
  map->is_copy = map->taps == width;
  map->weights = (float *)(gpointer)g_array_free (weights, FALSE);
}

void
oct_flip_map_clear (OctFlipMap *map)
{
  g_clear_pointer (&map->start, g_free);
  g_clear_pointer (&map->first, g_free);
  g_clear_pointer (&map->weights, g_free);
}

gboolean
oct_flip_has_same_maps (const OctFlipParams *a, const OctFlipParams *b)
{
  return a->width == b->width && a->format == b->format
         && a->lateral == b->lateral && a->way_back_shift == b->way_back_shift
         && a->motion == b->motion && a->duty == b->duty;
}

void
oct_flip_valid (const OctFlipParams *params, const guint8 *valid, guint8 *to)
{
  OctFlipMap maps[2];

  for (guint back = 0; back < 2; back++)
    oct_flip_map_init (&maps[back], params, params->width, back);
  for (guint n = 0; n < MAX (params->bscans, 1); n++) {
    const OctFlipMap *map = &maps[oct_flip_is_way_back (params, n)];

    for (guint x = 0; x < map->width; x++, to++) {
      const guint8 *from = valid + map->first[x];

      *to = 1;
      for (guint i = map->start[x]; i < map->start[x + 1]; i++, from++)
        if (map->weights[i] > NO_WEIGHT && *from == 0)
          *to = 0;
    }
    valid += map->width;
  }
  for (guint back = 0; back < 2; back++)
    oct_flip_map_clear (&maps[back]);
}
