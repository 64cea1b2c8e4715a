/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Basis pursuit by the dual alternating directions of YALL1 (Yang and Zhang,
 * SIAM J. Sci. Comput. 33, 250 (2011)), of many rows side by side: when one of
 * them is done, and how its step size falls.  Each row stops by itself.
 */
#pragma once

#include <glib.h>
#include <math.h>

/* The relative change of a step: less ends a row. */
#define OCT_CPU_PURSUIT_TOLERANCE 4.5e-3
/* The smallest step size, as a part of the first one. */
#define OCT_CPU_PURSUIT_LEAST 1.1e-8f
/* In the first steps the gap says nothing. */
#define OCT_CPU_PURSUIT_QUIET 10u

/* Sums of one row after a step: squares of dual - z, x and z; the sum of w |x|,
 * and the product of the given values and the dual variable y. */
typedef struct {
  double step, x, z, primal, value;
} OctCpuPursuitSums;

/* Call after step number `step`.  TRUE: the row is done.  Else *mu becomes a
 * tenth, but not below `least`, if the gap between the problem and its dual is
 * large compared with the residual of the dual. */
static inline gboolean
oct_cpu_pursuit_judge (
    const OctCpuPursuitSums *sums, guint step, float least, float *mu)
{
  double norm = sums->x > 0 ? sqrt (sums->x) : 1;
  double gap, residual;

  if (*mu * sqrt (sums->step) < OCT_CPU_PURSUIT_TOLERANCE * norm)
    return TRUE;
  gap =
      fabs (sums->value - sums->primal) / (sums->primal > 0 ? sums->primal : 1);
  residual = sqrt (sums->step) / (sums->z > 0 ? sqrt (sums->z) : 1);
  if (step > OCT_CPU_PURSUIT_QUIET && gap > 50 * residual && *mu > least)
    *mu *= 0.1f;
  return FALSE;
}
