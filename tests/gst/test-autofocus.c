/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The signal autofocus of octdispersion and octreconstruct: on scenes whose
 * dispersion is known, taken back, and where there is no answer.
 */
#include "oct-simulation-scene.h"
#include "oct-test-files.h"
#include "oct-test-pipelines.h"
#include "oct-test.h"

#define LINES 100
#define WAVELENGTHS "wavelength-min=795 wavelength-max=895"

/* rad/um, half of the range of wavenumbers */
static double
half_range (void)
{
  return 1e3 * G_PI * (1 / 795.0 - 1 / 895.0);
}

static GstHarness *
new_harness (const char *launch, const OctArray *spectra, const char *axis,
    const char *calibration)
{
  GstHarness *harness = oct_test_harness (launch);

  /* results are messages, too */
  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  oct_test_set_caps (harness, spectra, axis);
  if (calibration != NULL)
    gst_harness_push_event (
        harness, oct_test_calibration (calibration, spectra->columns));
  return harness;
}

static OctArray *
push (GstHarness *harness, const OctArray *spectra)
{
  return oct_test_push (harness, oct_test_buffer (spectra, 0, 0));
}

static gboolean
emit (GstElement *element, const char *signal)
{
  gboolean taken = FALSE;

  g_signal_emit_by_name (element, signal, &taken);
  return taken;
}

static GstElement *
get_element (GstHarness *harness, const char *factory)
{
  GstElement *element = gst_harness_find_element (harness, factory);

  /* the harness holds it for as long as it lives */
  gst_object_unref (element);
  return element;
}

/* What the next message of autofocus says; "result" is as expected. */
static GstStructure *
wait_for_result (GstBus *bus, const char *result)
{
  GstMessage *message = NULL;
  GstStructure *s;

  do {
    g_clear_pointer (&message, gst_message_unref);
    message = gst_bus_timed_pop_filtered (
        bus, 30 * GST_SECOND, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
    fail_unless (message != NULL, "no result after half a minute");
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
  } while (!gst_message_has_name (message, "oct-autofocus"));
  s = gst_structure_copy (gst_message_get_structure (message));
  gst_message_unref (message);
  g_print ("%s\n", gst_structure_get_string (s, "text"));
  assert_equals_string (gst_structure_get_string (s, "result"), result);
  return s;
}

static double
get_double (GObject *object, const char *name)
{
  double value;

  g_object_get (object, name, &value, NULL);
  return value;
}

static void
assert_phase (double found, double order, double expected, double tolerance)
{
  double rad = found * pow (half_range (), order);

  fail_unless (fabs (rad - expected) <= tolerance,
      "%g rad at the ends in place of %g", rad, expected);
}

/* [LINES][SIM_N] of layers, uniform in wavenumber */
static OctArray *
make_tissue (double c2, double c3)
{
  OctArray *array = oct_array_new ('f', 4, LINES, SIM_N);
  Simulation sim;

  simulation_init (&sim, 11, 0);
  simulation_tissue (&sim, LINES, c2, c3, (float *)array->data);
  simulation_clear (&sim);
  return array;
}

static OctArray *
make_noise (void)
{
  OctArray *array = oct_array_new ('f', 4, LINES, SIM_N);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);

  for (guint i = 0; i < LINES * SIM_N; i++)
    ((float *)array->data)[i] = (float)signal_normal (random);
  return array;
}

/* A tilted mirror as measured: wavelengths rise from pixel to pixel. */
static OctArray *
make_mirror_as_measured (double c2, double c3)
{
  OctArray *array = oct_array_new ('f', 4, LINES, SIM_N);
  double half = half_range (), middle = 1e3 * G_PI * (1 / 795.0 + 1 / 895.0);

  for (guint line = 0; line < LINES; line++)
    for (guint p = 0; p < SIM_N; p++) {
      double nm = 795 + 100.0 * p / (SIM_N - 1), k = 2e3 * G_PI / nm;
      double x = (k - middle) / half;

      ((float *)array->data)[line * SIM_N + p] =
          (float)(500 * exp (-pow ((nm - 845) / 30, 2))
                  * cos (2 * k * (150 + 0.3 * line) + x * x * (c2 + c3 * x)));
    }
  return array;
}

/* The dispersion is found and used for the next B-scan, taken back, found
 * again, and what is as good stays. */
