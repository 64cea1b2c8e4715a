/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Settings that do not fit while images are being made, or that there is no
 * memory for: one warning on the bus, and everything else is as if they had not
 * been set.
 *
 * This program is linked with the elements themselves, and with tables between
 * them and the backends that can fail.
 */
#include "oct-test-faults.h"
#include "oct-test-files.h"
#include "oct-test-linked.h"
#include "oct-test.h"

#define SAMPLES 64
#define LINES 16
#define BSCANS 5

#define CHAIN(end)                                                             \
  "octdcsub mode=running calibration=%/w.csv ! octkresample ! octdispersion "  \
  "a2=2 ! octfft ! octlogscale range-smoothing=0.5" end

typedef struct {
  const char *launch, *axis; /* '%': the folder of temporary files */
  char kind;                 /* of the values that go in */
  guint size;
  const char *element;
  const char *property, *bad;
  const char *word, *kept; /* of the warning */
  const char *good;        /* what fits, as "property=value property=value" */
} Setting;

static const Setting settings[] = {
  { "octdcsub mode=background background=%/one.npy", NULL, 'u', 2, "octdcsub",
      "background", "%/short.npy", "8 samples per A-line", "one.npy",
      "background=%/two.npy" },
  { "octdcsub mode=background background=%/one.npy", NULL, 'u', 2, "octdcsub",
      "background", "", "needs a stored spectrum", "one.npy", "mode=running" },
  { "octdcsub mode=running running-weight=0.3", NULL, 'u', 2, "octdcsub",
      "mode", "background", "needs a stored spectrum", "mode=running",
      "mode=none" },
  { "octdcsub mode=running running-weight=0.3", NULL, 'u', 2, "octdcsub",
      "mode", "background-scaled", "needs a stored spectrum", "mode=running",
      "mode=none" },
  { "octdcsub mode=high-pass high-pass-lines=3", NULL, 'u', 2, "octdcsub",
      "high-pass-lines", "30", "odd number", "high-pass-lines=3",
      "high-pass-lines=5" },
  { "octdcsub mode=running calibration=%/w.csv", NULL, 'u', 2, "octdcsub",
      "wavelength-max", "900", "wavelength", "wavelength-max=0",
      "wavelength-max=0" },
  { "octdcsub mode=running calibration=%/w.csv", NULL, 'u', 2, "octdcsub",
      "calibration", "%/no.csv", "does not exist", "w.csv",
      "calibration=%/v.csv" },
  { "octdcsub wavelength-min=800 wavelength-max=880", NULL, 'u', 2, "octdcsub",
      "wavelength-min", "900", "900", "wavelength-min=800",
      "wavelength-min=900 wavelength-max=960" },
  { "octkresample calibration=%/w.csv", NULL, 'f', 4, "octkresample",
      "calibration", "%/no.csv", "does not exist", "w.csv",
      "calibration=%/v.csv" },
  { "octkresample calibration=%/w.csv", NULL, 'f', 4, "octkresample",
      "calibration", "%/phase.csv", "one without wavelengths", "w.csv",
      "calibration=%/v.csv" },
  { "octdispersion calibration=@/k-index-64.csv", "wavenumber", 'f', 4,
      "octdispersion", "a2", "20", "wavelength", "a2=0",
      "a2=20 calibration=%/w.csv" },
  { "octdispersion", "wavenumber", 'f', 4, "octdispersion", "a3", "5",
      "there is no calibration", "a3=0", "a3=0" },
  { "octdispersion calibration=%/w.csv a2=3", "wavenumber", 'f', 4,
      "octdispersion", "calibration", "@/k-index-33.csv", "33 rows", "w.csv",
      "calibration=%/v.csv" },
  { "octdispersion calibration=%/w.csv a2=3", "wavenumber", 'f', 4,
      "octdispersion", "mask-file", "%/no.txt", "does not exist",
      "mask-file not set", "mask-file=%/mask.txt" },
  { "octfft", "wavenumber", 'f', 4, "octfft", "length", "32",
      "`length` of octfft is 32",
      "32 depth bins from bin 0 on of a transform of length 64", "length=128" },
  { "octnufft calibration=%/w.csv", NULL, 'f', 4, "octnufft", "calibration",
      "%/no.csv", "does not exist", "w.csv", "calibration=%/v.csv" },
  { "octnufft calibration=%/w.csv", NULL, 'f', 4, "octnufft", "depth-bins",
      "33", "depth-bins=33", "32 depth bins from bin 0",
      "depth-bins=9 depth-start=3" },
  { "octcs calibration=%/w.csv", NULL, 'f', 4, "octcs", "calibration",
      "@/k-index-33.csv", "33 rows", "w.csv", "calibration=%/v.csv" },
  { "octcs calibration=%/w.csv mask=file mask-file=%/mask.txt", NULL, 'f', 4,
      "octcs", "mask-file", "%/short.txt", "has 3 entries", "mask.txt",
      "mask=max-gap" },
  { "octlogscale range=manual min=0 max=60", "depth", 'c', 8, "octlogscale",
      "min", "61", "min=61, max=60", "min=0", "min=61 max=90" },
  { "octlogscale range-smoothing=0.9 min=70 max=30", "depth", 'c', 8,
      "octlogscale", "range", "manual", "min=70, max=30", "range=contrast",
      "range=manual max=90" },
  /* what is left to others to compute */
  { CHAIN (""), NULL, 'u', 2, "octdcsub", "calibration", "%/no.csv",
      "does not exist", "w.csv", "calibration=%/v.csv" },
  { CHAIN (""), NULL, 'u', 2, "octdcsub", "mode", "background",
      "needs a stored spectrum", "mode=running", "mode=none" },
  { CHAIN (""), NULL, 'u', 2, "octkresample", "calibration", "%/no.csv",
      "does not exist", "calibration not set", "calibration=%/v.csv" },
  { CHAIN (""), NULL, 'u', 2, "octdispersion", "mask-file", "%/short.txt",
      "has 3 entries", "mask-file not set", "mask-file=" },
  { CHAIN (""), NULL, 'u', 2, "octfft", "depth-start", "40", "depth-start=40",
      "32 depth bins from bin 0", "depth-start=20 depth-bins=7" },
  { CHAIN (" min=70 max=30"), NULL, 'u', 2, "octlogscale", "range", "manual",
      "min=70, max=30", "range=contrast", "range=manual max=90" },
};

