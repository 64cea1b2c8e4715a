/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of volumes whose values are known. */
#include "oct-live-levels.h"
#include "oct-live-scene.h"

#include <gst/video/video.h>
#include <string.h>

#define LINES 40
#define DEPTHS 60
#define BSCANS 30
#define DEADLINE (300 * G_TIME_SPAN_SECOND)

typedef struct {
  OctLiveScene *scene;
  GMutex lock;
  GstBuffer *last;
  GstCaps *caps;
  guint pictures;
  char *failure;
} Test;

static void
on_picture (GstBuffer *picture, GstCaps *caps, gpointer data)
{
  Test *test = data;

  g_mutex_lock (&test->lock);
  gst_buffer_replace (&test->last, picture);
  gst_caps_replace (&test->caps, caps);
  test->pictures++;
  g_mutex_unlock (&test->lock);
}

static void
on_failed (const char *message, gpointer data)
{
  g_error ("%s", message);
}

/* A handler that shows another scene on failure. */
static void
on_expected (const char *message, gpointer data)
{
  Test *test = data;

  g_assert_null (test->failure);
  test->failure = g_strdup (message);
  g_clear_pointer (&test->scene, oct_live_scene_free);
}

/* A depth is as far as two A-lines or B-scans are. */
static const OctLiveScan scan = { .lines = LINES,
  .depths = DEPTHS,
  .bscans = BSCANS,
  .width = LINES * 10e-6,
  .length = (BSCANS - 1) * 10e-6,
  .z_spacing = 1.25 * 20e-6,
  .refractive_index = 1.25 };

static void
begin (Test *test, OctLiveShow show)
{
  static const OctLiveSceneEvents events = { on_picture, on_failed };
  g_autoptr (GError) error = NULL;
  OctLiveLook look;

  memset (test, 0, sizeof *test);
  g_mutex_init (&test->lock);
  oct_live_look_init (&look);
  look.values[OCT_LIVE_SHOW] = show;
  test->scene = oct_live_scene_new (&scan, &look, FALSE, &events, test, &error);
  g_assert_no_error (error);
}

static void
end (Test *test)
{
  oct_live_scene_free (test->scene);
  gst_clear_buffer (&test->last);
  gst_clear_caps (&test->caps);
  g_mutex_clear (&test->lock);
}

/* Grey levels that say where they are; each position differs from its
 * neighbours by the same in one direction. */
static guint8
level_at (guint x, guint y, guint z)
{
  return (guint8)(40 + x + 3 * y + z / 2);
}

static void
push_volume_of (Test *test, guint bytes)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, bytes == 2 ? "GRAY16_LE" : "GRAY8", "width", G_TYPE_INT,
      LINES, "height", G_TYPE_INT, DEPTHS, "framerate", GST_TYPE_FRACTION, 25,
      1, NULL);

  for (guint y = 0; y < BSCANS; y++) {
    g_autoptr (GstBuffer) image =
        gst_buffer_new_allocate (NULL, (gsize)bytes * LINES * DEPTHS, NULL);
    GstMapInfo map;

    gst_buffer_map (image, &map, GST_MAP_WRITE);
    for (guint i = 0; i < LINES * DEPTHS; i++) {
      guint8 level = level_at (i % LINES, y, i / LINES);

      if (bytes == 1)
        map.data[i] = level;
      else
        GST_WRITE_UINT16_LE (map.data + 2 * i, level * 257);
    }
    gst_buffer_unmap (image, &map);
    /* slowly enough that each could be in a picture */
    GST_BUFFER_PTS (image) = y * 40 * GST_MSECOND;
    oct_live_scene_push (test->scene, image, caps);
  }
}

static void
push_volume (Test *test)
{
  push_volume_of (test, 1);
}

