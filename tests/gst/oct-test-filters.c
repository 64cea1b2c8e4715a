/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-filters.h"

#include <string.h>

void
oct_test_image_free (TestImage *image)
{
  g_free (image->pixels);
  gst_buffer_unref (image->buffer);
  gst_caps_unref (image->caps);
  g_free (image);
}

GstElement *
oct_test_filter_start (guint bscans, guint images, const char *behind)
{
  g_autofree char *text = g_strdup_printf (
      "octsrc num-buffers=%u bscans=%u lines=33 samples=256 seed=3 ! "
      "octreconstruct range=manual min=0 max=60 %s ! "
      "video/x-raw,format=NV12 ! appsink name=sink sync=false",
      images, bscans, behind);
  g_autofree char *launch = oct_test_launch (text);

  return oct_test_start (launch);
}

TestImage *
oct_test_filter_try_pull (GstElement *pipeline)
{
  g_autoptr (GstSample) sample = oct_test_pull_from (pipeline, "sink");
  GstVideoInfo info;
  GstVideoFrame frame;
  TestImage *image;

  if (sample == NULL)
    return NULL;
  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  image = g_new0 (TestImage, 1);
  image->buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
  image->caps = gst_caps_ref (gst_sample_get_caps (sample));
  fail_unless (
      gst_video_frame_map (&frame, &info, image->buffer, GST_MAP_READ));
  image->width = info.width;
  image->height = info.height;
  image->pixels = g_malloc ((gsize)image->width * image->height);
  for (guint y = 0; y < image->height; y++)
    memcpy (image->pixels + (gsize)y * image->width,
        (guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
            + (gsize)y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
        image->width);
  gst_video_frame_unmap (&frame);
  return image;
}

TestImage *
oct_test_filter_pull (GstElement *pipeline)
{
  TestImage *image = oct_test_filter_try_pull (pipeline);

  fail_unless (image != NULL, "the end came too early");
  return image;
}

void
oct_test_filter_segment (GstHarness *harness)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
}

static void
check_format (const char *element, const char *behind, const char *expected)
{
  g_autofree char *launch = g_strdup_printf (
      "octsrc num-buffers=1 lines=32 samples=256 ! octreconstruct ! "
      "%s name=filter backend=cpu ! %s ! appsink name=sink sync=false",
      element, behind);
  GstElement *pipeline = oct_test_start (launch);
  g_autoptr (GstSample) sample = oct_test_pull_from (pipeline, "sink");
  GstElement *filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");
  GstPad *pad = gst_element_get_static_pad (filter, "src");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  fail_unless_equals_string (gst_structure_get_string (s, "format"), expected);
  gst_object_unref (pad);
  gst_object_unref (filter);
  oct_test_stop (pipeline);
}

void
oct_test_filter_check_formats (const char *element)
{
  check_format (element, "videoconvert ! video/x-raw,format=I420", "NV12");
  check_format (
      element, "queue ! videoconvert ! video/x-raw,format=I420", "NV12");
  check_format (element, "video/x-raw,format=GRAY8", "GRAY8");
  check_format (element, "video/x-raw,format=GRAY16_LE", "GRAY16_LE");
  check_format (element, "identity", "GRAY8");
}
