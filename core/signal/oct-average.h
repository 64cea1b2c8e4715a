/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The common part of all backends that average frames, see OctAverageParams.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

gboolean oct_check_average (const OctAverageParams *params, GError **error);

/* Whether a plan for `a` can go on with `b`, history and all: the same but for
 * how many B-scans there are in a frame. */
gboolean oct_average_is_same (
    const OctAverageParams *a, const OctAverageParams *b);

/* Values of a pixel. */
#define OCT_AVERAGE_PARTS(params) MAX (1u, (params)->parts)

/* Whether frames are moved; a mean of one frame has nothing to move. */
gboolean oct_average_is_registered (const OctAverageParams *params);

/* Values of one B-scan, of both planes. */
gsize oct_average_count_values (const OctAverageParams *params);

/* Which frames are in the mean. */
typedef struct {
  guint count; /* frames in the mean */
  guint place; /* where in the ring the next one goes */
} OctAverageState;

/* How to handle the next B-scan. */
typedef struct {
  gboolean is_first; /* sums begin with it */
  gboolean replaces; /* the frame in its place of the ring leaves the sum */
  gboolean wraps;    /* the ring is full with it: sums that began with its first
                      * place hold exactly what is in it */
  guint place;
  guint count; /* frames in the mean, with it */
} OctAverageTurn;

OctAverageTurn oct_average_next (
    OctAverageState *state, const OctAverageParams *params);

G_END_DECLS
