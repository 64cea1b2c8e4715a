/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A thread of its own for an element, as a queue before it would have: buffers
 * wait for it, and the element may put those that do together.  The thread of
 * the source does that, as the other one has all that comes after it to do.
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
  /* In the thread of the source: what waits in the place of `buffer`, which it
   * takes over.  `alone`: it does not wait for others.  NULL: it has failed, and
   * the element has said why. */
  GstBuffer *(*prepare) (
      GstBaseTransform *trans, GstBuffer *buffer, gboolean alone);
  /* In the thread of the source, with a lock held: puts `buffer` to the last
   * one that waits, made of `count`, without waiting and without messages.
   * FALSE: it waits on its own. */
  gboolean (*join) (GstBaseTransform *trans, GstBuffer **last, guint count,
      GstBuffer *buffer);
} GstOctThreadFunctions;

/* In init() of the element, which frees it in finalize(). */
GstOctThread *gst_oct_thread_new (
    GstBaseTransform *trans, const GstOctThreadFunctions *functions);
void gst_oct_thread_free (GstOctThread *thread);

/* In the thread: buffers that were joined to the one that it is at; 1: none. */
guint gst_oct_thread_count (GstOctThread *thread);

G_END_DECLS
