/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octcs: masks and their files, compact spectra, and masks that do not fit, at
 * the start and while images are being made.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#define WAVELENGTH " calibration=@/wavelength-101.csv"
#define MASK " mask=file mask-file=@/mask-101.txt"
#define SAMPLES 101
#define KEPT 41 /* of mask-101.txt */

static OctArray *
load_input (void)
{
  return oct_test_input ("fringes-4x101");
}

static OctArray *
load_compact (void)
{
  g_autoptr (OctArray) input = load_input ();
  g_autofree char *path = oct_test_path ("mask-101.txt");
  OctArray *some = oct_test_keep_samples (input, path);

  fail_unless_equals_int (some->columns, KEPT);
  return some;
}

static OctArray *
push (GstHarness *harness, const OctArray *input)
{
  return oct_test_push (harness, oct_test_buffer (input, 0, 0));
}

/* '%' stands for the folder of temporary files. */
static char *
fill_in (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "%", -1);
  g_autofree char *file = oct_test_file_path ("x");
  g_autofree char *folder = g_path_get_dirname (file);

  return g_strjoinv (folder, parts);
}

static GstHarness *
make_harness (const char *launch)
{
  g_autofree char *text = fill_in (launch);

  return oct_test_harness (text);
}

/* A-scans by elements of their own. */
static OctArray *
run (const OctArray *input, const char *launch, const char *axis)
{
  GstHarness *harness = make_harness (launch);
  OctArray *output = oct_test_run (harness, input, axis);

  gst_harness_teardown (harness);
  return output;
}

/* A mask of `entries` whose `ones` first are 1. */
static void
write_mask (const char *name, guint entries, guint ones)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *path = NULL;

  for (guint i = 0; i < entries; i++)
    g_string_append (text, i < ones ? "1\n" : "0\n");
  path = oct_test_text (name, text->str);
}

/* ----------------------------------------------------------------- compact */

/* From the mask to the camera and back: the same to the last bit. */
GST_START_TEST (test_compact)
{
  static const struct {
    const char *properties, *input, *axis;
  } cases[] = {
    { WAVELENGTH, "fringes-4x101", NULL },
    { WAVELENGTH " transform=nudft mask=max-gap max-gap=5", "complex-4x101",
        "wavelength" },
    { WAVELENGTH " transform=fft mask=linear-k", "fringes-4x101", NULL },
    { "transform=fft seed=5 sampling-rate=0.7", "fringes-4x101", "wavenumber" },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (OctArray) input = oct_test_input (cases[i].input);
    g_autofree char *path = oct_test_file_path ("mask.txt");
    g_autofree char *all =
        g_strdup_printf ("octcs %s mask-output=%s", cases[i].properties, path);
    g_autofree char *file = g_strdup_printf (
        "octcs %s mask=file mask-file=%s", cases[i].properties, path);
    g_autoptr (OctArray) expected = run (input, all, cases[i].axis);
    g_autoptr (OctArray) some = oct_test_keep_samples (input, path);
    g_autoptr (OctArray) found = run (some, file, cases[i].axis);
    g_autoptr (OctArray) again = run (input, file, cases[i].axis);

    fail_unless (some->columns < input->columns);
    fail_unless (oct_array_equal (found, expected));
    fail_unless (oct_array_equal (again, expected));
  }
}
GST_END_TEST;

/* The calibration of whole A-lines comes from upstream, and its mask is the one
 * that the camera was given. */
