/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-places.h"

#include <math.h>
#include <string.h>

#define FARTHEST 1e6 /* mm */

OctScanPlaces *
oct_scan_places_new (guint lines, guint bscans, const double *x,
    const double *y, double unit, const char *pattern, GError **error)
{
  guint64 count = (guint64)lines * bscans;
  g_autoptr (OctScanPlaces) places = NULL;

  if (count < 2 || count > OCT_SCAN_MAX_SAMPLES) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A scan path of %u B-scans of %u A-lines was given; 2 to %u A-lines "
        "are expected, set `lines` and `bscans` to those of a volume.",
        bscans, lines, OCT_SCAN_MAX_SAMPLES);
    return NULL;
  }
  places = g_atomic_rc_box_new0 (OctScanPlaces);
  places->lines = lines;
  places->bscans = bscans;
  places->count = (guint)count;
  places->points = g_new (OctScanPoint, count);
  places->pattern = g_strdup (pattern != NULL ? pattern : "file");
  for (guint i = 0; i < places->count; i++) {
    places->points[i] = (OctScanPoint){ { x[i] * unit, y[i] * unit } };
    if (fabs (x[i] * unit) <= FARTHEST && fabs (y[i] * unit) <= FARTHEST)
      continue;
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A-line %u of the scan path lies at x = %g m and y = %g m; numbers of "
        "at most 1000 m are expected, leave A-lines without a place out.",
        i, x[i] * unit * 1e-3, y[i] * unit * 1e-3);
    return NULL;
  }
  return g_steal_pointer (&places);
}

static void
places_clear (gpointer data)
{
  OctScanPlaces *places = data;

  g_free (places->points);
  g_free (places->pattern);
}

OctScanPlaces *
oct_scan_places_ref (OctScanPlaces *places)
{
  return g_atomic_rc_box_acquire (places);
}

void
oct_scan_places_unref (OctScanPlaces *places)
{
  g_atomic_rc_box_release_full (places, places_clear);
}

gboolean
oct_scan_places_equal (const OctScanPlaces *a, const OctScanPlaces *b)
{
  return a == b
         || (a != NULL && b != NULL && a->lines == b->lines
             && a->bscans == b->bscans
             && memcmp (a->points, b->points, a->count * sizeof *a->points)
                    == 0);
}

/* -------------------------------------------------------------- of a pattern */

/* Active A-lines of a sweep, which are appended. */
static guint
take_sweep (const OctScanPattern *pattern, const OctScanSweep *sweep, GArray *x,
    GArray *y)
{
  guint n = 0;

  for (guint i = sweep->first; i < sweep->first + sweep->count; i++) {
    const OctScanPoint *p = &g_array_index (pattern->points, OctScanPoint, i);

    if (g_array_index (pattern->active, guint8, i) == 0)
      continue;
    g_array_append_val (x, p->at[0]);
    g_array_append_val (y, p->at[1]);
    n++;
  }
  return n;
}

/* Cuts what was taken into B-scans: sweeps, or pieces of curves; 0: that is not
 * possible. */
static guint
places_find_lines (guint first, gboolean alike, gboolean curves, guint set)
{
  if (!curves)
    return alike ? first : 0;
  return set > 0 && first % set == 0 ? set : 0;
}

OctScanPlaces *
oct_scan_places_new_from_settings (const OctScanSettings *s, GError **error)
{
  g_autoptr (OctScanPattern) pattern = oct_scan_pattern_new (s, error);
  g_autoptr (GArray) x = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) y = g_array_new (FALSE, FALSE, sizeof (double));
  guint sweeps, lines, first = 0;
  gboolean alike = TRUE, curves;

  if (pattern == NULL)
    return NULL;
  sweeps = pattern->sweeps->len;
  curves = sweeps == pattern->volumes;
  for (guint i = 0; i < sweeps; i++) {
    guint n = take_sweep (
        pattern, &g_array_index (pattern->sweeps, OctScanSweep, i), x, y);

    if (i == 0)
      first = n;
    alike = alike && n == first;
  }
  lines = places_find_lines (first, alike, curves, s->lines);
  if (lines > 0)
    return oct_scan_places_new (lines, x->len / lines,
        (double *)(void *)x->data, (double *)(void *)y->data, 1.0,
        oct_scan_kind_name (s->kind), error);
  if (!curves)
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The B-scans of the scan have different numbers of A-lines, but those "
        "of a volume are equally long; make them so, or leave the empty rows "
        "of the file out and set `lines`.");
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A curve of %u A-lines was given, which %u `lines` do not divide into "
        "B-scans; set `lines` to a number that does.",
        first, s->lines);
  return NULL;
}

