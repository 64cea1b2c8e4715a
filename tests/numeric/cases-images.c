/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans to images: every range, scale and format, with history and edges;
 * images in colours.
 */
#include "cases.h"
#include "signals.h"

#include <math.h>

static const char *const scales[] = { "log", "linear" };
static const char *const ranges[] = { "auto", "manual", "contrast" };
static const char *const formats[] = { "gray8", "gray16", "nv12", "rgba" };

/* `in`: [bscans lines][depth] */
static void
add (char *name, const Array *in, OctLogscaleParams params, guint bscans)
{
  params.depth_bins = in->columns;
  params.lines = in->rows / bscans;
  cases_add (name, OCT_OPERATION_LOGSCALE, &params, sizeof params,
      array_part (in, in->rows, in->columns))
      ->bscans = bscans;
}

static Array *
array_decay (GRand *random, guint lines, guint depth)
{
  Array *array = array_new ('c', 8, lines, depth);
  g_autofree Complex *values = g_new (Complex, (gsize)lines * depth);

  signal_a_scans (random, lines, depth, values);
  for (gsize i = 0; i < (gsize)lines * depth; i++)
    array_set (array, i, values[i]);
  return array;
}

static void
add_formats (const Array *plain)
{
  static const double limits[][2] = { { 10.5, 61.25 }, { 100, 2e5 } };

  for (guint format = 0; format < G_N_ELEMENTS (formats); format++)
    for (guint scale = 0; scale < G_N_ELEMENTS (scales); scale++)
      for (guint range = 0; range < G_N_ELEMENTS (ranges); range++)
        add (g_strdup_printf ("logscale-%s-%s-%s", formats[format],
                 scales[scale], ranges[range]),
            plain,
            (OctLogscaleParams){ .format = format,
                .scale = scale,
                .range = range,
                .min = limits[scale][0],
                .max = limits[scale][1] },
            1);
  add (g_strdup ("logscale-gray16-wide"), plain,
      (OctLogscaleParams){ .format = OCT_IMAGE_GRAY16,
          .range = OCT_RANGE_MANUAL,
          .min = -20,
          .max = 80 },
      1);
}

static void
add_sizes (GRand *random, const Array *plain)
{
  g_autoptr (Array) odd = array_part (plain, 5, 7);
  g_autoptr (Array) tiles = array_decay (random, 64, 64);
  g_autoptr (Array) line = array_part (plain, 1, 101);
  g_autoptr (Array) bin = array_part (plain, 70, 1);
  g_autoptr (Array) few = array_part (plain, 70, 3);
  OctLogscaleParams contrast = { .range = OCT_RANGE_CONTRAST };
  OctLogscaleParams nv12 = { .format = OCT_IMAGE_NV12 }, plainly = { 0 };

  add (g_strdup ("logscale-nv12-odd"), odd, nv12, 1);
  add (g_strdup ("logscale-exact-tiles"), tiles, plainly, 1);
  add (g_strdup ("logscale-one-line"), line, plainly, 1);
  add (g_strdup ("logscale-one-bin"), bin, plainly, 1);
  add (g_strdup ("logscale-few-bins-contrast"), few, contrast, 1);
}

/* Values of all kinds in an image that is otherwise plain. */
static void
add_values (const Array *plain)
{
  g_autoptr (Array) zeros = array_constant (9, 16, 'c', 8, 0);
  g_autoptr (Array) constant = array_constant (9, 16, 'c', 8, 12.5 - 3 * I);
  g_autoptr (Array) some = array_part (plain, 70, 101);
  g_autoptr (Array) lost = array_part (plain, 70, 101);
  g_autoptr (Array) none = array_constant (3, 20, 'c', 8, NAN);
  OctLogscaleParams plainly = { 0 }, linear = { .scale = OCT_SCALE_LINEAR };

  for (guint line = 3; line < 5; line++)
    for (guint i = 7; i < 9; i++)
      array_set (some, line * 101 + i, 0);
  for (guint i = 0; i < 101; i++)
    array_set (lost, 20 * 101 + i, NAN);
  array_set (lost, 30 * 101 + 4, INFINITY);
  array_set (lost, 31 * 101 + 5, CMPLX (-1, NAN));
  array_set (lost, 32 * 101 + 6, CMPLX (-INFINITY, 1));
  add (g_strdup ("logscale-zeros"), zeros, plainly, 1);
  add (g_strdup ("logscale-constant"), constant, plainly, 1);
  add (g_strdup ("logscale-some-zeros"), some, plainly, 1);
  add (g_strdup ("logscale-lost"), lost, plainly, 1);
  add (g_strdup ("logscale-lost-linear"), lost, linear, 1);
  add (g_strdup ("logscale-lost-manual"), lost,
      (OctLogscaleParams){ .range = OCT_RANGE_MANUAL, .min = 0, .max = 60 }, 1);
  add (g_strdup ("logscale-all-nan"), none, plainly, 1);
}

