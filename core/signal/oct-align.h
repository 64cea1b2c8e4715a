/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The common part of all backends that align repeated B-scans, see
 * OctAlignParams.
 */
#pragma once

#include "oct-align-values.h"
#include "oct-backend.h"

G_BEGIN_DECLS

gboolean oct_check_align (const OctAlignParams *params, GError **error);

/* Whether a plan for `a` can go on with `b`, history and all. */
gboolean oct_align_is_same (const OctAlignParams *a, const OctAlignParams *b);

/* Whether repeats may be rejected: of two, nothing says which one is wrong. */
gboolean oct_align_may_reject (const OctAlignParams *params);

G_END_DECLS
