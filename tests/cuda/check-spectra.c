/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Cases of the operations on spectra: background, resample, dispersion, fft.
 */
#include "check.h"
#include "oct-window.h"

#include <math.h>

static const struct {
  guint samples, lines;
} sizes[] = { { 2048, 1000 }, { 1, 1 }, { 1, 7 }, { 2, 3 }, { 3, 2 }, { 5, 1 },
  { 8, 4 }, { 9, 5 }, { 17, 33 }, { 31, 3 }, { 203, 75 }, { 256, 9 },
  { 512, 3 }, { 1000, 17 }, { 1024, 5 }, { 1023, 10 }, { 4096, 3 }, { 8192, 2 },
  { 8200, 3 }, { 2047, 6 }, { 12, 16384 }, { 64, 16384 }, { 16384, 5 },
  { 65536, 2 }, { 65535, 3 }, { 60000, 1 }, { 40000, 30 }, { 2, 65536 } };

static void
background_size (Check *check, guint samples, guint lines)
{
  g_autofree double *stored = g_new (double, samples);
  g_autofree double *other = g_new (double, samples);

  for (guint i = 0; i < samples; i++) {
    stored[i] = 1000.1 + 0.37 * i;
    other[i] = 30000.3 - 0.11 * i;
  }
  for (guint format = OCT_SAMPLE_U8; format <= OCT_SAMPLE_F32; format++) {
    for (guint mode = 0; mode < OCT_N_BACKGROUND_MODES; mode++) {
      OctBackgroundParams params = { .format = format,
        .samples = samples,
        .lines = lines,
        .mode = mode,
        .running_weight = 0.3,
        .high_pass_lines = 31,
        .background = stored };
      OctBackgroundParams update = params;
      guint size = (guint)oct_sample_format_size (format);
      Case test = { .operation = OCT_OPERATION_BACKGROUND,
        .params = &params,
        .in = { size * samples, lines, samples % 2 * 4 },
        .out = { 4 * samples, lines, samples % 3 * 4 },
        .in_format = format,
        .steps = mode == OCT_BACKGROUND_RUNNING || samples < 100 ? 4 : 1,
        .update = &update,
        .reset = TRUE,
        .fill = (mode + samples) % 2 ? FILL_FRINGES : FILL_RANDOM };
      update.running_weight = 0.6;
      update.high_pass_lines = 5;
      update.background = other;
      test.name = g_strdup_printf ("background %s %u bytes %u x %u",
          oct_background_modes[mode].nick, size, samples, lines);
      check_case (check, &test);
    }
  }
}

/* Columns that are NaN in a B-scan do not count in a mean over several. */
static void
check_lost_columns (Check *check)
{
  double stored[333];

  for (guint i = 0; i < 333; i++)
    stored[i] = 0.5 + 0.001 * i;
  for (guint mode = 0; mode < OCT_N_BACKGROUND_MODES; mode++) {
    OctBackgroundParams params = { .format = OCT_SAMPLE_F32,
      .samples = 333,
      .lines = 77,
      .running_weight = 0.25,
      .high_pass_lines = 9,
      .background = stored,
      .mode = mode };
    Case test = { .name = g_strdup_printf ("background lost columns %s",
                      oct_background_modes[mode].nick),
      .operation = OCT_OPERATION_BACKGROUND,
      .params = &params,
      .in = { 4 * 333, 77, 4 },
      .out = { 4 * 333, 77, 4 },
      .in_format = OCT_SAMPLE_F32,
      .fill = FILL_LOST_COLUMNS,
      .steps = 6 };
    if (oct_background_modes[mode].is_found
        || oct_background_modes[mode].is_apart)
      check_case (check, &test);
    else
      g_free (test.name);
  }
}

/* Input that is hard for one mode or other, several B-scans in a frame, and
 * rows that begin anywhere. */
static void
check_background_edges (Check *check)
{
  static const Fill fills[] = { FILL_CONSTANT, FILL_SATURATED, FILL_NAN_LINE,
    FILL_ALL_NAN, FILL_FRINGES };
  double stored[101];

  for (guint i = 0; i < G_N_ELEMENTS (stored); i++)
    stored[i] = 20000 + 10 * i;
  for (guint kind = 0; kind < 30 * OCT_N_BACKGROUND_MODES; kind++) {
    OctBackgroundParams params = { .format = kind % 3,
      .samples = 101,
      .lines = 132,
      /* the reference has one */
      .bscans = kind / 15 % 2 && check->reference == NULL ? 3 : 1,
      .mode = kind / 30,
      .running_weight = 0.3,
      .high_pass_lines = 31,
      .background = stored };
    guint size = (guint)oct_sample_format_size (params.format);
    Case test = { .operation = OCT_OPERATION_BACKGROUND,
      .params = &params,
      .in = { size * 101, 132, kind / 15 % 2 * 3 * size },
      .out = { 4 * 101, 132, 4 },
      .in_format = params.format,
      .fill = fills[kind / 3 % 5],
      .steps = 2 };

    test.name = g_strdup_printf ("background edges %s %u bytes, %u B-scans",
        oct_background_modes[params.mode].nick, size, params.bscans);
    check_case (check, &test);
  }
}

