/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The flow phantom: layers with speckle, in which blood flows and cells stir,
 * and which moves as a whole.
 *
 * A-lines are OCT_FLOW_X um apart and places of B-scans OCT_FLOW_Y um.  The
 * spot is Gaussian: a scatterer at distance r has the weight exp (-2 r^2 /
 * w^2), w being OCT_FLOW_SPOT, so that static speckle seen from d um aside has
 * the coherence exp (-d^2 / w^2).  Light goes through tissue of the refractive
 * index OCT_TISSUE_INDEX: what is dz um deeper turns the phase by 2 k n dz.
 */
#pragma once

#include "oct-phantom-noise.h"
#include "oct-phantom-settings.h"
#include "oct-phantom-synthesis.h"

#define OCT_FLOW_X 3.0
#define OCT_FLOW_Y 6.0
#define OCT_FLOW_SPOT 9.0

/* A-lines per s where nothing else is set, and the time of a B-scan for each of
 * its A-lines: the beam flies back. */
#define OCT_FLOW_LINE_RATE 100e3
#define OCT_FLOW_BSCAN 1.25

typedef struct _OctFlow OctFlow;

/* The spectrometer and the noise have to outlive it. */
OctFlow *oct_flow_new (const OctSpectrometer *spectrometer,
    const OctNoise *noise, guint64 seed, const OctPhantomSettings *settings);
void oct_flow_free (OctFlow *flow);

/* The rates of the settings, or else those above. */
double oct_flow_get_line_rate (const OctPhantomSettings *settings);
double oct_flow_get_bscan_rate (const OctPhantomSettings *settings);

/* fields[lines][2][samples] that the A-lines of B-scan `frame` see, in units of
 * OCT_TISSUE_FIELD_UNIT, before the sample moves; g_free().  shifts[lines]: how
 * far it has moved away, um of air. */
gint16 *oct_flow_see (const OctFlow *flow, guint64 frame, double *shifts);

/* The truth of B-scan `frame`, at the depths of `samples` / 2 bins from zero
 * delay on: mask[lines][depths] is 0 above the surface, 1 in tissue, 2 in a
 * vessel; speed[lines][depths] of blood, um/s, + away from the beam.  Either
 * may be NULL.  The motion of the sample as a whole moves both, and is not
 * among the speeds. */
void oct_flow_get_truth (
    const OctFlow *flow, guint64 frame, guint8 *mask, float *speed);
