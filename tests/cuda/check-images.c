/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Cases of logscale and colormap, and what the backend says about impossible
 * requests.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
  guint depth, lines;
} sizes[] = { { 1024, 1000 }, { 1, 1 }, { 1, 5 }, { 7, 1 }, { 33, 65 },
  { 31, 64 }, { 32, 63 }, { 100, 999 }, { 8, 16384 }, { 512, 501 }, { 2047, 3 },
  { 32768, 2 }, { 3, 65536 } };

static const struct {
  const char *name;
  guint pixel_size;
} formats[] = {
  [OCT_IMAGE_GRAY8] = { "gray8", 1 },
  [OCT_IMAGE_GRAY16] = { "gray16", 2 },
  [OCT_IMAGE_NV12] = { "nv12", 1 },
  [OCT_IMAGE_RGBA] = { "rgba", 4 },
};

static const char *const range_names[] = { "auto", "manual", "contrast" };

/* Grey levels by which float32 may differ: one of rounding, and the errors of
 * the power and of log2 (6e-7 octaves together) where the range is narrow. */
static guint
tolerance (const OctLogscaleParams *params)
{
  double full = params->format == OCT_IMAGE_GRAY16 ? 65535 : 255;
  double extent = params->max - params->min;

  if (params->range != OCT_RANGE_MANUAL || params->scale != OCT_SCALE_LOG)
    return 1;
  return 1 + (guint)(full * 3.01 * 6e-7 / extent);
}

static void
image_case (Check *check, const OctLogscaleParams *params, Fill fill)
{
  OctLogscaleParams update = *params;
  guint pixel_size = formats[params->format].pixel_size;
  guint depth = params->depth_bins, lines = params->lines;
  gboolean nv12 = params->format == OCT_IMAGE_NV12;
  Case test = { .operation = OCT_OPERATION_LOGSCALE,
    .params = params,
    .in = { 8 * depth, lines, depth % 2 * 8 },
    .out = { pixel_size * lines, depth, lines % 3 * pixel_size },
    .in_format = OCT_SAMPLE_CF32,
    .pixel_size = pixel_size,
    .nv12 = nv12,
    .tolerance = tolerance (params),
    .steps = depth * lines < 100000 ? 4 : 1,
    .update = &update,
    .reset = TRUE,
    .fill = fill };

  update.range_smoothing = 0.5;
  if (params->range_smoothing > 0)
    update.scale =
        params->scale == OCT_SCALE_LOG ? OCT_SCALE_LINEAR : OCT_SCALE_LOG;
  test.name =
      g_strdup_printf ("logscale %s %s %s smoothing %g range %g to %g, %u x %u",
          formats[params->format].name,
          params->scale == OCT_SCALE_LOG ? "log" : "linear",
          range_names[params->range], params->range_smoothing, params->min,
          params->max, depth, lines);
  check_case (check, &test);
}

void
check_logscale (Check *check)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    for (guint kind = 0; kind < 24; kind++) {
      OctLogscaleParams params = { .depth_bins = sizes[i].depth,
        .lines = sizes[i].lines,
        .format = kind % 4,
        .range = kind / 4 % 3,
        .scale = kind / 12,
        .min = kind / 12 == 0 ? -60 : 0.01,
        .max = kind / 12 == 0 ? 3 : 1.5,
        .range_smoothing = i % 2 ? 0.8 : 0 };
      image_case (check, &params, FILL_RANDOM);
    }
  }
  /* FILL_MOVED is of octaverage's parameters */
  for (Fill fill = FILL_CONSTANT; fill < FILL_MOVED; fill++) {
    for (guint kind = 0; kind < 24; kind++) {
      OctLogscaleParams params = { .depth_bins = 77,
        .lines = 130,
        .format = kind % 4,
        .range = kind / 4 % 3,
        .scale = kind / 12,
        .min = fill == FILL_DYNAMIC ? -240 : -20,
        .max = fill == FILL_DYNAMIC ? 120 : -19.9,
        .range_smoothing = 0.3 };
      image_case (check, &params, fill);
    }
  }
  /* contrast: more values than one of 1000, bands longer than a warp's part */
  for (guint kind = 0; kind < 16; kind++) {
    OctLogscaleParams params = { .depth_bins = kind & 8 ? 1024 : 301,
      .lines = kind & 8 ? 1000 : 700,
      .format = kind % 4,
      .scale = kind / 4 % 2,
      .range = OCT_RANGE_CONTRAST,
      .range_smoothing = 0.3 };
    image_case (check, &params, FILL_TISSUE);
  }
}

