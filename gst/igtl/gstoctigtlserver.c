/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstoctigtlserver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_PEERS 64
/* A peer that takes nothing of a message for so long is closed. */
#define PATIENCE (12 * G_TIME_SPAN_SECOND)
/* Bytes of a peer: so many at once and per second; the rest waits. */
#define MOST_READ 16384.0
/* A peer is read when so many are allowed: fewer would cost more calls. */
#define LEAST_READ 1024.0
/* The largest body of a peer, which is thrown away. */
#define MOST_BODY 65536
/* New connections: so many at once, and per second. */
#define MOST_NEW 60.0
#define NEW_RATE 20.0
#define GOODBYE (G_TIME_SPAN_SECOND / 2)

typedef struct {
  double left, most, rate; /* rate: per second */
  gint64 at;
} Bucket;

typedef struct {
  int fd;
  struct sockaddr_storage address;
  GBytes *waiting[GST_OCT_IGTL_N_KINDS];
  GBytes *current; /* of the kind `kind`, of which `sent` bytes are away */
  GstOctIgtlKind kind;
  gsize sent;
  gint64 progress_at;
  Bucket bucket;
  guint8 head[OCT_IGTL_HEADER_SIZE];
  gsize have;   /* of it */
  guint64 skip; /* bytes of a body to throw away */
} Peer;

struct _GstOctIgtlServer {
  int fd, wake;
  guint port, most;
  gboolean is_local;
  GThread *thread;

  GMutex lock;                         /* of these three */
  GBytes *fresh[GST_OCT_IGTL_N_KINDS]; /* not given to the peers yet */
  GstOctIgtlCounts counts;
  gboolean stop;

  /* the thread's own */
  GPtrArray *peers;
  GBytes *last[GST_OCT_IGTL_IMAGE]; /* for new peers */
  Bucket arrivals;
};

/* ------------------------------------------------------------------ sockets */

static gboolean
igtl_is_loopback (const struct sockaddr *address)
{
  const struct sockaddr_in *four = (const struct sockaddr_in *)address;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;

  return address->sa_family == AF_INET
             ? ntohl (four->sin_addr.s_addr) >> 24 == 127
             : IN6_IS_ADDR_LOOPBACK (&six->sin6_addr);
}

static guint
igtl_find_port (int fd)
{
  struct sockaddr_storage address;
  socklen_t size = sizeof address;

  if (getsockname (fd, (struct sockaddr *)&address, &size) != 0)
    return 0;
  return ntohs (address.ss_family == AF_INET
                    ? ((struct sockaddr_in *)&address)->sin_port
                    : ((struct sockaddr_in6 *)&address)->sin6_port);
}

static gboolean
igtl_listen (
    GstOctIgtlServer *server, const char *address, guint port, GError **error)
{
  const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
    .ai_socktype = SOCK_STREAM };
  struct addrinfo *found = NULL;
  char service[16];
  const int on = 1;
  gboolean ok = FALSE;

  g_snprintf (service, sizeof service, "%u", port);
  if (getaddrinfo (address, service, &hints, &found) != 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "'%s' is not an IP address; set `address` to one of this computer, as "
        "127.0.0.1",
        address);
    return FALSE;
  }
  server->is_local = igtl_is_loopback (found->ai_addr);
  server->fd =
      socket (found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (server->fd >= 0) {
    (void)setsockopt (server->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    ok = bind (server->fd, found->ai_addr, found->ai_addrlen) == 0
         && listen (server->fd, 16) == 0;
  }
  if (!ok)
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Port %u of the address %s cannot be opened (%s); set `port` or "
        "`address` to others",
        port, address, g_strerror (errno));
  freeaddrinfo (found);
  server->port = ok ? igtl_find_port (server->fd) : 0;
  return ok;
}

/* ------------------------------------------------------------------- limits */

static void
bucket_fill (Bucket *bucket, gint64 now)
{
  bucket->left += (double)(now - bucket->at) * 1e-6 * bucket->rate;
  bucket->left = MIN (bucket->left, bucket->most);
  bucket->at = now;
}

