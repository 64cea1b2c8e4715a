/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _FILE_OFFSET_BITS 64

#include "oct-parts.h"
#include "oct-disk.h"
#include "oct-file-write.h"
#include "oct-number.h"
#include "oct-playable.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char *path;
  dev_t dev; /* which file it is */
  ino_t ino;
  guint64 frames, second; /* of the first track, and of another one */
  guint64 bytes;          /* when it was last looked at */
  gboolean gone;          /* deleted, moved, replaced */
} Part;

struct _OctParts {
  guint mode;

  GMutex lock;
  GPtrArray *all;  /* Part, which stay until the end */
  Part *current;   /* the last one, NULL before the first */
  int fd;          /* of it: as long as it is open no other file can have its
                      number */
  GArray *before;  /* fds of files that are finished but not synced */
  gboolean is_new; /* the folder does not know it for sure */
  dev_t disk;      /* of the folder */
};

static void
free_part (gpointer data)
{
  Part *part = data;

  g_free (part->path);
  g_free (part);
}

OctParts *
oct_parts_new (guint mode)
{
  OctParts *parts = g_new0 (OctParts, 1);

  parts->mode = mode;
  parts->fd = -1;
  parts->all = g_ptr_array_new_with_free_func (free_part);
  parts->before = g_array_new (FALSE, FALSE, sizeof (int));
  g_mutex_init (&parts->lock);
  return parts;
}

void
oct_parts_free (OctParts *parts)
{
  if (parts == NULL)
    return;
  for (guint i = 0; i < parts->before->len; i++)
    close (g_array_index (parts->before, int, i));
  if (parts->fd >= 0)
    close (parts->fd);
  g_array_unref (parts->before);
  g_ptr_array_unref (parts->all);
  g_mutex_clear (&parts->lock);
  g_free (parts);
}

/* Call with the lock held. */
static guint64
get_bytes (OctParts *parts, Part *part)
{
  struct stat status;

  if (part == parts->current && fstat (parts->fd, &status) == 0)
    part->bytes = MAX (part->bytes, (guint64)status.st_size);
  return part->bytes;
}

/* Call with the lock held. */
static void
finish_current (OctParts *parts)
{
  if (parts->current == NULL)
    return;
  get_bytes (parts, parts->current);
  g_array_append_val (parts->before, parts->fd);
}

gboolean
oct_parts_begin (OctParts *parts, const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = oct_disk_take_new_file (path, parts->mode, error);
  struct stat status;
  Part *part;

  if (fd < 0)
    return FALSE;
  part = g_new0 (Part, 1);
  part->path = g_strdup (path);
  if (fstat (fd, &status) == 0) {
    part->dev = status.st_dev;
    part->ino = status.st_ino;
  }
  g_mutex_lock (&parts->lock);
  finish_current (parts);
  g_ptr_array_add (parts->all, part);
  parts->current = part;
  parts->fd = fd;
  parts->is_new = TRUE;
  parts->disk = stat (folder, &status) == 0 ? status.st_dev : 0;
  g_mutex_unlock (&parts->lock);
  return TRUE;
}

void
oct_parts_add_frame (OctParts *parts)
{
  g_mutex_lock (&parts->lock);
  if (parts->current != NULL)
    parts->current->frames++;
  g_mutex_unlock (&parts->lock);
}

void
oct_parts_add_second (OctParts *parts)
{
  g_mutex_lock (&parts->lock);
  if (parts->current != NULL)
    parts->current->second++;
  g_mutex_unlock (&parts->lock);
}

/* ------------------------------------------------------------------ syncing */

int
oct_parts_sync (OctParts *parts)
{
  g_autoptr (GArray) before = NULL;
  g_autofree char *path = NULL;
  gboolean is_new;
  int code = 0, fd;

  /* files are closed in this thread alone, and so the lock is not held while
   * the disk takes its time */
  g_mutex_lock (&parts->lock);
  fd = parts->fd;
  is_new = parts->is_new;
  parts->is_new = FALSE;
  path = parts->current != NULL ? g_strdup (parts->current->path) : NULL;
  before = g_steal_pointer (&parts->before);
  parts->before = g_array_new (FALSE, FALSE, sizeof (int));
  g_mutex_unlock (&parts->lock);
  for (guint i = 0; i < before->len; i++) {
    /* oct_parts_check() looks after sizes */
    int failure = oct_file_end (g_array_index (before, int, i), 0);

    code = code != 0 ? code : failure;
  }
  if (fd >= 0 && code == 0)
    code = oct_file_sync (fd);
  if (is_new && path != NULL)
    oct_file_sync_folder (path);
  return code;
}

/* ----------------------------------------------------------------- watching */

/* Call with the lock held.  A cut by another program leaves a file too short,
 * or with a hole if it is being written. */
static gboolean
is_whole (OctParts *parts, const Part *part, const struct stat *status)
{
  off_t hole = part == parts->current ? lseek (parts->fd, 0, SEEK_HOLE) : -1;

  return (guint64)status->st_size >= part->bytes
         && (hole < 0 || hole >= status->st_size);
}

/* Call with the lock held. */
static gboolean
parts_is_there (OctParts *parts, const Part *part)
{
  struct stat status;

  if (stat (part->path, &status) == 0)
    return status.st_dev == part->dev && status.st_ino == part->ino
           && is_whole (parts, part, &status);
  /* a folder that cannot be read proves nothing */
  if (errno != EACCES)
    return FALSE;
  return part != parts->current || fstat (parts->fd, &status) != 0
         || status.st_nlink > 0;
}

