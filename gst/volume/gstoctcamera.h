/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Turning a volume by mouse, touch and keys, as GstNavigation tells of them.
 *
 * The left button, or one finger, turns; any other button moves; the wheel
 * changes the size.  Keys: arrows, plus and minus, Home.
 */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef struct {
  double yaw, pitch, zoom, pan_x, pan_y; /* see OctVolumeCamera */
} GstOctView;

#define GST_OCT_VIEW_YAW -35.0
#define GST_OCT_VIEW_PITCH 38.0
#define GST_OCT_VIEW_ZOOM_LEAST 0.1
#define GST_OCT_VIEW_ZOOM_MOST 50.0

/* The button or finger that is held, and where; zeros: none. */
typedef struct {
  guint button;
  double x, y;
  gboolean touches;
  guint finger; /* that turns; others beside it do not count */
} GstOctHand;

/* Changes `view` as the event says, for pictures of that size (of one eye,
 * where there are two).  FALSE: it is not an event for this. */
gboolean gst_oct_hand_move (GstOctHand *hand, GstEvent *event, guint width,
    guint height, GstOctView *view);

G_END_DECLS
