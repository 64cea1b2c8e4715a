/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The delay of a scanner's mirrors, from B-scans that run forth and back over
 * the same place.
 *
 * Mirrors that are late by L A-lines move the image by L on the way forth, and
 * by -L on the way back, if that B-scan is turned round.  So two B-scans
 * that follow each other, in opposite directions, are 2 L apart:
 *
 *   r (l) = sum_z sum_i b_z(i + l) a_z(i) / sqrt (sum a^2 sum b^2)
 *
 * over the A-lines i that overlap and all depths z, without the mean of each
 * depth and 1/20 of the A-lines at either side.  The largest r of whole l,
 * interpolated 16-fold by Fourier's series of the 33 values about it, and a
 * parabola through 17 of these give 2 L.  Neighbouring pairs have opposite
 * signs of a steady drift: their means are averaged (docs/scanning.md).
 */
#pragma once

#include "oct-scan-places.h"

G_BEGIN_DECLS

#define OCT_SCAN_TUNER_LEAST_LINES 32u
/* A-lines that two B-scans are apart at most, at least: with more than four
 * times as many A-lines, a quarter of them. */
#define OCT_SCAN_TUNER_REACH 64u
/* Less resemblance gives no delay. */
#define OCT_SCAN_TUNER_LEAST_CORRELATION 0.15
/* Pairs of the same order of directions whose delays differ more, in A-lines,
 * root mean square, give none, too: few A-lines of few depths resemble each
 * other by chance, and each pair somewhere else, while true B-scans a whole
 * spot apart err by 0.15. */
#define OCT_SCAN_TUNER_MOST_SPREAD 1.0

/* A-lines to look at, in the order in which they were taken. */
typedef struct {
  guint sweeps, lines, depths;
  const float *amplitudes; /* [sweeps][lines][depths] */
  const guint8 *reverse;   /* [sweeps] 1: on the way back */
  /* [sweeps] 1: far from the one before, as after the end of a volume; NULL:
   * none is */
  const guint8 *apart;
  const gint *cancelled; /* atomic, or NULL */
} OctScanSweeps;

typedef struct {
  double lag;         /* A-lines; below 0: the beam is ahead */
  double error;       /* standard error of it; NAN: with less than 3 pairs */
  double correlation; /* mean of the pairs, 0.15 .. 1 */
  guint pairs;
} OctScanTuning;

/* Uses one thread, and memory of two B-scans in double precision at the most.
 * FALSE with OCT_ERROR_SETTINGS: too few B-scans or A-lines, or all in one
 * direction, or a delay beyond the reach; with OCT_ERROR_FORMAT: values that
 * are not finite, B-scans without structure, or that do not resemble each
 * other, or pairs with other delays.  Without an error: cancelled. */
gboolean oct_scan_tuner_find (
    const OctScanSweeps *sweeps, OctScanTuning *found, GError **error);

/* A B-scan that runs back along the one before it is at no A-line farther from
 * it than this part of its length. */
#define OCT_SCAN_TUNER_NEAR 0.125
/* An axis that moves less than this part of the other one along B-scans has no
 * delay that can be found in them. */
#define OCT_SCAN_TUNER_LEAST_MOVE 0.1

/* Whether each B-scan of the path runs back along the one before it, as those
 * of a raster that goes forth and back, so that pairs of them tell the delay.
 * axes[x, y]: along which axes the beam moves then.  FALSE with
 * OCT_ERROR_SETTINGS: it does not. */
gboolean oct_scan_tuner_check_path (
    const OctScanPlaces *places, gboolean axes[OCT_SCAN_AXES], GError **error);

G_END_DECLS
