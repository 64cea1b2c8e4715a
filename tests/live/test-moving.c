/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of motion, from A-scans in which it is known. */
#include "oct-live-flow.h"
#include "oct-live-scene.h"

#include <complex.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#define LINES 40
#define DEPTHS 60
#define PLACES 3
#define REPEATS 4
#define DEADLINE (300 * G_TIME_SPAN_SECOND)

/* Where something moves, the part above which there is signal. */
#define IS_MOVING(line, depth)                                                 \
  ((line) >= 12 && (line) < 24 && (depth) >= 15 && (depth) < 30)
#define SIGNAL_DEPTHS 45

typedef struct {
  OctLiveScene *scene;
  GMutex lock;
  GstBuffer *last;
  GstCaps *caps;
} Test;

static void
moving_on_picture (GstBuffer *picture, GstCaps *caps, gpointer data)
{
  Test *test = data;

  g_mutex_lock (&test->lock);
  gst_buffer_replace (&test->last, picture);
  gst_caps_replace (&test->caps, caps);
  g_mutex_unlock (&test->lock);
}

static void
moving_on_failed (const char *message, gpointer data)
{
  g_error ("%s", message);
}

static const OctLiveScan moving = { .lines = LINES,
  .depths = DEPTHS,
  .bscans = PLACES * REPEATS,
  .repeats = REPEATS,
  .spectra = TRUE,
  .width = LINES * 10e-6,
  .length = (PLACES - 1) * 10e-6,
  .z_spacing = 1.25 * 10e-6,
  .refractive_index = 1.25,
  .rate = 100.0,
  .line_rate = 50e3,
  .wavelength = 1e-6 };

static void
begin_moving (Test *test, OctLiveShow show, guint value, double number)
{
  static const OctLiveSceneEvents events = { moving_on_picture,
    moving_on_failed };
  g_autoptr (GError) error = NULL;
  OctLiveLook look;

  memset (test, 0, sizeof *test);
  g_mutex_init (&test->lock);
  oct_live_look_init (&look);
  look.values[OCT_LIVE_SHOW] = show;
  look.values[value] = number;
  g_assert_null (oct_live_flow_check (&moving, &look));
  test->scene =
      oct_live_scene_new (&moving, &look, FALSE, &events, test, &error);
  g_assert_no_error (error);
}

static void
end_moving (Test *test)
{
  oct_live_scene_free (test->scene);
  gst_clear_buffer (&test->last);
  gst_clear_caps (&test->caps);
  g_mutex_clear (&test->lock);
}

static float
get_random (GRand *rand)
{
  return (float)(sqrt (-2.0 * log (1.0 - g_rand_double (rand)))
                 * cos (2.0 * G_PI * g_rand_double (rand)));
}

/* Tissue with speckle down to SIGNAL_DEPTHS, 30 dB above noise.  Each A-line is
 * ahead of the one before by `turn` where something moves, and has other
 * speckle in each B-scan if that is 0. */
static void
fill_ascans (float complex *values, guint bscan, double turn)
{
  g_autoptr (GRand) still = g_rand_new_with_seed (bscan / REPEATS);
  g_autoptr (GRand) fresh = g_rand_new_with_seed (1000 + bscan);

  for (guint x = 0; x < LINES; x++)
    for (guint z = 0; z < DEPTHS; z++) {
      float complex a = get_random (still) + I * get_random (still);
      float complex b = get_random (fresh) + I * get_random (fresh);
      float complex noise = get_random (fresh) + I * get_random (fresh);

      /* A-lines share their speckle for a phase to have a meaning */
      if (turn != 0.0)
        a = 1.0f;
      if (IS_MOVING (x, z) && turn != 0.0)
        a *= cexpf (I * (float)(turn * x));
      else if (IS_MOVING (x, z))
        a = b;
      values[x * DEPTHS + z] =
          (z < SIGNAL_DEPTHS ? 1000.0f * a : 0.0f) + 31.0f * noise;
    }
}

