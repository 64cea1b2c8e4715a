/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Preloaded into a program, makes calls that change files in the folder
 * OCT_BAD_DISK_FOLDER fail, at change number OCT_BAD_DISK_AT (from 1):
 *
 *   OCT_BAD_DISK=kill   the program is killed before it
 *   OCT_BAD_DISK=full   from this one on the disk is full: half of this write
 *                       succeeds, then nothing
 *   OCT_BAD_DISK=once   only this one fails
 *
 * OCT_BAD_DISK_NO_EXCHANGE: names are not exchanged in any folder, as some file
 * systems cannot.
 *
 * OCT_BAD_DISK=list: the list of a folder in it ends with an error after name
 * number OCT_BAD_DISK_AT.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(function)                                                         \
  static __typeof__ (&function) next;                                          \
                                                                               \
  if (next == NULL)                                                            \
  *(void **)&next = dlsym (RTLD_NEXT, #function)

static int count;

static int
is_in_folder (int fd, const char *name)
{
  const char *folder = getenv ("OCT_BAD_DISK_FOLDER");
  char link[64], path[4096] = "";
  ssize_t length = 0;

  if (folder == NULL)
    return 0;
  if (name != NULL && (name[0] == '/' || fd == AT_FDCWD))
    return strncmp (name, folder, strlen (folder)) == 0;
  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink (link, path, sizeof path - 1);
  return length > 0 && strncmp (path, folder, strlen (folder)) == 0;
}

/* 0: all is well, 1: it fails, 2: it fails, the first time. */
static int
is_bad (int fd, const char *name)
{
  const char *what = getenv ("OCT_BAD_DISK"), *at = getenv ("OCT_BAD_DISK_AT");
  int number;

  if (what == NULL || at == NULL || strcmp (what, "list") == 0
      || !is_in_folder (fd, name))
    return 0;
  number = __atomic_add_fetch (&count, 1, __ATOMIC_SEQ_CST);
  if (number < atoi (at) || (strcmp (what, "once") == 0 && number > atoi (at)))
    return 0;
  if (strcmp (what, "kill") == 0)
    kill (getpid (), SIGKILL);
  errno = ENOSPC;
  return number == atoi (at) ? 2 : 1;
}

ssize_t
write (int fd, const void *data, size_t size)
{
  NEXT (write);
  int bad = is_bad (fd, NULL);

  return bad == 0               ? next (fd, data, size)
         : bad == 2 && size > 1 ? next (fd, data, size / 2)
                                : -1;
}

ssize_t
pwrite64 (int fd, const void *data, size_t size, off64_t offset)
{
  NEXT (pwrite64);
  return is_bad (fd, NULL) ? -1 : next (fd, data, size, offset);
}

int
fsync (int fd)
{
  NEXT (fsync);
  return is_bad (fd, NULL) ? -1 : next (fd);
}

/* Making a file shorter needs no room. */
int
ftruncate64 (int fd, off64_t size)
{
  NEXT (ftruncate64);
  (void)is_bad (fd, NULL);
  return next (fd, size);
}

int
link (const char *from, const char *to)
{
  NEXT (link);
  return is_bad (AT_FDCWD, to) ? -1 : next (from, to);
}

int
linkat (int from_fd, const char *from, int fd, const char *to, int flags)
{
  NEXT (linkat);
  return is_bad (fd, to) ? -1 : next (from_fd, from, fd, to, flags);
}

int
renameat (int from_fd, const char *from, int fd, const char *to)
{
  NEXT (renameat);
  return is_bad (fd, to) ? -1 : next (from_fd, from, fd, to);
}

int
renameat2 (
    int from_fd, const char *from, int fd, const char *to, unsigned int flags)
{
  NEXT (renameat2);
  if (is_bad (fd, to))
    return -1;
  if (getenv ("OCT_BAD_DISK_NO_EXCHANGE") != NULL && flags == RENAME_EXCHANGE) {
    errno = EINVAL;
    return -1;
  }
  return next (from_fd, from, fd, to, flags);
}

int
mkdir (const char *name, mode_t mode)
{
  NEXT (mkdir);
  return is_bad (AT_FDCWD, name) ? -1 : next (name, mode);
}

int
mkdirat (int fd, const char *name, mode_t mode)
{
  NEXT (mkdirat);
  return is_bad (fd, name) ? -1 : next (fd, name, mode);
}

/* As above. */
int
unlink (const char *name)
{
  NEXT (unlink);
  (void)is_bad (AT_FDCWD, name);
  return next (name);
}

int
unlinkat (int fd, const char *name, int flags)
{
  NEXT (unlinkat);
  (void)is_bad (fd, name);
  return next (fd, name, flags);
}

int
rmdir (const char *name)
{
  NEXT (rmdir);
  (void)is_bad (AT_FDCWD, name);
  return next (name);
}

struct dirent64 *
readdir64 (DIR *folder)
{
  NEXT (readdir64);
  const char *what = getenv ("OCT_BAD_DISK"), *at = getenv ("OCT_BAD_DISK_AT");

  if (what != NULL && at != NULL && strcmp (what, "list") == 0
      && is_in_folder (dirfd (folder), NULL)
      && __atomic_add_fetch (&count, 1, __ATOMIC_SEQ_CST) > atoi (at)) {
    errno = EIO;
    return NULL;
  }
  return next (folder);
}
