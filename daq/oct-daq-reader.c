/* SPDX-License-Identifier: MIT */
/* The reader's side; oct-daq.c says what the order of memory is. */
#include "oct-daq-parts.h"

/* Blocks that are overwritten at the moment when they are asked for, until a
 * reader that does not want to wait gives up. */
#define TRIES 16

static int
daq_fits (uint64_t offset, uint64_t count, uint64_t each, uint64_t alignment,
    uint64_t size)
{
  return offset % alignment == 0 && offset <= size
         && count <= (size - offset) / each;
}

/* Where the parts are, in a memory of `size` bytes. */
static int
daq_check_layout (const OctDaqHeader *h, uint64_t size)
{
  unsigned columns = daq_count_columns (h->calibration_columns);

  return h->size == size && size <= MAX_SIZE && h->header_size >= sizeof *h
         && h->header_size <= size && h->readers >= 1
         && h->readers <= OCT_DAQ_READERS
         && daq_fits (
             h->writer_offset, 1, OCT_DAQ_ALIGNMENT, OCT_DAQ_ALIGNMENT, size)
         && daq_fits (
             h->readers_offset, 1, OCT_DAQ_ALIGNMENT, OCT_DAQ_ALIGNMENT, size)
         && daq_fits (
             h->heads_offset, h->blocks, sizeof (OctDaqBlock), 64, size)
         && h->block_stride % 64 == 0
         && h->block_stride >= daq_channel_size (h) * h->channels
         && daq_fits (h->blocks_offset, h->blocks, h->block_stride, 64, size)
         && (columns == 0
             || daq_fits (h->calibration_offset, columns,
                 h->samples * sizeof (double), 8, size));
}

/* A header that was read, before anything is made of it. */
static int
daq_check (const OctDaqHeader *h, uint64_t size, char *error)
{
  if (memcmp (h->magic, OCT_DAQ_MAGIC, sizeof h->magic) != 0) {
    daq_say (error, "What was passed through the socket is not a ring of "
                    "A-lines; set the socket of a program for a digitizer.");
    return 0;
  }
  if (h->version != OCT_DAQ_VERSION) {
    daq_say (error,
        "The ring of A-lines has version %u, but this program reads version "
        "%u; use the same liboctdaq on both sides.",
        h->version, OCT_DAQ_VERSION);
    return 0;
  }
  if (!daq_check_data (h, error))
    return 0;
  if (daq_check_layout (h, size))
    return 1;
  daq_say (error,
      "The ring of A-lines has parts that do not fit into its %llu bytes; its "
      "header is wrong, look into the program of the digitizer.",
      (unsigned long long)size);
  return 0;
}

/* --------------------------------------------------------------------- reader */

struct OctDaqReader {
  OctDaqHeader header;
  double *calibration;
  const uint8_t *map;
  const OctDaqWriterLine *writer;
  OctDaqReaderLine *page, *own; /* of all readers, and of this one */
  int memory, socket;
  int hung_up;
  uint64_t next; /* number of the block to read */
  uint64_t missed;
};

static void
daq_free_reader (OctDaqReader *r)
{
  int saved = errno;

  if (r->map != NULL)
    munmap ((void *)r->map, r->header.size);
  if (r->page != NULL)
    munmap (r->page, OCT_DAQ_ALIGNMENT);
  daq_close (&r->socket);
  daq_close (&r->memory);
  free (r->calibration);
  free (r);
  errno = saved;
}

/* All of the memory is there, and nobody can take it away. */
static int
daq_check_memory (int memory, uint64_t *size, char *error)
{
  int seals = fcntl (memory, F_GET_SEALS);
  struct stat is;

  if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat (memory, &is) != 0
      || is.st_size < (off_t)sizeof (OctDaqHeader)
      || (uint64_t)is.st_blocks * 512 < (uint64_t)is.st_size) {
    daq_say (error,
        "What was passed through the socket is not memory of a ring "
        "of A-lines: a memfd, all of it reserved, sealed against "
        "shrinking; use liboctdaq in the program of the digitizer.");
    return 0;
  }
  *size = (uint64_t)is.st_size;
  return 1;
}

static int
daq_map (OctDaqReader *r, unsigned place, char *error)
{
  void *all, *page;

  /* what is read only cannot be damaged by a reader */
  all = mmap (
      NULL, r->header.size, PROT_READ, MAP_SHARED | MAP_POPULATE, r->memory, 0);
  if (all != MAP_FAILED)
    r->map = all;
  page = all == MAP_FAILED
             ? MAP_FAILED
             : mmap (NULL, OCT_DAQ_ALIGNMENT, PROT_READ | PROT_WRITE,
                 MAP_SHARED, r->memory, (off_t)r->header.readers_offset);
  if (page == MAP_FAILED) {
    daq_say (error,
        "The ring of A-lines cannot be mapped (%s); end other programs.",
        strerror (errno));
    return 0;
  }
  r->page = page;
  r->own = r->page + place;
  r->writer = (const void *)(r->map + r->header.writer_offset);
  return 1;
}

