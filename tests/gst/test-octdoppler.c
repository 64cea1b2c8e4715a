/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octdoppler: velocities of known phases, their units and grey levels; places
 * with repeats, lost ones too; what cannot be right.
 */
#include "oct-test.h"

#include <math.h>
#include <string.h>

#define BINS 32
#define LINES 12
#define SIZE ", samples=32, lines=12, framerate=30/1"
#define ASCANS "application/x-oct-ascans, format=CF32LE" SIZE
#define PHYSICS                                                                \
  ", line-rate=(fraction)100000/1, wavelength=(double)8.5e-7, "                \
  "z-spacing=(double)3e-6"
#define VALUES " ! capsfilter caps=application/x-oct-values"
/* mm/s of a rad from A-line to A-line */
#define SPEED (8.5e-7 * 1e5 * 1e3 / (4 * G_PI * 1.38))

/* In the memory that the element is to take. */
static void
set_src_caps (GstHarness *harness, const char *caps)
{
  oct_test_set_src_caps (harness, gst_caps_from_string (caps));
}

static GstBuffer *
push_and_pull (GstHarness *harness, GstBuffer *buffer)
{
  fail_unless_equals_int (oct_test_push_buffer (harness, buffer), GST_FLOW_OK);
  return gst_harness_pull (harness);
}

/* A-scans that turn by `shift` from A-line to A-line, and by `turn` as a whole. */
static GstBuffer *
new_ascans (double shift, double turn)
{
  g_autofree float *values = g_new (float, 2 * LINES * BINS);

  for (guint x = 0; x < LINES; x++)
    for (guint i = 0; i < BINS; i++) {
      double phase = i + shift * x + turn;

      values[2 * (x * BINS + i)] = (float)(100 * cos (phase));
      values[2 * (x * BINS + i) + 1] = (float)(100 * sin (phase));
    }
  return gst_buffer_new_memdup (values, 2 * sizeof (float) * LINES * BINS);
}

static void
check_text (GstHarness *harness, const char *field, const char *expected)
{
  g_autoptr (GstStructure) caps = oct_test_output (harness);

  fail_unless_equals_string (gst_structure_get_string (caps, field), expected);
}

/* All values of the next buffer are `expected`. */
static void
check_values (GstHarness *harness, double expected)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);
  float values[LINES * BINS];

  fail_unless_equals_int (gst_buffer_get_size (buffer), sizeof values);
  gst_buffer_extract (buffer, 0, values, sizeof values);
  for (guint i = 0; i < LINES * BINS; i++)
    fail_unless (fabs (values[i] - expected) <= 1e-4 * (1 + fabs (expected)),
        "%g instead of %g", values[i], expected);
}

/* The sentence of the only warning has these words. */
static void
check_warning (GstBus *bus, const char *words)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL, "no warning of %s", words);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
  oct_test_assert_quiet (bus);
}

/* ------------------------------------------------------------------ velocities
 */

static const struct {
  const char *properties, *caps;
  double shift, expected;
  const char *quantity, *unit;
} velocities[] = {
  { "", ASCANS PHYSICS, 0.7, 0.7 * SPEED, "velocity", "mm/s" },
  { "", ASCANS PHYSICS, -2.9, -2.9 * SPEED, "velocity", "mm/s" },
  { "angle=60", ASCANS PHYSICS, 0.7, 1.4 * SPEED, "velocity", "mm/s" },
  { "refractive-index=1", ASCANS PHYSICS, 0.7, 0.7 * 1.38 * SPEED, "velocity",
      "mm/s" },
  /* properties win */
  { "wavelength=1.7e-6 line-rate=50000", ASCANS PHYSICS, 0.7, 0.7 * SPEED,
      "velocity", "mm/s" },
  { "wavelength=8.5e-7 line-rate=100000", ASCANS, 0.7, 0.7 * SPEED, "velocity",
      "mm/s" },
  { "quantity=phase", ASCANS PHYSICS, 0.7, 0.7, "phase", "rad" },
  { "quantity=phase", ASCANS, -0.7, -0.7, "phase", "rad" },
  { "quantity=variance", ASCANS, 0.7, 0, "variance", "1" },
};

