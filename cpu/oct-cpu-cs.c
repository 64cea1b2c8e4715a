/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing along the A-line (oct-cs.h): plans, and B-scans in
 * blocks of A-lines side by side.
 */
#include "oct-cpu-cs-solver.h"
#include "oct-cpu-private.h"
#include "oct-cpu-solve.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

struct _OctPlan {
  /* nodes and window are in `kept_at`, column is below; lines: of one B-scan */
  OctCsParams params;
  guint threads;
  OctCpuCsOperator op;
  guint32 *column; /* [kept] */
  double *kept_at; /* [2][kept] nodes and window */
  double gain;     /* sigma_A / noise of the samples */
  float sigma;     /* sigma_A of this B-scan, or its lower bound */
  float *levels;   /* [OCT_CS_NOISE_LINES] sigma_A of some A-lines */
  double found;    /* noise of the last B-scan, counts */
  /* [threads][scratch_size], see cpu_cs_divide_scratch() */
  guint8 *scratch;
  gsize scratch_size;
};

/* The scratch of one thread. */
typedef struct {
  OctCpuCsBlock block;
  float *unused; /* [depth_bins][2], output of unused lanes */
} Scratch;

OCT_VECTORISED static void
gather_rows (const float *const *lines, guint count, float *rows)
{
  oct_lanes_gather (lines, count, rows);
}

/* Reads the A-lines if they are not rows in memory. */
typedef struct {
  OctCpuSolveRead read;
  gpointer data;
} Source;

static void
read_block (const OctCpuLoop *loop, const guint *lines, guint thread,
    const OctCpuCsBlock *block)
{
  const OctPlan *plan = loop->plan;
  const Source *source = loop->extra;
  const float *rows[OCT_LANES];

  if (source != NULL) {
    source->read (source->data, lines, thread, block->rows);
    return;
  }
  for (guint lane = 0; lane < OCT_LANES; lane++)
    rows[lane] = oct_cpu_row (loop->from, lines[lane]);
  gather_rows (rows, plan->params.columns * plan->op.parts, block->rows);
}

/* ------------------------------------------------------------------ noise */

static gsize
cpu_cs_divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  const OctCsParams *p = &plan->params;
  gsize size =
      oct_cpu_cs_block_divide (&plan->op, p->columns, base, &scratch->block);

  scratch->unused = (gpointer)(base + size);
  return size + oct_cpu_pad ((gsize)p->depth_bins * 2 * sizeof (float));
}

static void
measure_blocks (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;
  const OctCpuCsSolve solve = { OCT_CS_PERSISTENT, OCT_CS_NOISE_STEPS, 0, 0 };
  guint n = MIN (plan->params.lines, OCT_CS_NOISE_LINES);
  guint lines[OCT_LANES];
  Scratch scratch;

  cpu_cs_divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint start = first * OCT_LANES; start < end * OCT_LANES;
       start += OCT_LANES) {
    guint count = MIN (n - start, OCT_LANES);
    for (guint lane = 0; lane < OCT_LANES; lane++) {
      gsize i = start + MIN (lane, count - 1);
      lines[lane] = (guint)((2 * i + 1) * plan->params.lines / (2 * n));
    }
    read_block (loop, lines, thread, &scratch.block);
    oct_cpu_cs_block_solve (&plan->op, plan->column, &solve, &scratch.block);
    memcpy (plan->levels + start, scratch.block.noise,
        count * sizeof *plan->levels);
  }
}

/* Returns sigma_A from the levels; stores the noise of the samples. */
static double
take_levels (OctPlan *plan)
{
  double sigma = oct_cs_noise_median (
      plan->levels, MIN (plan->params.lines, OCT_CS_NOISE_LINES));

  /* gain 0: no light is used, and the noise is 0 */
  plan->found = plan->gain > 0 ? sigma / plan->gain : 0;
  return sigma;
}

