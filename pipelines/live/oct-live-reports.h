/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The reports that pages get: the pictures, the settings, the recording and the
 * view: the same for all of them.  Main thread.
 */
#pragma once

#include "oct-live-server.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The settings, the search that goes on, and why there are no pictures; the
 * recording. A message that is not finished: more can be added. */
JsonBuilder *oct_live_report_state (OctLive *live);

/* The view of volumes: sizes in metres; places of the planes in their picture,
 * in pixels. */
JsonBuilder *oct_live_report_look (OctLive *live);

/* The path of the A-lines that the source tells; there is one. */
JsonBuilder *oct_live_report_path (OctLive *live);
/* The layout of microscope and OCT: places of their pictures in pixels of the
 * screen; whose eye is where. */
JsonBuilder *oct_live_report_screen (OctLiveScreen *screen);

/* Adds everything that a page can choose from. */
void oct_live_report_offers (OctLive *live, JsonBuilder *builder);

/* Adds the rates, sizes and spacings of the pictures, the recording and the
 * last moment that was kept. */
void oct_live_report_status (
    OctLive *live, const OctLiveCounts *counts, JsonBuilder *builder);

G_END_DECLS
