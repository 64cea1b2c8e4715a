/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Filters against speckle beside the reference, in every format; what is known
 * of them: edges that stay, spots that go; and what is refused.
 */
#include "oct-reference.h"
#include "planes.h"

#include <math.h>
#include <string.h>

#define POISON 0xa5
/* float32 sums of 49 weights, relative to the largest level */
#define SLACK 3e-6

static void
run (const OctSpeckleParams *params, const Image *in, const Image *out)
{
  OctPlan *plan = plan_new (OCT_OPERATION_SPECKLE, params);
  OctFrame from = image_frame (in), to = image_frame (out);

  plan_run (OCT_OPERATION_SPECKLE, plan, &from, &to);
  plan_free (OCT_OPERATION_SPECKLE, plan);
}

/* In RGBA all values are the grey level, except for alpha. */
static double *
spread (const OctSpeckleParams *params, const double *grey)
{
  gsize n = (gsize)params->width * params->height;
  guint parts = params->format == OCT_IMAGE_RGBA ? 4 : 1;
  double *all = g_new (double, n *parts);

  for (gsize i = 0; i < n * parts; i++)
    all[i] = parts == 4 && i % 4 == 3 ? 255 : grey[i / parts];
  return all;
}

static void
check_params (GRand *random, const OctSpeckleParams *params)
{
  gsize n = (gsize)params->width * params->height;
  g_autoptr (Image) in =
      image_new (params->width, params->height, params->format, 0);
  g_autoptr (Image) out =
      image_new (params->width, params->height, params->format, POISON);
  g_autofree double *values = NULL, *all = NULL, *grey = g_new (double, n);

  image_fill_random (in, random);
  values = plane_values (&in->planes[0]);
  run (params, in, out);
  oct_reference_speckle (params, values, grey);
  all = spread (params, grey);
  plane_compare (&out->planes[0], all,
      SLACK * (params->format == OCT_IMAGE_GRAY16 ? 65535 : 255), POISON);
  for (guint i = 0; out->n > 1 && i < n / params->width / 2; i++)
    g_assert_cmpuint (
        plane_get (&out->planes[1], i, i % params->width), ==, 128);
}

static void
test_random (void)
{
  static const guint sizes[][2] = { { 1, 1 }, { 2, 3 }, { 1, 6 }, { 17, 33 },
    { 100, 30 } };
  g_autoptr (GRand) random = g_rand_new_with_seed (9);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 72; kind++) {
      OctSpeckleParams params = { .width = sizes[i][0],
        .height = sizes[i][1],
        .format = kind % 4,
        .method = kind / 4 % 3,
        .size = 3 + 2 * (kind / 12 % 3),
        .sigma = kind / 36 ? 20 : 90.5,
        .spatial_sigma = kind / 36 ? 1.5 : 3 };

      if (params.height % 3 == 0 && params.format != OCT_IMAGE_NV12)
        params.bscans = 3;
      check_params (random, &params);
    }
}

/* An edge of 100 levels with a spot of one pixel on its left. */
static Image *
new_edge (void)
{
  Image *image = image_new (20, 11, OCT_IMAGE_GRAY8, 0);

  for (guint y = 0; y < 11; y++)
    for (guint x = 0; x < 20; x++)
      plane_set (&image->planes[0], y, x, x < 10 ? 50 : 150);
  plane_set (&image->planes[0], 5, 4, 90);
  return image;
}

/* The spot goes, or what is far from the others stays, and the edge stays. */
static void
test_edge (void)
{
  g_autoptr (Image) in = new_edge (), out = new_edge ();
  OctSpeckleParams params = { .width = 20,
    .height = 11,
    .method = OCT_SPECKLE_MEDIAN,
    .size = 3,
    .sigma = 5,
    .spatial_sigma = 2 };
  const Plane *found = &out->planes[0];

  run (&params, in, out);
  g_assert_cmpuint (plane_get (found, 5, 4), ==, 50);
  g_assert_cmpuint (plane_get (found, 5, 9), ==, 50);
  g_assert_cmpuint (plane_get (found, 5, 10), ==, 150);
  params.method = OCT_SPECKLE_BILATERAL;
  run (&params, in, out);
  g_assert_cmpuint (plane_get (found, 5, 4), ==, 90);
  g_assert_cmpuint (plane_get (found, 5, 9), ==, 50);
  g_assert_cmpuint (plane_get (found, 5, 10), ==, 150);
  /* a wide range: the spot is in the mean of its neighbours */
  params.sigma = 255;
  params.spatial_sigma = 100;
  run (&params, in, out);
  g_assert_cmpuint (plane_get (found, 5, 4), ==, 54);
  /* the variance is 8/81 of the square of the spot, 158; of which 81 is said
   * to be speckle: 54.4 + (90 - 54.4) 77 / 158 */
  params.method = OCT_SPECKLE_LEE;
  params.sigma = 9;
  run (&params, in, out);
  g_assert_cmpuint (plane_get (found, 5, 4), ==, 72);
  params.sigma = 20;
  run (&params, in, out);
  g_assert_cmpuint (plane_get (found, 5, 4), ==, 54);
  g_assert_cmpuint (plane_get (found, 5, 15), ==, 150);
}

/* Settings that change keep the plan, and count. */
static void
test_update (void)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_SPECKLE);
  g_autoptr (Image) in = new_edge (), out = new_edge ();
  OctFrame from = image_frame (in), to = image_frame (out);
  OctSpeckleParams params = {
    .width = 20, .height = 11, .size = 3, .sigma = 5, .spatial_sigma = 100
  };
  OctPlan *plan = plan_new (OCT_OPERATION_SPECKLE, &params);

  params.sigma = 255;
  g_assert_true (table->update (plan, &params));
  plan_run (OCT_OPERATION_SPECKLE, plan, &from, &to);
  g_assert_cmpuint (plane_get (&out->planes[0], 5, 4), ==, 54);
  params.size = 5;
  g_assert_true (table->update (plan, &params));
  plan_run (OCT_OPERATION_SPECKLE, plan, &from, &to);
  g_assert_cmpuint (plane_get (&out->planes[0], 5, 4), ==, 52);
  plan_free (OCT_OPERATION_SPECKLE, plan);
}

static void
test_refused (void)
{
  const OctSpeckleParams good = {
    .width = 4, .height = 6, .size = 5, .sigma = 10, .spatial_sigma = 1
  };
  OctSpeckleParams wrong[] = { good, good, good, good, good, good, good };

  wrong[0].height = 0;
  wrong[1].bscans = 4;
  wrong[2].size = 4;
  wrong[3].size = 9;
  wrong[4].sigma = NAN;
  wrong[5].spatial_sigma = 0;
  wrong[6].method = OCT_N_SPECKLE_METHODS;
  plan_check_refused (
      OCT_OPERATION_SPECKLE, wrong, sizeof wrong[0], G_N_ELEMENTS (wrong));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/speckle/random", test_random);
  g_test_add_func ("/speckle/edge", test_edge);
  g_test_add_func ("/speckle/update", test_update);
  g_test_add_func ("/speckle/refused", test_refused);
  return g_test_run ();
}
