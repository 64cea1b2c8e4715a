/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Non-uniform FFT, A-scans to spectra (type 2, the adjoint of type 1): division
 * by the transform of the kernel, FFT, reading of the grid at the samples
 * (core/oct-nufft.h).  On blocks of A-lines side by side
 * (oct-cpu-lanes-fft.h), for which the weights are the same.
 */
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-nufft.h"
#include "oct-simd.h"

#include <string.h>

#define VECTORS (OCT_LANES / OCT_VECTOR)

struct _OctPlan {
  OctNufftParams params; /* without nodes and window */
  guint threads;
  guint parts; /* 1 real, 2 complex: floats of one value */
  OctNufftTables tables;
  OctLanesFft *backward;
  guint8 *scratch; /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
  OctCpuBuffer memory; /* of the scratch */
};

/* The scratch of one thread, of all lanes. */
typedef struct {
  float *depth;  /* [depth_bins][2] */
  float *modes;  /* [grid][2], of real A-lines [grid / 2 + 1][2] */
  float *grid;   /* [grid][parts] */
  float *values; /* [samples][parts] */
  float *unused; /* [samples][parts] of one lane that has no A-line */
  gpointer transform;
} Scratch;

static gsize
divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  const OctNufftTables *t = &plan->tables;
  gsize samples = (gsize)t->samples * plan->parts, size = 0;
  gsize modes = plan->parts == 2 ? t->grid : t->grid / 2 + 1;

#define TAKE(member, floats)                                                   \
  scratch->member = (gpointer)(base + size);                                   \
  size += oct_cpu_pad ((floats) * sizeof (float))
  TAKE (depth, (gsize)plan->params.depth_bins * 2 * OCT_LANES);
  TAKE (modes, modes * 2 * OCT_LANES);
  TAKE (grid, (gsize)t->grid * plan->parts * OCT_LANES);
  TAKE (values, samples * OCT_LANES);
  TAKE (unused, samples);
#undef TAKE
  scratch->transform = base + size;
  return size + oct_lanes_fft_scratch (plan->backward);
}

/* out[n] = sum_m weights[n][m] grid[lowest[n] + m]; width and parts are
 * constants where this is inlined */
OCT_INLINE void
read_samples (const OctNufftTables *t, guint width, guint parts,
    const float *grid, float *out)
{
  const float *weights = t->node_weights;
  guint at, row = parts * VECTORS;

  for (guint n = 0; n < t->samples; n++, weights += width) {
    at = (t->origin + (guint)t->lowest[n]) % t->grid;
    for (guint k = 0; k < row; k++, out += OCT_VECTOR) {
      const OctVector *from = (const OctVector *)grid + (gsize)at * row + k;
      OctVector sum = { 0 };
      if (at + width <= t->grid) {
        for (guint m = 0; m < width; m++)
          sum += weights[m] * from[m * row];
      } else {
        for (guint m = 0; m < width; m++)
          sum += weights[m]
                 * *((const OctVector *)grid + (gsize)((at + m) % t->grid) * row
                     + k);
      }
      *(OctVector *)out = sum;
    }
  }
}

OCT_INLINE void
read_all (const OctNufftTables *t, guint parts, const float *grid, float *out)
{
  switch (t->width) {
#define CASE(width)                                                            \
  case width:                                                                  \
    read_samples (t, width, parts, grid, out);                                 \
    break
    CASE (1);
    CASE (2);
    CASE (3);
    CASE (4);
    CASE (5);
    CASE (6);
    CASE (7);
    CASE (8);
#undef CASE
  default:
    read_samples (t, t->width, parts, grid, out);
  }
}

OCT_VECTORISED static void
read_real (const OctNufftTables *t, const float *grid, float *values,
    float *const *lines)
{
  read_all (t, 1, grid, values);
  oct_lanes_scatter_all (values, t->samples, lines);
}

OCT_VECTORISED static void
read_complex (const OctNufftTables *t, const float *grid, float *values,
    float *const *lines)
{
  const float *shifts = t->shifts;

  read_all (t, 2, grid, values);
  /* back from around 0: the conjugate of what type 1 multiplies by */
  for (guint n = 0; shifts != NULL && n < t->samples; n++) {
    for (guint k = 0; k < VECTORS; k++) {
      OctVector *re = (OctVector *)values + (gsize)n * 2 * VECTORS + k;
      OctVector *im = re + VECTORS, r = *re;
      *re = shifts[2 * n] * r + shifts[2 * n + 1] * *im;
      *im = shifts[2 * n] * *im - shifts[2 * n + 1] * r;
    }
  }
  oct_lanes_scatter_all (values, 2 * t->samples, lines);
}

OCT_VECTORISED static void
gather_depth (const float *const *lines, guint bins, float *depth)
{
  oct_lanes_gather (lines, 2 * bins, depth);
}

