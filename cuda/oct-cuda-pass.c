/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Several operations in one pass over the data: plans.
 *
 * Known are [background] [resample] [dispersion] fft, each where it is given,
 * of as many samples as the FFT is long, a power of two, and [background]
 * [dispersion] nufft if one kernel does that, both followed by logscale or not;
 * and background cs, see oct-cuda-cs-pass.c.  A run queues the pass, one
 * kernel, and for logscale the map of its powers to grey levels; it allocates
 * nothing and queries nothing.  The two share memory of the plan alone, so that
 * the map may as well be queued in another stream after the pass: start() and
 * finish().
 */
#include "oct-cuda-cs-parts.h"
#include "oct-cuda-logscale.h"
#include "oct-cuda-nufft.h"
#include "oct-step.h"

#include <math.h>
#include <string.h>

#define NAME "fft"
#define LANCZOS_A 4
#define LANCZOS_TAPS (2 * LANCZOS_A)

/* Statistics are used in turn: a map makes those of the B-scan before ready for
 * the one after the next. */
#define TURNS 3

/* rows that a grid of blocks can have */
#define MOST_BSCANS 65535u

/* The state of one frame between its pass and its map. */
typedef struct {
  float *powers; /* [bscans][lines][row] */
  OctCudaFind find;
  guint statistics; /* which of them, if any are found */
} Turn;

struct _OctPlan {
  OctCudaCsPass *sensing; /* this, and nothing of the rest; or NULL */

  /* which are given; they are the caller's */
  const OctBackgroundParams *background;
  const OctResampleParams *resample;
  const OctDispersionParams *dispersion;
  const OctFftParams *fft; /* this or the next */
  const OctNufftParams *nufft;

  guint bscans;
  /* all but planes, find and statistics */
  OctCudaPass pass;
  OctPlan *gridding; /* of oct_cuda_nufft, for its tables */
  float scale;       /* of the samples, see OctCudaNufftPass */
  OctSampleFormat format;
  gboolean overlap;
  OctCudaTable positions, taps, turns, stored;
  /* of a background that is fitted to the A-lines, for which the pass has no
   * registers left: it is removed by a kernel of its own, to floats of all
   * B-scans, [lines][spectra_row]; NULL: there is none */
  float *spectra;
  gsize spectra_row; /* bytes */

  /* with logscale */
  Turn between;
  gsize row;               /* of powers, bytes */
  OctCudaTable statistics; /* OctCudaStatistics [TURNS][bscans] */
  guint next_statistics;
};

/* ------------------------------------------------------------ the pattern */

/* Takes the steps in the only order there is. */
static gboolean
take_steps (OctPlan *plan, const OctStep *const *steps, guint n)
{
  guint at = 0;

#define TAKE(member, operation)                                                \
  if (at < n && oct_step_get_operation (steps[at]) == operation)               \
  plan->member = oct_step_get_params (steps[at++])
  TAKE (background, OCT_OPERATION_BACKGROUND);
  TAKE (resample, OCT_OPERATION_RESAMPLE);
  TAKE (dispersion, OCT_OPERATION_DISPERSION);
  TAKE (fft, OCT_OPERATION_FFT);
  TAKE (nufft, OCT_OPERATION_NUFFT);
#undef TAKE
  return at == n && (plan->fft != NULL) != (plan->nufft != NULL);
}

/* The A-lines of all B-scans together. */
static guint
get_lines (const OctPlan *plan)
{
  return plan->fft != NULL ? plan->fft->lines : plan->nufft->lines;
}

/* Complex spectra are what dispersion makes, not what comes in. */
static gboolean
is_known_transform (const OctPlan *plan)
{
  const OctFftParams *fft = plan->fft;
  gboolean is_complex = plan->dispersion != NULL;

  if (plan->nufft != NULL)
    return plan->resample == NULL
           && (plan->nufft->format == OCT_SAMPLE_CF32) == is_complex;
  return fft->length == fft->samples
         && (plan->resample == NULL || plan->resample->upsample == 1)
         && (fft->format == OCT_SAMPLE_CF32) == is_complex;
}

