/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-spiral.h"

#include <math.h>

#define MARGIN 0.9634
/* Steps of the table: in all at least, and in a turn. */
#define LEAST_STEPS 2000
#define STEPS_OF_TURN 64
#define MOST_STEPS (1u << 18)
#define ROUNDS 40
/* Such a spiral is hardly more than a line. */
#define MOST_PITCH 4

/* When the beam is at which angle, `n` entries. */
typedef struct {
  guint n;
  double pitch, speed, acceleration;
  double *theta, *rate, *time; /* rad, rad/s, s */
} Winding;

static void
winding_clear (Winding *w)
{
  g_clear_pointer (&w->theta, g_free);
  g_clear_pointer (&w->rate, g_free);
  g_clear_pointer (&w->time, g_free);
}

static void
winding_make (Winding *w, double radius)
{
  double b = w->pitch / (2 * G_PI), end = radius / b, before = 0;

  winding_clear (w);
  w->n = 1 + MAX (LEAST_STEPS, (guint)(STEPS_OF_TURN * radius / w->pitch));
  w->theta = g_new (double, w->n);
  w->rate = g_new (double, w->n);
  w->time = g_new (double, w->n);
  for (guint i = 0; i < w->n; i++) {
    /* finer near the middle */
    double part = (double)i / (w->n - 1), theta = end * part * part;
    double q = 1 + theta * theta;
    double u = sqrt (MIN (w->speed * w->speed,
        MARGIN * w->acceleration * b * q * sqrt (q) / (1 + q)));

    w->theta[i] = theta;
    w->rate[i] = u / (b * sqrt (q));
    w->time[i] = i == 0 ? 0
                        : w->time[i - 1]
                              + (1 / w->rate[i] + before) / 2
                                    * (theta - w->theta[i - 1]);
    before = 1 / w->rate[i];
  }
}

/* The angle at a time, by cubic Hermite interpolation from entry *at on, which
 * moves on. */
static double
winding_at (const Winding *w, double time, guint *at)
{
  double h, u;
  guint i;

  while (*at + 2 < w->n && w->time[*at + 1] < time)
    ++*at;
  i = *at;
  h = w->time[i + 1] - w->time[i];
  u = (time - w->time[i]) / h;
  return (1 + 2 * u) * (1 - u) * (1 - u) * w->theta[i]
         + u * (1 - u) * (1 - u) * h * w->rate[i]
         + u * u * (3 - 2 * u) * w->theta[i + 1]
         + u * u * (u - 1) * h * w->rate[i + 1];
}

static gboolean
spiral_check_steps (const OctScanSettings *s, double pitch, GError **error)
{
  if (STEPS_OF_TURN * (s->width / 2) / pitch <= MOST_STEPS)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A spiral of %g mm with a pitch of %g mm has more turns than the %u that "
      "are possible; set a larger pitch.",
      s->width, pitch, MOST_STEPS / STEPS_OF_TURN);
  return FALSE;
}

/* A-lines that take the given time. */
static gboolean
spiral_count (
    const OctScanSettings *s, double time, guint *count, GError **error)
{
  double pieces = ceil (time * s->line_rate / s->lines - 1e-9);

  if (pieces * s->lines <= OCT_SCAN_MAX_SAMPLES) {
    *count = (guint)MAX (pieces, 1) * s->lines;
    return TRUE;
  }
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A spiral of %g mm with a pitch of %g mm takes more than %u A-lines; set "
      "a "
      "larger pitch, or a lower line-rate.",
      s->width, s->pitch, OCT_SCAN_MAX_SAMPLES);
  return FALSE;
}

/* Finds the pitch with which the spiral takes a whole number of pieces: where
 * `off`, the logarithm of the time over the time that there is, is 0, by
 * secants of the logarithm of the pitch.  If the accelerations allow none, the
 * spiral is too fast at the end. */
static gboolean
spiral_fit (const OctScanSettings *s, Winding *w, guint *count, GError **error)
{
  gboolean given = s->pitch > 0;
  double before = 0, step = 0;

  *count = given ? 0 : s->lines * s->bscans;
  w->pitch = given ? s->pitch : s->width / 2 * sqrt (G_PI / *count);
  for (guint round = 0; round < ROUNDS; round++) {
    double off;

    if (!spiral_check_steps (s, w->pitch, error))
      return FALSE;
    if (round == 0 || !given)
      w->speed = w->pitch * s->line_rate;
    winding_make (w, s->width / 2);
    if (*count == 0 && !spiral_count (s, w->time[w->n - 1], count, error))
      return FALSE;
    off = log (w->time[w->n - 1] * s->line_rate / *count);
    if (fabs (off) < 1e-12 || w->pitch > MOST_PITCH * s->width)
      return TRUE;
    /* at first: the length goes with the pitch, and without a given one the
     * velocity too */
    step = round > 0 && (off - before) / step < -0.1
               ? -off * step / (off - before)
               : (given ? off : off / 2);
    step = CLAMP (step, -1, 1);
    before = off;
    w->pitch *= exp (step);
  }
  return TRUE;
}

gboolean
oct_scan_spiral (const OctScanSettings *s, GArray *points, GError **error)
{
  Winding w = { .acceleration = MIN (
                    s->limits.acceleration[0], s->limits.acceleration[1]) };
  guint count, at = 0;
  gboolean ok = spiral_fit (s, &w, &count, error);

  if (ok) {
    double step = w.time[w.n - 1] / count;

    for (guint i = 0; i < count; i++) {
      double theta = winding_at (&w, (i + 0.5) * step, &at);
      double r = w.pitch / (2 * G_PI) * theta;
      OctScanPoint point = { { r * cos (theta), r * sin (theta) } };

      g_array_append_val (points, point);
    }
  }
  winding_clear (&w);
  return ok;
}
