/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Counts to float, minus the spectrum of the source.
 *
 * The fringes are small against the spectrum of the source, so a mean of
 * single precision would leave a fixed pattern.  The background is kept as the
 * sum of two floats (high + low) and taken off in two steps, the first of which
 * is exact for counts: the result is right to the rounding of float32.
 */
#include "oct-cpu-block.h"
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-private.h"
#include "oct-params.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

/* The B-scan is summed in at most this many groups of A-lines, whatever the
 * number of threads, so that sums of floats do not depend on it. */
#define MAX_GROUPS 32

typedef struct _Pattern Pattern;

struct _OctPlan {
  OctBackgroundMode mode;
  gboolean found; /* what is taken off comes with the input */
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
  float *high, *low;    /* [samples], what is taken off */
  Pattern *pattern;     /* NULL: it has not been asked for */
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

DEFINE_SUM (sum_u8, guint8, guint32)
DEFINE_SUM (sum_u16, guint16, guint32)
DEFINE_SUM (sum_f32, float, double)

/* in and out may be the same memory */
#define DEFINE_SUBTRACT(name, type)                                            \
  OCT_VECTORISED static void name (const type *in, guint samples,              \
      const float *restrict high, const float *restrict low, float *out)       \
  {                                                                            \
    OCT_INDEPENDENT for (guint i = 0; i < samples; i++) out[i] =               \
        ((float)in[i] - high[i]) - low[i];                                     \
  }

DEFINE_SUBTRACT (subtract_u8, guint8)
DEFINE_SUBTRACT (subtract_u16, guint16)
DEFINE_SUBTRACT (subtract_f32, float)

OCT_VECTORISED static void
mean_of_counts (const guint32 *sums, guint groups, guint samples, guint lines,
    double *restrict mean)
{
  for (guint i = 0; i < samples; i++)
    mean[i] = sums[i];
  for (guint group = 1; group < groups; group++)
    for (guint i = 0; i < samples; i++)
      mean[i] += sums[(gsize)group * samples + i];
  for (guint i = 0; i < samples; i++)
    mean[i] /= lines;
}

OCT_VECTORISED static void
mean_of_floats (const double *sums, guint groups, guint samples, guint lines,
    double *restrict mean)
{
  for (guint i = 0; i < samples; i++)
    mean[i] = sums[i];
  for (guint group = 1; group < groups; group++)
    for (guint i = 0; i < samples; i++)
      mean[i] += sums[(gsize)group * samples + i];
  for (guint i = 0; i < samples; i++)
    mean[i] /= lines;
}

static void
set_background (OctPlan *plan, const double *background)
{
  for (guint i = 0; i < plan->samples; i++) {
    double value = background != NULL ? background[i] : 0;
    plan->high[i] = (float)value;
    plan->low[i] = (float)(value - plan->high[i]);
  }
}

/* ------------------------------------------------------ the fixed pattern
 *
 * A-lines are compared with the mean: of A[j] / g[j] - b nothing is lost in
 * single precision.  The mean over a run is one sum before the transform; the
 * variances are those of what is left when it is taken off as well. */

/* pieces of a run, each with sums of its own, whatever the number of threads */
#define PIECES 4
#define MAX_PIECES (OCT_PATTERN_RUNS * PIECES)

struct _Pattern {
  OctLanesFft *forward, *backward;
  guint bins;
  float *excess; /* [lines] 1 / brightness - 1; NaN: it does not count */
  guint *used;   /* [lines] those that count */
  guint runs, run;
  float *means;      /* [runs][samples], less the mean of all */
  double *variances; /* [pieces][bins] */
  float *zeros;      /* [samples] */
  guint8 *scratch;   /* [threads][scratch_size] */
  gsize scratch_size;
};

static void
pattern_free (Pattern *pattern)
{
  if (pattern == NULL)
    return;
  oct_lanes_fft_free (pattern->forward);
  oct_lanes_fft_free (pattern->backward);
  oct_cpu_free (pattern->excess);
  oct_cpu_free (pattern->used);
  oct_cpu_free (pattern->means);
  oct_cpu_free (pattern->variances);
  oct_cpu_free (pattern->zeros);
  oct_cpu_free (pattern->scratch);
  g_free (pattern);
}

/* What one thread works on, in its part of the scratch. */
typedef struct {
  float *values; /* [samples][LANES] */
  float *bins;   /* [bins][2][LANES] */
  float *powers; /* [bins][LANES] */
  gpointer transform;
} Work;

static gsize
divide_scratch (const Pattern *pattern, guint samples, guint8 *at, Work *work)
{
  gsize lanes = OCT_LANES * sizeof (float), bins = pattern->bins * lanes;

  work->values = (float *)at;
  work->bins = (float *)(at + samples * lanes);
  work->powers = (float *)(at + samples * lanes + 2 * bins);
  work->transform = at + samples * lanes + 3 * bins;
  return samples * lanes + 3 * bins
         + MAX (oct_lanes_fft_scratch (pattern->forward),
             oct_lanes_fft_scratch (pattern->backward));
}

static Pattern *
pattern_new (guint samples, guint lines, guint threads, GError **error)
{
  Pattern *pattern = g_new0 (Pattern, 1);
  Work work;

  pattern->bins = samples / 2 + 1;
  pattern->forward = oct_lanes_fft_new_real (samples, FALSE, error);
  if (pattern->forward != NULL)
    pattern->backward = oct_lanes_fft_new_real (samples, TRUE, error);
  if (pattern->backward != NULL) {
    pattern->scratch_size = divide_scratch (pattern, samples, NULL, &work);
    pattern->scratch = oct_cpu_alloc (threads, pattern->scratch_size, error);
  }
  if (pattern->scratch == NULL
      || !(pattern->excess = oct_cpu_alloc (lines, sizeof (float), error))
      || !(pattern->used = oct_cpu_alloc (lines, sizeof (guint), error))
      || !(pattern->means = oct_cpu_alloc (
               OCT_PATTERN_RUNS, samples * sizeof (float), error))
      || !(pattern->variances = oct_cpu_alloc (
               MAX_PIECES, pattern->bins * sizeof (double), error))
      || !(pattern->zeros = oct_cpu_alloc (samples, sizeof (float), error))) {
    pattern_free (pattern);
    return NULL;
  }
  memset (pattern->zeros, 0, samples * sizeof (float));
  return pattern;
}

/* ---------------------------------------------------------------- plans */

static void
apply_params (OctPlan *plan, const OctBackgroundParams *params)
{
  plan->bscans = OCT_BSCANS (params);
  plan->mode = params->mode;
  plan->found = params->found;
  plan->running_weight = params->running_weight;
  if (params->mode == OCT_BACKGROUND_STORED)
    set_background (plan, params->background);
  else if (params->mode == OCT_BACKGROUND_NONE)
    set_background (plan, NULL);
}

static void
background_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->sums);
  oct_cpu_free (plan->mean);
  oct_cpu_free (plan->running);
  oct_cpu_free (plan->high);
  oct_cpu_free (plan->low);
  pattern_free (plan->pattern);
  g_free (plan);
}

