/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Looks for the dispersion of the next B-scans in a thread of its own, while
 * images are being made.
 */
#pragma once

#include "gstoctaside.h"
#include "oct-autofocus.h"
#include "oct-calibration.h"

G_BEGIN_DECLS

typedef struct _GstOctFocus GstOctFocus;

/* In the thread: what was found, in rad at the ends of the axis whose half is
 * `half_range` rad/um; or an error. */
typedef void (*GstOctFocusDone) (GstElement *element, const OctAutofocus *found,
    double half_range, const GError *error);

/* `element`: not referenced. */
GstOctFocus *gst_oct_focus_new (GstElement *element, GstOctFocusDone done);
void gst_oct_focus_free (GstOctFocus *focus);

/* The next B-scans are looked at.  FALSE: that is under way already.  Any
 * thread. */
gboolean gst_oct_focus_begin (GstOctFocus *focus);
/* Nobody hears of what is under way; waits for the thread. */
void gst_oct_focus_stop (GstOctFocus *focus);

/* In the streaming thread: whether B-scans are wanted, and the next one.
 * `calibration`: of these spectra, or NULL; `third`: a3 too, else it is `a3`
 * (um^3). What speaks against it goes to done(), in this thread then. */
gboolean gst_oct_focus_wants (GstOctFocus *focus);
void gst_oct_focus_add (GstOctFocus *focus, GstBuffer *buffer,
    const GstOctInfo *info, gboolean on_gpu, OctCalibration *calibration,
    gboolean third, double a3);
/* The same for B-scans that cannot be judged. */
void gst_oct_focus_refuse (GstOctFocus *focus, const GError *error);

G_END_DECLS
