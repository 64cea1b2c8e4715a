/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * One viewer's video over the WebSocket of its page, for the decoder of the
 * browser (WebCodecs): the access units of H.264 that were encoded once for all.
 * The page says which it has decoded; a viewer that is too slow gets none until
 * the next key frame, and nobody else notices.  Main thread.
 */
#pragma once

#include "oct-live-graph.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Before each unit, in the order of little-endian machines: its B-scan's time in
 * ms (double), its number from 1 on (32 bits), 1 for a key frame, else 0 (8
 * bits). */
#define OCT_LIVE_UNIT_HEAD 13
/* Units on their way at most, half a second and more: sent, not decoded. */
#define OCT_LIVE_UNITS_AHEAD 30

typedef struct _OctLiveUnits OctLiveUnits;

OctLiveUnits *oct_live_units_new (
    OctLiveGraph *graph, SoupWebsocketConnection *socket);
void oct_live_units_free (OctLiveUnits *units);

/* The page has decoded the unit of that number, and all before it. */
void oct_live_units_answer (OctLiveUnits *units, gint64 number);
/* Units that this viewer was too slow for. */
guint oct_live_units_get_dropped (OctLiveUnits *units);

G_END_DECLS
