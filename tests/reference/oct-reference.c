/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Plans of the reference, and its table of operations.
 */
#include "reference-plan.h"
#include "oct-nufft.h"
#include "oct-params.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------- plans */

static gboolean
check (OctOperation operation, gconstpointer params, GError **error)
{
  switch (operation) {
  case OCT_OPERATION_BACKGROUND:
  case OCT_OPERATION_MEAN:
    return oct_check_background (params, error);
  case OCT_OPERATION_RESAMPLE:
    return oct_check_resample (params, error);
  case OCT_OPERATION_DISPERSION:
    return oct_check_dispersion (params, error);
  case OCT_OPERATION_FFT:
    return oct_check_fft (params, error);
  case OCT_OPERATION_LOGSCALE:
    return oct_check_logscale (params, error);
  case OCT_OPERATION_NUFFT:
    return oct_nufft_check (params, TRUE, error);
  case OCT_OPERATION_NUDFT:
    return oct_nufft_check (params, FALSE, error);
  case OCT_OPERATION_CS:
    return oct_cs_check (params, error);
  default:
    g_assert_not_reached ();
  }
}

static const double *
own (OctReference *plan, guint which, const double *values, guint count)
{
  g_free (plan->tables[which]);
  plan->tables[which] = g_memdup2 (values, count * sizeof (double));
  return plan->tables[which];
}

static void
take_params (OctReference *plan, gconstpointer params)
{
  switch (plan->operation) {
  case OCT_OPERATION_BACKGROUND:
  case OCT_OPERATION_MEAN: {
    OctBackgroundParams *p = &plan->p.background;
    *p = *(const OctBackgroundParams *)params;
    if (p->mode == OCT_BACKGROUND_STORED)
      p->background = own (plan, 0, p->background, p->samples);
    break;
  }
  case OCT_OPERATION_RESAMPLE: {
    OctResampleParams *p = &plan->p.resample;
    *p = *(const OctResampleParams *)params;
    p->positions = own (plan, 0, p->positions, p->samples);
    break;
  }
  case OCT_OPERATION_DISPERSION: {
    OctDispersionParams *p = &plan->p.dispersion;
    *p = *(const OctDispersionParams *)params;
    p->phase = own (plan, 0, p->phase, p->samples);
    break;
  }
  case OCT_OPERATION_FFT: {
    OctFftParams *p = &plan->p.fft;
    *p = *(const OctFftParams *)params;
    p->window = own (plan, 0, p->window, p->samples);
    break;
  }
  case OCT_OPERATION_LOGSCALE:
    plan->p.logscale = *(const OctLogscaleParams *)params;
    break;
  case OCT_OPERATION_CS: {
    OctCsParams *p = &plan->p.cs;
    *p = *(const OctCsParams *)params;
    p->nodes = own (plan, 0, p->nodes, p->kept);
    p->window = own (plan, 1, p->window, p->kept);
    g_free (plan->column);
    plan->column = g_memdup2 (p->column, p->kept * sizeof (guint32));
    p->column = plan->column;
    break;
  }
  default: {
    OctNufftParams *p = &plan->p.nufft;
    *p = *(const OctNufftParams *)params;
    p->nodes = own (plan, 0, p->nodes, p->samples);
    p->window = own (plan, 1, p->window, p->samples);
  }
  }
}

OctReference *
oct_reference_new (OctOperation operation, gconstpointer params, GError **error)
{
  OctReference *plan;

  if (!check (operation, params, error))
    return NULL;
  plan = g_new0 (OctReference, 1);
  plan->operation = operation;
  take_params (plan, params);
  return plan;
}

void
oct_reference_free (OctReference *plan)
{
  g_free (plan->tables[0]);
  g_free (plan->tables[1]);
  g_free (plan->column);
  g_free (plan->running);
  g_free (plan);
}

OctReferenceShape
oct_reference_get_input (const OctReference *plan)
{
  switch (plan->operation) {
  case OCT_OPERATION_BACKGROUND:
  case OCT_OPERATION_MEAN: {
    const OctBackgroundParams *p = &plan->p.background;
    return (OctReferenceShape){ p->format, p->lines, p->samples };
  }
  case OCT_OPERATION_RESAMPLE: {
    const OctResampleParams *p = &plan->p.resample;
    return (OctReferenceShape){ OCT_SAMPLE_F32, p->lines, p->samples };
  }
  case OCT_OPERATION_DISPERSION: {
    const OctDispersionParams *p = &plan->p.dispersion;
    return (OctReferenceShape){ OCT_SAMPLE_F32, p->lines, p->samples };
  }
  case OCT_OPERATION_FFT: {
    const OctFftParams *p = &plan->p.fft;
    return (OctReferenceShape){ p->format, p->lines, p->samples };
  }
  case OCT_OPERATION_LOGSCALE: {
    const OctLogscaleParams *p = &plan->p.logscale;
    return (OctReferenceShape){ OCT_SAMPLE_CF32, p->lines, p->depth_bins };
  }
  case OCT_OPERATION_CS: {
    const OctCsParams *p = &plan->p.cs;
    return (OctReferenceShape){ p->format, p->lines, p->columns };
  }
  default: {
    const OctNufftParams *p = &plan->p.nufft;
    return (OctReferenceShape){ p->format, p->lines, p->samples };
  }
  }
}

