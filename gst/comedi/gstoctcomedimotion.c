/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctcomedimotion.h"

#include <math.h>
#include <string.h>

/* The slowest way over the whole scale, for a scan that has not moved yet. */
#define SLOWEST_TIME 0.1
/* Differences of samples are not exact. */
#define MARGIN (1 + OCT_SCAN_TOLERANCE)

void
gst_oct_comedi_motion_set (
    GstOctComediMotion *motion, guint channels, double rate, double full_scale)
{
  const double way = 2 * full_scale;

  if (motion->channels != channels)
    memset (motion, 0, sizeof *motion);
  motion->channels = channels;
  motion->rate = rate;
  motion->n_seen = 0;
  for (guint c = 0; c < OCT_SCAN_AXES; c++) {
    OctScanLimits *l = &motion->limits;

    l->amplitude[c] = MAX (l->amplitude[c], 1e-6 * full_scale);
    l->velocity[c] = MAX (l->velocity[c], 2 * way / SLOWEST_TIME);
    l->acceleration[c] =
        MAX (l->acceleration[c], 4 * way / (SLOWEST_TIME * SLOWEST_TIME));
  }
}

void
gst_oct_comedi_motion_see (
    GstOctComediMotion *motion, const double *volts, guint n)
{
  OctScanLimits *l = &motion->limits;

  for (guint i = 0; i < n; i++, volts += motion->channels) {
    if (!motion->is_used)
      memcpy (motion->rest, volts, motion->channels * sizeof *volts);
    motion->is_used = TRUE;
    for (guint c = 0; c < OCT_SCAN_AXES; c++) {
      const double step = volts[c] - motion->seen[0][c];
      const double former = motion->seen[0][c] - motion->seen[1][c];

      l->amplitude[c] =
          MAX (l->amplitude[c], fabs (volts[c] - motion->rest[c]) * MARGIN);
      if (motion->n_seen > 0)
        l->velocity[c] =
            MAX (l->velocity[c], fabs (step) * motion->rate * MARGIN);
      if (motion->n_seen > 1)
        l->acceleration[c] = MAX (l->acceleration[c],
            fabs (step - former) * motion->rate * motion->rate * MARGIN);
    }
    memcpy (motion->seen[1], motion->seen[0], sizeof motion->seen[1]);
    memcpy (motion->seen[0], volts, motion->channels * sizeof *volts);
    motion->n_seen = MIN (motion->n_seen + 1, 2);
  }
}

void
gst_oct_comedi_motion_forget (GstOctComediMotion *motion)
{
  motion->n_seen = 0;
}

void
gst_oct_comedi_motion_play (
    GstOctComediMotion *motion, const double *volts, guint n)
{
  const gsize size = motion->channels * sizeof *volts;

  if (n == 0)
    return;
  if (n == 1)
    memcpy (motion->before, motion->last, size);
  else
    memcpy (motion->before, volts + (gsize)(n - 2) * motion->channels, size);
  memcpy (motion->last, volts + (gsize)(n - 1) * motion->channels, size);
}

void
gst_oct_comedi_motion_stand (GstOctComediMotion *motion, gboolean rest)
{
  if (rest)
    memcpy (motion->last, motion->rest, sizeof motion->last);
  memcpy (motion->before, motion->last, sizeof motion->before);
}

/* ---------------------------------------------------------------------- ways */

static OctScanState
motion_get_state (const GstOctComediMotion *motion, const double *at,
    const double *from, const double *to)
{
  OctScanState state;

  for (guint c = 0; c < OCT_SCAN_AXES; c++) {
    const double most = motion->limits.velocity[c];
    const double velocity = (to[c] - from[c]) * motion->rate;

    state.position.at[c] = at[c] - motion->rest[c];
    state.velocity.at[c] = CLAMP (velocity, -most, most);
  }
  return state;
}

static GArray *
motion_join (const GstOctComediMotion *motion, const OctScanState *to)
{
  const OctScanState from =
      motion_get_state (motion, motion->last, motion->before, motion->last);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (OctScanPoint));
  GArray *volts = g_array_new (FALSE, FALSE, sizeof (double));
  const double zero = 0;

  /* the limits are such that it takes less than a second */
  if (!oct_scan_join (
          &from, to, &motion->limits, 1 / motion->rate, points, NULL))
    return volts;
  for (guint i = 0; i < points->len; i++)
    for (guint c = 0; c < motion->channels; c++) {
      const double at =
          c < OCT_SCAN_AXES
              ? g_array_index (points, OctScanPoint, i).at[c] + motion->rest[c]
              : zero;

      g_array_append_val (volts, at);
    }
  return volts;
}

GArray *
gst_oct_comedi_motion_to_rest (const GstOctComediMotion *motion, guint hold)
{
  const OctScanState to =
      motion_get_state (motion, motion->rest, motion->rest, motion->rest);
  GArray *volts = motion_join (motion, &to);

  for (guint i = 0; i <= hold; i++)
    g_array_append_vals (volts, motion->rest, motion->channels);
  return volts;
}

GArray *
gst_oct_comedi_motion_to (
    const GstOctComediMotion *motion, const double *volts, guint n)
{
  const double *next = n > 1 ? volts + motion->channels : volts;
  const OctScanState to = motion_get_state (motion, volts, volts, next);

  return motion_join (motion, &to);
}
