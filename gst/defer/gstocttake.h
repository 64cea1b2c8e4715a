/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The next B-scans, from which something is found in a thread of its own while
 * images are being made.
 *
 * Thread-safety: begin() is for any thread, wants() and add() for the streaming
 * thread.
 */
#pragma once

#include "gstoctaside.h"

G_BEGIN_DECLS

/* B-scans that one may ask for: those of some seconds, in memory at once. */
#define GST_OCT_TAKE_MOST 100

typedef struct _GstOctTake GstOctTake;

/* A kind of search; never changes. */
typedef struct {
  const char *thread; /* its name */
  guint lines;        /* rows of each B-scan, spread over it; 0: all */
  /* In the thread: a result of all `bscans`, of GstOctAside, 1 or more of the
   * same sizes.  NULL with an error, or if *cancelled (atomic) is set. */
  gpointer (*find) (GPtrArray *bscans, const gint *cancelled, GError **error);
  void (*free_result) (gpointer result);
  /* In the thread, or the streaming thread: the result, or NULL with an
   * error. */
  void (*done) (GstElement *element, gconstpointer result, const GError *error);
} GstOctTakeKind;

/* `element`: not referenced. */
GstOctTake *gst_oct_take_new (GstElement *element, const GstOctTakeKind *kind);
void gst_oct_take_free (GstOctTake *take);

/* The next `bscans` of them (1 to GST_OCT_TAKE_MOST) are taken.  FALSE: some
 * are being taken already.  Any thread. */
gboolean gst_oct_take_begin (GstOctTake *take, guint bscans);
/* Cancels without a result; waits for the thread. */
void gst_oct_take_stop (GstOctTake *take);

/* In the streaming thread: whether B-scans are needed, and the next buffer of
 * them, as it comes into the element; `number` of its first one, or NULL. */
gboolean gst_oct_take_wants (GstOctTake *take);
void gst_oct_take_add (GstOctTake *take, GstBuffer *buffer,
    const GstOctInfo *info, gboolean on_gpu, const GstOctBscanNumber *number);

G_END_DECLS
