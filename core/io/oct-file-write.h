/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The end of every file that a user keeps: nothing counts as written before the
 * disk has said so.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

/* Writes all of data[size], over interruptions and short writes.  Returns:
 * errno, 0 when everything was written. */
int oct_file_write_all (int fd, gconstpointer data, guint64 size);

/* Flushes a file to the disk.  Some file systems cannot do that, which does not
 * count as an error.  Returns: errno, 0 when all is well. */
int oct_file_sync (int fd);

/* The same for the names in the folder of `path`, as far as the file system
 * can. */
void oct_file_sync_folder (const char *path);

/* Ends a file: checks that it has at least `least` bytes, brings it to the disk
 * by the descriptor that it was written with, which receives every error, and
 * closes that, whatever fails.  Returns: errno of the first failure, 0: the
 * file is whole and on the disk. */
int oct_file_end (int fd, guint64 least);

/* Ends a file as above and gives it the name `path` in place of `part`; a file
 * that has the name is replaced.  If anything fails, `part` is removed.
 * Returns: errno, 0. */
int oct_file_end_as (int fd, guint64 least, const char *part, const char *path);

/* The same, but nothing is ever replaced: EEXIST. */
int oct_file_end_as_new (
    int fd, guint64 least, const char *part, const char *path);

/* Gives `part`, a file or a folder that is on the disk, the name `path`; nothing
 * is replaced.  Returns: errno, 0. */
int oct_file_give_new_name (const char *part, const char *path);

/* G_FILE_ERROR with a sentence: "'path' cannot be written: ...". */
void oct_file_set_write_error (GError **error, const char *path, int code);

/* Makes data[size] the file `path`, which is there as a whole or as it was
 * before.  `mode`: its permissions, whatever the umask, or -1: 0666 without
 * those of the umask.  Returns: errno, 0. */
int oct_file_replace (
    const char *path, gconstpointer data, gsize size, int mode);

G_END_DECLS
