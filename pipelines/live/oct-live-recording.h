/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The recording that pages can begin and end.  Its folder is given at the
 * start, its name is the time: nothing of it comes from the network.
 */
#pragma once

#include "oct-live-audit.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _OctLiveRecording OctLiveRecording;

typedef struct {
  gboolean active;    /* images are being recorded */
  gboolean finishing; /* files are being completed */
  const char *name;   /* file or files, without folder; NULL before the first */
  const char *message; /* why the last one ended by itself, or which files of
                          it were deleted, moved or replaced; or NULL */
  const char *gaps;    /* that pictures are missing in it, one sentence; NULL
                          when none are */
  double seconds;
  guint64 frames;  /* without those of lost files; in the end those that can be
                      played */
  guint64 dropped; /* not recorded, or lost with their file */
  guint64 second;  /* pictures of the microscope */
  guint64 bytes, disk_left;
  guint notes; /* of people */
} OctLiveRecordingStatus;

/* Records from `pad` into `folder`, which is made if need be, in files of the
 * permissions `file_mode`; `meters`: with measurements next to them; `audit`,
 * which is told of begin and end, may be NULL.  NULL with an error of one sentence
 * when nothing can be written there. */
OctLiveRecording *oct_live_recording_new (const char *folder, guint file_mode,
    GstPad *pad, gboolean meters, OctLiveAudit *audit, GError **error);

/* Before the first one: files have a second track of this pad, or NULL; and names
 * that begin so. */
void oct_live_recording_set_second (
    OctLiveRecording *recording, GstPad *second, const char *prefix);

/* `comment`: one line for the text beside it, or NULL.  FALSE with an error of
 * one sentence; a recording going on is not an error. */
gboolean oct_live_recording_start (
    OctLiveRecording *recording, const char *comment, GError **error);
/* Keeps a text with the time in the recording; returns at once.  FALSE with an
 * error of one sentence if nothing is being recorded, or there are too many. */
gboolean oct_live_recording_add_note (
    OctLiveRecording *recording, const char *text, GError **error);
/* Returns at once; the files are finished in the background. */
void oct_live_recording_stop (OctLiveRecording *recording);
/* No pictures came between `from` and `till` (monotonic, us), which `ends` the
 * recording if they still do not.  Returns a sentence on it, which belongs to
 * the recording; NULL when nothing is being recorded or was at `from`. */
const char *oct_live_recording_add_gap (
    OctLiveRecording *recording, gint64 from, gint64 till, gboolean ends);
gboolean oct_live_recording_is_active (OctLiveRecording *recording);
/* Adds a measurement of octmeter to the recording that goes on, if any. */
void oct_live_recording_add_measurement (
    OctLiveRecording *recording, const GstStructure *measurement);
void oct_live_recording_get_status (
    OctLiveRecording *recording, OctLiveRecordingStatus *status);

/* Every second or so: prints the errors of a recording on the terminal, and tells
 * the audit of its end, once each. */
void oct_live_recording_watch (OctLiveRecording *recording);

/* Ends a recording and waits until its files are complete.  FALSE when one
 * since the start has ended by itself or a part of it is lost. */
gboolean oct_live_recording_free (OctLiveRecording *recording);

G_END_DECLS
