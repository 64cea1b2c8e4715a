/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Changes of state of every element of the plugin, alone and in pipelines, and
 * seeks while playing.
 */
#include "oct-fake-comedi.h"
#include "oct-test.h"
#include "oct-test-files.h"

#define SOURCE "octsrc name=source samples=256 lines=16"
#define GREY_SINK                                                              \
  " ! capsfilter caps=video/x-raw,format=GRAY8"                                \
  " ! appsink name=sink sync=false max-buffers=2"
#define CHAIN                                                                  \
  " ! octdcsub ! octkresample ! octdispersion ! octfft ! "                     \
  "octlogscale" GREY_SINK
#define WITH_HISTORY                                                           \
  " ! octdcsub mode=running running-weight=0.3 ! octkresample ! octfft"        \
  " ! octlogscale range-smoothing=0.8"                                         \
  " ! capsfilter caps=video/x-raw,format=GRAY8"

static void
set_state (GstElement *element, GstState state)
{
  GstStateChangeReturn ret = gst_element_set_state (element, state);

  if (ret == GST_STATE_CHANGE_ASYNC)
    ret = gst_element_get_state (element, NULL, NULL, 30 * GST_SECOND);
  fail_unless (
      ret == GST_STATE_CHANGE_SUCCESS || ret == GST_STATE_CHANGE_NO_PREROLL,
      "%s did not become %s", GST_OBJECT_NAME (element),
      gst_element_state_get_name (state));
}

/* ----------------------------------------------------------- every element */

/* Names of all elements that the plugin has. */
static GPtrArray *
element_names (void)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GList *features =
      gst_registry_get_feature_list_by_plugin (gst_registry_get (), "oct");
  GList *i;

  for (i = features; i != NULL; i = i->next)
    if (GST_IS_ELEMENT_FACTORY (i->data))
      g_ptr_array_add (names, g_strdup (GST_OBJECT_NAME (i->data)));
  gst_plugin_feature_list_free (features);
  fail_unless (names->len >= 6, "the plugin has %u elements", names->len);
  return names;
}

GST_START_TEST (test_alone)
{
  const GstState states[] = { GST_STATE_READY, GST_STATE_NULL, GST_STATE_PAUSED,
    GST_STATE_READY, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_PLAYING,
    GST_STATE_NULL, GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_NULL };
  g_autoptr (GPtrArray) names = element_names ();
  guint n, i;

  for (n = 0; n < names->len; n++) {
    GstElement *element =
        gst_element_factory_make (g_ptr_array_index (names, n), NULL);

    GST_INFO_OBJECT (element, "alone");
    if (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK)) {
      g_autofree char *path = oct_test_file_path ("alone.npy");

      /* does not wait for a B-scan that never comes */
      g_object_set (element, "async", FALSE, NULL);
      if (g_object_class_find_property (
              G_OBJECT_GET_CLASS (element), "location"))
        g_object_set (element, "location", path, NULL);
      else if (strcmp (g_ptr_array_index (names, n), "octcomedisink") == 0)
        g_object_set (element, "library", FAKE_COMEDI_LIBRARY, "device",
            FAKE_COMEDI_DEVICE, NULL);
      else
        g_object_set (element, "port", 0, NULL); /* any free one */
    }
    /* the one that Aravis simulates */
    if (strcmp (g_ptr_array_index (names, n), "octcamerasrc") == 0)
      g_object_set (element, "camera", "Fake_1", NULL);
    /* nobody writes there */
    if (strcmp (g_ptr_array_index (names, n), "octdaqsrc") == 0)
      g_object_set (element, "socket", "none", NULL);
    for (i = 0; i < G_N_ELEMENTS (states); i++)
      set_state (element, states[i]);
    gst_object_unref (element);
  }
}
GST_END_TEST;

/* Made and thrown away without having been used. */
GST_START_TEST (test_unused)
{
  g_autoptr (GPtrArray) names = element_names ();
  guint n;

  for (n = 0; n < names->len; n++) {
    GstElement *element =
        gst_element_factory_make (g_ptr_array_index (names, n), NULL);

    ASSERT_OBJECT_REFCOUNT (element, "unused element", 1);
    gst_object_unref (element);
  }
}
GST_END_TEST;

/* --------------------------------------------------------------- pipelines */

static GstElement *
make (const char *launch)
{
  g_autofree char *full = oct_test_launch (launch);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (full, &error);

  fail_unless (error == NULL, "%s", error != NULL ? error->message : "");
  return pipeline;
}

