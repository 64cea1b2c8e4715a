/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * New files with the permissions that were asked for, whatever the umask.
 *
 * The umask is the whole process's, and libraries change it for a moment: ORC
 * does when it allocates memory for code.  A file that another thread creates
 * meanwhile would lack the permission of its readers.
 */
#pragma once

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "oct-file-write.h"

/* open() of a file that does not exist yet: `flags` besides O_CREAT, O_EXCL and
 * O_CLOEXEC.  Returns: a file descriptor, -1 with errno.  File systems without
 * permissions have their own. */
static inline int
oct_file_mode_create (const char *path, int flags, guint mode)
{
  int fd =
      open (path, flags | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)(mode & 0600));

  if (fd >= 0)
    (void)fchmod (fd, (mode_t)mode);
  return fd;
}

/* The file that was there, or this one, whole and on the disk. */
static inline gboolean
oct_file_mode_write (
    const char *path, const char *text, gssize size, guint mode, GError **error)
{
  int code = oct_file_replace (
      path, text, size < 0 ? strlen (text) : (gsize)size, (int)mode);

  if (code != 0)
    oct_file_set_write_error (error, path, code);
  return code == 0;
}
