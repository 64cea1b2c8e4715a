/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The action signal tune of octflip: octscangen drives mirrors that are late,
 * the virtual system sees along their path, and the delay that is found brings
 * the image right, in octflip and in octscangen; formats, and what is refused.
 */
#include "oct-test-files.h"
#include "oct-test-mirrors.h"
#include "oct-test-pipelines.h"

#include <math.h>
#include <string.h>

#define LINES OCT_TEST_MIRRORS_LINES
#define BSCANS OCT_TEST_MIRRORS_BSCANS
#define SAMPLES OCT_TEST_MIRRORS_SAMPLES
#define DEPTHS 256u
#define LAG OCT_TEST_MIRRORS_LAG
/* With this multiple of a camera's noise the A-scans have 10 dB or less. */
#define NOISE 9.0

/* ---------------------------------------------------------------- the messages */

static double
get_shift (GstElement *pipeline)
{
  GstElement *flip = gst_bin_get_by_name (GST_BIN (pipeline), "flip");
  double shift;

  g_object_get (flip, "way-back-shift", &shift, NULL);
  gst_object_unref (flip);
  return shift;
}

/* ------------------------------------------------------------------ the images */

/* The images of these spectra. */
static char *
see (const char *reconstruct, const char *rest)
{
  g_autofree char *spectra = oct_test_file_path ("spectra.raw");
  g_autofree char *calibration = oct_test_file_path ("calibration.csv");

  return g_strdup_printf (
      "octsrc location=%s samples=%u lines=%u bscans=%u line-rate=100000 "
      "! octreconstruct calibration=%s %s ! %s",
      spectra, SAMPLES, LINES, BSCANS, calibration, reconstruct, rest);
}

#define IMAGES "range=manual min=" MIN_DB " max=" MAX_DB
#define MIN_DB "25"
#define MAX_DB "70"

/* Correlation of two images within A-lines 64 .. 191. */
static double
correlate (const OctArray *a, const OctArray *b)
{
  double n = 0, sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;

  for (guint z = 0; z < a->rows; z++)
    for (guint x = 64; x < 192; x++) {
      double u = a->data[z * a->columns + x], v = b->data[z * b->columns + x];

      n++;
      sa += u;
      sb += v;
      aa += u * u;
      bb += v * v;
      ab += u * v;
    }
  return (n * ab - sa * sb) / sqrt ((n * aa - sa * sa) * (n * bb - sb * sb));
}

/* How well B-scans of both directions fit to each other with this shift. */
static double
compare_ways (double shift)
{
  g_autofree char *flip =
      g_strdup_printf ("octflip way-back=odd way-back-shift=%.6f ! "
                       "video/x-raw,format=GRAY8 ! appsink name=sink "
                       "sync=false",
          shift);
  g_autofree char *launch = see (IMAGES, flip);
  GstElement *pipeline = oct_test_start (launch);
  g_autoptr (OctArray) forth = oct_test_pull (pipeline, "sink");
  g_autoptr (OctArray) back = oct_test_pull (pipeline, "sink");
  double found = correlate (forth, back);

  oct_test_stop (pipeline);
  return found;
}

/* The mean power of the first A-scans, but for the remains of the source at
 * their top. */
static double
measure_power (void)
{
  g_autofree char *launch =
      see ("output=ascans", "appsink name=sink sync=false");
  GstElement *pipeline = oct_test_start (launch);
  GstSample *sample = oct_test_pull_from (pipeline, "sink");
  double sum = 0;
  GstMapInfo map;
  const float *values;

  fail_unless (
      gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ));
  values = (const float *)(gpointer)map.data;
  for (gsize i = 0; i < map.size / sizeof *values; i++)
    sum += i / 2 % DEPTHS < 8 ? 0 : (double)values[i] * values[i];
  gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  gst_sample_unref (sample);
  oct_test_stop (pipeline);
  return sum;
}

