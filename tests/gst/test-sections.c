/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * octenface and octslice: their pictures, against the reference; their times
 * and sizes, properties in micrometres, and the messages about settings that do
 * not fit.  The contents of a section: tests/volume.
 */
#include "oct-test.h"
#include "reference-section.h"

#include <math.h>
#include <string.h>

#define LINES 28
#define DEPTH 64
#define BSCANS 12
#define DC_ROWS 4 /* near zero delay: 1 of 16, as there are few */
#define SLICE (LINES * DEPTH)

#define IMAGES "video/x-raw, format=GRAY8, width=28, height=64, framerate=100/1"
#define GREY " ! capsfilter caps=video/x-raw,format=GRAY8"
/* voxels of 10 um each way */
#define CUBES "x-spacing=1e-5 y-spacing=1e-5 z-spacing=1e-5 refractive-index=1 "

/* The B-scans pushed so far, in the element's order. */
typedef struct {
  GstHarness *harness;
  guint8 voxels[BSCANS][DEPTH][LINES];
  guint8 there[BSCANS];
} Scan;

static Scan *
scan_new (const char *launch)
{
  Scan *scan = g_new0 (Scan, 1);

  scan->harness = oct_test_harness (launch);
  /* what is told beside errors comes by messages, too */
  gst_bus_set_sync_handler (oct_test_bus (scan->harness), NULL, NULL, NULL);
  gst_harness_set_src_caps_str (scan->harness, IMAGES);
  return scan;
}

static void
scan_free (Scan *scan)
{
  GstMessage *message;

  while ((message = gst_bus_pop (oct_test_bus (scan->harness))) != NULL)
    gst_message_unref (message);
  gst_harness_teardown (scan->harness);
  g_free (scan);
}

/* Tissue below a slope, with speckle. */
static void
fill (guint bscan, guint64 volume, guint8 image[DEPTH][LINES])
{
  g_autoptr (GRand) random =
      g_rand_new_with_seed ((guint32)(bscan + 100 * volume));

  for (guint z = 0; z < DEPTH; z++)
    for (guint x = 0; x < LINES; x++)
      image[z][x] = (guint8)(z < 15 + x / 3 + bscan / 2
                                 ? g_rand_int_range (random, 0, 30)
                                 : g_rand_int_range (random, 60, 250));
}

static void
push_at (Scan *scan, guint bscan, guint64 volume, GstClockTime time)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SLICE, NULL);

  fill (bscan, volume, scan->voxels[bscan]);
  scan->there[bscan] = TRUE;
  gst_buffer_fill (buffer, 0, scan->voxels[bscan], SLICE);
  GST_BUFFER_PTS (buffer) = time;
  GST_BUFFER_DURATION (buffer) = 10 * GST_MSECOND;
  oct_test_add_scan_meta (buffer, bscan, BSCANS, volume);
  fail_unless_equals_int (
      gst_harness_push (scan->harness, buffer), GST_FLOW_OK);
}

static void
push (Scan *scan, guint bscan, guint64 volume)
{
  push_at (scan, bscan, volume, (volume * BSCANS + bscan) * 10 * GST_MSECOND);
}

static void
push_volume (Scan *scan, guint64 volume)
{
  for (guint i = 0; i < BSCANS; i++)
    push (scan, i, volume);
}

/* The first plane of the next picture, rows without gaps. */
static guint8 *
pull (Scan *scan, GstVideoInfo *info)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (scan->harness);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (scan->harness->sinkpad);
  GstVideoFrame frame;
  guint8 *grey;

  fail_unless (buffer != NULL);
  fail_unless (gst_video_info_from_caps (info, caps));
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  grey = g_malloc ((gsize)info->width * info->height);
  for (gint y = 0; y < info->height; y++)
    memcpy (grey + y * info->width,
        (guint8 *)GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
            + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
        info->width);
  for (gint y = 0; y < info->height / 2
                   && GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_NV12;
       y++)
    for (gint x = 0; x < info->width / 2 * 2; x++)
      fail_unless_equals_int (
          ((guint8 *)GST_VIDEO_FRAME_PLANE_DATA (
              &frame, 1))[y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 1) + x],
          128);
  gst_video_frame_unmap (&frame);
  return grey;
}