static GstSample *
pull (GstElement *pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample = NULL;

  g_signal_emit_by_name (sink, "try-pull-sample", 30 * GST_SECOND, &sample);
  gst_object_unref (sink);
  return sample;
}

/* The next image; its start is written to `pts` unless that is NULL. */
static OctArray *
pull_image (GstElement *pipeline, GstClockTime *pts)
{
  GstSample *sample = pull (pipeline);
  OctArray *image;

  fail_unless (sample != NULL, "no image came");
  image = oct_test_read (
      gst_sample_get_buffer (sample), gst_sample_get_caps (sample));
  if (pts != NULL)
    *pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));
  gst_sample_unref (sample);
  return image;
}

static void
finish (GstElement *pipeline)
{
  set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* The buffers at a pad: appsink of GStreamer 1.22 loses B-scans when it is
 * started again. */
typedef struct {
  GMutex lock;
  GCond changed;
  guint count;
  OctArray *first;
} Watch;

static GstPadProbeReturn
watch_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Watch *watch = user_data;
  GstCaps *caps = gst_pad_get_current_caps (pad);

  g_mutex_lock (&watch->lock);
  if (watch->count++ == 0)
    watch->first = oct_test_read (GST_PAD_PROBE_INFO_BUFFER (info), caps);
  g_cond_signal (&watch->changed);
  g_mutex_unlock (&watch->lock);
  gst_caps_unref (caps);
  return GST_PAD_PROBE_OK;
}

/* The first image, as soon as there were `count`. */
static OctArray *
wait_for_images (Watch *watch, guint count)
{
  gint64 end = g_get_monotonic_time () + 30 * G_TIME_SPAN_SECOND;
  OctArray *first;

  g_mutex_lock (&watch->lock);
  while (watch->count < count)
    fail_unless (g_cond_wait_until (&watch->changed, &watch->lock, end));
  first = oct_array_rows (watch->first, 0, watch->first->rows);
  g_mutex_unlock (&watch->lock);
  return first;
}

GST_START_TEST (test_again_from_the_start)
{
  const GstState between[] = { GST_STATE_NULL, GST_STATE_READY, GST_STATE_NULL,
    GST_STATE_READY, GST_STATE_READY };
  GstElement *pipeline = make (SOURCE WITH_HISTORY " ! fakesink name=sink");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  Watch watch = { 0 };
  g_autoptr (OctArray) first = NULL;
  guint round;

  g_mutex_init (&watch.lock);
  g_cond_init (&watch.changed);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, watch_buffer, &watch, NULL);
  for (round = 0; round < G_N_ELEMENTS (between); round++) {
    g_autoptr (OctArray) again = NULL;

    watch.count = 0;
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    again = wait_for_images (&watch, 1 + 3 * round);
    set_state (pipeline, between[round]);
    g_clear_pointer (&watch.first, oct_array_free);
    if (first == NULL)
      first = g_steal_pointer (&again);
    else
      fail_unless (oct_array_equal (again, first), "round %u", round);
  }
  g_mutex_clear (&watch.lock);
  g_cond_clear (&watch.changed);
  gst_object_unref (pad);
  gst_object_unref (sink);
  finish (pipeline);
}
GST_END_TEST;

/* The elements downstream get the calibration again. */
GST_START_TEST (test_calibration_again)
{
  GstElement *pipeline =
      make ("octsrc location=@/u16.npy ! octdcsub "
            "calibration=@/k-index-101.csv ! octkresample ! fakesink");
  GstBus *bus = gst_element_get_bus (pipeline);
  guint round;

  for (round = 0; round < 4; round++) {
    GstMessage *message;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (
        bus, 30 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
    gst_message_unref (message);
    set_state (pipeline, round % 2 == 0 ? GST_STATE_READY : GST_STATE_NULL);
  }
  gst_object_unref (bus);
  finish (pipeline);
}
GST_END_TEST;

/* At whatever moment: right away, while the first B-scan is on its way, in the
 * middle of the stream. */
GST_START_TEST (test_stopped_while_running)
{
  /* with a sink that never holds up the stream, or what comes before a pause
   * depends on how full it is */
  GstElement *pipeline = make (SOURCE CHAIN " drop=true");
  guint round, i;

  for (round = 0; round < 24; round++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    for (i = 0; i < round % 6; i++)
      oct_array_free (pull_image (pipeline, NULL));
    if (round % 3 == 1) {
      /* a bin that is told to pause while it is still on its way to playing may
       * wait for ever, whatever is in it (GStreamer 1.22) */
      gst_element_get_state (pipeline, NULL, NULL, 30 * GST_SECOND);
      set_state (pipeline, GST_STATE_PAUSED);
    }
    set_state (pipeline, round % 4 == 2 ? GST_STATE_READY : GST_STATE_NULL);
  }
  finish (pipeline);
}
GST_END_TEST;

GST_START_TEST (test_every_step)
{
  const GstState steps[] = { GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL };
  GstElement *pipeline = make (SOURCE CHAIN);
  guint round, i;

  for (round = 0; round < 3; round++)
    for (i = 0; i < G_N_ELEMENTS (steps); i++)
      set_state (pipeline, steps[i]);
  finish (pipeline);
}
GST_END_TEST;

/* Elements that are unlinked, so that nothing can flow. */
GST_START_TEST (test_unlinked)
{
  GstElement *pipeline = make (SOURCE " ! octdcsub");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message =
      gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "nobody said that a pad is not linked");
  gst_message_unref (message);
  gst_object_unref (bus);
  finish (pipeline);
}
GST_END_TEST;

