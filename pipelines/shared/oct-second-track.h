/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A second track of video in a recording (oct-recorder.h), with the times of the
 * first one.  The recorder's thread.
 */
#pragma once

#include "oct-tap.h"

G_BEGIN_DECLS

typedef struct _OctSecondTrack OctSecondTrack;

/* Adds its encoder to `pipeline`, in front of `sink`, a splitmuxsink whose first
 * track is linked.  `bitrate` as in oct-encoder.h.  NULL with an error. */
OctSecondTrack *oct_second_track_new (
    GstBin *pipeline, GstElement *sink, guint bitrate, GError **error);

/* Records from the pad, beside the frames of `leader`. */
void oct_second_track_begin (OctSecondTrack *track, OctTap *leader, GstPad *pad,
    GstClockTime queue, OctTapEnded ended, gpointer data);

/* Ends the track after its first frame, without which no file would be complete:
 * FALSE as long as that has not come, but for a second at most.  These functions
 * take NULL, too, which has nothing to wait for. */
gboolean oct_second_track_finish (OctSecondTrack *track);
void oct_second_track_close (OctSecondTrack *track);
void oct_second_track_get_stats (OctSecondTrack *track, OctTapStats *stats);
/* After the pipeline has ended, and before its leader. */
void oct_second_track_free (OctSecondTrack *track);

G_END_DECLS
