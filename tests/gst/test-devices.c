/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octreconstruct with `devices`: the images of one GPU, settings and GPUs of
 * all branches, and what it says when one fails or settings do not fit.
 * Branches by themselves: test-scatter.c.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <math.h>
#include <string.h>

#define SINK "appsink name=sink sync=false max-buffers=0 wait-on-eos=false"
#define GPUS "devices=0,1,2 backend=cpu "

static const char *const settings[] = {
  "method=resample a2=40 range=manual min=20 max=70",
  "method=nufft dcsub::mode=median",
  "method=cs iterations=3 logscale::scale=linear",
  "method=resample output=ascans axis=wavenumber",
};

static const char *const none[] = { NULL };

/* The sentence of an error or a warning. */
static char *
get_sentence (GstMessage *message)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  return g_strdup (error->message);
}

/* The messages on the bus: one for each of `errors` and `warnings`
 * (NULL-terminated), which are part of their sentences, and no others.  They
 * may come a little later than images and the end.  A branch that is so slow
 * that it fails after the end of the stream has its B-scans counted by
 * octcollect in place of octscatter: that warning may come as well. */
static void
check_messages (GstElement *pipeline, const char *const *errors,
    const char *const *warnings)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  guint left =
      g_strv_length ((char **)errors) + g_strv_length ((char **)warnings);
  gboolean found[2][8] = { 0 };
  GstMessage *message;

  while ((message = gst_bus_timed_pop_filtered (bus,
              left > 0 ? 60 * GST_SECOND : 0,
              GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))
         != NULL) {
    gboolean is_error = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    const char *const *expected = is_error ? errors : warnings;
    g_autofree char *sentence = get_sentence (message);
    guint i = 0;

    if (warnings[0] != NULL
        && strstr (sentence, "of the last B-scans did not")) {
      gst_message_unref (message);
      continue;
    }
    while (expected[i] != NULL && strstr (sentence, expected[i]) == NULL)
      i++;
    fail_unless (expected[i] != NULL && !found[is_error][i],
        "not expected of %s: %s", GST_OBJECT_NAME (GST_MESSAGE_SRC (message)),
        sentence);
    found[is_error][i] = TRUE;
    left--;
    gst_message_unref (message);
  }
  fail_unless (left == 0, "%u messages did not come", left);
  gst_object_unref (bus);
}

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
  check_messages (several, none, none);
  oct_test_stop (one);
  oct_test_stop (several);
}
GST_END_TEST;

/* Without a request the format is the one that a single GPU gives; a converter
 * gets the one whose range of values it knows. */
GST_START_TEST (devices_format)
{
  static const struct {
    const char *behind, *format;
  } formats[] = { { "identity", "GRAY8" }, { "video/x-raw", "GRAY8" },
    { "videoconvert ! video/x-raw,format=I420", "NV12" } };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (formats); i++) {
    g_autofree char *launch =
        g_strdup_printf ("octsrc num-buffers=3 samples=256 lines=20 ! "
                         "octreconstruct name=r %s ! %s ! " SINK,
            i % 2 ? GPUS : "backend=cpu", formats[i / 2].behind);
    GstElement *pipeline = oct_test_start (launch);
    g_autoptr (GstSample) sample = oct_test_pull_from (pipeline, "sink");
    GstElement *r = gst_bin_get_by_name (GST_BIN (pipeline), "r");
    GstPad *pad = gst_element_get_static_pad (r, "src");
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

    fail_unless_equals_string (
        gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"),
        formats[i / 2].format);
    gst_object_unref (pad);
    gst_object_unref (r);
    oct_test_stop (pipeline);
  }
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
  check_messages (several, none, none);
  oct_test_stop (one);
  oct_test_stop (several);
}
GST_END_TEST;

/* Elements that a method change adds while B-scans pass use their branch's
 * GPU. */
