/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Where the beam is at each A-line of a volume, as it is told through a
 * pipeline and kept beside a recording.
 *
 * A volume is `bscans` x `lines` A-lines in the order in which they are taken;
 * a piece of a curve counts as a B-scan.
 */
#pragma once

#include "oct-scan-pattern.h"

G_BEGIN_DECLS

/* Never changes; counted, for any threads. */
typedef struct {
  guint lines, bscans;  /* of a volume */
  guint count;          /* lines x bscans, 2 or more */
  OctScanPoint *points; /* [count] mm, all finite */
  char *pattern;        /* "spiral", ..., or "file" */
} OctScanPlaces;

/* Copies x[lines x bscans] and y in units of `unit` mm.  NULL with
 * OCT_ERROR_SETTINGS if there are fewer than 2 or more than
 * OCT_SCAN_MAX_SAMPLES, or one is not a number of at most 1 km; to be released
 * with oct_scan_places_unref(). */
OctScanPlaces *oct_scan_places_new (guint lines, guint bscans, const double *x,
    const double *y, double unit, const char *pattern, GError **error);

/* The active A-lines of a pattern: of a spiral that goes out and in both ways, with
 * twice as many B-scans.  Curves are cut into B-scans of settings->lines; B-scans of a file have to be equally long, or one
 * that settings->lines divides.  NULL with OCT_ERROR_SETTINGS. */
OctScanPlaces *oct_scan_places_new_from_settings (
    const OctScanSettings *settings, GError **error);

/* Where the beam is if its axes are late[x, y] A-lines after these places,
 * fractions too, or ahead: linear between A-lines of a B-scan, and beyond its
 * ends as fast as there.  Pieces of a curve go on from one to the next, and a
 * closed curve from its end to its beginning: where the step to the next piece
 * is that within the piece, to half its length.  NULL with OCT_ERROR_SETTINGS:
 * more than OCT_SCAN_MOST_LATE, or B-scans of one A-line. */
#define OCT_SCAN_MOST_LATE 4096.0
OctScanPlaces *oct_scan_places_new_late (const OctScanPlaces *places,
    const double late[OCT_SCAN_AXES], GError **error);

/* The text of a scan file (oct-scan-curve.h) with these places, g_free() it. */
char *oct_scan_places_format (const OctScanPlaces *places, gsize *length);

/* Reads such a file, for B-scans of `lines`.  NULL with OCT_ERROR_NOT_FOUND,
 * _READ, _FORMAT or _SETTINGS. */
OctScanPlaces *oct_scan_places_read (
    const char *path, guint lines, GError **error);

OctScanPlaces *oct_scan_places_ref (OctScanPlaces *places);
void oct_scan_places_unref (OctScanPlaces *places);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctScanPlaces, oct_scan_places_unref)

gboolean oct_scan_places_equal (const OctScanPlaces *a, const OctScanPlaces *b);

G_END_DECLS
