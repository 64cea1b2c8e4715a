/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Who may have how much of what there is not enough of.
 *
 * Two rules keep one visitor from taking what others need.  Who has not shown
 * yet that he belongs here gives way to who comes later, first where most of
 * his kind come from the same address.  Who belongs here has a share by his
 * session and his address, and some places are for control only.  Nothing of
 * this touches a network; main thread.
 */
#pragma once

#include "oct-live-access.h"

G_BEGIN_DECLS

/* Who makes a request. */
typedef struct {
  OctLiveRole role;
  guint64 session; /* 0: without a token */
  char address[64];
} OctLiveVisitor;

/* ---------------------------------------------------------------------- seats
 */

/* Places of one kind: conversations, answers, ... */
typedef struct {
  guint max;         /* of those who watch */
  guint control;     /* beyond: they stay free for control */
  guint per_session; /* of one who watches; 0 = no limit */
  guint per_address; /* of those who watch; 0 = no limit */
} OctLiveSeatLimits;

typedef struct _OctLiveSeats OctLiveSeats;

OctLiveSeats *oct_live_seats_new (const OctLiveSeatLimits *limits);
void oct_live_seats_free (OctLiveSeats *seats);
/* An id for oct_live_seats_leave, 0 when there is no place for the visitor. */
guint oct_live_seats_take (OctLiveSeats *seats, const OctLiveVisitor *visitor);
void oct_live_seats_leave (OctLiveSeats *seats, guint id);

/* ----------------------------------------------------------------------- door
 */

/* Unknown visitors at once: in all, and from one address. */
#define OCT_LIVE_DOOR_MAX 112
#define OCT_LIVE_DOOR_PER_ADDRESS 56
/* What one address may have done for it: at once, and per second in the long
 * run, in keys for encrypted connections.  A video connection costs as much as
 * some of them. */
#define OCT_LIVE_DOOR_BURST 60
#define OCT_LIVE_DOOR_RATE 20
#define OCT_LIVE_DOOR_KEY 1.0
#define OCT_LIVE_DOOR_VIDEO 4.0

typedef struct _OctLiveDoor OctLiveDoor;

OctLiveDoor *oct_live_door_new (void);
void oct_live_door_free (OctLiveDoor *door);
/* Takes `amount` of the share of an address; FALSE when it has had its share.
 * `now`: microseconds. */
gboolean oct_live_door_spend (
    OctLiveDoor *door, const char *address, double amount, gint64 now);
/* Somebody comes in, `who` is not NULL.  Returns who has to leave for that (and
 * has left), or NULL. */
gpointer oct_live_door_enter (
    OctLiveDoor *door, const char *address, gpointer who);
/* He has gone, or has become known; nothing happens when he was not there. */
void oct_live_door_leave (OctLiveDoor *door, gpointer who);

G_END_DECLS
