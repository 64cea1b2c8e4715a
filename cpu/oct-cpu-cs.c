/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing along the A-line (core/oct-cs.h): SpaRSA on blocks of
 * A-lines side by side, each with a step of its own.  An iteration is two FFTs,
 * a band of a matrix between them, and two passes over the modes.
 */
#include "oct-cpu-cs.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-cpu-solve.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define VECTORS (OCT_LANES / OCT_VECTOR)
/* modes that are added up in single precision */
#define SUM_MODES 32

struct _OctPlan {
  /* nodes and window are `kept_at`, column is below; lines: of one B-scan */
  OctCsParams params;
  guint threads;
  OctCpuCsOperator op;
  guint32 *column; /* [kept] */
  double *kept_at; /* [2][kept] nodes and window */
  float threshold; /* of this B-scan */
  float *levels;   /* [OCT_CS_NOISE_LINES] sigma_A of some A-lines */
  guint8 *scratch; /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
};

/* The scratch of one thread: A-lines in work. */
typedef struct {
  OctCpuCsScratch op;
  float *rows;                /* [columns][parts][lane] */
  float *b, *x, *tx, *change; /* iterates */
  float *squares;             /* [N/2 + 1] of one A-line */
  float *unused;              /* [depth_bins][2] of no A-line */
  float step[OCT_LANES];
  gboolean finite[OCT_LANES];
} Block;

/* ----------------------------------------------------------------- solver */

/* Of each lane. */
typedef struct {
  float inverse[OCT_LANES], threshold[OCT_LANES];
} Shrinking;

/* x' = soft (x - inverse (tx - b), threshold), change = x' - x, of some modes
 * of one vector of lanes; *total is the sum of |change|^2 */
OCT_INLINE void
shrink_some (const Block *block, guint first, guint count, guint lane,
    const Shrinking *shrinking, OctVector *total)
{
  OctVector inverse = *(const OctVector *)(shrinking->inverse + lane);
  OctVector threshold = *(const OctVector *)(shrinking->threshold + lane);
  OctVector sum = { 0 };

  for (guint i = first; i < first + count; i++) {
    gsize at = (gsize)i * 2 * OCT_LANES + lane;
    OctVector u[2], old[2], size, factor;
    for (guint part = 0; part < 2; part++) {
      gsize here = at + part * OCT_LANES;
      OctVector rest = *(const OctVector *)(block->tx + here)
                       - *(const OctVector *)(block->b + here);
      old[part] = *(const OctVector *)(block->x + here);
      u[part] = old[part] - inverse * rest;
    }
    factor = u[0] * u[0] + u[1] * u[1];
    for (guint k = 0; k < OCT_VECTOR; k++)
      size[k] = sqrtf (factor[k]);
    /* no number is above no other: it stays what it is, times 0 */
    factor =
        (OctVector)((OctSelection)(1 - threshold / size) & (size > threshold));
    for (guint part = 0; part < 2; part++) {
      gsize here = at + part * OCT_LANES;
      OctVector value = u[part] * factor, change = value - old[part];
      sum += change * change;
      *(OctVector *)(block->x + here) = value;
      *(OctVector *)(block->change + here) = change;
    }
  }
  *total = sum;
}

/* Modes first .. first + count - 1; adds weight |change|^2 to norm[lane]. */
OCT_VECTORISED static void
shrink (const Block *block, guint first, guint count,
    const Shrinking *shrinking, double weight, double *norm)
{
  for (guint some; count > 0; first += some, count -= some) {
    some = MIN (count, SUM_MODES);
    for (guint lane = 0; lane < OCT_LANES; lane += OCT_VECTOR) {
      OctVector sum;
      shrink_some (block, first, some, lane, shrinking, &sum);
      for (guint k = 0; k < OCT_VECTOR; k++)
        norm[lane + k] += weight * sum[k];
    }
  }
}

