/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octscangen while settings change: limits, the paths that it tells, and those
 * that are not ready in time.
 */
#include "oct-test-scan.h"

/* While a path is made few samples are enough; us for each buffer. */
#define PATIENCE 1000

static const struct {
  const char *name, *value;
} changes[] = { { "pattern", "spiral" }, { "offset-x", "1.5" },
  { "pattern", "radial" }, { "delay-x", "0.00021" }, { "width", "3" },
  { "cycles", "2" }, { "pattern", "lissajous" }, { "angle", "40" },
  { "smooth", "0.0001" }, { "pattern", "raster" }, { "repeats", "2" },
  { "settle", "0.0001" }, { "delay-y", "0.0001" }, { "pattern", "rosette" },
  { "width", "0.5" }, { "smooth", "0" } };

/* Changes of a scan, one after the other: paths are made beside the stream. */
typedef struct {
  guint next;    /* change */
  guint buffers; /* since the path before it was told */
  gboolean told;
} Changing;

static gboolean
is_path_event (GstPadProbeInfo *info)
{
  return (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM)
         && gst_event_has_name (
             GST_PAD_PROBE_INFO_EVENT (info), "application/x-oct-scan-path");
}

/* In the streaming thread: twelve buffers after each path another one, then the
 * end. */
static GstPadProbeReturn
change_settings (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  Changing *changing = data;

  if (is_path_event (info)) {
    changing->told = TRUE;
    changing->buffers = 0;
  }
  if (!changing->told)
    g_usleep (PATIENCE);
  if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
      || !changing->told || ++changing->buffers < 12)
    return GST_PAD_PROBE_OK;
  if (changing->next == G_N_ELEMENTS (changes)) {
    gst_element_send_event (element, gst_event_new_eos ());
    return GST_PAD_PROBE_REMOVE;
  }
  gst_util_set_object_arg (G_OBJECT (element), changes[changing->next].name,
      changes[changing->next].value);
  /* cycles are none of a radial scan */
  changing->told = strcmp (changes[changing->next++].name, "cycles") == 0;
  return GST_PAD_PROBE_OK;
}

/* No change exceeds a limit, and the end is at rest. */
GST_START_TEST (test_changes)
{
  g_autoptr (GstPad) pad = NULL;
  Changing changing = { 0 };
  double widest = 0;
  Scan s;

  scan_begin (&s, SMALL "lines=256 bscans=16 samples-per-buffer=500");
  pad = gst_element_get_static_pad (s.element, "src");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      change_settings, &changing, NULL);
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
    g_usleep (PATIENCE);
    told->buffers++;
    /* one that is taken back is never told */
    if (told->buffers == 2) {
      g_object_set (element, "width", 0.5, NULL);
      gst_util_set_object_arg (G_OBJECT (element), "pattern", "lissajous");
    }
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
  fail_unless (told.first[1] > 0 && told.first[2] > told.first[1]);
  fail_unless_equals_int (told.first[1] % (16 * 256), 0);
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

/* Messages that are heard while a scan runs, in the threads that post them. */
typedef struct {
  GMutex lock;
  GCond cond;
  gboolean holds; /* the thread that warns waits until a path is late */
  guint warnings, late;
  guint64 first; /* first-line of the last late one */
} Heard;

static GstBusSyncReply
hear (GstBus *bus, GstMessage *message, gpointer data)
{
  const GstStructure *s = gst_message_get_structure (message);
  gint64 until = g_get_monotonic_time () + 30 * G_TIME_SPAN_SECOND;
  Heard *heard = data;

  g_mutex_lock (&heard->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    while (heard->holds && heard->late == 0
           && g_cond_wait_until (&heard->cond, &heard->lock, until))
      ;
    heard->warnings++;
  } else if (s != NULL && gst_structure_has_name (s, "octscangen-late")) {
    fail_unless (gst_structure_get_uint64 (s, "first-line", &heard->first));
    heard->late++;
    g_cond_broadcast (&heard->cond);
  }
  g_mutex_unlock (&heard->lock);
  return GST_BUS_PASS;
}

static guint
heard_count (Heard *heard, const guint *counter)
{
  guint n;

  g_mutex_lock (&heard->lock);
  n = *counter;
  g_mutex_unlock (&heard->lock);
  return n;
}

static GstPadProbeReturn
ask_too_much (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  Heard *heard = data;

  g_usleep (PATIENCE);
  g_object_set (element, "width", 12.0, NULL);
  if (heard_count (heard, &heard->warnings) == 0)
    return GST_PAD_PROBE_OK;
  gst_element_send_event (element, gst_event_new_eos ());
  return GST_PAD_PROBE_REMOVE;
}

/* A setting that does not fit is a warning, and the scan goes on as it was: a
 * closed curve without a way. */
GST_START_TEST (test_refused_change)
{
  g_autoptr (GstPad) pad = NULL;
  guint begin = 0, travel = 0, lines;
  Heard heard = { 0 };
  Scan s;

  scan_begin (&s, SMALL "pattern=lissajous bscans=16 cycles=2 gate=true "
                        "samples-per-buffer=500");
  gst_bus_set_sync_handler (s.bus, hear, &heard, NULL);
  pad = gst_element_get_static_pad (s.element, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, ask_too_much, &heard, NULL);
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

/* Asks for a scan that is refused, whose warning has the thread that makes paths
 * wait, then for one that is not. */
typedef struct {
  Heard heard;
  guint buffers, paths;
  gboolean again;
} Slow;

static GstPadProbeReturn
ask_slowly (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  Slow *slow = data;

  if (is_path_event (info))
    slow->paths++;
  if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER))
    return GST_PAD_PROBE_OK;
  g_usleep (PATIENCE);
  slow->buffers++;
  if (slow->buffers == 3)
    g_object_set (element, "width", 12.0, NULL);
  if (!slow->again && heard_count (&slow->heard, &slow->heard.late) > 0) {
    slow->again = TRUE;
    g_object_set (element, "width", 0.5, NULL);
  }
  if (slow->paths == 2)
    gst_element_send_event (element, gst_event_new_eos ());
  return GST_PAD_PROBE_OK;
}

