/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "oct-reader.h"

G_BEGIN_DECLS

/* Fills background[samples] with the mean of all spectra in a .npy or raw file;
 * raw files hold values of `raw_format` (U8 or U16).  Errors: those of
 * oct_reader_open(). */
gboolean gst_oct_background_read (const char *path, OctSampleFormat raw_format,
    guint samples, double *background, GError **error);

G_END_DECLS