GST_START_TEST (test_compact_by_calibration)
{
  g_autoptr (OctArray) input = load_input ();
  g_autofree char *path = oct_test_file_path ("mask.txt");
  g_autofree char *all =
      g_strdup_printf ("octcs " WAVELENGTH " mask-output=%s", path);
  g_autoptr (OctArray) expected = run (input, all, NULL);
  g_autoptr (OctArray) some = oct_test_keep_samples (input, path);
  g_autoptr (OctArray) found = NULL;
  GstHarness *harness = oct_test_harness ("octcs");

  oct_test_set_caps (harness, some, NULL);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", SAMPLES));
  found = push (harness, some);
  fail_unless (oct_array_equal (found, expected));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The A-scans of the first B-scan of a file of spectra. */
#define LINES 6
static OctArray *
play (const OctArray *spectra, const char *dcsub, const char *elements)
{
  g_autofree char *file = oct_test_file (
      "spectra.raw", spectra->data, (gsize)2 * LINES * spectra->columns);
  g_autofree char *filled = fill_in (elements);
  g_autofree char *launch = g_strdup_printf (
      "octsrc location=%s samples=%u lines=%u ! octdcsub %s ! %s ! "
      "appsink name=sink sync=false",
      file, spectra->columns, LINES, dcsub, filled);
  g_autofree char *placed = oct_test_launch (launch);
  GstElement *pipeline = oct_test_start (placed);
  OctArray *found = oct_test_pull (pipeline, "sink");

  oct_test_stop (pipeline);
  return found;
}

/* Dispersion is compensated of compact spectra to the last bit as of whole
 * ones, whatever the calibration says it by. */
GST_START_TEST (test_compact_dispersion)
{
  static const struct {
    const char *dcsub, *calibration, *phase, *transform;
  } cases[] = {
    { "", "@/wavelength-101.csv", "a2=80 a3=-30", "nufft" },
    { "", "@/k-index-101.csv", "", "nudft" },
    { "", "%/both.csv", "a2=20", "nufft" },
    { "axis=wavenumber", "@/k-index-101.csv", "", "fft" },
  };
  g_autoptr (GBytes) pattern = oct_test_pattern (2 * LINES * SAMPLES);
  g_autoptr (OctArray) input = oct_array_new ('u', 2, LINES, SAMPLES);
  g_autoptr (OctArray) some = NULL;
  g_autoptr (GString) text = g_string_new ("wavelength_nm,dispersion_rad\n");
  g_autofree char *path = oct_test_path ("mask-101.txt"), *both = NULL;
  guint i;

  for (i = 0; i < SAMPLES; i++)
    g_string_append_printf (text, "%u.%u,%u\n", 800 + i / 2, i % 2 * 5, i % 7);
  both = oct_test_text ("both.csv", text->str);
  memcpy (input->data, g_bytes_get_data (pattern, NULL), 2 * LINES * SAMPLES);
  some = oct_test_keep_samples (input, path);
  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *cs =
        g_strdup_printf ("octcs tau=0.5 transform=%s" MASK " calibration=%s",
            cases[i].transform, cases[i].calibration);
    g_autofree char *whole = g_strdup_printf ("octdispersion %s calibration=%s",
        cases[i].phase, cases[i].calibration);
    g_autofree char *without = g_strconcat (whole, " ! ", cs, NULL);
    g_autofree char *with =
        g_strconcat (whole, " mask-file=@/mask-101.txt ! ", cs, NULL);
    g_autoptr (OctArray) expected = play (input, cases[i].dcsub, without);
    g_autoptr (OctArray) found = play (some, cases[i].dcsub, with);
    g_autoptr (OctArray) again = play (input, cases[i].dcsub, with);
    g_autoptr (OctArray) real = play (some, cases[i].dcsub, cs);

    fail_unless_equals_int (expected->columns, SAMPLES / 2);
    fail_unless (oct_array_equal (found, expected), "case %u", i);
    fail_unless (oct_array_equal (again, expected), "case %u", i);
    fail_unless (oct_test_error (real, expected) > 0.1, "case %u", i);
  }
}
GST_END_TEST;

/* ----------------------------------------------------------------- refused */

/* `upstream`: samples of a calibration from upstream, 0: none */
static void
check_refused (const OctArray *input, const char *launch, const char *axis,
    guint upstream, const char *word, const char *other, const char *third)
{
  GstHarness *harness = make_harness (launch);

  oct_test_set_caps (harness, input, axis);
  if (upstream > 0)
    gst_harness_push_event (
        harness, oct_test_calibration (
                     "wavelength-min=800 wavelength-max=880", upstream));
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), word, other, third, NULL);
  gst_harness_teardown (harness);
}

