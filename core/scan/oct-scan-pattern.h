/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The places of the A-lines of a volume (oct-scan-settings.h), in the order in
 * which they are taken, without the ways between B-scans.
 */
#pragma once

#include "oct-scan-settings.h"

G_BEGIN_DECLS

/* A B-scan, or a whole curve, taken in one go. */
typedef struct {
  guint first, count; /* its points */
  guint bscan;        /* place in the volume */
  guint repeat;
  gboolean reverse;
} OctScanSweep;

typedef struct {
  GArray *points;  /* of OctScanPoint */
  GArray *active;  /* of guint8, as many */
  GArray *sweeps;  /* of OctScanSweep */
  gboolean closed; /* one sweep, which goes on where it began */
  guint volumes;   /* 1, or 2 of a spiral that goes out and in */
} OctScanPattern;

/* Does not look at the limits.  NULL with OCT_ERROR_SETTINGS; to be freed with
 * oct_scan_pattern_free(). */
OctScanPattern *oct_scan_pattern_new (
    const OctScanSettings *settings, GError **error);
void oct_scan_pattern_free (OctScanPattern *pattern);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctScanPattern, oct_scan_pattern_free)

G_END_DECLS
