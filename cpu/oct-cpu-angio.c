/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion in repeated B-scans: the repeats are kept in a ring.
 *
 * First pass: r and p of every value, from all repeats, and a histogram of r,
 * which gives the power of the noise.  Second pass: their means over windows,
 * and a histogram of how much tissue changes.  Third pass: what is shown, 16
 * A-lines side by side, so that the image is written in whole cache lines.
 */
#include "oct-cpu-angio-values.h"
#include "oct-cpu-grey.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"

#include <math.h>
#include <string.h>

/* The histograms of a thread.  The last bin is for values that do not count. */
typedef struct {
  guint64 there; /* repeats of the values that count */
  guint32 counts[OCT_ANGIO_BANDS][OCT_ANGIO_BINS + 1];
} AngioCounts;

struct _OctPlan {
  OctAngioParams params; /* lines: of one B-scan */
  OctAngioState state;
  OctAngioNoise found;
  guint shown; /* repeats in the last image */
  guint threads;
  gsize values;     /* of one B-scan */
  float *ring;      /* [repeats][lines][depth_bins] complex */
  float *mean;      /* r, or in its place that of the method: [lines][depth] */
  float *power;     /* p, the same */
  float *other;     /* of products of repeats, imaginary parts */
  float *R, *I, *O; /* their means over windows */
  float *weights;   /* [depth_bins] 1 / depths in the window */
  AngioCounts *count; /* [threads] */
  gsize scratch_size; /* floats of a thread */
  float *scratch;
  /* image under way */
  OctAngioTurn turn;
  const OctPlane *from, *to;
  OctCpuGrey grey;
  float noise, still;
};

static void
cpu_angio_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->ring);
  oct_cpu_free (plan->mean);
  oct_cpu_free (plan->power);
  oct_cpu_free (plan->other);
  oct_cpu_free (plan->R);
  oct_cpu_free (plan->I);
  oct_cpu_free (plan->O);
  oct_cpu_free (plan->weights);
  oct_cpu_free (plan->count);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static void
cpu_angio_set_params (OctPlan *plan, const OctAngioParams *params)
{
  guint reach = params->window_bins / 2;

  plan->params = *params;
  plan->params.bscans = OCT_BSCANS (params);
  plan->params.lines = params->lines / plan->params.bscans;
  for (guint i = 0; i < params->depth_bins; i++) {
    guint first = i > reach ? i - reach : 0;
    guint end = MIN (params->depth_bins, i + reach + 1);

    plan->weights[i] = 1.f / (float)(end - first);
  }
}

static gboolean
cpu_angio_alloc (OctPlan *plan, const OctAngioParams *params, GError **error)
{
  gsize depth = params->depth_bins;
  float **const planes[] = { &plan->mean, &plan->power, &plan->other, &plan->R,
    &plan->I, &plan->O };

  plan->values = depth * (params->lines / OCT_BSCANS (params));
  plan->threads = oct_backend_cpu_get_threads ();
  /* two sums over lines, with both ends of a window; or 16 lines and their
   * transpose */
  plan->scratch_size = oct_cpu_pad (MAX (2 * (depth + OCT_ANGIO_WIDEST),
      (gsize)2 * OCT_LANES * (depth + OCT_LANES)));
  plan->ring =
      oct_cpu_alloc (params->repeats * plan->values, 2 * sizeof (float), error);
  if (plan->ring == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (planes); i++) {
    *planes[i] = oct_cpu_alloc (plan->values, sizeof (float), error);
    if (*planes[i] == NULL)
      return FALSE;
  }
  plan->weights = oct_cpu_alloc (depth, sizeof (float), error);
  if (plan->weights != NULL)
    plan->count = oct_cpu_alloc (plan->threads, sizeof (AngioCounts), error);
  if (plan->count != NULL)
    plan->scratch = oct_cpu_alloc (
        plan->threads * plan->scratch_size, sizeof (float), error);
  return plan->scratch != NULL;
}

