/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octsrc as a camera: the virtual OCT system, the calibration that it sends,
 * and a live source on a test clock, so that no time passes.
 */
#include "oct-calibration.h"
#include "oct-test-files.h"
#include "oct-test-source.h"

#include <stdio.h>
#include <unistd.h>

/* 2 A-lines at 100 per second: one B-scan in 20 ms */
#define LIVE "samples=16 lines=2 is-live=true line-rate=100"
#define PERIOD (20 * GST_MSECOND)

/* ----------------------------------------------------------- virtual system */

static gboolean
same_bytes (GstBuffer *a, GstBuffer *b)
{
  GstMapInfo map;
  gboolean same;

  fail_unless (gst_buffer_map (a, &map, GST_MAP_READ));
  same = gst_buffer_get_size (b) == map.size
         && gst_buffer_memcmp (b, 0, map.data, map.size) == 0;
  gst_buffer_unmap (a, &map);
  return same;
}

GST_START_TEST (test_default_sizes)
{
  g_autoptr (Source) s = source_new ("octsrc name=src num-buffers=1");

  source_play (s);
  source_collect (s);
  source_check_caps (s, "video/x-raw,format=GRAY16_LE,width=2048,height=512,"
                        "framerate=30/1");
  source_check_run (s, 0, 1, 30, 1);
  source_check_scan (s, 0, 0, 256, 0);
}
GST_END_TEST

GST_START_TEST (test_virtual_formats)
{
  g_autoptr (Source) s = source_new ("octsrc name=src num-buffers=5 samples=61 "
                                     "lines=3 bscans=2 sample-format=gray8");
  guint i;

  source_play (s);
  source_collect (s);
  source_check_caps (s, "video/x-raw,format=GRAY8,width=61,height=3");
  source_check_run (s, 0, 5, 30, 1);
  for (i = 0; i < 5; i++)
    source_check_scan (s, i, i % 2, 2, i / 2);
}
GST_END_TEST

static Source *
play_virtual (const char *properties)
{
  Source *s = source_new (
      "octsrc name=src num-buffers=6 samples=64 lines=4 %s", properties);

  source_play (s);
  source_collect (s);
  source_check_run (s, 0, 6, 30, 1);
  return s;
}

GST_START_TEST (test_seed)
{
  g_autoptr (Source) a = play_virtual ("seed=7");
  g_autoptr (Source) b = play_virtual ("seed=7");
  g_autoptr (Source) c = play_virtual ("seed=8");
  guint i;

  for (i = 0; i < 6; i++) {
    fail_unless (same_bytes (source_get (a, i), source_get (b, i)));
    fail_if (same_bytes (source_get (a, i), source_get (c, i)));
    fail_if (i > 0 && same_bytes (source_get (a, i), source_get (a, i - 1)));
  }
}
GST_END_TEST

/* A B-scan is the same however one comes to it. */
GST_START_TEST (test_virtual_seek)
{
  g_autoptr (Source) a = play_virtual ("");
  g_autoptr (Source) b = source_new ("octsrc name=src samples=64 lines=4");
  guint i;

  gst_element_set_state (b->src, GST_STATE_READY);
  fail_unless (gst_element_send_event (
      b->src, gst_event_new_seek (1.0, GST_FORMAT_DEFAULT, GST_SEEK_FLAG_FLUSH,
                  GST_SEEK_TYPE_SET, 3, GST_SEEK_TYPE_SET, 6)));
  source_play (b);
  source_collect (b);
  source_check_run (b, 3, 3, 30, 1);
  for (i = 0; i < 3; i++)
    fail_unless (same_bytes (source_get (a, 3 + i), source_get (b, i)));
}
GST_END_TEST

