/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octnufft: known answers, live properties, calibrations that change with every
 * B-scan, its grid, and what it refuses.
 */
#include "oct-test.h"

#include <math.h>

#define K_INDEX "@/k-index-101.csv"
#define WAVELENGTH "@/wavelength-101.csv"

GST_START_TEST (test_known_answers)
{
  oct_test_run_case ("octnufft-", __i__);
}
GST_END_TEST;

static OctArray *
load_input (void)
{
  return oct_test_input ("fringes-5x101");
}

static OctArray *
push (GstHarness *harness, const OctArray *input)
{
  return oct_test_push (harness, oct_test_buffer (input, 0, 0));
}

/* A-scans by an element of its own. */
static OctArray *
transformed (const OctArray *input, const char *properties)
{
  g_autofree char *launch = g_strdup_printf ("octnufft %s", properties);
  GstHarness *harness = oct_test_harness (launch);
  OctArray *output = oct_test_run (harness, input, NULL);

  gst_harness_teardown (harness);
  return output;
}

static guint
get_grid (GstHarness *harness)
{
  GstElement *element = gst_harness_find_element (harness, "octnufft");
  guint grid;

  g_object_get (element, "grid-length", &grid, NULL);
  gst_object_unref (element);
  return grid;
}

/* Weights computed in single precision: nearly those in double, not quite. */
GST_START_TEST (test_weights)
{
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) precomputed =
      transformed (input, "calibration=" K_INDEX " weights=precomputed");
  g_autoptr (OctArray) usual = transformed (input, "calibration=" K_INDEX);
  g_autoptr (OctArray) on_the_fly =
      transformed (input, "calibration=" K_INDEX " weights=on-the-fly");
  gsize size =
      (gsize)precomputed->rows * precomputed->columns * precomputed->size;

  oct_test_compare (usual, precomputed, 0);
  oct_test_compare (on_the_fly, precomputed, 0);
  fail_unless (memcmp (on_the_fly->data, precomputed->data, size) != 0);
}
GST_END_TEST;

/* Every property on the very next B-scan, and what it makes of the grid. */
GST_START_TEST (test_live_properties)
{
  const struct {
    const char *property, *value, *all;
    guint grid, bins;
  } steps[] = {
    { "method", "nudft", "method=nudft", 0, 50 },
    { "kernel", "gaussian", "method=nudft", 0, 50 },
    { "method", "nufft", "kernel=gaussian", 128, 50 },
    { "oversampling", "2", "kernel=gaussian oversampling=2", 210, 50 },
    { "kernel-width", "8", "kernel=gaussian oversampling=2 kernel-width=8", 210,
        50 },
    { "kernel", "kaiser-bessel", "oversampling=2 kernel-width=8", 210, 50 },
    { "oversampling", "1.25", "kernel-width=8", 128, 50 },
    { "weights", "on-the-fly", "kernel-width=8 weights=on-the-fly", 128, 50 },
    { "window", "blackman", "kernel-width=8 weights=on-the-fly window=blackman",
        128, 50 },
    { "weights", "precomputed", "kernel-width=8 window=blackman", 128, 50 },
    { "depth-start", "7", "kernel-width=8 window=blackman depth-start=7", 128,
        43 },
    { "depth-bins", "20",
        "kernel-width=8 window=blackman depth-start=7 depth-bins=20", 128, 20 },
    { "depth-start", "30",
        "kernel-width=8 window=blackman depth-start=30 depth-bins=20", 128,
        20 },
    { "method", "nudft",
        "method=nudft window=blackman depth-start=30 depth-bins=20", 0, 20 },
  };
  GstHarness *harness = oct_test_harness ("octnufft calibration=" K_INDEX);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) first = NULL;
  guint i;

  fail_unless_equals_int (get_grid (harness), 0);
  first = oct_test_run (harness, input, NULL);
  fail_unless_equals_int (get_grid (harness), 128);
  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autofree char *all =
        g_strdup_printf ("calibration=" K_INDEX " %s", steps[i].all);
    g_autoptr (OctArray) expected = transformed (input, all);
    g_autoptr (OctArray) output = NULL;

    oct_test_set (harness, "octnufft", steps[i].property, steps[i].value);
    output = push (harness, input);
    fail_unless_equals_int (output->columns, steps[i].bins);
    fail_unless_equals_int (get_grid (harness), steps[i].grid);
    oct_test_compare (output, expected, 0);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Complex spectra take a grid of as many cells as samples, whatever the
 * oversampling. */
GST_START_TEST (test_grid_of_complex)
{
  GstHarness *harness =
      oct_test_harness ("octdispersion ! octnufft calibration=" K_INDEX);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) all = oct_test_run (harness, input, NULL);
  g_autoptr (OctArray) finer = NULL, part = NULL;

  fail_unless_equals_int (all->columns, 50);
  fail_unless_equals_int (get_grid (harness), 108);
  oct_test_set (harness, "octnufft", "oversampling", "2");
  finer = push (harness, input);
  fail_unless_equals_int (get_grid (harness), 108);
  oct_test_compare (finer, all, 0);
  oct_test_set (harness, "octnufft", "depth-bins", "20");
  part = push (harness, input);
  fail_unless_equals_int (part->columns, 20);
  fail_unless_equals_int (get_grid (harness), 108);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The event of an application: positions that a k-clock has found, as buffer
 * of doubles. */