GST_START_TEST (test_many_pipelines)
{
  GstElement *pipelines[8];
  OctArray *images[G_N_ELEMENTS (pipelines)];
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (pipelines); i++) {
    pipelines[i] = make (SOURCE CHAIN);
    gst_element_set_state (pipelines[i], GST_STATE_PLAYING);
  }
  for (k = 0; k < 5; k++) {
    for (i = 0; i < G_N_ELEMENTS (pipelines); i++)
      images[i] = pull_image (pipelines[i], NULL);
    for (i = 1; i < G_N_ELEMENTS (pipelines); i++)
      fail_unless (oct_array_equal (images[i], images[0]));
    for (i = 0; i < G_N_ELEMENTS (pipelines); i++)
      oct_array_free (images[i]);
  }
  for (i = 0; i < G_N_ELEMENTS (pipelines); i++)
    finish (pipelines[i]);
}
GST_END_TEST;

/* ------------------------------------------------------------------- seeking
 */

static void
seek (GstElement *pipeline, GstFormat format, gint64 start, gint64 stop)
{
  fail_unless (gst_element_seek (pipeline, 1.0, format,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, start,
      stop < 0 ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET, stop));
}

static gboolean
at_end (GstElement *pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gboolean eos;

  g_object_get (sink, "eos", &eos, NULL);
  gst_object_unref (sink);
  return eos;
}

GST_START_TEST (test_flushing_seeks)
{
  const guint targets[] = { 7, 2, 9, 0, 5 };
  GstElement *pipeline = make (SOURCE CHAIN);
  OctArray *images[10];
  GstClockTime starts[10];
  guint i;

  set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < G_N_ELEMENTS (images); i++)
    images[i] = pull_image (pipeline, &starts[i]);
  for (i = 0; i < G_N_ELEMENTS (targets); i++) {
    g_autoptr (OctArray) image = NULL;
    GstClockTime pts;

    seek (pipeline, GST_FORMAT_TIME, starts[targets[i]], -1);
    image = pull_image (pipeline, &pts);
    fail_unless_equals_uint64 (pts, starts[targets[i]]);
    fail_unless (oct_array_equal (image, images[targets[i]]));
  }
  /* B-scans 3 and 4, then the end */
  seek (pipeline, GST_FORMAT_TIME, starts[3], starts[5]);
  for (i = 3; i < 5; i++) {
    g_autoptr (OctArray) image = pull_image (pipeline, NULL);

    fail_unless (oct_array_equal (image, images[i]));
  }
  fail_unless (pull (pipeline) == NULL && at_end (pipeline));
  /* and on from the end */
  seek (pipeline, GST_FORMAT_TIME, 0, -1);
  oct_array_free (images[1]);
  images[1] = pull_image (pipeline, NULL);
  fail_unless (oct_array_equal (images[1], images[0]));
  for (i = 0; i < G_N_ELEMENTS (images); i++)
    oct_array_free (images[i]);
  finish (pipeline);
}
GST_END_TEST;

