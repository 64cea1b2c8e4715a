/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Mirrors that follow the samples of a scan late, for the virtual system:
 *
 *   y'' = w^2 (u - y) - 2 z w y',  w = 2 pi frequency, z the damping,
 *
 * u the samples, linear between each other, `dead` seconds ago.  On a ramp y is
 * dead + 2 z / w late.  Exact for such u, by the exponential of the matrix of
 * (y, y', u, u') (first-order hold: Franklin, Powell, Workman: Digital Control
 * of Dynamic Systems, 1998, 6.3.2).
 */
#pragma once

#include "oct-scan-join.h"

G_BEGIN_DECLS

/* The most samples of dead time. */
#define OCT_SCAN_GALVO_MOST_DEAD 65536u

typedef struct _OctScanGalvo OctScanGalvo;

/* Both axes are at rest in the middle.  `frequency` in Hz, 0: without a lag of
 * their own; `damping` above 0; `dead` in s; `rate`: samples per s.  NULL with
 * OCT_ERROR_SETTINGS: a number that is not finite or out of these limits.  To be
 * freed with oct_scan_galvo_free(). */
OctScanGalvo *oct_scan_galvo_new (
    double frequency, double damping, double dead, double rate, GError **error);
void oct_scan_galvo_free (OctScanGalvo *galvo);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctScanGalvo, oct_scan_galvo_free)

/* Takes the next sample; returns where the beam is at its time. */
OctScanPoint oct_scan_galvo_follow (
    OctScanGalvo *galvo, const OctScanPoint *sample);

G_END_DECLS
