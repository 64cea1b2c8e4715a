/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Makes ordinary volumes of scans along a path, in a pipeline that runs:
 * octremap is put after the A-scans as soon as the source tells a path
 * (GST_OCT_SCAN_PATH_EVENT_NAME), and never if it does not.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Between the elements `before` and `after`, of one bin and linked by their
 * pads "src" and "sink", with A-scans.  Freed with `before`.  B-scans come a
 * volume later then, as evenly as they were taken. */
void oct_remapped_add (GstElement *before, GstElement *after);

/* octremap in this pipeline, to be unreffed; NULL: there is none now. */
GstElement *oct_remapped_find (GstBin *pipeline);

G_END_DECLS
