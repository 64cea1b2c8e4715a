/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octscatter and octcollect: whatever branches do, and however long they take,
 * all that comes out is in the order of what went in, with the caps and the
 * segment of its time.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <math.h>
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
check_ended (GstHarness *harness)
{
  gboolean ended = FALSE;

  while (!ended) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (harness);

    fail_unless (event != NULL, "no end");
    ended = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  }
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

/* A seek: nothing from before comes behind it, and all that follows does. */
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
    /* behind each B-scan there is a mark of octscatter, so it gathers none */
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
      { "does not come from octscatter", "funnel" } },
  { SOURCE "octscatter name=s octcollect name=c ! fakesink "
           "s. ! octreconstruct dcsub::mode=running ! c. "
           "s. ! octreconstruct dcsub::mode=running ! c.",
      { "mode=running of octdcsub", "in front of octscatter" } },
  { SOURCE "octscatter name=s octcollect name=c ! fakesink "
           "s. ! octreconstruct ! octaverage ! c. ",
      { "frames of octaverage", "behind octcollect" } },
  { SOURCE "octscatter name=s octcollect name=c ! fakesink "
           "s. ! octreconstruct range-smoothing=0.5 ! c. ",
      { "range-smoothing of octlogscale", "set it to 0" } },
  { VOLUMES "! octscatter name=s octcollect name=c ! fakesink "
            "s. ! octreconstruct ! octvolume ! c. "
            "s. ! octreconstruct ! octvolume ! c.",
      { "octvolume needs all B-scans", "put octvolume behind octcollect",
          "in front of octscatter" } },
  { VOLUMES "! octscatter name=s octcollect name=c ! fakesink "
            "s. ! octreconstruct ! octenface ! c. "
            "s. ! octreconstruct ! octenface ! c.",
      { "octenface needs all B-scans", "put octenface behind octcollect" } },
  { VOLUMES "! octscatter name=s octcollect name=c ! fakesink "
            "s. ! octreconstruct ! octslice ! c. "
            "s. ! octreconstruct ! octslice ! c.",
      { "octslice needs all B-scans", "put octslice behind octcollect" } },
  { VOLUMES "scan-mask=scattered ! octscatter name=s "
            "octcollect name=c ! fakesink "
            "s. ! octreconstruct output=ascans ! octvolumecs ! c. "
            "s. ! octreconstruct output=ascans ! octvolumecs ! c.",
      { "octvolumecs needs all B-scans",
          "put octvolumecs behind octcollect" } },
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
                  "put octvolumesink behind octcollect", NULL }));
  fail_if (g_file_test (path, G_FILE_TEST_EXISTS));
}
GST_END_TEST;

/* What has a history stays outside. */
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

/* ------------------------------------------------- devices of octreconstruct
 */

#define GPUS "devices=0,1,2 backend=cpu "

static const char *const settings[] = {
  "method=resample a2=40 range=manual min=20 max=70",
  "method=nufft dcsub::mode=median",
  "method=cs iterations=3 logscale::scale=linear",
  "method=resample output=ascans axis=wavenumber",
};

static GstElement *
start_reconstruct (const char *devices, const char *chain, guint bscans)
{
  g_autofree char *launch =
      g_strdup_printf ("octsrc num-buffers=%u samples=256 lines=20 seed=3 ! "
                       "octreconstruct name=r %s %s ! " SINK,
          bscans, devices, chain);

  return oct_test_start (launch);
}

/* The images of one. */
GST_START_TEST (devices)
{
  GstElement *one = start_reconstruct ("backend=cpu", settings[__i__], 9);
  GstElement *several = start_reconstruct (GPUS, settings[__i__], 9);

  oct_test_compare_pipelines (one, several, 9);
  oct_test_stop (one);
  oct_test_stop (several);
}
GST_END_TEST;

/* On two GPUs, where they are; images and A-scans are those of one, as kernels
 * are the same. */
