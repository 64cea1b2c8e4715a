/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-path.h"
#include "oct-number.h"
#include "oct-scan-limits.h"

#include <math.h>

/* Line rates that are tried until one is found that works, and the step. */
#define TRIES 40
#define TRY_FACTOR 0.997

/* A path while it is made. */
typedef struct {
  const OctScanSettings *settings;
  OctScanPattern *pattern;
  double dt;
  guint before, after; /* samples by which a sweep is longer */
  gboolean closed;
  GArray *points;
  GArray *active;
  OctScanStop *stops;
  OctScanState entry;
  OctScanExcess excess;
} Making;

guint
oct_scan_smooth_count (const OctScanSettings *s)
{
  double half = rint (s->smooth * s->line_rate / 2);

  return 1 + 2 * (guint)MIN (half, OCT_SCAN_MAX_SAMPLES);
}

/* ------------------------------------------------------------------- sweeps */

static OctScanPoint
point_step (const OctScanPoint *from, const OctScanPoint *to, double dt)
{
  return (OctScanPoint){ { (to->at[0] - from->at[0]) / dt,
      (to->at[1] - from->at[1]) / dt } };
}

static OctScanPoint
point_move (const OctScanState *state, double time)
{
  return (OctScanPoint){ { state->position.at[0] + state->velocity.at[0] * time,
      state->position.at[1] + state->velocity.at[1] * time } };
}

/* The beam at the first A-line of a sweep, and at the last one.  Velocities are
 * those of the steps within the sweep. */
static void
sweep_get_ends (const Making *m, const OctScanSweep *sweep, OctScanState *first,
    OctScanState *last)
{
  const OctScanPoint *p =
      &g_array_index (m->pattern->points, OctScanPoint, sweep->first);
  guint n = sweep->count;

  *first = (OctScanState){ p[0], point_step (&p[0], &p[1], m->dt) };
  *last = (OctScanState){ p[n - 1], point_step (&p[n - 2], &p[n - 1], m->dt) };
}

static void
making_add (
    Making *m, const OctScanPoint *points, const guint8 *active, guint count)
{
  guint before = m->active->len;

  if (points != NULL)
    g_array_append_vals (m->points, points, count);
  g_array_set_size (m->active, before + count);
  for (guint i = 0; i < count; i++)
    g_array_index (m->active, guint8, before + i) =
        active != NULL ? active[i] : 0;
}

/* `count` samples at the velocity of `state`, the first one `from` samples
 * after it. */
static void
making_extend (Making *m, const OctScanState *state, int from, guint count)
{
  for (guint i = 0; i < count; i++) {
    OctScanPoint p = point_move (state, (from + (int)i) * m->dt);

    making_add (m, &p, NULL, 1);
  }
}

static gboolean
making_check_size (const Making *m, guint64 more, GError **error)
{
  if (m->points->len + more <= OCT_SCAN_MAX_SAMPLES)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A volume takes more than %u A-lines with the ways between its B-scans, "
      "`settle` and `smooth`; set fewer lines or bscans, or a lower line-rate.",
      OCT_SCAN_MAX_SAMPLES);
  return FALSE;
}

static gboolean
making_join (
    Making *m, const OctScanState *from, const OctScanState *to, GError **error)
{
  guint before = m->points->len;

  if (!oct_scan_join (from, to, &m->settings->limits, m->dt, m->points, error))
    return FALSE;
  making_add (m, NULL, NULL, m->points->len - before);
  return making_check_size (m, 0, error);
}

static gboolean
making_add_sweep (Making *m, guint i, GError **error)
{
  const OctScanSweep *sweep =
      &g_array_index (m->pattern->sweeps, OctScanSweep, i);
  OctScanState first, last, entry;

  if (!making_check_size (
          m, (guint64)m->before + m->after + sweep->count, error))
    return FALSE;
  sweep_get_ends (m, sweep, &first, &last);
  entry = (OctScanState){ point_move (&first, -(double)m->before * m->dt),
    first.velocity };
  if (i == 0)
    m->entry = entry;
  else if (!making_join (m, &m->stops[i - 1].state, &entry, error))
    return FALSE;
  making_extend (m, &first, -(int)m->before, m->before);
  making_add (m,
      &g_array_index (m->pattern->points, OctScanPoint, sweep->first),
      &g_array_index (m->pattern->active, guint8, sweep->first), sweep->count);
  making_extend (m, &last, 1, m->after);
  m->stops[i] = (OctScanStop){ m->points->len,
    { point_move (&last, m->after * m->dt), last.velocity } };
  return TRUE;
}