static void
push_moving (Test *test, double turn)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "application/x-oct-ascans,format=CF32LE,samples=60,lines=40,"
      "framerate=100/1,repeats=4,line-rate=50000/1,wavelength=1e-6,"
      "z-spacing=12.5e-6");
  g_autoptr (GstCaps) grey = gst_caps_from_string (
      "video/x-raw,format=GRAY8,width=40,height=60,framerate=100/1");

  for (guint i = 0; i < PLACES * REPEATS; i++) {
    g_autoptr (GstBuffer) ascans = gst_buffer_new_allocate (
        NULL, sizeof (float complex) * LINES * DEPTHS, NULL);
    g_autoptr (GstBuffer) image =
        gst_buffer_new_allocate (NULL, LINES * DEPTHS, NULL);
    GstMapInfo map;

    gst_buffer_map (ascans, &map, GST_MAP_WRITE);
    fill_ascans ((float complex *)(void *)map.data, i, turn);
    gst_buffer_unmap (ascans, &map);
    gst_buffer_memset (image, 0, 77, LINES * DEPTHS);
    GST_BUFFER_PTS (ascans) = GST_BUFFER_PTS (image) = i * 10 * GST_MSECOND;
    oct_live_scene_push_ascans (test->scene, ascans, caps);
    oct_live_scene_push (test->scene, image, grey);
  }
}

/* Red, green and blue in a part of a panel, of a line and a depth. */
static void
get_colour (
    Test *test, const OctLivePanel *panel, double x, double z, guint8 rgb[3])
{
  GstVideoInfo info;
  GstMapInfo map;

  g_assert_true (gst_video_info_from_caps (&info, test->caps));
  g_assert_cmpint (GST_VIDEO_INFO_FORMAT (&info), ==, GST_VIDEO_FORMAT_RGBA);
  gst_buffer_map (test->last, &map, GST_MAP_READ);
  memcpy (rgb,
      map.data
          + (gsize)(panel->y + (gint)(z / DEPTHS * panel->height))
                * GST_VIDEO_INFO_PLANE_STRIDE (&info, 0)
          + 4 * (panel->x + (gint)(x / LINES * panel->width)),
      3);
  gst_buffer_unmap (test->last, &map);
}

/* Mean colours where something moves, and of all that does not, two values away
 * from the edge of it: as wide as windows are. */
static void
get_means (Test *test, const OctLivePanel *panel, double in[3], double out[3])
{
  guint n_in = 0, n_out = 0;

  memset (in, 0, 3 * sizeof *in);
  memset (out, 0, 3 * sizeof *out);
  for (gint x = 2; x < LINES - 2; x++)
    for (gint z = 2; z < DEPTHS - 2; z++) {
      gboolean inside = IS_MOVING (x - 3, z - 3) && IS_MOVING (x + 3, z + 3);
      gboolean outside = !IS_MOVING (x - 3, z) && !IS_MOVING (x + 3, z)
                         && !IS_MOVING (x, z - 3) && !IS_MOVING (x, z + 3)
                         && !IS_MOVING (x - 3, z - 3)
                         && !IS_MOVING (x + 3, z + 3)
                         && !IS_MOVING (x - 3, z + 3)
                         && !IS_MOVING (x + 3, z - 3) && !IS_MOVING (x, z);
      guint8 rgb[3];

      if (!inside && !outside)
        continue;
      get_colour (test, panel, x + 0.5, z + 0.5, rgb);
      for (guint i = 0; i < 3; i++)
        (inside ? in : out)[i] += rgb[i];
      n_in += inside;
      n_out += outside;
    }
  for (guint i = 0; i < 3; i++) {
    in[i] /= n_in;
    out[i] /= n_out;
  }
}

/* Waits for a picture in which the beginning of the panel's colours are right.
 * Pictures come as their parts do: earlier ones lack some. */
static void
wait_for (Test *test, const OctLivePanel *panel, guint colour, double least,
    double in[3], double out[3])
{
  gint64 until = g_get_monotonic_time () + DEADLINE;

  for (;;) {
    gboolean there = FALSE;

    g_mutex_lock (&test->lock);
    if (test->last != NULL) {
      get_means (test, panel, in, out);
      there = in[colour] >= least;
    }
    g_mutex_unlock (&test->lock);
    if (there)
      return;
    if (g_get_monotonic_time () > until)
      g_error ("there is no colour %u of %g", colour, least);
    g_main_context_iteration (NULL, FALSE);
    oct_live_scene_repeat (test->scene);
    g_usleep (2000);
  }
}

static void
set_moving (Test *test, OctLiveShow show, guint value, double number)
{
  OctLiveLook look;

  oct_live_look_init (&look);
  look.values[OCT_LIVE_SHOW] = show;
  look.values[value] = number;
  g_assert_true (oct_live_scene_fits (test->scene, &look));
  oct_live_scene_set (test->scene, &look);
}

