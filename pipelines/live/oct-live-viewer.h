/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * One viewer's WebRTC connection: a pipeline of its own, fed with the frames
 * that were encoded once for all.  Frames that the viewer cannot receive are
 * dropped up to the next key frame, and nobody else notices.
 */
#pragma once

#include "oct-live-graph.h"

G_BEGIN_DECLS

typedef struct _OctLiveViewer OctLiveViewer;

/* The origin of WebRTC's UDP packets. */
typedef struct {
  const char *address;         /* IP address to use, NULL = all there are */
  guint first_port, last_port; /* 0 = any */
} OctLivePorts;

/* All called in the main context. */
typedef struct {
  /* An offer to hand to the browser. */
  void (*offer) (const char *sdp, gpointer data);
  /* One of our addresses to hand to the browser. */
  void (*candidate) (guint mline, const char *candidate, gpointer data);
  /* The connection has failed or was closed by the browser. */
  void (*failed) (gpointer data);
} OctLiveViewerEvents;

/* Starts negotiation: an offer follows.  NULL with an error of one sentence. */
OctLiveViewer *oct_live_viewer_new (OctLiveGraph *graph,
    const OctLivePorts *ports, const OctLiveViewerEvents *events, gpointer data,
    GError **error);

/* The browser's answer, which oct_live_answer_take has given. */
void oct_live_viewer_set_answer (OctLiveViewer *viewer, const char *sdp);
/* One of the browser's addresses. */
void oct_live_viewer_add_candidate (
    OctLiveViewer *viewer, guint mline, const char *candidate);

/* Frames dropped because this viewer's connection was too slow. */
guint oct_live_viewer_get_dropped (OctLiveViewer *viewer);

/* Ends the connection; no event comes any more. */
void oct_live_viewer_free (OctLiveViewer *viewer);

G_END_DECLS
