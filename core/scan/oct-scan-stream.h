/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The samples that are sent to a scanner, without end: from rest in the middle
 * to a path, the path again and again, at the end of a volume to another path,
 * and back to rest.  No two samples exceed a limit, wherever the path changes.
 *
 * A scanner is late.  Two ways to have the beam where the path is:
 *
 *   look-ahead     p (t + delay), linear between samples; keeps the limits
 *   its inverse    p + 2 z p' / w + p'' / w^2, and a look-ahead of delay - 2 z / w,
 *                  for one of second order, w = 2 pi frequency, z its damping;
 *                  velocity and acceleration of these samples can exceed those
 *                  of the path
 *
 * Before that the path is averaged over an odd number of samples.
 */
#pragma once

#include "oct-scan-path.h"

G_BEGIN_DECLS

/* How a path is sent to the scanner. */
typedef struct {
  guint smooth;                /* oct_scan_smooth_count() */
  double delay[OCT_SCAN_AXES]; /* s */
  double frequency, damping; /* of the scanner in Hz; frequency 0: look-ahead */
} OctScanDrive;

/* The most that is sent for a path within these limits, mm from the middle. */
double oct_scan_drive_reach (
    const OctScanDrive *drive, const OctScanLimits *limits, guint axis);

typedef struct _OctScanStream OctScanStream;

/* At rest in the middle; refers to `path`.  `volumes`: after so many it goes to
 * rest and ends, 0: never.  To be freed with oct_scan_stream_free(). */
OctScanStream *oct_scan_stream_new (
    OctScanPath *path, const OctScanDrive *drive, guint64 volumes);
void oct_scan_stream_free (OctScanStream *stream);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctScanStream, oct_scan_stream_free)

/* Another path, of the same line rate and limits, from the end of the present
 * volume on.  With another drive, the beam comes to rest between the two.  The
 * present path with the present drive takes back a change that was waiting. */
void oct_scan_stream_change (
    OctScanStream *stream, OctScanPath *path, const OctScanDrive *drive);

/* The path of the samples that were made last, no new reference.  *first: A-lines
 * that were taken before it since the stream was made.  It is known before
 * oct_scan_stream_read() returns the first A-line of the path, and of the
 * ways between paths, which have none. */
const OctScanPath *oct_scan_stream_get_path (
    const OctScanStream *stream, guint64 *first);

/* How often a path has begun anew since the stream was made, as no other one
 * was there at its end.  *first: A-lines before it has done so last. */
guint64 oct_scan_stream_count_rounds (
    const OctScanStream *stream, guint64 *first);

/* Goes to rest after the present B-scan (a curve: volume), and ends. */
void oct_scan_stream_stop (OctScanStream *stream);

/* Writes up to `n` samples: the positions to send in mm, and 1 where the beam
 * is at an A-line.  Returns how many; fewer: it has ended, at rest. */
guint oct_scan_stream_read (
    OctScanStream *stream, OctScanPoint *points, guint8 *active, guint n);

G_END_DECLS