GST_START_TEST (test_velocity)
{
  g_autofree char *launch =
      g_strconcat ("octdoppler bulk-lines=0 threshold=0 noise=1e-9 ",
          velocities[__i__].properties, VALUES, NULL);
  GstHarness *harness = oct_test_harness (launch);
  GstBus *bus = oct_test_bus (harness);

  set_src_caps (harness, velocities[__i__].caps);
  oct_test_push_buffer (harness, new_ascans (velocities[__i__].shift, 0));
  check_values (harness, velocities[__i__].expected);
  check_text (harness, "quantity", velocities[__i__].quantity);
  check_text (harness, "unit", velocities[__i__].unit);
  check_text (harness, "format", "F32LE");
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* No length, or no time, no velocity: a sentence, and phases in rad. */
GST_START_TEST (test_unknown)
{
  static const struct {
    const char *properties, *words;
  } cases[] = { { "", "The wavelength is not known" },
    { "wavelength=8.5e-7", "The line rate is not known" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *launch =
        g_strconcat ("octdoppler bulk-lines=0 threshold=0 ",
            cases[i].properties, VALUES, NULL);
    GstHarness *harness = oct_test_harness (launch);

    set_src_caps (harness, ASCANS);
    for (guint n = 0; n < 3; n++) {
      oct_test_push_buffer (harness, new_ascans (0.7, 0));
      check_values (harness, 0.7);
    }
    check_text (harness, "unit", "rad");
    check_warning (oct_test_bus (harness), cases[i].words);
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* 128 + 127 v / range, of half a turn if no range is set. */
GST_START_TEST (test_grey)
{
  static const struct {
    const char *properties;
    double level;
  } cases[] = { { "", 128 + 127 * 0.7 / G_PI },
    { "range=10", 128 + 127 * 0.7 * SPEED / 10 }, { "range=1", 255 },
    { "quantity=phase range=1.4", 128 + 127 * 0.5 },
    { "quantity=variance noise=1e-9", 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *launch = g_strconcat (
        "octdoppler bulk-lines=0 threshold=0 ", cases[i].properties,
        " ! capsfilter caps=video/x-raw,format=GRAY8", NULL);
    GstHarness *harness = oct_test_harness (launch);
    g_autoptr (GstBuffer) buffer = NULL;
    guint8 levels[BINS * LINES];

    set_src_caps (harness, ASCANS PHYSICS);
    buffer = push_and_pull (harness, new_ascans (0.7, 0));
    fail_unless_equals_int (gst_buffer_get_size (buffer), sizeof levels);
    gst_buffer_extract (buffer, 0, levels, sizeof levels);
    for (guint k = 0; k < BINS * LINES; k++)
      fail_unless_equals_int (levels[k], (gint)rint (cases[i].level));
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* The tissue moves by 0.9 rad, and nothing else: 0. */
GST_START_TEST (test_bulk)
{
  GstHarness *harness =
      oct_test_harness ("octdoppler quantity=phase threshold=0" VALUES);

  set_src_caps (harness, ASCANS);
  oct_test_push_buffer (harness, new_ascans (0.9, 0));
  {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);
    float values[LINES * BINS];

    gst_buffer_extract (buffer, 0, values, sizeof values);
    for (guint i = 0; i < LINES * BINS; i++)
      fail_unless (fabs (values[i]) < 0.02, "%g", values[i]);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* -------------------------------------------------------------------- repeats
 */

#define REPEATS                                                                \
  "octdoppler between=repeats bulk-lines=0 threshold=0 quantity=phase" VALUES

/* B-scan n of a volume of 6, with two places of 3; 0.5 rad from one to the next
 * at the first place, 0.8 at the second. */
static void
push_bscan (GstHarness *harness, guint n)
{
  GstBuffer *buffer = new_ascans (0.2, n % 3 * (n / 3 % 2 ? 0.8 : 0.5));

  oct_test_add_scan_meta (buffer, n % 6, 6, n / 6);
  GST_BUFFER_PTS (buffer) = n * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  oct_test_push_buffer (harness, buffer);
}

static void
check_place (GstHarness *harness, guint place, guint64 volume, guint first,
    guint last, double expected)
{
  g_autoptr (GstBuffer) buffer = gst_harness_try_pull (harness);
  GstOctScanPosition position;
  float value;

  fail_unless (buffer != NULL);
  position = oct_test_get_scan_position (buffer);
  fail_unless_equals_int (position.bscan, place);
  fail_unless_equals_int (position.bscans, 2);
  fail_unless (position.volume == volume);
  fail_unless (GST_BUFFER_PTS (buffer) == first * GST_SECOND);
  fail_unless (GST_BUFFER_DURATION (buffer) == (last + 1 - first) * GST_SECOND);
  gst_buffer_extract (buffer, 0, &value, sizeof value);
  fail_unless (
      fabs (value - expected) < 1e-5, "%g instead of %g", value, expected);
}

GST_START_TEST (test_repeats)
{
  GstHarness *harness = oct_test_harness (REPEATS);
  g_autoptr (GstStructure) caps = NULL;
  gint n = 0, d = 1;

  set_src_caps (harness, ASCANS ", repeats=3");
  for (guint i = 0; i < 12; i++) {
    push_bscan (harness, i);
    if (i % 3 < 2)
      fail_unless (gst_harness_try_pull (harness) == NULL);
    else
      check_place (harness, i / 3 % 2, i / 6, i - 2, i, i / 3 % 2 ? 0.8 : 0.5);
  }
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_fraction (caps, "framerate", &n, &d));
  fail_unless (n == 10 && d == 1);
  fail_if (gst_structure_has_field (caps, "repeats"));
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Those that came are used; a single one of a place is 0. */
GST_START_TEST (test_lost)
{
  GstHarness *harness = oct_test_harness (REPEATS);

  set_src_caps (harness, ASCANS ", repeats=3");
  push_bscan (harness, 0);
  push_bscan (harness, 1); /* 2 is lost */
  push_bscan (harness, 3);
  check_place (harness, 0, 0, 0, 1, 0.5);
  push_bscan (harness, 5); /* 4 is lost, and this is the last one */
  check_place (harness, 1, 0, 3, 5, 1.6);
  push_bscan (harness, 7); /* alone */
  push_bscan (harness, 9);
  check_place (harness, 0, 1, 7, 7, 0);
  gst_harness_push_event (harness, gst_event_new_eos ());
  check_place (harness, 1, 1, 9, 9, 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_single)
{
  GstHarness *harness = oct_test_harness (REPEATS);

  set_src_caps (harness, ASCANS);
  for (guint i = 0; i < 3; i++) {
    oct_test_push_buffer (harness, new_ascans (0.2, i));
    check_values (harness, 0);
  }
  check_warning (oct_test_bus (harness), "one B-scan at each place");
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* mm/s from the time between B-scans. */
GST_START_TEST (test_slow)
{
  GstHarness *harness = oct_test_harness (
      "octdoppler between=repeats repeats=2 bulk-lines=0 threshold=0" VALUES);

  set_src_caps (harness, ASCANS PHYSICS);
  oct_test_push_buffer (harness, new_ascans (0.2, 0));
  oct_test_push_buffer (harness, new_ascans (0.2, 0.6));
  check_values (harness, 0.6 * SPEED * 30 / 1e5);
  check_text (harness, "unit", "mm/s");
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------------------- bad input
 */

/* A line that is not a number: 0 there, and its neighbours as they are. */
GST_START_TEST (test_not_a_number)
{
  GstHarness *harness =
      oct_test_harness ("octdoppler quantity=phase bulk-lines=0 window-lines=1 "
                        "threshold=0" VALUES);
  GstBuffer *buffer = new_ascans (0.7, 0);
  g_autoptr (GstBuffer) out = NULL;
  float values[LINES * BINS];
  GstMapInfo map;

  set_src_caps (harness, ASCANS);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < BINS; i++)
    ((float *)(gpointer)map.data)[2 * (5 * BINS + i) + i % 2] =
        i % 3 ? NAN : INFINITY;
  gst_buffer_unmap (buffer, &map);
  out = push_and_pull (harness, buffer);
  gst_buffer_extract (out, 0, values, sizeof values);
  for (guint i = 0; i < LINES * BINS; i++) {
    guint x = i / BINS;

    fail_unless (fabs (values[i] - (x == 4 || x == 5 ? 0 : 0.7)) < 1e-5,
        "line %u: %g", x, values[i]);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_several)
{
  GstHarness *harness = oct_test_harness (REPEATS);
  GstBus *bus = oct_test_bus (harness);

  set_src_caps (harness,
      "application/x-oct-ascans, format=CF32LE, samples=32, lines=6, "
      "framerate=30/1, bscans=2, repeats=3");
  oct_test_push_buffer (harness, new_ascans (0.2, 0));
  oct_test_assert_error (bus, "between=repeats", "one B-scan per buffer", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_live)
{
  GstHarness *harness = oct_test_harness (
      "octdoppler quantity=phase bulk-lines=0 threshold=0" VALUES);

  set_src_caps (harness, ASCANS PHYSICS);
  oct_test_push_buffer (harness, new_ascans (0.7, 0));
  check_values (harness, 0.7);
  oct_test_set (harness, "octdoppler", "quantity", "velocity");
  oct_test_push_buffer (harness, new_ascans (0.7, 0));
  check_values (harness, 0.7 * SPEED);
  check_text (harness, "unit", "mm/s");
  oct_test_set (harness, "octdoppler", "window-lines", "2");
  oct_test_push_buffer (harness, new_ascans (0.6, 0));
  check_values (harness, 0.6 * SPEED);
  oct_test_assert_refused_live (
      oct_test_bus (harness), "window of 2 A-lines", "odd", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octdoppler_suite (void)
{
  Suite *suite = suite_create ("octdoppler");
  TCase *cases = tcase_create ("general");

  suite_add_tcase (suite, cases);
  tcase_add_loop_test (cases, test_velocity, 0, G_N_ELEMENTS (velocities));
  tcase_add_test (cases, test_unknown);
  tcase_add_test (cases, test_grey);
  tcase_add_test (cases, test_bulk);
  tcase_add_test (cases, test_repeats);
  tcase_add_test (cases, test_lost);
  tcase_add_test (cases, test_single);
  tcase_add_test (cases, test_slow);
  tcase_add_test (cases, test_not_a_number);
  tcase_add_test (cases, test_several);
  tcase_add_test (cases, test_live);
  return suite;
}

GST_CHECK_MAIN (octdoppler);