OctReferenceShape
oct_reference_get_output (const OctReference *plan)
{
  OctReferenceShape in = oct_reference_get_input (plan);

  switch (plan->operation) {
  case OCT_OPERATION_BACKGROUND:
  case OCT_OPERATION_RESAMPLE:
    return (OctReferenceShape){ OCT_SAMPLE_F32, in.rows, in.values };
  case OCT_OPERATION_MEAN:
    return (OctReferenceShape){ OCT_SAMPLE_F32, 1, in.values };
  case OCT_OPERATION_DISPERSION:
    return (OctReferenceShape){ OCT_SAMPLE_CF32, in.rows, in.values };
  case OCT_OPERATION_FFT:
    return (
        OctReferenceShape){ OCT_SAMPLE_CF32, in.rows, plan->p.fft.depth_bins };
  case OCT_OPERATION_LOGSCALE:
    return (OctReferenceShape){ plan->p.logscale.format == OCT_IMAGE_GRAY16
                                    ? OCT_SAMPLE_U16
                                    : OCT_SAMPLE_U8,
      in.values, in.rows };
  case OCT_OPERATION_CS:
    return (
        OctReferenceShape){ OCT_SAMPLE_CF32, in.rows, plan->p.cs.depth_bins };
  default:
    return (OctReferenceShape){ OCT_SAMPLE_CF32, in.rows,
      plan->p.nufft.depth_bins };
  }
}

