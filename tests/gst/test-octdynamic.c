/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octdynamic: a tone of known frequency as value, grey and colour; places with
 * repeats; what cannot be right.
 */
#include "oct-test.h"

#include <math.h>
#include <string.h>

#define BINS 32
#define LINES 8
#define ASCANS                                                                 \
  "application/x-oct-ascans, format=CF32LE, samples=32, lines=8, "             \
  "framerate=50/1"
#define VALUES " ! capsfilter caps=application/x-oct-values"

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

/* B-scan number `t` of tissue whose amplitude is 10 + size cos (2 pi f t / 50). */
static GstBuffer *
new_tone (double frequency, double size, guint t)
{
  g_autofree float *values = g_new0 (float, 2 * LINES * BINS);

  for (guint i = 0; i < LINES * BINS; i++)
    values[2 * i + 1] =
        (float)(10 + size * cos (2 * G_PI * frequency * t / 50 + i));
  return gst_buffer_new_memdup (values, 2 * sizeof (float) * LINES * BINS);
}

static GstBuffer *
push_tone (GstHarness *harness, double frequency, double size, guint count)
{
  GstBuffer *buffer = NULL;

  for (guint t = 0; t < count; t++) {
    gst_clear_buffer (&buffer);
    buffer = push_and_pull (harness, new_tone (frequency, size, t));
    fail_unless (buffer != NULL);
  }
  return buffer;
}

/* The largest distance of all values from the expected one. */
static double
find_error (GstBuffer *buffer, double expected)
{
  float values[LINES * BINS];
  double worst = 0;

  fail_unless_equals_int (gst_buffer_get_size (buffer), sizeof values);
  gst_buffer_extract (buffer, 0, values, sizeof values);
  for (guint i = 0; i < LINES * BINS; i++)
    worst = MAX (worst, fabs (values[i] - expected));
  return worst;
}

