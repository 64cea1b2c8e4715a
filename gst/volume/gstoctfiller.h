/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A volume that is filled in, wherever B-scans come from and go to: in host
 * memory or on the GPU.  For one thread at a time.
 *
 * On the GPU measure() alone waits: B-scans are fetched, stored, filled in and
 * delivered in the order of the compute stream.
 */
#pragma once

#include "gstoctpassage.h"
#include "oct-volume-cs.h"

G_BEGIN_DECLS

typedef struct _GstOctFiller GstOctFiller;

/* `cuda` NULL: the CPU, and then the input is in host memory.  NULL with an
 * error. */
GstOctFiller *gst_oct_filler_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, const OctVolumeCsParams *params, GError **error);
void gst_oct_filler_free (GstOctFiller *filler);

/* The way of its B-scans: their caps, and the buffer that is stored. */
GstOctPassage *gst_oct_filler_get_passage (GstOctFiller *filler);

/* B-scan `image` of the buffer under way, `lines` A-lines each, see
 * OctVolumeCsTable. */
gboolean gst_oct_filler_store (GstOctFiller *filler, guint image, guint lines,
    guint bscan, gboolean whole, GError **error);

/* See OctVolumeCsTable. */
void gst_oct_filler_clear (GstOctFiller *filler);
gboolean gst_oct_filler_measure (
    GstOctFiller *filler, OctVolumeCsMeasures *measures, GError **error);
gboolean gst_oct_filler_fill (
    GstOctFiller *filler, const OctVolumeCsSettings *settings, GError **error);

/* B-scan `bscan` in a new buffer of the output.  Else, with an error or
 * without one (flushing), what it returns. */
GstFlowReturn gst_oct_filler_fetch (
    GstOctFiller *filler, guint bscan, GstBuffer **out, GError **error);

G_END_DECLS
