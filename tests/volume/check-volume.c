/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Renderers of volumes: shapes land where geometry says, empty space that is
 * left out changes nothing, images become the voxels that the definition says;
 * and with --module PATH/liboctcuda.so the same on a GPU, and its pictures
 * against those of the CPU.
 */
#include "volume-check.h"
#include "volume-scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static VolumeDevice cpu;

/* ------------------------------------------------------- shapes and geometry
 */

typedef struct {
  double origin[3], direction[3]; /* mm */
} Line;

static Line
line_through (const OctVolumeEye *eye, double x, double y)
{
  double u = 2 * x / SCENE_WIDTH - 1, w = 1 - 2 * y / SCENE_HEIGHT;
  const float *o = &eye->origin.x, *r = &eye->right.x, *up = &eye->up.x,
              *f = &eye->forward.x;
  Line line;

  for (guint i = 0; i < 3; i++) {
    double side = u * r[i] + w * up[i];

    line.origin[i] = o[i] + (eye->parallel ? side : 0);
    line.direction[i] = f[i] + (eye->parallel ? 0 : side);
  }
  return line;
}

/* Whether a line meets the shape, exactly. */
typedef gboolean (*Meets) (const Line *line, const double half[3]);

static gboolean
clip (double a, double d, double low, double high, double *t0, double *t1)
{
  double u, v;

  if (fabs (d) < 1e-12)
    return a >= low && a <= high;
  u = (low - a) / d;
  v = (high - a) / d;
  *t0 = MAX (*t0, MIN (u, v));
  *t1 = MIN (*t1, MAX (u, v));
  return *t0 < *t1;
}

/* A sphere of a radius of 0.7 halves of the depth, in the middle, shifted. */
#define SPHERE_X 0.15
#define SPHERE_Y -0.2
#define SPHERE_R 0.7

static double
sphere (double x, double y, double z, gconstpointer data)
{
  const double *half = data;
  double a = (2 * x - 1 - SPHERE_X) * half[0];
  double b = (2 * y - 1 - SPHERE_Y) * half[1];
  double c = (2 * z - 1) * half[2];

  return SPHERE_R * half[2] - sqrt (a * a + b * b + c * c);
}

static gboolean
meets_sphere (const Line *line, const double half[3])
{
  double centre[3] = { SPHERE_X * half[0], SPHERE_Y * half[1], 0 };
  double dd = 0, de = 0, ee = 0, r = SPHERE_R * half[2];

  for (guint i = 0; i < 3; i++) {
    double e = line->origin[i] - centre[i];

    dd += line->direction[i] * line->direction[i];
    de += line->direction[i] * e;
    ee += e * e;
  }
  return ee - de * de / dd < r * r;
}

/* Tissue below a slope: x / half_x * 0.3 + y / half_y * 0.2 < z / half_z. */
static double
slope (double x, double y, double z, gconstpointer data)
{
  return (2 * z - 1) - 0.3 * (2 * x - 1) - 0.2 * (2 * y - 1);
}

static gboolean
meets_slope (const Line *l, const double half[3])
{
  double t0 = 0, t1 = 1e9;
  const double n[3] = { -0.3 / half[0], -0.2 / half[1], 1 / half[2] };
  double along = 0, at = 0, t;

  for (guint i = 0; i < 3; i++) {
    if (!clip (l->origin[i], l->direction[i], -half[i], half[i], &t0, &t1))
      return FALSE;
    along += n[i] * l->direction[i];
    at += n[i] * l->origin[i];
  }
  t = -at / along;
  if (along > 0)
    t0 = MAX (t0, t);
  else
    t1 = MIN (t1, t);
  return t0 < t1;
}

