/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a scan is in a microscope's picture, against maps that are known; its
 * file; the area of a scan; places on the screen. */
#include "oct-live-area.h"
#include "oct-live-layout.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Error of a place, in parts of the picture: numbers are doubles, and the files
 * have all of their digits. */
#define NEAR 1e-9

static const OctLiveSpot square[4] = { { -2e-3, -1e-3 }, { 2e-3, -1e-3 },
  { 2e-3, 1e-3 }, { -2e-3, 1e-3 } };
static const OctLiveSpot good[4] = { { 0.2, 0.2 }, { 0.8, 0.2 }, { 0.8, 0.6 },
  { 0.2, 0.6 } };

static void
apply (const double h[9], const OctLiveSpot *at, OctLiveSpot *to)
{
  double w = h[6] * at->x + h[7] * at->y + h[8];

  to->x = (h[0] * at->x + h[1] * at->y + h[2]) / w;
  to->y = (h[3] * at->x + h[4] * at->y + h[5]) / w;
}

/* All places of the scan go where a known map takes them. */
static void
check_map (const double h[9], const OctLiveSpot scan[4])
{
  g_autoptr (GError) error = NULL;
  OctLiveSpot picture[4];
  OctLiveAim aim = { 0 };

  for (guint i = 0; i < 4; i++)
    apply (h, &scan[i], &picture[i]);
  g_assert_true (oct_live_aim_find (&aim, scan, picture, TRUE, &error));
  g_assert_no_error (error);
  for (gint x = -3; x <= 3; x++)
    for (gint y = -3; y <= 3; y++) {
      const OctLiveSpot at = { x * 1e-3, y * 0.5e-3 };
      OctLiveSpot wanted, got;

      apply (h, &at, &wanted);
      g_assert_true (oct_live_aim_map (&aim, &at, &got));
      g_assert_cmpfloat_with_epsilon (got.x, wanted.x, NEAR);
      g_assert_cmpfloat_with_epsilon (got.y, wanted.y, NEAR);
    }
}

static void
test_known_maps (void)
{
  static const double maps[][9] = {
    { 100, 0, 0.5, 0, 200, 0.5, 0, 0, 1 },        /* sizes */
    { -100, 0, 0.5, 0, 200, 0.5, 0, 0, 1 },       /* mirrored */
    { 60, -80, 0.5, 80, 60, 0.5, 0, 0, 1 },       /* turned */
    { 100, 30, 0.4, 10, 150, 0.5, 0, 0, 1 },      /* sheared */
    { 110, 20, 0.45, -15, 140, 0.5, 60, -90, 1 }, /* seen from the side */
    { 0.110, 0.020, 0.45e-3, -0.015, 0.140, 0.5e-3, 0.06, -0.09, 1e-3 },
  };
  static const OctLiveSpot shifted[4] = { { 1e-3, 0.2e-3 }, { 2e-3, 0.4e-3 },
    { 1.8e-3, 1e-3 }, { 0.5e-3, 1.1e-3 } };

  for (guint i = 0; i < G_N_ELEMENTS (maps); i++) {
    check_map (maps[i], square);
    /* four corners of any other area are as good */
    check_map (maps[i], shifted);
  }
}

/* Beyond the horizon of a map there is no picture. */
static void
test_horizon (void)
{
  static const double h[9] = { 110, 20, 0.45, -15, 140, 0.5, 60, -90, 1 };
  OctLiveSpot picture[4], got;
  OctLiveAim aim = { 0 };

  for (guint i = 0; i < 4; i++)
    apply (h, &square[i], &picture[i]);
  g_assert_false (oct_live_aim_map (&aim, &square[0], &got));
  g_assert_true (oct_live_aim_find (&aim, square, picture, TRUE, NULL));
  g_assert_true (oct_live_aim_map (&aim, &(OctLiveSpot){ -0.016, 0 }, &got));
  g_assert_false (oct_live_aim_map (&aim, &(OctLiveSpot){ -0.017, 0 }, &got));
}

