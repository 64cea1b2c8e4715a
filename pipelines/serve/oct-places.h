/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shares of limited places.
 *
 * Two rules keep one visitor from taking all that others need.  A visitor that
 * has not yet shown that it belongs here gives way to later ones, first at the
 * address that has most of its kind.  One that belongs here has a share by its
 * session and its address, and some places are for control only.  Nothing of
 * this touches a network; one thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  OCT_ROLE_NOBODY,
  OCT_ROLE_VIEW,
  OCT_ROLE_CONTROL,
} OctRole;

/* The client that makes a request. */
typedef struct {
  OctRole role;
  guint64 session; /* 0: without a token */
  char address[64];
} OctVisitor;

/* ---------------------------------------------------------------------- seats
 */

/* Places of one kind: conversations, answers, ... */
typedef struct {
  guint max;         /* of those who watch */
  guint control;     /* beyond: they stay free for control */
  guint per_session; /* of one who watches; 0 = no limit */
  guint per_address; /* of those who watch; 0 = no limit */
} OctSeatLimits;

typedef struct _OctSeats OctSeats;

OctSeats *oct_seats_new (const OctSeatLimits *limits);
void oct_seats_free (OctSeats *seats);
/* An id for oct_seats_leave, 0 when there is no place for the visitor. */
guint oct_seats_take (OctSeats *seats, const OctVisitor *visitor);
void oct_seats_leave (OctSeats *seats, guint id);

/* ---------------------------------------------------------------------- purse
 */

/* Allowance of a client: OCT_PURSE_BURST at once, and OCT_PURSE_RATE per second
 * in the long run. */
#define OCT_PURSE_BURST 60
#define OCT_PURSE_RATE 20

typedef struct {
  double left;
  gint64 at; /* microseconds */
} OctPurse;

void oct_purse_init (OctPurse *purse, gint64 now);
/* FALSE when there is less than `amount` left. */
gboolean oct_purse_spend (OctPurse *purse, double amount, gint64 now);

/* ----------------------------------------------------------------------- door
 */

/* Unknown visitors at once: in all, and from one address. */
#define OCT_DOOR_MAX 112
#define OCT_DOOR_PER_ADDRESS 56
/* Costs to the purse of an address: for the keys of an encrypted connection,
 * a request, and a video connection, which costs as much as some of them. */
#define OCT_DOOR_KEY 1.0
#define OCT_DOOR_REQUEST 1.0
#define OCT_DOOR_VIDEO 4.0

typedef struct _OctDoor OctDoor;

OctDoor *oct_door_new (void);
void oct_door_free (OctDoor *door);
/* Takes `amount` of the share of an address; FALSE when it has had its share.
 * `now`: microseconds. */
gboolean oct_door_spend (
    OctDoor *door, const char *address, double amount, gint64 now);
/* Adds a visitor, which is not NULL.  Returns the visitor that has to leave for
 * that (and has left), or NULL. */
gpointer oct_door_enter (OctDoor *door, const char *address, gpointer who);
/* It has gone, or has become known; nothing happens if it was not there. */
void oct_door_leave (OctDoor *door, gpointer who);

G_END_DECLS
