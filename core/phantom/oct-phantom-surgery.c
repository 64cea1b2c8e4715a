/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-surgery.h"

#include <math.h>

/* Tissue lies deeper than in the layers phantom, with room for the
 * instrument. */
#define ROOM 0.15

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

/* Vessels on the surface: where they begin, how they run on from there, and the
 * radius, a part of the volume's length.  Branches begin on others. */
static const struct {
  double across, slow, slope, bend, wave, radius;
} vessels[] = {
  { 0.00, 0.860, -0.30, 0.12, 0.018, 0.020 },
  { 0.30, 0.765, 0.10, 0.05, -0.012, 0.014 },
  { 0.55, 0.749, -0.42, 0.35, 0.010, 0.013 },
  { 0.00, 0.140, 0.22, -0.10, 0.020, 0.019 },
  { 0.25, 0.182, -0.18, 0.05, 0.012, 0.013 },
  { 0.50, 0.238, 0.30, -0.20, 0.010, 0.013 },
  { 0.00, 0.500, 0.12, -0.05, 0.025, 0.012 },
};
#define VESSEL_WAVES 14.0  /* rad per width */
#define VESSEL_HEIGHT 1.4  /* of the radius, for the imaging range */
#define VESSEL_SHADOW 0.35 /* amplitude that blood keeps back */
#define VESSEL_REACH 2.5   /* radii, beyond which nothing is seen of it */

/* Forceps come from the far side, a little askew: a round shaft, and two jaws
 * that are open and thinner towards their tips. */
#define FORCEPS_SLOPE_SLOW -0.20
#define FORCEPS_SLOPE_DEPTH -0.15
#define SHAFT_RADIUS_SLOW 0.052
#define SHAFT_RADIUS_DEPTH 0.060
#define SHAFT_ROUND 0.05 /* length over which its end is round */
#define JAW_LENGTH 0.19
#define JAW_OPEN 0.050   /* from the middle, at the tips */
#define JAW_CLOSED 0.026 /* where they leave the shaft */
#define JAW_RADIUS_SLOW 0.022
#define JAW_RADIUS_DEPTH 0.035
#define JAW_TIP 0.45 /* of the radius */

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
  surgery->tip[2] = 0.215 + 0.012 * get_wave (volume, part, 19, 0.0);
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

/* How far above a vessel this is, from 0 (beside it) to 1 (its middle), and its
 * radius. */
static double
get_vessel (double across, double slow, double *radius)
{
  double most = 0.0;

  for (guint i = 0; i < G_N_ELEMENTS (vessels); i++) {
    double t = across - vessels[i].across;
    double off =
        vessels[i].slow + vessels[i].slope * t + vessels[i].bend * t * t - slow;
    double above;

    if (t < 0.0 || fabs (off) > 2.0 * VESSEL_REACH * vessels[i].radius)
      continue;
    off += vessels[i].wave * sin (VESSEL_WAVES * t);
    off /= vessels[i].radius;
    above = fabs (off) < VESSEL_REACH ? exp (-off * off) : 0.0;
    if (above > most) {
      most = above;
      *radius = vessels[i].radius;
    }
  }
  return most;
}

double
oct_surgery_get_light (const OctSurgery *s, double across)
{
  double radius;

  return 1.0 - VESSEL_SHADOW * get_vessel (across, s->slow, &radius);
}

double
oct_surgery_get_tissue (const OctSurgery *s, double across)
{
  double x = (across - DOME_ACROSS) / DOME_WIDTH;
  double y = (s->slow - DOME_SLOW) / DOME_WIDTH;
  double radius = 0.0;
  double vessel = get_vessel (across, s->slow, &radius);

  return ROOM + s->breath - s->dome * exp (-0.5 * (x * x + y * y))
         + get_incision (across, s->slow) - VESSEL_HEIGHT * radius * vessel;
}

/* The upper side of a round bar whose middle is `off` away and `*depth` deep,
 * if it lies above the surface found before. */
static gboolean
hit_bar (double off, double radius_slow, double radius_depth, double middle,
    double *depth, double *facing)
{
  double up;

  off /= radius_slow;
  if (!(fabs (off) < 1.0))
    return FALSE;
  up = sqrt (1.0 - off * off);
  if (middle - radius_depth * up >= *depth)
    return FALSE;
  *depth = middle - radius_depth * up;
  *facing = up;
  return TRUE;
}

gboolean
oct_surgery_hit_instrument (const OctSurgery *s, double across, double *depth,
    double *facing, double *along)
{
  double beyond = across - s->tip[0];
  double off = s->slow - s->tip[1] - FORCEPS_SLOPE_SLOW * beyond;
  double middle = s->tip[2] + FORCEPS_SLOPE_DEPTH * beyond;
  double part = MIN (beyond / JAW_LENGTH, 1.0);
  double thick = JAW_TIP + (1.0 - JAW_TIP) * part;
  double open = JAW_OPEN + (JAW_CLOSED - JAW_OPEN) * part;
  double inside = (beyond - JAW_LENGTH) / SHAFT_ROUND;
  double round =
      inside >= 1.0 ? 1.0 : sqrt (MAX (inside * (2.0 - inside), 0.0));
  gboolean hit = FALSE;

  if (beyond <= 0.0)
    return FALSE;
  *depth = G_MAXDOUBLE;
  *along = beyond;
  if (inside < 1.0)
    for (gint side = -1; side <= 1; side += 2)
      hit |= hit_bar (off - side * open, JAW_RADIUS_SLOW * thick,
          JAW_RADIUS_DEPTH * thick, middle, depth, facing);
  if (inside > 0.0)
    hit |= hit_bar (off, SHAFT_RADIUS_SLOW * round, SHAFT_RADIUS_DEPTH * round,
        middle, depth, facing);
  return hit;
}
