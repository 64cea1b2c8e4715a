/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Cases of the filters of images: flip, speckle, sharpen and average.
 */
#include "check.h"

static const guint sizes[][2] = { { 1, 1 }, { 7, 1 }, { 2, 3 }, { 33, 64 },
  { 129, 65 }, { 500, 1022 }, { 1000, 2048 } };

/* Formats that stay on a GPU, and GRAY8, which has the first plane of NV12. */
static const struct {
  const char *name;
  guint pixel_size;
} formats[] = {
  [OCT_IMAGE_GRAY8] = { "gray8", 1 },
  [OCT_IMAGE_NV12] = { "nv12", 1 },
  [OCT_IMAGE_RGBA] = { "rgba", 4 },
};

/* An image of `format` to another one. */
static Case
new_case (OctOperation operation, OctImageFormat format, guint width,
    guint height, guint kind)
{
  guint size = formats[format].pixel_size;

  return (Case){ .operation = operation,
    .in = { size * width, height, kind % 2 * 8 },
    .out = { size * width, height, kind % 3 * 4 },
    .in_format = OCT_SAMPLE_U8,
    .pixel_size = size,
    .nv12 = format == OCT_IMAGE_NV12,
    .nv12_in = format == OCT_IMAGE_NV12,
    .steps = 4,
    .fill = FILL_RANDOM };
}

static void
check_flip (Check *check)
{
  static const double shifts[] = { 0, 2, -0.75 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 24; kind++) {
      static const OctImageFormat kinds[] = { OCT_IMAGE_GRAY8, OCT_IMAGE_NV12,
        OCT_IMAGE_RGBA };
      OctFlipParams params = { .width = sizes[i][0],
        .height = sizes[i][1],
        .format = kinds[kind % 3],
        .depth = kind % 2,
        .lateral = kind / 2 % 2,
        .way_back = kind % 5 % 3,
        .way_back_shift = shifts[kind / 3 % 3],
        .motion = kind / 12,
        .duty = kind % 4 ? 0.8 : 1 };
      OctFlipParams update;
      Case test;

      if (params.height % 2 == 0 && params.format != OCT_IMAGE_NV12)
        params.bscans = 2;
      update = params;
      update.first = 1;
      /* the second B-scan is the first of another volume */
      update.volume = kind % 2 ? 0 : 2 + kind / 2 % 2;
      test = new_case (OCT_OPERATION_FLIP, params.format, params.width,
          params.height, kind + i);
      test.params = &params;
      test.update = &update;
      test.in_turn = TRUE;
      /* sums next to a half */
      test.tolerance = params.motion == OCT_MOTION_SINE || kind / 3 % 3 == 2;
      test.name = g_strdup_printf (
          "flip %s depth %d lateral %d way back %d shift %g %s %g, %u x %u",
          formats[params.format].name, params.depth, params.lateral,
          params.way_back, params.way_back_shift,
          params.motion == OCT_MOTION_SINE ? "sine" : "linear", params.duty,
          params.width, params.height);
      check_case (check, &test);
    }
}

static void
check_speckle (Check *check)
{
  static const char *const methods[] = { "bilateral", "median", "lee" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 27; kind++) {
      static const OctImageFormat kinds[] = { OCT_IMAGE_GRAY8, OCT_IMAGE_NV12,
        OCT_IMAGE_RGBA };
      OctSpeckleParams params = { .width = sizes[i][0],
        .height = sizes[i][1],
        .format = kinds[kind % 3],
        .method = kind / 3 % 3,
        .size = 3 + kind / 9 * 2,
        .sigma = 60 + kind,
        .spatial_sigma = 1 + kind / 9 };
      OctSpeckleParams update;
      Case test;

      if (params.height % 2 == 0 && params.format != OCT_IMAGE_NV12)
        params.bscans = 2;
      update = params;
      update.sigma = 255;
      update.size = kind % 2 ? 3 : 7;
      test = new_case (OCT_OPERATION_SPECKLE, params.format, params.width,
          params.height, kind + i);
      test.params = &params;
      test.update = &update;
      test.in_turn = TRUE;
      test.tolerance = params.method != OCT_SPECKLE_MEDIAN;
      test.name = g_strdup_printf ("speckle %s %s %u x %u sigma %g, %u x %u",
          methods[params.method], formats[params.format].name, params.size,
          params.size, params.sigma, params.width, params.height);
      check_case (check, &test);
    }
}

static void
check_sharpen (Check *check)
{
  static const struct {
    double amount, radius;
  } settings[] = { { 1.5, 1 }, { 0, 3 }, { OCT_SHARPEN_STRONGEST, 0.1 },
    { 0.5, 2.25 }, { 1, 12.5 }, { 2, OCT_SHARPEN_WIDEST } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 3 * G_N_ELEMENTS (settings); kind++) {
      static const OctImageFormat kinds[] = { OCT_IMAGE_GRAY8, OCT_IMAGE_NV12,
        OCT_IMAGE_RGBA };
      OctSharpenParams params = { .width = sizes[i][0],
        .height = sizes[i][1],
        .format = kinds[kind % 3],
        .amount = settings[kind / 3].amount,
        .radius = settings[kind / 3].radius };
      OctSharpenParams update;
      Case test;

      if (params.height % 2 == 0 && params.format != OCT_IMAGE_NV12)
        params.bscans = 2;
      update = params;
      update.amount = 0.75;
      update.radius = kind % 2 ? 0.5 : 4;
      test = new_case (OCT_OPERATION_SHARPEN, params.format, params.width,
          params.height, kind + i);
      test.params = &params;
      test.update = &update;
      test.in_turn = TRUE;
      test.tolerance = 1; /* sums next to a half */
      test.name = g_strdup_printf ("sharpen %s amount %g radius %g, %u x %u",
          formats[params.format].name, params.amount, params.radius,
          params.width, params.height);
      check_case (check, &test);
    }
}

