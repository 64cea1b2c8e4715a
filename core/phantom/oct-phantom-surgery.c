/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-surgery.h"

#include <math.h>

/* Tissue lies deeper than in the layers phantom, with room for the
 * instrument. */
#define ROOM 0.10

#define DOME_HEIGHT 0.075
#define DOME_ACROSS 0.62
#define DOME_SLOW 0.5
#define DOME_WIDTH 0.19
#define PULSE 0.22      /* of the dome's height */
#define PULSE_VOLUMES 8 /* 75 a minute at 10 volumes a second */

#define BREATH 0.008
#define BREATH_VOLUMES 41

/* From one end to the other; the deepest in the middle. */
#define INCISION_DEPTH 0.055
#define INCISION_WIDTH 0.016
static const double incision[2][2] = { { 0.18, 0.22 }, { 0.33, 0.80 } };

/* It comes from the far side, a little askew, and is thinner towards its tip. */
#define ROD_RADIUS_SLOW 0.045
#define ROD_RADIUS_DEPTH 0.035
#define ROD_TAPER 0.22 /* the length of the tip */
#define ROD_SLOPE_SLOW -0.20
#define ROD_SLOPE_DEPTH -0.17

static double
get_wave (guint64 volume, double part, guint period, double phase)
{
  double turns = ((double)(volume % period) + part) / period;

  return sin (2.0 * G_PI * turns + phase);
}

void
oct_surgery_set_moment (
    OctSurgery *surgery, guint64 volume, guint bscan, guint bscans)
{
  double part = (double)bscan / bscans;
  /* the pressure rises fast and falls slowly, more or less */
  double beat = 0.5 + 0.5 * get_wave (volume, part, PULSE_VOLUMES, 0.0);

  surgery->slow = part;
  surgery->dome = DOME_HEIGHT * (1.0 + PULSE * beat * beat);
  surgery->breath = BREATH * get_wave (volume, part, BREATH_VOLUMES, 0.0);
  surgery->tip[0] = 0.42 + 0.12 * get_wave (volume, part, 29, 0.5);
  surgery->tip[1] = 0.52 + 0.10 * get_wave (volume, part, 37, 2.0);
  surgery->tip[2] = 0.165 + 0.012 * get_wave (volume, part, 19, 0.0);
}

/* Depth of the incision here, with walls as steep as a blade leaves them. */
static double
get_incision (double across, double slow)
{
  double dx = incision[1][0] - incision[0][0];
  double dy = incision[1][1] - incision[0][1];
  double length = hypot (dx, dy);
  double x = across - incision[0][0];
  double y = slow - incision[0][1];
  double along = (x * dx + y * dy) / (length * length);
  double off = (x * dy - y * dx) / length / INCISION_WIDTH;

  if (along <= 0.0 || along >= 1.0)
    return 0.0;
  return INCISION_DEPTH * sqrt (sin (G_PI * along)) * exp (-off * off);
}

double
oct_surgery_get_tissue (const OctSurgery *s, double across)
{
  double x = (across - DOME_ACROSS) / DOME_WIDTH;
  double y = (s->slow - DOME_SLOW) / DOME_WIDTH;

  return ROOM + s->breath - s->dome * exp (-0.5 * (x * x + y * y))
         + get_incision (across, s->slow);
}

gboolean
oct_surgery_hit_instrument (const OctSurgery *s, double across, double *depth,
    double *facing, double *along)
{
  double beyond = across - s->tip[0];
  double thick = MIN (1.0, 0.12 + 0.88 * beyond / ROD_TAPER);
  double off = s->slow - s->tip[1] - ROD_SLOPE_SLOW * beyond;
  double up;

  off /= ROD_RADIUS_SLOW * thick;
  if (beyond <= 0.0 || fabs (off) >= 1.0)
    return FALSE;
  up = sqrt (1.0 - off * off);
  *depth = s->tip[2] + ROD_SLOPE_DEPTH * beyond - ROD_RADIUS_DEPTH * thick * up;
  *facing = up;
  *along = beyond;
  return TRUE;
}
