/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The definition of OCT_RANGE_CONTRAST: the same code on the CPU and, compiled
 * by nvcc, on the GPU.
 *
 * Rows near zero delay do not count: the residue of the source's spectrum is
 * there, and after the removal of a stored background it can be 40 dB above
 * tissue.  A-scans begin there unless octfft or octnufft cut them; then some
 * rows of tissue do not count, which changes little.
 *
 * Nor do zeros, since compressive sensing leaves many, and values that are not
 * finite: they do not measure the noise.
 *
 * White is a quantile, so that a few reflections do not darken all the rest.
 * It is found from a histogram of the upper bits of the powers, which are whole
 * numbers in the order of the powers: eight bins for every octave, 0.38 dB
 * each on average.  Counting is exact, in any order and by any number of
 * threads.
 */
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#  define OCT_CONTRAST_INLINE static __host__ __device__ __forceinline__
#else
#  define OCT_CONTRAST_INLINE static inline
#endif

/* Depth bands whose lowest mean is black. */
#define OCT_CONTRAST_BANDS 8
/* One of so many counted values is above white. */
#define OCT_CONTRAST_ABOVE 1000
/* White is at least 15 dB above black: there is no less between the mean of
 * noise and its strongest values, so that noise alone is not made brighter. */
#define OCT_CONTRAST_LEAST_DB 15.0
#define OCT_CONTRAST_LEAST_POWER 31.622776601683793

/* Power [2^(e + m/8), ...): exponent and three bits of the mantissa. */
#define OCT_CONTRAST_SHIFT 20
/* Powers count whose bits are between those of 1e-20f and of infinity. */
#define OCT_CONTRAST_ZERO_BITS 0x1e3ce508
#define OCT_CONTRAST_INFINITE_BITS 0x7f800000
/* Bins of those two. */
#define OCT_CONTRAST_FIRST_BIN 483
#define OCT_CONTRAST_LAST_BIN 2039
#define OCT_CONTRAST_BINS (OCT_CONTRAST_LAST_BIN - OCT_CONTRAST_FIRST_BIN + 1)

/* Rows before this one do not count. */
OCT_CONTRAST_INLINE uint32_t
oct_contrast_first_row (uint32_t depth_bins)
{
  uint32_t rows = depth_bins / 64 > 4 ? depth_bins / 64 : 4;

  return rows < depth_bins / 16 ? rows : depth_bins / 16;
}

/* First row of depth band `band`, the one after the last row of band - 1. */
OCT_CONTRAST_INLINE uint32_t
oct_contrast_band (uint32_t depth_bins, uint32_t band)
{
  return band == 0
             ? oct_contrast_first_row (depth_bins)
             : (uint32_t)((uint64_t)depth_bins * band / OCT_CONTRAST_BANDS);
}

/* The power above which `above` values lie, when `more` values are in the bins
 * after bin `bin` of the histogram, itself of `count` values: more <= above <
 * more + count.  The values of a bin stand for even steps through it. */
OCT_CONTRAST_INLINE double
oct_contrast_power (uint32_t bin, uint32_t count, uint64_t more, uint64_t above)
{
  uint32_t code = OCT_CONTRAST_FIRST_BIN + bin;
  int exponent = (int)(code >> 3) - 127;
  double part = 1 - ((double)(above - more) + 0.5) / (double)count;
  double octave = 1;

  for (; exponent > 0; exponent--)
    octave *= 2;
  for (; exponent < 0; exponent++)
    octave /= 2;
  return octave * (1 + ((double)(code & 7) + part) / 8);
}
