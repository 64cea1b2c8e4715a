/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The cases of a worklist as a file has them: a line of JSON each, which may have
 * been written by anybody.
 */
#pragma once

#include "oct-dicom-types.h"

G_BEGIN_DECLS

/* The keyword of the attribute; static. */
const char *oct_dicom_field_name (OctDicomField field);

/* One line of characters that can be printed, whatever bytes the text has; g_free()
 * it. */
char *oct_dicom_case_clean (const char *text);

/* The text of a file; NULL with an error. */
char *oct_dicom_case_read (const char *path, GError **error);

/* The --dicom-tags of the case `label` of the text; g_free() them.  NULL with
 * OCT_DICOM_ERROR_FILE: it has none, or patients or studies that differ. */
char *oct_dicom_case_get_tags (
    const char *text, const char *label, GError **error);

/* The texts of the case, cleaned: texts[OCT_DICOM_FIELDS] to g_free().  `scheduled`:
 * the ID of the step, needed if it has several; or NULL.  FALSE as above. */
gboolean oct_dicom_case_get_texts (const char *text, const char *label,
    const char *scheduled, char **texts, GError **error);

G_END_DECLS
