/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstOctScanMeta: which B-scans a buffer holds.  Set by octsrc and octgather,
 * passed on by every element.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstMeta meta;
  guint bscan;    /* index in the volume, 0 .. bscans - 1, of the first one */
  guint bscans;   /* B-scans per volume */
  guint64 volume; /* number of the volume since the start */
  guint count;    /* B-scans in this buffer, of as many volumes as it takes */
} GstOctScanMeta;

#define GST_OCT_SCAN_META_API_TYPE (gst_oct_scan_meta_api_get_type ())
GType gst_oct_scan_meta_api_get_type (void);
const GstMetaInfo *gst_oct_scan_meta_get_info (void);

/* `buffer` must be writable; the meta belongs to it.  count is 1. */
GstOctScanMeta *gst_buffer_add_oct_scan_meta (
    GstBuffer *buffer, guint bscan, guint bscans, guint64 volume);

/* Makes it one of `count` B-scans from number `first` of the buffer on. */
void gst_oct_scan_meta_select (GstOctScanMeta *scan, guint first, guint count);

/* NULL when there is none. */
GstOctScanMeta *gst_buffer_get_oct_scan_meta (GstBuffer *buffer);

G_END_DECLS
