/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Looks for the dispersion of the next B-scans, or for their wavenumbers with
 * it, in a thread of its own, while images are being made.
 *
 * Thread-safety: begin() is for any thread, wants(), add() and refuse() for the
 * streaming thread.
 */
#pragma once

#include "gstoctaside.h"
#include "oct-autofocus.h"
#include "oct-calibration.h"
#include "oct-refine.h"

G_BEGIN_DECLS

typedef struct _GstOctFocus GstOctFocus;

typedef enum {
  GST_OCT_FOCUS_DISPERSION,
  GST_OCT_FOCUS_WAVENUMBERS,
} GstOctFocusKind;

typedef struct {
  GstOctFocusKind kind;
  double half_range;       /* of the axis, rad/um: c2 and c3 are at its ends;
                              0: no wavelengths are known */
  OctAutofocus dispersion; /* of this kind alone */
  OctRefine wavenumbers;   /* likewise */
} GstOctFocusResult;

/* The phases that an element adds to that of the calibration, as its properties
 * say. */
typedef struct {
  double a2, a3;         /* um^2, um^3 */
  double phase2, phase3; /* rad at the ends */
} GstOctFocusPhase;

/* In the thread: what was found, or an error and the kind. */
typedef void (*GstOctFocusDone) (
    GstElement *element, const GstOctFocusResult *result, const GError *error);

/* `element`: not referenced. */
GstOctFocus *gst_oct_focus_new (GstElement *element, GstOctFocusDone done);
void gst_oct_focus_free (GstOctFocus *focus);

/* The next B-scans are looked at.  FALSE: that is under way already.  Any
 * thread. */
gboolean gst_oct_focus_begin (GstOctFocus *focus, GstOctFocusKind kind);
/* Cancels the search without a result; waits for the thread. */
void gst_oct_focus_stop (GstOctFocus *focus);

/* In the streaming thread: whether B-scans are needed, and the next one.
 * `calibration`: of these spectra, or NULL; `third`: the third order too, else
 * it is that of `former`, which is in force.  Problems go to done(), in this
 * thread then. */
gboolean gst_oct_focus_wants (GstOctFocus *focus);
void gst_oct_focus_add (GstOctFocus *focus, GstBuffer *buffer,
    const GstOctInfo *info, gboolean on_gpu, OctCalibration *calibration,
    gboolean third, const GstOctFocusPhase *former);
/* The same for B-scans that cannot be judged. */
void gst_oct_focus_refuse (GstOctFocus *focus, const GError *error);

G_END_DECLS
