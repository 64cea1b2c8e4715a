/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The dispersion of any scene, without a mirror: the phases that make its
 * A-scans sharpest.
 *
 * Spectra are multiplied by exp (-i (c2 x^2 + c3 x^3)), x = -1 .. 1 over the
 * uniform wavenumbers, so that c2 and c3 are phases in rad at the ends of the
 * axis: a2 = c2 / (dk / 2)^2 and a3 = c3 / (dk / 2)^3 with its range dk.  The
 * score of A-scans is the mean over the lines of sum p ln p, p the power of a
 * bin over the sum of them in its line (their entropy with the sign turned). It
 * is looked for on grids of 3 and 4 rad, then by golden sections to 0.1 rad.
 * With 20 lines of tissue c2 comes out to 1 rad rms, with 200 to 0.4; 1 rad
 * costs 0.1 dB of a peak.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

/* A-lines that are enough; more are thinned out. */
#define OCT_AUTOFOCUS_LINES 256
#define OCT_AUTOFOCUS_MIN_LINES 16
/* Bins near zero delay that are not judged. */
#define OCT_AUTOFOCUS_FIRST_BIN 20
/* c2 is looked for in +- this, rad; in more if that is too little. */
#define OCT_AUTOFOCUS_RANGE 100.0
#define OCT_AUTOFOCUS_MAX_RANGE 400.0

typedef struct {
  double c2, c3;         /* rad */
  double error2, error3; /* their standard errors, from four runs of lines */
  double score;
  /* of the score over that of the phases in force, and its standard error from
   * OCT_AUTOFOCUS_GAIN_PARTS runs of lines */
  double gain, gain_error;
  /* their trimmed mean over its standard error, see oct_autofocus_is_certain() */
  double certainty;
  double contrast; /* of the score over the median of those on the first grid */
  guint lines;     /* that counted */
  guint evaluations; /* of the score */
} OctAutofocus;

/* ------------------------------------------------------------------- search
 */

/* Runs of lines that the errors of c2 and c3 come from, and that of the gain. */
#define OCT_AUTOFOCUS_PARTS 4
#define OCT_AUTOFOCUS_GAIN_PARTS 16

/* The score of one of `parts` runs of lines, 0 of 1: of all. */
typedef double (*OctAutofocusScore) (
    gpointer data, guint part, guint parts, double c2, double c3);

/* `third`: c3 too, else it is 0; former[2]: c2 and c3 in force.  FALSE:
 * *cancelled (atomic, may be NULL) became TRUE meanwhile.  All of `found` but
 * the lines is set. */
gboolean oct_autofocus_search (OctAutofocusScore score, gpointer data,
    gboolean third, const double former[2], const gint *cancelled,
    OctAutofocus *found);

/* --------------------------------------------------------------- of spectra
 */

typedef struct {
  guint samples, lines;
  const double *phase; /* [samples] rad: the scene is multiplied by exp (+i
                        * phase) first; NULL: 0 */
  guint first, end;    /* bins that are judged, end 0: half of the samples; bins
                        * before 3/4 of the first are left out */
  gboolean third;
  double former[2];      /* c2 and c3 in force, rad */
  const gint *cancelled; /* atomic, or NULL */
} OctAutofocusParams;

/* spectra[lines][samples], real, uniform in wavenumber, tightly packed, without
 * background; a residue of it near zero delay does no harm.  Lines with a value
 * that is not finite do not count.  One thread, by the transforms of the CPU
 * backend: about 0.3 s for 256 lines of 2048 samples.  FALSE with an error:
 * OCT_ERROR_FORMAT, nothing to judge; _SETTINGS, too few lines or bins;
 * _MEMORY; or without one: cancelled. */
gboolean oct_autofocus_find (const OctAutofocusParams *params,
    const float *spectra, OctAutofocus *found, GError **error);

/* Whether `found` is an answer.  FALSE with OCT_ERROR_FORMAT and a sentence
 * that says why not: the scene does not become sharper anywhere, the answer is
 * at the end of the range, or parts of the scene contradict each other. */
gboolean oct_autofocus_check (const OctAutofocus *found, GError **error);

/* Whether the scene can distinguish the result from the current phases: its
 * gain is certain.  Near the highest score it is flat, and a scene whose lines
 * score differently by chance has its top next to the right phases. */
gboolean oct_autofocus_is_certain (const OctAutofocus *found);

G_END_DECLS
