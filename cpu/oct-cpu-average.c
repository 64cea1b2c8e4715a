/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means over frames: a sum for every value, from which the oldest frame in the
 * ring is subtracted.
 */
#include "oct-cpu-average-moved.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

struct _OctPlan {
  OctAverageParams params;
  OctAverageState state;
  gsize values;     /* of one B-scan */
  guint8 *ring;     /* [frames][values] as they are added; RUNNING only */
  gsize value_size; /* of one in the ring */
  guint32 *counts;  /* [values] sums of U8 and U16 */
  double *sums;     /* [2 values] or, of the power, [values] */
  /* sums since the ring was last full: they replace `sums` each time that it is
   * full, before rounding errors accumulate */
  double *fresh;
  OctCpuMoved *moved; /* with registration, in place of the ring and the sums */
  /* frame under way */
  OctAverageTurn turn;
  const OctPlane *from, *to;
  gsize at;    /* the plane's first value in the sums */
  guint width; /* values of a row */
};

static void
cpu_average_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->ring);
  oct_cpu_free (plan->counts);
  oct_cpu_free (plan->sums);
  oct_cpu_free (plan->fresh);
  oct_cpu_moved_free (plan->moved);
  g_free (plan);
}

/* Floats per value. */
static guint
cpu_average_count_parts (const OctAverageParams *params)
{
  return params->of == OCT_AVERAGE_POWER ? 1 : 2;
}

static gboolean
cpu_average_alloc_sums (OctPlan *plan, GError **error)
{
  const OctAverageParams *params = &plan->params;
  gboolean is_complex = params->format == OCT_SAMPLE_CF32;
  gsize n = plan->values * (is_complex ? cpu_average_count_parts (params) : 1);

  if (oct_average_is_registered (params)) {
    plan->moved = oct_cpu_moved_new (params, error);
    return plan->moved != NULL;
  }
  plan->value_size = is_complex
                         ? cpu_average_count_parts (params) * sizeof (float)
                         : oct_sample_format_size (params->format);
  if (params->mode == OCT_AVERAGE_RUNNING) {
    plan->ring = oct_cpu_alloc (
        (gsize)params->frames * plan->values, plan->value_size, error);
    if (plan->ring == NULL)
      return FALSE;
  }
  if (!is_complex) {
    plan->counts = oct_cpu_alloc (n, sizeof (guint32), error);
    return plan->counts != NULL;
  }
  plan->sums = oct_cpu_alloc (n, sizeof (double), error);
  if (plan->sums != NULL)
    plan->fresh = oct_cpu_alloc (n, sizeof (double), error);
  return plan->fresh != NULL;
}

static OctPlan *
cpu_average_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!oct_check_average (data, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *(const OctAverageParams *)data;
  plan->values = oct_average_count_values (&plan->params);
  if (cpu_average_alloc_sums (plan, error))
    return plan;
  cpu_average_destroy (plan);
  return NULL;
}

static gboolean
cpu_average_update (OctPlan *plan, gconstpointer data)
{
  if (!oct_check_average (data, NULL)
      || !oct_average_is_same (&plan->params, data))
    return FALSE;
  plan->params = *(const OctAverageParams *)data;
  return TRUE;
}

static void
cpu_average_reset (OctPlan *plan)
{
  plan->state = (OctAverageState){ 0 };
}

static double
cpu_average_get_found (OctPlan *plan)
{
  return plan->state.count;
}

/* ------------------------------------------------------------------- counts
 */

/* Rounds to nearest, halves up.  A quotient of integers below 2^26 that is less
 * than an integer stays less in double precision. */
#define DEFINE_COUNT(name, type)                                               \
  OCT_VECTORISED static void add_##name (                                      \
      const type *restrict in, guint32 *restrict sum, guint n)                 \
  {                                                                            \
    for (guint i = 0; i < n; i++)                                              \
      sum[i] += in[i];                                                         \
  }                                                                            \
  OCT_VECTORISED static void leave_##name (                                    \
      const type *restrict old, guint32 *restrict sum, guint n)                \
  {                                                                            \
    for (guint i = 0; i < n; i++)                                              \
      sum[i] -= old[i];                                                        \
  }                                                                            \
  OCT_VECTORISED static void divide_##name (                                   \
      const guint32 *restrict sum, guint count, type *restrict out, guint n)   \
  {                                                                            \
    for (guint i = 0; i < n; i++)                                              \
      out[i] = (type)(gint)((double)(2 * (gint)sum[i] + (gint)count)           \
                            / (2. * count));                                   \
  }                                                                            \
  static void average_##name (                                                 \
      OctPlan *plan, gsize at, const type *in, type *out)                      \
  {                                                                            \
    const OctAverageTurn *turn = &plan->turn;                                  \
    guint32 *sum = plan->counts + at;                                          \
    guint n = plan->width;                                                     \
                                                                               \
    if (turn->is_first)                                                        \
      memset (sum, 0, n * sizeof *sum);                                        \
    if (plan->ring != NULL) {                                                  \
      type *old =                                                              \
          (type *)(gpointer)plan->ring + turn->place * plan->values + at;      \
                                                                               \
      if (turn->replaces)                                                      \
        leave_##name (old, sum, n);                                            \
      memcpy (old, in, n * sizeof *old);                                       \
    }                                                                          \
    add_##name (in, sum, n);                                                   \
    divide_##name (sum, turn->count, out, n);                                  \
  }