static void
expect_levels (Scan *scan, const double *levels, guint width, guint height)
{
  GstVideoInfo info;
  g_autofree guint8 *found = pull (scan, &info);

  fail_unless_equals_int (info.width, width);
  fail_unless_equals_int (info.height, height);
  for (guint i = 0; i < width * height; i++)
    fail_unless (fabs (found[i] - CLAMP (levels[i], 0, 255)) < 0.52,
        "pixel %u: %u, not %g", i, found[i], levels[i]);
}

static ReferenceVolume
get_reference (Scan *scan)
{
  return (ReferenceVolume){ &scan->voxels[0][0][0], LINES, DEPTH, BSCANS };
}

static void
expect_enface (Scan *scan, const OctEnface *enface, guint width, guint height)
{
  g_autofree double *levels = g_new (double, (gsize)width *height);
  ReferenceVolume volume = get_reference (scan);

  oct_reference_enface (&volume, enface, scan->there, width, height, levels);
  expect_levels (scan, levels, width, height);
}

static void
expect_slice (Scan *scan, const OctSlice *slice, guint width, guint height)
{
  g_autofree double *levels = g_new (double, (gsize)width *height);
  ReferenceVolume volume = get_reference (scan);

  oct_reference_slice (&volume, slice, width, height, levels);
  expect_levels (scan, levels, width, height);
}

/* The next message of such a type; `words`: in its text, or NULL */
static gboolean
was_told (Scan *scan, const char *words)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (oct_test_bus (scan->harness), GST_MESSAGE_INFO);
  g_autoptr (GError) error = NULL;

  if (message == NULL)
    return FALSE;
  gst_message_parse_info (message, &error, NULL);
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
  return TRUE;
}

/* ------------------------------------------------------------------ en face
 */

/* At first, without any spacing: depths are counted, a row for each B-scan. */
GST_START_TEST (test_enface)
{
  Scan *scan = scan_new ("octenface start=20 thickness=30" GREY);
  const OctEnface mean = {
    .mode = OCT_ENFACE_MEAN, .start = 20, .thickness = 30, .is_auto = TRUE
  };

  for (guint volume = 0; volume < 2; volume++) {
    push_volume (scan, volume);
    expect_enface (scan, &mean, LINES, BSCANS);
  }
  fail_unless_equals_int (gst_harness_buffers_in_queue (scan->harness), 0);
  fail_unless (was_told (scan, "numbers of depths; set `z-spacing`"));
  fail_if (was_told (scan, ""));
  scan_free (scan);
}
GST_END_TEST

/* It grows with every B-scan, from the surface that is known so far. */
GST_START_TEST (test_enface_grows)
{
  Scan *scan = scan_new ("octenface update=scan flatten=true mode=max start=2 "
                         "thickness=3 surface-rise=30 surface-smoothing=2 "
                         "range=manual max=250" GREY ",framerate=100/1");
  const OctEnface enface = { .mode = OCT_ENFACE_MAX,
    .start = 2,
    .thickness = 3,
    .flatten = TRUE,
    .surface_from = DC_ROWS,
    .surface_rise = 30,
    .surface_radius = 2,
    .white = 250 };

  for (guint volume = 0; volume < 2; volume++)
    for (guint i = 0; i < BSCANS; i++) {
      push (scan, i, volume);
      expect_enface (scan, &enface, LINES, BSCANS);
    }
  scan_free (scan);
}
GST_END_TEST

/* Scanning pauses within a volume, or it ends there: the film had no room for
 * the last B-scans, and they are in a picture all the same. */
static void
check_pause (const char *launch, gboolean enface)
{
  Scan *scan = scan_new (launch);
  const OctEnface mean = { .mode = OCT_ENFACE_MEAN,
    .start = DC_ROWS,
    .thickness = DEPTH - DC_ROWS,
    .white = 255 };
  const OctSlice across = {
    .origin = { 14, 0, 0 }, .right = { 0, 1, 0 }, .down = { 0, 0, 1 }
  };
  const guint parts[] = { 1, 5, 8 };

  for (guint part = 0; part < G_N_ELEMENTS (parts); part++) {
    /* after a pause of a second, right after the picture of that time */
    for (guint i = part > 0 ? parts[part - 1] : 0; i < parts[part]; i++)
      push_at (scan, i, 0, (part / 2 * 1000 + i * 10) * GST_MSECOND);
    /* the film has room for the first of these */
    if (part == 2)
      gst_buffer_unref (gst_harness_pull (scan->harness));
    if (part == G_N_ELEMENTS (parts) - 1)
      gst_harness_push_event (scan->harness, gst_event_new_eos ());
    if (enface)
      expect_enface (scan, &mean, LINES, BSCANS);
    else
      expect_slice (scan, &across, BSCANS, DEPTH);
  }
  fail_unless_equals_int (gst_harness_buffers_in_queue (scan->harness), 0);
  scan_free (scan);
}

