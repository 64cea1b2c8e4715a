/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading ahead, with a disk of the test's own below it (--wrap): what it is
 * asked for, when it is stuck, and when it fails. */
#define _FILE_OFFSET_BITS 64
#include "oct-ahead.h"
#include "oct-test-reader.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#define MIB ((guint64)1 << 20)
#define BSCAN (2 * MIB)
#define PIECE (4 * MIB)
#define FAR (32 * MIB)
#define PATIENCE (20 * G_TIME_SPAN_SECOND)

/* Everything in it under the lock. */
static struct {
  GMutex lock;
  GCond changed;
  gboolean no_disk;  /* files are in memory always */
  guint64 in_memory; /* the file is, up to here */
  gboolean stuck;
  int error;     /* errno of reads, 0: they work */
  guint looks;   /* for the part in memory */
  guint reads;   /* begun */
  guint64 begin; /* of the first read; the others follow without a gap */
  guint64 at;    /* the end of the last one */
  gboolean gap;
} disk;

static ssize_t
look (off_t offset)
{
  gboolean there;

  g_mutex_lock (&disk.lock);
  disk.looks++;
  there = (guint64)offset < disk.in_memory;
  g_mutex_unlock (&disk.lock);
  errno = EAGAIN;
  return there ? 1 : -1;
}

static ssize_t
read_disk (const struct iovec *parts, int n, off_t offset)
{
  gsize size = 0;
  int error;

  for (int i = 0; i < n; i++)
    size += parts[i].iov_len;
  g_assert_cmpuint (size, >, 0);
  g_assert_cmpuint (size, <=, PIECE);
  g_mutex_lock (&disk.lock);
  if (disk.reads++ == 0)
    disk.begin = offset;
  else if ((guint64)offset != disk.at)
    disk.gap = TRUE;
  disk.at = offset + size;
  g_cond_broadcast (&disk.changed);
  while (disk.stuck)
    g_cond_wait (&disk.changed, &disk.lock);
  error = disk.error;
  g_mutex_unlock (&disk.lock);
  errno = error;
  return error == 0 ? (ssize_t)size : -1;
}

static int
tell_kind (struct statfs *status)
{
  memset (status, 0, sizeof *status);
  status->f_type = disk.no_disk ? TMPFS_MAGIC : EXT4_SUPER_MAGIC;
  return 0;
}

/* By both of the names that these have where files may be large. */
ssize_t __wrap_preadv (int fd, const struct iovec *parts, int n, off_t offset);
ssize_t __wrap_preadv64 (
    int fd, const struct iovec *parts, int n, off_t offset);
ssize_t __wrap_preadv2 (
    int fd, const struct iovec *parts, int n, off_t offset, int flags);
ssize_t __wrap_preadv64v2 (
    int fd, const struct iovec *parts, int n, off_t offset, int flags);
int __wrap_fstatfs (int fd, struct statfs *status);
int __wrap_fstatfs64 (int fd, struct statfs *status);

ssize_t
__wrap_preadv (int fd, const struct iovec *parts, int n, off_t offset)
{
  return read_disk (parts, n, offset);
}

ssize_t
__wrap_preadv64 (int fd, const struct iovec *parts, int n, off_t offset)
{
  return read_disk (parts, n, offset);
}

ssize_t
__wrap_preadv2 (
    int fd, const struct iovec *parts, int n, off_t offset, int flags)
{
  return look (offset);
}

ssize_t
__wrap_preadv64v2 (
    int fd, const struct iovec *parts, int n, off_t offset, int flags)
{
  return look (offset);
}

int
__wrap_fstatfs (int fd, struct statfs *status)
{
  return tell_kind (status);
}

int
__wrap_fstatfs64 (int fd, struct statfs *status)
{
  return tell_kind (status);
}

static void
renew_disk (void)
{
  g_mutex_lock (&disk.lock);
  disk.no_disk = disk.stuck = disk.gap = FALSE;
  disk.in_memory = disk.begin = disk.at = 0;
  disk.error = disk.looks = disk.reads = 0;
  g_mutex_unlock (&disk.lock);
}

/* Until the disk was asked for all up to `at`. */
static void
wait_for (guint64 at)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;

  g_mutex_lock (&disk.lock);
  while (disk.at < at)
    g_assert_true (g_cond_wait_until (&disk.changed, &disk.lock, until));
  g_mutex_unlock (&disk.lock);
}

static void
set_stuck (gboolean stuck)
{
  g_mutex_lock (&disk.lock);
  disk.stuck = stuck;
  g_cond_broadcast (&disk.changed);
  g_mutex_unlock (&disk.lock);
}

/* From the end of the first B-scan to the end of the file, each byte once, no
 * further ahead than it should, and nothing beyond the end. */
static void
test_from_disk (void)
{
  enum { BEGIN = 100, REST = 123 };
  const guint64 end = BEGIN + 50 * MIB + REST;
  OctAhead *ahead;

  renew_disk ();
  ahead = oct_ahead_new (-1, BEGIN, end);
  oct_ahead_follow (ahead, BEGIN, BSCAN);
  wait_for (BEGIN + BSCAN + FAR);
  for (guint64 offset = BEGIN + BSCAN; offset + BSCAN <= end; offset += BSCAN) {
    oct_ahead_follow (ahead, offset, BSCAN);
    /* a piece at a time; less than that is left to the kernel */
    wait_for (MIN (offset + BSCAN + FAR, end) - PIECE + 1);
    g_mutex_lock (&disk.lock);
    g_assert_cmpuint (disk.at, <=, MIN (offset + BSCAN + FAR, end));
    g_mutex_unlock (&disk.lock);
  }
  oct_ahead_free (ahead);
  g_assert_cmpuint (disk.begin, ==, BEGIN + BSCAN);
  g_assert_false (disk.gap);
  g_assert_cmpuint (disk.at, <=, end);
}

