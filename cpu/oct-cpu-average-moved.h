/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means of frames that are shifted to the position of the last one.
 */
#pragma once

#include "oct-average.h"
#include "oct-cpu-private.h"

G_BEGIN_DECLS

typedef struct _OctCpuMoved OctCpuMoved;

/* NULL with OCT_ERROR_MEMORY. */
OctCpuMoved *oct_cpu_moved_new (const OctAverageParams *params, GError **error);
void oct_cpu_moved_free (OctCpuMoved *moved);
/* One B-scan to its mean; planes have been checked. */
void oct_cpu_moved_run (OctCpuMoved *moved, const OctAverageTurn *turn,
    const OctFrame *in, const OctFrame *out);

G_END_DECLS
