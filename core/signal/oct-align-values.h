/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The arithmetic of OctAlignParams that backends share: the same code on the
 * CPU and, compiled by nvcc, on the GPU.
 */
#pragma once

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#  define OCT_ALIGN_INLINE static __host__ __device__ __forceinline__
#else
#  define OCT_ALIGN_INLINE static inline
#endif

#define OCT_ALIGN_CLEAR 4
#define OCT_ALIGN_LATERAL 4 /* A-lines */
#define OCT_ALIGN_LATERAL_LEAST 0.05f
#define OCT_ALIGN_PHASES 36
#define OCT_ALIGN_BANDS 8u
#define OCT_ALIGN_PASSES 3
#define OCT_ALIGN_MOVED 0.02f /* of |a|^2 + |b|^2, in s */
#define OCT_ALIGN_TAPS 8
/* depths before the first one that the taps read */
#define OCT_ALIGN_TAPS_BEFORE 3
#define OCT_ALIGN_PI 3.14159265358979f

/* First row of depth band `band`, the one after the last row of band - 1. */
OCT_ALIGN_INLINE uint32_t
oct_align_band (uint32_t depth_bins, uint32_t band)
{
  return (uint32_t)((uint64_t)depth_bins * band / OCT_ALIGN_BANDS);
}

OCT_ALIGN_INLINE uint32_t
oct_align_count_groups (uint32_t lines, uint32_t group)
{
  uint32_t groups = (lines + group / 2) / group;

  return groups > 0 ? groups : 1;
}

/* First A-line of a group. */
OCT_ALIGN_INLINE uint32_t
oct_align_group (uint32_t lines, uint32_t groups, uint32_t group)
{
  return (uint32_t)((uint64_t)lines * group / groups);
}

/* Where S[-most .. most] (S[0] is that of -most) is largest.  Not-a-number if
 * that is not clear. */
OCT_ALIGN_INLINE float
oct_align_peak (const float *S, int most, float clear)
{
  int best = 0;
  float smallest = S[0], l, r, bend, d;

  for (int i = 1; i <= 2 * most; i++) {
    if (S[i] > S[best])
      best = i;
    smallest = S[i] < smallest ? S[i] : smallest;
  }
  if (best == 0 || best == 2 * most || !(S[best] > clear * smallest))
    return NAN;
  l = logf (S[best - 1] > 0 ? S[best - 1] / S[best] : 1e-30f);
  r = logf (S[best + 1] > 0 ? S[best + 1] / S[best] : 1e-30f);
  bend = l + r;
  d = bend < 0 ? 0.5f * (l - r) / bend : 0;
  return (float)(best - most) + d;
}

/* The shift of an A-line, from those of the middles of the groups. */
OCT_ALIGN_INLINE float
oct_align_between (
    const float *shifts, uint32_t lines, uint32_t groups, uint32_t line)
{
  uint32_t first = 0;
  float before = 0, after;

  for (uint32_t i = 0; i < groups; i++) {
    float middle = 0.5f
                   * (float)(oct_align_group (lines, groups, i)
                             + oct_align_group (lines, groups, i + 1) - 1);

    after = middle;
    if ((float)line < middle) {
      if (i == 0)
        return shifts[0];
      return shifts[first]
             + (shifts[i] - shifts[first]) * ((float)line - before)
                   / (after - before);
    }
    first = i;
    before = middle;
  }
  return shifts[groups - 1];
}

/* Taps for a shift, `whole` bins further. */
OCT_ALIGN_INLINE void
oct_align_taps (float shift, int *whole, float taps[OCT_ALIGN_TAPS])
{
  float below = floorf (shift), t = shift - below, sum = 0;

  *whole = (int)below;
  for (int k = 0; k < OCT_ALIGN_TAPS; k++) {
    float x = OCT_ALIGN_PI * (t - (float)(k - OCT_ALIGN_TAPS_BEFORE));

    taps[k] = fabsf (x) < 1e-6f ? 1
              : fabsf (x) < 4 * OCT_ALIGN_PI
                  ? sinf (x) / x * (sinf (x / 4) / (x / 4))
                  : 0;
    sum += taps[k];
  }
  for (int k = 0; k < OCT_ALIGN_TAPS; k++)
    taps[k] *=
        (*whole + k - OCT_ALIGN_TAPS_BEFORE) % 2 == 0 ? 1 / sum : -1 / sum;
}

/* The phase of the fullest bin of a histogram. */
OCT_ALIGN_INLINE float
oct_align_fullest (const float *counts)
{
  float smooth[OCT_ALIGN_PHASES], l, m, r, bend;
  int best = 0;

  for (int i = 0; i < OCT_ALIGN_PHASES; i++) {
    smooth[i] = 2 * counts[i]
                + counts[(i + OCT_ALIGN_PHASES - 1) % OCT_ALIGN_PHASES]
                + counts[(i + 1) % OCT_ALIGN_PHASES];
    if (smooth[i] > smooth[best])
      best = i;
  }
  l = smooth[(best + OCT_ALIGN_PHASES - 1) % OCT_ALIGN_PHASES];
  m = smooth[best];
  r = smooth[(best + 1) % OCT_ALIGN_PHASES];
  bend = l - 2 * m + r;
  return ((float)best + 0.5f + (bend < 0 ? 0.5f * (l - r) / bend : 0))
             * (2 * OCT_ALIGN_PI / OCT_ALIGN_PHASES)
         - OCT_ALIGN_PI;
}

/* The weight of a value: c = b conj a, p = |a|^2 + |b|^2, with the phase of c
 * that is expected as a turn (cosine, sine). */
OCT_ALIGN_INLINE float
oct_align_weight (
    float re, float im, float p, float turn_re, float turn_im, float noise)
{
  float s = 2 * noise + OCT_ALIGN_MOVED * p;
  float moved = p - 2 * (re * turn_re + im * turn_im);

  moved = moved > 0 ? moved : 0;
  return s > 0 ? s / (s + moved) : 0;
}
