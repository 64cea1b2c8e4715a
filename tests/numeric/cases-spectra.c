/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Background, resampling, dispersion, FFT, and the chain of all of them.
 */
#include "cases.h"
#include "signals.h"

#include <math.h>
#include <string.h>

static const char *const windows[] = { "hann", "none", "hamming", "blackman",
  "tukey", "gaussian" };
static const char *const methods[] = { [OCT_RESAMPLE_CUBIC] = "cubic",
  [OCT_RESAMPLE_LINEAR] = "linear",
  [OCT_RESAMPLE_LANCZOS] = "lanczos" };

static OctSampleFormat
format_of (const Array *array)
{
  return array->kind == 'u' ? array->size == 1 ? OCT_SAMPLE_U8 : OCT_SAMPLE_U16
         : array->kind == 'f' ? OCT_SAMPLE_F32
                              : OCT_SAMPLE_CF32;
}

/* --------------------------------------------------------------- background */

static Case *
add_background (const char *name, OctBackgroundMode mode, Array *in)
{
  OctBackgroundParams params = { .format = format_of (in),
    .samples = in->columns,
    .lines = in->rows,
    .mode = mode,
    .running_weight = 0.25,
    .high_pass_lines = 7 };

  return cases_add (
      g_strdup (name), OCT_OPERATION_BACKGROUND, &params, sizeof params, in);
}

/* Something near the mean; takes `in`. */
static void
add_stored (GRand *random, const char *name, OctBackgroundMode mode, Array *in)
{
  double *stored = cases_doubles (in->columns);
  OctBackgroundParams params = { .format = format_of (in),
    .samples = in->columns,
    .lines = in->rows,
    .mode = mode,
    .high_pass_lines = 7,
    .background = stored };

  for (guint i = 0; i < in->columns; i++) {
    stored[i] = g_rand_double_range (random, -3, 3);
    for (guint line = 0; line < in->rows; line++) {
      double value = array_get (in, line, i, 0);
      stored[i] += isfinite (value) ? value / in->rows : 0;
    }
  }
  cases_add (
      g_strdup (name), OCT_OPERATION_BACKGROUND, &params, sizeof params, in);
}

/* Several B-scans; of floats, whole lines and single values are missing. */
static void
add_running (GRand *random, char kind, guint size)
{
  g_autofree char *name =
      g_strdup_printf ("background-running-%c%u", kind, size);
  Array *scans[4], *in;
  Case *test;

  for (guint i = 0; i < 4; i++)
    scans[i] = array_spectra (
        random, 5, 51, kind, size, size == 1 ? 255 : 65535, 0.3 + 0.1 * i);
  in = array_joined (scans, 4);
  for (guint i = 0; i < 4; i++)
    array_free (scans[i]);
  for (guint i = 0; kind == 'f' && i < 51; i++)
    array_set (in, 5 * 51 + i, i % 2 ? NAN : INFINITY);
  for (guint line = 0; kind == 'f' && line < 5; line++)
    array_set (in, (10 + line) * 51 + 7, NAN);
  test = add_background (name, OCT_BACKGROUND_RUNNING, in);
  test->bscans = 4;
  ((OctBackgroundParams *)test->steps[0].params)->lines = 5;
}

/* Lines of changing brightness with the same fringes in all of them, a part
 * with others, and some that are dark. */
static Array *
array_pattern (GRand *random, guint lines, guint samples, char kind, guint size)
{
  Array *array = array_spectra (
      random, lines, samples, kind, size, size == 1 ? 255 : 65535, 0.3);

  for (guint line = 0; line < lines; line++) {
    double gain =
        line % 41 == 7 ? 0.02 : g_rand_double_range (random, 0.7, 1.3);
    gboolean instrument = line > lines / 4 && line < lines / 2;
    for (guint i = 0; i < samples; i++) {
      double x = (double)i / samples, value = array_get (array, line, i, 0);
      value *= 1 + 0.1 * cos (2 * G_PI * 5.3 * x);
      if (instrument)
        value *= 1 + 0.4 * cos (2 * G_PI * 11 * x + 0.04 * line);
      array_set (array, (gsize)line * samples + i, gain * value);
    }
  }
  return array;
}