/* Data in memory costs a look; without a disk there is none. */
static void
test_in_memory (void)
{
  for (guint no_disk = 0; no_disk <= 1; no_disk++) {
    OctAhead *ahead;

    renew_disk ();
    disk.no_disk = no_disk;
    disk.in_memory = G_MAXUINT64;
    ahead = oct_ahead_new (-1, 0, 50 * MIB);
    for (guint64 offset = 0; offset < 50 * MIB; offset += BSCAN)
      oct_ahead_follow (ahead, offset, BSCAN);
    oct_ahead_free (ahead);
    g_assert_cmpuint (disk.reads, ==, 0);
    g_assert_true (no_disk ? disk.looks == 0 : disk.looks > 0);
  }
}

/* The front of a file is in memory, as after it was opened. */
static void
test_partly_in_memory (void)
{
  OctAhead *ahead;

  renew_disk ();
  ahead = oct_ahead_new (-1, 0, 100 * MIB);
  disk.in_memory = 60 * MIB;
  for (guint64 offset = 0; offset < 24 * MIB; offset += BSCAN)
    oct_ahead_follow (ahead, offset, BSCAN);
  g_assert_cmpuint (disk.reads, ==, 0);
  for (guint64 offset = 24 * MIB; offset < 40 * MIB; offset += BSCAN)
    oct_ahead_follow (ahead, offset, BSCAN);
  wait_for (40 * MIB + FAR - PIECE + 1);
  oct_ahead_free (ahead);
  g_assert_cmpuint (disk.begin, <=, 60 * MIB);
}

/* Nothing is fetched after a jump, as the next offset is not known, until a
 * second read follows it. */
static void
test_jumps (void)
{
  OctAhead *ahead;

  renew_disk ();
  ahead = oct_ahead_new (-1, 0, 1000 * MIB);
  for (guint64 offset = 900 * MIB; offset > 0; offset -= 100 * MIB)
    oct_ahead_follow (ahead, offset, BSCAN);
  g_assert_cmpuint (disk.reads, ==, 0);
  oct_ahead_follow (ahead, 100 * MIB + BSCAN, BSCAN);
  wait_for (100 * MIB + 2 * BSCAN + FAR);
  g_assert_cmpuint (disk.begin, ==, 100 * MIB + 2 * BSCAN);
  oct_ahead_follow (ahead, 0, BSCAN);
  oct_ahead_free (ahead);
  g_assert_cmpuint (disk.at, ==, 100 * MIB + 2 * BSCAN + FAR);
}

/* The reader does not wait for it; data passed meanwhile is not fetched. */
static void
test_stuck (void)
{
  OctAhead *ahead;

  renew_disk ();
  ahead = oct_ahead_new (-1, 0, 100 * MIB);
  set_stuck (TRUE);
  oct_ahead_follow (ahead, 0, BSCAN);
  wait_for (BSCAN + PIECE);
  for (guint64 offset = BSCAN; offset < 100 * MIB; offset += BSCAN)
    oct_ahead_follow (ahead, offset, BSCAN);
  set_stuck (FALSE);
  oct_ahead_free (ahead);
  g_assert_cmpuint (disk.reads, ==, 1);
}

/* Less than a piece: the kernel does that by itself. */
static void
test_small (void)
{
  OctAhead *ahead;

  renew_disk ();
  ahead = oct_ahead_new (-1, 0, BSCAN + PIECE - 1);
  oct_ahead_follow (ahead, 0, BSCAN);
  oct_ahead_free (ahead);
  g_assert_cmpuint (disk.reads, ==, 0);
}

/* Values are those of the file whatever becomes of the help. */
static void
test_reader (void)
{
  enum { SAMPLES = 1024, LINES = 512, BSCANS = 9, VALUES = SAMPLES * LINES };
  g_autofree guint16 *values = g_new (guint16, (gsize)VALUES * BSCANS);
  g_autofree guint16 *read = g_new (guint16, VALUES);
  const char *path;

  for (gsize i = 0; i < (gsize)VALUES * BSCANS; i++)
    values[i] = (guint16)(i * 40503);
  path = oct_test_write ("scan.raw", values, (gsize)VALUES * BSCANS * 2);
  for (guint error = 0; error <= 1; error++) {
    g_autoptr (OctReader) reader = oct_test_open (path,
        (OctReaderSettings){
            .samples = SAMPLES, .lines = LINES, .stored = OCT_STORED_U2 });

    renew_disk ();
    disk.error = error == 1 ? EIO : 0;
    for (guint frame = 0; frame < BSCANS; frame++) {
      g_assert_true (oct_reader_read (reader, frame, read, SAMPLES * 2, NULL));
      g_assert_cmpmem (
          read, VALUES * 2, values + (gsize)frame * VALUES, VALUES * 2);
    }
    g_clear_pointer (&reader, oct_reader_close);
    g_assert_cmpuint (disk.at, <=, VALUES * 2 * BSCANS);
  }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ahead/from-disk", test_from_disk);
  g_test_add_func ("/ahead/in-memory", test_in_memory);
  g_test_add_func ("/ahead/partly-in-memory", test_partly_in_memory);
  g_test_add_func ("/ahead/jumps", test_jumps);
  g_test_add_func ("/ahead/stuck", test_stuck);
  g_test_add_func ("/ahead/small", test_small);
  g_test_add_func ("/ahead/reader", test_reader);
  status = g_test_run ();
  oct_test_clean ();
  return status;
}
