/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * When images come, and whether they have stopped coming without a word.
 *
 * Times are monotonic, in us.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  GMutex lock;
  gint64 last;       /* image, or the start */
  gint64 interval;   /* between it and the one before */
  gint64 limit;      /* a longer interval is a gap */
  gint64 from, till; /* the last gap that has ended; till 0 = none */
  gboolean stopped, any;
} OctPulse;

typedef enum {
  OCT_PULSE_REGULAR, /* nothing has changed */
  OCT_PULSE_STOPPED, /* none has come for too long */
  OCT_PULSE_BACK,    /* they come again */
} OctPulseChange;

void oct_pulse_init (OctPulse *pulse, gint64 now);
void oct_pulse_clear (OctPulse *pulse);

/* An image has come; any thread. */
void oct_pulse_beat (OctPulse *pulse, gint64 now);

/* Every second or so.  `period`: from one image to the next as it should be, 0
 * if that is not known; a source that is slow all the time has not stopped.
 * With BACK, `from` and `till` are the images before and after the gap. */
OctPulseChange oct_pulse_check (
    OctPulse *pulse, gint64 now, gint64 period, gint64 *from, gint64 *till);

/* At an end: TRUE if a gap is open (`till` is `now`, even if the change to
 * STOPPED is not reported yet), or has ended and BACK is not reported yet.
 * Changes nothing. */
gboolean oct_pulse_get_gap (
    OctPulse *pulse, gint64 now, gint64 period, gint64 *from, gint64 *till);

/* The gap up to now is known otherwise.  Returns whether it was reported that
 * images have stopped, and not yet that they are back. */
gboolean oct_pulse_forgive (OctPulse *pulse, gint64 now);

/* Time of the last image, or of the start; and whether there was one. */
gint64 oct_pulse_get_last (OctPulse *pulse, gboolean *any);

G_END_DECLS