/* A seek forgets the mean spectrum and the range of the B-scans before it. */
GST_START_TEST (test_seek_forgets_history)
{
  GstElement *pipeline = make (
      SOURCE WITH_HISTORY " ! appsink name=sink sync=false max-buffers=2");
  g_autoptr (OctArray) first = NULL, again = NULL;
  guint i;

  set_state (pipeline, GST_STATE_PLAYING);
  first = pull_image (pipeline, NULL);
  for (i = 0; i < 5; i++)
    oct_array_free (pull_image (pipeline, NULL));
  seek (pipeline, GST_FORMAT_TIME, 0, -1);
  again = pull_image (pipeline, NULL);
  fail_unless (oct_array_equal (again, first));
  finish (pipeline);
}
GST_END_TEST;

/* While an application seeks in a hurry, as with a slider. */
GST_START_TEST (test_many_seeks)
{
  GstElement *pipeline = make (SOURCE CHAIN);
  guint i;

  set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < 40; i++)
    seek (pipeline, GST_FORMAT_TIME, (i * 37 % 11) * GST_SECOND, -1);
  oct_array_free (pull_image (pipeline, NULL));
  finish (pipeline);
}
GST_END_TEST;

/* A seek that begins while caps are on their way through one pad. */
typedef struct {
  GstElement *pipeline;
  GstPad *source; /* flushes as soon as the seek has begun */
  GThread *thread;
  gint wait; /* caps that pass before; below 0: no seek */
} SeekInCaps;

static gpointer
seek_to_start (gpointer data)
{
  seek (data, GST_FORMAT_TIME, 0, -1);
  return NULL;
}

static GstPadProbeReturn
seek_in_caps (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  SeekInCaps *self = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS
      || g_atomic_int_add (&self->wait, -1) != 0)
    return GST_PAD_PROBE_OK;
  self->thread = g_thread_new ("seek", seek_to_start, self->pipeline);
  while (!GST_PAD_IS_FLUSHING (self->source) || !GST_PAD_IS_FLUSHING (pad))
    g_usleep (100);
  return GST_PAD_PROBE_OK;
}

static void
add_source_pad (const GValue *item, gpointer data)
{
  GstPad *pad = gst_element_get_static_pad (g_value_get_object (item), "src");

  if (pad != NULL)
    g_ptr_array_add (data, pad);
}

static GPtrArray *
list_source_pads (GstElement *pipeline)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (pipeline));

  while (gst_iterator_foreach (elements, add_source_pad, pads)
         == GST_ITERATOR_RESYNC) {
    g_ptr_array_set_size (pads, 0);
    gst_iterator_resync (elements);
  }
  gst_iterator_free (elements);
  return pads;
}

/* Changes while playing, to the element "changed"; caps are negotiated again
 * then. */
static const struct {
  const char *chain, *method;
  const char *warning; /* pattern; NULL: none */
} changes[] = {
  { " ! octdcsub ! octkresample ! octdispersion ! octfft name=changed"
    " ! octlogscale" },
  { " ! octreconstruct name=changed" },
  { " ! octreconstruct name=changed", "nufft" },
  { " ! octreconstruct name=changed method=nufft sampling-rate=0", "cs",
      "method=cs is not possible here: *" },
};

/* All at once, as the sink takes no more images for now. */
static void
change (GstElement *element, const char *method, guint n)
{
  static const char *const depths[] = { "64", "128" };

  g_usleep (20000);
  if (method != NULL)
    gst_util_set_object_arg (
        G_OBJECT (element), "method", n % 2 == 0 ? method : "resample");
  gst_util_set_object_arg (G_OBJECT (element), "depth-bins", depths[n % 2]);
}

/* Until a change has reached them: on a GPU octreconstruct holds some. */
static guint
n_images (void)
{
  return oct_test_on_gpu () ? 64 : 8;
}

static void
check_bus (GstElement *pipeline, const char *warning, const char *where)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  for (GstMessage *message; (message = gst_bus_pop_filtered (
                                 bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))
                            != NULL;
       gst_message_unref (message)) {
    g_autoptr (GError) error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING
                     && warning != NULL
                     && g_pattern_match_simple (warning, error->message),
        "%s: %s", where, error->message);
  }
}

