/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octaverage: running and block means over a scan, of images and of A-scans;
 * the B-scans that make up a mean after a seek, in another volume and when some
 * are missing; the metadata of the means.
 */
#include "oct-test-filters.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------- a scan
 */

#define IMAGES 8

static void
compare (TestImage *const *images, guint first, guint last,
    const TestImage *mean, guint levels)
{
  guint n = last - first + 1;

  for (gsize i = 0; i < (gsize)mean->width * mean->height; i++) {
    guint sum = 0;

    for (guint k = first; k <= last; k++)
      sum += images[k]->pixels[i];
    fail_unless (ABS ((gint)mean->pixels[i] - (gint)((2 * sum + n) / (2 * n)))
                     <= (gint)levels,
        "image %u to %u", first, last);
  }
}

static void
check_scan (gboolean block, guint frames)
{
  g_autofree char *behind = g_strdup_printf (
      "! octaverage mode=%s frames=%u", block ? "block" : "running", frames);
  GstElement *plain = oct_test_filter_start (1, IMAGES, "");
  GstElement *means = oct_test_filter_start (1, IMAGES, behind);
  TestImage *images[IMAGES];
  guint levels = oct_test_on_gpu () ? 1 : 0;

  for (guint n = 0; n < IMAGES; n++) {
    g_autoptr (TestImage) mean = NULL;

    images[n] = oct_test_filter_pull (plain);
    if (block && (n + 1) % frames != 0)
      continue;
    mean = oct_test_filter_pull (means);
    compare (images, n + 1 >= frames ? n + 1 - frames : 0, n, mean, levels);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (mean->buffer),
        GST_BUFFER_PTS (images[block ? n + 1 - frames : n]->buffer));
  }
  fail_unless (oct_test_filter_try_pull (means) == NULL);
  for (guint n = 0; n < IMAGES; n++)
    oct_test_image_free (images[n]);
  oct_test_stop (plain);
  oct_test_stop (means);
}

GST_START_TEST (test_scan)
{
  check_scan (FALSE, 1);
  check_scan (FALSE, 3);
  check_scan (FALSE, 20);
  check_scan (TRUE, 2);
  check_scan (TRUE, 3);
}
GST_END_TEST;

/* The same A-scans with other phases: their power stays, their values do not. */
GST_START_TEST (test_a_scans)
{
  const char *const kinds[] = { "power", "complex" };

  for (guint kind = 0; kind < 2; kind++) {
    g_autofree char *text = g_strdup_printf (
        "octsrc num-buffers=4 lines=16 samples=256 seed=3 ! octdcsub ! "
        "octkresample ! octfft ! tee name=tee tee. ! queue ! appsink name=one "
        "sync=false tee. ! queue ! octaverage frames=4 of=%s ! appsink "
        "name=sink sync=false",
        kinds[kind]);
    g_autofree char *launch = oct_test_launch (text);
    GstElement *pipeline = oct_test_start (launch);
    OctArray *scans[4] = { NULL };
    double error = 0, total = 0;

    for (guint n = 0; n < 4; n++) {
      g_autoptr (OctArray) mean = oct_test_pull (pipeline, "sink");

      scans[n] = oct_test_pull (pipeline, "one");
      if (n < 3)
        continue;
      for (gsize i = 0; i < (gsize)mean->rows * mean->columns; i++) {
        double re = 0, im = 0, power = 0;

        for (guint k = 0; k < 4; k++) {
          double a = oct_array_get (scans[k], 0, i, 0);
          double b = oct_array_get (scans[k], 0, i, 1);

          re += a / 4;
          im += b / 4;
          power += (a * a + b * b) / 4;
        }
        if (kind == 0) {
          re = sqrt (power);
          im = 0;
        }
        error += pow (oct_array_get (mean, 0, i, 0) - re, 2)
                 + pow (oct_array_get (mean, 0, i, 1) - im, 2);
        total += re * re + im * im;
      }
    }
    fail_unless (total > 0 && error <= 1e-12 * total, "%g of %g", error, total);
    for (guint n = 0; n < 4; n++)
      oct_array_free (scans[n]);
    oct_test_stop (pipeline);
  }
}
GST_END_TEST;

/* ------------------------------------------------------------------ by hand
 */

#define CAPS                                                                   \
  "video/x-raw, format=GRAY8, width=4, height=1, framerate=30/1, "             \
  "z-spacing=(double)1e-6"

static GstHarness *
new_harness (const char *properties)
{
  g_autofree char *launch = g_strconcat ("octaverage ", properties, NULL);
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps_str (harness, CAPS);
  return harness;
}

/* An image of four pixels of one level. */
static GstBuffer *
new_image (guint8 level)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4, NULL);

  gst_buffer_memset (buffer, 0, level, 4);
  return buffer;
}