static OctPlan *
cpu_angio_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!oct_check_angio (data, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  if (!cpu_angio_alloc (plan, data, error)) {
    cpu_angio_destroy (plan);
    return NULL;
  }
  cpu_angio_set_params (plan, data);
  return plan;
}

static gboolean
cpu_angio_update (OctPlan *plan, gconstpointer data)
{
  OctAngioParams mine = plan->params;

  mine.lines *= mine.bscans;
  if (!oct_check_angio (data, NULL) || !oct_angio_is_same (&mine, data))
    return FALSE;
  cpu_angio_set_params (plan, data);
  return TRUE;
}

static void
cpu_angio_reset (OctPlan *plan)
{
  plan->state = (OctAngioState){ 0 };
}

static double
cpu_angio_get_found (OctPlan *plan)
{
  return plan->shown;
}

/* --------------------------------------------------------------- histograms */

static void
cpu_angio_clear_counts (OctPlan *plan)
{
  for (guint i = 0; i < plan->threads; i++)
    memset (&plan->count[i], 0, sizeof plan->count[i]);
}

/* The median of a band.  FALSE: nothing counts. */
static gboolean
cpu_angio_find_median (const OctPlan *plan, guint band, double *median)
{
  guint64 total = 0, before = 0;
  guint32 count = 0;
  guint bin = 0;

  for (guint i = 0; i < plan->threads; i++)
    for (guint k = 0; k < OCT_ANGIO_BINS; k++)
      total += plan->count[i].counts[band][k];
  if (total == 0)
    return FALSE;
  for (;; bin++) {
    count = 0;
    for (guint i = 0; i < plan->threads; i++)
      count += plan->count[i].counts[band][bin];
    if (2 * (before + count) > total)
      break;
    before += count;
  }
  *median = oct_angio_value (bin, count, before, total);
  return TRUE;
}

static guint64
cpu_angio_count_values (const OctPlan *plan, guint64 *there)
{
  guint64 total = 0;

  *there = 0;
  for (guint i = 0; i < plan->threads; i++) {
    *there += plan->count[i].there;
    for (guint band = 0; band < OCT_ANGIO_BANDS; band++)
      for (guint k = 0; k < OCT_ANGIO_BINS; k++)
        total += plan->count[i].counts[band][k];
  }
  return total;
}

static void
cpu_angio_find_noise (OctPlan *plan)
{
  double lowest = INFINITY, median;
  guint64 there, total = cpu_angio_count_values (plan, &there);

  if (total > 0) {
    guint n = (guint)((2 * there + total) / (2 * total));

    for (guint band = 0; band < OCT_ANGIO_BANDS; band++)
      if (cpu_angio_find_median (plan, band, &median))
        lowest = MIN (lowest, median);
    oct_angio_add_noise (
        &plan->found, lowest / oct_angio_gamma_median (MAX (n, 2) - 1));
  }
  plan->noise =
      (float)(plan->params.noise > 0 ? plan->params.noise : plan->found.noise);
}

/* ------------------------------------------------------------------- passes */

/* Values of one A-line from the repeats; the newest one goes into the ring. */
static void
cpu_angio_find_line (OctPlan *plan, guint line, guint thread)
{
  const OctAngioParams *params = &plan->params;
  AngioCounts *counts = &plan->count[thread];
  gsize at = (gsize)line * params->depth_bins;
  guint16 bins[OCT_CPU_ANGIO_CHUNK];
  const float *repeats[OCT_ANGIO_MOST];
  OctCpuAngioValues values = { .repeats = repeats,
    .n = plan->turn.count,
    .bins = bins,
    .there = &counts->there };
  guint band = 0;

  for (guint i = 0; i < params->depth_bins; i += values.count) {
    while (oct_angio_band (params->depth_bins, band + 1) <= i)
      band++;
    values.count = MIN (
        OCT_CPU_ANGIO_CHUNK, oct_angio_band (params->depth_bins, band + 1) - i);
    for (guint k = 0; k < values.n; k++)
      repeats[k] =
          plan->ring
          + 2
                * ((plan->turn.first + k) % params->repeats * plan->values + at
                    + i);
    values.mean = plan->mean + at + i;
    values.power = plan->power + at + i;
    values.other = plan->other + at + i;
    oct_cpu_angio_find (params->method, &values);
    for (guint k = 0; k < values.count; k++)
      counts->counts[band][bins[k]]++;
  }
}

