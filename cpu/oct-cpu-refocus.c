/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes in focus at all depths: 16 depth planes at a time, side by side.  A
 * pass over the volume finds the phases between B-scans and the brightest planes;
 * if the focus is to be found, those planes are transformed once, and back for
 * each focus that is tried; then blocks of planes go through it on all cores.
 */
#include "oct-cpu-refocus-planes.h"
#include "oct-refocus.h"

#include <math.h>
#include <string.h>

G_STATIC_ASSERT (OCT_REFOCUS_PLANES <= OCT_LANES);

struct _OctPlan {
  OctRefocusParams params;
  guint bscans, lines; /* lines of one B-scan */
  guint threads;
  OctCpuPlanes planes;
  double *slopes, *phases; /* [bscans][lines] */
  double *powers;          /* [bscans][depth_bins] */
  double *products;        /* [bscans][2], of B-scans y and y - 1 */
  float *turns;            /* [bscans][2] */
  float *scratch;          /* [threads][scratch_size] */
  gsize scratch_size;      /* bytes */
  float *blocks;           /* [threads] blocks, [2] at least if automatic */
  double *sums;            /* [bscans][2][OCT_LANES], automatic */
  OctRefocusState state;   /* of the last volume */
  /* volume under way */
  const OctPlane *from, *to;
  guint chosen[OCT_REFOCUS_PLANES];
};

static void
cpu_refocus_destroy (OctPlan *plan)
{
  oct_cpu_planes_clear (&plan->planes);
  oct_cpu_free (plan->slopes);
  oct_cpu_free (plan->phases);
  oct_cpu_free (plan->powers);
  oct_cpu_free (plan->products);
  oct_cpu_free (plan->turns);
  oct_cpu_free (plan->scratch);
  oct_cpu_free (plan->blocks);
  oct_cpu_free (plan->sums);
  g_free (plan);
}

