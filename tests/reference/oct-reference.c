/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Plans of the reference, and its table of operations.
 */
#include "reference-plan.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------- plans */

OctReference *
oct_reference_new (OctOperation operation, gconstpointer params, GError **error)
{
  OctReference *plan;

  if (!oct_operation_check (operation, params, error))
    return NULL;
  plan = g_new0 (OctReference, 1);
  plan->operation = operation;
  plan->params = oct_operation_copy_params (operation, params);
  return plan;
}

void
oct_reference_free (OctReference *plan)
{
  oct_operation_free_params (plan->operation, plan->params);
  g_free (plan->running);
  reference_forget (plan);
  reference_clock_free (plan->clock);
  g_free (plan);
}

OctStepShape
oct_reference_get_input (const OctReference *plan)
{
  OctStepShape in, out;

  oct_operation_get_shapes (plan->operation, plan->params, &in, &out);
  return in;
}

OctStepShape
oct_reference_get_output (const OctReference *plan)
{
  OctStepShape in, out;

  oct_operation_get_shapes (plan->operation, plan->params, &in, &out);
  return out;
}

/* full (v - min) / (max - min), transposed (Shafer 2.10) */
void
oct_reference_run_levels (OctReference *plan, const Complex *in, double *levels)
{
  const OctLogscaleParams *p = plan->params;
  double full = p->format == OCT_IMAGE_GRAY16 ? 65535 : 255;
  double min = 0, max = 0;
  gboolean has_extent = reference_range (plan, in, &min, &max) && max > min;

  for (guint line = 0; line < p->lines; line++)
    for (guint i = 0; i < p->depth_bins; i++) {
      double v =
          reference_scaled (p->scale, in[(gsize)line * p->depth_bins + i]);
      levels[(gsize)i * p->lines + line] =
          has_extent && !isnan (v) ? full * (v - min) / (max - min) : 0;
    }
}

void
reference_logscale (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctLogscaleParams *p = plan->params;
  gsize pixels = (gsize)p->lines * p->depth_bins;
  double full = p->format == OCT_IMAGE_GRAY16 ? 65535 : 255;
  g_autofree double *levels = g_new (double, pixels);

  oct_reference_run_levels (plan, in, levels);
  for (gsize i = 0; i < pixels; i++)
    out[i] = CLAMP (rint (levels[i]), 0, full);
}

/* A function for each operation, reference_<name>. */
#define ROW(NAME, name, params) [OCT_OPERATION_##NAME] = reference_##name,
static const ReferenceRun runs[] = { OCT_OPERATIONS (ROW) };
#undef ROW

void
oct_reference_run (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  runs[plan->operation](plan, in, mean, out);
}

double
oct_reference_get_found (const OctReference *plan)
{
  return plan->found;
}

/* --------------------------------------------------------- table of a backend
 */

static Complex
get_value (OctSampleFormat format, gconstpointer row, guint i)
{
  switch (format) {
  case OCT_SAMPLE_U8:
    return ((const guint8 *)row)[i];
  case OCT_SAMPLE_U16:
    return ((const guint16 *)row)[i];
  case OCT_SAMPLE_F32:
    return ((const float *)row)[i];
  default:
    return CMPLX (((const float *)row)[2 * i], ((const float *)row)[2 * i + 1]);
  }
}

/* Filters of images give levels that are not rounded. */
static void
put_value (OctSampleFormat format, gpointer row, guint i, Complex value)
{
  switch (format) {
  case OCT_SAMPLE_U8:
    ((guint8 *)row)[i] = (guint8)rint (creal (value));
    break;
  case OCT_SAMPLE_U16:
    ((guint16 *)row)[i] = (guint16)rint (creal (value));
    break;
  case OCT_SAMPLE_F32:
    ((float *)row)[i] = (float)creal (value);
    break;
  default:
    ((float *)row)[2 * i] = (float)creal (value);
    ((float *)row)[2 * i + 1] = (float)cimag (value);
  }
}

