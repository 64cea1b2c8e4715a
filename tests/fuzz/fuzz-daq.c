/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as the memory of a ring: header, line of the writer, heads of
 * blocks. It is refused with a sentence, or all that it promises can be
 * read. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE /* memfd_create() */
#endif
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "oct-daq.h"

#define SIZE (5 * OCT_DAQ_ALIGNMENT)

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* The parts where oct_daq_open() puts them. */
static int
make_ring (const guint8 *data, gsize size)
{
  static const struct {
    gsize offset, size;
  } parts[] = { { 0, sizeof (OctDaqHeader) },
    { OCT_DAQ_ALIGNMENT, sizeof (OctDaqWriterLine) },
    { 3 * OCT_DAQ_ALIGNMENT, 2 * sizeof (OctDaqBlock) } };
  int fd = memfd_create ("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (fallocate (fd, 0, 0, SIZE), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    gsize count = MIN (size, parts[i].size);

    g_assert_cmpint (
        pwrite (fd, data, count, (off_t)parts[i].offset), ==, (gssize)count);
    data += count;
    size -= count;
  }
  g_assert_cmpint (fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK), ==, 0);
  return fd;
}

static guint
add_up (const void *data, gsize size)
{
  guint sum = 0;

  for (gsize i = 0; i < size; i++)
    sum += ((const guint8 *)data)[i];
  return sum;
}

static guint
read_all (OctDaqReader *reader)
{
  static const guint sizes[OCT_DAQ_FORMATS] = { 1, 2, 2, 4 };
  const OctDaqHeader *h = oct_daq_reader_header (reader);
  gsize channel = (gsize)h->samples * h->lines * sizes[h->sample_format];
  OctDaqBlock head;
  guint sum = 0;

  for (guint column = 1; column <= OCT_DAQ_BACKGROUND; column *= 2) {
    const double *values = oct_daq_reader_calibration (reader, column);

    if (values != NULL)
      sum += add_up (values, h->samples * sizeof *values);
  }
  for (guint n = 0;
       n < 4 && oct_daq_reader_wait (reader, 0, &head) == OCT_DAQ_BLOCK; n++) {
    for (guint i = 0; i < h->channels; i++)
      sum += add_up (oct_daq_reader_data (reader, i), channel);
    g_assert_true (oct_daq_reader_holds (reader));
    oct_daq_reader_next (reader);
  }
  return sum;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static volatile guint sum;
  char error[OCT_DAQ_ERROR] = "";
  OctDaqReader *reader = oct_daq_reader_open_memory (
      make_ring (data, size), -1, size % OCT_DAQ_READERS, error);

  if (reader == NULL) {
    g_assert_true (g_utf8_validate (error, -1, NULL));
    /* for replay --tell */
    g_debug ("refused: %s", error);
    return 0;
  }
  sum += read_all (reader);
  oct_daq_reader_close (reader);
  return 0;
}
