/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Associations with the systems of a hospital, by dcmnet and dcmtls of DCMTK.
 * C++ inside, C outside.
 *
 * Every function may wait for a peer.  DCMTK's own limits do not hold for a peer
 * that sends a byte from time to time: the caller sets a deadline of the whole
 * (oct-dicom-deadline.h).  One thread.
 */
#pragma once

#include "oct-dicom-types.h"

G_BEGIN_DECLS

/* Logs of DCMTK go nowhere; first in main().  FALSE with OCT_DICOM_ERROR_SETTINGS:
 * it lacks its dictionary. */
gboolean oct_dicom_begin (GError **error);

/* Whether `uid` is a UID, and therefore the name of a file too. */
gboolean oct_dicom_is_uid (const char *uid);

/* Whether `title` can be an AE title (PS3.5: 1 to 16 printable characters of
 * ASCII without backslash, not only spaces). */
gboolean oct_dicom_is_title (const char *title);

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
gboolean oct_dicom_link_has (
    const OctDicomLink *link, OctDicomServices service);

/* Releases the association, or aborts it after an error. */
void oct_dicom_link_close (OctDicomLink *link, gboolean orderly);

G_END_DECLS
