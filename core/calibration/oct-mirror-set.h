/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Measured mirrors: which of them a calibration is made of, its quality, and
 * why there is none if it fails.
 */
#pragma once

#include "oct-mirror-peak.h"
#include "oct-mirrors.h"

G_BEGIN_DECLS

typedef struct {
  char *name; /* for messages: "'m1.npy'" */
  OctFringe *fringe;
  double side;        /* as given: +1 the sample's, -1 the other, 0 not given */
  double position;    /* um along the scan of the mirror, NAN: unknown */
  double likely_side; /* what some of the others say while it is fitted, or 0 */

  /* results */
  gboolean used;
  char *reason;         /* a sentence, if it is not used */
  guint ripple;         /* that many times along the record: the reason, or 0 */
  gboolean falls_apart; /* a ripple that is followed: without a calibration the
                           peak is several lobes, each as narrow as any */
  double bin;           /* where its peak is */
  double residual;      /* rad, from the common fit */
  OctMirrorPeak before, after,
      ideal; /* no calibration, this one, none better */
} OctMirror;

/* rad rms: more, and the phases are not those of one calibration. */
#define OCT_MIRROR_SET_WORST_RESIDUAL 0.5

/* Ripples along the record that the splines of oct-mirror-solve.h follow: three
 * segments each. */
#define OCT_MIRROR_SET_RIPPLES 16

/* Depths over the deepest that are one depth. */
#define OCT_MIRROR_SET_ONE_DEPTH 0.01

/* Depths over the deepest, that are close together. */
#define OCT_MIRROR_SET_CLOSE 0.3

/* Width of a peak over the narrowest that its light allows. */
#define OCT_MIRROR_SET_GOOD_WIDTH 1.05

typedef enum {
  /* no peak more than 5 % wider than it could be, and half of the A-lines of
   * each mirror, or more of them, agree */
  OCT_VERDICT_GOOD,
  OCT_VERDICT_USABLE, /* ... 25 %, of any number of A-lines */
  OCT_VERDICT_BAD,
} OctVerdict;

typedef struct {
  guint samples;
  GPtrArray *mirrors; /* OctMirror */
  GPtrArray *notes;   /* sentences */
  OctMirrorFit *fit;  /* of those that are used, or NULL */
  GArray *used;       /* guint: numbers of these mirrors, in the fit's order */
  gboolean by_distance; /* known distances have confirmed the fit's sides */
} OctMirrorSet;

OctMirrorSet *oct_mirror_set_new (guint samples);
void oct_mirror_set_free (OctMirrorSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctMirrorSet, oct_mirror_set_free)

/* Takes `fringe`, of as many samples as the set. */
void oct_mirror_set_add (OctMirrorSet *set, const char *name, OctFringe *fringe,
    double side, double position);

OctMirror *oct_mirror_set_get (const OctMirrorSet *set, guint i);
/* The same of those that are used. */
OctMirror *oct_mirror_set_get_used (const OctMirrorSet *set, guint i);

/* A sentence about the mirrors that are used. */
void oct_mirror_set_note (OctMirrorSet *set, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Takes the mirror out of use, with a sentence why; oct_mirror_set_list_used()
 * makes that known to the set. */
void oct_mirror_leave_out (OctMirror *mirror, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
void oct_mirror_set_list_used (OctMirrorSet *set);

/* Sorts out mirrors without a usable fringe, with a sentence each; the set is
 * not empty.  FALSE: none is left, OCT_ERROR_FORMAT. */
gboolean oct_mirror_set_sort_out (OctMirrorSet *set, GError **error);

/* After sorting out: fits, finds the sides if they are not given, leaves out
 * inputs that are not a mirror like the others.  k_span: of the pixels in
 * rad/um if it is known within some per cent, else 0.  Error: OCT_ERROR_FORMAT,
 * why there is no calibration. */
gboolean oct_mirror_set_fit (OctMirrorSet *set, double k_span, GError **error);

/* At how many depths the mirrors of the fit are, or with `which` ([used]) those
 * that it marks. */
guint oct_mirror_set_count_depths (
    const OctMirrorSet *set, const gboolean *which);

/* After the fit: the mirrors show on which sides they are and that none of them
 * is beyond the depth range.  Two depths always fit each other: it takes three,
 * or two at a known distance. */
gboolean oct_mirror_set_is_proven (const OctMirrorSet *set);

/* Each mirror is taken to be on the other side of the zero delay, where its
 * side is known; the peaks have to be measured again. */
void oct_mirror_set_exchange_sides (OctMirrorSet *set);

/* Fills in the peaks of all mirrors with this calibration ([samples] each, as
 * in its CSV; dispersion may be NULL, for the side +1).  For mirrors whose
 * side is not given the sharper one is taken, and reported. */
void oct_mirror_set_measure (
    OctMirrorSet *set, const double *k_index, const double *dispersion);

/* The verdict of the peaks.  *worst: the mirror that is farthest from its
 * ideal. */
OctVerdict oct_mirror_set_judge (
    const OctMirrorSet *set, const OctMirror **worst);

/* Fewer than half of its A-lines agree with each other. */
gboolean oct_mirror_has_few_lines (const OctMirror *mirror);

/* Width of the mirror's peak over the narrowest that its light allows. */
double oct_mirror_get_excess (const OctMirror *mirror);

/* How the calibration does with mirrors that it was not made of: each of some,
 * spread over depth, measured with a calibration of those at other depths.
 * *excess: width over the one that is possible, of the worst.  Returns how many;
 * 0: there are fewer than four depths. */
guint oct_mirror_set_cross_check (const OctMirrorSet *set, double *excess);

/* FALSE, OCT_ERROR_FORMAT: the calibration of the fit, whose peaks have been
 * measured, is none to use, and why. */
gboolean oct_mirror_set_check (const OctMirrorSet *set, GError **error);

/* Advice to improve the calibration of the fit, a sentence without its end;
 * NULL: none. */
const char *oct_mirror_set_advise (const OctMirrorSet *set);

/* The fit knows one depth alone, and no dispersion. */
gboolean oct_mirror_set_is_one_depth (const OctMirrorSet *set);

/* Between which bins the calibration of the fit holds: errors of the phase, of
 * noise and of 0.03 rad that do not average out, stay below 0.3 rad, and fringes
 * below half of the sampling rate.  FALSE: of one depth alone, which is *low and
 * *high. */
gboolean oct_mirror_set_find_range (
    const OctMirrorSet *set, double *low, double *high);

/* The levels of the peaks over depth, by least squares, in dB per bin; FALSE:
 * fewer than two depths.  *lost_6db: bin at which 6 dB are lost to the
 * shallowest, 0: beyond the last mirror. */
gboolean oct_mirror_set_find_fall_off (
    const OctMirrorSet *set, double *slope, double *lost_6db);

G_END_DECLS
