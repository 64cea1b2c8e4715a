/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Elements in an order that makes no sense: a sentence that says what to do
 * instead.  For two pads without common caps GStreamer says only that it could
 * not link them, and asks neither element.  So the input of a filter that is
 * not linked at all yet also offers the caps of elements that it cannot follow;
 * when one of them is linked, the filter refuses and says why.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* For the instance init: `sink` is the input. */
void gst_oct_order_init (GstPad *sink);

/* Widens the answer to a caps query at the input of an element that is not
 * linked at all.  `src`: its output, or NULL. */
void gst_oct_order_widen (GstPad *sink, GstPad *src, GstQuery *query);

G_END_DECLS
