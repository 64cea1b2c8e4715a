/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The messages of a modality performed procedure step (DICOM PS3.4, F.7.2): its
 * datasets, and telling them to the hospital's system.
 */
#pragma once

#include "oct-dicom-types.h"

G_BEGIN_DECLS

/* The identity of a step that has begun, of its file. */
typedef struct {
  char study[OCT_DICOM_UID];
  char *scheduled; /* ID of the step of the worklist */
  char *patient;   /* ID */
} OctDicomStep;

void oct_dicom_step_clear (OctDicomStep *step);

/* A DICOM file with the dataset of N-CREATE: IN PROGRESS since now, at the station
 * `aet`.  `texts`, OCT_DICOM_FIELDS of them, come from the worklist; that of the
 * study has to be a UID. */
GBytes *oct_dicom_step_make_begin (
    const char *const *texts, const char *instance, const char *aet);

/* Reasons of a discontinuation (DICOM PS3.16, CID 9300); the words are those of
 * the option, the last is NULL. */
extern const char *const oct_dicom_step_reasons[];

/* A DICOM file with the dataset of N-SET: COMPLETED now, or DISCONTINUED for the
 * reason, if it is not -1; with the series of objects[count], and one without
 * objects if there are none.  `protocol`: what was done. */
GBytes *oct_dicom_step_make_end (const char *instance, int reason,
    const char *protocol, const OctDicomObject *objects, guint count);

/* Reads the file of a beginning.  `protocol`: g_free() it.  FALSE: it is none. */
gboolean oct_dicom_step_read (
    const char *path, OctDicomStep *step, char **protocol);

typedef enum {
  OCT_DICOM_STEP_TOLD,
  OCT_DICOM_STEP_REFUSED, /* with OCT_DICOM_ERROR_REFUSED or _FILE */
  OCT_DICOM_STEP_BROKEN,  /* with OCT_DICOM_ERROR_NETWORK: nobody knows */
} OctDicomTold;

/* Tells a file of one of the functions above: N-CREATE or N-SET.  `again`: it may
 * have been told before, and then an answer that it is not possible any more
 * means that it was.  `note`: a sentence to be freed, or NULL. */
OctDicomTold oct_dicom_step_tell (OctDicomLink *link, const char *path,
    gboolean again, char **note, GError **error);

G_END_DECLS
