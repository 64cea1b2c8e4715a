/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How sharp a mirror is after a calibration is applied.
 *
 * A-scans as octkresample (natural cubic spline), octdispersion and octfft
 * (Hann window of unit mean square, unitary transform) make them, but eight
 * times finer in depth.
 */
#pragma once

#include <complex.h>

#include "oct-types.h"
#include "oct-window.h"

G_BEGIN_DECLS

#define OCT_MIRROR_PEAK_PADDING 8

typedef struct {
  double bin;       /* of the highest value */
  double level;     /* dB, 20 log10 |a| */
  double width_3db; /* bins, of |a| */
  double width_6db;
  double width_20db;
  double side_lobe; /* dB below the peak, negative: the highest value farther
                       away than 1.5 times the width at -20 dB */
  double side_lobe_bin;
} OctMirrorPeak;

/* |a| [OCT_MIRROR_PEAK_PADDING * samples / 2] of one spectrum average[samples]
 * whose fringe rises in phase (samples >= 64): oct_fringe_new() makes such.
 * k_index[samples]: positions to read, NULL: the samples as they are.  They may
 * fall.  dispersion[samples] rad or NULL.  g_free() it. */
double *oct_mirror_peak_transform (const double complex *average, guint samples,
    const double *k_index, const double *dispersion);

/* The same with another window, to be looked at: widths and side lobes are
 * judged by those with a Hann window. */
double *oct_mirror_peak_transform_with (const double complex *average,
    guint samples, const double *k_index, const double *dispersion,
    OctWindow window);

/* Measures the highest peak of ascan[OCT_MIRROR_PEAK_PADDING * samples / 2]
 * between the bins `low` and `high`. */
void oct_mirror_peak_measure (const double *ascan, guint samples, double low,
    double high, OctMirrorPeak *peak);

/* |a| of a fringe of these amplitudes[samples] whose phase is exact, put at
 * `bin`: what no calibration exceeds.  As above. */
double *oct_mirror_peak_transform_ideal (
    const double *amplitudes, guint samples, const double *k_index, double bin);

G_END_DECLS
