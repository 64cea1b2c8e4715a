/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Settings and inputs at random, the same in every run.
 */
#include "cases.h"
#include "oct-nufft.h"
#include "signals.h"

#include <math.h>

#define TIMES 40

static guint
up_to (GRand *random, guint most)
{
  return (guint)g_rand_int_range (random, 1, (gint)most + 1);
}

static gboolean
maybe (GRand *random)
{
  return g_rand_boolean (random);
}

/* Short A-lines and long ones alike, powers of two and primes among them. */
static guint
any_samples (GRand *random)
{
  static const guint often[] = { 2, 16, 64, 97, 256, 509, 512, 1000, 1024 };

  return maybe (random) ? often[up_to (random, G_N_ELEMENTS (often)) - 1]
                        : 1 + up_to (random, 399);
}

static Array *
any_counts (GRand *random, guint lines, guint samples, char kind, guint size)
{
  double full = size == 1 ? 255 : 65535;
  Array *array;

  if (maybe (random))
    return array_spectra (random, lines, samples, kind, size, full,
        g_rand_double_range (random, 0.05, 1.2));
  array = array_new (kind, size, lines, samples);
  for (gsize i = 0; i < (gsize)lines * samples; i++)
    array_set (array, i,
        floor (g_rand_double (random) * (full + 1))); /* all that there are */
  return array;
}

static void
add_background (GRand *random, guint i)
{
  static const struct {
    char kind;
    guint size;
    OctSampleFormat format;
  } kinds[] = { { 'u', 1, OCT_SAMPLE_U8 }, { 'u', 2, OCT_SAMPLE_U16 },
    { 'f', 4, OCT_SAMPLE_F32 } };
  guint k = up_to (random, 3) - 1, bscans = up_to (random, 3);
  OctBackgroundParams params = { .format = kinds[k].format,
    .samples = any_samples (random),
    .lines = up_to (random, 70),
    .mode = up_to (random, OCT_N_BACKGROUND_MODES) - 1,
    .high_pass_lines = 2 * up_to (random, 40) + 1,
    .running_weight = 1 - g_rand_double (random) };
  double *background = cases_doubles (params.samples);

  for (guint n = 0; n < params.samples; n++)
    background[n] = g_rand_double_range (random, -10, 65545);
  params.background = background;
  cases_add (g_strdup_printf ("random-background-%u", i),
      OCT_OPERATION_BACKGROUND, &params, sizeof params,
      any_counts (random, bscans * params.lines, params.samples, kinds[k].kind,
          kinds[k].size))
      ->bscans = bscans;
}

static void
add_resample (GRand *random, guint i)
{
  guint samples = any_samples (random);
  double *positions = cases_doubles (samples);
  OctResampleParams params = { .samples = samples,
    .lines = up_to (random, 20),
    .method = up_to (random, 3) - 1,
    .upsample = up_to (random, 2),
    .positions = positions };

  for (guint n = 0; n < samples; n++)
    positions[n] = n + g_rand_double_range (random, -2, 2);
  cases_add (g_strdup_printf ("random-resample-%u", i), OCT_OPERATION_RESAMPLE,
      &params, sizeof params,
      array_noise (random, params.lines, samples, 'f',
          pow (10, g_rand_double_range (random, -3, 6))));
}

static void
add_dispersion (GRand *random, guint i)
{
  guint samples = any_samples (random);
  double *phase = cases_doubles (samples);
  OctDispersionParams params = { samples, up_to (random, 20), phase };

  for (guint n = 0; n < samples; n++)
    phase[n] = g_rand_double_range (random, -300, 300);
  cases_add (g_strdup_printf ("random-dispersion-%u", i),
      OCT_OPERATION_DISPERSION, &params, sizeof params,
      array_noise (random, params.lines, samples, 'f', 1e3));
}

static void
add_fft (GRand *random, guint i)
{
  static const char *const windows[] = { "hann", "none", "hamming", "blackman",
    "tukey", "gaussian" };
  guint samples = MAX (16, any_samples (random));
  double *window = cases_doubles (samples);
  OctFftParams params = { .format =
                              maybe (random) ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32,
    .samples = samples,
    .lines = up_to (random, 40),
    .length = samples + (maybe (random) ? up_to (random, 300) : 0),
    .window = window };

  oct_reference_window (windows[up_to (random, 6) - 1], samples, NULL, window);
  /* enough depths that the energy among them is a typical one */
  params.depth_start =
      maybe (random) ? up_to (random, params.length / 4) - 1 : 0;
  params.depth_bins = params.length / 2 - params.depth_start;
  if (maybe (random))
    params.depth_bins = MAX (4, params.depth_bins - params.length / 8);
  cases_add (g_strdup_printf ("random-fft-%u", i), OCT_OPERATION_FFT, &params,
      sizeof params,
      array_noise (random, params.lines, samples,
          params.format == OCT_SAMPLE_F32 ? 'f' : 'c', 1e3));
}

