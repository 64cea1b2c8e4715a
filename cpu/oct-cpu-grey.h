/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Grey levels of powers, and the logarithm for them and for the range of an
 * image.
 */
#pragma once

#include "oct-backend.h"
#include "oct-cpu-vector.h"

#include <string.h>

G_BEGIN_DECLS

#define OCT_CPU_DB_PER_OCTAVE 3.0102999566398120 /* 10 log10 2 */

OCT_INLINE gint32
oct_cpu_bits (float power)
{
  gint32 bits;

  memcpy (&bits, &power, sizeof (bits));
  return bits;
}

/* log2 of a positive normal number, given by its bits, as exponent + fraction.
 * The error of the fraction is below 1e-7: minimax polynomial on [sqrt 1/2,
 * sqrt 2). */
OCT_INLINE float
oct_cpu_log2 (gint32 bits, gint32 *exponent)
{
  const gint32 sqrt_half = 0x3f3504f3;
  float f, sum;

  bits -= sqrt_half;
  *exponent = bits >> 23;
  bits = (bits & 0x7fffff) + sqrt_half;
  memcpy (&f, &bits, sizeof (f));
  f -= 1;
  sum = -0.145744443f;
  sum = sum * f + 0.236890361f;
  sum = sum * f - 0.250069052f;
  sum = sum * f + 0.286707461f;
  sum = sum * f - 0.360087216f;
  sum = sum * f + 0.480939448f;
  sum = sum * f - 0.721357167f;
  sum = sum * f + 1.44269478f;
  return sum * f;
}

/* level = (exponent - reference) scale + log2 (mantissa) scale + offset (LOG),
 * (power - offset) scale (LINEAR); then clamped to [0, full] and rounded. */
typedef struct {
  OctImageFormat format;
  OctScale kind;
  float scale, offset, full;
  gint32 reference;
} OctCpuGrey;

/* Bytes. */
guint oct_cpu_grey_pixel_size (OctImageFormat format);

/* min and max in dB (LOG) or of the power; if min >= max, all levels are 0. */
void oct_cpu_grey_init (OctCpuGrey *grey, OctImageFormat format, OctScale scale,
    double min, double max);

/* out[row][line] from power[line / OCT_LANES][row][line % OCT_LANES], blocks
 * `block_step` floats apart, rows of `out` out_stride bytes. */
void oct_cpu_grey_map (const OctCpuGrey *grey, const float *power,
    gsize block_step, guint lines, guint rows, guint8 *out, gsize out_stride);

G_END_DECLS
