/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shared by the checks of the transforms of samples at any positions.
 */
#pragma once

#include "nufft-rows.h"
#include "oct-nufft.h"

#define ROUNDING 1e-5 /* relative l2 of single precision */

static inline gboolean
is_gridded (OctOperation operation)
{
  return operation == OCT_OPERATION_NUFFT;
}

/* The name of a case, g_free(). */
char *case_name (
    OctOperation operation, const OctNufftParams *p, const char *nodes);
/* The same, or NULL for one that is not asked for or is too large for slow
 * checkers. */
char *wanted_name (const Check *check, OctOperation operation,
    const OctNufftParams *p, const char *nodes);
/* Random lines of very different magnitude, which must not meet. */
void fill_input (Rows *rows, GRand *random);
/* The worst relative l2 of some lines against the definition, gridded or exact.
 */
double worst_error (
    const OctNufftParams *p, const Rows *in, const Rows *out, gboolean gridded);
/* Nodes of a spectrometer, half of the A-scan, the default grid; `positions`
 * and `window` have room for the samples and are filled, too. */
OctNufftParams spectrometer (
    guint samples, guint lines, double *positions, double *window);
