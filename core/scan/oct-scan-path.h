/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A volume of a scan, sample by sample: its sweeps with extensions at both
 * ends, and the ways between them, within the limits of the scanner.  After the
 * last sample comes the first one again.
 */
#pragma once

#include "oct-scan-pattern.h"

G_BEGIN_DECLS

/* Where a sweep lies in the path. */
typedef struct {
  guint end;          /* the sample after it and its extension */
  OctScanState state; /* of the beam at sample end - 1 */
} OctScanStop;

/* Never changes; counted, for any threads. */
typedef struct {
  OctScanPoint *points; /* [count] mm */
  guint8 *active;       /* [count] 1: an A-line, 0: the beam only travels */
  guint count, taken;   /* samples, and those that are active */
  guint body;           /* samples without the way back to the first one */
  OctScanState entry;   /* at the first sample */
  OctScanStop *stops;   /* [sweeps] */
  guint sweeps, volumes;
  OctScanLimits limits;
  double line_rate;
} OctScanPath;

/* Samples by which a path is averaged, an odd number; and by half of which
 * sweeps are longer on both sides, so that averaging changes no A-line of
 * straight ones. */
guint oct_scan_smooth_count (const OctScanSettings *settings);

/* NULL with OCT_ERROR_SETTINGS: a sentence with the factor by which a limit is
 * exceeded and the highest line rate with which none is, if there is one.  To
 * be released with oct_scan_path_unref(). */
OctScanPath *oct_scan_path_new (
    const OctScanSettings *settings, GError **error);
OctScanPath *oct_scan_path_ref (OctScanPath *path);
void oct_scan_path_unref (OctScanPath *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctScanPath, oct_scan_path_unref)

G_END_DECLS
