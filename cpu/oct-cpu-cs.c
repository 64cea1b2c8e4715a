/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing along the A-line (core/oct-cs.h): SpaRSA on one A-line
 * after the other, in scratch that stays in the cache.  A step is two FFTs, a
 * band of a matrix between them, and two passes over the modes.
 */
#include "oct-cpu-cs.h"
#include "oct-cpu-private.h"
#include "oct-cpu-vector.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

struct _OctPlan {
  OctCsParams params; /* nodes and window are `kept_at`, column is below */
  guint threads;
  OctCpuCsOperator op;
  guint32 *column; /* [kept] */
  double *kept_at; /* [2][kept] nodes and window */
  float threshold; /* of this B-scan */
  float *levels;   /* [OCT_CS_NOISE_LINES] sigma_A of some A-lines */
  guint8 *scratch; /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
};

/* The scratch of one thread: an A-line in work. */
typedef struct {
  OctCpuCsScratch op;
  float *b, *x, *tx, *next, *tnext; /* iterates */
  float *squares;                   /* [N/2 + 1] */
  float step;
} Line;

/* ----------------------------------------------------------------- solver */

/* next = soft (x - inverse (tx - b), threshold); placed = factors next; returns
 * |next - x|^2 */
OCT_VECTORISED static double
shrink (gsize count, const float *x, const float *tx, const float *b,
    const float *factors, float inverse, float threshold, float *next,
    float *placed)
{
  OctVector sum = { 0 };
  double total = 0;

  for (gsize i = 0; i < count; i += OCT_VECTOR) {
    OctVector old = *(const OctVector *)(x + i);
    OctVector u =
        old
        - inverse
              * (*(const OctVector *)(tx + i) - *(const OctVector *)(b + i));
    OctVector square = u * u, size, change;
    square += OCT_PICK (square, square, 1, 0, 3, 2, 5, 4, 7, 6);
    for (guint k = 0; k < OCT_VECTOR; k++)
      size[k] = sqrtf (square[k]);
    /* no number is above no other: it stays what it is, times 0 */
    u *= (OctVector)((OctSelection)(1 - threshold / size) & (size > threshold));
    change = u - old;
    sum += change * change;
    *(OctVector *)(next + i) = u;
    *(OctVector *)(placed + i) = u * *(const OctVector *)(factors + i);
  }
  for (guint k = 0; k < OCT_VECTOR; k++)
    total += sum[k];
  return total;
}

/* <next - x, tnext - tx> */
OCT_VECTORISED static double
product (gsize count, const float *x, const float *next, const float *tx,
    const float *tnext)
{
  OctVector sum = { 0 };
  double total = 0;

  for (gsize i = 0; i < count; i += OCT_VECTOR)
    sum += (*(const OctVector *)(next + i) - *(const OctVector *)(x + i))
           * (*(const OctVector *)(tnext + i) - *(const OctVector *)(tx + i));
  for (guint k = 0; k < OCT_VECTOR; k++)
    total += sum[k];
  return total;
}

/* What the mode at `at` adds to the product above. */
static double
product_at (const float *x, const float *next, const float *tx,
    const float *tnext, gsize at)
{
  double sum = 0;

  for (gsize i = at; i < at + 2; i++)
    sum += ((double)next[i] - x[i]) * ((double)tnext[i] - tx[i]);
  return sum;
}

/* Norms of real A-lines: modes that have a partner count twice. */
static double
count_partners (const OctCpuCsOperator *op, const float *x, const float *next,
    const float *tx, const float *tnext, double sum)
{
  gsize last = 2 * ((gsize)op->runs[0].modes - 1);

  if (op->parts == 2)
    return sum;
  sum = 2 * sum - product_at (x, next, tx, tnext, 0);
  if (op->tables.nyquist)
    sum -= product_at (x, next, tx, tnext, last);
  return sum;
}

/* One SpaRSA step. */
static void
iterate (const OctCpuCsOperator *op, Line *line, float threshold)
{
  float inverse = 1 / line->step;
  double norm = 0, rise = 0;
  float *swap;

  for (guint r = 0; r < op->n_runs; r++) {
    const OctCpuCsRun *run = &op->runs[r];
    norm += shrink (run->values, line->x + run->start, line->tx + run->start,
        line->b + run->start, op->before + run->start, inverse,
        threshold * inverse, line->next + run->start,
        (float *)(line->op.placed + run->place));
  }
  oct_cpu_cs_apply (op, &line->op, line->tnext);
  for (guint r = 0; r < op->n_runs; r++) {
    gsize start = op->runs[r].start;
    rise += product (op->runs[r].values, line->x + start, line->next + start,
        line->tx + start, line->tnext + start);
  }
  norm = count_partners (op, line->x, line->next, line->x, line->next, norm);
  rise = count_partners (op, line->x, line->next, line->tx, line->tnext, rise);
  if (norm > 0)
    line->step = CLAMP ((float)(rise / norm), OCT_CS_STEP_MIN, OCT_CS_STEP_MAX);
  else
    line->step = OCT_CS_STEP_MAX;
  swap = line->x;
  line->x = line->next;
  line->next = swap;
  swap = line->tx;
  line->tx = line->tnext;
  line->tnext = swap;
}

