/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A connection of a viewer by RTSP, from its first byte to its end.
 *
 * The RTSP library takes requests of any length, as many as come, from as many
 * as come.  So it does not get the connection itself: each message is read and
 * judged here (oct-rtsp-message.h), and one that is right goes on to the
 * library over a second connection inside of this computer.  A viewer without a
 * password yet is a guest at the door, one that plays has a seat
 * (oct-places.h).  One thread.
 */
#pragma once

#include "oct-places.h"

#include <gio/gio.h>
#include <gst/rtsp-server/rtsp-server.h>

G_BEGIN_DECLS

/* Seconds from coming in to playing: a person may have to type a password. */
#define OCT_RTSP_LOGIN_TIME 60

typedef struct _OctRtspConnection OctRtspConnection;

/* The state that connections share. */
typedef struct {
  GstRTSPServer *server;
  OctDoor *door;             /* for those who do not play yet */
  OctSeats *seats;           /* for those who do */
  GPtrArray *connections;    /* OctRtspConnection, oldest first */
  OctRtspConnection *coming; /* whose client the library is making */
} OctRtspHall;

void oct_rtsp_hall_init (
    OctRtspHall *hall, GstRTSPServer *server, const OctSeatLimits *limits);
/* Ends all connections. */
void oct_rtsp_hall_clear (OctRtspHall *hall);

/* Takes part of `hall` until it is over; then it is no more. */
void oct_rtsp_connection_begin (OctRtspHall *hall, GSocketConnection *incoming);
/* Once a second: ends it when it has taken too long. */
void oct_rtsp_connection_check (OctRtspConnection *connection, gint64 now);

G_END_DECLS
