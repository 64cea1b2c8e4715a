/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Resampling along the A-line.
 *
 * In blocks of A-lines side by side (oct-cpu-lanes.h), where the recursions of
 * the spline are vector operations too.  The weights are computed in double,
 * once, in create().
 */
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-cpu-private.h"
#include "oct-params.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define LANES OCT_LANES
#define VECTORS (LANES / OCT_VECTOR)
#define CHUNK OCT_LANES_CHUNK
/* rows of zeros on both sides of the scratch, read with weight 0 */
#define GUARD 4

#define LANCZOS_A 4
#define MAX_TAPS (2 * LANCZOS_A)

struct _OctPlan {
  guint samples, lines, threads;
  OctResampleMethod method;
  guint fine_samples; /* samples x upsample */
  guint taps;         /* weights of one output sample */
  guint32 *first;     /* [samples], scratch row of the first tap */
  float *weights;     /* [samples][taps] */
  float *factors;     /* [fine_samples], elimination of the spline's system */
  guint8 *scratch;    /* [threads][scratch_size], see divide_scratch() */
  gsize scratch_size;
  OctLanesFft *forward, *backward; /* upsample 2 only */
};

/* The scratch of one thread. */
typedef struct {
  float *values;      /* [GUARD + fine_samples + GUARD][LANES] */
  float *moments;     /* same shape, cubic only: second derivatives / 6 */
  float *unused;      /* [samples], output of the lanes without an A-line */
  float *bins;        /* [samples + 1][2][LANES], upsample 2 only */
  gpointer transform; /* scratch of the transforms */
} Scratch;

OCT_VECTORISED static void
gather_lines (const float *const *lines, guint samples, float *values)
{
  oct_lanes_gather (lines, samples, values);
}

/* Natural spline: M[i-1] + 4 M[i] + M[i+1] = y[i-1] - 2 y[i] + y[i+1] with
 * M = second derivative / 6, M = 0 at both ends, by elimination. */
OCT_VECTORISED static void
find_moments (
    const float *values, const float *factors, guint samples, float *moments)
{
  const OctVector *y = (const OctVector *)values;
  OctVector *m = (OctVector *)moments;
  OctVector carry[VECTORS] = { 0 };

  for (guint k = 0; k < VECTORS; k++)
    m[k] = m[(gsize)(samples - 1) * VECTORS + k] = carry[k];
  for (gsize i = 1; i + 1 < samples; i++) {
    for (guint k = 0; k < VECTORS; k++) {
      gsize at = i * VECTORS + k;
      OctVector bend = (y[at - VECTORS] - y[at]) - (y[at] - y[at + VECTORS]);
      carry[k] = factors[i] * bend - factors[i] * carry[k];
      m[at] = carry[k];
    }
  }
  for (guint k = 0; k < VECTORS; k++)
    carry[k] = (OctVector){ 0 };
  for (gsize i = samples - 1; i-- > 1;) {
    for (guint k = 0; k < VECTORS; k++) {
      gsize at = i * VECTORS + k;
      carry[k] = m[at] - factors[i] * carry[k];
      m[at] = carry[k];
    }
  }
}

/* lines[lane][j] = sum over the taps of weights[j][tap] values[first[j] + tap];
 * cubic: two taps on the values, two on the moments */
#define DEFINE_READ(name, on_values, on_moments)                               \
  OCT_VECTORISED static void name (const float *values, const float *moments,  \
      const guint32 *first, const float *weights, guint samples,               \
      float *const *lines)                                                     \
  {                                                                            \
    float tile[CHUNK * LANES] __attribute__ ((aligned (64)));                  \
                                                                               \
    for (guint start = 0; start < samples; start += CHUNK) {                   \
      guint count = MIN (CHUNK, samples - start);                              \
      for (guint j = 0; j < count; j++) {                                      \
        gsize at = (gsize)first[start + j] * LANES;                            \
        const OctVector *y = (const OctVector *)(values + at);                 \
        const OctVector *m = (const OctVector *)(moments + at);                \
        OctVector *to = (OctVector *)(tile + j * LANES);                       \
        for (guint k = 0; k < VECTORS; k++) {                                  \
          OctVector sum = { 0 };                                               \
          for (gint tap = 0; tap < on_values; tap++)                           \
            sum += weights[tap] * y[tap * VECTORS + k];                        \
          for (gint tap = 0; tap < on_moments; tap++)                          \
            sum += weights[on_values + tap] * m[tap * VECTORS + k];            \
          to[k] = sum;                                                         \
        }                                                                      \
        weights += on_values + on_moments;                                     \
      }                                                                        \
      oct_lanes_scatter (tile, count, lines, start);                           \
    }                                                                          \
  }

DEFINE_READ (read_cubic, 2, 2)
DEFINE_READ (read_linear, 2, 0)
DEFINE_READ (read_lanczos, MAX_TAPS, 0)

static double
sinc (double x)
{
  return x == 0 ? 1 : sin (G_PI * x) / (G_PI * x);
}

