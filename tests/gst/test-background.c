/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The signal take-background of octdcsub: the mean of the next spectra,
 * subtracted from later ones, part of the calibration downstream, and undone.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"
#include "oct-test.h"

#include <math.h>

#define LINES 24
#define SAMPLES 32

static GstHarness *
new_harness (const char *launch, const OctArray *array)
{
  GstHarness *harness = oct_test_harness (launch);

  /* results are messages, too */
  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  oct_test_set_caps (harness, array, array->kind == 'f' ? "wavelength" : NULL);
  return harness;
}

static GstElement *
get_element (GstHarness *harness)
{
  GstElement *element = gst_harness_find_element (harness, "octdcsub");

  /* the harness holds it for as long as it lives */
  gst_object_unref (element);
  return element;
}

static gboolean
take (GstElement *element, guint bscans)
{
  gboolean taken = FALSE;

  g_signal_emit_by_name (element, "take-background", bscans, &taken);
  return taken;
}

static gboolean
undo (GstElement *element)
{
  gboolean taken = FALSE;

  g_signal_emit_by_name (element, "undo-background", &taken);
  return taken;
}

/* The sentence of the next message. */
static char *
wait_for_result (GstHarness *harness, const char *result)
{
  GstMessage *message = gst_bus_timed_pop_filtered (
      oct_test_bus (harness), 30 * GST_SECOND, GST_MESSAGE_ELEMENT);
  const GstStructure *s;
  char *text;

  fail_unless (message != NULL, "no result after half a minute");
  fail_unless (gst_message_has_name (message, "oct-background"));
  s = gst_message_get_structure (message);
  text = g_strdup (gst_structure_get_string (s, "text"));
  g_print ("%s\n", text);
  assert_equals_string (gst_structure_get_string (s, "result"), result);
  gst_message_unref (message);
  return text;
}

static void
set_value (OctArray *array, guint i, double value)
{
  if (array->kind == 'f')
    ((float *)array->data)[i] = (float)value;
  else if (array->size == 2)
    ((guint16 *)array->data)[i] = (guint16)value;
  else
    ((guint8 *)array->data)[i] = (guint8)value;
}

/* Counts of a source whose light is another one in each of the B-scans. */
static OctArray *
make (char kind, guint size, guint seed)
{
  OctArray *array = oct_array_new (kind, size, LINES, SAMPLES);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  for (guint i = 0; i < LINES * SAMPLES; i++)
    set_value (
        array, i, 80 + 3 * (i % SAMPLES) + g_rand_int_range (random, 0, 40));
  return array;
}

static void
add (const OctArray *array, double *sum)
{
  for (guint line = 0; line < LINES; line++)
    for (guint i = 0; i < SAMPLES; i++)
      sum[i] += oct_array_get (array, line, i, 0);
}

static const struct {
  char kind;
  guint size;
} types[] = { { 'u', 1 }, { 'u', 2 }, { 'f', 4 } };

/* Afterwards the element subtracts the mean of all lines that came after the
 * signal, and of none before. */
