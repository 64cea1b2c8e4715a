/* SPDX-License-Identifier: MIT */
/* Order of memory: a block is protected as by a seqlock (Boehm: Can seqlocks
 * get along with programming language memory models?, MSPC 2012).  The writer
 * stores sequence 0, a fence, the samples, then the sequence (release).  A
 * reader loads the sequence (acquire), copies, a fence, and loads it again:
 * what it has copied is of that block if both are the same.  The fences are
 * full ones, as copies of many bytes can use stores that pass others. */
#include "oct-daq-parts.h"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

#define DEFAULT_SIZE ((uint64_t)64 << 20)

struct OctDaqWriter {
  OctDaqHeader header;
  uint8_t *map;
  OctDaqWriterLine *own;
  OctDaqReaderLine *readers;
  int memory, listener, stop;
  pthread_t thread;
  char path[sizeof ((struct sockaddr_un *)0)->sun_path];
  struct stat made; /* the socket */

  pthread_mutex_t lock;
  pthread_cond_t changed;       /* the readers */
  int sockets[OCT_DAQ_READERS]; /* with the lock; -1: free */
  uint64_t count;               /* published, with the lock */

  uint64_t line, lost;
};

static void
daq_complete (OctDaqHeader *h)
{
  uint64_t block;

  memcpy (h->magic, OCT_DAQ_MAGIC, sizeof h->magic);
  h->version = OCT_DAQ_VERSION;
  h->header_size = sizeof *h;
  h->readers = OCT_DAQ_READERS;
  memset (h->reserved, 0, sizeof h->reserved);
  h->name[sizeof h->name - 1] = '\0';
  for (unsigned i = 0; i < OCT_DAQ_CHANNELS; i++)
    h->channel_name[i][sizeof h->channel_name[i] - 1] = '\0';
  if (h->bscan_lines == 0)
    h->bscan_lines = h->lines;
  if (h->repeats == 0)
    h->repeats = 1;
  if (h->blocks != 0 || h->sample_format >= OCT_DAQ_FORMATS || h->channels == 0)
    return;
  block = daq_channel_size (h) * h->channels;
  h->blocks = block == 0 || DEFAULT_SIZE / block > 1024 ? 1024
              : DEFAULT_SIZE / block < 4                ? 4
                                         : (uint32_t)(DEFAULT_SIZE / block);
}

static void
daq_lay_out (OctDaqHeader *h)
{
  uint64_t columns = daq_count_columns (h->calibration_columns);

  h->writer_offset = OCT_DAQ_ALIGNMENT;
  h->readers_offset = h->writer_offset + OCT_DAQ_ALIGNMENT;
  h->heads_offset = h->readers_offset + OCT_DAQ_ALIGNMENT;
  h->calibration_offset =
      columns == 0 ? 0 : h->heads_offset + h->blocks * sizeof (OctDaqBlock);
  h->blocks_offset =
      daq_align (h->heads_offset + h->blocks * sizeof (OctDaqBlock)
                     + columns * h->samples * sizeof (double),
          OCT_DAQ_ALIGNMENT);
  h->block_stride = daq_align (daq_channel_size (h) * h->channels, 4096);
  h->size = daq_align (
      h->blocks_offset + h->blocks * h->block_stride, OCT_DAQ_ALIGNMENT);
}