GST_START_TEST (test_mirror)
{
  g_autoptr (Source) near = play_virtual ("phantom=mirror noise=0 depth=20e-6");
  g_autoptr (Source) far = play_virtual ("phantom=mirror noise=0 depth=60e-6");
  g_autoptr (Source) tissue = play_virtual ("noise=0");
  guint8 data[2][128];
  guint i;

  fail_if (same_bytes (source_get (near, 0), source_get (far, 0)));
  fail_if (same_bytes (source_get (near, 0), source_get (tissue, 0)));
  /* a mirror does not move and looks the same from everywhere */
  for (i = 0; i < 6; i++)
    fail_unless (same_bytes (source_get (near, i), source_get (near, 0)));
  gst_buffer_extract (source_get (near, 0), 0, data, sizeof data);
  fail_unless (memcmp (data[0], data[1], sizeof data[0]) == 0);
}
GST_END_TEST

/* -------------------------------------------------------------- calibration */

/* The calibration that has arrived, NULL when there is none. */
static OctCalibration *
get_calibration (GstPad *pad)
{
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (pad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, 0);
  const GValue *value;

  if (event == NULL)
    return NULL;
  fail_unless (gst_event_has_name (event, "application/x-oct-calibration"));
  value =
      gst_structure_get_value (gst_event_get_structure (event), "calibration");
  return oct_calibration_ref (g_value_get_boxed (value));
}

static GstPadProbeReturn
calibration_is_there (GstPad *pad, GstPadProbeInfo *info, gpointer there)
{
  g_autoptr (OctCalibration) calibration = get_calibration (pad);

  if (calibration != NULL)
    g_atomic_int_inc ((gint *)there);
  return GST_PAD_PROBE_OK;
}

GST_START_TEST (test_calibration_comes_first)
{
  g_autoptr (Source) s =
      source_new ("octsrc name=src num-buffers=2 samples=64 lines=2");
  g_autoptr (OctCalibration) calibration = NULL;
  gint there = 0;

  gst_pad_add_probe (s->harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
      calibration_is_there, &there, NULL);
  source_play (s);
  source_collect (s);
  fail_unless_equals_int (there, 2);
  calibration = get_calibration (s->harness->sinkpad);
  fail_unless_equals_int (oct_calibration_get_samples (calibration), 64);
  fail_unless (oct_calibration_get_dispersion (calibration) != NULL);
}
GST_END_TEST

static void
check_wavelengths (Source *s, double min, double max)
{
  g_autoptr (OctCalibration) calibration =
      get_calibration (s->harness->sinkpad);
  double k_min, k_max;

  fail_unless (calibration != NULL);
  fail_unless (oct_calibration_get_k_range (calibration, &k_min, &k_max));
  fail_unless (ABS (2e3 * G_PI / k_max - min) < 1e-6);
  fail_unless (ABS (2e3 * G_PI / k_min - max) < 1e-6);
}

GST_START_TEST (test_own_calibration_wins)
{
  g_autofree char *file = oct_test_wavelengths ("cal.csv", 64);
  g_autoptr (Source) properties =
      play_virtual ("wavelength-min=700 wavelength-max=750");
  g_autofree char *setting = g_strdup_printf ("calibration=%s", file);
  g_autoptr (Source) from_file = play_virtual (setting);

  check_wavelengths (properties, 700, 750);
  check_wavelengths (from_file, 800, 806.3);
}
GST_END_TEST

GST_START_TEST (test_raw_file_has_none)
{
  g_autofree char *path = oct_test_sparse ("zero.raw", 64);
  g_autoptr (Source) s =
      source_new ("octsrc name=src location=%s samples=16 lines=2", path);

  source_play (s);
  source_collect (s);
  fail_unless (get_calibration (s->harness->sinkpad) == NULL);
}
GST_END_TEST

/* The next B-scan comes with the new calibration before it. */
GST_START_TEST (test_calibration_while_playing)
{
  g_autofree char *file = oct_test_wavelengths ("cal.csv", 16);
  g_autoptr (Source) s = source_new ("octsrc name=src " LIVE);

  source_play (s);
  gst_harness_crank_single_clock_wait (s->harness);
  source_next (s);
  /* the second B-scan was made already and waits for its time */
  gst_harness_wait_for_clock_id_waits (s->harness, 1, 60);
  g_object_set (s->src, "calibration", file, NULL);
  gst_harness_crank_single_clock_wait (s->harness);
  source_next (s);
  gst_harness_crank_single_clock_wait (s->harness);
  source_next (s);
  check_wavelengths (s, 800, 801.5);
  g_object_set (s->src, "calibration", NULL, "wavelength-min", 600.0,
      "wavelength-max", 650.0, NULL);
  gst_harness_crank_single_clock_wait (s->harness);
  source_next (s);
  gst_harness_crank_single_clock_wait (s->harness);
  source_next (s);
  check_wavelengths (s, 600, 650);
}
GST_END_TEST

