/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The fixed pattern of a B-scan, oct-backend.h.
 *
 * A-lines are compared with the mean: single precision represents A[j] / g[j] -
 * b without loss.  The mean over a run is one sum before the transform.  The
 * variances are those of the residuals after it is subtracted as well.
 */
#include "oct-cpu-background-parts.h"
#include "oct-cpu-block.h"
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-vector.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

/* pieces of a run, each with sums of its own, whatever the number of threads */
#define PIECES 4
#define MAX_PIECES (OCT_PATTERN_RUNS * PIECES)
/* samples that are summed in single precision, eight at a time */
#define CHUNK 512
/* products of values with a smaller sum of squares underflow in single
 * precision */
#define TINY 1e-20
/* A-lines that are summed before they are added to the total */
#define TOGETHER 4

struct _OctCpuPattern {
  OctSampleFormat format;
  guint samples, lines;
  OctLanesFft *forward, *backward;
  guint bins;
  float *excess; /* [lines] 1 / brightness - 1; NaN: it does not count */
  guint *used;   /* [lines] those that count */
  guint runs, run;
  float *means;      /* [runs][samples], minus the mean of all */
  double *variances; /* [pieces][bins] */
  float *zeros;      /* [samples] */
  guint8 *scratch;   /* [threads][scratch_size] */
  gsize scratch_size;
};

void
oct_cpu_pattern_free (OctCpuPattern *pattern)
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

/* Buffers of one thread, in its part of the scratch. */
typedef struct {
  float *values; /* [samples][LANES] */
  float *bins;   /* [bins][2][LANES] */
  float *powers; /* [bins][LANES] */
  gpointer transform;
} Work;

static gsize
cpu_pattern_divide_scratch (
    const OctCpuPattern *pattern, guint samples, guint8 *at, Work *work)
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

OctCpuPattern *
oct_cpu_pattern_new (OctSampleFormat format, guint samples, guint lines,
    guint threads, GError **error)
{
  OctCpuPattern *pattern = g_new0 (OctCpuPattern, 1);
  Work work;

  pattern->format = format;
  pattern->samples = samples;
  pattern->lines = lines;
  pattern->bins = samples / 2 + 1;
  pattern->forward = oct_lanes_fft_new_real (samples, FALSE, error);
  if (pattern->forward != NULL)
    pattern->backward = oct_lanes_fft_new_real (samples, TRUE, error);
  if (pattern->backward != NULL) {
    pattern->scratch_size =
        cpu_pattern_divide_scratch (pattern, samples, NULL, &work);
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
    oct_cpu_pattern_free (pattern);
    return NULL;
  }
  memset (pattern->zeros, 0, samples * sizeof (float));
  return pattern;
}

/* ------------------------------------------------------------------ finding */

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

/* sum_i (row[i] - mean[i]) mean[i], which is high + low */
#define DEFINE_BEYOND(name, type, vector_type, to_float)                       \
  OCT_VECTORISED static double name (                                          \
      const type *row, guint samples, const float *high, const float *low)     \
  {                                                                            \
    double sum = 0;                                                            \
    guint i = 0;                                                               \
                                                                               \
    while (i + 2 * OCT_VECTOR <= samples) {                                    \
      guint end = MIN (i + CHUNK, samples);                                    \
      OctVector sums[2] = { { 0 } };                                           \
      for (; i + 2 * OCT_VECTOR <= end; i += 2 * OCT_VECTOR)                   \
        for (guint k = 0; k < 2; k++) {                                        \
          guint at = i + k * OCT_VECTOR;                                       \
          OctVector b = *(const OctVector *)(high + at);                       \
          OctVector t = to_float (*(const vector_type *)(row + at));           \
          sums[k] += ((t - b) - *(const OctVector *)(low + at)) * b;           \
        }                                                                      \
      for (guint k = 0; k < OCT_VECTOR; k++)                                   \
        sum += (double)sums[0][k] + sums[1][k];                                \
    }                                                                          \
    for (; i < samples; i++)                                                   \
      sum += (double)(((float)row[i] - high[i]) - low[i]) * high[i];           \
    return sum;                                                                \
  }

DEFINE_BEYOND (beyond_u8, guint8, OctCounts8, OCT_COUNTS_TO_FLOAT)
DEFINE_BEYOND (beyond_u16, guint16, OctCounts16, OCT_COUNTS_TO_FLOAT)
DEFINE_BEYOND (beyond_f32, float, OctVector, )

