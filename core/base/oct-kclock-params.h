/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Parameters of OCT_OPERATION_KCLOCK, for oct-backend.h.
 */
#pragma once

#include "oct-kclock-limits.h"
#include "oct-types.h"

G_BEGIN_DECLS

/* Spectra of a swept source, uniform in wavenumber by its k-clock: U8, U16 or
 * F32 [lines][2 samples], of every A-line the spectrum and then the clock ->
 * F32 [lines][samples].  The clock is the interference of two paths, of phase
 * phi (n) = k (n) L at sample n, which rises.
 *   z: the analytic signal in a band.  The clock less its mean, with
 *     OCT_KCLOCK_PAD samples mirrored before and as many or a few more after
 *     it, M in all (oct_kclock_length); bins 0 < q < M / 2 of its transform
 *     times 2 sin^2 (pi/2 up) sin^2 (pi/2 down), up and down rising from 0 to 1
 *     within max (.15 (high - low), 2 / samples) outside of the band low .. high
 *     in cycles per sample, and back.
 *   ref: the reference, a phase for every sample, parabolas through the nearest
 *     three between them, with amplitudes M.  It is
 *     found from the first A-lines (oct-kclock.h) and renewed after every frame:
 *     of the A-lines that are at least `lines / average` apart and good, c of
 *     them, m is the mean of z exp (-i ref (n - t)), a = min (1, c / average), and
 *     M becomes |(1 - a) M + a m|, ref becomes ref + arg ((1 - a) M + a m).  Both
 *     are forgotten if fewer than half of the A-lines of a frame are good.
 *   t: the delay of an A-line in samples.  In OCT_KCLOCK_BLOCKS equal parts b of
 *     the sweep y = sum z exp (-i ref (n - t)), d = arg y, unwrapped over b; whole
 *     cycles m nearest to the mean of d, weights |z|^2; if `max_jitter` exceeds
 *     half a cycle, to that of d + t' slope, with t' from the slope of d.  t
 *     becomes t - sum w s (d - 2 pi m) / sum w s^2, s the slope of ref; from 0,
 *     twice.  The residual of b is what that leaves of d - 2 pi m.
 *   out[j], or out[samples - 1 - j] if the wavenumber falls along the sweep, so that
 *     it rises along the output: the spectrum at x + delay, x the fixed point of x = p + t - e (x) / s,
 *     ref (p) = r0 + (r1 - r0) j / (samples - 1), s the slope of ref at p, r0 and r1
 *     the ends of the first reference.  e = 0 of STATIC; FIT: the polynomial in n of
 *     `order`, the least squares through the residuals; FULL: arg of z exp (-i
 *     ref (n - t)), straight lines between samples.  AUTO: STATIC or FIT, as
 *     oct-kclock.h says.  Read by OCT_KCLOCK_TAPS samples with the weights sinc (d)
 *     I0 (OCT_KCLOCK_BETA (1 - (2 d / taps)^2)^1/2) of their distances d, of unit
 *     sum; the first and the last sample stand in for those beyond.
 * An A-line is refused, by the first that is true, as
 *   WEAK: its SNR is below min_snr.  In the power spectrum of the clock with a
 *     Hann window, over M, noise is the mean more than .01 outside of the band and
 *     above .005; SNR = sum in the band (p - noise) / (noise M / 2);
 *   GAP: |u| < .3 of that of M, u the mean of z exp (-i ref (n - t)) over 17 samples;
 *   HOP: |arg u| > 1.5, or the rms residual is above max (.3, 5 medians of those of
 *     the first reference), or the phase falls from sample n - 1 to n + 1 for 1 % of
 *     the n; GAP and HOP over samples whose weight is above .2 of the largest;
 *   LATE: |t| > max_jitter + .5.
 * It then has t = 0 and e = 0.  All values are 0 until a reference is found.
 * get_counts(): A-lines so far, by OctKclockFault. */
typedef enum {
  OCT_KCLOCK_STATIC,
  OCT_KCLOCK_FIT,
  OCT_KCLOCK_FULL,
  OCT_KCLOCK_AUTO,
} OctKclockMethod;

typedef enum {
  OCT_KCLOCK_GOOD,
  OCT_KCLOCK_WEAK,
  OCT_KCLOCK_GAP,
  OCT_KCLOCK_HOP,
  OCT_KCLOCK_LATE,
  /* there is no reference: no clock was found in the A-lines, or one of too many
   * or too few cycles */
  OCT_KCLOCK_NONE,
  OCT_KCLOCK_FAST,
  OCT_KCLOCK_SLOW,
  OCT_KCLOCK_N_FAULTS
} OctKclockFault;

typedef struct {
  OctSampleFormat format; /* of the input: U8, U16 or F32 */
  guint samples;          /* of either, OCT_KCLOCK_LEAST_SAMPLES or more */
  guint lines, bscans;
  OctKclockMethod method;
  guint order;       /* 0 .. OCT_KCLOCK_MOST_ORDER, FIT only */
  guint average;     /* A-lines, 1 .. OCT_KCLOCK_MOST_AVERAGE */
  double max_jitter; /* samples, 0 .. OCT_KCLOCK_MOST_JITTER */
  double min_snr;    /* dB */
  double delay;      /* samples, of the spectrum after the clock */
  gboolean falling;  /* the wavenumber, along the sweep */
} OctKclockParams;

G_END_DECLS
