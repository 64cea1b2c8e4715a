/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means of frames beside the reference: bytes with a second plane, words,
 * complex values and their power, several B-scans in a frame; what a history
 * must not keep; and what is refused.
 */
#include "oct-reference.h"
#include "planes.h"

#include <math.h>
#include <string.h>

#define POISON 0xa5
#define FRAMES 23

/* ------------------------------------------------------------------- images
 */

/* The expected mean is that of the frames from `first` to `last`. */
static void
compare_mean (Image *const *frames, guint first, guint last, const Image *out)
{
  guint n = last - first + 1;

  for (guint i = 0; i < out->n; i++) {
    const Plane *plane = &out->planes[i];

    for (guint y = 0; y < plane->height; y++)
      for (guint x = 0; x < plane->width * plane->parts; x++) {
        guint sum = 0;

        for (guint k = first; k <= last; k++)
          sum += plane_get (&frames[k]->planes[i], y, x);
        g_assert_cmpuint (plane_get (plane, y, x), ==, (2 * sum + n) / (2 * n));
      }
  }
}

static OctAverageParams
image_params (const Image *image, OctAverageMode mode, guint frames)
{
  const Plane *first = &image->planes[0];
  OctAverageParams params = { .format = first->size == 2 ? OCT_SAMPLE_U16
                                                         : OCT_SAMPLE_U8,
    .values = first->width * first->parts,
    .rows = first->height,
    .mode = mode,
    .frames = frames };

  if (image->n > 1) {
    params.more_values = 2 * image->planes[1].width;
    params.more_rows = image->planes[1].height;
  }
  return params;
}

static void
check_images (OctImageFormat format, OctAverageMode mode, guint frames)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_AVERAGE);
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  g_autoptr (Image) out = image_new (35, 21, format, POISON);
  OctAverageParams params = image_params (out, mode, frames);
  OctPlan *plan = plan_new (OCT_OPERATION_AVERAGE, &params);
  Image *in[FRAMES];

  for (guint k = 0; k < FRAMES; k++) {
    guint first = mode == OCT_AVERAGE_BLOCK ? k / frames * frames
                  : k >= frames             ? k - frames + 1
                                            : 0;
    OctFrame from, to = image_frame (out);

    in[k] = image_new (35, 21, format, 0);
    image_fill_random (in[k], random);
    from = image_frame (in[k]);
    plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
    compare_mean (in, first, k, out);
    g_assert_cmpfloat (table->get_found (plan), ==, k - first + 1);
  }
  plan_free (OCT_OPERATION_AVERAGE, plan);
  for (guint k = 0; k < FRAMES; k++)
    image_free (in[k]);
}

static void
test_images (void)
{
  static const guint frames[] = { 1, 2, 7, 20, OCT_AVERAGE_MOST };

  for (OctImageFormat format = 0; format <= OCT_IMAGE_RGBA; format++)
    for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
      check_images (format, OCT_AVERAGE_RUNNING, frames[i]);
      check_images (format, OCT_AVERAGE_BLOCK, frames[i]);
    }
}

/* All levels at their largest, 256 times. */
static void
test_full (void)
{
  OctAverageParams params = {
    .format = OCT_SAMPLE_U16, .values = 3, .rows = 1, .frames = OCT_AVERAGE_MOST
  };
  OctPlan *plan = plan_new (OCT_OPERATION_AVERAGE, &params);
  guint16 in[3] = { 65535, 65535, 0 }, out[3];
  OctFrame from = { { { in, 6 } } }, to = { { { out, 6 } } };

  for (guint k = 0; k < 600; k++)
    plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
  g_assert_cmpuint (out[1], ==, 65535);
  g_assert_cmpuint (out[2], ==, 0);
  plan_free (OCT_OPERATION_AVERAGE, plan);
}

/* ------------------------------------------------------------------ A-scans
 */

static void
fill_complex (GRand *random, float *to, guint n, double scale)
{
  for (guint i = 0; i < 2 * n; i++)
    to[i] = (float)(scale * g_rand_double_range (random, -1, 1));
}

