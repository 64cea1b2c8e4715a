/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A sequence of steps on one backend: in one pass if the backend can
 * (OctFusedTable), else one by one.  The output is the same but for rounding
 * (relative l2 1e-6); nothing ever depends on a fused pass.
 *
 * The last operation may be one of a plan that the caller owns, because it has
 * a history or is not a step: octlogscale's, octcs's.
 */
#pragma once

#include "oct-step.h"

G_BEGIN_DECLS

typedef struct _OctSequence OctSequence;

/* Steps of a sequence at most. */
#define OCT_SEQUENCE_MAX 8

/* Whether operations may be fused into one pass, or deferred to an element
 * downstream: unless OCT_FUSE=0 is in the environment. */
gboolean oct_may_fuse (void);

/**
 * `steps`: 1 to OCT_SEQUENCE_MAX, the input of each is the output of the one
 * before; references are kept.  `bscans`: in a frame, 1 or more.  `last`: the
 * operation of the plan that oct_sequence_run() gets, or OCT_N_OPERATIONS for
 * none.  `failed`: set, if it fails, to the number of the step that cannot be
 * done (n: the last operation).  Memory for results between steps is allocated
 * when they are run one by one only, as they all are without oct_may_fuse().
 */
OctSequence *oct_sequence_new (const OctBackend *backend, OctStep *const *steps,
    guint n, guint bscans, OctOperation last, guint *failed, GError **error);
void oct_sequence_free (OctSequence *sequence);

/* Whether it is one of the same steps, the same objects, and `last`. */
gboolean oct_sequence_is (const OctSequence *sequence, OctStep *const *steps,
    guint n, guint bscans, OctOperation last);

/* Whether it is one pass; a text for the log. */
gboolean oct_sequence_is_fused (const OctSequence *sequence);

/**
 * One frame.  `in`: the input of the first step; if that one is a background
 * that was found, planes[1].data are the means that OCT_OPERATION_MEAN of this
 * backend has found.  `last`: the plan of the last operation, or NULL; `out`:
 * its output, or that of the last step.  `failed` as above.
 */
gboolean oct_sequence_run (OctSequence *sequence, const OctFrame *in,
    OctPlan *last, const OctFrame *out, gpointer stream, guint *failed,
    GError **error);

G_END_DECLS
