/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Cases of repeated B-scans: align and angio.
 */
#include "check.h"

#include <math.h>

static const struct {
  guint depth, lines;
} sizes[] = { { 1, 1 }, { 1, 7 }, { 64, 2 }, { 33, 65 }, { 100, 39 },
  { 1024, 512 }, { 1500, 130 }, { 2048, 33 }, { 5000, 12 }, { 30000, 3 } };

static const struct {
  const char *name;
  guint pixel_size;
} formats[] = {
  [OCT_IMAGE_GRAY8] = { "gray8", 1 },
  [OCT_IMAGE_GRAY16] = { "gray16", 2 },
  [OCT_IMAGE_NV12] = { "nv12", 1 },
  [OCT_IMAGE_RGBA] = { "rgba", 4 },
};

static const char *const methods[] = { "flow", "index", "complex-difference",
  "speckle-variance", "noise-immune", "id-mask", "phase-variance", "cdv" };
G_STATIC_ASSERT (G_N_ELEMENTS (methods) == OCT_N_ANGIO_METHODS);

static void
angio_case (Check *check, OctAngioParams params, Fill fill, guint kind)
{
  OctAngioParams update;
  guint pixel_size = formats[params.format].pixel_size;
  Case test = { .operation = OCT_OPERATION_ANGIO,
    .params = &params,
    .in = { 8 * params.depth_bins, params.lines, kind % 2 * 8 },
    .out = { pixel_size * params.lines, params.depth_bins,
        kind % 3 * pixel_size },
    .in_format = OCT_SAMPLE_CF32,
    .pixel_size = pixel_size,
    .nv12 = params.format == OCT_IMAGE_NV12,
    /* sums next to a half; of 16 bit their rounding */
    .tolerance = params.format == OCT_IMAGE_GRAY16 ? 60 : 1,
    .steps = MAX_STEPS,
    .update = &update,
    .in_turn = TRUE,
    .reset = TRUE,
    .fill = fill };

  params.still = 0.01;
  params.min = 3;
  params.max = 13;
  update = params;
  update.noise = kind % 2 ? 0.02 : 0;
  update.window_bins = kind % 3 ? 5 : 1;
  update.method = (params.method + kind) % OCT_N_ANGIO_METHODS;
  test.name = g_strdup_printf ("angio %s %s %s of %u, window %u x %u, %u x %u",
      methods[params.method], formats[params.format].name,
      params.mode == OCT_AVERAGE_BLOCK ? "block" : "running", params.repeats,
      params.window_lines, params.window_bins, params.depth_bins, params.lines);
  check_case (check, &test);
}

static void
check_angio (Check *check)
{
  static const guint windows[][2] = { { 3, 3 }, { 1, 1 }, { 5, 31 },
    { 31, 7 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 4 * OCT_N_ANGIO_METHODS; kind++)
      angio_case (check,
          (OctAngioParams){ .depth_bins = sizes[i].depth,
              .lines = sizes[i].lines,
              .method = kind % OCT_N_ANGIO_METHODS,
              .format = (kind + kind / 4) % 4,
              .mode = kind / 2 % 2,
              .repeats = 1 + (kind + i) % 4,
              .window_lines = windows[kind / OCT_N_ANGIO_METHODS][0],
              .window_bins = windows[kind / OCT_N_ANGIO_METHODS][1] },
          kind % 5 ? FILL_REPEATS : FILL_RANDOM, kind);
  for (Fill fill = FILL_CONSTANT; fill < FILL_MOVED; fill++)
    for (guint kind = 0; kind < OCT_N_ANGIO_METHODS; kind++)
      angio_case (check,
          (OctAngioParams){ .depth_bins = 77,
              .lines = 130,
              .method = kind,
              .repeats = 3,
              .window_lines = 3,
              .window_bins = 3 },
          fill, kind);
}

/* Largest relative error: of sums, and of a histogram, in which an angle at the
 * end of a bin can be in the next one. */
static double
align_tolerance (const OctAlignParams *params)
{
  return params->phase == OCT_PHASE_HISTOGRAM ? 2e-2 : 2e-4;
}

static void
align_case (Check *check, OctAlignParams params, Fill fill, guint kind)
{
  static const char *const registrations[] = { "none", "axial", "translation" };
  static const char *const phases[] = { "none", "mean", "histogram", "mode",
    "line" };
  Case test = { .operation = OCT_OPERATION_ALIGN,
    .params = &params,
    .in = { 8 * params.depth_bins, params.lines, kind % 2 * 8 },
    .out = { 8 * params.depth_bins, params.lines, kind % 3 * 8 },
    .in_format = OCT_SAMPLE_CF32,
    .steps = MAX_STEPS,
    .update = &params,
    .reset = TRUE,
    .fill = fill };

  if (params.lines % 2 == 0 && kind % 2)
    params.bscans = 2;
  /* of one bin all shifts along the A-lines match alike, but for rounding */
  if (params.depth_bins == 1 && params.registration == OCT_ALIGN_TRANSLATION)
    params.registration = OCT_ALIGN_AXIAL;
  /* values have a power of at most 2/3 */
  test.rounding = align_tolerance (&params)
                  * sqrt (2. / 3 * params.lines * params.depth_bins);
  test.name = g_strdup_printf (
      "align %s %s, %u repeats, up to %u bins, groups of %u, of %u, %u x %u",
      registrations[params.registration], phases[params.phase], params.repeats,
      params.max_shift, params.group, OCT_BSCANS (&params), params.depth_bins,
      params.lines);
  check_case (check, &test);
}

static void
check_align (Check *check)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 30; kind++)
      align_case (check,
          (OctAlignParams){ .depth_bins = sizes[i].depth,
              .lines = sizes[i].lines,
              .repeats = 1 + (kind + i) % 5,
              .registration = kind % 3,
              .phase = kind % 5,
              .max_shift = kind / 15 ? OCT_ALIGN_FARTHEST : 8,
              .group = kind % 2 ? 16 : 5,
              .reject = kind % 4 ? 0.5 : 1 },
          FILL_REPEATS, kind);
}

void
check_repeats (Check *check)
{
  check_align (check);
  check_angio (check);
}
