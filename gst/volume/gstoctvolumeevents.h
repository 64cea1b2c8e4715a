/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Order of events of an element that takes whole volumes: its caps are known
 * with the first volume, so that events wait for them, and those that come in the
 * middle of a volume wait for it.
 */
#pragma once

#include "gstoctscan.h"

G_BEGIN_DECLS

/* Begins with zeros. */
typedef struct {
  GQueue first; /* to be sent after the caps of the output */
  GQueue after; /* ... after the volume under way */
} GstOctVolumeEvents;

void gst_oct_volume_events_clear (GstOctVolumeEvents *events);

/* Whether the volume of `scan` ends before `event`: the end of the stream or
 * another stream, or a segment that has not come before. */
gboolean gst_oct_volume_events_end (GstOctScan *scan, GstEvent *event);

/* Sends `event`, which it takes over, from `src`, or keeps it until there are
 * caps, or with `has_data` until the B-scans have been delivered that came before
 * it.  At the end of the stream nothing waits any longer. */
gboolean gst_oct_volume_events_pass (GstOctVolumeEvents *events,
    gboolean has_caps, gboolean has_data, GstPad *src, GstEvent *event);

/* There are caps, and nothing was delivered with them yet. */
void gst_oct_volume_events_begin (GstOctVolumeEvents *events, GstPad *src);

/* All B-scans that have come were delivered. */
void gst_oct_volume_events_follow (GstOctVolumeEvents *events, GstPad *src);

/* Sends `event`, the end of a flush, which it takes over.  B-scans that were not
 * delivered never are; events that hold for later ones are sent. */
gboolean gst_oct_volume_events_flush (GstOctVolumeEvents *events,
    gboolean has_caps, GstPad *src, GstEvent *event);

G_END_DECLS