/* Windows from next to nothing to more than all, also in place. */
static void
check_high_pass (Check *check)
{
  static const guint widths[] = { 3, 33, 255, 257, 1001, OCT_HIGH_PASS_MOST };

  for (guint kind = 0; kind < 3 * G_N_ELEMENTS (widths); kind++) {
    OctBackgroundParams params = { .format = kind % 3,
      .samples = 130,
      .lines = 700,
      .mode = OCT_BACKGROUND_HIGH_PASS,
      .high_pass_lines = widths[kind / 3] };
    guint size = (guint)oct_sample_format_size (params.format);
    Case test = { .operation = OCT_OPERATION_BACKGROUND,
      .params = &params,
      .in = { size * 130, 700, 4 },
      .out = { 4 * 130, 700, 4 },
      .in_format = params.format,
      .in_place = params.format == OCT_SAMPLE_F32,
      .steps = 2 };

    test.name = g_strdup_printf (
        "background high-pass over %u, %u bytes", widths[kind / 3], size);
    check_case (check, &test);
  }
}

void
check_background (Check *check)
{
  static const Fill fills[] = { FILL_CONSTANT, FILL_SATURATED, FILL_NAN_LINE };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    background_size (check, sizes[i].samples, sizes[i].lines);
  for (guint i = 0; i < 9; i++) {
    OctBackgroundParams params = { .format = i / 3,
      .samples = 100 + i,
      .lines = 300,
      .mode = OCT_BACKGROUND_BSCAN };
    guint size = (guint)oct_sample_format_size (params.format);
    Case test = { .name =
                      g_strdup_printf ("background odd stride %u bytes", size),
      .operation = OCT_OPERATION_BACKGROUND,
      .params = &params,
      .in = { size * params.samples, 300, size * 3 },
      .out = { 4 * params.samples, 300, 4 },
      .in_format = params.format,
      .fill = fills[i % 3] };
    check_case (check, &test);
  }
  for (guint mode = 0; mode < OCT_N_BACKGROUND_MODES; mode++) {
    static double zeros[333];
    OctBackgroundParams params = { .format = OCT_SAMPLE_F32,
      .samples = 333,
      .lines = 700,
      .running_weight = 1,
      .high_pass_lines = 31,
      .background = zeros,
      .mode = mode };
    Case test = { .name = g_strdup_printf ("background in place %s",
                      oct_background_modes[mode].nick),
      .operation = OCT_OPERATION_BACKGROUND,
      .params = &params,
      .in = { 4 * 333, 700, 4 },
      .out = { 4 * 333, 700, 4 },
      .in_format = OCT_SAMPLE_F32,
      .steps = 2,
      .in_place = TRUE };
    check_case (check, &test);
  }
  check_lost_columns (check);
  check_background_edges (check);
  check_high_pass (check);
}

/* `padding`: bytes after every A-line of the input. */
static void
resample_rows (
    Check *check, guint samples, guint lines, guint padding, Fill fill)
{
  static const char *const names[] = { "cubic", "linear", "lanczos" };
  g_autofree double *positions = g_new (double, samples);

  for (guint i = 0; i < samples; i++) {
    double x = samples > 1 ? (double)i / (samples - 1) : 0;
    /* a little beyond either end, and the ends themselves */
    positions[i] = -1 + (samples + 1) * x * (1.1 - 0.1 * x);
    if (i % 17 == 0)
      positions[i] = floor (positions[i]);
  }
  for (guint upsample = 1; upsample <= 2; upsample++) {
    for (guint method = 0; method < 3; method++) {
      gboolean in_place = (samples + method) % 2 == 0;
      OctResampleParams params = { .samples = samples,
        .lines = lines,
        .method = method,
        .upsample = upsample,
        .positions = positions };
      Case test = { .operation = OCT_OPERATION_RESAMPLE,
        .params = &params,
        .in = { 4 * samples, lines, padding },
        .out = { 4 * samples, lines, in_place ? padding : 12 },
        .in_format = OCT_SAMPLE_F32,
        .steps = 2,
        .in_place = in_place,
        .fill = fill };
      test.name = g_strdup_printf ("resample %s upsample %u %u x %u%s%s",
          names[method], upsample, samples, lines,
          padding == 0 ? " packed" : "", in_place ? " in place" : "");
      check_case (check, &test);
    }
  }
}

static void
resample_size (Check *check, guint samples, guint lines, Fill fill)
{
  resample_rows (check, samples, lines, samples % 3 * 4, fill);
}

