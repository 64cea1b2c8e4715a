/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The chain on the real C-scan, whose README says what it must show.  The
 * environment variable OCT_TEST_DATA names the folder; skipped when it is not
 * there.
 */
#include "oct-test-files.h"
#include "oct-test.h"

#include <math.h>
#include <string.h>

#define SAMPLES 1024
#define LINES 100
#define BSCANS 100
#define BINS 512
#define RAW_FILE "cscan_100x100x1024_u16.raw"

static char *
data_path (const char *name)
{
  const char *folder = g_getenv ("OCT_TEST_DATA");

  return g_build_filename (folder != NULL ? folder : OCT_TEST_DATA, name, NULL);
}

static OctArray *
load_data (const char *name)
{
  g_autofree char *path = data_path (name);

  return oct_array_load (path);
}

/* ------------------------------------------------------------------ mirrors */

/* mirror - dark_ref - dark_sample + dark_not */
static OctArray *
interferogram (guint mirror)
{
  g_autofree char *name = g_strdup_printf ("mirror%u.npy", mirror);
  g_autofree char *dark = g_strdup_printf ("dark_sample%u.npy", mirror);
  g_autoptr (OctArray) both = load_data (name);
  g_autoptr (OctArray) reference = load_data ("dark_ref.npy");
  g_autoptr (OctArray) sample = load_data (dark);
  g_autoptr (OctArray) none = load_data ("dark_not.npy");
  OctArray *result = oct_array_new ('f', 4, 1, SAMPLES);
  guint i;

  fail_unless_equals_int (both->rows * both->columns, SAMPLES);
  for (i = 0; i < SAMPLES; i++)
    ((float *)result->data)[i] =
        oct_array_get (both, 0, i, 0) - oct_array_get (reference, 0, i, 0)
        - oct_array_get (sample, 0, i, 0) + oct_array_get (none, 0, i, 0);
  return result;
}

typedef struct {
  guint bin, width; /* width: bins at or above half maximum */
  double height;
} Peak;

static Peak
find_peak (guint mirror, const char *launch)
{
  g_autofree char *csv = data_path ("calibration.csv");
  g_autofree char *full =
      g_strdup_printf ("octdcsub mode=none calibration=\"%s\" %s", csv, launch);
  GstHarness *harness = oct_test_harness (full);
  g_autoptr (OctArray) input = interferogram (mirror);
  g_autoptr (OctArray) output = oct_test_run (harness, input, NULL);
  Peak peak = { 0 };
  guint i;

  fail_unless_equals_int (output->columns, BINS);
  for (i = 0; i < BINS; i++) {
    double a = hypot (
        oct_array_get (output, 0, i, 0), oct_array_get (output, 0, i, 1));

    if (a > peak.height)
      peak = (Peak){ i, 0, a };
  }
  for (i = 0; i < BINS; i++)
    if (hypot (oct_array_get (output, 0, i, 0), oct_array_get (output, 0, i, 1))
        >= peak.height / 2)
      peak.width++;
  gst_harness_teardown (harness);
  return peak;
}

GST_START_TEST (test_mirrors_resampled)
{
  const char *methods[] = { "linear", "cubic", "lanczos" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (methods); i++) {
    g_autofree char *launch =
        g_strdup_printf ("! octkresample method=%s ! octfft", methods[i]);
    Peak one = find_peak (1, launch), two = find_peak (2, launch);

    fail_unless_equals_int (one.bin, 48);
    fail_unless_equals_int (one.width, 2);
    fail_unless_equals_int (two.bin, 125);
    fail_unless_equals_int (two.width, 2);
  }
}
GST_END_TEST;

GST_START_TEST (test_mirrors_as_measured)
{
  fail_unless_equals_int (find_peak (1, "axis=wavenumber ! octfft").width, 8);
  fail_unless_equals_int (find_peak (2, "axis=wavenumber ! octfft").width, 15);
}
GST_END_TEST;

/* exp (+i phase) raises mirror 2 from 109.0 to 114.8 and lowers mirror 1, which
 * is on the other side of the zero delay. */