static gboolean
needs_pattern (const OctBackgroundParams *params)
{
  return params->mode == OCT_BACKGROUND_FIXED_PATTERN && !params->found;
}

static OctPlan *
background_create (gconstpointer data, GError **error)
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
      || (needs_pattern (params)
          && !(plan->pattern =
                   pattern_new (samples, plan->lines, plan->threads, error)))) {
    background_destroy (plan);
    return NULL;
  }
  apply_params (plan, params);
  return plan;
}

static gboolean
background_update (OctPlan *plan, gconstpointer data)
{
  const OctBackgroundParams *params = data;

  if (params->format != plan->format || params->samples != plan->samples
      || params->lines / OCT_BSCANS (params) != plan->lines
      || !oct_check_background (params, NULL)
      || (needs_pattern (params) && plan->pattern == NULL))
    return FALSE;
  apply_params (plan, params);
  return TRUE;
}

static void
background_reset (OctPlan *plan)
{
  plan->has_running = FALSE;
}

/* Sums of the groups first_group .. end_group - 1 of A-lines. */
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
      sum_u8 (rows, stride, end - first, samples, (guint32 *)plan->sums + at);
    else if (plan->format == OCT_SAMPLE_U16)
      sum_u16 (rows, stride, end - first, samples, (guint32 *)plan->sums + at);
    else
      sum_f32 (rows, stride, end - first, samples, (double *)plan->sums + at);
  }
}

/* A value that is not finite spoils its own A-line and not, by way of the mean,
 * all the others: such a mean is made again from the finite values. */
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
find_mean (OctPlan *plan, const OctPlane *in)
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

/* What OCT_OPERATION_MEAN gives: high[samples], low[samples]. */
static void
take_found (OctPlan *plan, const float *mean)
{
  memcpy (plan->high, mean, plan->samples * sizeof (float));
  memcpy (plan->low, mean + plan->samples, plan->samples * sizeof (float));
}

/* ---------------------------------------------- finding the fixed pattern */

