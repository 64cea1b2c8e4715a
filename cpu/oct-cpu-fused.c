/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The chain from raw spectra to A-scans or an image in one pass: blocks of
 * OCT_LANES A-lines go through all operations while they are in the cache, one
 * thread per block.  Any sequence of background, resampling, dispersion and FFT
 * in this order, or of background, dispersion and non-uniform FFT; and then an
 * image.  Or such a sequence without a transform, and then compressive sensing.
 *
 * Dispersion, window and the factor of the unitary transform are one factor per
 * sample, which is included in the weights of the resampling if it is real.
 */
#include "oct-cpu-background-parts.h"
#include "oct-cpu-block.h"
#include "oct-cpu-gridder.h"
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-logscale.h"
#include "oct-cpu-resampler.h"
#include "oct-cpu-solve.h"
#include "oct-step.h"

#include <math.h>
#include <string.h>

#define LANES OCT_LANES
#define GUARD OCT_CPU_RESAMPLER_GUARD

/* The parameters of each operation; NULL: the sequence has no such step. */
typedef struct {
  const OctBackgroundParams *background;
  const OctResampleParams *resample;
  const OctDispersionParams *dispersion;
  const OctFftParams *fft;
  const OctNufftParams *nufft;
} Steps;

struct _OctPlan {
  OctStepShape in, out; /* rows: of one B-scan */
  guint bscans;
  guint threads;
  /* the background, [samples]; NULL: no background is removed; found: it comes
   * with the input instead */
  float *high, *low;
  gboolean found;
  float *x; /* oct-fit.h; NULL: nothing is fitted to A-lines */
  gboolean resamples;
  OctCpuResampler resampler;
  gboolean is_complex; /* the values that are transformed */
  /* [samples] or, with dispersion, [samples][2]; NULL: 1, or in the weights of
   * the resampling */
  float *factors;
  gboolean turns;   /* dispersion: real values become complex ones, */
  gboolean through; /* while the transform reads them */
  OctLanesFft *fft; /* NULL: none */
  guint length, first_bin;
  /* the non-uniform transform, with dispersion, of the loaded values */
  gboolean grids;
  OctCpuGridder gridder;
  OctOperation last;
  float *power; /* [blocks][bins][LANES], for an image */
  /* [threads][scratch_size] */
  guint8 *scratch;
  gsize scratch_size, prepared_at, more_at, unused_at;
};

#define BLOCKS(lines) (((lines) + LANES - 1) / LANES)

/* The scratch of one thread. */
typedef struct {
  float *values;   /* loaded, before they are resampled or turned */
  float *prepared; /* for the transform, zeros after the samples */
  float *bins;     /* in the memory of one of the two */
  gpointer more;   /* scratch of resampling or transform */
  float *unused;   /* a row, for the output of lanes without an A-line */
} Scratch;

typedef struct {
  const OctPlan *plan;
  const OctPlane *from, *to;
  guint lines;
  const float *high, *low;
  const OctCpuFit *fits; /* [lines] or NULL */
  OctPlan *image;        /* or NULL */
} Loop;

/* ----------------------------------------------------------------- create */

static gboolean
same_shape (OctStepShape a, OctStepShape b)
{
  return a.format == b.format && a.values == b.values && a.rows == b.rows;
}

/* FALSE: this file does not support the sequence. */
static gboolean
sort_steps (const OctStep *const *steps, guint n, Steps *sorted)
{
  static const OctOperation order[] = { OCT_OPERATION_BACKGROUND,
    OCT_OPERATION_RESAMPLE, OCT_OPERATION_DISPERSION, OCT_OPERATION_FFT,
    OCT_OPERATION_NUFFT };
  guint place = 0;

  memset (sorted, 0, sizeof *sorted);
  for (guint i = 0; i < n; i++) {
    OctOperation operation = oct_step_get_operation (steps[i]);
    gconstpointer params = oct_step_get_params (steps[i]);

    if (i > 0
        && !same_shape (
            oct_step_get_output (steps[i - 1]), oct_step_get_input (steps[i])))
      return FALSE;
    while (place < G_N_ELEMENTS (order) && order[place] != operation)
      place++;
    if (place == G_N_ELEMENTS (order))
      return FALSE;
    if (operation == OCT_OPERATION_BACKGROUND)
      sorted->background = params;
    else if (operation == OCT_OPERATION_RESAMPLE)
      sorted->resample = params;
    else if (operation == OCT_OPERATION_DISPERSION)
      sorted->dispersion = params;
    else if (operation == OCT_OPERATION_FFT)
      sorted->fft = params;
    else
      sorted->nufft = params;
    place++;
  }
  return sorted->nufft == NULL
         || (sorted->resample == NULL && sorted->fft == NULL);
}

