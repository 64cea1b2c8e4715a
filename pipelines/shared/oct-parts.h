/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The files of a recording, one after the other.  Another part of the program
 * writes the last one.  They are made here, so that nothing is ever overwritten
 * and nobody else can read them, and watched: only files that are there count.
 *
 * Any thread; oct_parts_sync() and oct_parts_free() in one alone.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _OctParts OctParts;

/* `mode`: permissions of the files, whatever the umask. */
OctParts *oct_parts_new (guint mode);
void oct_parts_free (OctParts *parts);

/* Makes the file `path`, empty; it is written from now on, and the one before
 * is finished.  FALSE with a sentence (G_FILE_ERROR_EXIST: the name is
 * taken). */
gboolean oct_parts_begin (OctParts *parts, const char *path, GError **error);

/* Whether the file being written is where it was made; FALSE without any. */
gboolean oct_parts_current_is_there (OctParts *parts);

/* A frame goes to the file being written. */
void oct_parts_add_frame (OctParts *parts);

/* The same of the second track of video. */
void oct_parts_add_second (OctParts *parts);

/* Makes sure that everything written so far survives a loss of power.  Returns
 * errno of a disk that did not take it, 0 when all is well. */
int oct_parts_sync (OctParts *parts);

/* Looks whether all files are where they were made, as long as they were.
 * Returns the files that have gone since the last look, as the beginning of a
 * sentence to be freed, or NULL; sets `current` if the file being written is
 * one of them. */
char *oct_parts_check (OctParts *parts, gboolean *current);

/* After a failure: counts the frames again in the last file that holds frames,
 * and in those begun after it.  Returns NULL, or a sentence to be freed about a
 * file that cannot be read: that one keeps its count. */
char *oct_parts_recount (OctParts *parts);

/* Deletes the last file if nothing was written to it. */
void oct_parts_remove_empty (OctParts *parts);

/* The files that are there. */
typedef struct {
  guint64 bytes;
  guint64 frames;      /* those that went to them */
  guint64 lost_frames; /* those of files that are gone */
  guint64 second;      /* frames of the second track that went to them */
  guint count;         /* files with frames */
  const char *first;   /* path of the first of them, or NULL; belongs to
                          `parts` */
} OctPartsStats;
void oct_parts_get_stats (OctParts *parts, OctPartsStats *stats);

G_END_DECLS
