/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The common part of all backends that refocus volumes, see OctRefocusParams:
 * checks, phases of the pupil, and the search for the focus.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

/* The focus that a volume is refocused from, and aberrations c[m]. */
typedef struct {
  gboolean is_found; /* FALSE: the volume stays as it is */
  double focus;      /* bins from zero delay */
  double modes[OCT_REFOCUS_MODES - 1];
} OctRefocusState;

gboolean oct_check_refocus (const OctRefocusParams *params, GError **error);

/* Whether a plan for `a` needs no other memory for `b`. */
gboolean oct_refocus_is_same (
    const OctRefocusParams *a, const OctRefocusParams *b);

/* The focus that `params` give, or nothing found yet. */
OctRefocusState oct_refocus_begin (const OctRefocusParams *params);

/* slopes[bscans][lines / bscans]: z_spacing d, in rad per bin out of focus, at
 * the spatial frequencies of a transform. */
void oct_refocus_fill_slopes (const OctRefocusParams *params, double *slopes);

/* phases[bscans][lines / bscans]: those of the aberrations, in rad. */
void oct_refocus_fill_phases (const OctRefocusParams *params,
    const OctRefocusState *state, double *phases);

/* Planes that are searched. */
guint oct_refocus_count_planes (const OctRefocusParams *params);

/* planes[]: the brightest of each band, from powers[depth_bins]. */
void oct_refocus_choose_planes (
    const OctRefocusParams *params, const double *powers, guint *planes);

/* The mean of sums[planes][2], sum I and sum I^2, as a sharpness; 0 without any
 * signal. */
double oct_refocus_sharpness (
    const OctRefocusParams *params, const double *sums);

/* Measures the sharpness of the planes, refocused as `state` says; FALSE with an
 * error. */
typedef gboolean (*OctRefocusMeasure) (gpointer data,
    const OctRefocusState *state, double *sharpness, GError **error);

/* FALSE with the error of `measure`. */
gboolean oct_refocus_search (const OctRefocusParams *params,
    OctRefocusMeasure measure, gpointer data, OctRefocusState *state,
    GError **error);

G_END_DECLS
