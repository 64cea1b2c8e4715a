/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Wavenumbers and dispersion from the fringes of mirrors at any depths.
 *
 * The phase of mirror m at sample p, in the sense in which it rises, is
 * a_m K(p) + side_m D(p) + c_m: K rises from 0 to 1 over the record, and is
 * proportional to the wavenumber but for a constant; a_m > 0 is the depth, in
 * rad over the record; D is the dispersion of the sample side, without a
 * straight line in K.  Dispersion enters with the opposite sign (side -1) on
 * the other side of the zero delay.
 */
#pragma once

#include "oct-fringe.h"

G_BEGIN_DECLS

typedef struct _OctMirrorModel OctMirrorModel;

typedef struct {
  guint samples, mirrors;
  double *k;          /* [samples] K */
  double *d;          /* [samples] D, rad */
  double *light;      /* [samples] square of the source's spectrum, 0 .. 1 */
  double *a;          /* [mirrors] rad over the record */
  double *sides;      /* [mirrors] +1 or -1 */
  double *residuals;  /* [mirrors] rms, rad */
  double *amplitudes; /* [mirrors][samples] of the fringe, counts */
  double complex *backgrounds; /* [mirrors][samples] slow variations */
  double residual;             /* rms of all, rad */
  gboolean rising;             /* K rises from each sample to the next */
  guint rounds;
  OctMirrorModel *model; /* for the functions below */
} OctMirrorFit;

/* Fits fringes[count], count >= 1, all of as many samples.  sides[count]: +1
 * or -1.  NULL: they do not determine K and D. */
OctMirrorFit *oct_mirror_fit_new (
    OctFringe *const *fringes, guint count, const double *sides);
void oct_mirror_fit_free (OctMirrorFit *fit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctMirrorFit, oct_mirror_fit_free)

/* The sides of three or more mirrors relative to that of the first: found
 * sides[mirrors].  Returns how much worse the next best choice fits (chi^2): 2
 * and more is certain, less is undecided. */
double oct_mirror_fit_find_sides (const OctMirrorFit *fit, double *sides);

/* Bin of a transform over all samples at which mirror m has its peak. */
double oct_mirror_fit_get_bin (const OctMirrorFit *fit, guint m);

/* From the first to the last depth, those of the other side negative, over the
 * deepest: 0 .. 2. */
double oct_mirror_fit_get_spread (const OctMirrorFit *fit);

/* The columns of a calibration, [samples] each: k_index rises, dispersion is
 * the phase of exp (+i phase) at the uniform wavenumbers, for reflections on
 * `side`. */
void oct_mirror_fit_fill_columns (
    const OctMirrorFit *fit, double side, double *k_index, double *dispersion);

/* Wavelength of each sample in nm, [samples], between those of the two ends. */
void oct_mirror_fit_fill_wavelengths_between (const OctMirrorFit *fit,
    double first_nm, double last_nm, double *wavelengths);

/* Residual phases of mirror m in rad at the samples at[count]; *at and the
 * returned array belong to the fit.  Samples without weight (NULL: not asked
 * for) were not used. */
const double *oct_mirror_fit_get_residuals (const OctMirrorFit *fit, guint m,
    const double **at, const double **weights, guint *count);

/* The phase error of reflections at bins[count] on `side` that the noise of the
 * fringes leaves, rms in rad: a lower bound. */
void oct_mirror_fit_find_errors (const OctMirrorFit *fit, double side,
    const double *bins, guint count, double *errors);

/* For mirrors at the same depth, on the same side, which cannot separate K from
 * D: D becomes 0, K the phase at that depth. */
void oct_mirror_fit_forget_dispersion (OctMirrorFit *fit);

/* The scale from positions of the mirrors in um, along the scan of the sample
 * arm. */
typedef struct {
  double k_span;   /* rad/um, from the smallest to the largest wavenumber */
  double bin_um;   /* depth of one bin, in air */
  double error_um; /* rms, of the positions from the scale */
  gboolean *off;   /* [mirrors] do not fit, and were left out */
} OctMirrorScale;

/* positions[mirrors]; FALSE: fewer than two different ones.  Free with
 * oct_mirror_scale_clear(). */
gboolean oct_mirror_fit_find_scale (
    const OctMirrorFit *fit, const double *positions, OctMirrorScale *scale);
void oct_mirror_scale_clear (OctMirrorScale *scale);

/* The sides relative to the first mirror that put three or more mirrors on a
 * line over their positions.  Returns how many times worse the next best
 * choice is; below 3 they are undecided. */
double oct_mirror_fit_find_sides_by_position (
    const OctMirrorFit *fit, const double *positions, double *sides);

/* Wavelength of each sample in nm, [samples].  `centre_nm`: centre of gravity
 * of the light over wavelength; `rises`: with the sample. */
void oct_mirror_fit_fill_wavelengths (const OctMirrorFit *fit, double k_span,
    double centre_nm, gboolean rises, double *wavelengths);

G_END_DECLS
