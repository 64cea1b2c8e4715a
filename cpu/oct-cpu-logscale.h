/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images from A-scans that are still side by side (oct-cpu-lanes.h), for a pass
 * that has them in the cache: oct_cpu_logscale_check() for a frame, and then
 * for each of its B-scans oct_cpu_logscale_begin(), oct_cpu_logscale_add() for
 * every block of OCT_LANES A-lines, and oct_cpu_logscale_finish().  `plan` is
 * one of oct_cpu_logscale, whose settings and history of the range they use.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

/* Floats of the powers of a B-scan: [blocks][depth_bins][OCT_LANES]. */
#define OCT_CPU_POWERS(depth_bins, lines)                                      \
  (((gsize)(lines) + 15) / 16 * 16 * (depth_bins))

/* FALSE with OCT_ERROR_SETTINGS when the plan makes other images than of that
 * many B-scans of `lines` A-lines each, or one of out[bscans] has no room for
 * one. */
gboolean oct_cpu_logscale_check (OctPlan *plan, guint bscans, guint depth_bins,
    guint lines, const OctFrame *out, GError **error);

/* `threads`: that add will be called by, made less where the plan has scratch
 * for less. */
void oct_cpu_logscale_begin (OctPlan *plan, guint *threads);

/* Powers of one block, [depth_bins][OCT_LANES], from its A-scans,
 * [depth_bins][2][OCT_LANES], and what they say about the range.  A block of
 * fewer A-lines has anything in the lanes behind, in AUTO what one of the
 * others has.  By many threads at the same time, `thread` as
 * oct_parallel_for() says. */
void oct_cpu_logscale_add (OctPlan *plan, guint block, const float *a_scans,
    float *power, guint thread);

/* Finds the range, which goes into its history, and writes the image.  power:
 * [blocks][depth_bins][OCT_LANES] as from oct_cpu_logscale_add(). */
void oct_cpu_logscale_finish (
    OctPlan *plan, const float *power, const OctFrame *out);

G_END_DECLS
