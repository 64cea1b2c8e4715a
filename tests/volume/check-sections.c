/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Sections of volumes against the reference in double precision: planes of any
 * direction, projections of every mode with the surface found or not, whatever
 * was stored and set before; with --module PATH/liboctcuda.so the same on a
 * GPU.
 */
#include "reference-section.h"
#include "volume-check.h"
#include "volumes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tolerance in grey levels: float32 may round a pixel the other way. */
#define LEVEL 0.51
#define MAX_PADDING 7

/* ------------------------------------------------------------------ volumes */

/* A volume, and what has to be in it. */
typedef struct {
  VolumeSize size;
  OctVolume *volume;
  guint8 *stored, *shown; /* [bscans][depth][lines] */
  guint8 *stored_there, *there;
} Sections;

static gsize
slice_size (const Sections *s)
{
  return (gsize)s->size.lines * s->size.depth;
}

static Sections *
sections_new (const VolumeSize *size)
{
  Sections *s = g_new0 (Sections, 1);
  OctVolumeParams params = { size->lines, size->depth, size->bscans, 1, 1 };
  GError *error = NULL;

  s->size = *size;
  s->volume = tried.sections->create (&params, &error);
  volume_device_expect (s->volume != NULL, error);
  s->stored = volume_new (size);
  s->shown = volume_new (size);
  s->stored_there = g_malloc0 (size->bscans);
  s->there = g_malloc0 (size->bscans);
  return s;
}

static void
sections_free (Sections *s)
{
  tried.sections->destroy (s->volume);
  g_free (s->stored);
  g_free (s->shown);
  g_free (s->stored_there);
  g_free (s->there);
  g_free (s);
}

static void
sections_store (Sections *s, const guint8 *images, guint first, guint n)
{
  gsize size = slice_size (s) * n;
  gpointer memory = volume_device_alloc (&tried, size);
  OctFrame frame = { .planes[0] = { memory, s->size.lines } };
  GError *error = NULL;

  memcpy (s->stored + first * slice_size (s), images, size);
  memset (s->stored_there + first, TRUE, n);
  volume_device_upload (&tried, memory, images, size);
  volume_device_expect (
      tried.sections->store (s->volume, &frame, first, n, tried.stream, &error),
      error);
  volume_device_wait (&tried, tried.stream);
  volume_device_free (&tried, memory);
}

static void
sections_show (Sections *s)
{
  GError *error = NULL;

  memcpy (s->shown, s->stored, slice_size (s) * s->size.bscans);
  memcpy (s->there, s->stored_there, s->size.bscans);
  volume_device_expect (
      tried.sections->show (s->volume, tried.stream, &error), error);
}

static ReferenceVolume
get_reference (const Sections *s)
{
  return (ReferenceVolume){ s->shown, s->size.lines, s->size.depth,
    s->size.bscans };
}

/* ----------------------------------------------------------------- pictures
 */

typedef struct {
  guint width, height, padding;
  OctImageFormat format;
} Picture;

/* Grey levels, or NULL after saying what is wrong with the picture. */
static guint8 *
make_picture (Sections *s, const Picture *p, const OctSlice *slice,
    const OctEnface *enface)
{
  guint pixel = p->format == OCT_IMAGE_RGBA ? 4 : 1;
  gsize stride = (gsize)p->width * pixel + p->padding * pixel;
  gsize chroma = (p->width + 1) / 2 * 2 + p->padding;
  gsize luma_size = stride * p->height;
  gsize size = luma_size + chroma * ((p->height + 1) / 2);
  gpointer memory = volume_device_alloc (&tried, size);
  g_autofree guint8 *pixels = g_malloc (size);
  guint8 *grey = g_malloc ((gsize)p->width * p->height);
  OctSectionPicture picture = { p->format, p->width, p->height,
    { { { memory, stride }, { (guint8 *)memory + luma_size, chroma } } } };
  gboolean ok = TRUE;
  GError *error = NULL;

  memset (pixels, 0xa5, size);
  volume_device_upload (&tried, memory, pixels, size);
  volume_device_expect (slice != NULL
                            ? tried.sections->slice (s->volume, slice, &picture,
                                tried.stream, &error)
                            : tried.sections->enface (s->volume, enface,
                                &picture, tried.stream, &error),
      error);
  volume_device_download (&tried, pixels, memory, size, tried.stream);
  volume_device_free (&tried, memory);
  for (guint y = 0; y < p->height; y++)
    for (guint x = 0; x < p->width + p->padding; x++) {
      const guint8 *at = pixels + y * stride + x * pixel;

      if (x >= p->width) {
        ok = ok && at[0] == 0xa5;
        continue;
      }
      grey[y * p->width + x] = at[0];
      if (pixel == 4)
        ok = ok && at[1] == at[0] && at[2] == at[0] && at[3] == 255;
    }
  for (guint y = 0; y < (p->height + 1) / 2; y++)
    for (guint x = 0; x < chroma; x++)
      ok = ok
           && pixels[luma_size + y * chroma + x]
                  == (p->format == OCT_IMAGE_NV12 && x < chroma - p->padding
                          ? 128
                          : 0xa5);
  if (!ok)
    report (FALSE,
        "a picture of %u x %u, format %d, is not as its format has it",
        p->width, p->height, p->format);
  return grey;
}

