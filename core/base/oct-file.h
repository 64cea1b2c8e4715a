/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Regular files with 64-bit offsets and messages for a user.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

/* "What 'path'", in UTF-8 whatever bytes the path has; g_free() it. */
char *oct_file_describe (const char *what, const char *path);

/* Opens a regular file for reading and stores its size.  `what` begins the
 * messages ("File", "Calibration file").  Returns the descriptor, to be closed
 * with close(), or -1 with OCT_ERROR_NOT_FOUND or OCT_ERROR_READ (folder, pipe,
 * device, no permission).  Never blocks on a pipe. */
int oct_file_open (
    const char *what, const char *path, guint64 *size, GError **error);

/* Reads `size` bytes at `offset`, over interruptions and short reads.  Returns
 * the number of bytes read, less than `size` at the end of the file only, or
 * -1 with errno set. */
gssize oct_file_read (int fd, guint64 offset, gpointer dest, gsize size);

/* Appends the names in a folder to `names`, sorted, without "." and "..".
 * FALSE with OCT_ERROR_NOT_FOUND or OCT_ERROR_READ; then some names may
 * lack. */
gboolean oct_file_list_folder (
    const char *path, GPtrArray *names, GError **error);

/* All of a text, of *size bytes (`size` may be NULL) followed by a 0; g_free()
 * it.  NULL with an error: OCT_ERROR_NOT_FOUND, _READ, or _FORMAT if there are
 * more than `most`; `expected` names the expected content in the sentence. */
char *oct_file_read_text (const char *what, const char *path, guint64 most,
    const char *expected, gsize *size, GError **error);

/* Writes text[size] to a file, which is there as a whole or as it was before.
 * FALSE with OCT_ERROR_WRITE or _DISK_FULL. */
gboolean oct_file_write_text (const char *what, const char *path,
    const char *text, gsize size, GError **error);

/* The content of a file: read once, by the first caller, and kept with its
 * error if there is one.  Counted; for any threads. */
typedef struct _OctFileContent OctFileContent;

/* Reads and parses a file; NULL with an error. */
typedef gpointer (*OctFileRead) (const char *path, GError **error);

/* Nothing is read yet.  `path` is copied; the result of `read` is freed with
 * `free_content`. */
OctFileContent *oct_file_content_new (
    const char *path, OctFileRead read, GDestroyNotify free_content);
OctFileContent *oct_file_content_ref (OctFileContent *content);
void oct_file_content_unref (OctFileContent *content);

/* Returns the result of `read`, owned by `content`, or NULL with a copy of its
 * error.  The first call reads, which may take long, and others wait for it: do
 * not call where waiting is forbidden, such as with the lock of an element
 * held. */
gconstpointer oct_file_content_get (OctFileContent *content, GError **error);

/* The same as far as it has been read: never reads, never waits.  NULL: not
 * yet, or nothing. */
gconstpointer oct_file_content_peek (OctFileContent *content);

G_END_DECLS
