/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Associations with the systems of a hospital, by dcmnet and dcmtls of DCMTK:
 * verification, modality worklist, storage and storage commitment (DICOM PS3.4,
 * A, B, J and K).  C++ inside, C outside.
 *
 * Every function may wait for a peer.  DCMTK's own limits do not hold for a peer
 * that sends a byte from time to time: the caller sets a deadline of the whole
 * (oct-dicom-deadline.h).  One thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes of a UID with its 0, of which the standard allows 64 characters. */
#define OCT_DICOM_UID 65
/* Presentation contexts of one association have odd numbers up to 255. */
#define OCT_DICOM_MAX_CONTEXTS 126

typedef enum {
  OCT_DICOM_ERROR_FILE,    /* this is not a file that can be sent */
  OCT_DICOM_ERROR_NETWORK, /* no association, or it broke */
  OCT_DICOM_ERROR_REFUSED, /* the peer said no */
  OCT_DICOM_ERROR_SETTINGS,
} OctDicomError;

#define OCT_DICOM_ERROR (oct_dicom_error_quark ())
GQuark oct_dicom_error_quark (void);

/* Our side and the peer. */
typedef struct {
  char *aet;      /* our AE title */
  char *peer_aet; /* title, host and port of the peer */
  char *host;
  guint port;
  gint timeout; /* seconds for one answer */
  /* TLS, all files PEM; NULL: none, and the association is not encrypted */
  char *authority;   /* certificates that are trusted */
  char *certificate; /* ours */
  char *key;         /* its key */
} OctDicomPeer;

typedef struct _OctDicomLink OctDicomLink;

/* The identity of a DICOM file. */
typedef struct {
  char sop_class[OCT_DICOM_UID];
  char instance[OCT_DICOM_UID];
  char transfer[OCT_DICOM_UID]; /* transfer syntax */
} OctDicomObject;

/* Logs of DCMTK go nowhere; first in main().  FALSE with OCT_DICOM_ERROR_SETTINGS:
 * it lacks its dictionary. */
gboolean oct_dicom_begin (GError **error);

/* Whether `uid` is a UID, and therefore the name of a file too. */
gboolean oct_dicom_is_uid (const char *uid);

/* Whether `title` can be an AE title (PS3.5: 1 to 16 printable characters of
 * ASCII without backslash, not only spaces). */
gboolean oct_dicom_is_title (const char *title);

/* Reads the identity of a DICOM file.  OCT_DICOM_ERROR_FILE. */
gboolean oct_dicom_inspect (
    const char *path, OctDicomObject *object, GError **error);

/* -------------------------------------------------------------- associations */

/* Services that an association can have besides storage. */
typedef enum {
  OCT_DICOM_VERIFICATION = 1 << 0,
  OCT_DICOM_WORKLIST = 1 << 1,
  OCT_DICOM_COMMITMENT = 1 << 2,
} OctDicomServices;

/* Requests an association for `services` and for the storage of objects like
 * `objects`[count], each in the transfer syntax in which it is stored; equal
 * ones share a presentation context, and those beyond OCT_DICOM_MAX_CONTEXTS have
 * none.  NULL with OCT_DICOM_ERROR_NETWORK, _REFUSED or _SETTINGS (TLS). */
OctDicomLink *oct_dicom_link_open (const OctDicomPeer *peer,
    OctDicomServices services, const OctDicomObject *objects, guint count,
    GError **error);

/* Answers the request of an association on the connected socket `fd`, which is
 * used up; only from the peer's AE title to ours, for verification and for
 * reports of commitment.  NULL with an error as above. */
OctDicomLink *oct_dicom_link_accept (
    const OctDicomPeer *peer, int fd, GError **error);

/* Whether the peer agreed to the service. */
gboolean oct_dicom_link_has (const OctDicomLink *link, OctDicomServices service);

/* Releases the association, or aborts it after an error. */
void oct_dicom_link_close (OctDicomLink *link, gboolean orderly);

/* ------------------------------------------------------------------ services */

/* C-ECHO. */
gboolean oct_dicom_echo (OctDicomLink *link, GError **error);

/* Query of a worklist; NULL or "": any. */
typedef struct {
  const char *date; /* YYYYMMDD, or a range of two with - between them */
  const char *modality;
  const char *station; /* AE title of the modality */
} OctDicomQuery;

/* Texts of an answer, in UTF-8 as far as DCMTK can convert them; each is what the
 * peer sent, which may be anything. */
typedef enum {
  OCT_DICOM_NAME,
  OCT_DICOM_ID,
  OCT_DICOM_BIRTH,
  OCT_DICOM_SEX,
  OCT_DICOM_ACCESSION,
  OCT_DICOM_STUDY,
  OCT_DICOM_REQUESTED,
  OCT_DICOM_REQUESTED_ID,
  OCT_DICOM_REFERRER,
  OCT_DICOM_STATION, /* from here on of the scheduled procedure step */
  OCT_DICOM_DATE,
  OCT_DICOM_TIME,
  OCT_DICOM_MODALITY,
  OCT_DICOM_STEP,
  OCT_DICOM_STEP_ID,
  OCT_DICOM_FIELDS,
} OctDicomField;

/* The keyword of the attribute; static. */
const char *oct_dicom_field_name (OctDicomField field);

/* texts[OCT_DICOM_FIELDS], never NULL. */
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