GST_START_TEST (test_find)
{
  g_autoptr (OctArray) spectra = make_tissue (25, 0);
  GstHarness *harness =
      new_harness ("octdispersion a2=7", spectra, "wavenumber", WAVELENGTHS);
  GstElement *element = get_element (harness, "octdispersion");
  g_autoptr (OctArray) before = push (harness, spectra);
  g_autoptr (OctArray) during = NULL, last = NULL;
  g_autoptr (OctArray) after = NULL, same = NULL, undone = NULL;
  g_autofree char *fixed = NULL;
  GstHarness *other;
  GstStructure *s;
  double a2, a3;

  fail_if (emit (element, "undo-autofocus"));
  fail_unless (emit (element, "autofocus"));
  fail_if (emit (element, "autofocus"));
  during = push (harness, spectra);
  fail_unless (oct_array_equal (before, during));
  last = push (harness, spectra);
  s = wait_for_result (oct_test_bus (harness), "changed");
  a2 = get_double (G_OBJECT (element), "a2");
  a3 = get_double (G_OBJECT (element), "a3");
  assert_phase (a2, 2, 25, 2.5);
  assert_phase (a3, 3, 0, 4);
  fail_unless (g_value_get_double (gst_structure_get_value (s, "a2")) == a2);
  fail_unless (
      g_value_get_double (gst_structure_get_value (s, "former-a2")) == 7);
  fail_unless (g_value_get_uint (gst_structure_get_value (s, "lines")) == 200);
  gst_structure_free (s);

  fixed = g_strdup_printf ("octdispersion a2=%.17g a3=%.17g", a2, a3);
  other = new_harness (fixed, spectra, "wavenumber", WAVELENGTHS);
  after = push (harness, spectra);
  same = push (other, spectra);
  fail_unless (oct_array_equal (after, same));
  gst_harness_teardown (other);

  fail_unless (emit (element, "autofocus"));
  oct_array_free (push (harness, spectra));
  oct_array_free (push (harness, spectra));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "kept"));
  fail_unless (get_double (G_OBJECT (element), "a2") == a2);

  fail_unless (emit (element, "undo-autofocus"));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "undone"));
  fail_unless (get_double (G_OBJECT (element), "a2") == 7);
  fail_unless (get_double (G_OBJECT (element), "a3") == 0);
  undone = push (harness, spectra);
  fail_unless (oct_array_equal (before, undone));
  fail_if (emit (element, "undo-autofocus"));
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* a3 is given, and a2 alone looked for. */
GST_START_TEST (test_second_order)
{
  g_autoptr (OctArray) spectra = make_tissue (-64, 36);
  g_autofree char *launch = g_strdup_printf (
      "octdispersion autofocus-order=2 a3=%.17g", 36 / pow (half_range (), 3));
  GstHarness *harness =
      new_harness (launch, spectra, "wavenumber", WAVELENGTHS);
  GstElement *element = get_element (harness, "octdispersion");

  fail_unless (emit (element, "autofocus"));
  oct_array_free (push (harness, spectra));
  oct_array_free (push (harness, spectra));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "changed"));
  assert_phase (get_double (G_OBJECT (element), "a2"), 2, -64, 2.5);
  assert_phase (get_double (G_OBJECT (element), "a3"), 3, 36, 1e-6);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Before octnufft, spectra are as measured; the calibration's phase is in it
 * already. */
