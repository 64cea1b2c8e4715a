/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chain-case.h"

#include "numeric.h"
#include "oct-nufft.h"

#include <math.h>
#include <string.h>

static guint
choose (GRand *rand, const guint *values, guint count)
{
  return values[g_rand_int_range (rand, 0, (gint32)count)];
}

#define CHOOSE(rand, ...)                                                      \
  choose (rand, (const guint[]){ __VA_ARGS__ },                                \
      G_N_ELEMENTS (((const guint[]){ __VA_ARGS__ })))

static gboolean
toss (GRand *rand)
{
  return g_rand_boolean (rand);
}

static guint
next_power (guint value)
{
  guint power = 1;

  while (power < value)
    power *= 2;
  return power;
}

static void
fill_tables (ChainCase *c, GRand *rand)
{
  double bend = g_rand_double_range (rand, -0.3, 0.3);

  for (guint i = 0; i < c->samples; i++) {
    double x = c->samples > 1 ? i / (c->samples - 1.0) : 0;
    c->positions[i] = (c->samples - 1) * (x + bend * x * (1 - x));
    /* some beyond the ends, which are clamped, and some in any order */
    if (g_rand_int_range (rand, 0, 20) == 0)
      c->positions[i] = g_rand_double_range (rand, -2, c->samples + 1);
    c->phase[i] = 30 * (x - 0.5) * (x - 0.5);
    c->stored[i] = 90 + 20 * sin (9 * x);
  }
  oct_window_fill (c->window_kind, c->samples, NULL, c->window);
}

static void
fill_raw (ChainCase *c, GRand *rand)
{
  guint values = c->samples * (c->format == OCT_SAMPLE_CF32 ? 2 : 1);

  c->raw = g_malloc0 (c->in_stride * c->lines);
  for (guint line = 0; line < c->lines; line++) {
    guint8 *row = c->raw + line * c->in_stride;
    double phase = g_rand_double_range (rand, 0, 6);
    for (guint i = 0; i < values; i++) {
      double value = 120 + 60 * cos (0.7 * i + phase) + 20 * cos (1.9 * i)
                     + g_rand_double_range (rand, -15, 15);
      if (c->format == OCT_SAMPLE_U8)
        row[i] = (guint8)value;
      else if (c->format == OCT_SAMPLE_U16)
        ((guint16 *)row)[i] = (guint16)(200 * value);
      else
        ((float *)row)[i] = (float)(value - 100);
    }
  }
}

void
chain_case_add (ChainCase *c, OctOperation operation, gconstpointer params)
{
  g_autoptr (GError) error = NULL;

  c->steps[c->n++] = oct_step_new (operation, params, &error);
  g_assert_no_error (error);
}

/* Nodes that rise or fall, over a part of a period or over some, or are
 * uniform.
 */
static void
fill_nodes (ChainCase *c, GRand *rand)
{
  static const double lengths[] = { 0.7, 1, 1, 1.13, 2.6 };
  double bend = g_rand_double_range (rand, -0.3, 0.3);
  double length = lengths[g_rand_int_range (rand, 0, G_N_ELEMENTS (lengths))];
  double from = g_rand_double_range (rand, -3, 3);
  gboolean falls = toss (rand), is_uniform = g_rand_int_range (rand, 0, 6) == 0;

  for (guint i = 0; i < c->samples; i++) {
    guint at = falls ? c->samples - 1 - i : i;
    double x = c->samples > 1 ? i / (c->samples - 1.0) : 0;

    c->nodes[at] = from + (c->samples - 1) * length * (x + bend * x * (1 - x));
    if (is_uniform)
      c->nodes[at] = i;
  }
}

/* A transform at nodes in place of resampling and FFT; from numbers of its own,
 * which leave the other cases as they were. */
