/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octdispersion: known answers, live properties, where the phase comes from.
 */
#include "oct-test.h"

#define K_INDEX "@/k-index-101.csv"
#define WAVELENGTH "@/wavelength-101.csv"

GST_START_TEST (test_known_answers)
{
  oct_test_run_case ("octdispersion-", __i__);
}
GST_END_TEST;

static OctArray *
push (GstHarness *harness, const OctArray *input)
{
  return oct_test_push (harness, oct_test_buffer (input, 0, 0));
}

static OctArray *
load_input (void)
{
  return oct_test_load ("octkresample-wavelength-input.npy");
}

/* From nothing to the file's phase, to the polynomial and back, each on the
 * very next B-scan. */
GST_START_TEST (test_live_properties)
{
  GstHarness *harness = oct_test_harness ("octdispersion");
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) nothing =
      oct_test_load ("octdispersion-nothing-expected.npy");
  g_autoptr (OctArray) calibrated =
      oct_test_load ("octdispersion-calibration-expected.npy");
  g_autoptr (OctArray) polynomial =
      oct_test_load ("octdispersion-polynomial-expected.npy");
  g_autoptr (OctArray) first = oct_test_run (harness, input, "wavenumber");
  g_autoptr (OctArray) second = NULL, third = NULL, fourth = NULL;

  oct_test_compare (first, nothing, 0);
  oct_test_set (harness, "octdispersion", "calibration", K_INDEX);
  second = push (harness, input);
  oct_test_compare (second, calibrated, 0);
  oct_test_set (harness, "octdispersion", "calibration", WAVELENGTH);
  oct_test_set (harness, "octdispersion", "a2", "95");
  oct_test_set (harness, "octdispersion", "a3", "-210");
  third = push (harness, input);
  oct_test_compare (third, polynomial, 0);
  oct_test_set (harness, "octdispersion", "a2", "0");
  oct_test_set (harness, "octdispersion", "a3", "0");
  fourth = push (harness, input);
  oct_test_compare (fourth, nothing, 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* dispersion-a2 of the event and a2 of the element add up; the own file wins
 * over the event. */
GST_START_TEST (test_calibration_from_upstream)
{
  GstHarness *harness = oct_test_harness ("octdispersion a2=45");
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) polynomial =
      oct_test_load ("octdispersion-polynomial-expected.npy");
  g_autoptr (OctArray) calibrated =
      oct_test_load ("octdispersion-calibration-expected.npy");
  g_autoptr (OctArray) first = NULL, second = NULL;

  oct_test_set_caps (harness, input, "wavenumber");
  gst_harness_push_event (
      harness, oct_test_calibration ("wavelength-min=800 wavelength-max=880 "
                                     "dispersion-a2=50 dispersion-a3=-210",
                   101));
  first = push (harness, input);
  oct_test_compare (first, polynomial, 0);
  oct_test_set (harness, "octdispersion", "calibration", K_INDEX);
  oct_test_set (harness, "octdispersion", "a2", "0");
  second = push (harness, input);
  oct_test_compare (second, calibrated, 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* a2 without wavelengths has no scale. */
static void
check_no_scale (const char *launch)
{
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = load_input ();

  oct_test_set_caps (harness, input, "wavenumber");
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "a2", "wavelength", NULL);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_polynomial_without_scale)
{
  check_no_scale ("octdispersion a2=95");
  check_no_scale ("octdispersion a2=95 calibration=" K_INDEX);
}
GST_END_TEST;

GST_START_TEST (test_calibration_of_another_length)
{
  GstHarness *harness = oct_test_harness ("octdispersion");
  g_autoptr (OctArray) input = load_input ();

  oct_test_set_caps (harness, input, "wavenumber");
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", 64));
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (
      oct_test_bus (harness), "64 samples", "have 101", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octdispersion_suite (void)
{
  Suite *suite = suite_create ("octdispersion");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_known_answers, 0, oct_test_count_cases ("octdispersion-"));
  tcase_add_test (tcase, test_live_properties);
  tcase_add_test (tcase, test_calibration_from_upstream);
  tcase_add_test (tcase, test_polynomial_without_scale);
  tcase_add_test (tcase, test_calibration_of_another_length);
  return suite;
}

GST_CHECK_MAIN (octdispersion);