/* Three B-scans of different brightness; in the second of the last, nothing
 * counts. */
static void
add_history (GRand *random)
{
  static const double levels[] = { 1, 5, 0.2 };
  Array *scans[3];
  g_autoptr (Array) several = NULL, lost = NULL;

  for (guint i = 0; i < 3; i++) {
    scans[i] = array_decay (random, 9, 40);
    for (guint k = 0; k < 9 * 40; k++)
      array_set (scans[i], k,
          levels[i]
              * CMPLX (array_get (scans[i], 0, k, 0),
                  array_get (scans[i], 0, k, 1)));
  }
  several = array_joined (scans, 3);
  lost = array_joined (scans, 3);
  for (guint k = 0; k < 9 * 40; k++)
    array_set (lost, 9 * 40 + k, NAN);
  for (guint range = 0; range < G_N_ELEMENTS (ranges); range += 2)
    for (guint scale = 0; scale < G_N_ELEMENTS (scales); scale++) {
      OctLogscaleParams params = { .range = range,
        .scale = scale,
        .range_smoothing = range == OCT_RANGE_AUTO ? 0.7 : 0.5 };
      add (g_strdup_printf (
               "logscale-smoothing-%s-%s", ranges[range], scales[scale]),
          several, params, 3);
      add (g_strdup_printf (
               "logscale-smoothing-%s-%s-lost", ranges[range], scales[scale]),
          lost, params, 3);
    }
  for (guint i = 0; i < 3; i++)
    array_free (scans[i]);
}

/* ---------------------------------------------------------- range=contrast */

static void
add_contrast (const char *name, Array *in)
{
  for (guint scale = 0; scale < G_N_ELEMENTS (scales); scale++)
    add (g_strdup_printf ("logscale-contrast-%s-%s", name, scales[scale]), in,
        (OctLogscaleParams){ .range = OCT_RANGE_CONTRAST, .scale = scale }, 1);
  array_free (in);
}

/* Speckle that falls into noise. */
static Array *
array_tissue (GRand *random)
{
  Array *array = array_new ('c', 8, 40, 128);

  for (guint i = 0; i < 40 * 128; i++)
    array_set (array, i,
        1e3 * exp (-5 * (i % 128) / 127.) * signal_complex (random)
            + signal_complex (random));
  return array;
}

static Array *
array_scaled (const Array *array, double factor)
{
  Array *scaled = array_part (array, array->rows, array->columns);

  for (guint row = 0; row < array->rows; row++)
    for (guint i = 0; i < array->columns; i++)
      array_set (scaled, (gsize)row * array->columns + i,
          factor
              * CMPLX (
                  array_get (array, row, i, 0), array_get (array, row, i, 1)));
  return scaled;
}