/* -------------------------------------------------------------------- files */

static char *
fill_in (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "%", -1);
  g_autofree char *file = oct_test_file_path ("x");
  g_autofree char *folder = g_path_get_dirname (file);

  return g_strjoinv (folder, parts);
}

static void
write_spectrum (const char *name, guint samples, guint16 value)
{
  g_autofree guint16 *values = g_new (guint16, samples);
  g_autofree char *dictionary = g_strdup_printf (
      "{'descr': '<u2', 'fortran_order': False, 'shape': (1, %u), }", samples);
  guint i;

  for (i = 0; i < samples; i++)
    values[i] = value;
  g_free (oct_test_npy (name, dictionary, values, samples * sizeof *values));
}

/* A line for every sample, `line` of it. */
static void
write_lines (const char *name, const char *title, double first, double step)
{
  g_autoptr (GString) text = g_string_new (title);
  guint i;

  for (i = 0; i < SAMPLES; i++)
    g_string_append_printf (text, "%.2f\n", first + i * step);
  g_free (oct_test_text (name, text->str));
}

static void
write_mask (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint i;

  for (i = 0; i < SAMPLES; i++)
    g_string_append (text, i % 3 == 0 ? "0\n" : "1\n");
  g_free (oct_test_text ("mask.txt", text->str));
}

