/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The ring of liboctdaq: what is read is what was written or is counted as
 * lost, with two processes, whichever of them dies, and memory that lies.
 */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE /* memfd_create() */
#endif
#include "oct-daq.h"
#include "oct-test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLES 64u
#define LINES 8u
#define LONG 20000 /* ms: for events that come at once unless it fails */
#define KILLS 200

static OctDaqHeader
make_ring (guint32 blocks, guint32 flags)
{
  return (OctDaqHeader){ .blocks = blocks,
    .flags = flags,
    .sample_format = OCT_DAQ_U16,
    .samples = SAMPLES,
    .lines = LINES,
    .channels = 1,
    .channel_kind = { OCT_DAQ_OCT },
    .name = "test" };
}

static OctDaqWriter *
open_writer (guint32 blocks, guint32 flags)
{
  OctDaqHeader ring = make_ring (blocks, flags);
  char error[OCT_DAQ_ERROR] = "";
  OctDaqWriter *writer =
      oct_daq_open (oct_test_path ("socket"), &ring, NULL, error);

  g_assert_cmpstr (error, ==, "");
  g_assert_nonnull (writer);
  return writer;
}

static OctDaqReader *
open_reader (void)
{
  char error[OCT_DAQ_ERROR] = "";
  OctDaqReader *reader =
      oct_daq_reader_open (oct_test_path ("socket"), LONG, error);

  g_assert_cmpstr (error, ==, "");
  g_assert_nonnull (reader);
  return reader;
}

/* Each value tells its line and its place in it. */
static guint16
value_of (guint64 line, guint sample)
{
  return (guint16)(line * 40503u + sample);
}

/* FALSE: there is no room. */
static gboolean
write_block (OctDaqWriter *writer, guint64 line, int timeout)
{
  guint16 *block = oct_daq_claim (writer, timeout);

  if (block == NULL)
    return FALSE;
  for (guint i = 0; i < LINES; i++)
    for (guint j = 0; j < SAMPLES; j++)
      block[i * SAMPLES + j] = value_of (line + i, j);
  oct_daq_publish (writer, &(OctDaqPlace){ .tick = line * 3 });
  return TRUE;
}

static void
write_blocks (OctDaqWriter *writer, guint64 first, guint count)
{
  for (guint i = 0; i < count; i++)
    g_assert_true (write_block (writer, (first + i) * LINES, LONG));
}

/* FALSE: it was overwritten meanwhile; else it is right to the last value. */
static gboolean
check_block (OctDaqReader *reader, const OctDaqBlock *head)
{
  static guint16 copy[LINES * SAMPLES];

  memcpy (copy, oct_daq_reader_data (reader, 0), sizeof copy);
  if (!oct_daq_reader_holds (reader))
    return FALSE;
  g_assert_cmpuint (head->line, ==, (head->sequence - 1) * LINES + head->lost);
  g_assert_cmpuint (head->tick, ==, head->line * 3);
  for (guint i = 0; i < LINES; i++)
    for (guint j = 0; j < SAMPLES; j++)
      g_assert_cmpuint (
          copy[i * SAMPLES + j], ==, value_of (head->line + i, j));
  return TRUE;
}

static void
read_block (OctDaqReader *reader, guint64 number)
{
  OctDaqBlock head;

  g_assert_cmpint (
      oct_daq_reader_wait (reader, LONG, &head), ==, OCT_DAQ_BLOCK);
  g_assert_cmpuint (head.sequence, ==, number + 1);
  g_assert_true (check_block (reader, &head));
  oct_daq_reader_next (reader);
}

static OctDaqStatus
read_status (OctDaqReader *reader, int timeout)
{
  OctDaqBlock head;

  return oct_daq_reader_wait (reader, timeout, &head);
}

/* ------------------------------------------------------------------ one process
 */

