/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which memory the B-scans of an element go to.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Answers an allocation query as decide_allocation has to: the pool that
 * downstream offers, else one of our own, so that no B-scan costs an
 * allocation.  `pool`: to be used whatever downstream offers, or NULL.
 * `allocator`: for a pool of our own, or NULL.  FALSE when the caps are none of
 * this plugin or no pool can be had. */
gboolean gst_oct_decide_allocation (GstElement *element, GstQuery *query,
    GstBufferPool *pool, GstAllocator *allocator);

G_END_DECLS
