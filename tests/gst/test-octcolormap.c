/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octcolormap: every pixel has the colour of its grey level, in both formats;
 * what caps say, changes of the map, files, and what is passed on.
 */
#include "oct-test-files.h"
#include "oct-test-pipelines.h"

#include <glib/gstdio.h>
#include <string.h>

#define SCAN                                                                   \
  "octsrc num-buffers=2 bscans=2 lines=33 samples=256 seed=3 ! "               \
  "octreconstruct range=manual min=0 max=60 "
#define SINK " ! appsink name=sink sync=false"

/* Largest difference of the grey levels of two pipelines; on a GPU they are not
 * equal to the bit. */
static gint
get_levels (void)
{
  return oct_test_on_gpu () ? 1 : 0;
}

/* The next image as rows without gaps, of its first plane. */
static guint8 *
pull (GstElement *pipeline, GstVideoInfo *info)
{
  g_autoptr (GstSample) sample = oct_test_pull_from (pipeline, "sink");
  GstVideoFrame frame;
  guint8 *pixels;
  guint row, stride;

  fail_unless (sample != NULL);
  fail_unless (gst_video_info_from_caps (info, gst_sample_get_caps (sample)));
  fail_unless (gst_video_frame_map (
      &frame, info, gst_sample_get_buffer (sample), GST_MAP_READ));
  row =
      GST_VIDEO_FRAME_WIDTH (&frame) * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, 0);
  stride = GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);
  pixels = g_malloc (row * info->height);
  for (gint y = 0; y < info->height; y++)
    memcpy (pixels + y * row,
        (guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 0) + y * stride, row);
  gst_video_frame_unmap (&frame);
  return pixels;
}

static GstElement *
start (const char *behind)
{
  g_autofree char *text = g_strconcat (SCAN, behind, SINK, NULL);
  g_autofree char *launch = oct_test_launch (text);

  return oct_test_start (launch);
}

/* Black, red, yellow, white in three equal parts, but for the rounding. */
static void
hot (guint8 level, guint8 color[3])
{
  for (guint k = 0; k < 3; k++)
    color[k] =
        (guint8)(255
                     * CLAMP (
                         (level - 95.625 * k) / (k < 2 ? 95.625 : 63.75), 0, 1)
                 + 0.5);
}

GST_START_TEST (test_rgba)
{
  GstElement *grey = start ("! video/x-raw,format=GRAY8");
  GstElement *colours =
      start ("! octcolormap map=hot ! video/x-raw,format=RGBA");
  gboolean any[256] = { FALSE };

  for (guint i = 0; i < 2; i++) {
    GstVideoInfo info, to;
    g_autofree guint8 *from = pull (grey, &info), *found = pull (colours, &to);
    gsize pixels = (gsize)info.width * info.height;

    fail_unless_equals_int (info.width, to.width);
    fail_unless_equals_int (info.height, to.height);
    fail_unless (gst_video_colorimetry_matches (&to.colorimetry, "sRGB"));
    for (gsize k = 0; k < pixels; k++) {
      guint8 color[3];

      hot (from[k], color);
      any[from[k]] = TRUE;
      for (guint c = 0; c < 3; c++)
        fail_unless (ABS (found[4 * k + c] - color[c]) <= 1 + 3 * get_levels (),
            "%u: %u", from[k], found[4 * k + c]);
      fail_unless_equals_int (found[4 * k + 3], 255);
    }
  }
  /* of black, grey and white */
  fail_unless (any[0] && any[128]);
  oct_test_stop (grey);
  oct_test_stop (colours);
}
GST_END_TEST;

/* NV12, which encoders get; also the default format. */
GST_START_TEST (test_nv12)
{
  GstElement *grey = start ("! video/x-raw,format=GRAY8");
  GstElement *colours = start ("! octcolormap map=grey");
  GstVideoInfo info, to;
  g_autofree guint8 *from = pull (grey, &info), *found = pull (colours, &to);

  fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (&to), GST_VIDEO_FORMAT_NV12);
  fail_unless (gst_video_colorimetry_matches (
      &to.colorimetry, GST_VIDEO_COLORIMETRY_BT709));
  for (gint i = 0; i < info.width * info.height; i++)
    fail_unless (
        ABS (found[i] - (16 + 219 * from[i] / 255.)) < 1 + get_levels (), "%u",
        from[i]);
  oct_test_stop (grey);
  oct_test_stop (colours);
}
GST_END_TEST;

/* ------------------------------------------------------------------ settings
 */

