/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion along the beam: the products of A-lines with their histograms, in
 * parallel; the phase of the tissue, of each A-line; the products turned by it;
 * then windows and results, line by line.
 */
#include "oct-cpu-angle.h"
#include "oct-cpu-flow.h"
#include "oct-cpu-unwrap.h"
#include "oct-doppler.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

/* A histogram with a bin more at each end, so that the bins beside any value
 * are there. */
#define BULK_ROOM (OCT_DOPPLER_BULK + 2)

struct _OctPlan {
  OctDopplerParams params;
  guint lines; /* of one B-scan */
  guint pairs; /* of A-lines in it */
  guint threads;
  float *products[3]; /* maps: real and imaginary part, power */
  /* REPEATS only: sums of them over the pairs, and the B-scan before */
  float *sums[3];
  float *previous;   /* [lines][bins][2] */
  guint count;       /* B-scans of the place */
  float *histograms; /* [pairs][BULK_ROOM] */
  float *turns;      /* [pairs][2] exp (-i bulk) */
  double *bands;     /* [pairs][OCT_FLOW_BANDS] */
  float *map;        /* results, if they do not go out as they are */
  guint8 *pixels;    /* [lines][bins]; images only */
  guint8 *still;     /* likewise; unwrap only */
  OctCpuUnwrap *unwrap;
  float *counts;  /* [bins] */
  float *scratch; /* [threads][scratch_size] */
  gsize scratch_size;
  /* B-scan under way */
  OctCpuWindow window;
  const OctPlane *from;
  float noise, least; /* of one value */
};

