/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images the right way round against the reference, in every format, and
 * against known results: pixels by hand, and a beam that moves as a sine.
 */
#include "oct-reference.h"
#include "planes.h"

#include <math.h>
#include <string.h>

#define POISON 0xa5
/* float32 weights, of 65535 */
#define SLACK 0.02

static void
run (const OctFlipParams *params, const Image *in, const Image *out)
{
  OctPlan *plan = plan_new (OCT_OPERATION_FLIP, params);
  OctFrame from = image_frame (in), to = image_frame (out);

  plan_run (OCT_OPERATION_FLIP, plan, &from, &to);
  plan_free (OCT_OPERATION_FLIP, plan);
}

static void
check_params (GRand *random, const OctFlipParams *params)
{
  g_autoptr (Image) in =
      image_new (params->width, params->height, params->format, 0);
  g_autoptr (Image) out =
      image_new (params->width, params->height, params->format, POISON);

  image_fill_random (in, random);
  run (params, in, out);
  for (guint i = 0; i < in->n; i++) {
    const Plane *plane = &in->planes[i];
    g_autofree double *values = plane_values (plane);
    g_autofree double *expected = plane_values (plane);

    oct_reference_flip (
        params, plane->width, plane->height, plane->parts, values, expected);
    plane_compare (&out->planes[i], expected, SLACK, POISON);
  }
}

static void
test_random (void)
{
  static const guint sizes[][2] = { { 1, 1 }, { 2, 3 }, { 1, 6 }, { 17, 33 },
    { 64, 100 }, { 301, 30 }, { 1000, 2 } };
  static const double shifts[] = { 0, 3, -2.25, 0.5, 5000 };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 4 * 48; kind++) {
      OctFlipParams params = { .width = sizes[i][0],
        .height = sizes[i][1],
        .format = kind % 4,
        .depth = kind / 4 % 2,
        .lateral = kind / 8 % 2,
        .way_back = kind / 16 % 3,
        .first = kind % 5,
        .volume = kind % 7 < 2 ? 0 : kind % 7,
        .way_back_shift = shifts[kind % G_N_ELEMENTS (shifts)],
        .motion = kind / 48 % 2,
        .duty = kind / 96 ? 1 : 0.7 };

      if (params.height % 3 == 0 && params.format != OCT_IMAGE_NV12)
        params.bscans = 3;
      check_params (random, &params);
    }
}

/* Two images of 3 x 2 pixels below each other; the second one was taken on the
 * way back. */
static void
test_by_hand (void)
{
  static const guint8 pixels[] = { 1, 2, 3, 4, 5, 6, 13, 12, 11, 16, 15, 14 };
  static const guint8 both[] = { 1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16 };
  static const guint8 turned[] = { 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11 };
  static const guint8 late[] = { 1, 2, 3, 4, 5, 6, 11, 11, 12, 14, 14, 15 };
  OctFlipParams params = {
    .width = 3, .height = 4, .bscans = 2, .way_back = OCT_WAY_BACK_ODD
  };
  guint8 in[12], out[12];
  Image from = { 1, { { 3, 4, 1, 1, 3, in } } };
  Image to = { 1, { { 3, 4, 1, 1, 3, out } } };

  memcpy (in, pixels, 12);
  run (&params, &from, &to);
  g_assert_cmpmem (out, 12, both, 12);
  params.way_back_shift = 1;
  run (&params, &from, &to);
  g_assert_cmpmem (out, 12, late, 12);
  params.way_back_shift = 0;
  params.way_back = OCT_WAY_BACK_EVEN;
  params.first = 1;
  params.depth = params.lateral = TRUE;
  run (&params, &from, &to);
  g_assert_cmpmem (out, 12, turned, 12);
}

/* If the brightness is the place in the field, it is so again after the
 * correction, whatever the motion of the beam: to a level, and near the turns
 * as well. */
static void
test_sine (void)
{
  static const double duties[] = { 0.3, 0.8, 1 };
  guint width = 500;

  for (guint i = 0; i < 2 * G_N_ELEMENTS (duties); i++) {
    double h = duties[i / 2] * G_PI / 2;
    OctFlipParams params = { .width = width,
      .height = 1,
      .format = OCT_IMAGE_GRAY16,
      .way_back = i % 2 ? OCT_WAY_BACK_EVEN : OCT_WAY_BACK_NONE,
      .motion = OCT_MOTION_SINE,
      .duty = duties[i / 2] };
    g_autoptr (Image) in = image_new (width, 1, OCT_IMAGE_GRAY16, 0);
    g_autoptr (Image) out = image_new (width, 1, OCT_IMAGE_GRAY16, 0);

    for (guint k = 0; k < width; k++) {
      double place = sin (((2 * k + 1.) / width - 1) * h) / sin (h);

      plane_set (&in->planes[0], 0, i % 2 ? width - 1 - k : k,
          (guint)rint (30000 + 20000 * place));
    }
    run (&params, in, out);
    for (guint x = 0; x < width; x++) {
      double place = (2 * x + 1.) / width - 1;

      double level = plane_get (&out->planes[0], 0, x);

      /* a quarter of a pixel, which is 80 of them */
      g_assert_cmpfloat (fabs (level - 30000 - 20000 * place), <, 20);
    }
  }
}

/* The same plan for the next frame; another one for another size. */
static void
test_update (void)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_FLIP);
  OctFlipParams params = {
    .width = 2, .height = 1, .way_back = OCT_WAY_BACK_ODD
  };
  guint8 in[2] = { 1, 2 }, out[2];
  OctFrame from = { { { in, 2 } } }, to = { { { out, 2 } } };
  OctPlan *plan = plan_new (OCT_OPERATION_FLIP, &params);

  for (params.first = 0; params.first < 4; params.first++) {
    g_assert_true (table->update (plan, &params));
    plan_run (OCT_OPERATION_FLIP, plan, &from, &to);
    g_assert_cmpuint (out[0], ==, params.first % 2 ? 2 : 1);
  }
  params.width = 1;
  g_assert_false (table->update (plan, &params));
  plan_free (OCT_OPERATION_FLIP, plan);
}

static void
test_refused (void)
{
  const OctFlipParams good = {
    .width = 4, .height = 6, .motion = OCT_MOTION_SINE, .duty = 0.5
  };
  OctFlipParams wrong[] = { good, good, good, good, good, good, good };

  wrong[0].width = 0;
  wrong[1].bscans = 4;
  wrong[2].format = OCT_IMAGE_NV12;
  wrong[2].bscans = 2;
  wrong[3].duty = 0;
  wrong[4].duty = NAN;
  wrong[5].way_back_shift = NAN;
  wrong[6].way_back = OCT_WAY_BACK_EVEN + 1;
  plan_check_refused (
      OCT_OPERATION_FLIP, wrong, sizeof wrong[0], G_N_ELEMENTS (wrong));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flip/random", test_random);
  g_test_add_func ("/flip/by-hand", test_by_hand);
  g_test_add_func ("/flip/sine", test_sine);
  g_test_add_func ("/flip/update", test_update);
  g_test_add_func ("/flip/refused", test_refused);
  return g_test_run ();
}
