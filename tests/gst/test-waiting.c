/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octgather bscans=0: what waits while the elements after it are busy goes on
 * together, without a copy, and nothing is lost or held back.
 *
 * A gate after octgather stands for busy elements: a buffer passes when the
 * test says so.
 */
#include "oct-test-pipelines.h"

#include <string.h>

#define SAMPLES 8
#define LINES 2
#define SIZE (SAMPLES * LINES)
#define RATE 100
#define PERIOD (GST_SECOND / RATE)
#define MOST 16
#define PER_VOLUME 7

typedef struct {
  GMutex lock;
  GCond changed;
  guint come, allowed; /* buffers */
  gboolean event;      /* one of `type` has passed */
  GstEventType type;
  guint caps; /* events of caps */
} Gate;

static GstPadProbeReturn
pass_gate (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Gate *gate = data;

  g_mutex_lock (&gate->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    gate->come++;
    g_cond_broadcast (&gate->changed);
    while (gate->allowed < gate->come)
      g_cond_wait (&gate->changed, &gate->lock);
  } else {
    GstEventType type = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));

    gate->caps += type == GST_EVENT_CAPS;
    gate->event |= type == gate->type;
    g_cond_broadcast (&gate->changed);
  }
  g_mutex_unlock (&gate->lock);
  return GST_PAD_PROBE_OK;
}

static void
open_gate (Gate *gate, guint allowed)
{
  g_mutex_lock (&gate->lock);
  gate->allowed = allowed;
  g_cond_broadcast (&gate->changed);
  g_mutex_unlock (&gate->lock);
}

static void
wait_for_come (Gate *gate, guint come)
{
  g_mutex_lock (&gate->lock);
  while (gate->come < come)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

static void
wait_for_event (Gate *gate)
{
  g_mutex_lock (&gate->lock);
  while (!gate->event)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

static void
set_gate (Gate *gate, GstHarness *harness)
{
  memset (gate, 0, sizeof *gate);
  g_mutex_init (&gate->lock);
  g_cond_init (&gate->changed);
  gst_pad_add_probe (harness->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
          | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      pass_gate, gate, NULL);
}

static void
clear_gate (Gate *gate)
{
  g_mutex_clear (&gate->lock);
  g_cond_clear (&gate->changed);
}

static char *
caps_of (guint lines)
{
  return g_strdup_printf (
      "video/x-raw,format=GRAY8,width=%u,height=%u,framerate=%u/1", SAMPLES,
      lines, RATE);
}

static GstHarness *
make_harness (const char *launch, Gate *gate)
{
  g_autofree char *caps = caps_of (LINES);
  GstHarness *harness = oct_test_harness (launch);

  set_gate (gate, harness);
  gst_harness_set_src_caps_str (harness, caps);
  return harness;
}

/* All values of B-scan `i` are its number; times are a little off the period,
 * as those of a camera. */
static void
stamp_bscan (GstBuffer *buffer, guint i)
{
  GST_BUFFER_PTS (buffer) = 100 * PERIOD + i * PERIOD + (i % 3) * 1000;
  GST_BUFFER_DURATION (buffer) = PERIOD;
  GST_BUFFER_OFFSET (buffer) = 50 + i;
  GST_BUFFER_OFFSET_END (buffer) = 51 + i;
  oct_test_add_scan_meta (buffer, i % PER_VOLUME, PER_VOLUME, i / PER_VOLUME);
}

static GstBuffer *
make_bscan (guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);

  gst_buffer_memset (buffer, 0, (guint8)i, SIZE);
  stamp_bscan (buffer, i);
  return buffer;
}

static void
push_bscans (GstHarness *harness, guint begin, guint end)
{
  for (guint i = begin; i < end; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, make_bscan (i)), GST_FLOW_OK);
}