/* Pixels that differ though no line within `margin` pixels around does. */
static guint
count_wrong (
    Scene *s, const guint8 *pixels, Meets meets, double margin, guint *inside)
{
  OctVolumeEye eye = scene_eye (s);
  OctPoint size = scene_size (s);
  const double half[3] = { size.x / 2, size.y / 2, size.z / 2 };
  guint wrong = 0;

  *inside = 0;
  for (guint y = 0; y < SCENE_HEIGHT; y++)
    for (guint x = 0; x < SCENE_WIDTH; x++) {
      /* the background is darker, and the edge of a face not as dark */
      gboolean seen = pixels[4 * (y * SCENE_WIDTH + x)] > 40;
      guint met = 0;

      for (gint k = 0; k < 9; k++) {
        Line line = line_through (&eye, x + 0.5 + (k % 3 - 1) * margin,
            y + 0.5 + (k / 3 - 1) * margin);

        met += meets (&line, half);
      }
      *inside += met == 9;
      wrong += (met == 9 && !seen) || (met == 0 && seen);
    }
  return wrong;
}

static void
check_shape (const char *name, VolumeShape shape, Meets meets, double fov,
    double yaw, double pitch)
{
  VolumeSize size = { 96, 120, 80 };
  const double mm[3] = { 0.03, 0.04, 0.02 };
  const double half[3] = { 96 * mm[0] / 2, 80 * mm[1] / 2, 120 * mm[2] / 2 };
  g_autofree guint8 *images = volume_new (&size), *pixels = NULL;
  Scene *s;
  guint wrong, inside;

  volume_fill_shape (&size, images, shape, half, 255);
  s = scene_new (&tried, &size, images, mm[0], mm[1], mm[2], 1);
  s->look.mode = OCT_VOLUME_ALPHA;
  s->camera.field_of_view = fov;
  s->camera.yaw = yaw;
  s->camera.pitch = pitch;
  pixels = scene_draw (s);
  /* a voxel is up to 2 pixels, and a shape of voxels is right to half of one */
  wrong = count_wrong (s, pixels, meets, 1.3, &inside);
  report (wrong == 0 && inside > SCENE_PIXELS / 50,
      "%s, field of view %g, yaw %g, pitch %g: %u of %u pixels elsewhere than "
      "geometry says",
      name, fov, yaw, pitch, wrong, inside);
  scene_free (s);
}

#define SUBPIXELS 16 /* along each axis */

/* The outline of an opaque volume is as bright as the part of each pixel that
 * it covers.  The renderer takes the distance to the edge for it, which is
 * right to 0.043 (of an edge at 45 degrees); counting sub-pixels is right to 1
 * / SUBPIXELS.  In a corner there are two edges.  A ray that met or missed the
 * volume would be wrong by 0.25 on average. */
static void
check_outline (double fov, double yaw, double pitch)
{
  const VolumeSize size = { 64, 64, 64 };
  g_autofree guint8 *images = volume_new (&size), *pixels = NULL, *back = NULL;
  double sum = 0, most = 0;
  guint n = 0, far = 0;
  OctVolumeEye eye;
  OctPoint mm;
  Scene *s;

  memset (images, 255, (gsize)size.lines * size.depth * size.bscans);
  s = scene_new (&tried, &size, images, 0.05, 0.06, 0.04, 1);
  s->look.mode = OCT_VOLUME_ALPHA;
  s->camera.field_of_view = fov;
  s->camera.yaw = yaw;
  s->camera.pitch = pitch;
  s->camera.zoom = 0.8;
  eye = scene_eye (s);
  mm = scene_size (s);
  /* a face above, too: nothing is drawn on the first depth */
  s->look.planes[0][2] = -1;
  s->look.planes[0][3] = 0.4 * mm.z;
  pixels = scene_draw (s);
  oct_transfer_fill (
      oct_transfer_get_stops (OCT_TRANSFER_TISSUE), 0, 0, &s->transfer);
  back = scene_draw (s);
  for (guint i = 0; i < SCENE_PIXELS; i++) {
    const double half[3] = { mm.x / 2, mm.y / 2, mm.z / 2 };
    guint met = 0;
    double covered, found;

    for (guint k = 0; k < SUBPIXELS * SUBPIXELS; k++) {
      Line l = line_through (&eye,
          i % SCENE_WIDTH + (k % SUBPIXELS + 0.5) / SUBPIXELS,
          i / SCENE_WIDTH + (k / SUBPIXELS + 0.5) / SUBPIXELS);
      double t0 = 0, t1 = 1e9;

      clip (l.origin[0], l.direction[0], -half[0], half[0], &t0, &t1);
      clip (l.origin[1], l.direction[1], -half[1], half[1], &t0, &t1);
      if (clip (l.origin[2], l.direction[2], -0.4 * mm.z, half[2], &t0, &t1))
        met++;
    }
    if (met == 0 || met == SUBPIXELS * SUBPIXELS)
      continue;
    covered = met / (double)(SUBPIXELS * SUBPIXELS);
    found = (pixels[4 * i] - back[4 * i]) / (255.0 - back[4 * i]);
    sum += fabs (found - covered);
    most = MAX (most, fabs (found - covered));
    far += fabs (found - covered) > 0.043 + 1.0 / SUBPIXELS;
    n++;
  }
  report (n > 200 && sum / n < 0.03 && far <= 12,
      "outline, field of view %g, yaw %g, pitch %g: brightness of %u pixels "
      "differs from the part that is covered by %.4f on average, at most %.3f, "
      "%u by more than a straight edge does",
      fov, yaw, pitch, n, sum / MAX (1, n), most, far);
  scene_free (s);
}

