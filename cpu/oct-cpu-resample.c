/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Resampling along the A-line.
 *
 * In blocks of A-lines side by side (oct-cpu-lanes.h), where the recursions of
 * the spline are vector operations too.
 */
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-cpu-resampler.h"
#include "oct-params.h"
#include "oct-simd.h"

#include <string.h>

#define LANES OCT_LANES
#define CHUNK OCT_LANES_CHUNK

struct _OctPlan {
  guint samples, lines, threads;
  guint fine_samples; /* samples x upsample */
  OctCpuResampler resampler;
  guint8 *scratch; /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
  OctLanesFft *forward, *backward; /* upsample 2 only */
};

/* The scratch of one thread. */
typedef struct {
  float *values;      /* of the resampler */
  float *unused;      /* [samples], output of the lanes without an A-line */
  float *bins;        /* [samples + 1][2][LANES], upsample 2 only */
  gpointer transform; /* scratch of the transforms */
} Scratch;

OCT_VECTORISED static void
gather_lines (const float *const *lines, guint samples, float *values)
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
divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  gsize size = 0;
  gboolean upsample = plan->fine_samples != plan->samples;

#define TAKE(member, bytes)                                                    \
  scratch->member = (gpointer)(base + size);                                   \
  size += oct_cpu_pad (bytes)
  TAKE (values, oct_cpu_resampler_size (&plan->resampler) * sizeof (float));
  TAKE (unused, plan->samples * sizeof (float));
  TAKE (bins,
      upsample ? ((gsize)plan->samples + 1) * 2 * LANES * sizeof (float) : 0);
  TAKE (transform, upsample ? MAX (oct_lanes_fft_scratch (plan->forward),
                       oct_lanes_fft_scratch (plan->backward))
                            : 0);
#undef TAKE
  return size;
}

static gboolean
make_transforms (OctPlan *plan, GError **error)
{
  plan->forward = oct_lanes_fft_new_real (plan->samples, FALSE, error);
  if (plan->forward != NULL)
    plan->backward = oct_lanes_fft_new_real (plan->fine_samples, TRUE, error);
  return plan->backward != NULL;
}

static void
resample_destroy (OctPlan *plan)
{
  oct_cpu_resampler_clear (&plan->resampler);
  oct_lanes_fft_free (plan->forward);
  oct_lanes_fft_free (plan->backward);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static OctPlan *
resample_create (gconstpointer data, GError **error)
{
  const OctResampleParams *params = data;
  OctPlan *plan;
  Scratch scratch;

  if (!oct_check_resample (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->fine_samples = params->samples * params->upsample;
  plan->threads = oct_backend_cpu_get_threads ();
  if (params->upsample == 2 && !make_transforms (plan, error)) {
    resample_destroy (plan);
    return NULL;
  }
  if (!oct_cpu_resampler_init (&plan->resampler, params, NULL, error)
      || !(plan->scratch_size = divide_scratch (plan, NULL, &scratch))
      || !(plan->scratch =
               oct_cpu_alloc (plan->threads, plan->scratch_size, error))) {
    resample_destroy (plan);
    return NULL;
  }
  return plan;
}

/* Doubles the length of the A-lines, where they are, by zero padding of their
 * transforms (Shafer 2.2.2, 4.3, algorithm 4.6). */
static void
upsample_lines (const OctPlan *plan, const Scratch *scratch, float *values)
{
  guint samples = plan->samples, bins = samples / 2 + 1;
  float *end = scratch->bins + (gsize)bins * 2 * LANES;
  float scale = 1.f / (float)samples;

  oct_lanes_fft_run_real (
      plan->forward, values, scratch->bins, 0, bins, scratch->transform);
  for (float *at = scratch->bins; at < end; at++)
    *at *= scale;
  /* the Nyquist bin stands for two of the longer transform */
  if (samples % 2 == 0)
    for (float *at = end - 2 * LANES; at < end; at++)
      *at *= 0.5f;
  memset (end, 0, (gsize)(samples + 1 - bins) * 2 * LANES * sizeof (float));
  oct_lanes_fft_run_back_real (
      plan->backward, scratch->bins, values, scratch->transform);
}

static void
resample_block (const OctCpuLoop *loop, guint start, guint thread)
{
  const OctPlan *plan = loop->plan;
  float tile[CHUNK * LANES] __attribute__ ((aligned (64)));
  const float *in[LANES];
  float *out[LANES], *values;
  Scratch scratch;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < LANES; lane++) {
    guint line = MIN (start + lane, plan->lines - 1);
    in[lane] = oct_cpu_row (loop->from, line);
    out[lane] =
        line == start + lane ? oct_cpu_row (loop->to, line) : scratch.unused;
  }
  values = scratch.values + OCT_CPU_RESAMPLER_GUARD * LANES;
  gather_lines (in, plan->samples, values);
  if (plan->fine_samples != plan->samples)
    upsample_lines (plan, &scratch, values);
  oct_cpu_resampler_prepare (&plan->resampler, scratch.values);
  for (guint at = 0; at < plan->samples; at += CHUNK) {
    guint count = MIN (CHUNK, plan->samples - at);

    oct_cpu_resampler_read (&plan->resampler, scratch.values, at, count, tile);
    scatter_tile (tile, count, out, at);
  }
}

static void
resample_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint block = first; block < end; block++)
    resample_block (data, block * LANES, thread);
}

static gboolean
resample_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan, .from = from, .to = to };

  if (!oct_cpu_check_plane (from, plan->samples * sizeof (float), error)
      || !oct_cpu_check_plane (to, plan->samples * sizeof (float), error))
    return FALSE;
  oct_parallel_for ((plan->lines + LANES - 1) / LANES, 1,
      oct_cpu_threads (plan->threads), resample_blocks, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_resample = {
  .name = "resample",
  .create = resample_create,
  .run = resample_run,
  .destroy = resample_destroy,
  .in_place = TRUE,
};
