/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _FILE_OFFSET_BITS 64

#include "oct-disk.h"
#include "oct-file-mode.h"
#include "oct-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

typedef struct {
  dev_t disk;
  guint64 bytes;
} Reserve;

static GMutex reserve_lock;
static GHashTable *reserves; /* owner, Reserve */

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

int
oct_disk_take_new_file (const char *path, guint mode, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);
  int fd;

  if (!oct_disk_check_new_file (path, error))
    return -1;
  fd = oct_file_mode_create (path, O_WRONLY, mode);
  if (fd < 0 && errno == EEXIST)
    set_exists (error, path);
  else if (fd < 0)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "'%s' cannot be written: %s.", name, g_strerror (errno));
  return fd;
}

void
oct_disk_make_folder (const char *folder, guint mode)
{
  (void)g_mkdir_with_parents (folder, mode | 0700 | (mode & 0444) >> 2);
}

gboolean
oct_disk_check_new_parts (
    const char *output, const char *suffix, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (output);
  g_autofree char *name = g_path_get_basename (output);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gsize length = strlen (name);

  /* parts are never replaced, also if it cannot be listed */
  (void)oct_file_list_folder (folder, names, NULL);
  for (guint i = 0; i < names->len; i++) {
    const char *entry = names->pdata[i], *rest = entry + length;
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

static dev_t
get_disk (const char *folder)
{
  GStatBuf status;

  return g_stat (folder, &status) == 0 ? status.st_dev : 0;
}

void
oct_disk_set_reserve (gpointer owner, const char *folder, guint64 bytes)
{
  Reserve *reserve = g_new (Reserve, 1);

  *reserve = (Reserve){ get_disk (folder), bytes };
  g_mutex_lock (&reserve_lock);
  if (reserves == NULL)
    reserves = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_hash_table_insert (reserves, owner, reserve);
  if (bytes == 0)
    g_hash_table_remove (reserves, owner);
  if (g_hash_table_size (reserves) == 0)
    g_clear_pointer (&reserves, g_hash_table_unref);
  g_mutex_unlock (&reserve_lock);
}

guint64
oct_disk_get_reserve (const char *folder)
{
  dev_t disk = get_disk (folder);
  GHashTableIter iter;
  guint64 bytes = 0;
  gpointer reserve;

  g_mutex_lock (&reserve_lock);
  if (reserves != NULL) {
    g_hash_table_iter_init (&iter, reserves);
    while (g_hash_table_iter_next (&iter, NULL, &reserve))
      if (((Reserve *)reserve)->disk == disk)
        bytes += ((Reserve *)reserve)->bytes;
  }
  g_mutex_unlock (&reserve_lock);
  return bytes;
}
