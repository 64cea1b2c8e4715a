/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Writes buffers that were kept to a file of their own: raw spectra as
 * octrawsink does, encoded video as Matroska.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GPtrArray *buffers; /* GstBuffer of a ring; owned.  They are freed as they are
                         written */
  GPtrArray *events; /* GstEvent that they need: the caps, then others; owned */
  GPtrArray *last_events; /* GstEvent after the last of them; owned */
  gboolean is_raw;        /* spectra */
  char *path;             /* without the ending; owned */
  guint file_mode;        /* permissions */
  guint count;            /* of buffers */
  guint64 bytes;          /* in them */
  GstClockTime duration;  /* from the first to the end of the last */
  GDateTime *kept_at;     /* when it was asked for; owned */
  char *comment;          /* for the text beside it, or NULL; owned */
} GstOctKeepJob;

/* Takes the buffers, at least one.  The caller sets the other members. */
GstOctKeepJob *gst_oct_keep_job_new (GPtrArray *buffers);
void gst_oct_keep_job_free (GstOctKeepJob *job);

/* Writes all of it; blocks until the file is on the disk under its name.
 * Nothing that is there is replaced.  `location`: the name of the file, to be
 * freed, also with an error.  Returns: the buffers in the file; with an error
 * (OCT_ERROR) of a recording of spectra those before it, of video 0, and no
 * file is left. */
guint gst_oct_keep_job_write (
    GstOctKeepJob *job, char **location, GError **error);

/* After that: a text beside the file, PATH.txt, that says when it was kept, how
 * many of `images` it has, and the comment.  FALSE with an error of one
 * sentence. */
gboolean gst_oct_keep_job_write_text (
    const GstOctKeepJob *job, guint images, GError **error);

G_END_DECLS
