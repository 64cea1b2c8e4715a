/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The view on the pages: the B-scans themselves, or pictures of their volumes
 * or of motion (oct-live-scene.h), as those who control have chosen.  Nothing is rendered
 * while B-scans are shown, and recordings get every B-scan in any view.  Main
 * thread, but for oct_live_stage_take() and oct_live_stage_take_ascans().
 */
#pragma once

#include "oct-live-scene.h"
#include "oct-live-screen.h"
#include "oct-live-streams.h"

G_BEGIN_DECLS

typedef struct _OctLiveStage OctLiveStage;

typedef struct {
  /* Main context: B-scans per volume, panels or the look have changed.
   * `problem`: why by itself, one sentence, or NULL. */
  void (*changed) (const char *problem, gpointer data);
} OctLiveStageEvents;

/* `known`: the values known of every scan from the start; `bscans` and
 * `repeats` of it count if images do not tell them (0: they are of no volume,
 * and of one B-scan at each place).  `show`: the first view.  `streams` has to
 * live longer. */
OctLiveStage *oct_live_stage_new (const OctLiveScan *known, OctLiveShow show,
    OctLiveStreams *streams, const OctLiveStageEvents *events, gpointer data);
void oct_live_stage_free (OctLiveStage *stage);

/* Before the first B-scan: what is shown goes to this screen while it takes it.
 * The screen has to live longer. */
void oct_live_stage_set_screen (OctLiveStage *stage, OctLiveScreen *screen);

/* Any thread: the next B-scan, which is writable and stamped with the time of
 * the system's clock; it waits for nothing. */
void oct_live_stage_take (OctLiveStage *stage, GstBuffer *image, GstCaps *caps);

/* The same of its A-scans, which are not changed: before the image of them. */
void oct_live_stage_take_ascans (
    OctLiveStage *stage, GstBuffer *ascans, GstCaps *caps);

/* Another source has begun: volumes begin again.  `gpu`: it computes on one. */
void oct_live_stage_begin (OctLiveStage *stage, gboolean gpu);

/* B-scans per volume, 1 if there are no volumes. */
guint oct_live_stage_get_bscans (OctLiveStage *stage);
void oct_live_stage_get_look (OctLiveStage *stage, OctLiveLook *look);
/* FALSE with an error of one sentence; nothing has changed then. */
gboolean oct_live_stage_set_look (
    OctLiveStage *stage, const OctLiveLook *look, GError **error);
/* As oct_live_scene_get_panels(); 0 without a scene. */
guint oct_live_stage_get_panels (OctLiveStage *stage,
    OctLivePanel panels[OCT_LIVE_MAX_PANELS], OctLivePanel *size);
/* As oct_live_flow_get_half_turn(), of the present scan and look. */
double oct_live_stage_get_half_turn (OctLiveStage *stage, const char **unit);
/* Sizes of a volume in metres, as far as they are known or assumed. */
void oct_live_stage_get_size (OctLiveStage *stage, double size[3]);

G_END_DECLS