/* x = 0; FALSE when a sample is no finite number. */
static gboolean
start_line (const OctPlan *plan, Line *line, const float *row)
{
  gsize iterate = plan->op.iterate;
  float check = 0;

  oct_cpu_cs_adjoint (&plan->op, &line->op, plan->column, row, line->b);
  memset (line->x, 0, iterate * sizeof (float));
  memset (line->tx, 0, iterate * sizeof (float));
  line->step = 1;
  for (gsize i = 0; i < iterate; i++)
    check += 0 * line->b[i];
  return check == 0;
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

/* (median of |T x - b|^2 / ln 2)^1/2 over the deeper half */
static float
measure_level (const OctPlan *plan, const Line *line)
{
  guint first = plan->params.samples / 4;
  guint count = (plan->params.samples + 1) / 2 - first;

  for (guint i = 0; i < count; i++) {
    gsize at = 2 * ((gsize)first + i);
    float re = line->tx[at] - line->b[at];
    float im = line->tx[at + 1] - line->b[at + 1];
    line->squares[i] = re * re + im * im;
    if (!isfinite (line->squares[i]))
      return NAN;
  }
  return sqrtf (
      select_rank (line->squares, count, (count - 1) / 2) / (float)G_LN2);
}

static gsize
divide_scratch (const OctPlan *plan, guint8 *base, Line *line)
{
  gsize iterate = plan->op.iterate * sizeof (float);
  gsize size = oct_cpu_cs_divide (&plan->op, base, &line->op);
  float **all[] = { &line->b, &line->x, &line->tx, &line->next, &line->tnext };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++, size += iterate)
    *all[i] = (gpointer)(base + size);
  line->squares = (gpointer)(base + size);
  return size + oct_cpu_pad ((plan->params.samples / 2 + 1) * sizeof (float));
}

static void
measure_lines (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;
  guint n = MIN (plan->params.lines, OCT_CS_NOISE_LINES);
  Line line;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &line);
  for (guint i = first; i < end; i++) {
    gsize at = ((gsize)2 * i + 1) * plan->params.lines / (2 * n);
    float level = NAN;
    if (start_line (plan, &line, oct_cpu_row (loop->from, at))) {
      level = measure_level (plan, &line);
      for (guint k = 0; k < OCT_CS_NOISE_STEPS && isfinite (level); k++) {
        iterate (&plan->op, &line, (float)OCT_CS_NOISE_TAU * level);
        level = measure_level (plan, &line);
      }
    }
    plan->levels[i] = level;
  }
}

static float
estimate_noise (OctCpuLoop *loop)
{
  OctPlan *plan = loop->plan;
  guint n = MIN (plan->params.lines, OCT_CS_NOISE_LINES), count = 0;

  oct_parallel_for (n, 1, oct_cpu_threads (plan->threads), measure_lines, loop);
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
         && old->width == params->width
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
  Line line;

  plan->params = *params;
  plan->params.column = NULL;
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
  plan->scratch_size = divide_scratch (plan, NULL, &line);
  plan->scratch = oct_cpu_alloc (plan->threads, plan->scratch_size, error);
  /* what fills up runs of modes and lies between them is zero for good */
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

static void
solve_lines (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;
  const OctCsParams *p = &plan->params;
  Line line;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &line);
  for (guint at = first; at < end; at++) {
    float *out = oct_cpu_row (loop->to, at);
    if (start_line (plan, &line, oct_cpu_row (loop->from, at))) {
      for (guint k = 0; k < p->iterations; k++)
        iterate (&plan->op, &line, plan->threshold);
      memcpy (out, line.x + 2 * (gsize)p->depth_start,
          p->depth_bins * sizeof (fftwf_complex));
    } else {
      for (gsize i = 0; i < 2 * (gsize)p->depth_bins; i++)
        out[i] = NAN;
    }
  }
}

static gboolean
cs_run (OctPlan *plan, const OctFrame *in, const OctFrame *out, gpointer stream,
    GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan, .from = from, .to = to };
  gsize value = plan->op.parts * sizeof (float);

  if (!oct_cpu_check_plane (from, plan->params.columns * value, error)
      || !oct_cpu_check_plane (
          to, plan->params.depth_bins * sizeof (fftwf_complex), error))
    return FALSE;
  if (plan->params.noise == 0)
    plan->threshold = (float)plan->params.tau * estimate_noise (&loop);
  oct_parallel_for (plan->params.lines, OCT_CPU_GRAIN,
      oct_cpu_threads (plan->threads), solve_lines, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_cs = {
  .name = "compressive sensing",
  .create = cs_create,
  .update = cs_update,
  .run = cs_run,
  .destroy = cs_destroy,
};
