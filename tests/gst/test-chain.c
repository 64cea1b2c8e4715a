/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The whole chain in pipelines against the float64 reference, from a file and
 * from an application, and sources that pad their rows as v4l2 does.
 */
#include "oct-test.h"

/* One of 255 grey levels; of 65535 that are 257. */
#define LEVELS_8 1
#define LEVELS_16 257

/* The sample that arrives at the sink named "sink"; fails on an error. */
static GstSample *
pull (GstElement *pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample = NULL;

  g_signal_emit_by_name (sink, "try-pull-sample", 30 * GST_SECOND, &sample);
  gst_object_unref (sink);
  if (sample == NULL) {
    GstBus *bus = gst_element_get_bus (pipeline);
    GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    g_autoptr (GError) error = NULL;

    if (message != NULL)
      gst_message_parse_error (message, &error, NULL);
    fail ("nothing came: %s", error != NULL ? error->message : "no error");
  }
  return sample;
}

static OctArray *
pull_array (GstElement *pipeline)
{
  GstSample *sample = pull (pipeline);
  OctArray *array = oct_test_read (
      gst_sample_get_buffer (sample), gst_sample_get_caps (sample));

  gst_sample_unref (sample);
  return array;
}

static GstElement *
start (const char *launch)
{
  g_autofree char *full = oct_test_launch (launch);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (full, &error);

  fail_unless (error == NULL, "%s", error != NULL ? error->message : "");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void
stop (GstElement *pipeline)
{
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (pipeline);
}

/* octsrc with the stored spectra ! the chain of the case ! appsink */
static void
run_file_case (const char *prefix, guint i)
{
  g_autoptr (OctTestCase) test = oct_test_get_case (prefix, i);
  g_autofree char *launch = g_strdup_printf (
      "octsrc location=@/%s.npy ! %s ! appsink name=sink sync=false",
      test->input_name, test->launch);
  GstElement *pipeline = start (launch);
  g_autoptr (OctArray) found = pull_array (pipeline);

  oct_test_compare (
      found, test->expected, test->expected->size == 2 ? LEVELS_16 : LEVELS_8);
  stop (pipeline);
}

GST_START_TEST (test_a_scans)
{
  run_file_case ("chain-", __i__);
}
GST_END_TEST;

GST_START_TEST (test_images)
{
  run_file_case ("image-", __i__);
}
GST_END_TEST;

/* ------------------------------------------------------------ an application
 */

static void
push (GstElement *pipeline, GstCaps *caps, GstBuffer *buffer)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstFlowReturn ret;

  if (caps != NULL)
    g_object_set (source, "caps", caps, NULL);
  g_signal_emit_by_name (source, "push-buffer", buffer, &ret);
  fail_unless_equals_int (ret, GST_FLOW_OK);
  gst_buffer_unref (buffer);
  gst_object_unref (source);
}

static GstElement *
start_application (const OctTestCase *test)
{
  g_autofree char *launch = g_strdup_printf (
      "appsrc name=source format=time ! %s ! appsink name=sink sync=false",
      test->launch);

  return start (launch);
}

GST_START_TEST (test_images_of_an_application)
{
  g_autoptr (OctTestCase) test = oct_test_get_case ("image-", __i__);
  GstElement *pipeline = start_application (test);
  GstCaps *caps = oct_test_caps (test->input, test->input->rows, NULL);
  guint n;

  /* several times: the second has buffers used before */
  for (n = 0; n < 4; n++) {
    g_autoptr (OctArray) found = NULL;

    push (pipeline, n == 0 ? caps : NULL, oct_test_buffer (test->input, 0, 0));
    found = pull_array (pipeline);
    oct_test_compare (found, test->expected,
        test->expected->size == 2 ? LEVELS_16 : LEVELS_8);
  }
  gst_caps_unref (caps);
  stop (pipeline);
}
GST_END_TEST;

/* A capture driver's buffers: rows on 64 or 4096 bytes, first row anywhere,
 * and GstVideoMeta to say so. */
