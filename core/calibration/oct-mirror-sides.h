/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The fit of mirrors, and on which side of the zero delay each of them is.
 */
#pragma once

#include "oct-mirror-set.h"

G_BEGIN_DECLS

/* Up to so many mirrors every choice of sides is fitted if the quick way fails.
 */
#define OCT_MIRROR_SET_MAX_CHOICES 5

gboolean oct_mirror_set_are_sides_given (const OctMirrorSet *set);

/* Fits the used mirrors, on these sides ([used]).  FALSE, OCT_ERROR_FORMAT:
 * there is no fit. */
gboolean oct_mirror_set_fit_on (
    OctMirrorSet *set, const double *sides, GError **error);

/* Fits with the sides as given or found; *found: they are known. */
gboolean oct_mirror_set_fit_with_sides (
    OctMirrorSet *set, double k_span, gboolean *found, GError **error);

/* The mirrors of the fit agree with each other.  Any two do. */
gboolean oct_mirror_set_is_consistent (const OctMirrorSet *set);

/* Marks the mirrors that are as narrow as the others and have their phases,
 * fits[used], with the width of each at -6 dB; returns how many. */
guint oct_mirror_set_find_fitting (
    const OctMirrorSet *set, double *widths, gboolean *fits);

/* Fits every choice of sides[used] relative to the first mirror, of at most
 * OCT_MIRROR_SET_MAX_CHOICES, and keeps the best; FALSE: another one is as
 * good, or none can be fitted (set->fit is NULL then). */
gboolean oct_mirror_set_try_all_sides (OctMirrorSet *set, double *sides);

/* The same for more mirrors than that: every choice for some of them, spread
 * over depth, and the others on the side where the calibration of these makes
 * them sharper.  FALSE: not certain, or those that were tried do not fit each
 * other; sides and the fit are as they were. */
gboolean oct_mirror_set_try_sides_of_some (OctMirrorSet *set, double *sides);

G_END_DECLS
