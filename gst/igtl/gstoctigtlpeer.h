/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The connection to a server of OpenIGTLink, whose messages are read one by
 * one.  One thread; another one may interrupt it.
 */
#pragma once

#include <gst/gst.h>
#include "oct-igtl.h"

G_BEGIN_DECLS

typedef enum {
  GST_OCT_IGTL_MESSAGE,
  GST_OCT_IGTL_END,         /* the server has closed, after a whole message */
  GST_OCT_IGTL_INTERRUPTED, /* it can go on after that */
  GST_OCT_IGTL_SILENT,      /* nothing has come for the time; it can go on */
  GST_OCT_IGTL_FAILED,
} GstOctIgtlRead;

typedef struct _GstOctIgtlPeer GstOctIgtlPeer;

/* Does not connect yet.  `most`: the largest message that is read. */
GstOctIgtlPeer *gst_oct_igtl_peer_new (guint64 most);

/* Tries for `timeout`.  INTERRUPTED, FAILED with an error, or MESSAGE: it is
 * connected. */
GstOctIgtlRead gst_oct_igtl_peer_connect (GstOctIgtlPeer *peer,
    const char *host, guint port, GstClockTime timeout, GError **error);

/* The next message whose type is one of `types` (NULL at the end); others are
 * skipped.  A message that has begun may stand still for `timeout`.  `body`
 * belongs to the peer, until the next call. */
GstOctIgtlRead gst_oct_igtl_peer_read (GstOctIgtlPeer *peer,
    const char *const *types, GstClockTime timeout, OctIgtlHeader *header,
    const guint8 **body, GError **error);

/* Any thread: reading ends at once while it is set. */
void gst_oct_igtl_peer_interrupt (GstOctIgtlPeer *peer, gboolean on);

void gst_oct_igtl_peer_free (GstOctIgtlPeer *peer);

G_END_DECLS
