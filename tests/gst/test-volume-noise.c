/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The values that octvolume estimates from a volume: the noise, the rows near
 * zero delay, the range of projections.  The mathematics are tested by
 * tests/unit.
 */
#include "oct-test.h"

#include <math.h>
#include <string.h>

#define LINES 32
#define DEPTH 128
#define BSCANS 16
#define FIRST 4 /* rows near zero delay: 128 / 64, but 4 at least */
#define SURFACE 60
#define SIZE (LINES * DEPTH * BSCANS)

#define CAPS "video/x-raw, format=GRAY8, width=32, height=128, framerate=100/1"
#define PICTURE " ! capsfilter caps=video/x-raw,format=RGBA,width=96,height=64"
#define VOLUME "octvolume name=v decimation=1 x-spacing=3e-5 y-spacing=6e-5 "

/* Noise of 30 to 90 everywhere; g_free() */
static guint8 *
new_noise (void)
{
  guint8 *images = g_malloc (SIZE);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < SIZE; i++)
    images[i] = (guint8)g_rand_int_range (rand, 30, 91);
  return images;
}

static void
add_rows (guint8 *images, guint first, guint n, guint8 level)
{
  for (guint y = 0; y < BSCANS; y++)
    memset (images + (y * DEPTH + first) * LINES, level, n * LINES);
}

static GstHarness *
noise_harness (const char *launch)
{
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps_str (harness, CAPS);
  return harness;
}

/* The picture of it. */
static GBytes *
noise_push (GstHarness *harness, const guint8 *images, guint64 number)
{
  for (guint i = 0; i < BSCANS; i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (
        images + i * LINES * DEPTH, (gsize)LINES * DEPTH);

    GST_BUFFER_PTS (buffer) = (number * BSCANS + i) * 10 * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = 10 * GST_MSECOND;
    oct_test_add_scan_meta (buffer, i, BSCANS, number);
    fail_unless (gst_harness_push (harness, buffer) == GST_FLOW_OK);
  }
  return oct_test_pull_bytes (harness);
}

static GBytes *
noise_draw (const char *launch, const guint8 *images)
{
  GstHarness *harness = noise_harness (launch);
  GBytes *picture = noise_push (harness, images, 0);

  gst_harness_teardown (harness);
  return picture;
}

/* The same with images that begin below the rows near zero delay. */
static GBytes *
noise_draw_depths (const char *launch, const guint8 *images)
{
  GstHarness *harness = noise_harness (launch);
  GBytes *picture;

  gst_harness_set_src_caps_str (harness, CAPS ", depth-start=(int)4");
  picture = noise_push (harness, images, 0);
  gst_harness_teardown (harness);
  return picture;
}

static guint
count_different (GBytes *a, GBytes *b)
{
  const guint8 *x = g_bytes_get_data (a, NULL), *y = g_bytes_get_data (b, NULL);
  guint n = 0;

  for (gsize i = 0; i < g_bytes_get_size (a); i++)
    n += x[i] != y[i];
  return n;
}

static GBytes *
noise_draw_nothing (void)
{
  g_autofree guint8 *images = g_malloc0 (SIZE);

  return noise_draw (VOLUME PICTURE, images);
}

static double
noise_get_threshold (GstHarness *harness)
{
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (harness->element), "v");
  GstStructure *stats = NULL;
  double threshold = -1;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_double (stats, "threshold", &threshold));
  gst_structure_free (stats);
  return threshold;
}

/* With nothing set nothing is seen of noise, in all modes, and with a threshold
 * of 0 it fills the volume. */
