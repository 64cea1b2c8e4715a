/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images with sharper edges, by an unsharp mask: for each row of the result,
 * the means over the rows around it, with the border in place, then the means
 * of these along the row; in loops over x for each weight.
 */
#include "oct-cpu-private.h"
#include "oct-operation.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

struct _OctPlan {
  OctSharpenParams params;
  guint reach;
  float weights[OCT_SHARPEN_REACH + 1]; /* of a distance */
  guint threads;
  gsize means_size, sums_size; /* bytes of the scratch of a thread */
  guint8 *scratch;             /* [threads][means_size + sums_size] */
};

static void
cpu_sharpen_destroy (OctPlan *plan)
{
  oct_cpu_free (plan->scratch);
  g_free (plan);
}

static void
cpu_sharpen_fill_weights (OctPlan *plan)
{
  double radius = plan->params.radius, sum = 0;

  plan->reach = (guint)ceil (4 * radius);
  for (gint d = -(gint)plan->reach; d <= (gint)plan->reach; d++)
    sum += exp (-d * d / (2 * radius * radius));
  for (gint d = 0; d <= (gint)plan->reach; d++)
    plan->weights[d] = (float)(exp (-d * d / (2 * radius * radius)) / sum);
}

static OctPlan *
cpu_sharpen_create (gconstpointer data, GError **error)
{
  const OctSharpenParams *params = data;
  OctPlan *plan;

  if (!oct_operation_check (OCT_OPERATION_SHARPEN, params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->threads = oct_parallel_get_threads ();
  /* of the widest, so that update() needs no memory */
  plan->means_size = oct_cpu_pad (
      ((gsize)params->width + 2 * OCT_SHARPEN_REACH) * sizeof (float));
  plan->sums_size = oct_cpu_pad (params->width * sizeof (float));
  plan->scratch =
      oct_cpu_alloc (plan->threads, plan->means_size + plan->sums_size, error);
  if (plan->scratch == NULL) {
    cpu_sharpen_destroy (plan);
    return NULL;
  }
  cpu_sharpen_fill_weights (plan);
  return plan;
}

static gboolean
cpu_sharpen_update (OctPlan *plan, gconstpointer data)
{
  const OctSharpenParams *params = data;

  if (!oct_operation_check (OCT_OPERATION_SHARPEN, params, NULL)
      || params->width != plan->params.width
      || params->format != plan->params.format)
    return FALSE;
  plan->params = *params;
  cpu_sharpen_fill_weights (plan);
  return TRUE;
}

/* -------------------------------------------------------------------- loops */

/* Rows of bytes `step` apart, or of words, that have the same weight. */
#define DEFINE_ADD_ROWS(name, type, step)                                      \
  OCT_VECTORISED static void name (const void *above, const void *below,       \
      float weight, guint n, float *restrict sum)                              \
  {                                                                            \
    const type *a = above, *b = below;                                         \
                                                                               \
    for (guint x = 0; x < n; x++)                                              \
      sum[x] += weight * (float)(a[(gsize)x * step] + b[(gsize)x * step]);     \
  }

DEFINE_ADD_ROWS (add_rows_of_bytes, guint8, 1)
DEFINE_ADD_ROWS (add_rows_of_words, guint16, 1)
DEFINE_ADD_ROWS (add_rows_of_rgba, guint8, 4)

OCT_VECTORISED static void
add_columns (const float *left, const float *right, float weight, guint n,
    float *restrict sum)
{
  for (guint x = 0; x < n; x++)
    sum[x] += weight * (left[x] + right[x]);
}

/* Levels that are rounded to nearest, from pixels `step` values apart. */
#define DEFINE_UNSHARP(name, type, step, full)                                 \
  OCT_VECTORISED static void name (const void *from, const float *mean,        \
      float amount, guint n, void *restrict to)                                \
  {                                                                            \
    const type *in = from;                                                     \
    type *out = to;                                                            \
                                                                               \
    for (guint x = 0; x < n; x++) {                                            \
      float v = in[(gsize)x * step];                                           \
      float level = v + amount * (v - mean[x]);                                \
                                                                               \
      level = level < 0 ? 0 : level > full ? full : level;                     \
      out[x] = (type)(gint)(level + 0.5f);                                     \
    }                                                                          \
  }

DEFINE_UNSHARP (unsharp_bytes, guint8, 1, 255)
DEFINE_UNSHARP (unsharp_words, guint16, 1, 65535)
DEFINE_UNSHARP (unsharp_rgba, guint8, 4, 255)

/* Grey bytes to RGBA. */
OCT_VECTORISED static void
spread_grey (const guint8 *restrict grey, guint n, guint8 *restrict to)
{
  for (guint x = 0; x < n; x++) {
    to[4 * (gsize)x] = to[4 * (gsize)x + 1] = to[4 * (gsize)x + 2] = grey[x];
    to[4 * (gsize)x + 3] = 255;
  }
}

/* --------------------------------------------------------------------- rows
 */

/* The means of the rows around `y` of the image that begins at row `top`, with
 * both ends repeated; returns the first one in the image. */
static float *
mean_of_rows (const OctCpuLoop *loop, gsize top, gint y, float *means)
{
  const OctPlan *plan = loop->plan;
  const OctSharpenParams *params = &plan->params;
  gint last = (gint)(params->height / OCT_BSCANS (params)) - 1;
  float *mean = means + plan->reach;
  void (*add_rows) (const void *above, const void *below, float weight, guint n,
      float *restrict sum) =
      params->format == OCT_IMAGE_GRAY16 ? add_rows_of_words
      : params->format == OCT_IMAGE_RGBA ? add_rows_of_rgba
                                         : add_rows_of_bytes;

  memset (mean, 0, params->width * sizeof (float));
  for (gint d = 0; d <= (gint)plan->reach; d++)
    add_rows (oct_cpu_row (loop->from, top + (gsize)MAX (y - d, 0)),
        oct_cpu_row (loop->from, top + (gsize)MIN (y + d, last)),
        d == 0 ? plan->weights[0] / 2 : plan->weights[d], params->width, mean);
  for (guint i = 0; i < plan->reach; i++) {
    means[i] = mean[0];
    mean[params->width + i] = mean[params->width - 1];
  }
  return mean;
}

/* `grey`: [width], scratch */
static void
sharpen_row (const OctPlan *plan, gconstpointer from, const float *mean,
    guint8 *grey, gpointer to)
{
  const OctSharpenParams *params = &plan->params;
  float amount = (float)params->amount;

  switch (params->format) {
  case OCT_IMAGE_GRAY16:
    unsharp_words (from, mean, amount, params->width, to);
    break;
  case OCT_IMAGE_RGBA:
    unsharp_rgba (from, mean, amount, params->width, grey);
    spread_grey (grey, params->width, to);
    break;
  default:
    unsharp_bytes (from, mean, amount, params->width, to);
  }
}

static void
sharpen_rows (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuLoop *loop = data;
  const OctPlan *plan = loop->plan;
  const OctSharpenParams *params = &plan->params;
  guint height = params->height / OCT_BSCANS (params);
  guint8 *scratch =
      plan->scratch + thread * (plan->means_size + plan->sums_size);
  float *means = (float *)(gpointer)scratch;
  float *sums = (float *)(gpointer)(scratch + plan->means_size);

  for (guint y = first; y < end; y++) {
    guint row = y % height;
    const float *mean = mean_of_rows (loop, y - row, (gint)row, means);

    memset (sums, 0, params->width * sizeof (float));
    for (guint d = 0; d <= plan->reach; d++)
      add_columns (mean - d, mean + d,
          d == 0 ? plan->weights[0] / 2 : plan->weights[d], params->width,
          sums);
    /* the means of rows are no longer needed */
    sharpen_row (plan, oct_cpu_row (loop->from, y), sums, scratch,
        oct_cpu_row (loop->to, y));
  }
}

static gboolean
cpu_sharpen_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctSharpenParams *params = &plan->params;

  return oct_cpu_filter_image (plan, in, out, params->format, params->width,
      params->height, plan->threads, sharpen_rows, error);
}

const OctOperationTable oct_cpu_sharpen = {
  .create = cpu_sharpen_create,
  .update = cpu_sharpen_update,
  .run = cpu_sharpen_run,
  .destroy = cpu_sharpen_destroy,
};