static void
cpu_angio_find_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  guint depth = plan->params.depth_bins;

  for (guint line = first; line < end; line++) {
    memcpy (plan->ring
                + 2 * (plan->turn.place * plan->values + (gsize)line * depth),
        oct_cpu_row (plan->from, line), depth * 2 * sizeof (float));
    if (plan->turn.shown)
      cpu_angio_find_line (plan, line, thread);
  }
}

/* The window around one A-line of `plane`, to `out`. */
static void
cpu_angio_window_line (const OctPlan *plan, const float *plane, guint line,
    float *sums, float *out)
{
  const OctAngioParams *params = &plan->params;
  guint depth = params->depth_bins, reach = params->window_bins / 2;
  guint some = params->window_lines / 2;
  guint first = line > some ? line - some : 0;
  guint end = MIN (params->lines, line + some + 1);
  float *sum = sums + reach;

  memset (sums, 0, (depth + 2 * reach) * sizeof (float));
  for (guint i = first; i < end; i++)
    oct_cpu_angio_add (plane + (gsize)i * depth, depth, sum);
  oct_cpu_angio_window (sum, reach, plan->weights, 1.f / (float)(end - first),
      depth, out + (gsize)line * depth);
}

static void
cpu_angio_window_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  guint depth = plan->params.depth_bins;
  OctAngioShow show = oct_angio_get_show (plan->params.method);
  gboolean needs_still = oct_angio_needs_still (show);
  float *sums = plan->scratch + thread * plan->scratch_size;
  guint32 *counts = plan->count[thread].counts[0];
  guint16 bins[OCT_CPU_ANGIO_CHUNK];

  for (guint line = first; line < end; line++) {
    gsize at = (gsize)line * depth;

    cpu_angio_window_line (plan, plan->mean, line, sums, plan->R);
    cpu_angio_window_line (plan, plan->power, line, sums, plan->I);
    if (oct_angio_needs_products (show))
      cpu_angio_window_line (plan, plan->other, line, sums, plan->O);
    for (guint i = 0; needs_still && i < depth; i += OCT_CPU_ANGIO_CHUNK) {
      guint count = MIN (OCT_CPU_ANGIO_CHUNK, depth - i);

      oct_cpu_angio_find_still (
          plan->R + at + i, plan->I + at + i, plan->noise, count, bins);
      for (guint k = 0; k < count; k++)
        counts[bins[k]]++;
    }
  }
}

/* Blocks of 16 A-lines; lanes beyond the end repeat the last one. */
static void
cpu_angio_show_blocks (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  const OctAngioParams *params = &plan->params;
  guint depth = params->depth_bins;
  float *shown = plan->scratch + thread * plan->scratch_size;
  float *across = shown + OCT_LANES * (gsize)(depth + OCT_LANES);
  guint pixel_size = oct_cpu_grey_pixel_size (params->format);

  for (guint block = first; block < end; block++) {
    guint line = block * OCT_LANES;
    guint lines = MIN (OCT_LANES, params->lines - line);
    const float *rows[OCT_LANES];

    for (guint i = 0; i < OCT_LANES; i++) {
      gsize at = (gsize)(line + i) * depth;

      rows[i] = shown + MIN (i, lines - 1) * (gsize)depth;
      if (i < lines)
        oct_cpu_angio_show_line (oct_angio_get_show (params->method),
            plan->R + at, plan->I + at, plan->O + at, plan->noise, plan->still,
            depth, shown + i * (gsize)depth);
    }
    oct_lanes_gather (rows, depth, across);
    oct_cpu_grey_map (&plan->grey, across, (gsize)depth * OCT_LANES, lines,
        depth, (guint8 *)plan->to->data + (gsize)line * pixel_size,
        plan->to->stride);
  }
}

