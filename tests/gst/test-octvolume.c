/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octvolume: the B-scans in a picture, the times of pictures, the camera, and
 * the messages about settings and streams that do not fit.  The contents of a
 * picture: tests/volume.
 */
#include "oct-test-files.h"
#include "oct-test.h"

#include <glib/gstdio.h>
#include <gst/video/navigation.h>
#include <string.h>

#define LINES 24
#define DEPTH 32
#define BSCANS 8
#define WIDTH 64
#define HEIGHT 48

#define SIZE "width=64,height=48"
#define SMALL " ! capsfilter caps=video/x-raw,format=RGBA," SIZE
/* A grey level is as bright in every volume. */
#define QUICK                                                                  \
  "octvolume mode=alpha transfer-function=grey threshold=0 crop-top=0 "        \
  "decimation=1 "
#define IMAGES "video/x-raw, format=GRAY8, width=24, height=32, framerate=100/1"

static GstHarness *
new_harness (const char *launch)
{
  GstHarness *harness = oct_test_harness (launch);

  /* what is lost is told by messages, too */
  gst_bus_set_sync_handler (oct_test_bus (harness), NULL, NULL, NULL);
  gst_harness_set_src_caps_str (harness, IMAGES);
  return harness;
}

static GstElement *
get_volume (GstHarness *harness)
{
  GstElement *element =
      gst_bin_get_by_name (GST_BIN (harness->element), "octvolume0");
  GList *all;

  if (element == NULL) {
    all = GST_BIN_CHILDREN (harness->element);
    element = gst_object_ref (g_list_last (all)->data);
  }
  return element;
}

