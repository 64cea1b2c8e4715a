/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing of A-lines that a pass prepares itself, in the cache.
 * `plan` is a plan of oct_cpu_cs for the output of the pass.
 */
#pragma once

#include "oct-step.h"

G_BEGIN_DECLS

/* Reads the samples of A-lines lines[0 .. OCT_LANES - 1] of a B-scan, some of
 * which may be equal, into values [columns][parts][OCT_LANES].  Called by many
 * threads, each with its `thread` from oct_parallel_for(). */
typedef void (*OctCpuSolveRead) (
    gpointer data, const guint *lines, guint thread, float *values);

/* `shape`: of one of the B-scans as read, `bscans` at most.  FALSE with
 * OCT_ERROR_SETTINGS if the plan is for other shapes or `out` is too small. */
gboolean oct_cpu_solve_check (const OctPlan *plan, guint bscans,
    const OctStepShape *shape, const OctFrame *out, GError **error);

/* One B-scan, with `threads` threads at most. */
void oct_cpu_solve (OctPlan *plan, guint threads, OctCpuSolveRead read,
    gpointer data, const OctFrame *out);

G_END_DECLS