/* full (v - min) / (max - min), transposed (Shafer 2.10) */
void
oct_reference_run_levels (OctReference *plan, const Complex *in, double *levels)
{
  const OctLogscaleParams *p = &plan->p.logscale;
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

static void
run_image (OctReference *plan, const Complex *in, Complex *out)
{
  const OctLogscaleParams *p = &plan->p.logscale;
  gsize pixels = (gsize)p->lines * p->depth_bins;
  double full = p->format == OCT_IMAGE_GRAY16 ? 65535 : 255;
  g_autofree double *levels = g_new (double, pixels);

  oct_reference_run_levels (plan, in, levels);
  for (gsize i = 0; i < pixels; i++)
    out[i] = CLAMP (rint (levels[i]), 0, full);
}

void
oct_reference_run (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  switch (plan->operation) {
  case OCT_OPERATION_BACKGROUND:
    reference_background (plan, in, mean, out);
    break;
  case OCT_OPERATION_MEAN: {
    g_autofree double *found = g_new (double, plan->p.background.samples);
    reference_mean (plan, in, found);
    for (guint i = 0; i < plan->p.background.samples; i++)
      out[i] = found[i];
    break;
  }
  case OCT_OPERATION_RESAMPLE:
    reference_resample (&plan->p.resample, in, out);
    break;
  case OCT_OPERATION_DISPERSION:
    reference_dispersion (&plan->p.dispersion, in, out);
    break;
  case OCT_OPERATION_FFT:
    reference_fft (&plan->p.fft, in, out);
    break;
  case OCT_OPERATION_LOGSCALE:
    run_image (plan, in, out);
    break;
  case OCT_OPERATION_CS:
    reference_cs (&plan->p.cs, in, out);
    break;
  default:
    reference_non_uniform (
        &plan->p.nufft, plan->operation == OCT_OPERATION_NUFFT, in, out);
  }
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

static void
put_value (OctSampleFormat format, gpointer row, guint i, Complex value)
{
  switch (format) {
  case OCT_SAMPLE_U8:
    ((guint8 *)row)[i] = (guint8)creal (value);
    break;
  case OCT_SAMPLE_U16:
    ((guint16 *)row)[i] = (guint16)creal (value);
    break;
  case OCT_SAMPLE_F32:
    ((float *)row)[i] = (float)creal (value);
    break;
  default:
    ((float *)row)[2 * i] = (float)creal (value);
    ((float *)row)[2 * i + 1] = (float)cimag (value);
  }
}

/* Grey in R, G, B; and the chroma of NV12. */
static void
put_image (const OctReference *plan, const Complex *values,
    const OctReferenceShape *shape, const OctFrame *out)
{
  OctImageFormat format = plan->p.logscale.format;
  const OctPlane *to = &out->planes[0], *chroma = &out->planes[1];

  for (guint row = 0; row < shape->rows; row++) {
    guint8 *line = (guint8 *)to->data + row * to->stride;
    for (guint i = 0; i < shape->values; i++) {
      Complex value = values[(gsize)row * shape->values + i];
      if (format == OCT_IMAGE_RGBA) {
        memset (line + 4 * i, (guint8)creal (value), 3);
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

/* The mean is an array of doubles between the operations of this table. */
static gboolean
table_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  OctReferenceShape from = oct_reference_get_input (plan);
  OctReferenceShape to = oct_reference_get_output (plan);
  g_autofree Complex *values = g_new (Complex, (gsize)from.rows * from.values);
  g_autofree Complex *result = g_new (Complex, (gsize)to.rows * to.values);
  gboolean found =
      plan->operation == OCT_OPERATION_BACKGROUND && plan->p.background.found;

  for (guint row = 0; row < from.rows; row++)
    for (guint i = 0; i < from.values; i++)
      values[(gsize)row * from.values + i] = get_value (from.format,
          (guint8 *)in->planes[0].data + row * in->planes[0].stride, i);
  oct_reference_run (plan, values, found ? in->planes[1].data : NULL, result);
  if (plan->operation == OCT_OPERATION_LOGSCALE) {
    put_image (plan, result, &to, out);
    return TRUE;
  }
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

/* History stays as long as the shape does; of another scale it is made anew. */
static gboolean
table_update (OctPlan *plan, gconstpointer params)
{
  OctReferenceShape before = oct_reference_get_input (plan);
  OctReferenceShape after;
  OctScale scale = plan->p.logscale.scale;

  if (!check (plan->operation, params, NULL))
    return FALSE;
  take_params (plan, params);
  after = oct_reference_get_input (plan);
  if (before.rows != after.rows || before.values != after.values
      || before.format != after.format)
    return FALSE;
  if (plan->operation == OCT_OPERATION_LOGSCALE
      && plan->p.logscale.scale != scale) {
    gboolean to_log = scale == OCT_SCALE_LINEAR;
    double *limits[] = { &plan->range_min, &plan->range_max };
    for (guint i = 0; i < 2; i++)
      *limits[i] = to_log ? 10 * log10 (MAX (*limits[i], 1e-20))
                          : pow (10, *limits[i] / 10);
  }
  return TRUE;
}

static void
table_reset (OctPlan *plan)
{
  g_clear_pointer (&plan->running, g_free);
  plan->has_range = FALSE;
}

#define DEFINE_TABLE(nick, operation)                                          \
  static OctPlan *nick##_create (gconstpointer params, GError **error)         \
  {                                                                            \
    return oct_reference_new (operation, params, error);                       \
  }                                                                            \
  static const OctOperationTable nick##_table = { .name = #nick,               \
    .create = nick##_create,                                                   \
    .update = table_update,                                                    \
    .run = table_run,                                                          \
    .reset = table_reset,                                                      \
    .destroy = oct_reference_free,                                             \
    .in_place = TRUE };

DEFINE_TABLE (background, OCT_OPERATION_BACKGROUND)
DEFINE_TABLE (mean, OCT_OPERATION_MEAN)
DEFINE_TABLE (resample, OCT_OPERATION_RESAMPLE)
DEFINE_TABLE (dispersion, OCT_OPERATION_DISPERSION)
DEFINE_TABLE (fft, OCT_OPERATION_FFT)
DEFINE_TABLE (logscale, OCT_OPERATION_LOGSCALE)
DEFINE_TABLE (nufft, OCT_OPERATION_NUFFT)
DEFINE_TABLE (nudft, OCT_OPERATION_NUDFT)
DEFINE_TABLE (cs, OCT_OPERATION_CS)

static gpointer
table_alloc (gsize size, GError **error)
{
  return g_aligned_alloc (1, MAX (size, 1), 64);
}

const OctBackend *
oct_backend_reference (void)
{
  static const OctBackend backend = { .name = "reference",
    .operations = { [OCT_OPERATION_BACKGROUND] = &background_table,
        [OCT_OPERATION_MEAN] = &mean_table,
        [OCT_OPERATION_RESAMPLE] = &resample_table,
        [OCT_OPERATION_DISPERSION] = &dispersion_table,
        [OCT_OPERATION_FFT] = &fft_table,
        [OCT_OPERATION_LOGSCALE] = &logscale_table,
        [OCT_OPERATION_NUFFT] = &nufft_table,
        [OCT_OPERATION_NUDFT] = &nudft_table,
        [OCT_OPERATION_CS] = &cs_table },
    .alloc = table_alloc,
    .free = g_aligned_free };

  return &backend;
}
