/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The arithmetic of OctAngioParams that backends share: the same code on
 * the CPU and, compiled by nvcc, on the GPU.
 *
 * Medians are found from a histogram of the upper bits of the values, which are
 * whole numbers in the order of the values: 16 bins for every octave.  Counting
 * is exact, in any order and by any number of threads.  The values of a bin
 * stand for even steps through it.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#  define OCT_ANGIO_INLINE static __host__ __device__ __forceinline__
#else
#  define OCT_ANGIO_INLINE static inline
#endif

/* Bands of depth: the darkest has the noise; images that it is smoothed
 * over; OCT_ANGIO_ID_MASK. */
#define OCT_ANGIO_BANDS 8u
#define OCT_ANGIO_PLACES 16u
#define OCT_ANGIO_SLOPE 1.3

/* Value [2^(e + m/16), ...): exponent and four bits of the mantissa.  Bin 0 has
 * all values below 2^-80, and those below zero; the last one all from 2^80 on. */
#define OCT_ANGIO_SHIFT 19
#define OCT_ANGIO_FIRST_BIN ((127 - 80) * 16 - 1)
#define OCT_ANGIO_BINS (160 * 16 + 2)

/* The bin of a value, by its bits as a signed number. */
OCT_ANGIO_INLINE int32_t
oct_angio_bin (int32_t bits)
{
  int32_t bin = (bits >> OCT_ANGIO_SHIFT) - OCT_ANGIO_FIRST_BIN;

  bin = bin > 0 ? bin : 0;
  return bin < OCT_ANGIO_BINS ? bin : OCT_ANGIO_BINS - 1;
}

/* The median, if it is in `bin`, which has `count` values with `before` in
 * those below it, of `total` > 0: before <= total / 2 < before + count. */
OCT_ANGIO_INLINE double
oct_angio_value (uint32_t bin, uint32_t count, uint64_t before, uint64_t total)
{
  uint32_t code = OCT_ANGIO_FIRST_BIN + bin;
  int exponent = (int)(code >> 4) - 127;
  double part = ((double)total / 2 - (double)before) / (double)count;
  double octave = 1;

  if (bin == 0)
    return 0;
  for (; exponent > 0; exponent--)
    octave *= 2;
  for (; exponent < 0; exponent++)
    octave /= 2;
  return octave * (1 + ((double)(code & 15) + part) / 16);
}

/* First row of depth band `band`, the one after the last row of band - 1. */
OCT_ANGIO_INLINE uint32_t
oct_angio_band (uint32_t depth_bins, uint32_t band)
{
  return (uint32_t)((uint64_t)depth_bins * band / OCT_ANGIO_BANDS);
}

/* Median of a gamma variable of whole shape k >= 1, over its mean: the series
 * of K. P. Choi, Proc. Amer. Math. Soc. 121, 245 (1994), within 5e-5 from 2
 * on. */
OCT_ANGIO_INLINE double
oct_angio_gamma_median (uint32_t k)
{
  double x = 1. / k;

  if (k == 1)
    return 0.69314718055994531;
  return 1
         - x
               * (1. / 3
                   - x * (8. / 405 + x * (184. / 25515 + x * 2248. / 3444525)));
}

/* The power of the noise after one image more. */
typedef struct {
  double noise;
  uint32_t images; /* that it is of, OCT_ANGIO_PLACES at most */
} OctAngioNoise;

OCT_ANGIO_INLINE void
oct_angio_add_noise (OctAngioNoise *noise, double found)
{
  if (noise->images < OCT_ANGIO_PLACES)
    noise->images++;
  noise->noise += (found - noise->noise) / noise->images;
}

/* How R and I, or the mean of a method in place of R, become what is shown. */
typedef enum {
  OCT_ANGIO_SHOW_FLOW,
  OCT_ANGIO_SHOW_INDEX,
  OCT_ANGIO_SHOW_NOISE_IMMUNE,
  OCT_ANGIO_SHOW_MASK,
  OCT_ANGIO_SHOW_RATIO, /* over the noise */
  /* of products of repeats, their real parts in R and the imaginary ones in O */
  OCT_ANGIO_SHOW_PHASES,
  OCT_ANGIO_SHOW_PRODUCTS,
} OctAngioShow;

/* Whether it is found from products of repeats. */
OCT_ANGIO_INLINE int
oct_angio_needs_products (OctAngioShow show)
{
  return show == OCT_ANGIO_SHOW_PHASES || show == OCT_ANGIO_SHOW_PRODUCTS;
}

/* Whether it depends on how much still tissue changes. */
OCT_ANGIO_INLINE int
oct_angio_needs_still (OctAngioShow show)
{
  return show == OCT_ANGIO_SHOW_FLOW || show == OCT_ANGIO_SHOW_INDEX;
}

/* 0 .. 1, or a ratio that is shown in dB. */
OCT_ANGIO_INLINE float
oct_angio_show (
    OctAngioShow show, float R, float I, float O, float noise, float still)
{
  float over, below;

  switch (show) {
  case OCT_ANGIO_SHOW_FLOW:
    over = R - (noise + still * I);
    over = over > 0 ? over : 0;
    /* quotients of nearly equal values, in the range of floats whatever it is */
    over = R > 0 && I > 0 ? (over / R) * (over / I) : 0;
    return over < 1 ? over : 1;
  case OCT_ANGIO_SHOW_INDEX:
    below = noise + still * I;
    return below > 0 ? R / below : 0;
  case OCT_ANGIO_SHOW_NOISE_IMMUNE:
    below = I - noise;
    over = I >= 1.5f * noise && below > 0 ? (R - noise) / below : 0;
    over = over > 0 ? over : 0;
    return over < 1 ? over : 1;
  case OCT_ANGIO_SHOW_MASK:
    over = I > 0 && R > (float)OCT_ANGIO_SLOPE * noise ? R / I : 0;
    return over < 1 ? over : 1;
  case OCT_ANGIO_SHOW_PHASES:
    over = R != 0 || O != 0 ? 1 - sqrtf (R * R + O * O) : 0;
    return over > 0 ? over : 0;
  case OCT_ANGIO_SHOW_PRODUCTS:
    /* quotients first, in the range of floats */
    over = I > 0 ? 1 - sqrtf ((R / I) * (R / I) + (O / I) * (O / I)) : 0;
    return over > 0 ? over : 0;
  default:
    return noise > 0 ? R / noise : 0;
  }
}
