/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The common part of all backends that show fluctuations, see OctDynamicParams.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

/* See oct-params.h. */
gboolean oct_check_dynamic (const OctDynamicParams *params, GError **error);

/* Whether a plan for `a` can go on with `b`, history and all. */
gboolean oct_dynamic_is_same (
    const OctDynamicParams *a, const OctDynamicParams *b);

/* B-scans so far, of those at a place. */
typedef struct {
  guint64 count;
} OctDynamicState;

/* How to handle the next B-scan. */
typedef struct {
  gboolean is_first;
  float g, h; /* see OctDynamicParams; h 0: the second mean stays as it is */
} OctDynamicTurn;

OctDynamicTurn oct_dynamic_next (
    OctDynamicState *state, const OctDynamicParams *params);

G_END_DECLS
