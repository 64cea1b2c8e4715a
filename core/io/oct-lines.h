/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-lines of a file in memory, whatever format it has.
 */
#pragma once

#include "oct-reader.h"

G_BEGIN_DECLS

typedef struct {
  guint samples, lines;
  double *values; /* [lines][samples] counts, all finite */
  guint64 frames; /* B-scans in the file */
  /* of a raw file, after the last whole A-line, or with `lines` set after the
   * last whole B-scan */
  guint64 leftover_bytes;
  char *doubt; /* about the type of its values, or NULL */
} OctLines;

/* More values than these are not read: some hundred A-lines are enough for a
 * static object. */
#define OCT_LINES_MAX_VALUES (1u << 22)

/* Reads B-scan `frame` of a file that octsrc reads, whatever its format, or a
 * recording, or with G_MAXUINT64 all of them: all A-lines or, if they are too
 * many, some evenly spread.  `settings` as octsrc has them; a raw file without
 * `lines` is one A-line after the other.  Errors: those of oct_reader_open()
 * and oct_recording_open(), and OCT_ERROR_FORMAT if a value is not finite.
 * Free with oct_lines_free(). */
OctLines *oct_lines_read (const char *path, const OctReaderSettings *settings,
    guint64 frame, GError **error);
/* The same, but the first A-lines one after the other, of at most `most`
 * values, at least one. */
OctLines *oct_lines_read_first (const char *path,
    const OctReaderSettings *settings, guint64 frame, gsize most,
    GError **error);
void oct_lines_free (OctLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctLines, oct_lines_free)

/* The mean of all lines, [samples]; g_free() it. */
double *oct_lines_average (const OctLines *lines);

G_END_DECLS
