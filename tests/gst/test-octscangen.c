/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octscangen: formats, limits while settings change, the ways in which a stream
 * begins and ends, and its sentences.  tests/unit/test-scan.c and
 * tests/quality/scan.py have the paths themselves.
 */
#include "oct-test-files.h"
#include "oct-test.h"

#include <glib/gstdio.h>
#include <math.h>

#define RATE 100000
#define SMALL "octscangen lines=64 bscans=4 width=1 height=1 "

typedef struct {
  GstHarness *harness;
  GstElement *element;
  GstBus *bus;
  gsize channels;
  GArray *values; /* of double, [samples][channels] */
} Scan;

static void
scan_begin (Scan *s, const char *launch)
{
  s->harness = gst_harness_new_parse (launch);
  s->element = gst_harness_find_element (s->harness, "octscangen");
  s->bus = gst_bus_new ();
  gst_element_set_bus (s->harness->element, s->bus);
  s->channels = strstr (launch, "gate=true") != NULL ? 3 : 2;
  s->values = g_array_new (FALSE, FALSE, sizeof (double));
}

static void
scan_end (Scan *s)
{
  gst_element_set_bus (s->harness->element, NULL);
  gst_harness_teardown (s->harness);
  gst_object_unref (s->bus);
  gst_object_unref (s->element);
  g_array_unref (s->values);
}

static void
scan_take (Scan *s, GstBuffer *buffer)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_array_append_vals (
      s->values, map.data, (guint)(map.size / sizeof (double)));
  gst_buffer_unmap (buffer, &map);
}

/* All samples until the end of the stream. */
static void
scan_collect (Scan *s)
{
  GstBuffer *buffer = NULL;

  gst_harness_play (s->harness);
  while (gst_harness_pull_until_eos (s->harness, &buffer) && buffer != NULL) {
    scan_take (s, buffer);
    gst_buffer_unref (buffer);
  }
}

static guint
scan_count (const Scan *s)
{
  return s->values->len / s->channels;
}

/* Position in mm, of the default of .64 V/mm and 10 V. */
static double
scan_at (const Scan *s, guint i, guint axis)
{
  return g_array_index (s->values, double, i * s->channels + axis) * 10 / 0.64;
}

/* No difference of samples is over the default limits. */
static void
scan_check_limits (const Scan *s)
{
  for (guint c = 0; c < 2; c++)
    for (guint i = 2; i < scan_count (s); i++) {
      double p = scan_at (s, i, c), q = scan_at (s, i - 1, c);

      fail_unless (fabs (p) <= 5);
      fail_unless (fabs (p - q) * RATE <= 1e4 * (1 + 1e-6));
      fail_unless (fabs (p - 2 * q + scan_at (s, i - 2, c)) * RATE * RATE
                   <= 5e6 * (1 + 1e-6));
    }
}

static void
scan_check_rest (const Scan *s, guint i)
{
  fail_unless (i < scan_count (s));
  fail_unless (fabs (scan_at (s, i, 0)) < 1e-9);
  fail_unless (fabs (scan_at (s, i, 1)) < 1e-9);
}

/* A-lines by the gate; their first one is number *begin. */
static guint
scan_count_lines (const Scan *s, guint *begin)
{
  guint n = 0;

  for (guint i = 0; i < scan_count (s); i++) {
    double gate = g_array_index (s->values, double, i * 3 + 2);

    fail_unless (gate == 0 || gate == 1);
    if (gate == 1 && n++ == 0)
      *begin = i;
  }
  return n;
}

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

/* ------------------------------------------------------------------ changes */

static const struct {
  const char *name, *value;
} changes[] = { { "pattern", "spiral" }, { "offset-x", "1.5" },
  { "pattern", "radial" }, { "delay-x", "0.00021" }, { "width", "3" },
  { "cycles", "2" }, { "pattern", "lissajous" }, { "angle", "40" },
  { "smooth", "0.0001" }, { "pattern", "raster" }, { "repeats", "2" },
  { "settle", "0.0001" }, { "delay-y", "0.0001" }, { "pattern", "rosette" },
  { "width", "0.5" }, { "smooth", "0" } };

