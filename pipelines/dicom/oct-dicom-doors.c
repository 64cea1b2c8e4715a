/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-dicom-doors.h"
#include "oct-dicom-deadline.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Connections at a time, and new ones in a second. */
#define MOST 8
#define MOST_NEW 20

typedef struct {
  pid_t child; /* 0: none */
  gint64 began;
  char address[64];
} Door;

struct _OctDicomDoors {
  int fd;
  Door doors[MOST];
  gint64 second; /* of the count of new ones */
  guint fresh;
};

static gboolean
doors_fail (GError **error, const char *address, guint port, const char *why)
{
  g_set_error (error, OCT_DICOM_ERROR, OCT_DICOM_ERROR_SETTINGS,
      "Nothing can listen at %s, port %u (%s); give --listen an address of "
      "this "
      "computer and a port that is free",
      address, port, why);
  return FALSE;
}

static int
doors_bind (const struct addrinfo *found)
{
  const int yes = 1;
  int fd =
      socket (found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

  if (fd < 0)
    return -1;
  (void)setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind (fd, found->ai_addr, found->ai_addrlen) == 0
      && listen (fd, 2 * MOST) == 0)
    return fd;
  close (fd);
  return -1;
}

OctDicomDoors *
oct_dicom_doors_new (const char *address, guint port, GError **error)
{
  const struct addrinfo hints = { .ai_family = AF_UNSPEC,
    .ai_socktype = SOCK_STREAM,
    .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV };
  g_autofree char *service = g_strdup_printf ("%u", port);
  OctDicomDoors *doors;
  struct addrinfo *found = NULL;
  int code = getaddrinfo (address, service, &hints, &found), fd;

  if (code != 0) {
    doors_fail (error, address, port, gai_strerror (code));
    return NULL;
  }
  fd = doors_bind (found);
  freeaddrinfo (found);
  if (fd < 0) {
    doors_fail (error, address, port, g_strerror (errno));
    return NULL;
  }
  doors = g_new0 (OctDicomDoors, 1);
  doors->fd = fd;
  return doors;
}

void
oct_dicom_doors_free (OctDicomDoors *doors)
{
  /* they hold the lock of the queue, too */
  for (guint i = 0; i < MOST; i++)
    if (doors->doors[i].child != 0) {
      kill (doors->doors[i].child, SIGKILL);
      (void)waitpid (doors->doors[i].child, NULL, 0);
    }
  close (doors->fd);
  g_free (doors);
}

int
oct_dicom_doors_get_fd (OctDicomDoors *doors)
{
  gint64 second = g_get_monotonic_time () / G_USEC_PER_SEC;

  if (doors == NULL)
    return -1;
  if (doors->second != second)
    doors->fresh = 0;
  doors->second = second;
  return doors->fresh < MOST_NEW ? doors->fd : -1;
}

static guint
doors_count (const OctDicomDoors *doors, const char *address)
{
  guint count = 0;

  for (guint i = 0; i < MOST; i++)
    count += doors->doors[i].child != 0
             && g_str_equal (doors->doors[i].address, address);
  return count;
}

/* A free door, or that of the oldest connection of the address with most. */
static Door *
find_door (OctDicomDoors *doors)
{
  Door *found = NULL;
  guint most = 0;

  for (guint i = 0; i < MOST; i++) {
    Door *door = &doors->doors[i];
    guint count = doors_count (doors, door->address);

    if (door->child == 0)
      return door;
    if (found == NULL || count > most
        || (count == most && door->began < found->began)) {
      found = door;
      most = count;
    }
  }
  kill (found->child, SIGKILL);
  found->child = 0;
  return found;
}

void
oct_dicom_doors_leave (OctDicomDoors *doors)
{
  if (doors != NULL)
    close (doors->fd);
}

void
oct_dicom_doors_accept (OctDicomDoors *doors, OctDicomReports *reports)
{
  struct sockaddr_storage from;
  socklen_t length = sizeof from;
  int fd = accept4 (doors->fd, (struct sockaddr *)&from, &length, SOCK_CLOEXEC);
  pid_t parent = getpid ();
  Door *door;

  if (fd < 0)
    return;
  doors->fresh++;
  door = find_door (doors);
  door->began = g_get_monotonic_time ();
  if (getnameinfo ((struct sockaddr *)&from, length, door->address,
          sizeof door->address, NULL, 0, NI_NUMERICHOST)
      != 0)
    *door->address = '\0';
  door->child = fork ();
  if (door->child == 0) {
    oct_dicom_begin_child (parent);
    oct_dicom_doors_leave (doors);
    _exit (oct_dicom_reports_serve (reports, fd));
  }
  door->child = MAX (door->child, 0);
  close (fd);
}

gboolean
oct_dicom_doors_are_used (const OctDicomDoors *doors)
{
  for (guint i = 0; doors != NULL && i < MOST; i++)
    if (doors->doors[i].child != 0)
      return TRUE;
  return FALSE;
}

void
oct_dicom_doors_forget (OctDicomDoors *doors, pid_t child)
{
  for (guint i = 0; i < MOST; i++)
    if (doors->doors[i].child == child)
      doors->doors[i].child = 0;
}