GST_START_TEST (gpus)
{
  GstElement *one, *several;

  if (!oct_test_on_gpu () || oct_test_cuda_devices () < 2) {
    g_print ("SKIP of gpus: there are no two GPUs\n");
    return;
  }
  one = start_reconstruct ("backend=cuda", settings[__i__], 40);
  several = start_reconstruct ("backend=cuda devices=1,0", settings[__i__], 40);
  oct_test_compare_pipelines (one, several, 40);
  oct_test_stop (one);
  oct_test_stop (several);
}
GST_END_TEST;

static void
expect_values (GstElement *reconstruct, double a2, const char *window)
{
  static const char *const workers[] = { "", "gpu1::", "gpu2::" };

  for (guint i = 0; i < G_N_ELEMENTS (workers); i++) {
    g_autofree char *first = g_strconcat (workers[i], "dispersion::a2", NULL);
    g_autofree char *second = g_strconcat (workers[i], "nufft::window", NULL);
    GValue value = G_VALUE_INIT;
    double number;

    gst_child_proxy_get (GST_CHILD_PROXY (reconstruct), first, &number, NULL);
    fail_unless (number == a2, "%s is %g", first, number);
    gst_child_proxy_get_property (
        GST_CHILD_PROXY (reconstruct), second, &value);
    fail_unless_equals_string (
        g_enum_get_value (g_type_class_peek (G_VALUE_TYPE (&value)),
            g_value_get_enum (&value))
            ->value_nick,
        window);
    g_value_unset (&value);
  }
}

/* What is set on the bin or on its elements holds for all, also while B-scans
 * pass; another method comes without a B-scan lost; without devices it is as
 * before. */
GST_START_TEST (devices_settings)
{
  GstElement *pipeline = start_reconstruct (GPUS, "a2=30", 60);
  GstElement *r = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  GstMessage *message;
  GstSample *sample;
  guint count = 0;
  GstBus *bus;

  while ((sample = oct_test_pull_from (pipeline, "sink")) != NULL) {
    fail_unless_equals_uint64 (
        GST_BUFFER_OFFSET (gst_sample_get_buffer (sample)), count);
    gst_sample_unref (sample);
    if (count == 0)
      expect_values (r, 30, "hann");
    if (count == 5)
      gst_child_proxy_set (GST_CHILD_PROXY (r), "dispersion::a2", -7.0, NULL);
    if (count == 6)
      gst_util_set_object_arg (G_OBJECT (r), "window", "blackman");
    if (count == 7)
      gst_util_set_object_arg (G_OBJECT (r), "method", "nufft");
    count++;
  }
  fail_unless_equals_int (count, 60);
  expect_values (r, -7, "blackman");
  fail_unless (gst_element_set_state (pipeline, GST_STATE_READY)
               == GST_STATE_CHANGE_SUCCESS);
  g_object_set (r, "devices", NULL, NULL);
  /* an appsink says that it has ended until it ends again */
  bus = gst_element_get_bus (pipeline);
  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
  for (count = 0; (sample = oct_test_pull_from (pipeline, "sink")) != NULL;
       count++)
    gst_sample_unref (sample);
  fail_unless_equals_int (count, 60);
  fail_unless (gst_bin_get_by_name (GST_BIN (r), "gpu1") == NULL);
  gst_object_unref (r);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* As a GPU that is gone: an error, and no result. */
static GstPadProbeReturn
break_down (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstElement *element = gst_pad_get_parent_element (pad);

  if (GST_BUFFER_OFFSET (GST_PAD_PROBE_INFO_BUFFER (info)) < 6) {
    gst_object_unref (element);
    return GST_PAD_PROBE_OK;
  }
  GST_ELEMENT_ERROR (element, RESOURCE, FAILED, ("The GPU is gone."), (NULL));
  gst_object_unref (element);
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_ERROR;
  return GST_PAD_PROBE_HANDLED;
}

static void
break_part (GstElement *reconstruct, const char *part)
{
  GObject *element = gst_child_proxy_get_child_by_name_recurse (
      GST_CHILD_PROXY (reconstruct), part);
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (element), "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, break_down, NULL, NULL);
  gst_object_unref (pad);
  g_object_unref (element);
}

static gboolean
has_warning (GstElement *pipeline, const char *words)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gboolean found = FALSE;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    found |= strstr (error->message, words) != NULL;
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return found;
}