static GstEvent *
clock_event (const char *field, const double *values, guint count)
{
  GstBuffer *buffer =
      count > 0 ? gst_buffer_new_memdup (values, count * sizeof *values)
                : gst_buffer_new ();
  GstEvent *event = gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new ("application/x-oct-calibration", field,
          GST_TYPE_BUFFER, buffer, NULL));

  gst_buffer_unref (buffer);
  return event;
}

/* Positions with jitter; number 5 is uniform, which is another transform. */
static void
jittered (guint number, double *positions)
{
  guint i;

  for (i = 0; i < 101; i++) {
    double x = i / 100.0;
    double jitter = 0.1 * sin (i * (1.0 + number)) + 0.5 * x * (1 - x) * number;

    positions[i] = number == 5 ? i : CLAMP (i + jitter, i - 0.4, i + 4.4);
  }
}

/* Every B-scan has its own calibration, at no change of caps. */
static void
check_jitter (const char *properties)
{
  g_autofree char *launch = g_strdup_printf ("octnufft %s", properties);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = load_input ();
  double positions[101];
  guint i;

  oct_test_set_caps (harness, input, NULL);
  for (i = 0; i < 8; i++) {
    GstHarness *own = oct_test_harness (launch);
    g_autoptr (OctArray) expected = NULL, output = NULL;

    jittered (i, positions);
    oct_test_set_caps (own, input, NULL);
    fail_unless (
        gst_harness_push_event (own, clock_event ("k-index", positions, 101)));
    expected = push (own, input);
    gst_harness_teardown (own);
    fail_unless (gst_harness_push_event (
        harness, clock_event ("k-index", positions, 101)));
    output = push (harness, input);
    fail_unless (oct_array_equal (output, expected), "B-scan %u", i);
  }
  gst_harness_teardown (harness);
}

GST_START_TEST (test_jitter)
{
  check_jitter ("");
  check_jitter ("weights=on-the-fly");
  check_jitter ("kernel=gaussian weights=on-the-fly");
  check_jitter ("method=nudft");
}
GST_END_TEST;

/* The event reaches octnufft through the elements before it, as from octsrc,
 * and has the effect of the file. */
GST_START_TEST (test_event_of_an_application)
{
  GstHarness *harness = oct_test_harness ("octdcsub ! octdispersion ! "
                                          "octnufft");
  GstHarness *file = oct_test_harness (
      "octdcsub calibration=" WAVELENGTH " ! octdispersion ! octnufft");
  g_autoptr (OctArray) input = oct_test_input ("u16");
  g_autoptr (OctArray) expected = oct_test_run (file, input, NULL);
  g_autoptr (OctArray) output = NULL;
  double wavelengths[101];
  GstEvent *event;
  guint i;

  for (i = 0; i < 101; i++)
    wavelengths[i] = 800 + 0.8 * i;
  oct_test_set_caps (harness, input, NULL);
  gst_harness_push_event (
      harness, clock_event ("wavelength-nm", wavelengths, 101));
  output = push (harness, input);
  oct_test_compare (output, expected, 0);
  event = gst_pad_get_sticky_event (
      harness->sinkpad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, 0);
  fail_unless (
      gst_structure_has_field (gst_event_get_structure (event), "calibration"));
  gst_event_unref (event);
  gst_harness_teardown (harness);
  gst_harness_teardown (file);
}
GST_END_TEST;

static void
check_bad_event (const char *field, const double *values, guint count,
    const char *word, const char *other)
{
  GstHarness *harness = oct_test_harness ("octnufft");
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) before = NULL, after = NULL;
  double positions[101];
  guint i;

  jittered (1, positions);
  oct_test_set_caps (harness, input, NULL);
  fail_unless (gst_harness_push_event (
      harness, clock_event ("k-index", positions, 101)));
  before = push (harness, input);
  gst_harness_push_event (harness, clock_event (field, values, count));
  /* nothing comes out with it, and there is one message alone, though the event
   * comes again with every buffer */
  for (i = 0; i < 2; i++)
    fail_unless_equals_int (
        oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
        GST_FLOW_ERROR);
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), 0);
  oct_test_assert_error (oct_test_bus (harness), word, other, NULL);
  /* another bad one is another error */
  gst_harness_push_event (harness, clock_event (field, values, count));
  oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0));
  oct_test_assert_error (oct_test_bus (harness), word, other, NULL);
  /* and a good one makes images again */
  fail_unless (gst_harness_push_event (
      harness, clock_event ("k-index", positions, 101)));
  after = push (harness, input);
  fail_unless (oct_array_equal (after, before));
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}

