/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-join.h"

#include <math.h>

/* One axis during a join of `time`, from velocity v0 to v1. */
typedef struct {
  double time, v0, v1, acceleration, velocity;
} Span;

/* A ramp from v0 to `cruise` until t1, the same velocity until t2, and a ramp
 * to v1; a0 and a1 are the accelerations of the ramps. */
typedef struct {
  double t1, t2, cruise, a0, a1, distance;
} Profile;

double
oct_scan_join_time (
    double distance, double v0, double v1, double acceleration, double velocity)
{
  double turning = (v0 + v1) / 2 * fabs (v1 - v0) / acceleration;
  /* one ramp alone: either way, as it moves */
  double side = fabs (distance - turning) > 1e-9 * fabs (turning)
                    ? distance - turning
                    : v0 + v1;
  double s = side >= 0 ? 1 : -1, peak;

  distance *= s;
  v0 *= s;
  v1 *= s;
  peak = sqrt (MAX (acceleration * distance + (v0 * v0 + v1 * v1) / 2, 0));
  if (peak <= velocity)
    return (2 * peak - v0 - v1) / acceleration;
  return (2 * velocity - v0 - v1) / acceleration
         + (distance
               - (2 * velocity * velocity - v0 * v0 - v1 * v1)
                     / (2 * acceleration))
               / velocity;
}

static Profile
profile_of_cruise (const Span *span, double cruise)
{
  double first = cruise - span->v0, last = span->v1 - cruise;
  double before = fabs (first) / span->acceleration;
  double after = fabs (last) / span->acceleration;
  double t2 = MAX (span->time - after, before);

  return (Profile){ .t1 = before,
    .t2 = t2,
    .cruise = cruise,
    .a0 = copysign (span->acceleration, first),
    .a1 = copysign (span->acceleration, last),
    .distance = (span->v0 + cruise) / 2 * before + cruise * (t2 - before)
                + (cruise + span->v1) / 2 * (span->time - t2) };
}

/* The profile that gets farthest in direction s, 1 or -1. */
static Profile
profile_extreme (const Span *span, double s)
{
  double u0 = s * span->v0, u1 = s * span->v1;
  double peak =
      MIN (span->velocity, (u0 + u1 + span->acceleration * span->time) / 2);

  return profile_of_cruise (span, s * peak);
}

static double
profile_at (const Profile *p, const Span *span, double t)
{
  double left = span->time - t;

  if (t < p->t1)
    return span->v0 * t + p->a0 * t * t / 2;
  if (t <= p->t2)
    return (span->v0 + p->cruise) / 2 * p->t1 + p->cruise * (t - p->t1);
  return p->distance - span->v1 * left + p->a1 * left * left / 2;
}

/* Whether the axis can take exactly this time. */
static gboolean
span_is_possible (const Span *span, double distance)
{
  const double slack = 1e-9;
  double low, high, tolerance;

  if (span->time * span->acceleration
      < fabs (span->v1 - span->v0) * (1 - slack))
    return FALSE;
  low = profile_extreme (span, -1).distance;
  high = profile_extreme (span, 1).distance;
  tolerance = slack * (fabs (low) + fabs (high) + fabs (distance));
  return low - tolerance <= distance && distance <= high + tolerance;
}

/* The distance grows with the velocity between the ramps. */
static Profile
profile_find_cruise (const Span *span, double distance)
{
  double low = profile_extreme (span, -1).cruise;
  double high = profile_extreme (span, 1).cruise;

  for (guint i = 0; i < 60; i++) {
    double middle = (low + high) / 2;

    if (profile_of_cruise (span, middle).distance < distance)
      low = middle;
    else
      high = middle;
  }
  return profile_of_cruise (span, (low + high) / 2);
}

/* Writes axis `axis` of n - 1 points; `origin` and `most` are its position at
 * the start and the limit of its amplitude. */
static void
join_axis (const Span *span, double distance, double origin, double most,
    guint axis, OctScanPoint *points, guint n)
{
  Profile low = profile_extreme (span, -1), high = profile_extreme (span, 1);
  double range = high.distance - low.distance;
  double noise =
      1e-15 * (fabs (low.distance) + fabs (high.distance)) + G_MINDOUBLE;
  double weight =
      range <= noise ? 0.5 : CLAMP ((distance - low.distance) / range, 0, 1);
  gboolean inside = TRUE;

  for (guint i = 1; i < n; i++) {
    double t = span->time * i / n;
    double moved = (1 - weight) * profile_at (&low, span, t)
                   + weight * profile_at (&high, span, t);

    points[i - 1].at[axis] = origin + moved;
    inside = inside && fabs (origin + moved) <= most;
  }
  if (inside)
    return;
  low = profile_find_cruise (span, distance);
  for (guint i = 1; i < n; i++)
    points[i - 1].at[axis] =
        origin + profile_at (&low, span, span->time * i / n);
}

/* Steps of dt; 0: too many. */
static guint
join_count (const double *distance, Span *spans, double dt)
{
  double time = 0, steps;

  for (guint c = 0; c < OCT_SCAN_AXES; c++)
    time = MAX (time, oct_scan_join_time (distance[c], spans[c].v0, spans[c].v1,
                          spans[c].acceleration, spans[c].velocity));
  steps = MAX (1, ceil (time / dt - 1e-6));
  /* an axis may have to slow down, so that it cannot take some longer times */
  for (; steps <= OCT_SCAN_MAX_SAMPLES; steps++) {
    gboolean possible = TRUE;

    for (guint c = 0; c < OCT_SCAN_AXES; c++) {
      spans[c].time = steps * dt;
      possible = possible && span_is_possible (&spans[c], distance[c]);
    }
    if (possible)
      return (guint)steps;
  }
  return 0;
}

gboolean
oct_scan_join (const OctScanState *from, const OctScanState *to,
    const OctScanLimits *limits, double dt, GArray *points, GError **error)
{
  double distance[OCT_SCAN_AXES];
  Span spans[OCT_SCAN_AXES];
  guint n, before = points->len;

  for (guint c = 0; c < OCT_SCAN_AXES; c++) {
    distance[c] = to->position.at[c] - from->position.at[c];
    spans[c] = (Span){ .v0 = from->velocity.at[c],
      .v1 = to->velocity.at[c],
      .acceleration = limits->acceleration[c],
      .velocity = limits->velocity[c] };
  }
  n = join_count (distance, spans, dt);
  if (n == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The way between two parts of the scan takes more than %u A-lines with "
        "these limits; set a lower line-rate, or higher limits of velocity and "
        "acceleration.",
        OCT_SCAN_MAX_SAMPLES);
    return FALSE;
  }
  g_array_set_size (points, before + n - 1);
  for (guint c = 0; c < OCT_SCAN_AXES; c++)
    join_axis (&spans[c], distance[c], from->position.at[c],
        limits->amplitude[c], c, (OctScanPoint *)(void *)points->data + before,
        n);
  return TRUE;
}