DEFINE_COUNT (bytes, guint8)
DEFINE_COUNT (words, guint16)

/* ------------------------------------------------------------------ complex
 */

static inline float
cpu_average_finite_or_zero (float value)
{
  return isfinite (value) ? value : 0;
}

static inline double
add_one (OctPlan *plan, gsize i, float value)
{
  const OctAverageTurn *turn = &plan->turn;
  double *sum = &plan->sums[i], *fresh = &plan->fresh[i];

  if (turn->is_first)
    *sum = 0;
  if (plan->ring != NULL) {
    gsize parts = plan->value_size / sizeof (float);
    float *old =
        (float *)(gpointer)plan->ring + turn->place * plan->values * parts + i;

    *sum += turn->replaces ? (double)value - *old : value;
    *fresh = turn->place == 0 ? value : *fresh + value;
    *old = value;
    if (turn->wraps)
      *sum = *fresh;
  } else {
    *sum += value;
  }
  return *sum / turn->count;
}

static void
cpu_average_complex (OctPlan *plan, gsize at, const float *in, float *out)
{
  for (guint i = 0; i < plan->width; i++, in += 2, out += 2) {
    if (plan->params.of == OCT_AVERAGE_POWER) {
      float power = cpu_average_finite_or_zero (in[0] * in[0] + in[1] * in[1]);
      double mean = add_one (plan, at + i, power);

      out[0] = (float)sqrt (MAX (0, mean));
      out[1] = 0;
    } else {
      float re = cpu_average_finite_or_zero (in[0]),
            im = cpu_average_finite_or_zero (in[1]);

      out[0] = (float)add_one (plan, 2 * (at + i), re);
      out[1] = (float)add_one (plan, 2 * (at + i) + 1, im);
    }
  }
}

/* --------------------------------------------------------------------- rows
 */

static void
cpu_average_rows (gpointer data, guint first, guint end, guint thread)
{
  OctPlan *plan = data;

  for (guint row = first; row < end; row++) {
    gpointer in = oct_cpu_row (plan->from, row);
    gpointer out = oct_cpu_row (plan->to, row);
    gsize at = plan->at + (gsize)row * plan->width;

    switch (plan->params.format) {
    case OCT_SAMPLE_U8:
      average_bytes (plan, at, in, out);
      break;
    case OCT_SAMPLE_U16:
      average_words (plan, at, in, out);
      break;
    default:
      cpu_average_complex (plan, at, in, out);
    }
  }
}

static gboolean
cpu_average_check_plane (const OctPlan *plan, const OctPlane *from,
    const OctPlane *to, guint width, GError **error)
{
  gsize row = width * oct_sample_format_size (plan->params.format);

  return oct_cpu_check_plane (from, row, error)
         && oct_cpu_check_plane (to, row, error);
}

static void
cpu_average_plane (OctPlan *plan, const OctPlane *from, const OctPlane *to,
    guint width, guint rows, gsize at)
{
  plan->from = from;
  plan->to = to;
  plan->width = width;
  plan->at = at;
  oct_parallel_for (
      rows, OCT_CPU_GRAIN, oct_cpu_threads (G_MAXUINT), cpu_average_rows, plan);
}

static gboolean
cpu_average_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctAverageParams *params = &plan->params;
  guint rows = params->rows / OCT_BSCANS (params);
  guint bscans = oct_frame_count_bscans (in, rows, OCT_BSCANS (params));

  if (!cpu_average_check_plane (
          plan, &in->planes[0], &out->planes[0], params->values, error)
      || (params->more_rows > 0
          && !cpu_average_check_plane (plan, &in->planes[1], &out->planes[1],
              params->more_values, error)))
    return FALSE;
  for (guint bscan = 0; bscan < bscans; bscan++) {
    OctFrame from = oct_frame_get_bscan (in, bscan, rows, 0);
    OctFrame to = oct_frame_get_bscan (out, bscan, rows, 0);

    plan->turn = oct_average_next (&plan->state, params);
    if (plan->moved != NULL) {
      oct_cpu_moved_run (plan->moved, &plan->turn, &from, &to);
      continue;
    }
    cpu_average_plane (
        plan, &from.planes[0], &to.planes[0], params->values, rows, 0);
    if (params->more_rows > 0)
      cpu_average_plane (plan, &from.planes[1], &to.planes[1],
          params->more_values, params->more_rows, (gsize)rows * params->values);
  }
  return TRUE;
}

const OctOperationTable oct_cpu_average = {
  .create = cpu_average_create,
  .update = cpu_average_update,
  .run = cpu_average_run,
  .reset = cpu_average_reset,
  .get_found = cpu_average_get_found,
  .destroy = cpu_average_destroy,
};
