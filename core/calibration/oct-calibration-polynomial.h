/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Lists of numbers as users write them, for oct-calibration.c: coefficients of
 * polynomials, and spectra.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

/* values[n] = sum_i c_i (first + step j)^i, j = 0 .. n - 1, of the text
 * "c0,c1,...".  `property` begins the messages ("`k-polynomial`"), `example` is
 * what they propose.  OCT_ERROR_SETTINGS: no numbers, or terms so much larger
 * than their sum that double precision does not tell it to 1e-7; any order is
 * taken otherwise. */
gboolean oct_calibration_polynomial (const char *property, const char *example,
    const char *text, double first, double step, guint n, double *values,
    GError **error);

/* Values [n] of the text "v0,v1,...", to be freed.  NULL with
 * OCT_ERROR_SETTINGS: no numbers, or not as many. */
double *oct_calibration_parse_spectrum (
    const char *property, const char *text, guint n, GError **error);

G_END_DECLS
