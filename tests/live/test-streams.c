/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams that are ended while somebody asks for a key frame. */
#include "oct-live-streams.h"

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

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func (
      "/live/streams/key-frame-at-the-end", test_key_frame_at_the_end);
  return g_test_run ();
}
