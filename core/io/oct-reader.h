/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Files of spectra, read one B-scan at a time.
 *
 * The table in oct-format.c lists the formats, which are identified by content;
 * a new one is one row.
 */
#pragma once

#include "oct-calibration.h"
#include "oct-reader-settings.h"

G_BEGIN_DECLS

typedef struct _OctReader OctReader;

/* Opens `path`.  Errors: OCT_ERROR_NOT_FOUND, _READ, _FORMAT, _SETTINGS, each
 * naming the file, what was found and expected and the property to set
 * (octsrc's `samples`, `lines`, `format`, ...). */
OctReader *oct_reader_open (
    const char *path, const OctReaderSettings *settings, GError **error);
void oct_reader_close (OctReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctReader, oct_reader_close)

/* Belongs to the reader. */
const OctReaderInfo *oct_reader_get_info (const OctReader *reader);

/* The calibration that the file carries (no new reference), or NULL. */
OctCalibration *oct_reader_get_calibration (const OctReader *reader);

/* B-scans that the file announces and that are not in it, or that turned out to
 * be damaged when they were read: how many so far, whether B-scan `frame` is
 * one of them, and a sentence that names them and why, NULL if there are none
 * (g_free() it).  Several threads may ask. */
guint64 oct_reader_count_missing (const OctReader *reader);
gboolean oct_reader_lacks (const OctReader *reader, guint64 frame);
char *oct_reader_describe_missing (const OctReader *reader);

/* Files next to `path` that belong to it, by their names: further B-scans,
 * settings, a calibration, masks.  Paths of those that are there, sorted,
 * without `path` itself; g_ptr_array_unref() it. */
GPtrArray *oct_reader_list_files (const char *path);

/* The text file of a store that is a folder, such as Zarr's, or NULL: `path` is
 * none; g_free() it. */
char *oct_reader_find_store (const char *path);

/* A sentence, to be freed, about a raw file whose values seem to be of another
 * type than is set; NULL: all is well, or the file is not raw. */
char *oct_reader_describe_doubt (OctReader *reader);

/* The values of `format` besides auto: returns the name of row `n`, its blurb
 * and its value; NULL after the last one. */
const char *oct_reader_describe_format (
    guint n, OctFileFormat *format, const char **blurb);

/* Media type of the bytes that a file begins with (2 KiB are enough, or 64 KiB
 * for an archive), or NULL: none of those that have a signature.  Static. */
const char *oct_reader_recognise (const guint8 *head, gsize size);

/* The possible media types: that of row `n`; NULL after the last one. */
const char *oct_reader_get_media_type (guint n);

/* Reads B-scan `frame` (0 .. frames - 1) to dest [lines][samples], rows
 * `stride` bytes apart: straight into dest if the stored type is the delivered
 * one, through a small buffer if it is converted.
 * Several threads may read at once.  A file that has shrunk since or fails to
 * read, or a frame that is not there: OCT_ERROR_READ; a file of several that
 * is gone: OCT_ERROR_NOT_FOUND.  After that others can still be read if the
 * frame is missing (oct_reader_lacks()). */
gboolean oct_reader_read (OctReader *reader, guint64 frame, gpointer dest,
    gsize stride, GError **error);

G_END_DECLS
