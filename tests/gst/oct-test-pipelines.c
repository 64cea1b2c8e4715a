/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-pipelines.h"

#define WAIT (60 * GST_SECOND)

GstElement *
oct_test_make (const char *launch)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (launch, &error);

  fail_unless (error == NULL, "%s: %s", launch, error ? error->message : "");
  return pipeline;
}

GstElement *
oct_test_start (const char *launch)
{
  GstElement *pipeline = oct_test_make (launch);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

void
oct_test_stop (GstElement *pipeline)
{
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (pipeline);
}

char *
oct_test_take_error (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  gst_object_unref (bus);
  if (message == NULL)
    return NULL;
  gst_message_parse_error (message, &error, NULL);
  gst_message_unref (message);
  return g_strdup (error->message);
}

GstSample *
oct_test_pull_from (GstElement *pipeline, const char *name)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autofree char *error = NULL;
  GstSample *sample = NULL;
  gboolean eos = FALSE;

  g_signal_emit_by_name (sink, "try-pull-sample", WAIT, &sample);
  g_object_get (sink, "eos", &eos, NULL);
  gst_object_unref (sink);
  if (sample == NULL && !eos) {
    error = oct_test_take_error (pipeline);
    fail ("nothing came: %s", error != NULL ? error : "no error");
  }
  return sample;
}

/* The grey levels of an image in whatever format, or other values. */
static OctArray *
read_sample (GstSample *sample)
{
  GstCaps *caps = gst_sample_get_caps (sample);
  GstVideoInfo info;
  OctArray *array;
  GstVideoFrame frame;
  guint row, i, k;

  if (!gst_video_info_from_caps (&info, caps)
      || GST_VIDEO_INFO_FORMAT (&info) != GST_VIDEO_FORMAT_RGBA)
    return oct_test_read (gst_sample_get_buffer (sample), caps);
  fail_unless (gst_video_frame_map (
      &frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ));
  array = oct_array_new ('u', 1, info.height, info.width);
  for (row = 0; row < array->rows; row++) {
    const guint8 *pixel =
        (guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
        + (gsize)row * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);

    for (i = 0; i < array->columns; i++, pixel += 4) {
      array->data[(gsize)row * array->columns + i] = pixel[0];
      for (k = 1; k < 3; k++)
        fail_unless_equals_int (pixel[k], pixel[0]);
      fail_unless_equals_int (pixel[3], 255);
    }
  }
  gst_video_frame_unmap (&frame);
  return array;
}

OctArray *
oct_test_pull (GstElement *pipeline, const char *name)
{
  GstSample *sample = oct_test_pull_from (pipeline, name);
  OctArray *array;

  fail_unless (sample != NULL, "the end came too early");
  array = read_sample (sample);
  gst_sample_unref (sample);
  return array;
}

void
oct_test_compare_pipelines (GstElement *one, GstElement *other, guint count)
{
  guint i;

  for (i = 0; i < count; i++) {
    g_autoptr (OctArray) found = oct_test_pull (one, "sink");
    g_autoptr (OctArray) expected = oct_test_pull (other, "sink");

    GST_INFO ("B-scan %u", i);
    oct_test_compare (found, expected, 1);
  }
  fail_unless (oct_test_pull_from (one, "sink") == NULL);
  fail_unless (oct_test_pull_from (other, "sink") == NULL);
}

gboolean
oct_test_plays (const char *launch, const char **words)
{
  GstElement *pipeline = oct_test_make (launch);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gboolean ok;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 2 * WAIT, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL, "%s does not end", launch);
  ok = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  if (!ok) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_print ("%s: %s\n", GST_OBJECT_NAME (GST_MESSAGE_SRC (message)),
        error->message);
    for (; words != NULL && *words != NULL; words++)
      fail_unless (strstr (error->message, *words) != NULL,
          "'%s' is not in '%s'", *words, error->message);
  }
  gst_message_unref (message);
  gst_object_unref (bus);
  oct_test_stop (pipeline);
  return ok;
}

GstPadProbeReturn
oct_test_count_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_inc (&((OctTestCounter *)data)->count);
  return GST_PAD_PROBE_OK;
}

GstElement *
oct_test_start_counted (const char *launch, OctTestCounter *counter)
{
  GstElement *pipeline = oct_test_make (launch);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, oct_test_count_buffer, counter, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

void
oct_test_wait_for (GstElement *pipeline, OctTestCounter *counter, gint count)
{
  while (g_atomic_int_get (&counter->count) < count) {
    g_autofree char *error = oct_test_take_error (pipeline);

    fail_unless (error == NULL, "%s", error);
    g_usleep (2000);
  }
}