/* One SpaRSA step. */
static void
iterate (const OctCpuCsOperator *op, Block *block, const float *thresholds)
{
  double norm[OCT_LANES] = { 0 }, rise[OCT_LANES] = { 0 };
  Shrinking shrinking;

  for (guint lane = 0; lane < OCT_LANES; lane++) {
    shrinking.inverse[lane] = 1 / block->step[lane];
    shrinking.threshold[lane] = thresholds[lane] * shrinking.inverse[lane];
  }
  if (op->parts == 2) {
    shrink (block, 0, op->modes, &shrinking, 1, norm);
  } else {
    /* modes that have a partner count twice */
    shrink (block, 0, 1, &shrinking, 1, norm);
    shrink (block, 1, op->paired - 1, &shrinking, 2, norm);
    shrink (block, op->paired, op->modes - op->paired, &shrinking, 1, norm);
  }
  oct_cpu_cs_apply (op, &block->op, block->change, block->tx, rise);
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    if (norm[lane] > 0)
      block->step[lane] = CLAMP (
          (float)(rise[lane] / norm[lane]), OCT_CS_STEP_MIN, OCT_CS_STEP_MAX);
    else
      block->step[lane] = OCT_CS_STEP_MAX;
  }
}

OCT_VECTORISED static void
gather_rows (const float *const *lines, guint count, float *rows)
{
  oct_lanes_gather (lines, count, rows);
}

/* Who has the A-lines, where they are no rows. */
typedef struct {
  OctCpuSolveRead read;
  gpointer data;
} Source;

static void
read_block (const OctCpuLoop *loop, const guint *lines, guint thread,
    const Block *block)
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

/* x = 0, and whether the samples of each A-line, which were read, are finite
 * numbers. */
static void
start_block (const OctPlan *plan, Block *block)
{
  gsize iterate = (gsize)plan->op.modes * 2 * OCT_LANES;
  float check[OCT_LANES] = { 0 };

  oct_cpu_cs_adjoint (
      &plan->op, &block->op, plan->column, block->rows, block->b);
  memset (block->x, 0, iterate * sizeof (float));
  memset (block->tx, 0, iterate * sizeof (float));
  for (gsize i = 0; i < iterate; i += OCT_LANES)
    for (guint lane = 0; lane < OCT_LANES; lane++)
      check[lane] += 0 * block->b[i + lane];
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    block->finite[lane] = check[lane] == 0;
    block->step[lane] = 1;
  }
}

/* ------------------------------------------------------------------ noise */

static void
swap_floats (float *a, float *b)
{
  float c = *a;

  *a = *b;
  *b = c;
}

/* The value that `rank` others precede in order; NaN has no order and must not
 * be among them. */
static float
select_rank (float *values, guint count, guint rank)
{
  guint low = 0, high = count - 1;

  while (low < high) {
    float pivot = values[low + (high - low) / 2];
    guint i = low, j = high;
    for (;; i++, j--) {
      while (values[i] < pivot)
        i++;
      while (values[j] > pivot)
        j--;
      if (i >= j)
        break;
      swap_floats (values + i, values + j);
    }
    if (rank <= j)
      high = j;
    else
      low = j + 1;
  }
  return values[rank];
}

/* lines[lane][i] = |T x - b|^2 of mode first + i */
OCT_VECTORISED static void
square_residuals (
    const Block *block, guint first, guint count, float *const *lines)
{
  float tile[OCT_LANES_CHUNK * OCT_LANES] __attribute__ ((aligned (64)));

  for (guint i = 0; i < count; i += OCT_LANES_CHUNK) {
    guint some = MIN (OCT_LANES_CHUNK, count - i);
    for (guint k = 0; k < some; k++) {
      const float *tx = block->tx + (gsize)(first + i + k) * 2 * OCT_LANES;
      const float *b = block->b + (gsize)(first + i + k) * 2 * OCT_LANES;
      for (guint lane = 0; lane < OCT_LANES; lane++) {
        float re = tx[lane] - b[lane];
        float im = tx[OCT_LANES + lane] - b[OCT_LANES + lane];
        tile[k * OCT_LANES + lane] = re * re + im * im;
      }
    }
    oct_lanes_scatter (tile, some, lines, i);
  }
}

/* (median / ln 2)^1/2, or NaN where one of them is not finite */
static float
measure_level (float *squares, guint count)
{
  for (guint i = 0; i < count; i++)
    if (!isfinite (squares[i]))
      return NAN;
  return sqrtf (select_rank (squares, count, (count - 1) / 2) / (float)G_LN2);
}

