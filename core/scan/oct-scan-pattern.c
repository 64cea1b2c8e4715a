/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-pattern.h"
#include "oct-scan-spiral.h"

#include <math.h>

#define CYCLES_FACTOR 0.45

void
oct_scan_pattern_free (OctScanPattern *pattern)
{
  g_array_unref (pattern->points);
  g_array_unref (pattern->active);
  g_array_unref (pattern->sweeps);
  g_free (pattern);
}

/* -1/2 to 1/2: the middle of pixel i of n */
static double
pixel_middle (guint i, guint n)
{
  return (i + 0.5) / n - 0.5;
}

static void
pattern_add (OctScanPattern *pattern, double x, double y, gboolean active)
{
  OctScanPoint point = { { x, y } };
  guint8 byte = active ? 1 : 0;

  g_array_append_val (pattern->points, point);
  g_array_append_val (pattern->active, byte);
}

/* ------------------------------------------------------------------ B-scans */

/* A-line i of B-scan j. */
static void
pattern_add_line (
    OctScanPattern *pattern, const OctScanSettings *s, guint i, guint j)
{
  if (s->kind == OCT_SCAN_RASTER) {
    pattern_add (pattern, s->width * pixel_middle (i, s->lines),
        s->height * pixel_middle (j, s->bscans), TRUE);
  } else if (s->kind == OCT_SCAN_RADIAL) {
    double r = s->width * pixel_middle (i, s->lines);
    double angle = G_PI * j / s->bscans;

    pattern_add (pattern, r * cos (angle), r * sin (angle), TRUE);
  } else {
    guint at = g_array_index (s->curve->firsts, guint, j) + i;
    const OctScanPoint *p = &g_array_index (s->curve->points, OctScanPoint, at);

    pattern_add (pattern, p->at[0], p->at[1],
        g_array_index (s->curve->active, guint8, at) != 0);
  }
}

static guint
sweep_count_lines (const OctScanSettings *s, guint j)
{
  const GArray *firsts;

  if (s->kind != OCT_SCAN_FILE)
    return s->lines;
  firsts = s->curve->firsts;
  return (j + 1 < firsts->len ? g_array_index (firsts, guint, j + 1)
                              : s->curve->points->len)
         - g_array_index (firsts, guint, j);
}

/* The direction belongs to the B-scan, so that all repeats of a place run the
 * same way. */
static void
pattern_add_sweep (
    OctScanPattern *pattern, const OctScanSettings *s, guint j, guint repeat)
{
  OctScanSweep sweep = { .first = pattern->points->len,
    .count = sweep_count_lines (s, j),
    .bscan = j,
    .repeat = repeat,
    .reverse = s->bidirectional && (j & 1) };

  for (guint i = 0; i < sweep.count; i++)
    pattern_add_line (pattern, s, sweep.reverse ? sweep.count - 1 - i : i, j);
  g_array_append_val (pattern->sweeps, sweep);
}

static void
pattern_add_sweeps (OctScanPattern *pattern, const OctScanSettings *s)
{
  guint bscans = s->kind == OCT_SCAN_FILE ? s->curve->firsts->len : s->bscans;

  for (guint g = 0; g < bscans; g += MIN (s->group, bscans - g))
    for (guint repeat = 0; repeat < s->repeats; repeat++)
      for (guint j = g; j < bscans && j - g < s->group; j++)
        pattern_add_sweep (pattern, s, j, repeat);
}

/* ------------------------------------------------------------------- curves */

static void
pattern_add_curve (OctScanPattern *pattern, const OctScanSettings *s)
{
  guint n = s->lines * s->bscans;
  guint q = s->cycles;

  if (q == 0) {
    q = (guint)rint (CYCLES_FACTOR * sqrt (n));
    q = MAX (2, q + (q & 1));
  }
  for (guint i = 0; i < n; i++) {
    double t = (i + 0.5) / n, r, theta;

    if (s->kind == OCT_SCAN_LISSAJOUS) {
      pattern_add (pattern, s->width / 2 * sin (2 * G_PI * q * t),
          s->height / 2 * sin (2 * G_PI * (q + 1) * t), TRUE);
      continue;
    }
    if (s->kind == OCT_SCAN_ROSETTE) {
      r = s->width / 2 * cos (2 * G_PI * q * t);
      theta = 2 * G_PI * (q + 1) * t;
    } else {
      r = s->width / 2 * t;
      theta = 2 * G_PI * (i + 0.5) / s->lines;
    }
    pattern_add (pattern, r * cos (theta), r * sin (theta), TRUE);
  }
  pattern->closed = s->kind != OCT_SCAN_SPIRAL_ANGULAR;
}

