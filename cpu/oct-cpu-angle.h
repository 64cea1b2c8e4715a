/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Angles and magnitudes of complex values, for loops that the compiler
 * vectorises.
 */
#pragma once

#include "oct-cpu-vector.h"

#include <math.h>

/* arg (re + i im), -pi .. pi; 0 of 0.  The polynomial of this degree with the
 * least error, 6e-9, of the arc tangent from 0 to 1. */
OCT_INLINE float
oct_cpu_angle (float re, float im)
{
  float x = fabsf (re), y = fabsf (im);
  float most = x > y ? x : y, least = x > y ? y : x;
  float t = least / (most > 0 ? most : 1), z = t * t;
  float a = 0.00245672566f;

  a = a * z - 0.0144013624f;
  a = a * z + 0.0397812313f;
  a = a * z - 0.0723485806f;
  a = a * z + 0.104989464f;
  a = a * z - 0.141612293f;
  a = a * z + 0.199859068f;
  a = a * z - 0.33332597f;
  a = a * z + 0.999999886f;
  a *= t;
  a = y > x ? (float)(G_PI / 2) - a : a;
  a = re < 0 ? (float)G_PI - a : a;
  return im < 0 ? -a : a;
}

/* |re + i im|, whose squares need not be in the range of a float. */
OCT_INLINE float
oct_cpu_magnitude (float re, float im)
{
  float x = fabsf (re), y = fabsf (im);
  float most = x > y ? x : y, least = x > y ? y : x;
  float t = least / (most > 0 ? most : 1);

  return most * sqrtf (1 + t * t);
}
