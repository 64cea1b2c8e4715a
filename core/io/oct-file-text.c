/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts that are small enough to be read and written at once.  Apart from
 * oct-file.c, for the tests to put a slow disk between the two.
 */
#include "oct-file.h"

#include "oct-file-write.h"

#include <errno.h>
#include <unistd.h>

char *
oct_file_read_text (const char *what, const char *path, guint64 most,
    const char *expected, gsize *size, GError **error)
{
  g_autofree char *source = oct_file_describe (what, path);
  g_autofree char *text = NULL;
  guint64 bytes;
  gssize got;
  int fd = oct_file_open (what, path, &bytes, error);

  if (fd < 0)
    return NULL;
  if (bytes > most) {
    close (fd);
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "%s has %" G_GUINT64_FORMAT " bytes; %s is expected", source, bytes,
        expected);
    return NULL;
  }
  text = g_malloc (bytes + 1);
  got = oct_file_read (fd, 0, text, bytes);
  close (fd);
  if (got < 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ, "%s cannot be read: %s",
        source, g_strerror (errno));
    return NULL;
  }
  text[got] = '\0';
  if (size != NULL)
    *size = (gsize)got;
  return g_steal_pointer (&text);
}

gboolean
oct_file_write_text (const char *what, const char *path, const char *text,
    gsize size, GError **error)
{
  g_autofree char *source = oct_file_describe (what, path);
  int code = oct_file_replace (path, text, size, -1);

  if (code == 0)
    return TRUE;
  g_set_error (error, OCT_ERROR,
      code == ENOSPC || code == EDQUOT ? OCT_ERROR_DISK_FULL : OCT_ERROR_WRITE,
      "%s cannot be written: %s", source, g_strerror (code));
  return FALSE;
}