static gboolean
igtl_is_same_address (
    const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
  const struct in6_addr *six;

  if (a->ss_family != b->ss_family)
    return FALSE;
  if (a->ss_family == AF_INET)
    return ((const struct sockaddr_in *)a)->sin_addr.s_addr
           == ((const struct sockaddr_in *)b)->sin_addr.s_addr;
  six = &((const struct sockaddr_in6 *)a)->sin6_addr;
  /* one network of IPv6 counts as one */
  return memcmp (six, &((const struct sockaddr_in6 *)b)->sin6_addr,
             IN6_IS_ADDR_V4MAPPED (six) ? 16 : 8)
         == 0;
}

/* Whether one more from there has a place. */
static gboolean
server_has_place (
    GstOctIgtlServer *server, const struct sockaddr_storage *address)
{
  guint same = 0, most = MAX (1, server->most * 3 / 4);

  for (guint i = 0; i < server->peers->len; i++) {
    const Peer *peer = g_ptr_array_index (server->peers, i);

    same += igtl_is_same_address (&peer->address, address);
  }
  return server->peers->len < server->most && (server->is_local || same < most);
}

/* -------------------------------------------------------------------- peers */

static void
peer_free (gpointer data)
{
  Peer *peer = data;

  close (peer->fd);
  for (guint i = 0; i < GST_OCT_IGTL_N_KINDS; i++)
    g_clear_pointer (&peer->waiting[i], g_bytes_unref);
  g_clear_pointer (&peer->current, g_bytes_unref);
  g_free (peer);
}

static void
server_count (GstOctIgtlServer *server, guint64 sent, guint64 skipped)
{
  g_mutex_lock (&server->lock);
  server->counts.peers = server->peers->len;
  server->counts.sent += sent;
  server->counts.skipped += skipped;
  g_mutex_unlock (&server->lock);
}

static void
peer_give (
    GstOctIgtlServer *server, Peer *peer, GstOctIgtlKind kind, GBytes *message)
{
  if (peer->waiting[kind] != NULL && kind == GST_OCT_IGTL_IMAGE)
    server_count (server, 0, 1);
  g_clear_pointer (&peer->waiting[kind], g_bytes_unref);
  peer->waiting[kind] = g_bytes_ref (message);
}

