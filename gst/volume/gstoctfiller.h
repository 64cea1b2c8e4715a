/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A volume that is filled in, wherever B-scans come from and go to: in host
 * memory or on the GPU.  For one thread at a time.
 *
 * On the GPU measure() alone waits: B-scans are fetched, stored, filled in and
 * delivered in the order of the compute stream.
 */
#pragma once

#include "gstoctallocation.h"
#include "oct-volume-cs.h"

G_BEGIN_DECLS

typedef struct _GstOctFiller GstOctFiller;

/* `cuda` NULL: the CPU, and then the input is in host memory.  NULL with an
 * error. */
GstOctFiller *gst_oct_filler_new (GstOctCuda *cuda, const GstOctInfo *input,
    gboolean input_on_gpu, const OctVolumeCsParams *params, GError **error);
void gst_oct_filler_free (GstOctFiller *filler);

/* B-scans of the same size, more or fewer in a buffer. */
gboolean gst_oct_filler_set_input (
    GstOctFiller *filler, const GstOctInfo *input, GError **error);

/* B-scans of one buffer, from begin() to end(), which follows where begin() was
 * TRUE. */
gboolean gst_oct_filler_begin (
    GstOctFiller *filler, GstBuffer *bscans, GError **error);
/* B-scan `image` of the buffer, `lines` A-lines each, see OctVolumeCsTable. */
gboolean gst_oct_filler_store (GstOctFiller *filler, guint image, guint lines,
    guint bscan, gboolean whole, GError **error);
gboolean gst_oct_filler_end (GstOctFiller *filler, GError **error);

/* See OctVolumeCsTable. */
void gst_oct_filler_clear (GstOctFiller *filler);
gboolean gst_oct_filler_measure (
    GstOctFiller *filler, OctVolumeCsMeasures *measures, GError **error);
gboolean gst_oct_filler_fill (
    GstOctFiller *filler, const OctVolumeCsSettings *settings, GError **error);

/* Takes caps of the output in host memory; returns them in GPU memory if the
 * element downstream of `src` asks for it and the volume is there. */
GstCaps *gst_oct_filler_choose_caps (
    GstOctFiller *filler, GstPad *src, GstCaps *caps);
/* Before the first B-scan, and when its caps change: `src` has them. */
gboolean gst_oct_filler_set_output (
    GstOctFiller *filler, GstPad *src, GstCaps *caps, GError **error);
/* B-scan `bscan` in a new buffer of that output.  Else, with an error or
 * without one (flushing), what it returns. */
GstFlowReturn gst_oct_filler_fetch (
    GstOctFiller *filler, guint bscan, GstBuffer **out, GError **error);

G_END_DECLS
