/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source that hangs, and one that is only slow. */
#include "oct-pulse.h"

#define S G_TIME_SPAN_SECOND
#define MS G_TIME_SPAN_MILLISECOND
#define START (1000 * S)

typedef struct {
  OctPulse pulse;
  gint64 now;
  guint stopped, back;
  gint64 from, till; /* of the last gap */
} Test;

static void
begin (Test *test)
{
  *test = (Test){ .now = START };
  oct_pulse_init (&test->pulse, START);
}

/* Lets time pass, with an image every `interval` where that is not 0, and looks
 * every second. */
static void
pass (Test *test, gint64 time, gint64 interval, gint64 period)
{
  gint64 end = test->now + time, image = test->now + interval;

  for (test->now += MS; test->now <= end; test->now += MS) {
    if (interval != 0 && test->now == image) {
      oct_pulse_beat (&test->pulse, test->now);
      image += interval;
    }
    if ((test->now - START) % S != 0)
      continue;
    switch (oct_pulse_check (
        &test->pulse, test->now, period, &test->from, &test->till)) {
    case OCT_PULSE_STOPPED:
      test->stopped++;
      break;
    case OCT_PULSE_BACK:
      test->back++;
      break;
    case OCT_PULSE_REGULAR:
      break;
    }
  }
  test->now = end;
}

static void
assert_told (Test *test, guint stopped, guint back)
{
  g_assert_cmpuint (test->stopped, ==, stopped);
  g_assert_cmpuint (test->back, ==, back);
}

static void
test_hangs (void)
{
  Test test;
  gboolean any;

  begin (&test);
  pass (&test, 60 * S, 40 * MS, 40 * MS);
  assert_told (&test, 0, 0);
  /* a moment is no matter, and then it is told once */
  pass (&test, 4900 * MS, 0, 40 * MS);
  assert_told (&test, 0, 0);
  pass (&test, 3600 * S, 0, 40 * MS);
  assert_told (&test, 1, 0);
  g_assert_cmpint (oct_pulse_get_last (&test.pulse, &any), ==, START + 60 * S);
  g_assert_true (any);
  pass (&test, 60 * S, 40 * MS, 40 * MS);
  assert_told (&test, 1, 1);
  g_assert_cmpint (test.from, ==, START + 60 * S);
  g_assert_cmpint (test.till, ==, START + 3664900 * MS + 40 * MS);
  /* and again */
  pass (&test, 7 * S, 0, 40 * MS);
  assert_told (&test, 2, 1);
  oct_pulse_clear (&test.pulse);
}

static void
test_never_begins (void)
{
  Test test;
  gboolean any;

  begin (&test);
  pass (&test, 60 * S, 0, 0);
  assert_told (&test, 1, 0);
  g_assert_cmpint (oct_pulse_get_last (&test.pulse, &any), ==, START);
  g_assert_false (any);
  oct_pulse_clear (&test.pulse);
}

/* By what its caps say, and what nothing says: told once at the most. */
static void
test_slow (void)
{
  Test test;

  begin (&test);
  pass (&test, 600 * S, 4 * S, 0);
  pass (&test, 600 * S, 20 * S, 20 * S);
  assert_told (&test, 0, 0);
  oct_pulse_clear (&test.pulse);
  begin (&test);
  pass (&test, 600 * S, 8 * S, 40 * MS);
  assert_told (&test, 1, 1);
  pass (&test, 600 * S, 8 * S, 40 * MS);
  assert_told (&test, 1, 1);
  oct_pulse_clear (&test.pulse);
}

static void
test_forgiven (void)
{
  Test test;

  begin (&test);
  pass (&test, 10 * S, 40 * MS, 0);
  pass (&test, 10 * S, 0, 0);
  assert_told (&test, 1, 0);
  g_assert_true (oct_pulse_forgive (&test.pulse, test.now));
  g_assert_false (oct_pulse_forgive (&test.pulse, test.now));
  pass (&test, 10 * S, 40 * MS, 0);
  assert_told (&test, 1, 0);
  oct_pulse_clear (&test.pulse);
}

/* A recording that ends in a gap, or right after one. */
static void
test_ends_in_a_gap (void)
{
  gint64 from, till;
  Test test;

  begin (&test);
  pass (&test, 60 * S, 40 * MS, 40 * MS);
  g_assert_false (
      oct_pulse_get_gap (&test.pulse, test.now, 40 * MS, &from, &till));
  pass (&test, 4 * S, 0, 40 * MS);
  g_assert_false (
      oct_pulse_get_gap (&test.pulse, test.now, 40 * MS, &from, &till));
  pass (&test, 5 * S, 0, 40 * MS);
  g_assert_true (
      oct_pulse_get_gap (&test.pulse, test.now, 40 * MS, &from, &till));
  g_assert_cmpint (from, ==, START + 60 * S);
  g_assert_cmpint (till, ==, START + 69 * S);
  /* it is over, and nobody has looked since */
  oct_pulse_beat (&test.pulse, test.now + 10 * MS);
  g_assert_true (oct_pulse_get_gap (
      &test.pulse, test.now + 20 * MS, 40 * MS, &from, &till));
  g_assert_cmpint (till, ==, START + 69 * S + 10 * MS);
  pass (&test, 2 * S, 40 * MS, 40 * MS);
  assert_told (&test, 1, 1);
  g_assert_false (
      oct_pulse_get_gap (&test.pulse, test.now, 40 * MS, &from, &till));
  oct_pulse_clear (&test.pulse);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pulse/hangs", test_hangs);
  g_test_add_func ("/pulse/never-begins", test_never_begins);
  g_test_add_func ("/pulse/slow", test_slow);
  g_test_add_func ("/pulse/forgiven", test_forgiven);
  g_test_add_func ("/pulse/ends-in-a-gap", test_ends_in_a_gap);
  return g_test_run ();
}
