/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Powers of A-scans and what is found of them, for the kernels that do so: the
 * same values in a pass of its own and beside the FFT.
 */
#pragma once

#include "oct-contrast.h"
#include "oct-cuda-launch.cuh"

#include <cmath>

#define DB_PER_OCTAVE 3.0102999566398120 /* 10 log10 2 */

/* log2 of a positive normal number as exponent + fraction, the fraction of a
 * mantissa between sqrt 1/2 and sqrt 2: narrow ranges lose no accuracy. */
__device__ __forceinline__ float
log2_parts (float power, int32_t *exponent)
{
  const int32_t sqrt_half = 0x3f3504f3;
  int32_t bits = __float_as_int (power) - sqrt_half;

  *exponent = bits >> 23;
  return __log2f (__int_as_float ((bits & 0x7fffff) + sqrt_half));
}

/* Squares are rounded before they are added: the same value falls into the same
 * bin on the CPU. */
__device__ __forceinline__ float
exact_power_of (float2 a)
{
  return __fadd_rn (__fmul_rn (a.x, a.x), __fmul_rn (a.y, a.y));
}

/* a power itself */
__device__ __forceinline__ float
exact_power_of (float power)
{
  return power;
}

/* Whether a value counts for the contrast range. */
__device__ __forceinline__ bool
is_counted (float power)
{
  int32_t bits = __float_as_int (power);

  return bits > OCT_CONTRAST_ZERO_BITS && bits < OCT_CONTRAST_INFINITE_BITS;
}

/* The bin of the histogram of a value that counts. */
__device__ __forceinline__ uint32_t
contrast_bin (float power)
{
  return (__float_as_uint (power) >> OCT_CONTRAST_SHIFT)
         - OCT_CONTRAST_FIRST_BIN;
}

/* Both ends of the contrast range.  low: the lowest mean over a band, of log2
 * power or power; bin: the one that the value which `above` others exceed is
 * in, with `count` values and `more` in those above it. */
template <bool Log>
__device__ __forceinline__ void
set_contrast (OctCudaStatistics *statistics, double low, uint32_t bin,
    uint32_t count, uint64_t more, uint64_t above)
{
  double high = oct_contrast_power (bin, count, more, above), least;

  least = Log ? low * DB_PER_OCTAVE + OCT_CONTRAST_LEAST_DB
              : low * OCT_CONTRAST_LEAST_POWER;
  high = Log ? 10 * log10 (high) : high;
  statistics->contrast_min = Log ? low * DB_PER_OCTAVE : low;
  statistics->contrast_max = high > least ? high : least;
  statistics->contrast_is_valid = 1;
}