static gboolean
cuda_pass_is_known (const OctPlan *plan)
{
  const OctBackgroundParams *background = plan->background;

  if (!is_known_transform (plan) || plan->bscans > MOST_BSCANS)
    return FALSE;
  if (background == NULL)
    return TRUE;
  if (!background->found)
    return background->mode == OCT_BACKGROUND_STORED
           || background->mode == OCT_BACKGROUND_NONE;
  return oct_cuda_sums_fit (
      background->format, get_lines (plan) / plan->bscans);
}

/* Whether B-scans differ in more than their A-lines. */
static gboolean
cuda_pass_is_apart (const OctPlan *plan, OctOperation last)
{
  return last != OCT_N_OPERATIONS
         || (plan->background != NULL && plan->background->found);
}

/* ---------------------------------------------------------------- tables */

static double
cuda_pass_sinc (double x)
{
  return x == 0 ? 1 : sin (G_PI * x) / (G_PI * x);
}

/* The weights of the samples from base - 3 on, 0 outside of the A-line; two
 * tables of four, `samples` apart. */
static void
set_taps (float4 *taps, double position, gint base, gint samples)
{
  double weights[LANCZOS_TAPS], total = 0;

  for (gint tap = 0; tap < LANCZOS_TAPS; tap++) {
    gint i = base + 1 - LANCZOS_A + tap;
    double distance = position - i;
    gboolean inside = i >= 0 && i < samples && fabs (distance) < LANCZOS_A;

    weights[tap] = inside ? cuda_pass_sinc (distance)
                                * cuda_pass_sinc (distance / LANCZOS_A)
                          : 0;
    total += weights[tap];
  }
  for (gint half = 0; half < 2; half++) {
    const double *w = weights + 4 * half;

    taps[half * samples].x = (float)(w[0] / total);
    taps[half * samples].y = (float)(w[1] / total);
    taps[half * samples].z = (float)(w[2] / total);
    taps[half * samples].w = (float)(w[3] / total);
  }
}

/* Where value j is read: first value in shared memory, and the fraction. */
static void
set_position (const OctPlan *plan, guint j, float4 *entry, float4 *taps)
{
  gint samples = (gint)plan->fft->samples, base, before = 0;
  double position = j;
  guint32 first;

  if (plan->resample != NULL)
    position = CLAMP (plan->resample->positions[j], 0, samples - 1);
  base = (gint)position;
  if (plan->pass.method == OCT_CUDA_PASS_LANCZOS) {
    before = LANCZOS_A - 1;
    set_taps (taps + j, position, base, samples);
  } else if (plan->pass.method != OCT_CUDA_PASS_UNIFORM) {
    base = MIN (base, samples - 2); /* last interval closed at its end */
    before = plan->pass.method == OCT_CUDA_PASS_CUBIC ? 1 : 0;
  }
  first = (guint32)(OCT_CUDA_PASS_GUARD + base - before);
  memcpy (&entry->x, &first, sizeof (first));
  entry->y = (float)(position - base);
}

/* The factor of every value: window, dispersion and all constant factors. */
static void
set_factor (const OctPlan *plan, guint j, float4 *entry)
{
  const OctFftParams *fft = plan->fft;
  double factor = fft->window[j] / sqrt (fft->samples);
  double phase = plan->dispersion != NULL ? plan->dispersion->phase[j] : 0;

  if (plan->pass.method == OCT_CUDA_PASS_CUBIC)
    factor /= 6; /* of the B-splines */
  if (plan->pass.mode == OCT_CUDA_BACKGROUND_SUMS)
    factor /= plan->pass.rows.lines;
  if (!plan->pass.is_complex)
    factor /= 2; /* the transform of real A-lines adds two halves */
  entry->z = (float)(factor * cos (phase));
  entry->w = (float)(factor * sin (phase));
}

