/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octflip: the images that are turned, and how, over a scan; several B-scans in
 * a buffer; buffers without a B-scan number; a beam that moves as a sine;
 * buffers that pass unchanged.
 */
#include "oct-test-filters.h"

#include <math.h>
#include <string.h>

#define BSCANS 3
#define IMAGES 8

/* -------------------------------------------------------------------- a scan
 */

typedef struct {
  const char *properties;
  gboolean depth, lateral;
  gint way_back; /* 1: odd ones, 0: even ones, -1: none */
} Turn;

static void
compare (
    const Turn *turn, guint n, const TestImage *before, const TestImage *after)
{
  gboolean back =
      turn->way_back >= 0 && (gint)(n % BSCANS % 2) == turn->way_back;
  gboolean mirrored = turn->lateral != back;
  gint levels = oct_test_on_gpu () ? 1 : 0;

  for (guint y = 0; y < before->height; y++)
    for (guint x = 0; x < before->width; x++) {
      guint row = turn->depth ? before->height - 1 - y : y;
      guint column = mirrored ? before->width - 1 - x : x;
      gint expected = before->pixels[row * before->width + column];
      gint found = after->pixels[y * before->width + x];

      fail_unless (ABS (found - expected) <= levels, "%s, image %u, %u %u",
          turn->properties, n, x, y);
    }
}

