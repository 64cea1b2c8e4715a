/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The scan as octsrc tells it: which A-lines of a volume there are, and where.
 */
#pragma once

#include <gst/base/gstbasesrc.h>
#include "gstoctinput.h"
#include "gstoctnextpaths.h"

G_BEGIN_DECLS

typedef struct {
  OctScanMask *mask; /* that was told, owned by the input; or NULL */
  gboolean told;     /* the path was */
  GstOctNextPaths paths;
} GstOctSrcScan;

void gst_oct_src_scan_init (GstOctSrcScan *scan);
void gst_oct_src_scan_clear (GstOctSrcScan *scan);

/* The input is opened anew. */
void gst_oct_src_scan_begin (GstOctSrcScan *scan);

/* Sends the events that B-scans `frame` .. frame + count - 1 need before them,
 * and has the input follow another path from `frame` on if it is time for one. */
void gst_oct_src_scan_send (GstOctSrcScan *scan, GstBaseSrc *src,
    GstOctInput *input, guint64 frame, guint count);

G_END_DECLS
