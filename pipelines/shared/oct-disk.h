/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Checks of a disk for a recording: room, and new files.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes that this user can still write on the disk of `folder`; if that cannot
 * be found out, G_MAXINT64, as writing itself fails when there is no room. */
guint64 oct_disk_left (const char *folder);

/* FALSE with a sentence when fewer than `bytes` are left. */
gboolean oct_disk_check_room (
    const char *folder, guint64 bytes, GError **error);

/* FALSE with a sentence when `path` exists or its folder cannot be written
 * to. */
gboolean oct_disk_check_new_file (const char *path, GError **error);

/* As above, and makes the file, empty, with the permissions `mode`,
 * whatever the umask: from now on the name is taken, even while no frame has
 * come yet.  Returns its descriptor, -1 with a sentence. */
int oct_disk_take_new_file (const char *path, guint mode, GError **error);

/* Makes a folder, with those above it, for files of the permissions `mode`:
 * everybody who can read those can enter.  Nothing happens if it is there;
 * errors show when it is used. */
void oct_disk_make_folder (const char *folder, guint mode);

/* FALSE with a sentence when there is a file OUTPUT-NNNNN of any number and
 * this suffix (".mkv"): left by a recording whose first part is gone, it would
 * be written over or be taken for a part of the new one. */
gboolean oct_disk_check_new_parts (
    const char *output, const char *suffix, GError **error);

/* Bytes that a recording needs on the disk with `folder` to finish its files, 0
 * when it has ended.  The sum over all recordings of this program counts, each
 * an `owner`. */
void oct_disk_set_reserve (gpointer owner, const char *folder, guint64 bytes);
guint64 oct_disk_get_reserve (const char *folder);

G_END_DECLS
