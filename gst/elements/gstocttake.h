/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The mean spectrum of the next B-scans, found in a thread of its own while
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

/* In the thread: the mean [samples] of `lines` A-lines in counts, or an error.
 */
typedef void (*GstOctTakeDone) (GstElement *element, const double *mean,
    guint samples, guint lines, const GError *error);

/* `element`: not referenced. */
GstOctTake *gst_oct_take_new (GstElement *element, GstOctTakeDone done);
void gst_oct_take_free (GstOctTake *take);

/* The next `bscans` of them (1 to GST_OCT_TAKE_MOST) are taken.  FALSE: some
 * are being taken already.  Any thread. */
gboolean gst_oct_take_begin (GstOctTake *take, guint bscans);
/* Cancels without a result; waits for the thread. */
void gst_oct_take_stop (GstOctTake *take);

/* In the streaming thread: whether B-scans are needed, and the next buffer of
 * them, as it comes into the element. */
gboolean gst_oct_take_wants (GstOctTake *take);
void gst_oct_take_add (GstOctTake *take, GstBuffer *buffer,
    const GstOctInfo *info, gboolean on_gpu);

G_END_DECLS
