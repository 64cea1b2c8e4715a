/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The B-scan that octdaqsrc puts together from A-lines, in a buffer for
 * downstream.
 */
#pragma once

#include "gstoctdaqplace.h"
#include "gstoctdaqring.h"
#include "gstoctframe.h"

G_BEGIN_DECLS

/* Zeros at first. */
typedef struct {
  GstBuffer *buffer; /* NULL: there is none */
  GstOctMappedFrame mapped;
  guint64 number; /* of the B-scan */
  guint rows;     /* from the first one on, that are done */
  guint lines;    /* of them, that have come, */
  guint8 *valid;  /* [rows of the B-scan] 1: this one */
} GstOctDaqBscan;

/* Begins with memory for it, which is taken.  Errors: of gst_oct_frame_map(). */
gboolean gst_oct_daq_bscan_begin (GstOctDaqBscan *bscan, guint64 number,
    const GstOctInfo *info, GstBuffer *buffer, GError **error);

/* Copies a run of this B-scan, after rows that are done; rows between are
 * zeros. FALSE: it was overwritten meanwhile, and its rows are zeros. */
gboolean gst_oct_daq_bscan_add (GstOctDaqBscan *bscan, const GstOctInfo *info,
    const GstOctDaqRing *ring, const GstOctDaqRun *run);

/* Its buffer; the rows that are left are zeros. */
GstBuffer *gst_oct_daq_bscan_end (
    GstOctDaqBscan *bscan, const GstOctInfo *info);

void gst_oct_daq_bscan_clear (GstOctDaqBscan *bscan);

G_END_DECLS
