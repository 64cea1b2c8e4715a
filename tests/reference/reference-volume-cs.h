/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes that are filled in, in double precision and by direct sums: what
 * oct-volume-cs.h says.
 */
#pragma once

#include "oct-reference.h"
#include "oct-volume-cs.h"

/* given [lines that are taken][columns], complex A-scans or real spectra (with
 * an imaginary part of zero); `there`, [lines that are taken]: what does not
 * count is 0; NULL: all counts.  volume [bscans][lines][depths]. */
void oct_reference_fill_volume (const OctVolumeCsParams *params,
    const OctVolumeCsSettings *settings, const Complex *given,
    const guint8 *there, Complex *volume);