GST_START_TEST (test_files_refused)
{
  g_autoptr (OctArray) input = load_input ();
  g_autofree char *empty = oct_test_text ("empty.txt", "");
  g_autofree char *nothing = oct_test_text ("nothing.txt", "0\n0\n0\n");
  g_autofree char *numbers = oct_test_text ("numbers.txt", "1\n0.5\n");

  check_refused (input, "octcs mask=file" WAVELENGTH, NULL, 0, "`mask-file`",
      "empty", "set it");
  check_refused (input, "octcs mask=file mask-file=%/no.txt" WAVELENGTH, NULL,
      0, "no.txt", "does not exist", "`mask-file` of octcs");
  check_refused (input, "octcs mask=file mask-file=%" WAVELENGTH, NULL, 0,
      "Mask file", "folder", "`mask-file` of octcs");
  check_refused (input, "octcs mask=file mask-file=%/empty.txt" WAVELENGTH,
      NULL, 0, "empty.txt", "keeps none", NULL);
  check_refused (input, "octcs mask=file mask-file=%/nothing.txt" WAVELENGTH,
      NULL, 0, "nothing.txt", "keeps none of 3", NULL);
  check_refused (input, "octcs mask=file mask-file=%/numbers.txt" WAVELENGTH,
      NULL, 0, "numbers.txt", "'0.5' in line 2", NULL);
}
GST_END_TEST;

/* A file of another length is what is wrong, not the calibration. */
GST_START_TEST (test_another_length)
{
  static const char sentence[] =
      "/short.txt' has 64 entries, 7 of them 1, but the spectra have 101 "
      "samples; set `mask-file` to a file with one 0 or 1 for every sample of "
      "a whole A-line, or deliver the kept samples alone.";
  static const char file[] = "octcs mask=file mask-file=%/short.txt";
  static const char own[] = "octcs mask=file mask-file=%/short.txt" WAVELENGTH;
  g_autoptr (OctArray) input = load_input ();

  write_mask ("short.txt", 64, 7);
  check_refused (input, file, "wavenumber", 0, "Mask file '", sentence, NULL);
  check_refused (input, file, NULL, 0, "Mask file '", sentence, NULL);
  check_refused (input, file, NULL, SAMPLES, "Mask file '", sentence, NULL);
  check_refused (input, own, NULL, 0, "Mask file '", sentence, NULL);
  /* depths come after it */
  check_refused (input, "octcs depth-start=45 mask=file mask-file=%/short.txt",
      NULL, SAMPLES, "Mask file '", sentence, NULL);
}
GST_END_TEST;

/* Compact spectra fit the mask; of the calibration it is said what it has to
 * fit. */
GST_START_TEST (test_calibration_of_another_length)
{
  static const char mask[] =
      "/mask-101.txt' has 101 entries, 41 of them 1 as the spectra have "
      "samples; set `calibration` of octcs to a file with one row for every "
      "entry.";
  g_autoptr (OctArray) input = load_input (), some = load_compact ();

  check_refused (some, "octcs" MASK " calibration=@/k-index-64.csv", NULL, 0,
      "/k-index-64.csv' has 64 rows, but mask file '", mask, NULL);
  check_refused (some, "octcs" MASK, NULL, KEPT,
      "The calibration that came from upstream has 41 rows, but mask file '",
      mask, NULL);
  /* whole spectra fit the mask as well */
  check_refused (input, "octcs" MASK " calibration=@/k-index-64.csv", NULL, 0,
      "k-index-64.csv' has 64 rows", "spectra have 101 samples", NULL);
}
GST_END_TEST;

