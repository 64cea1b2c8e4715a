/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The parts that the surgery phantom adds to tissue, in three dimensions: a
 * dome that beats with the pulse, an incision, vessels that branch on the
 * surface, and forceps that move.
 *
 * Places are fractions: `across` of the B-scan's width, `slow` of the volume's
 * length, depths of the imaging range.  Time is counted in volumes, so that a
 * volume is distorted no more with many B-scans than with few.
 */
#pragma once

#include <glib.h>

typedef struct {
  double slow;   /* of this B-scan */
  double dome;   /* height of the dome at this moment, at its middle */
  double breath; /* of all tissue, downwards */
  double tip[3]; /* across, slow, depth between the tips of the forceps */
} OctSurgery;

/* At B-scan `bscan` of a volume of `bscans`, after `volume` volumes. */
void oct_surgery_set_moment (
    OctSurgery *surgery, guint64 volume, guint bscan, guint bscans);

/* How far tissue lies below where it would lie without all this. */
double oct_surgery_get_tissue (const OctSurgery *surgery, double across);

/* Amplitude that tissue sends back here, 1 next to vessels. */
double oct_surgery_get_light (const OctSurgery *surgery, double across);

/* Whether the beam hits the instrument, then `depth` of its surface, `facing`
 * from 0 (grazed) to 1 (at a right angle), and `along`, the distance from its
 * tips in fractions of the width. */
gboolean oct_surgery_hit_instrument (const OctSurgery *surgery, double across,
    double *depth, double *facing, double *along);
