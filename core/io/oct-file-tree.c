/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-file-tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  OctFileTreeVisit visit;
  gpointer data;
  guint deep, names;
} Walk;

static int walk_folder (Walk *walk, int folder, const char *path);

static int
walk_entry (Walk *walk, int folder, const char *base, const char *below)
{
  g_autofree char *path =
      *below != '\0' ? g_build_filename (below, base, NULL) : g_strdup (base);
  struct stat status;
  int inner, code = 0;

  if (walk->names++ >= OCT_FILE_TREE_MOST)
    return E2BIG;
  if (fstatat (folder, base, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? 0 : errno;
  if (S_ISDIR (status.st_mode)) {
    inner =
        openat (folder, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
      return errno;
    if (walk->deep++ >= OCT_FILE_TREE_DEEPEST) {
      close (inner);
      return E2BIG;
    }
    code = walk_folder (walk, inner, path);
    walk->deep--;
  }
  return code != 0 ? code
                   : walk->visit (folder, base, path, S_ISDIR (status.st_mode),
                       walk->data);
}

/* Takes the descriptor. */
static int
walk_folder (Walk *walk, int folder, const char *path)
{
  DIR *entries = fdopendir (folder);
  const struct dirent *entry;
  int code = 0;

  if (entries == NULL) {
    code = errno;
    close (folder);
    return code;
  }
  errno = 0;
  while (code == 0 && (entry = readdir (entries)) != NULL) {
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      code = walk_entry (walk, folder, entry->d_name, path);
    errno = 0;
  }
  if (code == 0)
    code = errno;
  closedir (entries);
  return code;
}

int
oct_file_tree_walk (
    int at, const char *name, OctFileTreeVisit visit, gpointer data)
{
  Walk walk = { visit, data, 0, 0 };
  int folder =
      openat (at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  return folder < 0 ? errno : walk_folder (&walk, folder, "");
}

/* ------------------------------------------------------------------ measure */

typedef struct {
  guint64 bytes;
  gint64 changed;
} Measure;

static int
measure_entry (int folder, const char *base, const char *path,
    gboolean is_folder, gpointer data)
{
  Measure *measure = data;
  struct stat status;

  if (is_folder || fstatat (folder, base, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return 0;
  if (S_ISREG (status.st_mode))
    measure->bytes += (guint64)status.st_size;
  measure->changed =
      MAX (measure->changed, (gint64)status.st_mtim.tv_sec * G_USEC_PER_SEC
                                 + status.st_mtim.tv_nsec / 1000);
  return 0;
}

int
oct_file_tree_measure (
    int at, const char *name, guint64 *bytes, gint64 *changed)
{
  Measure measure = { 0, 0 };
  int code = oct_file_tree_walk (at, name, measure_entry, &measure);

  *bytes = measure.bytes;
  *changed = measure.changed;
  return code;
}

/* ------------------------------------------------------------------- remove */

static int
remove_entry (int folder, const char *base, const char *path,
    gboolean is_folder, gpointer data)
{
  return unlinkat (folder, base, is_folder ? AT_REMOVEDIR : 0) == 0 ? 0 : errno;
}

int
oct_file_tree_remove (int at, const char *name)
{
  int code = oct_file_tree_walk (at, name, remove_entry, NULL);

  return code != 0 ? code : unlinkat (at, name, AT_REMOVEDIR) == 0 ? 0 : errno;
}

/* --------------------------------------------------------------------- list */

static int
list_entry (int folder, const char *base, const char *path, gboolean is_folder,
    gpointer data)
{
  if (!is_folder)
    g_ptr_array_add (data, g_strdup (path));
  return 0;
}

static int
tree_compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

GPtrArray *
oct_file_tree_list (int at, const char *name)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  int code = oct_file_tree_walk (at, name, list_entry, paths);

  if (code == 0) {
    g_ptr_array_sort (paths, tree_compare_paths);
    return paths;
  }
  g_ptr_array_unref (paths);
  errno = code;
  return NULL;
}