/* Sample 80 is the nearest to no uniform wavenumber, the others are. */
GST_START_TEST (test_too_few_nearest)
{
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *path = NULL;

  for (guint i = 0; i < SAMPLES; i++)
    g_string_append (text, i == 80 || (i >= 10 && i < 17) ? "1\n" : "0\n");
  path = oct_test_text ("eight.txt", text->str);
  check_refused (input,
      "octcs transform=fft mask=file mask-file=%/eight.txt" WAVELENGTH, NULL, 0,
      "nearest to a uniform wavenumber",
      "keeps 8 samples, but only 7 such ones", "transform=nufft");
}
GST_END_TEST;

/* Two reflectors are six numbers; with fewer than 8 samples nearly any A-scan
 * goes. */
GST_START_TEST (test_too_few)
{
  g_autoptr (OctArray) input = load_input ();
  g_autoptr (OctArray) found = NULL;

  write_mask ("seven.txt", SAMPLES, 7);
  write_mask ("eight.txt", SAMPLES, 8);
  check_refused (input, "octcs sampling-rate=0.001" WAVELENGTH, NULL, 0,
      "keeps 1 of the 101 samples", "needs 8 at least", "`sampling-rate`");
  check_refused (input, "octcs mask=file mask-file=%/seven.txt" WAVELENGTH,
      NULL, 0, "keeps 7 of the 101", "needs 8 at least", "`mask-file`");
  found = run (input, "octcs mask=file mask-file=%/eight.txt" WAVELENGTH, NULL);
  fail_unless_equals_int (found->columns, SAMPLES / 2);
}
GST_END_TEST;

/* -------------------------------------------------------------------- live */

/* Settings that are impossible, alone or until the next one comes, end no
 * pipeline: images stay as they were, with one warning, and the next good value
 * takes effect. */
static const struct {
  const char *before, *property, *value; /* what is impossible */
  const char *word;
  const char *next, *good, *all; /* what mends it, and all together */
} impossible[] = {
  { "", "sampling-rate", "0.01", "keeps 1 of the 101", "sampling-rate", "0.6",
      "sampling-rate=0.6" },
  { "", "sampling-rate", "0", "sampling rate is 0", "sampling-rate", "0.6",
      "sampling-rate=0.6" },
  { "mask=max-gap", "max-gap", "1", "gaps of at most 1", "max-gap", "9",
      "mask=max-gap max-gap=9" },
  { "", "transform", "fft", "axis=wavelength", "mask", "linear-k",
      "transform=fft mask=linear-k" },
  { "", "mask", "file", "`mask-file` of octcs is empty", "mask-file",
      "@/mask-101.txt", MASK },
  { MASK, "mask-file", "%/short.txt", "has 64 entries, 7 of them 1",
      "mask-file", "%/other.txt", "mask=file mask-file=%/other.txt" },
  { MASK, "mask-file", "%/no.txt", "does not exist", "mask-file", "%/other.txt",
      "mask=file mask-file=%/other.txt" },
  { "", "mask-output", "%/no/mask.txt", "`mask-output`", "mask-output",
      "%/out.txt", "" },
};

static void
set (GstHarness *harness, const char *property, const char *value)
{
  g_autofree char *text = fill_in (value);

  oct_test_set (harness, "octcs", property, text);
}