/* Nine runs and fewer, A-lines that do not count, and where there is little to
 * choose from. */
static void
add_patterns (GRand *random)
{
  static const guint sizes[][2] = { { 300, 64 }, { 151, 101 }, { 50, 30 },
    { 31, 7 }, { 5, 128 }, { 1, 20 }, { 400, 1 }, { 150, 2 } };
  Array *in, *parts[2];

  for (guint i = 0; i < 3 * G_N_ELEMENTS (sizes); i++) {
    char kind = i % 3 == 2 ? 'f' : 'u';
    guint size = i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 4;
    g_autofree char *name = g_strdup_printf ("background-pattern-%c%u-%ux%u",
        kind, size, sizes[i / 3][0], sizes[i / 3][1]);
    in = array_pattern (random, sizes[i / 3][0], sizes[i / 3][1], kind, size);
    for (guint line = 3; kind == 'f' && line < in->rows; line += 20)
      array_set (in, line * in->columns + line % in->columns,
          line % 40 == 3 ? NAN : INFINITY);
    add_background (name, OCT_BACKGROUND_FIXED_PATTERN, in);
  }
  in = array_constant (200, 33, 'u', 2, 65535);
  add_background (
      "background-pattern-constant", OCT_BACKGROUND_FIXED_PATTERN, in);
  in = array_constant (40, 33, 'u', 1, 0);
  add_background ("background-pattern-zeros", OCT_BACKGROUND_FIXED_PATTERN, in);
  in = array_constant (20, 33, 'f', 4, NAN);
  add_background ("background-pattern-lost", OCT_BACKGROUND_FIXED_PATTERN, in);
  /* the same A-lines, and others: neither changes, and the first are taken */
  for (guint i = 0; i < 2; i++) {
    parts[i] = array_constant (96, 48, 'u', 2, 20000);
    for (guint k = 0; k < 96 * 48; k++)
      array_set (parts[i], k,
          rint (20000 + 3000 * cos (2 * G_PI * (4 + 3 * i) * (k % 48) / 48)));
  }
  add_background ("background-pattern-halves", OCT_BACKGROUND_FIXED_PATTERN,
      array_joined (parts, 2));
  array_free (parts[0]);
  array_free (parts[1]);
}

/* The modes that mind each A-line, and the median, with inputs that are hard
 * for one of them: few A-lines and samples, none or all of the counts, values
 * that are missing, brightness that changes. */
static void
add_edges (GRand *random, OctBackgroundMode mode)
{
  static const guint sizes[][2] = { { 1, 101 }, { 2, 64 }, { 3, 1 }, { 4, 2 },
    { 17, 3 }, { 257, 33 }, { 40, 1024 }, { 300, 65 } };
  const char *nick = oct_background_modes[mode].nick;
  Array *in;

#define NAME(...) g_strdup_printf ("background-" __VA_ARGS__)
  for (guint i = 0; i < 3 * G_N_ELEMENTS (sizes); i++) {
    const guint *size = sizes[i / 3];
    g_autofree char *name = NAME ("%s-%ux%u-%u", nick, size[0], size[1], i % 3);

    in = array_pattern (
        random, size[0], size[1], i % 3 == 2 ? 'f' : 'u', 1u << i % 3);
    add_stored (random, name, mode, in);
  }
  for (guint i = 0; i < 4; i++) {
    g_autofree char *name = NAME ("%s-constant-%u", nick, i);
    static const double values[] = { 0, 65535, 3e-22, 1e15 };

    in = array_constant (9, 40, i < 2 ? 'u' : 'f', i < 2 ? 2 : 4, values[i]);
    add_stored (random, name, mode, in);
  }
  for (guint lost = 0; lost < 3; lost++) { /* values, lines and columns, all */
    g_autofree char *name = NAME ("%s-lost-%u", nick, lost);

    in = array_pattern (random, 50, 64, 'f', 4);
    for (guint i = 0; i < 50 * 64; i++)
      if (lost == 2 || (lost == 0 && i % 41 == 3)
          || (lost == 1 && (i / 64 % 16 == 5 || i % 64 == 9)))
        array_set (in, i, i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY);
    add_stored (random, name, mode, in);
  }
  /* of either sign, and one A-line much louder than the others; of no
   * brightness, which is of a source */
  if (!oct_background_modes[mode].has_pattern) {
    g_autofree char *name = NAME ("%s-signs", nick);

    in = array_noise (random, 31, 77, 'f', 1);
    for (guint i = 0; i < 77; i++)
      array_set (in, 20 * 77 + i, 1e6 * array_get (in, 20, i, 0));
    add_stored (random, name, mode, in);
  }
  { /* saturated at either end */
    g_autofree char *name = NAME ("%s-saturated", nick);

    in = array_pattern (random, 61, 50, 'u', 2);
    for (guint i = 0; i < 61 * 50; i++)
      if (i % 7 < 3)
        array_set (in, i, i % 7 == 0 ? 0 : 65535);
    add_stored (random, name, mode, in);
  }
#undef NAME
}

