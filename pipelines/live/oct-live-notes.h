/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Notes of people on a recording, in a file beside it: OUTPUT-notes.csv, with
 * the time in the recording in seconds, the time of day and the text.
 *
 * A thread writes them, as a disk may hang.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In one recording. */
#define OCT_LIVE_MOST_NOTES 1000

typedef struct _OctLiveNotes OctLiveNotes;

/* `mode`: permissions of the file, which is made with the first note. */
OctLiveNotes *oct_live_notes_new (const char *output, guint mode);
/* Waits for the file. */
void oct_live_notes_free (OctLiveNotes *notes);

/* Returns at once.  An empty text is a mark.  FALSE: there are too many. */
gboolean oct_live_notes_add (
    OctLiveNotes *notes, double seconds, const char *text);
guint oct_live_notes_count (OctLiveNotes *notes);

G_END_DECLS
