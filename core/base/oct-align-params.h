/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Parameters of OCT_OPERATION_ALIGN, for oct-backend.h.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Repeated B-scans of a place moved onto the first one: CF32 [lines][depth_bins]
 * -> the same.  Each of several B-scans is one of the repeats in turn; after
 * `repeats` of them, those of the next place begin.  The first of a place stays
 * as it is; each further one, b, is compared with a, the mean of those before it
 * that were not rejected.  Values that are not finite count as 0.
 *   AXIAL: C_u(x) = sum_q b[x][q + u] conj a[x][q], |u| <= max_shift, and S_u =
 *     sum |C_u|^2 over each of max (1, round (lines / group)) groups of A-lines.
 *     Where S_u is largest, refined by a parabola through log S, is the shift of
 *     the middle of the group; of all A-lines together if it is not clear, and 0
 *     if that is not: the largest is at an end or not over OCT_ALIGN_CLEAR times
 *     the smallest.  Linear between the middles.  Then b[q] = sum_k b[q + i + k]
 *     (-1)^(i + k) L (t - k) / sum_k L (t - k), -3 <= k <= 4, i + t the shift, i
 *     whole, 0 <= t < 1, L (x) = sinc x sinc (x / 4): the sign takes off the
 *     carrier that A-scans have, as the samples of spectra run from 0;
 *   TRANSLATION: this, then along the A-lines.  S_j = sum_x |sum_q b[x + j] conj
 *     a[x]|^2 / sum_x (sum |a[x]|^2 sum |b[x + j]|^2), |j| <= OCT_ALIGN_LATERAL,
 *     gives one shift for all, as above if the largest is not at an end; beyond
 *     0.05, each b[x] is turned back by its mean phase, and read there by the
 *     cubic of Catmull and Rom, with the first and last A-line beyond.
 * Then b[x] is turned back by a phase, c = b conj a:
 *   MEAN: arg sum c;
 *   HISTOGRAM: the fullest of OCT_ALIGN_PHASES bins of arg c, weighted by |c|,
 *     smoothed by 1 2 1, refined by a parabola;
 *   MODE: from there on three times arg sum w c, w = 1 / (1 + |b e^-i phase - a|^2
 *     / s), s = 2 noise + 0.02 (|a|^2 + |b|^2), noise the lowest mean |b|^2 of
 *     OCT_ALIGN_BANDS bands of depth: what moves has little weight;
 *   LINE: phase + q slope in the place of phase, by such weights, first 1, three
 *     times: slope = arg sum P[q + 1] conj P[q], P = w c, twice refined by the
 *     phase between the parts above and below the mean depth of |P|, over the
 *     distance of theirs.
 * A repeat is rejected, that is set to 0, if there are 3 or more and 1 - sum over
 * x of |sum c| / (sum |a|^2 sum |b|^2)^1/2 > reject, over the values where (|a|^2 +
 * |b|^2) / 2 > min (10 noise, mean |b|^2): all depths may have tissue.
 * get_found(): repeats of this place so far that were rejected. */
typedef enum {
  OCT_ALIGN_NONE,
  OCT_ALIGN_AXIAL,
  OCT_ALIGN_TRANSLATION,
} OctAlignRegistration;

typedef enum {
  OCT_PHASE_NONE,
  OCT_PHASE_MEAN,
  OCT_PHASE_HISTOGRAM,
  OCT_PHASE_MODE,
  OCT_PHASE_LINE,
} OctAlignPhase;

#define OCT_ALIGN_MOST 1024u /* repeats */
#define OCT_ALIGN_FARTHEST 32u

typedef struct {
  guint depth_bins, lines, bscans;
  guint repeats; /* 1 .. OCT_ALIGN_MOST */
  OctAlignRegistration registration;
  guint max_shift; /* bins, 2 .. OCT_ALIGN_FARTHEST */
  guint group;     /* A-lines, from 1 on */
  OctAlignPhase phase;
  double reject; /* 0 .. 1 */
} OctAlignParams;

G_END_DECLS