static void
test_header (void)
{
  OctDaqHeader ring = make_ring (0, 0);
  double columns[2 * SAMPLES];
  const OctDaqHeader *read;
  OctDaqReader *reader;
  OctDaqWriter *writer;

  for (guint i = 0; i < 2 * SAMPLES; i++)
    columns[i] = 800.0 + i;
  ring.calibration_columns = OCT_DAQ_WAVELENGTH_NM | OCT_DAQ_BACKGROUND;
  ring.line_rate = 1e5;
  ring.bscans = 7;
  memset (ring.name, 'x', sizeof ring.name);
  writer = oct_daq_open (oct_test_path ("socket"), &ring, columns, NULL);
  g_assert_nonnull (writer);
  reader = open_reader ();
  read = oct_daq_reader_header (reader);
  g_assert_cmpmem (read, sizeof *read, oct_daq_header (writer), sizeof *read);
  g_assert_cmpuint (strlen (read->name), ==, sizeof read->name - 1);
  g_assert_cmpuint (read->blocks, ==, 1024);
  g_assert_cmpuint (read->bscan_lines, ==, LINES);
  g_assert_cmpuint (read->repeats, ==, 1);
  g_assert_cmpmem (oct_daq_reader_calibration (reader, OCT_DAQ_WAVELENGTH_NM),
      SAMPLES * sizeof (double), columns, SAMPLES * sizeof (double));
  g_assert_cmpmem (oct_daq_reader_calibration (reader, OCT_DAQ_BACKGROUND),
      SAMPLES * sizeof (double), columns + SAMPLES, SAMPLES * sizeof (double));
  g_assert_null (oct_daq_reader_calibration (reader, OCT_DAQ_K_INDEX));
  oct_daq_reader_close (reader);
  oct_daq_close (writer);
  g_assert_false (g_file_test (oct_test_path ("socket"), G_FILE_TEST_EXISTS));
}

/* Blocks that a reader is too slow for are counted, and those that it reads are
 * right. */
static void
test_slow_reader (void)
{
  OctDaqWriter *writer = open_writer (4, 0);
  OctDaqReader *reader = open_reader ();
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  guint64 written = 0, read = 0;

  for (guint i = 0; i < 2000; i++) {
    guint more = (guint)g_rand_int_range (random, 0, 12);
    guint most = (guint)g_rand_int_range (random, 0, 6);
    OctDaqBlock head;

    write_blocks (writer, written, more);
    written += more;
    for (; most > 0 && oct_daq_reader_wait (reader, 0, &head) == OCT_DAQ_BLOCK;
         most--) {
      g_assert_true (check_block (reader, &head));
      /* all before it are read or missed, and nothing is told twice */
      g_assert_cmpuint (
          head.sequence - 1, ==, read + oct_daq_reader_missed (reader));
      oct_daq_reader_next (reader);
      read++;
    }
  }
  while (read_status (reader, 0) == OCT_DAQ_BLOCK) {
    oct_daq_reader_next (reader);
    read++;
  }
  g_assert_cmpuint (read + oct_daq_reader_missed (reader), ==, written);
  g_assert_cmpuint (oct_daq_reader_missed (reader), >, 0);
  write_blocks (writer, written, 9);
  oct_daq_reader_skip (reader);
  g_assert_cmpint (read_status (reader, 0), ==, OCT_DAQ_TIMEOUT);
  g_assert_cmpuint (read + oct_daq_reader_missed (reader), ==, written);
  oct_daq_reader_close (reader);
  oct_daq_close (writer);
}

/* The writer begins to overwrite the block that is being read. */
static void
test_overwritten (void)
{
  OctDaqWriter *writer = open_writer (2, 0);
  OctDaqReader *reader = open_reader ();
  OctDaqBlock head;

  write_blocks (writer, 0, 2);
  g_assert_cmpint (
      oct_daq_reader_wait (reader, LONG, &head), ==, OCT_DAQ_BLOCK);
  g_assert_true (oct_daq_reader_holds (reader));
  g_assert_nonnull (oct_daq_claim (writer, 0));
  g_assert_false (oct_daq_reader_holds (reader));
  write_block (writer, 2 * LINES, 0);
  g_assert_false (oct_daq_reader_holds (reader));
  read_block (reader, 2);
  g_assert_cmpuint (oct_daq_reader_missed (reader), ==, 2);
  oct_daq_reader_close (reader);
  oct_daq_close (writer);
}

