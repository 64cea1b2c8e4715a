/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _FILE_OFFSET_BITS 64

#include "oct-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

G_STATIC_ASSERT (sizeof (off_t) == 8);

/* Linux reads at most 0x7ffff000 bytes in one call. */
#define MAX_READ ((gsize)1 << 30)

char *
oct_file_describe (const char *what, const char *path)
{
  g_autofree char *name = g_filename_display_name (path);

  return g_strdup_printf ("%s '%s'", what, name);
}

static void
set_open_error (GError **error, const char *file, int code)
{
  if (code == ENOENT || code == ENOTDIR)
    g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
        "%s does not exist; check the path", file);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "%s cannot be opened for reading: %s", file, g_strerror (code));
}

int
oct_file_open (
    const char *what, const char *path, guint64 *size, GError **error)
{
  g_autofree char *file = oct_file_describe (what, path);
  struct stat status;
  int fd;

  /* a pipe without a writer would block here */
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    set_open_error (error, file, errno);
    return -1;
  }
  if (fstat (fd, &status) != 0) {
    set_open_error (error, file, errno);
  } else if (S_ISDIR (status.st_mode)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "%s is a folder; give the path of a file in it", file);
  } else if (!S_ISREG (status.st_mode)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_READ,
        "%s is a pipe or a device; give the path of a regular file", file);
  } else {
    *size = status.st_size;
    return fd;
  }
  close (fd);
  return -1;
}

gssize
oct_file_read (int fd, guint64 offset, gpointer dest, gsize size)
{
  gsize done = 0;

  while (done < size) {
    gssize n = pread (fd, (guint8 *)dest + done, MIN (size - done, MAX_READ),
        (off_t)(offset + done));

    if (n == 0)
      break;
    if (n > 0)
      done += n;
    else if (errno != EINTR)
      return -1;
  }
  return done;
}

/* ------------------------------------------------------------------ folders */

static int
file_compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* Not GDir, which ends at an error as it does after the last name. */
gboolean
oct_file_list_folder (const char *path, GPtrArray *names, GError **error)
{
  g_autofree char *file = oct_file_describe ("Folder", path);
  DIR *folder = opendir (path);
  const struct dirent *entry;
  int code = errno;

  if (folder != NULL) {
    for (errno = 0; (entry = readdir (folder)) != NULL; errno = 0)
      if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
        g_ptr_array_add (names, g_strdup (entry->d_name));
    code = errno;
    closedir (folder);
    g_ptr_array_sort (names, file_compare_names);
    if (code == 0)
      return TRUE;
  }
  g_set_error (error, OCT_ERROR,
      code == ENOENT ? OCT_ERROR_NOT_FOUND : OCT_ERROR_READ,
      "%s cannot be listed: %s", file, g_strerror (code));
  return FALSE;
}

/* ----------------------------------------------------------------- contents */

struct _OctFileContent {
  gatomicrefcount references;
  char *path;
  OctFileRead read;
  GDestroyNotify free_content;

  GMutex lock; /* held while the file is read */
  gint asked;  /* atomic: what follows does not change any more */
  gpointer content;
  GError *error;
};

OctFileContent *
oct_file_content_new (
    const char *path, OctFileRead read, GDestroyNotify free_content)
{
  OctFileContent *content = g_new0 (OctFileContent, 1);

  g_atomic_ref_count_init (&content->references);
  content->path = g_strdup (path);
  content->read = read;
  content->free_content = free_content;
  g_mutex_init (&content->lock);
  return content;
}

OctFileContent *
oct_file_content_ref (OctFileContent *content)
{
  g_atomic_ref_count_inc (&content->references);
  return content;
}

void
oct_file_content_unref (OctFileContent *content)
{
  if (!g_atomic_ref_count_dec (&content->references))
    return;
  if (content->content != NULL)
    content->free_content (content->content);
  g_clear_error (&content->error);
  g_mutex_clear (&content->lock);
  g_free (content->path);
  g_free (content);
}

gconstpointer
oct_file_content_get (OctFileContent *content, GError **error)
{
  g_mutex_lock (&content->lock);
  if (!content->asked)
    content->content = content->read (content->path, &content->error);
  g_atomic_int_set (&content->asked, TRUE);
  g_mutex_unlock (&content->lock);
  /* neither changes any more */
  if (content->content == NULL && error != NULL)
    *error = g_error_copy (content->error);
  return content->content;
}

gconstpointer
oct_file_content_peek (OctFileContent *content)
{
  return g_atomic_int_get (&content->asked) ? content->content : NULL;
}