/* The grey level in a part of the picture, luma where it is in colour. */
static guint8
look_at (Test *test, const OctLivePanel *panel, double x, double y)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  guint8 level;

  g_assert_true (gst_video_info_from_caps (&info, test->caps));
  g_assert_true (gst_video_frame_map (&frame, &info, test->last, GST_MAP_READ));
  level = ((guint8 *)GST_VIDEO_FRAME_PLANE_DATA (
      &frame, 0))[(gint)(panel->y + y * panel->height)
                      * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0)
                  + (gint)(panel->x + x * panel->width)];
  gst_video_frame_unmap (&frame);
  return level;
}

/* Whether the picture shows a known level there, to the rounding of pixels and
 * of the interpolation between voxels. */
static gboolean
shows (Test *test, const OctLivePanel *panel, double x, double y, double level)
{
  gboolean right = FALSE;

  g_mutex_lock (&test->lock);
  if (test->last != NULL)
    right = ABS (look_at (test, panel, x, y) - level) <= 3.0;
  g_mutex_unlock (&test->lock);
  return right;
}

static void
expect (Test *test, const OctLivePanel *panel, double x, double y, double level)
{
  gint64 until = g_get_monotonic_time () + DEADLINE;

  while (!shows (test, panel, x, y, level)) {
    if (g_get_monotonic_time () > until)
      g_error ("at %g, %g there is not %g but %u", x, y, level,
          look_at (test, panel, x, y));
    g_main_context_iteration (NULL, FALSE);
    oct_live_scene_repeat (test->scene);
    g_usleep (2000);
  }
}

/* At parts of the volume. */
static double
level_of (double x, double y, double z)
{
  return 40 + (x * LINES - 0.5) + 3 * (y * BSCANS - 0.5)
         + (z * DEPTHS - 0.5) / 2;
}

static void
set (Test *test, OctLiveShow show, guint value, double number)
{
  OctLiveLook look;

  oct_live_look_init (&look);
  look.values[OCT_LIVE_SHOW] = show;
  /* the levels of these volumes are a ramp, in which no noise is to be found */
  look.values[OCT_LIVE_THRESHOLD] = 0.0;
  look.values[value] = number;
  g_assert_true (oct_live_scene_fits (test->scene, &look));
  oct_live_scene_set (test->scene, &look);
}

/* ------------------------------------------------------------------- tests */

static void
test_sizes (void)
{
  const struct {
    double width, length, z_spacing;
    double size[3];
  } cases[] = {
    /* of 100 A-lines x 50 depths, index 1.25 */
    { 4e-3, 2e-3, 1e-5, { 4e-3, 2e-3, 0.4e-3 } },
    { 4e-3, 0, 1e-5, { 4e-3, 4e-3, 0.4e-3 } },
    { 0, 2e-3, 1e-5, { 2e-3, 2e-3, 0.4e-3 } },
    { 0, 0, 1e-5, { 0.8e-3, 0.8e-3, 0.4e-3 } },
    { 4e-3, 2e-3, 0, { 4e-3, 2e-3, 2e-3 } },
    { 0, 0, 0, { 2e-3, 2e-3, 1e-3 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const OctLiveScan known = { .lines = 100,
      .depths = 50,
      .bscans = 10,
      .width = cases[i].width,
      .length = cases[i].length,
      .z_spacing = cases[i].z_spacing,
      .refractive_index = 1.25 };
    double size[3];

    oct_live_scan_get_size (&known, size);
    for (guint k = 0; k < 3; k++)
      g_assert_cmpfloat_with_epsilon (size[k], cases[i].size[k], 1e-9);
  }
}

/* Memory is for the recording. */
static void
test_too_large (void)
{
  static const OctLiveSceneEvents events = { on_picture, on_failed };
  OctLiveScan large = scan;
  g_autoptr (GError) error = NULL;
  OctLiveLook look;

  oct_live_look_init (&look);
  look.values[OCT_LIVE_SHOW] = OCT_LIVE_EN_FACE;
  large.lines = large.depths = 1024;
  large.bscans = 513;
  g_assert_null (
      oct_live_scene_new (&large, &look, FALSE, &events, NULL, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "513 B-scans of 1024 A-lines"));
  g_assert_nonnull (strstr (error->message, "--bscans"));
}

static void
check_number (const OctLiveLookField *field, GParamSpec *spec)
{
  if (G_IS_PARAM_SPEC_UINT (spec) || G_IS_PARAM_SPEC_INT (spec)
      || G_IS_PARAM_SPEC_DOUBLE (spec)) {
    g_auto (GValue) value = G_VALUE_INIT, first = G_VALUE_INIT;
    const double numbers[] = { field->least, field->most, field->first };

    for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
      g_value_init (&first, G_TYPE_DOUBLE);
      g_value_set_double (&first, numbers[i]);
      g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (spec));
      g_assert_true (g_value_transform (&first, &value));
      /* TRUE where it had to be changed */
      g_assert_false (g_param_value_validate (spec, &value));
      g_value_unset (&value);
      g_value_unset (&first);
    }
  } else {
    g_error ("%s is not a number", field->property);
  }
}

