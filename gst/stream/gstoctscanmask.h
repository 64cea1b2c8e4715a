/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which A-lines of a volume there are, on its way through a pipeline: a sticky
 * event from octsrc to octvolumecs.  The caps say how large whole volumes are
 * (GST_OCT_SCAN_LINES_FIELD, GST_OCT_SCAN_BSCANS_FIELD).
 */
#pragma once

#include <gst/gst.h>
#include "oct-scan-mask.h"

G_BEGIN_DECLS

#define GST_TYPE_OCT_SCAN_MASK (gst_oct_scan_mask_get_type ())
GType gst_oct_scan_mask_get_type (void);

/* A sticky downstream event that holds a reference to `mask`. */
GstEvent *gst_oct_scan_mask_event_new (OctScanMask *mask);

/* The mask of such an event, an application's too (a new reference); NULL for
 * any other, and for one that holds no mask, which a sentence on the terminal
 * says. */
OctScanMask *gst_oct_scan_mask_event_parse (GstEvent *event);

G_END_DECLS