GST_START_TEST (gpus_method)
{
  GstElement *pipeline, *r;
  GstSample *sample;
  guint count = 0;

  if (!oct_test_on_gpu () || oct_test_cuda_devices () < 2) {
    g_print ("SKIP of gpus_method: there are no two GPUs\n");
    return;
  }
  pipeline = start_reconstruct ("backend=cuda devices=0,1", "", 60);
  r = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  while ((sample = oct_test_pull_from (pipeline, "sink")) != NULL) {
    fail_unless_equals_uint64 (
        GST_BUFFER_OFFSET (gst_sample_get_buffer (sample)), count);
    gst_sample_unref (sample);
    if (count == 5)
      gst_util_set_object_arg (G_OBJECT (r), "method", "nufft");
    if (count == 20)
      gst_util_set_object_arg (G_OBJECT (r), "method", "resample");
    count++;
  }
  fail_unless_equals_int (count, 60);
  check_messages (pipeline, none, none);
  gst_object_unref (r);
  oct_test_stop (pipeline);
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

static void
expect_device (GstElement *reconstruct, const char *worker, gint id)
{
  static const char *const parts[] = { "dcsub", "kresample", "dispersion",
    "fft", "nufft", "cs", "logscale" };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree char *name =
        g_strconcat (worker, parts[i], "::cuda-device-id", NULL);
    gint found = -2;

    gst_child_proxy_get (GST_CHILD_PROXY (reconstruct), name, &found, NULL);
    fail_unless (found == id, "%s is %d, not %d", name, found, id);
  }
}

static const struct {
  const char *devices;
  gint ids[4];
  guint n;
} lists[] = {
  { "1", { 1 }, 1 },
  { "0,1", { 0, 1 }, 2 },
  { "1,2", { 1, 2 }, 2 },
  { "1,0", { 1, 0 }, 2 },
  { "5, 3,0", { 5, 3, 0 }, 3 },
};

static void
fail_to_start (GstElement *pipeline, GstElement *reconstruct)
{
  static const char *const errors[] = { "range-smoothing of octlogscale",
    NULL };

  g_object_set (reconstruct, "range-smoothing", 0.5, NULL);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  check_messages (pipeline, errors, none);
  gst_element_set_state (pipeline, GST_STATE_READY);
  g_object_set (reconstruct, "range-smoothing", 0.0, NULL);
}

/* Every branch has the GPU that was asked for, while it is at work; then, also
 * after a start that fails, `cuda-device-id` is as it was set. */
GST_START_TEST (devices_ids)
{
  GstElement *pipeline = oct_test_make (
      "octsrc num-buffers=4 samples=64 lines=4 ! octreconstruct name=r "
      "backend=cpu cuda-device-id=7 ! " SINK);
  GstElement *r = gst_bin_get_by_name (GST_BIN (pipeline), "r");

  /* every list comes first in one turn, and after another one in the next */
  for (guint n = 0; n < 2; n++) {
    guint turn = (n + (guint)__i__) % G_N_ELEMENTS (lists);
    gint id;

    g_object_set (r, "devices", lists[turn].devices, NULL);
    gst_element_set_state (pipeline, GST_STATE_PAUSED);
    fail_unless_equals_int (
        gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE),
        GST_STATE_CHANGE_SUCCESS);
    expect_device (r, "", lists[turn].ids[0]);
    g_object_get (r, "cuda-device-id", &id, NULL);
    fail_unless_equals_int (id, lists[turn].ids[0]);
    for (guint i = 1; i < lists[turn].n; i++) {
      g_autofree char *worker = g_strdup_printf ("gpu%d::", lists[turn].ids[i]);

      expect_device (r, worker, lists[turn].ids[i]);
    }
    check_messages (pipeline, none, none);
    gst_element_set_state (pipeline, GST_STATE_READY);
    expect_device (r, "", 7);
    if (lists[turn].n > 1)
      fail_to_start (pipeline, r);
    expect_device (r, "", 7);
  }
  gst_object_unref (r);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* Settings of the bin or of its elements hold for all branches, also while
 * B-scans pass; another method comes without a B-scan lost; without devices the
 * settings are as before. */
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
  check_messages (pipeline, none, none);
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