/* (median of |T x - b|^2 / ln 2)^1/2 over the deeper half */
static void
measure_levels (const OctPlan *plan, const Block *block, float *levels)
{
  guint first = plan->params.samples / 4;
  guint count = (plan->params.samples + 1) / 2 - first;
  /* of mode 0 */
  guint start = plan->op.runs[plan->op.n_runs - 1].start;
  float *lines[OCT_LANES];

  for (guint lane = 0; lane < OCT_LANES; lane++)
    lines[lane] = block->squares + (gsize)lane * count;
  square_residuals (block, start + first, count, lines);
  for (guint lane = 0; lane < OCT_LANES; lane++)
    levels[lane] =
        block->finite[lane] ? measure_level (lines[lane], count) : NAN;
}

static gsize
divide_scratch (const OctPlan *plan, guint8 *base, Block *block)
{
  const OctCsParams *p = &plan->params;
  gsize iterate = (gsize)plan->op.modes * 2 * OCT_LANES * sizeof (float);
  gsize size = oct_cpu_cs_divide (&plan->op, base, &block->op);
  float **all[] = { &block->b, &block->x, &block->tx, &block->change };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++, size += iterate)
    *all[i] = (gpointer)(base + size);
  block->rows = (gpointer)(base + size);
  size += (gsize)p->columns * plan->op.parts * OCT_LANES * sizeof (float);
  block->squares = (gpointer)(base + size);
  size +=
      oct_cpu_pad (((gsize)p->samples / 4 + 2) * OCT_LANES * sizeof (float));
  block->unused = (gpointer)(base + size);
  return size + oct_cpu_pad ((gsize)p->depth_bins * 2 * sizeof (float));
}

static void
measure_blocks (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;
  guint n = MIN (plan->params.lines, OCT_CS_NOISE_LINES);
  guint lines[OCT_LANES];
  float levels[OCT_LANES], thresholds[OCT_LANES];
  Block block;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &block);
  for (guint start = first * OCT_LANES; start < end * OCT_LANES;
       start += OCT_LANES) {
    guint count = MIN (n - start, OCT_LANES);
    for (guint lane = 0; lane < OCT_LANES; lane++) {
      gsize i = start + MIN (lane, count - 1);
      lines[lane] = (guint)((2 * i + 1) * plan->params.lines / (2 * n));
    }
    read_block (loop, lines, thread, &block);
    start_block (plan, &block);
    measure_levels (plan, &block, levels);
    for (guint k = 0; k < OCT_CS_NOISE_STEPS; k++) {
      for (guint lane = 0; lane < OCT_LANES; lane++)
        thresholds[lane] = (float)OCT_CS_NOISE_TAU * levels[lane];
      iterate (&plan->op, &block, thresholds);
      measure_levels (plan, &block, levels);
    }
    memcpy (plan->levels + start, levels, count * sizeof *levels);
  }
}

static float
estimate_noise (OctCpuLoop *loop, guint threads)
{
  OctPlan *plan = loop->plan;
  guint n = MIN (plan->params.lines, OCT_CS_NOISE_LINES), count = 0;

  oct_parallel_for (
      (n + OCT_LANES - 1) / OCT_LANES, 1, threads, measure_blocks, loop);
  for (guint i = 0; i < n; i++)
    if (isfinite (plan->levels[i]))
      plan->levels[count++] = plan->levels[i];
  return count > 0 ? select_rank (plan->levels, count, (count - 1) / 2) : 0;
}

/* ------------------------------------------------------------------ plans */

