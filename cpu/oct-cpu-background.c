/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Counts to float, minus the spectrum of the source.
 *
 * The fringes are small against the spectrum of the source, so a mean of single
 * precision would leave a fixed pattern.  The background is stored as the sum
 * of two floats (high + low) and subtracted in two steps.  The first one is
 * exact for counts: the result is right to the rounding of float32.
 */
#include "oct-cpu-background-parts.h"
#include "oct-operation.h"
#include "oct-params.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

/* The B-scan is summed in at most this many groups of A-lines, whatever the
 * number of threads, so that sums of floats do not depend on it. */
#define MAX_GROUPS 32

struct _OctPlan {
  OctBackgroundMode mode;
  gboolean found; /* the background comes with the input */
  OctSampleFormat format;
  guint samples, threads;
  guint lines; /* of one B-scan */
  guint bscans;
  double running_weight;
  guint groups;
  gpointer sums; /* [groups][samples], guint32 for counts, double for floats */
  double *mean;  /* [samples] of this B-scan */
  double *running;      /* [samples], valid if has_running */
  gboolean has_running; /* a B-scan has been seen */
  float *high, *low;    /* [samples], the background */
  OctCpuFitter fitter;  /* of modes with terms */
  guint high_pass_lines;
  /* NULL: not used so far */
  OctCpuPattern *pattern;
  OctCpuMedian *median;
  OctCpuHighPass *high_pass;
};

/* sums[i] = sum of the lines; 65536 lines of 65535 counts fit 32 bits. */
#define DEFINE_SUM(name, type, sum_type)                                       \
  OCT_VECTORISED static void name (const guint8 *rows, gsize stride,           \
      guint lines, guint samples, sum_type *restrict sums)                     \
  {                                                                            \
    guint line = 0;                                                            \
                                                                               \
    memset (sums, 0, samples * sizeof (sum_type));                             \
    for (; line + 4 <= lines; line += 4) {                                     \
      const type *a = (const type *)(rows + line * stride);                    \
      const type *b = (const type *)(rows + (line + 1) * stride);              \
      const type *c = (const type *)(rows + (line + 2) * stride);              \
      const type *d = (const type *)(rows + (line + 3) * stride);              \
      for (guint i = 0; i < samples; i++)                                      \
        sums[i] += ((sum_type)a[i] + b[i]) + ((sum_type)c[i] + d[i]);          \
    }                                                                          \
    for (; line < lines; line++) {                                             \
      const type *a = (const type *)(rows + line * stride);                    \
      for (guint i = 0; i < samples; i++)                                      \
        sums[i] += a[i];                                                       \
    }                                                                          \
  }

DEFINE_SUM (cpu_background_sum_u8, guint8, guint32)
DEFINE_SUM (cpu_background_sum_u16, guint16, guint32)
DEFINE_SUM (cpu_background_sum_f32, float, double)

/* in and out may be the same memory */
#define DEFINE_SUBTRACT(name, type)                                            \
  OCT_VECTORISED static void name (const type *in, guint samples,              \
      const float *restrict high, const float *restrict low, float *out)       \
  {                                                                            \
    OCT_INDEPENDENT for (guint i = 0; i < samples; i++) out[i] =               \
        ((float)in[i] - high[i]) - low[i];                                     \
  }

DEFINE_SUBTRACT (cpu_background_subtract_u8, guint8)
DEFINE_SUBTRACT (cpu_background_subtract_u16, guint16)
DEFINE_SUBTRACT (cpu_background_subtract_f32, float)

/* mean[i] = sum over the groups of sums[group][i], by lines. */
#define DEFINE_MEAN(name, sum_type)                                            \
  OCT_VECTORISED static void name (const sum_type *sums, guint groups,         \
      guint samples, guint lines, double *restrict mean)                       \
  {                                                                            \
    for (guint i = 0; i < samples; i++)                                        \
      mean[i] = sums[i];                                                       \
    for (guint group = 1; group < groups; group++)                             \
      for (guint i = 0; i < samples; i++)                                      \
        mean[i] += sums[(gsize)group * samples + i];                           \
    for (guint i = 0; i < samples; i++)                                        \
      mean[i] /= lines;                                                        \
  }

DEFINE_MEAN (mean_of_counts, guint32)
DEFINE_MEAN (mean_of_floats, double)