static void
choose_nufft (ChainCase *c, guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed + 1000000);

  c->has_nufft = g_rand_int_range (rand, 0, 3) == 0;
  if (c->has_nufft) {
    c->has_fft = TRUE;
    c->has_resample = FALSE;
    c->length = c->samples;
    c->bins = toss (rand)
                  ? c->length / 2
                  : (guint)g_rand_int_range (rand, 1, (gint)c->length / 2 + 1);
    c->first_bin =
        (guint)g_rand_int_range (rand, 0, (gint)(c->length / 2 - c->bins) + 1);
    c->nufft = (OctNufftParams){
      .kernel = CHOOSE (rand, OCT_KERNEL_KAISER_BESSEL, OCT_KERNEL_GAUSSIAN),
      .weights = CHOOSE (rand, OCT_WEIGHTS_PRECOMPUTED, OCT_WEIGHTS_ON_THE_FLY),
      .width = (guint)g_rand_int_range (rand, 2, 9),
      .grid = oct_nufft_grid_length (c->samples, CHOOSE (rand, 5, 6, 8) / 4.0),
    };
    fill_nodes (c, rand);
  }
  g_rand_free (rand);
}

static OctBackgroundParams
background_params (const ChainCase *c)
{
  return (OctBackgroundParams){ .format = c->format,
    .samples = c->samples,
    .lines = c->lines,
    .mode = c->mode,
    .running_weight = 0.5,
    .found = oct_background_modes[c->mode].is_found,
    .background = c->stored };
}

static void
make_steps (ChainCase *c)
{
  OctBackgroundParams background = background_params (c);
  OctResampleParams resample = { .samples = c->samples,
    .lines = c->lines,
    .method = c->method,
    .upsample = c->upsample,
    .positions = c->positions };
  OctDispersionParams dispersion = {
    .samples = c->samples, .lines = c->lines, .phase = c->phase
  };
  gboolean is_complex = c->has_dispersion || c->format == OCT_SAMPLE_CF32;
  OctFftParams fft = { .format = is_complex ? OCT_SAMPLE_CF32 : OCT_SAMPLE_F32,
    .samples = c->samples,
    .lines = c->lines,
    .length = c->length,
    .depth_start = c->first_bin,
    .depth_bins = c->bins,
    .window = c->window };

  c->nufft.format = fft.format;
  c->nufft.samples = c->samples;
  c->nufft.lines = c->lines;
  c->nufft.depth_start = (gint)c->first_bin;
  c->nufft.depth_bins = c->bins;
  c->nufft.nodes = c->nodes;
  c->nufft.window = c->window;
  if (c->has_background)
    chain_case_add (c, OCT_OPERATION_BACKGROUND, &background);
  if (c->has_resample)
    chain_case_add (c, OCT_OPERATION_RESAMPLE, &resample);
  if (c->has_dispersion)
    chain_case_add (c, OCT_OPERATION_DISPERSION, &dispersion);
  if (c->has_nufft)
    chain_case_add (c, OCT_OPERATION_NUFFT, &c->nufft);
  else if (c->has_fft)
    chain_case_add (c, OCT_OPERATION_FFT, &fft);
}

/* The mean that octdcsub computes at once. */
static void
find_mean (ChainCase *c)
{
  OctBackgroundParams params = background_params (c);
  OctFrame in = { { { c->raw, c->in_stride } } }, out = { { { 0 } } };
  OctPlan *plan;

  c->mean = g_malloc (OCT_MEAN_SIZE (c->samples, c->lines));
  if (!c->has_background || !params.found)
    return;
  params.found = FALSE;
  out.planes[0] = (OctPlane){ c->mean, OCT_MEAN_SIZE (c->samples, c->lines) };
  plan = plan_new (OCT_OPERATION_MEAN, &params);
  plan_run (OCT_OPERATION_MEAN, plan, &in, &out);
  plan_free (OCT_OPERATION_MEAN, plan);
}

