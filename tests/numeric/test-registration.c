/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means of frames that are moved onto each other: of a scene that moves by
 * known shifts, which has to come out as it is; beside the reference; how sharp
 * and how noisy a mean is with and without; and what moves nothing.
 */
#include "oct-reference.h"
#include "planes.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------- scene
 */

#define SIDE 600
#define MIDDLE 160 /* where frames begin */

/* Grey levels of layers with speckle: grains of some pixels. */
typedef struct {
  double levels[SIDE][SIDE];
} Scene;

static double
normal (GRand *random)
{
  double sum = 0;

  for (guint i = 0; i < 12; i++)
    sum += g_rand_double (random);
  return sum - 6;
}

static Scene *
scene_new (guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  Scene *scene = g_new0 (Scene, 1);
  g_autofree double *grains = g_new (double, SIDE *SIDE);

  for (guint i = 0; i < SIDE * SIDE; i++)
    grains[i] = g_rand_double (random);
  for (gint y = 0; y < SIDE; y++)
    for (gint x = 0; x < SIDE; x++) {
      double sum = 0;

      for (gint dy = -1; dy <= 1; dy++)
        for (gint dx = -1; dx <= 1; dx++)
          sum += grains[CLAMP (y + dy, 0, SIDE - 1) * SIDE
                        + CLAMP (x + dx, 0, SIDE - 1)]
                 / 9;
      scene->levels[y][x] = floor (
          40 + 150 * sum + 60 * sin (y / 9. + sin (x / 31.)) * sin (x / 40.));
      scene->levels[y][x] = CLAMP (scene->levels[y][x], 0, 255);
    }
  return scene;
}

/* Where frame `k` is, all over the place and within `most` of the one before;
 * the drift goes further than that. */
static void
get_place (guint k, gint most, gint *down, gint *across)
{
  static const gint steps[][2] = { { 0, 0 }, { 3, -2 }, { -5, 4 }, { 0, 1 },
    { 7, 7 }, { 8, -8 }, { -1, 0 }, { 2, 8 }, { 8, 3 }, { -4, 6 }, { 8, 5 } };

  *down = *across = 0;
  for (guint i = 0; i <= k; i++) {
    *down += steps[i % G_N_ELEMENTS (steps)][0] * most / 8;
    *across += steps[i % G_N_ELEMENTS (steps)][1] * most / 8;
  }
}

static double
scene_get (const Scene *scene, gint y, gint x)
{
  return scene->levels[CLAMP (y, 0, SIDE - 1)][CLAMP (x, 0, SIDE - 1)];
}

