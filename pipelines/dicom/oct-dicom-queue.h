/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A folder with the objects that an archive has yet to take over.  Each is a file
 * that is named by its SOP instance UID; the subfolder is its stage:
 *
 *   waiting/UID.dcm       not stored, as far as is known
 *   sent/UID.dcm          stored, and not committed
 *   committed/UID.txt     a record of one that the archive has taken over
 *   transactions/UID.txt  the objects of a question for commitment
 *   adding/               copies that are not complete
 *   steps/, told/         messages of procedure steps (oct-dicom-steps.h)
 *
 * One rename moves an object from one stage to the next, so a process that is
 * killed leaves it in the stage before or after.  At worst it is sent again, with
 * the same UID.  The record of a commitment is on the disk before the copy of the
 * object is removed.
 */
#pragma once

#include "oct-dicom-types.h"

G_BEGIN_DECLS

typedef struct _OctDicomQueue OctDicomQueue;

typedef enum {
  OCT_DICOM_WAITING,
  OCT_DICOM_SENT,
} OctDicomStage;

typedef enum {
  OCT_DICOM_NOT_ADDED,     /* with an error */
  OCT_DICOM_ADDED,         /* a copy waits */
  OCT_DICOM_ADDED_BEFORE,  /* the same object is in the queue */
  OCT_DICOM_ADDED_SECURED, /* the same object was committed */
} OctDicomAdded;

/* Makes the folder if there is none; with permissions for its owner alone.  NULL
 * with OCT_DICOM_ERROR_SETTINGS. */
OctDicomQueue *oct_dicom_queue_open (const char *path, GError **error);
void oct_dicom_queue_free (OctDicomQueue *queue);

/* FALSE with OCT_DICOM_ERROR_BUSY: another process works on it, until which ends
 * it is not ours; or with OCT_DICOM_ERROR_QUEUE. */
gboolean oct_dicom_queue_lock (OctDicomQueue *queue, GError **error);

/* Locks a file of the queue as flock() does; a descriptor to close, or -1. */
int oct_dicom_queue_take_lock (
    const OctDicomQueue *queue, const char *name, int how);

/* The path of folder/UIDending; g_free() it. */
char *oct_dicom_queue_make_path (const OctDicomQueue *queue, const char *folder,
    const char *uid, const char *ending);

/* Adds a copy of the file `path`, at any time, with or without the lock; it stores
 * its SOP instance UID in *object.  The error is OCT_DICOM_ERROR_FILE if it is not
 * a DICOM file or another object has its UID; another one (it cannot be read, the
 * copy cannot be written) may be gone later. */
OctDicomAdded oct_dicom_queue_add (OctDicomQueue *queue, const char *path,
    OctDicomObject *object, GError **error);

/* UIDs in a stage, the file that was touched longest ago first.  NULL with
 * OCT_DICOM_ERROR_QUEUE: nobody knows what is there. */
GPtrArray *oct_dicom_queue_list (
    OctDicomQueue *queue, OctDicomStage stage, GError **error);

/* The file of an object; g_free() it. */
char *oct_dicom_queue_get_path (
    const OctDicomQueue *queue, OctDicomStage stage, const char *instance);

/* Moves an object to the other stage, if it is not there already. */
void oct_dicom_queue_move (
    OctDicomQueue *queue, const char *instance, OctDicomStage to);

/* Puts an object at the end of its stage, after trouble with it. */
void oct_dicom_queue_touch (
    OctDicomQueue *queue, OctDicomStage stage, const char *instance);

/* Records that `archive` has an object, and removes the copy; `how`: a text.
 * FALSE with OCT_DICOM_ERROR_QUEUE: the object stays where it is. */
gboolean oct_dicom_queue_secure (OctDicomQueue *queue, const char *instance,
    const char *archive, const char *how, GError **error);

/* -------------------------------------------------------------- transactions */

/* Writes a transaction for objects[count], which is open from now on; returns its
 * UID, to be freed, or NULL with OCT_DICOM_ERROR_QUEUE. */
char *oct_dicom_queue_begin (OctDicomQueue *queue,
    const OctDicomObject *objects, guint count, GError **error);

/* Nothing more is expected of it; a late report is still taken. */
void oct_dicom_queue_close (OctDicomQueue *queue, const char *transaction);

gboolean oct_dicom_queue_knows (
    const OctDicomQueue *queue, const char *transaction);

/* Whether an archive has taken over this object. */
gboolean oct_dicom_queue_is_secured (
    const OctDicomQueue *queue, const char *instance);

/* Whether the transaction is about this object, and the object was not sent again
 * or reported as lost since. */
gboolean oct_dicom_queue_asks (const OctDicomQueue *queue,
    const char *transaction, const char *sop_class, const char *instance);

/* A set of the UIDs of objects in transactions that were begun less than `seconds`
 * ago and not closed. */
GHashTable *oct_dicom_queue_get_asked (OctDicomQueue *queue, guint seconds);

G_END_DECLS
