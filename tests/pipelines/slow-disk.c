/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Preloaded into a program, makes a slow disk: writing to a file of a recording
 * takes OCT_SLOW_DISK_MS longer than it does, or waits as long as there is a
 * file OCT_SLOW_DISK_WHILE.  So does the end of reading the folder "steps", which first
 * makes a file with the same name and ".there".
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static void
wait_for_disk (int fd)
{
  static const char *const endings[] = { ".mkv", ".mp4", ".raw" };
  const char *delay = getenv ("OCT_SLOW_DISK_MS");
  const char *gate = getenv ("OCT_SLOW_DISK_WHILE");
  char link[64], path[4096];
  ssize_t length;

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink (link, path, sizeof path - 1);
  if (length < 4)
    return;
  path[length] = '\0';
  for (unsigned i = 0; i < sizeof endings / sizeof *endings; i++) {
    if (strcmp (path + length - 4, endings[i]) != 0)
      continue;
    if (delay != NULL)
      usleep (1000 * (useconds_t)atoi (delay));
    while (gate != NULL && access (gate, F_OK) == 0)
      usleep (10000);
  }
}

ssize_t
write (int fd, const void *data, size_t size)
{
  static ssize_t (*next) (int, const void *, size_t);

  if (next == NULL)
    *(void **)&next = dlsym (RTLD_NEXT, "write");
  wait_for_disk (fd);
  return next (fd, data, size);
}

ssize_t
writev (int fd, const struct iovec *data, int count)
{
  static ssize_t (*next) (int, const struct iovec *, int);

  if (next == NULL)
    *(void **)&next = dlsym (RTLD_NEXT, "writev");
  wait_for_disk (fd);
  return next (fd, data, count);
}

int
closedir (DIR *folder)
{
  static int (*next) (DIR *);
  const char *gate = getenv ("OCT_SLOW_DISK_WHILE");
  char link[64], path[4096], there[4096];
  ssize_t length;

  if (next == NULL)
    *(void **)&next = dlsym (RTLD_NEXT, "closedir");
  snprintf (link, sizeof link, "/proc/self/fd/%d", dirfd (folder));
  length = readlink (link, path, sizeof path - 1);
  if (gate != NULL && length > 6
      && strncmp (path + length - 6, "/steps", 6) == 0) {
    snprintf (there, sizeof there, "%s.there", gate);
    close (open (there, O_WRONLY | O_CREAT, 0600));
    while (access (gate, F_OK) == 0)
      usleep (10000);
  }
  return next (folder);
}