/* How many pixels are off; *worst: by how much. */
static guint
count_wrong (
    const Picture *p, const guint8 *found, const double *levels, double *worst)
{
  guint wrong = 0;

  for (guint i = 0; i < p->width * p->height; i++) {
    double off = fabs (found[i] - CLAMP (levels[i], 0, 255));

    wrong += off > LEVEL;
    *worst = MAX (*worst, off);
  }
  return wrong;
}

/* ------------------------------------------------------------------- planes
 */

static OctPoint
random_point (GRand *random, double x, double y, double z, double low)
{
  return (OctPoint){ (float)(x * g_rand_double_range (random, low, 1)),
    (float)(y * g_rand_double_range (random, low, 1)),
    (float)(z * g_rand_double_range (random, low, 1)) };
}

/* Positions of float32 in a volume of so many voxels: grey levels differ from
 * voxel to voxel by as much as 255. */
#define SLICE_LEVEL (0.5 + 255 * 3e-7 * 300)
/* At the face of the volume, one pixel is inside or not by rounding. */
#define SLICE_EDGE 0.002

static void
check_slices (Sections *s)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (8);
  ReferenceVolume reference = get_reference (s);
  guint wrong = 0, edge = 0, pixels = 0, inside = 0;

  for (guint i = 0; i < 60; i++) {
    Picture p = { 1 + g_rand_int (random) % 200, 1 + g_rand_int (random) % 200,
      g_rand_int (random) % MAX_PADDING,
      i % 3 == 0   ? OCT_IMAGE_GRAY8
      : i % 3 == 1 ? OCT_IMAGE_NV12
                   : OCT_IMAGE_RGBA };
    double nx = s->size.lines, ny = s->size.bscans, nz = s->size.depth;
    OctSlice slice = { random_point (random, nx, ny, nz, -.2),
      random_point (random, nx / p.width, ny / p.width, nz / p.width, -1),
      random_point (random, nx / p.height, ny / p.height, nz / p.height, -1) };
    g_autofree double *levels = g_new (double, (gsize)p.width *p.height);
    g_autofree guint8 *found = make_picture (s, &p, &slice, NULL);

    oct_reference_slice (&reference, &slice, p.width, p.height, levels);
    for (guint k = 0; k < p.width * p.height; k++) {
      gboolean outside = levels[k] < 0;
      double off = fabs (found[k] - MAX (levels[k], 0));

      inside += !outside;
      if (off > SLICE_LEVEL && (outside || found[k] == 0))
        edge++;
      else
        wrong += off > SLICE_LEVEL;
    }
    pixels += p.width * p.height;
  }
  report (wrong == 0 && edge <= SLICE_EDGE * pixels && inside > pixels / 5,
      "planes of any direction: of %u pixels, %u inside, %u differ from the "
      "reference, and %u at its faces",
      pixels, inside, wrong, edge);
}