/* A frame of the scene, of any format; chroma is of half as many pixels. */
static void
fill_image (const Scene *scene, gint down, gint across, Image *image)
{
  for (guint n = 0; n < image->n; n++) {
    Plane *plane = &image->planes[n];
    gint scale = n > 0 ? 2 : 1;

    for (guint y = 0; y < plane->height; y++)
      for (guint i = 0; i < plane->width * plane->parts; i++) {
        gint x = (gint)(i / plane->parts), part = (gint)(i % plane->parts);
        double level = scene_get (scene, MIDDLE + (gint)y + down / scale,
            MIDDLE + x + across / scale);

        if (part > 0)
          level = floor (level / (part + 1));
        plane_set (
            plane, y, i, (guint)(plane->size == 2 ? level * 257 : level));
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
    .frames = frames,
    .registration = OCT_REGISTRATION_TRANSLATION,
    .max_shift = 16,
    .parts = first->parts };

  if (image->n > 1) {
    params.more_values = 2 * image->planes[1].width;
    params.more_rows = image->planes[1].height;
  }
  return params;
}

/* ---------------------------------------------------------------- recovered
 */

static void
expect_same (const Image *out, const Image *in, guint k)
{
  for (guint n = 0; n < out->n; n++)
    for (guint y = 0; y < out->planes[n].height; y++)
      for (guint i = 0; i < out->planes[n].width * out->planes[n].parts; i++)
        if (plane_get (&out->planes[n], y, i)
            != plane_get (&in->planes[n], y, i))
          g_error ("frame %u, plane %u, row %u, value %u: %u, not %u", k, n, y,
              i, plane_get (&out->planes[n], y, i),
              plane_get (&in->planes[n], y, i));
}

/* A scene that keeps still but for its place: whatever the mean is of, it is
 * the last frame, up to its edges. */
static void
check_images (OctImageFormat format, OctAverageMode mode, guint max_shift)
{
  g_autofree Scene *scene = scene_new (3);
  g_autoptr (Image) in = image_new (131, 97, format, 0);
  g_autoptr (Image) out = image_new (131, 97, format, 0);
  OctAverageParams params = image_params (in, mode, 7);
  OctPlan *plan;

  params.max_shift = max_shift;
  plan = plan_new (OCT_OPERATION_AVERAGE, &params);
  for (guint k = 0; k < 30; k++) {
    OctFrame from = image_frame (in), to = image_frame (out);
    gint down, across;

    get_place (k, (gint)max_shift, &down, &across);
    fill_image (scene, down, across, in);
    plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
    expect_same (out, in, k);
  }
  plan_free (OCT_OPERATION_AVERAGE, plan);
}

static void
test_recovered (void)
{
  for (OctImageFormat format = 0; format <= OCT_IMAGE_RGBA; format++)
    for (guint mode = 0; mode < 2; mode++) {
      check_images (format, mode, 16);
      /* chroma of odd shifts lies between its pixels */
      if (format != OCT_IMAGE_NV12)
        check_images (format, mode, 8);
    }
}

/* A-scans: rows are A-lines, and the power or the complex values come out. */
static void
check_scans (OctAverageOf of)
{
  enum { DEPTHS = 128, LINES = 80, N = DEPTHS * LINES };
  OctAverageParams params = { .format = OCT_SAMPLE_CF32,
    .values = DEPTHS,
    .rows = LINES,
    .frames = 5,
    .of = of,
    .registration = OCT_REGISTRATION_TRANSLATION,
    .max_shift = 16 };
  g_autofree Scene *scene = scene_new (4);
  g_autofree float *in = g_new (float, 2 * N), *out = g_new (float, 2 * N);
  OctFrame from = { { { in, DEPTHS * 8 } } }, to = { { { out, DEPTHS * 8 } } };
  OctPlan *plan = plan_new (OCT_OPERATION_AVERAGE, &params);

  for (guint k = 0; k < 12; k++) {
    gint down, across;

    get_place (k, 16, &down, &across);
    for (gint i = 0; i < N; i++) {
      double level = scene_get (
          scene, MIDDLE + i / DEPTHS + down, MIDDLE + i % DEPTHS + across);

      in[2 * i] = (float)(level * level * cos (level));
      in[2 * i + 1] = (float)(level * level * sin (level));
    }
    plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
    for (guint i = 0; i < N; i++) {
      double size = hypot (in[2 * i], in[2 * i + 1]);
      double re = of == OCT_AVERAGE_POWER ? size : in[2 * i];
      double im = of == OCT_AVERAGE_POWER ? 0 : in[2 * i + 1];

      g_assert_cmpfloat (
          hypot (out[2 * i] - re, out[2 * i + 1] - im), <=, 3e-7 * size);
    }
  }
  plan_free (OCT_OPERATION_AVERAGE, plan);
}

static void
test_scans (void)
{
  check_scans (OCT_AVERAGE_POWER);
  check_scans (OCT_AVERAGE_VALUES);
}

/* ---------------------------------------------------------------- reference
 */

/* With noise, values that are not finite, several B-scans in a frame, and sizes
 * that leave something over. */
static void
check_reference (OctSampleFormat format, guint kind, guint values, guint rows)
{
  OctAverageParams params = { .format = format,
    .values = values,
    .rows = rows,
    .bscans = kind % 3 == 2 && rows % 2 == 0 ? 2 : 1,
    .mode = kind % 2 ? OCT_AVERAGE_BLOCK : OCT_AVERAGE_RUNNING,
    .frames = 4,
    .of = format == OCT_SAMPLE_CF32 && kind % 2 ? OCT_AVERAGE_POWER
                                                : OCT_AVERAGE_VALUES,
    .registration = OCT_REGISTRATION_TRANSLATION,
    .max_shift = kind % 4 == 3 ? OCT_REGISTRATION_MOST : 11,
    .parts = format == OCT_SAMPLE_U8 && values % 4 == 0 ? 4 : 1 };
  gsize n = (gsize)values * rows, size = oct_sample_format_size (format);
  guint each = rows / params.bscans;
  g_autofree Scene *scene = scene_new (5);
  g_autoptr (GRand) random = g_rand_new_with_seed (6);
  g_autoptr (OctReference) reference =
      oct_reference_new (OCT_OPERATION_AVERAGE, &params, NULL);
  g_autofree guint8 *in = g_malloc (n * size), *out = g_malloc (n * size);
  g_autofree Complex *frame = g_new (Complex, n);
  g_autofree Complex *expected = g_new (Complex, n);
  OctFrame from = { { { in, values * size } } };
  OctFrame to = { { { out, values * size } } };
  OctPlan *plan = plan_new (OCT_OPERATION_AVERAGE, &params);

  for (guint k = 0; k < 9; k++) {
    for (gsize i = 0; i < n; i++) {
      guint y = (guint)(i / values), x = (guint)(i % values) / params.parts;
      gint down, across;
      double level;

      get_place (k * params.bscans + y / each, 8, &down, &across);
      level = scene_get (scene, MIDDLE + (gint)(y % each) + down,
                  MIDDLE + (gint)x + across)
              + 25 * normal (random);
      level = floor (CLAMP (level, 0, 255));
      frame[i] = level;
      if (format == OCT_SAMPLE_U8) {
        in[i] = (guint8)level;
      } else if (format == OCT_SAMPLE_U16) {
        ((guint16 *)(gpointer)in)[i] = (guint16)level;
      } else {
        float *value = (float *)(gpointer)in + 2 * i;

        value[0] = (float)(level * cos (level));
        value[1] = (float)(level * sin (level));
        if (g_rand_int_range (random, 0, 500) == 0)
          value[k % 2] = k % 3 ? NAN : INFINITY;
        frame[i] = CMPLX (value[0], value[1]);
      }
    }
    oct_reference_run (reference, frame, NULL, expected);
    plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
    for (gsize i = 0; i < n; i++)
      if (format == OCT_SAMPLE_U8)
        g_assert_cmpfloat (out[i], ==, creal (expected[i]));
      else if (format == OCT_SAMPLE_U16)
        g_assert_cmpfloat (
            ((guint16 *)(gpointer)out)[i], ==, creal (expected[i]));
      else /* values of 255 at most, each with a rounding to 2^-24 of it */
        g_assert_cmpfloat (cabs (CMPLX (((float *)(gpointer)out)[2 * i],
                                     ((float *)(gpointer)out)[2 * i + 1])
                                 - expected[i]),
            <, 255 * 2e-7);
  }
  plan_free (OCT_OPERATION_AVERAGE, plan);
}

static void
test_reference (void)
{
  static const guint sizes[][2] = { { 1, 1 }, { 7, 1 }, { 3, 50 }, { 50, 3 },
    { 64, 40 }, { 92, 58 }, { 117, 90 } };
  static const OctSampleFormat formats[] = { OCT_SAMPLE_U8, OCT_SAMPLE_U16,
    OCT_SAMPLE_CF32 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 4; kind++)
      for (guint k = 0; k < G_N_ELEMENTS (formats); k++)
        check_reference (formats[k], kind, sizes[i][0], sizes[i][1]);
}

/* So large that not all rows are compared. */
static void
test_large (void)
{
  check_reference (OCT_SAMPLE_U8, 0, 301, 281);
}

/* ---------------------------------------------------------------- sharpness
 */

/* The difference of a mean of 16 noisy frames from the scene, rms grey levels;
 * far from the edges, where fewer frames count. */
static double
measure_error (gboolean moves, gboolean registered)
{
  enum { WIDTH = 280, HEIGHT = 240, FRAMES = 16, EDGE = 80 };
  g_autofree Scene *scene = scene_new (7);
  g_autoptr (GRand) random = g_rand_new_with_seed (8);
  g_autoptr (Image) in = image_new (WIDTH, HEIGHT, OCT_IMAGE_GRAY16, 0);
  g_autoptr (Image) out = image_new (WIDTH, HEIGHT, OCT_IMAGE_GRAY16, 0);
  OctAverageParams params = image_params (in, OCT_AVERAGE_RUNNING, FRAMES);
  OctFrame from = image_frame (in), to = image_frame (out);
  OctPlan *plan;
  gint down = 0, across = 0;
  double sum = 0;
  guint n = 0;

  if (!registered)
    params.registration = OCT_REGISTRATION_NONE;
  plan = plan_new (OCT_OPERATION_AVERAGE, &params);
  for (guint k = 0; k < FRAMES; k++) {
    if (moves)
      get_place (k, 8, &down, &across);
    for (guint y = 0; y < HEIGHT; y++)
      for (guint x = 0; x < WIDTH; x++) {
        double level = scene_get (scene, MIDDLE + (gint)y + down,
                           MIDDLE + (gint)x + across)
                       + 20 * normal (random);

        plane_set (&in->planes[0], y, x, (guint)(32768 + 64 * level));
      }
    plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
  }
  plan_free (OCT_OPERATION_AVERAGE, plan);
  for (guint y = EDGE; y < HEIGHT - EDGE; y++)
    for (guint x = EDGE; x < WIDTH - EDGE; x++, n++)
      sum += pow ((plane_get (&out->planes[0], y, x) - 32768.) / 64
                      - scene_get (scene, MIDDLE + (gint)y + down,
                          MIDDLE + (gint)x + across),
          2);
  return sqrt (sum / n);
}

/* Noise of 20 levels falls to 5 with 16 frames, and blur adds nothing where the
 * scene moves: 5 % are seven standard errors of an rms of 9600 values. */
static void
test_sharpness (void)
{
  double still = measure_error (FALSE, FALSE);
  double moved = measure_error (TRUE, TRUE);
  double blurred = measure_error (TRUE, FALSE);

  g_test_message ("rms error: still %.2f, moved and registered %.2f, moved "
                  "%.2f grey levels",
      still, moved, blurred);
  g_assert_cmpfloat (fabs (still / 5 - 1), <, 0.05);
  g_assert_cmpfloat (fabs (moved / 5 - 1), <, 0.05);
  g_assert_cmpfloat (blurred, >, 2 * still);
  /* registration of a static scene changes nothing */
  g_assert_cmpfloat (measure_error (FALSE, TRUE), ==, still);
}

/* ------------------------------------------------------------------- nothing
 */

typedef enum {
  NOISE,
  GRAINS, /* noise of grains of three pixels */
  LAYERS, /* with noise */
  FLAT,
  N_KINDS,
} Kind;

static guint8
nothing (Kind kind, GRand *random, const double *grains, guint y, guint x)
{
  switch (kind) {
  case NOISE:
    return (guint8)g_rand_int_range (random, 0, 256);
  case GRAINS:
    return (guint8)(255 * grains[y / 3 * 64 + x / 3]);
  case LAYERS:
    return (guint8)CLAMP (
        120 + 80 * sin (y / 5.) + 30 * normal (random), 0, 255);
  default:
    return 77;
  }
}

/* Images without features, or without any in one direction, are not shifted:
 * the mean is the one without registration. */
static void
test_nothing (void)
{
  enum { WIDTH = 128, HEIGHT = 96 };
  OctAverageParams params = { .values = WIDTH,
    .rows = HEIGHT,
    .frames = 6,
    .registration = OCT_REGISTRATION_TRANSLATION,
    .max_shift = 16 };
  OctAverageParams none = params;

  none.registration = OCT_REGISTRATION_NONE;
  for (Kind kind = 0; kind < N_KINDS; kind++) {
    g_autoptr (GRand) random = g_rand_new_with_seed (9);
    OctPlan *plan = plan_new (OCT_OPERATION_AVERAGE, &params);
    OctPlan *still = plan_new (OCT_OPERATION_AVERAGE, &none);

    for (guint k = 0; k < 150; k++) {
      guint8 in[HEIGHT][WIDTH], out[HEIGHT][WIDTH], expected[HEIGHT][WIDTH];
      OctFrame from = { { { in, WIDTH } } }, to = { { { out, WIDTH } } };
      OctFrame other = { { { expected, WIDTH } } };
      double grains[64 * 64];

      for (guint i = 0; i < G_N_ELEMENTS (grains); i++)
        grains[i] = g_rand_double (random);
      for (guint y = 0; y < HEIGHT; y++)
        for (guint x = 0; x < WIDTH; x++)
          in[y][x] = nothing (kind, random, grains, y, x);
      plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
      plan_run (OCT_OPERATION_AVERAGE, still, &from, &other);
      g_assert_cmpmem (out, sizeof out, expected, sizeof expected);
    }
    plan_free (OCT_OPERATION_AVERAGE, plan);
    plan_free (OCT_OPERATION_AVERAGE, still);
  }
}

/* ------------------------------------------------------------------ history
 */

/* Earlier frames are in no mean after a reset, and are not searched for. */
static void
test_history (void)
{
  const OctOperationTable *table = operation_table (OCT_OPERATION_AVERAGE);
  g_autofree Scene *scene = scene_new (10);
  g_autoptr (Image) in = image_new (64, 64, OCT_IMAGE_GRAY8, 0);
  g_autoptr (Image) out = image_new (64, 64, OCT_IMAGE_GRAY8, 0);
  OctAverageParams params = image_params (in, OCT_AVERAGE_RUNNING, 4);
  OctPlan *plan = plan_new (OCT_OPERATION_AVERAGE, &params);
  OctFrame from = image_frame (in), to = image_frame (out);

  for (guint k = 0; k < 6; k++) {
    /* further away than the range of the search */
    fill_image (scene, k < 3 ? 0 : 40, k < 3 ? 0 : -40, in);
    if (k == 3)
      table->reset (plan);
    plan_run (OCT_OPERATION_AVERAGE, plan, &from, &to);
    expect_same (out, in, k);
    g_assert_cmpfloat (table->get_found (plan), ==, k % 3 + 1);
  }
  g_assert_true (table->update (plan, &params));
  params.max_shift = 8;
  g_assert_false (table->update (plan, &params));
  plan_free (OCT_OPERATION_AVERAGE, plan);
}

static void
test_refused (void)
{
  const OctAverageParams good = { .values = 4,
    .rows = 6,
    .frames = 3,
    .registration = OCT_REGISTRATION_TRANSLATION,
    .max_shift = 5 };
  OctAverageParams wrong[] = { good, good, good, good };

  wrong[0].max_shift = 0;
  wrong[1].max_shift = OCT_REGISTRATION_MOST + 1;
  wrong[2].registration = OCT_REGISTRATION_TRANSLATION + 1;
  wrong[3].parts = 3;
  plan_check_refused (
      OCT_OPERATION_AVERAGE, wrong, sizeof wrong[0], G_N_ELEMENTS (wrong));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/registration/recovered", test_recovered);
  g_test_add_func ("/registration/scans", test_scans);
  g_test_add_func ("/registration/reference", test_reference);
  g_test_add_func ("/registration/large", test_large);
  g_test_add_func ("/registration/sharpness", test_sharpness);
  g_test_add_func ("/registration/nothing", test_nothing);
  g_test_add_func ("/registration/history", test_history);
  g_test_add_func ("/registration/refused", test_refused);
  return g_test_run ();
}