static gboolean
make_positions (OctPlan *plan)
{
  guint samples = plan->fft->samples;
  float4 *entries, *taps = NULL;

  if (!oct_cuda_table_init (
          &plan->positions, samples * sizeof (float4), NAME, NULL)
      || (entries = oct_cuda_table_edit (&plan->positions, NAME, NULL)) == NULL)
    return FALSE;
  if (plan->pass.method == OCT_CUDA_PASS_LANCZOS
      && (!oct_cuda_table_init (
              &plan->taps, 2 * samples * sizeof (float4), NAME, NULL)
          || (taps = oct_cuda_table_edit (&plan->taps, NAME, NULL)) == NULL))
    return FALSE;
  for (guint j = 0; j < samples; j++) {
    set_position (plan, j, &entries[j], taps);
    set_factor (plan, j, &entries[j]);
  }
  plan->pass.positions = plan->positions.device;
  plan->pass.taps = plan->taps.device;
  return TRUE;
}

static gboolean
cuda_pass_make_turns (OctPlan *plan)
{
  guint samples = plan->fft->samples;
  float2 *turns;

  if (!oct_cuda_table_init (&plan->turns, samples * sizeof (float2), NAME, NULL)
      || (turns = oct_cuda_table_edit (&plan->turns, NAME, NULL)) == NULL)
    return FALSE;
  for (guint i = 0; i < samples; i++) {
    double angle = -2 * G_PI * i / samples;

    turns[i].x = (float)cos (angle);
    turns[i].y = (float)sin (angle);
  }
  plan->pass.turns = plan->turns.device;
  return TRUE;
}

/* The factors of samples that are not resampled: with dispersion `turns`, of
 * the size of a mean, which also shift the selected modes; else one `scale`. */
static gboolean
make_sample_turns (OctPlan *plan, gint middle)
{
  const OctNufftParams *nufft = plan->nufft;
  double scale = plan->pass.mode == OCT_CUDA_BACKGROUND_SUMS
                     ? 1. / plan->pass.rows.lines
                     : 1;
  float2 *turns;

  plan->scale = (float)scale;
  if (plan->dispersion == NULL)
    return TRUE;
  if (!oct_cuda_table_init (
          &plan->turns, OCT_MEAN_FITS (nufft->samples), NAME, NULL)
      || (turns = oct_cuda_table_edit (&plan->turns, NAME, NULL)) == NULL)
    return FALSE;
  for (guint n = 0; n < nufft->samples; n++) {
    double angle = plan->dispersion->phase[n]
                   - 2 * G_PI * nufft->nodes[n] * middle / nufft->samples;

    turns[n].x = (float)(scale * cos (angle));
    turns[n].y = (float)(scale * sin (angle));
  }
  return TRUE;
}

/* The tables of the non-uniform transform; FALSE when there is no kernel. */
static gboolean
make_gridding (OctPlan *plan)
{
  OctCudaFused fused;

  plan->gridding = oct_cuda_nufft_new_fused (plan->nufft);
  if (plan->gridding == NULL)
    return FALSE;
  oct_cuda_nufft_describe (plan->gridding, &fused);
  plan->pass.processors = fused.processors;
  return oct_cuda_nufft_pass_fits (&plan->pass, &fused)
         && make_sample_turns (
             plan, plan->nufft->depth_start - fused.first_mode);
}

static gboolean
make_stored (OctPlan *plan)
{
  const OctBackgroundParams *background = plan->background;

  if (background == NULL || background->mode != OCT_BACKGROUND_STORED)
    return TRUE;
  if (!oct_cuda_stored_init (&plan->stored, background, NAME, NULL))
    return FALSE;
  plan->pass.table = plan->stored.device;
  return TRUE;
}

static gboolean
cuda_pass_make_spectra (OctPlan *plan)
{
  if (plan->spectra_row > 0)
    plan->spectra =
        oct_cuda_alloc (get_lines (plan) * plan->spectra_row, NAME, NULL);
  return plan->spectra_row == 0 || plan->spectra != NULL;
}

static gboolean
make_powers (OctPlan *plan)
{
  plan->between.powers =
      oct_cuda_alloc (plan->row * get_lines (plan), NAME, NULL);
  return plan->between.powers != NULL;
}

