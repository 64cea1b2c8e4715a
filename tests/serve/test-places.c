/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No client takes the share of others. */
#include "oct-places.h"

#define WHO(number) GUINT_TO_POINTER ((number) + 1)

static OctVisitor
make (OctRole role, guint64 session, const char *address)
{
  OctVisitor visitor = { .role = role, .session = session };

  g_strlcpy (visitor.address, address, sizeof visitor.address);
  return visitor;
}

static guint
take (OctSeats *seats, OctRole role, guint64 session, const char *address)
{
  OctVisitor visitor = make (role, session, address);

  return oct_seats_take (seats, &visitor);
}

static void
test_control_has_places (void)
{
  const OctSeatLimits limits = { .max = 8, .control = 2 };
  OctSeats *seats = oct_seats_new (&limits);
  guint last = 0;

  for (guint i = 0; i < 8; i++) {
    last = take (seats, OCT_ROLE_VIEW, i, "192.0.2.1");
    g_assert_cmpuint (last, !=, 0);
  }
  g_assert_cmpuint (take (seats, OCT_ROLE_VIEW, 9, "192.0.2.2"), ==, 0);
  g_assert_cmpuint (take (seats, OCT_ROLE_CONTROL, 1, "192.0.2.1"), !=, 0);
  g_assert_cmpuint (take (seats, OCT_ROLE_CONTROL, 2, "192.0.2.1"), !=, 0);
  g_assert_cmpuint (take (seats, OCT_ROLE_CONTROL, 3, "192.0.2.1"), ==, 0);
  oct_seats_leave (seats, last);
  oct_seats_leave (seats, last); /* nothing */
  g_assert_cmpuint (take (seats, OCT_ROLE_CONTROL, 3, "192.0.2.1"), !=, 0);
  g_assert_cmpuint (take (seats, OCT_ROLE_NOBODY, 0, "192.0.2.1"), ==, 0);
  oct_seats_free (seats);
}

static void
test_shares (void)
{
  const OctSeatLimits limits = { 8, 2, 3, 6 };
  OctSeats *seats = oct_seats_new (&limits);

  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (take (seats, OCT_ROLE_VIEW, 1, "192.0.2.1"), !=, 0);
  g_assert_cmpuint (take (seats, OCT_ROLE_VIEW, 1, "192.0.2.2"), ==, 0);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (take (seats, OCT_ROLE_VIEW, 2, "192.0.2.1"), !=, 0);
  g_assert_cmpuint (take (seats, OCT_ROLE_VIEW, 3, "192.0.2.1"), ==, 0);
  g_assert_cmpuint (take (seats, OCT_ROLE_VIEW, 4, "192.0.2.2"), !=, 0);
  /* a client with control may do so from the same place, more often */
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (take (seats, OCT_ROLE_CONTROL, 5, "192.0.2.1"), !=, 0);
  oct_seats_free (seats);
}

/* A later client is let in; the one that has waited longest gives way, of the
 * address with most clients. */
static void
test_door (void)
{
  OctDoor *door = oct_door_new ();

  g_assert_null (oct_door_enter (door, "192.0.2.9", WHO (1000)));
  for (guint i = 0; i < OCT_DOOR_PER_ADDRESS; i++)
    g_assert_null (oct_door_enter (door, "192.0.2.1", WHO (i)));
  for (guint i = 0; i < 500; i++)
    g_assert_true (
        oct_door_enter (door, "192.0.2.1", WHO (OCT_DOOR_PER_ADDRESS + i))
        == WHO (i));
  oct_door_free (door);
}

static void
test_door_of_many (void)
{
  OctDoor *door = oct_door_new ();
  guint count = 0;

  g_assert_null (oct_door_enter (door, "192.0.2.200", WHO (1000)));
  for (guint i = 0; count < OCT_DOOR_MAX - 1; i++) {
    g_autofree char *address = g_strdup_printf ("192.0.2.%u", i);

    for (guint j = 0; j < 10 && count < OCT_DOOR_MAX - 1; j++, count++)
      g_assert_null (oct_door_enter (door, address, WHO (count)));
  }
  /* one who is alone at his address stays */
  for (guint i = 0; i < 3; i++) {
    gpointer sent = oct_door_enter (door, "192.0.2.201", WHO (2000 + i));

    g_assert_nonnull (sent);
    g_assert_true (sent != WHO (1000));
  }
  oct_door_leave (door, WHO (1000));
  oct_door_leave (door, WHO (1000)); /* nothing */
  g_assert_null (oct_door_enter (door, "192.0.2.202", WHO (3000)));
  oct_door_free (door);
}

static void
test_purse (void)
{
  OctDoor *door = oct_door_new ();
  gint64 now = 1000;

  for (guint i = 0; i < OCT_PURSE_BURST; i++)
    g_assert_true (oct_door_spend (door, "192.0.2.1", 1.0, now));
  g_assert_false (oct_door_spend (door, "192.0.2.1", 1.0, now));
  g_assert_true (oct_door_spend (door, "192.0.2.2", 1.0, now));
  /* what costs more is had less often */
  for (guint i = 0; i < OCT_PURSE_BURST / 4; i++)
    g_assert_true (oct_door_spend (door, "192.0.2.3", 4.0, now));
  g_assert_false (oct_door_spend (door, "192.0.2.3", 4.0, now));
  now += G_TIME_SPAN_SECOND;
  for (guint i = 0; i < OCT_PURSE_RATE; i++)
    g_assert_true (oct_door_spend (door, "192.0.2.1", 1.0, now));
  g_assert_false (oct_door_spend (door, "192.0.2.1", 1.0, now));
  /* as many addresses as one likes: no more memory, no crash */
  for (guint i = 0; i < 20000; i++) {
    g_autofree char *address = g_strdup_printf ("2001:db8:0:%x::/64", i);

    g_assert_true (oct_door_spend (door, address, 1.0, now));
  }
  oct_door_free (door);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/places/control", test_control_has_places);
  g_test_add_func ("/places/shares", test_shares);
  g_test_add_func ("/places/door", test_door);
  g_test_add_func ("/places/door-of-many", test_door_of_many);
  g_test_add_func ("/places/purse", test_purse);
  return g_test_run ();
}
