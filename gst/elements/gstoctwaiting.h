/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * B-scans that wait for a thread of their own, as in a queue.
 *
 * Only buffers wait.  An event or a query that has its place between them waits
 * for all of them instead, drain(), and is then handled in the thread that it
 * came in: the two threads are never in the element at once.
 *
 * Thread-safety: add(), drain() and take_result() are for the thread of the
 * source, take() and done() for the other one, the rest for any.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* An entry of the queue. */
typedef struct {
  GstBuffer *buffer;
  guint count; /* buffers that it is made of; 1: as it came */
} GstOctWaits;

/* Puts `buffer` to the last one that waits, whose buffer may become another,
 * without waiting; FALSE: it waits on its own. */
typedef gboolean (*GstOctJoin) (
    gpointer owner, GstOctWaits *last, GstBuffer *buffer);

typedef struct {
  GstOctJoin join;
  gpointer owner;
  GMutex lock;
  GCond changed;
  GQueue waits;   /* GstOctWaits */
  guint count;    /* buffers in them */
  gboolean busy;  /* one was taken and is not done */
  guint sleepers; /* threads that sleep until something changes */
  guint few; /* a source that found too many goes on when so many are left */
  gboolean flushing;
  GstFlowReturn result; /* of one that failed and was not reported */
} GstOctWaiting;

/* Flushing at first. */
void gst_oct_waiting_init (
    GstOctWaiting *waiting, GstOctJoin join, gpointer owner);
void gst_oct_waiting_clear (GstOctWaiting *waiting);

/* TRUE: drops the buffers that wait, and wakes everybody who does; forgets
 * results. */
void gst_oct_waiting_set_flushing (GstOctWaiting *waiting, gboolean flushing);

/* Adds a buffer, which it takes over, once fewer than `most` wait; if as many
 * did, once no more than half of them do.  The failure of a buffer before it is
 * returned once. */
GstFlowReturn gst_oct_waiting_add (
    GstOctWaiting *waiting, GstBuffer *buffer, guint most);

/* Waits until all is done; FALSE: flushing. */
gboolean gst_oct_waiting_drain (GstOctWaiting *waiting);

/* The failure that nobody has been told of, or GST_FLOW_OK. */
GstFlowReturn gst_oct_waiting_take_result (GstOctWaiting *waiting);

/* The next one, after waiting for it, and of how many it is made; NULL:
 * flushing.  done() follows. */
GstBuffer *gst_oct_waiting_take (GstOctWaiting *waiting, guint *count);
/* After a failure what waits is dropped, as it would have failed, too. */
void gst_oct_waiting_done (GstOctWaiting *waiting, GstFlowReturn result);

/* Whether a buffer that is added now is the next one, at once. */
gboolean gst_oct_waiting_is_idle (GstOctWaiting *waiting);

G_END_DECLS
