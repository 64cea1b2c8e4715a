/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The beam on the sample as the source tells it: the path of the A-lines, the
 * B-scan that has come last, and the A-lines of the last volume that never came.
 */
#pragma once

#include "oct-live-area.h"

#include <gst/gst.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct _OctLiveTrack OctLiveTrack;

/* `changed`: main context, the source tells another path. */
OctLiveTrack *oct_live_track_new (
    void (*changed) (gpointer data), gpointer data);
/* No event is called any more. */
void oct_live_track_free (OctLiveTrack *track);

/* Watches the raw spectra of a source at this pad, as long as that is; the one
 * before is forgotten. */
void oct_live_track_watch (OctLiveTrack *track, GstPad *pad);

/* FALSE: no path was told. */
gboolean oct_live_track_has_path (OctLiveTrack *track);

/* Whether the path that was told is that of this event. */
gboolean oct_live_track_is_on (OctLiveTrack *track, GstEvent *event);

/* Sets the area of the path.  FALSE, and `area` stays as it is, if no path was told or
 * the path has no area. */
gboolean oct_live_track_set_area (OctLiveTrack *track, OctLiveArea *area);

/* Adds the path as members of an object: `pattern`, `lines` and `bscans` of a
 * volume, and `x` and `y` in um, of every `step`-th A-line of every
 * `bscanStep`-th B-scan, and of the last one in each. */
void oct_live_track_add_path (OctLiveTrack *track, JsonBuilder *builder);

/* Adds a member `track` if there is a path: the present `bscan` and `volume`, and of the last
 * volume that is over how many A-lines are `lost`, and `ranges` of them: the first one in
 * the volume, how many follow, and so on, as many as are reasonable. */
void oct_live_track_add_status (OctLiveTrack *track, JsonBuilder *builder);

G_END_DECLS
