/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstoctproperties.h"
#include "oct-reader.h"

G_BEGIN_DECLS

/* The content of the file of a stored spectrum: read once for each sample
 * format and number of samples that follow each other.
 *
 * Thread-safety: counted in any thread; the streaming thread reads. */
typedef struct _GstOctBackground GstOctBackground;

extern const GstOctFileType gst_oct_background_file;

/* [samples] the mean of all spectra in a .npy or raw file; raw files hold
 * values of `raw_format` (U8 or U16).  Owned by `background`, until the next
 * call.  Reads the file: for the streaming thread.  Errors: those of
 * oct_reader_open(). */
const double *gst_oct_background_read (GstOctBackground *background,
    OctSampleFormat raw_format, guint samples, GError **error);

G_END_DECLS