/* Finds the delay in these spectra; *shift: as octflip has it then. */
static GstStructure *
tune_spectra (const char *images, const char *elements, double *shift)
{
  g_autofree char *rest =
      g_strdup_printf ("%soctflip name=flip way-back=odd ! fakesink", elements);
  g_autofree char *launch = see (images, rest);
  GstElement *pipeline = oct_test_make (launch);
  GstStructure *s;

  fail_unless (oct_test_mirrors_tune (pipeline, "flip", BSCANS));
  fail_unless (!oct_test_mirrors_tune (pipeline, "flip", BSCANS));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  s = oct_test_mirrors_wait (pipeline);
  *shift = get_shift (pipeline);
  oct_test_stop (pipeline);
  return s;
}

/* From the scanner to the image: the delay is that of the mirrors, 2 z / w, the
 * image is right with it, and with the delay in octscangen there is none
 * left. */
GST_START_TEST (test_loop)
{
  g_autofree OctScanPoint *late = oct_test_mirrors_follow (0), *right = NULL;
  double shift, before, after, best, power, again;
  GstStructure *s;

  oct_test_mirrors_take (late, 0);
  power = measure_power ();
  oct_test_mirrors_take (late, NOISE);
  power = 10 * log10 (power / (measure_power () - power));
  g_print ("%.1f dB\n", power);
  fail_unless (power < 10);

  s = tune_spectra (IMAGES, "", &shift);
  assert_equals_string (gst_structure_get_string (s, "result"), "changed");
  oct_test_mirrors_check_delay (s);
  fail_unless (
      fabs (shift - 2 * oct_test_mirrors_get (s, "delay-lines")) < 1e-9);
  fail_unless (
      fabs (shift - oct_test_mirrors_get (s, "way-back-shift")) < 1e-9);
  fail_unless (oct_test_mirrors_get (s, "former-way-back-shift") == 0);

  before = compare_ways (0);
  after = compare_ways (shift);
  best = compare_ways (2 * LAG);
  right = oct_test_mirrors_follow (oct_test_mirrors_get (s, "delay"));
  gst_structure_free (s);
  oct_test_mirrors_take (right, NOISE);
  again = compare_ways (0);
  g_print ("both ways: %.3f, in octflip %.3f, in octscangen %.3f\n", before,
      after, again);
  /* as good as with the true shift; a B-scan of another place of the sample
   * when octscangen has the delay */
  fail_unless (fabs (after - best) < 0.01);
  fail_unless (after > before + 0.1 && again > before + 0.1);
  s = tune_spectra (IMAGES, "", &shift);
  fail_unless (fabs (oct_test_mirrors_get (s, "delay-lines")) < 0.02);
  gst_structure_free (s);
}
GST_END_TEST;

static const char *const formats[] = {
  "video/x-raw,format=GRAY8 ! ",
  "video/x-raw,format=NV12 ! ",
  "video/x-raw,format=GRAY16_LE ! ",
  "octcolormap map=hot ! video/x-raw,format=RGBA ! ",
};

/* The delay is in images of every format; colours err more, as their brightness
 * is another curve. */
GST_START_TEST (test_formats)
{
  g_autofree OctScanPoint *late = oct_test_mirrors_follow (0);
  GstStructure *s;
  double shift;

  oct_test_mirrors_take (late, 1);
  s = tune_spectra (IMAGES, formats[__i__], &shift);
  fail_unless (fabs (oct_test_mirrors_get (s, "delay-lines") - LAG) < 0.03);
  gst_structure_free (s);
}
GST_END_TEST;

/* ------------------------------------------------------------ images by hand */

#define WIDE OCT_TEST_MIRRORS_WIDE
#define HIGH OCT_TEST_MIRRORS_HIGH
#define SHIFT 3

#define ELEMENT "octflip name=flip way-back=odd"

