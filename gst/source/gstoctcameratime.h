/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Numbers and times of a camera's frames.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Zeros at first. */
typedef struct {
  gboolean begun;
  guint64 id;     /* of the last frame, as the camera says */
  guint64 number; /* of the last frame since the start, 0, 1, ... */
} GstOctCameraCount;

/* Takes the camera's number of the next frame, and returns how many frames are
 * lost before it.  Cameras count in 64 bits from 0, or (GigE Vision) from 1 to
 * 65535 and then from 1 again; those that do not count at all say the same
 * number each time.  A number that goes back otherwise is of a camera that has
 * started to count again: nothing is known to be lost then. */
guint64 gst_oct_camera_count (GstOctCameraCount *count, guint64 id);

/* The next number of the camera begins a new count; ours goes on. */
void gst_oct_camera_count_anew (GstOctCameraCount *count);

#define GST_OCT_CAMERA_DELAYS 64

/* Zeros at first. */
typedef struct {
  guint64 first_camera;       /* 0: no frame yet */
  GstClockTime first_arrival; /* of the same frame */
  guint64 camera;             /* of the last frame */
  GstClockTime time;          /* of the last frame, as it was returned */
  gint64 delays[GST_OCT_CAMERA_DELAYS];
  guint count, next; /* in delays */
  gboolean distrusted;
} GstOctCameraTime;

/* The running time of a frame.  `camera`: its time by the camera's own clock in
 * ns, 0 if there is none; `arrival`: the running time at which it was here.
 * Frames come at regular times and are late by chance: the time of the camera
 * is mapped to running time by the shortest delay of the last frames.  Never
 * later than the arrival, never before the previous frame.  If the camera's
 * clock stands still, goes back, or does not count in ns, arrivals are
 * returned. */
GstClockTime gst_oct_camera_time (
    GstOctCameraTime *time, guint64 camera, GstClockTime arrival);

G_END_DECLS