/* One of three is gone in mid-stream, the first or another; then two. */
GST_START_TEST (device_gone)
{
  static const struct {
    const char *parts[4], *warning;
    guint lost;
  } cases[] = {
    { { "gpu2::fft" }, "GPU 2 has failed and is left out", 1 },
    { { "dispersion" }, "GPU 0 has failed and is left out", 1 },
    { { "gpu1::logscale", "kresample" }, "GPU 1 has failed", 2 },
  };
  GstElement *pipeline, *r;
  GstSample *sample;
  guint count = 0;

  pipeline = oct_test_make (
      "octsrc num-buffers=40 samples=256 lines=20 ! octreconstruct name=r " GPUS
      "! " SINK);
  r = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  for (guint i = 0; cases[__i__].parts[i] != NULL; i++)
    break_part (r, cases[__i__].parts[i]);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = oct_test_pull_from (pipeline, "sink")) != NULL) {
    count++;
    gst_sample_unref (sample);
  }
  fail_unless_equals_int (count, 40 - cases[__i__].lost);
  fail_unless (has_warning (pipeline, cases[__i__].warning));
  gst_object_unref (r);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* What is found in the B-scans of the first one is set on all. */
GST_START_TEST (devices_autofocus)
{
  GstElement *pipeline = oct_test_start (
      "octsrc samples=1024 lines=64 bscans=4 noise=1 ! octreconstruct name=r "
      "a2=60 " GPUS "! " SINK);
  GstElement *r = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = NULL;
  gboolean taken = FALSE;
  double a2;

  gst_sample_unref (oct_test_pull_from (pipeline, "sink"));
  g_signal_emit_by_name (r, "autofocus", &taken);
  fail_unless (taken);
  while (message == NULL || !gst_message_has_name (message, "oct-autofocus")) {
    GstSample *sample = oct_test_pull_from (pipeline, "sink");

    gst_clear_message (&message);
    fail_unless (sample != NULL, "it was not found");
    gst_sample_unref (sample);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  }
  gst_clear_message (&message);
  g_object_get (r, "a2", &a2, NULL);
  fail_unless (fabs (a2) < 20, "%g um^2", a2);
  expect_values (r, a2, "hann");
  g_signal_emit_by_name (r, "undo-autofocus", &taken);
  fail_unless (taken);
  expect_values (r, 60, "hann");
  gst_object_unref (bus);
  gst_object_unref (r);
  oct_test_stop (pipeline);
}
GST_END_TEST;

static const struct {
  const char *launch, *words[4];
} wrong_devices[] = {
  { "octsrc num-buffers=2 ! octreconstruct devices=0,1,0 ! fakesink",
      { "devices=\"0,1,0\"", "devices=0,1" } },
  { "octsrc num-buffers=2 ! octreconstruct devices=all ! fakesink",
      { "devices=\"all\"" } },
  { "octsrc num-buffers=2 ! octreconstruct devices=0,64 ! fakesink",
      { "0 to 63" } },
};

GST_START_TEST (devices_refused)
{
  fail_if (oct_test_plays (
      wrong_devices[__i__].launch, (const char **)wrong_devices[__i__].words));
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
  tcase_add_test (tests, all_fail);
  tcase_add_loop_test (tests, flush, 0, G_N_ELEMENTS (arrangements));
  tcase_add_test (tests, bounded);
  tcase_add_test (tests, pads);
  tcase_add_loop_test (tests, images, 0, 4);
  tcase_add_loop_test (tests, refused, 0, G_N_ELEMENTS (mistakes));
  tcase_add_test (tests, sink_refused);
  tcase_add_test (tests, history_outside);
  tcase_add_loop_test (tests, devices, 0, G_N_ELEMENTS (settings));
  tcase_add_loop_test (tests, gpus, 0, G_N_ELEMENTS (settings));
  tcase_add_test (tests, devices_settings);
  tcase_add_loop_test (tests, device_gone, 0, 3);
  tcase_add_test (tests, devices_autofocus);
  tcase_add_loop_test (tests, devices_refused, 0, G_N_ELEMENTS (wrong_devices));
  return suite;
}

GST_CHECK_MAIN (scatter);