/* Values that automatic contrast ignores, or nearly ignores. */
static void
add_uncounted (GRand *random, const Array *tissue)
{
  Array *left = array_part (tissue, 40, 128); /* of the source's spectrum */
  Array *lost = array_part (tissue, 40, 128);
  Array *no_part = array_part (tissue, 40, 64); /* that counts */
  Array *sparse = array_part (tissue, 40, 128), *most_zero;
  Array *mirror = array_noise (random, 40, 128, 'c', 1);

  most_zero = array_constant (40, 128, 'c', 8, 0);
  for (guint k = 0; k < 40 * 128; k++) {
    guint line = k / 128, i = k % 128;
    Complex value =
        CMPLX (array_get (tissue, line, i, 0), array_get (tissue, line, i, 1));
    if (i < 4)
      array_set (left, k, 1e7);
    if (line >= 5 && line < 9 && i >= 20 && i < 90)
      array_set (lost, k, NAN);
    if (i >= 4 && i < 64)
      array_set (no_part, line * 64 + i, NAN);
    if (i >= 100 && i < 104)
      array_set (most_zero, k, value);
    if (cabs (value) <= 60) /* as compressive sensing leaves it */
      array_set (sparse, k, 0);
    if (i >= 40 && i < 43)
      array_set (mirror, k, i == 41 ? 6e3 : 3e3);
  }
  array_set (lost, 11 * 128 + 7, INFINITY);
  array_set (lost, 12 * 128 + 8, CMPLX (NAN, -1));
  add_contrast ("left", left);
  add_contrast ("lost", lost);
  add_contrast ("no-part", no_part);
  add_contrast ("most-zero", most_zero);
  add_contrast ("sparse", sparse);
  add_contrast ("mirror", mirror);
}

static void
add_contrasts (GRand *random)
{
  g_autoptr (Array) tissue = array_tissue (random);
  Array *narrow = array_new ('c', 8, 30, 64);
  Array *far = array_noise (random, 2, 5000, 'c', 1);

  for (guint i = 0; i < 30 * 64; i++)
    array_set (narrow, i, sqrt (1 + 0.1 * g_rand_double (random)));
  for (guint i = 0; i < 2 * 5000; i++) /* sparse bright layers */
    if (i % 5000 % 97 < 2)
      array_set (far, i, 30 * signal_complex (random));
  add_uncounted (random, tissue);
  add_contrast ("tissue", array_part (tissue, 40, 128));
  add_contrast ("noise", array_noise (random, 50, 80, 'c', 1));
  add_contrast ("zeros", array_constant (9, 16, 'c', 8, 0));
  add_contrast ("constant", array_constant (9, 40, 'c', 8, 12.5 - 3 * I));
  /* power 2, the edge of an octave */
  add_contrast ("edge", array_constant (40, 32, 'c', 8, sqrt (2)));
  add_contrast ("one-line", array_part (tissue, 1, 128));
  add_contrast ("one-bin", array_part (tissue, 40, 1));
  add_contrast ("one-value", array_part (tissue, 1, 1));
  add_contrast ("fewer-than-bands", array_part (tissue, 40, 7));
  add_contrast ("fifteen", array_part (tissue, 40, 15));
  add_contrast ("sixteen", array_part (tissue, 40, 16));
  add_contrast ("narrow", narrow);
  add_contrast ("long", far);
  add_contrast ("all-nan", array_constant (3, 20, 'c', 8, NAN));
  add_contrast ("tiny", array_noise (random, 30, 64, 'c', 1e-12));
  add_contrast ("huge", array_scaled (tissue, 1e15));
}

/* ------------------------------------------------------------------ colours
 */

static void
add_colours (GRand *random)
{
  static guint8 colors[OCT_COLORMAP_VALUES]; /* kept */
  Array *grey = array_new ('u', 1, 37, 53);
  OctColormapParams params = { .width = 53,
    .height = 37,
    .pixel_size = 1,
    .format = OCT_IMAGE_RGBA,
    .values = OCT_COLORMAP_VALUES,
    .colors = colors };

  for (guint i = 0; i < OCT_COLORMAP_VALUES; i++)
    colors[i] = (guint8)g_rand_int_range (random, 0, 256);
  for (guint i = 0; i < 37 * 53; i++)
    array_set (grey, i, i % 256);
  cases_add (g_strdup ("colormap-rgba"), OCT_OPERATION_COLORMAP, &params,
      sizeof params, grey);
}

/* ------------------------------------------------------------------ filters
 */

static Array *
array_levels (GRand *random, guint rows, guint columns, guint size)
{
  Array *array = array_new ('u', size, rows, columns);

  for (guint i = 0; i < rows * columns; i++)
    array_set (array, i, g_rand_int_range (random, 0, size == 2 ? 65536 : 256));
  return array;
}

/* Only what gives every pixel as it was, or next to no half: numeric-flip has
 * the rest. */