/* sum_i row[i] mean[i] */
#define DEFINE_DOT(name, type)                                                 \
  OCT_VECTORISED static double name (                                          \
      const type *row, guint samples, const double *mean)                      \
  {                                                                            \
    double sums[8] = { 0 };                                                    \
    guint i = 0;                                                               \
                                                                               \
    for (; i + 8 <= samples; i += 8)                                           \
      for (guint k = 0; k < 8; k++)                                            \
        sums[k] += (double)row[i + k] * mean[i + k];                           \
    for (; i < samples; i++)                                                   \
      sums[0] += (double)row[i] * mean[i];                                     \
    return ((sums[0] + sums[1]) + (sums[2] + sums[3]))                         \
           + ((sums[4] + sums[5]) + (sums[6] + sums[7]));                      \
  }

DEFINE_DOT (dot_u8, guint8)
DEFINE_DOT (dot_u16, guint16)
DEFINE_DOT (dot_f32, float)
DEFINE_DOT (dot_f64, double)

/* sums[i] += (1 + excess) row[i] - mean[i], which is high + low */
#define DEFINE_ADD(name, type)                                                 \
  OCT_VECTORISED static void name (const type *row, guint samples,             \
      float excess, const float *high, const float *low,                       \
      double *restrict sums)                                                   \
  {                                                                            \
    for (guint i = 0; i < samples; i++) {                                      \
      float value = (float)row[i];                                             \
      sums[i] += ((value - high[i]) + excess * value) - low[i];                \
    }                                                                          \
  }

DEFINE_ADD (add_u8, guint8)
DEFINE_ADD (add_u16, guint16)
DEFINE_ADD (add_f32, float)

typedef struct {
  OctPlan *plan;
  const OctPlane *in;
  double square; /* sum_i mean[i]^2 */
} Search;

/* Of all A-lines. */
static void
find_brightness (gpointer data, guint first, guint end, guint thread)
{
  const Search *search = data;
  const OctPlan *plan = search->plan;

  for (guint line = first; line < end; line++) {
    gconstpointer row = oct_cpu_row (search->in, line);
    double dot = plan->format == OCT_SAMPLE_U8
                     ? dot_u8 (row, plan->samples, plan->mean)
                 : plan->format == OCT_SAMPLE_U16
                     ? dot_u16 (row, plan->samples, plan->mean)
                     : dot_f32 (row, plan->samples, plan->mean);
    double brightness = dot / search->square;
    gboolean counts = isfinite (brightness) && brightness >= OCT_PATTERN_DARK;

    plan->pattern->excess[line] = counts ? (float)(1 / brightness - 1) : NAN;
  }
}

/* FALSE where no A-line counts. */
static gboolean
divide_lines (const OctPlan *plan)
{
  Pattern *pattern = plan->pattern;
  guint count = 0;

  for (guint line = 0; line < plan->lines; line++)
    if (!isnan (pattern->excess[line]))
      pattern->used[count++] = line;
  pattern->runs = CLAMP (count / OCT_PATTERN_LEAST, 1, OCT_PATTERN_RUNS);
  pattern->run = count / pattern->runs;
  return count > 0;
}

/* Means over the runs first .. end - 1. */
static void
find_run_means (gpointer data, guint first, guint end, guint thread)
{
  const Search *search = data;
  const OctPlan *plan = search->plan;
  const Pattern *pattern = plan->pattern;
  guint samples = plan->samples;
  /* the sums of others are not begun yet */
  double *sums = (double *)(pattern->scratch + thread * pattern->scratch_size);

  for (guint k = first; k < end; k++) {
    memset (sums, 0, samples * sizeof (double));
    for (guint i = 0; i < pattern->run; i++) {
      guint line = pattern->used[k * pattern->run + i];
      gconstpointer row = oct_cpu_row (search->in, line);
      float excess = pattern->excess[line];
      if (plan->format == OCT_SAMPLE_U8)
        add_u8 (row, samples, excess, plan->high, plan->low, sums);
      else if (plan->format == OCT_SAMPLE_U16)
        add_u16 (row, samples, excess, plan->high, plan->low, sums);
      else
        add_f32 (row, samples, excess, plan->high, plan->low, sums);
    }
    for (guint i = 0; i < samples; i++)
      pattern->means[(gsize)k * samples + i] = (float)(sums[i] / pattern->run);
  }
}

/* values[i][lane] = (1 + excess[lane]) values[i][lane] - high[i] - low[i] -
 * mean[i], and 0 where used[lane] and excess[lane] are 0 in place of 1 and
 * something */