static gboolean
make_statistics (OctPlan *plan)
{
  OctCudaStatistics *statistics;

  if (!oct_cuda_table_init (&plan->statistics,
          TURNS * plan->bscans * sizeof (OctCudaStatistics), NAME, NULL)
      || (statistics = oct_cuda_table_edit (&plan->statistics, NAME, NULL))
             == NULL)
    return FALSE;
  for (guint i = 0; i < TURNS * plan->bscans; i++)
    oct_cuda_statistics_init (&statistics[i]);
  /* rows of whole 128 bytes */
  plan->row = (plan->pass.depth_bins + 31) / 32 * 32 * sizeof (float);
  return TRUE;
}

/* ------------------------------------------------------------------ plans */

static void
cuda_pass_fused_destroy (OctPlan *plan)
{
  if (plan->sensing != NULL)
    oct_cuda_cs_pass_free (plan->sensing);
  if (plan->gridding != NULL)
    oct_cuda_nufft.destroy (plan->gridding);
  oct_cuda_table_clear (&plan->positions);
  oct_cuda_table_clear (&plan->taps);
  oct_cuda_table_clear (&plan->turns);
  oct_cuda_table_clear (&plan->stored);
  oct_cuda_table_clear (&plan->statistics);
  oct_cuda_free (plan->spectra);
  oct_cuda_free (plan->between.powers);
  g_free (plan);
}

static OctCudaPassMethod
cuda_pass_method (const OctResampleParams *resample)
{
  if (resample == NULL)
    return OCT_CUDA_PASS_UNIFORM;
  switch (resample->method) {
  case OCT_RESAMPLE_LINEAR:
    return OCT_CUDA_PASS_LINEAR;
  case OCT_RESAMPLE_LANCZOS:
    return OCT_CUDA_PASS_LANCZOS;
  default:
    return OCT_CUDA_PASS_CUBIC;
  }
}

/* All of the pass that does not change from B-scan to B-scan. */
static void
cuda_pass_describe (OctPlan *plan)
{
  const OctFftParams *fft = plan->fft;
  const OctNufftParams *nufft = plan->nufft;
  const OctBackgroundParams *background = plan->background;
  guint bins = fft != NULL ? fft->depth_bins : nufft->depth_bins;

  plan->format = background != NULL ? background->format : OCT_SAMPLE_F32;
  plan->pass = (OctCudaPass){
    .rows = { .lines = get_lines (plan) / plan->bscans,
        .samples = fft != NULL ? fft->samples : nufft->samples },
    .bscans = plan->bscans,
    .is_complex = plan->dispersion != NULL,
    .sample_size = (guint)oct_sample_format_size (plan->format),
    .mode = OCT_CUDA_BACKGROUND_TABLE,
    .method = cuda_pass_method (plan->resample),
    .depth_start = fft != NULL ? fft->depth_start : 0,
    .depth_bins = bins,
    .band_factor = (guint32)(G_MAXUINT32 / bins + 1),
  };
  if (background == NULL || !background->found)
    return;
  if (oct_background_modes[background->mode].terms > 0) {
    plan->pass.sample_size = sizeof (float);
    /* rows of whole chunks */
    plan->spectra_row = (background->samples + 7) / 8 * 8 * sizeof (float);
  } else {
    plan->pass.is_complete = TRUE;
    plan->pass.mode =
        oct_cuda_found_mode (background->mode, background->format);
    plan->pass.table_step =
        OCT_MEAN_SIZE (plan->pass.rows.samples, plan->pass.rows.lines);
  }
}

/* FALSE when there is no kernel. */
static gboolean
cuda_pass_make_transform (OctPlan *plan)
{
  int fits = 0;

  if (plan->nufft != NULL)
    return make_gridding (plan);
  return oct_cuda_pass_prepare (&plan->pass, &fits) == cudaSuccess && fits
         && make_positions (plan) && cuda_pass_make_turns (plan);
}

static OctPlan *
sensing_create (const OctStep *const *steps, guint n, guint bscans)
{
  OctCudaCsPass *sensing = oct_cuda_cs_pass_new (steps, n, bscans);
  OctPlan *plan;

  if (sensing == NULL)
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->sensing = sensing;
  return plan;
}

