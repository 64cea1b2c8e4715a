/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The head of a request, looked at before the HTTP library sees it.
 *
 * oct-live answers GET and HEAD without a body, and opens WebSockets at one
 * path for its own page.  Everything else is refused here, by the raw bytes:
 * it does not matter then how a library reads a path, a body or a strange
 * header.  Nothing of this touches a network; any thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define OCT_LIVE_MAX_HEAD 32768 /* bytes, a browser's cookies included */
#define OCT_LIVE_SOCKET_PATH "/socket"

typedef struct {
  guint status;         /* 0: the request is fine, else the one to refuse it */
  const char *sentence; /* for the client that is refused */
  gboolean upgrade;     /* it is our own page asking for a WebSocket */
} OctLiveHead;

/* Judges a whole head of `length` bytes.  `tls`: it came encrypted, so our own
 * pages are https. */
OctLiveHead oct_live_head_check (const char *text, gsize length, gboolean tls);

G_END_DECLS
