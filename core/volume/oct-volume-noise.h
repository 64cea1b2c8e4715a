/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The noise of a volume, found from how many of its voxels have which grey
 * level.
 *
 * Speckle of tissue and noise have the same statistics: an amplitude of
 * Rayleigh distribution (J. W. Goodman, J. Opt. Soc. Am. 66, 1145 (1976)),
 * whatever its mean.  So a single voxel does not show which of the two it is.
 * Light comes from above: the voxels above the tissue are noise, and they would
 * hide the tissue.  Below, tissue fades into noise, and deeper noise may be
 * darker.
 *
 * Depths are divided into OCT_VOLUME_BANDS equal bands.  m is the median of the
 * grey levels of a band, zeros left out, and s = m - (the level that 15.87 %
 * are below), the standard deviation of a normal distribution: tissue in
 * the band is brighter, and changes the lower half little.  The brightest band
 * is that of the largest m.  The noise is the band with the smallest m among
 * those above it whose m + 4 s is below its m; if there is none, as with tissue
 * up to the first depth or with noise alone, it is the band with the smallest m
 * of all.  If several are equal, it is the first.  The threshold is
 * m + 4 s: 3 of 100000 values of normal distribution are above.  (Voxels are
 * means over neighbours, so that the distribution of noise is nearly normal.)
 *
 * A band whose s is above OCT_VOLUME_NOISE_MOST_SPREAD has no noise: its levels
 * are those of a scene, as of a ramp.  There is no noise if all bands are so,
 * if all voxels have the same grey level, or if none is above 0.
 */
#pragma once

#include "oct-volume.h"

G_BEGIN_DECLS

#define OCT_VOLUME_NOISE_SPREADS 4.0
/* Grey levels.  For an amplitude of Rayleigh distribution s is 6.03 dB, if
 * nothing was averaged: these are images of 24 dB from black to white, less
 * than any that show tissue. */
#define OCT_VOLUME_NOISE_MOST_SPREAD 64.0

typedef struct {
  gboolean is_found;
  double level, spread; /* m and s, grey levels */
  double threshold;     /* grey level, 255 at most; 0: there is no noise */
} OctVolumeNoise;

void oct_volume_noise_find (
    const OctVolumeLevels *levels, OctVolumeNoise *noise);

/* The range of MIP and MEAN for voxels that are seen above `threshold`.  MIP
 * has the automatic range of octenface: 1 of 200 of the largest values of
 * A-lines, zeros left out, is below black, and 1 of 200 above white; black is
 * not below the threshold.  MEAN: an A-line whose values above the threshold
 * add up to the mean of all A-lines is OCT_VOLUME_MEAN_GREY. */
void oct_volume_window_find (
    const OctVolumeLevels *levels, double threshold, OctVolumeWindow *window);
#define OCT_VOLUME_MEAN_GREY 0.35
/* Black of MIP and MEAN is not darker: built-in transfer functions show nothing
 * below either. */
#define OCT_VOLUME_LEAST_BLACK 36.0
/* Grey levels between black and white, at least. */
#define OCT_VOLUME_LEAST_WINDOW 16.0

/* The depths that have signal, as bands: `first` to `last`.  A band has some if
 * at least OCT_VOLUME_LEAST_SIGNAL of its voxels are seen, which have the
 * threshold or more: 3 of 100000 voxels of noise do, and an instrument in a
 * band is more than that part of it. */
typedef struct {
  guint first, last;
} OctVolumeExtent;
#define OCT_VOLUME_LEAST_SIGNAL 0.005
#define OCT_VOLUME_WHOLE_EXTENT                                                \
  {                                                                            \
    0, OCT_VOLUME_BANDS - 1                                                    \
  }

/* FALSE, and all bands: none has signal. */
gboolean oct_volume_extent_find (
    const OctVolumeLevels *levels, double threshold, OctVolumeExtent *extent);

/* The extent that pictures of a stream show, so that they do not jump when
 * tissue moves a little.  It is that of the first volume and a band more at
 * both ends; later it grows at once, but gets narrower only after
 * OCT_VOLUME_EXTENT_WAIT volumes in a row that left at least
 * OCT_VOLUME_EXTENT_SPARE bands of it empty.  All zeros: nothing is found
 * yet. */
typedef struct {
  gboolean begun;
  OctVolumeExtent shown;
  OctVolumeExtent since; /* union of those found since `waited` was 0 */
  guint waited;
} OctVolumeFrame;
#define OCT_VOLUME_EXTENT_WAIT 25
#define OCT_VOLUME_EXTENT_SPARE 6

void oct_volume_frame_follow (
    OctVolumeFrame *frame, const OctVolumeExtent *found);

/* The grey level that is white on faces of cuts: the median of the voxels that
 * are seen in the band where it is highest becomes the middle between black and
 * white, so that speckle of the tissue is dark and bright there, not white. It
 * is OCT_VOLUME_FACE_WHITE at least and if there is no noise, and
 * OCT_VOLUME_FACE_MOST_WHITE at most, which is above 255: a volume that is
 * bright all over stays so. */
#define OCT_VOLUME_FACE_MOST_WHITE 320.0
double oct_volume_face_white_find (
    const OctVolumeLevels *levels, double threshold);

/* The next value for pictures: `before` was used for the last one, `found` is
 * measured now.  Small changes are followed slowly, so that a live picture does
 * not flicker; a larger one means another scene, and is followed at once. */
double oct_volume_follow (double before, double found, double small_change);
#define OCT_VOLUME_FOLLOWED 0.25 /* of a small change */

/* ------------------------------------------------------------ for backends */

/* Every so many A-lines and B-scans are counted, from the first one on: the
 * smallest step with which there are OCT_VOLUME_COUNTED at most. */
guint oct_volume_levels_get_step (const OctVolumeParams *params);
/* Of these B-scans, those that are counted, chosen[bscans].  there[bscans]: 0
 * for one that has never come, which is black.  It darkens its neighbours, as
 * voxels are means, so these are not counted either, unless each B-scan that
 * has come has such a neighbour. */
void oct_volume_levels_choose (
    const OctVolumeParams *params, const guint8 *there, guint8 *chosen);
/* Depths in front of this one are not counted: the rows near zero delay, as for
 * the contrast of octlogscale (oct_contrast_first_row()), less those that
 * images do not have. */
guint oct_volume_levels_get_first (const OctVolumeParams *params);

G_END_DECLS