/* Several B-scans in a frame are several frames. */
static void
check_complex (OctAverageOf of, OctAverageMode mode, guint bscans)
{
  enum { VALUES = 13, ROWS = 6, N = VALUES * ROWS };
  OctAverageParams params = { .format = OCT_SAMPLE_CF32,
    .values = VALUES,
    .rows = ROWS,
    .bscans = bscans,
    .mode = mode,
    .frames = 5,
    .of = of };
  g_autoptr (GRand) random = g_rand_new_with_seed (12);
  g_autoptr (OctReference) reference =
      oct_reference_new (OCT_OPERATION_AVERAGE, &params, NULL);
  OctPlan *plan = plan_new (OCT_OPERATION_AVERAGE, &params);

  for (guint k = 0; k < FRAMES; k++) {
    float in[2 * N], out[2 * N];
    Complex values[N], expected[N];
    OctFrame from = { { { in, VALUES * 8 } } },
             to = { { { out, VALUES * 8 } } };

    fill_complex (random, in, N, 1e3);
    if (k % 7 == 3)
      in[2 * k] = NAN;
    if (k % 7 == 4)
      in[2 * k + 1] = INFINITY;
    for (guint i = 0; i < N; i++)
      values[i] = CMPLX (in[2 * i], in[2 * i + 1]);
    oct_reference_run (reference, values, NULL, expected);
    plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
    for (guint i = 0; i < N; i++)
      g_assert_cmpfloat (
          cabs (CMPLX (out[2 * i], out[2 * i + 1]) - expected[i]), <,
          1e3 * 2e-7);
  }
  plan_free (OCT_OPERATION_AVERAGE, plan);
}

static void
test_complex (void)
{
  for (guint kind = 0; kind < 12; kind++)
    check_complex (kind % 2 ? OCT_AVERAGE_POWER : OCT_AVERAGE_VALUES,
        kind / 2 % 2 ? OCT_AVERAGE_BLOCK : OCT_AVERAGE_RUNNING, kind / 4 + 1);
}

/* A flash has no effect later, though its rounding was larger than all that
 * comes after it. */
static void
test_flash (void)
{
  OctAverageParams params = {
    .format = OCT_SAMPLE_CF32, .values = 1, .rows = 1, .frames = 4
  };
  OctPlan *plan = plan_new (OCT_OPERATION_AVERAGE, &params);
  float in[2], out[2];
  OctFrame from = { { { in, 8 } } }, to = { { { out, 8 } } };

  for (guint k = 0; k < 20; k++) {
    in[0] = in[1] = k == 2 ? 1e25f : 1e-3f;
    plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
  }
  g_assert_cmpfloat (fabs (out[0] / 1e-3 - 1), <, 1e-6);
  plan_free (OCT_OPERATION_AVERAGE, plan);
}

/* ------------------------------------------------------------------ history
 */

static guint
run_one (OctPlan *plan, guint8 in)
{
  guint8 out;
  OctFrame from = { { { &in, 1 } } }, to = { { { &out, 1 } } };

  plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
  return out;
}

static void
test_history (void)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_AVERAGE);
  OctAverageParams params = {
    .format = OCT_SAMPLE_U8, .values = 1, .rows = 1, .frames = 3
  };
  OctPlan *plan = plan_new (OCT_OPERATION_AVERAGE, &params);

  g_assert_cmpuint (run_one (plan, 100), ==, 100);
  g_assert_cmpuint (run_one (plan, 50), ==, 75);
  /* the same again changes nothing */
  g_assert_true (table->update (plan, &params));
  g_assert_cmpuint (run_one (plan, 0), ==, 50);
  g_assert_cmpuint (run_one (plan, 1), ==, 17);
  table->reset (plan);
  g_assert_cmpuint (run_one (plan, 200), ==, 200);
  g_assert_cmpuint (run_one (plan, 100), ==, 150);
  params.frames = 4;
  g_assert_false (table->update (plan, &params));
  plan_free (OCT_OPERATION_AVERAGE, plan);
}

static void
test_refused (void)
{
  const OctAverageParams good = { .values = 4, .rows = 6, .frames = 3 };
  OctAverageParams wrong[] = { good, good, good, good, good, good, good };

  wrong[0].frames = 0;
  wrong[1].frames = OCT_AVERAGE_MOST + 1;
  wrong[2].bscans = 4;
  wrong[3].of = OCT_AVERAGE_POWER;
  wrong[4].format = OCT_SAMPLE_F32;
  wrong[5].bscans = 2;
  wrong[5].more_rows = 3;
  wrong[5].more_values = 4;
  wrong[6].mode = OCT_AVERAGE_BLOCK + 1;
  plan_check_refused (
      OCT_OPERATION_AVERAGE, wrong, sizeof wrong[0], G_N_ELEMENTS (wrong));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/average/images", test_images);
  g_test_add_func ("/average/full", test_full);
  g_test_add_func ("/average/complex", test_complex);
  g_test_add_func ("/average/flash", test_flash);
  g_test_add_func ("/average/history", test_history);
  g_test_add_func ("/average/refused", test_refused);
  return g_test_run ();
}
