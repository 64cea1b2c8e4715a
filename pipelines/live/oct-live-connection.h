/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A connection, from its first byte to its end: it makes the keys if it is
 * encrypted, reads the head of its one request, and hands it to the HTTP
 * library when that is right.  Each of these steps has its time; a client that
 * takes longer is disconnected.  Main thread.
 */
#pragma once

#include "oct-places.h"
#include "oct-live-channel.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Seconds: of those for the request's head (oct-listener.h) the part for making
 * keys; for an answer to be read; the same for unknown clients. */
#define OCT_LIVE_KEYS_TIME 4
#define OCT_LIVE_ANSWER_TIME 60
#define OCT_LIVE_REFUSAL_TIME 5
/* Keys made at the same time: in all, and for one address.  Each takes a
 * thread. */
#define OCT_LIVE_MAX_KEYS 6
#define OCT_LIVE_MAX_KEYS_PER_ADDRESS 3

/* The state that connections share. */
typedef struct {
  SoupServer *server;
  GTlsCertificate *certificate; /* NULL: not encrypted */
  OctDoor *door;                /* for those who are not known yet */
  OctSeats *seats;              /* for those who are */
  GPtrArray *connections;       /* OctLiveConnection, oldest first */
} OctLiveHall;

typedef struct _OctLiveConnection OctLiveConnection;

/* Takes part of `hall` until it is over; then it is no more. */
void oct_live_connection_begin (OctLiveHall *hall, GSocketConnection *incoming);
/* Once a second: ends it when it has taken too long. */
void oct_live_connection_check (OctLiveConnection *connection, gint64 now);
/* Ends it at once; it may exist for some time after that. */
void oct_live_connection_cut (OctLiveConnection *connection);

/* The connection of a message, NULL when it is over. */
OctLiveConnection *oct_live_connection_get (SoupServerMessage *message);
const char *oct_live_connection_get_address (OctLiveConnection *connection);
gboolean oct_live_connection_is_upgrade (OctLiveConnection *connection);
OctLiveChannel *oct_live_connection_get_channel (OctLiveConnection *connection);
/* It is `visitor`'s from now on; FALSE if no place is left for him. */
gboolean oct_live_connection_admit (
    OctLiveConnection *connection, const OctVisitor *visitor);
const OctVisitor *oct_live_connection_get_visitor (
    OctLiveConnection *connection);
/* Its answer may take as long as it likes, as long as it moves. */
void oct_live_connection_stay (OctLiveConnection *connection);

/* The headers that every answer has, one a line. */
extern const char oct_live_connection_headers[];
/* If it is encrypted: for a week, browsers ask for nothing else. */
#define OCT_LIVE_HSTS "max-age=604800"

G_END_DECLS