/* ---------------------------------------------------------------------- run */

static void
cpu_angio_clear (const OctAngioParams *params, const OctPlane *to)
{
  OctCpuGrey black;
  float zeros[OCT_LANES] __attribute__ ((aligned (64))) = { 0 };
  guint pixel_size = oct_cpu_grey_pixel_size (params->format);

  oct_cpu_grey_init (&black, params->format, OCT_SCALE_LINEAR, 0, 1);
  for (guint row = 0; row < params->depth_bins; row++)
    for (guint line = 0; line < params->lines; line += OCT_LANES)
      oct_cpu_grey_map (&black, zeros, 0, MIN (OCT_LANES, params->lines - line),
          1, (guint8 *)oct_cpu_row (to, row) + (gsize)line * pixel_size,
          to->stride);
}

/* From the values in the ring. */
static void
cpu_angio_finish (OctPlan *plan, guint threads)
{
  const OctAngioParams *params = &plan->params;
  gboolean is_log = oct_angio_is_log (params->method);
  double still = 0;

  cpu_angio_find_noise (plan);
  cpu_angio_clear_counts (plan);
  oct_parallel_for (
      params->lines, OCT_CPU_GRAIN, threads, cpu_angio_window_lines, plan);
  if (!cpu_angio_find_median (plan, 0, &still))
    still = 0;
  plan->still = (float)MAX (params->still, still);
  oct_cpu_grey_init (&plan->grey, params->format,
      is_log ? OCT_SCALE_LOG : OCT_SCALE_LINEAR, is_log ? params->min : 0,
      is_log ? params->max : 1);
  oct_parallel_for ((params->lines + OCT_LANES - 1) / OCT_LANES, 1, threads,
      cpu_angio_show_blocks, plan);
}

static gboolean
cpu_angio_check (const OctPlan *plan, const OctFrame *in, const OctFrame *out,
    GError **error)
{
  const OctAngioParams *params = &plan->params;
  gsize pixel_size = oct_cpu_grey_pixel_size (params->format);

  if (!oct_cpu_check_plane (
          &in->planes[0], params->depth_bins * 2 * sizeof (float), error))
    return FALSE;
  for (guint i = 0; i < params->bscans; i++)
    if (!oct_cpu_check_plane (
            &out[i].planes[0], params->lines * pixel_size, error)
        || (params->format == OCT_IMAGE_NV12
            && !oct_cpu_check_plane (
                &out[i].planes[1], (params->lines + 1) / 2 * 2, error)))
      return FALSE;
  return TRUE;
}

static gboolean
cpu_angio_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctAngioParams *params = &plan->params;
  guint threads = oct_cpu_threads (plan->threads);

  if (!cpu_angio_check (plan, in, out, error))
    return FALSE;
  for (guint bscan = 0; bscan < params->bscans; bscan++) {
    OctFrame from = oct_frame_get_bscan (in, bscan, params->lines, 0);

    plan->turn = oct_angio_next (&plan->state, params);
    plan->from = &from.planes[0];
    plan->to = &out[bscan].planes[0];
    if (plan->turn.shown)
      cpu_angio_clear_counts (plan);
    oct_parallel_for (
        params->lines, OCT_CPU_GRAIN, threads, cpu_angio_find_lines, plan);
    if (plan->turn.shown)
      cpu_angio_finish (plan, threads);
    else
      cpu_angio_clear (params, plan->to);
    plan->shown = plan->turn.count;
    for (guint y = 0;
         params->format == OCT_IMAGE_NV12 && y < (params->depth_bins + 1) / 2;
         y++)
      memset (oct_cpu_row (&out[bscan].planes[1], y), 128,
          (params->lines + 1) / 2 * 2);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_angio = {
  .create = cpu_angio_create,
  .update = cpu_angio_update,
  .run = cpu_angio_run,
  .reset = cpu_angio_reset,
  .get_found = cpu_angio_get_found,
  .destroy = cpu_angio_destroy,
};