GST_START_TEST (test_as_measured)
{
  g_autoptr (OctArray) spectra = make_mirror_as_measured (40, 10);
  g_autofree char *calibration = g_strdup_printf (
      WAVELENGTHS " dispersion-a2=%.17g", 30 / pow (half_range (), 2));
  GstHarness *harness =
      new_harness ("octdispersion", spectra, "wavelength", calibration);
  GstElement *element = get_element (harness, "octdispersion");

  fail_unless (emit (element, "autofocus"));
  oct_array_free (push (harness, spectra));
  oct_array_free (push (harness, spectra));
  gst_structure_free (wait_for_result (oct_test_bus (harness), "changed"));
  assert_phase (get_double (G_OBJECT (element), "a2"), 2, 10, 0.5);
  assert_phase (get_double (G_OBJECT (element), "a3"), 3, 10, 0.7);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static void
check_failure (const char *launch, const OctArray *spectra,
    const char *calibration, guint bscans, const char *word)
{
  GstHarness *harness =
      new_harness (launch, spectra, "wavenumber", calibration);
  GstElement *element = get_element (harness, "octdispersion");
  guint i, again;

  for (again = 0; again < 2; again++) {
    GstStructure *s;

    fail_unless (emit (element, "autofocus"));
    for (i = 0; i < bscans; i++)
      oct_array_free (push (harness, spectra));
    s = wait_for_result (oct_test_bus (harness), "failed");
    fail_unless (strstr (gst_structure_get_string (s, "text"), word) != NULL);
    gst_structure_free (s);
  }
  fail_unless (get_double (G_OBJECT (element), "a2") == 0);
  fail_if (emit (element, "undo-autofocus"));
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}

/* One sentence, images go on, and one can try again. */
GST_START_TEST (test_no_answer)
{
  g_autoptr (OctArray) noise = make_noise ();
  g_autoptr (OctArray) nothing = oct_array_new ('f', 4, LINES, SIM_N);
  g_autoptr (OctArray) few = oct_array_new ('f', 4, 3, 101);
  g_autoptr (OctArray) some = oct_array_new ('f', 4, 3, 41);

  memset (nothing->data, 0, LINES * SIM_N * sizeof (float));
  memset (few->data, 0, 3 * 101 * sizeof (float));
  memset (some->data, 0, 3 * 41 * sizeof (float));
  check_failure ("octdispersion", noise, WAVELENGTHS, 2, "noise");
  check_failure ("octdispersion", nothing, WAVELENGTHS, 2, "zero");
  check_failure ("octdispersion", noise, NULL, 1, "wavelengths");
  check_failure ("octdispersion calibration=@/k-index-101.csv", few, NULL, 1,
      "wavelengths");
  check_failure (
      "octdispersion mask-file=@/mask-101.txt", some, NULL, 1, "compact");
}
GST_END_TEST;

/* In the middle of it, any number of times. */
GST_START_TEST (test_stop)
{
  g_autoptr (OctArray) spectra = make_tissue (25, 0);
  guint bscans;

  for (bscans = 0; bscans < 4; bscans++) {
    GstHarness *harness =
        new_harness ("octdispersion", spectra, "wavenumber", WAVELENGTHS);
    GstElement *element = get_element (harness, "octdispersion");
    guint i;

    fail_unless (emit (element, "autofocus"));
    for (i = 0; i < bscans; i++)
      oct_array_free (push (harness, spectra));
    gst_element_set_state (element, GST_STATE_NULL);
    fail_unless (emit (element, "autofocus"));
    gst_element_set_state (element, GST_STATE_NULL);
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* Behind elements that defer, in the bin, for every method: the virtual system
 * says its dispersion itself, so that what is set beside it is taken away. */
GST_START_TEST (test_reconstruct)
{
  static const char *const methods[] = { "resample", "nufft" };
  g_autofree char *launch = g_strdup_printf (
      "octsrc samples=1024 lines=64 bscans=4 noise=1 ! octreconstruct "
      "name=chain method=%s a2=50 ! appsink name=sink sync=false max-buffers=1",
      methods[__i__]);
  g_autofree char *full = oct_test_launch (launch);
  GstElement *pipeline = oct_test_start (full);
  g_autoptr (GstElement) chain =
      gst_bin_get_by_name (GST_BIN (pipeline), "chain");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstStructure *s;
  guint i;

  fail_unless (emit (chain, "autofocus"));
  for (i = 0; i < 8; i++)
    oct_array_free (oct_test_pull (pipeline, "sink"));
  s = wait_for_result (bus, "changed");
  gst_structure_free (s);
  g_print ("a2 = %g\n", get_double (G_OBJECT (chain), "a2"));
  fail_unless (fabs (get_double (G_OBJECT (chain), "a2")) < 5);
  fail_unless (emit (chain, "undo-autofocus"));
  fail_unless (get_double (G_OBJECT (chain), "a2") == 50);
  oct_test_stop (pipeline);
}
GST_END_TEST;

static Suite *
autofocus_suite (void)
{
  Suite *suite = suite_create ("autofocus");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_find);
  tcase_add_test (tcase, test_second_order);
  tcase_add_test (tcase, test_as_measured);
  tcase_add_test (tcase, test_no_answer);
  tcase_add_test (tcase, test_stop);
  tcase_add_loop_test (tcase, test_reconstruct, 0, 2);
  return suite;
}

GST_CHECK_MAIN (autofocus);