/* One of three is gone in mid-stream, the first or another; then two. */
GST_START_TEST (device_gone)
{
  static const struct {
    const char *parts[4], *warnings[6];
    guint lost;
  } cases[] = {
    { { "gpu2::fft" },
        { "GPU 2 has failed and is left out", "branch at src_2 has failed" },
        1 },
    { { "dispersion" },
        { "GPU 0 has failed and is left out", "branch at src_0 has failed" },
        1 },
    { { "gpu1::logscale", "kresample" },
        { "GPU 1 has failed", "GPU 0 has failed", "branch at src_1 has failed",
            "branch at src_0 has failed" },
        2 },
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
  check_messages (pipeline, none, cases[__i__].warnings);
  gst_object_unref (r);
  oct_test_stop (pipeline);
}
GST_END_TEST;

/* The result from the B-scans of the first branch is set on all. */
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
    message =
        gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING);
    fail_unless (
        message == NULL || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT);
  }
  gst_clear_message (&message);
  g_object_get (r, "a2", &a2, NULL);
  fail_unless (fabs (a2) < 20, "%g um^2", a2);
  expect_values (r, a2, "hann");
  g_signal_emit_by_name (r, "undo-autofocus", &taken);
  fail_unless (taken);
  expect_values (r, 60, "hann");
  check_messages (pipeline, none, none);
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

/* ------------------------------------------------- settings with a history */

static const struct {
  const char *property, *value, *without, *sentence;
} histories[] = {
  { "range-smoothing", "0.9", "0",
      "range-smoothing of octlogscale depends on the previous B-scans, but "
      "devices=0,1,2 of octreconstruct gives each GPU only some of them; set "
      "range-smoothing=0, or give one GPU in `devices`." },
  { "mode", "running", "bscan",
      "mode=running of octdcsub depends on the previous B-scans, but "
      "devices=0,1,2 "
      "of octreconstruct gives each GPU only some of them; set mode=bscan, or "
      "give one GPU in `devices`." },
  { "logscale::range-smoothing", "0.5", "0", "range-smoothing of octlogscale" },
  { "dcsub::mode", "running", "median", "mode=running of octdcsub" },
  /* of one GPU alone, which is there once it has started */
  { "gpu2::logscale::range-smoothing", "0.5", "0",
      "range-smoothing of octlogscale depends on the previous B-scans, but "
      "devices=0,1,2 of octreconstruct" },
};
#define N_BEFORE_THE_START 4

static void
set_child (GstElement *reconstruct, const char *name, const char *value)
{
  GObject *child;
  GParamSpec *spec;

  fail_unless (gst_child_proxy_lookup (
      GST_CHILD_PROXY (reconstruct), name, &child, &spec));
  gst_util_set_object_arg (child, spec->name, value);
  g_object_unref (child);
}

/* Without a word. */
static void
play_to_the_end (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS,
      "it does not come to its end");
  gst_message_unref (message);
  gst_object_unref (bus);
}

/* One error before the start, and either remedy of its sentence helps. */
GST_START_TEST (history_refused)
{
  const char *const expected[] = { histories[__i__].sentence, NULL };

  for (guint way = 0; way < 2; way++) {
    GstElement *pipeline = oct_test_make (
        "octsrc num-buffers=5 samples=64 lines=4 ! octreconstruct name=r " GPUS
        "! fakesink");
    GstElement *r = gst_bin_get_by_name (GST_BIN (pipeline), "r");

    set_child (r, histories[__i__].property, histories[__i__].value);
    fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PLAYING),
        GST_STATE_CHANGE_FAILURE);
    check_messages (pipeline, expected, none);
    if (way == 0)
      set_child (r, histories[__i__].property, histories[__i__].without);
    else
      g_object_set (r, "devices", "2", NULL);
    play_to_the_end (pipeline);
    gst_object_unref (r);
    oct_test_stop (pipeline);
  }
}
GST_END_TEST;

/* octlogscale is not in use for A-scans. */
GST_START_TEST (history_unused)
{
  fail_unless (oct_test_plays (
      "octsrc num-buffers=5 samples=64 lines=4 ! octreconstruct " GPUS
      "range-smoothing=0.5 output=ascans ! fakesink",
      NULL));
}
GST_END_TEST;

/* The replacements in the documentation give the same images. */
GST_START_TEST (history_outside)
{
  static const char *const chains[][2] = {
    { "octreconstruct backend=cpu mode=running running-weight=0.5",
        "octdcsub mode=running running-weight=0.5 ! "
        "octreconstruct mode=none " GPUS },
    { "octreconstruct backend=cpu range-smoothing=0.9",
        "octreconstruct output=ascans " GPUS
        "! octlogscale range-smoothing=0.9" },
  };
  GstElement *pipelines[2];

  for (guint i = 0; i < 2; i++) {
    g_autofree char *launch =
        g_strdup_printf ("octsrc num-buffers=9 samples=256 lines=20 seed=3 ! "
                         "%s ! " SINK,
            chains[__i__][i]);

    pipelines[i] = oct_test_start (launch);
  }
  oct_test_compare_pipelines (pipelines[0], pipelines[1], 9);
  check_messages (pipelines[1], none, none);
  for (guint i = 0; i < 2; i++)
    oct_test_stop (pipelines[i]);
}
GST_END_TEST;

