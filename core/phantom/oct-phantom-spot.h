/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The layers phantom's tissue seen through a focal spot that is wider than the
 * distance of two A-lines, so that neighbours are alike with their phase.
 *
 * Every place (x, y) of a scan, x counted in A-lines and y in B-scans, has
 * scatterers of its own: circular normal deviates, found by their place, times
 * the amplitude of the structure.  The beam at a place receives their sum with
 * the weights
 *   w (dx, dy) = exp (-4 ln 2 (dx^2 / Fx^2 + dy^2 / Fy^2)),
 * F the full width at half maximum of this amplitude.  Scatterers do not know
 * each other, so that the coherence of neighbours at the same depth is the
 * autocorrelation of w whatever the shape of the tissue: exp (-2 ln 2 / F^2) for
 * the next one.  The sum is along y first, then along x.
 */
#pragma once

#include "oct-phantom-noise.h"
#include "oct-phantom-synthesis.h"

typedef struct _OctSpot OctSpot;

/* The tissue at one place of the scan. */
typedef struct {
  guint column;       /* of the tissue; they wrap around */
  double shift;       /* of the tissue, um, downwards */
  float light;        /* amplitude that tissue sends back, 1 = nothing above */
  float metal;        /* amplitude of a surface above, 0 = none */
  double metal_depth; /* um */
  guint64 metal_key;  /* of its roughness */
} OctSpotPlace;

/* x, y: Fx and Fy, 0 to OCT_PHANTOM_MOST_SPOT; 0 = the place itself alone.  The
 * spectrometer and the noise have to outlive it. */
OctSpot *oct_spot_new (const OctSpectrometer *spectrometer,
    const OctNoise *noise, guint64 seed, double x, double y);
void oct_spot_free (OctSpot *spot);

/* Columns of the tissue, a power of two. */
guint oct_spot_get_columns (const OctSpot *spot);
/* How many A-lines and B-scans to either side are seen. */
guint oct_spot_get_reach_x (const OctSpot *spot);
guint oct_spot_get_reach_y (const OctSpot *spot);

/* sum[2][depths], real part first, depths being half the samples: adds the
 * field of one place of B-scan `bscan` (below 0: before the first one), which
 * is `off` B-scans away, at most the reach. */
void oct_spot_add_place (const OctSpot *spot, const OctSpotPlace *place,
    gint bscan, gint off, float *sum);

/* The fields that `count` A-lines see, 1 to OCT_PHANTOM_LANES, of the sums of
 * their places and of those in reach: sums[reach + count + reach][2][depths].
 * field[count][2][samples], in units of OCT_TISSUE_FIELD_UNIT. */
void oct_spot_see (
    const OctSpot *spot, const float *sums, guint count, gint16 *field);
