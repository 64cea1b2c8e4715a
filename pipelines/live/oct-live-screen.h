/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * One screen of the microscope's video and the pictures of OCT: GStreamer's
 * compositor puts them together as the layout says, with the place of the scan
 * drawn in the field.  All viewers, snapshots and files get the same
 * picture.
 *
 * It makes a picture when one of the two comes, and not by a clock of its own,
 * so that nothing waits: the last picture of the other one is in it.  If that is
 * old, it is dark and says since when.  Main thread, but for functions that say
 * "any thread".
 */
#pragma once

#include "oct-live-area.h"
#include "oct-live-layout.h"
#include "oct-live-track.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _OctLiveScreen OctLiveScreen;

typedef struct {
  const char *source; /* of the microscope, see oct-live-microscope.h */
  OctLiveStereo stereo;
  gint width, height; /* of the screen, even */
  gint rate;          /* pictures per second at most */
  const char *aims;   /* file of the calibration, or NULL: it is not kept */
  guint file_mode;    /* its permissions */
  gboolean always;    /* also OCT alone is put on the screen */
} OctLiveScreenSettings;

typedef struct {
  /* A streaming thread: a picture of the screen, writable and stamped with the
   * time of the system's clock. */
  void (*picture) (GstBuffer *picture, GstCaps *caps, gpointer data);
  /* Any thread: a picture of the microscope, which is not changed, and its time.
   * While none comes there are some each second nevertheless: the last one, and
   * when that is old black ones.  `none`: there was none yet, and it has the size
   * of the screen; in the main context. */
  void (*field) (GstBuffer *picture, GstCaps *caps, GstClockTime time,
      gboolean none, gpointer data);
  /* Main context: what oct_live_screen_get_state() says has changed; `problem`:
   * one sentence, or NULL. */
  void (*changed) (const char *problem, gpointer data);
} OctLiveScreenEvents;

/* NULL with an error of one sentence: the source or the file of the calibration
 * is not valid, an element is missing. */
OctLiveScreen *oct_live_screen_new (
    const OctLiveScreenSettings *settings, GError **error);
void oct_live_screen_start (
    OctLiveScreen *screen, const OctLiveScreenEvents *events, gpointer data);
/* No event is called any more.  FALSE when the microscope's source hangs: a
 * thread still uses `screen` then. */
gboolean oct_live_screen_close (OctLiveScreen *screen);
/* After everything that calls it has ended. */
void oct_live_screen_free (OctLiveScreen *screen);

/* The view of OCT. */
typedef struct {
  double aspect;        /* width over height, 0: any */
  double width, length; /* of the raster in metres, 0: unknown */
  double bscan, across; /* lines in it, 0 to 1; below 0: none */
} OctLiveScreenView;

/* Any thread: whether the pictures of OCT are for the screen now, and not for the
 * viewers as they are. */
gboolean oct_live_screen_takes (OctLiveScreen *screen);
/* Any thread, waits for nothing: the next one, which is not changed any more,
 * and its time by the system's clock. */
void oct_live_screen_take (OctLiveScreen *screen, GstBuffer *picture,
    GstCaps *caps, GstClockTime time, const OctLiveScreenView *view);
/* Any thread: the area is that of the path of `track` from now on. */
void oct_live_screen_follow (OctLiveScreen *screen, OctLiveTrack *track);

void oct_live_screen_set_layout (
    OctLiveScreen *screen, OctLiveLayout layout, OctLiveEyeChoice eyes);

/* The corners of the scan (OctLiveArea) are there in the picture of that eye, and
 * keeps it in the file; NULL: they are not known.  FALSE with an error of one
 * sentence; only if the file was not written, they are in use nevertheless. */
gboolean oct_live_screen_set_aim (OctLiveScreen *screen, guint eye,
    const OctLiveSpot picture[OCT_LIVE_AIM_CORNERS], GError **error);

typedef struct {
  OctLiveLayout layout;
  OctLiveEyeChoice eyes;
  gboolean stereo; /* there are eyes to choose */
  gboolean on;     /* the screen is shown; otherwise OCT as it is made */
  gint width, height;
  OctLivePlaces places;
  gboolean aimed[OCT_LIVE_EYES];
  gboolean keeps;      /* there is a file of the calibration */
  const char *trouble; /* of the microscope, in sentences, or NULL */
} OctLiveScreenState;
void oct_live_screen_get_state (
    OctLiveScreen *screen, OctLiveScreenState *state);

G_END_DECLS