/* Each is refused by a sentence, and the map before stays. */
static void
test_refused (void)
{
  static const struct {
    OctLiveSpot picture[4];
    const char *said;
  } cases[] = {
    { { { 0.2, 0.2 }, { 0.5, 0.2 }, { 0.8, 0.2 }, { 0.5, 0.8 } },
        "Corners 1, 2 and 3 are on one line" },
    { { { 0.2, 0.2 }, { 0.8, 0.2 }, { 0.5, 0.8 }, { 0.35, 0.5 } },
        "Corners 3, 4 and 1 are on one line" },
    { { { 0.2, 0.2 }, { 0.8, 0.8 }, { 0.8, 0.2 }, { 0.2, 0.8 } },
        "The lines from corner to corner cross" },
    { { { 0.2, 0.2 }, { 0.8, 0.2 }, { 0.4, 0.35 }, { 0.2, 0.8 } },
        "The lines from corner to corner cross" },
    { { { 0.2, 0.2 }, { 0.8, 0.2 }, { 0.8, 1.01 }, { 0.2, 0.8 } },
        "Corner 3 is outside of the microscope's picture" },
    { { { -0.1, 0.2 }, { 0.8, 0.2 }, { 0.8, 0.9 }, { 0.2, 0.8 } },
        "Corner 1 is outside of the microscope's picture" },
    { { { 0.2, 0.2 }, { 0.8, NAN }, { 0.8, 0.9 }, { 0.2, 0.8 } },
        "Corner 2 is outside of the microscope's picture" },
    { { { 0.2, 0.2 }, { 0.8, 0.2 }, { 0.8, 0.2 }, { 0.2, 0.8 } },
        "Corners 2 and 3 are at the same place" },
  };
  static const OctLiveSpot line[4] = { { 0, 0 }, { 1e-3, 0 }, { 2e-3, 0 },
    { 3e-3, 0 } };
  OctLiveAim aim = { 0 }, before;
  g_autoptr (GError) flat = NULL;

  g_assert_true (oct_live_aim_find (&aim, square, good, TRUE, NULL));
  before = aim;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (
        oct_live_aim_find (&aim, square, cases[i].picture, TRUE, &error));
    g_assert_nonnull (strstr (error->message, cases[i].said));
    g_assert_true (g_str_has_suffix (error->message, "."));
    g_assert_cmpmem (&aim, sizeof aim, &before, sizeof before);
  }
  g_assert_false (oct_live_aim_find (&aim, line, good, TRUE, &flat));
  g_assert_nonnull (strstr (flat->message, "The scan has no area"));
}

static void
test_text (void)
{
  static const char *const wrong[] = { "", "0,0 1,0 1,1", "0,0 1,0 1,1 0,1 ",
    "0,0 1,0 1,1 0,1,", "0,0  1,0 1,1 0,1", "0,0 1,0 1,1 0,inf",
    "0,0 1,0 1,1 0,nan", "0;0 1,0 1,1 0,1", "0,0 1,0 1,1 0,1e999",
    "a,0 1,0 1,1 0,1", " 0,0 1,0 1,1 0,1", "0,0 1,0 1,1 0,0x" };
  OctLiveSpot corners[4];

  g_assert_true (
      oct_live_aim_parse_corners ("0.25,0 1,0 1,1 -0.5,1e-2", corners));
  g_assert_cmpfloat (corners[0].x, ==, 0.25);
  g_assert_cmpfloat (corners[3].x, ==, -0.5);
  g_assert_cmpfloat (corners[3].y, ==, 0.01);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_false (oct_live_aim_parse_corners (wrong[i], corners));
}

/* ---------------------------------------------------------------------- file
 */

static void
check_file (const char *path, const char *text, gssize length, const char *said)
{
  OctLiveAim aims[OCT_LIVE_EYES];
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, text, length, NULL));
  g_assert_false (oct_live_aim_load (path, aims, &error));
  g_assert_nonnull (strstr (error->message, said));
  g_assert_false (aims[0].known);
}

static void
test_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("oct-aim-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "aim.txt", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "no", "aim.txt", NULL);
  g_autofree char *text = NULL, *longer = g_strnfill (5000, '\n');
  OctLiveAim aims[OCT_LIVE_EYES] = { { 0 } }, read[OCT_LIVE_EYES];
  g_autoptr (GError) error = NULL;
  OctLiveSpot a, b;
  GStatBuf status;

  g_assert_true (oct_live_aim_load (path, read, &error));
  g_assert_false (read[0].known || read[1].known);
  g_assert_true (oct_live_aim_find (&aims[1], square, good, TRUE, &error));
  g_assert_true (oct_live_aim_save (path, aims, 0600, &error));
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0600);
  g_assert_true (oct_live_aim_load (path, read, &error));
  g_assert_true (!read[0].known && read[1].known && read[1].sized);
  g_assert_true (oct_live_aim_map (&read[1], &square[2], &a));
  g_assert_true (oct_live_aim_map (&aims[1], &square[2], &b));
  g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
  g_assert_false (oct_live_aim_save (nowhere, aims, 0600, &error));
  g_assert_nonnull (strstr (error->message, "was not kept"));

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  check_file (path, "patients\n", -1, "is not a calibration");
  check_file (path, "", 0, "is not a calibration");
  check_file (path, longer, -1, "is not a calibration");
  check_file (path, "# oct-live: the scan in the microscope's picture\0x", 50,
      "is not a calibration");
  check_file (path,
      "# oct-live: the scan in the microscope's picture\nleft metres 1,2\n", -1,
      "a line that is not one");
  check_file (path,
      "# oct-live: the scan in the microscope's picture\nmiddle metres "
      "0,0 1,0 1,1 0,1 0,0 1,0 1,1 0,1\n",
      -1, "a line that is not one");
  check_file (path,
      "# oct-live: the scan in the microscope's picture\nleft metres "
      "0,0 1,0 1,1 0,1 0,0 1,0 1,1 0,7\n",
      -1, "Corner 4 is outside");
  g_unlink (path);
  g_rmdir (folder);
}