static void
set_background (OctPlan *plan, const double *background)
{
  for (guint i = 0; i < plan->samples; i++) {
    double value = background != NULL ? background[i] : 0;
    plan->high[i] = (float)value;
    plan->low[i] = (float)(value - plan->high[i]);
  }
}

/* ---------------------------------------------------------------- plans */

static void
cpu_background_apply_params (OctPlan *plan, const OctBackgroundParams *params)
{
  plan->bscans = OCT_BSCANS (params);
  plan->mode = params->mode;
  plan->found = params->found;
  plan->running_weight = params->running_weight;
  plan->high_pass_lines = params->high_pass_lines;
  if (oct_background_modes[params->mode].is_stored)
    set_background (plan, params->background);
  else if (params->mode == OCT_BACKGROUND_NONE)
    set_background (plan, NULL);
  for (guint i = 0; i < plan->samples && params->mode == OCT_BACKGROUND_A_LINE;
       i++) {
    plan->high[i] = 1;
    plan->low[i] = 0;
  }
}

static void
cpu_background_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->sums);
  oct_cpu_free (plan->mean);
  oct_cpu_free (plan->running);
  oct_cpu_free (plan->high);
  oct_cpu_free (plan->low);
  oct_cpu_fitter_clear (&plan->fitter);
  oct_cpu_pattern_free (plan->pattern);
  oct_cpu_median_free (plan->median);
  oct_cpu_high_pass_free (plan->high_pass);
  g_free (plan);
}

/* Whether the plan has the parts that the mode needs. */
static gboolean
cpu_background_has_parts (
    const OctPlan *plan, const OctBackgroundParams *params)
{
  if (params->found)
    return TRUE;
  return (!oct_background_modes[params->mode].has_pattern
             || plan->pattern != NULL)
         && (params->mode != OCT_BACKGROUND_MEDIAN || plan->median != NULL)
         && (params->mode != OCT_BACKGROUND_HIGH_PASS
             || plan->high_pass != NULL);
}

static gboolean
cpu_background_make_parts (
    OctPlan *plan, const OctBackgroundParams *params, GError **error)
{
  guint samples = plan->samples, lines = plan->lines, threads = plan->threads;

  if (!oct_cpu_fitter_init (&plan->fitter, plan->format, samples, error))
    return FALSE;
  if (params->found)
    return TRUE;
  if (oct_background_modes[params->mode].has_pattern)
    plan->pattern =
        oct_cpu_pattern_new (plan->format, samples, lines, threads, error);
  if (params->mode == OCT_BACKGROUND_MEDIAN)
    plan->median =
        oct_cpu_median_new (plan->format, samples, lines, threads, error);
  if (params->mode == OCT_BACKGROUND_HIGH_PASS)
    plan->high_pass =
        oct_cpu_high_pass_new (plan->format, samples, lines, threads, error);
  return cpu_background_has_parts (plan, params);
}

