/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Pictures of motion, for oct-live-scene.c: the B-scan, beside it flow,
 * Doppler shifts or fluctuation, which octangio, octdoppler or octdynamic find
 * in the A-scans, and flow from above.
 */
#pragma once

#include "oct-live-look.h"
#include "oct-live-scan.h"

G_BEGIN_DECLS

/* NULL, or why what `look` shows cannot be found of such a scan: one sentence
 * that says what to set. */
const char *oct_live_flow_check (
    const OctLiveScan *scan, const OctLiveLook *look);

/* A launch line from "appsrc name=in" of images and "appsrc name=ascans" to
 * "appsink name=out0" and so on, one for each panel; elements that the look
 * sets are named make0 and so on.  `panels` and `size`: their places, at one
 * scale, together as large as fits into `most_width` x `most_height`.  Returns
 * text to free; `n`: the number of panels, those of the B-scan, of motion in it
 * and, of flow in several places, from above.  oct_live_flow_check() has to be
 * NULL. */
char *oct_live_flow_describe (const OctLiveScan *scan, const OctLiveLook *look,
    gint most_width, gint most_height, OctLivePanel panels[OCT_LIVE_MAX_PANELS],
    guint *n, OctLivePanel *size);

/* The speed beyond which Doppler pictures cannot tell one direction from the
 * other, half a turn of the phase; `unit`: "mm/s" of blood, or "rad" if it is
 * not known how fast that is. */
double oct_live_flow_get_half_turn (
    const OctLiveScan *scan, const OctLiveLook *look, const char **unit);

G_END_DECLS
