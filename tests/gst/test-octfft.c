/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octfft: known answers, live properties and the caps that follow them, the
 * spacing of the depths.
 */
#include "oct-test.h"

#include <math.h>

GST_START_TEST (test_known_answers)
{
  oct_test_run_case ("octfft-", __i__);
}
GST_END_TEST;

static OctArray *
load_input (void)
{
  return oct_test_input ("fringes-3x101");
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
  g_autofree char *launch = g_strdup_printf ("octfft %s", properties);
  GstHarness *harness = oct_test_harness (launch);
  OctArray *output = oct_test_run (harness, input, "wavenumber");

  gst_harness_teardown (harness);
  return output;
}

GST_START_TEST (test_live_window)
{
  const char *windows[] = { "none", "hamming", "blackman", "tukey", "gaussian",
    "hann" };
  GstHarness *harness = oct_test_harness ("octfft");
  g_autoptr (OctArray) input = load_input ();
  guint i;

  oct_test_set_caps (harness, input, "wavenumber");
  for (i = 0; i < G_N_ELEMENTS (windows); i++) {
    g_autofree char *name = g_strdup_printf ("octfft-%s", windows[i]);
    g_autoptr (OctArray) expected = oct_test_expected (name);
    g_autoptr (OctArray) output = NULL;

    oct_test_set (harness, "octfft", "window", windows[i]);
    output = push (harness, input);
    oct_test_compare (output, expected, 0);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Each change is in the caps and in the values of the next B-scan.  An
 * impossible setting is reported once, and the previous one stays in force
 * until the next change. */
GST_START_TEST (test_live_depths)
{
  const struct {
    const char *property, *value, *all;
    guint bins;
    const char *refused;
  } steps[] = {
    { "depth-bins", "20", "depth-bins=20", 20, NULL },
    { "depth-start", "7", "depth-start=7 depth-bins=20", 20, NULL },
    { "length", "256", "depth-start=7 depth-bins=20 length=256", 20, NULL },
    { "depth-bins", "0", "depth-start=7 length=256", 121, NULL },
    { "length", "0", "depth-start=7", 43, NULL },
    { "depth-start", "0", "", 50, NULL },
    { "depth-start", "60", "", 50, "(depth-start=60, depth-bins=0)" },
    { "depth-bins", "40", "", 50, "(depth-start=60, depth-bins=40)" },
    { "length", "202", "depth-start=60 depth-bins=40 length=202", 40, NULL },
    { "length", "101", "depth-start=60 depth-bins=40 length=202", 40,
        "within the 50 that a transform of length 101 has" },
    { "depth-start", "10", "depth-start=10 depth-bins=40 length=101", 40,
        NULL },
    { "length", "100", "depth-start=10 depth-bins=40 length=101", 40,
        "`length` of octfft is 100, but the spectra have 101 samples" },
    { "depth-start", "5", "depth-start=10 depth-bins=40 length=101", 40,
        "`length` of octfft is 100" },
    { "length", "150", "depth-start=5 depth-bins=40 length=150", 40, NULL },
  };
  GstHarness *harness = oct_test_harness ("octfft");
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) whole = oct_test_run (harness, input, "wavenumber");
  guint i, scan;

  fail_unless_equals_int (whole->columns, 50);
  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autoptr (OctArray) expected = transformed (input, steps[i].all);

    oct_test_set (harness, "octfft", steps[i].property, steps[i].value);
    for (scan = 0; scan < 2; scan++) {
      g_autoptr (OctArray) output = push (harness, input);

      fail_unless_equals_int (output->columns, steps[i].bins);
      oct_test_compare (output, expected, 0);
      if (scan == 0 && steps[i].refused != NULL)
        oct_test_assert_refused_live (
            bus, steps[i].refused, "The previous range stays in use", NULL);
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
  GstHarness *harness = oct_test_harness ("octfft");
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) whole = oct_test_run (harness, input, "wavenumber");
  g_autoptr (OctArray) first = transformed (input, "depth-start=5");
  g_autoptr (OctArray) second = transformed (input, "depth-start=20");
  g_autoptr (OctArray) now = NULL, then = NULL;

  oct_test_set_with_caps (harness, "octfft", "depth-start", "20");
  oct_test_set (harness, "octfft", "depth-start", "5");
  now = push (harness, input);
  oct_test_compare (now, first, 0);
  then = push (harness, input);
  oct_test_compare (then, second, 0);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Spectra of another size come while a range waits that does not fit. */
GST_START_TEST (test_refused_then_other_size)
{
  GstHarness *harness = oct_test_harness ("octfft");
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (OctArray) small = oct_array_new ('f', 4, 3, 64);
  g_autoptr (OctArray) large = oct_array_new ('f', 4, 3, 256);
  g_autoptr (OctArray) first = oct_test_run (harness, small, "wavenumber");
  g_autoptr (OctArray) refused = NULL, taken = NULL;

  oct_test_set (harness, "octfft", "depth-start", "100");
  refused = push (harness, small);
  fail_unless_equals_int (refused->columns, 32);
  oct_test_assert_refused_live (bus, "depth-start=100", "32 depth bins", NULL);
  taken = oct_test_run (harness, large, "wavenumber");
  fail_unless_equals_int (taken->columns, 28);
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static void
check_impossible (const char *properties, const char *word, const char *number)
{
  g_autofree char *launch = g_strdup_printf ("octfft %s", properties);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = load_input ();

  oct_test_set_caps (harness, input, "wavenumber");
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), word, number, "set", NULL);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_impossible_depths)
{
  check_impossible ("length=100", "`length`", "101 samples");
  check_impossible ("depth-start=50", "depth-start=50", "50");
  check_impossible ("depth-bins=51", "depth-bins=51", "50");
  check_impossible ("depth-start=40 depth-bins=11", "depth-bins=11", "50");
  check_impossible ("depth-start=65536", "depth-start=65536", "50");
}
GST_END_TEST;

static double
get_z_spacing (GstHarness *harness)
{
  GstStructure *s = oct_test_output (harness);
  double z = 0.0;

  gst_structure_get_double (s, "z-spacing", &z);
  gst_structure_free (s);
  return z;
}

/* pi / P, P = dK N / (N - 1), of 101 samples from 800 to 880 nm; a longer
 * transform has closer bins. */
GST_START_TEST (test_z_spacing)
{
  double dk = 2 * G_PI * (1 / 800e-9 - 1 / 880e-9);
  double z = G_PI * 100 / (101 * dk);
  GstHarness *harness = oct_test_harness ("octfft");
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) first = NULL, second = NULL, third = NULL;

  oct_test_set_caps (harness, input, "wavenumber");
  first = push (harness, input);
  fail_unless_equals_float (get_z_spacing (harness), 0.0);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", 101));
  second = push (harness, input);
  fail_unless (fabs (get_z_spacing (harness) / z - 1) < 1e-9,
      "%g instead of %g", get_z_spacing (harness), z);
  fail_unless (oct_array_equal (first, second));
  oct_test_set (harness, "octfft", "length", "256");
  third = push (harness, input);
  fail_unless (fabs (get_z_spacing (harness) / z * 256 / 101 - 1) < 1e-9);
  gst_harness_push_event (
      harness, oct_test_calibration ("k-polynomial=0,100", 101));
  oct_array_free (third);
  third = push (harness, input);
  fail_unless_equals_float (get_z_spacing (harness), 0.0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* With the chain in a row and the calibration given at its start the spacing
 * is there from the first buffer on. */
GST_START_TEST (test_z_spacing_of_the_first)
{
  GstHarness *harness = oct_test_harness (
      "octdcsub calibration=@/wavelength-101.csv ! octkresample ! octfft");
  g_autoptr (OctArray) input = oct_test_input ("u16");
  g_autoptr (OctArray) output = oct_test_run (harness, input, NULL);

  fail_unless (get_z_spacing (harness) > 4e-6);
  fail_unless (get_z_spacing (harness) < 5e-6);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octfft_suite (void)
{
  Suite *suite = suite_create ("octfft");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_known_answers, 0, oct_test_count_cases ("octfft-"));
  tcase_add_test (tcase, test_live_window);
  tcase_add_test (tcase, test_live_depths);
  tcase_add_test (tcase, test_refused_then_other_size);
  tcase_add_test (tcase, test_impossible_depths);
  tcase_add_test (tcase, test_set_while_negotiating);
  tcase_add_test (tcase, test_z_spacing);
  tcase_add_test (tcase, test_z_spacing_of_the_first);
  return suite;
}

GST_CHECK_MAIN (octfft);
