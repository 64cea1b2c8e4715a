/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Files of spectra, read one B-scan at a time.
 *
 * Knows flat raw files and NumPy .npy files, told apart by content.  A new
 * format is one row in the table of formats in oct-reader.c.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef struct _OctReader OctReader;

typedef enum {
  OCT_FILE_AUTO, /* by the first bytes of the file */
  OCT_FILE_RAW,
  OCT_FILE_NPY,
} OctFileFormat;

/* What the user set; 0 = not given, the file decides (or the file's format
 * needs it and opening fails with a sentence that says which to set).
 *
 * .npy: one dimension is one A-line, two are [lines][samples], one B-scan or,
 * with `lines` set, as many as there are; three are [bscans][lines][samples],
 * which `bscans` may divide into several volumes.  Any other setting that is
 * not the shape of the file, or a header size, is OCT_ERROR_SETTINGS.  Arrays
 * of |u1, <u2, <i2, <f4 and <f8 in C order.
 * Without `bscans` all B-scans of a raw file, or of two dimensions, are one
 * volume.  A file shorter than it says gives its whole B-scans. */
typedef struct {
  OctFileFormat format;
  guint samples, lines, bscans;  /* per A-line, per B-scan, per volume */
  OctSampleFormat sample_format; /* raw files only: U8 or U16 */
  guint64 header_size;           /* raw files only: bytes to skip */
} OctReaderSettings;

/* What the file holds. */
typedef struct {
  OctFileFormat format;          /* RAW or NPY */
  OctSampleFormat sample_format; /* of the values delivered: U8, U16 or F32 */
  guint samples, lines, bscans;  /* bscans: per volume */
  guint64 frames;                /* whole B-scans in the file, >= 1 */
  guint64 leftover_bytes;        /* at the end, less than one B-scan */
} OctReaderInfo;

/* Opens `path`.  Errors: OCT_ERROR_NOT_FOUND, _READ, _FORMAT, _SETTINGS, each
 * naming the file, what was found and expected and the property to set
 * (octsrc's `samples`, `lines`, `format`, ...). */
OctReader *oct_reader_open (
    const char *path, const OctReaderSettings *settings, GError **error);
void oct_reader_close (OctReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctReader, oct_reader_close)

/* Belongs to the reader. */
const OctReaderInfo *oct_reader_get_info (const OctReader *reader);

/* Reads B-scan `frame` (0 .. frames - 1) to dest [lines][samples], rows
 * `stride` bytes apart: straight into dest where the stored type is the
 * delivered one, through a small buffer where it is converted (i2, f8 -> F32).
 * Several threads may read at once.  A file that has shrunk since or fails to
 * read, or a frame that is not there: OCT_ERROR_READ. */
gboolean oct_reader_read (OctReader *reader, guint64 frame, gpointer dest,
    gsize stride, GError **error);

G_END_DECLS