/* The level that comes out, or -1 when nothing does. */
static gint
push (GstHarness *harness, GstBuffer *buffer)
{
  g_autoptr (GstBuffer) out = NULL;
  guint8 level;

  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  out = gst_harness_try_pull (harness);
  if (out == NULL)
    return -1;
  gst_buffer_extract (out, 2, &level, 1);
  return level;
}

static GstBuffer *
new_bscan (guint8 level, guint bscan, guint bscans, guint64 volume)
{
  GstBuffer *buffer = new_image (level);

  oct_test_add_scan_meta (buffer, bscan, bscans, volume);
  return buffer;
}

/* Nothing of before a seek is in a mean, nor of another volume. */
GST_START_TEST (test_history)
{
  GstHarness *harness = new_harness ("frames=3");

  fail_unless_equals_int (push (harness, new_image (10)), 10);
  fail_unless_equals_int (push (harness, new_image (20)), 15);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  oct_test_filter_segment (harness);
  fail_unless_equals_int (push (harness, new_image (50)), 50);
  /* a seek without a flush */
  oct_test_filter_segment (harness);
  fail_unless_equals_int (push (harness, new_image (60)), 60);
  fail_unless_equals_int (push (harness, new_bscan (80, 0, 4, 0)), 70);
  fail_unless_equals_int (push (harness, new_bscan (10, 1, 4, 0)), 50);
  fail_unless_equals_int (push (harness, new_bscan (90, 0, 4, 1)), 90);
  /* volumes of one B-scan are one place again and again */
  fail_unless_equals_int (push (harness, new_bscan (70, 0, 1, 2)), 80);
  fail_unless_equals_int (push (harness, new_bscan (50, 0, 1, 3)), 70);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A block has `frames` B-scans of the same places.  Places that are not
 * complete give no mean, and the others stay together. */
GST_START_TEST (test_missing)
{
  GstHarness *harness = new_harness ("mode=block frames=2");

  fail_unless_equals_int (push (harness, new_bscan (10, 0, 6, 0)), -1);
  fail_unless_equals_int (push (harness, new_bscan (20, 1, 6, 0)), 15);
  /* 2 is lost */
  fail_unless_equals_int (push (harness, new_bscan (90, 3, 6, 0)), -1);
  fail_unless_equals_int (push (harness, new_bscan (40, 4, 6, 0)), -1);
  fail_unless_equals_int (push (harness, new_bscan (50, 5, 6, 0)), 45);
  fail_unless_equals_int (push (harness, new_bscan (60, 0, 6, 1)), -1);
  /* and so is all but one of this one */
  fail_unless_equals_int (push (harness, new_bscan (70, 1, 6, 2)), -1);
  fail_unless_equals_int (push (harness, new_bscan (70, 2, 6, 2)), -1);
  fail_unless_equals_int (push (harness, new_bscan (80, 3, 6, 2)), 75);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The metadata of a block: its times, its rate, its place in the volume. */
GST_START_TEST (test_block)
{
  GstHarness *harness = new_harness ("mode=block frames=3");
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstStructure) caps = NULL;
  GstOctScanPosition scan;
  double spacing = 0;
  gint n = 0, d = 0;

  for (guint k = 3; k < 6; k++) {
    GstBuffer *buffer = new_bscan (10, k, 9, 4);

    GST_BUFFER_PTS (buffer) = k * GST_SECOND;
    GST_BUFFER_DURATION (buffer) = GST_SECOND;
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  fail_unless_equals_int (gst_harness_buffers_received (harness), 1);
  out = gst_harness_pull (harness);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 3 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 3 * GST_SECOND);
  scan = oct_test_get_scan_position (out);
  fail_unless (scan.bscan == 1 && scan.bscans == 3 && scan.volume == 4);
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_fraction (caps, "framerate", &n, &d));
  fail_unless (n == 10 && d == 1);
  fail_unless (gst_structure_get_double (caps, "z-spacing", &spacing));
  fail_unless (spacing == 1e-6);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Two blocks of three are in a volume of eight, and nothing of it is missing:
 * the last two B-scans do not form a block.  Blocks are three times as far
 * apart. */
GST_START_TEST (test_block_remainder)
{
  GstHarness *harness = new_harness ("mode=block frames=3");
  g_autoptr (GstStructure) caps = NULL;
  double spacing = 0;

  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=4, height=1, framerate=30/1, "
      "x-spacing=(double)1e-5, y-spacing=(double)2e-5");
  for (guint k = 0; k < 16; k++)
    fail_unless_equals_int (
        gst_harness_push (harness, new_bscan (10, k % 8, 8, k / 8)),
        GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (harness), 4);
  for (guint k = 0; k < 4; k++) {
    g_autoptr (GstBuffer) out = gst_harness_pull (harness);
    GstOctScanPosition scan = oct_test_get_scan_position (out);

    fail_unless_equals_int (scan.bscan, k % 2);
    fail_unless_equals_int (scan.bscans, 2);
    fail_unless_equals_uint64 (scan.volume, k / 2);
  }
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_double (caps, "x-spacing", &spacing));
  fail_unless (spacing == 1e-5);
  fail_unless (gst_structure_get_double (caps, "y-spacing", &spacing));
  fail_unless (fabs (spacing - 6e-5) < 1e-12);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* {B-scans at a place, in a block, blocks at a place, from a place to the next
 * by that of B-scans before} */
