/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The wavenumbers of a spectrometer from any scene that reaches deep, without a
 * mirror: the correction of the k map, and the dispersion with it, that make
 * its A-scans sharpest.
 *
 * The sample at x = -1 .. 1 on the axis of uniform wavenumbers is read at x +
 * q2 P2 (x) + q3 P3 (x).  P2 and P3 are x^2 and x^3 less the straight line that
 * is nearest to them under the light, so that depths and bandwidth stay as they
 * are.  A wrong k map blurs in proportion to the depth, dispersion blurs all
 * depths alike: c2 and c3 are the phases at the mean depth (the pivot), so that
 * the two hardly depend on each other.  The score is the mean over the lines of
 * ln sum power^2 of the bins, not normalised: power that leaves the range
 * counts as lost.
 *
 * Simulated layers to a quarter of the depth range: an error of 1.6 rad per 100
 * bins becomes less than 0.2, a right map stays within 0.15.  Layers within a
 * narrow range of depths cannot separate the two, and are refused.
 */
#pragma once

#include "oct-autofocus.h"

G_BEGIN_DECLS

/* Least standard deviation of the depths that the light comes from, over their
 * mean, at which k map and dispersion can be distinguished. */
#define OCT_REFINE_LEAST_SPREAD 0.4
/* rad per 100 bins; a smaller correction counts as none. */
#define OCT_REFINE_SAME 0.2
/* q2 and q3 are looked for in +- this. */
#define OCT_REFINE_RANGE2 0.12
#define OCT_REFINE_RANGE3 0.06

enum { OCT_REFINE_C2, OCT_REFINE_C3, OCT_REFINE_Q2, OCT_REFINE_Q3 };
#define OCT_REFINE_VALUES 4

typedef struct {
  double values[OCT_REFINE_VALUES]; /* c2, c3, q2, q3 */
  double phase2, phase3; /* rad: spectra on the corrected axis are multiplied by
                          * exp (-i (phase2 x^2 + phase3 x^3)) */
  double warp[4];        /* the correction as sum_i warp[i] x^i */
  double pivot;          /* bin */
  double spread;
  double change; /* rad per 100 bins, rms under the light */
  double gain;   /* of the score over that of the best dispersion alone */
  guint lines;
  guint evaluations;
} OctRefine;

/* ------------------------------------------------------------------- search
 */

typedef double (*OctRefineScore) (
    gpointer data, const double values[OCT_REFINE_VALUES]);

/* From the best dispersion alone; sets the values, the gain and the
 * evaluations.  FALSE: *cancelled (atomic, may be NULL) became TRUE meanwhile.
 */
gboolean oct_refine_search (OctRefineScore score, gpointer data, double c2,
    double c3, const gint *cancelled, OctRefine *found);

/* --------------------------------------------------------------- of spectra
 */

/* As oct_autofocus_find(), with its parameters (`third` counts as TRUE) and
 * errors, and OCT_ERROR_FORMAT if the scene is insufficient: it
 * shows nothing, or its depths lie close together.  About 2 s for 256 lines of
 * 2048 samples. */
gboolean oct_refine_find (const OctAutofocusParams *params,
    const float *spectra, OctRefine *found, GError **error);

/* Whether `found` is an answer.  FALSE with OCT_ERROR_FORMAT: it lies at the
 * end of the search range. */
gboolean oct_refine_check (const OctRefine *found, GError **error);

/* The correction `warp` after one that is in force already, "c0,c1,..." or
 * NULL, as the text of `k-warp`, to be freed.  NULL with OCT_ERROR_SETTINGS. */
char *oct_refine_compose (
    const double warp[4], const char *current, GError **error);

G_END_DECLS
