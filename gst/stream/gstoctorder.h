/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Elements in an order that makes no sense: a sentence that says what to do
 * instead.  For two pads without common caps GStreamer says only that it could
 * not link them, and asks neither element.  So the input of a filter that is
 * not linked at all yet also offers the caps of elements that it cannot follow;
 * when one of them is linked, the filter refuses and says why.
 */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

/* For the instance init: `sink` is the input. */
void gst_oct_order_init (GstPad *sink);

/* Widens the answer to a caps query at the input of an element that is not
 * linked at all.  `src`: its output, or NULL. */
void gst_oct_order_widen (GstPad *sink, GstPad *src, GstQuery *query);

/* The same at either end of a filter: outputs that carry no video also offer it
 * while they are not linked, so that elements of video ask. */
void gst_oct_order_widen_at (
    GstBaseTransform *trans, GstPadDirection direction, GstQuery *query);

/* Passes an event to the parent class of an element (takes it).  If caps are
 * refused, as they come after the elements were linked and do not suit those
 * downstream, an error says why. */
gboolean gst_oct_order_sink_event (GstBaseTransform *trans,
    GstBaseTransformClass *parent_class, GstEvent *event);

G_END_DECLS