/* Words that are numbers of two properties. */
static void
check_words (const OctLiveLookField *field, GstElement *element)
{
  const char *const names[] = { field->property, field->also };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (guint k = 0; field->choices[k] != NULL; k++) {
      guint number;

      gst_util_set_object_arg (G_OBJECT (element), names[i], field->choices[k]);
      g_object_get (element, names[i], &number, NULL);
      /* windows have a middle */
      g_assert_cmpuint (number % 2, ==, 1);
      g_assert_cmpuint (
          number, ==, g_ascii_strtoull (field->choices[k], NULL, 10));
    }
}

/* The values that a page may send are accepted by the elements. */
static void
test_properties (void)
{
  for (guint i = 0; i < OCT_LIVE_N_LOOKS; i++) {
    const OctLiveLookField *field = &oct_live_look_fields[i];
    g_autoptr (GstElement) element = NULL;
    GParamSpec *spec;

    if (field->element == NULL)
      continue;
    g_test_message ("%s", field->name);
    element =
        gst_object_ref_sink (gst_element_factory_make (field->element, NULL));
    spec = g_object_class_find_property (
        G_OBJECT_GET_CLASS (element), field->property);
    g_assert_nonnull (spec);
    if (field->choices == NULL)
      check_number (field, spec);
    else if (field->also != NULL)
      check_words (field, element);
    else if (G_IS_PARAM_SPEC_ENUM (spec)) {
      for (guint k = 0; field->choices[k] != NULL; k++)
        if (!g_str_equal (field->choices[k], "auto"))
          g_assert_nonnull (g_enum_get_value_by_nick (
              G_PARAM_SPEC_ENUM (spec)->enum_class, field->choices[k]));
    } else
      g_assert_true (G_IS_PARAM_SPEC_BOOLEAN (spec));
  }
}