/* An invalid calibration gives one warning, and the previous one stays; a later
 * valid one is used. */
GST_START_TEST (test_wrong_calibration_while_playing)
{
  g_autofree char *file = oct_test_wavelengths ("cal.csv", 16);
  g_autofree char *other = oct_test_wavelengths ("long.csv", 17);
  g_autoptr (Source) s = source_new ("octsrc name=src " LIVE);
  const char *const wrong[] = { "/nowhere/cal.csv", other };
  guint i, k;

  g_object_set (s->src, "calibration", file, NULL);
  source_play (s);
  gst_harness_crank_single_clock_wait (s->harness);
  source_next (s);
  check_wavelengths (s, 800, 801.5);
  for (i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gst_harness_wait_for_clock_id_waits (s->harness, 1, 60);
    g_object_set (s->src, "calibration", wrong[i], NULL);
    for (k = 0; k < 3; k++) {
      gst_harness_crank_single_clock_wait (s->harness);
      source_next (s);
    }
    check_wavelengths (s, 800, 801.5);
    source_check_warning (s->bus, i == 0 ? "/nowhere/cal.csv" : "17",
        "previous calibration stays");
  }
  g_object_set (s->src, "calibration", NULL, "wavelength-min", 600.0,
      "wavelength-max", 650.0, NULL);
  for (k = 0; k < 2; k++) {
    gst_harness_crank_single_clock_wait (s->harness);
    source_next (s);
  }
  check_wavelengths (s, 600, 650);
}
GST_END_TEST

/* --------------------------------------------------------------------- live */

static guint64
get_count (Source *s, const char *property)
{
  guint64 count;

  g_object_get (s->src, property, &count, NULL);
  return count;
}

/* A B-scan comes when its last A-line was taken, and not before. */
GST_START_TEST (test_live_paces)
{
  g_autoptr (Source) s = source_new ("octsrc name=src " LIVE);
  GstTestClock *clock = gst_harness_get_testclock (s->harness);
  GstClockID id;
  guint i;

  source_play (s);
  for (i = 0; i < 10; i++) {
    gst_test_clock_wait_for_next_pending_id (clock, &id);
    fail_unless_equals_uint64 (gst_clock_id_get_time (id), (i + 1) * PERIOD);
    gst_clock_id_unref (id);
    fail_unless_equals_int (gst_harness_buffers_received (s->harness), i);
    fail_unless (gst_harness_crank_single_clock_wait (s->harness));
    source_check_stamps (source_next (s), i, 50, 1);
    source_check_scan (s, i, i, 256, 0);
  }
  fail_unless_equals_uint64 (get_count (s, "dropped"), 0);
  gst_object_unref (clock);
}
GST_END_TEST

GST_START_TEST (test_live_queries)
{
  g_autoptr (Source) s = source_new ("octsrc name=src " LIVE);
  g_autoptr (GstQuery) latency = gst_query_new_latency ();
  g_autoptr (GstQuery) seeking = gst_query_new_seeking (GST_FORMAT_TIME);
  GstClockTime min, max;
  gboolean live, seekable;

  source_play (s);
  gst_harness_crank_single_clock_wait (s->harness);
  source_next (s);
  fail_unless (gst_element_query (s->src, latency));
  gst_query_parse_latency (latency, &live, &min, &max);
  fail_unless (live);
  fail_unless_equals_uint64 (min, PERIOD);
  fail_unless (max > min);
  fail_unless (gst_element_query (s->src, seeking));
  gst_query_parse_seeking (seeking, NULL, &seekable, NULL, NULL);
  fail_if (seekable);
  fail_if (gst_harness_push_upstream_event (
      s->harness, gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1)));
}
GST_END_TEST

