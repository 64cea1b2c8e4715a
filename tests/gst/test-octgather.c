/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Where B-scans do not follow each other, octgather begins a new buffer: times,
 * numbers and places of all that is in one are counted from its first B-scan.
 */
#include "oct-test-pipelines.h"

#include <string.h>

#define SAMPLES 8
#define LINES 2
#define RATE 100
#define PERIOD (GST_SECOND / RATE)
#define GROUP 4
#define N_BSCANS 10
#define PER_VOLUME 7

/* The deviations from consecutive B-scans, and the numbers of B-scans in the
 * buffers in that case. */
typedef struct {
  const char *name;
  guint at;             /* the first one that is different */
  gint64 time;          /* this much later, all later ones too */
  gint64 jitter;        /* this much later, it alone */
  guint64 number;       /* this much larger, all later ones too */
  guint place;          /* B-scans of the scan that are left out */
  GstBufferFlags flags; /* of it alone */
  gboolean bare;        /* no numbers, places and durations at all */
  gboolean backwards;   /* the scan goes from its end to its begin */
  guint counts[N_BSCANS + 1];
} Break;

static const Break breaks[] = {
  { "nothing", .counts = { 4, 4, 2 } },
  { "nothing but values", .bare = TRUE, .counts = { 4, 4, 2 } },
  { "lost by the time", 2, .time = PERIOD, .counts = { 2, 4, 4 } },
  { "lost by the time alone", 5, .time = PERIOD, .bare = TRUE,
      .counts = { 4, 1, 4, 1 } },
  { "at the end of a buffer", 4, .time = 3 * PERIOD, .counts = { 4, 4, 2 } },
  { "time goes back", 3, .time = -2 * (gint64)PERIOD, .counts = { 3, 4, 3 } },
  { "jitter", 3, .jitter = PERIOD / 3, .counts = { 4, 4, 2 } },
  { "jitter without durations", 6, .jitter = PERIOD / 3, .bare = TRUE,
      .counts = { 4, 4, 2 } },
  { "a flag", 6, .flags = GST_BUFFER_FLAG_DISCONT, .counts = { 4, 2, 4 } },
  { "a flag on the first", 0, .flags = GST_BUFFER_FLAG_DISCONT,
      .counts = { 4, 4, 2 } },
  { "another flag", 6, .flags = GST_BUFFER_FLAG_MARKER, .counts = { 4, 4, 2 } },
  { "lost by the number", 9, .number = 2, .counts = { 4, 4, 1, 1 } },
  { "lost by the place", 1, .place = 1, .counts = { 1, 4, 4, 1 } },
  { "scanned backwards", .backwards = TRUE,
      .counts = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
};

/* All values of B-scan `i` are its number. */
static GstBuffer *
make_bscan (const Break *b, guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SAMPLES * LINES, NULL);
  gboolean behind = b->at > 0 && i >= b->at;
  guint64 place = i + (behind ? b->place : 0);

  gst_buffer_memset (buffer, 0, (guint8)i, SAMPLES * LINES);
  GST_BUFFER_PTS (buffer) = 100 * PERIOD + i * PERIOD
                            + (GstClockTime)(behind ? b->time : 0)
                            + (GstClockTime)(i == b->at ? b->jitter : 0);
  if (i == b->at)
    GST_BUFFER_FLAG_SET (buffer, b->flags);
  if (b->bare)
    return buffer;
  GST_BUFFER_DURATION (buffer) = PERIOD;
  GST_BUFFER_OFFSET (buffer) = 50 + i + (behind ? b->number : 0);
  GST_BUFFER_OFFSET_END (buffer) = GST_BUFFER_OFFSET (buffer) + 1;
  if (b->backwards)
    place = PER_VOLUME * 3 - 1 - i;
  oct_test_add_scan_meta (
      buffer, place % PER_VOLUME, PER_VOLUME, place / PER_VOLUME);
  return buffer;
}

static GstHarness *
make_harness (const char *launch)
{
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=GRAY8,width=" G_STRINGIFY (
          SAMPLES) ",height=" G_STRINGIFY (LINES) ",framerate"
                                                  "=" G_STRINGIFY (RATE) "/1");
  return harness;
}

/* Compares the times and numbers of the buffer with those of its first
 * (`begin`) and last B-scan. */
static void
check_buffer (GstBuffer *buffer, const Break *b, guint begin, guint count)
{
  GstBuffer *one = make_bscan (b, begin);
  GstBuffer *last = make_bscan (b, begin + count - 1);
  GstOctScanPosition scan = oct_test_get_scan_position (buffer);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, count * LINES * SAMPLES);
  for (gsize i = 0; i < map.size; i++)
    fail_unless_equals_int (map.data[i], begin + i / (LINES * SAMPLES));
  gst_buffer_unmap (buffer, &map);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), GST_BUFFER_PTS (one));
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer),
      GST_BUFFER_PTS (last) + PERIOD - GST_BUFFER_PTS (one));
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET (buffer), GST_BUFFER_OFFSET (one));
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET_END (buffer), GST_BUFFER_OFFSET_END (last));
  fail_unless_equals_int (
      GST_BUFFER_IS_DISCONT (buffer), GST_BUFFER_IS_DISCONT (one));
  fail_unless_equals_int (scan.bscans != 0, !b->bare);
  if (scan.bscans != 0) {
    fail_unless_equals_int (scan.bscan, oct_test_get_scan_position (one).bscan);
    fail_unless_equals_int (scan.bscans, PER_VOLUME);
    fail_unless_equals_uint64 (
        scan.volume, oct_test_get_scan_position (one).volume);
    fail_unless_equals_int (scan.count, count);
  }
  gst_buffer_unref (one);
  gst_buffer_unref (last);
}

