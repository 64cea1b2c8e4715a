/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-scan-limits.h"

#include <float.h>
#include <math.h>

static void
excess_raise (OctScanExcess *excess, OctScanLimit limit, guint axis,
    double factor, double slower)
{
  /* of several that are exceeded, the one that asks for most */
  double now = factor > 1 + OCT_SCAN_TOLERANCE ? slower : MIN (factor, 1);
  double most =
      excess->factor > 1 + OCT_SCAN_TOLERANCE ? excess->slower : excess->factor;

  if (now > most)
    *excess = (OctScanExcess){ limit, axis, factor, slower };
}

/* The rounding error of a difference of numbers of this size. */
static double
limits_noise (double amplitude)
{
  return 8 * DBL_EPSILON * amplitude;
}

void
oct_scan_limits_check (const OctScanLimits *limits, double dt,
    const OctScanPoint *points, guint count, gboolean loop,
    OctScanExcess *excess)
{
  for (guint c = 0; c < OCT_SCAN_AXES; c++) {
    double amplitude = 0, velocity = 0, acceleration = 0, noise;
    guint all = loop ? count + 2 : count;

    for (guint i = 0; i < all; i++) {
      double p = points[i % count].at[c];

      amplitude = MAX (amplitude, fabs (p));
      if (i >= 1) {
        double q = points[(i - 1) % count].at[c];

        velocity = MAX (velocity, fabs (p - q));
        if (i >= 2)
          acceleration = MAX (
              acceleration, fabs (p - 2 * q + points[(i - 2) % count].at[c]));
      }
    }
    noise = limits_noise (amplitude);
    amplitude /= limits->amplitude[c];
    velocity = MAX (velocity - noise, 0) / dt / limits->velocity[c];
    acceleration =
        MAX (acceleration - 2 * noise, 0) / dt / dt / limits->acceleration[c];
    excess_raise (excess, OCT_SCAN_AMPLITUDE, c, amplitude, INFINITY);
    excess_raise (excess, OCT_SCAN_VELOCITY, c, velocity, velocity);
    excess_raise (
        excess, OCT_SCAN_ACCELERATION, c, acceleration, sqrt (acceleration));
  }
}

void
oct_scan_limits_check_braking (const OctScanLimits *limits,
    const OctScanState *state, double time, gboolean backwards,
    OctScanExcess *excess)
{
  for (guint c = 0; c < OCT_SCAN_AXES; c++) {
    double most = limits->amplitude[c], a = limits->acceleration[c];
    double v = backwards ? -state->velocity.at[c] : state->velocity.at[c];
    double from = copysign (1, v) * state->position.at[c];
    double reach = from + fabs (v) * time + v * v / (2 * a), left = most - from;
    /* the velocity with which it reaches the limit and no further */
    double fit = a * (sqrt (time * time + 2 * MAX (left, 0) / a) - time);

    if (v != 0)
      excess_raise (excess, OCT_SCAN_BRAKING, c, reach / most,
          fit > 0 ? MAX (fabs (v) / fit, 1 + OCT_SCAN_TOLERANCE) : INFINITY);
  }
}

char *
oct_scan_excess_name (const OctScanExcess *excess)
{
  static const char *const names[] = { "amplitude", "velocity", "acceleration",
    "amplitude" };

  return g_strdup_printf (
      "limit-%s-%c", names[excess->limit], excess->axis == 0 ? 'x' : 'y');
}
