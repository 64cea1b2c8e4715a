/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A spiral of constant linear velocity: r = pitch theta / 2 pi, u the velocity
 * along it,
 *
 *   u^2 = min ((pitch / dt)^2, 0.963 a / curvature),
 *
 * a the smaller acceleration of both axes.  The beam goes as far along as the
 * turns are apart, and slower near the middle, so that no hole is left there.
 * 0.963 leaves room for the acceleration along the spiral: 1 / sqrt (1 + m^2),
 * m the largest theta (4 + theta^2) / (2 (2 + theta^2)^2).
 */
#pragma once

#include "oct-scan-settings.h"

G_BEGIN_DECLS

/* Appends OctScanPoints around 0 from the middle outwards, without offset.
 * Their number is a multiple of settings->lines, which a pitch a little smaller
 * than settings->pitch makes; without a pitch, it is lines x bscans.  FALSE
 * with OCT_ERROR_SETTINGS. */
gboolean oct_scan_spiral (
    const OctScanSettings *settings, GArray *points, GError **error);

G_END_DECLS
