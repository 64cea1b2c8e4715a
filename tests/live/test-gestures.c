/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The meaning of presses of a pedal, with times of our own. */
#include "oct-live-gestures.h"

#define MS G_TIME_SPAN_MILLISECOND
#define START (1000 * MS)

static OctLiveGestures gestures;

static void
use (const char *map)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (oct_live_gestures_parse (&gestures, map, &error));
  g_assert_no_error (error);
}

static OctLivePedalAction
down (guint key, gint64 ms)
{
  return oct_live_gestures_take (&gestures, key, TRUE, START + ms * MS);
}

static OctLivePedalAction
up (guint key, gint64 ms)
{
  return oct_live_gestures_take (&gestures, key, FALSE, START + ms * MS);
}

static OctLivePedalAction
at (gint64 ms)
{
  return oct_live_gestures_expire (&gestures, START + ms * MS);
}

/* A key with nothing but a press acts when it goes down, once. */
static void
test_press (void)
{
  use ("KEY_B=record");
  g_assert_cmpint (down (KEY_B, 0), ==, OCT_LIVE_PEDAL_RECORD);
  g_assert_cmpint (down (KEY_B, 20), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (oct_live_gestures_get_deadline (&gestures), ==, 0);
  g_assert_cmpint (up (KEY_B, 900), ==, OCT_LIVE_PEDAL_NOTHING);
  /* another key */
  g_assert_cmpint (down (KEY_C, 1000), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (down (KEY_B, 2000), ==, OCT_LIVE_PEDAL_RECORD);
}

/* With a long one, a press acts when it ends, and a long one while it lasts. */
static void
test_long (void)
{
  use ("KEY_B=keep, long:KEY_B=record");
  g_assert_cmpint (down (KEY_B, 0), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (up (KEY_B, 599), ==, OCT_LIVE_PEDAL_KEEP);
  g_assert_cmpint (at (700), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (down (KEY_B, 1000), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (oct_live_gestures_get_deadline (&gestures), ==,
      START + 1000 * MS + OCT_LIVE_LONG_PRESS);
  g_assert_cmpint (at (1599), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (at (1600), ==, OCT_LIVE_PEDAL_RECORD);
  g_assert_cmpint (at (1600), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (up (KEY_B, 1700), ==, OCT_LIVE_PEDAL_NOTHING);
}

/* It is one also if nobody asked while it lasted. */
static void
test_late (void)
{
  use ("KEY_B=keep,double:KEY_B=freeze,long:KEY_B=record");
  down (KEY_B, 0);
  g_assert_cmpint (up (KEY_B, 600), ==, OCT_LIVE_PEDAL_RECORD);
  g_assert_cmpint (at (5000), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (oct_live_gestures_get_deadline (&gestures), ==, 0);
  down (KEY_B, 6000);
  g_assert_cmpint (up (KEY_B, 6100), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (at (7000), ==, OCT_LIVE_PEDAL_KEEP);
}

/* With a double one, a press waits whether a second one comes. */
static void
test_double (void)
{
  use ("KEY_B=keep,double:KEY_B=freeze,long:KEY_B=record");
  down (KEY_B, 0);
  g_assert_cmpint (up (KEY_B, 100), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (down (KEY_B, 399), ==, OCT_LIVE_PEDAL_FREEZE);
  g_assert_cmpint (at (1500), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (up (KEY_B, 1600), ==, OCT_LIVE_PEDAL_NOTHING);
  down (KEY_B, 2000);
  up (KEY_B, 2100);
  g_assert_cmpint (at (2399), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (at (2400), ==, OCT_LIVE_PEDAL_KEEP);
  down (KEY_B, 3000);
  g_assert_cmpint (at (3600), ==, OCT_LIVE_PEDAL_RECORD);
}

/* A contact that bounces after a press is not a second one, nor a long one. */
static void
test_bounce (void)
{
  use ("KEY_B=keep,double:KEY_B=freeze,long:KEY_B=record");
  down (KEY_B, 0);
  up (KEY_B, 100);
  g_assert_cmpint (down (KEY_B, 110), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (at (400), ==, OCT_LIVE_PEDAL_KEEP);
  g_assert_cmpint (up (KEY_B, 420), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (at (2000), ==, OCT_LIVE_PEDAL_NOTHING);
}

/* Keys without an action of their own do that of any; two at once are two. */
static void
test_any (void)
{
  use ("any=mark,long:any=record,KEY_B=keep,30=freeze");
  g_assert_cmpint (down (KEY_A, 0), ==, OCT_LIVE_PEDAL_FREEZE); /* 30 */
  g_assert_cmpint (down (KEY_B, 0), ==, OCT_LIVE_PEDAL_KEEP);
  g_assert_cmpint (down (BTN_TRIGGER, 0), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (down (KEY_C, 10), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (up (KEY_C, 50), ==, OCT_LIVE_PEDAL_MARK);
  g_assert_cmpint (at (700), ==, OCT_LIVE_PEDAL_RECORD);
  /* lost events: nothing is down any more */
  down (KEY_C, 1000);
  oct_live_gestures_reset (&gestures);
  g_assert_cmpint (at (9000), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (down (KEY_A, 9000), ==, OCT_LIVE_PEDAL_FREEZE);
  /* no such key */
  g_assert_cmpint (down (KEY_MAX + 1, 0), ==, OCT_LIVE_PEDAL_NOTHING);
  g_assert_cmpint (down (G_MAXUINT, 0), ==, OCT_LIVE_PEDAL_NOTHING);
}

static void
test_refused (void)
{
  static const struct {
    const char *map, *said;
  } cases[] = {
    { "", "'' in --pedal-keys is not a key" },
    { "KEY_B", "'' in --pedal-keys is not an action" },
    { "KEY_B=", "'' in --pedal-keys is not an action" },
    { "KEY_B=sing", "'sing' in --pedal-keys is not an action" },
    { "KEY_NONE=keep", "'KEY_NONE' in --pedal-keys is not a key" },
    { "0=keep", "'0' in --pedal-keys is not a key" },
    { "768=keep", "'768' in --pedal-keys is not a key" },
    { "-1=keep", "'-1' in --pedal-keys is not a key" },
    { "triple:KEY_B=keep", "'triple' in --pedal-keys is none of" },
    { "KEY_B=keep,,KEY_C=keep", "'' in --pedal-keys is not a key" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (oct_live_gestures_parse (&gestures, cases[i].map, &error));
    g_assert_nonnull (error);
    g_assert_true (g_str_has_prefix (error->message, cases[i].said));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/gestures/press", test_press);
  g_test_add_func ("/live/gestures/long", test_long);
  g_test_add_func ("/live/gestures/late", test_late);
  g_test_add_func ("/live/gestures/double", test_double);
  g_test_add_func ("/live/gestures/bounce", test_bounce);
  g_test_add_func ("/live/gestures/any", test_any);
  g_test_add_func ("/live/gestures/refused", test_refused);
  return g_test_run ();
}
