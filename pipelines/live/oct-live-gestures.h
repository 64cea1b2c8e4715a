/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The meaning of presses of a pedal's keys: a press, a long one, two in quick
 * turn, by a map of the user.  Nothing of this touches a device or a clock.
 */
#pragma once

#include <glib.h>
#include <linux/input.h>

G_BEGIN_DECLS

/* From the beginning of a press until it is a long one, and from its end until
 * it cannot be the first of two any more, us. */
#define OCT_LIVE_LONG_PRESS (600 * G_TIME_SPAN_MILLISECOND)
#define OCT_LIVE_DOUBLE_PRESS (300 * G_TIME_SPAN_MILLISECOND)
/* A press so soon after the end of another one is a bouncing contact. */
#define OCT_LIVE_BOUNCE (40 * G_TIME_SPAN_MILLISECOND)

typedef enum {
  OCT_LIVE_PEDAL_NOTHING,
  OCT_LIVE_PEDAL_RECORD, /* begins a recording, or ends it */
  OCT_LIVE_PEDAL_KEEP,   /* the last seconds as a file */
  OCT_LIVE_PEDAL_MARK,   /* a mark in the recording */
  OCT_LIVE_PEDAL_FREEZE, /* the picture on all pages, or lets it go on */
  OCT_LIVE_PEDAL_BACKGROUND,
  OCT_LIVE_PEDAL_FOCUS, /* finds the dispersion */
  OCT_LIVE_N_PEDAL_ACTIONS,
} OctLivePedalAction;

typedef enum {
  OCT_LIVE_PRESS,
  OCT_LIVE_LONG,
  OCT_LIVE_DOUBLE,
  OCT_LIVE_N_GESTURES,
} OctLiveGesture;

typedef struct {
  gboolean down;
  gboolean waits;     /* for a second press */
  gboolean done;      /* this press has had its action */
  gint64 deadline;    /* us, 0 = none */
  gint64 released_at; /* us */
} OctLiveKey;

typedef struct {
  /* KEY_MAX + 1 is for all keys that have no action of their own */
  OctLivePedalAction actions[KEY_MAX + 2][OCT_LIVE_N_GESTURES];
  OctLiveKey keys[KEY_MAX + 1];
} OctLiveGestures;

/* Reads a map such as "KEY_B=record, long:KEY_B=keep, double:any=freeze": keys
 * as linux/input-event-codes.h names them, or their numbers, or any.  FALSE
 * with an error of one sentence. */
gboolean oct_live_gestures_parse (
    OctLiveGestures *gestures, const char *map, GError **error);

/* A key goes down or up at `now` (us of any clock that only goes on), which may
 * be some time ago.  Gives the action of it. */
OctLivePedalAction oct_live_gestures_take (
    OctLiveGestures *gestures, guint key, gboolean down, gint64 now);
/* Gives an action whose time has come at `now`; to be asked until it is
 * NOTHING. */
OctLivePedalAction oct_live_gestures_expire (
    OctLiveGestures *gestures, gint64 now);
/* When to ask next, us; 0 if nothing is waited for. */
gint64 oct_live_gestures_get_deadline (const OctLiveGestures *gestures);
/* Forgets keys that are down: events were lost, or the pedal. */
void oct_live_gestures_reset (OctLiveGestures *gestures);

G_END_DECLS
