/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The scan of which pictures are made, and places in these pictures. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The scan. */
typedef struct {
  guint lines, depths;     /* of a B-scan */
  guint bscans;            /* per volume, repeated ones counted */
  guint repeats;           /* at each place, 0 and 1: one */
  gboolean spectra;        /* there are A-scans, not just images */
  double width, length;    /* metres from the first A-line to the last, and from
                              the first B-scan to the last; 0 = unknown */
  double z_spacing;        /* metres of air between depths; 0 = unknown */
  double refractive_index; /* of the sample */
  double rate;             /* B-scans per second; 0 = unknown */
  double line_rate;        /* A-lines per second in a B-scan; 0 = unknown */
  double wavelength;       /* metres, the centre; 0 = unknown */
} OctLiveScan;

gboolean oct_live_scan_equal (const OctLiveScan *a, const OctLiveScan *b);

/* Sizes of the volume in metres of tissue, A-lines, B-scans, depth.  Unknown
 * ones are assumed: as long as wide, and half as deep. */
void oct_live_scan_get_size (const OctLiveScan *scan, double size[3]);

/* Places, of one or several B-scans each. */
guint oct_live_scan_count_places (const OctLiveScan *scan);

/* A rectangle in the picture, in pixels. */
typedef struct {
  gint x, y, width, height;
} OctLivePanel;

#define OCT_LIVE_MAX_PANELS 4
#define OCT_LIVE_PANEL_GAP 6

/* The next even number of pixels, a few at least. */
gint oct_live_scan_round (double pixels);

G_END_DECLS