/* Lets the next B-scan go, late or in time. */
static GstBuffer *
release (Source *s)
{
  GstTestClock *clock = gst_harness_get_testclock (s->harness);
  GstClockID id;

  gst_test_clock_wait_for_next_pending_id (clock, NULL);
  id = gst_test_clock_process_next_clock_id (clock);
  fail_unless (id != NULL);
  gst_clock_id_unref (id);
  gst_object_unref (clock);
  return source_next (s);
}

/* Lets time pass in which the first B-scan is not fetched. */
static void
be_slow (Source *s, GstClockTime until)
{
  fail_unless (gst_harness_wait_for_clock_id_waits (s->harness, 1, 60));
  fail_unless (gst_harness_set_time (s->harness, until));
  source_check_stamps (release (s), 0, 50, 1);
}

GST_START_TEST (test_live_drops)
{
  g_autoptr (Source) s = source_new ("octsrc name=src " LIVE);
  g_autoptr (GstMessage) message = NULL;
  guint64 running_time, stream_time, timestamp, duration, frames, dropped;
  GstBuffer *buffer;
  GstFormat format;
  gboolean live;

  source_play (s);
  be_slow (s, GST_SECOND);
  /* at 1 s number 50 is being taken, 49 is the newest that is complete */
  buffer = release (s);
  source_check_stamps (buffer, 49, 50, 1);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  source_check_scan (s, 1, 49, 256, 0);
  fail_unless_equals_uint64 (get_count (s, "dropped"), 48);
  message = gst_bus_pop_filtered (s->bus, GST_MESSAGE_QOS);
  fail_unless (message != NULL);
  gst_message_parse_qos (
      message, &live, &running_time, &stream_time, &timestamp, &duration);
  gst_message_parse_qos_stats (message, &format, &frames, &dropped);
  fail_unless (live);
  fail_unless_equals_uint64 (running_time, GST_SECOND);
  fail_unless_equals_uint64 (timestamp, PERIOD);
  fail_unless_equals_uint64 (duration, 48 * PERIOD);
  fail_unless_equals_int (format, GST_FORMAT_BUFFERS);
  fail_unless_equals_uint64 (frames, 1);
  fail_unless_equals_uint64 (dropped, 48);
  /* and it goes on in time */
  gst_harness_crank_single_clock_wait (s->harness);
  buffer = source_next (s);
  source_check_stamps (buffer, 50, 50, 1);
  fail_if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  fail_unless_equals_uint64 (get_count (s, "dropped"), 48);
}
GST_END_TEST

/* A little late is late, but nothing is lost. */
GST_START_TEST (test_live_tolerates)
{
  g_autoptr (Source) s = source_new ("octsrc name=src " LIVE);
  guint i;

  source_play (s);
  be_slow (s, 6 * PERIOD);
  for (i = 1; i < 6; i++)
    source_check_stamps (release (s), i, 50, 1);
  fail_unless_equals_uint64 (get_count (s, "dropped"), 0);
}
GST_END_TEST

/* A live source does not drop the last B-scan of a file. */
GST_START_TEST (test_live_file_ends)
{
  g_autofree char *path = oct_test_sparse ("zero.raw", 64 * 5);
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s " LIVE, path);

  source_play (s);
  be_slow (s, GST_SECOND);
  release (s);
  source_collect (s);
  fail_unless_equals_int (source_count (s), 2);
  source_check_stamps (source_get (s, 0), 0, 50, 1);
  source_check_stamps (source_get (s, 1), 4, 50, 1);
  fail_unless_equals_uint64 (get_count (s, "dropped"), 3);
  fail_unless_equals_uint64 (get_count (s, "frames"), 2);
}
GST_END_TEST