/* An image of all grey levels. */
static GstBuffer *
new_image (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 256, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < 256; i++)
    map.data[i] = (guint8)i;
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static GstHarness *
new_harness (const char *properties)
{
  g_autofree char *launch = g_strdup_printf ("octcolormap %s ! capsfilter "
                                             "caps=video/x-raw,format=RGBA",
      properties);
  GstHarness *harness = oct_test_harness (launch);

  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=16, height=16, framerate=10/1, "
      "pixel-aspect-ratio=1/2, z-spacing=(double)1e-6, bscans=2");
  return harness;
}

static void
expect_color (GstHarness *harness, guint8 level, guint32 rgb)
{
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (harness, new_image ());
  guint8 pixel[4];

  fail_unless (out != NULL);
  fail_unless_equals_int (gst_buffer_get_size (out), 4 * 256);
  gst_buffer_extract (out, 4 * level, pixel, 4);
  for (guint i = 0; i < 3; i++)
    fail_unless (ABS (pixel[i] - (gint)(rgb >> (16 - 8 * i) & 255)) <= 2,
        "%u %u", i, pixel[i]);
}

GST_START_TEST (test_live)
{
  GstHarness *harness = new_harness ("");

  /* viridis */
  expect_color (harness, 0, 0x440154);
  expect_color (harness, 255, 0xfde725);
  oct_test_set (harness, "octcolormap", "map", "hot");
  expect_color (harness, 0, 0x000000);
  expect_color (harness, 191, 0xffff00);
  oct_test_set (harness, "octcolormap", "map", "grey");
  expect_color (harness, 100, 0x646464);
  oct_test_set (harness, "octcolormap", "map", "depth");
  expect_color (harness, 0, 0x000000);
  oct_test_assert_quiet (oct_test_bus (harness));
  gst_harness_teardown (harness);
}
GST_END_TEST;

GST_START_TEST (test_file)
{
  g_autofree char *folder = g_dir_make_tmp ("oct-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "map.csv", NULL);
  g_autofree char *missing = g_build_filename (folder, "none.csv", NULL);
  g_autofree char *properties = g_strdup_printf ("map=file map-file=%s", path);
  GstHarness *harness;
  GstBus *bus;

  fail_unless (g_file_set_contents (
      path, "grey,red,green,blue\n0,0,0,1\n255,1,0,0\n", -1, NULL));
  harness = new_harness (properties);
  bus = oct_test_bus (harness);
  expect_color (harness, 0, 0x0000ff);
  expect_color (harness, 51, 0x3300cc);
  /* what cannot be read is told, and the former map stays */
  oct_test_set (harness, "octcolormap", "map-file", missing);
  expect_color (harness, 51, 0x3300cc);
  oct_test_assert_refused_live (bus, "none.csv", "`map-file`", NULL);
  gst_harness_teardown (harness);
  g_unlink (path);
  g_rmdir (folder);
}
GST_END_TEST;

GST_START_TEST (test_no_file)
{
  GstHarness *harness = new_harness ("map=file");

  fail_unless_equals_int (
      gst_harness_push (harness, new_image ()), GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (harness), "map=file of octcolormap",
      "set `map-file`", "map to viridis, hot, grey, depth or doppler", NULL);
  gst_harness_teardown (harness);
}
GST_END_TEST;

/* ------------------------------------------------------------------- passing
 */

GST_START_TEST (test_passes_on)
{
  GstHarness *harness = new_harness ("");
  GstBuffer *buffer = new_image ();
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstStructure) caps = NULL;
  GstOctScanPosition meta;
  double spacing = 0;
  gint bscans = 0, n = 0, d = 0;

  GST_BUFFER_PTS (buffer) = 5 * GST_SECOND;
  oct_test_add_scan_meta (buffer, 2, 8, 3);
  out = gst_harness_push_and_pull (harness, buffer);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 5 * GST_SECOND);
  meta = oct_test_get_scan_position (out);
  fail_unless (meta.bscans != 0 && meta.bscan == 2 && meta.volume == 3);
  caps = oct_test_output (harness);
  fail_unless (gst_structure_get_double (caps, "z-spacing", &spacing));
  fail_unless (gst_structure_get_int (caps, "bscans", &bscans));
  fail_unless (gst_structure_get_fraction (caps, "pixel-aspect-ratio", &n, &d));
  fail_unless (spacing == 1e-6 && bscans == 2 && n == 1 && d == 2);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
octcolormap_suite (void)
{
  Suite *suite = suite_create ("octcolormap");
  TCase *cases = tcase_create ("general");

  suite_add_tcase (suite, cases);
  tcase_add_test (cases, test_rgba);
  tcase_add_test (cases, test_nv12);
  tcase_add_test (cases, test_live);
  tcase_add_test (cases, test_file);
  tcase_add_test (cases, test_no_file);
  tcase_add_test (cases, test_passes_on);
  return suite;
}

GST_CHECK_MAIN (octcolormap);
