/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How much of the limits of a scanner a path of samples uses.
 */
#pragma once

#include "oct-scan-join.h"

G_BEGIN_DECLS

typedef enum {
  OCT_SCAN_AMPLITUDE,
  OCT_SCAN_VELOCITY,
  OCT_SCAN_ACCELERATION,
  OCT_SCAN_BRAKING, /* the amplitude, when the beam brakes or runs up */
} OctScanLimit;

/* The most used limit: above 1, it is exceeded. */
typedef struct {
  OctScanLimit limit;
  guint axis;
  double factor; /* of the limit itself */
  double
      slower; /* by which the line rate has to fall, above 1; infinite: no line
                  * rate is low enough */
} OctScanExcess;

/* Raises *excess by finite differences of points[count]; `loop`: the first ones
 * follow the last one. */
void oct_scan_limits_check (const OctScanLimits *limits, double dt,
    const OctScanPoint *points, guint count, gboolean loop,
    OctScanExcess *excess);

/* The same by the way that it takes to stop from `state`, or to get there from
 * rest with `backwards`, after `time` at that velocity. */
void oct_scan_limits_check_braking (const OctScanLimits *limits,
    const OctScanState *state, double time, gboolean backwards,
    OctScanExcess *excess);

/* "limit-velocity of x", g_free() it. */
char *oct_scan_excess_name (const OctScanExcess *excess);

G_END_DECLS