static void
add_high_passes (GRand *random)
{
  static const guint widths[] = { 3, 31, 255, 2001, OCT_HIGH_PASS_MOST };

  for (guint i = 0; i < 3 * G_N_ELEMENTS (widths); i++) {
    g_autofree char *name = g_strdup_printf (
        "background-high-pass-over-%u-%u", widths[i / 3], i % 3);
    Array *in =
        array_pattern (random, 600, 21, i % 3 == 2 ? 'f' : 'u', 1u << i % 3);

    ((OctBackgroundParams *)add_background (name, OCT_BACKGROUND_HIGH_PASS, in)
            ->steps[0]
            .params)
        ->high_pass_lines = widths[i / 3];
  }
}

static void
add_backgrounds (GRand *random)
{
  Array *u16 = array_spectra (random, 17, 101, 'u', 2, 65535, 0.45), *in;

  add_background ("background-bscan-u8", OCT_BACKGROUND_BSCAN,
      array_spectra (random, 17, 101, 'u', 1, 255, 0.45));
  add_background ("background-bscan-u16", OCT_BACKGROUND_BSCAN, u16);
  add_background ("background-bscan-f32", OCT_BACKGROUND_BSCAN,
      array_spectra (random, 17, 101, 'f', 4, 65535, 0.45));
  add_background (
      "background-none", OCT_BACKGROUND_NONE, array_part (u16, 17, 101));
  add_background (
      "background-one-line", OCT_BACKGROUND_BSCAN, array_part (u16, 1, 101));
  add_background (
      "background-one-sample", OCT_BACKGROUND_BSCAN, array_part (u16, 17, 1));
  add_background ("background-zeros", OCT_BACKGROUND_BSCAN,
      array_constant (3, 40, 'u', 1, 0));
  add_stored (random, "background-stored", OCT_BACKGROUND_STORED,
      array_spectra (random, 17, 101, 'u', 2, 65535, 0.45));
  in = array_constant (6, 33, 'u', 2, 65535);
  for (guint i = 0; i < 33; i += 2)
    array_set (in, 2 * 33 + i, 65534);
  add_background ("background-saturated", OCT_BACKGROUND_BSCAN, in);
  in = array_spectra (random, 9, 64, 'f', 4, 65535, 0.45);
  for (guint i = 0; i < 64; i++)
    array_set (in, 4 * 64 + i, i % 3 ? NAN : -INFINITY);
  array_set (in, 7 * 64 + 11, INFINITY);
  add_background ("background-lost-line", OCT_BACKGROUND_BSCAN, in);
  in = array_spectra (random, 4, 30, 'f', 4, 65535, 0.45);
  for (guint line = 0; line < 4; line++)
    array_set (in, line * 30 + 5, NAN);
  add_background ("background-lost-column", OCT_BACKGROUND_BSCAN, in);
  in = array_spectra (random, 2, 30, 'f', 4, 65535, 0.45);
  for (guint i = 0; i < 30; i++)
    array_set (in, 30 + i, NAN);
  add_background ("background-lost-but-one", OCT_BACKGROUND_BSCAN, in);
  add_running (random, 'u', 1);
  add_running (random, 'u', 2);
  add_running (random, 'f', 4);
  add_patterns (random);
  for (guint mode = OCT_BACKGROUND_STORED_SCALED; mode < OCT_N_BACKGROUND_MODES;
       mode++)
    add_edges (random, mode);
  add_high_passes (random);
}

