/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octscangen: formats, the ways in which a stream begins and ends, and its
 * sentences.  tests/unit/test-scan.c and
 * tests/quality/scan.py have the paths themselves.
 */
#include "oct-test-files.h"
#include "oct-test-scan.h"

#include <glib/gstdio.h>

/* ------------------------------------------------------------------ samples */

static double
read_value (const guint8 *at, const char *format)
{
  if (strcmp (format, "F64LE") == 0)
    return GST_READ_DOUBLE_LE (at);
  if (strcmp (format, "F32LE") == 0)
    return GST_READ_FLOAT_LE (at);
  if (strcmp (format, "S32LE") == 0)
    return (gint32)GST_READ_UINT32_LE (at);
  return (gint16)GST_READ_UINT16_LE (at);
}

/* The first A-line is the middle of the first pixel. */
GST_START_TEST (test_formats)
{
  static const struct {
    const char *format;
    guint size;
    double scale, tolerance;
  } rows[] = { { "F64LE", 8, 1, 1e-15 }, { "F32LE", 4, 1, 1e-8 },
    { "S32LE", 4, 2147483647.0, 0.51 }, { "S16LE", 2, 32767.0, 0.51 } };
  const double x = (0.5 / 64 - 0.5) * 0.5 + 0.1, y = (0.5 / 4 - 0.5) * -0.25;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *caps =
        g_strdup_printf ("audio/x-raw,format=%s", rows[i].format);
    const gsize frame = 3 * rows[i].size;
    g_autoptr (GstBuffer) buffer = NULL;
    guint64 lines = 0;
    GstMapInfo map;
    Scan s;

    scan_begin (&s,
        SMALL "volumes=1 gate=true volts-per-unit-x=0.5 volts-offset-x=0.1 "
              "volts-per-unit-y=-0.25 full-scale=4 "
              "samples-per-buffer=100000");
    gst_harness_set_sink_caps_str (s.harness, caps);
    gst_harness_play (s.harness);
    buffer = gst_harness_pull (s.harness);
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    fail_unless_equals_uint64 (map.size % frame, 0);
    for (const guint8 *at = map.data; at < map.data + map.size; at += frame) {
      double v[3];

      for (guint c = 0; c < 3; c++) {
        const guint8 *from = at + c * rows[i].size;

        v[c] = read_value (from, rows[i].format);
      }
      fail_unless (v[2] == 0 || v[2] == rows[i].scale);
      if (v[2] != 0 && lines++ == 0) {
        fail_unless (fabs (v[0] - x / 4 * rows[i].scale) <= rows[i].tolerance);
        fail_unless (fabs (v[1] - y / 4 * rows[i].scale) <= rows[i].tolerance);
      }
    }
    fail_unless_equals_uint64 (lines, 256);
    gst_buffer_unmap (buffer, &map);
    oct_test_assert_quiet (s.bus);
    scan_end (&s);
  }
}
GST_END_TEST

/* From rest in the middle to rest in the middle, with as many volumes as asked
 * for. */
GST_START_TEST (test_volumes)
{
  static const char *const settings[] = { "", "pattern=radial",
    "pattern=spiral bidirectional=true",
    "pattern=spiral-angular lines=256 bscans=16",
    "pattern=lissajous bscans=64 cycles=4",
    "pattern=rosette cycles=3 bscans=64",
    "repeats=3 group=2 bscans=2 bidirectional=true smooth=0.0001",
    "settle=0.0002 delay-x=0.000123 delay-y=0.0000456" };
  static const guint lines[] = { 4, 4, 4, 64, 64, 64, 6, 4 };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autofree char *launch = g_strconcat (
        SMALL "volumes=3 gate=true samples-per-buffer=77 ", settings[i], NULL);
    guint begin = 0;
    Scan s;

    scan_begin (&s, launch);
    scan_collect (&s);
    scan_check_limits (&s);
    scan_check_rest (&s, 0);
    scan_check_rest (&s, scan_count (&s) - 1);
    fail_unless_equals_int (
        scan_count_lines (&s, &begin), 3 * 64 * (gint)lines[i]);
    oct_test_assert_quiet (s.bus);
    scan_end (&s);
  }
}
GST_END_TEST