GST_START_TEST (test_mirrors_dispersion)
{
  const char *without = "! octkresample method=linear ! octfft";
  const char *with = "! octkresample method=linear ! octdispersion ! octfft";
  double ratio = find_peak (2, with).height / find_peak (2, without).height;

  fail_unless (fabs (ratio - 114.8 / 109.0) < 1e-3, "%g", ratio);
  fail_unless (find_peak (1, with).height < find_peak (1, without).height);
}
GST_END_TEST;

/* ------------------------------------------------------------------- B-scans
 */

static OctArray *
load_bscan (guint n)
{
  g_autofree char *path = data_path (RAW_FILE);
  OctArray *array = oct_array_new ('u', 2, LINES, SAMPLES);
  const gsize size = (gsize)LINES * SAMPLES * 2;
  GMappedFile *file = g_mapped_file_new (path, FALSE, NULL);

  fail_unless (file != NULL);
  fail_unless_equals_uint64 (g_mapped_file_get_length (file), BSCANS * size);
  memcpy (array->data, g_mapped_file_get_contents (file) + n * size, size);
  g_mapped_file_unref (file);
  return array;
}

/* First depth beyond the residue of the source at which the power of ten
 * A-lines, smoothed over five bins, reaches a quarter of its largest. */
static guint
find_surface (const OctArray *a_scans, guint line)
{
  double power[BINS] = { 0 }, smooth[BINS] = { 0 }, largest = 0;
  guint i, k;

  for (k = line; k < line + 10; k++)
    for (i = 0; i < BINS; i++)
      power[i] += pow (oct_array_get (a_scans, k, i, 0), 2)
                  + pow (oct_array_get (a_scans, k, i, 1), 2);
  for (i = 10; i < BINS - 2; i++) {
    for (k = i - 2; k <= i + 2; k++)
      smooth[i] += power[k];
    largest = MAX (largest, smooth[i]);
  }
  for (i = 10; smooth[i] < largest / 4; i++)
    continue;
  return i;
}

/* Rises from about bin 60 at the left to 35 at the right; it is rough, so that
 * a few bins of either are left open. */
