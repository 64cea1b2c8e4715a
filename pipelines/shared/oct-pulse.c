/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-pulse.h"

#define PATIENCE (5 * G_TIME_SPAN_SECOND)
/* A pause of so many usual intervals is not an accident. */
#define PERIODS 3

void
oct_pulse_init (OctPulse *pulse, gint64 now)
{
  *pulse = (OctPulse){ .last = now, .limit = PATIENCE };
  g_mutex_init (&pulse->lock);
}

void
oct_pulse_clear (OctPulse *pulse)
{
  g_mutex_clear (&pulse->lock);
}

void
oct_pulse_beat (OctPulse *pulse, gint64 now)
{
  g_mutex_lock (&pulse->lock);
  if (now - pulse->last > pulse->limit) {
    pulse->from = pulse->last;
    pulse->till = now;
  }
  pulse->interval = now - pulse->last;
  pulse->limit = MAX (PATIENCE, PERIODS * pulse->interval);
  pulse->last = now;
  pulse->any = TRUE;
  g_mutex_unlock (&pulse->lock);
}

OctPulseChange
oct_pulse_check (
    OctPulse *pulse, gint64 now, gint64 period, gint64 *from, gint64 *till)
{
  OctPulseChange change = OCT_PULSE_REGULAR;

  g_mutex_lock (&pulse->lock);
  pulse->limit = MAX (PATIENCE, PERIODS * MAX (period, pulse->interval));
  if (pulse->till != 0) {
    change = OCT_PULSE_BACK;
    *from = pulse->from;
    *till = pulse->till;
    pulse->till = 0;
    pulse->stopped = FALSE;
  } else if (!pulse->stopped && now - pulse->last > pulse->limit) {
    change = OCT_PULSE_STOPPED;
    pulse->stopped = TRUE;
  }
  g_mutex_unlock (&pulse->lock);
  return change;
}

gboolean
oct_pulse_get_gap (
    OctPulse *pulse, gint64 now, gint64 period, gint64 *from, gint64 *till)
{
  gint64 limit;
  gboolean gap;

  g_mutex_lock (&pulse->lock);
  limit = MAX (PATIENCE, PERIODS * MAX (period, pulse->interval));
  gap = pulse->till != 0 || now - pulse->last > limit;
  *from = pulse->till != 0 ? pulse->from : pulse->last;
  *till = pulse->till != 0 ? pulse->till : now;
  g_mutex_unlock (&pulse->lock);
  return gap;
}

gboolean
oct_pulse_forgive (OctPulse *pulse, gint64 now)
{
  gboolean stopped;

  g_mutex_lock (&pulse->lock);
  stopped = pulse->stopped;
  pulse->stopped = FALSE;
  pulse->till = 0;
  pulse->interval = 0;
  pulse->last = MAX (pulse->last, now);
  g_mutex_unlock (&pulse->lock);
  return stopped;
}

gint64
oct_pulse_get_last (OctPulse *pulse, gboolean *any)
{
  gint64 last;

  g_mutex_lock (&pulse->lock);
  last = pulse->last;
  *any = pulse->any;
  g_mutex_unlock (&pulse->lock);
  return last;
}