/* An image of one grey level but for its upper third, which is black. */
static GstBuffer *
new_image (guint8 level, guint bscans)
{
  GstBuffer *buffer =
      gst_buffer_new_allocate (NULL, LINES * DEPTH * bscans, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < bscans; i++) {
    memset (map.data + i * LINES * DEPTH, 0, LINES * DEPTH / 3);
    memset (map.data + i * LINES * DEPTH + LINES * DEPTH / 3, level,
        LINES * DEPTH - LINES * DEPTH / 3);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
stamp (GstBuffer *buffer, guint64 number)
{
  GST_BUFFER_PTS (buffer) = number * 10 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 10 * GST_MSECOND;
}

static void
push (GstHarness *harness, guint8 level, guint bscan, guint64 volume)
{
  GstBuffer *buffer = new_image (level, 1);

  stamp (buffer, volume * BSCANS + bscan);
  oct_test_add_scan_meta (buffer, bscan, BSCANS, volume);
  fail_unless (gst_harness_push (harness, buffer) == GST_FLOW_OK);
}

static void
push_volume (GstHarness *harness, guint8 level, guint64 volume)
{
  for (guint i = 0; i < BSCANS; i++)
    push (harness, level, i, volume);
}

static guint64
get_stat (GstHarness *harness, const char *name)
{
  GstElement *element = get_volume (harness);
  GstStructure *stats = NULL;
  guint64 value = 0;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (stats != NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s", name);
  gst_structure_free (stats);
  gst_object_unref (element);
  return value;
}

static void
assert_stats (GstHarness *harness, guint volumes, guint missing, guint repeated,
    guint late)
{
  ck_assert_uint_eq (get_stat (harness, "volumes"), volumes);
  ck_assert_uint_eq (get_stat (harness, "missing"), missing);
  ck_assert_uint_eq (get_stat (harness, "repeated"), repeated);
  ck_assert_uint_eq (get_stat (harness, "late"), late);
}

/* The last picture in the queue. */
static GBytes *
pull_last (GstHarness *harness)
{
  GBytes *bytes = oct_test_pull_bytes (harness);

  while (gst_harness_buffers_in_queue (harness) > 0) {
    g_bytes_unref (bytes);
    bytes = oct_test_pull_bytes (harness);
  }
  return bytes;
}

static guint
count_brighter (GBytes *picture, guint level)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (picture, &size);
  guint n = 0;

  for (gsize i = 0; i < size; i += 4)
    n += data[i] > level;
  return n;
}

static GstMessage *
pop_message (GstHarness *harness, GstMessageType type, const char *name)
{
  GstMessage *message;

  while (
      (message = gst_bus_pop_filtered (oct_test_bus (harness), type)) != NULL) {
    if (name == NULL || gst_message_has_name (message, name))
      return message;
    gst_message_unref (message);
  }
  return NULL;
}

static void
done (GstHarness *harness)
{
  GstMessage *message;

  while ((message = gst_bus_pop (oct_test_bus (harness))) != NULL)
    gst_message_unref (message);
  gst_harness_teardown (harness);
}

/* ------------------------------------------------------------------ B-scans */

GST_START_TEST (test_volume)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  g_autoptr (GBytes) a = NULL, b = NULL;

  for (guint i = 0; i < BSCANS; i++) {
    fail_unless (gst_harness_buffers_received (harness) == 0);
    push (harness, 200, i, 0);
  }
  a = oct_test_pull_bytes (harness);
  ck_assert_uint_eq (g_bytes_get_size (a), 4 * WIDTH * HEIGHT);
  ck_assert_uint_gt (count_brighter (a, 200), WIDTH * HEIGHT / 8);
  push_volume (harness, 100, 1);
  b = oct_test_pull_bytes (harness);
  ck_assert_uint_eq (count_brighter (b, 200), 0);
  ck_assert_uint_gt (count_brighter (b, 70), WIDTH * HEIGHT / 8);
  assert_stats (harness, 2, 0, 0, 0);
  fail_unless (
      pop_message (harness, GST_MESSAGE_ELEMENT, "oct-volume") == NULL);
  done (harness);
}
GST_END_TEST

/* One B-scan never comes: it is what it was, and it is told. */
GST_START_TEST (test_missing)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  g_autoptr (GBytes) picture = NULL;
  GstMessage *message;
  guint64 missing = 0;

  push_volume (harness, 200, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  for (guint i = 0; i < BSCANS; i++)
    if (i != 3 && i != 4)
      push (harness, 50, i, 1);
  picture = oct_test_pull_bytes (harness);
  /* two bright B-scans of eight */
  ck_assert_uint_gt (count_brighter (picture, 150), WIDTH * HEIGHT / 100);
  ck_assert_uint_lt (count_brighter (picture, 150), WIDTH * HEIGHT / 4);
  assert_stats (harness, 2, 2, 0, 0);
  message = pop_message (harness, GST_MESSAGE_ELEMENT, "oct-volume");
  fail_unless (message != NULL);
  fail_unless (gst_structure_get_uint64 (
      gst_message_get_structure (message), "missing", &missing));
  ck_assert_uint_eq (missing, 2);
  gst_message_unref (message);
  done (harness);
}
GST_END_TEST

/* The last one never comes: the first of the next volume says so. */
GST_START_TEST (test_last_missing)
{
  GstHarness *harness = new_harness (QUICK SMALL);

  for (guint i = 0; i < BSCANS - 1; i++)
    push (harness, 200, i, 0);
  fail_unless (gst_harness_buffers_received (harness) == 0);
  push (harness, 200, 0, 1);
  g_bytes_unref (oct_test_pull_bytes (harness));
  assert_stats (harness, 1, 1, 0, 0);
  done (harness);
}
GST_END_TEST

GST_START_TEST (test_repeated_and_late)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  g_autoptr (GBytes) a = NULL, b = NULL;

  push_volume (harness, 200, 0);
  a = oct_test_pull_bytes (harness);
  push (harness, 10, 2, 1);
  push (harness, 10, 2, 0); /* late */
  for (guint i = 2; i < BSCANS; i++)
    push (harness, 200, i, 1); /* 2 once more */
  b = pull_last (harness);
  /* 0 and 1 are missing, and were the same before */
  fail_unless (g_bytes_equal (a, b));
  assert_stats (harness, 2, 2, 1, 1);
  done (harness);
}
GST_END_TEST

/* To and fro: a volume ends at either side. */
GST_START_TEST (test_both_ways)
{
  GstHarness *harness = new_harness (QUICK SMALL);

  push_volume (harness, 200, 0);
  for (guint i = BSCANS; i-- > 0;)
    if (i != 5)
      push (harness, 200, i, 1);
  assert_stats (harness, 2, 1, 0, 0);
  done (harness);
}
GST_END_TEST