GST_START_TEST (test_file)
{
  g_autofree char *path = oct_test_file_path ("scan.txt");
  g_autofree char *launch = g_strdup_printf (
      "octscangen pattern=file location=%s gate=true volumes=2", path);
  guint begin = 0;
  Scan s;

  fail_unless (g_file_set_contents (
      path, "0.1 0.2\n0.11 0.2 0\n0.12 0.2\n\n-1 1\n-1 0.99\n", -1, NULL));
  scan_begin (&s, launch);
  scan_collect (&s);
  scan_check_limits (&s);
  fail_unless_equals_int (scan_count_lines (&s, &begin), 8);
  fail_unless (fabs (scan_at (&s, begin, 0) - 0.1) < 1e-12);
  fail_unless (fabs (scan_at (&s, begin + 2, 0) - 0.12) < 1e-12);
  scan_end (&s);
  g_remove (path);
}
GST_END_TEST

/* ------------------------------------------------------- beginnings and ends */

GST_START_TEST (test_num_buffers)
{
  GstBuffer *buffer = NULL;
  guint64 n = 0;
  Scan s;

  scan_begin (&s, SMALL "line-rate=96000 num-buffers=3 samples-per-buffer=960");
  gst_harness_play (s.harness);
  while (gst_harness_pull_until_eos (s.harness, &buffer) && buffer != NULL) {
    fail_unless_equals_uint64 (gst_buffer_get_size (buffer), 960 * 16);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), n * 960);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), n * 960 + 960);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), n * 10 * GST_MSECOND);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), 10 * GST_MSECOND);
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), n == 0);
    gst_buffer_unref (buffer);
    n++;
  }
  fail_unless_equals_uint64 (n, 3);
  scan_end (&s);
}
GST_END_TEST

static GstPadProbeReturn
stop_early (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);

  gst_element_send_event (element, gst_event_new_eos ());
  return GST_PAD_PROBE_REMOVE;
}

/* The end of the stream comes after the B-scan under way, at rest. */
GST_START_TEST (test_end)
{
  g_autoptr (GstPad) pad = NULL;
  guint begin = 0;
  Scan s;

  scan_begin (&s, SMALL "gate=true samples-per-buffer=1");
  pad = gst_element_get_static_pad (s.element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, stop_early, NULL, NULL);
  scan_collect (&s);
  scan_check_limits (&s);
  scan_check_rest (&s, scan_count (&s) - 1);
  fail_unless_equals_int (scan_count_lines (&s, &begin), 64);
  scan_end (&s);
}
GST_END_TEST

static guint
count_gates (const GstBuffer *buffer)
{
  guint n = 0;
  GstMapInfo map;

  fail_unless (gst_buffer_map ((GstBuffer *)buffer, &map, GST_MAP_READ));
  for (gsize i = 2; i < map.size / sizeof (double); i += 3)
    n += ((const double *)(gpointer)map.data)[i] == 1;
  gst_buffer_unmap ((GstBuffer *)buffer, &map);
  return n;
}