/* It looks like caps that nobody takes, and is none: images go on. */
GST_START_TEST (test_seek_in_negotiation)
{
  g_autofree char *launch =
      g_strconcat (SOURCE, changes[__i__].chain, GREY_SINK, NULL);
  GstElement *pipeline = make (launch);
  g_autoptr (GstElement) changed =
      gst_bin_get_by_name (GST_BIN (pipeline), "changed");
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstPad) first = gst_element_get_static_pad (source, "src");
  guint n_seeks = 0, n_changes = 0;

  set_state (pipeline, GST_STATE_PLAYING);
  for (gint wait = 0; wait < 3; wait++) {
    g_autoptr (GPtrArray) pads = NULL;

    oct_array_free (pull_image (pipeline, NULL));
    pads = list_source_pads (pipeline);
    for (guint i = 0; i < pads->len; i++) {
      SeekInCaps self = { pipeline, first, NULL, wait };
      GstPad *pad = g_ptr_array_index (pads, i);
      gulong probe = gst_pad_add_probe (
          pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, seek_in_caps, &self, NULL);
      g_autofree char *where =
          g_strdup_printf ("caps %d of %s", wait, GST_PAD_NAME (pad));

      change (changed, changes[__i__].method, n_changes++);
      for (guint k = 0; k < n_images (); k++)
        oct_array_free (pull_image (pipeline, NULL));
      gst_pad_remove_probe (pad, probe);
      if (self.thread != NULL) {
        g_thread_join (self.thread);
        n_seeks++;
      }
      check_bus (pipeline, changes[__i__].warning, where);
    }
  }
  /* those in the caps of octfft, octlogscale and the caps filter at least */
  fail_unless (n_seeks >= 3, "%u", n_seeks);
  finish (pipeline);
}
GST_END_TEST

static GstPadProbeReturn
seek_and_set_back (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  SeekInCaps *self = data;
  g_autoptr (GstElement) element = NULL;

  if (self->thread != NULL)
    return GST_PAD_PROBE_OK;
  seek_in_caps (pad, info, data);
  if (self->thread == NULL)
    return GST_PAD_PROBE_OK;
  element = gst_bin_get_by_name (GST_BIN (self->pipeline), "changed");
  g_object_set (element, "depth-bins", 64, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "method", "resample");
  return GST_PAD_PROBE_OK;
}

/* One seek comes while a method is tried that is taken back at once, and the
 * next one in the caps of the elements that are linked again. */
GST_START_TEST (test_seek_behind_trial)
{
  GstElement *pipeline =
      make (SOURCE " ! octreconstruct name=changed" GREY_SINK);
  g_autoptr (GstElement) changed =
      gst_bin_get_by_name (GST_BIN (pipeline), "changed");
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstPad) first = gst_element_get_static_pad (source, "src");
  SeekInCaps seeks[2] = { { pipeline, first }, { pipeline, first } };
  GObject *parts[2];
  GstPad *pads[2];

  parts[0] =
      gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (changed), "cs");
  parts[1] =
      gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (changed), "logscale");
  set_state (pipeline, GST_STATE_PLAYING);
  oct_array_free (pull_image (pipeline, NULL));
  for (guint i = 0; i < 2; i++) {
    pads[i] = gst_element_get_static_pad (
        GST_ELEMENT (parts[i]), i == 0 ? "sink" : "src");
    gst_pad_add_probe (pads[i], GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
        i == 0 ? seek_and_set_back : seek_in_caps, &seeks[i], NULL);
  }
  gst_util_set_object_arg (G_OBJECT (changed), "method", "cs");
  for (guint i = 0; i < n_images (); i++)
    oct_array_free (pull_image (pipeline, NULL));
  for (guint i = 0; i < 2; i++) {
    fail_unless (seeks[i].thread != NULL, "%u", i);
    g_thread_join (seeks[i].thread);
    g_object_unref (parts[i]);
    gst_object_unref (pads[i]);
  }
  check_bus (pipeline, NULL, "the seeks");
  finish (pipeline);
}
GST_END_TEST

static Suite *
octstates_suite (void)
{
  Suite *suite = suite_create ("octstates");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, oct_test_remove_files);
  tcase_add_test (tcase, test_alone);
  tcase_add_test (tcase, test_unused);
  tcase_add_test (tcase, test_again_from_the_start);
  tcase_add_test (tcase, test_calibration_again);
  tcase_add_test (tcase, test_stopped_while_running);
  tcase_add_test (tcase, test_every_step);
  tcase_add_test (tcase, test_unlinked);
  tcase_add_test (tcase, test_many_pipelines);
  tcase_add_test (tcase, test_flushing_seeks);
  tcase_add_test (tcase, test_seek_forgets_history);
  tcase_add_test (tcase, test_many_seeks);
  tcase_add_loop_test (
      tcase, test_seek_in_negotiation, 0, G_N_ELEMENTS (changes));
  tcase_add_test (tcase, test_seek_behind_trial);
  return suite;
}

GST_CHECK_MAIN (octstates);
