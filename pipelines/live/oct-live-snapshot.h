/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Single pictures, in full size and without losses (PNG).
 *
 * One thread makes them, which gives way to everything else, one at a time and
 * so many a second.  All who have asked in the meantime get the same next one:
 * nobody waits for another's turn, and a hundred requests cost as much as one.
 * Main thread.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Milliseconds from the beginning of one picture to that of the next. */
#define OCT_LIVE_SNAPSHOT_GAP 250

typedef struct _OctLiveSnapshots OctLiveSnapshots;

/* Gives the image to take, with a reference, or NULL; main thread. */
typedef GstSample *(*OctLiveSnapshotSource) (gpointer data);
/* `png` is NULL when it could not be made. */
typedef void (*OctLiveSnapshotDone) (GBytes *png, gpointer data);

OctLiveSnapshots *oct_live_snapshots_new (
    OctLiveSnapshotSource source, gpointer data);
/* Those who wait get the answer that there is no picture.  FALSE when the
 * thread is still at one after a second, as it may be if the processors have
 * no time for it: nothing can be asked for then, the objects of the thread are
 * left as they are, and this can be called again. */
gboolean oct_live_snapshots_free (OctLiveSnapshots *snapshots);

/* Asks for a picture of the view now or later: `done` is called once, in the
 * main context. */
void oct_live_snapshots_ask (
    OctLiveSnapshots *snapshots, OctLiveSnapshotDone done, gpointer data);

/* Makes the PNG in the calling thread alone; NULL when it cannot be made. */
GBytes *oct_live_snapshot_make (GstSample *image);

G_END_DECLS