/* ------------------------------------------------------------------- limits */

/* The sweeps alone: the ways between them keep the limits if the beam can brake
 * after each sweep and run up to each. */
static void
making_check_sweeps (Making *m)
{
  const OctScanLimits *limits = &m->settings->limits;

  for (guint i = 0; i < m->pattern->sweeps->len; i++) {
    const OctScanSweep *sweep =
        &g_array_index (m->pattern->sweeps, OctScanSweep, i);

    oct_scan_limits_check (limits, m->dt,
        &g_array_index (m->pattern->points, OctScanPoint, sweep->first),
        sweep->count, m->closed, &m->excess);
  }
  for (guint i = 0; i < m->pattern->sweeps->len; i++) {
    OctScanState first, last;

    sweep_get_ends (
        m, &g_array_index (m->pattern->sweeps, OctScanSweep, i), &first, &last);
    oct_scan_limits_check_braking (
        limits, &first, m->before * m->dt, TRUE, &m->excess);
    oct_scan_limits_check_braking (
        limits, &last, m->after * m->dt, FALSE, &m->excess);
  }
}

static gboolean
making_is_over (const Making *m)
{
  return m->excess.factor > 1 + OCT_SCAN_TOLERANCE;
}

/* A file may hold a curve that goes on where it began. */
static gboolean
making_is_closed (const Making *m)
{
  OctScanExcess excess = { 0 };
  const GArray *points = m->pattern->points;
  OctScanPoint seam[4];

  if (m->pattern->closed)
    return TRUE;
  if (m->settings->kind != OCT_SCAN_FILE || m->pattern->sweeps->len != 1
      || points->len < 3)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    seam[i] = g_array_index (
        points, OctScanPoint, (points->len - 2 + i) % points->len);
  oct_scan_limits_check (&m->settings->limits, m->dt, seam, 4, FALSE, &excess);
  return excess.factor <= 1 + OCT_SCAN_TOLERANCE;
}

/* ------------------------------------------------------------------- making */

/* Whether there is a way from rest to the path, and from every sweep to rest. */
static gboolean
making_check_rest (const Making *m, GError **error)
{
  static const OctScanState rest;
  g_autoptr (GArray) way = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
  gboolean ok =
      oct_scan_join (&rest, &m->entry, &m->settings->limits, m->dt, way, error);

  for (guint i = 0; ok && i < m->pattern->sweeps->len; i++) {
    g_array_set_size (way, 0);
    ok = oct_scan_join (
        &m->stops[i].state, &rest, &m->settings->limits, m->dt, way, error);
  }
  return ok;
}

static void
making_clear (Making *m)
{
  g_clear_pointer (&m->pattern, oct_scan_pattern_free);
  g_clear_pointer (&m->points, g_array_unref);
  g_clear_pointer (&m->active, g_array_unref);
  g_clear_pointer (&m->stops, g_free);
}

/* FALSE with an error, or without one: a limit is exceeded. */
static gboolean
making_run (Making *m, const OctScanSettings *s, GError **error)
{
  double settle = ceil (s->settle * s->line_rate - 1e-6);
  guint half = oct_scan_smooth_count (s) / 2;

  *m = (Making){ .settings = s, .dt = 1 / s->line_rate };
  m->pattern = oct_scan_pattern_new (s, error);
  if (m->pattern == NULL)
    return FALSE;
  m->points = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
  m->active = g_array_new (FALSE, FALSE, 1);
  m->stops = g_new (OctScanStop, m->pattern->sweeps->len);
  m->closed = making_is_closed (m);
  if (!m->closed) {
    m->before = (guint)MIN (settle, OCT_SCAN_MAX_SAMPLES) + half;
    m->after = half;
  }
  making_check_sweeps (m);
  if (making_is_over (m))
    return FALSE;
  for (guint i = 0; i < m->pattern->sweeps->len; i++)
    if (!making_add_sweep (m, i, error))
      return FALSE;
  return making_check_rest (m, error);
}