static void
cpu_doppler_destroy (OctPlan *plan)
{
  for (guint i = 0; i < 3; i++) {
    oct_cpu_free (plan->products[i]);
    oct_cpu_free (plan->sums[i]);
  }
  oct_cpu_free (plan->previous);
  oct_cpu_free (plan->histograms);
  oct_cpu_free (plan->turns);
  oct_cpu_free (plan->bands);
  oct_cpu_free (plan->map);
  oct_cpu_free (plan->pixels);
  oct_cpu_free (plan->still);
  oct_cpu_unwrap_free (plan->unwrap);
  oct_cpu_free (plan->counts);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static gboolean
cpu_doppler_unwraps (const OctDopplerParams *params)
{
  return params->unwrap && params->quantity == OCT_DOPPLER_PHASE;
}

/* NULL stays NULL, and so does the error. */
static gboolean
doppler_alloc (gpointer to, gsize count, gsize size, GError **error)
{
  return (*(gpointer *)to = oct_cpu_alloc (MAX (count, 1), size, error))
         != NULL;
}

static gboolean
cpu_doppler_alloc_all (OctPlan *plan, GError **error)
{
  const OctDopplerParams *p = &plan->params;
  gsize values = (gsize)plan->lines * p->depth_bins;
  gboolean repeats = p->between == OCT_DOPPLER_REPEATS;

  for (guint i = 0; i < 3; i++)
    if (!doppler_alloc (&plan->products[i], values, sizeof (float), error)
        || (repeats
            && !doppler_alloc (&plan->sums[i], values, sizeof (float), error)))
      return FALSE;
  if (repeats
      && !doppler_alloc (&plan->previous, 2 * values, sizeof (float), error))
    return FALSE;
  if (!p->values && !doppler_alloc (&plan->pixels, values, 1, error))
    return FALSE;
  if (cpu_doppler_unwraps (p) && plan->pairs > 0) {
    plan->unwrap = oct_cpu_unwrap_new (plan->pairs, p->depth_bins, error);
    if (plan->unwrap == NULL || !doppler_alloc (&plan->still, values, 1, error))
      return FALSE;
  }
  plan->scratch_size =
      oct_cpu_pad (
          (4 * (gsize)p->depth_bins + OCT_DOPPLER_WIDEST) * sizeof (float))
      / sizeof (float);
  return doppler_alloc (&plan->map, values, sizeof (float), error)
         && doppler_alloc (&plan->histograms, (gsize)plan->pairs * BULK_ROOM,
             sizeof (float), error)
         && doppler_alloc (
             &plan->turns, 2 * (gsize)plan->pairs, sizeof (float), error)
         && doppler_alloc (&plan->bands, (gsize)plan->pairs * OCT_FLOW_BANDS,
             sizeof (double), error)
         && doppler_alloc (&plan->counts, p->depth_bins, sizeof (float), error)
         && doppler_alloc (&plan->scratch, plan->threads * plan->scratch_size,
             sizeof (float), error);
}

static void
cpu_doppler_set (OctPlan *plan, const OctDopplerParams *params)
{
  plan->params = *params;
  plan->window = (OctCpuWindow){ plan->pairs, params->depth_bins,
    params->window_lines, params->window_bins };
  oct_cpu_flow_count (&plan->window, plan->counts);
}

static OctPlan *
cpu_doppler_create (gconstpointer data, GError **error)
{
  const OctDopplerParams *params = data;
  OctPlan *plan;

  if (!oct_check_doppler (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->lines = params->lines / OCT_BSCANS (params);
  plan->pairs =
      params->between == OCT_DOPPLER_LINES ? plan->lines - 1 : plan->lines;
  plan->threads = oct_parallel_get_threads ();
  if (!cpu_doppler_alloc_all (plan, error)) {
    cpu_doppler_destroy (plan);
    return NULL;
  }
  cpu_doppler_set (plan, params);
  return plan;
}

static gboolean
cpu_doppler_update (OctPlan *plan, gconstpointer data)
{
  if (!oct_check_doppler (data, NULL)
      || !oct_doppler_is_same (&plan->params, data))
    return FALSE;
  cpu_doppler_set (plan, data);
  return TRUE;
}

static void
cpu_doppler_reset (OctPlan *plan)
{
  plan->count = 0;
}

static double
cpu_doppler_get_found (OctPlan *plan)
{
  return plan->params.between == OCT_DOPPLER_REPEATS ? plan->count : 1;
}

/* ------------------------------------------------------------------ products
 */

/* b a* and the mean power, without values that do not count. */
OCT_VECTORISED static void
doppler_multiply (const float *restrict a, const float *restrict b, guint n,
    float *restrict re, float *restrict im, float *restrict power)
{
  for (guint i = 0; i < n; i++) {
    float ar = a[2 * i], ai = a[2 * i + 1];
    float br = b[2 * i], bi = b[2 * i + 1];
    float pa = ar * ar + ai * ai, pb = br * br + bi * bi;
    gboolean has_a = pa <= OCT_FLOW_MOST, has_b = pb <= OCT_FLOW_MOST;

    ar = has_a ? ar : 0;
    ai = has_a ? ai : 0;
    br = has_b ? br : 0;
    bi = has_b ? bi : 0;
    re[i] = br * ar + bi * ai;
    im[i] = bi * ar - br * ai;
    power[i] = 0.5f * ((has_a ? pa : 0) + (has_b ? pb : 0));
  }
}

/* Weights, and where they belong in a histogram with room at both ends. */
OCT_VECTORISED static void
doppler_find_bins (const float *restrict re, const float *restrict im, guint n,
    float *restrict weights, float *restrict places)
{
  const float per_rad = (float)(OCT_DOPPLER_BULK / (2 * G_PI));

  for (guint i = 0; i < n; i++) {
    weights[i] = oct_cpu_magnitude (re[i], im[i]);
    places[i] = (oct_cpu_angle (re[i], im[i]) + (float)G_PI) * per_rad + 0.5f;
  }
}

static void
doppler_fill_histogram (
    const float *weights, const float *places, guint n, float *histogram)
{
  memset (histogram, 0, BULK_ROOM * sizeof *histogram);
  for (guint i = 0; i < n; i++) {
    guint bin = (guint)places[i];
    float part;

    bin = MIN (bin, OCT_DOPPLER_BULK);
    part = weights[i] * (places[i] - (float)bin);
    histogram[bin] += weights[i] - part;
    histogram[bin + 1] += part;
  }
  histogram[OCT_DOPPLER_BULK] += histogram[0];
  histogram[1] += histogram[OCT_DOPPLER_BULK + 1];
}

static gboolean
cpu_doppler_needs_noise (const OctDopplerParams *params)
{
  return params->noise == 0
         && (params->quantity == OCT_DOPPLER_VARIANCE || params->least > 0);
}

static void
doppler_multiply_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  const OctDopplerParams *p = &plan->params;
  guint n = p->depth_bins;
  float *weights = plan->scratch + thread * plan->scratch_size;

  for (guint x = first; x < end; x++) {
    gsize at = (gsize)x * n;
    const float *line = oct_cpu_row (plan->from, x);
    float *re = plan->products[0] + at, *im = plan->products[1] + at;

    if (p->between == OCT_DOPPLER_REPEATS)
      doppler_multiply (
          plan->previous + 2 * at, line, n, re, im, plan->products[2] + at);
    else
      doppler_multiply (line, oct_cpu_row (plan->from, x + 1), n, re, im,
          plan->products[2] + at);
    if (p->bulk_lines == 0)
      continue;
    doppler_find_bins (re, im, n, weights, weights + n);
    doppler_fill_histogram (
        weights, weights + n, n, plan->histograms + (gsize)x * BULK_ROOM);
  }
}

/* ------------------------------------------------------------- bulk and noise
 */

static void
find_turn (OctPlan *plan, guint x)
{
  guint half = plan->params.bulk_lines / 2;
  guint first = x > half ? x - half : 0, end = MIN (x + half + 1, plan->pairs);
  float sum[OCT_DOPPLER_BULK] = { 0 }, bulk;

  for (guint i = first; i < end; i++)
    for (guint bin = 0; bin < OCT_DOPPLER_BULK; bin++)
      sum[bin] += plan->histograms[(gsize)i * BULK_ROOM + 1 + bin];
  bulk = oct_doppler_find_bulk (sum);
  plan->turns[2 * x] = cosf (bulk);
  plan->turns[2 * x + 1] = -sinf (bulk);
}

OCT_VECTORISED static void
doppler_turn (float turn_re, float turn_im, guint n, float *restrict re,
    float *restrict im)
{
  for (guint i = 0; i < n; i++) {
    float r = re[i] * turn_re - im[i] * turn_im;

    im[i] = re[i] * turn_im + im[i] * turn_re;
    re[i] = r;
  }
}

OCT_VECTORISED static void
doppler_add (const float *restrict from, guint n, float *restrict to)
{
  for (guint i = 0; i < n; i++)
    to[i] += from[i];
}

static void
turn_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  const OctDopplerParams *p = &plan->params;
  guint n = p->depth_bins;

  for (guint x = first; x < end; x++) {
    gsize at = (gsize)x * n;

    if (p->bulk_lines > 0) {
      find_turn (plan, x);
      doppler_turn (plan->turns[2 * x], plan->turns[2 * x + 1], n,
          plan->products[0] + at, plan->products[1] + at);
    }
    for (guint i = 0; plan->previous != NULL && i < 3; i++) {
      if (plan->count == 2)
        memcpy (plan->sums[i] + at, plan->products[i] + at, n * sizeof (float));
      else
        doppler_add (plan->products[i] + at, n, plan->sums[i] + at);
    }
    if (cpu_doppler_needs_noise (p)) {
      double *bands = plan->bands + (gsize)x * OCT_FLOW_BANDS;

      memset (bands, 0, OCT_FLOW_BANDS * sizeof *bands);
      oct_cpu_flow_add_bands (
          (plan->previous != NULL ? plan->sums : plan->products)[2] + at, n,
          bands);
    }
  }
}

/* The noise of the sums that go into windows. */
static double
cpu_doppler_find_noise (const OctPlan *plan)
{
  const OctDopplerParams *p = &plan->params;
  guint sums = p->between == OCT_DOPPLER_REPEATS ? plan->count - 1 : 1;
  double bands[OCT_FLOW_BANDS] = { 0 };

  if (!cpu_doppler_needs_noise (p))
    return p->noise * sums;
  for (guint x = 0; x < plan->pairs; x++)
    for (guint i = 0; i < OCT_FLOW_BANDS; i++)
      bands[i] += plan->bands[(gsize)x * OCT_FLOW_BANDS + i];
  return oct_flow_find_noise (
      bands, (double)plan->pairs * (p->depth_bins / OCT_FLOW_BANDS));
}

/* -------------------------------------------------------------------- results
 */

/* Phases from the sums of windows, 0 where the power is less than `least` of as
 * many values. */
OCT_VECTORISED static void
doppler_find_phases (const float *restrict re, const float *restrict im,
    const float *restrict power, const float *restrict counts, float least,
    guint n, float *restrict to)
{
  for (guint i = 0; i < n; i++) {
    float phase = oct_cpu_angle (re[i], im[i]);

    to[i] = power[i] < least * counts[i] ? 0 : phase;
  }
}

OCT_VECTORISED static void
doppler_find_variances (const float *restrict re, const float *restrict im,
    const float *restrict power, const float *restrict counts, float noise,
    guint n, float *restrict to)
{
  for (guint i = 0; i < n; i++) {
    float signal = power[i] - noise * counts[i];
    float whole = oct_cpu_magnitude (re[i], im[i]);
    float v = 1 - whole / (signal > 0 ? signal : 1);

    v = v < 0 ? 0 : v;
    to[i] = signal > 0 ? v : 1;
  }
}

static void
doppler_mark_still (const float *power, const float *counts, float least,
    guint n, guint8 *still)
{
  for (guint i = 0; i < n; i++)
    still[i] = power[i] < least * counts[i];
}

OCT_VECTORISED static void
doppler_scale (float scale, guint n, float *values)
{
  for (guint i = 0; i < n; i++)
    values[i] *= scale;
}

static void
doppler_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  const OctDopplerParams *p = &plan->params;
  guint n = p->depth_bins;
  float *const *maps = plan->previous != NULL ? plan->sums : plan->products;
  float *sums = plan->scratch + thread * plan->scratch_size;

  for (guint x = first; x < end; x++) {
    float lines = (float)oct_cpu_flow_count_lines (&plan->window, x);
    float *to = plan->map + (gsize)x * n;

    for (guint i = 0; i < 3; i++)
      oct_cpu_flow_sum (
          &plan->window, maps[i], x, sums + 3 * (gsize)n, sums + (gsize)i * n);
    if (p->quantity == OCT_DOPPLER_VARIANCE) {
      doppler_find_variances (sums, sums + n, sums + 2 * (gsize)n, plan->counts,
          lines * plan->noise, n, to);
      continue;
    }
    doppler_find_phases (sums, sums + n, sums + 2 * (gsize)n, plan->counts,
        lines * plan->least, n, to);
    if (plan->unwrap != NULL)
      doppler_mark_still (sums + 2 * (gsize)n, plan->counts,
          lines * plan->least, n, plan->still + (gsize)x * n);
  }
}

