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

G_BEGIN_DECLS

typedef enum {
  /* layered scattering tissue with speckle, moving slowly, through which an
   * instrument tip passes */
  OCT_PHANTOM_LAYERS,
  /* one mirror at `depth`, the same in every A-line */
  OCT_PHANTOM_MIRROR,
  /* the same tissue for volumes: a dome that beats with the pulse, an incision,
   * vessels on the surface, and forceps that move in front of them */
  OCT_PHANTOM_SURGERY,
} OctPhantomKind;

typedef struct {
  OctPhantomKind kind;
  guint samples, lines, bscans; /* bscans: per volume */
  guint repeats; /* of them at each place of the slow axis, one after the other;
                    0 and 1: one */
  OctSampleFormat sample_format; /* U8 or U16 */
  double depth;                  /* of the mirror, metres (MIRROR) */
  double noise; /* 1 = shot and read noise of a real camera, 0 = none */
  guint seed;
  /* The focal spot that the sample is seen with (not MIRROR): full widths at
   * half maximum of its amplitude, in A-lines and in places of B-scans, 0 to
   * OCT_PHANTOM_MOST_SPOT.  Neighbours have the coherence exp (-2 ln 2 / F^2),
   * from 2 lines on; below the weights of three lines are too coarse.  With
   * both 0 the sample moves all the time, its speckle is 3.7 columns of the
   * sample wide, and phases turn from A-line to A-line.  Else it stands still
   * while a volume is taken, and a width of 0 is that of one line. */
  double spot_x, spot_y;
} OctPhantomSettings;

#define OCT_PHANTOM_MOST_SPOT 32.0

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

/* Renders B-scan `frame` (any, the movement goes on forever; the same settings
 * and frame give the same bytes) to dest [lines][samples] of U8 or U16, rows
 * `stride` bytes apart.  From several threads at once, too.  With a spot it
 * takes memory of four B-scans for that time, and an A-line costs the more, the
 * wider the spot: a sum over 2.6 Fx + 1 A-lines and over 2.6 Fy + 1 B-scans, one
 * after the other. */
void oct_phantom_render (
    OctPhantom *phantom, guint64 frame, gpointer dest, gsize stride);

G_END_DECLS