/* The highest line rate that works, tried; 0: none was found. */
static double
find_line_rate (const OctScanSettings *settings, double slower)
{
  OctScanSettings s = *settings;

  for (guint i = 0; i < TRIES && isfinite (slower); i++) {
    Making m;
    gboolean ok;

    s.line_rate =
        MIN (floor (s.line_rate / slower * (1 + 1e-9)), s.line_rate - 1);
    if (s.line_rate < 1)
      return 0;
    ok = making_run (&m, &s, NULL);
    slower = MAX (m.excess.slower, 1 / TRY_FACTOR);
    making_clear (&m);
    if (ok)
      return s.line_rate;
  }
  return 0;
}

static void
set_excess_error (
    const OctScanSettings *s, const OctScanExcess *excess, GError **error)
{
  g_autofree char *name = oct_scan_excess_name (excess);
  g_autofree char *factor = oct_number_beside (excess->factor, 1, 2);
  double rate = find_line_rate (s, excess->slower);
  g_autofree char *lower = rate > 0
                               ? g_strdup_printf ("a line-rate of at most %.0f "
                                                  "Hz, or ",
                                   rate)
                               : g_strdup ("");
  const char *braking = excess->limit == OCT_SCAN_BRAKING
                            ? " to brake and run up outside its A-lines"
                            : "";

  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "The scan (pattern=%s) takes %s times %s%s at a line rate of %.0f Hz; "
      "set "
      "%sa smaller scan, or that limit to the most that the scanner can do.",
      oct_scan_kind_name (s->kind), factor, name, braking, s->line_rate, lower);
}

static void
path_clear (gpointer data)
{
  OctScanPath *path = data;

  g_free (path->points);
  g_free (path->active);
  g_free (path->stops);
}

/* Takes the arrays of `m`. */
static OctScanPath *
path_make (Making *m, guint body)
{
  OctScanPath *path = g_atomic_rc_box_new0 (OctScanPath);

  path->count = m->points->len;
  path->body = body;
  path->entry = m->entry;
  path->sweeps = m->pattern->sweeps->len;
  path->volumes = m->pattern->volumes;
  path->limits = m->settings->limits;
  path->line_rate = m->settings->line_rate;
  path->stops = g_steal_pointer (&m->stops);
  for (guint i = 0; i < path->count; i++)
    path->taken += g_array_index (m->active, guint8, i);
  path->points = (OctScanPoint *)(void *)g_array_free (
      g_steal_pointer (&m->points), FALSE);
  path->active = (guint8 *)g_array_free (g_steal_pointer (&m->active), FALSE);
  return path;
}

OctScanPath *
oct_scan_path_new (const OctScanSettings *settings, GError **error)
{
  g_autoptr (GError) reason = NULL;
  OctScanPath *path = NULL;
  Making m;
  gboolean ok = making_run (&m, settings, &reason);
  guint body = ok ? m.points->len : 0;

  if (ok && !m.closed)
    ok = making_join (
        &m, &m.stops[m.pattern->sweeps->len - 1].state, &m.entry, &reason);
  if (ok) {
    /* the ways keep the limits by themselves: no scanner is harmed by a mistake
     * in them */
    oct_scan_limits_check (&settings->limits, m.dt,
        (OctScanPoint *)(void *)m.points->data, m.points->len, TRUE, &m.excess);
    ok = !making_is_over (&m);
  }
  if (ok)
    path = path_make (&m, body);
  else if (reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  else
    set_excess_error (settings, &m.excess, error);
  making_clear (&m);
  return path;
}

OctScanPath *
oct_scan_path_ref (OctScanPath *path)
{
  return g_atomic_rc_box_acquire (path);
}

void
oct_scan_path_unref (OctScanPath *path)
{
  g_atomic_rc_box_release_full (path, path_clear);
}
