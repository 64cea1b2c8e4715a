/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How much and how fast A-scans fluctuate: the means of every value, then
 * windows of them and results, line by line.
 */
#include "oct-cpu-angle.h"
#include "oct-cpu-flow.h"
#include "oct-cpu-grey.h"
#include "oct-doppler.h"
#include "oct-dynamic.h"
#include "oct-simd.h"

#include <string.h>

struct _OctPlan {
  OctDynamicParams params;
  OctDynamicState state;
  guint lines; /* of one B-scan */
  guint threads;
  /* maps: mean of x, its variance, mean square of its steps, the last x */
  float *mean, *variance, *steps, *last;
  double *bands;                /* [lines][OCT_FLOW_BANDS] powers of a B-scan */
  double means[OCT_FLOW_BANDS]; /* of them over time */
  float *map;                   /* values only */
  guint8 *pixels;               /* [lines][bins] of 1 or 4 bytes; images only */
  float *counts;                /* [bins] */
  float *scratch;               /* [threads][scratch_size] */
  gsize scratch_size;
  /* B-scan under way */
  OctCpuWindow window;
  OctDynamicTurn turn;
  const OctPlane *from;
  float noise; /* variance of the amplitude of noise */
};

static void
cpu_dynamic_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->mean);
  oct_cpu_free (plan->variance);
  oct_cpu_free (plan->steps);
  oct_cpu_free (plan->last);
  oct_cpu_free (plan->bands);
  oct_cpu_free (plan->map);
  oct_cpu_free (plan->pixels);
  oct_cpu_free (plan->counts);
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static gboolean
dynamic_alloc (gpointer to, gsize count, gsize size, GError **error)
{
  return (*(gpointer *)to = oct_cpu_alloc (count, size, error)) != NULL;
}

static gboolean
cpu_dynamic_alloc_all (OctPlan *plan, GError **error)
{
  const OctDynamicParams *p = &plan->params;
  gsize values = (gsize)plan->lines * p->depth_bins;
  gsize pixel = p->quantity == OCT_DYNAMIC_COLOUR ? 4 : 1;

  plan->scratch_size =
      oct_cpu_pad (
          (4 * (gsize)p->depth_bins + OCT_DYNAMIC_WIDEST) * sizeof (float))
      / sizeof (float);
  return dynamic_alloc (&plan->mean, values, sizeof (float), error)
         && dynamic_alloc (&plan->variance, values, sizeof (float), error)
         && dynamic_alloc (&plan->steps, values, sizeof (float), error)
         && dynamic_alloc (&plan->last, values, sizeof (float), error)
         && (p->values
                 ? dynamic_alloc (&plan->map, values, sizeof (float), error)
                 : dynamic_alloc (&plan->pixels, values, pixel, error))
         && dynamic_alloc (&plan->bands, (gsize)plan->lines * OCT_FLOW_BANDS,
             sizeof (double), error)
         && dynamic_alloc (&plan->counts, p->depth_bins, sizeof (float), error)
         && dynamic_alloc (&plan->scratch, plan->threads * plan->scratch_size,
             sizeof (float), error);
}

static void
cpu_dynamic_set (OctPlan *plan, const OctDynamicParams *params)
{
  plan->params = *params;
  plan->window = (OctCpuWindow){ plan->lines, params->depth_bins,
    params->window_lines, params->window_bins };
  oct_cpu_flow_count (&plan->window, plan->counts);
}

