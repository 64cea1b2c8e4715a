/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Aravis' simulated GigE Vision camera in this process: its frames hold known
 * values, it can lose packets, change and vanish.  And pipelines of
 * octcamerasrc that look at each frame.
 */
#pragma once

#include <arv.h>
#include <gst/check/gstcheck.h>

G_BEGIN_DECLS

#define OCT_TEST_CAMERA "Aravis-Fake-GV01"

/* A camera on the loopback; it vanishes with g_object_unref().  The port is
 * that of GigE Vision, so other tests that have one are waited for. */
ArvGvFakeCamera *oct_test_camera_new (void);

/* Value `i` of a frame of `bits` bits, which begins with the value `seed`. */
guint oct_test_camera_value (guint seed, gsize i, guint bits);
/* Whether all values are those of a frame. */
gboolean oct_test_camera_is_frame (GstBuffer *buffer, gsize count, guint bits);

typedef struct _OctTestWatch OctTestWatch;
typedef void (*OctTestOnFrame) (OctTestWatch *watch, GstBuffer *buffer);
typedef gboolean (*OctTestIsDone) (OctTestWatch *watch);

struct _OctTestWatch {
  GstElement *pipeline, *source;
  GMutex lock;
  GCond changed; /* after each frame */
  guint frames;
  gpointer data;
  OctTestOnFrame on_frame;
};

/* Starts "octcamerasrc name=source `properties` ! `rest` ! fakesink"; on_frame
 * is called with the lock held, or is NULL. */
void oct_test_watch_start (OctTestWatch *watch, const char *properties,
    const char *rest, OctTestOnFrame on_frame, gpointer data);
/* Waits until is_done(), which is called with the lock held after each frame. */
void oct_test_watch_wait (OctTestWatch *watch, OctTestIsDone is_done);
void oct_test_watch_wait_frames (OctTestWatch *watch, guint frames);
/* Waits for a message of this type whose text (of warnings, errors, infos) or
 * name (element) has `word`; fails if an error comes in its place. */
GstMessage *oct_test_watch_message (
    OctTestWatch *watch, GstMessageType type, const char *word);
void oct_test_watch_stop (OctTestWatch *watch);

guint64 oct_test_watch_get (OctTestWatch *watch, const char *counter);

G_END_DECLS
