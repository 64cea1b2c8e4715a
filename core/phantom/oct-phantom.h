/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A virtual spectral-domain OCT system: the data that the line-scan camera of a
 * spectrometer would deliver, linear in wavelength, descending in wavenumber.
 *
 * The interference spectrum of one A-line is
 *   S(lambda) |1 + sum_m r_m exp (i (2 k z_m + theta (k)))|^2
 * seen through pixels of finite width and a Gaussian spot (depth fall-off),
 * then shot noise, read noise, gain and quantisation to 12 bit (8 bit for U8).
 *
 * Source: Gaussian around 845 nm, 50 nm wide (full width at half maximum), of
 * which the camera sees 110 nm.  Spot: Gaussian, one pixel wide.  Dispersion
 * theta = 80 um^2 (k - kc)^2.  Reference arm at its maximum: 0.7 of full
 * scale; mirror: amplitude 0.1 of it.  The imaging range is 1.62 um per
 * sample: 3.3 mm with 2048 samples; the tissue scales with it.
 */
#pragma once

#include "oct-calibration.h"
#include "oct-phantom-settings.h"
#include "oct-scan-join.h"

G_BEGIN_DECLS

typedef struct _OctPhantom OctPhantom;

/* Takes up to 0.3 s and 45 MB with 2048 samples, more beyond.
 * Errors: OCT_ERROR_SETTINGS (16 to OCT_MAX_SAMPLES samples, 1 to
 * OCT_MAX_LINES lines, formats, depth beyond the imaging range, spots). */
OctPhantom *oct_phantom_new (
    const OctPhantomSettings *settings, GError **error);
void oct_phantom_free (OctPhantom *phantom);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctPhantom, oct_phantom_free)

/* Wavelengths, dispersion_rad and background of the virtual spectrometer; the
 * phantom keeps the reference. */
OctCalibration *oct_phantom_get_calibration (OctPhantom *phantom);

/* FLOW: the truth of B-scan `frame`, at the depths of `samples` / 2 bins from
 * zero delay on.  mask[lines][depths]: 0 above the surface, 1 tissue, 2 blood.
 * speed[lines][depths]: of blood along the beam, um/s of tissue, + away from
 * it. Either may be NULL.  The motion of the sample as a whole moves both, and
 * is not among the speeds.  FALSE: it is another phantom. */
gboolean oct_phantom_get_truth (
    OctPhantom *phantom, guint64 frame, guint8 *mask, float *speed);

/* Renders B-scan `frame` (any, the movement goes on forever; the same settings
 * and frame give the same bytes) to dest [lines][samples] of U8 or U16, rows
 * `stride` bytes apart.  From several threads at once, too.  With a spot it
 * takes memory of four B-scans for that time, and an A-line costs the more, the
 * wider the spot: a sum over 2.6 Fx + 1 A-lines and over 2.6 Fy + 1 B-scans,
 * one after the other. */
void oct_phantom_render (
    OctPhantom *phantom, guint64 frame, gpointer dest, gsize stride);

/* The same along places[lines] in mm from the middle of the sample, for
 * settings with `follows`. */
void oct_phantom_render_along (OctPhantom *phantom, guint64 frame,
    const OctScanPoint *places, gpointer dest, gsize stride);

G_END_DECLS
