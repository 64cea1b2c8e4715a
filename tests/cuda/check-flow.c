/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion and fluctuations: cases of A-scans of tissue with a vessel.  Phases of
 * random values, next to half a turn, would jump in one backend and not in the
 * other.
 */
#include "check.h"

#include <math.h>

/* Absolute errors of a value: rad; Hz and dB, where variances nearly cancel. */
#define DOPPLER_ROUNDING 5e-6
#define DYNAMIC_ROUNDING 1e-3

static const guint sizes[][2] = { { 32, 32 }, { 101, 70 }, { 1, 40 }, { 40, 1 },
  { 2, 9 }, { 500, 300 }, { 1024, 512 } };

/* F32, grey, NV12 or RGBA. */
typedef enum { OUT_VALUES, OUT_GREY, OUT_NV12, OUT_RGBA, N_OUTS } Out;

static const char *const outs[N_OUTS] = { "values", "gray8", "nv12", "rgba" };

static OctImageFormat
format_of (Out out)
{
  return out == OUT_NV12   ? OCT_IMAGE_NV12
         : out == OUT_RGBA ? OCT_IMAGE_RGBA
                           : OCT_IMAGE_GRAY8;
}

static Case
new_flow_case (
    OctOperation operation, Out out, guint bins, guint lines, guint kind)
{
  guint pixel = out == OUT_RGBA ? 4 : 1;

  return (Case){ .operation = operation,
    .in = { 8 * bins, lines, kind % 2 * 16 },
    .out = { out == OUT_VALUES ? 4 * bins : pixel * lines,
        out == OUT_VALUES ? lines : bins, kind % 3 * 8 },
    .in_format = OCT_SAMPLE_CF32,
    .pixel_size = out == OUT_VALUES ? 0 : pixel,
    .nv12 = out == OUT_NV12,
    .tolerance = 1,
    .steps = 6,
    .fill = FILL_FLOW };
}

static void
check_one_doppler (Check *check, OctDopplerParams params, Out out, guint kind)
{
  guint bins = params.depth_bins, lines = params.lines;
  OctDopplerParams update;
  Case test = new_flow_case (OCT_OPERATION_DOPPLER, out, bins, lines, kind);

  params.values = out == OUT_VALUES;
  params.format = format_of (out);
  update = params;
  update.window_lines = kind % 3 ? 1 : 7;
  update.window_bins = kind % 5 ? 5 : 31;
  update.range = 1;
  test.params = &params;
  test.update = &update;
  test.reset = kind % 4 == 3;
  test.rounding = DOPPLER_ROUNDING * params.scale * sqrt ((double)bins * lines);
  test.name = g_strdup_printf ("doppler %s %s between %s, bulk %u, window %u x "
                               "%u, noise %g, least %g%s, "
                               "%u B-scans, %u x %u",
      params.quantity == OCT_DOPPLER_VARIANCE ? "variance" : "phase", outs[out],
      params.between == OCT_DOPPLER_REPEATS ? "repeats" : "lines",
      params.bulk_lines, params.window_lines, params.window_bins, params.noise,
      params.least, params.unwrap ? ", unwrapped" : "", OCT_BSCANS (&params),
      bins, lines);
  check_case (check, &test);
}

static void
check_doppler (Check *check)
{
  static const guint bulks[] = { 9, 0, 1, 31 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 32; kind++) {
      OctDopplerParams params = { .depth_bins = sizes[i][0],
        .lines = sizes[i][1],
        .between = kind / 8 % 2,
        .repeats = 3,
        .quantity = kind / 4 % 2,
        .window_lines = 5,
        .window_bins = 3,
        .bulk_lines = bulks[kind / 4 % 4],
        .noise = kind % 3 == 1 ? 1e-4 : 0,
        .least = kind % 2 ? 10 : 0,
        .scale = 2.5,
        .range = 2,
        .unwrap = kind / 16 };
      Out out = kind % N_OUTS;

      /* the noise found of one A-line leaves nothing of its power, so that its
       * rounding decides */
      if (params.quantity == OCT_DOPPLER_VARIANCE && params.lines == 1)
        params.noise = 1e-4;
      if (params.unwrap && params.quantity == OCT_DOPPLER_PHASE)
        params.least = 10;
      if (out == OUT_VALUES && params.lines % 2 == 0
          && params.between == OCT_DOPPLER_LINES && kind / 16 == 0)
        params.bscans = 2;
      check_one_doppler (check, params, out, kind);
    }
}

