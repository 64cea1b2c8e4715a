/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Patients of a modality worklist: as a table, as lines of JSON, as the cases of
 * oct-live, and as tags of DICOM files.
 */
#pragma once

#include "oct-dicom-options.h"

G_BEGIN_DECLS

/* The commands worklist and tags; the exit status of the program. */
int oct_dicom_worklist_run (const OctDicomOptions *options);
int oct_dicom_tags_run (const OctDicomOptions *options);

G_END_DECLS
