/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which B-scans a buffer holds.  It is a GstCustomMeta, so that programs in any
 * language read it without a header; oct/oct.h names its fields.  Set by octsrc
 * and by programs, passed on by every element.
 *
 * The caps say how far apart its A-lines and B-scans are, if that is known:
 * x-spacing and y-spacing in metres, next to z-spacing of A-scans and images;
 * octvolume and octmeter read them.
 */
#pragma once

#include "oct/oct.h"

G_BEGIN_DECLS

/* B-scans of a volume: readers have a byte for each. */
#define GST_OCT_SCAN_MOST_BSCANS (1 << 24)

/* The contents of the meta. */
typedef struct {
  guint bscan;    /* index in the volume, 0 .. bscans - 1, of the first one */
  guint bscans;   /* B-scans per volume, 1 .. GST_OCT_SCAN_MOST_BSCANS */
  guint64 volume; /* number of the volume since the start */
  guint count;    /* B-scans in this buffer, of as many volumes as it takes */
  gboolean has_place; /* the meta says `place` and `repeat` of the first one */
  guint place;        /* else 0: gst_oct_scan_position_get_place() divides */
  guint repeat;
} GstOctScanPosition;

/* Makes the name known to GStreamer; when the plugin is loaded. */
void gst_oct_scan_meta_register (void);

/* `buffer` must be writable.  Other fields of a meta that is there stay; place
 * and repeat go if `position` has none. */
void gst_oct_scan_meta_set (
    GstBuffer *buffer, const GstOctScanPosition *position);

/* Says which A-lines are lost, valid[count] as oct/oct.h has it, in the meta of
 * `buffer`, which must be writable and have one. */
void gst_oct_scan_meta_set_valid (
    GstBuffer *buffer, const guint8 *valid, guint count);

/* FALSE: the meta does not say it, or of another number of A-lines than
 * `count`: all are there. */
gboolean gst_oct_scan_meta_get_valid (
    GstBuffer *buffer, guint8 *valid, guint count);

/* How many of the `count` A-lines of `buffer` are lost. */
guint gst_oct_scan_meta_count_lost (GstBuffer *buffer, guint count);

/* `buffer`, which must be writable, holds B-scan `image` of the `images` that
 * its meta says it of. */
void gst_oct_scan_meta_select_valid (
    GstBuffer *buffer, guint image, guint images);

/* Whether it says that A-lines are lost. */
gboolean gst_oct_scan_meta_has_valid (GstBuffer *buffer);

/* Says in the meta of `buffer`, which must be writable and have one, that its
 * volume is one of those that come before the scan of it has ended. */
void gst_oct_scan_meta_set_unfinished (GstBuffer *buffer);
gboolean gst_oct_scan_meta_is_unfinished (GstBuffer *buffer);

/* Gives `buffer`, which must be writable and have none, one like `meta`. */
gboolean gst_oct_scan_meta_copy (GstBuffer *buffer, GstCustomMeta *meta);

/* FALSE when there is none, or one that says no position. */
gboolean gst_oct_scan_meta_get (
    GstBuffer *buffer, GstOctScanPosition *position);

/* Place in the volume of B-scan number `image` of the buffer, and which one of
 * the `repeats` (1 or more) at that place it is. */
void gst_oct_scan_position_get_place (const GstOctScanPosition *position,
    guint image, guint repeats, guint *place, guint *repeat);

/* Number of the first B-scan in its volume, if the repeats of each place follow
 * each other: `bscan`, unless place and repeat say another one. */
guint gst_oct_scan_position_get_index (
    const GstOctScanPosition *position, guint repeats);

/* Makes it that of `count` B-scans from number `first` of the buffer on. */
void gst_oct_scan_position_select (
    GstOctScanPosition *position, guint first, guint count, guint repeats);

G_END_DECLS
