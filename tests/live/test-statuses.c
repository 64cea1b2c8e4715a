/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which answers of a page to statuses count, with times of our own. */
#include "oct-live-statuses.h"

#define SECOND G_TIME_SPAN_SECOND

/* A page whose answers take 2.5 s, as on a slow link or a busy computer, is
 * heard all the time; how long the way takes is not known then. */
static void
test_late (void)
{
  OctLiveStatuses statuses = { 0 };
  gint64 numbers[30];

  for (gint64 i = 0; i < 30; i++) {
    numbers[i] = oct_live_statuses_send (&statuses, i * SECOND);
    if (i >= 3) {
      oct_live_statuses_answer (
          &statuses, numbers[i - 3], i * SECOND - SECOND / 2);
      g_assert_cmpuint (statuses.unanswered, ==, 3);
    }
    g_assert_cmpfloat (statuses.round_trip, ==, 0);
  }
  /* the newest, at once */
  oct_live_statuses_answer (&statuses, numbers[29], 29 * SECOND + 4000);
  g_assert_cmpuint (statuses.unanswered, ==, 0);
  g_assert_cmpfloat (statuses.round_trip, ==, 4);
  /* one after a newer one changes nothing */
  oct_live_statuses_answer (&statuses, numbers[28], 30 * SECOND);
  g_assert_cmpuint (statuses.unanswered, ==, 0);
  g_assert_cmpfloat (statuses.round_trip, ==, 4);
}

/* oct-live itself has no time for a minute: it sends no status, and a page is
 * not silent that had none to answer. */
static void
test_busy (void)
{
  OctLiveStatuses statuses = { 0 };
  gint64 number = oct_live_statuses_send (&statuses, 0);

  oct_live_statuses_answer (&statuses, number, SECOND / 2);
  number = oct_live_statuses_send (&statuses, 60 * SECOND);
  g_assert_cmpuint (statuses.unanswered, ==, 1);
  oct_live_statuses_answer (&statuses, number, 61 * SECOND);
  g_assert_cmpuint (statuses.unanswered, ==, 0);
  for (guint i = 0; i < OCT_LIVE_SILENCE; i++) {
    g_assert_cmpuint (statuses.unanswered, <, OCT_LIVE_SILENCE);
    oct_live_statuses_send (&statuses, (62 + i) * SECOND);
  }
  g_assert_cmpuint (statuses.unanswered, ==, OCT_LIVE_SILENCE);
}

/* Guesses, and answers to statuses of long ago, do not keep a page. */
static void
test_silent (void)
{
  OctLiveStatuses statuses = { 0 };
  gint64 first;

  oct_live_statuses_answer (&statuses, 0, 6 * SECOND);
  g_assert_cmpuint (statuses.unanswered, ==, 0);
  first = oct_live_statuses_send (&statuses, 7 * SECOND);
  g_assert_cmpint (first, >=, 0);
  g_assert_cmpint (first, <, (gint64)1 << 53);
  for (gint64 i = 1; i <= OCT_LIVE_STATUSES; i++) {
    gint64 number = oct_live_statuses_send (&statuses, (7 + i) * SECOND);

    g_assert_cmpint (number, !=, first);
    oct_live_statuses_answer (&statuses, number ^ 1, (7 + i) * SECOND);
  }
  oct_live_statuses_answer (&statuses, first, 40 * SECOND);
  g_assert_cmpuint (statuses.unanswered, ==, OCT_LIVE_STATUSES + 1);
}

/* Measurements up to the answered status are read. */
static void
test_meters (void)
{
  OctLiveStatuses statuses = { 0 };
  gint64 numbers[2];

  statuses.meters = 3;
  numbers[0] = oct_live_statuses_send (&statuses, SECOND);
  statuses.meters = 8;
  numbers[1] = oct_live_statuses_send (&statuses, 2 * SECOND);
  statuses.meters = 9;
  oct_live_statuses_answer (&statuses, numbers[0], 3 * SECOND);
  g_assert_cmpuint (statuses.read, ==, 3);
  oct_live_statuses_answer (&statuses, numbers[1], 3 * SECOND);
  g_assert_cmpuint (statuses.read, ==, 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/statuses/late", test_late);
  g_test_add_func ("/statuses/busy", test_busy);
  g_test_add_func ("/statuses/silent", test_silent);
  g_test_add_func ("/statuses/meters", test_meters);
  return g_test_run ();
}
