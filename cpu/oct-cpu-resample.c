/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Resampling along the A-line.
 *
 * In blocks of A-lines side by side (oct-cpu-lanes.h), so that the recursions
 * of the spline are vector operations too.
 */
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-cpu-resampler.h"
#include "oct-params.h"
#include "oct-simd.h"

#define LANES OCT_LANES
#define CHUNK OCT_LANES_CHUNK

struct _OctPlan {
  guint samples, lines, threads;
  OctCpuResampler resampler;
  /* [threads][scratch_size], see cpu_resample_divide_scratch() */
  guint8 *scratch;
  gsize scratch_size;
};

/* The scratch of one thread. */
typedef struct {
  float *values; /* of the resampler */
  gpointer more; /* of the resampler */
  float *unused; /* [samples], output of the lanes without an A-line */
} Scratch;

OCT_VECTORISED static void
cpu_resample_gather_lines (
    const float *const *lines, guint samples, float *values)
{
  oct_lanes_gather (lines, samples, values);
}

OCT_VECTORISED static void
scatter_tile (const float *tile, guint count, float *const *lines, gsize at)
{
  oct_lanes_scatter (tile, count, lines, at);
}

/* Divides the scratch of one thread; base may be NULL to find the size. */
static gsize
cpu_resample_divide_scratch (
    const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  gsize size = 0;

#define TAKE(member, bytes)                                                    \
  scratch->member = (gpointer)(base + size);                                   \
  size += oct_cpu_pad (bytes)
  TAKE (values, oct_cpu_resampler_size (&plan->resampler) * sizeof (float));
  TAKE (more, oct_cpu_resampler_scratch (&plan->resampler));
  TAKE (unused, plan->samples * sizeof (float));
#undef TAKE
  return size;
}

static void
cpu_resample_destroy (OctPlan *plan)
{
  oct_cpu_resampler_clear (&plan->resampler);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static OctPlan *
cpu_resample_create (gconstpointer data, GError **error)
{
  const OctResampleParams *params = data;
  OctPlan *plan;
  Scratch scratch;

  if (!oct_check_resample (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->threads = oct_backend_cpu_get_threads ();
  if (!oct_cpu_resampler_init (&plan->resampler, params, NULL, error)
      || !(plan->scratch_size =
               cpu_resample_divide_scratch (plan, NULL, &scratch))
      || !(plan->scratch =
               oct_cpu_alloc (plan->threads, plan->scratch_size, error))) {
    cpu_resample_destroy (plan);
    return NULL;
  }
  return plan;
}

static void
cpu_resample_block (const OctCpuLoop *loop, guint start, guint thread)
{
  const OctPlan *plan = loop->plan;
  float tile[CHUNK * LANES] __attribute__ ((aligned (64)));
  const float *in[LANES];
  float *out[LANES];
  Scratch scratch;

  cpu_resample_divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < LANES; lane++) {
    guint line = MIN (start + lane, loop->lines - 1);
    in[lane] = oct_cpu_row (loop->from, line);
    out[lane] =
        line == start + lane ? oct_cpu_row (loop->to, line) : scratch.unused;
  }
  cpu_resample_gather_lines (
      in, plan->samples, scratch.values + OCT_CPU_RESAMPLER_GUARD * LANES);
  oct_cpu_resampler_prepare (&plan->resampler, scratch.values, scratch.more);
  for (guint at = 0; at < plan->samples; at += CHUNK) {
    guint count = MIN (CHUNK, plan->samples - at);

    oct_cpu_resampler_read (&plan->resampler, scratch.values, at, count, tile);
    scatter_tile (tile, count, out, at);
  }
}

static void
cpu_resample_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint block = first; block < end; block++)
    cpu_resample_block (data, block * LANES, thread);
}

static gboolean
cpu_resample_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan,
    .from = from,
    .to = to,
    .lines = oct_frame_count_lines (in, plan->lines) };

  if (!oct_cpu_check_plane (from, plan->samples * sizeof (float), error)
      || !oct_cpu_check_plane (to, plan->samples * sizeof (float), error))
    return FALSE;
  oct_parallel_for ((loop.lines + LANES - 1) / LANES, 1,
      oct_cpu_threads (plan->threads), cpu_resample_blocks, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_resample = {
  .create = cpu_resample_create,
  .run = cpu_resample_run,
  .destroy = cpu_resample_destroy,
};