static OctPlan *
cpu_dynamic_create (gconstpointer data, GError **error)
{
  const OctDynamicParams *params = data;
  OctPlan *plan;

  if (!oct_check_dynamic (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->lines = params->lines / OCT_BSCANS (params);
  plan->threads = oct_parallel_get_threads ();
  if (!cpu_dynamic_alloc_all (plan, error)) {
    cpu_dynamic_destroy (plan);
    return NULL;
  }
  cpu_dynamic_set (plan, params);
  return plan;
}

static gboolean
cpu_dynamic_update (OctPlan *plan, gconstpointer data)
{
  if (!oct_check_dynamic (data, NULL)
      || !oct_dynamic_is_same (&plan->params, data))
    return FALSE;
  cpu_dynamic_set (plan, data);
  return TRUE;
}

static void
cpu_dynamic_reset (OctPlan *plan)
{
  plan->state = (OctDynamicState){ 0 };
}

static double
cpu_dynamic_get_found (OctPlan *plan)
{
  return (double)plan->state.count;
}

/* ---------------------------------------------------------------- the means
 */

/* Powers and magnitudes, without values that do not count. */
OCT_VECTORISED static void
dynamic_read (const float *restrict line, guint n, float *restrict power,
    float *restrict x)
{
  for (guint i = 0; i < n; i++) {
    float re = line[2 * i], im = line[2 * i + 1];
    float p = re * re + im * im, magnitude = oct_cpu_magnitude (re, im);
    gboolean counts = p <= OCT_FLOW_MOST;

    power[i] = counts ? p : 0;
    x[i] = counts ? magnitude : 0;
  }
}

OCT_VECTORISED static void
dynamic_add (const float *restrict x, float g, float h, guint n,
    float *restrict mean, float *restrict variance, float *restrict steps,
    float *restrict last)
{
  for (guint i = 0; i < n; i++) {
    float d = x[i] - mean[i], step = x[i] - last[i];

    mean[i] += g * d;
    variance[i] = (1 - g) * (variance[i] + g * d * d);
    steps[i] += h * (step * step - steps[i]);
    last[i] = x[i];
  }
}

static void
add_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  const OctDynamicTurn *turn = &plan->turn;
  guint n = plan->params.depth_bins;
  float *power = plan->scratch + thread * plan->scratch_size, *x = power + n;

  for (guint line = first; line < end; line++) {
    const float *from = oct_cpu_row (plan->from, line);
    gsize at = (gsize)line * n;
    double *bands = plan->bands + (gsize)line * OCT_FLOW_BANDS;

    dynamic_read (from, n, power, x);
    memset (bands, 0, OCT_FLOW_BANDS * sizeof *bands);
    if (plan->params.noise == 0)
      oct_cpu_flow_add_bands (power, n, bands);
    if (turn->is_first) {
      memcpy (plan->mean + at, x, n * sizeof *x);
      memcpy (plan->last + at, x, n * sizeof *x);
      memset (plan->variance + at, 0, n * sizeof *x);
      memset (plan->steps + at, 0, n * sizeof *x);
      continue;
    }
    dynamic_add (x, turn->g, turn->h, n, plan->mean + at, plan->variance + at,
        plan->steps + at, plan->last + at);
  }
}

/* The power of noise. */
static double
cpu_dynamic_find_noise (OctPlan *plan)
{
  const OctDynamicParams *p = &plan->params;
  double sums[OCT_FLOW_BANDS] = { 0 };
  double count = (double)plan->lines * (p->depth_bins / OCT_FLOW_BANDS);

  for (guint line = 0; line < plan->lines; line++)
    for (guint i = 0; i < OCT_FLOW_BANDS; i++)
      sums[i] += plan->bands[(gsize)line * OCT_FLOW_BANDS + i];
  for (guint i = 0; i < OCT_FLOW_BANDS; i++) {
    double mean = count > 0 ? sums[i] / count : 0;

    if (plan->turn.is_first)
      plan->means[i] = mean;
    else
      plan->means[i] += plan->turn.g * (mean - plan->means[i]);
  }
  return p->noise > 0 ? p->noise : oct_flow_find_noise (plan->means, 1);
}

/* -------------------------------------------------------------------- results
 */

/* Hz, in place of the sums of V1: 2 asin (V1 / (4 V0))^1/2 is arccos (1 - V1 /
 * (2 V0)), without a difference. */
OCT_VECTORISED static void
dynamic_find_frequencies (
    const float *restrict v0, float rate, guint n, float *restrict v1)
{
  float scale = rate / (float)G_PI;

  for (guint i = 0; i < n; i++) {
    float u = v1[i] / (v0[i] > 0 ? 2 * v0[i] : 1);

    u = u > 2 ? 2 : u;
    u = v0[i] > 0 ? u : 0;
    v1[i] = scale * oct_cpu_angle (sqrtf (2 - u), sqrtf (u));
  }
}

/* dB, in place of the sums of V0 over counts. */
OCT_VECTORISED static void
dynamic_find_activities (const float *restrict counts, float lines, float noise,
    guint n, float *restrict v0)
{
  const float decibels = 3.01029996f, least = (float)OCT_DYNAMIC_DARK;

  for (guint i = 0; i < n; i++) {
    float above = v0[i] / (lines * counts[i]) - noise;
    float ratio = above / (noise > 0 ? noise : 1), db;
    gint32 bits, exponent;
    float fraction;

    ratio = ratio > 1e-10f && noise > 0 ? ratio : 1e-10f;
    memcpy (&bits, &ratio, sizeof bits);
    fraction = oct_cpu_log2 (bits, &exponent);
    db = decibels * ((float)exponent + fraction);
    v0[i] = db > least ? db : least;
  }
}

/* 0 .. 1 from the least to the most frequency, by their logarithm. */
OCT_VECTORISED static void
dynamic_find_hues (float least, float scale, guint n, float *restrict values)
{
  for (guint i = 0; i < n; i++) {
    float ratio = values[i] / least, f;
    gint32 bits, exponent;
    float fraction;

    ratio = ratio > 1 ? ratio : 1;
    memcpy (&bits, &ratio, sizeof bits);
    fraction = oct_cpu_log2 (bits, &exponent);
    f = scale * ((float)exponent + fraction);
    values[i] = f < 0 ? 0 : f > 1 ? 1 : f;
  }
}

OCT_VECTORISED static void
dynamic_find_brightness (
    float min, float scale, guint n, float *restrict values)
{
  for (guint i = 0; i < n; i++) {
    float v = scale * (values[i] - min);

    values[i] = v < 0 ? 0 : v > 1 ? 1 : v;
  }
}

OCT_INLINE guint32
dynamic_level (float value)
{
  return (guint32)(gint)(255 * (value < 0 ? 0 : value > 1 ? 1 : value) + 0.5f);
}

/* `h`: 4 (1 - f) on the way from red over yellow, green and cyan to blue */
OCT_VECTORISED static void
dynamic_make_colours (const float *restrict f, const float *restrict v, guint n,
    guint8 *restrict to)
{
  for (guint i = 0; i < n; i++) {
    float h = 4 * (1 - f[i]), red = 2 - h, green = h < 4 - h ? h : 4 - h;
    float blue = h - 2, least = 0;

    red = red < least ? least : red > 1 ? 1 : red;
    green = green > 1 ? 1 : green;
    blue = blue < least ? least : blue > 1 ? 1 : blue;
    to[4 * i] = (guint8)dynamic_level (v[i] * red);
    to[4 * i + 1] = (guint8)dynamic_level (v[i] * green);
    to[4 * i + 2] = (guint8)dynamic_level (v[i] * blue);
    to[4 * i + 3] = 255;
  }
}

/* Grey of the values; black if the brightness is 0. */
OCT_VECTORISED static void
dynamic_make_grey (const float *restrict values, const float *restrict v,
    guint n, guint8 *restrict to)
{
  for (guint i = 0; i < n; i++)
    to[i] = (guint8)dynamic_level (v[i] > 0 ? values[i] : 0);
}

/* A line of the image, from frequencies and activities. */
static void
cpu_dynamic_put_line (
    const OctPlan *plan, guint line, float *activity, float *frequency)
{
  const OctDynamicParams *p = &plan->params;
  guint n = p->depth_bins;
  guint8 *pixels = plan->pixels + (gsize)line * n;

  dynamic_find_brightness (
      (float)p->min, (float)(1 / (p->max - p->min)), n, activity);
  if (p->quantity == OCT_DYNAMIC_ACTIVITY) {
    dynamic_make_grey (activity, activity, n, pixels);
    return;
  }
  dynamic_find_hues ((float)p->min_frequency,
      (float)(1 / log2 (p->max_frequency / p->min_frequency)), n, frequency);
  if (p->quantity == OCT_DYNAMIC_FREQUENCY)
    dynamic_make_grey (frequency, activity, n, pixels);
  else
    dynamic_make_colours (
        frequency, activity, n, plan->pixels + 4 * (gsize)line * n);
}

static void
dynamic_lines (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;
  const OctDynamicParams *p = &plan->params;
  guint n = p->depth_bins;
  float *v0 = plan->scratch + thread * plan->scratch_size, *v1 = v0 + n;
  float *room = v1 + n;

  for (guint line = first; line < end; line++) {
    float count = (float)oct_cpu_flow_count_lines (&plan->window, line);

    oct_cpu_flow_sum (&plan->window, plan->variance, line, room, v0);
    oct_cpu_flow_sum (&plan->window, plan->steps, line, room, v1);
    dynamic_find_frequencies (v0, (float)p->rate, n, v1);
    dynamic_find_activities (plan->counts, count, plan->noise, n, v0);
    if (p->values)
      memcpy (plan->map + (gsize)line * n,
          p->quantity == OCT_DYNAMIC_FREQUENCY ? v1 : v0, n * sizeof *v0);
    else
      cpu_dynamic_put_line (plan, line, v0, v1);
  }
}

static void
cpu_dynamic_bscan (OctPlan *plan, const OctPlane *from, const OctFrame *out)
{
  const OctDynamicParams *p = &plan->params;

  plan->from = from;
  plan->turn = oct_dynamic_next (&plan->state, p);
  oct_parallel_for (plan->lines, OCT_CPU_GRAIN, oct_cpu_threads (plan->threads),
      add_lines, plan);
  plan->noise = (float)(cpu_dynamic_find_noise (plan) / 2);
  oct_parallel_for (plan->lines, OCT_CPU_GRAIN, oct_cpu_threads (plan->threads),
      dynamic_lines, plan);
  if (p->values)
    oct_cpu_flow_put_values (
        plan->map, plan->lines, plan->lines, p->depth_bins, &out->planes[0]);
  else
    oct_cpu_flow_put_image (plan->pixels, p->quantity == OCT_DYNAMIC_COLOUR,
        plan->lines, plan->lines, p->depth_bins, p->format, out);
}

static gboolean
cpu_dynamic_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctDynamicParams *p = &plan->params;
  guint bscans = OCT_BSCANS (p);

  if (!oct_cpu_flow_check (in, out, p->values ? 0 : bscans, p->format,
          plan->lines, p->depth_bins, error))
    return FALSE;
  for (guint i = 0; i < bscans; i++) {
    OctFrame one = oct_frame_get_bscan (in, i, plan->lines, 0);
    OctFrame to =
        p->values ? oct_frame_get_bscan (out, i, plan->lines, 0) : out[i];

    cpu_dynamic_bscan (plan, &one.planes[0], &to);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_dynamic = {
  .create = cpu_dynamic_create,
  .update = cpu_dynamic_update,
  .run = cpu_dynamic_run,
  .reset = cpu_dynamic_reset,
  .get_found = cpu_dynamic_get_found,
  .destroy = cpu_dynamic_destroy,
};
