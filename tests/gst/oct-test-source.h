/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A source at work: its buffers in order, its last segment, its messages.  No
 * time passes but that of the harness's test clock.
 */
#pragma once

#include "oct-test.h"

typedef struct {
  GstHarness *harness;
  GstElement *src; /* the element with name=src */
  GstBus *bus;
  GPtrArray *buffers;

  /* from the streaming thread, under the lock */
  GMutex lock;
  gboolean eos;
  GstSegment segment;
  GArray *running_times; /* guint64, of every buffer */
} Source;

Source *source_new (const char *format, ...) G_GNUC_PRINTF (1, 2);
void source_free (Source *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Source, source_free)

void source_play (Source *s);
/* To NULL; forgets the buffers. */
void source_stop (Source *s);
void source_forget (Source *s);

/* Waits for the end of the stream and takes all buffers before it. */
void source_collect (Source *s);
/* Takes the next buffer. */
GstBuffer *source_next (Source *s);
/* Sends the event upstream and forgets the buffers. */
gboolean source_seek (Source *s, GstEvent *seek);

guint source_count (Source *s);
GstBuffer *source_get (Source *s, guint i);
void source_get_segment (Source *s, GstSegment *segment);

/* The current caps are within these. */
void source_check_caps (Source *s, const char *caps);
/* The buffers are the B-scans first .. first + count - 1 at that rate, and the
 * first alone is flagged. */
void source_check_run (
    Source *s, guint64 first, guint count, gint fps_n, gint fps_d);
void source_check_stamps (GstBuffer *buffer, guint64 n, gint fps_n, gint fps_d);
void source_check_scan (
    Source *s, guint i, guint bscan, guint bscans, guint64 volume);

/* A file of 8 B-scans of 2 lines of 8 samples, 3 a volume; every value is the
 * number of its B-scan.  `more` are further properties. */
Source *source_numbered (const char *more);
/* The buffers are B-scans start .. start + count - 1 of its passes. */
void source_check_numbers (Source *s, guint start, guint count);

/* Buffers of both have the same bytes and times. */
void source_check_same (Source *a, Source *b);

/* There is one warning, which has both words. */
void source_check_warning (GstBus *bus, const char *word, const char *another);

/* Runs a launch line to the end of its stream. */
void oct_test_run_to_end (const char *launch);

/* Records what `source` delivers by octrawsink with these properties; the path
 * of the recording without ending, g_free() it. */
char *oct_test_record (
    const char *name, const char *source, const char *properties);
