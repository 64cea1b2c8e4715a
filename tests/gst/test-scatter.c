/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octscatter and octcollect: whatever branches do, and however long they take,
 * the output is in the order of the input, with the caps and the segment of its
 * time.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <string.h>

#define N 60
#define CAPS "application/x-test,kind=(int)1"

static const struct {
  const char *name, *branches[4];
} arrangements[] = {
  { "one", { "identity" } },
  { "two", { "identity", "identity" } },
  { "one is slow", { "identity sleep-time=3000", "identity", "identity" } },
  { "queues",
      { "queue ! identity sleep-time=1000 ! queue", "identity sleep-time=300",
          "queue max-size-buffers=1", "identity" } },
};

static const char *const policies[] = { "round-robin", "least-loaded" };

static GstHarness *
make_harness (const char *settings, const char *const branches[4])
{
  g_autoptr (GString) launch = g_string_new (NULL);
  GstHarness *harness;

  g_string_printf (launch, "octscatter name=s %s octcollect name=c", settings);
  for (guint i = 0; i < 4 && branches[i] != NULL; i++)
    g_string_append_printf (launch, " s. ! %s ! c.", branches[i]);
  harness = oct_test_harness (launch->str);
  gst_harness_set_src_caps_str (harness, CAPS);
  return harness;
}

/* A byte that is its number, and a time. */
static GstBuffer *
make_buffer (guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1, NULL);

  gst_buffer_memset (buffer, 0, (guint8)i, 1);
  GST_BUFFER_PTS (buffer) = i * GST_MSECOND;
  return buffer;
}

static void
push (GstHarness *harness, guint begin, guint end)
{
  for (guint i = begin; i < end; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, make_buffer (i)), GST_FLOW_OK);
}

static guint
take (GstHarness *harness)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);
  guint8 value = 0;

  fail_unless (buffer != NULL, "nothing came");
  gst_buffer_extract (buffer, 0, &value, 1);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), value * GST_MSECOND);
  return value;
}

static void
wait_for_end (GstHarness *harness)
{
  gboolean ended = FALSE;

  while (!ended) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (harness);

    fail_unless (event != NULL, "no end");
    ended = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  }
}

static void
check_ended (GstHarness *harness)
{
  wait_for_end (harness);
  fail_unless_equals_int (gst_harness_buffers_in_queue (harness), 0);
}