GST_START_TEST (test_images_of_a_driver)
{
  const struct {
    gsize offset, stride;
  } layouts[] = { { 0, 256 }, { 192, 320 }, { 4096, 4096 } };
  g_autoptr (OctTestCase) test = oct_test_get_case ("image-", __i__);
  GstElement *pipeline;
  GstCaps *caps;
  guint i;

  if (test->input->kind != 'u')
    return;
  pipeline = start_application (test);
  caps = oct_test_caps (test->input, test->input->rows, NULL);
  for (i = 0; i < G_N_ELEMENTS (layouts); i++) {
    g_autoptr (OctArray) found = NULL;

    push (pipeline, i == 0 ? caps : NULL,
        oct_test_strided_buffer (
            test->input, layouts[i].offset, layouts[i].stride));
    found = pull_array (pipeline);
    oct_test_compare (found, test->expected,
        test->expected->size == 2 ? LEVELS_16 : LEVELS_8);
  }
  gst_caps_unref (caps);
  stop (pipeline);
}
GST_END_TEST;

/* The source and the size change in mid-stream, the chain follows. */
GST_START_TEST (test_cases_one_after_the_other)
{
  g_autoptr (OctTestCase) one = oct_test_get_case ("image-cubic", 0);
  g_autoptr (OctTestCase) other = oct_test_get_case ("image-one-line", 0);
  const OctTestCase *order[] = { one, other, one, other };
  GstElement *pipeline = start_application (one);
  guint i;

  fail_unless_equals_string (one->launch, other->launch);
  for (i = 0; i < G_N_ELEMENTS (order); i++) {
    GstCaps *caps =
        oct_test_caps (order[i]->input, order[i]->input->rows, NULL);
    g_autoptr (OctArray) found = NULL;

    push (pipeline, caps, oct_test_buffer (order[i]->input, 0, 0));
    gst_caps_unref (caps);
    found = pull_array (pipeline);
    oct_test_compare (found, order[i]->expected, LEVELS_8);
  }
  stop (pipeline);
}
GST_END_TEST;

/* After a tee, one branch holds the spectra that the other one processes in
 * place. */
GST_START_TEST (test_tee)
{
  GstElement *pipeline =
      start ("octsrc location=@/f32.npy loop=true "
             "num-buffers=20 ! tee name=t t. ! queue ! octdcsub ! octdcsub "
             "! fakesink sync=false t. ! queue ! appsink name=sink "
             "sync=false");
  g_autoptr (OctArray) expected = oct_test_input ("f32");
  guint i;

  for (i = 0; i < 20; i++) {
    g_autoptr (OctArray) found = pull_array (pipeline);

    fail_unless (oct_array_equal (found, expected), "B-scan %u", i);
  }
  stop (pipeline);
}
GST_END_TEST;

/* octsrc hands out the same memory in each round. */
GST_START_TEST (test_preloaded_loop)
{
  GstElement *pipeline =
      start ("octsrc location=@/f32.npy loop=true "
             "preload=true num-buffers=8 ! octdcsub ! appsink name=sink "
             "sync=false");
  g_autoptr (OctArray) expected = oct_test_expected ("octdcsub-bscan-f32");
  guint i;

  for (i = 0; i < 8; i++) {
    g_autoptr (OctArray) found = pull_array (pipeline);

    oct_test_compare (found, expected, 0);
  }
  stop (pipeline);
}
GST_END_TEST;

static Suite *
octchain_suite (void)
{
  Suite *suite = suite_create ("octchain");
  TCase *tcase = tcase_create ("general");
  const guint images = oct_test_count_cases ("image-");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_a_scans, 0, oct_test_count_cases ("chain-"));
  tcase_add_loop_test (tcase, test_images, 0, images);
  tcase_add_loop_test (tcase, test_images_of_an_application, 0, images);
  tcase_add_loop_test (tcase, test_images_of_a_driver, 0, images);
  tcase_add_test (tcase, test_cases_one_after_the_other);
  tcase_add_test (tcase, test_tee);
  tcase_add_test (tcase, test_preloaded_loop);
  return suite;
}

GST_CHECK_MAIN (octchain);
