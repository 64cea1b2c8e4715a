/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Which B-scans may go into one buffer: elements downstream count from the time,
 * number and place of the first one on, so each has to follow the one before.
 *
 * Thread-safety: functions of their arguments.
 */
#pragma once

#include "gstoctcaps.h"

G_BEGIN_DECLS

/* Buffers that come. */
typedef struct {
  GstOctInfo info;
  guint group;        /* so many go into one at most */
  gint fps_n, fps_d;  /* fps_n 0: not known */
  gboolean in_volume; /* none goes beyond a volume that `group` divides */
} GstOctGathered;

/* The next one. */
typedef struct {
  GstClockTime end;    /* of the last one */
  GstClockTime jitter; /* from there on it does not follow */
  guint64 next;        /* its number */
} GstOctExpected;

/* Nothing is known. */
void gst_oct_expected_clear (GstOctExpected *expected);

/* The one after `last`. */
GstOctExpected gst_oct_expected_after (
    const GstOctGathered *gathered, GstBuffer *last);

/* Whether `buffer` follows `count` buffers, the first of which has the metadata
 * of `first`. */
gboolean gst_oct_gathered_follows (const GstOctGathered *gathered,
    const GstOctExpected *expected, GstBuffer *first, guint count,
    GstBuffer *buffer);

/* Sets the metadata of the whole, which has those of its first buffer, that are
 * known once the last of `count` is there. */
void gst_oct_gathered_stamp (const GstOctGathered *gathered,
    const GstOctExpected *expected, guint count, GstBuffer *whole);

G_END_DECLS