/* More than all branches and queues hold. */
#define LIVE_BSCANS 60

/* While images are made it is one warning, and they go on as they were. */
GST_START_TEST (history_live)
{
  const char *const expected[] = { histories[__i__].sentence, NULL };
  GstElement *one = start_reconstruct ("backend=cpu", "", LIVE_BSCANS);
  g_autofree char *launch =
      g_strdup_printf ("octsrc num-buffers=%u samples=256 lines=20 seed=3 ! "
                       "octreconstruct name=r " GPUS "! appsink name=sink "
                       "sync=false max-buffers=1 wait-on-eos=false",
          LIVE_BSCANS);
  GstElement *several = oct_test_make (launch);
  GstElement *r = gst_bin_get_by_name (GST_BIN (several), "r");

  gst_element_set_state (several, GST_STATE_PLAYING);
  /* every branch has had one */
  for (guint i = 0; i < 2 * 9; i++)
    oct_array_free (oct_test_pull (i % 2 == 0 ? one : several, "sink"));
  set_child (r, histories[__i__].property, histories[__i__].value);
  oct_test_compare_pipelines (one, several, LIVE_BSCANS - 9);
  check_messages (several, none, expected);
  gst_object_unref (r);
  oct_test_stop (one);
  oct_test_stop (several);
}
GST_END_TEST;

/* The first B-scan comes later, and nothing can continue: one error, and no GPU
 * is reported as failed; the same for anything else that all branches lack. */
GST_START_TEST (history_before_bscan)
{
  static const struct {
    const char *property, *value, *sentence;
  } cases[] = {
    { "mode", "running", "mode=running of octdcsub depends on" },
    { "range-smoothing", "0.5", "range-smoothing of octlogscale depends on" },
    { "dcsub::calibration", "/none.csv", "/none.csv" },
  };
  const char *const expected[] = { cases[__i__].sentence,
    "octsrc stops because an element after it has failed", NULL };
  GstElement *pipeline =
      oct_test_make ("octsrc is-live=true line-rate=400 samples=64 lines=4 ! "
                     "octreconstruct name=r " GPUS "! fakesink");
  GstElement *r = gst_bin_get_by_name (GST_BIN (pipeline), "r");

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  set_child (r, cases[__i__].property, cases[__i__].value);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  /* octsrc says so last: by then all branches have run into it */
  check_messages (pipeline, expected, none);
  gst_object_unref (r);
  oct_test_stop (pipeline);
}
GST_END_TEST;

static Suite *
devices_suite (void)
{
  Suite *suite = suite_create ("devices");
  TCase *tests = tcase_create ("devices"), *on_gpus = tcase_create ("gpus");

  suite_add_tcase (suite, tests);
  suite_add_tcase (suite, on_gpus);
  tcase_add_checked_fixture (tests, NULL, oct_test_remove_files);
  tcase_add_loop_test (tests, devices, 0, G_N_ELEMENTS (settings));
  tcase_add_test (tests, devices_format);
  tcase_add_loop_test (on_gpus, gpus, 0, G_N_ELEMENTS (settings));
  tcase_add_test (on_gpus, gpus_method);
  tcase_add_loop_test (tests, devices_ids, 0, G_N_ELEMENTS (lists));
  tcase_add_test (tests, devices_settings);
  tcase_add_loop_test (tests, device_gone, 0, 3);
  tcase_add_test (tests, devices_autofocus);
  tcase_add_loop_test (tests, devices_refused, 0, G_N_ELEMENTS (wrong_devices));
  tcase_add_loop_test (tests, history_refused, 0, N_BEFORE_THE_START);
  tcase_add_test (tests, history_unused);
  tcase_add_loop_test (tests, history_outside, 0, 2);
  tcase_add_loop_test (tests, history_live, 0, G_N_ELEMENTS (histories));
  tcase_add_loop_test (tests, history_before_bscan, 0, 3);
  return suite;
}

GST_CHECK_MAIN (devices);
