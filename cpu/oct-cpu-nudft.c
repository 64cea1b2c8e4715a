/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Non-uniform DFT, exact: the sum itself, a product with a dense matrix.  Slow;
 * the reference for the NUFFT.
 *
 * Blocks of A-lines side by side (oct-cpu-lanes.h), four values of the result
 * at a time.  The matrix is computed in double.
 */
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-nufft.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define LANES OCT_LANES
#define HALVES (OCT_LANES / OCT_VECTOR)
#define GROUP 4
#define MAX_MATRIX ((gsize)1 << 30) /* bytes */
/* terms that are summed by themselves: a long sum in float loses digits */
#define TERMS 64

struct _OctPlan {
  OctNufftParams params; /* without nodes and window */
  guint threads;
  guint inputs, outputs; /* values of a line; outputs are complex */
  guint in_parts;        /* 1 real, 2 complex: floats of one value */
  float *matrix;         /* [groups][inputs][GROUP] x (re, im) */
  guint8 *scratch;       /* [threads][scratch_size] */
  gsize scratch_size;    /* [inputs][in_parts][LANES], an unused line */
};

/* ------------------------------------------------------------------ matrix */

typedef struct {
  OctPlan *plan;
  const OctNufftParams *params;
} Filling;

/* Columns of the samples first .. end - 1.  The phase advances by the same
 * angle from depth to depth: after 65536 steps the rounding error of doubles is
 * still four orders below that of floats. */
static void
fill_samples (gpointer data, guint first, guint end, guint thread)
{
  const Filling *filling = data;
  const OctPlan *plan = filling->plan;
  const OctNufftParams *p = filling->params;

  for (guint n = first; n < end; n++) {
    double turn = fmod (p->nodes[n], p->samples) / p->samples;
    double angle = -2 * G_PI * turn;
    double start = fmod (turn * p->depth_start, 1) * 2 * G_PI;
    double size = p->window[n] / sqrt (p->samples);
    double c = cos (angle), s = sin (angle);
    double re = size * cos (start);
    double im = -size * sin (start);

    for (guint i = 0; i < p->depth_bins; i++) {
      gsize row = (gsize)(i / GROUP) * plan->inputs + n;
      float *to = plan->matrix + (row * GROUP + i % GROUP) * 2;
      double next = re * c - im * s;
      to[0] = (float)re;
      to[1] = (float)im;
      im = re * s + im * c;
      re = next;
    }
  }
}

static gboolean
make_matrix (OctPlan *plan, const OctNufftParams *params, GError **error)
{
  Filling filling = { plan, params };
  gsize values =
      (gsize)(plan->outputs + GROUP - 1) / GROUP * GROUP * plan->inputs * 2;

  if (values > MAX_MATRIX / sizeof (float)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The exact transform of %u samples to %u depth bins needs a matrix of "
        "more than %u MiB: use the method nufft or fewer depth bins",
        params->samples, params->depth_bins, (guint)(MAX_MATRIX >> 20));
    return FALSE;
  }
  if (plan->matrix == NULL)
    plan->matrix = oct_cpu_alloc (values, sizeof (float), error);
  if (plan->matrix == NULL)
    return FALSE;
  memset (plan->matrix, 0, values * sizeof (float));
  oct_parallel_for (params->samples, OCT_CPU_GRAIN,
      oct_cpu_threads (plan->threads), fill_samples, &filling);
  return TRUE;
}

/* ----------------------------------------------------------------- product */

/* Adds `count` terms of GROUP values of the result, [GROUP][2] for half of the
 * lanes; the parts are a constant when inlined.  Halves, as compilers keep sums
 * of the size of AVX registers in registers, but spill those of all lanes
 * without AVX-512: with GCC 14 that takes three times as long */
OCT_INLINE void
add_terms (const float *matrix, const OctVector *from, guint count,
    guint in_parts, OctVector *to)
{
  OctVector sums[GROUP][2] = { 0 };

  for (guint i = 0; i < count; i++, matrix += 2 * GROUP) {
    for (guint k = 0; k < GROUP; k++) {
      float re = matrix[2 * k], im = matrix[2 * k + 1];
      sums[k][0] += re * from[i * in_parts * HALVES];
      if (in_parts == 2)
        sums[k][0] -= im * from[(2 * i + 1) * HALVES];
      sums[k][1] += im * from[i * in_parts * HALVES];
      if (in_parts == 2)
        sums[k][1] += re * from[(2 * i + 1) * HALVES];
    }
  }
  for (guint k = 0; k < GROUP; k++)
    for (guint part = 0; part < 2; part++)
      to[(k * 2 + part) * HALVES] += sums[k][part];
}