/* ----------------------------------------------------------------- resample */

static void
add_resample (char *name, const Array *in, const double *positions,
    OctResampleMethod method, guint upsample)
{
  double *at = cases_doubles (in->columns);
  OctResampleParams params = { .samples = in->columns,
    .lines = in->rows,
    .method = method,
    .upsample = upsample,
    .positions = at };

  memcpy (at, positions, in->columns * sizeof (double));
  cases_add (name, OCT_OPERATION_RESAMPLE, &params, sizeof params,
      array_part (in, in->rows, in->columns));
}

static void
add_all_resamples (
    const char *label, const Array *in, const double *positions, guint upsample)
{
  for (guint method = 0; method < G_N_ELEMENTS (methods); method++)
    add_resample (g_strdup_printf ("resample-%s-%s%s", methods[method], label,
                      upsample == 2 ? "-upsample" : ""),
        in, positions, method, upsample);
}

static void
add_resample_edges (GRand *random)
{
  g_autoptr (Array) in = array_fringes (random, 3, 101);
  g_autoptr (Array) constant = array_constant (2, 40, 'f', 4, 65535);
  double at[101], other[101], last = 100;

  signal_positions (101, at);
  for (guint i = 0; i < 101; i++)
    other[i] = at[100 - i];
  add_all_resamples ("descending", in, other, 1);
  for (guint i = 0; i < 101; i++) /* a third of them clamped */
    other[i] = 1.6 * i - 30;
  add_all_resamples ("clamped", in, other, 1);
  add_all_resamples ("clamped", in, other, 2);
  for (guint i = 0; i < 101; i++)
    other[i] = i;
  add_all_resamples ("whole", in, other, 1);
  add_all_resamples ("whole", in, other, 2);
  for (guint i = 0; i < 101; i++) /* no order at all */
    other[i] = g_rand_double_range (random, 0, last);
  add_all_resamples ("shuffled", in, other, 1);
  signal_positions (40, at);
  add_all_resamples ("constant", constant, at, 1);
  for (guint samples = 1; samples <= 5; samples++) {
    g_autoptr (Array) few = array_noise (random, 1, samples, 'f', 1);
    g_autofree char *label = g_strdup_printf ("%u", samples);
    for (guint i = 0; i < samples; i++)
      at[i] = samples == 1 ? 0 : 0.7 * i + 0.1;
    add_all_resamples (label, few, at, 1);
  }
}

static void
add_resamples (GRand *random)
{
  static const guint sizes[][2] = { { 255, 19 }, { 128, 16 } };
  g_autoptr (Array) shafer = array_fringes (random, 4, 120);
  double at[255];

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    g_autoptr (Array) in = array_fringes (random, sizes[k][1], sizes[k][0]);
    g_autofree char *label = g_strdup_printf ("%u", sizes[k][0]);
    signal_positions (sizes[k][0], at);
    add_all_resamples (label, in, at, 1);
    add_all_resamples (label, in, at, 2);
  }
  add_resample_edges (random);
  /* Shafer: 2 N samples, of which ours are every second */
  for (guint j = 0; j < 120; j++) {
    double k = 1 / 0.89 + (1 / 0.8 - 1 / 0.89) * (239 - 2. * j) / 239;
    at[j] = (1 / k - 0.8) / 0.09 * 119;
  }
  add_resample (
      g_strdup ("resample-shafer"), shafer, at, OCT_RESAMPLE_LINEAR, 2);
}

/* --------------------------------------------------------------- dispersion */

