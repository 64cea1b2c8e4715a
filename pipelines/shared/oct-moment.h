/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The last seconds of video or spectra, held by octkeep in a pipeline of its
 * own, and written when somebody asks: nothing in it can hold up or stop the
 * stream that they come from, or a recording of it.  One thread, unless a
 * function says otherwise.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The unit of --keep-memory, in bytes. */
#define OCT_MOMENT_MEGABYTE ((guint64)1000000)

typedef enum {
  OCT_MOMENT_H264,    /* access units, byte stream: oct_moment_push() */
  OCT_MOMENT_IMAGES,  /* of a pad, in system memory; encoded here */
  OCT_MOMENT_SPECTRA, /* of a pad, in system memory, as they are */
} OctMomentKind;

typedef struct {
  OctMomentKind kind;
  const char *location; /* path of the files, before date and ending */
  guint file_mode;      /* permissions of the files */
  guint seconds;
  guint64 memory; /* most bytes, 0 = as octkeep has it */
  guint bitrate;  /* of images in kbit/s, 0 = 8000 */
} OctMomentSettings;

typedef struct _OctMoment OctMoment;

/* Checks --keep-seconds (`has_folder`: there is a place for the files) and
 * --keep-memory in MB, which files that are written may take once more.  FALSE
 * with a sentence. */
gboolean oct_moment_check_options (
    gint seconds, gint memory, gboolean has_folder, GError **error);

/* NULL with an error of one sentence: an element or an encoder is missing. */
OctMoment *oct_moment_new (const OctMomentSettings *settings, GError **error);

/* Holds what passes the source pad `pad` from its next buffer on, in place of
 * the pad before; what was held of that stays until then.  `calibration`: a
 * source pad that knows the calibration of spectra, or NULL. */
void oct_moment_watch (OctMoment *moment, GstPad *pad, GstPad *calibration);

/* Any thread, waits for nothing; the PTS is in running time. */
void oct_moment_push (OctMoment *moment, GstBuffer *buffer, GstCaps *caps);

/* Begins to write a file; `comment`: a line for the text beside it, or NULL.
 * FALSE: there is none, and the next result says why. */
gboolean oct_moment_keep (OctMoment *moment, const char *comment);

/* The next result, one sentence, to be freed: that a file is on the disk, or
 * why it is not (`failed`).  NULL: none.  To be called every second or so. */
char *oct_moment_take_result (OctMoment *moment, gboolean *failed);

/* Holds nothing more, and waits for the files under way, however long that
 * takes.  Their results can be taken then. */
void oct_moment_end (OctMoment *moment);
void oct_moment_free (OctMoment *moment);

G_END_DECLS
