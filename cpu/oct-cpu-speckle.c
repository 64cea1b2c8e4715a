/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images with less speckle: a row of the result at a time, from copies of the
 * rows around it as 16 bit values with the border in place, in loops over x for
 * each of the neighbours.
 */
#include "oct-cpu-private.h"
#include "oct-simd.h"
#include "oct-speckle.h"

#include <math.h>
#include <string.h>

#define MOST OCT_SPECKLE_LARGEST

/* The scratch of one thread. */
typedef struct {
  guint16 *rows[MOST]; /* [width + size - 1] */
  guint16 *result;     /* [width] */
  double *sums[2];     /* [width], or floats of as many */
} Scratch;

struct _OctPlan {
  OctSpeckleParams params;
  guint levels; /* 256 or 65536 */
  /* of BILATERAL, exponents of 2: factor of a squared difference, and
   * [|dy|][|dx|] */
  float range, spatial[MOST / 2 + 1][MOST / 2 + 1];
  guint threads;
  gsize scratch_size;
  guint8 *scratch; /* [threads][scratch_size] */
};

static void
cpu_speckle_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static void
cpu_speckle_fill_weights (OctPlan *plan)
{
  const OctSpeckleParams *params = &plan->params;
  double sigma = oct_speckle_get_sigma (params);
  double s = 2 * params->spatial_sigma * params->spatial_sigma;

  if (params->method != OCT_SPECKLE_BILATERAL)
    return;
  plan->range = (float)(-0.5 / (sigma * sigma) / G_LN2);
  for (gint y = 0; y <= (gint)MOST / 2; y++)
    for (gint x = 0; x <= (gint)MOST / 2; x++)
      plan->spatial[y][x] = (float)(-(x * x + y * y) / s / G_LN2);
}

