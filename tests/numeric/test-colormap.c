/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images in colours beside the reference: both formats, pixels of one and four
 * bytes, odd sizes, rows that are apart; and what is refused.
 */
#include "numeric.h"
#include "oct-reference.h"

#include <string.h>

/* Chroma and luma of whole numbers in 1/65536 against double precision: only
 * what is next to a half can round the other way. */
#define MAX_DIFFERENT 0.01
#define POISON 0xa5

typedef struct {
  guint width, height, pixel_size;
  OctImageFormat format;
} Picture;

static void
fill_random (GRand *random, guint8 *to, gsize n)
{
  for (gsize i = 0; i < n; i++)
    to[i] = (guint8)g_rand_int_range (random, 0, 256);
}

typedef struct {
  guint different, pixels;
} Difference;

static void
compare (Difference *d, guint8 found, double expected)
{
  gint difference = found - (gint)expected;

  g_assert_cmpint (ABS (difference), <=, 1);
  d->different += difference != 0;
  d->pixels++;
}

static void
check_picture (GRand *random, const Picture *picture)
{
  guint width = picture->width, height = picture->height;
  gboolean nv12 = picture->format == OCT_IMAGE_NV12;
  guint row = width * picture->pixel_size, padding = 5;
  guint out_row = nv12 ? width : 4 * width;
  guint chroma_row = (width + 1) / 2 * 2, chroma_rows = (height + 1) / 2;
  gsize in_size = (gsize)height * (row + padding);
  gsize out_size = (gsize)height * (out_row + padding);
  gsize chroma_size = (gsize)chroma_rows * (chroma_row + padding);
  g_autofree guint8 *in = g_malloc (in_size), *out = g_malloc (out_size);
  g_autofree guint8 *chroma = g_malloc (chroma_size);
  g_autofree Complex *values = g_new (Complex, (gsize)height * row);
  g_autofree Complex *expected = g_new (Complex, (gsize)height * out_row);
  g_autofree double *pairs = g_new (double, (gsize)chroma_rows *chroma_row);
  guint8 colors[OCT_COLORMAP_VALUES];
  OctColormapParams params = { width, height, picture->pixel_size,
    picture->format, OCT_COLORMAP_VALUES, colors };
  OctFrame from = { { { in, row + padding } } };
  OctFrame to = { { { out, out_row + padding },
      { chroma, chroma_row + padding } } };
  Difference d = { 0 };
  GError *error = NULL;
  g_autoptr (OctReference) reference = NULL;
  OctPlan *plan;

  fill_random (random, in, in_size);
  fill_random (random, colors, sizeof colors);
  memset (out, POISON, out_size);
  memset (chroma, POISON, chroma_size);
  reference = oct_reference_new (OCT_OPERATION_COLORMAP, &params, &error);
  g_assert_no_error (error);
  for (guint y = 0; y < height; y++)
    for (guint i = 0; i < row; i++)
      values[(gsize)y * row + i] = in[y * (row + padding) + i];
  oct_reference_run (reference, values, NULL, expected);
  oct_reference_chroma (&params, values, pairs);
  plan = plan_new (OCT_OPERATION_COLORMAP, &params);
  plan_run (OCT_OPERATION_COLORMAP, plan, &from, &to);
  plan_free (OCT_OPERATION_COLORMAP, plan);
  for (guint y = 0; y < height; y++)
    for (guint i = 0; i < out_row + padding; i++)
      if (i >= out_row)
        g_assert_cmpuint (out[y * (out_row + padding) + i], ==, POISON);
      else
        compare (&d, out[y * (out_row + padding) + i],
            creal (expected[(gsize)y * out_row + i]));
  for (guint y = 0; y < chroma_rows; y++)
    for (guint i = 0; i < chroma_row + padding; i++)
      if (i >= chroma_row || !nv12)
        g_assert_cmpuint (chroma[y * (chroma_row + padding) + i], ==, POISON);
      else
        compare (&d, chroma[y * (chroma_row + padding) + i],
            pairs[(gsize)y * chroma_row + i]);
  g_assert_cmpfloat (d.different, <=, nv12 ? 1 + MAX_DIFFERENT * d.pixels : 0);
}

static void
test_pictures (void)
{
  static const guint sizes[][2] = { { 1, 1 }, { 2, 2 }, { 3, 1 }, { 1, 4 },
    { 17, 33 }, { 64, 100 }, { 255, 2 }, { 300, 301 } };
  g_autoptr (GRand) random = g_rand_new_with_seed (5);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 4; kind++) {
      Picture picture = { sizes[i][0], sizes[i][1], kind % 2 ? 4 : 1,
        kind / 2 ? OCT_IMAGE_RGBA : OCT_IMAGE_NV12 };

      check_picture (random, &picture);
    }
}

/* Other colours and another size are taken by the same plan. */
static void
test_update (void)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_COLORMAP);
  guint8 colors[OCT_COLORMAP_VALUES] = { 0 }, in[3] = { 0, 1, 255 }, out[12];
  OctColormapParams params = { 1, 1, 1, OCT_IMAGE_RGBA, OCT_COLORMAP_VALUES,
    colors };
  OctFrame from = { { { in, 3 } } }, to = { { { out, 12 } } };
  OctPlan *plan = plan_new (OCT_OPERATION_COLORMAP, &params);

  params.width = 3;
  colors[3] = 7;
  colors[767] = 9;
  g_assert_true (table->update (plan, &params));
  colors[3] = 8; /* copied */
  plan_run (OCT_OPERATION_COLORMAP, plan, &from, &to);
  g_assert_cmpuint (out[4], ==, 7);
  g_assert_cmpuint (out[10], ==, 9);
  g_assert_cmpuint (out[11], ==, 255);
  plan_free (OCT_OPERATION_COLORMAP, plan);
}

static void
test_refused (void)
{
  guint8 colors[OCT_COLORMAP_VALUES] = { 0 };
  const OctColormapParams good = { 5, 4, 1, OCT_IMAGE_NV12, OCT_COLORMAP_VALUES,
    colors };
  OctColormapParams wrong[6] = { good, good, good, good, good, good };

  wrong[0].width = 0;
  wrong[1].height = 0;
  wrong[2].pixel_size = 3;
  wrong[3].format = OCT_IMAGE_GRAY8;
  wrong[4].values = 767;
  wrong[5].colors = NULL;
  plan_check_refused (
      OCT_OPERATION_COLORMAP, wrong, sizeof wrong[0], G_N_ELEMENTS (wrong));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/colormap/pictures", test_pictures);
  g_test_add_func ("/colormap/update", test_update);
  g_test_add_func ("/colormap/refused", test_refused);
  return g_test_run ();
}