static const struct {
  guint repeats, frames, blocks;
  double spacing;
} repeated[] = { { 4, 4, 1, 1.0 }, { 4, 2, 2, 1.0 }, { 2, 4, 1, 2.0 },
  { 4, 6, 1, 1.5 }, { 3, 2, 1, 2.0 / 3.0 } };

/* Places are as far apart as before where none of them shares a block. */
GST_START_TEST (test_block_repeats)
{
  g_autofree char *mode =
      g_strdup_printf ("mode=block frames=%u", repeated[__i__].frames);
  g_autofree char *in = g_strdup_printf (
      "video/x-raw, format=GRAY8, width=4, height=1, framerate=30/1, "
      "y-spacing=(double)2e-5, repeats=%u",
      repeated[__i__].repeats);
  GstHarness *harness = new_harness (mode);
  g_autoptr (GstStructure) caps = NULL;
  double spacing = 0;
  gint blocks = 1;

  gst_harness_set_src_caps_str (harness, in);
  for (guint k = 0; k < repeated[__i__].frames; k++)
    push (harness, new_image (10));
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_double (caps, "y-spacing", &spacing));
  fail_unless (fabs (spacing - 2e-5 * repeated[__i__].spacing) < 1e-12);
  gst_structure_get_int (caps, "repeats", &blocks);
  fail_unless_equals_int (blocks, repeated[__i__].blocks);
  fail_unless_equals_int (
      gst_structure_has_field (caps, "repeats"), blocks > 1);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Rows of a picture from above stay where they are. */
GST_START_TEST (test_block_enface)
{
  GstHarness *harness = new_harness ("mode=block frames=2");
  g_autoptr (GstStructure) caps = NULL;
  double spacing = 0;

  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=4, height=1, framerate=30/1, "
      "view=en-face, x-spacing=(double)1e-5, y-spacing=(double)2e-5");
  fail_unless_equals_int (push (harness, new_image (10)), -1);
  fail_unless_equals_int (push (harness, new_image (20)), 15);
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_double (caps, "y-spacing", &spacing));
  fail_unless (spacing == 2e-5);
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_live)
{
  GstHarness *harness = new_harness ("frames=2");
  g_autoptr (GstStructure) caps = NULL;
  gint n = 0, d = 0;

  fail_unless_equals_int (push (harness, new_image (10)), 10);
  fail_unless_equals_int (push (harness, new_image (20)), 15);
  oct_test_set (harness, "octaverage", "mode", "block");
  fail_unless_equals_int (push (harness, new_image (30)), -1);
  fail_unless_equals_int (push (harness, new_image (40)), 35);
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_fraction (caps, "framerate", &n, &d));
  fail_unless (n == 15 && d == 1);
  oct_test_set (harness, "octaverage", "frames", "1");
  fail_unless_equals_int (push (harness, new_image (50)), 50);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A square that is elsewhere in every image. */
static GstBuffer *
new_moved (guint down, guint across)
{
  guint8 pixels[64][64];

  for (guint y = 0; y < 64; y++)
    for (guint x = 0; x < 64; x++)
      pixels[y][x] =
          y >= 20 + down && y < 40 + down && x >= 20 + across && x < 40 + across
              ? 200
              : 10;
  return gst_buffer_new_memdup (pixels, sizeof pixels);
}

/* Pixels of the mean that are neither of the square nor beside it. */
static guint
push_moved (GstHarness *harness, guint down, guint across)
{
  g_autoptr (GstBuffer) out =
      gst_harness_push_and_pull (harness, new_moved (down, across));
  guint8 pixels[64 * 64];
  guint n = 0;

  fail_unless_equals_int (
      gst_buffer_extract (out, 0, pixels, sizeof pixels), sizeof pixels);
  for (guint i = 0; i < 64 * 64; i++)
    n += pixels[i] != 10 && pixels[i] != 200;
  return n;
}

