/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The output of a branch of octscatter for one number: buffers and the events
 * that go with them, until it is their turn.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Zeros are an empty one. */
typedef struct {
  GstEvent *caps, *segment; /* of the branch at that time, or NULL */
  GQueue events;            /* others that came before it */
  GQueue objects;           /* buffers, gaps */
} GstOctMade;

/* Moves the contents of `now`; caps and segment also stay in `now`, for the
 * next number. */
GstOctMade *gst_oct_made_take (GstOctMade *now);
void gst_oct_made_free (GstOctMade *made);
void gst_oct_made_clear (GstOctMade *made);

/* For a flush: moves the events that stay in force after it to `kept`, with the
 * messages of octscatter about them, and drops other events and the buffers. */
void gst_oct_made_flush (GstOctMade *made, GQueue *kept);

G_END_DECLS
