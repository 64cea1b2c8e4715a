/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Recordings of raw spectra: flat parts NAME-00000.raw, NAME-00001.raw, ... and
 * a small text NAME.oct that says what is in them (oct-recording-text.h).  A
 * part is B-scans, one after the other, and nothing else; the last one may have
 * been cut off.  If the scan leaves A-lines out, masks
 * NAME-scan-mask-00000.txt, ... (oct-scan-mask.h) say which A-lines of a volume
 * there are.
 */
#pragma once

#include "oct-reader.h"
#include "oct-recording-text.h"
#include "oct-scan-mask.h"
#include "oct-scan-places.h"

G_BEGIN_DECLS

#define OCT_RECORDING_SUFFIX ".oct"

/* Path of part `part` of the recording `base` (path without suffix), to be
 * freed. */
char *oct_recording_part_path (const char *base, guint part);

/* Path of any part of the recording `base` that exists and whose number is not
 * below `from`, to be freed; NULL when there is none. */
char *oct_recording_find_part (const char *base, guint64 from);

/* The same of mask `number`, and of any mask of the recording. */
char *oct_recording_mask_path (const char *base, guint number);
char *oct_recording_find_mask (const char *base);

/* The same of the places of A-lines, a scan file (oct-scan-places.h). */
char *oct_recording_places_path (const char *base);

/* The same of the file that says which A-lines are lost (oct-lost-lines.h). */
char *oct_recording_lost_path (const char *base);

/* Adds the paths of all parts, masks, places and losses next to the text `path`. */
void oct_recording_list_files (const char *path, GPtrArray *files);

typedef struct _OctRecording OctRecording;

/* Opens the text `path` and finds the parts next to it.  Errors:
 * OCT_ERROR_NOT_FOUND, _READ, _FORMAT (text, a part that is missing between
 * others, no whole B-scan at all). */
OctRecording *oct_recording_open (const char *path, GError **error);
void oct_recording_close (OctRecording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctRecording, oct_recording_close)

/* Belong to the recording. */
const OctRecordingInfo *oct_recording_get_info (const OctRecording *recording);
guint64 oct_recording_get_frames (const OctRecording *recording);

/* Bytes of all parts after the last whole B-scan, as a crash leaves them. */
guint64 oct_recording_get_leftover (const OctRecording *recording);

/* Where B-scan `frame` is in the scan: counted from the beginning of the first
 * volume, with those that were lost. */
guint64 oct_recording_get_place (const OctRecording *recording, guint64 frame);

/* How many B-scans from `frame` on, itself included, follow each other in the
 * scan and are of one mask: at least 1. */
guint64 oct_recording_count_alike (
    const OctRecording *recording, guint64 frame);

/* Which A-lines of a volume there are from B-scan `frame` on (no new
 * reference); NULL: the recording does not say it.  All masks of a recording
 * are for volumes of one size. */
OctScanMask *oct_recording_get_mask (
    const OctRecording *recording, guint64 frame);

/* Where the A-lines of a volume are (no new reference); NULL: the recording does
 * not say it. */
OctScanPlaces *oct_recording_get_places (const OctRecording *recording);

/* A sentence on places that cannot be used; NULL: all is well. */
const char *oct_recording_get_places_problem (const OctRecording *recording);

/* Which A-lines of B-scan `frame` are there, valid[lines], 0: lost.  FALSE: all
 * are. */
gboolean oct_recording_get_valid (
    const OctRecording *recording, guint64 frame, guint8 *valid);

/* A sentence on lost A-lines that are not known; NULL: all is well. */
const char *oct_recording_get_lost_problem (const OctRecording *recording);

/* A sentence on masks that the text names and that cannot be used, so that none
 * is; NULL: all is well. */
const char *oct_recording_get_mask_problem (const OctRecording *recording);

/* Reads B-scan `frame` (0 .. frames - 1) of all parts to dest [lines][samples],
 * rows `stride` bytes apart.  One thread at a time.  Error: OCT_ERROR_READ. */
gboolean oct_recording_read (OctRecording *recording, guint64 frame,
    gpointer dest, gsize stride, GError **error);

G_END_DECLS
