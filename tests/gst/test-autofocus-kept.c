/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The signal autofocus: the calibration that is saved, as soon as there is a
 * result and later, and a real scene where the result is no sharper than the
 * right calibration.
 */
#include "oct-simulation-scene.h"
#include "oct-test-files.h"
#include "oct-test-pipelines.h"
#include "oct-test.h"

#define LINES 100
#define C2 25.0
#define C3 -12.0

static GstStructure *
wait_for_message (GstBus *bus)
{
  GstMessage *message = NULL;
  GstStructure *s;

  do {
    g_clear_pointer (&message, gst_message_unref);
    message = gst_bus_timed_pop_filtered (
        bus, 60 * GST_SECOND, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
    fail_unless (message != NULL, "no result after a minute");
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
  } while (!gst_message_has_name (message, "oct-autofocus"));
  s = gst_structure_copy (gst_message_get_structure (message));
  gst_message_unref (message);
  g_print ("%s\n", gst_structure_get_string (s, "text"));
  return s;
}

static void
begin (GstElement *element)
{
  gboolean begun = FALSE;

  g_signal_emit_by_name (element, "autofocus", &begun);
  fail_unless (begun);
}

/* The column dispersion_rad is the phase that was found, with no B-scan between
 * the message and the reader. */
static void
check_saved (const char *text, double c2, double c3)
{
  g_auto (GStrv) rows = g_strsplit (text, "\n", 0);
  guint column = 0;
  g_auto (GStrv) names = g_strsplit (rows[1], ",", 0);

  while (
      names[column] != NULL && g_strcmp0 (names[column], "dispersion_rad") != 0)
    column++;
  fail_unless (names[column] != NULL, "no dispersion is saved: %s", rows[1]);
  for (guint i = 0; i < SIM_N; i++) {
    double x = 2.0 * i / (SIM_N - 1) - 1, phase = -x * x * (c2 + c3 * x);
    g_auto (GStrv) cells = g_strsplit (rows[2 + i], ",", 0);
    double saved = g_ascii_strtod (cells[column], NULL);

    fail_unless (fabs (saved - phase) < 1e-3, "%u: %g rad in place of %g", i,
        saved, phase);
  }
}

GST_START_TEST (test_saved_at_once)
{
  g_autoptr (OctArray) spectra = oct_array_new ('f', 4, LINES, SIM_N);
  g_autofree char *text = NULL, *path = oct_test_file_path ("found.csv");
  g_autofree char *file = NULL;
  GstHarness *harness = oct_test_harness ("octdispersion");
  GstElement *element = gst_harness_find_element (harness, "octdispersion");
  Simulation sim;
  GstStructure *s;
  double c2 = 0, c3 = 0;
  gboolean saved = FALSE;

  simulation_init (&sim, 11, 0);
  simulation_tissue (&sim, LINES, C2, C3, (float *)spectra->data);
  simulation_clear (&sim);
  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  oct_test_set_caps (harness, spectra, "wavenumber");
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=795 wavelength-max=895", SIM_N));
  begin (element);
  for (guint i = 0; i < 2; i++)
    oct_array_free (oct_test_push (harness, oct_test_buffer (spectra, 0, 0)));
  s = wait_for_message (oct_test_bus (harness));
  g_signal_emit_by_name (element, "calibration-csv", &text);
  g_signal_emit_by_name (element, "save-calibration", path, &saved);
  assert_equals_string (gst_structure_get_string (s, "result"), "changed");
  fail_unless (gst_structure_get_double (s, "c2", &c2)
               && gst_structure_get_double (s, "c3", &c3));
  fail_unless (fabs (c2 - C2) < 2.5 && fabs (c3 - C3) < 4);
  gst_structure_free (s);
  check_saved (text, c2, c3);
  fail_unless (saved && g_file_get_contents (path, &file, NULL, NULL));
  check_saved (file, c2, c3);
  gst_object_unref (element);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The calibration that comes with the C-scan is made of two mirrors.  Wherever
 * one looks it stays, as no other phase is sharper for certain; one that is off
 * is found. */
GST_START_TEST (test_cscan)
{
  const char *folder = g_getenv ("OCT_TEST_DATA");
  g_autofree char *raw = NULL, *csv = NULL, *launch = NULL, *full = NULL;
  g_autoptr (GstElement) chain = NULL;
  g_autoptr (GstBus) bus = NULL;
  GstElement *pipeline;

  folder = folder != NULL ? folder : OCT_TEST_DATA;
  raw = g_build_filename (folder, "cscan_100x100x1024_u16.raw", NULL);
  csv = g_build_filename (folder, "calibration.csv", NULL);
  if (!g_file_test (raw, G_FILE_TEST_EXISTS)) {
    g_print ("the C-scan is not there\n");
    return;
  }
  launch = g_strdup_printf (
      "octsrc location=%s samples=1024 lines=100 loop=true calibration=%s ! "
      "octreconstruct name=chain ! capsfilter caps=video/x-raw,format=GRAY8 ! "
      "appsink name=sink sync=false max-buffers=1",
      raw, csv);
  full = oct_test_launch (launch);
  pipeline = oct_test_start (full);
  chain = gst_bin_get_by_name (GST_BIN (pipeline), "chain");
  bus = gst_element_get_bus (pipeline);
  for (guint place = 0; place < 6; place++) {
    double offset = place == 5 ? 20 : 0, phase2 = 0, phase3 = 0, gain = 0;
    double error = 0;
    GstStructure *s;

    g_object_set (chain, "phase2", offset, NULL);
    for (guint i = 0; i < 8; i++)
      gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
    begin (chain);
    for (guint i = 0; i < 8; i++)
      gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
    s = wait_for_message (bus);
    assert_equals_string (gst_structure_get_string (s, "result"),
        offset > 0 ? "changed" : "kept");
    fail_unless (gst_structure_get_double (s, "gain", &gain)
                 && gst_structure_get_double (s, "gain-error", &error));
    g_print ("gain %g +- %g\n", gain, error);
    g_object_get (chain, "phase2", &phase2, "phase3", &phase3, NULL);
    fail_unless (fabs (phase2) < (offset > 0 ? 4 : 1e-9), "%g", phase2);
    fail_unless (fabs (phase3) < (offset > 0 ? 8 : 1e-9), "%g", phase3);
    gst_structure_free (s);
  }
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* The result is saved as a file, which gives the same images. */
GST_START_TEST (test_save)
{
  static const char *const methods[] = { "resample", "nufft" };
  g_autofree char *path = oct_test_file_path ("found.csv");
  g_autofree char *start = g_strdup_printf (
      "octsrc samples=1024 lines=32 noise=1 num-buffers=3 ! octreconstruct "
      "name=chain method=%s a2=-40 a3=25 k-warp=\"0,0,0.01\" ! capsfilter "
      "caps=video/x-raw,format=GRAY8 ! appsink name=sink sync=false",
      methods[__i__]);
  g_autofree char *again = g_strdup_printf (
      "octsrc samples=1024 lines=32 noise=1 num-buffers=3 ! octreconstruct "
      "method=%s calibration=%s ! capsfilter caps=video/x-raw,format=GRAY8 ! "
      "appsink name=sink sync=false",
      methods[__i__], path);
  g_autofree char *full = oct_test_launch (start);
  g_autofree char *full_again = oct_test_launch (again);
  GstElement *pipeline = oct_test_start (full), *other;
  g_autoptr (GstElement) chain =
      gst_bin_get_by_name (GST_BIN (pipeline), "chain");
  g_autofree char *text = NULL, *file = NULL;
  g_autoptr (OctArray) first = oct_test_pull (pipeline, "sink"), same = NULL;
  gboolean saved = FALSE;
  guint i, apart = 0;

  g_signal_emit_by_name (chain, "save-calibration", path, &saved);
  fail_unless (saved);
  g_signal_emit_by_name (chain, "calibration-csv", &text);
  fail_unless (text != NULL && g_str_has_prefix (text, "# made by"));
  fail_unless (g_file_get_contents (path, &file, NULL, NULL));
  fail_unless (strstr (file, "wavelength_nm,k_index,dispersion_rad") != NULL);
  g_signal_emit_by_name (
      chain, "save-calibration", "/nowhere/at/all.csv", &saved);
  fail_if (saved);
  oct_test_stop (pipeline);
  other = oct_test_start (full_again);
  same = oct_test_pull (other, "sink");
  fail_unless (same->rows == first->rows);
  for (i = 0; i < first->rows * first->columns; i++)
    apart += ABS (first->data[i] - same->data[i]) > 1;
  fail_unless (
      apart <= first->rows * first->columns / 1000, "%u differ", apart);
  oct_test_stop (other);
}
GST_END_TEST;

static Suite *
autofocus_kept_suite (void)
{
  Suite *suite = suite_create ("autofocus-kept");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 240);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_saved_at_once);
  tcase_add_test (tcase, test_cscan);
  tcase_add_loop_test (tcase, test_save, 0, 2);
  return suite;
}

GST_CHECK_MAIN (autofocus_kept);
