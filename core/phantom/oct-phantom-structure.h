/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The make of the phantom's tissue: how strongly each depth of a column
 * scatters.  Depths are fractions of the imaging range, so that the picture is
 * filled whatever the spectrometer; lateral positions are fractions of the
 * columns and wrap around.
 */
#pragma once

#include <glib.h>

/* seed: of the bundles within the layers; the layers are always the same.
 * amplitude[depths]: root mean square amplitude of the light that each of
 * `depths` bins from zero to the range returns, relative to the reference
 * arm. */
void oct_structure_fill_column (
    guint64 seed, double lateral, guint depths, float *amplitude);
