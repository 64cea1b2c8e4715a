/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The file that says which samples of a whole A-line are kept: what the
 * elements share that have a property `mask-file`.
 */
#pragma once

#include "gstoctfilter.h"
#include "oct-file.h"

G_BEGIN_DECLS

/* Zeros: no file.  Under the object lock of the element, or a copy. */
typedef struct {
  char *path;
  OctFileContent *content; /* NULL: no file */
} GstOctMaskFile;

void gst_oct_mask_file_set (GstOctMaskFile *file, const char *path);
void gst_oct_mask_file_clear (GstOctMaskFile *file);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstOctMaskFile, gst_oct_mask_file_clear)
/* The file is read again at the next use; for stop(). */
void gst_oct_mask_file_forget (GstOctMaskFile *file);
/* They share what has been read, and what will be; `to` is cleared before. */
void gst_oct_mask_file_copy (GstOctMaskFile *to, const GstOctMaskFile *from);

/* Whether there is one; an empty name is none. */
gboolean gst_oct_mask_file_given (const GstOctMaskFile *file);

/* What is in the file that is given, one 0 or 1 per sample of a whole A-line;
 * owned by it.  NULL with OCT_ERROR_NOT_FOUND, _READ or _FORMAT, whose sentence
 * names `mask-file` of `element`.  The first call reads it, good or bad: for a
 * copy, in the streaming thread, without the object lock. */
const guint8 *gst_oct_mask_file_read (const GstOctMaskFile *file,
    const char *element, guint *entries, GError **error);

/* Whether rows of `columns` hold whole A-lines of a file that has been read, or
 * the samples alone that it keeps.  FALSE with OCT_ERROR_FORMAT. */
gboolean gst_oct_mask_file_check (
    const GstOctMaskFile *file, guint columns, GError **error);

/* gst_oct_filter_ref_calibration() for whole A-lines of `file`, read and
 * checked, when the rows have `columns`: of those that hold the kept samples
 * alone the error names the calibration and the file. */
OctCalibration *gst_oct_mask_file_ref_calibration (const GstOctMaskFile *file,
    GstOctFilter *filter, guint columns, GError **error);

G_END_DECLS