/* ---------------------------------------------------------------------- area
 */

static void
test_raster (void)
{
  OctLiveArea area = { 0 };
  OctLiveSpot line[2];

  oct_live_area_set_raster (&area, 4e-3, 0);
  g_assert_true (area.sized);
  g_assert_cmpuint (area.count, ==, 4);
  g_assert_cmpfloat (area.corners[2].y, ==, 2e-3);
  oct_live_area_set_raster (&area, 4e-3, 2e-3);
  g_assert_cmpmem (area.corners, sizeof square, square, sizeof square);
  oct_live_area_get_bscan (&area, 0.25, line);
  g_assert_cmpfloat_with_epsilon (line[0].y, -0.5e-3, 1e-12);
  g_assert_cmpfloat_with_epsilon (line[1].x, 2e-3, 1e-12);
  oct_live_area_get_across (&area, 1.0, line);
  g_assert_cmpfloat_with_epsilon (line[0].x, 2e-3, 1e-12);
  g_assert_cmpfloat_with_epsilon (line[0].y, -1e-3, 1e-12);
  oct_live_area_set_raster (&area, 0, 0);
  g_assert_false (area.sized);
  oct_live_area_clear (&area);
}

#define LINES 64

/* Its outline is the circle, and nothing inside of it. */
static void
test_path (void)
{
  double x[2 * LINES], y[2 * LINES];
  OctLiveArea area = { 0 };

  for (guint i = 0; i < LINES; i++) {
    double angle = 2.0 * G_PI * i / LINES;

    x[i] = 1e-3 + 2e-3 * cos (angle);
    y[i] = 2e-3 * sin (angle);
    x[LINES + i] = 1e-3 + 1e-3 * cos (angle);
    y[LINES + i] = 1e-3 * sin (angle);
  }
  g_assert_true (oct_live_area_set_path (&area, x, y, LINES, 2, "spiral"));
  g_assert_cmpuint (area.count, ==, LINES);
  for (guint i = 0; i < area.count; i++)
    g_assert_cmpfloat_with_epsilon (
        hypot (area.outline[i].x - 1e-3, area.outline[i].y), 2e-3, 1e-12);
  /* a square around it */
  g_assert_cmpfloat_with_epsilon (area.corners[0].x, -1e-3, 1e-12);
  g_assert_cmpfloat_with_epsilon (area.corners[2].y, 2e-3, 1e-12);
  x[3] = NAN;
  g_assert_false (oct_live_area_set_path (&area, x, y, LINES, 2, NULL));
  g_assert_false (oct_live_area_set_path (&area, x, y, 1, 1, NULL));
  g_assert_false (oct_live_area_set_path (&area, x, y, 0, 0, NULL));
  g_assert_cmpuint (area.count, ==, LINES);
  oct_live_area_clear (&area);
}

/* A raster that is turned has corners of its own. */
static void
test_turned_raster (void)
{
  static const double x[4] = { 0, 3, -1, 2 }, y[4] = { 0, 1, 3, 4 };
  OctLiveArea area = { 0 };

  g_assert_true (oct_live_area_set_path (&area, x, y, 2, 2, "raster"));
  g_assert_cmpfloat (area.corners[1].x, ==, 3);
  g_assert_cmpfloat (area.corners[2].x, ==, 2);
  g_assert_cmpfloat (area.corners[3].x, ==, -1);
  g_assert_cmpuint (area.count, ==, 4);
  g_assert_cmpfloat (area.low.x, ==, -1);
  /* all on one line: there is no area, and nothing goes wrong */
  g_assert_true (oct_live_area_set_path (&area, x, x, 2, 2, NULL));
  g_assert_cmpuint (area.count, <=, 2);
  oct_live_area_clear (&area);
}

/* -------------------------------------------------------------------- layout
 */

#define WIDTH 1920
#define HEIGHT 1080