/* The stream does not wait for a path, and says if the volume has ended
 * without it. */
GST_START_TEST (test_late_path)
{
  g_autoptr (GstPad) pad = NULL;
  Slow slow = { .heard.holds = TRUE };
  Scan s;

  scan_begin (&s, SMALL "samples-per-buffer=100");
  gst_bus_set_sync_handler (s.bus, hear, &slow.heard, NULL);
  pad = gst_element_get_static_pad (s.element, "src");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      ask_slowly, &slow, NULL);
  scan_collect (&s);
  scan_check_limits (&s);
  fail_unless (slow.heard.late > 0);
  fail_unless (slow.heard.first > 0);
  fail_unless_equals_int (slow.heard.first % (4 * 64), 0);
  fail_unless_equals_int (slow.paths, 2);
  oct_test_assert_refused_live (
      s.bus, "1.18 times limit-amplitude-x", "The previous", NULL);
  scan_end (&s);
}
GST_END_TEST

/* Both ways of a spiral that goes out and in are one volume of twice as many
 * B-scans, the second half the first one backwards; another size is told, too. */
typedef struct {
  guint paths;
  guint64 first[2];
  GArray *x[2]; /* of double, mm */
} BothWays;

static GstPadProbeReturn
see_both_ways (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (pad);
  BothWays *seen = data;
  GstBuffer *x = NULL;
  guint lines = 0, bscans = 0;

  if (!is_path_event (info)) {
    g_usleep (PATIENCE);
    if (seen->paths == 1)
      g_object_set (element, "width", 0.5, NULL);
    if (seen->paths == 2)
      gst_element_send_event (element, gst_event_new_eos ());
    return GST_PAD_PROBE_OK;
  }
  fail_unless (seen->paths < 2);
  fail_unless (gst_structure_get (
      gst_event_get_structure (GST_PAD_PROBE_INFO_EVENT (info)), "lines",
      G_TYPE_UINT, &lines, "bscans", G_TYPE_UINT, &bscans, "first-line",
      G_TYPE_UINT64, &seen->first[seen->paths], "x", GST_TYPE_BUFFER, &x,
      NULL));
  fail_unless_equals_int (lines, 256);
  fail_unless_equals_int (bscans, 32);
  seen->x[seen->paths] =
      g_array_sized_new (FALSE, FALSE, sizeof (double), lines * bscans);
  g_array_set_size (seen->x[seen->paths], lines * bscans);
  gst_buffer_extract (
      x, 0, seen->x[seen->paths]->data, lines * bscans * sizeof (double));
  gst_buffer_unref (x);
  seen->paths++;
  return GST_PAD_PROBE_OK;
}

GST_START_TEST (test_both_ways)
{
  const char *pattern = __i__ == 0 ? "spiral" : "spiral-angular";
  g_autofree char *launch =
      g_strconcat (SMALL "lines=256 bscans=16 gate=true bidirectional=true "
                         "samples-per-buffer=500 pattern=",
          pattern, NULL);
  g_autoptr (GstPad) pad = NULL;
  BothWays seen = { 0 };
  guint line = 0, all = 32 * 256;
  Scan s;

  scan_begin (&s, launch);
  pad = gst_element_get_static_pad (s.element, "src");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      see_both_ways, &seen, NULL);
  scan_collect (&s);
  fail_unless_equals_int (seen.paths, 2);
  fail_unless_equals_uint64 (seen.first[0], 0);
  fail_unless (seen.first[1] > 0);
  fail_unless_equals_int (seen.first[1] % all, 0);
  for (guint k = 0; k < 2; k++)
    for (guint i = 0; i < all / 2; i++)
      fail_unless (g_array_index (seen.x[k], double, i)
                   == g_array_index (seen.x[k], double, all - 1 - i));
  for (guint i = 0; i < scan_count (&s); i++) {
    guint k = line >= seen.first[1];

    if (g_array_index (s.values, double, i * 3 + 2) != 1)
      continue;
    fail_unless (fabs (scan_at (&s, i, 0)
                       - 1e3 * g_array_index (seen.x[k], double, line % all))
                 < 1e-9);
    line++;
  }
  fail_unless (line > seen.first[1]);
  g_array_unref (seen.x[0]);
  g_array_unref (seen.x[1]);
  oct_test_assert_quiet (s.bus);
  scan_end (&s);
}
GST_END_TEST

static Suite *
scangen_changes_suite (void)
{
  Suite *s = suite_create ("octscangen-changes");
  TCase *tc = tcase_create ("octscangen-changes");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_changes);
  tcase_add_test (tc, test_paths);
  tcase_add_test (tc, test_refused_change);
  tcase_add_test (tc, test_late_path);
  tcase_add_loop_test (tc, test_both_ways, 0, 2);
  return s;
}

GST_CHECK_MAIN (scangen_changes)