OCT_VECTORISED static void
doppler_make_grey (const float *restrict values, float middle, float gain,
    float black, guint n, guint8 *restrict to)
{
  for (guint i = 0; i < n; i++) {
    float level = middle + gain * values[i];

    level = level < black ? black : level > 255 ? 255 : level;
    to[i] = (guint8)(gint)(level + 0.5f);
  }
}

static void
finish_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  const OctDopplerParams *p = &plan->params;
  guint n = p->depth_bins;
  gboolean phase = p->quantity == OCT_DOPPLER_PHASE;

  for (guint x = first; x < end; x++) {
    float *values = plan->map + (gsize)x * n;

    if (p->values && phase)
      doppler_scale ((float)p->scale, n, values);
    if (!p->values)
      doppler_make_grey (values, phase ? 128 : 0,
          phase ? (float)(127 * p->scale / p->range) : 255, phase ? 1 : 0, n,
          plan->pixels + (gsize)x * n);
  }
}

static void
cpu_doppler_loop (OctPlan *plan, guint count, OctParallelTask task)
{
  oct_parallel_for (
      count, OCT_CPU_GRAIN, oct_cpu_threads (plan->threads), task, plan);
}

/* Fills the map; `valid` lines of it are given out, the last one again for
 * those that are missing. */
