/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * From a pad of a running pipeline to an appsrc of another one, without ever
 * making the first wait: references of its buffers are handed over, and if the
 * second is too slow they are dropped and counted.
 */
#pragma once

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _OctTap OctTap;

typedef struct {
  guint64 frames;    /* handed over */
  guint64 dropped;   /* not handed over: the queue was full, or the appsrc that
                        stamps buffers did not play */
  GstClockTime time; /* from the first to the end of the last */
} OctTapStats;

/* Called once, in the streaming thread of `pad`, when nothing will follow:
 * `reason` is NULL at the end of the stream, else one sentence (GPU memory,
 * another size). */
typedef void (*OctTapEnded) (const char *reason, gpointer data);

typedef enum {
  OCT_TAP_FROM_ZERO, /* running times of `pad`, counted from the first buffer */
  OCT_TAP_ARRIVAL,   /* none: appsrc is live and stamps buffers on arrival */
} OctTapTimes;

/* An appsrc (floating), NULL when there is none installed; it or one from
 * elsewhere has to be set up for a tap before it starts. */
GstElement *oct_tap_make_source (OctTapTimes times);
void oct_tap_set_up_source (GstElement *source, OctTapTimes times);

/* Taps the source pad `pad` from its next buffer on.  `queue`: how much may
 * wait in the appsrc, besides at most 1 GiB.  `calibration`: a source
 * pad whose OCT calibration is handed over too, or NULL for that of `pad`.
 * The calibration, and the mask of the scan that `pad` knows, come before the
 * frames, if there are such. */
OctTap *oct_tap_new (GstPad *pad, GstAppSrc *appsrc, OctTapTimes times,
    GstClockTime queue, GstPad *calibration, OctTapEnded ended, gpointer data);

/* The same for frames that are recorded with those of `leader`, which lives
 * longer: both pads have one clock and base time, and times count from the first
 * frame of `leader`.  Frames before that are left out, and not counted. */
OctTap *oct_tap_new_beside (OctTap *leader, GstPad *pad, GstAppSrc *appsrc,
    GstClockTime queue, OctTapEnded ended, gpointer data);

void oct_tap_get_stats (OctTap *tap, OctTapStats *stats);

/* Hands nothing over any more; `ended` is neither running then nor called
 * any more. */
void oct_tap_close (OctTap *tap);

/* Closes the tap.  If the calibration was not known before any of the frames it
 * is handed over now, as the element that sends it may be slow.  FALSE if it is
 * not known yet because no frame has passed the pad of the calibration: call
 * this again later, which is TRUE after some seconds in any case. */
gboolean oct_tap_finish (OctTap *tap);

/* Closes and frees; appsrc has to be in state NULL. */
void oct_tap_free (OctTap *tap);

G_END_DECLS
