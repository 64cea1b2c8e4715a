/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The common part of all backends that show what moves, see OctAngioParams.
 */
#pragma once

#include "oct-angio-values.h"
#include "oct-backend.h"

G_BEGIN_DECLS

gboolean oct_check_angio (const OctAngioParams *params, GError **error);

/* Whether a plan for `a` can go on with `b`, history and all. */
gboolean oct_angio_is_same (const OctAngioParams *a, const OctAngioParams *b);

/* How its values are shown, and whether in dB. */
OctAngioShow oct_angio_get_show (OctAngioMethod method);
gboolean oct_angio_is_log (OctAngioMethod method);

/* Which B-scans are the repeats. */
typedef struct {
  guint count; /* of them in the ring */
  guint place; /* where in the ring the next one goes */
} OctAngioState;

/* How to handle the next B-scan. */
typedef struct {
  guint place; /* where in the ring it goes */
  guint first; /* place of the oldest of them */
  guint count; /* with it */
  gboolean shown;
} OctAngioTurn;

OctAngioTurn oct_angio_next (
    OctAngioState *state, const OctAngioParams *params);

G_END_DECLS