static int
daq_make_memory (OctDaqWriter *w, const double *calibration, char *error)
{
  const OctDaqHeader *h = &w->header;
  void *map = MAP_FAILED;

  w->memory = memfd_create ("oct-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  /* reserved now: what is missing later would end this process or a reader */
  if (w->memory >= 0 && h->size <= MAX_SIZE
      && fallocate (w->memory, 0, 0, (off_t)h->size) == 0
      && fcntl (
             w->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
             == 0)
    map = mmap (NULL, h->size, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_POPULATE, w->memory, 0);
  if (map == MAP_FAILED) {
    daq_say (error,
        "No shared memory of %llu MB for the ring (%s); set fewer blocks, or "
        "smaller ones.",
        (unsigned long long)h->size / 1000000, strerror (errno));
    return 0;
  }
  w->map = map;
  w->own = (void *)(w->map + h->writer_offset);
  w->readers = (void *)(w->map + h->readers_offset);
  memcpy (w->map, h, sizeof *h);
  if (h->calibration_columns != 0)
    memcpy (w->map + h->calibration_offset, calibration,
        daq_count_columns (h->calibration_columns) * h->samples
            * sizeof (double));
  return 1;
}

/* Whether the socket that is there is of a writer that has died. */
static int
daq_is_abandoned (const struct sockaddr_un *address)
{
  int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct stat there;
  int refused;

  if (stat (address->sun_path, &there) != 0 || !S_ISSOCK (there.st_mode)) {
    daq_close (&fd);
    return 0;
  }
  refused = connect (fd, (const void *)address, sizeof *address) != 0
            && errno == ECONNREFUSED;
  daq_close (&fd);
  return refused;
}

static int
daq_listen (OctDaqWriter *w, const char *path, char *error)
{
  struct sockaddr_un address;
  int bound;

  if (!daq_address (path, &address, error))
    return 0;
  w->listener =
      socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  /* before it has a name: nobody else can ever connect */
  if (w->listener >= 0)
    fchmod (w->listener, 0600);
  bound = w->listener < 0
              ? -1
              : bind (w->listener, (const void *)&address, sizeof address);
  if (w->listener >= 0 && bound != 0 && errno == EADDRINUSE
      && daq_is_abandoned (&address)) {
    unlink (path);
    bound = bind (w->listener, (const void *)&address, sizeof address);
  }
  if (bound == 0) {
    memcpy (w->path, address.sun_path, sizeof w->path);
    if (stat (path, &w->made) == 0
        && listen (w->listener, OCT_DAQ_READERS) == 0)
      return 1;
  }
  daq_say (error, "The socket %s cannot be made (%s); %s.", path,
      strerror (errno),
      errno == EADDRINUSE
          ? "end the program that has it, or set another path"
          : "set a path in a folder that this user can write to");
  return 0;
}

static int
daq_pass (const OctDaqWriter *w, int to, unsigned place, unsigned status)
{
  OctDaqMessage message = { .version = OCT_DAQ_VERSION,
    .status = status,
    .reader = place,
    .size = w->header.size };
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct iovec data = { &message, sizeof message };
  struct msghdr head = { .msg_iov = &data, .msg_iovlen = 1 };

  memcpy (message.magic, OCT_DAQ_MAGIC, sizeof message.magic);
  if (status == 0) {
    head.msg_control = control.bytes;
    head.msg_controllen = sizeof control.bytes;
    control.align.cmsg_level = SOL_SOCKET;
    control.align.cmsg_type = SCM_RIGHTS;
    control.align.cmsg_len = CMSG_LEN (sizeof (int));
    memcpy (CMSG_DATA (&control.align), &w->memory, sizeof (int));
  }
  return sendmsg (to, &head, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof message;
}

/* With the lock. */
static unsigned
daq_count_readers (const OctDaqWriter *w)
{
  unsigned count = 0;

  for (unsigned i = 0; i < OCT_DAQ_READERS; i++)
    count += w->sockets[i] >= 0;
  return count;
}

static void
daq_admit (OctDaqWriter *w)
{
  int fd = accept4 (w->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  unsigned place = 0;

  if (fd < 0) {
    /* no more files: those who wait are not lost */
    if (errno != EAGAIN)
      poll (NULL, 0, SLICE);
    return;
  }
  pthread_mutex_lock (&w->lock);
  while (place < OCT_DAQ_READERS && w->sockets[place] >= 0)
    place++;
  if (place == OCT_DAQ_READERS) {
    daq_pass (w, fd, 0, 1);
    close (fd);
  } else {
    /* all that is published from now on */
    __atomic_store_n (&w->readers[place].position, w->count, __ATOMIC_RELEASE);
    if (daq_pass (w, fd, place, 0))
      w->sockets[place] = fd;
    else
      close (fd);
  }
  pthread_cond_broadcast (&w->changed);
  pthread_mutex_unlock (&w->lock);
}

/* A reader says nothing: what can be read is its end. */
static void
daq_dismiss (OctDaqWriter *w, unsigned place)
{
  pthread_mutex_lock (&w->lock);
  daq_close (&w->sockets[place]);
  pthread_cond_broadcast (&w->changed);
  pthread_mutex_unlock (&w->lock);
  daq_futex_wake (&w->readers[place].wake);
}

static void *
daq_serve (void *data)
{
  OctDaqWriter *w = data;

  for (;;) {
    struct pollfd fds[2 + OCT_DAQ_READERS] = { { w->stop, POLLIN, 0 },
      { w->listener, POLLIN, 0 } };

    for (unsigned i = 0; i < OCT_DAQ_READERS; i++)
      fds[2 + i] = (struct pollfd){ w->sockets[i], POLLIN, 0 };
    if (poll (fds, 2 + OCT_DAQ_READERS, -1) < 0)
      continue;
    if (fds[0].revents != 0)
      return NULL;
    for (unsigned i = 0; i < OCT_DAQ_READERS; i++)
      if (fds[2 + i].revents != 0)
        daq_dismiss (w, i);
    if (fds[1].revents != 0)
      daq_admit (w);
  }
}

/* Signals are for the threads of the program. */
static int
daq_start_thread (OctDaqWriter *w, char *error)
{
  sigset_t all, before;
  int failed;

  w->stop = eventfd (0, EFD_CLOEXEC);
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  failed =
      w->stop < 0 ? errno : pthread_create (&w->thread, NULL, daq_serve, w);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (failed == 0)
    return 1;
  errno = failed;
  daq_say (error,
      "No thread for the socket of the ring (%s); end other "
      "programs.",
      strerror (failed));
  return 0;
}

static void
daq_free_writer (OctDaqWriter *w)
{
  struct stat there;
  int saved = errno;

  /* another writer may have replaced it */
  if (w->path[0] != '\0' && stat (w->path, &there) == 0
      && there.st_ino == w->made.st_ino && there.st_dev == w->made.st_dev)
    unlink (w->path);
  for (unsigned i = 0; i < OCT_DAQ_READERS; i++)
    daq_close (&w->sockets[i]);
  daq_close (&w->listener);
  daq_close (&w->stop);
  daq_close (&w->memory);
  if (w->map != NULL)
    munmap (w->map, w->header.size);
  pthread_cond_destroy (&w->changed);
  pthread_mutex_destroy (&w->lock);
  free (w);
  errno = saved;
}

OctDaqWriter *
oct_daq_open (const char *path, const OctDaqHeader *ring,
    const double *calibration, char *error)
{
  OctDaqWriter *w = calloc (1, sizeof *w);
  pthread_condattr_t monotonic;

  if (w == NULL) {
    daq_say (error, "No memory for a writer; end other programs.");
    return NULL;
  }
  pthread_mutex_init (&w->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&w->changed, &monotonic);
  pthread_condattr_destroy (&monotonic);
  w->memory = w->listener = w->stop = -1;
  for (unsigned i = 0; i < OCT_DAQ_READERS; i++)
    w->sockets[i] = -1;
  w->header = *ring;
  daq_complete (&w->header);
  errno = EINVAL;
  if (!daq_check_data (&w->header, error)) {
    daq_free_writer (w);
    return NULL;
  }
  if ((calibration == NULL) != (w->header.calibration_columns == 0)) {
    daq_say (error, "A ring of A-lines needs both a calibration and "
                    "calibration_columns, or neither; set the other one.");
    daq_free_writer (w);
    return NULL;
  }
  daq_lay_out (&w->header);
  if (!daq_make_memory (w, calibration, error) || !daq_listen (w, path, error)
      || !daq_start_thread (w, error)) {
    daq_free_writer (w);
    return NULL;
  }
  return w;
}

const OctDaqHeader *
oct_daq_header (const OctDaqWriter *w)
{
  return &w->header;
}

int
oct_daq_memory (const OctDaqWriter *w)
{
  return w->memory;
}

static OctDaqBlock *
daq_writer_head (const OctDaqWriter *w)
{
  return (OctDaqBlock *)(w->map + w->header.heads_offset)
         + w->count % w->header.blocks;
}

/* With the lock: the reader that still needs the memory of the next block, or
 * OCT_DAQ_READERS. */
static unsigned
daq_find_slow_reader (const OctDaqWriter *w, uint32_t *wake)
{
  unsigned i;

  for (i = 0; i < OCT_DAQ_READERS; i++) {
    uint64_t position;

    *wake = __atomic_load_n (&w->readers[i].wake, __ATOMIC_ACQUIRE);
    position = __atomic_load_n (&w->readers[i].position, __ATOMIC_ACQUIRE);
    if (w->sockets[i] >= 0 && position < w->count
        && w->count - position >= w->header.blocks)
      break;
  }
  return i;
}

void *
oct_daq_claim (OctDaqWriter *w, int timeout)
{
  const int64_t deadline = daq_deadline (timeout);

  for (;;) {
    unsigned slow = OCT_DAQ_READERS;
    uint32_t wake = 0;
    int left;

    pthread_mutex_lock (&w->lock);
    if (w->header.flags & OCT_DAQ_LOSSLESS)
      slow = daq_find_slow_reader (w, &wake);
    if (slow == OCT_DAQ_READERS) {
      __atomic_store_n (&daq_writer_head (w)->sequence, 0, __ATOMIC_RELAXED);
      pthread_mutex_unlock (&w->lock);
      __atomic_thread_fence (__ATOMIC_SEQ_CST);
      return w->map + w->header.blocks_offset
             + w->count % w->header.blocks * w->header.block_stride;
    }
    pthread_mutex_unlock (&w->lock);
    left = daq_left (deadline, 1000);
    if (left == 0)
      return NULL;
    daq_futex_wait (&w->readers[slow].wake, wake, left);
  }
}

void
oct_daq_publish (OctDaqWriter *w, const OctDaqPlace *place)
{
  static const OctDaqPlace none;
  OctDaqBlock *head = daq_writer_head (w);

  if (place == NULL)
    place = &none;
  head->line = w->line;
  head->lost = w->lost;
  head->tick = place->tick;
  head->time = (uint64_t)daq_now ();
  head->volume = place->volume;
  head->bscan = place->bscan;
  head->line_in_bscan = place->line_in_bscan;
  head->flags = place->flags;
  w->line += w->header.lines;
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
  pthread_mutex_lock (&w->lock);
  w->count++;
  __atomic_store_n (&head->sequence, w->count, __ATOMIC_RELEASE);
  __atomic_store_n (&w->own->published, w->count, __ATOMIC_RELEASE);
  pthread_mutex_unlock (&w->lock);
  daq_futex_wake (&w->own->wake);
}

void
oct_daq_lost (OctDaqWriter *w, uint64_t lines)
{
  w->line += lines;
  w->lost += lines;
}

unsigned
oct_daq_wait_for_readers (OctDaqWriter *w, unsigned readers, int timeout)
{
  const int64_t deadline = daq_deadline (timeout);
  const struct timespec until = { (time_t)(deadline / 1000000000),
    (long)(deadline % 1000000000) };
  unsigned count;

  pthread_mutex_lock (&w->lock);
  while ((count = daq_count_readers (w)) < readers) {
    if (deadline < 0)
      pthread_cond_wait (&w->changed, &w->lock);
    else if (pthread_cond_timedwait (&w->changed, &w->lock, &until) != 0)
      break;
  }
  pthread_mutex_unlock (&w->lock);
  return count;
}

void
oct_daq_close (OctDaqWriter *w)
{
  uint64_t one = 1;

  if (w == NULL)
    return;
  while (write (w->stop, &one, sizeof one) < 0 && errno == EINTR)
    ;
  pthread_join (w->thread, NULL);
  __atomic_store_n (&w->own->ended, 1, __ATOMIC_RELEASE);
  daq_futex_wake (&w->own->wake);
  daq_free_writer (w);
}
