/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files in the output folder, by names that may come from anywhere: no link is
 * followed on the way to them, so that they are in that folder.  A Zarr store
 * counts as one file: its bytes are those of all its files, its time is that of
 * the newest of them.
 */
#include "oct-convert-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oct-file-tree.h"
#include "oct-file-write.h"

/* File systems keep times by up to two seconds, some only after a while. */
#define SAME_TIME (2 * G_USEC_PER_SEC)

gboolean
oct_convert_place_is_inside (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, G_DIR_SEPARATOR_S, -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] == '\0' || g_str_equal (parts[i], ".")
        || g_str_equal (parts[i], ".."))
      return FALSE;
  return parts[0] != NULL;
}

/* A descriptor of the folder that the file `name` is in; folders that are not
 * there are made if `make`.  `base`: the name in it.  -1 with errno. */
static int
open_folder (
    const char *folder, const char *name, gboolean make, const char **base)
{
  g_auto (GStrv) parts = g_strsplit (name, G_DIR_SEPARATOR_S, -1);
  int at = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const char *slash = strrchr (name, G_DIR_SEPARATOR);

  *base = slash != NULL ? slash + 1 : name;
  for (guint i = 0; at >= 0 && parts[i] != NULL && parts[i + 1] != NULL; i++) {
    int next, code;

    /* the umask restricts access */
    if (make)
      (void)mkdirat (at, parts[i], 0777);
    next =
        openat (at, parts[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    code = errno;
    close (at);
    errno = code;
    at = next;
  }
  return at;
}

static void
take_status (const struct stat *status, OctConvertFile *file)
{
  file->size = (guint64)status->st_size;
  file->changed = (gint64)status->st_mtim.tv_sec * G_USEC_PER_SEC
                  + status->st_mtim.tv_nsec / 1000;
}

/* By its name, which octvolumesink gives to folders alone: no other folder in
 * the way is a volume. */
static gboolean
place_is_store (const char *name)
{
  return g_str_has_suffix (name, ".zarr");
}

gboolean
oct_convert_place_look (
    const char *folder, const char *name, OctConvertFile *file)
{
  struct stat status;
  const char *base;
  int at = open_folder (folder, name, FALSE, &base);
  gboolean found =
      at >= 0 && fstatat (at, base, &status, AT_SYMLINK_NOFOLLOW) == 0;

  *file = (OctConvertFile){ 0, -1 };
  if (found && S_ISREG (status.st_mode))
    take_status (&status, file);
  else if (found && S_ISDIR (status.st_mode) && place_is_store (base)
           && oct_file_tree_measure (at, base, &file->size, &file->changed)
                  != 0)
    *file = (OctConvertFile){ 0, -1 };
  if (at >= 0)
    close (at);
  return found;
}

gint64
oct_convert_place_compare (const OctConvertFile *a, const OctConvertFile *b)
{
  gint64 apart = a->changed >= 0 && b->changed >= 0
                     ? ABS (a->changed - b->changed)
                     : G_MAXINT64;

  return a->size == b->size && apart <= SAME_TIME ? apart : -1;
}

static void
set_place_error (GError **error, const char *folder, const char *name, int code)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (code == ELOOP || code == ENOTDIR)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY,
        "'%s' cannot be written: a folder on the way to it is a link or a "
        "file, and volumes stay in the folder of --output; put a folder in its "
        "place.",
        path);
  else if (code == EEXIST)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
        "'%s' is there already, another program has just made it.", path);
  else
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code),
        "'%s' cannot be written: %s.", path, g_strerror (code));
}

/* By a link, which never replaces anything, if the file system has links. */
static int
move_new (const char *from, int at, const char *base)
{
  struct stat status;

  if (linkat (AT_FDCWD, from, at, base, 0) == 0) {
    (void)unlink (from);
    return 0;
  }
  if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS)
    return errno;
  if (fstatat (at, base, &status, AT_SYMLINK_NOFOLLOW) == 0)
    return EEXIST;
  return renameat (AT_FDCWD, from, at, base) == 0 ? 0 : errno;
}

/* A store leaves its place at once, into a folder of its own in the work folder
 * with which it goes: a program that is killed leaves no half of one.  `moved`:
 * its path then. */
