/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * What a recording needs to know of a disk: room, new files, and that what was
 * written is really there.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes that this user can still write where `folder` is; where that cannot be
 * found out, G_MAXINT64, as writing itself tells when there is no room. */
guint64 oct_disk_left (const char *folder);

/* FALSE with a sentence when fewer than `bytes` are left. */
gboolean oct_disk_check_room (
    const char *folder, guint64 bytes, GError **error);

/* FALSE with a sentence when `path` exists or its folder cannot be written
 * to. */
gboolean oct_disk_check_new_file (const char *path, GError **error);

/* As above, and makes the file, empty: whoever comes a moment later finds the
 * name taken, even while no frame has come yet. */
gboolean oct_disk_take_new_file (const char *path, GError **error);

/* FALSE with a sentence when there is a file OUTPUT-NNNNN of any number and
 * this suffix (".mkv"): left by a recording whose first part is gone, it would
 * be written over or be taken for a part of the new one. */
gboolean oct_disk_check_new_parts (
    const char *output, const char *suffix, GError **error);

/* The files of a recording, of which the last one is being written. */
typedef struct _OctFiles OctFiles;

OctFiles *oct_files_new (void);
void oct_files_free (OctFiles *files);
void oct_files_add (OctFiles *files, const char *path);

/* Makes sure that what was written so far survives a loss of power. */
void oct_files_sync (OctFiles *files);

/* Deletes the current file where nothing was written to it. */
void oct_files_remove_empty (OctFiles *files);

/* Bytes in all files; `count` files exist. */
guint64 oct_files_get_size (OctFiles *files, guint *count);

G_END_DECLS
