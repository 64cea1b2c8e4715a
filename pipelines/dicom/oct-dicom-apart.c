/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-apart.h"
#include "oct-dicom-deadline.h"
#include "oct-dicom-net.h"
#include "oct-file-write.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds to read the header and the tags of a file, of which pixels are skipped;
 * a disk may have to wake up. */
#define READ_SECONDS 120

static int
inspect_and_tell (const char *path, int to)
{
  OctDicomObject object;

  signal (SIGALRM, SIG_DFL);
  alarm (READ_SECONDS);
  oct_dicom_limit_memory ();
  if (!oct_dicom_inspect (path, &object, NULL))
    return 1;
  return oct_file_write_all (to, &object, sizeof object) == 0 ? 0 : 1;
}

/* Whether the whole identity has come. */
static gboolean
take_object (int from, OctDicomObject *object)
{
  gsize done = 0;
  gssize got;

  do {
    got = read (from, (char *)object + done, sizeof *object - done);
    if (got > 0)
      done += (gsize)got;
  } while (done < sizeof *object && (got > 0 || (got < 0 && errno == EINTR)));
  return done == sizeof *object;
}

gboolean
oct_dicom_inspect_apart (const char *path, OctDicomObject *object)
{
  pid_t parent = getpid (), child;
  int ends[2], status = -1;
  gboolean whole;

  if (!g_unix_open_pipe (ends, FD_CLOEXEC, NULL))
    return FALSE;
  child = fork ();
  if (child == 0) {
    oct_dicom_begin_child (parent);
    _exit (inspect_and_tell (path, ends[1]));
  }
  close (ends[1]);
  whole = child > 0 && take_object (ends[0], object);
  close (ends[0]);
  while (child > 0 && waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  return whole && status == 0;
}