/* ---------------------------------------------------------------------- late */

/* A-lines that follow each other without a way between them: first .. end - 1,
 * after which comes first again if it is closed. */
typedef struct {
  guint first, end;
  gboolean closed;
} Run;

static double
get_step_length (double x, double y)
{
  return sqrt (x * x + y * y);
}

/* Whether the beam goes on from A-line `last` to `next` as it came from the one
 * before. */
static gboolean
places_go_on (const OctScanPlaces *places, guint last, guint next)
{
  const double *a = places->points[last - 1].at, *b = places->points[last].at;
  const double *c = places->points[next].at;
  double step = get_step_length (b[0] - a[0], b[1] - a[1]);

  return get_step_length (c[0] - 2 * b[0] + a[0], c[1] - 2 * b[1] + a[1])
         <= step / 2;
}

/* The run that begins with `first`, the first A-line of a B-scan. */
static Run
places_find_run (const OctScanPlaces *places, guint first)
{
  Run run = { first, first + places->lines, FALSE };

  while (run.end < places->count && places_go_on (places, run.end - 1, run.end))
    run.end += places->lines;
  run.closed = run.first == 0 && run.end == places->count
               && places_go_on (places, run.end - 1, 0);
  return run;
}

/* At A-line `at` of the run and fractions, which may lie before or after it. */
static double
places_find (const OctScanPlaces *places, const Run *run, double at, guint axis)
{
  guint count = run->end - run->first, i, j;
  double whole;

  if (run->closed)
    at -= floor (at / count) * count;
  whole = CLAMP (floor (at), 0, count - (run->closed ? 1.0 : 2.0));
  i = (guint)whole;
  j = (i + 1) % count;
  return places->points[run->first + i].at[axis]
         + (at - whole)
               * (places->points[run->first + j].at[axis]
                   - places->points[run->first + i].at[axis]);
}

OctScanPlaces *
oct_scan_places_new_late (const OctScanPlaces *places,
    const double late[OCT_SCAN_AXES], GError **error)
{
  g_autofree double *x = g_new (double, places->count);
  g_autofree double *y = g_new (double, places->count);
  Run run;

  if (!(fabs (late[0]) <= OCT_SCAN_MOST_LATE)
      || !(fabs (late[1]) <= OCT_SCAN_MOST_LATE) || places->lines < 2) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A beam that is %g and %g A-lines late was given, in B-scans of %u "
        "A-lines; at most %g, and B-scans of 2 A-lines or more are expected, "
        "set the delays of x and y to less.",
        late[0], late[1], places->lines, OCT_SCAN_MOST_LATE);
    return NULL;
  }
  for (guint first = 0; first < places->count; first = run.end) {
    run = places_find_run (places, first);
    for (guint i = run.first; i < run.end; i++) {
      x[i] = places_find (places, &run, (double)(i - first) - late[0], 0);
      y[i] = places_find (places, &run, (double)(i - first) - late[1], 1);
    }
  }
  return oct_scan_places_new (
      places->lines, places->bscans, x, y, 1.0, places->pattern, error);
}

/* --------------------------------------------------------------------- files */

char *
oct_scan_places_format (const OctScanPlaces *places, gsize *length)
{
  GString *text = g_string_new (NULL);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "# %u B-scans of %u A-lines: x and y in mm\n",
      places->bscans, places->lines);
  for (guint i = 0; i < places->count; i++) {
    /* one A-line alone is not a B-scan of a scan file */
    if (i > 0 && places->lines > 1 && i % places->lines == 0)
      g_string_append_c (text, '\n');
    for (guint axis = 0; axis < OCT_SCAN_AXES; axis++) {
      g_string_append (text,
          g_ascii_dtostr (number, sizeof number, places->points[i].at[axis]));
      g_string_append_c (text, axis == 0 ? ' ' : '\n');
    }
  }
  *length = text->len;
  return g_string_free (text, FALSE);
}

OctScanPlaces *
oct_scan_places_read (const char *path, guint lines, GError **error)
{
  g_autoptr (OctScanCurve) curve = oct_scan_curve_read (path, error);
  OctScanSettings settings = { .kind = OCT_SCAN_FILE,
    .lines = lines,
    .repeats = 1,
    .group = 1,
    .curve = curve };

  return curve != NULL ? oct_scan_places_new_from_settings (&settings, error)
                       : NULL;
}
