/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _FILE_OFFSET_BITS 64

#include "oct-ahead.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/uio.h>
#include <sys/vfs.h>

/* Bytes that the disk reads ahead: as much as it can in the time that the
 * reconstruction of a B-scan takes, and enough for several requests at a time. */
#define AHEAD (32 << 20)

/* Asked for at a time.  The kernel makes requests as large as the disk takes,
 * and large pages of memory, only for reads as long as this.  posix_fadvise()
 * and readahead() get single pages from it, whose upkeep takes longer than the
 * disk does. */
#define PIECE (4 << 20)

/* Size of the buffer for fetched bytes, which is overwritten again and again:
 * it stays in the cache of the processor. */
#define WASTE (64 << 10)

/* Distance of the bytes that are examined to find the parts in memory. */
#define LOOK (128 << 10)

struct _OctAhead {
  int fd;
  guint64 end; /* of the bytes that are read */

  GMutex lock; /* for the following */
  GCond changed;
  GThread *thread;  /* NULL: not yet */
  gboolean useless; /* there is no disk, or no thread */
  gboolean quit;
  guint64 next;      /* the byte after those that were read last */
  guint64 at, until; /* the range that the thread fetches next */
};

/* Files that are always in memory. */
static gboolean
has_no_disk (int fd)
{
  struct statfs status;

  return fstatfs (fd, &status) == 0 && status.f_type == TMPFS_MAGIC;
}

OctAhead *
oct_ahead_new (int fd, guint64 begin, guint64 end)
{
  OctAhead *ahead = g_new0 (OctAhead, 1);

  g_mutex_init (&ahead->lock);
  g_cond_init (&ahead->changed);
  ahead->fd = fd;
  ahead->end = end;
  ahead->next = ahead->at = ahead->until = begin;
  ahead->useless = has_no_disk (fd);
  return ahead;
}

void
oct_ahead_free (OctAhead *ahead)
{
  if (ahead == NULL)
    return;
  g_mutex_lock (&ahead->lock);
  ahead->quit = TRUE;
  g_cond_signal (&ahead->changed);
  g_mutex_unlock (&ahead->lock);
  if (ahead->thread != NULL)
    g_thread_join (ahead->thread);
  g_mutex_clear (&ahead->lock);
  g_cond_clear (&ahead->changed);
  g_free (ahead);
}

/* Whether these bytes of the file are; looking costs less than fetching them
 * again. */
static gboolean
is_in_memory (int fd, guint64 from, guint64 to)
{
#ifdef RWF_NOWAIT
  guint8 byte;
  struct iovec one = { &byte, 1 };

  for (; from < to; from += LOOK)
    if (preadv2 (fd, &one, 1, (off_t)(MIN (from + LOOK, to) - 1), RWF_NOWAIT)
        < 0)
      return FALSE;
  return TRUE;
#else
  return FALSE;
#endif
}

/* Into memory, not to us. */
static void
ahead_fetch (int fd, guint64 offset, gsize size, guint8 *waste)
{
  struct iovec parts[PIECE / WASTE];
  int n = 0;

  for (gsize done = 0; done < size; done += parts[n++].iov_len)
    parts[n] = (struct iovec){ waste, MIN (size - done, WASTE) };
  if (preadv (fd, parts, n, (off_t)offset) < 0)
    g_debug ("nothing read ahead: %s", g_strerror (errno));
}

static gpointer
fetch_all (gpointer data)
{
  OctAhead *ahead = data;
  g_autofree guint8 *waste = g_malloc (WASTE);

  g_mutex_lock (&ahead->lock);
  while (!ahead->quit) {
    guint64 from = ahead->at;
    gsize size = MIN (ahead->until - from, PIECE);

    if (size == 0) {
      g_cond_wait (&ahead->changed, &ahead->lock);
      continue;
    }
    ahead->at += size;
    g_mutex_unlock (&ahead->lock);
    ahead_fetch (ahead->fd, from, size, waste);
    g_mutex_lock (&ahead->lock);
  }
  g_mutex_unlock (&ahead->lock);
  return NULL;
}

void
oct_ahead_follow (OctAhead *ahead, guint64 offset, gsize size)
{
  guint64 end = offset + size, to;

  g_mutex_lock (&ahead->lock);
  if (offset != ahead->next)
    ahead->at = ahead->until = end; /* the announced bytes are not read now */
  else if (ahead->at < end) {
    ahead->at = end; /* the reader was faster */
    ahead->until = MAX (ahead->until, end);
  }
  to = MIN (end + AHEAD, ahead->end);
  if (!ahead->useless && offset == ahead->next && to >= ahead->until + PIECE) {
    gboolean idle = ahead->at == ahead->until;

    /* while a fetch is running the memory is not checked: the next bytes are
     * usually on the disk */
    if (idle && is_in_memory (ahead->fd, ahead->at, to))
      ahead->at = to;
    else if (ahead->thread == NULL)
      ahead->thread = g_thread_try_new ("oct-ahead", fetch_all, ahead, NULL);
    ahead->until = to;
    ahead->useless = ahead->at < to && ahead->thread == NULL;
    g_cond_signal (&ahead->changed);
  }
  ahead->next = end;
  g_mutex_unlock (&ahead->lock);
}
