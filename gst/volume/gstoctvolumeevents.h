/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Order of events of an element that takes whole volumes: its caps are known
 * with the first volume, so that events wait for them.
 */
#pragma once

#include "gstoctscan.h"

G_BEGIN_DECLS

/* Whether the volume of `scan` ends before `event`: the end of the stream, or a
 * segment that has not come before. */
gboolean gst_oct_volume_events_end (GstOctScan *scan, GstEvent *event);

/* Sends `event`, which it takes over, from `src`, or keeps it in `waiting` until
 * there are caps.  At the end of the stream it no longer waits. */
gboolean gst_oct_volume_events_pass (
    GQueue *waiting, gboolean has_caps, GstPad *src, GstEvent *event);

/* There are caps: sends those that waited. */
void gst_oct_volume_events_send (GQueue *waiting, GstPad *src);

G_END_DECLS
