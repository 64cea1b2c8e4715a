/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The video of a surgical microscope, or of any other camera, from a pipeline of
 * its own.  When it fails, ends or hangs it is begun again, after 1, 2, 4, 8 s
 * and from then on every 10 s; nothing else waits for it.  Main thread.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _OctLiveMicroscope OctLiveMicroscope;

typedef struct {
  /* A streaming thread: the next picture, writable and stamped with the time of
   * the system's clock. */
  void (*picture) (GstBuffer *picture, GstCaps *caps, gpointer data);
  /* Main context: oct_live_microscope_get_trouble() has changed. */
  void (*trouble) (gpointer data);
} OctLiveMicroscopeEvents;

/* `source`: "test"; a V4L2 device, such as /dev/video0; an address, such as
 * rtsp://...; a file; or a launch line that ends in video/x-raw.  Does not open
 * it.  NULL with an error of one sentence if it is none of these. */
OctLiveMicroscope *oct_live_microscope_new (const char *source, GError **error);
void oct_live_microscope_start (OctLiveMicroscope *microscope,
    const OctLiveMicroscopeEvents *events, gpointer data);

/* Why there are no pictures, in sentences for people; NULL when all is well. */
const char *oct_live_microscope_get_trouble (OctLiveMicroscope *microscope);

/* No event is called any more.  Waits a little for the source to be released:
 * FALSE when that hangs, and its thread still runs. */
gboolean oct_live_microscope_free (OctLiveMicroscope *microscope);

G_END_DECLS