static int
move_away (int at, const char *base, const char *work, char **moved)
{
  g_autofree char *folder = g_build_filename (work, "old-XXXXXX", NULL);

  *moved = NULL;
  if (g_mkdtemp (folder) == NULL)
    return errno;
  *moved = g_build_filename (folder, base, NULL);
  return renameat (at, base, AT_FDCWD, *moved) == 0 ? 0 : errno;
}

/* A folder cannot replace one that has files: they change places, and what was
 * there goes with the work folder.  Some file systems cannot do that. */
static int
replace (const char *from, int at, const char *base)
{
  g_autofree char *work = g_path_get_dirname (from);
  g_autofree char *moved = NULL;
  int code;

  if (!place_is_store (base))
    return renameat (AT_FDCWD, from, at, base) == 0 ? 0 : errno;
  if (renameat2 (AT_FDCWD, from, at, base, RENAME_EXCHANGE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
    return errno;
  code = move_away (at, base, work, &moved);
  if (code == 0 && renameat (AT_FDCWD, from, at, base) != 0) {
    code = errno;
    (void)renameat (AT_FDCWD, moved, at, base);
  }
  return code;
}

gboolean
oct_convert_place_put (const char *folder, const char *name, const char *from,
    gboolean is_there, GError **error)
{
  const char *base;
  int at = open_folder (folder, name, TRUE, &base);
  int code = 0;

  if (at < 0)
    code = errno;
  else
    code = is_there ? replace (from, at, base) : move_new (from, at, base);
  if (code == 0)
    code = oct_file_sync (at);
  if (at >= 0)
    close (at);
  if (code != 0)
    set_place_error (error, folder, name, code);
  return code == 0;
}

void
oct_convert_place_remove (
    const char *folder, const char *name, const char *work)
{
  g_autofree char *moved = NULL;
  const char *base;
  int at = open_folder (folder, name, FALSE, &base);

  if (at < 0)
    return;
  if (unlinkat (at, base, 0) != 0 && place_is_store (base)
      && move_away (at, base, work, &moved) != 0)
    (void)oct_file_tree_remove (at, base);
  close (at);
}

/* The SHA-256 of one file.  Returns: errno, 0. */
static int
sum_file (int at, const char *base, char **sum)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *block = g_malloc (1 << 20);
  int fd = openat (at, base, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  ssize_t n = -1;
  int code = 0;

  while (fd >= 0 && (n = read (fd, block, 1 << 20)) > 0)
    g_checksum_update (checksum, block, n);
  if (n < 0)
    code = errno;
  else
    *sum = g_strdup (g_checksum_get_string (checksum));
  if (fd >= 0)
    close (fd);
  return code;
}

/* "SHA-256  path" of a file of a store, as sha256sum prints it. */
static int
sum_entry (int folder, const char *base, const char *path, gboolean is_folder,
    gpointer lines)
{
  g_autofree char *sum = NULL;
  int code = is_folder ? 0 : sum_file (folder, base, &sum);

  if (sum != NULL)
    g_ptr_array_add (lines, g_strdup_printf ("%s  %s\n", sum, path));
  return code;
}

static int
place_compare_paths (gconstpointer a, gconstpointer b)
{
  const char *first = *(char *const *)a, *second = *(char *const *)b;

  return strcmp (strchr (first, ' '), strchr (second, ' '));
}

/* The SHA-256 of the lines of all files of a store, sorted by their paths. */
static int
sum_store (int at, const char *base, char **sum)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  int code = oct_file_tree_walk (at, base, sum_entry, lines);

  if (code != 0)
    return code;
  g_ptr_array_sort (lines, place_compare_paths);
  g_ptr_array_add (lines, NULL);
  text = g_strjoinv (NULL, (char **)lines->pdata);
  *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  return 0;
}

char *
oct_convert_place_sum (const char *folder, const char *name, GError **error)
{
  const char *base;
  int at = open_folder (folder, name, FALSE, &base);
  char *sum = NULL;
  int code = at < 0 ? errno : sum_file (at, base, &sum);

  if (code == EISDIR && place_is_store (base))
    code = sum_store (at, base, &sum);
  if (at >= 0)
    close (at);
  if (code != 0) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code),
        "'%s' cannot be read again for its checksum: %s.", path,
        g_strerror (code));
  }
  return sum;
}
