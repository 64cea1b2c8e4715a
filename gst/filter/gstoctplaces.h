/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * For elements that make one result of the repeated B-scans of a place: which
 * B-scans are of a place, the caps, time and position of its result, and the
 * result of a place whose B-scans are lost.  And the caps of their results.
 *
 * Streaming thread only, but for the functions of caps.
 */
#pragma once

#include <gst/base/gstbasetransform.h>
#include "gstoctscanmeta.h"

G_BEGIN_DECLS

typedef struct {
  guint repeats; /* B-scans of a place; 1 and 0: each one has a result */
  gboolean has_last;
  GstOctScanPosition last; /* the last B-scan, if it says where it belongs */
  GstClockTime begin;      /* of the place */
  GstBuffer *held;  /* its result so far, if B-scans of it are still to come */
  guint incomplete; /* places so far that have lost B-scans */
} GstOctPlaces;

/* Forgets the place, as after a seek or a stop. */
void gst_oct_places_forget (GstOctPlaces *places);

/* Before a B-scan is worked on by `trans`, a GstOctFilter.  TRUE: it is of
 * another place than the one before, whose history is forgotten.  The result of
 * a place that has lost B-scans is sent then, and `*ret` says how that went. */
gboolean gst_oct_places_take (GstOctPlaces *places, GstBaseTransform *trans,
    GstBuffer *buffer, GstFlowReturn *ret);

/* After it: `count` B-scans of the place are in `out`.  GST_FLOW_OK, with its
 * time and position set, or GST_BASE_TRANSFORM_FLOW_DROPPED until the place is
 * complete. */
GstFlowReturn gst_oct_places_finish (
    GstOctPlaces *places, GstBuffer *in, GstBuffer *out, guint count);

/* Before an event from upstream is passed on: the end of the stream sends the
 * result of a place that is not complete, a flush or another segment forgets
 * it. */
void gst_oct_places_event (
    GstOctPlaces *places, GstBaseTransform *trans, GstEvent *event);

/* Structures that become each other: A-scans to images of these formats, "{
 * GRAY8, NV12 }", and to values of a quantity, and either of them to
 * A-scans. */
GstStructure *gst_oct_places_make_images (
    const GstStructure *ascans, const char *formats, gboolean is_grey);
GstStructure *gst_oct_places_make_values (
    const GstStructure *ascans, const char *quantity, const char *unit);
GstStructure *gst_oct_places_make_ascans (const GstStructure *from);

G_END_DECLS