GST_START_TEST (test_mean)
{
  char kind = types[__i__].kind;
  guint size = types[__i__].size;
  g_autoptr (OctArray) first = make (kind, size, 1);
  g_autoptr (OctArray) second = make (kind, size, 2);
  g_autoptr (OctArray) third = make (kind, size, 3);
  g_autoptr (OctArray) expected = oct_array_new ('f', 4, LINES, SAMPLES);
  g_autoptr (OctArray) found = NULL, before = NULL, undone = NULL;
  g_autofree char *text = NULL, *spectrum = NULL;
  GstHarness *harness = new_harness ("octdcsub mode=background "
                                     "background-spectrum=\"1,2,3,4,5,6,7,8,9,"
                                     "10,11,12,13,14,15,16,17,18,19,20,21,22,"
                                     "23,24,25,26,27,28,29,30,31,32\"",
      first);
  GstElement *element = get_element (harness);
  double sum[SAMPLES] = { 0 };

  before = oct_test_push (harness, oct_test_buffer (first, 0, 0));
  fail_if (undo (element));
  fail_unless (take (element, 2));
  fail_if (take (element, 2));
  oct_array_free (oct_test_push (harness, oct_test_buffer (second, 0, 0)));
  oct_array_free (oct_test_push (harness, oct_test_buffer (third, 0, 0)));
  add (second, sum);
  add (third, sum);
  text = wait_for_result (harness, "changed");
  fail_unless (strstr (text, "48 A-lines") != NULL);
  found = oct_test_push (harness, oct_test_buffer (first, 0, 0));
  for (guint i = 0; i < LINES * SAMPLES; i++)
    ((float *)expected->data)[i] =
        (float)(oct_array_get (first, i / SAMPLES, i % SAMPLES, 0)
                - sum[i % SAMPLES] / (2 * LINES));
  oct_test_compare (found, expected, 0);
  fail_unless (undo (element));
  g_free (wait_for_result (harness, "undone"));
  undone = oct_test_push (harness, oct_test_buffer (first, 0, 0));
  fail_unless (oct_array_equal (before, undone));
  g_object_get (element, "background-spectrum", &spectrum, NULL);
  fail_unless (g_str_has_prefix (spectrum, "1,2,3"));
  fail_if (undo (element));
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Column background of the calibration that would be saved; NAN: there is none.
 */
static double
get_saved (GstHarness *harness, guint sample)
{
  GstElement *element = gst_harness_find_element (harness, "octdispersion");
  g_autofree char *text = NULL;
  g_auto (GStrv) rows = NULL, cells = NULL;

  g_signal_emit_by_name (element, "calibration-csv", &text);
  gst_object_unref (element);
  fail_unless (text != NULL);
  rows = g_strsplit (text, "\n", 0);
  fail_unless (g_str_has_prefix (rows[1], "wavelength_nm,k_index"));
  if (!g_str_has_suffix (rows[1], ",background"))
    return NAN;
  cells = g_strsplit (rows[2 + sample], ",", 0);
  return g_ascii_strtod (cells[g_strv_length (cells) - 1], NULL);
}

static void
push_and_drop (GstHarness *harness, const OctArray *spectra)
{
  oct_array_free (oct_test_push (harness, oct_test_buffer (spectra, 0, 0)));
}

/* It is saved with the wavelengths of before, as the samples come whatever
 * their order is, in place of a file; a mode that has no use for it becomes one
 * that has. */
GST_START_TEST (test_calibration)
{
  g_autoptr (OctArray) spectra = make ('u', 2, 4);
  g_autofree guint16 *dark = g_new (guint16, SAMPLES);
  g_autofree char *path = NULL, *launch = NULL, *text = NULL;
  GstHarness *harness;
  GstElement *element;
  double sum[SAMPLES] = { 0 };
  guint i;

  for (i = 0; i < SAMPLES; i++)
    dark[i] = GUINT16_TO_LE (7);
  path = oct_test_file ("dark.raw", dark, SAMPLES * sizeof *dark);
  launch = g_strdup_printf ("octdcsub wavelength-min=800 wavelength-max=900 "
                            "flip=true background=%s ! octdispersion",
      path);
  harness = new_harness (launch, spectra);
  element = get_element (harness);
  push_and_drop (harness, spectra);
  fail_unless (isnan (get_saved (harness, 0)));
  fail_unless (take (element, 1));
  push_and_drop (harness, spectra);
  text = wait_for_result (harness, "changed");
  fail_unless (strstr (text, "mode=background-scaled") != NULL);
  add (spectra, sum);
  /* with no B-scan between the message and who saves it, too */
  fail_unless (fabs (get_saved (harness, 7) - sum[7] / LINES) < 1e-4);
  push_and_drop (harness, spectra);
  for (i = 0; i < SAMPLES; i++)
    fail_unless (fabs (get_saved (harness, i) - sum[i] / LINES) < 1e-4,
        "sample %u: %g in place of %g", i, get_saved (harness, i),
        sum[i] / LINES);
  fail_unless (undo (element));
  g_free (wait_for_result (harness, "undone"));
  push_and_drop (harness, spectra);
  fail_unless (isnan (get_saved (harness, 0)));
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* One sentence, nothing changes, and one can try again; values that are not
 * numbers do not count. */
GST_START_TEST (test_no_answer)
{
  g_autoptr (OctArray) dark = oct_array_new ('f', 4, LINES, SAMPLES);
  g_autoptr (OctArray) some = make ('f', 4, 5);
  GstHarness *harness = new_harness ("octdcsub", dark);
  GstElement *element = get_element (harness);
  g_autofree char *text = NULL, *spectrum = NULL, *found = NULL;

  memset (dark->data, 0, LINES * SAMPLES * sizeof (float));
  fail_unless (take (element, 1));
  push_and_drop (harness, dark);
  text = wait_for_result (harness, "failed");
  fail_unless (strstr (text, "take it again") != NULL);
  g_object_get (element, "background-spectrum", &spectrum, NULL);
  fail_unless (spectrum == NULL);
  fail_if (undo (element));
  for (guint i = 0; i < LINES * SAMPLES; i++)
    set_value (some, i, i < SAMPLES ? NAN : i % SAMPLES + 1);
  fail_unless (take (element, 1));
  push_and_drop (harness, some);
  g_free (wait_for_result (harness, "changed"));
  g_object_get (element, "background-spectrum", &found, NULL);
  fail_unless (g_str_has_prefix (found, "1,2,3,4,5,"), "%s", found);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* In the middle of it, any number of times; and spectra of another length, for
 * which what was taken is a warning. */
GST_START_TEST (test_stop_and_change)
{
  g_autoptr (OctArray) spectra = make ('u', 1, 6);
  g_autoptr (OctArray) longer = oct_array_new ('u', 1, LINES, 2 * SAMPLES);
  GstHarness *harness = new_harness ("octdcsub mode=background-scaled "
                                     "background-spectrum=\"1\"",
      spectra);
  GstElement *element;
  guint bscans, i;

  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (spectra, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "`background-spectrum` has 1",
      "32 samples", NULL);
  gst_harness_teardown (harness);
  for (bscans = 0; bscans < 4; bscans++) {
    harness = new_harness ("octdcsub", spectra);
    element = get_element (harness);
    fail_unless (take (element, 3));
    for (i = 0; i < bscans; i++)
      push_and_drop (harness, spectra);
    gst_element_set_state (element, GST_STATE_NULL);
    fail_unless (take (element, 3));
    gst_element_set_state (element, GST_STATE_NULL);
    gst_harness_teardown (harness);
  }
  /* half of them of another length: those before do not count */
  harness = new_harness ("octdcsub", spectra);
  element = get_element (harness);
  for (i = 0; i < LINES * 2 * SAMPLES; i++)
    set_value (longer, i, 9);
  fail_unless (take (element, 2));
  push_and_drop (harness, spectra);
  oct_test_set_caps (harness, longer, NULL);
  push_and_drop (harness, longer);
  push_and_drop (harness, longer);
  g_free (wait_for_result (harness, "changed"));
  {
    g_autofree char *found = NULL;
    g_auto (GStrv) cells = NULL;

    g_object_get (element, "background-spectrum", &found, NULL);
    cells = g_strsplit (found, ",", 0);
    fail_unless_equals_int (g_strv_length (cells), 2 * SAMPLES);
    assert_equals_string (cells[0], "9");
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
background_suite (void)
{
  Suite *suite = suite_create ("background");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_loop_test (tcase, test_mean, 0, G_N_ELEMENTS (types));
  tcase_add_test (tcase, test_calibration);
  tcase_add_test (tcase, test_no_answer);
  tcase_add_test (tcase, test_stop_and_change);
  return suite;
}

GST_CHECK_MAIN (background);