void
check_resample (Check *check)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    resample_size (check, sizes[i].samples, sizes[i].lines, FILL_RANDOM);
  for (guint n = 3; n < 40; n++)
    resample_size (check, n, 3, FILL_RANDOM);
  resample_size (check, 300, 50, FILL_CONSTANT);
  resample_size (check, 300, 50, FILL_SATURATED);
  resample_size (check, 300, 50, FILL_NAN_LINE);
  resample_size (check, 2048, 20, FILL_NAN_LINE);
  /* upsampling transforms them by cuFFT, see check_fft() */
  resample_size (check, 101, 12, FILL_LOUD_LINE);
  resample_size (check, 2047, 13, FILL_LOUD_LINE);
  resample_size (check, 2048, 12, FILL_LOUD_LINE);
  /* packed A-lines are upsampled where they lie */
  resample_rows (check, 2048, 1000, 0, FILL_RANDOM);
  resample_rows (check, 2048, 12, 0, FILL_LOUD_LINE);
  resample_rows (check, 1024, 20, 0, FILL_NAN_LINE);
}

void
check_dispersion (Check *check)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes) + 1; i++) {
    gboolean bad = i == G_N_ELEMENTS (sizes);
    guint samples = bad ? 100 : sizes[i].samples;
    guint lines = bad ? 10 : sizes[i].lines;
    g_autofree double *phase = g_new (double, samples);
    g_autofree double *other = g_new (double, samples);
    OctDispersionParams params = { samples, lines, phase };
    OctDispersionParams update = { samples, lines, other };
    Case test = { .operation = OCT_OPERATION_DISPERSION,
      .params = &params,
      .in = { 4 * samples, lines, samples % 3 * 4 },
      .out = { 8 * samples, lines, samples % 2 * 8 },
      .in_format = OCT_SAMPLE_F32,
      .steps = 3,
      .update = &update,
      .fill = bad ? FILL_NAN_LINE : FILL_RANDOM };

    for (guint k = 0; k < samples; k++) {
      phase[k] = 40 * sin (0.01 * k);
      other[k] = -0.3 * k;
    }
    test.name = g_strdup_printf ("dispersion %u x %u", samples, lines);
    check_case (check, &test);
    if (samples != 2048 && samples != 203)
      continue;
    /* new values with every B-scan, more than wait at a time */
    test.steps = MAX_STEPS;
    test.in_turn = TRUE;
    test.name =
        g_strdup_printf ("dispersion %u x %u, always another", samples, lines);
    check_case (check, &test);
  }
}

static void
fft_case (Check *check, guint samples, guint lines, guint length, guint start,
    guint bins, Fill fill)
{
  g_autofree double *window = g_new (double, samples);
  g_autofree double *other = g_new (double, samples);

  oct_window_fill (OCT_WINDOW_HANN, samples, NULL, window);
  oct_window_fill (OCT_WINDOW_NONE, samples, NULL, other);
  for (guint format = OCT_SAMPLE_F32; format <= OCT_SAMPLE_CF32; format++) {
    OctFftParams params = { .format = format,
      .samples = samples,
      .lines = lines,
      .length = length,
      .depth_start = start,
      .depth_bins = bins,
      .window = samples > 3 ? window : other };
    OctFftParams update = params;
    guint size = (guint)oct_sample_format_size (format);
    Case test = { .operation = OCT_OPERATION_FFT,
      .params = &params,
      .in = { size * samples, lines, samples % 3 * size },
      .out = { 8 * bins, lines, bins % 2 * 8 },
      .in_format = format,
      .steps = 3,
      .update = &update,
      .fill = fill };
    update.window = other;
    test.name = g_strdup_printf ("fft %s %u x %u length %u bins %u from %u",
        size == 4 ? "real" : "complex", samples, lines, length, bins, start);
    check_case (check, &test);
  }
}

void
check_fft (Check *check)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    guint samples = sizes[i].samples, length = MAX (samples, 2);
    fft_case (
        check, samples, sizes[i].lines, length, 0, length / 2, FILL_RANDOM);
  }
  for (guint length = 2; length <= 65536; length *= 2) {
    guint samples = MAX (length * 3 / 4, 1), bins = MAX (length / 5, 1);
    fft_case (check, samples, 37, length, length / 2 - bins, bins, FILL_RANDOM);
    if (length < 65536)
      fft_case (check, samples | 1, 3, length | 1, 0, bins, FILL_RANDOM);
  }
  /* from bin 0 on: the others are rounding errors of that one */
  fft_case (check, 1000, 12, 2048, 0, 500, FILL_CONSTANT);
  fft_case (check, 2048, 12, 2048, 0, 500, FILL_SATURATED);
  fft_case (check, 2000, 12, 2000, 0, 500, FILL_SATURATED);
  fft_case (check, 2048, 12, 2048, 0, 1024, FILL_NAN_LINE);
  fft_case (check, 512, 45, 512, 0, 256, FILL_NAN_LINE);
  fft_case (check, 600, 12, 600, 0, 300, FILL_NAN_LINE);
  /* cuFFT has ways of its own for small primes, large ones and the rest, and
   * puts two real A-lines of an odd length together; lines in pairs and not */
  for (guint i = 0; i < 8; i++) {
    static const guint lengths[] = { 101, 225, 1023, 2047, 2187, 2311, 1000,
      2048 };
    guint length = lengths[i];
    fft_case (check, length, 12, length, 0, length / 2, FILL_LOUD_LINE);
    fft_case (check, length / 2, 13, length, 3, length / 4, FILL_LOUD_LINE);
  }
}
