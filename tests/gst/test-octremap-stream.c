/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octremap if the stream changes: B-scans come in other buffers, rasters come
 * before the end of the scan, elements downstream do not take them.
 */
#include "oct-test-files.h"
#include "oct-test-order.h"
#include "oct-test-pipelines.h"

#include <string.h>

/* 4 x 3 pixels row by row, as 6 B-scans of 2 A-lines. */
#define LINES 2
#define BSCANS 6
#define COUNT (LINES * BSCANS)
#define COLUMNS 4
#define ROWS 3
#define DEPTHS 5
#define SPACING 10e-6

/* The first and the last `outside` A-lines lie 1 mm above and below. */
static GstEvent *
make_path (guint outside)
{
  double x[COUNT], y[COUNT];
  g_autoptr (GstBuffer) bx = NULL;
  g_autoptr (GstBuffer) by = NULL;

  for (guint i = 0; i < COUNT; i++) {
    x[i] = SPACING * (i % COLUMNS);
    y[i] = SPACING * (i / COLUMNS);
    if (i < outside)
      y[i] -= 1e-3;
    if (i >= COUNT - outside)
      y[i] += 1e-3;
  }
  bx = gst_buffer_new_memdup (x, sizeof x);
  by = gst_buffer_new_memdup (y, sizeof y);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new ("application/x-oct-scan-path", "lines", G_TYPE_UINT,
          LINES, "bscans", G_TYPE_UINT, BSCANS, "x", GST_TYPE_BUFFER, bx, "y",
          GST_TYPE_BUFFER, by, NULL));
}

static guint8
get_grey (guint pixel, guint z)
{
  return (guint8)(10 + 17 * pixel + 5 * z);
}

static GstCaps *
make_caps (guint bscans)
{
  g_autofree char *caps = g_strdup_printf (
      "video/x-raw,format=GRAY8,width=%u,height=%u,framerate=100/1,bscans=%u",
      LINES, bscans * DEPTHS, bscans);

  return gst_caps_from_string (caps);
}

/* B-scans from `first` on. */
static GstBuffer *
make_images (guint first, guint bscans, gboolean counted)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4 * DEPTHS * bscans, NULL);

  gst_buffer_memset (buffer, 0, 0, 4 * DEPTHS * bscans);
  for (guint i = 0; i < bscans * DEPTHS * LINES; i++) {
    guint line = i % LINES, row = i / LINES, bscan = first + row / DEPTHS;
    guint8 grey = get_grey (bscan * LINES + line, row % DEPTHS);

    gst_buffer_fill (buffer, 4 * row + line, &grey, 1);
  }
  if (counted)
    oct_test_add_scan_meta (buffer, first, BSCANS, 0);
  return buffer;
}

/* A volume in buffers of 4 and 2 B-scans, as at the end of a file. */
GST_START_TEST (test_buffers_of_a_volume)
{
  GstHarness *harness = oct_test_harness (
      "octremap method=nearest columns=4 rows=3 x-spacing=10e-6 "
      "y-spacing=10e-6");
  GstElement *element = gst_harness_find_element (harness, "octremap");
  g_autoptr (GstCaps) caps = NULL;
  guint64 missing = 9;

  gst_harness_set_src_caps (harness, make_caps (4));
  gst_harness_push_event (harness, make_path (0));
  fail_unless_equals_int (
      gst_harness_push (harness, make_images (0, 4, __i__ == 0)), GST_FLOW_OK);
  caps = make_caps (2);
  gst_harness_push_event (harness, gst_event_new_caps (caps));
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), 0);
  fail_unless_equals_int (
      gst_harness_push (harness, make_images (4, 2, __i__ == 0)), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), ROWS);
  for (guint row = 0; row < ROWS; row++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);
    guint8 greys[4 * DEPTHS];

    fail_unless_equals_int (
        gst_buffer_extract (buffer, 0, greys, sizeof greys), sizeof greys);
    for (guint i = 0; i < sizeof greys; i++)
      fail_unless_equals_int (
          greys[i], get_grey (row * COLUMNS + i % COLUMNS, i / COLUMNS));
  }
  g_object_get (element, "missing", &missing, NULL);
  fail_unless_equals_uint64 (missing, 0);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_object_unref (element);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static void
push_bscans (GstHarness *harness, guint first, guint n)
{
  for (guint i = first; i < first + n; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, make_images (i, 1, FALSE)), GST_FLOW_OK);
}

/* Events come after the raster of the B-scans before them, also of the first
 * volume, whose caps are not known before it; another stream ends a volume. */
