/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A viewer's RTSP input, looked at before the RTSP library sees it: a
 * request with a small body, or a packet of RTCP.  The library itself takes
 * bodies and headers of any length.  HTTP tunnels, and all requests that a
 * viewer does not need, are refused here.  Nothing of this touches a network;
 * any thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes of a request's head, of its body, and of a packet. */
#define OCT_RTSP_MAX_HEAD 8192
#define OCT_RTSP_MAX_BODY 4096
#define OCT_RTSP_MAX_PACKET 4096
/* Empty lines before a message. */
#define OCT_RTSP_MAX_EMPTY 4
/* All of a message fits into this, with empty lines before it. */
#define OCT_RTSP_MAX_MESSAGE                                                   \
  (OCT_RTSP_MAX_HEAD + OCT_RTSP_MAX_BODY + 2 * OCT_RTSP_MAX_EMPTY)

typedef struct {
  gsize empty;  /* bytes of empty lines before it, which are not passed on */
  gsize length; /* of the whole message, 0 as long as it has not come */
  guint status; /* 0: so far it is fine, else the one to refuse it */
} OctRtspMessage;

/* Judges the first message of `length` bytes. */
OctRtspMessage oct_rtsp_message_check (const guint8 *bytes, gsize length);

G_END_DECLS
