/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Phases without the jumps of whole turns, see OctDopplerParams.
 */
#pragma once

#include "oct-cpu-private.h"

G_BEGIN_DECLS

typedef struct _OctCpuUnwrap OctCpuUnwrap;

/* For maps [lines][bins].  NULL with OCT_ERROR_MEMORY. */
OctCpuUnwrap *oct_cpu_unwrap_new (guint lines, guint bins, GError **error);
/* NULL is allowed. */
void oct_cpu_unwrap_free (OctCpuUnwrap *unwrap);

/* In place: `phases` in rad, 0 where `still`, which stay 0. */
void oct_cpu_unwrap_run (
    OctCpuUnwrap *unwrap, float *phases, const guint8 *still);

G_END_DECLS