static void
add_flips (GRand *random)
{
  for (guint i = 0; i < 4; i++) {
    OctFlipParams params = { .width = 53,
      .height = 36,
      .bscans = 3,
      .format = i % 2 ? OCT_IMAGE_GRAY16 : OCT_IMAGE_GRAY8,
      .depth = i<2, .lateral = i> 0,
      .way_back = i % 3 };

    cases_add (g_strdup_printf ("flip-%u", i), OCT_OPERATION_FLIP, &params,
        sizeof params, array_levels (random, 36, 53, i % 2 ? 2 : 1));
  }
}

/* The median, which is exact: numeric-speckle has the rest. */
static void
add_medians (GRand *random)
{
  for (guint size = 3; size <= 7; size += 2) {
    OctSpeckleParams params = { .width = 37,
      .height = 22,
      .bscans = size % 4 == 1 ? 2 : 1,
      .format = size == 5 ? OCT_IMAGE_GRAY16 : OCT_IMAGE_GRAY8,
      .method = OCT_SPECKLE_MEDIAN,
      .size = size };

    cases_add (g_strdup_printf ("speckle-median-%u", size),
        OCT_OPERATION_SPECKLE, &params, sizeof params,
        array_levels (random, 22, 37, size == 5 ? 2 : 1));
  }
}

/* Levels at random, which clip; a row, a column, and what is wider than the
 * image; several images; amount 0. */
static void
add_sharpens (GRand *random)
{
  static const struct {
    guint width, height, bscans;
    OctImageFormat format;
    double amount, radius;
  } kinds[] = {
    { 37, 22, 1, OCT_IMAGE_GRAY8, 1.5, 1 },
    { 37, 22, 2, OCT_IMAGE_GRAY8, 0.5, 2.25 },
    { 37, 22, 1, OCT_IMAGE_GRAY16, 0.7, 1.4 },
    { 37, 22, 2, OCT_IMAGE_GRAY8, 0, 3 },
    { 37, 22, 2, OCT_IMAGE_GRAY16, 0, 3 },
    { 37, 22, 1, OCT_IMAGE_GRAY8, OCT_SHARPEN_STRONGEST, 0.8 },
    { 37, 22, 1, OCT_IMAGE_GRAY8, 2, 0.1 },
    { 53, 1, 1, OCT_IMAGE_GRAY8, 1.5, 2 },
    { 1, 53, 1, OCT_IMAGE_GRAY8, 1.5, 2 },
    { 1, 1, 1, OCT_IMAGE_GRAY8, 3, 1 },
    { 7, 5, 1, OCT_IMAGE_GRAY8, 1, OCT_SHARPEN_WIDEST },
    { 3, 12, 4, OCT_IMAGE_GRAY16, 0.25, 9.5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    OctSharpenParams params = { .width = kinds[i].width,
      .height = kinds[i].height,
      .bscans = kinds[i].bscans,
      .format = kinds[i].format,
      .amount = kinds[i].amount,
      .radius = kinds[i].radius };

    cases_add (g_strdup_printf ("sharpen-%u", i), OCT_OPERATION_SHARPEN,
        &params, sizeof params,
        array_levels (random, params.height, params.width,
            params.format == OCT_IMAGE_GRAY16 ? 2 : 1));
  }
}

/* Bytes and words, which are exact: numeric-average has the rest. */
static void
add_means (GRand *random)
{
  for (guint i = 0; i < 4; i++) {
    OctAverageParams params = { .format =
                                    i % 2 ? OCT_SAMPLE_U16 : OCT_SAMPLE_U8,
      .values = 37,
      .rows = 12,
      .mode = i / 2 ? OCT_AVERAGE_BLOCK : OCT_AVERAGE_RUNNING,
      .frames = 3 };

    cases_add (g_strdup_printf ("average-%u", i), OCT_OPERATION_AVERAGE,
        &params, sizeof params,
        array_levels (random, 7 * 12, 37, i % 2 ? 2 : 1))
        ->bscans = 7;
  }
}

void
cases_add_images (GRand *random)
{
  g_autoptr (Array) plain = array_decay (random, 70, 101);

  add_formats (plain);
  add_sizes (random, plain);
  add_values (plain);
  add_history (random);
  add_contrasts (random);
  add_colours (random);
  add_flips (random);
  add_medians (random);
  add_means (random);
  add_sharpens (random);
}
