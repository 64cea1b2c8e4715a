/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octcollect while other threads stop it: what it sends is over before it
 * forgets what it has.
 */
#include "oct-test-pipelines.h"

#define DEADLINE (60 * G_TIME_SPAN_SECOND)

static GstHarness *
make_harness (void)
{
  GstHarness *harness = oct_test_harness (
      "octscatter name=s policy=round-robin octcollect name=c "
      "s. ! identity name=a ! c. s. ! identity name=b ! c.");

  gst_harness_set_src_caps_str (harness, "application/x-test,kind=(int)1");
  return harness;
}

static GstPad *
get_pad (GstHarness *harness, const char *element, const char *name)
{
  g_autoptr (GstElement) found =
      gst_bin_get_by_name (GST_BIN (harness->element), element);

  return gst_element_get_static_pad (found, name);
}

static void
wait_for (gint *flag, gint value)
{
  gint64 until = g_get_monotonic_time () + DEADLINE;

  while (g_atomic_int_get (flag) < value) {
    fail_unless (g_get_monotonic_time () < until, "it does not come");
    g_usleep (1000);
  }
}

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer counter)
{
  g_atomic_int_inc ((gint *)counter);
  return GST_PAD_PROBE_OK;
}

/* A push that goes on after octcollect's pads are stopped. */
static gint inside, left;

static GstPadProbeReturn
be_late (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  g_atomic_int_set (&inside, TRUE);
  while (!GST_PAD_IS_FLUSHING (pad))
    g_usleep (1000);
  g_usleep (100000);
  g_atomic_int_set (&left, TRUE);
  return GST_PAD_PROBE_DROP;
}

typedef struct {
  GstElement *scatter;
  GstPad *pad;
} Release;

static gpointer
release (gpointer data)
{
  Release *r = data;

  gst_element_release_request_pad (r->scatter, r->pad);
  return NULL;
}

/* The first B-scan is held in its branch and the second one waits for it. When
 * the branch is released, octscatter says from the thread that does so that the
 * first one is lost, and the second one goes out in that thread, which no pad
 * waits for. */
GST_START_TEST (stopped_while_pushing)
{
  GstHarness *harness = make_harness ();
  GstElement *scatter = gst_bin_get_by_name (GST_BIN (harness->element), "s");
  GstElement *collect = gst_bin_get_by_name (GST_BIN (harness->element), "c");
  GstPad *a = get_pad (harness, "a", "sink"),
         *b = get_pad (harness, "b", "src");
  GstPad *out = get_pad (harness, "c", "src");
  Release r = { scatter, gst_pad_get_peer (a) };
  gint held = 0, came = 0;
  GThread *thread;

  gst_pad_add_probe (r.pad,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, count, &held, NULL);
  gst_pad_add_probe (b, GST_PAD_PROBE_TYPE_BUFFER, count, &came, NULL);
  gst_pad_add_probe (out, GST_PAD_PROBE_TYPE_BUFFER, be_late, NULL, NULL);
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, gst_buffer_new_allocate (NULL, 1, NULL)),
        GST_FLOW_OK);
  wait_for (&held, 1);
  /* when its next one comes, all of the second one is there */
  wait_for (&came, 2);
  thread = g_thread_new ("release", release, &r);
  wait_for (&inside, TRUE);
  gst_element_set_locked_state (collect, TRUE);
  fail_unless_equals_int (gst_element_set_state (collect, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless (g_atomic_int_get (&left), "it was not waited for");
  g_thread_join (thread);
  gst_element_set_locked_state (collect, FALSE);
  gst_object_unref (r.pad);
  gst_object_unref (a);
  gst_object_unref (b);
  gst_object_unref (out);
  gst_object_unref (scatter);
  gst_object_unref (collect);
  gst_harness_teardown (harness);
}
GST_END_TEST

/* ------------------------------------------------------------- what is dropped
 */

static void
push_numbered (GstHarness *harness, guint first, guint count)
{
  for (guint i = first; i < first + count; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1, NULL);

    GST_BUFFER_PTS (buffer) = i * GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
}

/* Takes buffers, in order, up to that one.  Returns: how many were left out. */
static guint
take_up_to (GstHarness *harness, guint first, guint last)
{
  guint next = first, dropped = 0;

  while (next <= last) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);
    guint number;

    fail_unless (buffer != NULL, "nothing comes after %u", next);
    number = (guint)(GST_BUFFER_PTS (buffer) / GST_MSECOND);
    fail_unless (number >= next, "%u instead of %u", number, next);
    dropped += number - next;
    next = number + 1;
  }
  return dropped;
}

