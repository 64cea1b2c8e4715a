/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Caps before and after octgather.
 */
#pragma once

#include "gstoctcaps.h"

G_BEGIN_DECLS

/* Makes `s` the structure of the pad opposite to `direction`, where `group`
 * buffers become one; FALSE: there is none. */
gboolean gst_oct_gather_transform_structure (
    GstStructure *s, GstPadDirection direction, guint group);

/* The same where the number depends on the size of the B-scans: any. */
void gst_oct_gather_open_structure (GstStructure *s);

/* Buffers of `info` that are put into one if they wait, 1 or more, for `most`
 * B-scans at most. */
guint gst_oct_gather_count_waiting (const GstOctInfo *info, guint most);

G_END_DECLS
