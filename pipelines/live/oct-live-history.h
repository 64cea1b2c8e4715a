/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What was found since the start, one after the other, and the way back: also
 * where the source was started again since.
 */
#pragma once

#include "oct-live-feed.h"

G_BEGIN_DECLS

typedef struct _OctLiveHistory OctLiveHistory;

OctLiveHistory *oct_live_history_new (void);
void oct_live_history_free (OctLiveHistory *history);

/* Settings whose texts are their own: NULL at first, counted, and let go of by
 * oct_live_settings_clear(). */
void oct_live_settings_set_text (const char **place, const char *text);
void oct_live_settings_clear (OctLiveSettings *settings);

/* Puts what octreconstruct has found and set, the message "oct-autofocus" or
 * "oct-background" with the result "changed", into `settings`, and remembers
 * what was there. */
void oct_live_history_take (OctLiveHistory *history, const GstStructure *result,
    OctLiveSettings *settings);

/* What would be taken back, a word or two for people; NULL: nothing. */
const char *oct_live_history_describe (const OctLiveHistory *history);

/* Takes back what was found last, and nothing else.  A sentence on it, to be
 * freed; NULL: there is nothing. */
char *oct_live_history_undo (
    OctLiveHistory *history, OctLiveSettings *settings);

G_END_DECLS