/* Several B-scans in a buffer, and a second search after the first. */
GST_START_TEST (test_stacked)
{
  GstHarness *harness = oct_test_mirrors_harness (ELEMENT, 4);

  for (gint late = -SHIFT; late <= SHIFT; late += SHIFT) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4 * WIDE * HIGH, NULL);
    GstStructure *s;
    GstMapInfo map;
    guint pairs;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
    for (guint i = 0; i < 4; i++)
      oct_test_mirrors_draw (map.data + i * WIDE * HIGH, i % 2 == 1, late);
    gst_buffer_unmap (buffer, &map);
    fail_unless (oct_test_mirrors_tune (harness->element, "flip", 4));
    gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
    s = oct_test_mirrors_wait_for_harness (harness);
    fail_unless (fabs (oct_test_mirrors_get (s, "delay-lines") - late) < 0.05);
    fail_unless (!gst_structure_has_field (s, "delay"));
    fail_unless (gst_structure_get_uint (s, "pairs", &pairs) && pairs == 3);
    gst_structure_free (s);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static GstBuffer *
make_image (guint bscan, guint bscans, guint64 volume)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDE * HIGH, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  oct_test_mirrors_draw (map.data, bscan % 2 == 1, SHIFT);
  gst_buffer_unmap (buffer, &map);
  oct_test_add_scan_meta (buffer, bscan, bscans, volume);
  return buffer;
}

/* B-scans that are not next to each other, as the last of a volume and the
 * first of the next or around a lost one, are not compared. */
GST_START_TEST (test_apart)
{
  static const guint bscans[] = { 3, 4, 0, 1, 3, 4 };
  GstHarness *harness = oct_test_mirrors_harness (ELEMENT, 1);
  GstStructure *s;
  guint pairs;

  fail_unless (
      oct_test_mirrors_tune (harness->element, "flip", G_N_ELEMENTS (bscans)));
  for (guint i = 0; i < G_N_ELEMENTS (bscans); i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (harness, make_image (bscans[i], 5, i >= 2)));
  s = oct_test_mirrors_wait_for_harness (harness);
  fail_unless (fabs (oct_test_mirrors_get (s, "delay-lines") - SHIFT) < 0.05);
  fail_unless (gst_structure_get_uint (s, "pairs", &pairs));
  fail_unless_equals_int (pairs, 3);
  gst_structure_free (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* No delay is set where none can be found; the next search finds one.  A stop
 * ends a search. */
GST_START_TEST (test_failed)
{
  GstHarness *harness = oct_test_mirrors_harness (ELEMENT, 1);
  GstStructure *s;

  oct_test_set (harness, "octflip", "way-back-shift", "1.5");
  fail_unless (oct_test_mirrors_tune (harness->element, "flip", 0));
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDE * HIGH, NULL);

    gst_buffer_memset (buffer, 0, 100, WIDE * HIGH);
    gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
  }
  s = oct_test_mirrors_wait_for_harness (harness);
  assert_equals_string (gst_structure_get_string (s, "result"), "failed");
  fail_unless (strstr (gst_structure_get_string (s, "text"), "resemble"));
  gst_structure_free (s);
  fail_unless (get_shift (harness->element) == 1.5);
  fail_unless (oct_test_mirrors_tune (harness->element, "flip", G_MAXUINT));
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (harness, make_image (i, 5, 0)));
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
flip_tune_suite (void)
{
  Suite *suite = suite_create ("octflip-tune");
  TCase *loop = tcase_create ("loop"), *hand = tcase_create ("by-hand");

  tcase_set_timeout (loop, 120);
  tcase_add_unchecked_fixture (loop, NULL, oct_test_remove_files);
  tcase_add_test (loop, test_loop);
  tcase_add_loop_test (loop, test_formats, 0, G_N_ELEMENTS (formats));
  suite_add_tcase (suite, loop);
  suite_add_tcase (suite, hand);
  if (!oct_test_skips_on_gpu ("it takes no images of the host")) {
    tcase_add_test (hand, test_stacked);
    tcase_add_test (hand, test_apart);
    tcase_add_test (hand, test_failed);
  }
  return suite;
}

GST_CHECK_MAIN (flip_tune);