/* In the streaming thread: every twelve buffers a change, then the end. */
static GstPadProbeReturn
change_settings (GstPad *pad, GstPadProbeInfo *info, gpointer number)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  guint n = ++*(guint *)number;

  if (n % 12 == 0 && n / 12 <= G_N_ELEMENTS (changes))
    gst_util_set_object_arg (G_OBJECT (element), changes[n / 12 - 1].name,
        changes[n / 12 - 1].value);
  if (n == 12 * G_N_ELEMENTS (changes) + 8)
    gst_element_send_event (element, gst_event_new_eos ());
  return GST_PAD_PROBE_OK;
}

/* No change exceeds a limit, and the end is at rest. */
GST_START_TEST (test_changes)
{
  g_autoptr (GstPad) pad = NULL;
  guint number = 0;
  double widest = 0;
  Scan s;

  scan_begin (&s, SMALL "lines=256 bscans=16 samples-per-buffer=500");
  pad = gst_element_get_static_pad (s.element, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, change_settings, &number, NULL);
  scan_collect (&s);
  scan_check_limits (&s);
  scan_check_rest (&s, 0);
  scan_check_rest (&s, scan_count (&s) - 1);
  for (guint i = 0; i < scan_count (&s); i++)
    widest = MAX (widest, scan_at (&s, i, 0));
  /* the middle at 1.5 mm and a radius of 1.5 mm came into force */
  fail_unless (widest > 2.9);
  oct_test_assert_quiet (s.bus);
  scan_end (&s);
}
GST_END_TEST

/* Events of paths, and the A-lines that were sent before them. */
typedef struct {
  guint buffers, lines; /* so far */
  guint paths;
  guint64 first[3];
  guint sent[3];
  double x[3], y[3]; /* of the second A-line, mm */
  char pattern[3][16];
} Told;

static double
get_second (const GstStructure *s, const char *axis)
{
  GstBuffer *buffer = NULL;
  double metres = NAN;

  fail_unless (gst_structure_get (s, axis, GST_TYPE_BUFFER, &buffer, NULL));
  fail_unless_equals_int (
      gst_buffer_get_size (buffer), 16 * 256 * sizeof metres);
  gst_buffer_extract (buffer, sizeof metres, &metres, sizeof metres);
  gst_buffer_unref (buffer);
  return metres * 1e3;
}

static GstPadProbeReturn
hear_paths (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  Told *told = data;
  const GstStructure *s;
  GstMapInfo map;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    for (gsize i = 0; i < map.size / sizeof (double); i += 3)
      told->lines += ((const double *)(gpointer)map.data)[i + 2] == 1;
    gst_buffer_unmap (buffer, &map);
    told->buffers++;
    /* one that is taken back is never told */
    if (told->buffers == 2)
      g_object_set (element, "width", 0.5, NULL);
    if (told->buffers == 3)
      gst_util_set_object_arg (G_OBJECT (element), "pattern", "lissajous");
    if (told->paths == 2 && told->buffers % 5 == 0)
      g_object_set (element, "offset-x", 0.25, NULL);
    if (told->paths == 3 && told->lines > told->first[2] + 100)
      gst_element_send_event (element, gst_event_new_eos ());
    return GST_PAD_PROBE_OK;
  }
  s = gst_event_get_structure (GST_PAD_PROBE_INFO_EVENT (info));
  if (s == NULL || !gst_structure_has_name (s, "application/x-oct-scan-path"))
    return GST_PAD_PROBE_OK;
  fail_unless (told->paths < 3);
  fail_unless (
      gst_structure_get_uint64 (s, "first-line", &told->first[told->paths]));
  told->sent[told->paths] = told->lines;
  told->x[told->paths] = get_second (s, "x");
  told->y[told->paths] = get_second (s, "y");
  g_strlcpy (told->pattern[told->paths],
      gst_structure_get_string (s, "pattern"), sizeof told->pattern[0]);
  told->paths++;
  return GST_PAD_PROBE_OK;
}