static gboolean
cpu_refocus_alloc (OctPlan *plan, GError **error)
{
  gsize values = (gsize)plan->bscans * plan->lines;
  struct {
    gpointer *memory;
    gsize count, size;
  } const parts[] = {
    { (gpointer *)&plan->slopes, values, sizeof (double) },
    { (gpointer *)&plan->phases, values, sizeof (double) },
    { (gpointer *)&plan->powers, plan->bscans,
        plan->params.depth_bins * sizeof (double) },
    { (gpointer *)&plan->products, 2 * (gsize)plan->bscans, sizeof (double) },
    { (gpointer *)&plan->turns, 2 * (gsize)plan->bscans, sizeof (float) },
    { (gpointer *)&plan->scratch, plan->threads, plan->scratch_size },
    { (gpointer *)&plan->blocks,
        plan->params.automatic ? MAX (2, plan->threads) : plan->threads,
        oct_cpu_planes_count (&plan->planes) * sizeof (float) },
    { (gpointer *)&plan->sums,
        plan->params.automatic ? plan->bscans * OCT_CPU_PLANES_VALUE : 1,
        sizeof (double) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    *parts[i].memory = oct_cpu_alloc (parts[i].count, parts[i].size, error);
    if (*parts[i].memory == NULL)
      return FALSE;
  }
  return TRUE;
}

static void
cpu_refocus_set_params (OctPlan *plan, const OctRefocusParams *params)
{
  plan->params = *params;
  plan->params.bscans = plan->bscans;
  plan->state = oct_refocus_begin (params);
  oct_refocus_fill_slopes (&plan->params, plan->slopes);
  oct_refocus_fill_phases (&plan->params, &plan->state, plan->phases);
}

static OctPlan *
cpu_refocus_create (gconstpointer data, GError **error)
{
  const OctRefocusParams *params = data;
  OctPlan *plan;

  if (!oct_check_refocus (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->bscans = OCT_BSCANS (params);
  plan->lines = params->lines / plan->bscans;
  /* more would have no planes to work on, and each has a block */
  plan->threads = MIN (oct_backend_cpu_get_threads (),
      (params->depth_bins + OCT_LANES - 1) / OCT_LANES);
  if (params->automatic)
    plan->threads = MAX (plan->threads, oct_backend_cpu_get_threads ());
  if (oct_cpu_planes_init (&plan->planes, plan->bscans, plan->lines, error)) {
    plan->scratch_size = oct_cpu_pad (oct_cpu_planes_scratch (&plan->planes));
    if (cpu_refocus_alloc (plan, error)) {
      cpu_refocus_set_params (plan, params);
      return plan;
    }
  }
  cpu_refocus_destroy (plan);
  return NULL;
}

static gboolean
cpu_refocus_update (OctPlan *plan, gconstpointer data)
{
  if (!oct_check_refocus (data, NULL)
      || !oct_refocus_is_same (&plan->params, data))
    return FALSE;
  cpu_refocus_set_params (plan, data);
  return TRUE;
}

static double
cpu_refocus_get_found (OctPlan *plan)
{
  return plan->state.is_found ? plan->state.focus : 0;
}

static gpointer
cpu_refocus_scratch (OctPlan *plan, guint thread)
{
  return (guint8 *)plan->scratch + thread * plan->scratch_size;
}

static float *
cpu_refocus_block (OctPlan *plan, guint index)
{
  return plan->blocks + index * oct_cpu_planes_count (&plan->planes);
}

/* ------------------------------------------------------------------ B-scans
 */

/* Adds a[y] conj a[y - 1] and the powers of an A-line. */
static void
cpu_refocus_add_line (const float *line, const float *before, guint bins,
    double *powers, double product[2])
{
  double re = 0, im = 0;

  for (guint q = 0; q < bins; q++) {
    float a = line[2 * q], b = line[2 * q + 1], c, d;
    float power = a * a + b * b;

    if (!(power <= OCT_FLOW_MOST))
      continue;
    powers[q] += power;
    if (before == NULL)
      continue;
    c = before[2 * q];
    d = before[2 * q + 1];
    if (!(c * c + d * d <= OCT_FLOW_MOST))
      continue;
    re += (double)a * c + (double)b * d;
    im += (double)b * c - (double)a * d;
  }
  product[0] += re;
  product[1] += im;
}

static void
cpu_refocus_add_bscans (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  guint bins = plan->params.depth_bins;

  for (guint y = first; y < end; y++) {
    double *powers = plan->powers + (gsize)y * bins;
    double *product = plan->products + 2 * y;

    memset (powers, 0, bins * sizeof (double));
    product[0] = product[1] = 0;
    for (guint x = 0; x < plan->lines; x++) {
      gsize row = (gsize)y * plan->lines + x;

      cpu_refocus_add_line (oct_cpu_row (plan->from, row),
          y > 0 ? oct_cpu_row (plan->from, row - plan->lines) : NULL, bins,
          powers, product);
    }
  }
}

/* Finds the turns of the B-scans and the planes that are searched. */
static void
cpu_refocus_look (OctPlan *plan)
{
  double re = 1, im = 0;
  guint bins = plan->params.depth_bins;

  oct_parallel_for (plan->bscans, 1, oct_cpu_threads (plan->threads),
      cpu_refocus_add_bscans, plan);
  for (guint y = 0; y < plan->bscans; y++) {
    double c = plan->products[2 * y], d = plan->products[2 * y + 1];
    double size = hypot (c, d);

    if (plan->params.align && y > 0 && size > 0) {
      double turned = (re * c + im * d) / size;

      im = (im * c - re * d) / size;
      re = turned;
      /* so that rounding does not add up */
      size = hypot (re, im);
      re /= size;
      im /= size;
    }
    plan->turns[2 * y] = (float)re;
    plan->turns[2 * y + 1] = (float)im;
    for (guint q = 0; y > 0 && q < bins; q++)
      plan->powers[q] += plan->powers[(gsize)y * bins + q];
  }
  oct_refocus_choose_planes (&plan->params, plan->powers, plan->chosen);
}

/* ------------------------------------------------------------------- search
 */

/* Block 0 has the spectra of the planes, block 1 a try. */
typedef struct {
  OctPlan *plan;
  const OctRefocusState *state;
} Try;

static void
cpu_refocus_multiply (float *value, double re, double im)
{
  float c = (float)re, s = (float)im;

  for (guint i = 0; i < OCT_LANES; i++) {
    float a = value[i], b = value[OCT_LANES + i];

    value[i] = a * c - b * s;
    value[OCT_LANES + i] = a * s + b * c;
  }
}

/* The planes as if the focus were at zero delay. */
static void
cpu_refocus_filter_planes (gconstpointer data, guint x, float *values)
{
  const OctPlan *plan = data;
  guint n = oct_refocus_count_planes (&plan->params);
  double scale = 1. / ((double)plan->bscans * plan->lines);

  for (guint y = 0; y < plan->bscans; y++) {
    float *value = values + (gsize)y * OCT_CPU_PLANES_VALUE;
    double slope = plan->slopes[(gsize)y * plan->lines + x];

    for (guint i = 0; i < n; i++) {
      double phase =
          slope * ((double)plan->params.depth_start + plan->chosen[i]);
      double c = scale * cos (phase), s = scale * sin (phase);
      double a = value[i], b = value[OCT_LANES + i];

      value[i] = (float)(a * c - b * s);
      value[OCT_LANES + i] = (float)(a * s + b * c);
    }
  }
}

static void
cpu_refocus_transform_rows (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;

  for (guint y = first; y < end; y++)
    oct_cpu_planes_run_x (&plan->planes, FALSE, y, cpu_refocus_block (plan, 0),
        cpu_refocus_scratch (plan, thread));
}

static void
cpu_refocus_transform_columns (
    gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  float *block = cpu_refocus_block (plan, 0);

  for (guint x = first; x < end; x++)
    oct_cpu_planes_run_y (&plan->planes, x, TRUE, FALSE,
        cpu_refocus_filter_planes, plan, block, block,
        cpu_refocus_scratch (plan, thread));
}

static void
cpu_refocus_filter_try (gconstpointer data, guint x, float *values)
{
  const Try *try = data;
  const OctPlan *plan = try->plan;

  for (guint y = 0; y < plan->bscans; y++) {
    gsize i = (gsize)y * plan->lines + x;
    double phase = plan->phases[i] - plan->slopes[i] * try->state->focus;

    cpu_refocus_multiply (
        values + (gsize)y * OCT_CPU_PLANES_VALUE, cos (phase), sin (phase));
  }
}

static void
cpu_refocus_try_columns (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = ((const Try *)data)->plan;

  for (guint x = first; x < end; x++)
    oct_cpu_planes_run_y (&plan->planes, x, FALSE, TRUE, cpu_refocus_filter_try,
        data, cpu_refocus_block (plan, 0), cpu_refocus_block (plan, 1),
        cpu_refocus_scratch (plan, thread));
}

static void
cpu_refocus_add_powers (const float *row, guint lines, double *sums)
{
  memset (sums, 0, OCT_CPU_PLANES_VALUE * sizeof (double));
  for (guint x = 0; x < lines; x++) {
    const float *value = row + (gsize)x * OCT_CPU_PLANES_VALUE;

    for (guint i = 0; i < OCT_LANES; i++) {
      double power = (double)value[i] * value[i]
                     + (double)value[OCT_LANES + i] * value[OCT_LANES + i];

      sums[i] += power;
      sums[OCT_LANES + i] += power * power;
    }
  }
}

static void
cpu_refocus_try_rows (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  float *block = cpu_refocus_block (plan, 1);

  for (guint y = first; y < end; y++) {
    oct_cpu_planes_run_x (
        &plan->planes, TRUE, y, block, cpu_refocus_scratch (plan, thread));
    cpu_refocus_add_powers (
        block + (gsize)y * plan->lines * OCT_CPU_PLANES_VALUE, plan->lines,
        plan->sums + (gsize)y * OCT_CPU_PLANES_VALUE);
  }
}

static gboolean
cpu_refocus_measure (gpointer data, const OctRefocusState *state,
    double *sharpness, GError **error)
{
  OctPlan *plan = data;
  Try try = { .plan = plan, .state = state };
  guint n = oct_refocus_count_planes (&plan->params);
  guint threads = oct_cpu_threads (plan->threads);
  double sums[2 * OCT_REFOCUS_PLANES] = { 0 };

  if (plan->params.modes > 1)
    oct_refocus_fill_phases (&plan->params, state, plan->phases);
  oct_parallel_for (plan->lines, 4, threads, cpu_refocus_try_columns, &try);
  oct_parallel_for (plan->bscans, 4, threads, cpu_refocus_try_rows, plan);
  for (guint y = 0; y < plan->bscans; y++)
    for (guint i = 0; i < n; i++) {
      const double *of_row = plan->sums + (gsize)y * OCT_CPU_PLANES_VALUE;

      sums[2 * i] += of_row[i];
      sums[2 * i + 1] += of_row[OCT_LANES + i];
    }
  *sharpness = oct_refocus_sharpness (&plan->params, sums);
  return TRUE;
}

static gboolean
cpu_refocus_search (OctPlan *plan, GError **error)
{
  guint threads = oct_cpu_threads (plan->threads);

  memset (plan->phases, 0, plan->params.lines * sizeof (double));
  oct_cpu_planes_load (&plan->planes, plan->from, plan->chosen,
      oct_refocus_count_planes (&plan->params), plan->turns,
      cpu_refocus_block (plan, 0));
  oct_parallel_for (plan->bscans, 4, threads, cpu_refocus_transform_rows, plan);
  oct_parallel_for (
      plan->lines, 4, threads, cpu_refocus_transform_columns, plan);
  if (!oct_refocus_search (
          &plan->params, cpu_refocus_measure, plan, &plan->state, error))
    return FALSE;
  oct_refocus_fill_phases (&plan->params, &plan->state, plan->phases);
  return TRUE;
}

/* ------------------------------------------------------------------- planes
 */

typedef struct {
  const OctPlan *plan;
  guint first; /* bin of the block */
} Block;

/* The phases of planes one below the other differ by the slope. */
static void
cpu_refocus_filter_block (gconstpointer data, guint x, float *values)
{
  const Block *block = data;
  const OctPlan *plan = block->plan;
  double bin =
      (double)plan->params.depth_start + block->first - plan->state.focus;
  double scale = 1. / ((double)plan->bscans * plan->lines);

  for (guint y = 0; y < plan->bscans; y++) {
    float *value = values + (gsize)y * OCT_CPU_PLANES_VALUE;
    gsize at = (gsize)y * plan->lines + x;
    double slope = plan->slopes[at], phase = plan->phases[at] + bin * slope;
    double re = scale * cos (phase), im = scale * sin (phase);
    double c = cos (slope), s = sin (slope);

    for (guint i = 0; i < OCT_LANES; i++) {
      double a = value[i], b = value[OCT_LANES + i], turned = re * c - im * s;

      value[i] = (float)(a * re - b * im);
      value[OCT_LANES + i] = (float)(a * im + b * re);
      im = re * s + im * c;
      re = turned;
    }
  }
}

static void
cpu_refocus_run_block (OctPlan *plan, guint number, guint thread)
{
  guint first = number * OCT_LANES, bins[OCT_LANES];
  guint count = MIN (OCT_LANES, plan->params.depth_bins - first);
  float *block = cpu_refocus_block (plan, thread);
  gpointer scratch = cpu_refocus_scratch (plan, thread);
  Block data = { .plan = plan, .first = first };

  for (guint i = 0; i < count; i++)
    bins[i] = first + i;
  oct_cpu_planes_load (
      &plan->planes, plan->from, bins, count, plan->turns, block);
  if (plan->state.is_found) {
    for (guint y = 0; y < plan->bscans; y++)
      oct_cpu_planes_run_x (&plan->planes, FALSE, y, block, scratch);
    for (guint x = 0; x < plan->lines; x++)
      oct_cpu_planes_run_y (&plan->planes, x, TRUE, TRUE,
          cpu_refocus_filter_block, &data, block, block, scratch);
    for (guint y = 0; y < plan->bscans; y++)
      oct_cpu_planes_run_x (&plan->planes, TRUE, y, block, scratch);
  }
  oct_cpu_planes_store (&plan->planes, block, first, count, plan->to);
}

static void
cpu_refocus_run_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint number = first; number < end; number++)
    cpu_refocus_run_block (data, number, thread);
}

static gboolean
cpu_refocus_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  gsize row = plan->params.depth_bins * 2 * sizeof (float);

  plan->from = &in->planes[0];
  plan->to = &out->planes[0];
  if (!oct_cpu_check_plane (plan->from, row, error)
      || !oct_cpu_check_plane (plan->to, row, error))
    return FALSE;
  cpu_refocus_look (plan);
  if (plan->params.automatic && !cpu_refocus_search (plan, error))
    return FALSE;
  oct_parallel_for ((plan->params.depth_bins + OCT_LANES - 1) / OCT_LANES, 1,
      oct_cpu_threads (plan->threads), cpu_refocus_run_blocks, plan);
  return TRUE;
}

const OctOperationTable oct_cpu_refocus = {
  .create = cpu_refocus_create,
  .update = cpu_refocus_update,
  .run = cpu_refocus_run,
  .get_found = cpu_refocus_get_found,
  .destroy = cpu_refocus_destroy,
};
