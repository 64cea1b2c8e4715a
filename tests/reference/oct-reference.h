/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The reference: every operation of oct-backend.h in double precision, as
 * the formula that defines it and nothing else - direct sums over the samples,
 * a dense matrix for compressive sensing.  Slow, and easy to compare with the
 * page of docs/elements or the paper that each function names.
 *
 * Tests compare a backend with it, on any input.  It shares the structs of
 * parameters and the checks of oct-params.h with the backends, and no
 * arithmetic.  One thread.
 */
#pragma once

#include "oct-operation.h"

#include <complex.h>

/* glibc has it for GCC alone */
#ifndef CMPLX
#  define CMPLX(re, im) __builtin_complex ((double)(re), (double)(im))
#endif

typedef double complex Complex;

/* --------------------------------------------------------------- operations */

/* A plan of an operation: a copy of its parameters and its history. */
typedef struct _OctPlan OctReference;

/* NULL with the error that create() of a backend has. */
OctReference *oct_reference_new (
    OctOperation operation, gconstpointer params, GError **error);
void oct_reference_free (OctReference *reference);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctReference, oct_reference_free)

OctStepShape oct_reference_get_input (const OctReference *reference);
OctStepShape oct_reference_get_output (const OctReference *reference);

/* One B-scan, not rounded: `in` and `out` as the shapes say, real values with
 * an imaginary part of zero.  The grey levels of A-scans, colours and means are
 * rounded, as their definitions have it; those of other filters of images are
 * not, so that a test sees which levels lie next to a half.  `mean`: [samples],
 * for a background that was found, else NULL. */
void oct_reference_run (OctReference *reference, const Complex *in,
    const double *mean, Complex *out);

/* The noise that the last oct_reference_run() of compressive sensing has found,
 * in counts; 0: none. */
double oct_reference_get_found (const OctReference *reference);

/* Grey levels before they are rounded and clamped; not-a-number is 0 and a
 * range without extent or values gives zeros.  As oct_reference_run()
 * otherwise, and instead of it: the history goes on. */
void oct_reference_run_levels (
    OctReference *reference, const Complex *in, double *levels);

/* The chroma of NV12: pairs of blue and red, [(height + 1) / 2][(width + 1) /
 * 2]. */
void oct_reference_chroma (
    const OctColormapParams *params, const Complex *in, double *chroma);

/* One plane of an image, not rounded: [height][width][parts] -> the same; width
 * and height: of the image, or of its chroma. */
void oct_reference_flip (const OctFlipParams *params, guint width, guint height,
    guint parts, const double *in, double *out);

/* Grey levels, not rounded: [height][width] pixels, of RGBA four values each ->
 * [height][width]. */
void oct_reference_speckle (
    const OctSpeckleParams *params, const double *in, double *out);

/* The same operations as a table like any backend's: float and integers in and
 * out, rounded at the end.  Not safe for threads. */
const OctBackend *oct_backend_reference (void);

/* One line by gridding, whatever the nodes are: what the kernel, the grid and
 * the width lose is in it (oct-nufft.h). */
void oct_reference_gridded (
    const OctNufftParams *p, const Complex *in, Complex *out);
/* One line by the definition. */
void oct_reference_exact (
    const OctNufftParams *p, const Complex *in, Complex *out);

/* The shortest even length of at least `least` without a prime factor above 7.
 */
guint oct_reference_fast_length (double least);

/* spectrum[samples] of full scale 1, without noise, of the virtual system's
 * camera in front of its mirror `depth` um deep (oct-phantom.h). */
void oct_reference_mirror (guint samples, double depth, double *spectrum);

/* --------------------------------------------------- windows, calibrations */

/* window[samples], unit mean square over the uniform axis, at the positions
 * t[samples] clamped to it or, when NULL, at 0 .. samples - 1.  `nick` as in
 * the property `window`. */
void oct_reference_window (
    const char *nick, guint samples, const double *t, double *window);

/* y at x of the line through (at[i], values[i]), at[] rising; the first and the
 * last value beyond. */
double oct_reference_interpolate (
    const double *at, const double *values, guint count, double x);

/* The contents of a calibration file for `samples` samples;
 * docs/calibration.md. */
typedef struct {
  guint samples;
  double *positions;    /* s[j], in samples, of uniform wavenumber j */
  double *nodes;        /* t[n], of sample n on the uniform axis */
  double *phase;        /* rad at the uniform wavenumbers, or NULL */
  double *sample_phase; /* rad at the samples, or NULL */
  double *background;   /* counts, or NULL */
  double k_min, k_max;  /* rad/um, or 0 */
} OctReferenceCalibration;

/* Arrays [samples], each but `wavelength_nm` (or `k_index` in its place) may be
 * NULL; with the meaning of the columns of a file. */
OctReferenceCalibration *oct_reference_calibration_new (guint samples,
    const double *wavelength_nm, const double *k_index,
    const double *dispersion_rad, const double *background);
void oct_reference_calibration_free (OctReferenceCalibration *calibration);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (
    OctReferenceCalibration, oct_reference_calibration_free)

/* phase[samples] of the calibration and of -(a2 (k - kc)^2 + a3 (k - kc)^3), at
 * the uniform wavenumbers or at the samples. */
void oct_reference_calibration_phase (const OctReferenceCalibration *c,
    gboolean at_samples, double a2, double a3, double *phase);
