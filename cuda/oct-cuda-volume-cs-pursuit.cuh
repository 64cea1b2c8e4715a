/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Basis pursuit by the dual alternating directions of YALL1 (Yang and Zhang,
 * SIAM J. Sci. Comput. 33, 250 (2011)): when a row is done, and how its step
 * size falls.  Each row stops by itself.
 */
#pragma once

#include <stdint.h>

#define PURSUIT_TOLERANCE 4.5e-3 /* of the change of a step, relative */
#define PURSUIT_LEAST 1.1e-8f    /* of the first step size */
#define PURSUIT_QUIET 10         /* steps of which the gap says nothing */

/* Sums of one row after a step: squares of dual - z, x and z; the sum of w |x|,
 * and the product of the given values and the dual variable y. */
#define PURSUIT_SUMS 5

/* Call after step number `step`.  TRUE: the row is done.  Else *mu becomes a
 * tenth, but not below `least`, if the gap between the problem and its dual is
 * large compared with the residual of the dual. */
__device__ __forceinline__ bool
pursuit_judge (
    const double (&sums)[PURSUIT_SUMS], uint32_t step, float least, float *mu)
{
  double moved = sqrt (sums[0]), x = sqrt (sums[1]), z = sqrt (sums[2]);
  double primal = sums[3], gap;

  if (*mu * moved < PURSUIT_TOLERANCE * (x > 0 ? x : 1))
    return true;
  gap = fabs (sums[4] - primal) / (primal > 0 ? primal : 1);
  if (step > PURSUIT_QUIET && gap > 50 * (moved / (z > 0 ? z : 1))
      && *mu > least)
    *mu *= 0.1f;
  return false;
}