GST_START_TEST (test_order)
{
  GstHarness *harness = oct_test_harness (
      "octremap method=nearest columns=4 rows=3 x-spacing=10e-6 "
      "y-spacing=10e-6");
  g_autoptr (GString) order = g_string_new (NULL);

  gst_harness_set_src_caps (harness, make_caps (1));
  gst_harness_push_event (harness, make_path (0));
  watch_order (harness, order);
  push_events (harness);
  for (guint volume = 0; volume < 2; volume++) {
    push_bscans (harness, 0, 4);
    check_order (order, "");
    push_events (harness);
    push_bscans (harness, 4, 2);
    /* those of before the first volume come with its caps */
    check_order (order, volume == 0 ? "Stgcbbbtgc" : "bbbtgc");
  }
  push_events (harness);
  check_order (order, "tgc");
  push_bscans (harness, 0, 2);
  push_events (harness);
  gst_harness_push_event (harness, gst_event_new_stream_start ("other"));
  check_order (order, "bbbtgcs");
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* While the beam moves, events come after the raster of the B-scans before them. */
GST_START_TEST (test_order_of_parts)
{
  GstHarness *harness = oct_test_harness (
      "octremap method=nearest update=scan interval=0.02 columns=4 rows=3 "
      "x-spacing=10e-6 y-spacing=10e-6");
  g_autoptr (GString) order = g_string_new (NULL);
  guint n;

  gst_harness_set_src_caps (harness, make_caps (1));
  gst_harness_push_event (harness, make_path (0));
  push_bscans (harness, 0, BSCANS);
  watch_order (harness, order);
  push_bscans (harness, 0, 1);
  n = (guint)order->len;
  push_events (harness);
  push_bscans (harness, 1, BSCANS - 1);
  /* a raster is due after the first B-scan, or it is not */
  fail_unless (n % ROWS == 0);
  fail_unless (strcmp (order->str + n, "tgc") != 0);
  fail_unless (n > 0 ? g_str_has_prefix (order->str + n, "tgcbbb")
                     : g_str_has_prefix (order->str, "bbbtgc"),
      "%s", order->str);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A flush drops all that waits, but not events that hold for B-scans after it. */
GST_START_TEST (test_order_after_flush)
{
  GstHarness *harness = oct_test_harness (
      "octremap method=nearest columns=4 rows=3 x-spacing=10e-6 "
      "y-spacing=10e-6");
  g_autoptr (GString) order = g_string_new (NULL);
  GstSegment segment;

  gst_harness_set_src_caps (harness, make_caps (1));
  gst_harness_push_event (harness, make_path (0));
  if (__i__ == 1)
    push_bscans (harness, 0, BSCANS);
  watch_order (harness, order);
  push_bscans (harness, 0, 2);
  push_events (harness);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  check_order (order, __i__ == 1 ? "t" : "");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  push_bscans (harness, 0, BSCANS);
  check_order (order, __i__ == 1 ? "Sbbb" : "StSbbb");
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A-lines that come first may be none of the raster: that is not a loss. */
GST_START_TEST (test_outside_first)
{
  GstHarness *harness = oct_test_harness (
      "octremap method=nearest update=scan interval=0 hole=0.5 columns=4 "
      "rows=1 x-spacing=10e-6 y-spacing=10e-6");

  gst_harness_set_src_caps (
      harness, gst_caps_from_string (
                   "application/x-oct-ascans,format=CF32LE,samples=5,lines=2,"
                   "framerate=100/1"));
  gst_harness_push_event (harness, make_path (COLUMNS));
  for (guint i = 0; i < BSCANS; i++) {
    GstBuffer *buffer =
        gst_buffer_new_allocate (NULL, 8 * DEPTHS * LINES, NULL);

    gst_buffer_memset (buffer, 0, 0, 8 * DEPTHS * LINES);
    oct_test_add_scan_meta (buffer, i, BSCANS, 0);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    /* the middle row */
    fail_unless_equals_int (
        gst_harness_buffers_in_queue (harness), i < 2 ? 0 : i - 1);
  }
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

#define SPIRAL                                                                 \
  "octsrc phantom=surgery seed=3 scan=spiral samples=64 lines=8 bscans=6 "     \
  "num-buffers=15 ! octreconstruct range=manual min=20 max=80 %s ! "           \
  "octremap columns=9 rows=7 %s ! %s octvolumesink location=%s"

/* The file of volume `n`; no bytes: there is none. */
static GBytes *
play (const char *const kind[2], const char *setting, guint n)
{
  g_autofree char *all = oct_test_file_path ("%d.npy");
  g_autofree char *launch =
      g_strdup_printf (SPIRAL, kind[0], setting, kind[1], all);
  g_autofree char *name = g_strdup_printf ("%u.npy", n);
  g_autofree char *path = oct_test_file_path (name);
  char *text = NULL;
  gsize size = 0;

  fail_unless (oct_test_plays (launch, NULL));
  (void)g_file_get_contents (path, &text, &size, NULL);
  oct_test_remove_files ();
  return g_bytes_new_take (text, size);
}

/* Files have rasters of whole scans, also of a last one that is not whole. */
GST_START_TEST (test_files)
{
  static const char *const settings[] = { "update=volume",
    "update=scan interval=0" };
  static const char *const kinds[][2] = { { "", "" },
    { "output=ascans", "octvolumecs method=linear ! " } };

  for (guint n = 0; n < 4; n++) {
    GBytes *volumes[2];

    for (guint i = 0; i < 2; i++)
      volumes[i] = play (kinds[__i__], settings[i], n);
    fail_unless (volumes[0] != NULL && volumes[1] != NULL);
    fail_unless (g_bytes_equal (volumes[0], volumes[1]));
    fail_unless_equals_int (g_bytes_get_size (volumes[0]) > 0, n < 3);
    g_bytes_unref (volumes[0]);
    g_bytes_unref (volumes[1]);
  }
}
GST_END_TEST;

/* The only raster of a stream comes at its end, after which no element upstream
 * can say that nothing takes it. */
GST_START_TEST (test_refused_at_the_end)
{
  GstHarness *harness = oct_test_harness (
      "octremap columns=4 rows=3 ! capsfilter caps=video/x-raw,width=99");

  gst_harness_set_src_caps (harness, make_caps (1));
  gst_harness_push_event (harness, make_path (0));
  gst_harness_push (harness, make_images (0, 1, TRUE));
  gst_harness_push_event (harness, gst_event_new_eos ());
  oct_test_assert_error (
      oct_test_bus (harness), "do not take its raster of 4 columns", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Paths end here, also those that are not valid: what goes on is a raster. */
GST_START_TEST (test_paths_end)
{
  GstHarness *harness = oct_test_harness ("octremap");
  GstElement *element = gst_harness_find_element (harness, "octremap");
  g_autoptr (GstPad) src = gst_element_get_static_pad (element, "src");

  gst_harness_set_src_caps (harness, make_caps (BSCANS));
  gst_harness_push_event (harness, make_path (0));
  gst_harness_push_event (
      harness, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
                   gst_structure_new_empty ("application/x-oct-scan-path")));
  gst_harness_push (harness, make_images (0, BSCANS, TRUE));
  fail_unless (gst_harness_buffers_in_queue (harness) > 0);
  fail_unless (
      gst_pad_get_sticky_event (src, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, 0)
      == NULL);
  gst_object_unref (element);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* The interval is of time stamps, if B-scans have no durations. */
GST_START_TEST (test_no_durations)
{
  static const guint rasters[BSCANS] = { 1, 0, 0, 1, 0, 1 };
  GstHarness *harness =
      oct_test_harness ("octremap rows=3 update=scan interval=0.025");

  gst_harness_set_src_caps (harness, make_caps (1));
  gst_harness_push_event (harness, make_path (0));
  for (guint i = 0; i < BSCANS; i++) {
    GstBuffer *buffer = make_images (i, 1, TRUE);
    gint64 before = g_get_monotonic_time (), after;

    GST_BUFFER_PTS (buffer) = i * 10 * GST_MSECOND;
    gst_harness_push (harness, buffer);
    after = g_get_monotonic_time ();
    fail_unless_equals_int (
        gst_harness_buffers_in_queue (harness), rasters[i] * ROWS);
    while (gst_harness_buffers_in_queue (harness) > 0)
      gst_buffer_unref (gst_harness_pull (harness));
    /* rasters take half of the time at most */
    while (g_get_monotonic_time () - after < after - before)
      g_thread_yield ();
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A branch of octscatter has some of the B-scans. */
GST_START_TEST (test_branch)
{
  GstHarness *harness = oct_test_harness ("octremap");

  gst_harness_set_src_caps (harness, make_caps (1));
  gst_harness_push_event (
      harness, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
                   gst_structure_new_empty ("application/x-oct-branch")));
  gst_harness_push_event (harness, make_path (0));
  fail_unless_equals_int (
      gst_harness_push (harness, make_images (0, 1, TRUE)), GST_FLOW_ERROR);
  oct_test_assert_error (
      oct_test_bus (harness), "octremap needs all B-scans", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octremap_stream_suite (void)
{
  Suite *suite = suite_create ("octremap-stream");
  TCase *tcase = tcase_create ("general");

  tcase_add_unchecked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_loop_test (tcase, test_buffers_of_a_volume, 0, 2);
  tcase_add_test (tcase, test_order);
  tcase_add_test (tcase, test_order_of_parts);
  tcase_add_loop_test (tcase, test_order_after_flush, 0, 2);
  tcase_add_test (tcase, test_outside_first);
  tcase_add_loop_test (tcase, test_files, 0, 2);
  tcase_add_test (tcase, test_refused_at_the_end);
  tcase_add_test (tcase, test_paths_end);
  tcase_add_test (tcase, test_no_durations);
  tcase_add_test (tcase, test_branch);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (octremap_stream)