static void
check_dynamic (Check *check)
{
  static const char *const quantities[] = { "colour", "frequency", "activity" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint kind = 0; kind < 12; kind++) {
      guint bins = sizes[i][0], lines = sizes[i][1];
      OctDynamicParams params = { .depth_bins = bins,
        .lines = lines,
        .quantity = kind / 4,
        .repeats = kind % 4 == 1 ? 4 : 0,
        .frames = 4,
        .window_lines = 3,
        .window_bins = 3,
        .rate = 50,
        .min_frequency = 0.5,
        .max_frequency = 20,
        .max = 30,
        .noise = kind % 3 ? 1e-4 : 0 };
      Out out =
          params.quantity == OCT_DYNAMIC_COLOUR ? OUT_RGBA : kind % N_OUTS;
      OctDynamicParams update;
      Case test = new_flow_case (OCT_OPERATION_DYNAMIC, out, bins, lines, kind);

      params.values = out == OUT_VALUES;
      params.format = format_of (out);
      if (out == OUT_VALUES && lines % 2 == 0)
        params.bscans = 2;
      update = params;
      update.window_lines = 7;
      update.min = 3;
      test.params = &params;
      test.update = &update;
      test.reset = kind % 4 == 3;
      test.rounding = DYNAMIC_ROUNDING * sqrt ((double)bins * lines);
      test.name = g_strdup_printf (
          "dynamic %s %s, noise %g, %u repeats, %u B-scans, %u x %u",
          quantities[params.quantity], outs[out], params.noise, params.repeats,
          OCT_BSCANS (&params), bins, lines);
      check_case (check, &test);
    }
}

/* B-scans of a volume are one frame, of sizes with large prime factors and of one
 * line; a focus that is found is tested by test-octrefocus. */
static void
check_refocus (Check *check)
{
  static const guint shapes[][3] = { { 32, 16, 12 }, { 101, 13, 23 },
    { 7, 1, 40 }, { 40, 31, 1 }, { 1, 1, 1 }, { 300, 64, 64 },
    { 1024, 128, 96 } };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint kind = 0; kind < 4; kind++) {
      guint bins = shapes[i][0], lines = shapes[i][1] * shapes[i][2];
      OctRefocusParams params = { .depth_bins = bins,
        .lines = lines,
        .bscans = shapes[i][1],
        .depth_start = 3 * kind,
        .x_spacing = 2e-6,
        .y_spacing = 3e-6,
        .z_spacing = 2e-6,
        .wavenumber = 1e7,
        .align = kind % 2,
        .automatic = kind == 3,
        .focus = 17.3,
        .modes = 1 + kind };
      OctRefocusParams update = params;
      Case test =
          new_flow_case (OCT_OPERATION_REFOCUS, OUT_VALUES, bins, lines, kind);

      test.out.row = 8 * bins;
      test.steps = 4;
      test.fill = kind == 2 ? FILL_RANDOM : FILL_FLOW;
      update.focus = -40;
      update.x_spacing = 4e-6;
      test.params = &params;
      test.update = &update;
      test.rounding = 1e-9;
      test.name = g_strdup_printf ("refocus%s%s, %u depths, %u x %u",
          params.automatic ? " automatic" : "", params.align ? " aligned" : "",
          bins, shapes[i][1], shapes[i][2]);
      check_case (check, &test);
    }
}

void
check_flow (Check *check)
{
  check_refocus (check);
  check_doppler (check);
  check_dynamic (check);
}
