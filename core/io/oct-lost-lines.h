/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which A-lines of a recording (oct-recording.h) are lost: the text
 * NAME-lost-lines.txt, a row for each run of them,
 *
 *   PART BSCAN FIRST COUNT
 *
 * A-lines FIRST .. FIRST + COUNT - 1 of B-scan BSCAN of part PART, all counted
 * from 0.  Rows ascend.  They are appended before the B-scan, so that a crash
 * leaves rows without a B-scan, or a last row that is cut off, but no loss that
 * is not told.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef struct {
  guint part;
  guint64 bscan;
  guint first, count;
} OctLostLines;

/* Appends the rows of a B-scan to `text`; valid[lines], 0: lost. */
void oct_lost_lines_format (
    guint part, guint64 bscan, const guint8 *valid, guint lines, GString *text);

/* The rows of text[size] of any content, of B-scans of `lines` A-lines:
 * OctLostLines, to be freed.  `file` begins the message.  NULL with
 * OCT_ERROR_FORMAT. */
GArray *oct_lost_lines_parse (const char *file, const char *text, gsize size,
    guint lines, GError **error);

/* The same of a file: OCT_ERROR_NOT_FOUND, _READ, or _FORMAT, also if it has
 * more than 256 MiB. */
GArray *oct_lost_lines_read (const char *path, guint lines, GError **error);

G_END_DECLS
