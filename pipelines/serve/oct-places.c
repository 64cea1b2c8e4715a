/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-places.h"

#include <string.h>

#define MAX_PURSES 4096

/* ---------------------------------------------------------------------- seats
 */

typedef struct {
  guint id;
  OctVisitor visitor;
} Seat;

struct _OctSeats {
  OctSeatLimits limits;
  GArray *taken; /* Seat */
  guint last_id;
};

OctSeats *
oct_seats_new (const OctSeatLimits *limits)
{
  OctSeats *seats = g_new0 (OctSeats, 1);

  seats->limits = *limits;
  seats->taken = g_array_new (FALSE, FALSE, sizeof (Seat));
  return seats;
}

void
oct_seats_free (OctSeats *seats)
{
  g_array_unref (seats->taken);
  g_free (seats);
}

static gboolean
places_has_room (OctSeats *seats, const OctVisitor *visitor)
{
  const OctSeatLimits *limits = &seats->limits;
  guint same_role = 0, same_session = 0, same_address = 0;

  if (seats->taken->len >= limits->max + limits->control)
    return FALSE;
  if (visitor->role == OCT_ROLE_CONTROL)
    return TRUE;
  for (guint i = 0; i < seats->taken->len; i++) {
    const OctVisitor *other = &g_array_index (seats->taken, Seat, i).visitor;

    if (other->role != visitor->role)
      continue;
    same_role++;
    same_session += other->session == visitor->session;
    same_address += g_str_equal (other->address, visitor->address);
  }
  return same_role < limits->max
         && (limits->per_session == 0 || same_session < limits->per_session)
         && (limits->per_address == 0 || same_address < limits->per_address);
}

guint
oct_seats_take (OctSeats *seats, const OctVisitor *visitor)
{
  Seat seat = { .visitor = *visitor };

  if (visitor->role == OCT_ROLE_NOBODY || !places_has_room (seats, visitor))
    return 0;
  /* 0 is none; the counter may come round */
  seat.id = ++seats->last_id != 0 ? seats->last_id : ++seats->last_id;
  g_array_append_val (seats->taken, seat);
  return seat.id;
}

void
oct_seats_leave (OctSeats *seats, guint id)
{
  for (guint i = 0; i < seats->taken->len; i++)
    if (g_array_index (seats->taken, Seat, i).id == id) {
      g_array_remove_index_fast (seats->taken, i);
      return;
    }
}

/* ---------------------------------------------------------------------- purse
 */

void
oct_purse_init (OctPurse *purse, gint64 now)
{
  *purse = (OctPurse){ OCT_PURSE_BURST, now };
}

static void
places_fill (OctPurse *purse, gint64 now)
{
  purse->left += (now - purse->at) * 1e-6 * OCT_PURSE_RATE;
  purse->left = MIN (purse->left, OCT_PURSE_BURST);
  purse->at = now;
}

gboolean
oct_purse_spend (OctPurse *purse, double amount, gint64 now)
{
  places_fill (purse, now);
  if (purse->left < amount)
    return FALSE;
  purse->left -= amount;
  return TRUE;
}

/* ----------------------------------------------------------------------- door
 */

typedef struct {
  char *address;
  gpointer who;
} Guest;

struct _OctDoor {
  GHashTable *purses; /* by address */
  GPtrArray *guests;  /* Guest, those who came first at the front */
};

static void
free_guest (gpointer data)
{
  Guest *guest = data;

  g_free (guest->address);
  g_free (guest);
}

OctDoor *
oct_door_new (void)
{
  OctDoor *door = g_new0 (OctDoor, 1);

  door->purses =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  door->guests = g_ptr_array_new_with_free_func (free_guest);
  return door;
}

void
oct_door_free (OctDoor *door)
{
  g_hash_table_unref (door->purses);
  g_ptr_array_unref (door->guests);
  g_free (door);
}

static gboolean
places_is_full (gpointer key, gpointer value, gpointer data)
{
  places_fill (value, *(gint64 *)data);
  return ((OctPurse *)value)->left >= OCT_PURSE_BURST;
}

gboolean
oct_door_spend (OctDoor *door, const char *address, double amount, gint64 now)
{
  OctPurse *purse = g_hash_table_lookup (door->purses, address);

  if (purse == NULL) {
    /* a full purse is like none; IPv6 has as many addresses as one wants */
    if (g_hash_table_size (door->purses) >= MAX_PURSES)
      g_hash_table_foreach_remove (door->purses, places_is_full, &now);
    if (g_hash_table_size (door->purses) >= MAX_PURSES)
      g_hash_table_remove_all (door->purses);
    purse = g_new (OctPurse, 1);
    oct_purse_init (purse, now);
    g_hash_table_insert (door->purses, g_strdup (address), purse);
  }
  return oct_purse_spend (purse, amount, now);
}

static guint
count_guests (OctDoor *door, const char *address)
{
  guint count = 0;

  for (guint i = 0; i < door->guests->len; i++)
    count += g_str_equal (
        ((Guest *)g_ptr_array_index (door->guests, i))->address, address);
  return count;
}

/* The address that most of the guests come from. */
static const char *
find_crowd (OctDoor *door)
{
  const char *crowd = NULL;
  guint most = 0;

  for (guint i = 0; i < door->guests->len; i++) {
    const char *address =
        ((Guest *)g_ptr_array_index (door->guests, i))->address;
    guint count = count_guests (door, address);

    if (count > most) {
      most = count;
      crowd = address;
    }
  }
  return crowd;
}

/* Removes the oldest guest of an address. */
static gpointer
send_away (OctDoor *door, const char *address)
{
  for (guint i = 0; i < door->guests->len; i++) {
    Guest *guest = g_ptr_array_index (door->guests, i);
    gpointer who = guest->who;

    if (!g_str_equal (guest->address, address))
      continue;
    g_ptr_array_remove_index (door->guests, i);
    return who;
  }
  return NULL;
}

gpointer
oct_door_enter (OctDoor *door, const char *address, gpointer who)
{
  Guest *guest = g_new (Guest, 1);
  gpointer sent = NULL;

  if (count_guests (door, address) >= OCT_DOOR_PER_ADDRESS)
    sent = send_away (door, address);
  else if (door->guests->len >= OCT_DOOR_MAX)
    sent = send_away (door, find_crowd (door));
  *guest = (Guest){ g_strdup (address), who };
  g_ptr_array_add (door->guests, guest);
  return sent;
}

void
oct_door_leave (OctDoor *door, gpointer who)
{
  for (guint i = 0; i < door->guests->len; i++)
    if (((Guest *)g_ptr_array_index (door->guests, i))->who == who) {
      g_ptr_array_remove_index (door->guests, i);
      return;
    }
}