/* Histories, and what begins anew; both backends add in the same order. */
static void
check_average (Check *check)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 20; kind++) {
      static const OctSampleFormat kinds[] = { OCT_SAMPLE_U8, OCT_SAMPLE_U16,
        OCT_SAMPLE_CF32, OCT_SAMPLE_CF32, OCT_SAMPLE_U8 };
      guint width = sizes[i][0], height = sizes[i][1];
      OctAverageParams params = { .format = kinds[kind % 5],
        .values = width,
        .rows = height,
        .mode = kind / 5 % 2,
        .frames = kind / 10 ? 3 : 5,
        .of = kind % 5 == 3 ? OCT_AVERAGE_POWER : OCT_AVERAGE_VALUES };
      gboolean nv12 = kind % 5 == 4;
      guint size = (guint)oct_sample_format_size (params.format);
      Case test = { .operation = OCT_OPERATION_AVERAGE,
        .params = &params,
        .update = &params,
        .reset = kind / 10,
        .in = { size * width, height, kind % 2 * 8 },
        .out = { size * width, height, i % 3 * 8 },
        .in_format = params.format,
        .pixel_size = size == 8 ? 0 : size,
        .nv12 = nv12,
        .nv12_in = nv12,
        .steps = MAX_STEPS,
        .fill = size == 8 && i == 3 ? FILL_NAN_LINE : FILL_RANDOM };

      /* its table has no history for a second plane */
      if (nv12 && check->reference != NULL)
        continue;
      if (nv12) {
        params.more_values = (width + 1) / 2 * 2;
        params.more_rows = (height + 1) / 2;
      } else if (height % 2 == 0) {
        params.bscans = 2;
      }
      test.name = g_strdup_printf (
          "average %s of %u, format %u %s, of %u frames%s, %u x %u",
          params.mode == OCT_AVERAGE_BLOCK ? "block" : "running", params.frames,
          params.format, params.of == OCT_AVERAGE_POWER ? "power" : "values",
          OCT_BSCANS (&params), nv12 ? ", nv12" : "", width, height);
      check_case (check, &test);
    }
}

/* Frames that are found where they have moved, and such that have not. */
static void
check_registration (Check *check)
{
  static const struct {
    const char *name;
    OctSampleFormat format;
    OctAverageOf of;
    guint parts;
    gboolean nv12;
  } kinds[] = {
    { "gray8", OCT_SAMPLE_U8, OCT_AVERAGE_VALUES, 1, FALSE },
    { "nv12", OCT_SAMPLE_U8, OCT_AVERAGE_VALUES, 1, TRUE },
    { "rgba", OCT_SAMPLE_U8, OCT_AVERAGE_VALUES, 4, FALSE },
    { "gray16", OCT_SAMPLE_U16, OCT_AVERAGE_VALUES, 1, FALSE },
    { "values", OCT_SAMPLE_CF32, OCT_AVERAGE_VALUES, 1, FALSE },
    { "power", OCT_SAMPLE_CF32, OCT_AVERAGE_POWER, 1, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 4 * G_N_ELEMENTS (kinds); kind++) {
      guint way = kind / G_N_ELEMENTS (kinds), n = kind % G_N_ELEMENTS (kinds);
      guint width = sizes[i][0], height = sizes[i][1];
      OctAverageParams params = { .format = kinds[n].format,
        .values = width * kinds[n].parts,
        .rows = height,
        .mode = way % 2,
        .frames = way == 3 ? 3 : 5,
        .of = kinds[n].of,
        .registration = OCT_REGISTRATION_TRANSLATION,
        .max_shift = way == 2 ? OCT_REGISTRATION_MOST : 14,
        .parts = kinds[n].parts };
      guint size = (guint)oct_sample_format_size (params.format);
      guint pixel = size * kinds[n].parts;
      Case test = { .operation = OCT_OPERATION_AVERAGE,
        .params = &params,
        .update = &params,
        .reset = way == 3,
        .in = { pixel * width, height, kind % 2 * 8 },
        .out = { pixel * width, height, i % 3 * 8 },
        .in_format = params.format,
        .pixel_size = size == 8 ? 0 : pixel,
        .nv12 = kinds[n].nv12,
        .nv12_in = kinds[n].nv12,
        .steps = MAX_STEPS,
        .fill = way == 1 ? FILL_RANDOM : FILL_MOVED };

      if (kinds[n].nv12 && check->reference != NULL)
        continue;
      if (kinds[n].nv12) {
        params.more_values = (width + 1) / 2 * 2;
        params.more_rows = (height + 1) / 2;
      } else if (height % 2 == 0) {
        params.bscans = 2;
      }
      test.name = g_strdup_printf (
          "average registered %s %s, %s, up to %u pixels, of %u frames, %u x "
          "%u",
          params.mode == OCT_AVERAGE_BLOCK ? "block" : "running", kinds[n].name,
          fill_names[test.fill], params.max_shift, OCT_BSCANS (&params), width,
          height);
      check_case (check, &test);
    }
}

void
check_filters (Check *check)
{
  check_average (check);
  check_registration (check);
  check_flip (check);
  check_speckle (check);
  check_sharpen (check);
}