GST_START_TEST (test_bad_events)
{
  double values[101];
  guint i;

  for (i = 0; i < 101; i++)
    values[i] = i;
  values[50] = NAN;
  check_bad_event ("k-index", values, 101, "k_index", "50");
  values[50] = values[49];
  check_bad_event ("k-index", values, 101, "k_index", "have to rise");
  check_bad_event ("k_index", values, 101, "k-index", "one double per sample");
  check_bad_event ("k-index", values, 0, "k-index", "one double per sample");
}
GST_END_TEST;

static void
check_refused (const char *launch, const char *word, const char *other)
{
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = load_input ();

  oct_test_set_caps (harness, input, NULL);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), word, other, "set", NULL);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_refused)
{
  check_refused ("octnufft", "octnufft needs a spectral calibration", "none");
  check_refused ("octnufft calibration=" K_INDEX " depth-start=50",
      "asked of octnufft (depth-start=50", "the 50 that");
  check_refused ("octnufft calibration=" K_INDEX " depth-bins=51 method=nudft",
      "depth-bins=51", "the 50 that");
}
GST_END_TEST;

/* Set live, a range outside the spectra is said once and not taken; one inside
 * is the next. */
GST_START_TEST (test_refused_live)
{
  const struct {
    const char *property, *value, *all;
    guint bins;
    const char *refused;
  } steps[] = {
    { "depth-bins", "51", "", 50, "(depth-start=0, depth-bins=51)" },
    { "depth-start", "50", "", 50, "(depth-start=50, depth-bins=51)" },
    { "depth-bins", "0", "", 50, "within the 50 that" },
    { "depth-start", "12", "depth-start=12", 38, NULL },
    { "depth-bins", "39", "depth-start=12", 38, "depth-bins=39" },
    { "depth-bins", "30", "depth-start=12 depth-bins=30", 30, NULL },
  };
  GstHarness *harness = oct_test_harness ("octnufft calibration=" K_INDEX);
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) first = oct_test_run (harness, input, NULL);
  guint i, scan;

  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autofree char *all =
        g_strdup_printf ("calibration=" K_INDEX " %s", steps[i].all);
    g_autoptr (OctArray) expected = transformed (input, all);

    oct_test_set (harness, "octnufft", steps[i].property, steps[i].value);
    for (scan = 0; scan < 3; scan++) {
      g_autoptr (OctArray) output = NULL;

      /* another setting does not say it again */
      if (scan == 2)
        oct_test_set (harness, "octnufft", "kernel", "kaiser-bessel");
      output = push (harness, input);
      fail_unless_equals_int (output->columns, steps[i].bins);
      oct_test_compare (output, expected, 0);
      if (scan == 0 && steps[i].refused != NULL)
        oct_test_assert_refused_live (bus, steps[i].refused,
            "asked of octnufft", "The previous range stays in use", NULL);
      else
        oct_test_assert_quiet (bus);
    }
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Another range while the caps of one are on their way: one B-scan of that one,
 * and the next of the other. */
GST_START_TEST (test_set_while_negotiating)
{
  GstHarness *harness = oct_test_harness ("octnufft calibration=" K_INDEX);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) whole = oct_test_run (harness, input, NULL);
  g_autoptr (OctArray) first =
      transformed (input, "calibration=" K_INDEX " depth-start=5");
  g_autoptr (OctArray) second =
      transformed (input, "calibration=" K_INDEX " depth-start=20");
  g_autoptr (OctArray) now = NULL, then = NULL;

  oct_test_set_with_caps (harness, "octnufft", "depth-start", "20");
  oct_test_set (harness, "octnufft", "depth-start", "5");
  now = push (harness, input);
  oct_test_compare (now, first, 0);
  then = push (harness, input);
  oct_test_compare (then, second, 0);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* As octfft without zero padding. */
GST_START_TEST (test_z_spacing)
{
  GstHarness *harness = oct_test_harness ("octnufft calibration=" WAVELENGTH);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) output = oct_test_run (harness, input, NULL);
  double dk = 2 * G_PI * (1 / 800e-9 - 1 / 880e-9), z = 0;
  GstStructure *caps = oct_test_output (harness);

  fail_unless (gst_structure_get_double (caps, "z-spacing", &z));
  fail_unless (fabs (z * 101 * dk / (100 * G_PI) - 1) < 1e-9, "%g", z);
  gst_structure_free (caps);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octnufft_suite (void)
{
  Suite *suite = suite_create ("octnufft");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_known_answers, 0, oct_test_count_cases ("octnufft-"));
  tcase_add_test (tcase, test_weights);
  tcase_add_test (tcase, test_live_properties);
  tcase_add_test (tcase, test_grid_of_complex);
  tcase_add_test (tcase, test_jitter);
  tcase_add_test (tcase, test_event_of_an_application);
  tcase_add_test (tcase, test_bad_events);
  tcase_add_test (tcase, test_refused);
  tcase_add_test (tcase, test_refused_live);
  tcase_add_test (tcase, test_set_while_negotiating);
  tcase_add_test (tcase, test_z_spacing);
  return suite;
}

GST_CHECK_MAIN (octnufft);