OCT_INLINE void
multiply_group (const float *matrix, const float *values, guint inputs,
    guint in_parts, OctLanes *to)
{
  const OctVector *from = (const OctVector *)values;

  memset (to, 0, GROUP * 2 * sizeof *to);
  for (guint i = 0; i < inputs; i += TERMS)
    for (guint half = 0; half < HALVES; half++)
      add_terms (matrix + (gsize)i * 2 * GROUP,
          from + (gsize)i * in_parts * HALVES + half, MIN (TERMS, inputs - i),
          in_parts, (OctVector *)to + half);
}

OCT_INLINE void
multiply_block (const OctPlan *plan, guint in_parts, const float *const *in,
    float *values, float *const *out)
{
  OctLanes tile[OCT_LANES_CHUNK];
  /* values of the result that fill a tile */
  guint step = OCT_LANES_CHUNK / 2;

  oct_lanes_gather (in, plan->inputs * in_parts, values);
  for (guint start = 0; start < plan->outputs; start += step) {
    guint count = MIN (step, plan->outputs - start);
    for (guint k = 0; k < count; k += GROUP)
      multiply_group (plan->matrix + (gsize)(start + k) * plan->inputs * 2,
          values, plan->inputs, in_parts, tile + k * 2);
    oct_lanes_scatter ((const float *)tile, count * 2, out, (gsize)start * 2);
  }
}

OCT_VECTORISED static void
multiply_real (const OctPlan *plan, const float *const *in, float *values,
    float *const *out)
{
  multiply_block (plan, 1, in, values, out);
}

OCT_VECTORISED static void
multiply_complex (const OctPlan *plan, const float *const *in, float *values,
    float *const *out)
{
  multiply_block (plan, 2, in, values, out);
}

/* ------------------------------------------------------------------- plans */

static void
cpu_nudft_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->matrix);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static OctPlan *
cpu_nudft_create (gconstpointer data, GError **error)
{
  const OctNufftParams *params = data;
  OctPlan *plan;

  if (!oct_nufft_check (params, FALSE, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->params.nodes = plan->params.window = NULL;
  plan->threads = oct_backend_cpu_get_threads ();
  plan->inputs = params->samples;
  plan->outputs = params->depth_bins;
  plan->in_parts = params->format == OCT_SAMPLE_CF32 ? 2 : 1;
  plan->scratch_size =
      (gsize)plan->inputs * plan->in_parts * sizeof (OctLanes)
      + oct_cpu_pad ((gsize)plan->outputs * 2 * sizeof (float));
  if (!make_matrix (plan, params, error)
      || !(plan->scratch =
               oct_cpu_alloc (plan->threads, plan->scratch_size, error))) {
    cpu_nudft_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
cpu_nudft_update (OctPlan *plan, gconstpointer data)
{
  const OctNufftParams *params = data;

  if (params->format != plan->params.format
      || params->samples != plan->params.samples
      || params->lines != plan->params.lines
      || params->depth_bins != plan->params.depth_bins
      || !oct_nufft_check (params, FALSE, NULL))
    return FALSE;
  return make_matrix (plan, params, NULL);
}

static void
cpu_nudft_transform_block (const OctCpuLoop *loop, guint start, guint thread)
{
  const OctPlan *plan = loop->plan;
  float *values =
      (gpointer)(plan->scratch + (gsize)thread * plan->scratch_size);
  float *unused = values + (gsize)plan->inputs * plan->in_parts * LANES;
  const float *in[LANES];
  float *out[LANES];

  for (guint lane = 0; lane < LANES; lane++) {
    guint line = MIN (start + lane, loop->lines - 1);
    in[lane] = oct_cpu_row (loop->from, line);
    out[lane] = line == start + lane ? oct_cpu_row (loop->to, line) : unused;
  }
  if (plan->in_parts == 1)
    multiply_real (plan, in, values, out);
  else
    multiply_complex (plan, in, values, out);
}

static void
cpu_nudft_transform_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint block = first; block < end; block++)
    cpu_nudft_transform_block (data, block * LANES, thread);
}

static gboolean
cpu_nudft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan,
    .from = from,
    .to = to,
    .lines = oct_frame_count_lines (in, plan->params.lines) };

  if (!oct_cpu_check_plane (
          from, (gsize)plan->inputs * plan->in_parts * sizeof (float), error)
      || !oct_cpu_check_plane (
          to, (gsize)plan->outputs * 2 * sizeof (float), error))
    return FALSE;
  oct_parallel_for ((loop.lines + LANES - 1) / LANES, 1,
      oct_cpu_threads (plan->threads), cpu_nudft_transform_blocks, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_nudft = {
  .create = cpu_nudft_create,
  .update = cpu_nudft_update,
  .run = cpu_nudft_run,
  .destroy = cpu_nudft_destroy,
};
