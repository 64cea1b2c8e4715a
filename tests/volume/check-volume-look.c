/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The content of pictures of volumes: faces show the levels that the transfer
 * function shows, and voxels are counted as they are shown; with --module
 * PATH/liboctcuda.so on a GPU.
 */
#include "volume-check.h"
#include "volume-scene.h"

#include "oct-volume-noise.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------- faces
 */

/* The same grey level everywhere, with all kinds of faces. */
static Scene *
new_block (guint8 level)
{
  const VolumeSize size = { 40, 40, 40 };
  g_autofree guint8 *images = volume_new (&size);
  Scene *s;

  memset (images, level, (gsize)size.lines * size.depth * size.bscans);
  s = scene_new (&tried, &size, images, 0.05, 0.05, 0.05, 1);
  s->look.crop_low[0] = s->look.crop_low[2] = 0.1;
  s->look.cut_high[0] = s->look.cut_high[1] = s->look.cut_high[2] = 0.5;
  s->look.planes[0][1] = 1;
  s->look.planes[0][3] = 0.7;
  return s;
}

/* Levels that are not shown inside of a volume are not shown on its faces. */
static void
check_hidden_faces (void)
{
  Scene *empty = new_block (0), *s = new_block (60);

  for (guint mode = 0; mode < OCT_N_VOLUME_MODES; mode++) {
    g_autofree guint8 *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    OctTransferKind kind = mode % 2 ? OCT_TRANSFER_TISSUE : OCT_TRANSFER_GREY;
    const OctTransferStops *stops = oct_transfer_get_stops (kind);

    empty->look.mode = s->look.mode = (OctVolumeMode)mode;
    oct_volume_window_find (
        &(OctVolumeLevels){ { { 0 } }, { 0 } }, 200, &s->look.window);
    s->look.window.mip_low = s->look.window.low = 200;
    a = scene_draw (empty);
    oct_transfer_fill (stops, 200, 1, &s->transfer);
    b = scene_draw (s);
    report (scene_compare (a, b).differing == 0,
        "%s, grey 60 below a threshold of 200: %u values are not background",
        scene_modes[mode], scene_compare (a, b).differing);
    if (mode == OCT_VOLUME_MIP || mode == OCT_VOLUME_MEAN)
      continue;
    oct_transfer_fill (stops, 0, 0, &s->transfer);
    c = scene_draw (s);
    report (scene_compare (a, c).differing == 0,
        "%s, opacity 0: %u values are not background", scene_modes[mode],
        scene_compare (a, c).differing);
    oct_transfer_fill (stops, 30, 1, &s->transfer);
    d = scene_draw (s);
    report (scene_compare (a, d).differing > SCENE_PIXELS,
        "%s, grey 60 above a threshold of 30: %u values are not background",
        scene_modes[mode], scene_compare (a, d).differing);
  }
  scene_free (empty);
  scene_free (s);
}

/* Voxels cropped off above cast no shadow: tissue is as bright with a lid as
 * without one. */
static void
check_lid (void)
{
  const VolumeSize size = { 64, 96, 64 };
  g_autofree guint8 *images = volume_new (&size);
  guint8 *pictures[2];

  for (guint i = 0; i < 2; i++) {
    Scene *s;

    for (guint y = 0; y < size.bscans; y++) {
      memset (volume_at (&size, images, 0, 0, y), 0, size.lines * 96);
      memset (volume_at (&size, images, 0, 0, y), i ? 255 : 0, size.lines * 8);
      memset (volume_at (&size, images, 0, 24, y), 200, size.lines * 72);
    }
    s = scene_new (&tried, &size, images, 0.03, 0.03, 0.03, 1);
    s->look.mode = OCT_VOLUME_ONCE;
    s->look.crop_low[2] = 12.5 / 96;
    pictures[i] = scene_draw (s);
    scene_free (s);
  }
  report (scene_compare (pictures[0], pictures[1]).differing == 0,
      "a lid that is cropped off: %u values differ",
      scene_compare (pictures[0], pictures[1]).differing);
  g_free (pictures[0]);
  g_free (pictures[1]);
}

/* A face is as opaque as 0.2 mm of the tissue: the volume here is only 0.001 mm
 * thick along the line of sight.  `grey`: of `level` between `black` and white. */
static void
check_face (guint8 level, double black, double grey)
{
  static const OctTransferStops even = { 2,
    { { 0, { 0, 0, 0, 4 } }, { 255, { 0, 0, 0, 4 } } } };
  const VolumeSize size = { 32, 32, 32 };
  g_autofree guint8 *images = volume_new (&size), *a = NULL, *b = NULL;
  guint at = 4 * (SCENE_HEIGHT / 2 * SCENE_WIDTH + SCENE_WIDTH / 2);
  double face, background, expected;
  Scene *s;

  memset (images, level, (gsize)size.lines * size.depth * size.bscans);
  s = scene_new (&tried, &size, images, 0.001, 0.001 / 32, 0.001, 1);
  s->look.mode = OCT_VOLUME_ALPHA;
  s->look.face_black = black;
  s->camera = (OctVolumeCamera){ .zoom = 1 };
  oct_transfer_fill (&even, 0, 1, &s->transfer);
  a = scene_draw (s);
  oct_transfer_fill (&even, 0, 0, &s->transfer);
  b = scene_draw (s);
  face = a[at] / 255.0;
  background = b[at] / 255.0;
  expected = grey + (background - grey) * exp (-4 * (0.2 + 0.001));
  report (fabs (face - expected) < 0.006,
      "a face of grey %u, black at %g: %.4f, %.4f expected", level, black, face,
      expected);
  scene_free (s);
}

