/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Lines and words over a video, drawn by cairo and cut into small rectangles, so
 * that little of each picture has to be mixed.
 */
#pragma once

#include "oct-live-layout.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef enum {
  OCT_LIVE_MARK_AREA,   /* of the scan */
  OCT_LIVE_MARK_BSCAN,  /* the B-scan that is shown */
  OCT_LIVE_MARK_ACROSS, /* the plane across */
} OctLiveMark;

/* GstVideoOverlayRectangle. */
GPtrArray *oct_live_marks_new (void);

/* Adds a line of `count` places in pixels of the screen, which is seen inside of
 * `inside` and outside of `outside`.  `closed`: it ends where it began; else its first end has a dot. */
void oct_live_marks_add_line (GPtrArray *marks, const OctLiveBox *inside,
    const OctLiveBox *outside, const OctLiveSpot *places, guint count,
    gboolean closed, OctLiveMark mark);

/* Adds words in the middle of a box, as large as there is room for, on a dark
 * ground. */
void oct_live_marks_add_words (
    GPtrArray *marks, const OctLiveBox *box, const char *words);

/* All of two lists; NULL: there is nothing in them. */
GstVideoOverlayComposition *oct_live_marks_join (
    const GPtrArray *a, const GPtrArray *b);

G_END_DECLS
