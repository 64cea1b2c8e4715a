/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octdispersion: known answers, live properties, where the phase comes from,
 * spectra of which a mask keeps a part.
 */
#include "oct-test-files.h"
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
  return oct_test_input ("fringes-3x101");
}

/* From nothing to the file's phase, to the polynomial and back, each on the
 * very next B-scan. */
GST_START_TEST (test_live_properties)
{
  GstHarness *harness = oct_test_harness ("octdispersion");
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) nothing = oct_test_expected ("octdispersion-nothing");
  g_autoptr (OctArray) calibrated =
      oct_test_expected ("octdispersion-calibration");
  g_autoptr (OctArray) polynomial =
      oct_test_expected ("octdispersion-polynomial");
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
      oct_test_expected ("octdispersion-polynomial");
  g_autoptr (OctArray) calibrated =
      oct_test_expected ("octdispersion-calibration");
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

/* Compact spectra have the phase of the samples that they hold; whole ones are
 * not touched by the file. */
#define MASK "@/mask-101.txt"
GST_START_TEST (test_compact)
{
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) calibrated =
      oct_test_expected ("octdispersion-calibration");
  g_autofree char *path = oct_test_path ("mask-101.txt");
  g_autoptr (OctArray) some = oct_test_keep_samples (input, path);
  g_autoptr (OctArray) expected = oct_test_keep_samples (calibrated, path);
  GstHarness *harness = oct_test_harness (
      "octdispersion calibration=" K_INDEX " mask-file=" MASK);
  g_autoptr (OctArray) found = oct_test_run (harness, some, "wavenumber");
  g_autoptr (OctArray) whole = oct_test_run (harness, input, "wavenumber");

  oct_test_compare (found, expected, 0);
  oct_test_compare (whole, calibrated, 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static void
check_mask_refused (const OctArray *input, const char *launch, const char *word,
    const char *other)
{
  GstHarness *harness = oct_test_harness (launch);

  oct_test_set_caps (harness, input, "wavenumber");
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), word, other, NULL);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_mask_refused)
{
  g_autoptr (OctArray) input = load_input ();
  g_autofree char *path = oct_test_path ("mask-101.txt");
  g_autoptr (OctArray) some = oct_test_keep_samples (input, path);
  g_autofree char *file = oct_test_text ("short.txt", "1\n0\n1\n");
  g_autofree char *missing = oct_test_file_path ("no.txt");
  g_autofree char *with_short =
      g_strdup_printf ("octdispersion mask-file=%s", file);
  g_autofree char *with_missing =
      g_strdup_printf ("octdispersion mask-file=%s", missing);

  check_mask_refused (input, with_short, "has 3 entries, 2 of them 1",
      "spectra have 101 samples");
  check_mask_refused (
      input, with_missing, "does not exist", "`mask-file` of octdispersion");
  check_mask_refused (some,
      "octdispersion calibration=@/k-index-64.csv mask-file=" MASK,
      "k-index-64.csv' has 64 rows", "mask-101.txt' has 101 entries");
  check_mask_refused (some, "octdispersion a2=5 mask-file=" MASK,
      "no calibration", "`calibration` of octdispersion");
  /* an empty name is none, and the calibration then has too many rows */
  check_mask_refused (some, "octdispersion mask-file=\"\" calibration=" K_INDEX,
      "101 rows", "spectra have 41 samples");
}
GST_END_TEST;

/* While images are being made, a file that does not fit is a warning. */
GST_START_TEST (test_mask_while_live)
{
  g_autoptr (OctArray) input = load_input ();
  g_autofree char *path = oct_test_path ("mask-101.txt");
  g_autofree char *file = oct_test_text ("short.txt", "1\n0\n1\n");
  g_autoptr (OctArray) some = oct_test_keep_samples (input, path);
  GstHarness *harness = oct_test_harness (
      "octdispersion calibration=" K_INDEX " mask-file=" MASK);
  g_autoptr (OctArray) first = oct_test_run (harness, some, "wavenumber");
  static const char *const words[] = { "has 3 entries", "does not exist",
    "101 rows" };
  const char *values[] = { file, "/no/such.txt", "" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (values); i++) {
    g_autoptr (OctArray) found = NULL, again = NULL, mended = NULL;

    oct_test_set (harness, "octdispersion", "mask-file", values[i]);
    found = push (harness, some);
    oct_test_assert_refused_live (oct_test_bus (harness), words[i], NULL);
    oct_test_set (harness, "octdispersion", "a2", "0");
    again = push (harness, some);
    oct_test_set (harness, "octdispersion", "mask-file", MASK);
    mended = push (harness, some);
    fail_unless (oct_array_equal (found, first));
    fail_unless (oct_array_equal (again, first));
    fail_unless (oct_array_equal (mended, first));
    oct_test_assert_quiet (oct_test_bus (harness));
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octdispersion_suite (void)
{
  Suite *suite = suite_create ("octdispersion");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_loop_test (
      tcase, test_known_answers, 0, oct_test_count_cases ("octdispersion-"));
  tcase_add_test (tcase, test_live_properties);
  tcase_add_test (tcase, test_calibration_from_upstream);
  tcase_add_test (tcase, test_polynomial_without_scale);
  tcase_add_test (tcase, test_calibration_of_another_length);
  tcase_add_test (tcase, test_compact);
  tcase_add_test (tcase, test_mask_refused);
  tcase_add_test (tcase, test_mask_while_live);
  return suite;
}

GST_CHECK_MAIN (octdispersion);
