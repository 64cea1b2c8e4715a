/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctigtlpeer.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* From one try to connect to the next. */
#define PAUSE (200 * GST_MSECOND)
/* Memory is taken as bytes come: a header may lie. */
#define STEP ((gsize)1 << 20)

struct _GstOctIgtlPeer {
  GstPoll *poll;
  GstPollFD fd; /* fd.fd < 0: not connected */
  guint64 most;
  guint8 head[OCT_IGTL_HEADER_SIZE];
  gsize have; /* of the head and the body together */
  OctIgtlHeader header;
  gboolean wanted; /* its type */
  guint8 *body;
  gsize room; /* of it */
};

GstOctIgtlPeer *
gst_oct_igtl_peer_new (guint64 most)
{
  GstOctIgtlPeer *peer = g_new0 (GstOctIgtlPeer, 1);

  peer->most = most;
  peer->poll = gst_poll_new (TRUE);
  peer->fd.fd = -1;
  return peer;
}

static void
peer_close (GstOctIgtlPeer *peer)
{
  if (peer->fd.fd < 0)
    return;
  gst_poll_remove_fd (peer->poll, &peer->fd);
  close (peer->fd.fd);
  gst_poll_fd_init (&peer->fd);
}

static GstOctIgtlRead
peer_fail (GError **error, const char *what, const char *reason)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_READ, "%s: %s; look at the peer",
      what, reason);
  return GST_OCT_IGTL_FAILED;
}

/* Waits until the socket is ready, or for the whole `timeout`. */
static GstOctIgtlRead
peer_wait (GstOctIgtlPeer *peer, GstClockTime timeout)
{
  gint ready;

  do
    ready = gst_poll_wait (peer->poll, timeout);
  while (ready < 0 && (errno == EINTR || errno == EAGAIN));
  if (ready > 0)
    return GST_OCT_IGTL_MESSAGE;
  return ready == 0 ? GST_OCT_IGTL_SILENT : GST_OCT_IGTL_INTERRUPTED;
}

/* ------------------------------------------------------------------ connect */

