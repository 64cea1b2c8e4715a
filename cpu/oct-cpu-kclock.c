/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra of a swept source made uniform in wavenumber by its k-clock: the
 * transforms of 16 A-lines side by side, all else along the A-line.
 */
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-kclock.h"

#include <math.h>
#include <string.h>

#define BLOCKS OCT_KCLOCK_BLOCKS
#define HALF OCT_KCLOCK_HALF_MEAN
#define TAPS OCT_KCLOCK_TAPS
/* cos 1.5, the phase that a hop exceeds */
#define HOP 0.0707372f

/* The scratch of one thread. */
typedef struct {
  float *lanes;    /* [length][2][OCT_LANES] */
  float *rows;     /* [OCT_LANES][2][samples], the analytic signals */
  float *turned;   /* [2][samples + 2 HALF], zeros at both ends */
  float *mean;     /* [2][samples] */
  float *spectrum; /* [samples + TAPS], the ends repeated */
  gpointer fft;
} KclockScratch;

struct _OctPlan {
  OctKclockParams params;
  OctKclock *clock;
  OctLanesFft *forward, *backward;
  float *kernel;
  guint threads;
  gsize scratch_size;
  guint8 *scratch;
  float *first;   /* [first lines][samples], clocks */
  float *turned;  /* [average][2][samples], those that renew the reference */
  double *mean;   /* [samples][2] */
  guint8 *faults; /* [lines] of this frame */
  guint step;     /* every so many A-lines can renew it */
  guint64 counts[OCT_MOST_COUNTS];
};

static void
cpu_kclock_destroy (OctPlan *plan)
{
  oct_kclock_free (plan->clock);
  oct_lanes_fft_free (plan->forward);
  oct_lanes_fft_free (plan->backward);
  oct_cpu_free (plan->scratch);
  oct_cpu_free (plan->turned);
  g_free (plan->kernel);
  g_free (plan->first);
  g_free (plan->mean);
  g_free (plan->faults);
  g_free (plan);
}

static gsize
cpu_kclock_sizes (const OctPlan *plan, gsize sizes[6])
{
  const gsize n = plan->params.samples, length = plan->clock->length;
  gsize all = 0;

  sizes[0] = length * 2 * OCT_LANES * sizeof (float);
  sizes[1] = (gsize)OCT_LANES * 2 * n * sizeof (float);
  sizes[2] = 2 * (n + 2 * HALF) * sizeof (float);
  sizes[3] = 2 * n * sizeof (float);
  sizes[4] = (n + TAPS) * sizeof (float);
  sizes[5] = MAX (oct_lanes_fft_scratch (plan->forward),
      oct_lanes_fft_scratch (plan->backward));
  for (guint i = 0; i < 6; i++)
    all += sizes[i] = oct_cpu_pad (sizes[i]);
  return all;
}

static KclockScratch
cpu_kclock_get_scratch (const OctPlan *plan, guint thread)
{
  gsize sizes[6];
  guint8 *at = plan->scratch + thread * plan->scratch_size;
  KclockScratch s;

  cpu_kclock_sizes (plan, sizes);
  s.lanes = (float *)(gpointer)at;
  s.rows = (float *)(gpointer)(at += sizes[0]);
  s.turned = (float *)(gpointer)(at += sizes[1]);
  s.mean = (float *)(gpointer)(at += sizes[2]);
  s.spectrum = (float *)(gpointer)(at += sizes[3]);
  s.fft = at + sizes[4];
  return s;
}

static gboolean
cpu_kclock_alloc (OctPlan *plan, GError **error)
{
  const OctKclockParams *p = &plan->params;
  gsize sizes[6];

  plan->clock = oct_kclock_new (p, error);
  if (plan->clock == NULL)
    return FALSE;
  plan->forward = oct_lanes_fft_new_real (plan->clock->length, FALSE, error);
  if (plan->forward == NULL)
    return FALSE;
  plan->backward = oct_lanes_fft_new (plan->clock->length, TRUE, error);
  if (plan->backward == NULL)
    return FALSE;
  plan->scratch_size = cpu_kclock_sizes (plan, sizes);
  plan->scratch = oct_cpu_alloc (plan->threads, plan->scratch_size, error);
  if (plan->scratch == NULL)
    return FALSE;
  plan->step = (p->lines + p->average - 1) / p->average;
  plan->turned = oct_cpu_alloc ((gsize)(p->lines + plan->step - 1) / plan->step,
      2 * (gsize)p->samples * sizeof (float), error);
  return plan->turned != NULL;
}