static void
choose_image (ChainCase *c, GRand *rand)
{
  c->image = (OctLogscaleParams){ .depth_bins = c->bins,
    .lines = c->lines,
    .format = CHOOSE (rand, OCT_IMAGE_GRAY8, OCT_IMAGE_GRAY16, OCT_IMAGE_NV12,
        OCT_IMAGE_RGBA),
    .scale = CHOOSE (rand, OCT_SCALE_LOG, OCT_SCALE_LINEAR),
    .range =
        CHOOSE (rand, OCT_RANGE_AUTO, OCT_RANGE_MANUAL, OCT_RANGE_CONTRAST),
    .range_smoothing = 0.5 };
  c->image.min = c->image.scale == OCT_SCALE_LOG ? 10 : 100;
  c->image.max = c->image.scale == OCT_SCALE_LOG ? 70 : 1e6;
  c->image_stride = ((gsize)c->lines + 1) / 2 * 2 * 4 + 4 * CHOOSE (rand, 0, 9);
}

ChainCase *
chain_case_new (guint seed)
{
  GRand *rand = g_rand_new_with_seed (seed);
  ChainCase *c = g_new0 (ChainCase, 1);

  c->samples = CHOOSE (
      rand, 2, 3, 4, 5, 16, 31, 64, 97, 100, 128, 200, 256, 257, 300, 384, 512);
  c->lines = CHOOSE (rand, 1, 15, 16, 17, 75);
  c->format = CHOOSE (
      rand, OCT_SAMPLE_U8, OCT_SAMPLE_U16, OCT_SAMPLE_F32, OCT_SAMPLE_CF32);
  c->has_background = c->format == OCT_SAMPLE_U8 || c->format == OCT_SAMPLE_U16
                      || (c->format == OCT_SAMPLE_F32 && toss (rand));
  c->has_resample = c->format != OCT_SAMPLE_CF32 && toss (rand);
  c->has_dispersion = c->format != OCT_SAMPLE_CF32 && toss (rand);
  c->has_fft = g_rand_int_range (rand, 0, 4) > 0
               || !(c->has_background || c->has_resample || c->has_dispersion);
  c->mode =
      (OctBackgroundMode)g_rand_int_range (rand, 0, OCT_N_BACKGROUND_MODES);
  if (oct_background_modes[c->mode].is_apart) /* no part of a sequence */
    c->mode = OCT_BACKGROUND_NONE;
  c->method = CHOOSE (
      rand, OCT_RESAMPLE_CUBIC, OCT_RESAMPLE_LINEAR, OCT_RESAMPLE_LANCZOS);
  c->upsample = CHOOSE (rand, 1, 1, 2);
  c->window_kind = (OctWindow)g_rand_int_range (rand, 0, OCT_N_WINDOWS);
  c->length = choose (rand,
      (const guint[]){ c->samples, c->samples, next_power (c->samples),
          2 * c->samples, c->samples + 17 },
      5);
  c->bins = toss (rand)
                ? c->length / 2
                : (guint)g_rand_int_range (rand, 1, (gint)c->length / 2 + 1);
  c->first_bin =
      (guint)g_rand_int_range (rand, 0, (gint)(c->length / 2 - c->bins) + 1);
  choose_nufft (c, seed);
  c->in_stride = c->samples * oct_sample_format_size (c->format)
                 + 8 * CHOOSE (rand, 0, 0, 1, 5);
  choose_image (c, rand);
  fill_tables (c, rand);
  fill_raw (c, rand);
  find_mean (c);
  make_steps (c);
  if (!c->has_fft)
    c->bins = c->samples;
  c->out_stride = c->bins * (c->has_fft || c->has_dispersion ? 8 : 4)
                  + 8 * CHOOSE (rand, 0, 0, 1, 5);
  g_rand_free (rand);
  return c;
}

void
chain_case_free (ChainCase *c)
{
  for (guint i = 0; i < c->n; i++)
    oct_step_unref (c->steps[i]);
  g_free (c->raw);
  g_free (c->mean);
  g_free (c);
}

gboolean
chain_case_takes_all (const ChainCase *c)
{
  const OctBackgroundModeInfo *info = &oct_background_modes[c->mode];

  return c->has_background
         && (info->terms > 0 ? c->samples <= 2 * info->terms
                             : info->is_found && c->lines == 1);
}