GST_START_TEST (test_noise)
{
  static const char *const modes[] = { "full", "once", "alpha", "mean" };
  g_autofree guint8 *images = new_noise ();
  g_autoptr (GBytes) nothing = noise_draw_nothing ();
  guint values = (guint)g_bytes_get_size (nothing);

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_autofree char *launch =
        g_strdup_printf (VOLUME "mode=%s" PICTURE, modes[i]);
    g_autofree char *all =
        g_strdup_printf (VOLUME "mode=%s threshold=0" PICTURE, modes[i]);
    g_autoptr (GBytes) found = noise_draw (launch, images);
    g_autoptr (GBytes) manual = noise_draw (all, images);

    if (i < 3) /* the mean of the little above it has a range of its own */
      ck_assert_uint_lt (count_different (nothing, found), values / 1000);
    ck_assert_uint_gt (count_different (nothing, manual), values / 8);
  }
}
GST_END_TEST

/* The threshold is 4 standard deviations above the noise: uniform, of 61
 * levels, a variance of (61^2 - 1) / 12, less by smoothing with 1 2 1 twice and
 * 1 4 6 4 1, whose squares add up to 3/8, 3/8 and 35/128.  A picture with it is
 * that of the same threshold set by hand, at any time. */
GST_START_TEST (test_threshold)
{
  const double spread = sqrt (
      (61 * 61 - 1) / 12.0 * (3 / 8.0) * (3 / 8.0) * (35 / 128.0) + 1 / 12.0);
  g_autofree guint8 *images = new_noise ();
  g_autofree char *launch = NULL;
  g_autoptr (GBytes) found = NULL, manual = NULL, live = NULL, again = NULL;
  GstHarness *harness;
  double threshold;

  add_rows (images, SURFACE, DEPTH - SURFACE, 200);
  harness = noise_harness (VOLUME "mode=alpha" PICTURE);
  found = noise_push (harness, images, 0);
  threshold = noise_get_threshold (harness);
  GST_INFO ("%g, %g expected", threshold, 60 + 4 * spread);
  fail_unless (fabs (threshold - (60 + 4 * spread)) < 1, "%g, not %g",
      threshold, 60 + 4 * spread);
  launch =
      g_strdup_printf (VOLUME "mode=alpha threshold=%.17g" PICTURE, threshold);
  manual = noise_draw (launch, images);
  fail_unless (g_bytes_equal (found, manual));
  oct_test_set (harness, "octvolume", "threshold", "0");
  live = noise_push (harness, images, 1);
  ck_assert_uint_gt (count_different (found, live), 1000);
  fail_unless (noise_get_threshold (harness) == 0);
  oct_test_set (harness, "octvolume", "threshold", "-1");
  again = noise_push (harness, images, 2);
  /* there may be others before: one is drawn when something is set */
  while (!g_bytes_equal (found, again)) {
    g_bytes_unref (again);
    again = oct_test_pull_bytes (harness);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST

/* White rows near zero delay are not seen, and change nothing: no lid, no
 * shadow, no other threshold. */
GST_START_TEST (test_zero_delay)
{
  g_autofree guint8 *images = new_noise ();
  g_autofree guint8 *rows = NULL;
  const char *launch = VOLUME PICTURE;
  g_autoptr (GBytes) without = NULL, with = NULL, all = NULL;
  g_autoptr (GBytes) part = NULL, uncut = NULL;

  add_rows (images, SURFACE, DEPTH - SURFACE, 200);
  rows = g_memdup2 (images, SIZE);
  /* the last two are smoothed into those after them */
  add_rows (rows, 0, FIRST - 2, 255);
  without = noise_draw (launch, images);
  with = noise_draw (launch, rows);
  ck_assert_uint_eq (count_different (without, with), 0);
  all = noise_draw (VOLUME "crop-top=0" PICTURE, rows);
  ck_assert_uint_gt (count_different (without, all), 1000);
  /* without those rows in the images, the first ones are shown */
  part = noise_draw_depths (launch, rows);
  uncut = noise_draw_depths (VOLUME "crop-top=0" PICTURE, rows);
  fail_unless (g_bytes_equal (part, uncut));
  ck_assert_uint_gt (count_different (without, part), 1000);
}
GST_END_TEST

/* A small change of the noise is followed slowly, a large one at once. */
GST_START_TEST (test_follow)
{
  g_autofree guint8 *images = new_noise ();
  GstHarness *harness = noise_harness (VOLUME "mode=alpha" PICTURE);
  double first, now, last;

  add_rows (images, SURFACE, DEPTH - SURFACE, 200);
  g_bytes_unref (noise_push (harness, images, 0));
  first = noise_get_threshold (harness);
  for (guint i = 0; i < SIZE; i++)
    if (images[i] < 100)
      images[i] += 8;
  for (guint v = 1; v < 4; v++)
    g_bytes_unref (noise_push (harness, images, v));
  now = noise_get_threshold (harness);
  /* on a GPU counts may be those of the volume before */
  fail_unless (now > first && now < first + 7, "%g after %g", now, first);
  for (guint i = 0; i < SIZE; i++)
    if (images[i] < 100)
      images[i] -= 28;
  for (guint v = 4; v < 7; v++)
    g_bytes_unref (noise_push (harness, images, v));
  last = noise_get_threshold (harness);
  fail_unless (fabs (last - (first - 20)) < 1, "%g after %g", last, first);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* The brightest voxels of a volume that is nearly white are not all white:
 * A-lines with more than the others are told from them. */
GST_START_TEST (test_projection)
{
  g_autofree guint8 *images = new_noise ();
  g_autoptr (GBytes) picture = NULL;
  const guint8 *data;
  guint bright = 0, dark = 0;

  for (guint y = 0; y < BSCANS; y++)
    for (guint z = SURFACE; z < DEPTH; z++)
      for (guint x = 0; x < LINES; x++)
        images[(y * DEPTH + z) * LINES + x] = x < LINES / 2 ? 225 : 250;
  picture = noise_draw (VOLUME "mode=mip pitch=90 yaw=0 "
                               "projection=orthographic" PICTURE,
      images);
  data = g_bytes_get_data (picture, NULL);
  for (guint x = 0; x < 96; x++) {
    bright += data[4 * (32 * 96 + x)] > 220;
    dark += data[4 * (32 * 96 + x)] < 120;
  }
  ck_assert_uint_gt (bright, 5);
  ck_assert_uint_gt (dark, 96 / 2);
  ck_assert_uint_lt (bright, 96 / 2);
}
GST_END_TEST

/* The rows and columns of a picture in which tissue is seen: bright pixels. */
typedef struct {
  guint first_row, last_row, first_column, last_column;
} Seen;

static Seen
noise_find_seen (const char *launch, const guint8 *images)
{
  g_autoptr (GBytes) picture = noise_draw (launch, images);
  const guint8 *data = g_bytes_get_data (picture, NULL);
  Seen seen = { 64, 0, 96, 0 };

  for (guint y = 0; y < 64; y++)
    for (guint x = 0; x < 96; x++) {
      if (data[4 * (96 * y + x)] < 80)
        continue;
      seen.first_row = MIN (seen.first_row, y);
      seen.last_row = MAX (seen.last_row, y);
      seen.first_column = MIN (seen.first_column, x);
      seen.last_column = MAX (seen.last_column, x);
    }
  fail_unless (seen.first_row <= seen.last_row, "nothing is seen");
  return seen;
}

/* A thin layer of tissue in a deep volume is in the middle of the picture, and
 * large: seen level, from the front, parallel.  The volume is 0.96 mm wide and
 * long and 1.28 mm deep, the tissue from 0.2 to 0.36 mm.  Smoothing makes it a
 * row larger at both ends, the picture two bands of 4 rows; half the height of
 * the picture is 0.43 of the diagonal (oct-volume-camera.c). */
GST_START_TEST (test_fit)
{
  static const char view[] = "mode=alpha yaw=0 pitch=0 z-spacing=1e-5 "
                             "refractive-index=1 projection=orthographic ";
  g_autofree guint8 *images = new_noise ();
  g_autofree char *launch = g_strconcat (VOLUME, view, PICTURE, NULL);
  g_autofree char *whole =
      g_strconcat (VOLUME, view, "fit=volume", PICTURE, NULL);
  double scale = 32 / (0.43 * sqrt (2 * 0.96 * 0.96 + 0.3 * 0.3));
  Seen seen;

  add_rows (images, 20, 16, 200);
  seen = noise_find_seen (launch, images);
  fail_unless (ABS ((gint)(seen.first_row + seen.last_row) - 63) <= 3,
      "rows %u to %u", seen.first_row, seen.last_row);
  fail_unless (
      fabs (seen.last_column + 1.0 - seen.first_column - 0.96 * scale) <= 3,
      "columns %u to %u, %g expected", seen.first_column, seen.last_column,
      0.96 * scale);
  /* the middle of the tissue is 0.36 mm above that of the volume */
  scale = 32 / (0.43 * sqrt (2 * 0.96 * 0.96 + 1.28 * 1.28));
  seen = noise_find_seen (whole, images);
  fail_unless (
      fabs ((seen.first_row + seen.last_row) / 2.0 - 31.5 + 0.36 * scale) <= 2,
      "rows %u to %u", seen.first_row, seen.last_row);
}
GST_END_TEST

/* If nothing says how large a volume is, it is twice as wide as the depths with
 * signal are deep: 16 rows, and up to two bands of 4 at each end. */
GST_START_TEST (test_assumed_shape)
{
  static const char launch[] =
      "octvolume mode=alpha decimation=1 yaw=0 pitch=0 "
      "projection=orthographic" PICTURE;
  g_autofree guint8 *images = new_noise ();
  double rows, columns;
  Seen seen;

  add_rows (images, 20, 16, 200);
  seen = noise_find_seen (launch, images);
  rows = seen.last_row + 1.0 - seen.first_row;
  columns = seen.last_column + 1.0 - seen.first_column;
  fail_unless (columns >= 1.8 * rows && columns <= 2 * 2.2 * rows,
      "%g x %g pixels", columns, rows);
}
GST_END_TEST

/* Tissue is not white on faces, whatever the range of the images: its middle is
 * grey, and brighter tissue is brighter. */
GST_START_TEST (test_faces)
{
  static const char launch[] =
      VOLUME "mode=alpha yaw=0 pitch=0 z-spacing=1e-5 opacity=20" PICTURE;
  static const guint8 levels[] = { 150, 180, 210 };
  guint before = 0;

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++) {
    g_autofree guint8 *images = new_noise ();
    g_autoptr (GBytes) picture = NULL;
    const guint8 *data;
    guint grey;

    add_rows (images, SURFACE, DEPTH - SURFACE, levels[i]);
    picture = noise_draw (launch, images);
    data = g_bytes_get_data (picture, NULL);
    grey = data[4 * (96 * 34 + 48)];
    /* .06 + .98 / 2 of white in the middle of its range */
    ck_assert_uint_ge (grey, 130);
    ck_assert_uint_le (grey, 185);
    ck_assert_uint_ge (grey, before);
    before = grey;
  }
}
GST_END_TEST

static Suite *
volume_noise_suite (void)
{
  Suite *suite = suite_create ("volume-noise");
  TCase *general = tcase_create ("general");

  suite_add_tcase (suite, general);
  tcase_add_test (general, test_noise);
  tcase_add_test (general, test_threshold);
  tcase_add_test (general, test_zero_delay);
  tcase_add_test (general, test_follow);
  tcase_add_test (general, test_projection);
  tcase_add_test (general, test_fit);
  tcase_add_test (general, test_assumed_shape);
  tcase_add_test (general, test_faces);
  return suite;
}

GST_CHECK_MAIN (volume_noise);
