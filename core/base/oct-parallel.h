/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Loops over A-lines on all cores.
 *
 * One set of worker threads serves every plan of the process.  The calling
 * thread takes part and at the end waits only for pieces that others have
 * begun, and idle workers sleep: a loop costs no more than its work even when
 * encoders and other pipelines use the same cores.  (OpenMP's threads wait for
 * each other in busy loops; with one other busy program on two cores that made
 * the chain three to ten times slower, and a library cannot turn it off.)
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Works on indices first .. end - 1.  `thread`: 0 .. threads - 1, different for
 * calls that run at the same time, to choose scratch memory by. */
typedef void (*OctParallelTask) (
    gpointer data, guint first, guint end, guint thread);

/* Calls `task` for all of 0 .. count - 1, at most `grain` (>= 1) indices at a
 * time, by at most `threads` threads including this one, and returns when all
 * is done.  May be called by several threads at once, not from within a task.
 * Allocates nothing but, once, threads. */
void oct_parallel_for (guint count, guint grain, guint threads,
    OctParallelTask task, gpointer data);

/* Threads that a loop should use: the number set, else the environment variable
 * OCT_THREADS, else one per core.  0 sets the default again. */
void oct_parallel_set_threads (guint threads);
guint oct_parallel_get_threads (void);

G_END_DECLS