/* B-scans lie on the last one, by `max-shift` from one to the next at most, and
 * what was set later counts from then on. */
GST_START_TEST (test_registration)
{
  GstHarness *harness = oct_test_harness (
      "octaverage frames=3 registration=translation max-shift=6");

  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=64, height=64, framerate=30/1");
  fail_unless_equals_int (push_moved (harness, 0, 0), 0);
  fail_unless_equals_int (push_moved (harness, 5, 3), 0);
  fail_unless_equals_int (push_moved (harness, 8, 9), 0);
  fail_unless_equals_int (push_moved (harness, 2, 9), 0);
  /* a seek, and the place is another one */
  oct_test_filter_segment (harness);
  fail_unless_equals_int (push_moved (harness, 14, 14), 0);
  oct_test_set (harness, "octaverage", "registration", "none");
  fail_unless_equals_int (push_moved (harness, 14, 14), 0);
  /* two of 20 columns */
  fail_unless_equals_int (push_moved (harness, 14, 16), 2 * 2 * 20);
  oct_test_set (harness, "octaverage", "registration", "translation");
  fail_unless_equals_int (push_moved (harness, 14, 16), 0);
  fail_unless_equals_int (push_moved (harness, 12, 16), 0);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Images below each other follow each other in the mean; they make no blocks.
 */
GST_START_TEST (test_several)
{
  GstHarness *harness = oct_test_harness ("octaverage frames=2");
  guint8 pixels[8] = { 10, 20, 10, 20, 40, 40, 20, 30 };
  g_autoptr (GstBuffer) out = NULL;

  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=4, height=2, framerate=30/1, bscans=2");
  out = gst_harness_push_and_pull (harness, gst_buffer_new_memdup (pixels, 8));
  gst_buffer_extract (out, 0, pixels, 8);
  fail_unless_equals_int (pixels[0], 10);
  fail_unless_equals_int (pixels[1], 20);
  fail_unless_equals_int (pixels[4], 25);
  fail_unless_equals_int (pixels[7], 25);
  gst_harness_teardown (harness);
  harness = oct_test_harness ("octaverage mode=block frames=2");
  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=4, height=2, framerate=30/1, bscans=2");
  fail_unless_equals_int (
      gst_harness_push (harness, gst_buffer_new_allocate (NULL, 8, NULL)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "buffers of 2 B-scans",
      "set `mode` to running", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Buffers of two B-scans of volumes of three are said to be mixed, once; those
 * of volumes of four are not. */
GST_START_TEST (test_two_volumes)
{
  for (guint bscans = 3; bscans <= 4; bscans++) {
    g_autofree char *launch = g_strdup_printf (
        "octsrc samples=64 lines=8 bscans=%u num-buffers=12 ! octgather "
        "bscans=2"
        " ! octreconstruct output=ascans ! octaverage frames=2 ! fakesink",
        bscans);
    g_autofree char *full = oct_test_launch (launch);
    GstElement *pipeline = gst_parse_launch (full, NULL);
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    GstMessage *message;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (
        bus, 30 * GST_SECOND, GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
    fail_unless (message != NULL);
    if (bscans == 3) {
      g_autoptr (GError) warning = NULL;

      gst_message_parse_warning (message, &warning, NULL);
      fail_unless (
          strstr (warning->message, "divides the 3 B-scans of a volume")
              != NULL,
          "%s", warning->message);
      gst_message_unref (message);
      message = gst_bus_timed_pop_filtered (
          bus, 30 * GST_SECOND, GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
    }
    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
    gst_message_unref (message);
    oct_test_stop (pipeline);
  }
}
GST_END_TEST;

GST_START_TEST (test_formats)
{
  oct_test_filter_check_formats ("octaverage");
}
GST_END_TEST;

static Suite *
octaverage_suite (void)
{
  Suite *suite = suite_create ("octaverage");
  TCase *cases = tcase_create ("general");

  suite_add_tcase (suite, cases);
  tcase_add_test (cases, test_scan);
  tcase_add_test (cases, test_a_scans);
  if (oct_test_on_gpu ())
    return suite;
  tcase_add_test (cases, test_history);
  tcase_add_test (cases, test_missing);
  tcase_add_test (cases, test_block);
  tcase_add_test (cases, test_block_remainder);
  tcase_add_loop_test (cases, test_block_repeats, 0, G_N_ELEMENTS (repeated));
  tcase_add_test (cases, test_block_enface);
  tcase_add_test (cases, test_live);
  tcase_add_test (cases, test_registration);
  tcase_add_test (cases, test_several);
  tcase_add_test (cases, test_two_volumes);
  tcase_add_test (cases, test_formats);
  return suite;
}

GST_CHECK_MAIN (octaverage);