/* Every second volume of a spiral goes inwards. */
static void
pattern_add_inwards (OctScanPattern *pattern)
{
  guint n = pattern->points->len;
  OctScanSweep back = { .first = n, .count = n, .reverse = TRUE };

  for (guint i = n; i-- > 0;) {
    OctScanPoint p = g_array_index (pattern->points, OctScanPoint, i);

    pattern_add (pattern, p.at[0], p.at[1], TRUE);
  }
  g_array_append_val (pattern->sweeps, back);
  pattern->volumes = 2;
}

static gboolean
pattern_add_round (
    OctScanPattern *pattern, const OctScanSettings *s, GError **error)
{
  OctScanSweep sweep = { .first = 0 };

  if (s->kind == OCT_SCAN_SPIRAL) {
    if (!oct_scan_spiral (s, pattern->points, error))
      return FALSE;
    g_array_set_size (pattern->active, pattern->points->len);
    for (guint i = 0; i < pattern->active->len; i++)
      g_array_index (pattern->active, guint8, i) = 1;
  } else {
    pattern_add_curve (pattern, s);
  }
  sweep.count = pattern->points->len;
  g_array_append_val (pattern->sweeps, sweep);
  if (s->bidirectional && !pattern->closed)
    pattern_add_inwards (pattern);
  return TRUE;
}

/* --------------------------------------------------------------------- both */

static gboolean
pattern_check (const OctScanSettings *s, GError **error)
{
  gboolean swept = s->kind == OCT_SCAN_RASTER || s->kind == OCT_SCAN_RADIAL
                   || s->kind == OCT_SCAN_FILE;
  double n = s->kind == OCT_SCAN_FILE ? s->curve->points->len
                                      : (double)s->lines * s->bscans;

  if (swept)
    n *= s->repeats;
  else if (s->bidirectional)
    n *= 2;
  if (n > OCT_SCAN_MAX_SAMPLES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A volume of %.0f A-lines is more than the %u that are possible; set "
        "fewer lines, bscans or repeats.",
        n, OCT_SCAN_MAX_SAMPLES);
    return FALSE;
  }
  if ((s->kind == OCT_SCAN_LISSAJOUS || s->kind == OCT_SCAN_ROSETTE)
      && s->cycles > n / 8) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A %s of %u cycles in %.0f A-lines has fewer than 8 A-lines in a "
        "cycle; "
        "set `cycles` to at most %.0f, or more lines or bscans.",
        oct_scan_kind_name (s->kind), s->cycles, n, floor (n / 8));
    return FALSE;
  }
  return TRUE;
}

static void
pattern_place (OctScanPattern *pattern, const OctScanSettings *s)
{
  double c = cos (s->angle), sine = sin (s->angle);

  for (guint i = 0; i < pattern->points->len; i++) {
    OctScanPoint *p = &g_array_index (pattern->points, OctScanPoint, i);
    double x = p->at[0], y = p->at[1];

    p->at[0] = c * x - sine * y + s->offset[0];
    p->at[1] = sine * x + c * y + s->offset[1];
  }
}

OctScanPattern *
oct_scan_pattern_new (const OctScanSettings *s, GError **error)
{
  g_autoptr (OctScanPattern) pattern = NULL;

  if (!pattern_check (s, error))
    return NULL;
  pattern = g_new0 (OctScanPattern, 1);
  pattern->points = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
  pattern->active = g_array_new (FALSE, FALSE, 1);
  pattern->sweeps = g_array_new (FALSE, FALSE, sizeof (OctScanSweep));
  pattern->volumes = 1;
  if (s->kind == OCT_SCAN_RASTER || s->kind == OCT_SCAN_RADIAL
      || s->kind == OCT_SCAN_FILE)
    pattern_add_sweeps (pattern, s);
  else if (!pattern_add_round (pattern, s, error))
    return NULL;
  pattern_place (pattern, s);
  return g_steal_pointer (&pattern);
}