/* The modes at their places in the FFT.  The real part of the sum over
 * q = 0, 1, ... is the Hermitian sum over all q of modes / 2, but for q = 0. */
OCT_VECTORISED static void
place_modes (const OctPlan *plan, const float *depth, float *modes)
{
  const OctNufftTables *t = &plan->tables;
  gsize count = plan->parts == 2 ? t->grid : t->grid / 2 + 1;

  memset (modes, 0, count * 2 * OCT_LANES * sizeof *modes);
  for (guint i = 0; i < plan->params.depth_bins; i++) {
    gint q = t->first_mode + (gint)i;
    gsize at = q < 0 ? t->grid - (guint)-q : (guint)q;
    float factor = t->factors[i] * (plan->parts == 1 && q != 0 ? 0.5f : 1);
    for (guint k = 0; k < 2 * OCT_LANES; k++)
      modes[at * 2 * OCT_LANES + k] =
          factor * depth[(gsize)i * 2 * OCT_LANES + k];
  }
}

static gboolean
set_tables (OctPlan *plan, const OctNufftParams *params, GError **error)
{
  plan->params = *params;
  plan->params.nodes = plan->params.window = NULL;
  plan->parts = params->format == OCT_SAMPLE_CF32 ? 2 : 1;
  return oct_nufft_tables_set (&plan->tables, params, TRUE, error);
}

static gboolean
make_scratch (OctPlan *plan, GError **error)
{
  Scratch scratch;

  plan->scratch_size = divide_scratch (plan, NULL, &scratch);
  plan->scratch =
      oct_cpu_reserve (&plan->memory, plan->threads, plan->scratch_size, error);
  return plan->scratch != NULL;
}

static void
adjoint_destroy (OctPlan *plan)
{
  oct_nufft_tables_clear (&plan->tables);
  oct_lanes_fft_free (plan->backward);
  oct_cpu_release (&plan->memory);
  g_free (plan);
}

static OctPlan *
adjoint_create (gconstpointer data, GError **error)
{
  const OctNufftParams *params = data;
  OctPlan *plan;

  if (!oct_nufft_check (params, TRUE, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->threads = oct_backend_cpu_get_threads ();
  if (set_tables (plan, params, error))
    plan->backward =
        plan->parts == 2
            ? oct_lanes_fft_new (plan->tables.grid, TRUE, error)
            : oct_lanes_fft_new_real (plan->tables.grid, TRUE, error);
  if (plan->backward == NULL || !make_scratch (plan, error)) {
    adjoint_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
adjoint_update (OctPlan *plan, gconstpointer data)
{
  const OctNufftParams *params = data;
  guint grid = plan->tables.grid;

  if (params->format != plan->params.format
      || params->samples != plan->params.samples
      || params->lines != plan->params.lines
      || !oct_nufft_check (params, TRUE, NULL)
      || !set_tables (plan, params, NULL) || plan->tables.grid != grid)
    return FALSE;
  return make_scratch (plan, NULL);
}

static void
transform_block (const OctCpuLoop *loop, guint start, guint thread)
{
  const OctPlan *plan = loop->plan;
  const float *in[OCT_LANES];
  float *out[OCT_LANES];
  Scratch scratch;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint line = MIN (start + lane, plan->params.lines - 1);
    in[lane] = oct_cpu_row (loop->from, line);
    out[lane] =
        line == start + lane ? oct_cpu_row (loop->to, line) : scratch.unused;
  }
  gather_depth (in, plan->params.depth_bins, scratch.depth);
  place_modes (plan, scratch.depth, scratch.modes);
  if (plan->parts == 2) {
    oct_lanes_fft_run (plan->backward, scratch.modes, scratch.grid, 0,
        plan->tables.grid, scratch.transform);
    read_complex (&plan->tables, scratch.grid, scratch.values, out);
  } else {
    oct_lanes_fft_run_back_real (
        plan->backward, scratch.modes, scratch.grid, scratch.transform);
    read_real (&plan->tables, scratch.grid, scratch.values, out);
  }
}

static void
transform_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint block = first; block < end; block++)
    transform_block (data, block * OCT_LANES, thread);
}

static gboolean
adjoint_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan, .from = from, .to = to };
  gsize row = (gsize)plan->params.samples * plan->parts * sizeof (float);

  if (!oct_cpu_check_plane (
          from, plan->params.depth_bins * 2 * sizeof (float), error)
      || !oct_cpu_check_plane (to, row, error))
    return FALSE;
  oct_parallel_for ((plan->params.lines + OCT_LANES - 1) / OCT_LANES, 1,
      oct_cpu_threads (plan->threads), transform_blocks, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_nufft_adjoint = {
  .name = "adjoint nufft",
  .create = adjoint_create,
  .update = adjoint_update,
  .run = adjoint_run,
  .destroy = adjoint_destroy,
};
