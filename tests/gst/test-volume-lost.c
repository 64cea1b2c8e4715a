/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Lost A-lines in volumes of images: pictures show their neighbours, and never
 * the zeros in their places.
 */
#include "oct-test.h"

#define LINES 6
#define DEPTH 64
#define BSCANS 4

/* Grey levels are those of the A-line, at every depth. */
#define ENFACE                                                                 \
  "octenface start=20 thickness=30 range=manual max=255 scaling=none"          \
  " ! capsfilter caps=video/x-raw,format=GRAY8"

static guint8
get_grey (guint x, guint bscan, guint volume)
{
  return (guint8)(40 + 7 * x + 50 * bscan + 3 * volume);
}

/* A-lines of volume 1 that are there: none of B-scan 2. */
static const char *const there[BSCANS] = { "110111", "001110", "000000",
  "100001" };
/* The A-line that each one shows: the nearest, of two the left one. */
static const char *const shown[BSCANS] = { "011345", "222344", "012345",
  "000555" };

#define STRIDE ((LINES + 3) / 4 * 4)
#define SIZE (STRIDE * DEPTH)

/* A row for each depth. */
static void
fill_image (guint8 *to, guint bscan, guint volume)
{
  for (guint z = 0; z < DEPTH; z++, to += STRIDE)
    for (guint x = 0; x < LINES; x++)
      to[x] = volume == 1 && there[bscan][x] == '0'
                  ? 0
                  : get_grey (x, bscan, volume);
}

static void
push_volume (GstHarness *harness, guint volume, guint each)
{
  for (guint bscan = 0; bscan < BSCANS; bscan += each) {
    g_autofree guint8 *image = g_malloc0 (SIZE * each);
    GstBuffer *buffer;

    for (guint i = 0; i < each; i++)
      fill_image (image + i * SIZE, bscan + i, volume);
    buffer = gst_buffer_new_memdup (image, SIZE * each);
    GST_BUFFER_PTS (buffer) = (volume * BSCANS + bscan) * 10 * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = each * 10 * GST_MSECOND;
    oct_test_add_scan_meta (buffer, bscan, BSCANS, volume);
    for (guint i = 0; volume == 1 && i < each * LINES; i++)
      if (there[bscan + i / LINES][i % LINES] == '0')
        oct_test_lose_lines (buffer, each * LINES, i, 1);
    /* other elements that have it see it as it was */
    gst_buffer_ref (buffer);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    fail_unless (gst_buffer_memcmp (buffer, 0, image, SIZE * each) == 0);
    gst_buffer_unref (buffer);
  }
}

/* One or two B-scans in a buffer.  That of which nothing is left is that of the
 * volume before. */
GST_START_TEST (test_pixels)
{
  guint each = (guint)__i__;
  g_autofree char *caps =
      g_strdup_printf ("video/x-raw, format=GRAY8, width=%d, height=%u, "
                       "framerate=100/1, bscans=%u",
          LINES, each * DEPTH, each);
  GstHarness *harness = oct_test_harness (ENFACE);

  gst_harness_set_src_caps_str (harness, caps);
  for (guint volume = 0; volume < 2; volume++) {
    g_autoptr (GstBuffer) picture = NULL;

    push_volume (harness, volume, each);
    picture = gst_harness_pull (harness);
    for (guint i = 0; i < BSCANS * LINES; i++) {
      guint bscan = i / LINES, x = i % LINES;
      gboolean old = volume == 0 || bscan == 2;
      guint8 pixel;

      gst_buffer_extract (picture, bscan * STRIDE + x, &pixel, 1);
      fail_unless_equals_int (pixel,
          get_grey (old ? x : (guint)(shown[bscan][x] - '0'), bscan, !old));
    }
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
volume_lost_suite (void)
{
  Suite *suite = suite_create ("volume-lost");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_pixels, 1, 3);
  return suite;
}

GST_CHECK_MAIN (volume_lost)
