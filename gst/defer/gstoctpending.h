/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Results that have not been computed yet.
 *
 * An element may output a B-scan with the steps that lead to it in place of its
 * values, so that the element that needs the values does all steps in one pass
 * over the data.  It does so only if the downstream element agreed, by adding
 * GST_OCT_PENDING_API_TYPE to its reply to the ALLOCATION query: queues pass
 * that on, a tee offers it if all of its branches do.
 *
 * It is safe without that too: the steps belong to the GstMemory, and mapping
 * it does them first.  Steps keep the settings they were made with.
 *
 * Thread-safety: several threads may map the memory.
 */
#pragma once

#include "gstoctrunner.h"

G_BEGIN_DECLS

#define GST_OCT_PENDING_API_TYPE (gst_oct_pending_api_get_type ())
GType gst_oct_pending_api_get_type (void);

/* Memory that holds the result of the last step.  Takes the contents of
 * `pending`; `runner` does the steps when the memory is mapped. */
GstMemory *gst_oct_pending_memory_new (
    GstOctPending *pending, GstOctRunner *runner);

/* TRUE when the values of the buffer have not been computed and start from
 * memory of `cuda` (NULL: of the host): `pending` is filled with references of
 * its own.  FALSE: it is to be mapped like any other. */
gboolean gst_oct_pending_get (
    GstBuffer *buffer, GstOctCuda *cuda, GstOctPending *pending);

/* The same wherever it starts from, for a thread apart from those of the
 * pipeline: *runner is another one (a new reference), so that no thread
 * waits. */
gboolean gst_oct_pending_get_aside (
    GstBuffer *buffer, GstOctPending *pending, GstOctRunner **runner);

G_END_DECLS
