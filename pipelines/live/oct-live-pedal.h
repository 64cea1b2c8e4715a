/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Foot pedals at the computer of oct-live: input devices of Linux (evdev),
 * which no browser has to have the focus for.  Main thread.
 */
#pragma once

#include "oct-live-gestures.h"

G_BEGIN_DECLS

typedef struct _OctLivePedal OctLivePedal;

typedef struct {
  void (*act) (OctLivePedalAction action, gpointer data);
  /* the pedal is gone, or there again; one sentence */
  void (*tell) (const char *sentence, gboolean gone, gpointer data);
} OctLivePedalEvents;

/* Opens `device`, as /dev/input/by-id/...-event-kbd, for nobody else; or a
 * named pipe through which a program writes the same struct input_event, with
 * times of CLOCK_MONOTONIC or 0, the time of reading.
 * `map`: of oct_live_gestures_parse().  Events come from the main loop.  A
 * pedal that is unplugged is looked for once a second.  NULL with an error of
 * one sentence. */
OctLivePedal *oct_live_pedal_new (const char *device, const char *map,
    const OctLivePedalEvents *events, gpointer data, GError **error);
void oct_live_pedal_free (OctLivePedal *pedal);

G_END_DECLS
