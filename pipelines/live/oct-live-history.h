/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The results found since the start, in their order, and how to take them back,
 * also after the source was started again.
 */
#pragma once

#include "oct-live-feed.h"

G_BEGIN_DECLS

typedef struct _OctLiveHistory OctLiveHistory;

OctLiveHistory *oct_live_history_new (void);
void oct_live_history_free (OctLiveHistory *history);

/* Settings whose texts are their own: NULL at first, counted, and released by
 * oct_live_settings_clear(). */
void oct_live_settings_set_text (const char **place, const char *text);
void oct_live_settings_clear (OctLiveSettings *settings);

/* Copies the settings that octreconstruct has found and set, the message
 * "oct-autofocus" or "oct-background" with the result "changed", to `settings`,
 * and remembers the previous ones. */
void oct_live_history_take (OctLiveHistory *history, const GstStructure *result,
    OctLiveSettings *settings);

/* The result to be taken back, a word or two for people; NULL: nothing. */
const char *oct_live_history_describe (const OctLiveHistory *history);

/* Takes back the last result, and nothing else.  A sentence on it, to be freed;
 * NULL: there is nothing. */
char *oct_live_history_undo (
    OctLiveHistory *history, OctLiveSettings *settings);

G_END_DECLS
