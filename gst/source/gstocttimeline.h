/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * B-scan numbers and stream times: what octsrc needs to stamp, to seek and to
 * answer queries.
 *
 * Thread-safety: one thread at a time; octsrc changes it under its object lock.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  gint fps_n, fps_d; /* fps_n 0: not known yet */
  guint64 count;     /* B-scans of the stream, G_MAXUINT64 = no end */
  guint64 next;      /* the one to deliver */
} GstOctTimeline;

/* Start of B-scan `n`. */
GstClockTime gst_oct_timeline_time (const GstOctTimeline *timeline, guint64 n);

/* The B-scan that is being taken at `time`; `round_up`: the first that starts
 * at or after it. */
guint64 gst_oct_timeline_frame (
    const GstOctTimeline *timeline, GstClockTime time, gboolean round_up);

/* Length of the stream, GST_CLOCK_TIME_NONE = no end. */
GstClockTime gst_oct_timeline_duration (const GstOctTimeline *timeline);

/* Between GST_FORMAT_DEFAULT (B-scans) and _TIME; negative values (a distance
 * from the end) too.  FALSE for other formats and while the frame rate is not
 * known. */
gboolean gst_oct_timeline_convert (const GstOctTimeline *timeline,
    GstFormat from, gint64 value, GstFormat to, gint64 *result);

/* Answers duration, position, convert and seeking queries in both formats;
 * FALSE: not answered. */
gboolean gst_oct_timeline_query (
    const GstOctTimeline *timeline, GstQuery *query, gboolean seekable);

/* Does a seek in either format on a segment in time, which holds its duration.
 * FALSE for other formats. */
gboolean gst_oct_timeline_seek (
    const GstOctTimeline *timeline, GstEvent *seek, GstSegment *segment);

/* Another frame rate in mid-stream gives the same B-scans other times: the
 * segment starts at the next B-scan and goes on where the old one ended, at
 * `old_time`. `stop`: first B-scan not to deliver, G_MAXUINT64: none. */
void gst_oct_timeline_restart (const GstOctTimeline *timeline,
    GstClockTime old_time, guint64 stop, GstSegment *segment);

G_END_DECLS
