/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * From the images to the streams for viewers: H.264 for WebRTC and JPEG for
 * browsers without it, both only while somebody watches, and the last image.
 *
 * Every branch after the image has a queue of its own that drops images that
 * come too fast, so that none of them holds up the source or another branch.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _OctLiveStreams OctLiveStreams;

typedef enum {
  OCT_LIVE_H264, /* access units, byte stream; streaming thread */
  OCT_LIVE_JPEG, /* one image each; streaming thread */
  OCT_LIVE_N_STREAMS
} OctLiveStream;

/* Gets every buffer of a stream, in the streaming thread: it must not wait.
 * The buffer's PTS is the running time of its B-scan. */
typedef void (*OctLiveBufferFunc) (
    GstBuffer *buffer, GstCaps *caps, gpointer data);

/* Main context, once until it is repaired: nothing comes any more.  `what`: the
 * part that failed, as the beginning of a sentence; `message`: its error. */
typedef void (*OctLiveStreamsFailed) (
    const char *what, const char *message, gpointer data);

/* `bitrate` of H.264 in kbit/s.  NULL with an error of one sentence. */
OctLiveStreams *oct_live_streams_new (
    guint bitrate, OctLiveStreamsFailed failed, gpointer data, GError **error);
void oct_live_streams_start (OctLiveStreams *streams);
/* Begins again if it has failed. */
void oct_live_streams_repair (OctLiveStreams *streams);
void oct_live_streams_free (OctLiveStreams *streams);

/* Any thread.  Takes an image, a B-scan, which is writable and stamped with the
 * time of the system's clock, for recordings, and shows it if `show`; it waits
 * for nothing.  The image has our running time then, and must not be changed
 * any more. */
void oct_live_streams_push (
    OctLiveStreams *streams, GstBuffer *image, GstCaps *caps, gboolean show);
/* The same with a picture that is only shown. */
void oct_live_streams_show (
    OctLiveStreams *streams, GstBuffer *picture, GstCaps *caps);

/* Any thread: the next picture of the microscope, which is not changed, its time
 * by the system's clock, for recordings: all have the size of the first one. */
void oct_live_streams_push_field (OctLiveStreams *streams, GstBuffer *picture,
    GstCaps *caps, GstClockTime time);
/* A picture of microscope and OCT together: as oct_live_streams_show(), and for
 * recordings. */
void oct_live_streams_push_screen (
    OctLiveStreams *streams, GstBuffer *picture, GstCaps *caps);

/* Adds a receiver of a stream, whose id it returns.  A key frame follows. */
guint oct_live_streams_add_receiver (OctLiveStreams *streams,
    OctLiveStream stream, OctLiveBufferFunc func, gpointer data);
/* When it returns, the receiver is not called any more. */
void oct_live_streams_remove_receiver (OctLiveStreams *streams, guint id);
/* Asks for a key frame; the encoder makes at most three of them a second. */
void oct_live_streams_request_key_frame (OctLiveStreams *streams);

/* Factory of the H.264 encoder. */
const char *oct_live_streams_get_encoder (OctLiveStreams *streams);
/* Caps of the B-scans; NULL before the first one. */
GstCaps *oct_live_streams_get_caps (OctLiveStreams *streams);
/* B-scans taken; pictures of the view that were not sent, because encoding was
 * too slow; running time now. */
void oct_live_streams_get_counts (OctLiveStreams *streams, guint64 *images,
    guint64 *dropped, GstClockTime *time);
/* The last picture shown, NULL before the first one. */
GstSample *oct_live_streams_get_image (OctLiveStreams *streams);
/* The source pad that the B-scans leave by, whatever is shown, to record from;
 * a reference. */
GstPad *oct_live_streams_get_image_pad (OctLiveStreams *streams);
/* The same of the microscope, and of the pictures of oct_live_streams_push_screen():
 * one clock for all three. */
GstPad *oct_live_streams_get_field_pad (OctLiveStreams *streams);
GstPad *oct_live_streams_get_screen_pad (OctLiveStreams *streams);
/* Clock and base time, for the pipelines of viewers. */
GstClock *oct_live_streams_get_clock (
    OctLiveStreams *streams, GstClockTime *base_time);

G_END_DECLS