OCT_VECTORISED static void
compare_lanes (float *values, guint samples, const float *excess,
    const float *used, const float *high, const float *low, const float *mean)
{
  OctVector *v = (OctVector *)values;
  const OctVector *more = (const OctVector *)excess;
  const OctVector *one = (const OctVector *)used;
  enum { VECTORS = OCT_LANES / OCT_VECTOR };

  for (guint i = 0; i < samples; i++)
    for (guint k = 0; k < VECTORS; k++) {
      OctVector *at = v + (gsize)i * VECTORS + k;
      *at = (one[k] * (*at - high[i]) + more[k] * *at)
            - one[k] * (low[i] + mean[i]);
    }
}

OCT_VECTORISED static void
add_powers (const float *values, guint bins, float *powers)
{
  const OctVector *v = (const OctVector *)values;
  OctVector *to = (OctVector *)powers;
  enum { VECTORS = OCT_LANES / OCT_VECTOR };

  for (gsize q = 0; q < bins; q++)
    for (guint k = 0; k < VECTORS; k++) {
      OctVector re = v[2 * q * VECTORS + k], im = v[(2 * q + 1) * VECTORS + k];
      to[q * VECTORS + k] += re * re + im * im;
    }
}

/* Up to OCT_LANES A-lines of run k, from number `first` of those that count. */
static void
add_block (const Search *search, guint k, guint first, guint count, Work *work)
{
  const OctPlan *plan = search->plan;
  const Pattern *pattern = plan->pattern;
  gconstpointer rows[OCT_LANES];
  float excess[OCT_LANES] __attribute__ ((aligned (64)));
  float used[OCT_LANES] __attribute__ ((aligned (64)));

  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint line = pattern->used[first + MIN (lane, count - 1)];
    rows[lane] = oct_cpu_row (search->in, line);
    used[lane] = lane < count ? 1 : 0;
    excess[lane] = lane < count ? pattern->excess[line] : 0;
  }
  oct_cpu_block_load (plan->format, rows, plan->samples, pattern->zeros,
      pattern->zeros, work->values);
  compare_lanes (work->values, plan->samples, excess, used, plan->high,
      plan->low, pattern->means + (gsize)k * plan->samples);
  oct_lanes_fft_run_real (pattern->forward, work->values, work->bins, 0,
      pattern->bins, work->transform);
  add_powers (work->bins, pattern->bins, work->powers);
}

/* Sums of the squares of what differs from the mean of the run, piece by piece.
 */
static void
find_variances (gpointer data, guint first_piece, guint end, guint thread)
{
  const Search *search = data;
  const OctPlan *plan = search->plan;
  const Pattern *pattern = plan->pattern;
  Work work;

  divide_scratch (pattern, plan->samples,
      pattern->scratch + thread * pattern->scratch_size, &work);
  for (guint piece = first_piece; piece < end; piece++) {
    guint k = piece / PIECES;
    guint first = pattern->run * (piece % PIECES) / PIECES;
    guint behind = pattern->run * (piece % PIECES + 1) / PIECES;
    double *to = pattern->variances + (gsize)piece * pattern->bins;

    memset (work.powers, 0, pattern->bins * OCT_LANES * sizeof (float));
    for (; first < behind; first += OCT_LANES)
      add_block (search, k, k * pattern->run + first,
          MIN (OCT_LANES, behind - first), &work);
    for (guint q = 0; q < pattern->bins; q++) {
      to[q] = 0;
      for (guint lane = 0; lane < OCT_LANES; lane++)
        to[q] += work.powers[(gsize)q * OCT_LANES + lane];
    }
  }
}

/* The run whose variance of a frequency is least. */
static guint
find_least (const Pattern *pattern, guint q, double rounding)
{
  double least = INFINITY;
  guint best = 0;

  for (guint k = 0; k < pattern->runs; k++) {
    double sum = 0;
    for (guint piece = k * PIECES; piece < (k + 1) * PIECES; piece++)
      sum += pattern->variances[(gsize)piece * pattern->bins + q];
    sum = MAX (sum / pattern->run, rounding);
    if (sum < least) {
      least = sum;
      best = k;
    }
  }
  return best;
}