GST_START_TEST (test_pause)
{
  check_pause ("octenface update=scan range=manual max=255 scaling=none" GREY
               ",framerate=2/1",
      TRUE);
  check_pause ("octslice update=scan plane=cross position-x=0.5 " CUBES GREY
               ",framerate=2/1",
      FALSE);
}
GST_END_TEST

/* Micrometres of tissue, of the spacing in air in the caps; two depths are one
 * voxel, and both lateral spacings make the size. */
GST_START_TEST (test_enface_units)
{
  Scan *scan = scan_new ("octenface refractive-index=1.25 decimation=2 "
                         "y-spacing=2e-5 start=80 thickness=160 mode=depth "
                         "threshold=61" GREY);
  guint8 halves[BSCANS][DEPTH / 2][LINES];
  const ReferenceVolume volume = { &halves[0][0][0], LINES, DEPTH / 2, BSCANS };
  /* 5 um in air are 4 of tissue; a voxel has 8 */
  const OctEnface enface = {
    .mode = OCT_ENFACE_DEPTH, .start = 10, .thickness = 20, .threshold = 61
  };
  double levels[2 * LINES * BSCANS];

  gst_harness_set_src_caps_str (
      scan->harness, IMAGES ", x-spacing=1e-5, z-spacing=5e-6");
  push_volume (scan, 0);
  for (guint y = 0; y < BSCANS; y++)
    for (guint z = 0; z < DEPTH / 2; z++)
      for (guint x = 0; x < LINES; x++)
        halves[y][z][x] = (guint8)((scan->voxels[y][2 * z][x]
                                       + scan->voxels[y][2 * z + 1][x] + 1)
                                   / 2);
  oct_reference_enface (
      &volume, &enface, scan->there, LINES, 2 * BSCANS, levels);
  expect_levels (scan, levels, LINES, 2 * BSCANS);
  fail_if (was_told (scan, ""));
  scan_free (scan);
}
GST_END_TEST

/* Settings made while nothing is scanned take effect. */
GST_START_TEST (test_enface_live)
{
  Scan *scan = scan_new ("octenface thickness=5 crop-top=0" GREY);
  OctEnface enface = {
    .mode = OCT_ENFACE_MEAN, .thickness = 5, .threshold = 40, .is_auto = TRUE
  };

  push_volume (scan, 0);
  expect_enface (scan, &enface, LINES, BSCANS);
  oct_test_set (scan->harness, "octenface", "start", "30");
  enface.start = 30;
  expect_enface (scan, &enface, LINES, BSCANS);
  oct_test_set (scan->harness, "octenface", "mode", "sum");
  enface.mode = OCT_ENFACE_SUM;
  expect_enface (scan, &enface, LINES, BSCANS);
  scan_free (scan);
}
GST_END_TEST

/* Part of the slab is cropped, then all of it. */
GST_START_TEST (test_enface_cropped)
{
  Scan *scan = scan_new ("octenface start=10 thickness=20 mode=max "
                         "range=manual max=255 crop-top=0.25" GREY);
  OctEnface enface = {
    .mode = OCT_ENFACE_MAX, .start = 16, .thickness = 14, .white = 255
  };

  push_volume (scan, 0);
  expect_enface (scan, &enface, LINES, BSCANS);
  oct_test_set (scan->harness, "octenface", "crop-top", "1");
  enface.start = DEPTH;
  enface.thickness = 1;
  expect_enface (scan, &enface, LINES, BSCANS);
  scan_free (scan);
}
GST_END_TEST