/* ------------------------------------------------------------------- counts
 */

/* Voxels are counted as they are shown: a volume of B-scans that are even is
 * not changed by smoothing but near its steps. */
static void
check_counts (void)
{
  const VolumeSize size = { 130, 96, 70 };
  g_autofree guint8 *images = volume_new (&size);
  g_autofree OctVolumeLevels *levels = g_new (OctVolumeLevels, 1);
  g_autofree OctVolumeLevels *expected = g_new0 (OctVolumeLevels, 1);
  const guint step = 2, first = 4; /* 65 x 35 A-lines; 96 / 16 rows at most */
  gboolean changed = FALSE, again = TRUE, new = FALSE;
  GError *error = NULL;
  Scene *s;

  /* alike along lines and B-scans; levels rise evenly with depth */
  for (guint y = 0; y < size.bscans; y++)
    for (guint z = 0; z < size.depth; z++)
      memset (volume_at (&size, images, 0, z, y), (int)(2 * z), size.lines);
  for (guint z = first; z < size.depth; z++)
    expected->bands[z * OCT_VOLUME_BANDS / size.depth]
                   [z + 1 == size.depth ? 2 * z - 1 : 2 * z] += 65 * 35;
  expected->maxima[2 * (size.depth - 1) - 1] = 65 * 35;
  s = scene_new (&tried, &size, images, 0.05, 0.05, 0.05, 1);
  g_assert_cmpuint (oct_volume_levels_get_step (&s->params), ==, step);
  volume_device_expect (
      tried.table->get_levels (s->volume, levels, &changed, &error), error);
  report (changed && memcmp (levels, expected, sizeof *levels) == 0,
      "voxels are counted: %u of depth 50, %u A-lines with the largest",
      levels->bands[50 * OCT_VOLUME_BANDS / size.depth][100],
      levels->maxima[2 * (size.depth - 1) - 1]);
  volume_device_expect (
      tried.table->get_levels (s->volume, levels, &again, &error), error);
  scene_store (s, images, 3, 1);
  scene_show (s);
  for (guint i = 0; i < 1000 && !new; i++) {
    volume_device_expect (
        tried.table->get_levels (s->volume, levels, &new, &error), error);
    g_usleep (1000);
  }
  report (!again && new &&memcmp (levels, expected, sizeof *levels) == 0,
      "they are told once, and again when something was stored");
  scene_free (s);
}

/* A volume of which only these B-scans have come.  `levels`: its counts. */
static void
count_some (Scene *s, const guint8 *images, const guint *bscans, guint n,
    OctVolumeLevels *levels)
{
  gboolean changed = FALSE;
  GError *error = NULL;

  volume_device_expect (
      tried.table->clear (s->volume, s->device->stream, &error), error);
  for (guint i = 0; i < n; i++)
    scene_store (s, images, bscans[i], 1);
  scene_show (s);
  volume_device_expect (
      tried.table->get_levels (s->volume, levels, &changed, &error), error);
  g_assert_true (changed);
}

/* B-scans that have never come are black, and so are half of the voxels beside
 * them: neither is counted.  Where each B-scan has such a neighbour they are,
 * as they are shown. */
static void
check_counts_of_some (void)
{
  static const guint first_ten[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  static const guint apart[] = { 21, 40 };
  const VolumeSize size = { 130, 96, 70 };
  g_autofree guint8 *images = volume_new (&size);
  g_autofree OctVolumeLevels *levels = g_new (OctVolumeLevels, 1);
  g_autofree OctVolumeLevels *ten = g_new0 (OctVolumeLevels, 1);
  g_autofree OctVolumeLevels *one = g_new0 (OctVolumeLevels, 1);
  const guint first = 4, last = 95, lines = 65; /* of every second A-line */
  Scene *s;

  for (guint y = 0; y < size.bscans; y++)
    for (guint z = 0; z < size.depth; z++)
      memset (volume_at (&size, images, 0, z, y), (int)(2 * z), size.lines);
  for (guint z = first; z <= last; z++) {
    guint band = z * OCT_VOLUME_BANDS / size.depth;

    /* 0, 2, 4, 6, 8 */
    ten->bands[band][z == last ? 2 * z - 1 : 2 * z] += 5 * lines;
    /* 40: weights 1 2 1 of B-scans */
    one->bands[band][z] += lines;
  }
  ten->maxima[2 * last - 1] = 5 * lines;
  one->maxima[last] = lines;
  s = scene_new (&tried, &size, images, 0.05, 0.05, 0.05, 1);
  count_some (s, images, first_ten, G_N_ELEMENTS (first_ten), levels);
  report (memcmp (levels, ten, sizeof *levels) == 0,
      "ten B-scans have come: %u of depth 50, %u expected",
      levels->bands[50 * OCT_VOLUME_BANDS / size.depth][100], 5 * lines);
  count_some (s, images, apart, G_N_ELEMENTS (apart), levels);
  report (memcmp (levels, one, sizeof *levels) == 0,
      "two that are apart: %u of depth 50, %u expected",
      levels->bands[50 * OCT_VOLUME_BANDS / size.depth][50], lines);
  scene_free (s);
}

int
main (int argc, char **argv)
{
  volume_device_begin (&tried, &argc, &argv);
  check_hidden_faces ();
  check_lid ();
  check_face (255, 10, 0.06 + 0.98);
  check_face (165, 95, 0.06 + 0.98 / 2);
  check_face (80, 95, 0.06);
  check_counts ();
  check_counts_of_some ();
  return volume_report_end ();
}
