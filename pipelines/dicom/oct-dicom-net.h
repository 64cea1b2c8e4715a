/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The services of an association: verification, modality worklist, storage and
 * storage commitment (DICOM PS3.4, A, B, J and K).  Each function may wait, as
 * those of oct-dicom-link.h.
 */
#pragma once

#include "oct-dicom-types.h"

G_BEGIN_DECLS

/* Reads the identity of a DICOM file.  OCT_DICOM_ERROR_FILE. */
gboolean oct_dicom_inspect (
    const char *path, OctDicomObject *object, GError **error);

/* C-ECHO. */
gboolean oct_dicom_echo (OctDicomLink *link, GError **error);

/* Query of a worklist; NULL or "": any. */
typedef struct {
  const char *date; /* YYYYMMDD, or a range of two with - between them */
  const char *modality;
  const char *station; /* AE title of the modality */
} OctDicomQuery;

/* texts[OCT_DICOM_FIELDS], never NULL, in UTF-8 as far as DCMTK can convert them;
 * each is what the peer sent, which may be anything. */
typedef void (*OctDicomFound) (const char *const *texts, gpointer data);

/* C-FIND: calls `found` for at most `most` answers, and says in *more if there are
 * others. */
gboolean oct_dicom_find (OctDicomLink *link, const OctDicomQuery *query,
    guint most, OctDicomFound found, gpointer data, gboolean *more,
    GError **error);

/* C-STORE of a file that oct_dicom_inspect() has read.  `warning`: a sentence to
 * be freed if the peer stored it and has something to say.  FALSE with
 * OCT_DICOM_ERROR_REFUSED: the association can go on; _NETWORK: it cannot. */
gboolean oct_dicom_store (OctDicomLink *link, const char *path,
    const OctDicomObject *object, char **warning, GError **error);

/* N-ACTION: asks the peer to take over the responsibility for objects[count], by
 * the UID `transaction`.  oct_dicom_receive() gets its answer. */
gboolean oct_dicom_ask_commitment (OctDicomLink *link, const char *transaction,
    const OctDicomObject *objects, guint count, GError **error);

/* A part of a report of commitment: an object, and why it was not committed
 * (PS3.3, C.14.1.1), 0: it is.  `transaction` and `instance` are UIDs. */
typedef void (*OctDicomReport) (const char *transaction, const char *sop_class,
    const char *instance, guint reason, gpointer data);

typedef enum {
  OCT_DICOM_GOT_REPORT,
  OCT_DICOM_GOT_OTHER, /* a C-ECHO, or one that was not valid and was refused */
  OCT_DICOM_GOT_NOTHING,
  OCT_DICOM_GOT_END, /* the association is over */
} OctDicomGot;

/* Waits `seconds` for a message of the peer, and answers it.  `known`: whether a
 * transaction is one of ours; reports of others are refused. */
OctDicomGot oct_dicom_receive (OctDicomLink *link, guint seconds,
    gboolean (*known) (const char *transaction, gpointer data),
    OctDicomReport report, gpointer data);

/* Whether the peer has *answered the question for commitment; FALSE with
 * OCT_DICOM_ERROR_REFUSED if it refused. */
gboolean oct_dicom_check_answer (
    const OctDicomLink *link, gboolean *answered, GError **error);

/* The words of the standard for the reason of a failure; static. */
const char *oct_dicom_reason_text (guint reason);

/* A new UID; g_free() it. */
char *oct_dicom_make_uid (void);

G_END_DECLS