/* sums[i] += sum over the rows of (1 + excess) row[i] - mean[i], which is high
 * + low.  Rows after the first `count` are not added. */
#define DEFINE_ADD(name, type)                                                 \
  OCT_VECTORISED static void name (const type *const *rows, guint count,       \
      guint samples, const float *excess, const float *high, const float *low, \
      double *restrict sums)                                                   \
  {                                                                            \
    const type *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];         \
    float p = excess[0], q = excess[1], r = excess[2], s = excess[3];          \
                                                                               \
    G_STATIC_ASSERT (TOGETHER == 4);                                           \
    for (guint i = 0; count == TOGETHER && i < samples; i++) {                 \
      float h = high[i], w = (float)a[i], x = (float)b[i], y = (float)c[i],    \
            z = (float)d[i];                                                   \
      sums[i] += ((((w - h) + p * w) + ((x - h) + q * x))                      \
                     + (((y - h) + r * y) + ((z - h) + s * z)))                \
                 - TOGETHER * low[i];                                          \
    }                                                                          \
    for (guint line = 0; count < TOGETHER && line < count; line++)             \
      for (guint i = 0; i < samples; i++) {                                    \
        float value = (float)rows[line][i];                                    \
        sums[i] += ((value - high[i]) + excess[line] * value) - low[i];        \
      }                                                                        \
  }

DEFINE_ADD (cpu_pattern_add_u8, guint8)
DEFINE_ADD (cpu_pattern_add_u16, guint16)
DEFINE_ADD (cpu_pattern_add_f32, float)

typedef struct {
  OctCpuPattern *pattern;
  const OctPlane *in;
  double *mean;            /* of all A-lines, then the pattern */
  const float *high, *low; /* the mean */
  double square;           /* sum_i mean[i]^2 */
} Search;

/* sum_i row[i] mean[i]; in double precision if single overflows or underflows.
 */
static double
find_dot (const Search *search, gconstpointer row)
{
  OctSampleFormat format = search->pattern->format;
  const float *high = search->high, *low = search->low;
  guint samples = search->pattern->samples;
  double beyond = format == OCT_SAMPLE_U8 ? beyond_u8 (row, samples, high, low)
                  : format == OCT_SAMPLE_U16
                      ? beyond_u16 (row, samples, high, low)
                      : beyond_f32 (row, samples, high, low);

  if (isfinite (beyond) && search->square >= TINY)
    return search->square + beyond;
  return format == OCT_SAMPLE_U8    ? dot_u8 (row, samples, search->mean)
         : format == OCT_SAMPLE_U16 ? dot_u16 (row, samples, search->mean)
                                    : dot_f32 (row, samples, search->mean);
}

/* Computes 1 / brightness - 1 of every A-line; NaN: it does not count. */
static void
find_brightness (gpointer data, guint first, guint end, guint thread)
{
  const Search *search = data;
  OctCpuPattern *pattern = search->pattern;

  for (guint line = first; line < end; line++) {
    gconstpointer row = oct_cpu_row (search->in, line);
    double brightness = find_dot (search, row) / search->square;
    gboolean counts = isfinite (brightness) && brightness >= OCT_PATTERN_DARK;

    pattern->excess[line] = counts ? (float)(1 / brightness - 1) : NAN;
  }
}

/* FALSE: no A-line counts. */
static gboolean
divide_lines (OctCpuPattern *pattern)
{
  guint count = 0;

  for (guint line = 0; line < pattern->lines; line++)
    if (!isnan (pattern->excess[line]))
      pattern->used[count++] = line;
  pattern->runs = CLAMP (count / OCT_PATTERN_LEAST, 1, OCT_PATTERN_RUNS);
  pattern->run = count / pattern->runs;
  return count > 0;
}

/* Adds up to TOGETHER A-lines. */
static void
cpu_pattern_add_lines (
    const Search *search, const guint *lines, guint count, double *sums)
{
  const OctCpuPattern *pattern = search->pattern;
  gconstpointer rows[TOGETHER];
  float excess[TOGETHER];
  guint samples = pattern->samples;

  for (guint i = 0; i < TOGETHER; i++) {
    guint line = lines[MIN (i, count - 1)];

    rows[i] = oct_cpu_row (search->in, line);
    excess[i] = pattern->excess[line];
  }
  if (pattern->format == OCT_SAMPLE_U8)
    cpu_pattern_add_u8 ((const guint8 *const *)rows, count, samples, excess,
        search->high, search->low, sums);
  else if (pattern->format == OCT_SAMPLE_U16)
    cpu_pattern_add_u16 ((const guint16 *const *)rows, count, samples, excess,
        search->high, search->low, sums);
  else
    cpu_pattern_add_f32 ((const float *const *)rows, count, samples, excess,
        search->high, search->low, sums);
}

