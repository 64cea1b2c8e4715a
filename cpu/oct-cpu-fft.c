/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra to A-scans: window, zero padding, unitary FFT along the A-line, crop
 * in depth.  On blocks of A-lines side by side (oct-cpu-lanes-fft.h).
 */
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-params.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

struct _OctPlan {
  OctSampleFormat format;
  guint samples, lines, length, threads;
  guint parts; /* 1 real, 2 complex: floats of one value */
  guint depth_start, depth_bins;
  float *window; /* [samples][parts], with the factor of the transform */
  OctLanesFft *transform;
  /* [threads][scratch_size], see cpu_fft_divide_scratch() */
  guint8 *scratch;
  gsize scratch_size; /* bytes of one thread */
};

/* The scratch of one thread. */
typedef struct {
  float *values; /* [length][parts][LANES], zeros after the samples */
  float *bins;   /* [length / 2][2][LANES] */
  float *unused; /* [length / 2][2], output of the lanes without an A-line */
  gpointer transform;
} Scratch;

OCT_VECTORISED static void
cpu_fft_gather_lines (
    const float *const *lines, const float *window, guint count, float *values)
{
  oct_lanes_gather_scaled (lines, window, count, values);
}

OCT_VECTORISED static void
scatter_lines (const float *bins, guint count, float *const *lines)
{
  oct_lanes_scatter_all (bins, count, lines);
}

static gsize
cpu_fft_divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  gsize size = 0, half = (gsize)plan->length / 2 * 2;

#define TAKE(member, floats)                                                   \
  scratch->member = (gpointer)(base + size);                                   \
  size += oct_cpu_pad ((floats) * sizeof (float))
  TAKE (values, (gsize)plan->length * plan->parts * OCT_LANES);
  TAKE (bins, half * OCT_LANES);
  TAKE (unused, half);
#undef TAKE
  scratch->transform = base + size;
  return size + oct_lanes_fft_scratch (plan->transform);
}

static void
cpu_fft_apply_params (OctPlan *plan, const OctFftParams *params)
{
  double scale = 1 / sqrt (plan->samples);

  plan->depth_start = params->depth_start;
  plan->depth_bins = params->depth_bins;
  for (guint i = 0; i < plan->samples; i++)
    for (guint part = 0; part < plan->parts; part++)
      plan->window[(gsize)i * plan->parts + part] =
          (float)(scale * params->window[i]);
}

static gboolean
cpu_fft_make_scratch (OctPlan *plan, GError **error)
{
  Scratch scratch;

  plan->scratch_size = cpu_fft_divide_scratch (plan, NULL, &scratch);
  plan->scratch = oct_cpu_alloc (plan->threads, plan->scratch_size, error);
  /* run() writes the samples alone, so that the zero padding stays */
  if (plan->scratch != NULL)
    memset (plan->scratch, 0, plan->threads * plan->scratch_size);
  return plan->scratch != NULL;
}

static void
cpu_fft_destroy (OctPlan *plan)
{
  oct_lanes_fft_free (plan->transform);
  oct_cpu_free (plan->window);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static OctPlan *
cpu_fft_create (gconstpointer data, GError **error)
{
  const OctFftParams *params = data;
  OctPlan *plan;

  if (!oct_check_fft (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->format = params->format;
  plan->parts = params->format == OCT_SAMPLE_CF32 ? 2 : 1;
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->length = params->length;
  plan->threads = oct_backend_cpu_get_threads ();
  plan->transform = plan->parts == 2
                        ? oct_lanes_fft_new (plan->length, FALSE, error)
                        : oct_lanes_fft_new_real (plan->length, FALSE, error);
  if (plan->transform == NULL
      || !(plan->window = oct_cpu_alloc (
               plan->samples, plan->parts * sizeof (float), error))
      || !cpu_fft_make_scratch (plan, error)) {
    cpu_fft_destroy (plan);
    return NULL;
  }
  cpu_fft_apply_params (plan, params);
  return plan;
}

static gboolean
cpu_fft_update (OctPlan *plan, gconstpointer data)
{
  const OctFftParams *params = data;

  if (params->format != plan->format || params->samples != plan->samples
      || params->lines != plan->lines || params->length != plan->length
      || !oct_check_fft (params, NULL))
    return FALSE;
  cpu_fft_apply_params (plan, params);
  return TRUE;
}

static void
cpu_fft_transform_block (const OctCpuLoop *loop, guint start, guint thread)
{
  const OctPlan *plan = loop->plan;
  const float *in[OCT_LANES];
  float *out[OCT_LANES];
  Scratch scratch;

  cpu_fft_divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint line = MIN (start + lane, loop->lines - 1);
    in[lane] = oct_cpu_row (loop->from, line);
    out[lane] =
        line == start + lane ? oct_cpu_row (loop->to, line) : scratch.unused;
  }
  cpu_fft_gather_lines (
      in, plan->window, plan->samples * plan->parts, scratch.values);
  if (plan->parts == 2)
    oct_lanes_fft_run (plan->transform, scratch.values, scratch.bins,
        plan->depth_start, plan->depth_bins, scratch.transform);
  else
    oct_lanes_fft_run_real (plan->transform, scratch.values, scratch.bins,
        plan->depth_start, plan->depth_bins, scratch.transform);
  scatter_lines (scratch.bins, 2 * plan->depth_bins, out);
}

static void
cpu_fft_transform_blocks (gpointer data, guint first, guint end, guint thread)
{
  for (guint block = first; block < end; block++)
    cpu_fft_transform_block (data, block * OCT_LANES, thread);
}

static gboolean
cpu_fft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  OctCpuLoop loop = { .plan = plan,
    .from = from,
    .to = to,
    .lines = oct_frame_count_lines (in, plan->lines) };

  if (!oct_cpu_check_plane (
          from, plan->samples * oct_sample_format_size (plan->format), error)
      || !oct_cpu_check_plane (
          to, plan->depth_bins * 2 * sizeof (float), error))
    return FALSE;
  oct_parallel_for ((loop.lines + OCT_LANES - 1) / OCT_LANES, 1,
      oct_cpu_threads (plan->threads), cpu_fft_transform_blocks, &loop);
  return TRUE;
}

const OctOperationTable oct_cpu_fft = {
  .create = cpu_fft_create,
  .update = cpu_fft_update,
  .run = cpu_fft_run,
  .destroy = cpu_fft_destroy,
};
