/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which A-lines of a volume a scan takes: masks of one 0 or 1 for each A-line
 * of each B-scan, generated or read from a file.
 *
 * A compact volume holds the taken A-lines alone: the B-scans with at least one
 * A-line, in order, and the A-lines of each in order.  The same settings give
 * the same mask on every machine.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef enum {
  /* whole B-scans are left out, and in the others the same A-lines (Xu, Huang
   * and Kang, Biomed. Opt. Express 5, 3921 (2014)) */
  OCT_SCAN_MASK_SAME_LINES,
  /* every B-scan is taken, each with A-lines of its own */
  OCT_SCAN_MASK_SCATTERED,
} OctScanMaskKind;

typedef struct {
  OctScanMaskKind kind;
  guint lines, bscans; /* of a whole volume, 1 or more */
  /* (0, 1]: part of the A-lines of the volume that is taken; SAME_LINES: its
   * square root of both */
  double rate;
  /* lines in a row, along either direction, that may be left out; 0: 1.6 /
   * rate of that direction, rounded up */
  guint max_gap;
  guint64 seed;
} OctScanMaskSettings;

/* Never changes; counted, for any threads. */
typedef struct {
  guint lines, bscans; /* of a whole volume */
  guint8 *taken;       /* [bscans][lines] 0 or 1 */

  guint count;        /* A-lines that are taken, at least one */
  guint taken_bscans; /* B-scans with any of them */
  guint lines_each;   /* of each of those; 0: they differ */
  guint32 *places;    /* [count] rising: B-scan x lines + A-line */
  guint32 *first;     /* [bscans + 1] where those of a B-scan begin */
  guint32 *bscan_of;  /* [taken_bscans] rising */
} OctScanMask;

/* A-lines of a volume, at most. */
#define OCT_SCAN_MASK_MAX_LINES (1u << 28)

/* To be released with oct_scan_mask_unref().  NULL with OCT_ERROR_SETTINGS. */
OctScanMask *oct_scan_mask_new (
    const OctScanMaskSettings *settings, GError **error);

/* The same of `taken` [bscans][lines], where all but 0 is taken; it is copied.
 * NULL with OCT_ERROR_SETTINGS when nothing is. */
OctScanMask *oct_scan_mask_new_from_array (
    guint lines, guint bscans, const guint8 *taken, GError **error);

/* From a text file with one row for each B-scan of a volume, of one 0 (left
 * out) or 1 (taken) for each A-line; blanks and commas between them do not
 * matter, and rows that begin with '#' are skipped.  NULL with
 * OCT_ERROR_NOT_FOUND, _READ or _FORMAT. */
OctScanMask *oct_scan_mask_read (const char *path, GError **error);
/* The same from a text; `source` begins the sentences of errors. */
OctScanMask *oct_scan_mask_parse (
    const char *source, const char *text, gsize length, GError **error);

/* Such a text of `length` bytes, not terminated by a 0; g_free() it. */
char *oct_scan_mask_format (const OctScanMask *mask, gsize *length);

/* Writes such a file.  FALSE with OCT_ERROR_WRITE or _DISK_FULL. */
gboolean oct_scan_mask_write (
    const OctScanMask *mask, const char *path, GError **error);

OctScanMask *oct_scan_mask_ref (OctScanMask *mask);
void oct_scan_mask_unref (OctScanMask *mask);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctScanMask, oct_scan_mask_unref)

gboolean oct_scan_mask_equal (const OctScanMask *a, const OctScanMask *b);

/* Whether whole volumes are as large, and compact ones too. */
gboolean oct_scan_mask_same_sizes (const OctScanMask *a, const OctScanMask *b);

G_END_DECLS
