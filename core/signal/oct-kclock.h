/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The common part of all backends that make spectra of a swept source uniform
 * in wavenumber by its k-clock, see OctKclockParams: the reference.
 *
 * The first one is found here, in double precision, from up to
 * OCT_KCLOCK_FIRST_LINES A-lines (or `average`, if that is less):
 *   band: the mean power spectrum P with a Hann window, smoothed over 9 bins, is
 *     above its median by 1e-3 of its peak and by 6 / (9 lines)^1/2 of the
 *     median; the run around the peak, gaps of 1 % bridged, and .3 of its width
 *     (and 4 bins) more on either side;
 *   phase: the sum over n of arg sum over A-lines of z (n + 1) conj z (n), the
 *     inner sum smoothed over 9 samples, which needs neither alignment nor
 *     unwrapping; then three times: the delay of each A-line against it, the
 *     first time with the phases of the strongest A-line taken off; and the
 *     mean of z exp (-i ref (n - t)) of those whose residual is not above 5
 *     medians, the first time smoothed over 17 samples, whose unwrapped phase is
 *     added;
 *   excess: the part of the mean squared residual of the inner blocks that the noise
 *     of the samples does not explain.  AUTO is STATIC where its root times
 *     samples pi / (r1 - r0), the phase at the deepest depth per phase of the
 *     clock, is below .1 rad.
 *
 * Thread-safety: one thread at a time.
 */
#pragma once

#include "oct-backend.h"
#include "oct-kclock-line.h"

G_BEGIN_DECLS

#define OCT_KCLOCK_FIRST_LINES 64u

/* See oct-params.h. */
gboolean oct_check_kclock (const OctKclockParams *params, GError **error);

/* Whether a plan for `a` can go on with `b`, history and all. */
gboolean oct_kclock_is_same (
    const OctKclockParams *a, const OctKclockParams *b);

/* The length of the transforms of a clock: the least even number of samples + 2
 * OCT_KCLOCK_PAD or more without a prime factor above 7. */
guint oct_kclock_length (guint samples);

/* [OCT_KCLOCK_PHASES + 1][OCT_KCLOCK_TAPS]: weights of the samples
 * -(taps / 2 - 1) .. taps / 2 around one, for places 0 .. 1 after it. */
void oct_kclock_fill_kernel (float *kernel);

/* The reference that is in force, or none. */
typedef struct {
  OctKclockParams params;
  guint length;
  gboolean found;
  OctKclockFault why; /* not found: NONE, FAST or SLOW */
  /* if found: */
  double band[2];         /* cycles per sample */
  OctKclockMethod method; /* not AUTO */
  double excess;          /* rad */
  float limit;            /* of the residual, rad */
  double first, last;     /* phases at both ends, for ever */
  double *phase;     /* rad, [samples + 2 OCT_KCLOCK_EXTENT], from -EXTENT on */
  double *amplitude; /* [samples] */
  float *weight;     /* [samples], of mean 1 */
  float weight_inside;
  OctKclockBlocks blocks;
  /* c[o] = sum over b of fit[o][b] residual[b] */
  float fit[OCT_KCLOCK_MOST_ORDER + 1][OCT_KCLOCK_BLOCKS];
  float *filter; /* [length / 2 + 1], of the bins, over their number */
  /* bins for the SNR: +1 in the band, -1 in the noise, else 0 */
  gint8 *role;           /* [length / 2 + 1] */
  guint signals, noises; /* bins of either */
  /* the tables that A-lines are compared with and resampled by: */
  float *cosine, *sine, *slope, *bend; /* [samples + 2 EXTENT] of the phase */
  float *gap;    /* [samples] least |u|^2; below 0: the sample does not count */
  gint32 *place; /* [samples] where the wavenumber is: whole samples, */
  float *fraction; /* ... and the rest, 0 .. 1 */
  float *inverse;  /* [samples] samples per rad there */
  struct _OctKclockWork *work;
} OctKclock;

/* NULL with OCT_ERROR_MEMORY; the params have passed the check. */
OctKclock *oct_kclock_new (const OctKclockParams *params, GError **error);
void oct_kclock_free (OctKclock *k);

/* A-lines that oct_kclock_find() takes at most. */
guint oct_kclock_first_lines (const OctKclockParams *params);

/* Finds the first reference in `clocks`, [lines][samples], as oct_kclock_new()
 * has room for.  The verdict is `found` and `why`. */
void oct_kclock_find (OctKclock *k, const float *clocks, guint lines);

/* New settings for the same samples, see oct_kclock_is_same(). */
void oct_kclock_set_params (OctKclock *k, const OctKclockParams *params);

/* Renews it by mean[samples] complex values of `count` A-lines, and makes the
 * tables. */
void oct_kclock_renew (OctKclock *k, const double *mean, guint count);

/* Parts of finding and renewing: the phase beyond the ends; all tables, from phase,
 * amplitude and weight; the largest slope in rad per sample; what depends on
 * settings: method, fit, whole cycles. */
void oct_kclock_extend (OctKclock *k);
void oct_kclock_make_tables (OctKclock *k);
double oct_kclock_steepest (const OctKclock *k);
void oct_kclock_choose (OctKclock *k);

G_END_DECLS