/* A valve drops octscatter's word on B-scans with them. When it is open again
 * all goes on without waiting for them, however many they were: more than
 * octscatter remembers of a branch. */
GST_START_TEST (valve)
{
  static const char *const queues[] = { "", "queue ! " };
  g_autofree char *launch = g_strdup_printf (
      "octscatter name=s octcollect name=c s. ! %svalve name=v ! c. "
      "s. ! identity ! c.",
      queues[__i__]);
  GstHarness *harness = oct_test_harness (launch);
  guint begin = 0, dropped;

  gst_harness_set_src_caps_str (harness, "application/x-test,kind=(int)1");
  for (guint round = 0; round < 3; round++) {
    const guint closed[] = { 30, 1, 3000 };

    push_numbered (harness, begin, 20);
    dropped = take_up_to (harness, begin, begin + 19);
    fail_unless_equals_int (dropped, 0);
    begin += 20;
    oct_test_set (harness, "valve", "drop", "true");
    push_numbered (harness, begin, closed[round]);
    oct_test_set (harness, "valve", "drop", "false");
    push_numbered (harness, begin + closed[round], 40);
    dropped = take_up_to (harness, begin, begin + closed[round] + 39);
    fail_unless (dropped <= closed[round], "%u", dropped);
    begin += closed[round] + 40;
  }
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  gst_harness_teardown (harness);
}
GST_END_TEST

/* The branch that all others wait for is named, once, and they go on when it
 * does. */
GST_START_TEST (valve_stays_closed)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "octsrc samples=64 lines=16 is-live=true line-rate=800 ! octscatter "
      "name=s "
      "octcollect name=c ! fakesink name=sink sync=false async=false "
      "s. ! identity ! c. s. ! valve name=v drop=true ! c.",
      NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstElement) closed = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) warning = NULL;
  OctTestCounter counter = { 0 };
  gint before;

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, oct_test_count_buffer, &counter, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "nothing is said");
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (
      g_pattern_match_simple ("Nothing has come from the branch at sink_1, "
                              "after v, *; open a valve that is closed in it, "
                              "or take the branch out.",
          warning->message),
      "%s", warning->message);
  before = g_atomic_int_get (&counter.count);
  g_object_set (closed, "drop", FALSE, NULL);
  wait_for (&counter.count, before + 20);
  gst_clear_message (&message);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message == NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}
GST_END_TEST

/* ------------------------------------------------------------- the first fails
 */

/* An error before the first image ends the start of the pipeline. A program
 * that starts it once more gets all others, as docs/elements/octscatter.md
 * says. */
GST_START_TEST (first_fails)
{
  static const char *const launches[] = {
    "octsrc samples=64 lines=16 num-buffers=60 ! octscatter name=s "
    "octcollect name=c ! fakesink name=sink sync=false "
    "s. ! identity error-after=1 ! octdcsub mode=none ! c. "
    "s. ! octdcsub mode=none ! c.",
    "octsrc samples=64 lines=16 num-buffers=60 ! octscatter name=s "
    "octcollect name=c ! queue ! fakesink name=sink sync=false "
    "s. ! identity error-after=1 ! c. s. ! c."
  };
  GstElement *pipeline = gst_parse_launch (launches[__i__], NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  OctTestCounter counter = { 0 };
  guint errors = 0;

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, oct_test_count_buffer, &counter, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (gboolean ended = FALSE; !ended;) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
        bus, 60 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);

    fail_unless (message != NULL, "no end");
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (ended)
      continue;
    errors++;
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
  }
  fail_unless_equals_int (errors, 1);
  fail_unless_equals_int (g_atomic_int_get (&counter.count), 59);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}
GST_END_TEST

static Suite *
collect_suite (void)
{
  Suite *suite = suite_create ("collect");
  TCase *tests = tcase_create ("collect");

  suite_add_tcase (suite, tests);
  tcase_add_test (tests, stopped_while_pushing);
  tcase_add_loop_test (tests, valve, 0, 2);
  tcase_add_test (tests, valve_stays_closed);
  tcase_add_loop_test (tests, first_fails, 0, 2);
  return suite;
}

GST_CHECK_MAIN (collect);
