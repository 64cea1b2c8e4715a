/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The delay between the channels of a digitizer, whose cables differ in length.
 */
#pragma once

#include "oct-kclock.h"

G_BEGIN_DECLS

/* From A-lines of one mirror, [lines][2 samples], of each the spectrum and then
 * the clock: by how many samples the spectra come after the clock, and the
 * standard error of that.  The references of both channels, as that of a clock
 * (oct-kclock.h), are phases with phase = a ref (n - delay) + c; least squares of
 * a ref - a delay slope + c.  Needs a sweep whose speed changes.  FALSE with
 * OCT_ERROR_SETTINGS or _FORMAT. */
gboolean oct_kclock_find_delay (const float *rows, guint samples, guint lines,
    double *delay, double *deviation, GError **error);

G_END_DECLS