/* The first two B-scans have changed places: that does not make a way back. */
GST_START_TEST (test_first_two_swapped)
{
  GstHarness *harness = new_harness (QUICK SMALL);

  push (harness, 200, 1, 0);
  push (harness, 200, 0, 0);
  fail_unless (gst_harness_buffers_received (harness) == 0);
  for (guint i = 2; i < BSCANS; i++)
    push (harness, 200, i, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  assert_stats (harness, 1, 0, 0, 0);
  done (harness);
}
GST_END_TEST

static void
push_segment (GstHarness *harness)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
}

/* Another recording after the first one, or a seek that does not flush: its
 * volumes have lower numbers and are seen all the same. */
GST_START_TEST (test_numbers_begin_anew)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  g_autoptr (GBytes) whole = NULL, part = NULL, next = NULL;

  push_volume (harness, 200, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  push_volume (harness, 200, 1);
  g_bytes_unref (oct_test_pull_bytes (harness));
  push_segment (harness);
  push_volume (harness, 100, 0);
  whole = oct_test_pull_bytes (harness);
  ck_assert_uint_eq (count_brighter (whole, 180), 0);
  assert_stats (harness, 3, 0, 0, 0);
  /* the volume under way ends where the other one begins */
  push (harness, 200, 0, 1);
  push_segment (harness);
  push (harness, 60, 0, 1);
  part = oct_test_pull_bytes (harness);
  ck_assert_uint_gt (count_brighter (part, 180), 0);
  assert_stats (harness, 4, BSCANS - 1, 0, 0);
  for (guint i = 1; i < BSCANS; i++)
    push (harness, 60, i, 1);
  next = oct_test_pull_bytes (harness);
  ck_assert_uint_eq (count_brighter (next, 80), 0);
  done (harness);
}
GST_END_TEST

/* A segment that is sent again, as to a pad that is linked anew, changes
 * nothing. */
GST_START_TEST (test_same_segment)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  g_autoptr (GstEvent) event = NULL;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  event = gst_event_new_segment (&segment);
  fail_unless (gst_harness_push_event (harness, gst_event_ref (event)));
  for (guint i = 0; i < BSCANS; i++) {
    push (harness, 200, i, 0);
    fail_unless (gst_harness_push_event (harness, gst_event_copy (event)));
  }
  g_bytes_unref (oct_test_pull_bytes (harness));
  assert_stats (harness, 1, 0, 0, 0);
  done (harness);
}
GST_END_TEST

/* Where nothing says which B-scans they are, they are counted anew. */
GST_START_TEST (test_counting_begins_anew)
{
  GstHarness *harness = new_harness (QUICK "bscans=8" SMALL);

  for (guint i = 0; i < BSCANS + 3; i++)
    fail_unless (gst_harness_push (harness, new_image (200, 1)) == GST_FLOW_OK);
  g_bytes_unref (oct_test_pull_bytes (harness));
  push_segment (harness);
  for (guint i = 0; i < BSCANS; i++)
    fail_unless (gst_harness_push (harness, new_image (60, 1)) == GST_FLOW_OK);
  g_bytes_unref (pull_last (harness));
  assert_stats (harness, 3, BSCANS - 3, 0, 0);
  done (harness);
}
GST_END_TEST

/* Several B-scans in a buffer are the volume that single ones are; without
 * metadata they are counted. */
GST_START_TEST (test_together)
{
  GstHarness *one = new_harness (QUICK SMALL);
  GstHarness *all = new_harness (QUICK "bscans=8" SMALL);
  g_autoptr (GBytes) a = NULL, b = NULL;
  GstBuffer *buffer;

  for (guint i = 0; i < BSCANS; i++)
    push (one, (guint8)(60 + 20 * i), i, 0);
  a = oct_test_pull_bytes (one);
  gst_harness_set_src_caps_str (all,
      "video/x-raw, format=GRAY8, width=24, height=128, bscans=4, "
      "framerate=100/1");
  for (guint k = 0; k < 2; k++) {
    GstMapInfo map;

    buffer = new_image (0, 4);
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
    for (guint i = 0; i < 4; i++)
      memset (map.data + i * LINES * DEPTH + LINES * DEPTH / 3,
          (gint)(60 + 20 * (4 * k + i)), LINES * DEPTH - LINES * DEPTH / 3);
    gst_buffer_unmap (buffer, &map);
    stamp (buffer, 4 * k);
    fail_unless (gst_harness_push (all, buffer) == GST_FLOW_OK);
  }
  b = oct_test_pull_bytes (all);
  fail_unless (g_bytes_equal (a, b));
  done (one);
  done (all);
}
GST_END_TEST