static guint
cpu_doppler_fill_map (OctPlan *plan)
{
  const OctDopplerParams *p = &plan->params;
  double noise;

  if (plan->pairs == 0 || (plan->previous != NULL && plan->count < 2)) {
    memset (plan->map, 0, (gsize)plan->lines * p->depth_bins * sizeof (float));
    cpu_doppler_loop (plan, plan->lines, finish_lines);
    return plan->lines;
  }
  cpu_doppler_loop (plan, plan->pairs, doppler_multiply_lines);
  cpu_doppler_loop (plan, plan->pairs, turn_lines);
  noise = cpu_doppler_find_noise (plan);
  plan->noise = (float)noise;
  plan->least = (float)(noise * p->least);
  cpu_doppler_loop (plan, plan->pairs, doppler_lines);
  if (plan->unwrap != NULL)
    oct_cpu_unwrap_run (plan->unwrap, plan->map, plan->still);
  cpu_doppler_loop (plan, plan->pairs, finish_lines);
  return plan->pairs;
}

static void
cpu_doppler_bscan (OctPlan *plan, const OctPlane *from, const OctFrame *out)
{
  const OctDopplerParams *p = &plan->params;
  guint n = p->depth_bins, valid;

  plan->from = from;
  if (plan->previous != NULL)
    plan->count = plan->count >= p->repeats ? 1 : plan->count + 1;
  valid = cpu_doppler_fill_map (plan);
  if (p->values)
    oct_cpu_flow_put_values (plan->map, valid, plan->lines, n, &out->planes[0]);
  else
    oct_cpu_flow_put_image (
        plan->pixels, FALSE, valid, plan->lines, n, p->format, out);
  for (guint x = 0; plan->previous != NULL && x < plan->lines; x++)
    memcpy (plan->previous + 2 * (gsize)x * n, oct_cpu_row (from, x),
        2 * (gsize)n * sizeof (float));
}

static gboolean
cpu_doppler_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctDopplerParams *p = &plan->params;
  guint bscans = OCT_BSCANS (p);

  if (!oct_cpu_flow_check (in, out, p->values ? 0 : bscans, p->format,
          plan->lines, p->depth_bins, error))
    return FALSE;
  for (guint i = 0; i < bscans; i++) {
    OctFrame from = oct_frame_get_bscan (in, i, plan->lines, 0);
    OctFrame to =
        p->values ? oct_frame_get_bscan (out, i, plan->lines, 0) : out[i];

    cpu_doppler_bscan (plan, &from.planes[0], &to);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_doppler = {
  .create = cpu_doppler_create,
  .update = cpu_doppler_update,
  .run = cpu_doppler_run,
  .reset = cpu_doppler_reset,
  .get_found = cpu_doppler_get_found,
  .destroy = cpu_doppler_destroy,
};