/* Pulls a buffer of B-scans `begin` to before `end`. */
static void
pull_bscans (GstHarness *harness, guint begin, guint end)
{
  GstBuffer *buffer = gst_harness_pull (harness);
  GstBuffer *one = make_bscan (begin), *last = make_bscan (end - 1);
  GstOctScanPosition scan;
  GstMapInfo map;

  fail_unless (buffer != NULL);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, (end - begin) * SIZE);
  for (gsize i = 0; i < map.size; i++)
    fail_unless_equals_int (map.data[i], begin + i / SIZE);
  gst_buffer_unmap (buffer, &map);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), GST_BUFFER_PTS (one));
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer),
      GST_BUFFER_PTS (last) + PERIOD - GST_BUFFER_PTS (one));
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET (buffer), GST_BUFFER_OFFSET (one));
  fail_unless_equals_uint64 (
      GST_BUFFER_OFFSET_END (buffer), GST_BUFFER_OFFSET_END (last));
  scan = oct_test_get_scan_position (buffer);
  fail_unless_equals_int (scan.bscan, begin % PER_VOLUME);
  fail_unless_equals_int (scan.count, end - begin);
  gst_buffer_unref (one);
  gst_buffer_unref (last);
  gst_buffer_unref (buffer);
}

/* One that finds nothing waiting goes on at once, as it is; those that wait go
 * on together, in their own memory, with the same caps. */
