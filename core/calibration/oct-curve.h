/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Curves given by samples: smoothing, interpolation, phases without jumps,
 * quantiles, splines and least squares; double precision.
 */
#pragma once

#include <complex.h>
#include <glib.h>

G_BEGIN_DECLS

/* y at x = `at`: linear between the x[n], which ascend, constant outside. */
double oct_curve_interpolate (
    const double *x, const double *y, guint n, double at);

/* out[n] (not v): moving mean of v[n] with a Hann kernel of half length `half`
 * samples (>= 1), normalised where it reaches over an end. */
void oct_curve_smooth (
    const double complex *v, guint n, guint half, double complex *out);

/* Removes jumps of 2 pi from phase[n], outwards from sample `from`: noise at
 * one end stays there. */
void oct_curve_unwrap (double *phase, guint n, guint from);

/* Between the values next to it; part 0.5 is the median.  0 of none. */
double oct_curve_quantile (const double *values, guint n, double part);

/* Differences over one sample at the ends, half of those over two between. */
void oct_curve_gradient (const double *values, guint n, double *gradient);

/* values[n] at the positions at[count], clamped to 0 .. n - 1: natural cubic
 * spline over the index, n >= 3. */
void oct_curve_spline (const double complex *values, guint n, const double *at,
    guint count, double complex *out);

/* offset + slope x nearest to y[n] in the sense of weights[n] (NULL: 1). */
void oct_curve_fit_line (const double *x, const double *y,
    const double *weights, guint n, double *offset, double *slope);

/* First four Legendre polynomials at x = -1 .. 1 for sample i of n. */
void oct_curve_legendre (guint i, guint n, double p[4]);
/* Their sum nearest to y[n] in the sense of weights[n]; FALSE: all are 0. */
gboolean oct_curve_fit_cubic (
    const double *y, const double *weights, guint n, double coefficients[4]);

/* The cubic B-splines of `segments` equal segments of 0 .. n - 1; there are
 * segments + 3.  At `position` four of them are not zero: from the one that is
 * returned, with the values weights[4]. */
guint oct_curve_bspline (
    guint segments, guint n, double position, double weights[4]);

/* Solves A x = b for a symmetric, positive definite a[n][n], which becomes its
 * lower triangular factor (Cholesky); b[n] becomes x.  FALSE: A is none. */
gboolean oct_curve_solve (double *a, guint n, double *b);
/* b[n] for the next right hand side, with the factor of the call before. */
void oct_curve_solve_again (const double *factor, guint n, double *b);

G_END_DECLS
