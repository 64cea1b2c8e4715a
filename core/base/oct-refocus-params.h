/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Parameters of OCT_OPERATION_REFOCUS, for oct-backend.h.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A volume in focus at all depths: CF32 [lines][depth_bins] -> the same, the
 * `bscans` B-scans of a frame being the volume a[y][x][q].  Values whose power
 * is not finite, or above OCT_FLOW_MOST, count as 0.
 *   align: each B-scan is turned by a phase, so that sum over x and q of a[y + 1]
 *     conj a[y] is real and positive, from the first on; if it is 0, as the one
 *     before.
 *   Each depth plane is multiplied, between a Fourier transform along y and x and
 * its inverse, by exp (i ((depth_start + q - focus) z_spacing d + sum over m of
 * c[m] Z[m])), d = 2 k - (4 k^2 - min (u, 4 k^2))^1/2, u = ux^2 + uy^2: what lies
 * out of focus is propagated back into it by its angular spectrum (double pass: near
 * the axis d = u / 4 k).  ux and uy are the spatial frequencies in rad/m; the
 * transform makes opposite edges neighbours.
 *   Z[m]: aberrations of the pupil, alike at all depths, of X = ux / r, Y = uy / r
 * and r = pi / (2 max (x_spacing, y_spacing)): X^2 - Y^2, 2 X Y, (3 R - 2) X, (3
 * R - 2) Y, 6 R^2 - 6 R, R = X^2 + Y^2; the first `modes` - 1 of them.
 *   automatic: focus and c, 0 at first, with the largest sharpness: the mean of n
 * sum I^2 / (sum I)^2, I = |a|^2 of the n values of a plane, over planes with
 * signal among the brightest of each of OCT_REFOCUS_PLANES equal bands of depth
 * (of as many as there are bins).  First the focus alone, on a grid from E above
 * the first plane to E below the last, with steps of s = max (k x_spacing
 * y_spacing / z_spacing, (bins - 1) / OCT_REFOCUS_COARSE) bins or somewhat less,
 * E = max ((bins - 1) / 2, 16 s).
 * If its largest sharpness is the first or last, or not above (1 + OCT_REFOCUS_CLEAR / (n planes)^1/2)
 * times the mean over the grid, nothing is found and only the phases are
 * aligned.  Then three times, focus and modes in turn: the largest of 9 steps over
 * +- w, refined by a parabola; w = the step of the grid, OCT_REFOCUS_SPAN for
 * modes, and a quarter of that each time.  The first two modes, astigmatism, three
 * times each: alone, then with a focus that moves by -+ 4 k / (z_spacing r^2) bins
 * for each rad.
 * get_found(): the focus, in bins from zero delay; 0: none was found. */
#define OCT_REFOCUS_PLANES 16u
#define OCT_REFOCUS_COARSE 64u
#define OCT_REFOCUS_STEPS 9u
#define OCT_REFOCUS_ROUNDS 3u
#define OCT_REFOCUS_MODES 6u
#define OCT_REFOCUS_SPAN 4.0
/* Speckle alone has a sharpness with a relative standard deviation of 2.2 / (n
 * planes)^1/2; 5 of them, and grains of 16 values. */
#define OCT_REFOCUS_CLEAR 45.0

typedef struct {
  guint depth_bins, lines, bscans;
  guint depth_start;           /* bins from zero delay to the first */
  double x_spacing, y_spacing; /* metres, > 0 */
  double z_spacing;            /* metres of the sample, > 0 */
  double wavenumber;           /* k in the sample, 2 pi n / wavelength, rad/m */
  gboolean align;
  gboolean automatic;
  double focus; /* bins from zero delay; not if automatic */
  guint modes;  /* 1 .. OCT_REFOCUS_MODES, automatic only */
} OctRefocusParams;

G_END_DECLS
