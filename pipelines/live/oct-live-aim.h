/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Where the scan is in a microscope's picture: the perspective map (homography)
 * that takes four places of the scan to four of the picture, and its file.
 *
 * Places of the scan are in metres from the middle of the scanner, y downwards,
 * or if its size is not known in parts of it.  Those of the picture are parts
 * of its width and height, from 0 to 1 and from the upper left corner.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define OCT_LIVE_AIM_CORNERS 4
#define OCT_LIVE_EYES 2 /* left, right; a picture for one eye is the left one */

typedef struct {
  double x, y;
} OctLiveSpot;

typedef struct {
  gboolean known; /* FALSE: nothing else counts */
  gboolean sized; /* places of the scan are in metres */
  OctLiveSpot scan[OCT_LIVE_AIM_CORNERS], picture[OCT_LIVE_AIM_CORNERS];
  double map[9]; /* rows of the matrix: scan to picture */
} OctLiveAim;

/* Finds the map that takes scan[i] to picture[i], for corners in turn around an
 * area.  It is the one of the unit square to `picture` times the inverse of that
 * to `scan` (P. Heckbert, Fundamentals of texture mapping and image warping,
 * 1989, 2.2.3).  FALSE with an error of one sentence if a place is not in the
 * picture, three places are on a line, or the corners are not those of a convex
 * area in turn; `aim` has not changed then. */
gboolean oct_live_aim_find (OctLiveAim *aim,
    const OctLiveSpot scan[OCT_LIVE_AIM_CORNERS],
    const OctLiveSpot picture[OCT_LIVE_AIM_CORNERS], gboolean sized,
    GError **error);

/* The place in the picture of a place of the scan, outside of the picture too.
 * FALSE: it has none, as it is beyond the horizon of the map. */
gboolean oct_live_aim_map (
    const OctLiveAim *aim, const OctLiveSpot *scan, OctLiveSpot *picture);

/* "x,y x,y x,y x,y": four places in turn, as messages have them.  FALSE if it is
 * anything else. */
gboolean oct_live_aim_parse_corners (
    const char *text, OctLiveSpot corners[OCT_LIVE_AIM_CORNERS]);

/* Reads the file of both eyes; one that does not exist has none.  FALSE with an
 * error of one sentence. */
gboolean oct_live_aim_load (
    const char *path, OctLiveAim aims[OCT_LIVE_EYES], GError **error);
/* Replaces the file as a whole, or leaves it as it is: FALSE with an error of one
 * sentence.  `mode`: its permissions. */
gboolean oct_live_aim_save (const char *path,
    const OctLiveAim aims[OCT_LIVE_EYES], guint mode, GError **error);

G_END_DECLS