/* Whether the output is an image of A-scans, and its format. */
static gboolean
is_image (const OctReference *plan, OctImageFormat *format)
{
  switch (plan->operation) {
  case OCT_OPERATION_LOGSCALE:
    *format = ((const OctLogscaleParams *)plan->params)->format;
    return TRUE;
  case OCT_OPERATION_ANGIO:
    *format = ((const OctAngioParams *)plan->params)->format;
    return TRUE;
  default:
    return FALSE;
  }
}

/* Grey in R, G, B; and the chroma of NV12. */
static void
put_image (const OctReference *plan, const Complex *values,
    const OctStepShape *shape, OctImageFormat format, const OctFrame *out)
{
  const OctPlane *to = &out->planes[0], *chroma = &out->planes[1];

  for (guint row = 0; row < shape->rows; row++) {
    guint8 *line = (guint8 *)to->data + row * to->stride;
    for (guint i = 0; i < shape->values; i++) {
      Complex value = values[(gsize)row * shape->values + i];
      if (format == OCT_IMAGE_RGBA) {
        memset (line + 4 * i, (guint8)rint (creal (value)), 3);
        line[4 * i + 3] = 255;
      } else {
        put_value (shape->format, line, i, value);
      }
    }
  }
  for (guint row = 0; format == OCT_IMAGE_NV12 && row < (shape->rows + 1) / 2;
       row++)
    memset ((guint8 *)chroma->data + row * chroma->stride, 128,
        (shape->values + 1) / 2 * 2);
}

static void
put_chroma (const OctReference *plan, const Complex *values, const OctPlane *to)
{
  const OctColormapParams *p = plan->params;
  guint columns = (p->width + 1) / 2 * 2, rows = (p->height + 1) / 2;
  g_autofree double *chroma = g_new (double, (gsize)rows *columns);

  oct_reference_chroma (p, values, chroma);
  for (guint row = 0; row < rows; row++)
    for (guint i = 0; i < columns; i++)
      ((guint8 *)to->data)[row * to->stride + i] =
          (guint8)chroma[(gsize)row * columns + i];
}

/* Chroma of NV12 that a filter of images is to hand on. */
static void
flip_chroma (const OctReference *plan, const OctPlane *from, const OctPlane *to)
{
  const OctFlipParams *p = plan->params;
  guint columns = (p->width + 1) / 2, rows = (p->height + 1) / 2;
  gsize n = 2 * (gsize)columns * rows;
  g_autofree double *in = g_new (double, n), *out = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    in[i] = ((guint8 *)from
                 ->data)[i / (2 * columns) * from->stride + i % (2 * columns)];
  oct_reference_flip (p, columns, rows, 2, in, out);
  for (gsize i = 0; i < n; i++)
    ((guint8 *)to->data)[i / (2 * columns) * to->stride + i % (2 * columns)] =
        (guint8)rint (out[i]);
}

/* That of a filter whose images are grey. */
static void
clear_chroma (const OctStepShape *shape, const OctPlane *to)
{
  for (guint row = 0; row < (shape->rows + 1) / 2; row++)
    memset ((guint8 *)to->data + row * to->stride, 128,
        (shape->values + 1) / 2 * 2);
}

static void
put_second_plane (const OctReference *plan, const Complex *values,
    const OctStepShape *shape, const OctFrame *in, const OctFrame *out)
{
  switch (plan->operation) {
  case OCT_OPERATION_COLORMAP:
    put_chroma (plan, values, &out->planes[1]);
    break;
  case OCT_OPERATION_FLIP:
    flip_chroma (plan, &in->planes[1], &out->planes[1]);
    break;
  default:
    clear_chroma (shape, &out->planes[1]);
  }
}