static GstPadProbeReturn
count_lines (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  *(guint64 *)data += count_gates (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

static guint64
get_first_line (GstElement *element)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (pad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, 0);
  guint64 first = 0;

  fail_unless (event != NULL);
  fail_unless (gst_structure_get_uint64 (
      gst_event_get_structure (event), "first-line", &first));
  return first;
}

/* Nobody knows where the mirrors are after a flush: it begins at rest.  A-lines
 * of the digitizer go on, and so does their count in paths. */
GST_START_TEST (test_flush)
{
  g_autoptr (GstPad) pad = NULL;
  GstBuffer *buffer;
  guint64 lines = 0, sent;
  Scan s;

  scan_begin (&s, SMALL "samples-per-buffer=50 gate=true");
  pad = gst_element_get_static_pad (s.element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_lines, &lines, NULL);
  gst_harness_play (s.harness);
  for (guint i = 0; i < 40; i++)
    gst_buffer_unref (gst_harness_pull (s.harness));
  fail_unless_equals_uint64 (get_first_line (s.element), 0);
  fail_unless (
      gst_element_send_event (s.element, gst_event_new_flush_start ()));
  while ((buffer = gst_harness_try_pull (s.harness)) != NULL)
    gst_buffer_unref (buffer);
  sent = lines;
  fail_unless (sent > 0);
  fail_unless (
      gst_element_send_event (s.element, gst_event_new_flush_stop (TRUE)));
  buffer = gst_harness_pull (s.harness);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  scan_take (&s, buffer);
  gst_buffer_unref (buffer);
  scan_check_rest (&s, 0);
  scan_check_limits (&s);
  fail_unless (get_first_line (s.element) >= sent);
  /* at most the buffer on its way when the flush began */
  fail_unless (get_first_line (s.element) <= sent + 50);
  oct_test_assert_quiet (s.bus);
  scan_end (&s);
}
GST_END_TEST

/* There is nothing to go back to. */
GST_START_TEST (test_seek)
{
  Scan s;

  scan_begin (&s, SMALL);
  gst_harness_play (s.harness);
  gst_buffer_unref (gst_harness_pull (s.harness));
  fail_if (gst_element_seek_simple (
      s.element, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SECOND));
  gst_buffer_unref (gst_harness_pull (s.harness));
  oct_test_assert_quiet (s.bus);
  scan_end (&s);
}
GST_END_TEST

/* A live one delivers no buffer before its time. */
GST_START_TEST (test_live)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  g_autoptr (GstClock) clock = NULL;
  GstClockTime start = 0;
  gboolean live = FALSE;
  Scan s;

  scan_begin (&s, SMALL "is-live=true samples-per-buffer=1000");
  gst_harness_use_systemclock (s.harness);
  gst_harness_play (s.harness);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (s.harness);

    if (i == 0)
      start = GST_BUFFER_PTS (buffer);
    fail_unless_equals_uint64 (
        GST_BUFFER_PTS (buffer), start + i * 10 * GST_MSECOND);
    if (clock == NULL)
      clock = gst_element_get_clock (s.element);
    fail_unless (
        gst_clock_get_time (clock) - gst_element_get_base_time (s.element)
        >= GST_BUFFER_PTS (buffer));
  }
  fail_unless (gst_element_query (s.element, query));
  gst_query_parse_latency (query, &live, NULL, NULL);
  fail_unless (live);
  scan_end (&s);
}
GST_END_TEST

/* ------------------------------------------------------------------- errors */

GST_START_TEST (test_errors)
{
  static const struct {
    const char *launch, *one, *two;
  } rows[] = {
    { "octscangen lines=64", "times limit-amplitude-x to brake and run up",
        "a line-rate of at most" },
    { "octscangen limit-velocity-x=100", "11.72 times limit-velocity-x",
        "a line-rate of at most 8533 Hz" },
    { "octscangen width=12", "1.20 times limit-amplitude-x",
        "set a smaller scan" },
    { "octscangen pattern=file", "pattern=file, but no file", "`location`" },
    { "octscangen pattern=file location=/nonexistent/scan.txt",
        "Scan file '/nonexistent/scan.txt'", "`location` of octscangen" },
    { "octscangen full-scale=1", "limits of x reach 5 mm, which are 3.2 V",
        "`full-scale`" },
    { "octscangen volts-offset-y=7", "limits of y reach 5 mm, which are 10.2 V",
        "`limit-amplitude-y`" },
    { "octscangen galvo-frequency=50 full-scale=5", "limits of x reach",
        "full scale of the output is 5 V" },
    { "octscangen lines=65536 bscans=65536", "4294967296 A-lines",
        "fewer lines" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Scan s;

    scan_begin (&s, rows[i].launch);
    scan_collect (&s);
    fail_unless_equals_int (scan_count (&s), 0);
    oct_test_assert_error (s.bus, rows[i].one, rows[i].two, NULL);
    scan_end (&s);
  }
}
GST_END_TEST

/* Any sink of audio takes it. */
GST_START_TEST (test_wav)
{
  g_autofree char *path = oct_test_file_path ("scan.wav");
  g_autofree char *launch = g_strdup_printf (SMALL
      "line-rate=96000 volumes=1 ! audioconvert ! wavenc ! "
      "filesink location=%s",
      path);
  g_autoptr (GstElement) pipeline = gst_parse_launch (launch, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  GStatBuf info;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (g_stat (path, &info), 0);
  /* more than the A-lines, of two values of 4 bytes or more */
  fail_unless (info.st_size > 256 * 8);
  g_remove (path);
}
GST_END_TEST

static Suite *
scangen_suite (void)
{
  Suite *s = suite_create ("octscangen");
  TCase *tc = tcase_create ("octscangen");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_formats);
  tcase_add_test (tc, test_volumes);
  tcase_add_test (tc, test_file);
  tcase_add_test (tc, test_num_buffers);
  tcase_add_test (tc, test_end);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_seek);
  tcase_add_test (tc, test_live);
  tcase_add_test (tc, test_errors);
  tcase_add_test (tc, test_wav);
  return s;
}

GST_CHECK_MAIN (scangen)