static gboolean
is_possible (const Steps *steps, guint n, OctOperation last)
{
  gboolean has_transform = steps->fft != NULL || steps->nufft != NULL;

  if (last == OCT_OPERATION_LOGSCALE)
    return has_transform;
  if (last == OCT_OPERATION_CS)
    return !has_transform;
  return last == OCT_N_OPERATIONS && n >= 2;
}

/* Whether B-scans differ in more than their A-lines. */
static gboolean
cpu_fused_is_apart (const Steps *steps, OctOperation last)
{
  return last != OCT_N_OPERATIONS
         || (steps->background != NULL && steps->background->found);
}

static gboolean
cpu_fused_make_background (OctPlan *plan, const OctBackgroundParams *params)
{
  guint samples = params->samples;

  plan->found = params->found;
  if (!(plan->high = oct_cpu_alloc (samples, sizeof (float), NULL))
      || !(plan->low = oct_cpu_alloc (samples, sizeof (float), NULL)))
    return FALSE;
  for (guint i = 0; i < samples; i++) {
    double value =
        params->mode == OCT_BACKGROUND_STORED ? params->background[i] : 0;

    plan->high[i] = (float)value;
    plan->low[i] = (float)(value - plan->high[i]);
  }
  if (oct_background_modes[params->mode].terms == 0)
    return TRUE;
  plan->x = oct_cpu_alloc (samples, sizeof (float), NULL);
  if (plan->x != NULL)
    oct_cpu_fit_fill_x (plan->x, samples);
  return plan->x != NULL;
}

/* Window and the factor of the transform; NULL: there is no transform. */
static double *
real_factors (const OctFftParams *params)
{
  double *factors;

  if (params == NULL)
    return NULL;
  factors = g_new (double, params->samples);
  for (guint i = 0; i < params->samples; i++)
    factors[i] = params->window[i] / sqrt (params->samples);
  return factors;
}

/* The factors of the samples, and the weights of the resampling, which include
 * real factors. */
static gboolean
make_factors (OctPlan *plan, const Steps *steps)
{
  guint samples = plan->in.values;
  g_autofree double *real = real_factors (steps->fft);
  const double *phase =
      steps->dispersion != NULL ? steps->dispersion->phase : NULL;

  if (steps->resample != NULL) {
    plan->resamples = TRUE;
    if (!oct_cpu_resampler_init (&plan->resampler, steps->resample,
            phase == NULL ? real : NULL, NULL))
      return FALSE;
  }
  if (phase == NULL && (real == NULL || plan->resamples))
    return TRUE;
  plan->turns = phase != NULL;
  plan->factors =
      oct_cpu_alloc (samples, (plan->turns ? 2 : 1) * sizeof (float), NULL);
  if (plan->factors == NULL)
    return FALSE;
  for (guint i = 0; i < samples; i++) {
    double factor = real != NULL ? real[i] : 1;

    if (plan->turns) {
      plan->factors[2 * i] = (float)(factor * cos (phase[i]));
      plan->factors[2 * i + 1] = (float)(factor * sin (phase[i]));
    } else
      plan->factors[i] = (float)factor;
  }
  return TRUE;
}

static gboolean
make_gridder (OctPlan *plan, const Steps *steps)
{
  plan->grids = TRUE;
  return oct_cpu_gridder_set (&plan->gridder, steps->nufft,
      steps->dispersion != NULL ? steps->dispersion->phase : NULL, NULL);
}

static gboolean
cpu_fused_make_transform (OctPlan *plan, const OctFftParams *params)
{
  plan->length = plan->in.values;
  if (params == NULL)
    return TRUE;
  plan->length = params->length;
  plan->first_bin = params->depth_start;
  plan->fft = plan->is_complex
                  ? oct_lanes_fft_new (params->length, FALSE, NULL)
                  : oct_lanes_fft_new_real (params->length, FALSE, NULL);
  plan->through = plan->turns;
  return plan->fft != NULL;
}

/* The scratch holds, at a time: values and prepared values, or bins in place of
 * the values; values and bins, if values are prepared while the transform reads
 * them; values or bins, with the non-uniform transform. */
