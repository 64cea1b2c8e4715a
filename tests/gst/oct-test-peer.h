/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The other side of OpenIGTLink, by plain sockets that wait.
 */
#pragma once

#include <arpa/inet.h>
#include <gst/check/gstcheck.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "oct-igtl.h"

static inline struct sockaddr_in
peer_address (guint port)
{
  return (struct sockaddr_in){ .sin_family = AF_INET,
    .sin_port = htons ((guint16)port),
    .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
}

static inline int
peer_connect (guint port)
{
  struct sockaddr_in address = peer_address (port);
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  fail_unless (connect (fd, (struct sockaddr *)&address, sizeof address) == 0);
  return fd;
}

/* *port: a free one. */
static inline int
peer_listen (guint *port)
{
  struct sockaddr_in address = peer_address (0);
  socklen_t size = sizeof address;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  fail_unless (bind (fd, (struct sockaddr *)&address, size) == 0);
  fail_unless (listen (fd, 4) == 0);
  fail_unless (getsockname (fd, (struct sockaddr *)&address, &size) == 0);
  *port = ntohs (address.sin_port);
  return fd;
}

/* FALSE: the other side has closed. */
static inline gboolean
peer_get (int fd, gpointer to, gsize size)
{
  for (gsize have = 0; have < size;) {
    gssize got = recv (fd, (guint8 *)to + have, size - have, 0);

    if (got <= 0)
      return FALSE;
    have += (gsize)got;
  }
  return TRUE;
}

/* FALSE: the same. */
static inline gboolean
peer_put (int fd, gconstpointer data, gsize size)
{
  return send (fd, data, size, MSG_NOSIGNAL) == (gssize)size;
}

static inline void
peer_put_message (int fd, GBytes *message)
{
  fail_unless (peer_put (
      fd, g_bytes_get_data (message, NULL), g_bytes_get_size (message)));
  g_bytes_unref (message);
}

/* The next message of the type, after others; its body, to be freed.  NULL: the
 * other side has closed. */
static inline guint8 *
peer_find (int fd, const char *type, OctIgtlHeader *header)
{
  guint8 head[OCT_IGTL_HEADER_SIZE];

  while (peer_get (fd, head, sizeof head)) {
    g_autofree guint8 *body = NULL;

    fail_unless (oct_igtl_parse_header (head, G_MAXUINT32, header, NULL));
    body = g_malloc ((gsize)header->size + 1);
    if (!peer_get (fd, body, (gsize)header->size))
      return NULL;
    if (g_str_equal (header->type, type))
      return g_steal_pointer (&body);
  }
  return NULL;
}