GST_START_TEST (order)
{
  for (guint p = 0; p < G_N_ELEMENTS (policies); p++) {
    g_autofree char *settings = g_strdup_printf ("policy=%s", policies[p]);
    GstHarness *harness = make_harness (settings, arrangements[__i__].branches);

    push (harness, 0, N);
    fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
    for (guint i = 0; i < N; i++)
      fail_unless_equals_int (take (harness), i);
    check_ended (harness);
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

/* One that makes nothing of a buffer, and one that gives back two. */
static GstPadProbeReturn
drop_some (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  guint8 value = 0;

  gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 0, &value, 1);
  return value % 3 == 1 ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
double_some (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  g_autoptr (GstPad) sink = gst_pad_get_peer (pad);
  guint8 value = 0;

  gst_buffer_extract (buffer, 0, &value, 1);
  if (value % 5 == 2)
    gst_pad_chain (sink, gst_buffer_copy (buffer));
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstHarness *harness, const char *element, GstPadProbeCallback probe)
{
  GstElement *found = gst_bin_get_by_name (GST_BIN (harness->element), element);
  GstPad *pad = gst_element_get_static_pad (found, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, probe, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (found);
}

GST_START_TEST (other_numbers)
{
  static const char *const branches[4] = { "identity name=a",
    "identity name=b sleep-time=500", "identity name=d" };
  GstHarness *harness = make_harness ("", branches);
  guint last = 0, count = 0, value;

  for (guint i = 0; i < 3; i++) {
    add_probe (harness, i == 0 ? "a" : i == 1 ? "b" : "d", drop_some);
    add_probe (harness, i == 0 ? "a" : i == 1 ? "b" : "d", double_some);
  }
  push (harness, 0, N);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  /* of 60: 20 are left out, 8 of the others come twice */
  for (count = 0; count < 48; count++) {
    value = take (harness);
    fail_unless (value >= last && value % 3 != 1, "%u behind %u", value, last);
    fail_unless (count == 0 || value != last || value % 5 == 2);
    last = value;
  }
  check_ended (harness);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Caps, in front of every tenth buffer others, come in order with the data. */
GST_START_TEST (caps)
{
  GstHarness *harness = make_harness ("", arrangements[__i__].branches);

  for (guint i = 0; i < N; i++) {
    g_autofree char *caps =
        g_strdup_printf ("application/x-test,kind=(int)%u", i / 10);

    if (i % 10 == 0)
      fail_unless (gst_harness_push_event (
          harness, gst_event_new_caps (gst_caps_from_string (caps))));
    push (harness, i, i + 1);
  }
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  for (guint i = 0; i < N; i++)
    fail_unless_equals_int (take (harness), i);
  /* one event for each: those at the start, then five */
  for (gint kind = -1; kind < 6;) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (harness);
    GstCaps *now;
    gint value;

    fail_unless (event != NULL && GST_EVENT_TYPE (event) != GST_EVENT_EOS,
        "no caps of kind %d", kind);
    if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
      continue;
    gst_event_parse_caps (event, &now);
    gst_structure_get_int (gst_caps_get_structure (now, 0), "kind", &value);
    if (kind == -1) { /* those of make_harness() */
      fail_unless_equals_int (value, 1);
      kind = 0;
      continue;
    }
    fail_unless_equals_int (value, kind++);
    if (kind == 6)
      break;
  }
  check_ended (harness);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static guint64
get_lost (GstHarness *harness)
{
  GstElement *scatter = gst_bin_get_by_name (GST_BIN (harness->element), "s");
  guint64 lost;

  g_object_get (scatter, "lost", &lost, NULL);
  gst_object_unref (scatter);
  return lost;
}

/* It fails at its fifth buffer: all others come, and in order. */
GST_START_TEST (failing_branch)
{
  static const char *const branches[4] = { "identity sleep-time=2000",
    "identity error-after=5", "identity sleep-time=1000" };
  g_autofree char *settings = g_strdup_printf ("policy=%s", policies[__i__]);
  GstHarness *harness = make_harness (settings, branches);
  GstBus *bus = oct_test_bus (harness);
  guint came = 0;
  gint last = -1;

  push (harness, 0, N);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  while (came < N - 1) {
    gint value = (gint)take (harness);

    fail_unless (value > last, "%d behind %d", value, last);
    last = value;
    came++;
  }
  check_ended (harness);
  /* the one that it failed at; what waited went to the others */
  fail_unless_equals_uint64 (get_lost (harness), 1);
  while (TRUE) {
    g_autoptr (GstMessage) message = gst_bus_pop_filtered (
        bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    g_autoptr (GError) error = NULL;

    fail_unless (message != NULL, "no warning");
    if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_WARNING)
      continue;
    gst_message_parse_warning (message, &error, NULL);
    fail_unless (
        strstr (error->message, "The branch at src_1 has failed") != NULL
            && strstr (error->message, "1 buffer is lost") != NULL,
        "%s", error->message);
    break;
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Buffers in a queue before the failing element are lost with it, and nothing
 * waits for them.  A queue after it delivers its buffers. */
static const struct {
  const char *branch;
  guint least_lost;
  guint behind; /* most that a queue after it delivers though given up */
} queues[] = {
  { "queue ! identity error-after=5", 1 },
  { "queue max-size-buffers=2 ! identity sleep-time=500 error-after=5", 2 },
  { "identity error-after=5 ! queue", 1 },
  { "queue ! queue ! identity error-after=5 ! queue", 1, 4 },
};

GST_START_TEST (failing_queue)
{
  const char *branches[4] = { "identity sleep-time=1000",
    queues[__i__].branch };
  GstHarness *harness = make_harness ("", branches);
  GstBus *bus = oct_test_bus (harness);
  g_autoptr (GError) error = NULL;
  guint came = 0, pushed = 4 * N, most;
  gint last = -1;

  push (harness, 0, pushed);
  while (error == NULL) {
    g_autoptr (GstMessage) message =
        gst_bus_timed_pop_filtered (bus, 2 * GST_SECOND, GST_MESSAGE_WARNING);

    if (message != NULL) {
      gst_message_parse_warning (message, &error, NULL);
    } else {
      /* its queue has taken all: octscatter learns of it with the next */
      fail_unless (pushed < 250, "no warning");
      push (harness, pushed, pushed + 1);
      pushed++;
    }
  }
  fail_unless (
      strstr (error->message, "The branch at src_1 has failed (error)") != NULL,
      "%s", error->message);
  fail_unless (get_lost (harness) >= queues[__i__].least_lost);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  while (came < pushed - get_lost (harness)) {
    gint value = (gint)take (harness);

    fail_unless (value > last, "%d behind %d", value, last);
    last = value;
    came++;
  }
  wait_for_end (harness);
  most = came + queues[__i__].behind;
  while (gst_harness_buffers_in_queue (harness) > 0) {
    gint value = (gint)take (harness);

    fail_unless (value > last, "%d behind %d", value, last);
    last = value;
    came++;
  }
  fail_unless (came <= MIN (most, pushed - queues[__i__].least_lost));
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Losses of a queue after the last B-scan are reported as well, by octscatter
 * or by octcollect. */
GST_START_TEST (failing_at_the_end)
{
  static const char *const branches[4] = { "identity sleep-time=3000",
    "queue ! identity sleep-time=3000 error-after=5" };
  GstHarness *harness = make_harness ("max-buffers=1", branches);
  GstBus *bus = oct_test_bus (harness);
  guint64 lost;

  push (harness, 0, N);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  wait_for_end (harness);
  lost = get_lost (harness);
  while (TRUE) {
    g_autoptr (GstMessage) message =
        gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
    g_autoptr (GError) error = NULL;

    if (message == NULL)
      break;
    gst_message_parse_warning (message, &error, NULL);
    /* 0: of octscatter */
    lost += g_ascii_strtoull (error->message, NULL, 10);
  }
  fail_unless_equals_uint64 (N - lost, gst_harness_buffers_in_queue (harness));
  fail_unless (lost > 0);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Whatever fails, and whenever, the end comes while one branch is left. */
static const char *const failing[][4] = {
  { "identity sleep-time=60",
      "queue max-size-buffers=4 ! identity sleep-time=10 error-after=9",
      "queue ! identity sleep-time=370 ! queue",
      "identity error-after=10 sleep-time=5" },
  { "identity sleep-time=270",
      "queue max-size-buffers=4 ! identity sleep-time=150 error-after=10",
      "queue ! identity sleep-time=160 ! queue" },
  { "identity error-after=1 ! queue ! identity sleep-time=680",
      "queue max-size-buffers=2 ! identity sleep-time=170 error-after=10",
      "identity sleep-time=55",
      "queue max-size-buffers=5 ! identity sleep-time=260 error-after=13" },
  { "queue ! identity sleep-time=370 ! queue", "identity sleep-time=160",
      "queue ! identity sleep-time=90 ! queue",
      "queue max-size-buffers=4 ! identity sleep-time=720 error-after=5" },
};

GST_START_TEST (end_comes)
{
  for (guint n = 1; n <= 3; n += 2) {
    g_autofree char *settings = g_strdup_printf ("max-buffers=%u", n);
    GstHarness *harness = make_harness (settings, failing[__i__]);
    gint last = -1;

    push (harness, 0, N);
    fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
    for (gboolean ended = FALSE; !ended;) {
      g_autoptr (GstEvent) event = gst_harness_pull_event (harness);

      fail_unless (event != NULL, "no end");
      ended = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    }
    while (gst_harness_buffers_in_queue (harness) > 0) {
      gint value = (gint)take (harness);

      fail_unless (value > last, "%d behind %d", value, last);
      last = value;
    }
    gst_harness_teardown (harness);
  }
}
GST_END_TEST;

GST_START_TEST (all_fail)
{
  static const char *const branches[4] = { "identity error-after=2",
    "identity error-after=3" };
  GstHarness *harness = make_harness ("", branches);
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < N && flow == GST_FLOW_OK; i++)
    flow = gst_harness_push (harness, make_buffer (i));
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A seek: nothing from before comes after it, and all later buffers do. */
GST_START_TEST (flush)
{
  GstHarness *harness = make_harness ("", arrangements[__i__].branches);
  GstSegment segment;
  guint value;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint round = 0; round < 5; round++) {
    push (harness, 0, N / 2);
    fail_unless (
        gst_harness_push_event (harness, gst_event_new_flush_start ()));
    fail_unless (
        gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
    fail_unless (
        gst_harness_push_event (harness, gst_event_new_segment (&segment)));
    while (gst_harness_buffers_in_queue (harness) > 0)
      fail_unless (take (harness) < N / 2);
    push (harness, N, 2 * N);
    for (guint i = N; i < 2 * N; i++) {
      value = take (harness);
      fail_unless_equals_int (value, i);
    }
  }
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  check_ended (harness);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A branch that is held up takes its two and no more, and the others go on
 * until the one that is waited for holds them up too: memory is bounded. */
static gpointer
push_all (gpointer data)
{
  push (data, 0, 4 * N);
  return NULL;
}

static guint passed;

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_inc (&passed);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

GST_START_TEST (bounded)
{
  static const char *const branches[4] = { "identity name=a",
    "identity name=b" };
  GstHarness *harness = make_harness ("", branches);
  GstElement *a = gst_bin_get_by_name (GST_BIN (harness->element), "a");
  GstElement *s = gst_bin_get_by_name (GST_BIN (harness->element), "s");
  GstPad *held = gst_element_get_static_pad (a, "src");
  GstPad *input = gst_element_get_static_pad (s, "sink");
  gulong id = gst_pad_add_probe (held,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL, NULL);
  GThread *thread;
  guint before;

  g_atomic_int_set (&passed, 0);
  gst_pad_add_probe (input, GST_PAD_PROBE_TYPE_BUFFER, count, NULL, NULL);
  thread = g_thread_new ("push", push_all, harness);
  /* until nothing comes any more for a tenth of a second */
  do {
    before = (guint)g_atomic_int_get (&passed);
    g_usleep (100000);
  } while (before == 0 || before != (guint)g_atomic_int_get (&passed));
  /* 16 that octcollect has, two for each branch and the one that waits */
  fail_unless (before <= 16 + 4 + 1 + 1, "%u are held", before);
  gst_pad_remove_probe (held, id);
  g_thread_join (thread);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  for (guint i = 0; i < 4 * N; i++)
    fail_unless_equals_int (take (harness), i);
  check_ended (harness);
  gst_object_unref (held);
  gst_object_unref (input);
  gst_object_unref (a);
  gst_object_unref (s);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Branches that come and go while B-scans pass. */
GST_START_TEST (pads)
{
  static const char *const branches[4] = { "identity sleep-time=200" };
  GstHarness *harness = make_harness ("", branches);
  GstElement *s = gst_bin_get_by_name (GST_BIN (harness->element), "s");
  GstElement *c = gst_bin_get_by_name (GST_BIN (harness->element), "c");
  guint value = 0, last = 0, came = 0;

  for (guint round = 0; round < 10; round++) {
    GstPad *from = gst_element_request_pad_simple (s, "src_%u");
    GstPad *to = gst_element_request_pad_simple (c, "sink_%u");

    fail_unless_equals_int (gst_pad_link (from, to), GST_PAD_LINK_OK);
    push (harness, round * 20, round * 20 + 20);
    gst_element_release_request_pad (s, from);
    gst_element_release_request_pad (c, to);
    gst_object_unref (from);
    gst_object_unref (to);
  }
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  while (came < 200 - get_lost (harness)) {
    value = take (harness);
    fail_unless (came == 0 || value > last, "%u behind %u", value, last);
    last = value;
    came++;
  }
  check_ended (harness);
  gst_object_unref (s);
  gst_object_unref (c);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* While B-scans pass a branch is asked for, and linked later: until then it
 * gets none, which it would fail at. */
static gpointer
push_until_told (gpointer data)
{
  guint i = 0;

  for (; g_atomic_int_get (&passed) == 0; i++) {
    fail_unless_equals_int (
        gst_harness_push (data, make_buffer (i % 256)), GST_FLOW_OK);
    g_usleep (100);
  }
  return GUINT_TO_POINTER (i);
}

GST_START_TEST (linked_later)
{
  static const char *const branches[4] = { "identity" };
  GstHarness *harness = make_harness ("policy=round-robin", branches);
  GstElement *s = gst_bin_get_by_name (GST_BIN (harness->element), "s");
  GstElement *c = gst_bin_get_by_name (GST_BIN (harness->element), "c");
  GstPad *from, *to;
  GThread *thread;
  guint pushed;

  g_atomic_int_set (&passed, 0);
  thread = g_thread_new ("push", push_until_told, harness);
  from = gst_element_request_pad_simple (s, "src_%u");
  g_usleep (50000);
  to = gst_element_request_pad_simple (c, "sink_%u");
  fail_unless_equals_int (gst_pad_link (from, to), GST_PAD_LINK_OK);
  gst_pad_add_probe (from, GST_PAD_PROBE_TYPE_BUFFER, count, NULL, NULL);
  /* it works */
  while (g_atomic_int_get (&passed) == 0)
    g_usleep (1000);
  pushed = GPOINTER_TO_UINT (g_thread_join (thread));
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  for (guint i = 0; i < pushed; i++)
    fail_unless_equals_int (take (harness), i % 256);
  check_ended (harness);
  fail_unless_equals_uint64 (get_lost (harness), 0);
  gst_object_unref (from);
  gst_object_unref (to);
  gst_object_unref (s);
  gst_object_unref (c);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* A pad that has a name of its own takes it from none of the others. */
GST_START_TEST (names)
{
  fail_unless (
      oct_test_plays ("octsrc num-buffers=8 samples=64 lines=4 ! "
                      "octscatter name=s octcollect name=c ! fakesink "
                      "s.src_1 ! identity ! c.sink_1 s. ! identity ! c. "
                      "s. ! identity ! c.",
          NULL));
}
GST_END_TEST;

static guint
count_events (
    GstHarness *harness, GstEventType type, GstEventType other, guint wanted)
{
  guint found = 0;

  while (found < wanted) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (harness);

    fail_unless (event != NULL, "%u of %u came", found, wanted);
    found += GST_EVENT_TYPE (event) == type || GST_EVENT_TYPE (event) == other;
  }
  return found;
}

/* Each goes on once, whatever its seqnum: two may be answers to one seek, and
 * one may be sent again. */
GST_START_TEST (events)
{
  GstHarness *harness = make_harness ("", arrangements[__i__].branches);
  GstEvent *first =
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "an eye", NULL));
  GstEvent *second =
      gst_event_new_tag (gst_tag_list_new (GST_TAG_ARTIST, "a camera", NULL));
  g_autoptr (GstEvent) sent = gst_event_new_custom (
      GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("a"));
  GstEvent *other = gst_event_new_custom (
      GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("a"));

  gst_event_set_seqnum (second, gst_event_get_seqnum (first));
  push (harness, 0, 3);
  fail_unless (gst_harness_push_event (harness, first));
  fail_unless (gst_harness_push_event (harness, second));
  push (harness, 3, 6);
  fail_unless (gst_harness_push_event (harness, other));
  push (harness, 6, 9);
  fail_unless (gst_harness_push_event (harness, gst_event_ref (sent)));
  push (harness, 9, 12);
  fail_unless (gst_harness_push_event (harness, gst_event_ref (sent)));
  push (harness, 12, N);
  /* no B-scan follows that it could go with */
  fail_unless (gst_harness_push_event (
      harness, gst_event_new_segment_done (GST_FORMAT_TIME, 0)));
  for (guint i = 0; i < N; i++)
    fail_unless_equals_int (take (harness), i);
  count_events (harness, GST_EVENT_TAG, GST_EVENT_CUSTOM_DOWNSTREAM, 5);
  count_events (harness, GST_EVENT_SEGMENT_DONE, GST_EVENT_SEGMENT_DONE, 1);
  fail_unless_equals_int (gst_harness_events_in_queue (harness), 0);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  check_ended (harness);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* Until queues have let the end go and sleep: one that is about to takes no
 * next stream, in any pipeline of GStreamer. */
static void
wait_for_queues (GstHarness *harness)
{
  GstIterator *elements = gst_bin_iterate_all_by_element_factory_name (
      GST_BIN (harness->element), "queue");
  g_auto (GValue) item = G_VALUE_INIT;

  while (gst_iterator_next (elements, &item) == GST_ITERATOR_OK) {
    g_autoptr (GstPad) pad =
        gst_element_get_static_pad (g_value_get_object (&item), "src");
    GstTask *task = GST_PAD_TASK (pad);

    for (guint i = 0; i < 20000 && gst_task_get_state (task) != GST_TASK_PAUSED;
         i++)
      g_usleep (1000);
    fail_unless (gst_task_get_state (task) == GST_TASK_PAUSED);
  }
  gst_iterator_free (elements);
}

/* Another stream after the end of one, as a sequence of files sends it. */
GST_START_TEST (next_stream)
{
  GstHarness *harness = make_harness ("", arrangements[__i__].branches);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint round = 0; round < 3; round++) {
    if (round > 0) {
      fail_unless (gst_harness_push_event (
          harness, gst_event_new_stream_start (round == 1 ? "b" : "c")));
      fail_unless (gst_harness_push_event (
          harness, gst_event_new_caps (gst_caps_from_string (CAPS))));
      fail_unless (
          gst_harness_push_event (harness, gst_event_new_segment (&segment)));
    }
    push (harness, 0, N);
    fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
    for (guint i = 0; i < N; i++)
      fail_unless_equals_int (take (harness), i);
    check_ended (harness);
    wait_for_queues (harness);
  }
  gst_harness_teardown (harness);
}
GST_END_TEST;

#define SOURCE "octsrc num-buffers=12 samples=256 lines=20 seed=3 ! "
#define VOLUMES "octsrc num-buffers=12 samples=64 lines=20 bscans=4 "
#define SINK "appsink name=sink sync=false max-buffers=0 wait-on-eos=false"

/* The same images as without branches, which differ in how long they take. */
GST_START_TEST (images)
{
  static const char *const chains[] = {
    "octreconstruct",
    "octdcsub ! octkresample ! octdispersion ! octfft",
    "octreconstruct method=nufft ! videoconvert ! video/x-raw,format=RGBA",
    /* octscatter sends a mark after each B-scan, so it gathers none */
    "octgather bscans=4 ! octreconstruct",
  };
  g_autofree char *plain = NULL, *shared = NULL;
  g_autofree char *chain = oct_test_launch (chains[__i__]);
  GstElement *one, *other;

  plain = g_strdup_printf (SOURCE "%s ! " SINK, chain);
  shared = g_strdup_printf (SOURCE
      "octscatter name=s octcollect name=c ! " SINK
      " s. ! %s ! c. s. ! queue ! %s ! identity sleep-time=5000 ! c. s. ! %s "
      "! c.",
      chain, chain, chain);
  one = oct_test_start (plain);
  other = oct_test_start (shared);
  oct_test_compare_pipelines (one, other, 12);
  oct_test_stop (one);
  oct_test_stop (other);
}
GST_END_TEST;

static const struct {
  const char *launch, *words[4];
} mistakes[] = {
  { SOURCE "octcollect ! fakesink",
      { "does not come from this octcollect's octscatter", "funnel" } },
  { SOURCE "octscatter name=s octcollect name=c ! fakesink "
           "s. ! octreconstruct devices=0,1 backend=cpu ! c. "
           "s. ! octreconstruct backend=cpu ! c.",
      { "does not come from this octcollect's", "leave `devices`" } },
  { SOURCE "octscatter name=s octcollect name=c ! fakesink "
           "s. ! octreconstruct dcsub::mode=running ! c. "
           "s. ! octreconstruct dcsub::mode=running ! c.",
      { "mode=running of octdcsub", "in front of octscatter" } },
  { SOURCE "octscatter name=s octcollect name=c ! fakesink "
           "s. ! octreconstruct ! octaverage ! c. ",
      { "frames of octaverage", "after octcollect" } },
  { SOURCE "octscatter name=s octcollect name=c ! fakesink "
           "s. ! octreconstruct range-smoothing=0.5 ! c. ",
      { "range-smoothing of octlogscale", "set range-smoothing=0" } },
  { VOLUMES "! octscatter name=s octcollect name=c ! fakesink "
            "s. ! octreconstruct ! octvolume ! c. "
            "s. ! octreconstruct ! octvolume ! c.",
      { "octvolume needs all B-scans", "put octvolume after octcollect",
          "in front of octscatter" } },
  { VOLUMES "! octscatter name=s octcollect name=c ! fakesink "
            "s. ! octreconstruct ! octenface ! c. "
            "s. ! octreconstruct ! octenface ! c.",
      { "octenface needs all B-scans", "put octenface after octcollect" } },
  { VOLUMES "! octscatter name=s octcollect name=c ! fakesink "
            "s. ! octreconstruct ! octslice ! c. "
            "s. ! octreconstruct ! octslice ! c.",
      { "octslice needs all B-scans", "put octslice after octcollect" } },
  { VOLUMES "scan-mask=scattered ! octscatter name=s "
            "octcollect name=c ! fakesink "
            "s. ! octreconstruct output=ascans ! octvolumecs ! c. "
            "s. ! octreconstruct output=ascans ! octvolumecs ! c.",
      { "octvolumecs needs all B-scans", "put octvolumecs after octcollect" } },
};

GST_START_TEST (refused)
{
  fail_if (oct_test_plays (
      mistakes[__i__].launch, (const char **)mistakes[__i__].words));
}
GST_END_TEST;

GST_START_TEST (sink_refused)
{
  g_autofree char *path = oct_test_file_path ("part.npy");
  g_autofree char *launch = g_strdup_printf (VOLUMES
      "! octscatter name=s s. ! octreconstruct ! octvolumesink "
      "location=%s s. ! octreconstruct ! fakesink",
      path);

  fail_if (oct_test_plays (
      launch, (const char *[]){ "octvolumesink needs all B-scans",
                  "put octvolumesink after octcollect", NULL }));
  fail_if (g_file_test (path, G_FILE_TEST_EXISTS));
}
GST_END_TEST;

/* Elements with a history are allowed outside the branches. */
GST_START_TEST (history_outside)
{
  fail_unless (oct_test_plays (SOURCE
      "octdcsub mode=running ! octscatter name=s octcollect name=c ! "
      "octlogscale range-smoothing=0.5 ! fakesink "
      "s. ! octkresample ! octfft ! c. s. ! octkresample ! octfft ! c.",
      NULL));
  fail_unless (oct_test_plays (VOLUMES
      "scan-mask=scattered ! octdcsub ! octscatter name=s octcollect name=c ! "
      "octvolumecs ! octlogscale range=manual ! octvolume ! fakesink "
      "s. ! octkresample ! octfft ! c. s. ! octkresample ! octfft ! c.",
      NULL));
}
GST_END_TEST;

static Suite *
scatter_suite (void)
{
  Suite *suite = suite_create ("scatter");
  TCase *tests = tcase_create ("scatter");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, oct_test_remove_files);
  tcase_add_loop_test (tests, order, 0, G_N_ELEMENTS (arrangements));
  tcase_add_test (tests, other_numbers);
  tcase_add_loop_test (tests, caps, 0, G_N_ELEMENTS (arrangements));
  tcase_add_loop_test (tests, failing_branch, 0, G_N_ELEMENTS (policies));
  tcase_add_loop_test (tests, failing_queue, 0, G_N_ELEMENTS (queues));
  tcase_add_test (tests, failing_at_the_end);
  tcase_add_loop_test (tests, end_comes, 0, G_N_ELEMENTS (failing));
  tcase_add_test (tests, all_fail);
  tcase_add_loop_test (tests, flush, 0, G_N_ELEMENTS (arrangements));
  tcase_add_test (tests, bounded);
  tcase_add_test (tests, pads);
  tcase_add_test (tests, linked_later);
  tcase_add_test (tests, names);
  tcase_add_loop_test (tests, events, 0, G_N_ELEMENTS (arrangements));
  tcase_add_loop_test (tests, next_stream, 0, G_N_ELEMENTS (arrangements));
  tcase_add_loop_test (tests, images, 0, 4);
  tcase_add_loop_test (tests, refused, 0, G_N_ELEMENTS (mistakes));
  tcase_add_test (tests, sink_refused);
  tcase_add_test (tests, history_outside);
  return suite;
}

GST_CHECK_MAIN (scatter);