static gboolean
cpu_fused_make_scratch (OctPlan *plan)
{
  gsize value = LANES * sizeof (float), row = oct_step_shape_row (&plan->out);
  gsize loaded = plan->in.values * value, more = 0;
  gsize prepared = plan->length * (plan->is_complex ? 2 : 1) * value;

  if (plan->resamples)
    loaded = oct_cpu_resampler_size (&plan->resampler) * sizeof (float);
  if (plan->grids) {
    loaded = plan->in.values * plan->gridder.parts * value;
    loaded = MAX (loaded, plan->out.values * 2 * value);
    prepared = 0;
    more = oct_cpu_gridder_scratch (&plan->gridder);
  } else if (plan->through)
    prepared = plan->out.values * 2 * value;
  else if (plan->fft != NULL)
    loaded = MAX (loaded, plan->out.values * 2 * value);
  plan->prepared_at = oct_cpu_pad (loaded);
  plan->more_at = plan->prepared_at + oct_cpu_pad (prepared);
  if (plan->resamples)
    more = oct_cpu_resampler_scratch (&plan->resampler);
  if (plan->fft != NULL)
    more = MAX (more, oct_lanes_fft_scratch (plan->fft));
  plan->unused_at = plan->more_at + oct_cpu_pad (more);
  plan->scratch_size = plan->unused_at + oct_cpu_pad (row);
  plan->scratch = oct_cpu_alloc (plan->threads, plan->scratch_size, NULL);
  if (plan->scratch == NULL)
    return FALSE;
  /* the zero padding is never overwritten */
  memset (plan->scratch, 0, plan->threads * plan->scratch_size);
  return TRUE;
}

static void
cpu_fused_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->high);
  oct_cpu_free (plan->low);
  oct_cpu_free (plan->x);
  oct_cpu_resampler_clear (&plan->resampler);
  oct_cpu_free (plan->factors);
  oct_lanes_fft_free (plan->fft);
  oct_cpu_gridder_clear (&plan->gridder);
  oct_cpu_free (plan->power);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static OctPlan *
cpu_fused_create (
    const OctStep *const *steps, guint n, guint bscans, OctOperation last)
{
  Steps sorted;
  OctPlan *plan;

  if (!sort_steps (steps, n, &sorted) || !is_possible (&sorted, n, last))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->last = last;
  plan->in = oct_step_get_input (steps[0]);
  plan->out = oct_step_get_output (steps[n - 1]);
  plan->bscans = cpu_fused_is_apart (&sorted, last) ? bscans : 1;
  plan->in.rows /= plan->bscans;
  plan->out.rows /= plan->bscans;
  plan->threads = MIN (oct_backend_cpu_get_threads (), BLOCKS (plan->in.rows));
  plan->is_complex =
      sorted.dispersion != NULL || plan->in.format == OCT_SAMPLE_CF32;
  if ((sorted.background != NULL
          && !cpu_fused_make_background (plan, sorted.background))
      || !(sorted.nufft != NULL
               ? make_gridder (plan, &sorted)
               : make_factors (plan, &sorted)
                     && cpu_fused_make_transform (plan, sorted.fft))
      || !cpu_fused_make_scratch (plan)
      || (last == OCT_OPERATION_LOGSCALE
          && !(plan->power = oct_cpu_alloc (
                   OCT_CPU_POWERS (plan->out.values, plan->out.rows),
                   sizeof (float), NULL)))) {
    cpu_fused_destroy (plan);
    return NULL;
  }
  return plan;
}

/* -------------------------------------------------------------------- run */

static void
cpu_fused_divide_scratch (const OctPlan *plan, guint thread, Scratch *scratch)
{
  guint8 *base = plan->scratch + (gsize)thread * plan->scratch_size;

  scratch->values = (float *)base;
  scratch->prepared = (float *)(base + plan->prepared_at);
  scratch->bins = plan->through ? scratch->prepared : scratch->values;
  scratch->more = base + plan->more_at;
  scratch->unused = (float *)(base + plan->unused_at);
}

/* The A-lines of a block; lanes beyond the end repeat the last one. */
static void
list_lines (const Loop *loop, guint block, guint *lines)
{
  for (guint lane = 0; lane < LANES; lane++)
    lines[lane] = MIN (block * LANES + lane, loop->lines - 1);
}

