/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _FILE_OFFSET_BITS 64

#include "oct-file-write.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Linux writes at most 0x7ffff000 bytes in one call. */
#define MAX_WRITE ((gsize)1 << 30)

int
oct_file_write_all (int fd, gconstpointer data, guint64 size)
{
  const guint8 *from = data;

  while (size > 0) {
    gssize n = write (fd, from, MIN (size, MAX_WRITE));

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : ENOSPC;
    from += n;
    size -= (guint64)n;
  }
  return 0;
}

int
oct_file_sync (int fd)
{
  return fsync (fd) == 0 || errno == EINVAL || errno == ENOSYS ? 0 : errno;
}

void
oct_file_sync_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return;
  (void)oct_file_sync (fd);
  close (fd);
}

int
oct_file_end (int fd, guint64 least)
{
  struct stat status;
  int code = 0;

  if (fstat (fd, &status) != 0)
    code = errno;
  else if ((guint64)status.st_size < least)
    code = EIO;
  if (code == 0)
    code = oct_file_sync (fd);
  /* network file systems report a full disk here */
  if (close (fd) != 0 && code == 0 && errno != EINTR)
    code = errno;
  return code;
}

int
oct_file_end_as (int fd, guint64 least, const char *part, const char *path)
{
  int code = oct_file_end (fd, least);

  if (code == 0 && g_rename (part, path) != 0)
    code = errno;
  if (code == 0)
    oct_file_sync_folder (path);
  else
    (void)g_unlink (part);
  return code;
}

/* A link if the file system has links, which never replaces anything; folders
 * have none. */
int
oct_file_give_new_name (const char *part, const char *path)
{
  if (link (part, path) == 0) {
    (void)g_unlink (part);
    return 0;
  }
  if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS)
    return errno;
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return EEXIST;
  return g_rename (part, path) == 0 ? 0 : errno;
}

int
oct_file_end_as_new (int fd, guint64 least, const char *part, const char *path)
{
  int code = oct_file_end (fd, least);

  if (code == 0)
    code = oct_file_give_new_name (part, path);
  if (code == 0)
    oct_file_sync_folder (path);
  else
    (void)g_unlink (part);
  return code;
}

void
oct_file_set_write_error (GError **error, const char *path, int code)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code),
      "'%s' cannot be written: %s", name, g_strerror (code));
}

int
oct_file_replace (const char *path, gconstpointer data, gsize size, int mode)
{
  g_autofree char *part = g_strconcat (path, ".XXXXXX", NULL);
  int fd =
      g_mkstemp_full (part, O_RDWR | O_CLOEXEC, mode < 0 ? 0666 : mode & 0600);
  int code;

  if (fd < 0)
    return errno;
  /* file systems without permissions have their own */
  if (mode >= 0)
    (void)fchmod (fd, (mode_t)mode);
  code = oct_file_write_all (fd, data, size);
  if (code == 0)
    return oct_file_end_as (fd, size, part, path);
  close (fd);
  (void)g_unlink (part);
  return code;
}
