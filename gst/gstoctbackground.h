/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "oct-reader.h"

G_BEGIN_DECLS

/* The file of a stored spectrum: read once, for as long as neither it nor what
 * the spectra hold changes.  Zeros: no file.  The first two under the object
 * lock, the others in the streaming thread. */
typedef struct {
  char *path;       /* NULL: none */
  guint generation; /* of the path: how often it was set */

  guint read; /* the generation that was read, 0: none */
  OctSampleFormat format;
  guint samples;
  double *values; /* [samples] */
  GError *error;
} GstOctBackgroundFile;

void gst_oct_background_file_set (GstOctBackgroundFile *file, const char *path);
void gst_oct_background_file_clear (GstOctBackgroundFile *file);
/* The file is read again at the next use; for stop(). */
void gst_oct_background_file_forget (GstOctBackgroundFile *file);

/* [samples] the mean of all spectra in a .npy or raw file; raw files hold
 * values of `raw_format` (U8 or U16).  Owned by `file`, until the next call.
 * `path` and `generation`: as they were under the object lock.  Errors: those
 * of oct_reader_open(). */
const double *gst_oct_background_file_read (GstOctBackgroundFile *file,
    const char *path, guint generation, OctSampleFormat raw_format,
    guint samples, GError **error);

G_END_DECLS