/* A plane through the middles of voxels shows the voxels. */
static void
check_voxels (Sections *s)
{
  guint nx = s->size.lines, ny = s->size.bscans, nz = s->size.depth, wrong = 0;
  const struct {
    OctSlice slice;
    guint width, height;
  } planes[] = {
    { { { 0, 5.5f, 0 }, { 1, 0, 0 }, { 0, 0, 1 } }, nx, nz },
    { { { 7.5f, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, ny, nz },
    { { { 0, 0, 40.5f }, { 1, 0, 0 }, { 0, 1, 0 } }, nx, ny },
  };

  for (guint i = 0; i < G_N_ELEMENTS (planes); i++) {
    Picture p = { planes[i].width, planes[i].height, 0, OCT_IMAGE_GRAY8 };
    g_autofree guint8 *found = make_picture (s, &p, &planes[i].slice, NULL);

    for (guint y = 0; y < p.height; y++)
      for (guint x = 0; x < p.width; x++)
        wrong +=
            found[y * p.width + x]
            != *volume_at (&s->size, s->shown, i == 1 ? 7 : x, i == 2 ? 40 : y,
                i == 0   ? 5
                : i == 1 ? x
                         : y);
  }
  report (wrong == 0,
      "planes through the middles of voxels: %u pixels are not the voxels",
      wrong);
}

/* ------------------------------------------------------------------ en face
 */

static OctEnface
random_enface (GRand *random, const VolumeSize *size)
{
  OctEnface e = { .mode = g_rand_int (random) % OCT_N_ENFACE_MODES,
    .start = g_rand_int_range (random, -10, (gint)size->depth + 5),
    .thickness = 1 + g_rand_int (random) % size->depth,
    .threshold = g_rand_int (random) % 256,
    .flatten = g_rand_boolean (random),
    .surface_from = g_rand_int (random) % (size->depth / 2),
    .surface_rise = g_rand_int (random) % 60,
    .surface_radius = g_rand_int (random) % (OCT_ENFACE_MAX_RADIUS + 1),
    .is_auto = g_rand_boolean (random),
    .black = 30.5,
    .white = 170 };

  if (e.flatten)
    e.start = g_rand_int_range (random, -20, 40);
  if (g_rand_boolean (random))
    e.thickness = 1 + e.thickness % 20;
  if (e.mode == OCT_ENFACE_SUM)
    e.white *= 10;
  return e;
}

static Picture
random_picture (GRand *random)
{
  static const OctImageFormat formats[] = { OCT_IMAGE_GRAY8, OCT_IMAGE_NV12,
    OCT_IMAGE_RGBA };

  return (Picture){ 1 + g_rand_int (random) % 150,
    1 + g_rand_int (random) % 150, g_rand_int (random) % MAX_PADDING,
    formats[g_rand_int (random) % 3] };
}

static guint
compare_enface (
    Sections *s, const OctEnface *e, const Picture *p, double *worst)
{
  ReferenceVolume reference = get_reference (s);
  g_autofree double *levels = g_new (double, (gsize)p->width * p->height);
  g_autofree guint8 *found = make_picture (s, p, NULL, e);

  oct_reference_enface (&reference, e, s->there, p->width, p->height, levels);
  return count_wrong (p, found, levels, worst);
}

static void
check_modes (Sections *s)
{
  static const char *const names[] = { "mean", "max", "sum", "depth" };
  g_autoptr (GRand) random = g_rand_new_with_seed (9);
  guint wrong[OCT_N_ENFACE_MODES][2] = { { 0 } };
  double worst = 0;

  for (guint i = 0; i < 120; i++) {
    OctEnface e = random_enface (random, &s->size);
    Picture p = random_picture (random);

    wrong[e.mode][e.flatten] += compare_enface (s, &e, &p, &worst);
  }
  for (guint i = 0; i < OCT_N_ENFACE_MODES; i++)
    for (guint flat = 0; flat < 2; flat++)
      report (wrong[i][flat] == 0,
          "en face, %s%s: %u pixels differ from the reference", names[i],
          flat ? ", from the surface" : "", wrong[i][flat]);
}

/* Whatever was stored, shown and set before, in any order. */
static void
check_history (const VolumeSize *size, const guint8 *images)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (10);
  Sections *s = sections_new (size);
  gsize slice = (gsize)size->lines * size->depth;
  OctEnface e = random_enface (random, size);
  guint wrong = 0, pictures = 0;
  double worst = 0;

  for (guint i = 0; i < 250; i++) {
    guint first = g_rand_int (random) % size->bscans;
    guint n = 1 + g_rand_int (random) % MIN (4, size->bscans - first);
    guint from = g_rand_int (random) % (size->bscans - n + 1);

    switch (g_rand_int (random) % 8) {
    case 0:
      e = random_enface (random, size);
      break;
    case 1:
      e.surface_radius = g_rand_int (random) % (OCT_ENFACE_MAX_RADIUS + 1);
      e.flatten = TRUE;
      break;
    case 2:
    case 3:
    case 4: {
      Picture p = random_picture (random);

      wrong += compare_enface (s, &e, &p, &worst);
      pictures++;
      break;
    }
    case 5:
      sections_show (s);
      break;
    default:
      sections_store (s, images + from * slice, first, n);
      break;
    }
  }
  report (wrong == 0 && pictures > 50,
      "what was stored, shown and set in any order: of %u pictures %u pixels "
      "differ from the reference (by %.2f)",
      pictures, wrong, worst);
  sections_free (s);
}

/* ------------------------------------------------------------ known answers
 */

/* Tissue of grey level 100 below a slope, and in it a layer of 200 eleven
 * depths below the surface. */
static gint
slope_at (const VolumeSize *size, guint x, guint y)
{
  return (gint)(20 + 30. * x / size->lines + 25. * y / size->bscans);
}

static void
check_slope (void)
{
  const VolumeSize size = { 53, 128, 37 };
  Sections *s = sections_new (&size);
  g_autofree guint8 *images = volume_new (&size);
  Picture p = { size.lines, size.bscans, 0, OCT_IMAGE_GRAY8 };
  OctEnface e = { .mode = OCT_ENFACE_MAX,
    .start = 11,
    .thickness = 1,
    .flatten = TRUE,
    .surface_rise = 30,
    .white = 255 };
  OctEnface level = e, depth = e;
  guint wrong = 0, bright = 0, deep = 0;
  g_autofree guint8 *flat = NULL, *across = NULL, *below = NULL;

  for (guint y = 0; y < size.bscans; y++)
    for (guint x = 0; x < size.lines; x++)
      for (gint z = slope_at (&size, x, y); z < (gint)size.depth; z++)
        *volume_at (&size, images, x, (guint)z, y) =
            z == slope_at (&size, x, y) + 11 ? 200 : 100;
  sections_store (s, images, 0, size.bscans);
  sections_show (s);
  flat = make_picture (s, &p, NULL, &e);
  level.flatten = FALSE;
  level.start = 50;
  across = make_picture (s, &p, NULL, &level);
  /* the layer is the 7th depth of a slab of 15 that begins 5 below */
  depth.mode = OCT_ENFACE_DEPTH;
  depth.start = 5;
  depth.thickness = 15;
  below = make_picture (s, &p, NULL, &depth);
  for (guint i = 0; i < p.width * p.height; i++) {
    wrong += flat[i] != 200;
    bright += across[i] == 200;
    deep += below[i] != (guint8)(1 + 254. * 6 / 14 + .5);
  }
  report (wrong == 0,
      "a layer below a slope, from its surface: %u A-lines do not show it",
      wrong);
  report (bright > 0 && bright < p.width * p.height / 10,
      "the same at one depth: %u A-lines show it", bright);
  report (deep == 0, "which depth it has: %u A-lines are wrong", deep);
  sections_free (s);
}

/* Empty volumes are black, and no range is made of nothing. */
static void
check_empty (void)
{
  const VolumeSize size = { 9, 12, 5 };
  Sections *s = sections_new (&size);
  guint bright = 0;

  for (guint i = 0; i < 2 * OCT_N_ENFACE_MODES; i++) {
    Picture p = { 20, 10, 0, OCT_IMAGE_GRAY8 };
    OctEnface e = { .mode = i / 2,
      .thickness = 12,
      .threshold = 1,
      .flatten = i % 2,
      .is_auto = TRUE };
    g_autofree guint8 *found = make_picture (s, &p, NULL, &e);

    for (guint k = 0; k < 200; k++)
      bright += found[k] != 0;
  }
  report (bright == 0, "an empty volume: %u pixels are not black", bright);
  sections_free (s);
}

/* Depths that become one voxel, and images whose values are apart. */
static void
check_decimation (void)
{
  OctVolumeParams params = { 21, 64, 3, 4, 4 };
  GError *error = NULL;
  OctVolume *volume = tried.sections->create (&params, &error);
  gsize size = 21 * 64 * 3 * 4;
  g_autofree guint8 *images = g_malloc (size), *grey = NULL;
  gpointer memory = volume_device_alloc (&tried, size);
  OctFrame frame = { .planes[0] = { memory, 21 * 4 } };
  OctSlice slice = { { 0, 1.5f, 0 }, { 1, 0, 0 }, { 0, 0, 1 } };
  Picture p = { 21, 16, 0, OCT_IMAGE_GRAY8 };
  Sections s = { .volume = volume };
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  guint wrong = 0;

  for (gsize i = 0; i < size; i++)
    images[i] = (guint8)g_rand_int (random);
  volume_device_expect (volume != NULL, error);
  volume_device_upload (&tried, memory, images, size);
  volume_device_expect (
      tried.sections->store (volume, &frame, 0, 3, tried.stream, &error)
          && tried.sections->show (volume, tried.stream, &error),
      error);
  grey = make_picture (&s, &p, &slice, NULL);
  for (guint z = 0; z < 16; z++)
    for (guint x = 0; x < 21; x++) {
      guint sum = 2;

      for (guint k = 0; k < 4; k++)
        sum += images[((64 + 4 * z + k) * 21 + x) * 4];
      wrong += grey[z * 21 + x] != sum / 4;
    }
  report (wrong == 0, "four depths as one voxel: %u are not their mean", wrong);
  volume_device_wait (&tried, tried.stream);
  volume_device_free (&tried, memory);
  tried.sections->destroy (volume);
}

static void
check_refused (void)
{
  const VolumeSize size = { 4, 4, 4 };
  Sections *s = sections_new (&size);
  guint8 pixels[64];
  const OctSectionPicture good = { OCT_IMAGE_GRAY8, 8, 8,
    { { { pixels, 8 } } } };
  const OctEnface plain = { .thickness = 1, .white = 1 };
  OctSectionPicture pictures[] = { good, good, good };
  OctEnface enfaces[] = { plain, plain, plain, plain, plain };
  OctSlice nowhere = { { NAN, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
  GError *error = NULL;
  guint refused = 0;

  pictures[0].width = 0;
  pictures[1].format = OCT_IMAGE_GRAY16;
  pictures[2].frame.planes[0].stride = 7;
  enfaces[0].thickness = 0;
  enfaces[1].mode = OCT_N_ENFACE_MODES;
  enfaces[2].surface_radius = OCT_ENFACE_MAX_RADIUS + 1;
  enfaces[3].white = 0;
  enfaces[4].threshold = 256;
  for (guint i = 0; i < 9; i++) {
    const OctSectionPicture *p = i < 3 ? &pictures[i] : &good;
    const OctEnface *e = i >= 3 && i < 8 ? &enfaces[i - 3] : &plain;
    gboolean done =
        i == 8 ? tried.sections->slice (
            s->volume, &nowhere, p, tried.stream, &error)
               : tried.sections->enface (s->volume, e, p, tried.stream, &error);

    refused += !done && g_error_matches (error, OCT_ERROR, OCT_ERROR_SETTINGS);
    g_clear_error (&error);
  }
  report (refused == 9, "%u of 9 impossible sections were refused", refused);
  sections_free (s);
}

int
main (int argc, char **argv)
{
  VolumeSize size = { 58, 100, 41 }, small = { 33, 40, 12 };
  g_autofree guint8 *images = volume_new (&size), *few = volume_new (&small);
  Sections *s;

  volume_device_begin (&tried, &argc, &argv);
  volume_fill_tissue (&size, images);
  volume_fill_tissue (&small, few);
  s = sections_new (&size);
  sections_store (s, images, 0, size.bscans);
  sections_show (s);
  check_voxels (s);
  check_slices (s);
  check_modes (s);
  sections_free (s);
  check_history (&small, few);
  check_slope ();
  check_empty ();
  check_decimation ();
  check_refused ();
  return volume_report_end ();
}