static void
cpu_fused_fit (const Loop *loop, const guint *lines, float *values)
{
  float e[3 * LANES] __attribute__ ((aligned (64)));

  for (guint lane = 0; lane < LANES; lane++)
    for (guint m = 0; m < 3; m++)
      e[m * LANES + lane] = loop->fits[lines[lane]].e[m];
  oct_cpu_block_fit (
      values, loop->plan->in.values, loop->high, loop->plan->x, e);
}

static void
cpu_fused_load (const Loop *loop, const guint *lines, float *values)
{
  const OctPlan *plan = loop->plan;
  gconstpointer rows[LANES];

  for (guint lane = 0; lane < LANES; lane++)
    rows[lane] = oct_cpu_row (loop->from, lines[lane]);
  if (loop->high != NULL)
    oct_cpu_block_load (
        plan->in.format, rows, plan->in.values, loop->high, loop->low, values);
  else
    oct_cpu_block_gather ((const float *const *)rows,
        plan->in.values * (plan->in.format == OCT_SAMPLE_CF32 ? 2 : 1), values);
  if (loop->fits != NULL)
    cpu_fused_fit (loop, lines, values);
}

/* Values start, start + step, ... as complex ones. */
static void
cpu_fused_turn (const OctPlan *plan, const float *values, guint start,
    guint step, guint count, float *out)
{
  if (plan->resamples)
    oct_cpu_resampler_read_complex (
        &plan->resampler, values, plan->factors, start, step, count, out);
  else
    oct_cpu_block_turn (values, plan->factors, start, step, count, out);
}

typedef struct {
  const OctPlan *plan;
  const float *values;
} Turned;

/* The same for the transform, zeros after the samples. */
static void
read_turned (gpointer data, guint start, guint step, guint count, float *values)
{
  const Turned *turned = data;
  guint samples = turned->plan->in.values, there = 0;

  if (start < samples)
    there = MIN (count, (samples - start + step - 1) / step);
  cpu_fused_turn (turned->plan, turned->values, start, step, there, values);
  if (there < count)
    memset (values + (gsize)there * 2 * LANES, 0,
        (count - there) * 2 * LANES * sizeof (float));
}

/* Computes the values to transform, or those that read_turned() reads. */
static void
cpu_fused_prepare (const Loop *loop, const guint *lines, const Scratch *scratch)
{
  const OctPlan *plan = loop->plan;
  guint samples = plan->in.values;

  if (!plan->resamples && !plan->turns) {
    cpu_fused_load (loop, lines, scratch->prepared);
    if (plan->factors != NULL && plan->is_complex)
      oct_cpu_block_scale_complex (scratch->prepared, plan->factors, samples);
    else if (plan->factors != NULL)
      oct_cpu_block_scale (scratch->prepared, plan->factors, samples);
    return;
  }
  if (plan->resamples) {
    cpu_fused_load (loop, lines, scratch->values + GUARD * LANES);
    oct_cpu_resampler_prepare (
        &plan->resampler, scratch->values, scratch->more);
  } else
    cpu_fused_load (loop, lines, scratch->values);
  if (!plan->turns)
    oct_cpu_resampler_read (
        &plan->resampler, scratch->values, 0, samples, scratch->prepared);
  else if (!plan->through)
    cpu_fused_turn (plan, scratch->values, 0, 1, samples, scratch->prepared);
}

static void
cpu_fused_transform (const OctPlan *plan, const Scratch *scratch)
{
  guint first = plan->first_bin, count = plan->out.values;
  Turned turned = { plan, scratch->values };

  if (plan->through)
    oct_lanes_fft_run_through (plan->fft, read_turned, NULL, &turned, NULL,
        scratch->bins, first, count, scratch->more);
  else if (plan->is_complex)
    oct_lanes_fft_run (plan->fft, scratch->prepared, scratch->bins, first,
        count, scratch->more);
  else
    oct_lanes_fft_run_real (plan->fft, scratch->prepared, scratch->bins, first,
        count, scratch->more);
}

static void
cpu_fused_store (
    const Loop *loop, guint block, const float *values, float *unused)
{
  const OctStepShape *out = &loop->plan->out;
  float *rows[LANES];

  for (guint lane = 0; lane < LANES; lane++) {
    guint line = block * LANES + lane;
    rows[lane] = line < loop->lines ? oct_cpu_row (loop->to, line) : unused;
  }
  oct_cpu_block_scatter (
      values, out->values * (out->format == OCT_SAMPLE_CF32 ? 2 : 1), rows);
}