static void
add_image (GRand *random, guint i)
{
  guint bscans = up_to (random, 3);
  OctLogscaleParams params = { .depth_bins = up_to (random, 200),
    .lines = up_to (random, 90),
    .format = up_to (random, 4) - 1,
    .scale = up_to (random, 2) - 1,
    .range = up_to (random, 3) - 1,
    .range_smoothing = maybe (random) ? g_rand_double (random) * 0.95 : 0 };
  guint rows = bscans * params.lines;
  Array *in = array_noise (random, rows, params.depth_bins, 'c', 1);
  double fall = g_rand_double_range (random, 0, 9);

  params.min = params.scale == OCT_SCALE_LOG ? -10 : 1;
  params.max = params.min + g_rand_double_range (random, 5, 50);
  for (gsize k = 0; k < (gsize)rows * params.depth_bins; k++) {
    Complex value = CMPLX (array_get (in, 0, k, 0), array_get (in, 0, k, 1));
    double depth = (double)(k % params.depth_bins) / params.depth_bins;
    array_set (in, k,
        g_rand_int_range (random, 0, 500) == 0
            ? (maybe (random) ? 0 : NAN)
            : 300 * exp (-fall * depth) * value);
  }
  cases_add (g_strdup_printf ("random-logscale-%u", i), OCT_OPERATION_LOGSCALE,
      &params, sizeof params, in)
      ->bscans = bscans;
}

static void
add_non_uniform (GRand *random, guint i)
{
  static const double oversampling[] = { 1.25, 1.5, 2 };
  guint samples = 15 + up_to (random, 285);
  gboolean real = maybe (random), gridded = maybe (random);
  double *nodes = cases_doubles (samples), *window = cases_doubles (samples);
  OctNufftParams params = { .format = real ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32,
    .samples = samples,
    .lines = up_to (random, 9),
    .kernel = up_to (random, 2) - 1,
    .grid = oct_reference_fast_length (
        oversampling[up_to (random, 3) - 1] * samples),
    .width = 1 + up_to (random, 7),
    .weights = up_to (random, 2) - 1,
    .nodes = nodes,
    .window = window };

  signal_nodes (random, samples, g_rand_double_range (random, -9, 9),
      g_rand_double_range (random, 0.5 * samples, 1.2 * samples),
      g_rand_double_range (random, 0.1, 0.95), nodes);
  oct_reference_window ("hamming", samples, nodes, window);
  params.depth_start =
      real ? 0 : g_rand_int_range (random, -(gint)(samples / 2), 1);
  params.depth_bins = samples / 2 - up_to (random, samples / 4);
  cases_add (g_strdup_printf ("random-nu%cft-%u", gridded ? 'f' : 'd', i),
      gridded ? OCT_OPERATION_NUFFT : OCT_OPERATION_NUDFT, &params,
      sizeof params,
      array_noise (random, params.lines, samples, real ? 'f' : 'c', 1e3));
}

/* Noise alone and few steps, so that amplified rounding errors do not add
 * up. */
static void
add_sensing (GRand *random, guint i)
{
  guint samples = 31 + up_to (random, 170), kept = up_to (random, samples);
  double *all = cases_doubles (samples), *nodes = cases_doubles (samples);
  double *window = cases_doubles (samples);
  guint32 *column = (guint32 *)cases_doubles (samples);
  OctCsParams params = { .format =
                             maybe (random) ? OCT_SAMPLE_F32 : OCT_SAMPLE_CF32,
    .samples = samples,
    .lines = up_to (random, 9),
    .columns = samples,
    .column = column,
    .nodes = nodes,
    .window = window,
    .transform = up_to (random, 3) - 1,
    .kernel = OCT_KERNEL_KAISER_BESSEL,
    .grid = oct_reference_fast_length (1.25 * samples),
    .width = 4 + up_to (random, 4),
    .solver = i % OCT_CS_N_SOLVERS,
    .iterations = up_to (random, 4),
    .tau = g_rand_double_range (random, 0, 1.5),
    .noise = maybe (random) ? 1e3 : 0,
    .depth_bins = samples / 2 };

  signal_nodes (random, samples, 0, samples - 1, 0.4, all);
  for (guint n = 0; n < samples; n++) {
    if (g_rand_int_range (random, 0, (gint)(samples - n))
        >= (gint)(kept - params.kept))
      continue;
    column[params.kept] = n;
    window[params.kept] = g_rand_double_range (random, 0.5, 1.5);
    nodes[params.kept++] = params.transform == OCT_CS_FFT ? n : all[n];
  }
  cases_add (g_strdup_printf ("random-cs-%u", i), OCT_OPERATION_CS, &params,
      sizeof params,
      array_noise (random, params.lines, samples,
          params.format == OCT_SAMPLE_F32 ? 'f' : 'c', 1e3));
}

void
cases_add_random (GRand *random)
{
  for (guint i = 0; i < TIMES; i++) {
    add_background (random, i);
    add_resample (random, i);
    if (i < 10)
      add_dispersion (random, i);
    add_fft (random, i);
    add_image (random, i);
    add_non_uniform (random, i);
    add_sensing (random, i);
  }
}
