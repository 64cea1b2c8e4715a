/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The settings of a scan.
 *
 * Lengths are mm, or degrees of the beam; times are s, angles rad.  0 is the
 * middle of the scanner.  A-line i of n in B-scan j of m, N = n m, q cycles,
 * radius R = width / 2:
 *
 *   raster          x = width ((i + 1/2) / n - 1/2), y = height ((j + 1/2) / m - 1/2)
 *   radial          a diameter at angle pi j / m
 *   spiral          r = pitch theta / 2 pi at constant velocity u, see
 *                   oct-scan-spiral.h
 *   spiral-angular  r = R (i + n j + 1/2) / N, theta = 2 pi (i + n j + 1/2) / n
 *   lissajous       x = R sin (2 pi q t), y = height / 2 sin (2 pi (q + 1) t),
 *                   t = (i + n j + 1/2) / N
 *   rosette         r = R cos (2 pi q t), theta = 2 pi (q + 1) t
 *   file            as a text says (oct-scan-curve.h)
 *
 * All are turned by `angle` and then moved by `offset`.  Numbers q and q + 1
 * have no common divisor and one of them is even, so that the curve does not
 * run back on itself.
 */
#pragma once

#include "oct-scan-curve.h"

G_BEGIN_DECLS

typedef enum {
  OCT_SCAN_RASTER,
  OCT_SCAN_RADIAL,
  OCT_SCAN_SPIRAL,
  OCT_SCAN_SPIRAL_ANGULAR,
  OCT_SCAN_LISSAJOUS,
  OCT_SCAN_ROSETTE,
  OCT_SCAN_FILE,
} OctScanKind;

typedef struct {
  OctScanKind kind;
  double line_rate;     /* A-lines per second, above 0 */
  guint lines, bscans;  /* lines: 2 or more; of a curve: A-lines of a piece,
                        * pieces */
  double width, height; /* above 0; round ones: width is the diameter */
  double angle;
  double offset[OCT_SCAN_AXES];
  /* raster, radial, file: every second B-scan backwards; spirals: every second
   * volume inwards */
  gboolean bidirectional;
  /* raster, radial, file: `group` B-scans are taken `repeats` times before the
   * next ones; both 1 or more */
  guint repeats, group;
  double pitch;  /* spiral; 0: such that there are lines x bscans A-lines */
  guint cycles;  /* Lissajous, rosette; 0: 0.45 sqrt N, even */
  double settle; /* constant velocity before the first A-line of a B-scan */
  double smooth; /* the path is averaged over this time */
  OctScanLimits limits;
  const OctScanCurve *curve; /* file */
} OctScanSettings;

/* "raster", ... as the property says it */
const char *oct_scan_kind_name (OctScanKind kind);

G_END_DECLS
