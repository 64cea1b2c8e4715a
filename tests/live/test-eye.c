/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The half of each frame for one eye, also while sizes of frames change. */
#include "oct-live-eye.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#define FIRST                                                                  \
  40 /* grey levels of the left or upper half, and of the other one */
#define SECOND 200

static void
push (
    GstAppSrc *in, OctLiveStereo stereo, gint width, gint height, guint number)
{
  GstBuffer *frame =
      gst_buffer_new_allocate (NULL, (gsize)width * height * 4, NULL);
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, "BGRx", "width", G_TYPE_INT, width, "height", G_TYPE_INT,
      height, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);
  g_autoptr (GstSample) sample = NULL;
  GstMapInfo map;

  gst_buffer_map (frame, &map, GST_MAP_WRITE);
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      for (guint i = 0; i < 4; i++)
        map.data[((gsize)y * width + x) * 4 + i] =
            (stereo == OCT_LIVE_STEREO_SIDE ? x < width / 2 : y < height / 2)
                ? FIRST
                : SECOND;
  gst_buffer_unmap (frame, &map);
  GST_BUFFER_PTS (frame) = number * GST_SECOND / 30;
  sample = gst_sample_new (frame, caps, NULL, NULL);
  gst_app_src_push_sample (in, sample);
  gst_buffer_unref (frame);
}

static void
check (GstSample *sample, gint width, gint height, guint8 level)
{
  GstVideoInfo info;
  GstVideoFrame frame;

  g_assert_nonnull (sample);
  g_assert_true (
      gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  g_assert_cmpint (info.width, ==, width);
  g_assert_cmpint (info.height, ==, height);
  g_assert_true (gst_video_frame_map (
      &frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ));
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      g_assert_cmpuint (
          ((const guint8 *)GST_VIDEO_FRAME_PLANE_DATA (
              &frame, 0))[y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0) + 4 * x],
          ==, level);
  gst_video_frame_unmap (&frame);
  gst_sample_unref (sample);
}

/* All wait in the source before the first one goes on. */
static void
test_eye (gconstpointer data)
{
  static const gint sizes[][2] = { { 16, 16 }, { 320, 240 }, { 8, 8 },
    { 640, 480 }, { 16, 16 } };
  guint which = GPOINTER_TO_UINT (data);
  OctLiveStereo stereo = which < 2 ? OCT_LIVE_STEREO_SIDE : OCT_LIVE_STEREO_TOP;
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "appsrc name=in format=time ! videocrop name=crop ! appsink name=out "
      "sync=false",
      NULL);
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  g_autoptr (GstElement) crop =
      gst_bin_get_by_name (GST_BIN (pipeline), "crop");

  oct_live_eye_crop (crop, stereo, which % 2);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    push (GST_APP_SRC (in), stereo, sizes[i][0], sizes[i][1], i);
  gst_app_src_end_of_stream (GST_APP_SRC (in));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    check (gst_app_sink_pull_sample (GST_APP_SINK (out)),
        sizes[i][0] / (which < 2 ? 2 : 1), sizes[i][1] / (which < 2 ? 1 : 2),
        which % 2 == 0 ? FIRST : SECOND);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/live/eye/left", GUINT_TO_POINTER (0), test_eye);
  g_test_add_data_func ("/live/eye/right", GUINT_TO_POINTER (1), test_eye);
  g_test_add_data_func ("/live/eye/upper", GUINT_TO_POINTER (2), test_eye);
  g_test_add_data_func ("/live/eye/lower", GUINT_TO_POINTER (3), test_eye);
  return g_test_run ();
}