/* Computes sigma_A for the solver. */
static void
begin_noise (OctCpuLoop *loop, guint threads)
{
  OctPlan *plan = loop->plan;
  guint n = MIN (plan->params.lines, OCT_CS_NOISE_LINES);

  plan->sigma = (float)(plan->params.noise * plan->gain);
  plan->found = 0;
  if (plan->params.noise > 0 || plan->params.solver == OCT_CS_PERSISTENT)
    return;
  oct_parallel_for (
      (n + OCT_LANES - 1) / OCT_LANES, 1, threads, measure_blocks, loop);
  plan->sigma = (float)take_levels (plan);
}

/* ------------------------------------------------------------------ plans */

static void
cpu_cs_destroy (OctPlan *plan)
{
  oct_cpu_cs_operator_clear (&plan->op);
  oct_cpu_free (plan->column);
  oct_cpu_free (plan->kept_at);
  oct_cpu_free (plan->levels);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

/* Whether the tables of the plan are valid for these parameters too. */
static gboolean
same_tables (const OctPlan *plan, const OctCsParams *params)
{
  const OctCsParams *old = &plan->params;
  gsize size = params->kept * sizeof (double);

  return old->format == params->format && old->samples == params->samples
         && old->kept == params->kept && old->transform == params->transform
         && old->kernel == params->kernel && old->grid == params->grid
         && old->width == params->width && old->columns == params->columns
         && old->depth_bins == params->depth_bins
         && memcmp (old->nodes, params->nodes, size) == 0
         && memcmp (old->window, params->window, size) == 0;
}

static gboolean
copy_samples (OctPlan *plan, const OctCsParams *params, GError **error)
{
  gsize size = params->kept * sizeof (double);

  oct_cpu_free (plan->column);
  oct_cpu_free (plan->kept_at);
  plan->kept_at = NULL;
  plan->column = oct_cpu_alloc (params->kept, sizeof *plan->column, error);
  if (plan->column == NULL || !(plan->kept_at = oct_cpu_alloc (2, size, error)))
    return FALSE;
  memcpy (plan->column, params->column, params->kept * sizeof *plan->column);
  plan->params.nodes = memcpy (plan->kept_at, params->nodes, size);
  plan->params.window =
      memcpy (plan->kept_at + params->kept, params->window, size);
  return TRUE;
}

static gboolean
cpu_cs_set_params (OctPlan *plan, const OctCsParams *params, GError **error)
{
  gboolean keep = plan->scratch != NULL && same_tables (plan, params);
  Scratch scratch;

  plan->params = *params;
  plan->params.column = NULL;
  plan->params.bscans = OCT_BSCANS (params);
  plan->params.lines = params->lines / plan->params.bscans;
  plan->gain = oct_cs_noise_gain (params);
  if (!copy_samples (plan, params, error))
    return FALSE;
  if (keep)
    return TRUE;
  oct_cpu_free (plan->scratch);
  plan->scratch = NULL;
  if (!oct_cpu_cs_operator_set (&plan->op, params, error))
    return FALSE;
  plan->scratch_size = cpu_cs_divide_scratch (plan, NULL, &scratch);
  plan->scratch = oct_cpu_alloc (plan->threads, plan->scratch_size, error);
  /* bins between the runs of modes always stay zero */
  if (plan->scratch != NULL)
    memset (plan->scratch, 0, plan->threads * plan->scratch_size);
  return plan->scratch != NULL;
}

static OctPlan *
cpu_cs_create (gconstpointer params, GError **error)
{
  OctPlan *plan;

  if (!oct_cs_check (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->threads = oct_backend_cpu_get_threads ();
  plan->levels =
      oct_cpu_alloc (OCT_CS_NOISE_LINES, sizeof *plan->levels, error);
  if (plan->levels == NULL || !cpu_cs_set_params (plan, params, error)) {
    cpu_cs_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
cpu_cs_update (OctPlan *plan, gconstpointer data)
{
  const OctCsParams *params = data;

  return oct_cs_check (params, NULL) && cpu_cs_set_params (plan, params, NULL);
}

OCT_VECTORISED static void
scatter_modes (const float *modes, guint count, float *const *lines)
{
  oct_lanes_scatter_all (modes, count, lines);
}

static void
solve_block (
    const OctCpuLoop *loop, guint start, guint thread, Scratch *scratch)
{
  const OctPlan *plan = loop->plan;
  const OctCsParams *p = &plan->params;
  OctCpuCsBlock *block = &scratch->block;
  gsize at = plan->op.runs[plan->op.n_runs - 1].start + p->depth_start;
  OctCpuCsSolve solve = { p->solver, p->iterations, plan->sigma,
    (float)p->tau };
  guint lines[OCT_LANES];
  float *out[OCT_LANES];

  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint line = MIN (start + lane, p->lines - 1);
    lines[lane] = line;
    out[lane] =
        line == start + lane ? oct_cpu_row (loop->to, line) : scratch->unused;
  }
  read_block (loop, lines, thread, block);
  oct_cpu_cs_block_solve (&plan->op, plan->column, &solve, block);
  scatter_modes (block->x + at * 2 * OCT_LANES, 2 * p->depth_bins, out);
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    gint place = oct_cs_noise_place (lines[lane], p->lines);
    if (place >= 0 && p->solver == OCT_CS_PERSISTENT)
      plan->levels[place] = block->noise[lane];
    for (gsize i = 0; !block->finite[lane] && i < 2 * (gsize)p->depth_bins; i++)
      out[lane][i] = NAN;
  }
}

static void
solve_blocks (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;
  Scratch scratch;

  cpu_cs_divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint i = first; i < end; i++)
    solve_block (loop, i * OCT_LANES, thread, &scratch);
}

static void
run_loop (OctCpuLoop *loop, guint threads)
{
  OctPlan *plan = loop->plan;

  begin_noise (loop, threads);
  oct_parallel_for ((plan->params.lines + OCT_LANES - 1) / OCT_LANES, 1,
      threads, solve_blocks, loop);
  if (plan->params.solver == OCT_CS_PERSISTENT)
    take_levels (plan);
}

static void
cpu_cs_run_bscan (OctPlan *plan, const OctFrame *in, const OctFrame *out)
{
  OctCpuLoop loop = {
    .plan = plan, .from = &in->planes[0], .to = &out->planes[0]
  };

  run_loop (&loop, oct_cpu_threads (plan->threads));
}

gboolean
oct_cpu_solve_check (const OctPlan *plan, guint bscans,
    const OctStepShape *shape, const OctFrame *out, GError **error)
{
  const OctCsParams *p = &plan->params;

  if (p->format == shape->format && p->columns == shape->values
      && p->lines == shape->rows && p->bscans == bscans)
    return oct_cpu_check_plane (
        &out->planes[0], p->depth_bins * 2 * sizeof (float), error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "Compressive sensing is for %u B-scans of %u A-lines of %u samples where "
      "there are %u of %u of %u",
      p->bscans, p->lines, p->columns, bscans, shape->rows, shape->values);
  return FALSE;
}

void
oct_cpu_solve (OctPlan *plan, guint threads, OctCpuSolveRead read,
    gpointer data, const OctFrame *out)
{
  Source source = { read, data };
  OctCpuLoop loop = { .plan = plan, .to = &out->planes[0], .extra = &source };

  run_loop (&loop, MIN (threads, oct_cpu_threads (plan->threads)));
}

static gboolean
cpu_cs_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  guint lines = plan->params.lines;
  guint bscans = oct_frame_count_bscans (in, lines, plan->params.bscans);
  gsize value = plan->op.parts * sizeof (float);

  if (!oct_cpu_check_plane (from, plan->params.columns * value, error)
      || !oct_cpu_check_plane (
          to, plan->params.depth_bins * 2 * sizeof (float), error))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame one_in = oct_frame_get_bscan (in, bscan, lines, 0);
    OctFrame one_out = oct_frame_get_bscan (out, bscan, lines, 0);

    cpu_cs_run_bscan (plan, &one_in, &one_out);
  }
  return TRUE;
}

static double
cpu_cs_get_found (OctPlan *plan)
{
  return plan->found;
}

const OctOperationTable oct_cpu_cs = {
  .create = cpu_cs_create,
  .update = cpu_cs_update,
  .run = cpu_cs_run,
  .get_found = cpu_cs_get_found,
  .destroy = cpu_cs_destroy,
};