/* Each path is told before its first A-line is sent, with the number of that,
 * and the samples from there on are at its places. */
GST_START_TEST (test_paths)
{
  g_autoptr (GstPad) pad = NULL;
  Told told = { 0 };
  guint line = 0, checked = 0;
  Scan s;

  scan_begin (&s, SMALL "lines=256 bscans=16 cycles=2 gate=true "
                        "samples-per-buffer=500");
  pad = gst_element_get_static_pad (s.element, "src");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      hear_paths, &told, NULL);
  scan_collect (&s);
  fail_unless_equals_int (told.paths, 3);
  fail_unless_equals_string (told.pattern[0], "raster");
  fail_unless_equals_string (told.pattern[1], "lissajous");
  fail_unless_equals_uint64 (told.first[0], 0);
  fail_unless_equals_uint64 (told.first[1], 16 * 256);
  fail_unless (told.first[2] > told.first[1]);
  fail_unless_equals_int (told.first[2] % (16 * 256), 0);
  for (guint i = 0; i < 3; i++)
    fail_unless (told.sent[i] <= told.first[i]);
  for (guint i = 0; i < scan_count (&s); i++) {
    if (g_array_index (s.values, double, i * 3 + 2) != 1)
      continue;
    for (guint k = 0; k < 3; k++)
      if (line == told.first[k] + 1) {
        fail_unless (fabs (scan_at (&s, i, 0) - told.x[k]) < 1e-9);
        fail_unless (fabs (scan_at (&s, i, 1) - told.y[k]) < 1e-9);
        checked++;
      }
    line++;
  }
  fail_unless_equals_int (checked, 3);
  oct_test_assert_quiet (s.bus);
  scan_end (&s);
}
GST_END_TEST

static GstPadProbeReturn
ask_too_much (GstPad *pad, GstPadProbeInfo *info, gpointer number)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  guint n = ++*(guint *)number;

  if (n == 5)
    g_object_set (element, "width", 12.0, NULL);
  if (n == 100)
    gst_element_send_event (element, gst_event_new_eos ());
  return GST_PAD_PROBE_OK;
}

/* A setting that does not fit is a warning, and the scan goes on as it was: a
 * closed curve without a way. */
GST_START_TEST (test_refused_change)
{
  g_autoptr (GstPad) pad = NULL;
  guint number = 0, begin = 0, travel = 0, lines;
  Scan s;

  scan_begin (&s, SMALL "pattern=lissajous bscans=16 cycles=2 gate=true "
                        "samples-per-buffer=500");
  pad = gst_element_get_static_pad (s.element, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, ask_too_much, &number, NULL);
  scan_collect (&s);
  scan_check_limits (&s);
  lines = scan_count_lines (&s, &begin);
  for (guint i = begin; i < begin + lines; i++)
    travel += g_array_index (s.values, double, i * 3 + 2) == 0;
  fail_unless_equals_int (travel, 0);
  oct_test_assert_refused_live (
      s.bus, "1.20 times limit-amplitude-x", "The previous", NULL);
  scan_end (&s);
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

/* Nobody knows where the mirrors are after a flush: it begins at rest. */
GST_START_TEST (test_flush)
{
  GstBuffer *buffer;
  Scan s;

  scan_begin (&s, SMALL "samples-per-buffer=50");
  gst_harness_play (s.harness);
  for (guint i = 0; i < 10; i++)
    gst_buffer_unref (gst_harness_pull (s.harness));
  fail_unless (
      gst_element_send_event (s.element, gst_event_new_flush_start ()));
  while ((buffer = gst_harness_try_pull (s.harness)) != NULL)
    gst_buffer_unref (buffer);
  fail_unless (
      gst_element_send_event (s.element, gst_event_new_flush_stop (TRUE)));
  buffer = gst_harness_pull (s.harness);
  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  scan_take (&s, buffer);
  gst_buffer_unref (buffer);
  scan_check_rest (&s, 0);
  scan_check_limits (&s);
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
  tcase_add_test (tc, test_changes);
  tcase_add_test (tc, test_paths);
  tcase_add_test (tc, test_refused_change);
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
