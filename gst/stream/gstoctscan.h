/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which B-scan of a volume goes where, and which never came.
 *
 * Buffers say which B-scans they hold (GstOctScanMeta), or are counted.  Those
 * of a place that are repeated follow each other, in whichever order they come.
 * A volume ends with its last B-scan, in whichever direction it is scanned, or
 * when one of the next volume comes.  B-scans that come twice replace the first
 * ones; those of a volume that has ended are left out.
 */
#pragma once

#include "gstoctcaps.h"
#include "gstoctscanmeta.h"

G_BEGIN_DECLS

typedef struct {
  guint64 volumes;  /* that have ended */
  guint64 missing;  /* B-scans of those that never came */
  guint64 repeated; /* B-scans that came more than once */
  guint64 late;     /* B-scans of volumes that had ended */
} GstOctScanCounts;

typedef struct {
  guint bscans; /* per volume; 0: not known */
  gboolean has_meta;

  guint64 volume; /* the one under way, or that ended last */
  gboolean begun, ended;
  gboolean anew; /* the next B-scan is of another count */
  GstSegment segment;
  guint32 segment_number;
  guint stored;  /* different B-scans of it */
  guint8 *there; /* [bscans] */
  gint last;     /* the B-scan before, -1: none */
  gint direction;
  guint steps; /* in that direction, one after the other */
  GstOctScanCounts counts;

  /* the buffer */
  guint image, images;
  guint64 at; /* number of its first B-scan since the start */
} GstOctScan;

/* B-scans that follow each other, in the buffer and in the volume. */
typedef struct {
  guint image; /* first of the buffer */
  guint bscan; /* first of the volume */
  guint n;
  gboolean drop;     /* they are late */
  gboolean ends_one; /* before them: the volume before ends */
  gboolean ends;     /* after them: this volume ends */
} GstOctScanRun;

/* Forgets where it was, as after a seek; counts go on. */
void gst_oct_scan_forget (GstOctScan *scan);
void gst_oct_scan_clear (GstOctScan *scan);
/* After a new segment B-scans are counted from the beginning: whatever their
 * numbers are, they are of another volume than the previous ones. */
void gst_oct_scan_take_segment (GstOctScan *scan, GstEvent *event);

/* `buffer` has the B-scans of `input`.  `bscans`: per volume if the buffer does
 * not say so itself, 0: not known.  Returns: B-scans per volume, 0 if not
 * known.
 */
guint gst_oct_scan_begin (
    GstOctScan *scan, GstBuffer *buffer, const GstOctInfo *input, guint bscans);
/* Whether B-scan `bscan` of the volume is the first one at its place, of
 * `repeats`, that has come. */
gboolean gst_oct_scan_is_first (
    const GstOctScan *scan, guint bscan, guint repeats);
/* The next of them; FALSE: there are no more. */
gboolean gst_oct_scan_next (GstOctScan *scan, GstOctScanRun *run);

G_END_DECLS