static void
test_planes (void)
{
  OctLivePanel panels[OCT_LIVE_MAX_PANELS], all;
  double brightest;
  Test test;

  begin (&test, OCT_LIVE_PLANES);
  g_assert_false (oct_live_scene_find_brightest (test.scene, &brightest));
  g_assert_cmpuint (
      oct_live_scene_get_panels (test.scene, panels, &all), ==, 4);
  /* edges that meet are as long as each other, and have the volume's shape */
  g_assert_cmpint (panels[0].width, ==, panels[2].width);
  g_assert_cmpint (panels[0].height, ==, panels[1].height);
  g_assert_cmpint (panels[1].width, ==, panels[2].height);
  g_assert_cmpfloat_with_epsilon (
      (double)panels[0].height / panels[0].width, 1200.0 / 400.0, 0.02);
  g_assert_cmpint (panels[1].x + panels[1].width, ==, all.width);
  g_assert_cmpint (panels[2].y + panels[2].height, ==, all.height);
  /* the projection is in the corner that is left, and has the volume's shape */
  g_assert_cmpint (panels[3].x, ==, panels[1].x);
  g_assert_cmpint (panels[3].y, ==, panels[2].y);
  g_assert_cmpint (panels[3].x + panels[3].width, <=, all.width);
  g_assert_cmpint (panels[3].y + panels[3].height, <=, all.height);
  g_assert_cmpfloat_with_epsilon (
      (double)panels[3].width / panels[3].height, 400.0 / 300.0, 0.03);
  push_volume (&test);
  expect (&test, &panels[0], 0.25, 0.75, level_of (0.25, 0.5, 0.75));
  expect (&test, &panels[1], 0.25, 0.75, level_of (0.5, 0.25, 0.75));
  expect (&test, &panels[2], 0.25, 0.75, level_of (0.25, 0.75, 0.5));
  /* brighter to the right and below, black and white at the ends */
  expect (&test, &panels[3], 0.01, 0.01, 0);
  expect (&test, &panels[3], 0.99, 0.99, 255);
  /* to their edges */
  for (guint i = 0; i < 2; i++) {
    double edge = i == 0 ? 0.008 : 0.992;

    expect (&test, &panels[1], 0.25, edge, level_of (0.5, 0.25, edge));
    expect (&test, &panels[2], edge, 0.75, level_of (edge, 0.75, 0.5));
  }
  /* it grows downwards, by one grey level every two depths */
  g_assert_true (oct_live_scene_find_brightest (test.scene, &brightest));
  g_assert_cmpfloat_with_epsilon (brightest, 1.0, 2.0 / DEPTHS);
  /* one alone is moved, though nothing is scanned */
  set (&test, OCT_LIVE_PLANES, OCT_LIVE_AT_Y, 0.9);
  expect (&test, &panels[0], 0.25, 0.75, level_of (0.25, 0.9, 0.75));
  expect (&test, &panels[1], 0.25, 0.75, level_of (0.5, 0.25, 0.75));
  end (&test);
}

/* B-scans of 16 bit: pictures have 8. */
static void
test_deep (void)
{
  OctLivePanel panels[OCT_LIVE_MAX_PANELS], all;
  double brightest;
  Test test;

  begin (&test, OCT_LIVE_PLANES);
  oct_live_scene_get_panels (test.scene, panels, &all);
  push_volume_of (&test, 2);
  expect (&test, &panels[0], 0.25, 0.75, level_of (0.25, 0.5, 0.75));
  expect (&test, &panels[2], 0.25, 0.75, level_of (0.25, 0.75, 0.5));
  g_assert_true (oct_live_scene_find_brightest (test.scene, &brightest));
  g_assert_cmpfloat_with_epsilon (brightest, 1.0, 2.0 / DEPTHS);
  end (&test);
}

/* Each level is that of 257 next to it, rows of an odd width are in their
 * places, and caps keep the fields of OCT. */
static void
test_levels (void)
{
  static const struct {
    guint16 deep;
    guint8 grey;
  } known[] = { { 0, 0 }, { 128, 0 }, { 129, 1 }, { 257, 1 }, { 32896, 128 },
    { 65406, 254 }, { 65407, 255 }, { 65535, 255 } };
  const guint width = 3, height = 4, stride = 8, row = 4;
  GstCaps *caps = gst_caps_from_string (
      "video/x-raw,format=GRAY16_LE,width=3,height=4,framerate=25/1,"
      "z-spacing=2e-6");
  g_autoptr (GstBuffer) image =
      gst_buffer_new_allocate (NULL, stride * height, NULL);
  g_autoptr (GstBuffer) reduced = NULL, same = NULL;
  double spacing;
  GstMapInfo map;

  gst_buffer_map (image, &map, GST_MAP_WRITE);
  for (guint i = 0; i < width * height; i++)
    GST_WRITE_UINT16_LE (map.data + i / width * stride + 2 * (i % width),
        known[i % G_N_ELEMENTS (known)].deep);
  gst_buffer_unmap (image, &map);
  GST_BUFFER_PTS (image) = 7 * GST_SECOND;
  gst_buffer_add_video_meta (image, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY16_LE, width, height);
  reduced = oct_live_levels_reduce (image, &caps);
  g_assert_null (gst_buffer_get_video_meta (reduced));
  g_assert_cmpuint (GST_BUFFER_PTS (reduced), ==, 7 * GST_SECOND);
  g_assert_cmpstr (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"), ==,
      "GRAY8");
  g_assert_true (gst_structure_get_double (
      gst_caps_get_structure (caps, 0), "z-spacing", &spacing));
  gst_buffer_map (reduced, &map, GST_MAP_READ);
  g_assert_cmpuint (map.size, ==, row * height);
  for (guint i = 0; i < width * height; i++)
    g_assert_cmpuint (map.data[i / width * row + i % width], ==,
        known[i % G_N_ELEMENTS (known)].grey);
  gst_buffer_unmap (reduced, &map);
  /* of 8 bit already */
  same = oct_live_levels_reduce (reduced, &caps);
  g_assert_true (same == reduced);
  /* smaller than its caps say */
  gst_caps_set_simple (caps, "format", G_TYPE_STRING, "GRAY16_LE", NULL);
  g_assert_null (oct_live_levels_reduce (reduced, &caps));
  gst_caps_unref (caps);
}

