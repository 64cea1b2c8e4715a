/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The file that says which samples of a whole A-line are kept: for the elements
 * that have a property `mask-file`.
 */
#pragma once

#include "gstoctfilter.h"
#include "oct-file.h"

G_BEGIN_DECLS

/* A member of the settings of an element. */
typedef struct {
  char *path;
  OctFileContent *content; /* NULL: no file; an empty path is none */
} GstOctMaskFile;

extern const GstOctFileType gst_oct_mask_file;

/* The content of the file, which must be given: one 0 or 1 per sample of a
 * whole A-line; owned by `file`.  NULL with OCT_ERROR_NOT_FOUND, _READ or
 * _FORMAT, whose sentence names `mask-file` of `element`.  The first call reads
 * it, good or bad: in the streaming thread, without the object lock. */
const guint8 *gst_oct_mask_file_read (const GstOctMaskFile *file,
    const char *element, guint *entries, GError **error);

/* The number of entries as far as it is known, without reading; else 0. */
guint gst_oct_mask_file_peek_entries (const GstOctMaskFile *file);

/* Whether rows of `columns` hold whole A-lines of a file that has been read, or
 * the samples alone that it keeps.  FALSE with OCT_ERROR_FORMAT. */
gboolean gst_oct_mask_file_check (
    const GstOctMaskFile *file, guint columns, GError **error);

/* gst_oct_filter_ref_calibration() for whole A-lines of `file`, read and
 * checked, when the rows have `columns`: if they hold the kept samples alone,
 * the error names the calibration and the file. */
OctCalibration *gst_oct_mask_file_ref_calibration (const GstOctMaskFile *file,
    GstOctFilter *filter, const OctCalibrationSettings *own, guint columns,
    GError **error);

G_END_DECLS
