/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The state that the parts of the server share, and the server: the page over
 * HTTP (oct-live-http.c), the conversation with each page over a WebSocket
 * (oct-live-client.c), pictures as JPEG (oct-live-jpeg.c).  Main thread.
 */
#pragma once

#include "oct-live-access.h"
#include "oct-live-audit.h"
#include "oct-live-graph.h"
#include "oct-live-label.h"
#include "oct-live-message.h"
#include "oct-live-setup.h"
#include "oct-live-worklist.h"
#include "oct-places.h"
#include "oct-live-kept.h"
#include "oct-live-recording.h"
#include "oct-live-track.h"
#include "oct-scanner.h"
#include "oct-live-snapshot.h"
#include "oct-live-channel.h"
#include "oct-live-viewer.h"

#include <gio/gio.h>
#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct {
  OctLiveGraph *graph; /* NULL: a source is being chosen */
  OctLiveSetup *setup; /* NULL: the source is that of the command line */
  /* back to the choice, or the end of the program */
  void (*leave) (gboolean quit, gpointer data);
  gpointer leave_data;
  OctScanner *scanner; /* NULL: there is none */
  OctLiveTrack *track;
  OctLiveScreen *screen;   /* NULL: there is no microscope */
  gboolean records_screen; /* and so goes on without OCT */
  gboolean field_lost;     /* the microscope gives no pictures */

  OctLiveAccess *access;
  OctLiveAudit *audit;         /* NULL: there is none */
  OctLiveRecording *recording; /* NULL: recording is not offered */
  OctLiveKept *kept;           /* NULL: keeping is not offered */
  char *recording_note;        /* why it was ended by us, or NULL */
  OctLivePorts ports;
  OctSeats *talks;    /* places for conversations */
  OctSeats *pictures; /* places for /stream.mjpg */
  OctDoor *videos;    /* shares of video connections that are begun */
  OctLiveSnapshots *snapshots;
  OctLiveLabel label;        /* of the case */
  OctLiveWorklist *worklist; /* NULL: there is none */
  double width_um;           /* of a B-scan, 0 = unknown */
  double length_um;          /* of a volume, 0 = unknown */
  double refractive_index;   /* of the sample */
  GPtrArray *clients;        /* OctLiveClient, open conversations */
  double rate;               /* images per second, measured */
  guint look_timer;          /* pages get the view soon */
  char *calibration; /* its file, made at calibration_at (us), or NULL */
  gint64 calibration_at;
} OctLive;

/* Places beyond --viewers for those who control, and of one session that
 * watches; connections of those who are allowed in. */
#define OCT_LIVE_CONTROL_PLACES 2
#define OCT_LIVE_PLACES_PER_SESSION 4
#define OCT_LIVE_CONNECTIONS(viewers) (4 * (viewers) + 32)
#define OCT_LIVE_CONTROL_CONNECTIONS 16
#define OCT_LIVE_CONNECTIONS_PER_SESSION 16

/* The places for so many viewers.  Without tokens everybody controls: there are
 * no viewers to keep places from. */
void oct_live_http_make_places (OctLive *live, guint viewers);
/* The same for connections; before there is a server. */
OctSeatLimits oct_live_http_get_connections (guint viewers, gboolean guarded);

/* Pictures for files, of the graph that there is; before it is freed. */
void oct_live_http_begin (OctLive *live);
/* FALSE: a thread still uses the graph. */
gboolean oct_live_http_end (OctLive *live);

/* Adds the handlers of the page, of pictures and of conversations. */
void oct_live_http_attach (OctLive *live, SoupServer *server);

/* Answers /stream.mjpg: images as they come, as long as somebody reads. */
void oct_live_jpeg_answer (OctLive *live, SoupServerMessage *message);

typedef struct _OctLiveClient OctLiveClient;

/* Begins a conversation with a page; it adds itself to live->clients, and
 * leaves when it is over.  `stream`: the one below `socket`. */
void oct_live_client_new (OctLive *live, SoupWebsocketConnection *socket,
    OctLiveChannel *stream, const OctVisitor *visitor);
/* Does what `message` of `visitor`, NULL for a pedal, says (oct-live-control.h),
 * and tells all pages and the audit of it.  FALSE with an error of one sentence
 * if nothing was done. */
gboolean oct_live_clients_control (OctLive *live, const OctLiveMessage *message,
    const OctVisitor *visitor, GError **error);
/* Once a second: sends the status to all pages, and drops those that have not
 * answered for long. */
void oct_live_clients_tick (OctLive *live);
/* Sends all pages the settings and whether a recording is going on. */
void oct_live_clients_tell_state (OctLive *live);
/* Sends all pages what can be chosen before the start. */
void oct_live_clients_tell_setup (OctLive *live);
/* Sends all pages the path on the sample. */
void oct_live_clients_tell_path (OctLive *live);
/* Sends all pages the layout of the microscope and OCT. */
void oct_live_clients_tell_screen (OctLive *live);
/* Sends the pages that control the cases of the worklist. */
void oct_live_clients_tell_cases (OctLive *live);
/* Sends all pages soon the view of volumes: some times a second at most, as a
 * hand turns them in many steps. */
void oct_live_clients_tell_look (OctLive *live);
/* Measurements of the signal are for the pages that look at them: sends them
 * one, and begins or ends measuring as pages and recording want it. */
void oct_live_clients_tell_measurement (
    OctLive *live, const GstStructure *measurement);
void oct_live_clients_update_measuring (OctLive *live);
/* Tells the pages that control that something did not work (one sentence). */
void oct_live_clients_tell_problem (OctLive *live, const char *sentence);
/* All pages freeze their picture, or let it go on. */
void oct_live_clients_freeze (OctLive *live);
/* Tells all pages that it is over, and why (one sentence). */
void oct_live_clients_say_goodbye (OctLive *live, const char *reason);
/* Ends the conversations that are left, also with pages that still listen. */
void oct_live_clients_drop (OctLive *live);

G_END_DECLS
