/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What a branch of octscatter has made of one number: buffers and the events
 * that go with them, until it is their turn.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Zeros are an empty one. */
typedef struct {
  GstEvent *caps, *segment; /* of the branch at that time, or NULL */
  GQueue events;            /* others that came in front of it */
  GQueue objects;           /* buffers, gaps */
} GstOctMade;

/* What `now` has got up to now; caps and segment stay in force for what
 * follows. */
GstOctMade *gst_oct_made_take (GstOctMade *now);
void gst_oct_made_free (GstOctMade *made);
void gst_oct_made_clear (GstOctMade *made);

/* For a flush: moves the events that stay in force behind it to `kept`, with
 * what octscatter says about them, and drops the buffers. */
void gst_oct_made_flush (GstOctMade *made, GQueue *kept);

G_END_DECLS