/* Small cubes: their light is centred where the camera's formula says. */
static void
check_points (double fov)
{
  VolumeSize size = { 64, 64, 64 };
  g_autofree guint8 *images = volume_new (&size), *pixels = NULL;
  const guint at[2] = { 9, 54 };
  OctVolumeEye eye;
  double worst = 0;
  guint found = 0;
  Scene *s;

  for (guint i = 0; i < 8 * 27; i++)
    *volume_at (&size, images, at[i % 2] + i / 8 % 3 - 1,
        at[i / 2 % 2] + i / 24 % 3 - 1, at[i / 4 % 2] + i / 72 - 1) = 255;
  s = scene_new (&tried, &size, images, 0.05, 0.06, 0.04, 1);
  s->look.mode = OCT_VOLUME_MIP;
  s->camera.field_of_view = fov;
  /* none hides another, nor lies beside it */
  s->camera.yaw = 13;
  s->camera.pitch = 27;
  pixels = scene_draw (s);
  eye = scene_eye (s);
  for (guint i = 0; i < 8; i++) {
    OctPoint p = { (at[i % 2] + 0.5f - 32) * 0.05f,
      (at[i / 4] + 0.5f - 32) * 0.06f, (at[i / 2 % 2] + 0.5f - 32) * 0.04f };
    double x, y, sum = 0, sum_x = 0, sum_y = 0;

    g_assert_true (
        oct_volume_eye_project (&eye, p, SCENE_WIDTH, SCENE_HEIGHT, &x, &y));
    for (gint dy = -6; dy <= 6; dy++)
      for (gint dx = -6; dx <= 6; dx++) {
        gint px = (gint)x + dx, py = (gint)y + dy;
        double light;

        if (px < 0 || py < 0 || px >= (gint)SCENE_WIDTH
            || py >= (gint)SCENE_HEIGHT)
          continue;
        /* above the background */
        light = MAX (0, pixels[4 * (py * SCENE_WIDTH + px)] - 40);
        sum += light;
        sum_x += light * (px + 0.5);
        sum_y += light * (py + 0.5);
      }
    if (!(sum > 0))
      continue;
    found++;
    worst = MAX (worst, hypot (sum_x / sum - x, sum_y / sum - y));
  }
  report (found == 8 && worst < 0.7,
      "cubes, field of view %g: %u of 8 found, at most %.2f pixels from "
      "where "
      "they are",
      fov, found, worst);
  scene_free (s);
}

/* ---------------------------------------------------------- pictures compared
 */

static Scene *
new_tissue (const VolumeDevice *device, const guint8 *images,
    const VolumeSize *size, guint decimation)
{
  Scene *s = scene_new (device, size, images, 0.05, 0.06, 0.0125, decimation);

  oct_transfer_fill (
      oct_transfer_get_stops (OCT_TRANSFER_TISSUE), 0, 1, &s->transfer);
  return s;
}

/* Leaving out empty space changes no picture: single pixels where a sample lies
 * on the border of a block. */