static void
test_lost (void)
{
  OctDaqWriter *writer = open_writer (4, 0);
  OctDaqReader *reader = open_reader ();
  OctDaqBlock head;

  write_blocks (writer, 0, 1);
  oct_daq_lost (writer, 5);
  oct_daq_lost (writer, 2);
  g_assert_true (write_block (writer, LINES + 7, LONG));
  read_block (reader, 0);
  g_assert_cmpint (
      oct_daq_reader_wait (reader, LONG, &head), ==, OCT_DAQ_BLOCK);
  g_assert_cmpuint (head.line, ==, LINES + 7);
  g_assert_cmpuint (head.lost, ==, 7);
  g_assert_true (check_block (reader, &head));
  oct_daq_reader_close (reader);
  oct_daq_close (writer);
}

static gpointer
write_one (gpointer writer)
{
  g_assert_true (write_block (writer, 4 * LINES, LONG));
  return NULL;
}

/* A lossless ring waits for the slowest of its readers, as long as that lives. */
static void
test_two_readers (void)
{
  OctDaqWriter *writer = open_writer (4, OCT_DAQ_LOSSLESS);
  OctDaqReader *fast = open_reader (), *slow = open_reader ();
  GThread *thread;

  g_assert_cmpuint (oct_daq_wait_for_readers (writer, 2, LONG), ==, 2);
  write_blocks (writer, 0, 4);
  for (guint i = 0; i < 4; i++)
    read_block (fast, i);
  g_assert_null (oct_daq_claim (writer, 0));
  g_assert_null (oct_daq_claim (writer, 30));
  read_block (slow, 0);
  write_blocks (writer, 4, 1);
  g_assert_null (oct_daq_claim (writer, 0));
  read_block (fast, 4);
  for (guint i = 1; i < 5; i++)
    read_block (slow, i);
  write_blocks (writer, 5, 4);
  for (guint i = 5; i < 9; i++)
    read_block (fast, i);
  g_assert_null (oct_daq_claim (writer, 0));
  /* one that waits goes on when the slow reader leaves */
  thread = g_thread_new ("writer", write_one, writer);
  oct_daq_reader_close (slow);
  g_thread_join (thread);
  g_assert_cmpuint (oct_daq_reader_missed (fast), ==, 0);
  g_assert_cmpuint (oct_daq_wait_for_readers (writer, 2, 0), ==, 1);
  oct_daq_reader_close (fast);
  oct_daq_close (writer);
}

static void
test_too_many_readers (void)
{
  OctDaqWriter *writer = open_writer (4, 0);
  OctDaqReader *readers[OCT_DAQ_READERS];
  char error[OCT_DAQ_ERROR] = "";

  for (guint i = 0; i < OCT_DAQ_READERS; i++)
    readers[i] = open_reader ();
  g_assert_null (oct_daq_reader_open (oct_test_path ("socket"), LONG, error));
  g_assert_cmpint (errno, ==, EBUSY);
  g_assert_nonnull (strstr (error, "8 readers already"));
  for (guint i = 0; i < OCT_DAQ_READERS; i++)
    oct_daq_reader_close (readers[i]);
  oct_daq_close (writer);
}

/* Ends, and comes again with other sizes. */
static void
test_restart (void)
{
  OctDaqWriter *writer = open_writer (4, 0);
  OctDaqReader *reader = open_reader ();
  OctDaqHeader other = make_ring (3, 0);

  write_blocks (writer, 0, 2);
  oct_daq_close (writer);
  /* what was published is there after the end */
  read_block (reader, 0);
  read_block (reader, 1);
  g_assert_cmpint (read_status (reader, LONG), ==, OCT_DAQ_ENDED);
  oct_daq_reader_close (reader);
  other.samples = 3000;
  other.sample_format = OCT_DAQ_F32;
  writer = oct_daq_open (oct_test_path ("socket"), &other, NULL, NULL);
  g_assert_nonnull (writer);
  reader = open_reader ();
  g_assert_cmpuint (oct_daq_reader_header (reader)->samples, ==, 3000);
  memset (oct_daq_claim (writer, 0), 1, (gsize)3000 * LINES * 4);
  oct_daq_publish (writer, NULL);
  g_assert_cmpint (read_status (reader, LONG), ==, OCT_DAQ_BLOCK);
  oct_daq_reader_close (reader);
  oct_daq_close (writer);
}