static void
check_box (const OctLiveBox *box, double aspect)
{
  g_assert_cmpint (box->x, >=, 0);
  g_assert_cmpint (box->y, >=, 0);
  g_assert_cmpint (box->width, >, 0);
  g_assert_cmpint (box->height, >, 0);
  g_assert_cmpint (box->x + box->width, <=, WIDTH);
  g_assert_cmpint (box->y + box->height, <=, HEIGHT);
  g_assert_true ((box->x | box->y | box->width | box->height) % 2 == 0);
  /* edges are rounded to even pixels */
  if (aspect > 0.0)
    g_assert_cmpfloat (
        fabs (box->width - aspect * box->height), <=, 2.0 + 2.0 * aspect);
}

static void
test_layouts (void)
{
  static const double aspects[] = { 0.0, 0.1, 0.75, 16.0 / 9.0, 3.0, 20.0 };

  for (guint layout = 0; layout < OCT_LIVE_N_LAYOUTS; layout++)
    for (guint i = 0; i < G_N_ELEMENTS (aspects); i++)
      for (guint k = 0; k < G_N_ELEMENTS (aspects); k++) {
        OctLivePlaces places;
        const OctLiveBox *field = &places.field[0], *oct = &places.oct[0];

        oct_live_layout_find (layout, OCT_LIVE_EYE_RIGHT, WIDTH, HEIGHT,
            aspects[i], aspects[k], &places);
        g_assert_cmpuint (places.eye, ==, 1);
        g_assert_cmpint (places.field[1].width, ==, 0);
        if (layout != OCT_LIVE_LAYOUT_OCT)
          check_box (field, aspects[i]);
        if (layout != OCT_LIVE_LAYOUT_MICROSCOPE)
          check_box (oct, aspects[k]);
        if (layout == OCT_LIVE_LAYOUT_BESIDE)
          g_assert_cmpint (field->x + field->width, <, oct->x);
      }
}

/* Each eye sees the same of OCT at the same place: it is as far away as the
 * screen. */
static void
test_both_eyes (void)
{
  for (guint layout = 0; layout < OCT_LIVE_N_LAYOUTS; layout++) {
    OctLivePlaces one, both;

    oct_live_layout_find (
        layout, OCT_LIVE_EYE_LEFT, WIDTH, HEIGHT, 1.5, 3.0, &one);
    oct_live_layout_find (
        layout, OCT_LIVE_EYE_BOTH, WIDTH, HEIGHT, 1.5, 3.0, &both);
    g_assert_cmpint (both.oct[1].width, ==, both.oct[0].width);
    g_assert_cmpint (both.field[1].width, ==, both.field[0].width);
    if (both.oct[0].width > 0)
      g_assert_cmpint (both.oct[1].x - both.oct[0].x, ==, WIDTH / 2);
    if (both.field[0].width > 0) {
      g_assert_cmpint (both.field[1].x - both.field[0].x, ==, WIDTH / 2);
      g_assert_cmpint (
          ABS (2 * both.field[0].width - one.field[0].width), <=, 2);
      g_assert_cmpint (both.field[0].height, ==, one.field[0].height);
    }
  }
}

static void
test_shape_of_eyes (void)
{
  static const struct {
    OctLiveStereo stereo;
    gint width, height;
    double aspect;
  } cases[] = {
    { OCT_LIVE_STEREO_NONE, 1920, 1080, 16.0 / 9.0 },
    { OCT_LIVE_STEREO_SIDE, 3840, 1080, 16.0 / 9.0 },
    { OCT_LIVE_STEREO_SIDE, 1920, 1080, 16.0 / 9.0 },
    { OCT_LIVE_STEREO_TOP, 1920, 2160, 16.0 / 9.0 },
    { OCT_LIVE_STEREO_TOP, 1920, 1080, 16.0 / 9.0 },
    { OCT_LIVE_STEREO_SIDE, 2560, 960, 4.0 / 3.0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpfloat_with_epsilon (oct_live_layout_get_field (cases[i].stereo,
                                        cases[i].width, cases[i].height),
        cases[i].aspect, 1e-9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/live/aim/known-maps", test_known_maps);
  g_test_add_func ("/live/aim/horizon", test_horizon);
  g_test_add_func ("/live/aim/refused", test_refused);
  g_test_add_func ("/live/aim/text", test_text);
  g_test_add_func ("/live/aim/file", test_file);
  g_test_add_func ("/live/area/raster", test_raster);
  g_test_add_func ("/live/area/path", test_path);
  g_test_add_func ("/live/area/turned-raster", test_turned_raster);
  g_test_add_func ("/live/layout/all", test_layouts);
  g_test_add_func ("/live/layout/both-eyes", test_both_eyes);
  g_test_add_func ("/live/layout/shape-of-eyes", test_shape_of_eyes);
  return g_test_run ();
}
