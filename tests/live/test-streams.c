/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams that are ended while somebody asks for a key frame, and pictures of
 * another format that come while the one before is still on its way. */
#include "oct-live-streams.h"

#include <gst/video/video.h>

#define WIDTH 64
#define HEIGHT 48
#define DEADLINE (300 * G_TIME_SPAN_SECOND)

typedef struct {
  OctLiveStreams *streams;
  GstObject *pipeline;
  gint inside; /* atomic: the encoder's thread is in on_frame() */
} Test;

static void
on_failed (const char *what, const char *message, gpointer data)
{
  g_error ("%s: %s", what, message);
}

/* As a viewer that loses packets while the pipeline is stopped. */
static void
on_frame (GstBuffer *frame, GstCaps *caps, gpointer data)
{
  Test *test = data;

  g_atomic_int_set (&test->inside, TRUE);
  while (GST_STATE_TARGET (test->pipeline) != GST_STATE_NULL)
    g_usleep (1000);
  /* one at once, the other with a timer */
  for (guint i = 0; i < 2; i++)
    oct_live_streams_request_key_frame (test->streams);
}

static GstObject *
find_pipeline (OctLiveStreams *streams)
{
  g_autoptr (GstPad) pad = oct_live_streams_get_image_pad (streams);
  GstObject *at = GST_OBJECT (pad);

  while (GST_OBJECT_PARENT (at) != NULL)
    at = GST_OBJECT_PARENT (at);
  return gst_object_ref (at);
}

static void
push_image (OctLiveStreams *streams, GstCaps *caps)
{
  g_autoptr (GstBuffer) image =
      gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();

  gst_buffer_memset (image, 0, 100, WIDTH * HEIGHT);
  GST_BUFFER_PTS (image) = gst_clock_get_time (clock);
  oct_live_streams_push (streams, image, caps, TRUE);
}

static void
test_key_frame_at_the_end (void)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT, WIDTH, "height", G_TYPE_INT,
      HEIGHT, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);
  g_autoptr (GError) error = NULL;
  gint64 until = g_get_monotonic_time () + DEADLINE;
  Test test = { 0 };

  test.streams = oct_live_streams_new (1000, on_failed, NULL, &error);
  if (test.streams == NULL) {
    g_test_skip (error->message);
    return;
  }
  test.pipeline = find_pipeline (test.streams);
  oct_live_streams_start (test.streams);
  oct_live_streams_add_receiver (test.streams, OCT_LIVE_H264, on_frame, &test);
  while (!g_atomic_int_get (&test.inside)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    push_image (test.streams, caps);
    g_main_context_iteration (NULL, FALSE);
    g_usleep (10000);
  }
  oct_live_streams_free (test.streams);
  /* nothing is left that would come back to it */
  g_assert_null (g_main_context_find_source_by_user_data (NULL, test.streams));
  gst_object_unref (test.pipeline);
}

/* ------------------------------------------------- pictures of another format
 */

#define PICTURES 8u
/* One is held up, two wait: the others are dropped. */
#define ARRIVE 3

typedef struct {
  gint release;       /* atomic */
  gint held, arrived; /* atomic: pictures */
  gint wrong;         /* atomic: those with the caps of another one */
} Crossing;

/* With the description of its layout, as elements make pictures; gives its time.
 */
static GstClockTime
show_picture (OctLiveStreams *streams, GstVideoFormat format)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  g_autoptr (GstBuffer) picture = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;

  gst_video_info_set_format (&info, format, WIDTH, HEIGHT);
  caps = gst_video_info_to_caps (&info);
  picture = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_buffer_memset (picture, 0, 100, GST_VIDEO_INFO_SIZE (&info));
  gst_buffer_add_video_meta (picture, 0, format, WIDTH, HEIGHT);
  GST_BUFFER_PTS (picture) = gst_clock_get_time (clock);
  oct_live_streams_show (streams, picture, caps);
  return GST_BUFFER_PTS (picture);
}

/* The thread that takes pictures out of the queue, held up with a picture in its hands. */
static GstPadProbeReturn
on_leaving (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Crossing *crossing = data;

  g_atomic_int_set (&crossing->held, TRUE);
  while (!g_atomic_int_get (&crossing->release))
    g_usleep (1000);
  return GST_PAD_PROBE_REMOVE;
}

static GstPadProbeReturn
on_arriving (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Crossing *crossing = data;
  GstVideoMeta *meta =
      gst_buffer_get_video_meta (GST_PAD_PROBE_INFO_BUFFER (info));
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo video;

  if (caps == NULL || !gst_video_info_from_caps (&video, caps)
      || GST_VIDEO_INFO_FORMAT (&video) != meta->format)
    g_atomic_int_inc (&crossing->wrong);
  g_atomic_int_inc (&crossing->arrived);
  return GST_PAD_PROBE_OK;
}

static void
wait_for (gint *number, gint wanted)
{
  gint64 until = g_get_monotonic_time () + DEADLINE;

  while (g_atomic_int_get (number) < wanted) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
}

/* All of them have come to the branches. */
static void
wait_for_image (OctLiveStreams *streams, GstClockTime time)
{
  gint64 until = g_get_monotonic_time () + DEADLINE;

  for (;;) {
    GstSample *image = oct_live_streams_get_image (streams);
    gboolean there =
        image != NULL && GST_BUFFER_PTS (gst_sample_get_buffer (image)) == time;

    if (image != NULL)
      gst_sample_unref (image);
    if (there)
      return;
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (1000);
  }
}

/* The change of the format must not be dropped with pictures, nor overtake the
 * one that has left the queue: videoconvert would read it in a wrong format. */
static void
test_format_changes (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  OctLiveStreams *streams =
      oct_live_streams_new (1000, on_failed, NULL, &error);
  g_autoptr (GstObject) pipeline = NULL;
  g_autoptr (GstElement) valve = NULL;
  g_autoptr (GstPad) sink = NULL, left = NULL;
  Crossing crossing = { 0 };
  GstClockTime last = 0;

  if (streams == NULL) {
    g_test_skip (error->message);
    return;
  }
  pipeline = find_pipeline (streams);
  valve = gst_bin_get_by_name (GST_BIN (pipeline), data);
  sink = gst_element_get_static_pad (valve, "sink");
  left = gst_pad_get_peer (sink);
  gst_pad_add_probe (
      sink, GST_PAD_PROBE_TYPE_BUFFER, on_arriving, &crossing, NULL);
  gst_pad_add_probe (left, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER,
      on_leaving, &crossing, NULL);
  oct_live_streams_start (streams);
  show_picture (streams, GST_VIDEO_FORMAT_GRAY8);
  wait_for (&crossing.held, TRUE);
  for (guint i = 1; i < PICTURES; i++)
    last = show_picture (streams, GST_VIDEO_FORMAT_RGBA);
  wait_for_image (streams, last);
  g_atomic_int_set (&crossing.release, TRUE);
  wait_for (&crossing.arrived, ARRIVE);
  g_assert_cmpint (g_atomic_int_get (&crossing.wrong), ==, 0);
  oct_live_streams_free (streams);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func (
      "/live/streams/key-frame-at-the-end", test_key_frame_at_the_end);
  g_test_add_data_func (
      "/live/streams/format-changes/h264", "valve-h264", test_format_changes);
  g_test_add_data_func (
      "/live/streams/format-changes/jpeg", "valve-jpeg", test_format_changes);
  return g_test_run ();
}