/* Means over the runs first .. end - 1. */
static void
find_run_means (gpointer data, guint first, guint end, guint thread)
{
  const Search *search = data;
  const OctCpuPattern *pattern = search->pattern;
  guint samples = pattern->samples;
  /* the scratch is not used for other sums yet */
  double *sums = (double *)(pattern->scratch + thread * pattern->scratch_size);

  for (guint k = first; k < end; k++) {
    memset (sums, 0, samples * sizeof (double));
    for (guint i = 0; i < pattern->run; i += TOGETHER)
      cpu_pattern_add_lines (search, pattern->used + k * pattern->run + i,
          MIN (TOGETHER, pattern->run - i), sums);
    for (guint i = 0; i < samples; i++)
      pattern->means[(gsize)k * samples + i] = (float)(sums[i] / pattern->run);
  }
}

/* values[i][lane] = (1 + excess[lane]) values[i][lane] - high[i] - low[i] -
 * mean[i], and 0 in unused lanes: their used[lane], else 1, and excess[lane]
 * are 0 */
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
cpu_pattern_add_powers (const float *values, guint bins, float *powers)
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

/* Adds the powers of up to OCT_LANES A-lines of run k, from number `first` of
 * the A-lines that count. */
static void
add_block (const Search *search, guint k, guint first, guint count, Work *work)
{
  const OctCpuPattern *pattern = search->pattern;
  gconstpointer rows[OCT_LANES];
  float excess[OCT_LANES] __attribute__ ((aligned (64)));
  float used[OCT_LANES] __attribute__ ((aligned (64)));

  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint line = pattern->used[first + MIN (lane, count - 1)];
    rows[lane] = oct_cpu_row (search->in, line);
    used[lane] = lane < count ? 1 : 0;
    excess[lane] = lane < count ? pattern->excess[line] : 0;
  }
  oct_cpu_block_load (pattern->format, rows, pattern->samples, pattern->zeros,
      pattern->zeros, work->values);
  compare_lanes (work->values, pattern->samples, excess, used, search->high,
      search->low, pattern->means + (gsize)k * pattern->samples);
  oct_lanes_fft_run_real (pattern->forward, work->values, work->bins, 0,
      pattern->bins, work->transform);
  cpu_pattern_add_powers (work->bins, pattern->bins, work->powers);
}

/* Sums of the squared differences from the mean of the run, per piece. */
static void
cpu_pattern_find_variances (
    gpointer data, guint first_piece, guint end, guint thread)
{
  const Search *search = data;
  const OctCpuPattern *pattern = search->pattern;
  Work work;

  cpu_pattern_divide_scratch (pattern, pattern->samples,
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

/* The run with the least variance at frequency q. */
static guint
find_least (const OctCpuPattern *pattern, guint q, double rounding)
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

/* Adds every frequency of its best run to the mean. */
static void
choose_frequencies (const OctCpuPattern *pattern, double rounding, double *mean)
{
  const float *rows[OCT_LANES];
  Work work;

  cpu_pattern_divide_scratch (
      pattern, pattern->samples, pattern->scratch, &work);
  for (guint lane = 0; lane < OCT_LANES; lane++)
    rows[lane] = pattern->means
                 + (gsize)MIN (lane, pattern->runs - 1) * pattern->samples;
  oct_cpu_block_gather (rows, pattern->samples, work.values);
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
  for (guint i = 0; i < pattern->samples; i++)
    mean[i] += (double)work.values[(gsize)i * OCT_LANES] / pattern->samples;
}

void
oct_cpu_pattern_find (OctCpuPattern *pattern, const OctPlane *in,
    const float *high, const float *low, guint threads, double *mean)
{
  Search search = { pattern, in, mean, high, low,
    dot_f64 (mean, pattern->samples, mean) };

  oct_parallel_for (
      pattern->lines, OCT_CPU_GRAIN, threads, find_brightness, &search);
  if (!divide_lines (pattern))
    return;
  oct_parallel_for (pattern->runs, 1, threads, find_run_means, &search);
  oct_parallel_for (
      pattern->runs * PIECES, 1, threads, cpu_pattern_find_variances, &search);
  choose_frequencies (pattern,
      OCT_PATTERN_ROUNDING * OCT_PATTERN_ROUNDING * search.square, mean);
}
