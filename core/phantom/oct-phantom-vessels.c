/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-phantom-vessels.h"

#include <math.h>

/* Blood of a vessel that goes across is the same again after so many um; it is
 * longer than the spot is wide. */
#define LENGTH 96.0
#define DENSITY (1.0 / 200.0)

/* Vessels and capillaries: places as parts of the width (across) or of the
 * breadth (along), um, um/s. */
static const struct {
  gboolean across;
  double at, depth, diameter, rise, period, speed;
} plan[] = {
  { TRUE, 0.25, 130.0, 80.0, 16.0, 500.0, 24e3 },
  { TRUE, 0.52, 95.0, 46.0, -10.0, 420.0, 12e3 },
  { TRUE, 0.80, 150.0, 60.0, -14.0, 460.0, -18e3 },
  { FALSE, 0.50, 215.0, 30.0, 8.0, 380.0, 6e3 },
  { TRUE, 0.08, 75.0, 10.0, 3.0, 210.0, 0.9e3 },
  { TRUE, 0.40, 170.0, 9.0, 4.0, 260.0, 0.6e3 },
  { TRUE, 0.62, 190.0, 10.0, -3.0, 240.0, 0.8e3 },
  { TRUE, 0.66, 70.0, 8.0, 2.0, 180.0, 0.5e3 },
  { TRUE, 0.93, 85.0, 9.0, -3.0, 230.0, 0.7e3 },
  { FALSE, 0.20, 60.0, 9.0, 3.0, 250.0, 0.8e3 },
  { FALSE, 0.80, 65.0, 9.0, -3.0, 270.0, -0.7e3 },
};

/* Diffusion of the cells of blood. */
#define BLOOD_RATE 40.0
#define BLOOD_STIR 0.12

/* Cells: from this part of the width on, one beside the other in a layer. */
#define CELLS 6
#define CELL_FROM 0.34
#define CELL_STEP 0.022
#define CELL_DEPTH 250.0
#define CELL_RADIUS 8.0
#define CELL_PARTICLES 60
#define CELL_STIR 0.10
#define CELL_SLOWEST 0.4 /* per s; the others are each twice as fast */

static double
get_normal (guint64 key, guint64 counter)
{
  double u = 1.0 - oct_noise_uniform (key, 2 * counter);

  return sqrt (-2.0 * log (u))
         * cos (2.0 * G_PI * oct_noise_uniform (key, 2 * counter + 1));
}

double
oct_vessels_stir (guint64 key, double t, double rate)
{
  double at = t * rate, whole = floor (at), part = at - whole;
  double a = get_normal (key, (guint64)(gint64)whole);
  double b = get_normal (key, (guint64)(gint64)whole + 1);

  /* the squares of both weights are one together */
  part *= 0.5 * G_PI;
  return a * cos (part) + b * sin (part);
}

void
oct_vessels_get_motion (double t, double motion[3])
{
  double pulse = 2.0 * G_PI * t / 0.86, breath = 2.0 * G_PI * t / 3.7;

  motion[2] = 7.0
                  * (sin (pulse) + 0.45 * sin (2.0 * pulse + 0.8)
                      + 0.2 * sin (3.0 * pulse + 1.7))
              + 14.0 * sin (breath);
  motion[0] = 2.5 * sin (pulse + 0.5) + 5.0 * sin (breath + 1.0);
  motion[1] = 2.0 * sin (pulse + 1.5) + 4.0 * sin (breath + 2.0);
}

static double
get_axis (const OctVessel *vessel, double along)
{
  return vessel->depth
         + vessel->rise
               * sin (2.0 * G_PI * along / vessel->period + vessel->phase);
}

static double
get_slope (const OctVessel *vessel, double along)
{
  double k = 2.0 * G_PI / vessel->period;

  return vessel->rise * k * cos (k * along + vessel->phase);
}

gboolean
oct_vessel_cross (
    const OctVessel *vessel, double x, double y, double *top, double *bottom)
{
  double along = vessel->across ? y : x;
  double aside = (vessel->across ? x : y) - vessel->at;
  double square = vessel->radius * vessel->radius - aside * aside;
  double axis;

  if (square <= 0.0)
    return FALSE;
  axis = get_axis (vessel, along);
  *top = axis - sqrt (square);
  *bottom = axis + sqrt (square);
  return TRUE;
}

double
oct_vessel_get_axial_speed (
    const OctVessel *vessel, double x, double y, double z)
{
  double along = vessel->across ? y : x;
  double aside = (vessel->across ? x : y) - vessel->at;
  double below = z - get_axis (vessel, along);
  double square =
      (aside * aside + below * below) / (vessel->radius * vessel->radius);

  return square < 1.0
             ? vessel->speed * (1.0 - square) * get_slope (vessel, along)
             : 0.0;
}

