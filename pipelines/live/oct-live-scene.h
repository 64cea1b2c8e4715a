/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Pictures of volumes: a pipeline of octvolume, octenface or three octslice
 * that takes B-scan images as they come and gives pictures, as long as somebody
 * has chosen such a tab.  For those of motion (oct-live-flow.h) it takes
 * A-scans too.  It is made again for another tab, another size and
 * another source.
 */
#pragma once

#include "oct-live-look.h"
#include "oct-live-scan.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _OctLiveScene OctLiveScene;

typedef struct {
  /* A streaming thread, or that of oct_live_scene_repeat(): a picture.  It must
   * not wait. */
  void (*picture) (GstBuffer *picture, GstCaps *caps, gpointer data);
  /* Main context, once: nothing comes any more, one sentence. */
  void (*failed) (const char *message, gpointer data);
} OctLiveSceneEvents;

/* Begins to make pictures.  `gpu`: the B-scans come from one, which draws more
 * than a CPU.  NULL with an error of one sentence. */
OctLiveScene *oct_live_scene_new (const OctLiveScan *scan,
    const OctLiveLook *look, gboolean gpu, const OctLiveSceneEvents *events,
    gpointer data, GError **error);

/* Whether a scene is still right for another look: the other differences are
 * properties. */
gboolean oct_live_scene_fits (OctLiveScene *scene, const OctLiveLook *look);
/* Puts all of it in force, for a look that fits. */
void oct_live_scene_set (OctLiveScene *scene, const OctLiveLook *look);

/* Any thread.  Takes a B-scan image, which is not changed any more, stamped
 * with any time that goes on; it waits for nothing, and images that there is no
 * time for are left out. */
void oct_live_scene_push (OctLiveScene *scene, GstBuffer *image, GstCaps *caps);

/* The same of its A-scans, for looks that oct_live_look_moves(). */
void oct_live_scene_push_ascans (
    OctLiveScene *scene, GstBuffer *ascans, GstCaps *caps);

/* Some times a second, while B-scans come: gives the last picture again if none
 * came for long, for viewers who come later. */
void oct_live_scene_repeat (OctLiveScene *scene);

/* Places of the three planes, which the look calls Y, X and Z, or of motion
 * (oct-live-flow.h); `size` is that of the whole picture.  Returns how many
 * there are: 0 for other looks. */
guint oct_live_scene_get_panels (OctLiveScene *scene,
    OctLivePanel panels[OCT_LIVE_MAX_PANELS], OctLivePanel *size);

/* For three planes: the depth of the brightest row of the B-scan, as a part of
 * all depths, without the rows near zero delay; FALSE: there is none yet. */
gboolean oct_live_scene_find_brightest (OctLiveScene *scene, double *part);

/* No picture is given any more; one that is being drawn is finished and
 * forgotten by oct_live_scene_free(), which waits for it. */
void oct_live_scene_close (OctLiveScene *scene);
void oct_live_scene_free (OctLiveScene *scene);

G_END_DECLS
