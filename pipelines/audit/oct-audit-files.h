/* SPDX-License-Identifier: LGPL-2.1-or-later */
/** The files of a recording, as they are on the disk now. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct {
  char *name, *path;
  guint64 bytes;
  char *sum; /* SHA-256; NULL: `problem` says why */
  char *problem;
  gboolean is_video;
  guint64 frames; /* of a video, which a player finds in it */
} OctAuditFile;

/* The files in `folder` whose names are NAME and an ending, "NAME.mkv" or
 * "NAME-00000.mkv", by their names; links are left out.  `names`: of all
 * recordings, whose files are not those of a shorter name.  Reads all of them to
 * their ends.  OctAuditFile; g_ptr_array_unref() it.  NULL with a sentence: the
 * folder cannot be read. */
GPtrArray *oct_audit_files_find (
    const char *folder, const char *name, GPtrArray *names, GError **error);

/* A picture of a video, at this part of its length (0 to 1), as a data URI (JPEG);
 * NULL: it is not a video, or lacks a decoder.  g_free() it. */
char *oct_audit_files_picture (const char *path, double part);

/* A text file of at most `most` bytes; NULL: it cannot be read, is larger or not
 * UTF-8. */
char *oct_audit_files_read (const OctAuditFile *file, guint64 most);

G_END_DECLS
