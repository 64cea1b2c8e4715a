/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Settings begin as an instrument has them, and are kept with it as they are
 * changed.  Main thread.
 */
#pragma once

#include "oct-live-feed.h"

G_BEGIN_DECLS

typedef struct _OctLiveKeeper OctLiveKeeper;

/* Sets `settings` and the method in use as the source's instrument has them,
 * and keeps them as they begin; both have to live longer, as does `source`.
 * NULL with an error of one sentence. */
OctLiveKeeper *oct_live_keeper_new (const OctLiveSource *source,
    OctLiveSettings *settings, const char **used, GError **error);

/* Words for the ends of a direction, of the command line or of the instrument;
 * NULL: none.  `keeper`: NULL if there is no instrument. */
const char *oct_live_keeper_get_ends (
    const OctLiveKeeper *keeper, const OctLiveSource *source, OctEnds ends);

/* Something was set: it is kept soon, as a slider is moved in many steps.
 * `keeper`: NULL does nothing. */
void oct_live_keeper_keep_soon (OctLiveKeeper *keeper);

/* Saves settings that still wait for it. */
void oct_live_keeper_free (OctLiveKeeper *keeper);

/* Sets all but the method: those that octreconstruct has to its defaults, or as
 * the command line has them. */
void oct_live_keeper_get_defaults (
    const OctLiveSource *source, OctLiveSettings *settings);

G_END_DECLS
