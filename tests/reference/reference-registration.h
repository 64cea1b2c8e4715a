/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How far a frame has moved against a mean, as oct-registration.h defines
 * it.
 */
#pragma once

#include "oct-reference.h"

/* For one B-scan of [rows][values] each: the point x in `mean` is at x + shift
 * in `frame`; shift = rows, columns. */
void reference_find_shift (const OctAverageParams *params, const Complex *mean,
    const Complex *frame, gint shift[2]);