static void
server_accept (GstOctIgtlServer *server, gint64 now)
{
  struct sockaddr_storage address = { 0 };
  socklen_t size = sizeof address;
  const int on = 1;
  Peer *peer;
  int fd;

  server->arrivals.left -= 1.0;
  fd = accept4 (server->fd, (struct sockaddr *)&address, &size,
      SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0)
    return;
  if (!server_has_place (server, &address)) {
    close (fd);
    return;
  }
  (void)setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  (void)setsockopt (fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  peer = g_new0 (Peer, 1);
  peer->fd = fd;
  peer->address = address;
  peer->progress_at = now;
  peer->bucket = (Bucket){ MOST_READ, MOST_READ, MOST_READ, now };
  g_ptr_array_add (server->peers, peer);
  for (guint i = 0; i < GST_OCT_IGTL_IMAGE; i++)
    if (server->last[i] != NULL)
      peer_give (server, peer, i, server->last[i]);
  server_count (server, 0, 0);
}

/* A peer may ask for the status, and for nothing else. */
static gboolean
peer_take_header (GstOctIgtlServer *server, Peer *peer)
{
  OctIgtlHeader header;

  peer->have = 0;
  if (!oct_igtl_parse_header (peer->head, MOST_BODY, &header, NULL))
    return FALSE;
  peer->skip = header.size;
  if (g_str_equal (header.type, "GET_STATUS")
      && server->last[GST_OCT_IGTL_STATUS] != NULL)
    peer_give (
        server, peer, GST_OCT_IGTL_STATUS, server->last[GST_OCT_IGTL_STATUS]);
  return TRUE;
}

/* FALSE: it is gone, or does not speak the protocol. */
static gboolean
peer_read (GstOctIgtlServer *server, Peer *peer)
{
  guint8 bytes[4096];
  gsize want = MIN (sizeof bytes, (gsize)peer->bucket.left), at = 0;
  gssize size = recv (peer->fd, bytes, want, 0);

  if (size < 0)
    return errno == EAGAIN || errno == EINTR;
  if (size == 0)
    return FALSE;
  peer->bucket.left -= (double)size;
  while (at < (gsize)size) {
    gsize step = (gsize)MIN (peer->skip, (gsize)size - at);

    peer->skip -= step;
    at += step;
    step = MIN (sizeof peer->head - peer->have, (gsize)size - at);
    memcpy (peer->head + peer->have, bytes + at, step);
    peer->have += step;
    at += step;
    if (peer->have == sizeof peer->head && !peer_take_header (server, peer))
      return FALSE;
  }
  return TRUE;
}

/* The next message to send; FALSE: nothing waits. */
static gboolean
peer_choose (Peer *peer, gint64 now)
{
  for (guint i = 0; peer->current == NULL && i < GST_OCT_IGTL_N_KINDS; i++)
    if (peer->waiting[i] != NULL) {
      peer->current = g_steal_pointer (&peer->waiting[i]);
      peer->kind = i;
      peer->sent = 0;
      peer->progress_at = now;
    }
  return peer->current != NULL;
}

/* As much as goes.  FALSE: it is gone. */
static gboolean
peer_write (GstOctIgtlServer *server, Peer *peer, gint64 now)
{
  while (peer_choose (peer, now)) {
    gsize size;
    const guint8 *data = g_bytes_get_data (peer->current, &size);
    gssize sent =
        send (peer->fd, data + peer->sent, size - peer->sent, MSG_NOSIGNAL);

    if (sent < 0)
      return errno == EAGAIN || errno == EINTR;
    peer->progress_at = now;
    peer->sent += (gsize)sent;
    if (peer->sent < size)
      return TRUE;
    g_clear_pointer (&peer->current, g_bytes_unref);
    if (peer->kind == GST_OCT_IGTL_IMAGE)
      server_count (server, 1, 0);
  }
  return TRUE;
}

/* ------------------------------------------------------------------- thread */

/* Returns: whether it is to end. */
static gboolean
server_take_fresh (GstOctIgtlServer *server)
{
  GBytes *fresh[GST_OCT_IGTL_N_KINDS];
  gboolean stop;

  g_mutex_lock (&server->lock);
  memcpy (fresh, server->fresh, sizeof fresh);
  memset (server->fresh, 0, sizeof fresh);
  stop = server->stop;
  g_mutex_unlock (&server->lock);
  for (guint kind = 0; kind < GST_OCT_IGTL_N_KINDS; kind++) {
    if (fresh[kind] == NULL)
      continue;
    for (guint i = 0; i < server->peers->len; i++)
      peer_give (
          server, g_ptr_array_index (server->peers, i), kind, fresh[kind]);
    if (kind < GST_OCT_IGTL_IMAGE) {
      g_clear_pointer (&server->last[kind], g_bytes_unref);
      server->last[kind] = g_steal_pointer (&fresh[kind]);
    }
    g_clear_pointer (&fresh[kind], g_bytes_unref);
  }
  return stop;
}

/* fds: of the server, of the wake, of each peer. */
static guint
server_fill (GstOctIgtlServer *server, struct pollfd *fds, gint64 now)
{
  guint n = 2;

  bucket_fill (&server->arrivals, now);
  fds[0] =
      (struct pollfd){ .fd = server->arrivals.left >= 1.0 ? server->fd : -1,
        .events = POLLIN };
  fds[1] = (struct pollfd){ .fd = server->wake, .events = POLLIN };
  for (guint i = 0; i < server->peers->len; i++, n++) {
    Peer *peer = g_ptr_array_index (server->peers, i);

    bucket_fill (&peer->bucket, now);
    fds[n] = (struct pollfd){ .fd = peer->fd };
    if (peer->bucket.left >= LEAST_READ)
      fds[n].events |= POLLIN;
    if (peer_choose (peer, now))
      fds[n].events |= POLLOUT;
  }
  return n;
}

/* Last to first, as peers leave. */
static void
server_serve (
    GstOctIgtlServer *server, const struct pollfd *fds, guint n, gint64 now)
{
  while (n-- > 2) {
    Peer *peer = g_ptr_array_index (server->peers, n - 2);
    gboolean ok = (fds[n].revents & (POLLERR | POLLNVAL | POLLHUP)) == 0;

    if (ok && (fds[n].revents & POLLIN) != 0)
      ok = peer_read (server, peer);
    if (ok && (fds[n].revents & POLLOUT) != 0)
      ok = peer_write (server, peer, now);
    if (!ok || (peer->current != NULL && now - peer->progress_at > PATIENCE)) {
      g_ptr_array_remove_index (server->peers, n - 2);
      server_count (server, 0, 0);
    }
  }
}

static gboolean
server_has_more (GstOctIgtlServer *server)
{
  for (guint i = 0; i < server->peers->len; i++)
    if (peer_choose (
            g_ptr_array_index (server->peers, i), g_get_monotonic_time ()))
      return TRUE;
  return FALSE;
}

static gpointer
server_run (gpointer data)
{
  GstOctIgtlServer *server = data;
  struct pollfd fds[MOST_PEERS + 2];
  gint64 end = G_MAXINT64;
  guint64 count;

  while (g_get_monotonic_time () < end) {
    gint64 now = g_get_monotonic_time ();
    guint n = server_fill (server, fds, now);

    /* a time in which buckets fill, and patience ends */
    (void)poll (fds, n, n > 2 ? 100 : 1000);
    if (fds[1].revents != 0)
      (void)!read (server->wake, &count, sizeof count);
    now = g_get_monotonic_time ();
    server_serve (server, fds, n, now);
    if (fds[0].revents != 0)
      server_accept (server, now);
    if (server_take_fresh (server)) {
      if (end == G_MAXINT64)
        end = now + GOODBYE;
      if (!server_has_more (server))
        break;
    }
  }
  return NULL;
}

/* ------------------------------------------------------------------- public */

GstOctIgtlServer *
gst_oct_igtl_server_new (
    const char *address, guint port, guint most, GError **error)
{
  GstOctIgtlServer *server = g_new0 (GstOctIgtlServer, 1);

  g_mutex_init (&server->lock);
  server->fd = -1;
  server->most = MIN (most, MOST_PEERS);
  server->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  server->peers = g_ptr_array_new_with_free_func (peer_free);
  server->arrivals =
      (Bucket){ MOST_NEW, MOST_NEW, NEW_RATE, g_get_monotonic_time () };
  if (!igtl_listen (server, address, port, error)) {
    gst_oct_igtl_server_free (server);
    return NULL;
  }
  server->thread = g_thread_new ("oct-igtl", server_run, server);
  return server;
}

gboolean
gst_oct_igtl_server_is_local (const GstOctIgtlServer *server)
{
  return server->is_local;
}

guint
gst_oct_igtl_server_get_port (const GstOctIgtlServer *server)
{
  return server->port;
}

void
gst_oct_igtl_server_get_counts (
    GstOctIgtlServer *server, GstOctIgtlCounts *counts)
{
  g_mutex_lock (&server->lock);
  *counts = server->counts;
  g_mutex_unlock (&server->lock);
}

static void
server_wake (GstOctIgtlServer *server)
{
  const guint64 one = 1;

  (void)!write (server->wake, &one, sizeof one);
}

void
gst_oct_igtl_server_send (
    GstOctIgtlServer *server, GstOctIgtlKind kind, GBytes *message)
{
  g_mutex_lock (&server->lock);
  if (server->fresh[kind] != NULL && kind == GST_OCT_IGTL_IMAGE)
    server->counts.skipped += server->counts.peers;
  g_clear_pointer (&server->fresh[kind], g_bytes_unref);
  server->fresh[kind] = message;
  g_mutex_unlock (&server->lock);
  server_wake (server);
}

void
gst_oct_igtl_server_free (GstOctIgtlServer *server)
{
  g_mutex_lock (&server->lock);
  server->stop = TRUE;
  g_mutex_unlock (&server->lock);
  server_wake (server);
  if (server->thread != NULL)
    g_thread_join (server->thread);
  g_ptr_array_unref (server->peers);
  for (guint i = 0; i < GST_OCT_IGTL_N_KINDS; i++)
    g_clear_pointer (&server->fresh[i], g_bytes_unref);
  for (guint i = 0; i < GST_OCT_IGTL_IMAGE; i++)
    g_clear_pointer (&server->last[i], g_bytes_unref);
  if (server->fd >= 0)
    close (server->fd);
  close (server->wake);
  g_mutex_clear (&server->lock);
  g_free (server);
}
