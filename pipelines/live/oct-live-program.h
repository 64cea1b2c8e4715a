/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The program, and how its parts are made of the options.  Main thread.
 */
#pragma once

#include "oct-live-links.h"
#include "oct-live-listener.h"
#include "oct-live-options.h"
#include "oct-live-server.h"

G_BEGIN_DECLS

typedef struct {
  OctLiveOptions options;
  OctLive live;
  OctLiveTokens tokens;
  OctLiveListener *listener;
  GPtrArray *pedals; /* OctLivePedal */
  SoupServer *server;
  GMainLoop *loop;
  OctLiveLinks *links; /* NULL: the page is not opened */
  char *failure;       /* why the pictures end by themselves */
  gboolean over;       /* the program ends, and not the pictures alone */
  gboolean hanging;    /* a thread still uses the graph */
  gboolean incomplete; /* a recording is */
  const char *last;    /* the last message to pages */
  guint goodbye_left;
  guint leaving; /* source that ends the pictures, or 0 */
  guint64 frames;
  gint64 counted_at;
} OctLiveProgram;

gboolean oct_live_program_make_audit (OctLiveProgram *program, GError **error);
/* The source with all that takes its pictures; FALSE with a sentence. */
gboolean oct_live_program_make_graph (OctLiveProgram *program, GError **error);
gboolean oct_live_program_make_server (OctLiveProgram *program, GError **error);

G_END_DECLS