static void
begin (void)
{
  write_spectrum ("one.npy", SAMPLES, 7);
  write_spectrum ("two.npy", SAMPLES, 11);
  write_spectrum ("short.npy", 8, 7);
  write_lines ("w.csv", "wavelength_nm\n", 800, 0.7);
  write_lines ("v.csv", "wavelength_nm\n", 820, 0.9);
  write_lines ("phase.csv", "dispersion_rad\n", 0, 0.01);
  write_mask ();
  g_free (oct_test_text ("short.txt", "1\n0\n1\n"));
}

static OctArray *
random_values (char kind, guint size, guint rows)
{
  OctArray *array = oct_array_new (kind, size, rows, SAMPLES);
  GRand *random = g_rand_new_with_seed (3);
  guint i, parts = kind == 'c' ? 2 : 1;

  for (i = 0; i < rows * SAMPLES * parts; i++) {
    guint16 value = g_rand_int_range (random, 0, 1 + 10 * i);

    if (kind == 'u')
      ((guint16 *)array->data)[i] = value;
    else
      ((float *)array->data)[i] = value;
  }
  g_rand_free (random);
  return array;
}

/* ------------------------------------------------------------------ settings
 */

static void
set (GstHarness *harness, const Setting *setting, const char *property,
    const char *value)
{
  g_autofree char *text = fill_in (value);

  oct_test_set (harness, setting->element, property, text);
}

static void
set_good (GstHarness *harness, const Setting *setting)
{
  g_auto (GStrv) all = g_strsplit (setting->good, " ", -1);
  guint i;

  for (i = 0; all[i] != NULL; i++) {
    g_auto (GStrv) one = g_strsplit (all[i], "=", 2);

    set (harness, setting, one[0], one[1]);
  }
}

/* Caps that were sent, and that the element says it can have. */
static void
check_caps (GstHarness *found, GstHarness *expected, const char *name)
{
  GstHarness *harnesses[] = { found, expected };
  GstCaps *current[2], *possible[2];
  guint i;

  for (i = 0; i < 2; i++) {
    GstElement *element = gst_harness_find_element (harnesses[i], name);

    current[i] = gst_pad_get_current_caps (harnesses[i]->sinkpad);
    possible[i] = gst_pad_query_caps (element->srcpads->data, NULL);
    gst_object_unref (element);
  }
  fail_unless (gst_caps_is_equal (current[0], current[1]),
      "%" GST_PTR_FORMAT " and not %" GST_PTR_FORMAT, current[0], current[1]);
  fail_unless (gst_caps_is_equal (possible[0], possible[1]),
      "%" GST_PTR_FORMAT " and not %" GST_PTR_FORMAT, possible[0], possible[1]);
  for (i = 0; i < 2; i++) {
    gst_caps_unref (current[i]);
    gst_caps_unref (possible[i]);
  }
}

/* Number of the calibration at the output, 0: none. */
static guint32
get_calibration (GstHarness *harness)
{
  GstEvent *event = gst_pad_get_sticky_event (
      harness->sinkpad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, 0);
  guint32 number = event != NULL ? gst_event_get_seqnum (event) : 0;

  gst_clear_event (&event);
  return number;
}

/* Each B-scan is as if a refused value had not been set, and the one after a
 * valid value as if only that had been set. */
GST_START_TEST (test_refused)
{
  const Setting *setting = &settings[__i__];
  g_autofree char *launch = fill_in (setting->launch);
  GstHarness *harness = oct_test_harness (launch);
  GstHarness *other = oct_test_harness (launch);
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (OctArray) input =
      random_values (setting->kind, setting->size, BSCANS * LINES);
  g_autoptr (OctArray) one = oct_array_rows (input, 0, LINES);
  guint32 calibration = 0;
  guint i;

  oct_test_set_caps (harness, one, setting->axis);
  oct_test_set_caps (other, one, setting->axis);
  for (i = 0; i < BSCANS; i++) {
    g_autoptr (OctArray) found = NULL, expected = NULL;

    if (i == 1)
      set (harness, setting, setting->property, setting->bad);
    if (i == 3) {
      set_good (harness, setting);
      set_good (other, setting);
    }
    found = oct_test_push (harness, oct_test_buffer (input, LINES * i, LINES));
    expected = oct_test_push (other, oct_test_buffer (input, LINES * i, LINES));
    if (i == 1)
      oct_test_assert_refused_live (
          bus, setting->word, "The previous", setting->kept, NULL);
    oct_test_assert_quiet (bus);
    fail_unless (oct_array_equal (found, expected), "B-scan %u", i);
    check_caps (harness, other, setting->element);
    if (i == 0)
      calibration = get_calibration (harness);
    if (i < 3)
      fail_unless_equals_int (get_calibration (harness), calibration);
  }
  oct_test_assert_quiet (oct_test_bus (other));
  gst_harness_teardown (harness);
  gst_harness_teardown (other);
}
GST_END_TEST

