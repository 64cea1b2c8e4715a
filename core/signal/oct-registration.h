/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which way, and how far, a frame has moved against a mean of frames: the
 * definition that all backends share, in C that the CUDA compiler reads too.
 *
 * Images are compared as v, the grey level (of a pixel of RGBA the sum of red,
 * green and blue), or |a|^1/2 of complex values, so that a bright reflection
 * does not outweigh all else; values that are not finite are 0.  Level l of an
 * image has the sums over 2^l x 2^l pixels; left-over pixels at the ends are in
 * none.
 *
 * The shift d = (rows, columns) is searched from the coarsest level on, where
 * it is at most OCT_REGISTRATION_COARSE each way: all of those there, then on
 * each finer one those up to OCT_REGISTRATION_FINE from twice the shift before.
 * The best has the highest score
 *
 *   (N / 2)^1/2 artanh (max (0, r)) - P ([rows != 0] + [columns != 0])
 *
 * with r the correlation coefficient of the mean, g (x), with the frame, f (x +
 * d), over all x of every q-th row where both are.  artanh r of N independent
 * pairs has a standard deviation of N^-1/2 (R. A. Fisher, Metron 1, 3 (1921)),
 * so that the first part counts by how many standard deviations of their
 * difference one shift is better than another.  N is the number of pixels
 * compared, a grain of speckle being OCT_REGISTRATION_GRAIN of them long and
 * wide.  A direction is moved along only where that is P deviations better than
 * staying: noise does not move images, nor do layers that are the same all
 * along them.
 *
 * Cost: at most OCT_REGISTRATION_SAMPLES pixels of a level (or 16 rows) are
 * compared, so some 10^7 products a frame however large it is.
 */
#pragma once

#include <math.h>

#define OCT_REGISTRATION_COARSE 4
#define OCT_REGISTRATION_FINE 2
#define OCT_REGISTRATION_GRAIN 3.
#define OCT_REGISTRATION_SAMPLES 65536u
#define OCT_REGISTRATION_LEAST_ROWS 16u
/* P: by chance one shift of three millions is that much better */
#define OCT_REGISTRATION_PENALTY 5.
/* the highest r, as artanh 1 is infinite */
#define OCT_REGISTRATION_ALIKE (1 - 1e-9)
/* of 64 pixels */
#define OCT_REGISTRATION_LEVELS 5
/* shifts that are tried on a level, along one direction and in all */
#define OCT_REGISTRATION_SIDE (2 * OCT_REGISTRATION_COARSE + 1)
#define OCT_REGISTRATION_TRIED (OCT_REGISTRATION_SIDE * OCT_REGISTRATION_SIDE)

#ifdef __CUDACC__
#  define OCT_REGISTRATION_INLINE static __host__ __device__ __forceinline__
#else
#  define OCT_REGISTRATION_INLINE static inline
#endif

typedef struct {
  unsigned rows, columns; /* of the image on this level */
  unsigned step;          /* q */
  unsigned sampled;       /* rows that are compared */
  int most_rows, most_columns;
  double independent; /* N */
} OctRegistrationLevel;

typedef struct {
  unsigned n; /* levels */
  OctRegistrationLevel levels[OCT_REGISTRATION_LEVELS];
} OctRegistrationPlan;

/* Sums over the pixels that are compared. */
typedef struct {
  double n, f, g, ff, gg, fg;
} OctRegistrationSums;

OCT_REGISTRATION_INLINE unsigned
oct_registration_least (unsigned a, unsigned b)
{
  return a < b ? a : b;
}

/* At most a quarter of an image leaves it. */
OCT_REGISTRATION_INLINE OctRegistrationPlan
oct_registration_plan (unsigned rows, unsigned columns, unsigned max_shift)
{
  OctRegistrationPlan plan;
  unsigned down = oct_registration_least (max_shift, rows / 4);
  unsigned across = oct_registration_least (max_shift, columns / 4);
  unsigned most = down > across ? down : across;

  for (plan.n = 0;
       plan.n < OCT_REGISTRATION_LEVELS
       && (plan.n == 0
           || ((unsigned)OCT_REGISTRATION_COARSE << (plan.n - 1)) < most);
       plan.n++) {
    OctRegistrationLevel *level = &plan.levels[plan.n];
    unsigned l = plan.n, thin;
    double grain = OCT_REGISTRATION_GRAIN / (1 << l);

    level->rows = rows >> l;
    level->columns = columns >> l;
    level->most_rows = (int)((down + (1u << l) - 1) >> l);
    level->most_columns = (int)((across + (1u << l) - 1) >> l);
    thin = level->rows / OCT_REGISTRATION_LEAST_ROWS;
    level->step = (unsigned)(((unsigned long long)level->rows * level->columns
                                 + OCT_REGISTRATION_SAMPLES - 1)
                             / OCT_REGISTRATION_SAMPLES);
    level->step = oct_registration_least (level->step, thin);
    if (level->step == 0)
      level->step = 1;
    level->sampled = (level->rows + level->step - 1) / level->step;
    level->independent = (double)level->sampled * level->columns;
    if (grain > 1)
      level->independent /= grain * grain;
  }
  return plan;
}

/* The first shift that is tried on a level and their number, along one
 * direction; `coarser`: the shift that the coarser level has found, 0 on the
 * coarsest. */
OCT_REGISTRATION_INLINE int
oct_registration_first (int coarser, int is_coarsest, int most, int *n)
{
  int reach = is_coarsest ? most : OCT_REGISTRATION_FINE;
  int first = 2 * coarser - reach, last = 2 * coarser + reach;

  if (first < -most)
    first = -most;
  if (last > most)
    last = most;
  *n = last - first + 1;
  return first;
}

OCT_REGISTRATION_INLINE double
oct_registration_score (
    const OctRegistrationSums *s, double independent, int rows, int columns)
{
  double f = s->n * s->ff - s->f * s->f, g = s->n * s->gg - s->g * s->g;
  double fg = s->n * s->fg - s->f * s->g, r = 0;

  /* what is no more than rounding is the same all over */
  if (fg > 0 && f > 1e-12 * s->n * s->ff && g > 1e-12 * s->n * s->gg)
    r = fg / sqrt (f * g);
  if (r > OCT_REGISTRATION_ALIKE)
    r = OCT_REGISTRATION_ALIKE;
  return sqrt (independent / 2) * atanh (r)
         - OCT_REGISTRATION_PENALTY * ((rows != 0) + (columns != 0));
}

/* The shift in pixels of the second plane, which are as large as two of the
 * first. */
OCT_REGISTRATION_INLINE int
oct_registration_half (int shift)
{
  return (shift - (shift & 1)) / 2;
}