static int
daq_copy_calibration (OctDaqReader *r)
{
  size_t size = daq_count_columns (r->header.calibration_columns)
                * r->header.samples * sizeof (double);

  if (size == 0)
    return 1;
  r->calibration = malloc (size);
  if (r->calibration != NULL)
    memcpy (r->calibration, r->map + r->header.calibration_offset, size);
  return r->calibration != NULL;
}

OctDaqReader *
oct_daq_reader_open_memory (
    int memory, int connection, unsigned place, char *error)
{
  OctDaqReader *r = calloc (1, sizeof *r);
  uint64_t size = 0;

  if (r == NULL) {
    daq_close (&memory);
    daq_close (&connection);
    daq_say (error, "No memory for a reader; end other programs.");
    return NULL;
  }
  r->memory = memory;
  r->socket = connection;
  errno = EPROTO;
  if (!daq_check_memory (memory, &size, error)) {
    daq_free_reader (r);
    errno = EPROTO;
    return NULL;
  }
  /* a copy: what is checked cannot change afterwards */
  if (pread (memory, &r->header, sizeof r->header, 0) != sizeof r->header)
    memset (&r->header, 0, sizeof r->header);
  r->header.name[sizeof r->header.name - 1] = '\0';
  for (unsigned i = 0; i < OCT_DAQ_CHANNELS; i++)
    r->header.channel_name[i][sizeof r->header.channel_name[i] - 1] = '\0';
  if (!daq_check (&r->header, size, error) || place >= r->header.readers
      || !daq_map (r, place, error) || !daq_copy_calibration (r)) {
    daq_free_reader (r);
    errno = EPROTO;
    return NULL;
  }
  r->next = __atomic_load_n (&r->own->position, __ATOMIC_ACQUIRE);
  return r;
}

/* Keeps the first file that came, and closes the others. */
static int
daq_take_files (struct msghdr *head)
{
  int kept = -1;

  for (struct cmsghdr *c = CMSG_FIRSTHDR (head); c != NULL;
       c = CMSG_NXTHDR (head, c)) {
    size_t count = (c->cmsg_len - CMSG_LEN (0)) / sizeof (int);

    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    for (size_t i = 0; i < count; i++) {
      int fd;

      memcpy (&fd, CMSG_DATA (c) + i * sizeof fd, sizeof fd);
      if (kept < 0)
        kept = fd;
      else
        close (fd);
    }
  }
  return kept;
}

/* Bytes received, as recvmsg(). */
static ssize_t
daq_receive (int fd, OctDaqMessage *message, int *memory)
{
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE (4 * sizeof (int))];
  } control;
  struct iovec data = { message, sizeof *message };
  struct msghdr head = { .msg_iov = &data,
    .msg_iovlen = 1,
    .msg_control = control.bytes,
    .msg_controllen = sizeof control.bytes };
  ssize_t size = recvmsg (fd, &head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

  *memory = size < 0 ? -1 : daq_take_files (&head);
  return size;
}

static void
daq_say_absent (const char *path, char *error)
{
  daq_say (error,
      "Nothing answers at the socket %s (%s); start the program of the "
      "digitizer, or set the path of its socket.",
      path, strerror (errno));
}

static int
daq_connect (const char *path, char *error)
{
  struct sockaddr_un address;
  int fd;

  if (!daq_address (path, &address, error))
    return -1;
  fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && connect (fd, (const void *)&address, sizeof address) == 0)
    return fd;
  daq_close (&fd);
  /* too many wait: as one that is slow to answer */
  if (errno == EAGAIN)
    errno = ETIMEDOUT;
  daq_say_absent (path, error);
  return -1;
}

OctDaqReader *
oct_daq_reader_open (const char *path, int timeout, char *error)
{
  const int64_t deadline = daq_deadline (timeout);
  OctDaqMessage message = { 0 };
  int fd = daq_connect (path, error), memory = -1;
  ssize_t size = -1;

  if (fd < 0)
    return NULL;
  for (errno = EAGAIN; size < 0 && errno == EAGAIN;) {
    struct pollfd ready = { fd, POLLIN, 0 };
    int left = daq_left (deadline, 1000);

    poll (&ready, 1, left);
    size = daq_receive (fd, &message, &memory);
    if (size < 0 && errno == EAGAIN && left == 0)
      errno = ETIMEDOUT;
  }
  if (size <= 0) {
    daq_close (&fd);
    /* it has ended meanwhile */
    if (size == 0 || errno == ECONNRESET)
      errno = ECONNREFUSED;
    daq_say_absent (path, error);
    return NULL;
  }
  if (size == sizeof message && message.status == 0 && memory >= 0
      && memcmp (message.magic, OCT_DAQ_MAGIC, sizeof message.magic) == 0)
    return oct_daq_reader_open_memory (memory, fd, message.reader, error);
  daq_close (&fd);
  daq_close (&memory);
  errno = size == sizeof message && message.status != 0 ? EBUSY : EPROTO;
  if (errno == EBUSY)
    daq_say (error, "The ring at %s has %u readers already; end one of them.",
        path, OCT_DAQ_READERS);
  else
    daq_say (error,
        "What answers at the socket %s is not a ring of A-lines; set the "
        "socket of a program for a digitizer.",
        path);
  return NULL;
}