GST_START_TEST (test_frequency)
{
  static const double tones[] = { 5, 10, 20 };

  for (guint i = 0; i < G_N_ELEMENTS (tones); i++) {
    GstHarness *harness =
        oct_test_harness ("octdynamic quantity=frequency frames=500" VALUES);
    g_autoptr (GstStructure) caps = NULL;
    g_autoptr (GstBuffer) buffer = NULL;

    set_src_caps (harness, ASCANS);
    buffer = push_tone (harness, tones[i], 1, 500);
    fail_unless (find_error (buffer, tones[i]) < 0.01 * tones[i]);
    caps = oct_test_output (harness);
    fail_unless_equals_string (
        gst_structure_get_string (caps, "quantity"), "frequency");
    fail_unless_equals_string (gst_structure_get_string (caps, "unit"), "Hz");
    oct_test_assert_quiet (oct_test_bus (harness));
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* The variance of the tone is size^2 / 2, that of noise half of its power. */
GST_START_TEST (test_activity)
{
  GstHarness *harness = oct_test_harness (
      "octdynamic quantity=activity frames=500 noise=0.01" VALUES);
  g_autoptr (GstBuffer) buffer = NULL;

  set_src_caps (harness, ASCANS);
  buffer = push_tone (harness, 10, 1, 500);
  fail_unless (find_error (buffer, 10 * log10 ((0.5 - 0.005) / 0.005)) < 0.05);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The lowest frequency is blue, the highest red, the middle of the octaves
 * between them green; still tissue is black. */
GST_START_TEST (test_colour)
{
  static const struct {
    double frequency, size;
    guint8 rgb[3];
  } cases[] = { { 2.5, 1, { 0, 0, 255 } }, { 5, 1, { 0, 255, 0 } },
    { 10, 1, { 255, 0, 0 } }, { 10, 0, { 0, 0, 0 } } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *harness = oct_test_harness (
        "octdynamic frames=1000 min-frequency=2.5 max-frequency=10 noise=0.01 "
        "max=10");
    g_autoptr (GstBuffer) buffer = NULL;
    guint8 pixels[4 * LINES * BINS];

    set_src_caps (harness, ASCANS);
    buffer = push_tone (harness, cases[i].frequency, cases[i].size, 1000);
    fail_unless_equals_int (gst_buffer_get_size (buffer), sizeof pixels);
    gst_buffer_extract (buffer, 0, pixels, sizeof pixels);
    for (guint k = 0; k < LINES * BINS; k++) {
      fail_unless_equals_int (pixels[4 * k + 3], 255);
      for (guint c = 0; c < 3; c++)
        fail_unless (ABS (pixels[4 * k + c] - cases[i].rgb[c]) < 20,
            "%g Hz: %u of colour %u", cases[i].frequency, pixels[4 * k + c], c);
    }
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* One image of each place, of its own B-scans alone. */
GST_START_TEST (test_places)
{
  GstHarness *harness = oct_test_harness (
      "octdynamic quantity=activity noise=0.01 repeats=10" VALUES);
  g_autoptr (GstStructure) caps = NULL;
  gint n = 0, d = 1;

  set_src_caps (harness, ASCANS);
  for (guint i = 0; i < 40; i++) {
    GstBuffer *buffer = new_tone (12.5, i / 10 % 2, i), *out;

    oct_test_add_scan_meta (buffer, i, 40, 0);
    oct_test_push_buffer (harness, buffer);
    out = gst_harness_try_pull (harness);
    fail_unless ((out != NULL) == (i % 10 == 9));
    if (out == NULL)
      continue;
    fail_unless_equals_int (oct_test_get_scan_position (out).bscan, i / 10);
    if (i / 10 % 2 == 0)
      fail_unless (find_error (out, -100) < 1e-6);
    else
      fail_unless (find_error (out, 20) < 2);
    gst_buffer_unref (out);
  }
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_fraction (caps, "framerate", &n, &d));
  fail_unless (n == 5 && d == 1);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A volume whose places have one B-scan each: nothing, and one sentence. */
GST_START_TEST (test_single)
{
  GstHarness *harness =
      oct_test_harness ("octdynamic quantity=frequency" VALUES);
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  set_src_caps (harness, ASCANS);
  for (guint i = 0; i < 5; i++) {
    GstBuffer *buffer = new_tone (10, 1, i);
    g_autoptr (GstBuffer) out = NULL;

    oct_test_add_scan_meta (buffer, i, 40, 0);
    out = push_and_pull (harness, buffer);
    fail_unless (find_error (out, 0) == 0);
  }
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "one B-scan at each place") != NULL);
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* No frequency without a rate. */
GST_START_TEST (test_rate)
{
  GstHarness *harness = oct_test_harness ("octdynamic");
  GstBus *bus = oct_test_bus (harness);

  set_src_caps (harness,
      "application/x-oct-ascans, format=CF32LE, samples=32, lines=8, "
      "framerate=0/1");
  oct_test_push_buffer (harness, new_tone (10, 1, 0));
  oct_test_assert_error (
      bus, "how many B-scans there are per second", "set `rate`", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* After a seek nothing is known of earlier B-scans. */
GST_START_TEST (test_flush)
{
  GstHarness *harness =
      oct_test_harness ("octdynamic quantity=frequency" VALUES);
  GstSegment segment;
  g_autoptr (GstBuffer) buffer = NULL;

  set_src_caps (harness, ASCANS);
  gst_buffer_unref (push_tone (harness, 10, 1, 20));
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  buffer = push_tone (harness, 10, 1, 1);
  fail_unless (find_error (buffer, 0) == 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octdynamic_suite (void)
{
  Suite *suite = suite_create ("octdynamic");
  TCase *cases = tcase_create ("general");

  suite_add_tcase (suite, cases);
  tcase_add_test (cases, test_frequency);
  tcase_add_test (cases, test_activity);
  tcase_add_test (cases, test_colour);
  tcase_add_test (cases, test_places);
  tcase_add_test (cases, test_single);
  tcase_add_test (cases, test_rate);
  tcase_add_test (cases, test_flush);
  return suite;
}

GST_CHECK_MAIN (octdynamic);