/* Settings made together take effect together, whenever a B-scan comes; loops
 * over octlogscale alone and in octreconstruct. */
GST_START_TEST (test_set_together)
{
  const char *const names[] = { "octlogscale", "octreconstruct" };
  const char *name = names[__i__];
  g_autofree char *low = g_strdup_printf ("%s range=manual min=0 max=60", name);
  g_autofree char *high =
      g_strdup_printf ("%s range=manual min=70 max=90", name);
  GstHarness *harness = oct_test_harness (low);
  GstHarness *other = oct_test_harness (high);
  GstElement *element = gst_harness_find_element (harness, name);
  gboolean alone = __i__ == 0;
  g_autoptr (OctArray) input =
      random_values (alone ? 'c' : 'u', alone ? 8 : 2, LINES);
  g_autoptr (OctArray) first = NULL, expected = NULL, between = NULL,
                       after = NULL;
  double min;

  if (!alone) {
    oct_test_set (harness, name, "wavelength-max", "880");
    g_object_set (element, "wavelength-min", 800.0, NULL);
    oct_test_set (other, name, "wavelength-max", "880");
    oct_test_set (other, name, "wavelength-min", "800");
  }
  first = oct_test_run (harness, input, alone ? "depth" : NULL);
  expected = oct_test_run (other, input, alone ? "depth" : NULL);
  g_object_freeze_notify (G_OBJECT (element));
  g_object_set (element, "min", 70.0, NULL);
  g_object_get (element, "min", &min, NULL);
  fail_unless (min == 70.0);
  between = oct_test_push (harness, oct_test_buffer (input, 0, 0));
  fail_unless (oct_array_equal (between, first));
  g_object_set (element, "max", 90.0, NULL);
  g_object_thaw_notify (G_OBJECT (element));
  after = oct_test_push (harness, oct_test_buffer (input, 0, 0));
  fail_unless (oct_array_equal (after, expected));
  fail_unless (!oct_array_equal (after, first));
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_object_unref (element);
  gst_harness_teardown (harness);
  gst_harness_teardown (other);
}
GST_END_TEST