/* Caps change in front of the buffer that they describe. */
typedef struct {
  gint bscans, height;
  guint changes;
} Caps;

static GstPadProbeReturn
watch (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Caps *caps = user_data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    fail_unless_equals_int (caps->height, caps->bscans * LINES);
    fail_unless_equals_int (
        gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info)),
        caps->height * SAMPLES);
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
             == GST_EVENT_CAPS) {
    GstCaps *now;

    gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &now);
    caps->bscans = 1;
    gst_structure_get_int (
        gst_caps_get_structure (now, 0), "bscans", &caps->bscans);
    gst_structure_get_int (
        gst_caps_get_structure (now, 0), "height", &caps->height);
    caps->changes++;
  }
  return GST_PAD_PROBE_OK;
}

GST_START_TEST (test_breaks)
{
  const Break *b = &breaks[__i__];
  Caps caps = { GROUP, GROUP * LINES, 0 };
  GstHarness *harness = make_harness ("octgather bscans=4");
  guint i, begin = 0, most = 0;

  gst_pad_add_probe (harness->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch,
      &caps, NULL);
  for (i = 0; i < N_BSCANS; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, make_bscan (b, i)), GST_FLOW_OK);
  gst_harness_push_event (harness, gst_event_new_eos ());
  for (i = 0; b->counts[i] != 0; i++) {
    GstBuffer *buffer = gst_harness_try_pull (harness);

    fail_unless (buffer != NULL, "%s: buffer %u", b->name, i);
    fail_unless_equals_int (
        gst_buffer_get_size (buffer), b->counts[i] * LINES * SAMPLES);
    check_buffer (buffer, b, begin, b->counts[i]);
    gst_buffer_unref (buffer);
    begin += b->counts[i];
    most += b->counts[i] != (i > 0 ? b->counts[i - 1] : GROUP);
  }
  fail_unless_equals_int (begin, N_BSCANS);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  /* plans are made again only where they have to be */
  fail_unless (caps.changes <= most);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* After B-scans that were lost, buffers are in step with the volumes again. */
GST_START_TEST (test_in_step)
{
  static const guint counts[] = { 2, 4, 4, 4 };
  GstHarness *harness = make_harness ("octgather bscans=4");

  for (guint i = 6; i < 20; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, SAMPLES * LINES, NULL);

    gst_buffer_memset (buffer, 0, 0, SAMPLES * LINES);
    oct_test_add_scan_meta (buffer, i % 8, 8, i / 8);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_try_pull (harness);

    fail_unless (buffer != NULL);
    fail_unless_equals_int (
        gst_buffer_get_size (buffer), counts[i] * LINES * SAMPLES);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST

/* An event applies to the B-scans after it. */
GST_START_TEST (test_events)
{
  static const Break whole = { .counts = { 0 } };
  GstHarness *harness = make_harness ("octgather bscans=4");
  GstEvent *event = NULL;
  GstBuffer *buffer;

  for (guint i = 0; i < 2; i++)
    gst_harness_push (harness, make_bscan (&whole, i));
  fail_unless (gst_harness_try_pull (harness) == NULL);
  if (__i__ == 0)
    event = gst_event_new_gap (102 * PERIOD, PERIOD);
  else if (__i__ == 1)
    event =
        oct_test_calibration ("wavelength-min=800 wavelength-max=880", SAMPLES);
  else
    event = gst_event_new_custom (
        GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("of-somebody"));
  fail_unless (gst_harness_push_event (harness, event));
  buffer = gst_harness_try_pull (harness);
  fail_unless (buffer != NULL);
  check_buffer (buffer, &whole, 0, 2);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* An element that only accepts whole buffers gets those, and one warning of the
 * others. */
GST_START_TEST (test_whole_alone)
{
  const Break *b = &breaks[2];
  GstHarness *harness = make_harness (
      "octgather bscans=4 ! capsfilter caps=video/x-raw,bscans=4");
  GstMessage *message;
  g_autoptr (GError) error = NULL;
  GstBuffer *buffer;

  fail_unless_equals_int (b->counts[0], 2);
  for (guint i = 0; i < N_BSCANS; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, make_bscan (b, i)), GST_FLOW_OK);
  for (guint i = 0; i < 2; i++) {
    buffer = gst_harness_try_pull (harness);
    fail_unless (buffer != NULL);
    check_buffer (buffer, b, 2 + i * GROUP, GROUP);
    gst_buffer_unref (buffer);
  }
  fail_unless (gst_harness_try_pull (harness) == NULL);
  message = gst_bus_pop_filtered (oct_test_bus (harness), GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "2 B-scans") != NULL
               && strstr (error->message, "takes 4") != NULL
               && strstr (error->message, "`bscans`") != NULL);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (oct_test_bus (harness),
                   GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)
               == NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octgather_suite (void)
{
  Suite *suite = suite_create ("octgather");
  TCase *tcase = tcase_create ("general");

  tcase_add_loop_test (tcase, test_breaks, 0, G_N_ELEMENTS (breaks));
  tcase_add_test (tcase, test_in_step);
  tcase_add_loop_test (tcase, test_events, 0, 3);
  tcase_add_test (tcase, test_whole_alone);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (octgather)