static void
test_en_face (void)
{
  OctLivePanel panels[OCT_LIVE_MAX_PANELS], all;
  Test test;

  begin (&test, OCT_LIVE_EN_FACE);
  g_assert_cmpuint (
      oct_live_scene_get_panels (test.scene, panels, &all), ==, 0);
  g_assert_cmpfloat_with_epsilon (
      (double)all.width / all.height, 400.0 / 290.0, 0.02);
  push_volume (&test);
  /* brighter to the right and below, black and white at the ends */
  expect (&test, &all, 0.01, 0.01, 0);
  expect (&test, &all, 0.99, 0.99, 255);
  end (&test);
}

/* A picture in colour of the right size; turned by 90 degrees another one,
 * turned back the first. */
static void
test_volume (void)
{
  OctLivePanel panels[OCT_LIVE_MAX_PANELS], all;
  g_autoptr (GstBuffer) first = NULL;
  gint64 until = g_get_monotonic_time () + DEADLINE;
  GstMapInfo map;
  gboolean other = FALSE, same = FALSE;
  Test test;

  begin (&test, OCT_LIVE_VOLUME);
  oct_live_scene_get_panels (test.scene, panels, &all);
  g_assert_cmpint (all.width, ==, 640);
  g_assert_cmpint (all.height, ==, 480);
  set (&test, OCT_LIVE_VOLUME, OCT_LIVE_YAW, -35.0);
  push_volume (&test);
  for (gboolean turned = FALSE; !same;) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_usleep (2000);
    g_mutex_lock (&test.lock);
    if (first == NULL && test.last != NULL)
      first = gst_buffer_copy_deep (test.last);
    if (first != NULL) {
      gst_buffer_map (first, &map, GST_MAP_READ);
      /* a picture that is coarse gets fine */
      if (!turned || !other)
        other = gst_buffer_memcmp (test.last, 0, map.data, map.size) != 0;
      else
        same = gst_buffer_memcmp (test.last, 0, map.data, map.size) == 0;
      gst_buffer_unmap (first, &map);
    }
    g_mutex_unlock (&test.lock);
    if (first != NULL && !turned) {
      turned = TRUE;
      other = FALSE;
      set (&test, OCT_LIVE_VOLUME, OCT_LIVE_YAW, 55.0);
    } else if (turned && other)
      set (&test, OCT_LIVE_VOLUME, OCT_LIVE_YAW, -35.0);
  }
  end (&test);
}

/* Pictures go on while nothing is scanned, for later viewers; after closing
 * there are none. */