static OctPlan *
cpu_background_create (gconstpointer data, GError **error)
{
  const OctBackgroundParams *params = data;
  OctPlan *plan;
  guint samples = params->samples;

  if (!oct_check_background (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->format = params->format;
  plan->samples = samples;
  plan->lines = params->lines / OCT_BSCANS (params);
  plan->threads = oct_backend_cpu_get_threads ();
  plan->groups = MIN (plan->lines, MAX_GROUPS);
  if (!(plan->sums = oct_cpu_alloc ((gsize)plan->groups * samples,
            params->format == OCT_SAMPLE_F32 ? sizeof (double)
                                             : sizeof (guint32),
            error))
      || !(plan->mean = oct_cpu_alloc (samples, sizeof (double), error))
      || !(plan->running = oct_cpu_alloc (samples, sizeof (double), error))
      || !(plan->high = oct_cpu_alloc (samples, sizeof (float), error))
      || !(plan->low = oct_cpu_alloc (samples, sizeof (float), error))
      || !cpu_background_make_parts (plan, params, error)) {
    cpu_background_destroy (plan);
    return NULL;
  }
  cpu_background_apply_params (plan, params);
  return plan;
}

static gboolean
cpu_background_update (OctPlan *plan, gconstpointer data)
{
  const OctBackgroundParams *params = data;

  if (params->format != plan->format || params->samples != plan->samples
      || params->lines / OCT_BSCANS (params) != plan->lines
      || !oct_check_background (params, NULL)
      || !cpu_background_has_parts (plan, params))
    return FALSE;
  cpu_background_apply_params (plan, params);
  return TRUE;
}

static void
cpu_background_reset (OctPlan *plan)
{
  plan->has_running = FALSE;
}

/* Sums of the groups first_group to end_group - 1 of A-lines. */
static void
sum_groups (gpointer data, guint first_group, guint end_group, guint thread)
{
  const OctCpuLoop *loop = data;
  OctPlan *plan = loop->plan;
  gsize stride = loop->from->stride;
  guint samples = plan->samples;

  for (guint group = first_group; group < end_group; group++) {
    guint first = (guint)((guint64)plan->lines * group / plan->groups);
    guint end = (guint)((guint64)plan->lines * (group + 1) / plan->groups);
    const guint8 *rows = oct_cpu_row (loop->from, first);
    gsize at = (gsize)group * samples;

    if (plan->format == OCT_SAMPLE_U8)
      cpu_background_sum_u8 (
          rows, stride, end - first, samples, (guint32 *)plan->sums + at);
    else if (plan->format == OCT_SAMPLE_U16)
      cpu_background_sum_u16 (
          rows, stride, end - first, samples, (guint32 *)plan->sums + at);
    else
      cpu_background_sum_f32 (
          rows, stride, end - first, samples, (double *)plan->sums + at);
  }
}

/* A non-finite value must spoil its own A-line only, not all others through the
 * mean: such a mean is computed again from the finite values. */
static void
repair_mean (OctPlan *plan, const OctPlane *in)
{
  for (guint i = 0; i < plan->samples; i++) {
    double sum = 0;
    guint count = 0;

    if (isfinite (plan->mean[i]))
      continue;
    for (guint line = 0; line < plan->lines; line++) {
      float value = ((const float *)oct_cpu_row (in, line))[i];
      if (isfinite (value)) {
        sum += value;
        count++;
      }
    }
    if (count > 0)
      plan->mean[i] = sum / count;
  }
}

static void
cpu_background_find_mean (OctPlan *plan, const OctPlane *in)
{
  guint groups = plan->groups, samples = plan->samples, lines = plan->lines;
  OctCpuLoop loop = { .plan = plan, .from = in };

  oct_parallel_for (
      groups, 1, oct_cpu_threads (plan->threads), sum_groups, &loop);
  if (plan->format == OCT_SAMPLE_F32) {
    mean_of_floats (plan->sums, groups, samples, lines, plan->mean);
    repair_mean (plan, in);
  } else
    mean_of_counts (plan->sums, groups, samples, lines, plan->mean);
}

/* A mean that is not finite (float files) must not stay for ever. */
static void
update_running (OctPlan *plan)
{
  for (guint i = 0; i < plan->samples; i++) {
    double *running = &plan->running[i];
    if (!plan->has_running || !isfinite (*running))
      *running = plan->mean[i];
    else if (isfinite (plan->mean[i]))
      *running += plan->running_weight * (plan->mean[i] - *running);
  }
  plan->has_running = TRUE;
}

/* Copies the result of OCT_OPERATION_MEAN: high[samples], low[samples]. */
static void
take_found (OctPlan *plan, const float *mean)
{
  memcpy (plan->high, mean, plan->samples * sizeof (float));
  memcpy (plan->low, mean + plan->samples, plan->samples * sizeof (float));
}

/* ----------------------------------------------------------------- running */

static void
find_background (OctPlan *plan, const OctPlane *from)
{
  if (plan->mode == OCT_BACKGROUND_BSCAN) {
    cpu_background_find_mean (plan, from);
    set_background (plan, plan->mean);
  } else if (plan->mode == OCT_BACKGROUND_RUNNING) {
    cpu_background_find_mean (plan, from);
    update_running (plan);
    set_background (plan, plan->running);
  } else if (oct_background_modes[plan->mode].has_pattern) {
    cpu_background_find_mean (plan, from);
    set_background (plan, plan->mean);
    oct_cpu_pattern_find (plan->pattern, from, plan->high, plan->low,
        oct_cpu_threads (plan->threads), plan->mean);
    set_background (plan, plan->mean);
  } else if (plan->mode == OCT_BACKGROUND_MEDIAN) {
    oct_cpu_median_find (
        plan->median, from, oct_cpu_threads (plan->threads), plan->mean);
    set_background (plan, plan->mean);
  }
  if (oct_background_modes[plan->mode].terms > 0)
    oct_cpu_fitter_set (&plan->fitter,
        (int)oct_background_modes[plan->mode].terms, plan->high, plan->low);
}

static void
subtract_lines (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;

  for (guint line = first; line < end; line++) {
    gconstpointer row = oct_cpu_row (loop->from, line);
    float *result = oct_cpu_row (loop->to, line);

    if (plan->format == OCT_SAMPLE_U8)
      cpu_background_subtract_u8 (
          row, plan->samples, plan->high, plan->low, result);
    else if (plan->format == OCT_SAMPLE_U16)
      cpu_background_subtract_u16 (
          row, plan->samples, plan->high, plan->low, result);
    else
      cpu_background_subtract_f32 (
          row, plan->samples, plan->high, plan->low, result);
  }
}

/* Subtracts the fitted background of each A-line.  Without fits in loop->extra
 * it is fitted here, while the A-line is in the cache. */
static void
subtract_fitted (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;
  const OctCpuFit *fits = loop->extra;

  for (guint line = first; line < end; line++) {
    gconstpointer row = oct_cpu_row (loop->from, line);
    OctCpuFit fit =
        fits != NULL ? fits[line] : oct_cpu_fitter_find (&plan->fitter, row);

    oct_cpu_fitter_subtract (
        &plan->fitter, row, &fit, oct_cpu_row (loop->to, line));
  }
}

static void
cpu_background_run_bscan (
    OctPlan *plan, const OctFrame *in, const OctFrame *out)
{
  OctCpuLoop loop = {
    .plan = plan, .from = &in->planes[0], .to = &out->planes[0]
  };
  guint threads = oct_cpu_threads (plan->threads);
  gboolean is_fitted = oct_background_modes[plan->mode].terms > 0;

  if (plan->mode == OCT_BACKGROUND_HIGH_PASS) {
    oct_cpu_high_pass_run (
        plan->high_pass, plan->high_pass_lines, loop.from, loop.to, threads);
    return;
  }
  if (plan->found) {
    const guint8 *found = in->planes[1].data;

    take_found (plan, in->planes[1].data);
    loop.extra = found + OCT_MEAN_FITS (plan->samples);
    oct_cpu_fitter_set (&plan->fitter, 0, plan->high, plan->low);
  } else
    find_background (plan, &in->planes[0]);
  oct_parallel_for (plan->lines, OCT_CPU_GRAIN, threads,
      is_fitted ? subtract_fitted : subtract_lines, &loop);
}

static gboolean
cpu_background_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  guint samples = plan->samples;
  guint bscans = oct_frame_count_bscans (in, plan->lines, plan->bscans);

  if (!oct_cpu_check_plane (
          from, samples * oct_sample_format_size (plan->format), error)
      || !oct_cpu_check_plane (to, samples * sizeof (float), error))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame one_in = oct_frame_get_bscan (
        in, bscan, plan->lines, OCT_MEAN_SIZE (samples, plan->lines));
    OctFrame one_out = oct_frame_get_bscan (out, bscan, plan->lines, 0);

    cpu_background_run_bscan (plan, &one_in, &one_out);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_background = {
  .create = cpu_background_create,
  .update = cpu_background_update,
  .run = cpu_background_run,
  .reset = cpu_background_reset,
  .destroy = cpu_background_destroy,
};

static gboolean
cpu_background_mean_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0];
  guint8 *found = out->planes[0].data;
  guint samples = plan->samples;
  guint bscans = oct_frame_count_bscans (in, plan->lines, plan->bscans);

  if (!oct_cpu_check_plane (
          from, plan->samples * oct_sample_format_size (plan->format), error))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame one = oct_frame_get_bscan (in, bscan, plan->lines, 0);

    find_background (plan, &one.planes[0]);
    memcpy (found, plan->high, samples * sizeof (float));
    memcpy (
        found + samples * sizeof (float), plan->low, samples * sizeof (float));
    if (oct_background_modes[plan->mode].terms > 0)
      oct_cpu_fitter_find_all (&plan->fitter, &one.planes[0], plan->lines,
          oct_cpu_threads (plan->threads),
          (OctCpuFit *)(found + OCT_MEAN_FITS (samples)));
    found += OCT_MEAN_SIZE (samples, plan->lines);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_mean = {
  .create = cpu_background_create,
  .update = cpu_background_update,
  .run = cpu_background_mean_run,
  .reset = cpu_background_reset,
  .destroy = cpu_background_destroy,
};
