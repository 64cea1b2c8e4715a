/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _FILE_OFFSET_BITS 64

#include "oct-disk.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct _OctFiles {
  char *current;    /* being written, NULL before the first */
  guint64 finished; /* bytes of those before */
  guint count;
  gboolean is_new; /* its folder does not know it for sure */
};

guint64
oct_disk_left (const char *folder)
{
  struct statvfs status;

  return statvfs (folder, &status) == 0
             ? (guint64)status.f_bavail * status.f_frsize
             : G_MAXINT64;
}

gboolean
oct_disk_check_room (const char *folder, guint64 bytes, GError **error)
{
  g_autofree char *name = g_filename_display_name (folder);
  guint64 left = oct_disk_left (folder);

  if (left >= bytes)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC,
      "The disk with the folder '%s' has only %.1f MB left; make room or "
      "record "
      "to another disk.",
      name, left / 1e6);
  return FALSE;
}

static void
set_exists (GError **error, const char *path)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
      "'%s' exists already, and recordings are never overwritten; choose "
      "another name.",
      name);
}

gboolean
oct_disk_check_new_file (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *folder_name = g_filename_display_name (folder);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    set_exists (error, path);
  else if (g_access (folder, W_OK | X_OK) != 0)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "The folder '%s' cannot be written to: %s.", folder_name,
        g_strerror (errno));
  else
    return TRUE;
  return FALSE;
}

gboolean
oct_disk_take_new_file (const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);
  int fd;

  if (!oct_disk_check_new_file (path, error))
    return FALSE;
  fd = g_open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0)
    close (fd);
  else if (errno == EEXIST)
    set_exists (error, path);
  else
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "'%s' cannot be written: %s.", name, g_strerror (errno));
  return fd >= 0;
}

gboolean
oct_disk_check_new_parts (
    const char *output, const char *suffix, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (output);
  g_autofree char *name = g_path_get_basename (output);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  gsize length = strlen (name);
  const char *entry;

  while (dir != NULL && (entry = g_dir_read_name (dir)) != NULL) {
    const char *rest = entry + length;
    gsize digits;

    if (strncmp (entry, name, length) != 0 || *rest != '-')
      continue;
    digits = strspn (rest + 1, "0123456789");
    if (digits > 0 && strcmp (rest + 1 + digits, suffix) == 0) {
      g_autofree char *path = g_build_filename (folder, entry, NULL);

      set_exists (error, path);
      return FALSE;
    }
  }
  return TRUE;
}

OctFiles *
oct_files_new (void)
{
  return g_new0 (OctFiles, 1);
}

void
oct_files_free (OctFiles *files)
{
  if (files == NULL)
    return;
  g_free (files->current);
  g_free (files);
}

static guint64
get_size (const char *path)
{
  GStatBuf status;

  return path != NULL && g_stat (path, &status) == 0 ? status.st_size : 0;
}

static void
sync_path (const char *path, int flags)
{
  int fd = g_open (path, flags | O_CLOEXEC, 0);

  if (fd < 0)
    return;
  (void)fsync (fd);
  close (fd);
}

void
oct_files_sync (OctFiles *files)
{
  g_autofree char *folder = NULL;

  if (files->current == NULL)
    return;
  sync_path (files->current, O_RDONLY);
  if (!files->is_new)
    return;
  folder = g_path_get_dirname (files->current);
  sync_path (folder, O_RDONLY | O_DIRECTORY);
  files->is_new = FALSE;
}

void
oct_files_add (OctFiles *files, const char *path)
{
  oct_files_sync (files);
  files->finished += get_size (files->current);
  g_free (files->current);
  files->current = g_strdup (path);
  files->count++;
  files->is_new = TRUE;
}

void
oct_files_remove_empty (OctFiles *files)
{
  GStatBuf status;

  if (files->current == NULL || g_stat (files->current, &status) != 0
      || status.st_size != 0)
    return;
  g_unlink (files->current);
  g_clear_pointer (&files->current, g_free);
  files->count--;
}

guint64
oct_files_get_size (OctFiles *files, guint *count)
{
  *count = files->count;
  return files->finished + get_size (files->current);
}