/* Stopped and started again there is nothing before: an error, as at first. */
GST_START_TEST (test_started_again)
{
  GstHarness *harness =
      oct_test_harness ("octlogscale range=manual min=0 max=60");
  g_autoptr (OctArray) input = random_values ('c', 8, LINES);

  oct_array_free (oct_test_run (harness, input, "depth"));
  oct_test_set (harness, "octlogscale", "min", "70");
  oct_array_free (oct_test_push (harness, oct_test_buffer (input, 0, 0)));
  oct_test_assert_refused_live (oct_test_bus (harness), "min=70", NULL);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  gst_element_set_state (harness->element, GST_STATE_PLAYING);
  gst_harness_push_event (harness, gst_event_new_stream_start ("again"));
  oct_test_set_caps (harness, input, "depth");
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "min=70, max=60", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* ----------------------------------------------------------------- no memory
 */

/* Settings that cannot be applied during the stream for lack of memory: one
 * warning, and the images go on as if they had not been set, with the results
 * from the B-scans before. */
static const struct {
  const char *launch, *axis;
  OctOperation operation;
  char kind;
  guint size;
  const char *property, *value, *kept;
} short_of_memory[] = {
  { "octdcsub mode=running running-weight=0.2", NULL, OCT_OPERATION_MEAN, 'u',
      2, "running-weight", "0.9", "running-weight=0.2" },
  { "octkresample calibration=@/k-index-64.csv", NULL, OCT_OPERATION_RESAMPLE,
      'f', 4, "upsample", "2", "upsample=1" },
  { "octdispersion calibration=@/k-index-64.csv", NULL,
      OCT_OPERATION_DISPERSION, 'f', 4, "calibration", NULL, "k-index-64.csv" },
  { "octfft", "wavenumber", OCT_OPERATION_FFT, 'f', 4, "window", "none",
      "window=hann" },
  { "octnufft calibration=@/k-index-64.csv", NULL, OCT_OPERATION_NUFFT, 'f', 4,
      "kernel-width", "4", "kernel-width=6" },
  { "octnufft calibration=@/k-index-64.csv", NULL, OCT_OPERATION_NUDFT, 'f', 4,
      "method", "nudft", "method=nufft" },
  { "octcs iterations=9 calibration=@/k-index-64.csv", NULL, OCT_OPERATION_CS,
      'f', 4, "iterations", "3", "iterations=9" },
  { "octlogscale range-smoothing=0.9", "depth", OCT_OPERATION_LOGSCALE, 'c', 8,
      "range-smoothing", "0.1", "range-smoothing=0.9" },
};

GST_START_TEST (test_settings_without_memory)
{
  GstHarness *harness = oct_test_harness (short_of_memory[__i__].launch);
  GstHarness *other = oct_test_harness (short_of_memory[__i__].launch);
  g_autofree char *element = g_strndup (short_of_memory[__i__].launch,
      strcspn (short_of_memory[__i__].launch, " "));
  g_autoptr (OctArray) input = random_values (
      short_of_memory[__i__].kind, short_of_memory[__i__].size, 4 * LINES);
  g_autoptr (OctArray) one = oct_array_rows (input, 0, LINES);
  guint i;

  oct_test_set_caps (harness, one, short_of_memory[__i__].axis);
  oct_test_set_caps (other, one, short_of_memory[__i__].axis);
  for (i = 0; i < 4; i++) {
    g_autoptr (OctArray) found = NULL, expected = NULL;

    if (i == 1) {
      oct_test_fault_set (
          OCT_FAULT_CREATE, short_of_memory[__i__].operation, 0);
      oct_test_set (harness, element, short_of_memory[__i__].property,
          short_of_memory[__i__].value);
    }
    found = oct_test_push (harness, oct_test_buffer (input, LINES * i, LINES));
    expected = oct_test_push (other, oct_test_buffer (input, LINES * i, LINES));
    fail_unless (oct_array_equal (found, expected), "B-scan %u", i);
    if (i == 1) {
      fail_unless (oct_test_fault_happened ());
      oct_test_assert_refused_live (oct_test_bus (harness),
          "The test made memory", "The previous", short_of_memory[__i__].kept,
          NULL);
    }
    oct_test_assert_quiet (oct_test_bus (harness));
  }
  gst_harness_teardown (harness);
  gst_harness_teardown (other);
}
GST_END_TEST

static Suite *
octrefused_suite (void)
{
  Suite *suite = suite_create ("octrefused");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, begin, oct_test_remove_files);
  tcase_add_loop_test (tcase, test_refused, 0, G_N_ELEMENTS (settings));
  tcase_add_loop_test (tcase, test_set_together, 0, 2);
  tcase_add_test (tcase, test_started_again);
  tcase_add_loop_test (
      tcase, test_settings_without_memory, 0, G_N_ELEMENTS (short_of_memory));
  return suite;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  oct_test_register_elements ();
  return gst_check_run_suite (octrefused_suite (), "octrefused", __FILE__);
}
