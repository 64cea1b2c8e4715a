/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * GstOctScanMeta: where a B-scan lies in its volume.  Set by octsrc, passed on
 * by every element.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstMeta meta;
  guint bscan;    /* index in the volume, 0 .. bscans - 1 */
  guint bscans;   /* B-scans per volume */
  guint64 volume; /* number of the volume since the start */
} GstOctScanMeta;

#define GST_OCT_SCAN_META_API_TYPE (gst_oct_scan_meta_api_get_type ())
GType gst_oct_scan_meta_api_get_type (void);
const GstMetaInfo *gst_oct_scan_meta_get_info (void);

/* `buffer` must be writable; the meta belongs to it. */
GstOctScanMeta *gst_buffer_add_oct_scan_meta (
    GstBuffer *buffer, guint bscan, guint bscans, guint64 volume);

/* NULL when there is none. */
GstOctScanMeta *gst_buffer_get_oct_scan_meta (GstBuffer *buffer);

G_END_DECLS
