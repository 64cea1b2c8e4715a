/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octkresample: known answers, live properties, where the calibration comes
 * from and what is said when there is none that fits.
 */
#include "oct-test.h"

#define K_INDEX "@/k-index-101.csv"
#define WAVELENGTH "@/wavelength-101.csv"
#define BY_PROPERTIES "wavelength-min=800 wavelength-max=880"

GST_START_TEST (test_known_answers)
{
  oct_test_run_case ("octkresample-", __i__);
}
GST_END_TEST;

static OctArray *
load_spectra (void)
{
  return oct_test_input ("fringes-5x101");
}

static OctArray *
push (GstHarness *harness, const OctArray *input)
{
  return oct_test_push (harness, oct_test_buffer (input, 0, 0));
}

/* The output of an octkresample with these properties. */
static OctArray *
resampled (const OctArray *input, const char *properties)
{
  g_autofree char *launch = g_strdup_printf ("octkresample %s", properties);
  GstHarness *harness = oct_test_harness (launch);
  OctArray *output = oct_test_run (harness, input, NULL);

  gst_harness_teardown (harness);
  return output;
}

GST_START_TEST (test_live_properties)
{
  const char *methods[] = { "linear", "cubic", "lanczos", "linear" };
  GstHarness *harness = oct_test_harness ("octkresample calibration=" K_INDEX);
  g_autoptr (OctArray) input = load_spectra ();
  guint i, upsample;

  oct_test_set_caps (harness, input, NULL);
  for (i = 0; i < G_N_ELEMENTS (methods); i++) {
    oct_test_set (harness, "octkresample", "method", methods[i]);
    for (upsample = 1; upsample <= 2; upsample++) {
      g_autofree char *name =
          g_strdup_printf ("octkresample-%s-101-%u", methods[i], upsample);
      g_autoptr (OctArray) expected = oct_test_expected (name);
      g_autoptr (OctArray) output = NULL;

      oct_test_set (
          harness, "octkresample", "upsample", upsample == 2 ? "2" : "1");
      output = push (harness, input);
      oct_test_compare (output, expected, 0);
    }
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* An event between two B-scans holds for the second. */
GST_START_TEST (test_calibration_from_upstream)
{
  GstHarness *harness = oct_test_harness ("octkresample");
  g_autoptr (OctArray) input = load_spectra ();
  g_autoptr (OctArray) by_index = resampled (input, "calibration=" K_INDEX);
  g_autoptr (OctArray) by_wavelength =
      resampled (input, "calibration=" WAVELENGTH);
  g_autoptr (OctArray) first = NULL, second = NULL;

  fail_unless (oct_test_error (by_index, by_wavelength) > 0.01);
  oct_test_set_caps (harness, input, NULL);
  gst_harness_push_event (
      harness, oct_test_calibration ("calibration=" K_INDEX, 101));
  first = push (harness, input);
  fail_unless (oct_array_equal (first, by_index));
  gst_harness_push_event (harness, oct_test_calibration (BY_PROPERTIES, 101));
  second = push (harness, input);
  oct_test_compare (second, by_wavelength, 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The element's own file wins over earlier and later calibrations, until it is
 * unset. */
GST_START_TEST (test_own_calibration_wins)
{
  GstHarness *harness = oct_test_harness ("octkresample calibration=" K_INDEX);
  g_autoptr (OctArray) input = load_spectra ();
  g_autoptr (OctArray) by_index = resampled (input, "calibration=" K_INDEX);
  g_autoptr (OctArray) by_wavelength =
      resampled (input, "calibration=" WAVELENGTH);
  g_autoptr (OctArray) before = NULL, after = NULL, without = NULL,
                       again = NULL;

  oct_test_set_caps (harness, input, NULL);
  gst_harness_push_event (harness, oct_test_calibration (BY_PROPERTIES, 101));
  before = push (harness, input);
  fail_unless (oct_array_equal (before, by_index));
  gst_harness_push_event (harness, oct_test_calibration (BY_PROPERTIES, 101));
  after = push (harness, input);
  fail_unless (oct_array_equal (after, by_index));
  oct_test_set (harness, "octkresample", "calibration", NULL);
  without = push (harness, input);
  oct_test_compare (without, by_wavelength, 0);
  oct_test_set (harness, "octkresample", "calibration", K_INDEX);
  again = push (harness, input);
  fail_unless (oct_array_equal (again, by_index));
  gst_harness_teardown (harness);
}
GST_END_TEST;

static void
check_refused (GstHarness *harness, const OctArray *input)
{
  oct_test_set_caps (harness, input, NULL);
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
}

GST_START_TEST (test_no_calibration)
{
  GstHarness *harness = oct_test_harness ("octkresample");
  g_autoptr (OctArray) input = load_spectra ();

  check_refused (harness, input);
  oct_test_assert_error (oct_test_bus (harness), "calibration", "octsrc",
      "octdcsub", "wavelength-min", "k-polynomial", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_calibration_of_another_length)
{
  GstHarness *harness = oct_test_harness ("octkresample");
  g_autoptr (OctArray) input = load_spectra ();

  oct_test_set_src_caps (harness, oct_test_caps (input, 5, NULL));
  gst_harness_push_event (harness, oct_test_calibration (BY_PROPERTIES, 64));
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (
      oct_test_bus (harness), "64 samples", "have 101", "octdcsub", NULL);
  gst_harness_teardown (harness);

  harness = oct_test_harness ("octkresample calibration=@/k-index-64.csv");
  check_refused (harness, input);
  oct_test_assert_error (
      oct_test_bus (harness), "k-index-64.csv", "64", "101", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A file that is missing or of another length is a warning, once, and the
 * former one stays; other settings are taken, and so is the next file that
 * fits. */
GST_START_TEST (test_bad_calibration_while_playing)
{
  static const char *const files[] = { "nowhere/none.csv", "@/k-index-64.csv" };
  static const char *const words[] = { "does not exist", "64" };
  GstHarness *harness = oct_test_harness ("octkresample calibration=" K_INDEX);
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (OctArray) input = load_spectra ();
  g_autoptr (OctArray) cubic = oct_test_run (harness, input, NULL);
  g_autoptr (OctArray) linear =
      resampled (input, "method=linear calibration=" K_INDEX);
  g_autoptr (OctArray) other = resampled (input, "calibration=" WAVELENGTH);
  g_autoptr (OctArray) taken = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autoptr (OctArray) former = NULL, beside = NULL, back = NULL;

    oct_test_set (harness, "octkresample", "calibration", files[i]);
    former = push (harness, input);
    fail_unless (oct_array_equal (former, cubic));
    oct_test_assert_refused_live (bus, words[i],
        "The previous calibration stays in use", "k-index-101.csv", NULL);
    oct_test_set (harness, "octkresample", "method", "linear");
    beside = push (harness, input);
    fail_unless (oct_array_equal (beside, linear));
    oct_test_set (harness, "octkresample", "method", "cubic");
    back = push (harness, input);
    fail_unless (oct_array_equal (back, cubic));
    oct_test_assert_quiet (bus);
  }
  oct_test_set (harness, "octkresample", "calibration", WAVELENGTH);
  taken = push (harness, input);
  oct_test_compare (taken, other, 0);
  oct_test_assert_quiet (bus);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The samples of every A-line in the opposite order. */
static OctArray *
turned (const OctArray *array)
{
  OctArray *result = oct_array_new ('f', 4, array->rows, array->columns);
  const float *from = (const float *)array->data;
  float *to = (float *)result->data;

  for (guint row = 0; row < array->rows; row++)
    for (guint i = 0; i < array->columns; i++)
      to[row * array->columns + i] = from[(row + 1) * array->columns - 1 - i];
  return result;
}

/* Its own properties tell the same as a file, or as an event from upstream; and
 * a camera the other way round gives the same spectra. */
GST_START_TEST (test_own_properties)
{
  static const char polynomial[] = "wavelength-polynomial=\"800,0.8\"";
  g_autoptr (OctArray) input = load_spectra ();
  g_autoptr (OctArray) back = turned (input);
  g_autoptr (OctArray) one = resampled (input, BY_PROPERTIES);
  g_autoptr (OctArray) other = resampled (input, polynomial);
  g_autoptr (OctArray) flipped = NULL, warped = NULL, straight = NULL;
  g_autofree char *flip = g_strconcat (polynomial, " flip=true", NULL);
  GstHarness *harness;

  oct_test_compare (one, other, 0);
  flipped = resampled (back, flip);
  oct_test_compare (flipped, one, 0);
  harness = oct_test_harness ("octkresample flip=true");
  oct_test_set_caps (harness, back, NULL);
  gst_harness_push_event (
      harness, oct_test_calibration (BY_PROPERTIES, input->columns));
  g_clear_pointer (&flipped, oct_array_free);
  flipped = push (harness, back);
  oct_test_compare (flipped, one, 0);
  gst_harness_teardown (harness);
  straight = resampled (input, "k-polynomial=\"0,100\"");
  warped =
      resampled (input, "k-polynomial=\"0,100\" k-warp=\"0,0.01,0,-0.01\"");
  fail_unless (oct_test_error (straight, warped) > 0.001);
  /* (x + 1 + 0.01 x - 0.01 x^3) / 2, x = 2 u - 1, in samples */
  g_clear_pointer (&straight, oct_array_free);
  straight = resampled (input, "k-polynomial=\"0,98,6,-4\"");
  oct_test_compare (warped, straight, 0);
}
GST_END_TEST;

static Suite *
octkresample_suite (void)
{
  Suite *suite = suite_create ("octkresample");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (
      tcase, test_known_answers, 0, oct_test_count_cases ("octkresample-"));
  tcase_add_test (tcase, test_live_properties);
  tcase_add_test (tcase, test_calibration_from_upstream);
  tcase_add_test (tcase, test_own_calibration_wins);
  tcase_add_test (tcase, test_own_properties);
  tcase_add_test (tcase, test_no_calibration);
  tcase_add_test (tcase, test_calibration_of_another_length);
  tcase_add_test (tcase, test_bad_calibration_while_playing);
  return suite;
}

GST_CHECK_MAIN (octkresample);
