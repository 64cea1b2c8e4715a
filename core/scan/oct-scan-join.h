/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The limits of a scanner, and the shortest ways between two states of the beam
 * that keep them.
 *
 * An axis is a double integrator: its acceleration is at most A, its velocity
 * at most V.  The places that it can reach in a time T are an interval; both
 * ends are profiles of a ramp, a constant velocity and a ramp.  An axis follows
 * the mean of these two profiles, weighted so that it arrives: both keep the
 * limits, and so does the mean.  docs/scanning.md has the formulas.
 *
 * Lengths are mm, or degrees of the beam; times are s.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

#define OCT_SCAN_AXES 2 /* x, and y downwards */

typedef struct {
  double at[OCT_SCAN_AXES];
} OctScanPoint;

typedef struct {
  OctScanPoint position, velocity;
} OctScanState;

/* The most that an axis does, all above 0. */
typedef struct {
  double amplitude[OCT_SCAN_AXES];    /* from the middle, mm */
  double velocity[OCT_SCAN_AXES];     /* mm/s */
  double acceleration[OCT_SCAN_AXES]; /* mm/s^2 */
} OctScanLimits;

/* Samples of a scan, or of one join, at most. */
#define OCT_SCAN_MAX_SAMPLES (1u << 24)

/* How much of a limit may be numerical noise. */
#define OCT_SCAN_TOLERANCE 1e-6

/* The least time over which an axis moves by `distance`, with velocity v0
 * before and v1 after. */
double oct_scan_join_time (double distance, double v0, double v1,
    double acceleration, double velocity);

/* The samples between two states, every `dt` seconds, neither of them included:
 * the fewest with which both axes arrive together.  Velocities are within the
 * limits.  An axis whose mean profile leaves limits->amplitude moves at a
 * constant velocity between two ramps instead, which takes the same time and
 * goes no further than it takes to brake.  Appends OctScanPoints to `points`.
 * FALSE with OCT_ERROR_SETTINGS if there are more than
 * OCT_SCAN_MAX_SAMPLES. */
gboolean oct_scan_join (const OctScanState *from, const OctScanState *to,
    const OctScanLimits *limits, double dt, GArray *points, GError **error);

G_END_DECLS
