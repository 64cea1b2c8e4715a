/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Parameters that a plan cannot be made of, in a user's words: the same
 * sentence whichever backend is asked.
 *
 * Every function returns TRUE, or FALSE with OCT_ERROR_SETTINGS and a sentence
 * that names the value found and those possible; `error` may be NULL.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

/* The parameters of one operation, as given to its create() and update(). */
gboolean oct_check_background (
    const OctBackgroundParams *params, GError **error);
gboolean oct_check_resample (const OctResampleParams *params, GError **error);
gboolean oct_check_dispersion (
    const OctDispersionParams *params, GError **error);
gboolean oct_check_fft (const OctFftParams *params, GError **error);
gboolean oct_check_logscale (const OctLogscaleParams *params, GError **error);

/* For the checks of further operations: TRUE when
 * 1 <= values <= OCT_MAX_SAMPLES and 1 <= lines <= OCT_MAX_LINES. */
gboolean oct_check_size (guint values, guint lines, GError **error);

/* TRUE when `lines` are those of `bscans` B-scans of the same size, 0 or 1 of
 * them included. */
gboolean oct_check_bscans (guint bscans, guint lines, GError **error);

/* TRUE when the table `values` of `count` is given and all of it is finite;
 * `name` begins the sentence of the error. */
gboolean oct_check_finite (
    const double *values, guint count, const char *name, GError **error);

G_END_DECLS