/* Weights of the 8 samples from base - 3 on, 0 outside of the A-line. */
static void
lanczos_weights (double position, guint samples, gint base, float *weights)
{
  double exact[MAX_TAPS], total = 0;

  for (gint tap = 0; tap < MAX_TAPS; tap++) {
    gint i = base + 1 - LANCZOS_A + tap;
    double distance = position - i;
    gboolean inside =
        i >= 0 && i < (gint)samples && fabs (distance) < LANCZOS_A;
    exact[tap] = inside ? sinc (distance) * sinc (distance / LANCZOS_A) : 0;
    total += exact[tap];
  }
  for (gint tap = 0; tap < MAX_TAPS; tap++)
    weights[tap] = (float)(exact[tap] / total);
}

static void
set_weights (OctPlan *plan, const OctResampleParams *params)
{
  guint fine = plan->fine_samples;
  double factor = 0;

  for (guint j = 0; j < plan->samples; j++) {
    double position =
        params->upsample * CLAMP (params->positions[j], 0, plan->samples - 1);
    gint base = (gint)position; /* last interval closed at its end */
    double f, g;
    float *weights = plan->weights + (gsize)j * plan->taps;

    if (plan->method == OCT_RESAMPLE_LANCZOS) {
      lanczos_weights (position, fine, base, weights);
      plan->first[j] = (guint)(base + 1 - LANCZOS_A + GUARD);
      continue;
    }
    base = MAX (0, MIN (base, (gint)fine - 2));
    f = position - base;
    g = 1 - f;
    plan->first[j] = (guint)(base + GUARD);
    weights[0] = (float)g;
    weights[1] = (float)f;
    if (plan->method == OCT_RESAMPLE_CUBIC) {
      weights[2] = (float)(g * g * g - g);
      weights[3] = (float)(f * f * f - f);
    }
  }
  plan->factors[0] = 0;
  for (guint i = 1; i < fine; i++) {
    factor = 1 / (4 - factor);
    plan->factors[i] = (float)factor;
  }
}

/* Divides the scratch of one thread; base may be NULL to find the size. */
static gsize
divide_scratch (const OctPlan *plan, guint8 *base, Scratch *scratch)
{
  gsize fine = plan->fine_samples, size = 0;
  gboolean upsample = plan->fine_samples != plan->samples;
  gsize interleaved = oct_cpu_pad ((fine + 2 * GUARD) * LANES * sizeof (float));

#define TAKE(member, bytes)                                                    \
  scratch->member = (gpointer)(base + size);                                   \
  size += oct_cpu_pad (bytes)
  TAKE (values, interleaved);
  TAKE (moments, plan->method == OCT_RESAMPLE_CUBIC ? interleaved : 0);
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
  oct_lanes_fft_free (plan->forward);
  oct_lanes_fft_free (plan->backward);
  oct_cpu_free (plan->first);
  oct_cpu_free (plan->weights);
  oct_cpu_free (plan->factors);
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
  plan->method = params->method;
  plan->fine_samples = params->samples * params->upsample;
  plan->threads = oct_backend_cpu_get_threads ();
  plan->taps = plan->method == OCT_RESAMPLE_CUBIC    ? 4
               : plan->method == OCT_RESAMPLE_LINEAR ? 2
                                                     : MAX_TAPS;
  if (params->upsample == 2 && !make_transforms (plan, error)) {
    resample_destroy (plan);
    return NULL;
  }
  plan->scratch_size = divide_scratch (plan, NULL, &scratch);
  if (!(plan->first = oct_cpu_alloc (plan->samples, sizeof (guint32), error))
      || !(plan->weights = oct_cpu_alloc (
               (gsize)plan->samples * plan->taps, sizeof (float), error))
      || !(plan->factors =
               oct_cpu_alloc (plan->fine_samples, sizeof (float), error))
      || !(plan->scratch =
               oct_cpu_alloc (plan->threads, plan->scratch_size, error))) {
    resample_destroy (plan);
    return NULL;
  }
  /* the guards stay zero from here on */
  memset (plan->scratch, 0, plan->threads * plan->scratch_size);
  set_weights (plan, params);
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
  const float *in[LANES];
  float *out[LANES];
  Scratch scratch;
  float *values, *moments;

  divide_scratch (
      plan, plan->scratch + (gsize)thread * plan->scratch_size, &scratch);
  for (guint lane = 0; lane < LANES; lane++) {
    guint line = MIN (start + lane, plan->lines - 1);
    in[lane] = oct_cpu_row (loop->from, line);
    out[lane] =
        line == start + lane ? oct_cpu_row (loop->to, line) : scratch.unused;
  }
  values = scratch.values + GUARD * LANES;
  moments = scratch.moments + GUARD * LANES;
  gather_lines (in, plan->samples, values);
  if (plan->fine_samples != plan->samples)
    upsample_lines (plan, &scratch, values);
  if (plan->method == OCT_RESAMPLE_CUBIC) {
    find_moments (values, plan->factors, plan->fine_samples, moments);
    read_cubic (scratch.values, scratch.moments, plan->first, plan->weights,
        plan->samples, out);
  } else if (plan->method == OCT_RESAMPLE_LINEAR) {
    read_linear (scratch.values, scratch.values, plan->first, plan->weights,
        plan->samples, out);
  } else {
    read_lanczos (scratch.values, scratch.values, plan->first, plan->weights,
        plan->samples, out);
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
