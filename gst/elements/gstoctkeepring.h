/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The last seconds of a stream: copies of its buffers, from one that can be
 * decoded by itself.
 *
 * A group is such a buffer (of video: a key frame) with those that need it.
 * Groups leave as a whole.  Sticky events stay at their place between the
 * buffers: spectra after another calibration or scan mask are not taken for
 * those before.  Not thread-safe.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstOctKeepRing GstOctKeepRing;

GstOctKeepRing *gst_oct_keep_ring_new (void);
void gst_oct_keep_ring_free (GstOctKeepRing *ring);

/* Takes a copy of `buffer`, whose times become `pts` and `dts` (running times;
 * `dts` may be GST_CLOCK_TIME_NONE), and lets go what is not needed for the
 * last `length` ns, or what is above `most` bytes.  A buffer that needs one
 * before it is left out if the ring is empty.  Returns: FALSE if `buffer`
 * cannot be read. */
gboolean gst_oct_keep_ring_push (GstOctKeepRing *ring, GstBuffer *buffer,
    GstClockTime pts, GstClockTime dts, GstClockTime length, guint64 most);

/* Takes a reference of an event for the buffers from the next one on. */
void gst_oct_keep_ring_take_event (GstOctKeepRing *ring, GstEvent *event);

/* Takes all buffers out of it; events stay in force. */
void gst_oct_keep_ring_clear (GstOctKeepRing *ring);
/* The same, and the events: another stream has its own. */
void gst_oct_keep_ring_forget (GstOctKeepRing *ring);

/* Adds to `events`, with a reference to each, those in force at the first
 * buffer. */
void gst_oct_keep_ring_get_events (
    const GstOctKeepRing *ring, GPtrArray *events);
/* The same of those after the last buffer. */
void gst_oct_keep_ring_get_last_events (
    const GstOctKeepRing *ring, GPtrArray *events);
/* Pushes the events that came right before a buffer of a ring. */
void gst_oct_keep_ring_push_events (GstBuffer *buffer, GstPad *pad);

/* The buffers with a reference to each, first to last; elements are GstBuffer.
 * Nothing changes them any more. */
GPtrArray *gst_oct_keep_ring_get (const GstOctKeepRing *ring);

/* Bytes of all that came from it and is not freed, which includes what it holds.
 * Any thread. */
guint64 gst_oct_keep_ring_get_all_bytes (const GstOctKeepRing *ring);

/* Whether `pts` is before the last buffer. */
gboolean gst_oct_keep_ring_is_past (
    const GstOctKeepRing *ring, GstClockTime pts);

/* Bytes that it holds, and the time from its first buffer to the end of its
 * last one in ns. */
guint64 gst_oct_keep_ring_get_bytes (const GstOctKeepRing *ring);
GstClockTime gst_oct_keep_ring_get_length (const GstOctKeepRing *ring);

G_END_DECLS
