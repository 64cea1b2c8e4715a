/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The fringe that a mirror leaves in spectra: where it is, how strong, and its
 * mean over A-lines.
 */
#pragma once

#include <complex.h>

#include "oct-types.h"

G_BEGIN_DECLS

/* Lower frequencies belong to the spectrum of the source. */
#define OCT_FRINGE_FIRST_BIN 8
/* dB above the floor: below these there is no fringe, or a weak one. */
#define OCT_FRINGE_MIN_SNR 15.0
#define OCT_FRINGE_GOOD_SNR 25.0

typedef struct {
  guint samples, given; /* given: A-lines */
  guint lines;          /* of them, that agree with each other and are used */
  /* [samples]: mean of the lines, each turned to a common phase; of one line
   * that line.  It is fringe + mix conj (fringe) + slow variations. */
  double complex *average;
  double complex mix;
  double frequency; /* cycles per record */
  double snr;       /* dB, of the highest bin to the noise floor, averaged; 0:
                       no peak, but the flank of the source's spectrum */
  double coherence; /* 0 .. 1, of the lines with each other */
  double agreement; /* the same of all that were given */
  double variance;  /* of the noise of one sample of `average` */
  double saturated; /* part of the samples at the largest value, 0 .. 1 */
  gboolean folded;  /* reaches half of the sampling rate */
} OctFringe;

/* Finds the fringe in raw[lines][samples], finite counts, samples >= 64.
 * background[samples], or NULL: the spectrum without a mirror, which is
 * subtracted as it fits each line best. */
OctFringe *oct_fringe_new (
    const double *raw, guint lines, guint samples, const double *background);
void oct_fringe_free (OctFringe *fringe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctFringe, oct_fringe_free)

/* The phase of the fringe as Legendre polynomials (oct_curve_legendre()) over
 * the samples.  FALSE: there is no fringe. */
gboolean oct_fringe_fit_cubic (const OctFringe *fringe, double phase[4]);

/* Periods over the record of the phase's deviation from a cubic, if the
 * amplitude of the fringe is smooth, as that of a single mirror; 0: it beats.
 */
guint oct_fringe_find_ripple (const OctFringe *fringe);

G_END_DECLS