static void
check_skipping (const VolumeSize *size, const guint8 *images)
{
  Scene *s = new_tissue (&tried, images, size, 2);

  for (guint i = 0; i < 2 * OCT_N_VOLUME_MODES; i++) {
    g_autofree guint8 *a = NULL, *b = NULL;
    SceneDifference d;

    s->look.mode = (OctVolumeMode)(i / 2);
    s->look.cut_high[0] = s->look.cut_high[1] = i % 2 ? 0.4 : 0;
    s->look.cut_high[2] = 1;
    s->look.everywhere = FALSE;
    a = scene_draw (s);
    s->look.everywhere = TRUE;
    b = scene_draw (s);
    d = scene_compare (a, b);
    report (d.differing <= 4 * SCENE_PIXELS / 5000,
        "%s%s, empty space left out: %u of %u values differ, by at most %u",
        scene_modes[i / 2], i % 2 ? ", cut" : "", d.differing, 4 * SCENE_PIXELS,
        d.most);
  }
  scene_free (s);
}

/* Compares pictures of both backends in all modes. */
static void
compare_backends (const char *name, Scene *a, Scene *b)
{
  for (guint mode = 0; mode < OCT_N_VOLUME_MODES; mode++) {
    g_autofree guint8 *x = NULL, *y = NULL;
    SceneDifference d;

    a->look.mode = b->look.mode = (OctVolumeMode)mode;
    x = scene_draw (a);
    y = scene_draw (b);
    d = scene_compare (x, y);
    /* textures weigh with 8 bit; a highlight or an edge can be beside it */
    report (
        d.mean < 0.3 && fabs (d.bias) < 0.05 && d.far < 4 * SCENE_PIXELS / 500,
        "%s, %s: mean difference to the CPU %.4f, bias %.4f, at most %u, %u "
        "values by more than 8",
        name, scene_modes[mode], d.mean, d.bias, d.most, d.far);
  }
}

static void
check_backends (const VolumeSize *size, const guint8 *images)
{
  for (guint decimation = 1; decimation <= 4; decimation *= 2) {
    g_autofree char *name = g_strdup_printf ("decimation %u", decimation);
    Scene *a = new_tissue (&cpu, images, size, decimation);
    Scene *b = new_tissue (&tried, images, size, decimation);

    compare_backends (name, a, b);
    if (decimation == 2) {
      for (guint i = 0; i < 2; i++) {
        Scene *s = i ? b : a;

        s->look.cut_high[0] = s->look.cut_high[1] = 0.45;
        s->look.cut_high[2] = 0.8;
        s->look.crop_low[2] = 0.3;
        s->look.planes[1][0] = 1;
        s->look.planes[1][3] = 0.8;
        s->look.depth_hue = 0.6;
        s->camera.field_of_view = 0;
      }
      compare_backends ("parallel, cut, cropped, hue", a, b);
      a->look.coarseness = b->look.coarseness = 3;
      compare_backends ("one ray for 3 x 3 pixels", a, b);
    }
    scene_free (a);
    scene_free (b);
  }
}

/* ------------------------------------------------------------------- reading
 */

#define READ_GAIN 16    /* levels of the picture for one of the volume */
#define READ_FLOOR 36   /* what mode=mean takes off */
#define READ_LINES 1024 /* steps of a ray: to one of them its sum is right */

static gint
limit_index (gint i, guint n)
{
  return CLAMP (i, 0, (gint)n - 1);
}

/* The smoothed voxels of images that are alike in all A-lines: 1 2 1 over
 * B-scans, 1 4 6 4 1 over depths, rounded to nearest; [bscans][depth],
 * g_free(). */
static guint8 *
smooth_alike (const VolumeSize *size, const guint8 *alike)
{
  static const guint bscans[3] = { 1, 2, 1 }, depths[5] = { 1, 4, 6, 4, 1 };
  guint8 *voxels = g_malloc ((gsize)size->bscans * size->depth);

  for (guint i = 0; i < size->bscans * size->depth; i++) {
    gint y = (gint)(i / size->depth), z = (gint)(i % size->depth);
    guint sum = 0;

    for (gint k = 0; k < 15; k++)
      sum +=
          bscans[k / 5] * depths[k % 5]
          * alike[(guint)limit_index (y + k / 5 - 1, size->bscans) * size->depth
                  + (guint)limit_index (z + k % 5 - 2, size->depth)];
    voxels[i] = (guint8)((sum + 32) / 64);
  }
  return voxels;
}

