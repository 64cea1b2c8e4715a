/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Repeated B-scans: which of them are of one place, and what becomes of caps
 * and times when several B-scans become one.
 */
#pragma once

#include "gstoctscanmeta.h"

G_BEGIN_DECLS

/* Caps of A-scans or images `to` on the other side of an element that makes one
 * B-scan of `bscans`; `to` begins as those on this side.  0: of as many as
 * there are at each place. */
void gst_oct_repeats_divide (
    GstStructure *to, GstPadDirection direction, guint bscans);

/* The place of the last B-scan. */
typedef struct {
  gboolean is_known;
  guint64 volume;
  guint place;
} GstOctRepeats;

/* The next buffer.  `repeats`: B-scans at each place.  Returns: whether its
 * first B-scan is of another place than the last one.  Buffers that do not say
 * where they belong never are, nor are volumes of one B-scan. */
gboolean gst_oct_repeats_take (
    GstOctRepeats *last, GstBuffer *buffer, guint repeats);

/* For `buffer`, with times and position of the last B-scan of a block of
 * `bscans`, that which is made of the block: from `begin`, the time of the
 * first one, to the end of the last. */
void gst_oct_repeats_stamp (
    GstBuffer *buffer, GstClockTime begin, guint bscans);

G_END_DECLS
