/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing of A-lines that a pass prepares itself, in the cache.
 * `plan` is one of oct_cpu_cs, for what comes of the pass.
 */
#pragma once

#include "oct-step.h"

G_BEGIN_DECLS

/* The samples of A-lines lines[0 .. OCT_LANES - 1] of a B-scan, some may
 * be the same: values [columns][parts][OCT_LANES].  By many threads at the
 * same time, `thread` as oct_parallel_for() says. */
typedef void (*OctCpuSolveRead) (
    gpointer data, const guint *lines, guint thread, float *values);

/* `shape`: of a B-scan as it is read; there are `bscans`.  FALSE with
 * OCT_ERROR_SETTINGS when the plan is for others, or `out` has no room. */
gboolean oct_cpu_solve_check (const OctPlan *plan, guint bscans,
    const OctStepShape *shape, const OctFrame *out, GError **error);

/* One B-scan, with `threads` threads at most. */
void oct_cpu_solve (OctPlan *plan, guint threads, OctCpuSolveRead read,
    gpointer data, const OctFrame *out);

G_END_DECLS
