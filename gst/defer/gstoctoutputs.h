/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The buffers that an element makes of one input: images of one B-scan each, if
 * the input holds several B-scans.  They are pushed one after the other.
 */
#pragma once

#include "gstoctaccess.h"

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

typedef struct {
  GstBuffer **buffers; /* [n], the first one belongs to the base class */
  guint n;
  GstBuffer *from; /* the input, if it is made of pieces, from which */
  guint per;       /* that many come; else NULL, and all */
  /* page-locked memory of all images, `step` bytes apart; NULL: each has its own
   */
  GstMemory *block;
  gsize step, size; /* size: of an image */
  GQueue waiting;   /* to be pushed, references */
} GstOctOutputs;

/* Makes the first of the images of `in` in one block, if they come from a GPU
 * and `trans` has an allocator for that: one copy brings all of them to the
 * host then.  FALSE: it is to be made like any other. */
gboolean gst_oct_outputs_begin_block (GstOctOutputs *outputs,
    GstBaseTransform *trans, GstOctAccess *access, GstBuffer *in,
    GstBuffer **first);

/* Makes the other n - 1 buffers, as `prepare` makes one of `in`, or in the
 * block.
 */
GstFlowReturn gst_oct_outputs_begin (GstOctOutputs *outputs,
    GstBaseTransform *trans,
    GstFlowReturn (*prepare) (GstBaseTransform *, GstBuffer *, GstBuffer **),
    GstBuffer *in, GstBuffer *first, guint n);

/* If they were filled, sets the time and the place in the volume of each, and
 * queues all but the first; else frees all but the first. */
void gst_oct_outputs_end (
    GstOctOutputs *outputs, GstBaseTransform *trans, gboolean filled);

/* The next one that waits, or NULL. */
GstBuffer *gst_oct_outputs_take (GstOctOutputs *outputs);

/* Forgets those that wait. */
void gst_oct_outputs_clear (GstOctOutputs *outputs);

G_END_DECLS