static OctPlan *
cpu_kclock_create (gconstpointer data, GError **error)
{
  const OctKclockParams *params = data;
  OctPlan *plan;

  if (!oct_check_kclock (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->threads = oct_parallel_get_threads ();
  if (!cpu_kclock_alloc (plan, error)) {
    cpu_kclock_destroy (plan);
    return NULL;
  }
  plan->kernel = g_new (float, (OCT_KCLOCK_PHASES + 1) * TAPS);
  oct_kclock_fill_kernel (plan->kernel);
  plan->first =
      g_new (float, (gsize)oct_kclock_first_lines (params) * params->samples);
  plan->mean = g_new (double, 2 * (gsize)params->samples);
  plan->faults = g_new0 (guint8, params->lines);
  return plan;
}

static gboolean
cpu_kclock_update (OctPlan *plan, gconstpointer data)
{
  const OctKclockParams *params = data;

  if (!oct_check_kclock (params, NULL)
      || !oct_kclock_is_same (&plan->params, params))
    return FALSE;
  plan->params = *params;
  oct_kclock_set_params (plan->clock, params);
  return TRUE;
}

/* -------------------------------------------------------------------- A-lines */

static void
cpu_kclock_load (OctSampleFormat format, gconstpointer row, guint first,
    guint count, float *to)
{
  switch (format) {
  case OCT_SAMPLE_U8:
    for (guint i = 0; i < count; i++)
      to[i] = ((const guint8 *)row)[first + i];
    break;
  case OCT_SAMPLE_U16:
    for (guint i = 0; i < count; i++)
      to[i] = ((const guint16 *)row)[first + i];
    break;
  default:
    memcpy (to, (const float *)row + first, count * sizeof *to);
  }
}

/* The clock of a lane, less its mean, with its ends mirrored. */
static void
cpu_kclock_load_lane (const OctPlan *plan, gconstpointer row, float *clock,
    float *lanes, guint lane)
{
  const gint n = (gint)plan->params.samples, m = (gint)plan->clock->length;
  double sum = 0;
  float mean;

  cpu_kclock_load (plan->params.format, row, (guint)n, (guint)n, clock);
  for (gint i = 0; i < n; i++)
    sum += clock[i];
  mean = (float)(sum / n);
  for (gint i = 0; i < m; i++) {
    gint at = ABS (i - OCT_KCLOCK_PAD);

    lanes[i * OCT_LANES + (gint)lane] =
        clock[at < n ? at : 2 * (n - 1) - at] - mean;
  }
}

/* Power in the band and beside it, with a Hann window, from the bins. */
static void
cpu_kclock_find_powers (
    const OctKclock *k, const float *bins, float *signal, float *noise)
{
  memset (signal, 0, OCT_LANES * sizeof *signal);
  memset (noise, 0, OCT_LANES * sizeof *noise);
  for (guint q = 1; q < k->length / 2; q++) {
    const float *at = bins + (gsize)q * 2 * OCT_LANES;
    const float *before = at - 2 * OCT_LANES, *after = at + 2 * OCT_LANES;
    float *to = k->role[q] > 0 ? signal : noise;

    for (guint i = 0; k->role[q] != 0 && i < OCT_LANES; i++) {
      guint j = i + OCT_LANES;
      float re = 0.5f * at[i] - 0.25f * (before[i] + after[i]);
      float im = 0.5f * at[j] - 0.25f * (before[j] + after[j]);

      to[i] += re * re + im * im;
    }
  }
}

/* Analytic signals of the lanes to rows, and which of them are weak. */
static void
cpu_kclock_analyse (
    const OctPlan *plan, const KclockScratch *s, guint lanes, guint8 *faults)
{
  const OctKclock *k = plan->clock;
  const guint n = plan->params.samples, m = k->length;
  float signal[OCT_LANES], noise[OCT_LANES];
  const float least = (float)pow (10, plan->params.min_snr / 10);

  oct_lanes_fft_run_real (
      plan->forward, s->lanes, s->lanes, 0, m / 2 + 1, s->fft);
  cpu_kclock_find_powers (k, s->lanes, signal, noise);
  for (guint i = 0; i < lanes; i++) {
    float mean = k->noises > 8 ? noise[i] / (float)k->noises : 0;
    float above = signal[i] - mean * (float)k->signals;

    faults[i] = above > 0 && above >= least * mean * (float)m / 2
                    ? OCT_KCLOCK_GOOD
                    : OCT_KCLOCK_WEAK;
  }
  for (guint q = 0; q <= m / 2; q++)
    for (guint i = 0; i < 2 * OCT_LANES; i++)
      s->lanes[(gsize)q * 2 * OCT_LANES + i] *= k->filter[q];
  memset (s->lanes + (gsize)(m / 2 + 1) * 2 * OCT_LANES, 0,
      (gsize)(m - m / 2 - 1) * 2 * OCT_LANES * sizeof (float));
  oct_lanes_fft_run (
      plan->backward, s->lanes, s->lanes, OCT_KCLOCK_PAD, n, s->fft);
  for (guint lane = 0; lane < lanes; lane++)
    for (guint i = 0; i < n; i++) {
      s->rows[(2 * (gsize)lane) * n + i] = s->lanes[i * 2 * OCT_LANES + lane];
      s->rows[(2 * (gsize)lane + 1) * n + i] =
          s->lanes[(i * 2 + 1) * OCT_LANES + lane];
    }
}

/* z exp (-i ref (n - t)); the results have HALF zeros before them. */
static void
cpu_kclock_turn (const OctKclock *k, const float *restrict re,
    const float *restrict im, float t, float *restrict to_re,
    float *restrict to_im)
{
  const gint n = (gint)k->params.samples;
  gint whole = (gint)lrintf (t), start = OCT_KCLOCK_EXTENT - whole;
  const float *restrict cosine = k->cosine + start;
  const float *restrict sine = k->sine + start;
  const float *restrict slope = k->slope + start;
  const float *restrict bend = k->bend + start;
  float f = (float)whole - t;

  for (gint i = 0; i < n; i++) {
    float c, s;

    oct_kclock_model (cosine[i], sine[i], slope[i], bend[i], f, &c, &s);
    to_re[i] = re[i] * c + im[i] * s;
    to_im[i] = im[i] * c - re[i] * s;
  }
}

/* In eight parts, so that the processor adds them side by side. */
static float
cpu_kclock_sum (const float *values, guint count)
{
  float parts[8] = { 0 }, sum = 0;
  guint i = 0;

  for (; i + 8 <= count; i += 8)
    for (guint j = 0; j < 8; j++)
      parts[j] += values[i + j];
  for (; i < count; i++)
    sum += values[i];
  for (guint j = 0; j < 8; j++)
    sum += parts[j];
  return sum;
}

/* The delay, FALSE: none, as the values are not finite or it is beyond all
 * limits.  The signal turned back by it is in the scratch. */
static gboolean
cpu_kclock_find_delay (const OctKclock *k, const KclockScratch *s,
    const float *re, const float *im, float *t, float *residual)
{
  const guint n = k->params.samples, each = n / BLOCKS;
  float *to_re = s->turned + HALF, *to_im = to_re + n + 2 * HALF;

  *t = 0;
  for (guint round = 0; round < 3; round++) {
    float y[2][BLOCKS];

    cpu_kclock_turn (k, re, im, *t, to_re, to_im);
    if (round == 2)
      return TRUE;
    for (guint b = 0; b < BLOCKS; b++) {
      y[0][b] = cpu_kclock_sum (to_re + b * each, each);
      y[1][b] = cpu_kclock_sum (to_im + b * each, each);
    }
    oct_kclock_solve (&k->blocks, y[0], y[1], round == 0, t, residual);
    if (!(fabsf (*t) <= (float)OCT_KCLOCK_MOST_JITTER + 1)) {
      *t = 0;
      cpu_kclock_turn (k, re, im, 0, to_re, to_im);
      return FALSE;
    }
  }
  return TRUE;
}

static void
cpu_kclock_box (const float *restrict from, guint n, float *restrict to)
{
  for (guint i = 0; i < n; i++) {
    float sum = 0;

    for (guint j = 0; j <= 2 * HALF; j++)
      sum += from[i + j];
    to[i] = sum / (2 * HALF + 1);
  }
}

/* Samples at which the phase falls. */
static guint
cpu_kclock_count_falls (const OctKclock *k, const float *re, const float *im)
{
  const float *c = k->cosine + OCT_KCLOCK_EXTENT;
  const float *s = k->sine + OCT_KCLOCK_EXTENT;
  const float *slope = k->slope + OCT_KCLOCK_EXTENT;
  guint falls = 0;

  for (guint i = 1; i + 1 < k->params.samples; i++) {
    float a = re[i + 1] * re[i - 1] + im[i + 1] * im[i - 1];
    float b = im[i + 1] * re[i - 1] - re[i + 1] * im[i - 1];
    float turn_c = c[i + 1] * c[i - 1] + s[i + 1] * s[i - 1];
    float turn_s = s[i + 1] * c[i - 1] - c[i + 1] * s[i - 1];

    falls += k->gap[i] >= 0 && 2 * slope[i] < OCT_KCLOCK_PI && b < 0
             && a * turn_s + b * turn_c < 0;
  }
  return falls;
}

static OctKclockFault
cpu_kclock_judge (
    const OctKclock *k, const KclockScratch *s, float t, const float *residual)
{
  const guint n = k->params.samples;
  const float *re = s->turned, *im = re + n + 2 * HALF;
  gboolean gap = FALSE, hop = FALSE;

  cpu_kclock_box (re, n, s->mean);
  cpu_kclock_box (im, n, s->mean + n);
  for (guint i = 0; i < n; i++) {
    float a = s->mean[i], power = a * a + s->mean[n + i] * s->mean[n + i];

    gap |= !(power >= k->gap[i]);
    hop |= k->gap[i] >= 0 && !(a >= HOP * sqrtf (power));
  }
  if (gap)
    return OCT_KCLOCK_GAP;
  if (hop || !(oct_kclock_rms (&k->blocks, residual) <= k->limit)
      || cpu_kclock_count_falls (k, re + HALF, im + HALF) >= 0.01 * n)
    return OCT_KCLOCK_HOP;
  return fabsf (t) <= (float)k->params.max_jitter + 0.5f ? OCT_KCLOCK_GOOD
                                                         : OCT_KCLOCK_LATE;
}

/* The phase at sample x beyond that of the delay. */
static float
cpu_kclock_get_rest (
    const OctPlan *plan, const KclockScratch *s, const float *c, float x)
{
  const OctKclock *k = plan->clock;
  const guint n = k->params.samples;
  const float *re = s->turned + HALF, *im = re + n + 2 * HALF;
  float f;
  guint i;

  if (k->method == OCT_KCLOCK_FIT)
    return oct_kclock_chebyshev (c, (int)k->params.order,
        CLAMP ((x + 0.5f) / (float)(n / BLOCKS * BLOCKS) * 2 - 1, -1, 1));
  x = CLAMP (x, 0, (float)(n - 1));
  i = MIN ((guint)x, n - 2);
  f = x - (float)i;
  return atan2f (
      im[i] + f * (im[i + 1] - im[i]), re[i] + f * (re[i + 1] - re[i]));
}

/* Samples by which wavenumber `j` is elsewhere than the delay says. */
static float
cpu_kclock_correct (const OctPlan *plan, const KclockScratch *s, const float *c,
    float t, guint j)
{
  const OctKclock *k = plan->clock;
  float x = (float)k->place[j] + k->fraction[j] + t;
  float more = 0;

  for (guint round = 0; round < OCT_KCLOCK_ROUNDS; round++)
    more = -k->inverse[j] * cpu_kclock_get_rest (plan, s, c, x + more);
  return more;
}

static void
cpu_kclock_resample (const OctPlan *plan, const KclockScratch *s, float t,
    const float *residual, OctKclockMethod method, float *to)
{
  const OctKclock *k = plan->clock;
  const gint n = (gint)k->params.samples;
  float c[OCT_KCLOCK_MOST_ORDER + 1] = { 0 };
  const float more = t + (float)k->params.delay;

  for (guint o = 0; method == OCT_KCLOCK_FIT && o <= k->params.order; o++)
    for (guint b = 0; b < BLOCKS; b++)
      c[o] += k->fit[o][b] * residual[b];
  for (gint j = 0; j < n; j++) {
    float f = k->fraction[j] + more, whole, sum = 0, phase;
    const float *from, *kernel;
    gint i, row;

    if (method != OCT_KCLOCK_STATIC)
      f += cpu_kclock_correct (plan, s, c, t, (guint)j);
    whole = floorf (f);
    f -= whole;
    i = k->place[j] + (gint)whole;
    if (i < 0 || i >= n - 1) {
      i = i < 0 ? 0 : n - 1;
      f = 0;
    }
    phase = f * OCT_KCLOCK_PHASES;
    row = MIN ((gint)phase, OCT_KCLOCK_PHASES - 1);
    phase -= (float)row;
    kernel = plan->kernel + row * TAPS;
    from = s->spectrum + i + 1; /* of sample i - (TAPS / 2 - 1) */
    for (guint tap = 0; tap < TAPS; tap++)
      sum += from[tap]
             * (kernel[tap] + phase * (kernel[tap + TAPS] - kernel[tap]));
    to[k->params.falling ? n - 1 - j : j] = sum;
  }
}

/* The spectrum of an A-line, its ends repeated TAPS / 2 times. */
static void
cpu_kclock_load_spectrum (
    const OctPlan *plan, gconstpointer row, const KclockScratch *s)
{
  const guint n = plan->params.samples;
  float *to = s->spectrum + TAPS / 2;

  cpu_kclock_load (plan->params.format, row, 0, n, to);
  for (guint i = 1; i <= TAPS / 2; i++) {
    to[-(gint)i] = to[0];
    to[n - 1 + i] = to[n - 1];
  }
}

static void
cpu_kclock_do_line (const OctCpuLoop *loop, const KclockScratch *s, guint line,
    const float *rows, guint8 *fault)
{
  OctPlan *plan = loop->plan;
  const OctKclock *k = plan->clock;
  const guint n = plan->params.samples;
  OctKclockMethod method = k->method;
  float residual[BLOCKS] = { 0 }, t;

  if (!cpu_kclock_find_delay (k, s, rows, rows + n, &t, residual)
      && *fault == OCT_KCLOCK_GOOD)
    *fault = OCT_KCLOCK_LATE;
  if (*fault == OCT_KCLOCK_GOOD)
    *fault = (guint8)cpu_kclock_judge (k, s, t, residual);
  if (*fault != OCT_KCLOCK_GOOD) {
    t = 0;
    method = OCT_KCLOCK_STATIC;
  } else if (line % plan->step == 0) {
    float *kept = plan->turned + (gsize)(line / plan->step) * 2 * n;

    memcpy (kept, s->turned + HALF, n * sizeof (float));
    memcpy (kept + n, s->turned + n + 3 * HALF, n * sizeof (float));
  }
  cpu_kclock_load_spectrum (plan, oct_cpu_row (loop->from, line), s);
  cpu_kclock_resample (
      plan, s, t, residual, method, oct_cpu_row (loop->to, line));
}

static void
cpu_kclock_do_lines (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  OctPlan *plan = loop->plan;
  KclockScratch s = cpu_kclock_get_scratch (plan, thread);
  const guint n = plan->params.samples;

  memset (s.turned, 0, 2 * (n + 2 * HALF) * sizeof (float));
  memset (s.lanes, 0, (gsize)plan->clock->length * OCT_LANES * sizeof (float));
  for (guint line = first; line < end; line++)
    cpu_kclock_load_lane (
        plan, oct_cpu_row (loop->from, line), s.mean, s.lanes, line - first);
  cpu_kclock_analyse (plan, &s, end - first, plan->faults + first);
  for (guint line = first; line < end; line++)
    cpu_kclock_do_line (loop, &s, line, s.rows + (gsize)(line - first) * 2 * n,
        plan->faults + line);
}

/* ---------------------------------------------------------------------- frames */

static void
cpu_kclock_find (OctPlan *plan, const OctPlane *from, guint lines)
{
  const guint n = plan->params.samples;
  guint wanted = MIN (oct_kclock_first_lines (&plan->params), lines);

  for (guint i = 0; i < wanted; i++)
    cpu_kclock_load (plan->params.format,
        oct_cpu_row (from, (gsize)i * lines / wanted), n, n,
        plan->first + (gsize)i * n);
  oct_kclock_find (plan->clock, plan->first, wanted);
}

/* The mean is summed in the order of the A-lines. */
static void
cpu_kclock_renew (OctPlan *plan, guint lines)
{
  const guint n = plan->params.samples;
  guint count = 0, good = 0;

  memset (plan->mean, 0, 2 * (gsize)n * sizeof *plan->mean);
  for (guint line = 0; line < lines; line++) {
    const float *kept = plan->turned + (gsize)(line / plan->step) * 2 * n;

    good += plan->faults[line] == OCT_KCLOCK_GOOD;
    if (plan->faults[line] != OCT_KCLOCK_GOOD || line % plan->step != 0)
      continue;
    count++;
    for (guint i = 0; i < n; i++) {
      plan->mean[2 * i] += kept[i];
      plan->mean[2 * i + 1] += kept[n + i];
    }
  }
  for (guint i = 0; count > 0 && i < 2 * n; i++)
    plan->mean[i] /= count;
  if (2 * good < lines)
    plan->clock->found = FALSE;
  else
    oct_kclock_renew (plan->clock, plan->mean, count);
}

static gboolean
cpu_kclock_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctKclockParams *p = &plan->params;
  const gsize row = p->samples * sizeof (float);
  guint lines = oct_frame_count_lines (in, p->lines);
  OctCpuLoop loop = {
    .plan = plan, .from = &in->planes[0], .to = &out->planes[0], .lines = lines
  };

  if (!oct_cpu_check_plane (&in->planes[0],
          2 * p->samples * oct_sample_format_size (p->format), error)
      || !oct_cpu_check_plane (&out->planes[0], row, error))
    return FALSE;
  if (!plan->clock->found)
    cpu_kclock_find (plan, &in->planes[0], lines);
  if (!plan->clock->found) {
    for (guint line = 0; line < lines; line++)
      memset (oct_cpu_row (&out->planes[0], line), 0, row);
    plan->counts[plan->clock->why] += lines;
    return TRUE;
  }
  oct_parallel_for (lines, OCT_LANES, oct_cpu_threads (plan->threads),
      cpu_kclock_do_lines, &loop);
  for (guint line = 0; line < lines; line++)
    plan->counts[plan->faults[line]]++;
  cpu_kclock_renew (plan, lines);
  return TRUE;
}

static void
cpu_kclock_reset (OctPlan *plan)
{
  plan->clock->found = FALSE;
}

static void
cpu_kclock_get_counts (OctPlan *plan, guint64 *counts)
{
  memcpy (counts, plan->counts, sizeof plan->counts);
}

const OctOperationTable oct_cpu_kclock = {
  .create = cpu_kclock_create,
  .update = cpu_kclock_update,
  .run = cpu_kclock_run,
  .reset = cpu_kclock_reset,
  .get_counts = cpu_kclock_get_counts,
  .destroy = cpu_kclock_destroy,
};