GST_START_TEST (test_surface)
{
  g_autofree char *csv = data_path ("calibration.csv");
  g_autofree char *launch = g_strdup_printf (
      "octdcsub calibration=\"%s\" ! octkresample ! octfft", csv);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = load_bscan (50);
  g_autoptr (OctArray) output = oct_test_run (harness, input, NULL);
  guint left = find_surface (output, 0), right = find_surface (output, 90);

  fail_unless (left >= 52 && left <= 66, "surface at bin %u at left", left);
  fail_unless (right >= 29 && right <= 41, "surface at bin %u at right", right);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The image of one B-scan of the file by the reference. */
static OctArray *
compute_bscan (const char *raw, const char *csv, guint bscan)
{
  gsize size = sizeof (guint16) * LINES * SAMPLES;
  g_autoptr (OctArray) input = oct_array_new ('u', 2, LINES, SAMPLES);
  g_autoptr (GMappedFile) file = g_mapped_file_new (raw, FALSE, NULL);
  g_autofree char *launch =
      g_strdup_printf ("octdcsub calibration=\"%s\" ! octkresample ! "
                       "octdispersion ! octfft ! octlogscale range=auto",
          csv);

  fail_unless (file != NULL && g_mapped_file_get_length (file) / size > bscan);
  memcpy (input->data, g_mapped_file_get_contents (file) + bscan * size, size);
  return oct_test_compute (launch, input, NULL, 1);
}

GST_START_TEST (test_whole_volume)
{
  g_autofree char *raw = data_path (RAW_FILE);
  g_autofree char *csv = data_path ("calibration.csv");
  g_autofree char *launch =
      g_strdup_printf ("octsrc location=\"%s\" samples=%u lines=%u bscans=%u "
                       "calibration=\"%s\" ! octdcsub ! octkresample ! "
                       "octdispersion ! octfft ! octlogscale range=auto ! "
                       "capsfilter caps=video/x-raw,format=GRAY8 ! "
                       "appsink name=sink sync=false",
          raw, SAMPLES, LINES, BSCANS, csv);
  g_autofree char *full = oct_test_launch (launch);
  GstElement *pipeline = gst_parse_launch (full, NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (OctArray) expected = compute_bscan (raw, csv, 50);
  GstSample *sample;
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (;; n++) {
    GstBuffer *buffer;

    g_signal_emit_by_name (sink, "pull-sample", &sample);
    if (sample == NULL)
      break;
    buffer = gst_sample_get_buffer (sample);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), n);
    fail_unless_equals_int (oct_test_get_scan_position (buffer).bscan, n);
    if (n == 50) {
      g_autoptr (OctArray) image =
          oct_test_read (buffer, gst_sample_get_caps (sample));

      oct_test_compare (image, expected, 1);
    }
    gst_sample_unref (sample);
  }
  fail_unless_equals_int (n, BSCANS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
}
GST_END_TEST;

/* --------------------------------------------------------------- grey levels
 */

static double
mean_grey (const OctArray *image, guint first, guint end)
{
  double sum = 0;

  for (guint row = first; row < end; row++)
    for (guint line = 0; line < LINES; line++)
      sum += oct_array_get (image, row, line, 0);
  return sum / ((end - first) * LINES);
}

static void
check_grey (const char *background)
{
  g_autofree char *csv = data_path ("calibration.csv");
  g_autofree char *launch = g_strdup_printf (
      "octdcsub %s calibration=\"%s\" ! octkresample ! octdispersion ! octfft "
      "! octlogscale ! capsfilter caps=video/x-raw,format=GRAY8",
      background, csv);
  GstHarness *harness = oct_test_harness (launch);
  g_autoptr (OctArray) input = load_bscan (50);
  g_autoptr (OctArray) image = oct_test_run (harness, input, NULL);
  double noise = mean_grey (image, 440, 496),
         tissue = mean_grey (image, 65, 90);

  /* in float64: 12 and 170, with all these backgrounds */
  fail_unless (noise > 5 && noise < 20, "noise is grey %.1f", noise);
  fail_unless (tissue > 160 && tissue < 180, "tissue is grey %.1f", tissue);
  gst_harness_teardown (harness);
}

/* Without any setting noise is dark and tissue bright, also when the source is
 * 5 % stronger than when its spectrum was stored: what is left of it at zero
 * delay is 25 dB above tissue. */
GST_START_TEST (test_default_range)
{
  double mean[SAMPLES] = { 0 };
  float stored[SAMPLES];
  g_autofree char *path = NULL, *background = NULL;

  for (guint n = 0; n < BSCANS; n += 10) {
    g_autoptr (OctArray) bscan = load_bscan (n);

    for (guint line = 0; line < LINES; line++)
      for (guint i = 0; i < SAMPLES; i++)
        mean[i] += oct_array_get (bscan, line, i, 0) / (LINES * BSCANS / 10);
  }
  for (guint i = 0; i < SAMPLES; i++)
    stored[i] = (float)(0.95 * mean[i]);
  path = oct_test_npy ("background.npy",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1024), }", stored,
      sizeof (stored));
  background = g_strdup_printf ("mode=background background=\"%s\"", path);
  check_grey ("");
  check_grey (background);
  oct_test_remove_files ();
}
GST_END_TEST;

static Suite *
octcscan_suite (void)
{
  Suite *suite = suite_create ("octcscan");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_mirrors_resampled);
  tcase_add_test (tcase, test_mirrors_as_measured);
  tcase_add_test (tcase, test_mirrors_dispersion);
  tcase_add_test (tcase, test_surface);
  tcase_add_test (tcase, test_whole_volume);
  tcase_add_test (tcase, test_default_range);
  return suite;
}

int
main (int argc, char **argv)
{
  g_autofree char *raw = data_path (RAW_FILE);

  gst_check_init (&argc, &argv);
  if (!g_file_test (raw, G_FILE_TEST_EXISTS)) {
    g_print (
        "SKIP: no real C-scan '%s', set OCT_TEST_DATA to its folder\n", raw);
    return 77;
  }
  return gst_check_run_suite (octcscan_suite (), "octcscan", __FILE__);
}