GST_START_TEST (test_enface_missing)
{
  Scan *scan = scan_new ("octenface" GREY);
  const OctEnface enface = { .mode = OCT_ENFACE_MEAN,
    .start = DC_ROWS,
    .thickness = DEPTH - DC_ROWS,
    .is_auto = TRUE };
  g_autoptr (GstMessage) message = NULL;
  guint64 missing = 0;

  push_volume (scan, 0);
  expect_enface (scan, &enface, LINES, BSCANS);
  for (guint i = 0; i < BSCANS; i++)
    if (i != 4 && i != 7)
      push (scan, i, 1);
  expect_enface (scan, &enface, LINES, BSCANS);
  message =
      gst_bus_pop_filtered (oct_test_bus (scan->harness), GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL && gst_message_has_name (message, "oct-volume")
               && gst_structure_get_uint64 (
                   gst_message_get_structure (message), "missing", &missing));
  fail_unless_equals_uint64 (missing, 2);
  scan_free (scan);
}
GST_END_TEST

/* A seek that flushes forgets what was there, and what was found of it. */
GST_START_TEST (test_enface_flush)
{
  Scan *scan = scan_new ("octenface update=scan flatten=true thickness=4 "
                         "surface-rise=30" GREY ",framerate=100/1");
  const OctEnface enface = { .mode = OCT_ENFACE_MEAN,
    .thickness = 4,
    .flatten = TRUE,
    .surface_rise = 30,
    .surface_radius = 2,
    .is_auto = TRUE };
  GstSegment segment;

  for (guint i = 0; i < BSCANS; i++) {
    push (scan, i, 0);
    expect_enface (scan, &enface, LINES, BSCANS);
  }
  fail_unless (
      gst_harness_push_event (scan->harness, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (scan->harness, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (
      gst_harness_push_event (scan->harness, gst_event_new_segment (&segment)));
  memset (scan->voxels, 0, sizeof scan->voxels);
  memset (scan->there, 0, sizeof scan->there);
  for (guint i = 3; i < 6; i++) {
    push (scan, i, 0);
    expect_enface (scan, &enface, LINES, BSCANS);
  }
  scan_free (scan);
}
GST_END_TEST

/* ------------------------------------------------------------------- planes
 */

/* Through the middles of voxels, with square pixels of a voxel each. */
GST_START_TEST (test_slice_planes)
{
  Scan *scan = scan_new ("octslice " CUBES "position-y=0.625 position-x=0.45 "
                         "position-z=0.3" GREY);
  static const struct {
    const char *plane;
    OctSlice slice;
    guint width, height;
  } planes[] = {
    { "bscan", { { 0, 7.5f, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, LINES, DEPTH },
    { "cross", { { 12.6f, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, BSCANS, DEPTH },
    { "depth", { { 0, 0, 19.2f }, { 1, 0, 0 }, { 0, 1, 0 } }, LINES, BSCANS },
  };

  push_volume (scan, 0);
  for (guint i = 0; i < G_N_ELEMENTS (planes); i++) {
    if (i > 0)
      oct_test_set (scan->harness, "octslice", "plane", planes[i].plane);
    expect_slice (scan, &planes[i].slice, planes[i].width, planes[i].height);
  }
  fail_if (was_told (scan, ""));
  scan_free (scan);
}
GST_END_TEST

/* All of it is in the middle of a picture of any size, lengths the same both
 * ways: 12 x 64 voxels in 80 rows are 64, and 99 columns are 79.2 around them.
 */
GST_START_TEST (test_slice_size)
{
  Scan *scan = scan_new ("octslice " CUBES "plane=oblique yaw=90 "
                         "position-x=0.45" GREY ",width=99,height=80");
  const OctSlice cross = { { 12.6f, 6 - 39.6f, 0 }, { 0, .8f, 0 },
    { 0, 0, .8f } };

  push_volume (scan, 0);
  expect_slice (scan, &cross, 99, 80);
  scan_free (scan);
}
GST_END_TEST

/* Turned about the depth by 30 degrees, its lower end by 45 towards the front,
 * through the middle. */
GST_START_TEST (test_slice_oblique)
{
  Scan *scan = scan_new ("octslice " CUBES "plane=oblique yaw=30 tilt=-45 " GREY
                         ",width=99,height=80");
  double c = cos (G_PI / 6), s = sin (G_PI / 6), t = sqrt (.5);
  double wide = c * LINES + s * BSCANS;
  double high = s * t * LINES + c * t * BSCANS + t * DEPTH;
  double pixel = MAX (wide / 99, high / 80);
  const double right[3] = { c, s, 0 }, down[3] = { s * t, -c * t, t };
  const double middle[3] = { LINES / 2., BSCANS / 2., DEPTH / 2. };
  g_autofree double *levels = g_new (double, 99 * 80);
  g_autofree guint8 *found = NULL;
  ReferenceVolume volume;
  GstVideoInfo info;
  OctSlice slice;
  float *to[3] = { &slice.origin.x, &slice.right.x, &slice.down.x };
  guint differ = 0, inside = 0;

  for (guint i = 0; i < 3; i++) {
    to[0][i] = (float)(middle[i] - pixel * (49.5 * right[i] + 40 * down[i]));
    to[1][i] = (float)(pixel * right[i]);
    to[2][i] = (float)(pixel * down[i]);
  }
  push_volume (scan, 0);
  volume = get_reference (scan);
  oct_reference_slice (&volume, &slice, 99, 80, levels);
  found = pull (scan, &info);
  for (guint i = 0; i < 99 * 80; i++) {
    differ += fabs (found[i] - MAX (levels[i], 0)) > 0.55;
    inside += levels[i] >= 0;
  }
  /* at the faces of the volume a pixel is inside or not by rounding */
  fail_unless (differ <= 4, "%u", differ);
  fail_unless (inside > 500, "%u", inside);
  scan_free (scan);
}
GST_END_TEST

/* Spacings that are unknown are assumed as in octvolume, with one warning. */
GST_START_TEST (test_slice_spacing)
{
  Scan *scan = scan_new ("octslice plane=depth x-spacing=1e-5" GREY);
  GstVideoInfo info;

  push_volume (scan, 0);
  g_free (pull (scan, &info));
  /* as wide as long */
  fail_unless_equals_int (info.width, LINES);
  fail_unless_equals_int (info.height, LINES);
  fail_unless (was_told (scan, "are assumed; set `x-spacing`"));
  push_volume (scan, 1);
  g_free (pull (scan, &info));
  fail_if (was_told (scan, ""));
  scan_free (scan);
}
GST_END_TEST

/* --------------------------------------------------------------------- caps */

static const struct {
  const char *launch;
  gint width, height, aspect_n, aspect_d;
} sizes[] = {
  { "octenface x-spacing=1e-5 y-spacing=3e-5", LINES, 3 * BSCANS, 1, 1 },
  { "octenface x-spacing=2.5e-5 y-spacing=1e-5", 70, BSCANS, 1, 1 },
  { "octenface x-spacing=2e-5 y-spacing=3e-5 scaling=none", LINES, BSCANS, 2,
      3 },
  { "octenface scaling=square", LINES, BSCANS, 1, 1 },
  { "octslice " CUBES "y-spacing=2e-5 plane=cross", 2 * BSCANS, DEPTH, 1, 1 },
  { "octslice " CUBES "decimation=4", LINES, DEPTH, 1, 1 },
  { "octslice x-spacing=1e-5 y-spacing=1e-5 z-spacing=2e-5 "
    "refractive-index=2 plane=bscan",
      LINES, DEPTH, 1, 1 },
};

GST_START_TEST (test_sizes)
{
  g_autofree char *launch = g_strconcat (sizes[__i__].launch, GREY, NULL);
  Scan *scan = scan_new (launch);
  GstVideoInfo info;

  push_volume (scan, 0);
  g_free (pull (scan, &info));
  fail_unless_equals_int (info.width, sizes[__i__].width);
  fail_unless_equals_int (info.height, sizes[__i__].height);
  fail_unless_equals_int (
      info.par_n * sizes[__i__].aspect_d, info.par_d * sizes[__i__].aspect_n);
  fail_unless_equals_int (info.colorimetry.range, GST_VIDEO_COLOR_RANGE_0_255);
  scan_free (scan);
}
GST_END_TEST

/* Whether the caps of the pictures say that they are from above, and how far
 * their pixels are apart; 0: they do not say it.  1e-12 m is rounding. */
static void
expect_view (Scan *scan, double x, double y)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (scan->harness->sinkpad);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  double found_x = 0.0, found_y = 0.0;

  fail_unless_equals_string (gst_structure_get_string (s, "view"), "en-face");
  fail_unless_equals_int (
      gst_structure_get_double (s, "x-spacing", &found_x), x > 0.0);
  fail_unless_equals_int (
      gst_structure_get_double (s, "y-spacing", &found_y), y > 0.0);
  fail_if (gst_structure_has_field (s, "z-spacing"));
  fail_unless (ABS (found_x - x) < 1e-12 && ABS (found_y - y) < 1e-12,
      "pixels of %g x %g m, expected %g x %g", found_x, found_y, x, y);
}

static const struct {
  const char *launch;
  double x, y;
} views[] = {
  { "octenface", 0.0, 0.0 },
  { "octenface x-spacing=2e-5 y-spacing=3e-5 scaling=none", 2e-5, 3e-5 },
  { "octenface x-spacing=2e-5 y-spacing=3e-5", 2e-5, 2e-5 },
  { "octenface y-spacing=3e-5", 0.0, 3e-5 },
  /* 28 A-lines and 12 B-scans in so many pixels */
  { "octenface x-spacing=2e-5 y-spacing=3e-5 ! "
    "capsfilter caps=video/x-raw,width=7,height=36",
      8e-5, 1e-5 },
};

GST_START_TEST (test_view)
{
  g_autofree char *launch = g_strconcat (views[__i__].launch, GREY, NULL);
  Scan *scan = scan_new (launch);
  GstVideoInfo info;

  push_volume (scan, 0);
  g_free (pull (scan, &info));
  expect_view (scan, views[__i__].x, views[__i__].y);
  scan_free (scan);
}
GST_END_TEST

/* The distances change, by a property and in the stream. */
GST_START_TEST (test_view_changes)
{
  Scan *scan = scan_new ("octenface y-spacing=3e-5 scaling=none" GREY);
  GstVideoInfo info;

  push_volume (scan, 0);
  g_free (pull (scan, &info));
  expect_view (scan, 0.0, 3e-5);
  oct_test_set (scan->harness, "octenface", "y-spacing", "5e-5");
  push_volume (scan, 1);
  g_free (pull (scan, &info));
  expect_view (scan, 0.0, 5e-5);
  gst_harness_set_src_caps_str (
      scan->harness, IMAGES ", x-spacing=(double)4e-6");
  push_volume (scan, 2);
  g_free (pull (scan, &info));
  expect_view (scan, 4e-6, 5e-5);
  scan_free (scan);
}
GST_END_TEST

/* Encoders get NV12 that says what its values mean. */
static const char *const encoded[] = { "octenface", "octslice " CUBES };

GST_START_TEST (test_nv12)
{
  g_autofree char *launch = g_strconcat (encoded[__i__],
      " ! capsfilter caps=\"video/x-raw,format={I420,NV12,GRAY8},width=60,"
      "height=40\"",
      NULL);
  Scan *scan = scan_new (launch);
  GstVideoInfo info;
  g_autofree guint8 *grey = NULL;

  push_volume (scan, 0);
  grey = pull (scan, &info);
  fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (&info), GST_VIDEO_FORMAT_NV12);
  fail_unless_equals_int (info.colorimetry.range, GST_VIDEO_COLOR_RANGE_0_255);
  scan_free (scan);
}
GST_END_TEST

/* ------------------------------------------------------------------- errors
 */

GST_START_TEST (test_min_above_max)
{
  Scan *scan = scan_new ("octenface range=manual min=10 max=90" GREY);
  OctEnface enface = { .mode = OCT_ENFACE_MEAN,
    .start = DC_ROWS,
    .thickness = DEPTH - DC_ROWS,
    .black = 10,
    .white = 90 };

  push_volume (scan, 0);
  expect_enface (scan, &enface, LINES, BSCANS);
  oct_test_set (scan->harness, "octenface", "min", "100");
  /* drawn once more, as it was */
  expect_enface (scan, &enface, LINES, BSCANS);
  oct_test_assert_refused_live (oct_test_bus (scan->harness), "min=100, max=90",
      "The previous range stays in use until then: min=10", NULL);
  scan_free (scan);
}
GST_END_TEST

static const char *const unknown[] = { "octenface", "octslice" };

GST_START_TEST (test_no_bscans)
{
  Scan *scan = scan_new (unknown[__i__]);
  g_autofree char *words = g_strdup_printf ("`bscans` of %s", unknown[__i__]);

  fail_unless_equals_int (gst_harness_push (scan->harness,
                              gst_buffer_new_memdup (scan->voxels, SLICE)),
      GST_FLOW_ERROR);
  oct_test_assert_error (oct_test_bus (scan->harness), words, NULL);
  scan_free (scan);
}
GST_END_TEST

/* A scan with gaps that nothing has filled in: said once, and drawn. */
GST_START_TEST (test_gaps)
{
  static const struct {
    const char *elements;
    guint warnings;
  } cases[] = { { "octfft ! octlogscale", 1 },
    { "octfft ! octvolumecs ! octlogscale", 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *launch = g_strdup_printf (
        "octsrc phantom=surgery samples=512 lines=24 bscans=6 num-buffers=12 "
        "scan-mask=scattered scan-rate=0.4 ! octdcsub ! octkresample ! %s ! "
        "octenface ! fakesink",
        cases[i].elements);
    g_autoptr (GstElement) pipeline = gst_parse_launch (launch, NULL);
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    GstMessage *message;
    guint warnings = 0;
    gboolean has_ended = FALSE;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    while (!has_ended) {
      message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
      fail_unless (message != NULL);
      fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
      has_ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
        g_autoptr (GError) error = NULL;

        gst_message_parse_warning (message, &error, NULL);
        fail_unless (strstr (error->message, "of the 144 A-lines")
                         && strstr (error->message, "octvolumecs"),
            "%s", error->message);
        warnings++;
      }
      gst_message_unref (message);
    }
    gst_element_set_state (pipeline, GST_STATE_NULL);
    fail_unless_equals_int (warnings, cases[i].warnings);
  }
}

GST_END_TEST

/* Images that are equal have equal checksums: what is between their rows is
 * always 0. */
GST_START_TEST (test_padding)
{
  static const char *const formats[] = { "GRAY8", "NV12" };
  g_autofree char *launch = g_strdup_printf (
      "octslice plane=bscan decimation=1 " CUBES "! capsfilter "
      "caps=video/x-raw,format=%s",
      formats[__i__]);
  Scan *scan = scan_new (launch);
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;
  GstMapInfo map;

  gst_harness_set_src_caps_str (scan->harness,
      "video/x-raw, format=GRAY8, width=27, height=63, framerate=100/1");
  for (guint i = 0; i < BSCANS; i++) {
    GstBuffer *image = gst_buffer_new_allocate (NULL, (gsize)28 * 63, NULL);

    gst_buffer_memset (image, 0, 100, (gsize)28 * 63);
    GST_BUFFER_PTS (image) = i * 10 * GST_MSECOND;
    oct_test_add_scan_meta (image, i, BSCANS, 0);
    fail_unless_equals_int (
        gst_harness_push (scan->harness, image), GST_FLOW_OK);
  }
  buffer = gst_harness_pull (scan->harness);
  caps = gst_pad_get_current_caps (scan->harness->sinkpad);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (info.width, 27);
  fail_unless_equals_int (info.height, 63);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, info.size);
  for (gint y = 0; y < info.height; y++)
    fail_unless_equals_int (map.data[y * 28 + 27], 0);
  for (gsize i = (gsize)info.height * 28;
       i < info.offset[1] && info.finfo->n_planes > 1; i++)
    fail_unless_equals_int (map.data[i], 0);
  gst_buffer_unmap (buffer, &map);
  scan_free (scan);
}
GST_END_TEST

static Suite *
sections_suite (void)
{
  Suite *suite = suite_create ("sections");
  TCase *cases = tcase_create ("general");

  suite_add_tcase (suite, cases);
  tcase_add_test (cases, test_enface);
  tcase_add_test (cases, test_enface_grows);
  tcase_add_test (cases, test_pause);
  tcase_add_test (cases, test_enface_units);
  tcase_add_test (cases, test_enface_live);
  tcase_add_test (cases, test_enface_cropped);
  tcase_add_test (cases, test_enface_missing);
  tcase_add_test (cases, test_enface_flush);
  tcase_add_test (cases, test_slice_planes);
  tcase_add_test (cases, test_slice_size);
  tcase_add_test (cases, test_slice_oblique);
  tcase_add_test (cases, test_slice_spacing);
  tcase_add_loop_test (cases, test_sizes, 0, G_N_ELEMENTS (sizes));
  tcase_add_loop_test (cases, test_view, 0, G_N_ELEMENTS (views));
  tcase_add_test (cases, test_view_changes);
  tcase_add_loop_test (cases, test_nv12, 0, G_N_ELEMENTS (encoded));
  tcase_add_test (cases, test_gaps);
  tcase_add_test (cases, test_min_above_max);
  tcase_add_loop_test (cases, test_padding, 0, 2);
  tcase_add_loop_test (cases, test_no_bscans, 0, G_N_ELEMENTS (unknown));
  return suite;
}

GST_CHECK_MAIN (sections);
