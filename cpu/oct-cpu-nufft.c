/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra at non-uniform wavenumbers to A-scans by gridding, on blocks of
 * A-lines side by side (oct-cpu-gridder.h).
 */
#include "oct-cpu-block.h"
#include "oct-cpu-gridder.h"
#include "oct-cpu-private.h"

struct _OctPlan {
  OctNufftParams params; /* without nodes and window */
  guint threads;
  OctCpuGridder gridder;
  /* [threads][scratch_size], see cpu_nufft_divide_scratch() */
  guint8 *scratch;
  gsize scratch_size;
  OctCpuBuffer memory; /* of the scratch */
};

/* The scratch of one thread. */
typedef struct {
  float *values; /* samples, later bins, of all lanes */
  float *unused; /* bins of the lanes without an A-line */
  gpointer more; /* of the gridding */
} Scratch;

/* Divides the scratch of one thread; base may be NULL to find the size. */
static gsize
cpu_nufft_divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  gsize bins = (gsize)plan->params.depth_bins * 2;
  gsize values = (gsize)plan->params.samples * plan->gridder.parts, size = 0;

#define TAKE(member, floats)                                                   \
  scratch->member = (gpointer)(base + size);                                   \
  size += oct_cpu_pad ((floats) * sizeof (float))
  TAKE (values, MAX (values, bins) * OCT_LANES);
  TAKE (unused, bins);
#undef TAKE
  scratch->more = base + size;
  return size + oct_cpu_gridder_scratch (&plan->gridder);
}

static gboolean
cpu_nufft_set_params (
    OctPlan *plan, const OctNufftParams *params, GError **error)
{
  Scratch scratch;

  plan->params = *params;
  plan->params.nodes = plan->params.window = NULL;
  if (!oct_cpu_gridder_set (&plan->gridder, params, NULL, error))
    return FALSE;
  plan->scratch_size = cpu_nufft_divide_scratch (plan, NULL, &scratch);
  plan->scratch =
      oct_cpu_reserve (&plan->memory, plan->threads, plan->scratch_size, error);
  return plan->scratch != NULL;
}

static void
cpu_nufft_destroy (OctPlan *plan)
{
  oct_cpu_gridder_clear (&plan->gridder);
  oct_cpu_release (&plan->memory);
  g_free (plan);
}

static OctPlan *
cpu_nufft_create (gconstpointer data, GError **error)
{
  const OctNufftParams *params = data;
  OctPlan *plan;

  if (!oct_nufft_check (params, TRUE, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->threads = oct_backend_cpu_get_threads ();
  if (!cpu_nufft_set_params (plan, params, error)) {
    cpu_nufft_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
cpu_nufft_update (OctPlan *plan, gconstpointer data)
{
  const OctNufftParams *params = data;

  return params->format == plan->params.format
         && params->samples == plan->params.samples
         && params->lines == plan->params.lines
         && oct_nufft_check (params, TRUE, NULL)
         && cpu_nufft_set_params (plan, params, NULL);
}

static void
cpu_nufft_transform_block (const OctCpuLoop *loop, guint start, guint thread)
{
  const OctPlan *plan = loop->plan;
  guint parts = plan->gridder.parts;
  const float *in[OCT_LANES];
  float *out[OCT_LANES];
  Scratch scratch;

  cpu_nufft_divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint line = MIN (start + lane, loop->lines - 1);
    in[lane] = oct_cpu_row (loop->from, line);
    out[lane] =
        line == start + lane ? oct_cpu_row (loop->to, line) : scratch.unused;
  }
  oct_cpu_block_gather (in, plan->params.samples * parts, scratch.values);
  oct_cpu_gridder_run (
      &plan->gridder, scratch.values, scratch.values, scratch.more);
  oct_cpu_block_scatter (scratch.values, 2 * plan->params.depth_bins, out);
}

static void
cpu_nufft_transform_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint block = first; block < end; block++)
    cpu_nufft_transform_block (data, block * OCT_LANES, thread);
}

static gboolean
cpu_nufft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan,
    .from = from,
    .to = to,
    .lines = oct_frame_count_lines (in, plan->params.lines) };
  gsize row =
      (gsize)plan->params.samples * plan->gridder.parts * sizeof (float);

  if (!oct_cpu_check_plane (from, row, error)
      || !oct_cpu_check_plane (
          to, plan->params.depth_bins * 2 * sizeof (float), error))
    return FALSE;
  oct_parallel_for ((loop.lines + OCT_LANES - 1) / OCT_LANES, 1,
      oct_cpu_threads (plan->threads), cpu_nufft_transform_blocks, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_nufft = {
  .create = cpu_nufft_create,
  .update = cpu_nufft_update,
  .run = cpu_nufft_run,
  .destroy = cpu_nufft_destroy,
};
