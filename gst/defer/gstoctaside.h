/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Lines of a B-scan for a thread apart from the pipeline, which measures them
 * while the B-scan goes on.
 *
 * The streaming thread only copies lines that are on the host, or keeps their
 * source.  The thread that wants the values does pending steps and downloads
 * GPU memory.  The pipeline does not wait for that, nor does it stop if that
 * fails.
 *
 * Thread-safety: one thread at a time; any thread may free it.
 */
#pragma once

#include "gstoctcaps.h"

G_BEGIN_DECLS

typedef struct _GstOctAside GstOctAside;

/* Which lines: first, first + step, ..., `count` of them. */
typedef struct {
  guint first, step, count;
} GstOctLines;

/* At most `most` lines of `rows`, one after the other from the middle. */
GstOctLines gst_oct_lines_together (guint rows, guint most);
/* Spread over all of them. */
GstOctLines gst_oct_lines_spread (guint rows, guint most);

/* Which B-scan the first one is. */
typedef struct {
  guint64 number;
  guint volume; /* numbers start again after so many; 0: they go on */
} GstOctBscanNumber;

/* In the streaming thread.  `info`: of the buffer; `on_gpu`: as its caps say.
 * NULL with an error. */
GstOctAside *gst_oct_aside_new (GstBuffer *buffer, const GstOctInfo *info,
    gboolean on_gpu, GstOctLines lines, GError **error);
/* In any thread. */
void gst_oct_aside_free (GstOctAside *aside);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstOctAside, gst_oct_aside_free)

/* In the other thread, once: values[count][columns] as in the caps, tightly
 * packed, valid as long as `aside`.  NULL with an error. */
gconstpointer gst_oct_aside_read (GstOctAside *aside, GError **error);
guint gst_oct_aside_get_lines (const GstOctAside *aside);
/* Which A-line of its B-scan the line `i` of them is, from 0 on. */
guint gst_oct_aside_get_place (const GstOctAside *aside, guint i);
const GstOctInfo *gst_oct_aside_get_info (const GstOctAside *aside);

/* Which B-scan its first one is, as was set; 0 at first. */
void gst_oct_aside_set_number (
    GstOctAside *aside, const GstOctBscanNumber *number);
const GstOctBscanNumber *gst_oct_aside_get_number (const GstOctAside *aside);

G_END_DECLS