static OctPlan *
cuda_pass_fused_create (
    const OctStep *const *steps, guint n, guint bscans, OctOperation last)
{
  OctPlan *plan;

  if (last == OCT_OPERATION_CS)
    return sensing_create (steps, n, bscans);
  if (last != OCT_OPERATION_LOGSCALE && last != OCT_N_OPERATIONS)
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->overlap = oct_cuda_can_overlap ();
  if (!take_steps (plan, steps, n)) {
    cuda_pass_fused_destroy (plan);
    return NULL;
  }
  plan->bscans = cuda_pass_is_apart (plan, last) ? bscans : 1;
  if (!cuda_pass_is_known (plan)) {
    cuda_pass_fused_destroy (plan);
    return NULL;
  }
  cuda_pass_describe (plan);
  if (!cuda_pass_make_transform (plan) || !make_stored (plan)
      || !cuda_pass_make_spectra (plan)
      || (last == OCT_OPERATION_LOGSCALE
          && !(make_statistics (plan) && make_powers (plan)))) {
    cuda_pass_fused_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
upload_tables (OctPlan *plan, gpointer stream, GError **error)
{
  return oct_cuda_table_upload (&plan->positions, NAME, stream, error)
         && oct_cuda_table_upload (&plan->taps, NAME, stream, error)
         && oct_cuda_table_upload (&plan->turns, NAME, stream, error)
         && oct_cuda_table_upload (&plan->stored, NAME, stream, error)
         && oct_cuda_table_upload (&plan->statistics, NAME, stream, error);
}

static gboolean
cuda_pass_launch (
    OctPlan *plan, OctCudaPass *pass, OctCudaQueue queue, GError **error)
{
  OctCudaNufftPass more = { plan->turns.device, plan->scale };
  OctCudaFused fused;

  if (plan->nufft == NULL)
    return oct_cuda_check (oct_cuda_launch_pass (pass, queue), NAME, error);
  if (!oct_cuda_nufft_prepare (plan->gridding, &queue, error))
    return FALSE;
  oct_cuda_nufft_describe (plan->gridding, &fused);
  return oct_cuda_check (
      oct_cuda_launch_nufft_pass (pass, &fused, &more, queue), NAME, error);
}

static gboolean
check_input (OctPlan *plan, const OctFrame *in, gpointer stream, GError **error)
{
  gsize size = oct_sample_format_size (plan->format);

  return oct_cuda_check_plane (
             &in->planes[0], plan->pass.rows.samples * size, size, error)
         && (plan->background == NULL || !plan->background->found
             || oct_cuda_check_found (&in->planes[1], error))
         && upload_tables (plan, stream, error);
}

/* To spectra of the plan, which the pass takes instead. */
static gboolean
remove_fitted (
    OctPlan *plan, OctCudaPass *pass, OctCudaQueue queue, GError **error)
{
  guint samples = pass->rows.samples, lines = pass->rows.lines;
  OctFrame all = { { { (gpointer)pass->rows.in, pass->rows.in_stride },
      { (gpointer)pass->table, 0 } } };
  OctFrame to = { { { plan->spectra, plan->spectra_row } } };

  for (guint bscan = 0; bscan < pass->bscans; bscan++) {
    OctFrame from = oct_frame_get_bscan (
        &all, bscan, lines, OCT_MEAN_SIZE (samples, lines));
    OctCudaBackground background = { .rows = pass->rows,
      .sample_size = (guint)oct_sample_format_size (plan->format),
      .mode = OCT_CUDA_BACKGROUND_TABLE,
      .table = from.planes[1].data,
      .fits = (gconstpointer)((const guint8 *)from.planes[1].data
                              + OCT_MEAN_FITS (samples)),
      .bscans = 1 };

    background.rows.in = from.planes[0].data;
    background.rows.out =
        oct_frame_get_bscan (&to, bscan, lines, 0).planes[0].data;
    background.rows.out_stride = plan->spectra_row;
    if (!oct_cuda_check (
            oct_cuda_launch_background (&background, queue), NAME, error))
      return FALSE;
  }
  pass->rows.in = plan->spectra;
  pass->rows.in_stride = plan->spectra_row;
  pass->table = NULL;
  return TRUE;
}

/* As many B-scans, or A-lines if their B-scans do not differ, as there are. */
static OctCudaPass
get_pass (const OctPlan *plan, const OctFrame *in)
{
  OctCudaPass pass = plan->pass;

  pass.bscans = oct_frame_count_bscans (in, pass.rows.lines, plan->bscans);
  pass.rows.lines = oct_frame_count_lines (in, pass.rows.lines);
  return pass;
}

/* The pass over all B-scans, without the map after it. */
static gboolean
run_pass (OctPlan *plan, OctCudaPass *pass, const OctFrame *in, gpointer stream,
    GError **error)
{
  OctCudaQueue queue = { stream, plan->overlap };

  pass->rows.in = in->planes[0].data;
  pass->rows.in_stride = in->planes[0].stride;
  if (plan->background != NULL && plan->background->found)
    pass->table = in->planes[1].data;
  if (plan->spectra != NULL && !remove_fitted (plan, pass, queue, error))
    return FALSE;
  return cuda_pass_launch (plan, pass, queue, error);
}

/* To A-scans. */
static gboolean
run_to_ascans (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  OctCudaPass pass = get_pass (plan, in);

  if (!oct_cuda_check_plane (&out->planes[0], pass.depth_bins * sizeof (float2),
          sizeof (float2), error)
      || !check_input (plan, in, stream, error))
    return FALSE;
  pass.rows.out = out->planes[0].data;
  pass.rows.out_stride = out->planes[0].stride;
  return run_pass (plan, &pass, in, stream, error);
}

static OctCudaStatistics *
get_statistics (const OctPlan *plan, guint turn)
{
  OctCudaStatistics *statistics = plan->statistics.device;

  return &statistics[(gsize)(turn % TURNS) * plan->bscans];
}

/* To powers and what the plan of logscale needs of them. */
static gboolean
run_to_powers (OctPlan *plan, Turn *turn, const OctFrame *in,
    const OctPlan *logscale, gpointer stream, GError **error)
{
  OctCudaPass pass = get_pass (plan, in);

  if (!check_input (plan, in, stream, error))
    return FALSE;
  turn->find = oct_cuda_logscale_get_find (logscale);
  turn->statistics = plan->next_statistics;
  pass.rows.out = turn->powers;
  pass.rows.out_stride = plan->row;
  pass.to_power = TRUE;
  pass.find = turn->find;
  pass.statistics = get_statistics (plan, turn->statistics);
  if (!run_pass (plan, &pass, in, stream, error))
    return FALSE;
  if (turn->find != OCT_CUDA_FIND_NOTHING)
    plan->next_statistics = (turn->statistics + 1) % TURNS;
  return TRUE;
}

static gboolean
map_powers (OctPlan *plan, const Turn *turn, guint bscans, OctPlan *logscale,
    const OctFrame *out, gpointer stream, GError **error)
{
  OctCudaPowers powers = { turn->powers, plan->row, bscans, turn->find,
    get_statistics (plan, turn->statistics),
    get_statistics (plan, turn->statistics + TURNS - 1), plan->bscans };

  return oct_cuda_logscale_map (logscale, &powers, out, stream, error);
}

static gboolean
cuda_pass_check_images (const OctPlan *plan, guint bscans,
    const OctPlan *logscale, const OctFrame *out, GError **error)
{
  return oct_cuda_logscale_check (logscale, bscans, plan->pass.rows.lines,
      plan->pass.depth_bins, out, error);
}

static gboolean
cuda_pass_fused_run (OctPlan *plan, const OctFrame *in, OctPlan *last,
    const OctFrame *out, gpointer stream, GError **error)
{
  Turn *turn = &plan->between;
  guint bscans;

  if (plan->sensing != NULL)
    return oct_cuda_cs_pass_run (plan->sensing, in, last, out, stream, error);
  if (last == NULL)
    return run_to_ascans (plan, in, out, stream, error);
  bscans = oct_frame_count_bscans (in, plan->pass.rows.lines, plan->bscans);
  return cuda_pass_check_images (plan, bscans, last, out, error)
         && run_to_powers (plan, turn, in, last, stream, error)
         && map_powers (plan, turn, bscans, last, out, stream, error);
}

const OctFusedTable oct_cuda_fused = {
  .create = cuda_pass_fused_create,
  .run = cuda_pass_fused_run,
  .destroy = cuda_pass_fused_destroy,
};