static void
refuse_writer (const char *path, const OctDaqHeader *ring, const char *word)
{
  char error[OCT_DAQ_ERROR] = "";

  g_assert_null (oct_daq_open (path, ring, NULL, error));
  g_test_message ("%s", error);
  g_assert_nonnull (strstr (error, word));
}

static void
test_refused_writers (void)
{
  g_autofree char *path = g_strdup (oct_test_path ("socket"));
  OctDaqWriter *writer = open_writer (4, 0);
  OctDaqHeader ring = make_ring (4, 0);
  char longest[200];

  refuse_writer (path, &ring, "end the program that has it");
  oct_daq_close (writer);
  memset (longest, 'x', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  refuse_writer (longest, &ring, "199 bytes");
  refuse_writer ("", &ring, "0 bytes");
  refuse_writer ("/proc/none/socket", &ring, "a folder that this user");
  /* a file of the user stays */
  oct_test_write ("file", "x", 1);
  refuse_writer (oct_test_path ("file"), &ring, "set another path");
  g_assert_true (g_file_test (oct_test_path ("file"), G_FILE_TEST_EXISTS));
  ring.samples = 0;
  refuse_writer (path, &ring, "samples 0");
  ring = make_ring (1, 0);
  refuse_writer (path, &ring, "blocks 1");
  ring = make_ring (4, 0);
  ring.sample_format = 9;
  refuse_writer (path, &ring, "sample_format 9");
  ring = make_ring (4, 0);
  ring.line_rate = NAN;
  refuse_writer (path, &ring, "line_rate");
  ring = make_ring (4, 0);
  ring.calibration_columns = 1;
  refuse_writer (path, &ring, "calibration");
  /* 2^41 bytes a block */
  ring = make_ring (64, 0);
  ring.samples = OCT_DAQ_MAX_SAMPLES;
  ring.lines = OCT_DAQ_MAX_LINES;
  ring.bscan_lines = 1;
  ring.channels = OCT_DAQ_CHANNELS;
  ring.sample_format = OCT_DAQ_F32;
  refuse_writer (path, &ring, "shared memory");
}

/* ---------------------------------------------------------------- two processes
 */

/* A child process: returns 0 in it. */
static pid_t
fork_child (void)
{
  pid_t pid = fork ();

  g_assert_cmpint (pid, >=, 0);
  return pid;
}

static void
end_child (pid_t pid, int signal)
{
  int status;

  if (signal != 0)
    kill (pid, signal);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  if (signal == 0)
    g_assert_cmpint (status, ==, 0);
}

/* As the child has begun to listen, or is about to. */
static OctDaqReader *
open_reader_soon (void)
{
  for (guint i = 0; i < LONG; i++) {
    char error[OCT_DAQ_ERROR] = "";
    OctDaqReader *reader =
        oct_daq_reader_open (oct_test_path ("socket"), LONG, error);

    if (reader != NULL)
      return reader;
    if (errno != ENOENT && errno != ECONNREFUSED)
      g_error ("%s", error);
    g_usleep (1000);
  }
  g_assert_not_reached ();
}

static void
test_processes (void)
{
  const guint count = 5000;
  OctDaqReader *reader;
  pid_t child;

  oct_test_path ("socket");
  child = fork_child ();
  if (child == 0) {
    OctDaqWriter *writer = open_writer (4, OCT_DAQ_LOSSLESS);

    oct_daq_wait_for_readers (writer, 1, -1);
    write_blocks (writer, 0, count);
    oct_daq_close (writer);
    _exit (0);
  }
  reader = open_reader_soon ();
  for (guint i = 0; i < count; i++)
    read_block (reader, i);
  g_assert_cmpint (read_status (reader, LONG), ==, OCT_DAQ_ENDED);
  g_assert_cmpuint (oct_daq_reader_missed (reader), ==, 0);
  oct_daq_reader_close (reader);
  end_child (child, 0);
}

/* Writes until it is killed. */
static void
write_for_ever (guint32 blocks, guint32 flags)
{
  OctDaqWriter *writer = open_writer (blocks, flags);

  for (guint64 line = 0;; line += LINES)
    write_block (writer, line, -1);
}

/* All that a reader sees until the writer is dead is right. */
static void
read_until_death (OctDaqReader *reader, pid_t child, GRand *random)
{
  gint64 end = g_get_monotonic_time () + g_rand_int_range (random, 0, 2000);
  gboolean killed = FALSE;
  OctDaqStatus status;
  OctDaqBlock head;

  for (;;) {
    status = oct_daq_reader_wait (reader, LONG, &head);
    if (status != OCT_DAQ_BLOCK)
      break;
    check_block (reader, &head);
    oct_daq_reader_next (reader);
    if (!killed && g_get_monotonic_time () >= end) {
      end_child (child, SIGKILL);
      killed = TRUE;
    }
  }
  g_assert_true (killed);
  g_assert_cmpint (status, ==, OCT_DAQ_GONE);
}

static void
test_kill_writer (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  oct_test_path ("socket");
  for (guint i = 0; i < KILLS; i++) {
    pid_t child = fork_child ();
    OctDaqReader *reader;

    if (child == 0)
      write_for_ever (2 + i % 3, i % 2);
    reader = open_reader_soon ();
    read_until_death (reader, child, random);
    oct_daq_reader_close (reader);
  }
}

/* Reads until it is killed; says through `ready` that it has begun. */
static void
read_for_ever (int ready)
{
  OctDaqReader *reader = open_reader_soon ();
  OctDaqBlock head;

  g_assert_cmpint (write (ready, "x", 1), ==, 1);
  for (;;)
    if (oct_daq_reader_wait (reader, -1, &head) == OCT_DAQ_BLOCK) {
      check_block (reader, &head);
      oct_daq_reader_next (reader);
    }
}

/* A lossless writer goes on, whenever its reader dies. */
static void
test_kill_reader (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (8);
  OctDaqReader *reader;
  pid_t writer;
  int pipes[2];
  char x;

  oct_test_path ("socket");
  g_assert_cmpint (pipe (pipes), ==, 0);
  writer = fork_child ();
  if (writer == 0)
    write_for_ever (3, OCT_DAQ_LOSSLESS);
  for (guint i = 0; i < KILLS; i++) {
    pid_t child = fork_child ();

    if (child == 0)
      read_for_ever (pipes[1]);
    g_assert_cmpint (read (pipes[0], &x, 1), ==, 1);
    g_usleep ((gulong)g_rand_int_range (random, 0, 2000));
    end_child (child, SIGKILL);
  }
  reader = open_reader_soon ();
  for (guint i = 0; i < 100; i++) {
    OctDaqBlock head;

    g_assert_cmpint (
        oct_daq_reader_wait (reader, LONG, &head), ==, OCT_DAQ_BLOCK);
    g_assert_true (check_block (reader, &head));
    oct_daq_reader_next (reader);
  }
  g_assert_cmpuint (oct_daq_reader_missed (reader), ==, 0);
  oct_daq_reader_close (reader);
  end_child (writer, SIGKILL);
  close (pipes[0]);
  close (pipes[1]);
}

/* ------------------------------------------------------------------------- lies
 */

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/* A copy of the memory of a ring, which can be changed. */
static guint8 *
copy_ring (gsize *size)
{
  OctDaqWriter *writer = open_writer (4, 0);
  const OctDaqHeader *h = oct_daq_header (writer);
  guint8 *copy = g_malloc0 (h->size);

  write_blocks (writer, 0, 3);
  *size = h->size;
  memcpy (copy, h, sizeof *h);
  oct_daq_close (writer);
  return copy;
}

static int
make_memory (const guint8 *ring, gsize size, gsize real, int seals)
{
  int fd = memfd_create ("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  g_assert_cmpint (write (fd, ring, size), ==, (gssize)size);
  if (real != size)
    g_assert_cmpint (ftruncate (fd, (off_t)real), ==, 0);
  if (seals != 0)
    g_assert_cmpint (fcntl (fd, F_ADD_SEALS, seals), ==, 0);
  return fd;
}

static void
refuse_memory (int fd, guint place, const char *word)
{
  char error[OCT_DAQ_ERROR] = "";

  g_assert_null (oct_daq_reader_open_memory (fd, -1, place, error));
  g_assert_cmpint (errno, ==, EPROTO);
  g_test_message ("%s", error);
  g_assert_nonnull (strstr (error, word));
}

/* Each of these fields, with each of these values, is refused: none may be
 * larger than the memory, or wrap around. */
static void
test_lying_header (void)
{
#define FIELD(member)                                                          \
  {                                                                            \
#    member, offsetof(OctDaqHeader, member),                                   \
        sizeof(((OctDaqHeader *)0)->member)                                    \
  }
  static const struct {
    const char *name;
    gsize offset, size;
  } fields[] = { FIELD (magic), FIELD (version), FIELD (size),
    FIELD (writer_offset), FIELD (readers_offset), FIELD (heads_offset),
    FIELD (blocks_offset), FIELD (block_stride), FIELD (blocks),
    FIELD (sample_format), FIELD (samples), FIELD (lines), FIELD (channels),
    FIELD (axis), FIELD (bscan_lines), FIELD (repeats), FIELD (readers),
    FIELD (line_rate), FIELD (wavelength_last), FIELD (calibration_columns),
    FIELD (channel_kind[0]) };
  static const guint64 values[] = { G_MAXUINT64, G_MAXUINT64 / 2 + 2,
    G_MAXUINT64 - 65535, 0x7ff0000000000001 };
  gsize size;
  g_autofree guint8 *ring = copy_ring (&size);
  OctDaqReader *reader;

  reader = oct_daq_reader_open_memory (
      make_memory (ring, size, size, SEALS), -1, 0, NULL);
  g_assert_nonnull (reader);
  oct_daq_reader_close (reader);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    for (guint j = 0; j < G_N_ELEMENTS (values); j++) {
      g_autofree guint8 *lie = g_memdup2 (ring, size);
      guint64 value = values[j];

      /* the upper half is the value of a member of 32 bits */
      if (fields[i].size == 4)
        value >>= 32;
      memcpy (lie + fields[i].offset, &value, MIN (fields[i].size, 8));
      g_test_message ("%s: %" G_GUINT64_FORMAT, fields[i].name, value);
      refuse_memory (
          make_memory (lie, size, size, SEALS), 0, "ring of A-lines");
    }
  refuse_memory (make_memory (ring, size, size, SEALS), 8, "");
}

static void
test_wrong_memory (void)
{
  gsize size;
  g_autofree guint8 *ring = copy_ring (&size);
  int pipes[2];

  /* that could shrink, has a hole, is not as long as it says, is none at all */
  refuse_memory (make_memory (ring, size, size, 0), 0, "sealed");
  refuse_memory (make_memory (ring, 512, size, SEALS), 0, "reserved");
  refuse_memory (
      make_memory (ring, size - 65536, size - 65536, SEALS), 0, "do not fit");
  refuse_memory (make_memory (ring, 100, 100, SEALS), 0, "memfd");
  refuse_memory (open (oct_test_write ("file", ring, size), O_RDWR | O_CLOEXEC),
      0, "memfd");
  g_assert_cmpint (pipe (pipes), ==, 0);
  refuse_memory (pipes[0], 0, "memfd");
  close (pipes[1]);
}

/* Counters and heads that lie: no block comes of it, and no endless loop. */
static void
test_lying_counters (void)
{
  static const guint64 published[] = { 1, 4, 5, 1000, G_MAXUINT64 };
  gsize size;
  g_autofree guint8 *ring = copy_ring (&size);

  for (guint i = 0; i < G_N_ELEMENTS (published); i++) {
    g_autofree guint8 *lie = g_memdup2 (ring, size);
    const OctDaqHeader *h = (const OctDaqHeader *)lie;
    OctDaqReader *reader;
    OctDaqBlock head;

    ((OctDaqWriterLine *)(lie + h->writer_offset))->published = published[i];
    /* blocks of another time */
    for (guint b = 0; b < h->blocks; b++)
      ((OctDaqBlock *)(lie + h->heads_offset))[b].sequence = 77 + b;
    reader = oct_daq_reader_open_memory (
        make_memory (lie, size, size, SEALS), -1, 0, NULL);
    g_assert_nonnull (reader);
    g_assert_cmpint (
        oct_daq_reader_wait (reader, 50, &head), ==, OCT_DAQ_TIMEOUT);
    oct_daq_reader_close (reader);
  }
}

/* ---------------------------------------------------------------------- foreign
 */

typedef enum { SILENT, NONSENSE, NO_MEMORY, HANGS_UP } Foreign;

static void
answer (int fd, Foreign kind)
{
  OctDaqMessage message = { .version = OCT_DAQ_VERSION };

  memcpy (message.magic, OCT_DAQ_MAGIC, sizeof message.magic);
  if (kind == NONSENSE)
    g_assert_cmpint (send (fd, "hello", 5, 0), ==, 5);
  if (kind == NO_MEMORY)
    g_assert_cmpint (
        send (fd, &message, sizeof message, 0), ==, sizeof message);
}

/* Others that listen at the socket. */
static void
test_foreign_socket (void)
{
  static const int expected[] = { ETIMEDOUT, EPROTO, EPROTO, ECONNREFUSED };
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int listener = socket (AF_UNIX, SOCK_SEQPACKET, 0);

  g_strlcpy (
      address.sun_path, oct_test_path ("foreign"), sizeof address.sun_path);
  g_assert_cmpint (
      bind (listener, (struct sockaddr *)&address, sizeof address), ==, 0);
  g_assert_cmpint (listen (listener, 1), ==, 0);
  for (guint kind = SILENT; kind <= HANGS_UP; kind++) {
    pid_t child = fork_child ();
    char error[OCT_DAQ_ERROR] = "";
    int fd;

    if (child == 0) {
      g_assert_null (oct_daq_reader_open (
          address.sun_path, kind == SILENT ? 50 : LONG, error));
      g_assert_cmpint (errno, ==, expected[kind]);
      g_assert_nonnull (strstr (error, address.sun_path));
      _exit (0);
    }
    fd = accept (listener, NULL, NULL);
    g_assert_cmpint (fd, >=, 0);
    answer (fd, (Foreign)kind);
    if (kind == HANGS_UP)
      close (fd);
    end_child (child, 0);
    if (kind != HANGS_UP)
      close (fd);
  }
  close (listener);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/daq/header", test_header);
  g_test_add_func ("/daq/slow-reader", test_slow_reader);
  g_test_add_func ("/daq/overwritten", test_overwritten);
  g_test_add_func ("/daq/lost", test_lost);
  g_test_add_func ("/daq/two-readers", test_two_readers);
  g_test_add_func ("/daq/too-many-readers", test_too_many_readers);
  g_test_add_func ("/daq/restart", test_restart);
  g_test_add_func ("/daq/refused-writers", test_refused_writers);
  g_test_add_func ("/daq/processes", test_processes);
  g_test_add_func ("/daq/kill-writer", test_kill_writer);
  g_test_add_func ("/daq/kill-reader", test_kill_reader);
  g_test_add_func ("/daq/lying-header", test_lying_header);
  g_test_add_func ("/daq/wrong-memory", test_wrong_memory);
  g_test_add_func ("/daq/lying-counters", test_lying_counters);
  g_test_add_func ("/daq/foreign-socket", test_foreign_socket);
  result = g_test_run ();
  oct_test_clean ();
  return result;
}