static void
run_block (const Loop *loop, guint block, guint thread)
{
  const OctPlan *plan = loop->plan;
  guint lines[LANES];
  Scratch scratch;
  const float *result;

  cpu_fused_divide_scratch (plan, thread, &scratch);
  list_lines (loop, block, lines);
  if (plan->grids) {
    cpu_fused_load (loop, lines, scratch.values);
    oct_cpu_gridder_run (
        &plan->gridder, scratch.values, scratch.bins, scratch.more);
  } else {
    cpu_fused_prepare (loop, lines, &scratch);
    if (plan->fft != NULL)
      cpu_fused_transform (plan, &scratch);
  }
  result = plan->grids || plan->fft != NULL ? scratch.bins : scratch.prepared;
  if (loop->image != NULL)
    oct_cpu_logscale_add (loop->image, block, result,
        plan->power + (gsize)block * plan->out.values * LANES, thread);
  else
    cpu_fused_store (loop, block, result, scratch.unused);
}

static void
run_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint block = first; block < end; block++)
    run_block (data, block, thread);
}

/* For compressive sensing. */
static void
cpu_fused_read_lines (
    gpointer data, const guint *lines, guint thread, float *values)
{
  const Loop *loop = data;
  Scratch scratch;

  cpu_fused_divide_scratch (loop->plan, thread, &scratch);
  scratch.prepared = values;
  cpu_fused_prepare (loop, lines, &scratch);
}

static void
cpu_fused_run_bscan (
    OctPlan *plan, const OctFrame *in, OctPlan *last, const OctFrame *out)
{
  guint threads = oct_cpu_threads (plan->threads);
  Loop loop = { .plan = plan,
    .from = &in->planes[0],
    .to = &out->planes[0],
    .lines = oct_frame_count_lines (in, plan->in.rows),
    .high = plan->high,
    .low = plan->low };

  if (plan->found) {
    loop.high = in->planes[1].data;
    loop.low = loop.high + plan->in.values;
    if (plan->x != NULL)
      loop.fits = (gconstpointer)((const guint8 *)in->planes[1].data
                                  + OCT_MEAN_FITS (plan->in.values));
  }
  if (plan->last == OCT_OPERATION_CS) {
    oct_cpu_solve (last, threads, cpu_fused_read_lines, &loop, out);
    return;
  }
  loop.image = last;
  if (last != NULL)
    oct_cpu_logscale_begin (last, &threads);
  oct_parallel_for (BLOCKS (loop.lines), 1, threads, run_blocks, &loop);
  if (last != NULL)
    oct_cpu_logscale_finish (last, plan->power, out);
}

static gboolean
cpu_fused_check_output (OctPlan *plan, guint bscans, OctPlan *last,
    const OctFrame *out, GError **error)
{
  const OctStepShape *shape = &plan->out;

  if (plan->last == OCT_OPERATION_CS)
    return oct_cpu_solve_check (last, plan->bscans, shape, out, error);
  if (plan->last == OCT_OPERATION_LOGSCALE)
    return oct_cpu_logscale_check (
        last, bscans, shape->values, shape->rows, out, error);
  return oct_cpu_check_plane (
      &out->planes[0], oct_step_shape_row (shape), error);
}

static gboolean
cpu_fused_run (OctPlan *plan, const OctFrame *in, OctPlan *last,
    const OctFrame *out, gpointer stream, GError **error)
{
  gsize mean_size = OCT_MEAN_SIZE (plan->in.values, plan->in.rows);
  guint bscans = oct_frame_count_bscans (in, plan->in.rows, plan->bscans);

  if (!oct_cpu_check_plane (
          &in->planes[0], oct_step_shape_row (&plan->in), error)
      || !cpu_fused_check_output (plan, bscans, last, out, error))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame one = oct_frame_get_bscan (in, bscan, plan->in.rows, mean_size);
    OctFrame to = plan->last == OCT_OPERATION_LOGSCALE
                      ? out[bscan]
                      : oct_frame_get_bscan (out, bscan, plan->out.rows, 0);

    cpu_fused_run_bscan (plan, &one, last, &to);
  }
  return TRUE;
}

const OctFusedTable oct_cpu_fused = {
  .create = cpu_fused_create,
  .run = cpu_fused_run,
  .destroy = cpu_fused_destroy,
};