/* With `max-render-time` pictures take half of the time at most, so that
 * B-scans do not wait and get lost: here each one takes 20 ms, as long as the
 * element after it sleeps, and the next one comes after 20 ms more.  All
 * B-scans are in the volume. */
GST_START_TEST (test_spares_time)
{
  GstHarness *harness =
      new_harness (QUICK "update=scan max-render-time=10000" SMALL
                         ",framerate=100/1 ! identity sleep-time=20000");
  gint64 began = g_get_monotonic_time (), most;

  for (guint v = 0; v < 4; v++)
    push_volume (harness, 200, v);
  most = 2 + (g_get_monotonic_time () - began) / (2 * 20000);
  ck_assert_uint_ge (gst_harness_buffers_received (harness), 1);
  ck_assert_int_le (gst_harness_buffers_received (harness), most);
  assert_stats (harness, 4, 0, 0, 0);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* The picture grows while the beam moves. */
GST_START_TEST (test_scan)
{
  GstHarness *harness =
      new_harness (QUICK "update=scan" SMALL ",framerate=100/1");
  guint before = 0;

  for (guint i = 0; i < BSCANS; i++) {
    g_autoptr (GBytes) picture = NULL;
    guint bright;

    push (harness, 200, i, 0);
    picture = oct_test_pull_bytes (harness);
    bright = count_brighter (picture, 150);
    ck_assert_uint_gt (bright, before);
    before = bright;
  }
  done (harness);
}
GST_END_TEST

/* Another size in mid-volume: a new one begins. */
GST_START_TEST (test_change_of_size)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  GstBuffer *buffer;

  push_volume (harness, 200, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  push (harness, 200, 0, 1);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=12, height=64, framerate=100/1");
  for (guint i = 0; i < 3; i++) {
    buffer = new_image (200, 1);
    stamp (buffer, 100 + i);
    oct_test_add_scan_meta (buffer, i, 3, 7);
    fail_unless (gst_harness_push (harness, buffer) == GST_FLOW_OK);
  }
  g_bytes_unref (oct_test_pull_bytes (harness));
  fail_unless (gst_harness_buffers_in_queue (harness) == 0);
  done (harness);
}
GST_END_TEST

/* B-scans from before a seek are not seen after it. */
GST_START_TEST (test_flush)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  g_autoptr (GBytes) picture = NULL;
  GstSegment segment;

  push_volume (harness, 250, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  push (harness, 250, 0, 1);
  fail_unless (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
  for (guint i = BSCANS / 2; i < BSCANS; i++)
    push (harness, 60, i, 0);
  picture = oct_test_pull_bytes (harness);
  ck_assert_uint_eq (count_brighter (picture, 200), 0);
  done (harness);
}
GST_END_TEST

/* ----------------------------------------------------------------- pictures */

GST_START_TEST (test_formats)
{
  GstHarness *harness = new_harness (
      QUICK "stereo=side-by-side"
            " ! capsfilter caps=video/x-raw,format=NV12,width=128,height=48");
  g_autoptr (GstCaps) caps = NULL;
  const GstStructure *s;
  GstVideoInfo info;

  push_volume (harness, 200, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  caps = gst_pad_get_current_caps (harness->sinkpad);
  s = gst_caps_get_structure (caps, 0);
  ck_assert_str_eq (
      gst_structure_get_string (s, "multiview-mode"), "side-by-side");
  fail_unless (gst_video_info_from_caps (&info, caps));
  ck_assert_int_eq (info.colorimetry.matrix, GST_VIDEO_COLOR_MATRIX_BT709);
  ck_assert_int_eq (info.colorimetry.range, GST_VIDEO_COLOR_RANGE_16_235);
  ck_assert_int_eq (GST_VIDEO_INFO_MULTIVIEW_MODE (&info),
      GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE);
  done (harness);
}
GST_END_TEST

/* NV12 is RGBA, by BT.709 in double precision. */
GST_START_TEST (test_nv12)
{
  GstHarness *one = new_harness ("octvolume depth-hue=1" SMALL);
  GstHarness *two = new_harness (
      "octvolume depth-hue=1 ! capsfilter caps=video/x-raw,format=NV12," SIZE);
  g_autoptr (GBytes) a = NULL, b = NULL;
  const guint8 *rgba, *nv12;
  double worst = 0;

  push_volume (one, 200, 0);
  push_volume (two, 200, 0);
  a = oct_test_pull_bytes (one);
  b = oct_test_pull_bytes (two);
  rgba = g_bytes_get_data (a, NULL);
  nv12 = g_bytes_get_data (b, NULL);
  ck_assert_uint_eq (g_bytes_get_size (b), WIDTH * HEIGHT * 3 / 2);
  for (guint y = 0; y < HEIGHT; y += 2)
    for (guint x = 0; x < WIDTH; x += 2) {
      double sum[3] = { 0 }, luma[4];
      const guint8 *c = nv12 + WIDTH * HEIGHT + y / 2 * WIDTH + x;

      for (guint k = 0; k < 4; k++) {
        const guint8 *p = rgba + 4 * ((y + k / 2) * WIDTH + x + k % 2);

        luma[k] =
            16 + 219 / 255.0 * (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]);
        worst =
            MAX (worst, fabs (luma[k] - nv12[(y + k / 2) * WIDTH + x + k % 2]));
        for (guint i = 0; i < 3; i++)
          sum[i] += p[i] / 4.0;
      }
      luma[0] = 0.2126 * sum[0] + 0.7152 * sum[1] + 0.0722 * sum[2];
      worst = MAX (
          worst, fabs (128 + 224 / 255.0 * (sum[2] - luma[0]) / 1.8556 - c[0]));
      worst = MAX (
          worst, fabs (128 + 224 / 255.0 * (sum[0] - luma[0]) / 1.5748 - c[1]));
    }
  fail_unless (worst < 1.1, "off by %g", worst);
  done (one);
  done (two);
}
GST_END_TEST

/* A film of 25 pictures a second while a camera turns, whatever the rate of the
 * volumes. */
GST_START_TEST (test_film)
{
  GstHarness *harness =
      new_harness (QUICK "turn-rate=90" SMALL ",framerate=25/1");
  GstClockTime last = 0;
  guint n = 0;

  for (guint v = 0; v < 13; v++)
    push_volume (harness, 200, v);
  gst_harness_push_event (harness, gst_event_new_eos ());
  while (gst_harness_buffers_in_queue (harness) > 0) {
    GstBuffer *buffer = gst_harness_pull (harness);

    if (n > 0)
      fail_unless (GST_BUFFER_PTS (buffer) >= last + 30 * GST_MSECOND
                   && GST_BUFFER_PTS (buffer) <= last + 50 * GST_MSECOND);
    last = GST_BUFFER_PTS (buffer);
    n++;
    gst_buffer_unref (buffer);
  }
  /* 104 B-scans of 10 ms less the first volume */
  ck_assert_uint_ge (n, 24);
  ck_assert_uint_le (n, 26);
  done (harness);
}
GST_END_TEST

/* ------------------------------------------------------------------- camera */

static double
get_double (GstHarness *harness, const char *name)
{
  GstElement *element = get_volume (harness);
  double value;

  g_object_get (element, name, &value, NULL);
  gst_object_unref (element);
  return value;
}

/* Navigation turns, and a picture comes though no B-scan does. */
GST_START_TEST (test_navigation)
{
  GstHarness *harness = new_harness ("octvolume mode=alpha" SMALL);
  g_autoptr (GBytes) before = NULL, after = NULL;
  double yaw, pitch, zoom;

  push_volume (harness, 200, 0);
  before = oct_test_pull_bytes (harness);
  yaw = get_double (harness, "yaw");
  pitch = get_double (harness, "pitch");
  zoom = get_double (harness, "zoom");
  gst_harness_push_upstream_event (harness,
      gst_event_new_navigation (gst_structure_new (
          "application/x-gst-navigation", "event", G_TYPE_STRING,
          "mouse-button-press", "button", G_TYPE_INT, 1, "pointer_x",
          G_TYPE_DOUBLE, 32.0, "pointer_y", G_TYPE_DOUBLE, 24.0, NULL)));
  gst_harness_push_upstream_event (
      harness, gst_event_new_navigation (
                   gst_structure_new ("application/x-gst-navigation", "event",
                       G_TYPE_STRING, "mouse-move", "pointer_x", G_TYPE_DOUBLE,
                       48.0, "pointer_y", G_TYPE_DOUBLE, 36.0, NULL)));
  after = oct_test_pull_bytes (harness);
  fail_unless (!g_bytes_equal (before, after));
  /* a quarter of the picture is a quarter of 180 degrees */
  fail_unless (fabs (get_double (harness, "yaw") - (yaw - 45)) < 1e-9);
  fail_unless (fabs (get_double (harness, "pitch") - (pitch + 45)) < 1e-9);
  gst_harness_push_upstream_event (harness,
      gst_event_new_navigation (
          gst_structure_new ("application/x-gst-navigation", "event",
              G_TYPE_STRING, "mouse-scroll", "pointer_x", G_TYPE_DOUBLE, 1.0,
              "pointer_y", G_TYPE_DOUBLE, 1.0, "delta_pointer_x", G_TYPE_DOUBLE,
              0.0, "delta_pointer_y", G_TYPE_DOUBLE, 1.0, NULL)));
  fail_unless (get_double (harness, "zoom") > 1.05 * zoom);
  g_bytes_unref (oct_test_pull_bytes (harness));
  done (harness);
}
GST_END_TEST

/* One finger turns, another one beside it changes nothing. */
GST_START_TEST (test_fingers)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  double yaw;

  push_volume (harness, 200, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  yaw = get_double (harness, "yaw");
  gst_harness_push_upstream_event (
      harness, gst_navigation_event_new_touch_down (
                   5, 32, 24, 1, GST_NAVIGATION_MODIFIER_NONE));
  gst_harness_push_upstream_event (
      harness, gst_navigation_event_new_touch_down (
                   6, 10, 10, 1, GST_NAVIGATION_MODIFIER_NONE));
  gst_harness_push_upstream_event (
      harness, gst_navigation_event_new_touch_motion (
                   5, 48, 24, 1, GST_NAVIGATION_MODIFIER_NONE));
  gst_harness_push_upstream_event (
      harness, gst_navigation_event_new_touch_motion (
                   6, 60, 10, 1, GST_NAVIGATION_MODIFIER_NONE));
  gst_harness_push_upstream_event (
      harness, gst_navigation_event_new_touch_up (
                   6, 60, 10, GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (fabs (get_double (harness, "yaw") - (yaw - 45)) < 1e-9);
  gst_harness_push_upstream_event (
      harness, gst_navigation_event_new_touch_motion (
                   5, 32, 24, 1, GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (fabs (get_double (harness, "yaw") - yaw) < 1e-9);
  gst_harness_push_upstream_event (
      harness, gst_navigation_event_new_touch_up (
                   5, 32, 24, GST_NAVIGATION_MODIFIER_NONE));
  gst_harness_push_upstream_event (
      harness, gst_navigation_event_new_touch_motion (
                   5, 60, 24, 1, GST_NAVIGATION_MODIFIER_NONE));
  fail_unless (fabs (get_double (harness, "yaw") - yaw) < 1e-9);
  done (harness);
}
GST_END_TEST

/* Too slow a picture gets coarser; when nothing moves any more it is fine. */
GST_START_TEST (test_coarse)
{
  GstHarness *harness =
      oct_test_harness ("octvolume max-render-time=1 ! capsfilter "
                        "caps=video/x-raw,format=RGBA,width=2048,height=1536");
  GstElement *volume;
  GstStructure *stats = NULL;
  guint coarseness = 0;

  gst_harness_set_src_caps_str (harness, IMAGES);
  if (!oct_test_on_gpu ()) {
    guint v = 0;

    /* the first one tells how long they take; there is a rest after it */
    do {
      push_volume (harness, 200, v++);
    } while (get_stat (harness, "pictures") < 2);
    volume = get_volume (harness);
    g_object_get (volume, "stats", &stats, NULL);
    gst_structure_get_uint (stats, "coarseness", &coarseness);
    gst_structure_free (stats);
    gst_object_unref (volume);
    ck_assert_uint_gt (coarseness, 1);
    for (guint i = 0; i < 3; i++)
      g_bytes_unref (
          oct_test_pull_bytes (harness)); /* the last one comes by itself */
  }
  done (harness);
}
GST_END_TEST

/* --------------------------------------------------------------- what is wrong
 */

GST_START_TEST (test_no_bscans)
{
  GstHarness *harness = oct_test_harness (QUICK SMALL);

  gst_harness_set_src_caps_str (harness, IMAGES);
  fail_unless (
      gst_harness_push (harness, new_image (200, 1)) == GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "`bscans`", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* One B-scan alone is a slice. */
GST_START_TEST (test_one_bscan)
{
  GstHarness *harness = oct_test_harness (QUICK "bscans=1" SMALL);
  g_autoptr (GBytes) picture = NULL;

  gst_harness_set_src_caps_str (harness, IMAGES);
  fail_unless (gst_harness_push (harness, new_image (200, 1)) == GST_FLOW_OK);
  picture = oct_test_pull_bytes (harness);
  ck_assert_uint_gt (count_brighter (picture, 200), 20);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* Voxels of unknown size are assumed, which is told once. */
GST_START_TEST (test_spacing)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  GstMessage *message;

  push_volume (harness, 200, 0);
  push_volume (harness, 200, 1);
  message = pop_message (harness, GST_MESSAGE_INFO, NULL);
  fail_unless (message != NULL);
  gst_message_unref (message);
  fail_unless (pop_message (harness, GST_MESSAGE_INFO, NULL) == NULL);
  done (harness);
  harness =
      new_harness (QUICK "x-spacing=1e-5 y-spacing=1e-5 z-spacing=1e-5" SMALL);
  push_volume (harness, 200, 0);
  fail_unless (pop_message (harness, GST_MESSAGE_INFO, NULL) == NULL);
  done (harness);
}
GST_END_TEST

static const struct {
  const char *launch;
  const char *words[3];
} wrong[] = {
  { "octvolume crop-left=0.6 crop-right=0.5" SMALL,
      { "crop-left=0.6", "crop-right" } },
  { "octvolume clip-plane-2=\"1 0 x\"" SMALL, { "`clip-plane-2`", "1 0 x" } },
  { "octvolume clip-plane-1=\"0 0 0 1\"" SMALL, { "`clip-plane-1`" } },
  { "octvolume transfer-function=file" SMALL, { "`transfer-file`" } },
  { "octvolume transfer-function=file transfer-file=@/none.csv" SMALL,
      { "none.csv", "`transfer-file`" } },
  { "octvolume decimation=3" SMALL, { "3 depths", "`decimation`" } },
  { "octvolume stereo=side-by-side ! capsfilter "
    "caps=video/x-raw,width=66,height=48",
      { "66", "multiple of 4" } },
};

GST_START_TEST (test_wrong)
{
  GstHarness *harness = oct_test_harness (wrong[__i__].launch);
  GstFlowReturn ret = GST_FLOW_OK;

  gst_harness_set_src_caps_str (harness, IMAGES);
  for (guint i = 0; i < BSCANS && ret == GST_FLOW_OK; i++) {
    GstBuffer *buffer = new_image (200, 1);

    oct_test_add_scan_meta (buffer, i, BSCANS, 0);
    ret = gst_harness_push (harness, buffer);
  }
  ck_assert_int_eq (ret, GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), wrong[__i__].words[0],
      wrong[__i__].words[1], NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* While pictures are made, what does not fit is told and the former stays. */
GST_START_TEST (test_refused)
{
  GstHarness *harness = oct_test_harness (QUICK SMALL);

  gst_harness_set_src_caps_str (harness, IMAGES);
  push_volume (harness, 200, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  oct_test_set (harness, "octvolume", "crop-left", "1");
  push_volume (harness, 200, 1);
  g_bytes_unref (pull_last (harness));
  oct_test_assert_refused_live (oct_test_bus (harness), "crop-left", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* A stereo size that the downstream caps do not allow does not end the film; if
 * they allow a range, the width is chosen from it. */
GST_START_TEST (test_refused_stereo)
{
  GstHarness *harness = oct_test_harness (
      QUICK " ! capsfilter "
            "caps=video/x-raw,format=RGBA,width=66,height=48");
  g_autoptr (GstCaps) caps = NULL;
  gint width = 0;

  gst_harness_set_src_caps_str (harness, IMAGES);
  push_volume (harness, 200, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  oct_test_set (harness, "octvolume", "stereo", "side-by-side");
  push_volume (harness, 200, 1);
  g_bytes_unref (pull_last (harness));
  oct_test_assert_refused_live (
      oct_test_bus (harness), "66", "multiple of 4", NULL);
  gst_harness_teardown (harness);

  harness = new_harness (QUICK "stereo=side-by-side ! capsfilter "
                               "caps=\"video/x-raw,format=RGBA,width=[16,67],"
                               "height=48\"");
  push_volume (harness, 200, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  caps = gst_pad_get_current_caps (harness->sinkpad);
  gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &width);
  ck_assert_int_eq (width, 64);
  done (harness);
}
GST_END_TEST

GST_START_TEST (test_refused_spacing)
{
  GstHarness *harness = oct_test_harness (
      QUICK "x-spacing=1e-5 y-spacing=1e-5 z-spacing=1e-6" SMALL);

  gst_harness_set_src_caps_str (harness, IMAGES);
  push_volume (harness, 200, 0);
  g_bytes_unref (oct_test_pull_bytes (harness));
  oct_test_set (harness, "octvolume", "x-spacing", "1");
  push_volume (harness, 200, 1);
  g_bytes_unref (pull_last (harness));
  oct_test_assert_refused_live (
      oct_test_bus (harness), "`x-spacing`", "1e-05", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* The end comes before the first volume is complete: what there is is shown. */
GST_START_TEST (test_end_in_first)
{
  GstHarness *harness = new_harness (QUICK SMALL);
  g_autoptr (GBytes) picture = NULL;

  for (guint i = 0; i < BSCANS / 2; i++)
    push (harness, 200, i, 0);
  fail_unless (gst_harness_buffers_received (harness) == 0);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  picture = oct_test_pull_bytes (harness);
  ck_assert_uint_gt (count_brighter (picture, 200), WIDTH * HEIGHT / 20);
  done (harness);
}
GST_END_TEST

static Suite *
octvolume_suite (void)
{
  Suite *suite = suite_create ("octvolume");
  TCase *general = tcase_create ("general");

  suite_add_tcase (suite, general);
  tcase_add_test (general, test_volume);
  tcase_add_test (general, test_missing);
  tcase_add_test (general, test_last_missing);
  tcase_add_test (general, test_repeated_and_late);
  tcase_add_test (general, test_both_ways);
  tcase_add_test (general, test_first_two_swapped);
  tcase_add_test (general, test_numbers_begin_anew);
  tcase_add_test (general, test_same_segment);
  tcase_add_test (general, test_counting_begins_anew);
  tcase_add_test (general, test_together);
  tcase_add_test (general, test_scan);
  tcase_add_test (general, test_spares_time);
  tcase_add_test (general, test_change_of_size);
  tcase_add_test (general, test_flush);
  tcase_add_test (general, test_formats);
  tcase_add_test (general, test_nv12);
  tcase_add_test (general, test_film);
  tcase_add_test (general, test_navigation);
  tcase_add_test (general, test_fingers);
  tcase_add_test (general, test_coarse);
  tcase_add_test (general, test_no_bscans);
  tcase_add_test (general, test_one_bscan);
  tcase_add_test (general, test_spacing);
  tcase_add_loop_test (general, test_wrong, 0, G_N_ELEMENTS (wrong));
  tcase_add_test (general, test_refused);
  tcase_add_test (general, test_refused_stereo);
  tcase_add_test (general, test_refused_spacing);
  tcase_add_test (general, test_end_in_first);
  return suite;
}

GST_CHECK_MAIN (octvolume);