/* The middle of a panel's row or column, bright or not: waits. */
static void
wait_for_level (Test *test, const OctLivePanel *panel, double x, double z,
    guint least, guint most)
{
  gint64 until = g_get_monotonic_time () + DEADLINE;
  guint8 rgb[3] = { 0 };
  gboolean there = FALSE;

  while (!there) {
    g_mutex_lock (&test->lock);
    if (test->last != NULL) {
      get_colour (test, panel, x, z, rgb);
      there = rgb[0] >= least && rgb[0] <= most;
    }
    g_mutex_unlock (&test->lock);
    if (g_get_monotonic_time () > until)
      g_error (
          "at %g, %g there is %u and not %u to %u", x, z, rgb[0], least, most);
    g_main_context_iteration (NULL, FALSE);
    oct_live_scene_repeat (test->scene);
    g_usleep (2000);
  }
}

/* Beside the B-scan, and from above. */
static void
test_flow (void)
{
  OctLivePanel panels[OCT_LIVE_MAX_PANELS], all;
  double in[3], out[3];
  guint8 rgb[3];
  Test test;

  begin_moving (&test, OCT_LIVE_FLOW, OCT_LIVE_FLOW_LEAST, 3.0);
  g_assert_cmpuint (
      oct_live_scene_get_panels (test.scene, panels, &all), ==, 3);
  /* one scale for all: A-lines are 10 um apart, depths 10 um, places 10 um */
  for (guint i = 0; i < 2; i++)
    g_assert_cmpfloat_with_epsilon (
        (double)panels[i].height / panels[i].width, 600.0 / 400.0, 0.02);
  g_assert_cmpint (panels[2].width, ==, panels[0].width);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpint (panels[i].x + panels[i].width, <=, all.width);
    g_assert_cmpint (panels[i].y + panels[i].height, <=, all.height);
  }
  push_moving (&test, 0.0);
  /* new speckle is 15 dB or more above still values: white is at 13 dB */
  wait_for (&test, &panels[1], 0, 240.0, in, out);
  g_assert_cmpfloat (out[0], <, 8.0);
  /* the B-scan itself, which is grey */
  wait_for_level (&test, &panels[0], 20.0, 20.0, 77, 77);
  g_mutex_lock (&test.lock);
  get_colour (&test, &panels[0], 20.0, 20.0, rgb);
  g_mutex_unlock (&test.lock);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (rgb[i], ==, 77);
  /* from above: the A-lines that move, in all places */
  for (guint i = 0; i < PLACES; i++) {
    double row = (i + 0.5) / PLACES * DEPTHS;

    wait_for_level (&test, &panels[2], 18.0, row, 200, 255);
    wait_for_level (&test, &panels[2], 6.0, row, 0, 40);
    wait_for_level (&test, &panels[2], 32.0, row, 0, 40);
  }
  /* three A-lines beside it a window of 9 x 9 has it, and one of 3 x 3 not */
  wait_for_level (&test, &panels[1], 26.5, 22.0, 0, 40);
  set_moving (&test, OCT_LIVE_FLOW, OCT_LIVE_FLOW_WINDOW, 4.0);
  push_moving (&test, 0.0);
  wait_for_level (&test, &panels[1], 26.5, 22.0, 200, 255);
  end_moving (&test);
}

/* An A-line is ahead of the one before by 1 rad: what moves away from the beam
 * is blue, towards it red. */
static void
test_doppler (void)
{
  for (gint sign = -1; sign <= 1; sign += 2) {
    OctLivePanel panels[OCT_LIVE_MAX_PANELS], all;
    guint bright = sign > 0 ? 2 : 0;
    double in[3], out[3];
    const char *unit;
    OctLiveLook look;
    Test test;

    begin_moving (&test, OCT_LIVE_DOPPLER, OCT_LIVE_DOPPLER_RANGE, 0.0);
    g_assert_cmpuint (
        oct_live_scene_get_panels (test.scene, panels, &all), ==, 2);
    push_moving (&test, sign * 1.5);
    wait_for (&test, &panels[1], bright, 60.0, in, out);
    g_assert_cmpfloat (in[bright], >, 3.0 * in[2 - bright] + 20.0);
    g_assert_cmpfloat (out[0], <, 5.0);
    g_assert_cmpfloat (out[2], <, 5.0);
    /* half a turn: wavelength x rate / (4 n) */
    oct_live_look_init (&look);
    look.values[OCT_LIVE_SHOW] = OCT_LIVE_DOPPLER;
    g_assert_cmpfloat_with_epsilon (
        oct_live_flow_get_half_turn (&moving, &look, &unit), 10.0, 1e-9);
    g_assert_cmpstr (unit, ==, "mm/s");
    end_moving (&test);
  }
}