/* Every frequency from its run: added to the mean. */
static void
choose_frequencies (OctPlan *plan, double rounding)
{
  const Pattern *pattern = plan->pattern;
  const float *rows[OCT_LANES];
  Work work;

  divide_scratch (pattern, plan->samples, pattern->scratch, &work);
  for (guint lane = 0; lane < OCT_LANES; lane++)
    rows[lane] =
        pattern->means + (gsize)MIN (lane, pattern->runs - 1) * plan->samples;
  oct_cpu_block_gather (rows, plan->samples, work.values);
  oct_lanes_fft_run_real (pattern->forward, work.values, work.bins, 0,
      pattern->bins, work.transform);
  for (guint q = 0; q < pattern->bins; q++) {
    float *re = work.bins + (gsize)q * 2 * OCT_LANES, *im = re + OCT_LANES;
    guint best = find_least (pattern, q, rounding);
    re[0] = re[best];
    im[0] = im[best];
  }
  oct_lanes_fft_run_back_real (
      pattern->backward, work.bins, work.values, work.transform);
  for (guint i = 0; i < plan->samples; i++)
    plan->mean[i] += (double)work.values[(gsize)i * OCT_LANES] / plan->samples;
}

/* From the mean to the fixed pattern, in its place. */
static void
find_pattern (OctPlan *plan, const OctPlane *in)
{
  guint threads = oct_cpu_threads (plan->threads);
  Search search = { plan, in, dot_f64 (plan->mean, plan->samples, plan->mean) };

  set_background (plan, plan->mean);
  oct_parallel_for (
      plan->lines, OCT_CPU_GRAIN, threads, find_brightness, &search);
  if (!divide_lines (plan))
    return;
  oct_parallel_for (plan->pattern->runs, 1, threads, find_run_means, &search);
  oct_parallel_for (
      plan->pattern->runs * PIECES, 1, threads, find_variances, &search);
  choose_frequencies (
      plan, OCT_PATTERN_ROUNDING * OCT_PATTERN_ROUNDING * search.square);
}

/* ----------------------------------------------------------------- running */

static void
find_background (OctPlan *plan, const OctPlane *from)
{
  if (plan->mode == OCT_BACKGROUND_BSCAN) {
    find_mean (plan, from);
    set_background (plan, plan->mean);
  } else if (plan->mode == OCT_BACKGROUND_RUNNING) {
    find_mean (plan, from);
    update_running (plan);
    set_background (plan, plan->running);
  } else if (plan->mode == OCT_BACKGROUND_FIXED_PATTERN) {
    find_mean (plan, from);
    find_pattern (plan, from);
    set_background (plan, plan->mean);
  }
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
      subtract_u8 (row, plan->samples, plan->high, plan->low, result);
    else if (plan->format == OCT_SAMPLE_U16)
      subtract_u16 (row, plan->samples, plan->high, plan->low, result);
    else
      subtract_f32 (row, plan->samples, plan->high, plan->low, result);
  }
}

static void
run_bscan (OctPlan *plan, const OctFrame *in, const OctFrame *out)
{
  OctCpuLoop loop = {
    .plan = plan, .from = &in->planes[0], .to = &out->planes[0]
  };

  if (plan->found)
    take_found (plan, in->planes[1].data);
  else
    find_background (plan, &in->planes[0]);
  oct_parallel_for (plan->lines, OCT_CPU_GRAIN, oct_cpu_threads (plan->threads),
      subtract_lines, &loop);
}

static gboolean
background_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  guint samples = plan->samples;

  if (!oct_cpu_check_plane (
          from, samples * oct_sample_format_size (plan->format), error)
      || !oct_cpu_check_plane (to, samples * sizeof (float), error))
    return FALSE;
  for (guint bscan = 0; bscan < plan->bscans; bscan++) {
    OctFrame one_in =
        oct_frame_get_bscan (in, bscan, plan->lines, OCT_MEAN_SIZE (samples));
    OctFrame one_out = oct_frame_get_bscan (out, bscan, plan->lines, 0);

    run_bscan (plan, &one_in, &one_out);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_background = {
  .create = background_create,
  .update = background_update,
  .run = background_run,
  .reset = background_reset,
  .destroy = background_destroy,
};

static gboolean
mean_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0];
  float *mean = out->planes[0].data;
  guint samples = plan->samples;

  if (!oct_cpu_check_plane (
          from, plan->samples * oct_sample_format_size (plan->format), error))
    return FALSE;
  for (guint bscan = 0; bscan < plan->bscans; bscan++) {
    OctFrame one = oct_frame_get_bscan (in, bscan, plan->lines, 0);

    find_background (plan, &one.planes[0]);
    memcpy (mean, plan->high, samples * sizeof (float));
    memcpy (mean + samples, plan->low, samples * sizeof (float));
    mean += OCT_MEAN_SIZE (samples) / sizeof (float);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_mean = {
  .create = background_create,
  .update = background_update,
  .run = mean_run,
  .reset = background_reset,
  .destroy = background_destroy,
};