static void
check_impossible (const OctArray *input, const char *before,
    const char *property, const char *value, const char *word, const char *next,
    const char *good, const char *all)
{
  g_autofree char *launch =
      g_strconcat ("octcs tau=2 ", before, WAVELENGTH, NULL);
  g_autofree char *launch_all =
      g_strconcat ("octcs tau=2 ", all, WAVELENGTH, NULL);
  GstHarness *harness = make_harness (launch);
  g_autoptr (OctArray) first = oct_test_run (harness, input, NULL);
  g_autoptr (OctArray) expected = run (input, launch_all, NULL);
  g_autoptr (OctArray) mended = NULL;
  guint i;

  set (harness, property, value);
  for (i = 0; i < 3; i++) {
    g_autoptr (OctArray) found = push (harness, input);

    fail_unless (oct_array_equal (found, first), "%s=%s", property, value);
    if (i == 0)
      oct_test_assert_refused_live (oct_test_bus (harness), word, NULL);
    /* a new plan all the same, and no second warning */
    set (harness, "tau", i == 0 ? "2.1" : "2");
    if (i == 0) {
      g_autoptr (OctArray) other = push (harness, input);
      fail_unless (!oct_array_equal (other, first));
      set (harness, "tau", "2");
    }
  }
  oct_test_assert_quiet (oct_test_bus (harness));
  set (harness, next, good);
  mended = push (harness, input);
  fail_unless (oct_array_equal (mended, expected), "%s=%s", next, good);
  if (g_str_equal (next, "mask-output")) {
    g_autofree char *path = fill_in (good);
    fail_unless (g_file_test (path, G_FILE_TEST_EXISTS));
  }
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}

GST_START_TEST (test_impossible_while_live)
{
  g_autoptr (OctArray) input = load_input ();

  write_mask ("short.txt", 64, 7);
  write_mask ("other.txt", SAMPLES, 60);
  check_impossible (input, impossible[__i__].before, impossible[__i__].property,
      impossible[__i__].value, impossible[__i__].word, impossible[__i__].next,
      impossible[__i__].good, impossible[__i__].all);
}
GST_END_TEST;

/* Without the file nobody knows what compact spectra hold. */
GST_START_TEST (test_compact_while_live)
{
  g_autoptr (OctArray) some = load_compact ();

  check_impossible (
      some, MASK, "mask", "max-gap", "101 rows", "mask", "file", MASK);
}
GST_END_TEST;

/* New caps in the meantime do not cause an error either. */
GST_START_TEST (test_depths_while_impossible)
{
  g_autoptr (OctArray) input = load_input ();
  GstHarness *harness = make_harness ("octcs" WAVELENGTH);
  g_autoptr (OctArray) first = oct_test_run (harness, input, NULL);
  g_autoptr (OctArray) expected =
      run (input, "octcs depth-bins=20" WAVELENGTH, NULL);
  g_autoptr (OctArray) found = NULL;

  set (harness, "sampling-rate", "0");
  set (harness, "depth-bins", "20");
  found = push (harness, input);
  fail_unless (oct_array_equal (found, expected));
  oct_test_assert_refused_live (
      oct_test_bus (harness), "sampling rate is 0", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A calibration that does not fit is an error still: the image would be wrong.
 */
GST_START_TEST (test_calibration_while_live)
{
  g_autoptr (OctArray) input = load_input ();
  GstHarness *harness = make_harness ("octcs" MASK);
  g_autoptr (OctArray) first = NULL;

  oct_test_set_caps (harness, input, NULL);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", SAMPLES));
  first = push (harness, input);
  gst_harness_push_event (harness,
      oct_test_calibration ("wavelength-min=800 wavelength-max=880", 64));
  fail_unless_equals_int (
      oct_test_push_buffer (harness, oct_test_buffer (input, 0, 0)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "64 samples", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octcs_masks_suite (void)
{
  Suite *suite = suite_create ("octcs-masks");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_compact);
  tcase_add_test (tcase, test_compact_by_calibration);
  tcase_add_test (tcase, test_compact_dispersion);
  tcase_add_test (tcase, test_files_refused);
  tcase_add_test (tcase, test_another_length);
  tcase_add_test (tcase, test_calibration_of_another_length);
  tcase_add_test (tcase, test_too_few_nearest);
  tcase_add_test (tcase, test_too_few);
  tcase_add_loop_test (
      tcase, test_impossible_while_live, 0, G_N_ELEMENTS (impossible));
  tcase_add_test (tcase, test_compact_while_live);
  tcase_add_test (tcase, test_depths_while_impossible);
  tcase_add_test (tcase, test_calibration_while_live);
  return suite;
}

GST_CHECK_MAIN (octcs_masks);
