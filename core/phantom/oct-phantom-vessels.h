/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** * The motion in the flow phantom: of blood in vessels and capillaries, of cells
 * that stir, and of the sample as a whole.
 *
 * Lengths are um of tissue, times s, speeds um/s.  x is along a B-scan, y
 * across B-scans, z the depth below the surface of the flat sample.  Every
 * position is a function of the time alone, so that any A-line can be made at
 * any time.
 */
#pragma once

#include "oct-phantom-noise.h"

/* A tube along x or y whose axis is a wave in depth, z = depth + rise sin (2 pi
 * s / period + phase) at s along it.  Blood flows with speed (1 - r^2 /
 * radius^2) along x or y, and thus rise and fall of the axis are its Doppler
 * angle. */
typedef struct {
  gboolean across; /* it goes along y, through the plane of B-scans */
  double at;       /* x of one that goes across, else y */
  double depth, radius;
  double rise, period, phase;
  double speed;
} OctVessel;

/* A scatterer: blood, or a part of a cell. */
typedef struct {
  guint vessel; /* whose flow moves it; G_MAXUINT: it belongs to a cell */
  double along; /* x or y at time 0, of vessels within their length */
  double aside,
      below; /* from the axis: horizontally, downwards; of a cell x and
                          z themselves */
  double speed;
  float sign;
  double rate, stir; /* it is moved up and down by `stir` um, `rate` per s */
  guint64 key;
} OctParticle;

typedef struct {
  double length; /* of the vessels along x; those across repeat their blood */
  guint n_vessels, n_particles;
  OctVessel *vessels;
  OctParticle *particles;
  double density; /* particles per um^3 */
} OctVessels;

/* The sample is `width` x `breadth` um large; flow: factor of the speeds. */
void oct_vessels_init (OctVessels *vessels, guint64 seed, double width,
    double breadth, double flow);
void oct_vessels_clear (OctVessels *vessels);

/* From `top` to `bottom` a vessel is at (x, y); FALSE: it is not there. */
gboolean oct_vessel_cross (
    const OctVessel *vessel, double x, double y, double *top, double *bottom);
/* Downward speed of the blood at a place in a vessel. */
double oct_vessel_get_axial_speed (
    const OctVessel *vessel, double x, double y, double z);

/* Where a particle is at time t; FALSE: farther than `reach` away from the
 * beam, along or across.  *y: from the beam. */
gboolean oct_vessels_find (const OctVessels *vessels,
    const OctParticle *particle, double t, const double beam[2],
    const double reach[2], double *x, double *y, double *z);

/* A random number that changes smoothly, `rate` times per s, of unit variance
 * about. */
double oct_vessels_stir (guint64 key, double t, double rate);

/* Where the sample is at time t, from where it was made: pulse, breathing and
 * drift. */
void oct_vessels_get_motion (double t, double motion[3]);