gboolean
oct_parts_current_is_there (OctParts *parts)
{
  gboolean there;

  g_mutex_lock (&parts->lock);
  there = parts->current != NULL && parts_is_there (parts, parts->current);
  g_mutex_unlock (&parts->lock);
  return there;
}

static char *
describe_gone (OctParts *parts, const Part *first, guint count, guint64 frames)
{
  g_autofree char *folder = g_path_get_dirname (first->path);
  g_autofree char *folder_name = g_filename_display_name (folder);
  g_autofree char *name = g_filename_display_name (first->path);
  g_autofree char *more =
      count > 1 ? g_strdup_printf (" and %u more", count - 1) : g_strdup ("");
  g_autofree char *lost = oct_number_count (frames, "frame");
  struct stat status;

  if (stat (folder, &status) != 0)
    return g_strdup_printf ("The folder '%s' is gone (deleted, moved or "
                            "unmounted), and with it %s of the recording",
        folder_name, lost);
  if (status.st_dev != parts->disk)
    return g_strdup_printf ("The disk with the folder '%s' was unmounted, and "
                            "with it went %s of the recording",
        folder_name, lost);
  return g_strdup_printf ("The file '%s'%s was deleted, moved, replaced or "
                          "cut off while recording, and %s of the recording "
                          "%s gone with it",
      name, more, lost, oct_number_be (frames));
}

char *
oct_parts_check (OctParts *parts, gboolean *current)
{
  const Part *first = NULL;
  guint64 frames = 0;
  char *text = NULL;
  guint count = 0;

  *current = FALSE;
  g_mutex_lock (&parts->lock);
  for (guint i = 0; i < parts->all->len; i++) {
    Part *part = g_ptr_array_index (parts->all, i);

    if (part->gone || parts_is_there (parts, part))
      continue;
    part->gone = TRUE;
    *current |= part == parts->current;
    first = first != NULL ? first : part;
    frames += part->frames;
    count++;
  }
  if (first != NULL)
    text = describe_gone (parts, first, count, frames);
  g_mutex_unlock (&parts->lock);
  return text;
}

/* Call with the lock held.  A path by which this part's file can be read, or
 * NULL if it is gone. */
static char *
get_readable (OctParts *parts, const Part *part)
{
  if (part->gone)
    return NULL;
  /* this file, whatever has come to stand under its name */
  if (part == parts->current)
    return g_strdup_printf ("/proc/self/fd/%d", parts->fd);
  return parts_is_there (parts, part) ? g_strdup (part->path) : NULL;
}

static char *
describe_uncounted (const Part *part, const GError *error)
{
  g_autofree char *name = g_filename_display_name (part->path);

  return g_strdup_printf ("The file '%s' cannot be read to count its frames "
                          "(%s): %" G_GUINT64_FORMAT
                          " went into it, play it to see how many it holds.",
      name, error->message, part->frames);
}

/* Counts both tracks, as far as there are two. */
static gboolean
parts_count (const Part *part, const char *file, guint64 *frames,
    guint64 *second, GError **error)
{
  gboolean mp4 = g_str_has_suffix (part->path, ".mp4");

  *second = 0;
  return oct_playable_count (file, mp4, 0, frames, error)
         && (part->second == 0
             || oct_playable_count (file, mp4, 1, second, error));
}

char *
oct_parts_recount (OctParts *parts)
{
  guint64 frames = 0, second;

  /* The next part may have begun before the end of the one before was found to
   * be cut off: then there is nothing in it. */
  for (guint i = parts->all->len; i-- > 0 && frames == 0;) {
    Part *part = g_ptr_array_index (parts->all, i);
    g_autofree char *file = NULL;
    g_autoptr (GError) error = NULL;

    g_mutex_lock (&parts->lock);
    file = get_readable (parts, part);
    g_mutex_unlock (&parts->lock);
    if (file == NULL)
      return NULL;
    if (!parts_count (part, file, &frames, &second, &error))
      return describe_uncounted (part, error);
    g_mutex_lock (&parts->lock);
    part->frames = frames;
    part->second = second;
    g_mutex_unlock (&parts->lock);
  }
  return NULL;
}

void
oct_parts_remove_empty (OctParts *parts)
{
  g_mutex_lock (&parts->lock);
  if (parts->current != NULL && get_bytes (parts, parts->current) == 0
      && parts_is_there (parts, parts->current)) {
    g_unlink (parts->current->path);
    close (parts->fd);
    parts->fd = -1;
    g_ptr_array_remove (parts->all, parts->current);
    parts->current = NULL;
  }
  g_mutex_unlock (&parts->lock);
}

void
oct_parts_get_stats (OctParts *parts, OctPartsStats *stats)
{
  *stats = (OctPartsStats){ 0 };
  g_mutex_lock (&parts->lock);
  for (guint i = 0; i < parts->all->len; i++) {
    Part *part = g_ptr_array_index (parts->all, i);

    if (part->gone) {
      stats->lost_frames += part->frames;
      continue;
    }
    stats->bytes += get_bytes (parts, part);
    stats->frames += part->frames;
    stats->second += part->second;
    if (part->frames == 0)
      continue;
    if (stats->count++ == 0)
      stats->first = part->path;
  }
  g_mutex_unlock (&parts->lock);
}
