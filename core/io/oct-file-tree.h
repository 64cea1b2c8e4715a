/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Folders that count as one file, such as Zarr stores: looked at, measured and
 * removed as a whole.  No link in them is followed.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

/* Folders within folders, and names in all: none of our stores has more. */
#define OCT_FILE_TREE_DEEPEST 16
#define OCT_FILE_TREE_MOST 4000000

/* Calls `visit` for everything in the folder `name` of the folder `at`
 * (AT_FDCWD: a path), folders after their contents; `path` is relative to
 * `name`, and `folder` the descriptor of the folder it is in, as `base`.  Stops
 * where `visit` returns an errno.  Returns: that, or why a folder cannot be
 * read (ELOOP: a link, E2BIG: too deep or too much), 0. */
typedef int (*OctFileTreeVisit) (int folder, const char *base, const char *path,
    gboolean is_folder, gpointer data);
int oct_file_tree_walk (
    int at, const char *name, OctFileTreeVisit visit, gpointer data);

/* Bytes of all files in it, and the latest change of any of them, us since
 * 1970.  Links and other things besides files have no bytes.  Returns:
 * errno, 0. */
int oct_file_tree_measure (
    int at, const char *name, guint64 *bytes, gint64 *changed);

/* Removes it with all that is in it.  Returns: errno, 0. */
int oct_file_tree_remove (int at, const char *name);

/* Paths of all that is in it besides folders, relative to it and sorted;
 * g_ptr_array_unref() it.  NULL with errno. */
GPtrArray *oct_file_tree_list (int at, const char *name);

G_END_DECLS