GST_START_TEST (test_scan)
{
  static const Turn turns[] = {
    { "", FALSE, FALSE, -1 },
    { "depth=true", TRUE, FALSE, -1 },
    { "lateral=true", FALSE, TRUE, -1 },
    { "way-back=odd", FALSE, FALSE, 1 },
    { "depth=true lateral=true way-back=even", TRUE, TRUE, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (turns); i++) {
    g_autofree char *behind =
        g_strdup_printf ("! octflip %s", turns[i].properties);
    GstElement *plain = oct_test_filter_start (BSCANS, IMAGES, "");
    GstElement *turned = oct_test_filter_start (BSCANS, IMAGES, behind);

    for (guint n = 0; n < IMAGES; n++) {
      g_autoptr (TestImage) before = oct_test_filter_pull (plain);
      g_autoptr (TestImage) after = oct_test_filter_pull (turned);

      compare (&turns[i], n, before, after);
    }
    oct_test_stop (plain);
    oct_test_stop (turned);
  }
}
GST_END_TEST;

/* ---------------------------------------------------------- images by hand
 */

static GstHarness *
new_harness (const char *properties, const char *caps)
{
  g_autofree char *launch = g_strconcat ("octflip ", properties, NULL);
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps_str (harness, caps);
  return harness;
}

#define CAPS_SMALL                                                             \
  "video/x-raw, format=GRAY8, width=4, height=2, framerate=10/1"

static void
expect (GstHarness *harness, const guint8 in[8], const guint8 should[8])
{
  g_autoptr (GstBuffer) out =
      gst_harness_push_and_pull (harness, gst_buffer_new_memdup (in, 8));
  guint8 found[8];

  fail_unless (out != NULL && gst_buffer_get_size (out) == 8);
  gst_buffer_extract (out, 0, found, 8);
  fail_unless (memcmp (found, should, 8) == 0, "%u %u %u %u", found[0],
      found[1], found[2], found[3]);
}

static const guint8 plain[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const guint8 mirrored[] = { 4, 3, 2, 1, 8, 7, 6, 5 };

/* Such buffers are counted, from the start and from a seek on. */
GST_START_TEST (test_counted)
{
  GstHarness *harness = new_harness ("way-back=odd", CAPS_SMALL);

  expect (harness, plain, plain);
  expect (harness, plain, mirrored);
  expect (harness, plain, plain);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  oct_test_filter_segment (harness);
  expect (harness, plain, plain);
  expect (harness, plain, mirrored);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The B-scan number of a buffer counts, so that one lost on the way does not
 * turn the others over. */
GST_START_TEST (test_lost)
{
  static const guint numbers[] = { 0, 1, 3, 4, 6, 7, 7 };
  GstHarness *harness = new_harness ("way-back=odd", CAPS_SMALL);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (plain, 8);
    g_autoptr (GstBuffer) out = NULL;
    guint8 corner;

    oct_test_add_scan_meta (buffer, numbers[i], 9, 2);
    out = gst_harness_push_and_pull (harness, buffer);
    gst_buffer_extract (out, 0, &corner, 1);
    fail_unless_equals_int (corner, numbers[i] % 2 ? 4 : 1);
    fail_unless_equals_int (oct_test_get_scan_position (out).bscan, numbers[i]);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Two images below each other, each turned for itself. */
GST_START_TEST (test_several)
{
  static const guint8 should[] = { 1, 2, 3, 4, 8, 7, 6, 5 };
  GstHarness *harness =
      new_harness ("depth=true way-back=odd", CAPS_SMALL ", bscans=2");

  expect (harness, plain, should);
  expect (harness, plain, should);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* In volumes with an odd number of B-scans the first one is never on the way
 * back, although its number in the count of all B-scans is odd in every second
 * volume. */
GST_START_TEST (test_odd_volumes)
{
  static const guint8 pixels[8] = { 1, 2, 3, 4, 1, 2, 3, 4 };
  static const gboolean turned[4][2] = { { FALSE, TRUE }, { FALSE, FALSE },
    { TRUE, FALSE }, { FALSE, TRUE } };
  GstHarness *harness = new_harness ("way-back=odd", CAPS_SMALL ", bscans=2");

  for (guint i = 0; i < G_N_ELEMENTS (turned); i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (pixels, 8);
    g_autoptr (GstBuffer) out = NULL;
    guint8 found[8];

    oct_test_add_scan_meta (buffer, 2 * i % 3, 3, 2 * i / 3);
    out = gst_harness_push_and_pull (harness, buffer);
    fail_unless (out != NULL);
    gst_buffer_extract (out, 0, found, 8);
    for (guint k = 0; k < 2; k++)
      fail_unless_equals_int (found[4 * k], turned[i][k] ? 4 : 1);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_live)
{
  static const guint8 late[] = { 4, 4, 3, 2, 8, 8, 7, 6 };
  GstHarness *harness = new_harness ("", CAPS_SMALL);

  expect (harness, plain, plain);
  oct_test_set (harness, "octflip", "lateral", "true");
  expect (harness, plain, mirrored);
  oct_test_set (harness, "octflip", "lateral", "false");
  oct_test_set (harness, "octflip", "way-back", "even");
  expect (harness, plain, mirrored);
  expect (harness, plain, plain);
  oct_test_set (harness, "octflip", "way-back-shift", "1");
  expect (harness, plain, late);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A beam that turns at both ends: what is as bright as its place is so again. */
GST_START_TEST (test_sine)
{
  GstHarness *harness = new_harness ("scan=sine duty=0.9",
      "video/x-raw, format=GRAY16_LE, width=200, height=1, framerate=10/1");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 400, NULL);
  g_autoptr (GstBuffer) out = NULL;
  double h = 0.45 * G_PI;
  guint16 values[200];

  for (guint k = 0; k < 200; k++)
    values[k] =
        (guint16)(30000 + 20000 * sin (((2 * k + 1) / 200. - 1) * h) / sin (h)
                  + 0.5);
  gst_buffer_fill (buffer, 0, values, 400);
  out = gst_harness_push_and_pull (harness, buffer);
  gst_buffer_extract (out, 0, values, 400);
  for (guint x = 0; x < 200; x++)
    fail_unless (fabs (values[x] - 30000. - 20000. * ((2 * x + 1) / 200. - 1))
                     < 50, /* a quarter of a pixel */
        "%u: %u", x, values[x]);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------------------ passing
 */

GST_START_TEST (test_passes_on)
{
  const char *caps =
      "video/x-raw, format=GRAY8, width=4, height=2, framerate=10/1, "
      "pixel-aspect-ratio=1/2, colorimetry=1:4:0:0, z-spacing=(double)1e-6";
  GstHarness *harness = new_harness ("", caps);
  GstBuffer *buffer = gst_buffer_new_memdup (plain, 8);
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstCaps) found = NULL;
  g_autoptr (GstCaps) expected = gst_caps_from_string (caps);

  GST_BUFFER_PTS (buffer) = 5 * GST_SECOND;
  out = gst_harness_push_and_pull (harness, buffer);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 5 * GST_SECOND);
  found = gst_pad_get_current_caps (harness->sinkpad);
  fail_unless (gst_caps_is_subset (found, expected));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* If the image becomes YUV downstream, the format is NV12, which says that grey
 * levels use all values; if grey is requested, it is grey. */
GST_START_TEST (test_formats)
{
  oct_test_filter_check_formats ("octflip");
}
GST_END_TEST;

/* A-lines 2 and 8 of two B-scans are black, and lost: the columns of the result
 * that are darker than the others are those that are lost, by more than a
 * thousandth of 60000. */
GST_START_TEST (test_lost_lines)
{
  static const char *const turns[] = { "", "depth=true", "lateral=true",
    "way-back=odd", "way-back=even way-back-shift=2",
    "way-back=odd way-back-shift=-1.25 lateral=true",
    "scan=sine duty=0.8 way-back=odd way-back-shift=0.5" };
  enum { W = 12, H = 2, N = W * H * 2 };
  GstHarness *harness = new_harness (turns[__i__],
      "video/x-raw, format=GRAY16_LE, width=12, height=4, framerate=10/1, "
      "bscans=2");
  guint16 pixels[N];
  GstBuffer *buffer, *valid = NULL;
  g_autoptr (GstBuffer) out = NULL;
  guint lost = 0;

  for (guint i = 0; i < N; i++)
    pixels[i] = i % W == 2 || i % W == 8 ? 0 : 60000;
  buffer = gst_buffer_new_memdup (pixels, sizeof pixels);
  oct_test_add_scan_meta (buffer, 0, 4, 0);
  oct_test_lose_lines (buffer, 2 * W, 2, 1);
  oct_test_lose_lines (buffer, 2 * W, 8, 1);
  oct_test_lose_lines (buffer, 2 * W, W + 2, 1);
  oct_test_lose_lines (buffer, 2 * W, W + 8, 1);
  out = gst_harness_push_and_pull (harness, buffer);
  gst_buffer_extract (out, 0, pixels, sizeof pixels);
  gst_structure_get (gst_custom_meta_get_structure (
                         gst_buffer_get_custom_meta (out, "GstOctScanMeta")),
      "valid", GST_TYPE_BUFFER, &valid, NULL);
  for (guint i = 0; i < 2 * W; i++) {
    guint16 pixel = pixels[i / W * W * H + i % W];
    guint8 is;

    gst_buffer_extract (valid, i, &is, 1);
    fail_unless_equals_int (is, pixel >= 60000 - 60);
    lost += is == 0;
  }
  fail_unless (lost >= 4 && lost < 2 * W);
  gst_buffer_unref (valid);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octflip_suite (void)
{
  Suite *suite = suite_create ("octflip");
  TCase *cases = tcase_create ("general");

  suite_add_tcase (suite, cases);
  tcase_add_test (cases, test_scan);
  if (oct_test_on_gpu ())
    return suite;
  tcase_add_test (cases, test_counted);
  tcase_add_test (cases, test_lost);
  tcase_add_test (cases, test_several);
  tcase_add_test (cases, test_odd_volumes);
  tcase_add_test (cases, test_live);
  tcase_add_test (cases, test_sine);
  tcase_add_test (cases, test_passes_on);
  tcase_add_test (cases, test_formats);
  tcase_add_loop_test (cases, test_lost_lines, 0, 7);
  return suite;
}

GST_CHECK_MAIN (octflip);
