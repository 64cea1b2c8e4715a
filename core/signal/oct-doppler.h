/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The common part of all backends that find Doppler shifts, see
 * OctDopplerParams.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

/* See oct-params.h. */
gboolean oct_check_doppler (const OctDopplerParams *params, GError **error);

/* Whether W[v] can be over `lines` x `bins` values; OCT_ERROR_SETTINGS. */
gboolean oct_check_flow_window (
    guint lines, guint bins, guint widest, GError **error);

/* Whether a plan for `a` can go on with `b`, history and all. */
gboolean oct_doppler_is_same (
    const OctDopplerParams *a, const OctDopplerParams *b);

/* A phase of `histogram`, which is smoothed and searched: see OctDopplerParams.
 * 0 if it is empty. */
float oct_doppler_find_bulk (const float histogram[OCT_DOPPLER_BULK]);

/* The lowest of the means of the bands: `sums` of `count` values each. */
double oct_flow_find_noise (const double sums[OCT_FLOW_BANDS], double count);

G_END_DECLS