/* Between the four voxels around; y and z in voxels, 0: the first's centre. */
static double
interpolate (const VolumeSize *size, const guint8 *voxels, double y, double z)
{
  guint iy = (guint)y, iz = (guint)z;
  const guint8 *v = voxels + iy * size->depth + iz;
  double a = v[0] + (v[1] - v[0]) * (z - iz);
  double b = v[size->depth] + (v[size->depth + 1] - v[size->depth]) * (z - iz);

  return a + (b - a) * (y - iy);
}

typedef struct {
  double sum, most; /* of differences, grey levels of the volume */
  guint n;
} Reads;

/* The picture looks along the A-lines, which are alike, so that each pixel
 * shows what one place between B-scans and depths is read as. */
static void
compare_reads (Scene *s, const VolumeSize *size, const guint8 *voxels,
    const guint8 *pixels, Reads *reads)
{
  OctVolumeEye eye = scene_eye (s);
  OctPoint mm = scene_size (s);

  for (guint i = 0; i < SCENE_PIXELS; i++) {
    Line line =
        line_through (&eye, i % SCENE_WIDTH + 0.5, i / SCENE_WIDTH + 0.5);
    /* no direction of a ray is 0: to the middle it comes so far */
    double aside = 1e-6 * fabs (line.origin[0]);
    double y = (line.origin[1] + aside + mm.y / 2) / s->look.y_spacing - 0.5;
    double z = (line.origin[2] + aside + mm.z / 2) / s->look.z_spacing - 0.5;
    double level, found, difference;

    if (y < 0 || z < 0 || y >= size->bscans - 1 || z >= size->depth - 1)
      continue;
    level = interpolate (size, voxels, y, z);
    found = pixels[4 * i] / (double)READ_GAIN + READ_FLOOR;
    /* below a quarter of the range the background shines through */
    if (level < READ_FLOOR + 70.0 / READ_GAIN
        || level > READ_FLOOR + 245.0 / READ_GAIN)
      continue;
    difference = fabs (found - level);
    reads->sum += difference;
    reads->most = MAX (reads->most, difference);
    reads->n++;
  }
}

/* Voxels are read as interpolation in double precision says, to 0.05 grey
 * levels on average: the picture's rounding makes 0.016, together with weights
 * that are rounded to 8 bit as those of textures 0.022, with weights that are
 * cut off 0.034.  A picture shows a few levels alone, so that there is one for
 * each of several ranges. */
static void
check_reads (void)
{
  const VolumeSize tissue = { 8, 96, 80 }, size = { READ_LINES, 96, 80 };
  const guint n = size.bscans * size.depth;
  g_autofree guint8 *images = volume_new (&tissue), *alike = g_malloc (n);
  g_autofree guint8 *volume = volume_new (&size);
  Reads reads = { 0 };

  volume_fill_tissue (&tissue, images);
  for (gint floor = READ_FLOOR; floor < 200; floor += 15) {
    g_autofree guint8 *voxels = NULL, *pixels = NULL;
    Scene *s;

    for (guint i = 0; i < n; i++) {
      gint level =
          *volume_at (&tissue, images, 4, i % size.depth, i / size.depth);

      alike[i] = (guint8)CLAMP (level + READ_FLOOR - floor, 0, 255);
      memset (volume + (gsize)i * size.lines, alike[i], size.lines);
    }
    voxels = smooth_alike (&size, alike);
    /* READ_GAIN / 4 times as long as deep */
    s = scene_new (&tried, &size, volume,
        0.02 * size.depth * READ_GAIN / 4 / READ_LINES, 0.024, 0.02, 1);
    s->look.mode = OCT_VOLUME_MEAN;
    s->camera = (OctVolumeCamera){ .yaw = 90, .zoom = 4 };
    pixels = scene_draw (s);
    compare_reads (s, &size, voxels, pixels, &reads);
    scene_free (s);
  }
  report (reads.n > 5000 && reads.sum / reads.n <= 0.05,
      "%u places between voxels: %.4f grey levels from interpolation in double "
      "precision on average, at most %.3f",
      reads.n, reads.sum / MAX (1, reads.n), reads.most);
}

