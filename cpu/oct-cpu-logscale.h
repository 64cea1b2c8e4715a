/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images from A-scans that are side by side (oct-cpu-lanes.h), in the cache of
 * a pass: oct_cpu_logscale_check() for a frame, and then for each of its
 * B-scans oct_cpu_logscale_begin(), oct_cpu_logscale_add() for every block of
 * OCT_LANES A-lines, and oct_cpu_logscale_finish().  `plan` is a plan of
 * oct_cpu_logscale; its settings and its history of the range are used.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

/* Floats of the powers of a B-scan: [blocks][depth_bins][OCT_LANES]. */
#define OCT_CPU_POWERS(depth_bins, lines)                                      \
  (((gsize)(lines) + 15) / 16 * 16 * (depth_bins))

/* FALSE with OCT_ERROR_SETTINGS if the plan is not for so many B-scans of
 * `lines` A-lines each, or one of out[bscans] is too small. */
gboolean oct_cpu_logscale_check (OctPlan *plan, guint bscans, guint depth_bins,
    guint lines, const OctFrame *out, GError **error);

/* `threads`: number of threads that will call add; reduced if the plan has
 * scratch for fewer. */
void oct_cpu_logscale_begin (OctPlan *plan, guint *threads);

/* Powers of one block, [depth_bins][OCT_LANES], from its A-scans,
 * [depth_bins][2][OCT_LANES], and their contribution to the range.  Unused
 * lanes of the last block may contain anything; for AUTO, a copy of one of its
 * A-lines.  Thread-safety: any number of threads, each with its `thread` from
 * oct_parallel_for(). */
void oct_cpu_logscale_add (OctPlan *plan, guint block, const float *a_scans,
    float *power, guint thread);

/* Computes the range, adds it to the history, and writes the image.  power:
 * [blocks][depth_bins][OCT_LANES] as from oct_cpu_logscale_add(). */
void oct_cpu_logscale_finish (
    OctPlan *plan, const float *power, const OctFrame *out);

G_END_DECLS