/* The tables are whole numbers on both sides, and so is what is made of them.
 * The reference rounds luma and chroma once: it is for the CPU to be near it
 * (numeric-colormap). */
void
check_colormap (Check *check)
{
  static const guint sizes[][2] = { { 1, 1 }, { 1, 7 }, { 3, 2 }, { 64, 64 },
    { 65, 33 }, { 500, 1023 }, { 1024, 1000 } };
  guint8 colors[2][OCT_COLORMAP_VALUES];
  g_autoptr (GRand) random = g_rand_new_with_seed (check->seed);

  for (guint i = 0; i < OCT_COLORMAP_VALUES; i++)
    for (guint k = 0; k < 2; k++)
      colors[k][i] = (guint8)g_rand_int_range (random, 0, 256);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 4; kind++) {
      guint width = sizes[i][0], height = sizes[i][1];
      gboolean nv12 = kind % 2;
      guint pixel_size = kind / 2 ? 4 : 1;
      OctColormapParams params = { width, height, pixel_size,
        nv12 ? OCT_IMAGE_NV12 : OCT_IMAGE_RGBA, OCT_COLORMAP_VALUES,
        colors[0] };
      OctColormapParams update = params;
      Case test = { .operation = OCT_OPERATION_COLORMAP,
        .params = &params,
        .in = { pixel_size * width, height, i % 2 * 5 },
        .out = { (nv12 ? 1 : 4) * width, height, i % 3 * 4 },
        .in_format = OCT_SAMPLE_U8,
        .pixel_size = nv12 ? 1 : 4,
        .nv12 = nv12,
        .steps = 4,
        .update = &update,
        .in_turn = TRUE,
        .fill = FILL_RANDOM };

      if (nv12 && check->reference != NULL)
        continue;
      update.colors = colors[1];
      test.name = g_strdup_printf ("colormap %s of %u bytes, %u x %u",
          nv12 ? "nv12" : "rgba", pixel_size, width, height);
      check_case (check, &test);
    }
}

static void
expect_error (Check *check, const char *name, GError *error, gint code)
{
  gboolean right = g_error_matches (error, OCT_ERROR, code);
  char *line = g_strdup_printf (
      "error of %s: %s", name, error != NULL ? error->message : "none");

  if (check_has (check, line))
    check_report (
        check, line, right ? NULL : g_strdup ("another one was expected"));
  else
    g_free (line);
  g_clear_error (&error);
}

void
check_errors (Check *check)
{
  const OctOperationTable *table =
      check->cuda->operations[OCT_OPERATION_BACKGROUND];
  OctBackgroundParams params = {
    .format = OCT_SAMPLE_F32, .samples = 5, .lines = 3
  };
  OctFrame odd = { { { (gpointer)0x1002, 20 } } };
  OctFrame narrow = { { { (gpointer)0x1000, 16 } } };
  GError *error = NULL;
  OctPlan *plan;

  plan = table->create (&params, &error);
  if (plan == NULL) {
    expect_error (check, "nothing", error, -1);
    return;
  }
  table->run (plan, &odd, &odd, check->stream, &error);
  expect_error (check, "an odd address", error, OCT_ERROR_SETTINGS);
  error = NULL;
  table->run (plan, &narrow, &narrow, check->stream, &error);
  expect_error (check, "a narrow row", error, OCT_ERROR_SETTINGS);
  error = NULL;
  table->destroy (plan);
  params.samples = 0;
  plan = table->create (&params, &error);
  expect_error (check, "no samples", error, OCT_ERROR_SETTINGS);
}
