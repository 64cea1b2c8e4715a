/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Writes recordings of raw spectra (oct-recording.h) at the rate of a camera.
 *
 * A B-scan is written in one piece.  A thread of the writer's own flushes the
 * written data to the disk several times a second and then takes it out of the
 * page cache, so that neither a loss of power nor hours of recording hurt.
 */
#pragma once

#include "oct-recording.h"

G_BEGIN_DECLS

typedef struct _OctRawWriter OctRawWriter;

/* For the recording `base` (path without suffix) in parts of at most
 * `part_size` bytes, or one B-scan.  `mode`: permissions of the files,
 * whatever the umask.  Takes the name with an empty text.  OCT_ERROR_WRITE
 * when the recording exists already or its folder cannot be written to. */
OctRawWriter *oct_raw_writer_new (
    const char *base, guint64 part_size, guint mode, GError **error);

/* Writes the text of the recording, at once and to the disk: before the first
 * B-scan, and again when the calibration has changed.  Sizes and format stay
 * those of the first time.  OCT_ERROR_WRITE, _DISK_FULL. */
gboolean oct_raw_writer_describe (
    OctRawWriter *writer, const OctRecordingInfo *info, GError **error);

/* Writes a mask next to the recording, at once and to the disk, before a text
 * names it; `number` of it.  One that was there before is not written again.
 * OCT_ERROR_WRITE, _DISK_FULL, or _SETTINGS if one recording cannot hold it: it
 * is for volumes of another size, or there are OCT_RECORDING_MAX_MASKS already.
 */
gboolean oct_raw_writer_add_mask (
    OctRawWriter *writer, OctScanMask *mask, guint *number, GError **error);

/* Appends a B-scan, rows `stride` bytes apart.  valid[lines]: 0 where an A-line
 * is lost, which a file next to the recording then says before the B-scan is
 * there; NULL: none is.  On an error (OCT_ERROR_WRITE,
 * _DISK_FULL) the last part ends with its last whole B-scan, and nothing more
 * can be appended. */
gboolean oct_raw_writer_append (OctRawWriter *writer, gconstpointer data,
    gsize stride, const guint8 *valid, GError **error);

/* A part that is not where it was written any more. */
typedef struct {
  char *path; /* to be freed */
  guint part;
  guint64 first, frames; /* its B-scans, by their numbers among those there */
  gboolean current;      /* it was being written: the next B-scan begins a new
                            part, in a folder that is made again if need be */
} OctRawLoss;

/* Looks whether the parts are where they were written: not deleted, moved,
 * replaced or cut off, the disk not unmounted.  TRUE with the first one that is
 * gone, and from now on is not counted; call it until it is FALSE. */
gboolean oct_raw_writer_check (OctRawWriter *writer, OctRawLoss *loss);

/* Keeps the places of A-lines beside the parts.  A recording has one path:
 * OCT_ERROR_SETTINGS if the places are others than before. */
gboolean oct_raw_writer_set_places (
    OctRawWriter *writer, OctScanPlaces *places, GError **error);

/* Whether the text, the places and the masks are there and not cut off; they are made again
 * by describing. */
gboolean oct_raw_writer_has_text (OctRawWriter *writer);

/* Any thread.  Counts the parts that are there and hold B-scans; `lost` are the
 * B-scans of the other parts. */
typedef struct {
  guint64 frames, bytes, lost;
  guint parts;
} OctRawWriterStats;
OctRawWriterStats oct_raw_writer_get_stats (OctRawWriter *writer);

/* Brings everything to the disk and frees the writer.  A last part in which
 * nothing is goes away, and so does the text of a recording of nothing.  FALSE
 * with
 * OCT_ERROR_WRITE when the disk failed to take it. */
gboolean oct_raw_writer_close (OctRawWriter *writer, GError **error);

G_END_DECLS