GST_START_TEST (test_together)
{
  Gate gate;
  GstHarness *harness = make_harness ("octgather bscans=0", &gate);
  gconstpointer data[5];
  GstBuffer *buffer, *alone = make_bscan (0);
  GstMapInfo map;
  gint height = 0, bscans = 0;
  GstCaps *caps;

  fail_unless_equals_int (
      gst_harness_push (harness, gst_buffer_ref (alone)), GST_FLOW_OK);
  wait_for_come (&gate, 1);
  for (guint i = 0; i < 5; i++) {
    buffer = make_bscan (1 + i);
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    data[i] = map.data;
    gst_buffer_unmap (buffer, &map);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  open_gate (&gate, 1);
  wait_for_come (&gate, 2);
  open_gate (&gate, G_MAXUINT);
  buffer = gst_harness_pull (harness);
  fail_unless (buffer == alone);
  gst_buffer_unref (buffer);
  gst_buffer_unref (alone);
  buffer = gst_harness_pull (harness);
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 5);
  for (guint i = 0; i < 5; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
    fail_unless_equals_int (map.size, SIZE);
    fail_unless (map.data == data[i]);
    gst_memory_unmap (memory, &map);
  }
  gst_buffer_unref (buffer);
  push_bscans (harness, 6, 7);
  pull_bscans (harness, 6, 7);
  caps = gst_pad_get_current_caps (harness->sinkpad);
  gst_structure_get (gst_caps_get_structure (caps, 0), "height", G_TYPE_INT,
      &height, "bscans", G_TYPE_INT, &bscans, NULL);
  fail_unless_equals_int (bscans, MOST);
  fail_unless_equals_int (height, MOST * LINES);
  gst_caps_unref (caps);
  fail_unless_equals_int (gate.caps, 1);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* As many as may be in a buffer, and then the rest. */
GST_START_TEST (test_most)
{
  Gate gate;
  GstHarness *harness = make_harness ("octgather bscans=0 max-bscans=4", &gate);

  push_bscans (harness, 0, 1);
  wait_for_come (&gate, 1);
  push_bscans (harness, 1, 5);
  open_gate (&gate, 1);
  wait_for_come (&gate, 2);
  push_bscans (harness, 5, 8);
  open_gate (&gate, G_MAXUINT);
  gst_harness_push_event (harness, gst_event_new_eos ());
  pull_bscans (harness, 0, 1);
  pull_bscans (harness, 1, 5);
  pull_bscans (harness, 5, 8);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* As elements on a GPU answer, as long as `data` says so. */
static GstPadProbeReturn
answer_place (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  const GstStructure *s = gst_query_get_structure (query);

  if (s == NULL || !gst_structure_has_name (s, "GstOctPlace"))
    return GST_PAD_PROBE_OK;
  gst_structure_set (gst_query_writable_structure (query), "is-on-gpu",
      G_TYPE_BOOLEAN, g_atomic_int_get ((gint *)data), NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* The elements downstream leave the GPU while several wait for it: they go on
 * one by one. */
GST_START_TEST (test_leave_gpu)
{
  GstHarness *harness = oct_test_harness ("octgather bscans=0 gpu-only=true");
  g_autofree char *caps = caps_of (LINES);
  gint on_gpu = TRUE;
  Gate gate;

  set_gate (&gate, harness);
  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_place, &on_gpu, NULL);
  gst_harness_set_src_caps_str (harness, caps);
  push_bscans (harness, 0, 1);
  wait_for_come (&gate, 1);
  push_bscans (harness, 1, 6);
  g_atomic_int_set (&on_gpu, FALSE);
  gst_pad_push_event (harness->sinkpad, gst_event_new_reconfigure ());
  open_gate (&gate, G_MAXUINT);
  for (guint i = 0; i < 6; i++)
    pull_bscans (harness, i, i + 1);
  push_bscans (harness, 6, 8);
  pull_bscans (harness, 6, 7);
  pull_bscans (harness, 7, 8);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* Several may come already, and fewer than there may be. */
GST_START_TEST (test_twice)
{
  Gate gate;
  GstHarness *harness = make_harness (
      "octgather bscans=0 max-bscans=2 ! octgather bscans=0", &gate);

  push_bscans (harness, 0, 1);
  wait_for_come (&gate, 1);
  push_bscans (harness, 1, 12);
  open_gate (&gate, G_MAXUINT);
  gst_harness_push_event (harness, gst_event_new_eos ());
  for (guint i = 0; i < 12;) {
    GstBuffer *buffer = gst_harness_pull (harness);
    guint count = oct_test_get_scan_position (buffer).count;
    GstMapInfo map;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    fail_unless_equals_int (map.size, count * SIZE);
    for (gsize k = 0; k < map.size; k++)
      fail_unless_equals_int (map.data[k], i + k / SIZE);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
    i += count;
  }
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* A B-scan that does not follow is in another buffer, as with a fixed number. */
GST_START_TEST (test_lost)
{
  Gate gate;
  GstHarness *harness = make_harness ("octgather bscans=0", &gate);

  push_bscans (harness, 0, 1);
  wait_for_come (&gate, 1);
  push_bscans (harness, 1, 4);
  push_bscans (harness, 6, 7);
  push_bscans (harness, 9, 11);
  open_gate (&gate, G_MAXUINT);
  pull_bscans (harness, 0, 1);
  pull_bscans (harness, 1, 4);
  pull_bscans (harness, 6, 7);
  pull_bscans (harness, 9, 11);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

typedef struct {
  GstHarness *harness;
  GstEvent *event;
} Sending;

static gpointer
send_event (gpointer data)
{
  Sending *sending = data;

  return GINT_TO_POINTER (
      gst_harness_push_event (sending->harness, sending->event));
}

static GstEvent *
make_event (guint which)
{
  GstSegment segment;

  switch (which) {
  case 0:
    return gst_event_new_gap (103 * PERIOD, PERIOD);
  case 1:
    return oct_test_calibration (
        "wavelength-min=800 wavelength-max=880", SAMPLES);
  case 2:
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.base = 1;
    return gst_event_new_segment (&segment);
  case 3:
    return gst_event_new_custom (
        GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("of-somebody"));
  default:
    return gst_event_new_eos ();
  }
}

/* An event comes after all that waited before it. */
GST_START_TEST (test_events)
{
  Gate gate;
  GstHarness *harness = make_harness ("octgather bscans=0", &gate);
  Sending sending = { harness, make_event (__i__) };
  GThread *thread;

  push_bscans (harness, 0, 1);
  wait_for_come (&gate, 1);
  push_bscans (harness, 1, 4);
  g_mutex_lock (&gate.lock);
  gate.type = GST_EVENT_TYPE (sending.event);
  gate.event = FALSE;
  g_mutex_unlock (&gate.lock);
  thread = g_thread_new ("event", send_event, &sending);
  open_gate (&gate, 1);
  wait_for_come (&gate, 2);
  /* the last buffer has not passed the gate */
  g_mutex_lock (&gate.lock);
  fail_if (gate.event);
  g_mutex_unlock (&gate.lock);
  open_gate (&gate, G_MAXUINT);
  fail_unless (GPOINTER_TO_INT (g_thread_join (thread)));
  wait_for_event (&gate);
  pull_bscans (harness, 0, 1);
  pull_bscans (harness, 1, 4);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* A source that changes the size of its B-scans while some wait. */
GST_START_TEST (test_size)
{
  Gate gate;
  GstHarness *harness = make_harness ("octgather bscans=0", &gate);
  g_autofree char *text = caps_of (3 * LINES);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  Sending sending = { harness, gst_event_new_caps (caps) };
  GThread *thread;
  GstBuffer *buffer;
  gint height = 0;
  g_autoptr (GstCaps) now = NULL;

  push_bscans (harness, 0, 1);
  wait_for_come (&gate, 1);
  push_bscans (harness, 1, 4);
  thread = g_thread_new ("event", send_event, &sending);
  open_gate (&gate, G_MAXUINT);
  fail_unless (GPOINTER_TO_INT (g_thread_join (thread)));
  pull_bscans (harness, 0, 1);
  pull_bscans (harness, 1, 4);
  buffer = gst_buffer_new_allocate (NULL, 3 * SIZE, NULL);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (harness);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 3 * SIZE);
  gst_buffer_unref (buffer);
  now = gst_pad_get_current_caps (harness->sinkpad);
  gst_structure_get_int (gst_caps_get_structure (now, 0), "height", &height);
  fail_unless_equals_int (height, MOST * 3 * LINES);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* A seek: those that waited are gone, and those after it come. */
GST_START_TEST (test_flush)
{
  Gate gate;
  GstHarness *harness = make_harness ("octgather bscans=0", &gate);
  Sending sending = { harness, gst_event_new_flush_start () };
  GThread *thread;
  GstSegment segment;

  push_bscans (harness, 0, 1);
  wait_for_come (&gate, 1);
  push_bscans (harness, 1, 4);
  gate.type = GST_EVENT_FLUSH_START;
  thread = g_thread_new ("event", send_event, &sending);
  wait_for_event (&gate);
  open_gate (&gate, G_MAXUINT);
  fail_unless (GPOINTER_TO_INT (g_thread_join (thread)));
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  while (gst_harness_buffers_in_queue (harness) > 0)
    gst_buffer_unref (gst_harness_pull (harness));
  push_bscans (harness, 20, 21);
  pull_bscans (harness, 20, 21);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* The end of the program while B-scans wait. */
GST_START_TEST (test_stop)
{
  Gate gate;
  GstHarness *harness = make_harness ("octgather bscans=0", &gate);

  push_bscans (harness, 0, 1);
  wait_for_come (&gate, 1);
  push_bscans (harness, 1, 4);
  open_gate (&gate, G_MAXUINT);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* A source hears of the failure of its B-scans, also if it has ended by then. */
GST_START_TEST (test_failure)
{
  Gate gate;
  GstHarness *harness = make_harness (
      "octgather bscans=0 ! identity error-after=2 silent=true", &gate);
  GstMessage *message;

  open_gate (&gate, G_MAXUINT);
  push_bscans (harness, 0, 1);
  pull_bscans (harness, 0, 1);
  gst_harness_push (harness, make_bscan (1));
  if (__i__ == 0) {
    GstFlowReturn ret;

    while ((ret = gst_harness_push (harness, make_bscan (2))) == GST_FLOW_OK)
      g_thread_yield ();
    fail_unless_equals_int (ret, GST_FLOW_ERROR);
    gst_bus_set_flushing (oct_test_bus (harness), TRUE);
  } else {
    gst_harness_push_event (harness, gst_event_new_eos ());
    for (guint i = 0; i < 2; i++) { /* of identity, of octgather */
      message = gst_bus_timed_pop_filtered (
          oct_test_bus (harness), GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR);
      fail_unless (message != NULL);
      gst_message_unref (message);
    }
  }
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* A camera with four buffers, which are those of its pool all the time. */
GST_START_TEST (test_camera)
{
  static const char *const launches[] = { "octgather bscans=0",
    "octgather bscans=0 ! octdcsub axis=wavenumber ! octfft ! octlogscale" };
  Gate gate;
  GstHarness *harness = make_harness (launches[__i__], &gate);
  g_autoptr (GstBufferPool) pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstBuffer *own[4], *buffer;
  GstBufferPoolAcquireParams now = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT
  };
  guint count = 0;

  gst_buffer_pool_config_set_params (config, NULL, SIZE, 4, 4);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_int (
        gst_buffer_pool_acquire_buffer (pool, &own[i], &now), GST_FLOW_OK);
  for (guint i = 0; i < 4; i++)
    gst_buffer_unref (own[i]);
  open_gate (&gate, G_MAXUINT);
  gst_harness_set_drop_buffers (harness, TRUE);
  for (guint i = 0; i < 100; i++) {
    fail_unless_equals_int (
        gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
    gst_buffer_memset (buffer, 0, (guint8)i, SIZE);
    stamp_bscan (buffer, i);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  if (__i__ == 1)
    fail_unless_equals_int (gate.come, 100);
  for (guint i = 0; i < 4; i++) {
    fail_unless_equals_int (
        gst_buffer_pool_acquire_buffer (pool, &buffer, &now), GST_FLOW_OK);
    for (guint k = 0; k < 4; k++)
      count += buffer == own[k];
  }
  fail_unless_equals_int (count, 4);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* Padded rows are packed where they are put together. */
GST_START_TEST (test_padding)
{
  Gate gate;
  GstHarness *harness = make_harness ("octgather bscans=0", &gate);
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { SAMPLES + 5 };

  push_bscans (harness, 0, 1);
  wait_for_come (&gate, 1);
  for (guint i = 1; i < 4; i++) {
    GstBuffer *buffer =
        gst_buffer_new_allocate (NULL, LINES * (SAMPLES + 5), NULL);

    gst_buffer_memset (buffer, 0, 0xff, LINES * (SAMPLES + 5));
    for (guint line = 0; line < LINES; line++)
      gst_buffer_memset (buffer, line * (SAMPLES + 5), (guint8)i, SAMPLES);
    stamp_bscan (buffer, i);
    gst_buffer_add_video_meta_full (
        buffer, 0, GST_VIDEO_FORMAT_GRAY8, SAMPLES, LINES, 1, offset, stride);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  open_gate (&gate, G_MAXUINT);
  pull_bscans (harness, 0, 1);
  pull_bscans (harness, 1, 4);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

static GstPadProbeReturn
answer_latency (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    gst_query_set_latency (query, TRUE, 5 * GST_MSECOND, 8 * GST_MSECOND);
  return GST_PAD_PROBE_OK;
}

/* Nobody waits for others to come; there is room for as many as may wait. */
GST_START_TEST (test_latency)
{
  Gate gate;
  GstHarness *harness = make_harness ("octgather bscans=0", &gate);
  GstQuery *query = gst_query_new_latency ();
  GstClockTime least, most;

  gst_pad_add_probe (harness->srcpad,
      GST_PAD_PROBE_TYPE_QUERY_UPSTREAM | GST_PAD_PROBE_TYPE_PULL,
      answer_latency, NULL, NULL);
  fail_unless (gst_pad_peer_query (harness->sinkpad, query));
  gst_query_parse_latency (query, NULL, &least, &most);
  fail_unless_equals_uint64 (least, 5 * GST_MSECOND);
  fail_unless_equals_uint64 (most, 8 * GST_MSECOND + MOST * PERIOD);
  gst_query_unref (query);
  gst_harness_teardown (harness);
  clear_gate (&gate);
}
GST_END_TEST;

/* On the CPU a copy costs as much as it saves. */
GST_START_TEST (test_gpu_only)
{
  GstHarness *harness = oct_test_harness (
      "octgather bscans=0 gpu-only=true ! octdcsub name=dcsub");
  g_autofree char *text = caps_of (LINES);
  GstElement *dcsub = gst_bin_get_by_name (GST_BIN (harness->element), "dcsub");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (dcsub, "sink");
  g_autoptr (GstCaps) caps = NULL;
  gint bscans = 1;

  gst_harness_set_src_caps_str (harness, text);
  push_bscans (harness, 0, 1);
  gst_buffer_unref (gst_harness_pull (harness));
  caps = gst_pad_get_current_caps (pad);
  gst_structure_get_int (gst_caps_get_structure (caps, 0), "bscans", &bscans);
  fail_unless_equals_int (bscans, oct_test_on_gpu () ? MOST : 1);
  gst_object_unref (dcsub);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
waiting_suite (void)
{
  Suite *suite = suite_create ("waiting");
  TCase *tcase = tcase_create ("general");

  tcase_add_test (tcase, test_together);
  tcase_add_test (tcase, test_most);
  tcase_add_test (tcase, test_leave_gpu);
  tcase_add_test (tcase, test_twice);
  tcase_add_test (tcase, test_lost);
  tcase_add_loop_test (tcase, test_events, 0, 5);
  tcase_add_test (tcase, test_size);
  tcase_add_test (tcase, test_flush);
  tcase_add_test (tcase, test_stop);
  tcase_add_loop_test (tcase, test_failure, 0, 2);
  tcase_add_loop_test (tcase, test_camera, 0, 2);
  tcase_add_test (tcase, test_padding);
  tcase_add_test (tcase, test_latency);
  tcase_add_test (tcase, test_gpu_only);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (waiting)
