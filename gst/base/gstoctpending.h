/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Results that have not been computed yet.
 *
 * An element may hand on a B-scan with the steps that lead to it in place of
 * its values, so that who needs the values does all steps in one pass over the
 * data.  It does so only where the element behind agreed, by adding
 * GST_OCT_PENDING_API_TYPE to its reply to the ALLOCATION query: queues hand
 * that on, a tee offers what all of its branches do.
 *
 * It is safe without that too: the steps hang on the GstMemory, and whoever
 * maps it has them done first.  Steps keep the settings they were made with.
 */
#pragma once

#include "gstoctrunner.h"

G_BEGIN_DECLS

#define GST_OCT_PENDING_API_TYPE (gst_oct_pending_api_get_type ())
GType gst_oct_pending_api_get_type (void);

/* Memory that holds the result of the last step.  Takes what `pending` holds;
 * `runner` does the steps where somebody maps the memory. */
GstMemory *gst_oct_pending_memory_new (
    GstOctPending *pending, GstOctRunner *runner);

/* TRUE when the values of the buffer have not been computed and start from
 * memory of `cuda` (NULL: of the host): `pending` is filled with references of
 * its own.  FALSE: it is to be mapped like any other. */
gboolean gst_oct_pending_get (
    GstBuffer *buffer, GstOctCuda *cuda, GstOctPending *pending);

/* The same wherever it starts from, for a thread beside those of the pipeline:
 * *runner is another one (a new reference), so that nobody waits. */
gboolean gst_oct_pending_get_aside (
    GstBuffer *buffer, GstOctPending *pending, GstOctRunner **runner);

G_END_DECLS