/* A volume that is larger than all memory: both sizes, and what to set. */
static void
check_memory (void)
{
  const OctVolumeParams params = { .lines = OCT_VOLUME_MAX_SIZE,
    .depth = OCT_VOLUME_MAX_SIZE,
    .bscans = OCT_VOLUME_MAX_SIZE,
    .decimation = 1,
    .pixel_size = 1 };
  const OctVolumeTable *tables[] = { tried.table, tried.sections };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
    g_autoptr (GError) error = NULL;
    guint64 needed =
        i == 0 ? oct_volume_get_size (&params) : oct_section_get_size (&params);
    g_autofree char *words =
        g_strdup_printf ("%" G_GUINT64_FORMAT " MB of memory", needed >> 20);
    OctVolume *volume = tables[i]->create (&params, &error);

    report (volume == NULL
                && g_error_matches (error, OCT_ERROR, OCT_ERROR_MEMORY)
                && strstr (error->message, words) != NULL
                && strstr (error->message, " MB are free; set") != NULL,
        "a volume larger than all memory: %s",
        error != NULL ? error->message : "it was made");
    if (volume != NULL)
      tables[i]->destroy (volume);
  }
}

/* ------------------------------------------------------------------- storing
 */

/* B-scans one by one, in any order, some of them twice, are the volume that all
 * of them at once are; one that is missing is as it was. */
static void
check_order (const VolumeSize *size, const guint8 *images)
{
  g_autofree guint8 *other = volume_new (size), *mixed = NULL;
  g_autofree guint8 *a = NULL, *b = NULL, *c = NULL;
  gsize slice = (gsize)size->lines * size->depth;
  guint missing = size->bscans / 3;
  Scene *s, *t;
  SceneDifference d;

  for (gsize i = 0; i < slice * size->bscans; i++)
    other[i] = (guint8)(images[i] / 2);
  mixed = g_memdup2 (images, slice * size->bscans);
  memcpy (mixed + missing * slice, other + missing * slice, slice);
  s = new_tissue (&tried, other, size, 2);
  t = new_tissue (&tried, mixed, size, 2);
  a = scene_draw (s);
  for (guint i = 0; i < size->bscans + 5; i++) {
    guint bscan = i * 7 % size->bscans;

    if (bscan != missing)
      scene_store (s, images + bscan * slice, bscan, 1);
  }
  b = scene_draw (s);
  d = scene_compare (a, b);
  report (d.differing == 0,
      "a volume that is stored and not shown: %u values of the picture changed",
      d.differing);
  scene_show (s);
  g_free (g_steal_pointer (&b));
  b = scene_draw (s);
  c = scene_draw (t);
  d = scene_compare (b, c);
  report (
      d.differing == 0 && scene_compare (a, b).differing > SCENE_PIXELS / 10,
      "B-scans in any order, one missing: %u values differ from all at once",
      d.differing);
  scene_free (s);
  scene_free (t);
}

int
main (int argc, char **argv)
{
  VolumeSize size = { 118, 256, 90 };
  g_autofree guint8 *images = volume_new (&size);

  volume_device_begin (&tried, &argc, &argv);
  volume_device_open (&cpu, NULL);
  volume_fill_tissue (&size, images);
  for (guint i = 0; i < 4; i++) {
    double fov = i % 2 ? 0 : 34, yaw = i < 2 ? -35 : 128;

    check_shape ("sphere", sphere, meets_sphere, fov, yaw, i < 2 ? 38 : -12);
    check_shape ("slope", slope, meets_slope, fov, yaw, i < 2 ? 38 : 71);
  }
  check_outline (34, -35, 38);
  check_outline (34, 20, 0);
  check_outline (0, 128, 20);
  check_points (34);
  check_points (0);
  check_reads ();
  check_memory ();
  check_skipping (&size, images);
  check_order (&size, images);
  if (tried.device != NULL)
    check_backends (&size, images);
  return volume_report_end ();
}
