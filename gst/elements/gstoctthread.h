/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A thread of its own for an element, as a queue before it would have: buffers
 * wait for it, and the element sees how many do.
 *
 * Events and queries that have their place between the buffers are handled in
 * the thread of the source, once all buffers before them are done: the two
 * threads are never in the element at once.
 */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

typedef struct _GstOctThread GstOctThread;

typedef struct {
  /* When the pads are activated: whether there is a thread this time. */
  gboolean (*begin) (GstBaseTransform *trans);
  /* How many buffers may wait; 0: they go on in the thread of the source.
   * Changes only with caps. */
  guint (*count) (GstBaseTransform *trans);
  /* A buffer has failed, in the thread: what is kept of it goes. */
  void (*failed) (GstBaseTransform *trans);
} GstOctThreadFunctions;

/* In init() of the element, which frees it in finalize(). */
GstOctThread *gst_oct_thread_new (
    GstBaseTransform *trans, const GstOctThreadFunctions *functions);
void gst_oct_thread_free (GstOctThread *thread);

/* Whether another buffer waits: it comes next, or all are dropped. */
gboolean gst_oct_thread_has_more (GstOctThread *thread);

G_END_DECLS