static OctDispersionParams
dispersion_of (const Array *in)
{
  double *phase = cases_doubles (in->columns);

  signal_dispersion (in->columns, phase);
  return (OctDispersionParams){ in->columns, in->rows, phase };
}

static void
add_dispersions (GRand *random)
{
  static const guint sizes[][2] = { { 5, 255 }, { 5, 1 }, { 1, 64 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    Array *in = array_fringes (random, sizes[i][0], sizes[i][1]);
    OctDispersionParams params = dispersion_of (in);
    cases_add (g_strdup_printf ("dispersion-%ux%u", sizes[i][0], sizes[i][1]),
        OCT_OPERATION_DISPERSION, &params, sizeof params, in);
  }
}

/* ---------------------------------------------------------------------- fft */

static OctFftParams
fft_of (guint lines, guint samples, OctSampleFormat format, const char *window)
{
  double *values = cases_doubles (samples);

  oct_reference_window (window, samples, NULL, values);
  return (OctFftParams){ .format = format,
    .samples = samples,
    .lines = lines,
    .length = samples,
    .depth_bins = samples / 2,
    .window = values };
}

static void
add_fft (const char *name, const Array *in, const char *window, guint length,
    guint start, guint bins)
{
  OctFftParams params = fft_of (in->rows, in->columns, format_of (in), window);

  params.length = length > 0 ? length : in->columns;
  params.depth_start = start;
  params.depth_bins = bins > 0 ? bins : params.length / 2 - start;
  cases_add (g_strdup_printf ("fft-%s", name), OCT_OPERATION_FFT, &params,
      sizeof params, array_part (in, in->rows, in->columns));
}

/* A tone where it is cropped, so that the last bin is not small against what
 * has gone. */
static Array *
array_tone (const Array *in)
{
  Array *tone = array_new ('c', 8, in->rows, in->columns);

  for (guint row = 0; row < in->rows; row++)
    for (guint i = 0; i < in->columns; i++)
      array_set (tone, (gsize)row * in->columns + i,
          array_get (in, row, i, 0) / 1e5
              + cexp (2 * G_PI * I * 49 * i / in->columns));
  return tone;
}

static void
add_ffts (GRand *random)
{
  g_autoptr (Array) real = array_fringes (random, 7, 128);
  g_autoptr (Array) odd = array_fringes (random, 7, 101);
  g_autoptr (Array) two_lines = array_part (odd, 2, 101);
  g_autoptr (Array) shorter = array_part (real, 7, 126);
  g_autoptr (Array) one = array_part (real, 1, 128);
  g_autoptr (Array) constant = array_constant (2, 64, 'f', 4, 4095);
  g_autoptr (Array) two = array_new ('f', 4, 1, 2);
  g_autoptr (Array) three = array_noise (random, 2, 3, 'c', 1);
  g_autoptr (Array) tone = array_tone (odd);
  g_autoptr (Array) turned = NULL, odd_turned = NULL;
  double phase[128];

  signal_dispersion (128, phase);
  turned = array_turned (real, phase);
  signal_dispersion (101, phase);
  odd_turned = array_turned (odd, phase);
  array_set (two, 0, 3);
  array_set (two, 1, -1);
  for (guint i = 0; i < G_N_ELEMENTS (windows); i++) {
    g_autofree char *name = g_strdup_printf ("real-%s", windows[i]);
    add_fft (name, two_lines, windows[i], 0, 0, 0);
  }
  add_fft ("real-128", real, "hann", 0, 0, 0);
  add_fft ("real-126", shorter, "hann", 0, 0, 0);
  add_fft ("complex-128", turned, "hann", 0, 0, 0);
  add_fft ("complex-101", odd_turned, "hann", 0, 0, 0);
  add_fft ("real-padded", odd, "hann", 256, 0, 0);
  add_fft ("real-padded-odd", real, "hann", 201, 0, 0);
  add_fft ("complex-padded", odd_turned, "hann", 243, 0, 0);
  add_fft ("real-crop", real, "hann", 0, 5, 31);
  add_fft ("complex-crop", tone, "hann", 0, 49, 1);
  add_fft ("one-line", one, "hann", 0, 0, 0);
  add_fft ("two-samples", two, "none", 0, 0, 0);
  add_fft ("three-samples", three, "none", 0, 0, 0);
  add_fft ("constant", constant, "hann", 0, 0, 0);
}

/* -------------------------------------------------------------- whole chain */

/* To A-scans, and to an image of them as well. */
static void
add_chain (const char *name, const Array *raw, OctResampleMethod method,
    const char *window, gboolean with_dispersion)
{
  guint samples = raw->columns, lines = raw->rows;
  double *positions = cases_doubles (samples);
  OctBackgroundParams background = { .format = format_of (raw),
    .samples = samples,
    .lines = lines,
    .mode = OCT_BACKGROUND_BSCAN };
  OctResampleParams resample = { .samples = samples,
    .lines = lines,
    .method = method,
    .upsample = 1,
    .positions = positions };
  OctDispersionParams dispersion = dispersion_of (raw);
  OctFftParams fft = fft_of (lines, samples,
      with_dispersion ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32, window);
  OctLogscaleParams logscale = { .depth_bins = samples / 2, .lines = lines };

  signal_positions (samples, positions);
  for (guint image = 0; image < 2; image++) {
    Case *test =
        cases_add (g_strdup_printf ("%s-%s", image ? "image" : "chain", name),
            OCT_OPERATION_BACKGROUND, &background, sizeof background,
            array_part (raw, lines, samples));
    cases_add_step (test, OCT_OPERATION_RESAMPLE, &resample, sizeof resample);
    if (with_dispersion)
      cases_add_step (
          test, OCT_OPERATION_DISPERSION, &dispersion, sizeof dispersion);
    cases_add_step (test, OCT_OPERATION_FFT, &fft, sizeof fft);
    if (image)
      cases_add_step (test, OCT_OPERATION_LOGSCALE, &logscale, sizeof logscale);
  }
}

static void
add_chains (GRand *random)
{
  static const struct {
    const char *name;
    char kind;
    guint size, lines, samples;
    double full, level;
  } others[] = { { "even", 'u', 2, 20, 256, 65535, 0.45 },
    { "u8", 'u', 1, 12, 128, 255, 0.45 },
    { "f32", 'f', 4, 12, 128, 65535, 0.45 },
    { "saturated-16-bit", 'u', 2, 12, 128, 65535, 0.95 },
    { "saturated-12-bit", 'u', 2, 12, 128, 4095, 0.95 } };
  g_autoptr (Array) raw = array_spectra (random, 21, 255, 'u', 2, 65535, 0.45);
  g_autoptr (Array) small = array_part (raw, 6, 128);
  g_autoptr (Array) one = array_part (raw, 1, 64);
  g_autoptr (Array) constant = array_constant (4, 64, 'u', 2, 65535);

  for (guint method = 0; method < G_N_ELEMENTS (methods); method++) {
    g_autofree char *real = g_strconcat (methods[method], "-real", NULL);
    add_chain (methods[method], raw, method, "hann", TRUE);
    add_chain (real, raw, method, "hann", FALSE);
  }
  for (guint i = 1; i < G_N_ELEMENTS (windows); i++)
    add_chain (windows[i], small, OCT_RESAMPLE_CUBIC, windows[i], TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autoptr (Array) in =
        array_spectra (random, others[i].lines, others[i].samples,
            others[i].kind, others[i].size, others[i].full, others[i].level);
    add_chain (others[i].name, in, OCT_RESAMPLE_CUBIC, "hann", TRUE);
  }
  add_chain ("constant", constant, OCT_RESAMPLE_CUBIC, "hann", TRUE);
  add_chain ("one-line", one, OCT_RESAMPLE_CUBIC, "hann", TRUE);
}

void
cases_add_spectra (GRand *random)
{
  add_backgrounds (random);
  add_resamples (random);
  add_dispersions (random);
  add_ffts (random);
  add_chains (random);
}