/* -(length / 2) .. length / 2 */
static double
vessels_wrap (double value, double length)
{
  return value - length * floor (value / length + 0.5);
}

gboolean
oct_vessels_find (const OctVessels *vessels, const OctParticle *particle,
    double t, const double beam[2], const double reach[2], double *x, double *y,
    double *z)
{
  const OctVessel *vessel = particle->vessel != G_MAXUINT
                                ? &vessels->vessels[particle->vessel]
                                : NULL;
  double along = particle->along + particle->speed * t;

  if (vessel != NULL && !vessel->across) {
    *x = along = vessels_wrap (along, vessels->length) + 0.5 * vessels->length;
    *y = vessel->at + particle->aside - beam[1];
  } else {
    *x = (vessel != NULL ? vessel->at : 0.0) + particle->aside;
    *y = vessels_wrap (along - beam[1], LENGTH);
    along = beam[1] + *y;
  }
  if (fabs (*x - beam[0]) > reach[0] || fabs (*y) > reach[1])
    return FALSE;
  *z = particle->below + (vessel != NULL ? get_axis (vessel, along) : 0.0);
  return TRUE;
}

static void
fill_vessel (OctVessels *vessels, guint n, guint64 seed, GArray *particles)
{
  const OctVessel *vessel = &vessels->vessels[n];
  double length = vessel->across ? LENGTH : vessels->length;
  guint count = (guint)(G_PI * vessel->radius * vessel->radius * length
                        * vessels->density)
                + 1;

  for (guint i = 0; i < count; i++) {
    guint64 key = oct_noise_hash (oct_noise_hash (seed, n), i);
    double part = oct_noise_uniform (key, 0);
    double angle = 2.0 * G_PI * oct_noise_uniform (key, 1);
    double r = vessel->radius * sqrt (part);
    OctParticle particle = { .vessel = n,
      .along = length * oct_noise_uniform (key, 2),
      .aside = r * cos (angle),
      .below = r * sin (angle),
      .speed = vessel->speed * (1.0 - part),
      .sign = oct_noise_uniform (key, 3) < 0.5 ? -1.0f : 1.0f,
      .rate = BLOOD_RATE,
      .stir = BLOOD_STIR,
      .key = key };

    g_array_append_val (particles, particle);
  }
}

/* Long bodies across, so that every B-scan shows them. */
static void
fill_cell (double x, guint n, guint64 seed, GArray *particles)
{
  for (guint i = 0; i < CELL_PARTICLES; i++) {
    guint64 key = oct_noise_hash (oct_noise_hash (seed, 1000 + n), i);
    double angle = 2.0 * G_PI * oct_noise_uniform (key, 1);
    double r = CELL_RADIUS * sqrt (oct_noise_uniform (key, 0));
    OctParticle particle = { .vessel = G_MAXUINT,
      .along = LENGTH * oct_noise_uniform (key, 2),
      .aside = x + r * cos (angle),
      .below = CELL_DEPTH + r * sin (angle),
      .sign = oct_noise_uniform (key, 3) < 0.5 ? -1.0f : 1.0f,
      .rate = CELL_SLOWEST * (1u << n),
      .stir = CELL_STIR,
      .key = key };

    g_array_append_val (particles, particle);
  }
}

void
oct_vessels_init (OctVessels *vessels, guint64 seed, double width,
    double breadth, double flow)
{
  GArray *particles = g_array_new (FALSE, FALSE, sizeof (OctParticle));

  vessels->length = width;
  vessels->density = DENSITY;
  vessels->n_vessels = G_N_ELEMENTS (plan);
  vessels->vessels = g_new (OctVessel, G_N_ELEMENTS (plan));
  for (guint n = 0; n < G_N_ELEMENTS (plan); n++) {
    vessels->vessels[n] = (OctVessel){ .across = plan[n].across,
      .at = plan[n].at * (plan[n].across ? width : breadth),
      .depth = plan[n].depth,
      .radius = 0.5 * plan[n].diameter,
      .rise = plan[n].rise,
      .period = plan[n].period,
      .phase = 0.7 * n,
      .speed = plan[n].speed * flow };
    fill_vessel (vessels, n, seed, particles);
  }
  for (guint n = 0; n < CELLS; n++)
    fill_cell ((CELL_FROM + n * CELL_STEP) * width, n, seed, particles);
  vessels->n_particles = particles->len;
  vessels->particles = (OctParticle *)(void *)g_array_free (particles, FALSE);
}

void
oct_vessels_clear (OctVessels *vessels)
{
  g_clear_pointer (&vessels->vessels, g_free);
  g_clear_pointer (&vessels->particles, g_free);
}
