/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The area that a scan takes, and lines in it, in places of the scan. */
#pragma once

#include "oct-live-aim.h"

G_BEGIN_DECLS

typedef struct {
  gboolean sized;         /* in metres; FALSE: in parts of the scan */
  OctLiveSpot corners[4]; /* first and last A-line of the first B-scan, last and
                             first one of the last */
  OctLiveSpot low, high;  /* of the raster that is shown: its first B-scan is at
                             low.y, the first A-line at low.x */
  OctLiveSpot *outline;   /* convex, in turn */
  guint count;            /* of its places */
} OctLiveArea;

void oct_live_area_clear (OctLiveArea *area);

/* A raster around the middle of the scanner, `width` from the first A-line to
 * the last and `length` from the first B-scan to the last, in metres; 0: not
 * known.  One that is known is taken for the other too. */
void oct_live_area_set_raster (OctLiveArea *area, double width, double length);

/* The places x, y[lines x bscans], in metres, of a scan along a path: what is
 * shown is the raster around it.  `pattern`: "raster" has corners of its own,
 * others those around the path; may be NULL.  FALSE, and nothing has changed, if
 * one of them is not a number. */
gboolean oct_live_area_set_path (OctLiveArea *area, const double *x,
    const double *y, guint lines, guint bscans, const char *pattern);

/* The ends of a B-scan, `part` of the way from the first one to the last. */
void oct_live_area_get_bscan (
    const OctLiveArea *area, double part, OctLiveSpot line[2]);
/* The same across the B-scans, of the way from the first A-line to the last. */
void oct_live_area_get_across (
    const OctLiveArea *area, double part, OctLiveSpot line[2]);

G_END_DECLS