/* The mean is an array of doubles between the operations of this table. */
static gboolean
table_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  OctStepShape from = oct_reference_get_input (plan);
  OctStepShape to = oct_reference_get_output (plan);
  g_autofree Complex *values = g_new (Complex, (gsize)from.rows * from.values);
  g_autofree Complex *result = g_new (Complex, (gsize)to.rows * to.values);
  gboolean found = plan->operation == OCT_OPERATION_BACKGROUND
                   && ((const OctBackgroundParams *)plan->params)->found;
  OctImageFormat format;

  for (guint row = 0; row < from.rows; row++)
    for (guint i = 0; i < from.values; i++)
      values[(gsize)row * from.values + i] = get_value (from.format,
          (guint8 *)in->planes[0].data + row * in->planes[0].stride, i);
  oct_reference_run (plan, values, found ? in->planes[1].data : NULL, result);
  if (is_image (plan, &format)) {
    put_image (plan, result, &to, format, out);
    return TRUE;
  }
  if (out->planes[1].data != NULL)
    put_second_plane (plan, values, &to, in, out);
  for (guint row = 0; row < to.rows; row++)
    for (guint i = 0; i < to.values; i++) {
      Complex value = result[(gsize)row * to.values + i];
      if (plan->operation == OCT_OPERATION_MEAN)
        ((double *)out->planes[0].data)[i] = creal (value);
      else
        put_value (to.format,
            (guint8 *)out->planes[0].data + row * out->planes[0].stride, i,
            value);
    }
  return TRUE;
}

static gboolean
is_same_shape (const OctStepShape *a, const OctStepShape *b)
{
  return a->rows == b->rows && a->values == b->values && a->format == b->format;
}

static gboolean
is_same_mean (const OctAverageParams *a, const OctAverageParams *b)
{
  return a->mode == b->mode && a->frames == b->frames && a->of == b->of;
}

static gboolean
is_same_flow (const OctAngioParams *a, const OctAngioParams *b)
{
  return a->mode == b->mode && a->repeats == b->repeats;
}

/* History stays as long as the shape does. */
static gboolean
table_update (OctPlan *plan, gconstpointer params)
{
  OctStepShape before = oct_reference_get_input (plan), after;
  gpointer former = plan->params;

  if (!oct_operation_check (plan->operation, params, NULL))
    return FALSE;
  plan->params = oct_operation_copy_params (plan->operation, params);
  after = oct_reference_get_input (plan);
  if (plan->operation == OCT_OPERATION_LOGSCALE)
    reference_range_rescale (plan, former);
  if (plan->operation == OCT_OPERATION_AVERAGE
      && !is_same_mean (former, params))
    reference_forget (plan);
  if (plan->operation == OCT_OPERATION_ANGIO
      && !is_same_flow (former, params)) {
    reference_forget (plan);
    plan->noise = plan->noise_images = 0;
  }
  oct_operation_free_params (plan->operation, former);
  return is_same_shape (&before, &after);
}

static double
table_get_found (OctPlan *plan)
{
  return plan->found;
}

static void
table_reset (OctPlan *plan)
{
  g_clear_pointer (&plan->running, g_free);
  reference_forget (plan);
  g_clear_pointer (&plan->clock, reference_clock_free);
  plan->has_range = FALSE;
}

#define DEFINE_TABLE(NAME, nick, params_type)                                  \
  static OctPlan *nick##_create (gconstpointer params, GError **error)         \
  {                                                                            \
    return oct_reference_new (OCT_OPERATION_##NAME, params, error);            \
  }                                                                            \
  static const OctOperationTable nick##_table = { .create = nick##_create,     \
    .update = table_update,                                                    \
    .run = table_run,                                                          \
    .reset = table_reset,                                                      \
    .get_found = table_get_found,                                              \
    .destroy = oct_reference_free };
OCT_OPERATIONS (DEFINE_TABLE)

#define ROW(NAME, nick, params) [OCT_OPERATION_##NAME] = &nick##_table,

static gpointer
table_alloc (gsize size, GError **error)
{
  return g_aligned_alloc (1, MAX (size, 1), 64);
}

const OctBackend *
oct_backend_reference (void)
{
  static const OctBackend backend = { .name = "reference",
    .operations = { OCT_OPERATIONS (ROW) },
    .alloc = table_alloc,
    .free = g_aligned_free };

  return &backend;
}