static OctPlan *
cpu_speckle_create (gconstpointer data, GError **error)
{
  const OctSpeckleParams *params = data;
  OctPlan *plan;
  gsize width;

  if (!oct_check_speckle (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->levels = params->format == OCT_IMAGE_GRAY16 ? 65536 : 256;
  plan->threads = oct_parallel_get_threads ();
  width = oct_cpu_pad ((params->width + MOST) * sizeof (guint16));
  plan->scratch_size =
      (MOST + 1) * width + 2 * oct_cpu_pad (params->width * sizeof (double));
  plan->scratch = oct_cpu_alloc (plan->threads, plan->scratch_size, error);
  if (plan->scratch == NULL) {
    cpu_speckle_destroy (plan);
    return NULL;
  }
  cpu_speckle_fill_weights (plan);
  return plan;
}

static gboolean
cpu_speckle_update (OctPlan *plan, gconstpointer data)
{
  const OctSpeckleParams *params = data;

  if (!oct_check_speckle (params, NULL) || params->width != plan->params.width
      || params->format != plan->params.format
      || params->method != plan->params.method)
    return FALSE;
  plan->params = *params;
  cpu_speckle_fill_weights (plan);
  return TRUE;
}

static Scratch
cpu_speckle_get_scratch (const OctPlan *plan, guint thread)
{
  gsize row = oct_cpu_pad ((plan->params.width + MOST) * sizeof (guint16));
  guint8 *at = plan->scratch + thread * plan->scratch_size;
  Scratch s;

  for (guint i = 0; i < MOST; i++, at += row)
    s.rows[i] = (guint16 *)(gpointer)at;
  s.result = (guint16 *)(gpointer)at;
  at += row;
  for (guint i = 0; i < 2; i++) {
    s.sums[i] = (double *)(gpointer)at;
    at += oct_cpu_pad (plan->params.width * sizeof (double));
  }
  return s;
}

/* --------------------------------------------------------------------- rows
 */

/* Row `y`, with its ends repeated `border` times. */
static void
fetch_row (const OctPlan *plan, const OctPlane *from, gsize y, guint border,
    guint16 *to)
{
  const OctSpeckleParams *params = &plan->params;
  const guint8 *bytes = oct_cpu_row (from, y);
  guint width = params->width;

  if (params->format == OCT_IMAGE_GRAY16) {
    memcpy (to + border, bytes, width * sizeof (guint16));
  } else {
    guint step = params->format == OCT_IMAGE_RGBA ? 4 : 1;

    for (guint x = 0; x < width; x++)
      to[border + x] = bytes[(gsize)x * step];
  }
  for (guint i = 0; i < border; i++) {
    to[i] = to[border];
    to[border + width + i] = to[border + width - 1];
  }
}

static void
store_row (const OctPlan *plan, const guint16 *result, guint8 *to)
{
  const OctSpeckleParams *params = &plan->params;

  switch (params->format) {
  case OCT_IMAGE_GRAY16:
    memcpy (to, result, params->width * sizeof (guint16));
    break;
  case OCT_IMAGE_RGBA:
    for (guint x = 0; x < params->width; x++, to += 4) {
      to[0] = to[1] = to[2] = (guint8)result[x];
      to[3] = 255;
    }
    break;
  default:
    for (guint x = 0; x < params->width; x++)
      to[x] = (guint8)result[x];
  }
}

/* ------------------------------------------------------------------ filters
 */

/* 2^t for t from 0 down to -2^30, to 2e-7; results below 2^-126 are about
 * 2^-126.  No table: scattered reads take longer.  No comparison of floats: it
 * prevents vectorisation. */
static inline float
exp2_of (float t)
{
  gint32 whole = (gint32)(t - 0.5f), bits;
  float x = (t - (float)whole) * (float)G_LN2; /* within half an octave */
  float power = 1 / 120.f + x * (1 / 720.f), result;

  power = 1 / 6.f + x * (1 / 24.f + x * power);
  power = 1 + x * (1 + x * (1 / 2.f + x * power));
  whole = MAX (whole, -126);
  bits = (whole + 127) * (1 << 23);
  memcpy (&result, &bits, sizeof result);
  return result * power;
}

OCT_VECTORISED static void
add_weighted (const guint16 *restrict centre, const guint16 *restrict other,
    float range, float spatial, guint n, float *restrict sum,
    float *restrict weights)
{
  for (guint x = 0; x < n; x++) {
    float difference = (float)((gint)other[x] - (gint)centre[x]);
    float w = exp2_of (difference * difference * range + spatial);

    sum[x] += w * (float)other[x];
    weights[x] += w;
  }
}

OCT_VECTORISED static void
divide (const float *restrict sum, const float *restrict weights, guint n,
    guint16 *restrict result)
{
  for (guint x = 0; x < n; x++)
    result[x] = (guint16)(gint)(sum[x] / weights[x] + 0.5f);
}

static void
cpu_speckle_bilateral (const OctPlan *plan, const Scratch *s)
{
  guint n = plan->params.width, size = plan->params.size, r = size / 2;
  float *sum = (float *)s->sums[0], *weights = (float *)s->sums[1];

  memset (sum, 0, n * sizeof (float));
  memset (weights, 0, n * sizeof (float));
  for (guint y = 0; y < size; y++)
    for (guint x = 0; x < size; x++)
      add_weighted (s->rows[r] + r, s->rows[y] + x, plan->range,
          plan->spatial[ABS ((gint)y - (gint)r)][ABS ((gint)x - (gint)r)], n,
          sum, weights);
  divide (sum, weights, n, s->result);
}

OCT_VECTORISED static void
count_below (const guint16 *restrict other, const guint16 *restrict result,
    guint16 bit, guint n, guint16 *restrict count)
{
  for (guint x = 0; x < n; x++)
    count[x] = (guint16)(count[x] + (other[x] < (result[x] | bit)));
}

OCT_VECTORISED static void
set_bits (const guint16 *restrict count, guint16 most, guint16 bit, guint n,
    guint16 *restrict result)
{
  for (guint x = 0; x < n; x++)
    result[x] = (guint16)(result[x] | (count[x] <= most ? bit : 0));
}

/* The median is the largest value with no more than half of the values below
 * it: found bit by bit, from the highest on, without sorting. */
static void
cpu_speckle_median (const OctPlan *plan, const Scratch *s)
{
  guint n = plan->params.width, size = plan->params.size;
  guint16 *count = (guint16 *)(gpointer)s->sums[0];

  memset (s->result, 0, n * sizeof (guint16));
  for (guint bit = plan->levels / 2; bit > 0; bit /= 2) {
    memset (count, 0, n * sizeof (guint16));
    for (guint y = 0; y < size; y++)
      for (guint x = 0; x < size; x++)
        count_below (s->rows[y] + x, s->result, (guint16)bit, n, count);
    set_bits (count, (guint16)(size * size / 2), (guint16)bit, n, s->result);
  }
}

OCT_VECTORISED static void
cpu_speckle_add_squares (const guint16 *restrict centre,
    const guint16 *restrict other, guint n, double *restrict sum,
    double *restrict squares)
{
  for (guint x = 0; x < n; x++) {
    gint difference = (gint)other[x] - (gint)centre[x];

    sum[x] += difference;
    squares[x] += (double)difference * difference;
  }
}

static void
cpu_speckle_lee (const OctPlan *plan, const Scratch *s)
{
  guint n = plan->params.width, size = plan->params.size, r = size / 2;
  double noise = pow (oct_speckle_get_sigma (&plan->params), 2);
  double *sum = s->sums[0], *squares = s->sums[1];

  memset (sum, 0, n * sizeof (double));
  memset (squares, 0, n * sizeof (double));
  for (guint y = 0; y < size; y++)
    for (guint x = 0; x < size; x++)
      cpu_speckle_add_squares (s->rows[r] + r, s->rows[y] + x, n, sum, squares);
  for (guint x = 0; x < n; x++) {
    double mean = sum[x] / (size * size); /* above the pixel */
    double variance = squares[x] / (size * size) - mean * mean;
    double kept = variance > noise ? (variance - noise) / variance : 0;

    s->result[x] = (guint16)rint (s->rows[r][r + x] + mean - kept * mean);
  }
}

/* ----------------------------------------------------------------- all rows
 */

static void
filter_rows (gpointer data, guint first, guint end, guint thread)
{
  static void (*const filters[OCT_N_SPECKLE_METHODS]) (
      const OctPlan *plan, const Scratch *s) = {
    [OCT_SPECKLE_BILATERAL] = cpu_speckle_bilateral,
    [OCT_SPECKLE_MEDIAN] = cpu_speckle_median,
    [OCT_SPECKLE_LEE] = cpu_speckle_lee,
  };
  const OctCpuLoop *loop = data;
  const OctSpeckleParams *params = &loop->plan->params;
  guint height = params->height / OCT_BSCANS (params);
  gint r = (gint)params->size / 2;
  Scratch s = cpu_speckle_get_scratch (loop->plan, thread);

  for (guint y = first; y < end; y++) {
    gint row = (gint)(y % height);

    for (gint i = -r; i <= r; i++)
      fetch_row (loop->plan, loop->from,
          (gsize)(y - (guint)row) + (guint)CLAMP (row + i, 0, (gint)height - 1),
          (guint)r, s.rows[r + i]);
    filters[params->method](loop->plan, &s);
    store_row (loop->plan, s.result, oct_cpu_row (loop->to, y));
  }
}

static gboolean
cpu_speckle_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctSpeckleParams *params = &plan->params;

  return oct_cpu_filter_image (plan, in, out, params->format, params->width,
      params->height, plan->threads, filter_rows, error);
}

const OctOperationTable oct_cpu_speckle = {
  .create = cpu_speckle_create,
  .update = cpu_speckle_update,
  .run = cpu_speckle_run,
  .destroy = cpu_speckle_destroy,
};