/* One address.  MESSAGE: connected; SILENT: not. */
static GstOctIgtlRead
peer_try (GstOctIgtlPeer *peer, const struct addrinfo *to, GstClockTime timeout)
{
  GstOctIgtlRead result;
  int code = 0;
  socklen_t size = sizeof code;
  const int on = 1;
  int fd =
      socket (to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

  if (fd < 0)
    return GST_OCT_IGTL_SILENT;
  gst_poll_fd_init (&peer->fd);
  peer->fd.fd = fd;
  gst_poll_add_fd (peer->poll, &peer->fd);
  if (connect (fd, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS) {
    peer_close (peer);
    return GST_OCT_IGTL_SILENT;
  }
  gst_poll_fd_ctl_write (peer->poll, &peer->fd, TRUE);
  result = peer_wait (peer, timeout);
  if (result == GST_OCT_IGTL_MESSAGE
      && (getsockopt (fd, SOL_SOCKET, SO_ERROR, &code, &size) != 0
          || code != 0))
    result = GST_OCT_IGTL_SILENT;
  if (result != GST_OCT_IGTL_MESSAGE) {
    peer_close (peer);
    return result;
  }
  gst_poll_fd_ctl_write (peer->poll, &peer->fd, FALSE);
  gst_poll_fd_ctl_read (peer->poll, &peer->fd, TRUE);
  (void)setsockopt (fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  return result;
}

GstOctIgtlRead
gst_oct_igtl_peer_connect (GstOctIgtlPeer *peer, const char *host, guint port,
    GstClockTime timeout, GError **error)
{
  const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  gint64 end = g_get_monotonic_time () + (gint64)(timeout / 1000);
  GstOctIgtlRead result = GST_OCT_IGTL_SILENT;
  struct addrinfo *found = NULL;
  char service[16];

  g_snprintf (service, sizeof service, "%u", port);
  if (getaddrinfo (host, service, &hints, &found) != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
        "The computer '%s' is not known; set `host` to a name or an address",
        host);
    return GST_OCT_IGTL_FAILED;
  }
  do {
    for (struct addrinfo *i = found; i != NULL && result == GST_OCT_IGTL_SILENT;
         i = i->ai_next) {
      gint64 left = end - g_get_monotonic_time ();

      result = peer_try (peer, i, (GstClockTime)MAX (left, 1000) * 1000);
    }
    if (result == GST_OCT_IGTL_SILENT && gst_poll_wait (peer->poll, PAUSE) < 0
        && errno == EBUSY)
      result = GST_OCT_IGTL_INTERRUPTED;
  } while (result == GST_OCT_IGTL_SILENT && g_get_monotonic_time () < end);
  freeaddrinfo (found);
  peer->have = 0;
  if (result != GST_OCT_IGTL_SILENT)
    return result;
  g_set_error (error, OCT_ERROR, OCT_ERROR_NOT_FOUND,
      "Nobody serves OpenIGTLink at port %u of '%s'; start the program there, "
      "or set `host` and `port`",
      port, host);
  return GST_OCT_IGTL_FAILED;
}

/* --------------------------------------------------------------------- read */

static gboolean
peer_make_room (GstOctIgtlPeer *peer, gsize size)
{
  guint8 *more;

  if (size <= peer->room)
    return TRUE;
  more = g_try_realloc (peer->body, size);
  if (more == NULL)
    return FALSE;
  peer->body = more;
  peer->room = size;
  return TRUE;
}

/* Where the next bytes go, and how many at most.  NULL: no memory. */
static guint8 *
peer_find_room (GstOctIgtlPeer *peer, gsize *most)
{
  gsize at;

  if (peer->have < sizeof peer->head) {
    *most = sizeof peer->head - peer->have;
    return peer->head + peer->have;
  }
  at = peer->have - sizeof peer->head;
  *most = (gsize)MIN (peer->header.size - at, STEP);
  if (!peer->wanted) /* thrown away */
    return peer_make_room (peer, STEP) ? peer->body : NULL;
  /* twice as much as has come, so that it is not copied often */
  if (at + *most > peer->room
      && !peer_make_room (
          peer, (gsize)MIN (peer->header.size, MAX (2 * at, at + *most))))
    return NULL;
  return peer->body + at;
}

static gboolean
peer_is_whole (const GstOctIgtlPeer *peer)
{
  return peer->have >= sizeof peer->head
         && peer->have - sizeof peer->head == peer->header.size;
}

static gboolean
peer_take_head (GstOctIgtlPeer *peer, const char *const *types, GError **error)
{
  if (!oct_igtl_parse_header (peer->head, peer->most, &peer->header, error))
    return FALSE;
  peer->wanted = g_strv_contains (types, peer->header.type);
  return TRUE;
}

/* Some bytes.  MESSAGE: some have come. */
static GstOctIgtlRead
peer_take (GstOctIgtlPeer *peer, const char *const *types, GError **error)
{
  gsize most;
  guint8 *to = peer_find_room (peer, &most);
  gssize size;

  if (to == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "There is no memory for a message %s of %" G_GUINT64_FORMAT
        " bytes; set `most-bytes` to less",
        peer->header.type, peer->header.size);
    return GST_OCT_IGTL_FAILED;
  }
  size = recv (peer->fd.fd, to, most, 0);
  if (size < 0)
    return errno == EAGAIN || errno == EINTR
               ? GST_OCT_IGTL_MESSAGE
               : peer_fail (
                   error, "The peer cannot be read", g_strerror (errno));
  if (size == 0)
    return peer->have == 0
               ? GST_OCT_IGTL_END
               : peer_fail (error, "The peer has closed within a message",
                   "the rest of it is missing");
  peer->have += (gsize)size;
  if (peer->have == sizeof peer->head && !peer_take_head (peer, types, error))
    return GST_OCT_IGTL_FAILED;
  return GST_OCT_IGTL_MESSAGE;
}

GstOctIgtlRead
gst_oct_igtl_peer_read (GstOctIgtlPeer *peer, const char *const *types,
    GstClockTime timeout, OctIgtlHeader *header, const guint8 **body,
    GError **error)
{
  GstOctIgtlRead result = GST_OCT_IGTL_MESSAGE;

  while (result == GST_OCT_IGTL_MESSAGE) {
    if (peer_is_whole (peer)) {
      peer->have = 0;
      if (peer->wanted) {
        *header = peer->header;
        *body = peer->body;
        return GST_OCT_IGTL_MESSAGE;
      }
    }
    result = peer_wait (peer, timeout);
    if (result == GST_OCT_IGTL_SILENT && peer->have > 0)
      return peer_fail (error, "The peer stands still within a message",
          "no more of it has come for the time `timeout`");
    if (result == GST_OCT_IGTL_MESSAGE)
      result = peer_take (peer, types, error);
  }
  return result;
}

void
gst_oct_igtl_peer_interrupt (GstOctIgtlPeer *peer, gboolean on)
{
  gst_poll_set_flushing (peer->poll, on);
}

void
gst_oct_igtl_peer_free (GstOctIgtlPeer *peer)
{
  if (peer == NULL)
    return;
  peer_close (peer);
  gst_poll_free (peer->poll);
  g_free (peer->body);
  g_free (peer);
}