static void
cs_destroy (OctPlan *plan)
{
  oct_cpu_cs_operator_clear (&plan->op);
  oct_cpu_free (plan->column);
  oct_cpu_free (plan->kept_at);
  oct_cpu_free (plan->levels);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

/* Whether the tables of the plan serve for these parameters too. */
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
set_params (OctPlan *plan, const OctCsParams *params, GError **error)
{
  gboolean keep = plan->scratch != NULL && same_tables (plan, params);
  Block block;

  plan->params = *params;
  plan->params.column = NULL;
  plan->params.bscans = OCT_BSCANS (params);
  plan->params.lines = params->lines / plan->params.bscans;
  plan->threshold =
      (float)(params->tau * params->noise * oct_cs_noise_gain (params));
  if (!copy_samples (plan, params, error))
    return FALSE;
  if (keep)
    return TRUE;
  oct_cpu_free (plan->scratch);
  plan->scratch = NULL;
  if (!oct_cpu_cs_operator_set (&plan->op, params, error))
    return FALSE;
  plan->scratch_size = divide_scratch (plan, NULL, &block);
  plan->scratch = oct_cpu_alloc (plan->threads, plan->scratch_size, error);
  /* what lies between the runs of modes is zero for good */
  if (plan->scratch != NULL)
    memset (plan->scratch, 0, plan->threads * plan->scratch_size);
  return plan->scratch != NULL;
}

static OctPlan *
cs_create (gconstpointer params, GError **error)
{
  OctPlan *plan;

  if (!oct_cs_check (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->threads = oct_backend_cpu_get_threads ();
  plan->levels =
      oct_cpu_alloc (OCT_CS_NOISE_LINES, sizeof *plan->levels, error);
  if (plan->levels == NULL || !set_params (plan, params, error)) {
    cs_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
cs_update (OctPlan *plan, gconstpointer data)
{
  const OctCsParams *params = data;

  return oct_cs_check (params, NULL) && set_params (plan, params, NULL);
}

OCT_VECTORISED static void
scatter_modes (const float *modes, guint count, float *const *lines)
{
  oct_lanes_scatter_all (modes, count, lines);
}

static void
solve_block (const OctCpuLoop *loop, guint start, guint thread, Block *block)
{
  const OctPlan *plan = loop->plan;
  const OctCsParams *p = &plan->params;
  gsize at = plan->op.runs[plan->op.n_runs - 1].start + p->depth_start;
  guint lines[OCT_LANES];
  float *out[OCT_LANES], thresholds[OCT_LANES];

  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint line = MIN (start + lane, p->lines - 1);
    lines[lane] = line;
    out[lane] =
        line == start + lane ? oct_cpu_row (loop->to, line) : block->unused;
    thresholds[lane] = plan->threshold;
  }
  read_block (loop, lines, thread, block);
  start_block (plan, block);
  for (guint k = 0; k < p->iterations; k++)
    iterate (&plan->op, block, thresholds);
  scatter_modes (block->x + at * 2 * OCT_LANES, 2 * p->depth_bins, out);
  for (guint lane = 0; lane < OCT_LANES; lane++)
    for (gsize i = 0; !block->finite[lane] && i < 2 * (gsize)p->depth_bins; i++)
      out[lane][i] = NAN;
}

static void
solve_blocks (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;
  Block block;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &block);
  for (guint i = first; i < end; i++)
    solve_block (loop, i * OCT_LANES, thread, &block);
}

static void
run_loop (OctCpuLoop *loop, guint threads)
{
  OctPlan *plan = loop->plan;

  if (plan->params.noise == 0)
    plan->threshold = (float)plan->params.tau * estimate_noise (loop, threads);
  oct_parallel_for ((plan->params.lines + OCT_LANES - 1) / OCT_LANES, 1,
      threads, solve_blocks, loop);
}

static void
run_bscan (OctPlan *plan, const OctFrame *in, const OctFrame *out)
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
cs_run (OctPlan *plan, const OctFrame *in, const OctFrame *out, gpointer stream,
    GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  guint lines = plan->params.lines;
  gsize value = plan->op.parts * sizeof (float);

  if (!oct_cpu_check_plane (from, plan->params.columns * value, error)
      || !oct_cpu_check_plane (
          to, plan->params.depth_bins * 2 * sizeof (float), error))
    return FALSE;
  for (guint bscan = 0; bscan < plan->params.bscans; bscan++) {
    OctFrame one_in = oct_frame_get_bscan (in, bscan, lines, 0);
    OctFrame one_out = oct_frame_get_bscan (out, bscan, lines, 0);

    run_bscan (plan, &one_in, &one_out);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_cs = {
  .create = cs_create,
  .update = cs_update,
  .run = cs_run,
  .destroy = cs_destroy,
};
