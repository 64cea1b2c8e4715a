/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Mirrors that do not fit to the others.
 */
#pragma once

#include "oct-mirror-set.h"

G_BEGIN_DECLS

/* Leaves out mirrors that do not fit to the others; *again: some were, and the
 * rest is to be fitted.  FALSE, OCT_ERROR_FORMAT: it is not certain which. */
gboolean oct_mirror_set_leave_out_others (
    OctMirrorSet *set, double k_span, gboolean *again, GError **error);

G_END_DECLS