static void
test_repeated (void)
{
  gint64 until = g_get_monotonic_time () + DEADLINE;
  OctLivePanel panels[OCT_LIVE_MAX_PANELS], all;
  guint pictures;
  Test test;

  begin (&test, OCT_LIVE_EN_FACE);
  oct_live_scene_get_panels (test.scene, panels, &all);
  push_volume (&test);
  expect (&test, &all, 0.99, 0.99, 255);
  pictures = test.pictures;
  while (test.pictures < pictures + 3) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    oct_live_scene_repeat (test.scene);
    g_usleep (2000);
  }
  oct_live_scene_close (test.scene);
  pictures = test.pictures;
  g_usleep (300000);
  oct_live_scene_repeat (test.scene);
  push_volume (&test);
  oct_live_scene_repeat (test.scene);
  end (&test);
  g_assert_cmpuint (test.pictures, ==, pictures);
}

/* A failure to render is reported once, and the scene can be freed there. */
static void
test_failure (void)
{
  static const OctLiveSceneEvents events = { on_picture, on_expected };
  g_autoptr (GstBuffer) image = gst_buffer_new_allocate (NULL, 300, NULL);
  g_autoptr (GstCaps) caps =
      gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "RGB",
          "width", G_TYPE_INT, 10, "height", G_TYPE_INT, 10, NULL);
  gint64 until = g_get_monotonic_time () + DEADLINE;
  g_autoptr (GError) error = NULL;
  OctLiveLook look;
  Test test = { 0 };

  g_mutex_init (&test.lock);
  oct_live_look_init (&look);
  look.values[OCT_LIVE_SHOW] = OCT_LIVE_PLANES;
  test.scene = oct_live_scene_new (&scan, &look, FALSE, &events, &test, &error);
  g_assert_no_error (error);
  oct_live_scene_push (test.scene, image, caps);
  while (test.failure == NULL) {
    g_assert_cmpint (g_get_monotonic_time (), <, until);
    g_main_context_iteration (NULL, FALSE);
    g_usleep (1000);
  }
  for (guint i = 0; i < 20; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_null (test.scene);
  g_free (test.failure);
  g_mutex_clear (&test.lock);
}

/* Whatever lies in the gaps between the members. */
static void
test_equal (void)
{
  OctLiveScan a, b, other;

  memset (&a, 0, sizeof a);
  memset (&b, 0xff, sizeof b);
  b.lines = a.lines = scan.lines;
  b.depths = a.depths = scan.depths;
  b.bscans = a.bscans = scan.bscans;
  b.repeats = a.repeats = scan.repeats;
  b.width = a.width = scan.width;
  b.length = a.length = scan.length;
  b.z_spacing = a.z_spacing = scan.z_spacing;
  b.refractive_index = a.refractive_index = scan.refractive_index;
  b.rate = a.rate = scan.rate;
  b.line_rate = a.line_rate = scan.line_rate;
  b.wavelength = a.wavelength = scan.wavelength;
  b.spectra = a.spectra = scan.spectra;
  g_assert_true (oct_live_scan_equal (&a, &b));
  for (guint i = 0; i < 12; i++) {
    other = a;
    *(guint *[]){ &other.lines, &other.depths, &other.bscans,
      &other.repeats }[i % 4] += i < 4;
    *(double *[]){ &other.width, &other.length, &other.z_spacing,
      &other.refractive_index, &other.rate, &other.line_rate,
      &other.wavelength }[i % 7] += i >= 4 && i < 11;
    other.spectra ^= i == 11;
    g_assert_false (oct_live_scan_equal (&a, &other));
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/scene/equal", test_equal);
  g_test_add_func ("/live/scene/sizes", test_sizes);
  g_test_add_func ("/live/scene/too-large", test_too_large);
  g_test_add_func ("/live/scene/properties", test_properties);
  g_test_add_func ("/live/scene/planes", test_planes);
  g_test_add_func ("/live/scene/deep", test_deep);
  g_test_add_func ("/live/scene/levels", test_levels);
  g_test_add_func ("/live/scene/en-face", test_en_face);
  g_test_add_func ("/live/scene/volume", test_volume);
  g_test_add_func ("/live/scene/repeated", test_repeated);
  g_test_add_func ("/live/scene/failure", test_failure);
  return g_test_run ();
}