const OctDaqHeader *
oct_daq_reader_header (const OctDaqReader *r)
{
  return &r->header;
}

const double *
oct_daq_reader_calibration (const OctDaqReader *r, uint32_t column)
{
  uint32_t columns = r->header.calibration_columns;

  if ((columns & column) == 0)
    return NULL;
  return r->calibration
         + (size_t)daq_count_columns (columns & (column - 1))
               * r->header.samples;
}

static void
daq_set_next (OctDaqReader *r, uint64_t next)
{
  r->next = next;
  __atomic_store_n (&r->own->position, next, __ATOMIC_RELEASE);
  if (r->header.flags & OCT_DAQ_LOSSLESS)
    daq_futex_wake (&r->own->wake);
}

static const OctDaqBlock *
daq_reader_head (const OctDaqReader *r)
{
  return (const OctDaqBlock *)(r->map + r->header.heads_offset)
         + r->next % r->header.blocks;
}

int
oct_daq_reader_holds (const OctDaqReader *r)
{
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
  return __atomic_load_n (&daq_reader_head (r)->sequence, __ATOMIC_RELAXED)
         == r->next + 1;
}

/* FALSE: it is another block, or it is being filled. */
static int
daq_copy_head (const OctDaqReader *r, OctDaqBlock *head)
{
  const OctDaqBlock *there = daq_reader_head (r);

  if (__atomic_load_n (&there->sequence, __ATOMIC_ACQUIRE) != r->next + 1)
    return 0;
  memcpy (head, there, sizeof *head);
  return oct_daq_reader_holds (r);
}

/* Goes on with a block that is not overwritten soon; counts the others. */
static void
daq_jump (OctDaqReader *r, uint64_t published)
{
  uint64_t keep = r->header.blocks / 2;
  uint64_t next = published > keep ? published - keep : 0;

  if (next <= r->next)
    next = r->next + 1;
  r->missed += next - r->next;
  daq_set_next (r, next);
}

static int
daq_is_hung_up (OctDaqReader *r)
{
  struct pollfd other = { r->socket, POLLIN, 0 };

  if (!r->hung_up && r->socket >= 0)
    r->hung_up = poll (&other, 1, 0) > 0;
  return r->hung_up;
}

static int
daq_has_ended (const OctDaqReader *r)
{
  return __atomic_load_n (&r->writer->ended, __ATOMIC_ACQUIRE) == 1;
}

OctDaqStatus
oct_daq_reader_wait (OctDaqReader *r, int timeout, OctDaqBlock *head)
{
  const int64_t deadline = daq_deadline (timeout);
  int gone = 0, tries = TRIES;

  for (;;) {
    uint32_t wake = __atomic_load_n (&r->writer->wake, __ATOMIC_ACQUIRE);
    uint64_t published =
        __atomic_load_n (&r->writer->published, __ATOMIC_ACQUIRE);
    int left = daq_left (deadline, SLICE);

    if (published > r->next) {
      if (published - r->next <= r->header.blocks && daq_copy_head (r, head))
        return OCT_DAQ_BLOCK;
      /* overwritten; a ring that lies can have such blocks for ever */
      daq_jump (r, published);
      if (left > 0 || tries-- > 0)
        continue;
      return OCT_DAQ_TIMEOUT;
    }
    /* what a writer has published before it ended is seen after that */
    if (gone)
      return daq_has_ended (r) ? OCT_DAQ_ENDED : OCT_DAQ_GONE;
    gone = daq_has_ended (r) || daq_is_hung_up (r);
    if (gone)
      continue;
    if (left == 0)
      return OCT_DAQ_TIMEOUT;
    daq_futex_wait (&r->writer->wake, wake, left);
  }
}

const void *
oct_daq_reader_data (const OctDaqReader *r, unsigned channel)
{
  return r->map + r->header.blocks_offset
         + r->next % r->header.blocks * r->header.block_stride
         + channel * daq_channel_size (&r->header);
}

void
oct_daq_reader_next (OctDaqReader *r)
{
  daq_set_next (r, r->next + 1);
}

void
oct_daq_reader_skip (OctDaqReader *r)
{
  daq_set_next (r, __atomic_load_n (&r->writer->published, __ATOMIC_ACQUIRE));
}

uint64_t
oct_daq_reader_missed (const OctDaqReader *r)
{
  return r->missed;
}

void
oct_daq_reader_close (OctDaqReader *r)
{
  if (r != NULL)
    daq_free_reader (r);
}
