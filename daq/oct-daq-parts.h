/* SPDX-License-Identifier: MIT */
/* Shared by writers and readers of liboctdaq; not for programs. */
#ifndef OCT_DAQ_PARTS_H
#define OCT_DAQ_PARTS_H

#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include "oct-daq.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#  error "liboctdaq is for little endian computers"
#endif

_Static_assert(sizeof (OctDaqHeader) == 512, "");
_Static_assert(offsetof (OctDaqHeader, line_rate) == 104, "");
_Static_assert(offsetof (OctDaqHeader, name) == 192, "");
_Static_assert(offsetof (OctDaqHeader, channel_name) == 288, "");
_Static_assert(sizeof (OctDaqBlock) == 64, "");
_Static_assert(sizeof (OctDaqWriterLine) == 64, "");
_Static_assert(sizeof (OctDaqReaderLine) == 64, "");
_Static_assert(sizeof (OctDaqMessage) == 32, "");

#define MAX_SIZE ((uint64_t)1 << 46)
#define ALL_COLUMNS 15u
/* How long a process sleeps before it looks whether the other one lives. */
#define SLICE 20

/* -------------------------------------------------------------------- helpers */

static inline void daq_say (char *error, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

static inline void
daq_say (char *error, const char *format, ...)
{
  int saved = errno;
  va_list values;

  if (error != NULL) {
    va_start (values, format);
    vsnprintf (error, OCT_DAQ_ERROR, format, values);
    va_end (values);
  }
  errno = saved;
}

static inline void
daq_close (int *fd)
{
  int saved = errno;

  if (*fd >= 0)
    close (*fd);
  *fd = -1;
  errno = saved;
}

static inline int64_t
daq_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* -1: never */
static inline int64_t
daq_deadline (int timeout)
{
  return timeout < 0 ? -1 : daq_now () + (int64_t)timeout * 1000000;
}

/* ms, at most `most`; 0: it is over. */
static inline int
daq_left (int64_t deadline, int most)
{
  int64_t left;

  if (deadline < 0)
    return most;
  left = (deadline - daq_now () + 999999) / 1000000;
  return left <= 0 ? 0 : left < most ? (int)left : most;
}

static inline void
daq_futex_wait (const uint32_t *word, uint32_t value, int ms)
{
  const struct timespec time = { ms / 1000, (long)(ms % 1000) * 1000000 };

  syscall (SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0);
}

static inline void
daq_futex_wake (uint32_t *word)
{
  __atomic_fetch_add (word, 1, __ATOMIC_RELEASE);
  syscall (SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static inline uint64_t
daq_align (uint64_t size, uint64_t to)
{
  return (size + to - 1) / to * to;
}

/* --------------------------------------------------------------------- header */

static const unsigned sample_sizes[OCT_DAQ_FORMATS] = { 1, 2, 2, 4 };

static inline uint64_t
daq_channel_size (const OctDaqHeader *h)
{
  return (uint64_t)h->samples * h->lines * sample_sizes[h->sample_format];
}

static inline unsigned
daq_count_columns (uint32_t columns)
{
  return (unsigned)__builtin_popcount (columns);
}

static inline const char *
daq_find_wrong_number (const OctDaqHeader *h)
{
  const struct {
    const char *name;
    double value;
  } numbers[] = { { "line_rate", h->line_rate },
    { "bscan_rate", h->bscan_rate }, { "tick_rate", h->tick_rate },
    { "wavelength_first", h->wavelength_first },
    { "wavelength_last", h->wavelength_last }, { "x_spacing", h->x_spacing },
    { "y_spacing", h->y_spacing } };

  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!isfinite (numbers[i].value) || numbers[i].value < 0
        || numbers[i].value > 1e12)
      return numbers[i].name;
  return NULL;
}

/* The member that is out of its limits. */
static inline int
daq_check_limits (const OctDaqHeader *h, char *error)
{
  const struct {
    const char *name;
    unsigned value, least, most;
  } rows[] = { { "sample_format", h->sample_format, 0, OCT_DAQ_FORMATS - 1 },
    { "samples", h->samples, 1, OCT_DAQ_MAX_SAMPLES },
    { "lines", h->lines, 1, OCT_DAQ_MAX_LINES },
    { "channels", h->channels, 1, OCT_DAQ_CHANNELS }, { "axis", h->axis, 0, 1 },
    { "bscan_lines", h->bscan_lines, 1, OCT_DAQ_MAX_SAMPLES },
    { "bscans", h->bscans, 0, INT_MAX },
    { "repeats", h->repeats, 1, OCT_DAQ_MAX_SAMPLES },
    { "blocks", h->blocks, 2, OCT_DAQ_MAX_BLOCKS },
    { "calibration_columns", h->calibration_columns, 0, ALL_COLUMNS } };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].value < rows[i].least || rows[i].value > rows[i].most) {
      daq_say (error,
          "A ring of A-lines has %s %u, but it has to be %u to %u; set it in "
          "the program of the digitizer.",
          rows[i].name, rows[i].value, rows[i].least, rows[i].most);
      return 0;
    }
  return 1;
}

/* The data as a writer describes them; sizes stay below 2^41. */
static inline int
daq_check_data (const OctDaqHeader *h, char *error)
{
  const char *wrong = daq_find_wrong_number (h);

  if (!daq_check_limits (h, error))
    return 0;
  for (unsigned i = 0; i < h->channels; i++)
    if (h->channel_kind[i] >= OCT_DAQ_KINDS) {
      daq_say (error,
          "A ring of A-lines has channel_kind[%u] %u, but kinds are 0 to %u; "
          "set it in the program of the digitizer.",
          i, h->channel_kind[i], OCT_DAQ_KINDS - 1);
      return 0;
    }
  if (wrong == NULL)
    return 1;
  daq_say (error,
      "A ring of A-lines has %s out of the range from 0 to 1e12; set it in the "
      "program of the digitizer.",
      wrong);
  return 0;
}

static inline int
daq_address (const char *path, struct sockaddr_un *address, char *error)
{
  size_t length = strlen (path);

  *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
  if (length > 0 && length < sizeof address->sun_path) {
    memcpy (address->sun_path, path, length);
    return 1;
  }
  errno = ENAMETOOLONG;
  daq_say (error,
      "The path of the socket has %zu bytes, but it can have 1 to %zu; set a "
      "shorter one.",
      length, sizeof address->sun_path - 1);
  return 0;
}

#endif
