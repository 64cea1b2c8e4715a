/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Least squares for phases of mirrors; for oct-mirrors.c.
 *
 * Phase of mirror m at sample p: a_m K(p) + side_m D(p) + c_m.  K and D are
 * cubic B-splines with a penalty on their third derivatives.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define OCT_MIRROR_SEGMENTS 48
#define OCT_MIRROR_SPLINES (OCT_MIRROR_SEGMENTS + 3)
#define OCT_MIRROR_UNKNOWNS (2 * OCT_MIRROR_SPLINES)

/* Samples whose phases are taken: enough for the splines. */
#define OCT_MIRROR_POINTS 384

typedef struct {
  guint samples, mirrors, points;
  double *at;      /* [points] samples, whole numbers, ascending */
  double *phases;  /* [mirrors][points] rad */
  double *weights; /* [mirrors][points] 1 / variance, over `noise` */
  double *noise;   /* [mirrors] samples over which errors are alike */
  double *a;       /* [mirrors] rad over the record */
  double *sides;   /* [mirrors] +1 or -1 */
  double smooth;   /* penalty */
} OctMirrorPhases;

/* A solution, with its memory. */
typedef struct {
  double *k, *d;     /* [samples] K and D, K (0) near 0 but not yet 0 .. 1 */
  double *residuals; /* [mirrors][points] rad */
  double scale;      /* of the residuals, over that from the weights */
  double *data;      /* [OCT_MIRROR_UNKNOWNS]^2 normal equations */
  double *all;       /* ... with the penalties */
} OctMirrorSolution;

OctMirrorPhases *oct_mirror_phases_new (guint samples, guint mirrors);
void oct_mirror_phases_free (OctMirrorPhases *phases);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctMirrorPhases, oct_mirror_phases_free)

OctMirrorSolution *oct_mirror_solution_new (guint samples, guint mirrors);
void oct_mirror_solution_free (OctMirrorSolution *solution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctMirrorSolution, oct_mirror_solution_free)

/* K, D and a_m, robust (Huber's weights).  `phases` gets the new a.  FALSE: the
 * phases do not determine them. */
gboolean oct_mirror_solve (OctMirrorPhases *phases, OctMirrorSolution *s);

/* Which mirrors lie on the other side of the zero delay than the first one:
 * sides[mirrors].  Phases do not depend on the sides that were assumed, thus
 * only the least squares are repeated: all patterns of up to 9 mirrors spread
 * over depth, then each other mirror by itself.  k[samples]: K as known.
 * Returns chi^2 of the second best pattern over that of the best: from 2 on it
 * is right, near 1 it is undecided.  0: no solution. */
double oct_mirror_find_sides (
    const OctMirrorPhases *phases, const double *k, double *sides);

/* The error of a phase that K and D predict for a mirror of `a` rad over the
 * record on `side`, rms over light[samples], without constant and straight line
 * in k[samples]: rad.  A lower bound, the phases' errors being alike over more
 * samples than assumed.  `s` as solved, k scaled by `k_scale` since. */
void oct_mirror_find_errors (const OctMirrorPhases *phases,
    const OctMirrorSolution *s, const double *k, double k_scale,
    const double *light, const double *a, guint count, double side,
    double *errors);

G_END_DECLS