GST_START_TEST (test_live_loop)
{
  g_autofree char *path = oct_test_sparse ("zero.raw", 64 * 5);
  g_autoptr (Source) s =
      source_new ("octsrc name=src loop=true location=%s " LIVE, path);

  source_play (s);
  be_slow (s, GST_SECOND);
  source_check_stamps (release (s), 49, 50, 1);
  source_check_scan (s, 1, 4, 5, 9);
}
GST_END_TEST

/* Back to NULL while a B-scan waits for its time, and again from the start. */
GST_START_TEST (test_live_again)
{
  g_autoptr (Source) s = source_new ("octsrc name=src " LIVE);
  guint i;

  for (i = 0; i < 3; i++) {
    fail_unless (gst_harness_set_time (s->harness, i * GST_SECOND));
    gst_element_set_base_time (s->harness->element, i * GST_SECOND);
    source_play (s);
    gst_harness_crank_single_clock_wait (s->harness);
    source_check_stamps (source_next (s), 0, 50, 1);
    fail_unless (gst_harness_wait_for_clock_id_waits (s->harness, 1, 60));
    source_stop (s);
  }
}
GST_END_TEST

/* ------------------------------------------------ files that change meanwhile
 */

static void
overwrite (const char *path, gsize size)
{
  /* in place, as another program would */
  fail_unless (truncate (path, size) == 0);
}

GST_START_TEST (test_file_shrinks)
{
  g_autofree char *path = oct_test_sparse ("zero.raw", 64 * 5);
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s " LIVE, path);

  source_play (s);
  gst_harness_crank_single_clock_wait (s->harness);
  source_next (s);
  fail_unless (gst_harness_wait_for_clock_id_waits (s->harness, 1, 60));
  overwrite (path, 70);
  gst_harness_crank_single_clock_wait (s->harness);
  source_collect (s);
  fail_unless_equals_int (source_count (s), 2);
  oct_test_assert_error (
      s->bus, path, "has been shortened", "bytes 128 to 191 are missing", NULL);
}
GST_END_TEST

/* A new file in the place of the old one leaves what is open alone. */
GST_START_TEST (test_file_replaced)
{
  g_autofree char *path = oct_test_sparse ("zero.raw", 64 * 3);
  g_autofree char *other = oct_test_sparse ("other.raw", 10);
  g_autoptr (Source) s = source_new ("octsrc name=src location=%s " LIVE, path);
  guint i;

  source_play (s);
  gst_harness_crank_single_clock_wait (s->harness);
  source_next (s);
  fail_unless (rename (other, path) == 0);
  for (i = 0; i < 2; i++) {
    gst_harness_crank_single_clock_wait (s->harness);
    source_next (s);
  }
  source_collect (s);
  fail_unless_equals_int (source_count (s), 3);
  fail_unless (gst_bus_pop_filtered (s->bus, GST_MESSAGE_ERROR) == NULL);
}
GST_END_TEST

static Suite *
octsrc_live_suite (void)
{
  Suite *suite = suite_create ("octsrc-live");
  TCase *tc = tcase_create ("live");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, NULL, oct_test_remove_files);
  tcase_add_test (tc, test_default_sizes);
  tcase_add_test (tc, test_virtual_formats);
  tcase_add_test (tc, test_seed);
  tcase_add_test (tc, test_virtual_seek);
  tcase_add_test (tc, test_mirror);
  tcase_add_test (tc, test_calibration_comes_first);
  tcase_add_test (tc, test_own_calibration_wins);
  tcase_add_test (tc, test_raw_file_has_none);
  tcase_add_test (tc, test_calibration_while_playing);
  tcase_add_test (tc, test_wrong_calibration_while_playing);
  tcase_add_test (tc, test_live_paces);
  tcase_add_test (tc, test_live_queries);
  tcase_add_test (tc, test_live_drops);
  tcase_add_test (tc, test_live_tolerates);
  tcase_add_test (tc, test_live_file_ends);
  tcase_add_test (tc, test_live_loop);
  tcase_add_test (tc, test_live_again);
  tcase_add_test (tc, test_file_shrinks);
  tcase_add_test (tc, test_file_replaced);
  return suite;
}

GST_CHECK_MAIN (octsrc_live)
