/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a Zarr store, a folder that is given as a file. */
#include <fcntl.h>
#include <string.h>

#include "oct-file-tree.h"
#include "oct-formats.h"

#define METADATA "zarr.json"

char *
oct_format_find_store (const char *path)
{
  g_autofree char *metadata = g_build_filename (path, METADATA, NULL);

  return g_file_test (metadata, G_FILE_TEST_IS_REGULAR)
             ? g_steal_pointer (&metadata)
             : NULL;
}

void
oct_format_list_zarr (const char *path, GPtrArray *files)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *metadata = oct_format_find_store (path);
  g_autofree char *folder = metadata != NULL ? g_strdup (path)
                            : strcmp (base, METADATA) == 0
                                ? g_path_get_dirname (path)
                                : NULL;
  g_autoptr (GPtrArray) paths =
      folder != NULL ? oct_file_tree_list (AT_FDCWD, folder) : NULL;

  for (guint i = 0; paths != NULL && i < paths->len; i++) {
    g_autofree char *full = g_build_filename (folder, paths->pdata[i], NULL);

    if (strcmp (full, path) != 0)
      g_ptr_array_add (files, g_steal_pointer (&full));
  }
}