/* The speed of half a turn, or phases if a rate is not known. */
static void
test_half_turn (void)
{
  OctLiveScan unknown = moving;
  OctLiveLook look;
  const char *unit;

  oct_live_look_init (&look);
  look.values[OCT_LIVE_SHOW] = OCT_LIVE_DOPPLER;
  look.values[OCT_LIVE_DOPPLER_ANGLE] = 60.0;
  g_assert_cmpfloat_with_epsilon (
      oct_live_flow_get_half_turn (&moving, &look, &unit), 20.0, 1e-9);
  look.values[OCT_LIVE_DOPPLER_BETWEEN] = 1.0;
  g_assert_cmpfloat_with_epsilon (
      oct_live_flow_get_half_turn (&moving, &look, &unit), 0.04, 1e-12);
  unknown.line_rate = 0.0;
  g_assert_cmpfloat_with_epsilon (
      oct_live_flow_get_half_turn (&unknown, &look, &unit), 0.04, 1e-12);
  look.values[OCT_LIVE_DOPPLER_BETWEEN] = 0.0;
  g_assert_cmpfloat_with_epsilon (
      oct_live_flow_get_half_turn (&unknown, &look, &unit), G_PI, 1e-12);
  g_assert_cmpstr (unit, ==, "rad");
  unknown = moving;
  unknown.wavelength = 0.0;
  g_assert_cmpfloat_with_epsilon (
      oct_live_flow_get_half_turn (&unknown, &look, &unit), G_PI, 1e-12);
  g_assert_cmpstr (unit, ==, "rad");
}

/* Sentences say what to set. */
static void
test_obstacles (void)
{
  const struct {
    OctLiveShow show;
    double between;
    guint repeats, bscans;
    gboolean spectra;
    const char *says; /* NULL: nothing is in the way */
  } cases[] = {
    { OCT_LIVE_FLOW, 0, 4, 12, TRUE, NULL },
    { OCT_LIVE_FLOW, 0, 64, 64, TRUE, NULL },
    { OCT_LIVE_FLOW, 0, 65, 65, TRUE, "up to 64" },
    { OCT_LIVE_FLOW, 0, 1, 12, TRUE,
        "This source has no repeats: flow is what changes" },
    { OCT_LIVE_FLOW, 0, 0, 1, TRUE, "--repeats N" },
    { OCT_LIVE_FLOW, 0, 4, 12, FALSE, "--source" },
    { OCT_LIVE_DOPPLER, 0, 1, 1, TRUE, NULL },
    { OCT_LIVE_DOPPLER, 1, 4, 4, TRUE, NULL },
    { OCT_LIVE_DOPPLER, 1, 1, 8, TRUE,
        "This source has no repeats: set Doppler to compare A-lines" },
    { OCT_LIVE_DYNAMIC, 0, 1, 1, TRUE, NULL },
    { OCT_LIVE_DYNAMIC, 0, 4, 8, TRUE, NULL },
    { OCT_LIVE_DYNAMIC, 0, 1, 8, TRUE, "--bscans 1" },
    { OCT_LIVE_VOLUME, 0, 1, 8, FALSE, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    OctLiveScan other = moving;
    OctLiveLook look;
    const char *problem;

    oct_live_look_init (&look);
    look.values[OCT_LIVE_SHOW] = cases[i].show;
    look.values[OCT_LIVE_DOPPLER_BETWEEN] = cases[i].between;
    other.repeats = cases[i].repeats;
    other.bscans = cases[i].bscans;
    other.spectra = cases[i].spectra;
    problem = oct_live_flow_check (&other, &look);
    g_test_message ("%u: %s", i, problem != NULL ? problem : "-");
    if (cases[i].says == NULL)
      g_assert_null (problem);
    else
      g_assert_nonnull (strstr (problem, cases[i].says));
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/moving/flow", test_flow);
  g_test_add_func ("/live/moving/doppler", test_doppler);
  g_test_add_func ("/live/moving/half-turn", test_half_turn);
  g_test_add_func ("/live/moving/obstacles", test_obstacles);
  return g_test_run ();
}
