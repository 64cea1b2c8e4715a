/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Writes recordings of raw spectra (oct-recording.h) at the rate of a camera.
 *
 * A B-scan is written in one piece.  A thread of the writer's own brings what
 * was written to the disk several times a second and then takes it out of the
 * page cache, so that neither a loss of power nor hours of recording hurt.
 */
#pragma once

#include "oct-recording.h"

G_BEGIN_DECLS

typedef struct _OctRawWriter OctRawWriter;

/* For the recording `base` (path without suffix) in parts of at most
 * `part_size` bytes, or one B-scan.  Makes no file yet.  OCT_ERROR_WRITE when
 * the recording exists already or its folder cannot be written to. */
OctRawWriter *oct_raw_writer_new (
    const char *base, guint64 part_size, GError **error);

/* Writes the text of the recording, at once and to the disk: before the first
 * B-scan, and again when the calibration has changed.  Sizes and format stay
 * those of the first time.  OCT_ERROR_WRITE, _DISK_FULL. */
gboolean oct_raw_writer_describe (
    OctRawWriter *writer, const OctRecordingInfo *info, GError **error);

/* Appends a B-scan, rows `stride` bytes apart.  On an error (OCT_ERROR_WRITE,
 * _DISK_FULL) the last part ends with its last whole B-scan, and nothing more
 * can be appended. */
gboolean oct_raw_writer_append (
    OctRawWriter *writer, gconstpointer data, gsize stride, GError **error);

/* Any thread. */
typedef struct {
  guint64 frames, bytes;
  guint parts;
} OctRawWriterStats;
OctRawWriterStats oct_raw_writer_get_stats (OctRawWriter *writer);

/* Brings everything to the disk and frees the writer.  FALSE with
 * OCT_ERROR_WRITE when the disk failed to take it. */
gboolean oct_raw_writer_close (OctRawWriter *writer, GError **error);

G_END_DECLS
