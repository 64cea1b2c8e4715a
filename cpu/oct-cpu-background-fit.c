/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A background fitted to every A-line, oct-fit.h.
 */
#include "oct-cpu-background-parts.h"
#include "oct-cpu-vector.h"
#include "oct-fit.h"
#include "oct-simd.h"

#include <math.h>

#define WIDTH (2 * OCT_VECTOR)
/* samples that are summed in single precision */
#define CHUNK (32 * WIDTH)
/* squares of this size have products that single precision cannot hold */
#define TINY 1e-20

void
oct_cpu_fit_fill_x (float *x, guint samples)
{
  float scale = oct_fit_scale (samples);

  for (guint i = 0; i < samples; i++)
    x[i] = oct_fit_x (scale, i);
}

gboolean
oct_cpu_fitter_init (
    OctCpuFitter *fitter, OctSampleFormat format, guint samples, GError **error)
{
  fitter->format = format;
  fitter->samples = samples;
  fitter->x = oct_cpu_alloc (samples, sizeof (float), error);
  if (fitter->x == NULL)
    return FALSE;
  oct_cpu_fit_fill_x (fitter->x, samples);
  return TRUE;
}

void
oct_cpu_fitter_clear (OctCpuFitter *fitter)
{
  oct_cpu_free (fitter->x);
}

OCT_VECTORISED void
oct_cpu_fitter_set (
    OctCpuFitter *fitter, int terms, const float *high, const float *low)
{
  double sums[5][4] = { { 0 } };

  fitter->terms = terms;
  fitter->high = high;
  fitter->low = low;
  for (guint i = 0; i < fitter->samples; i++) {
    double b = isfinite (high[i]) ? high[i] : 0, x = fitter->x[i];
    double power = b * b;

    for (guint m = 0; m < 5; m++, power *= x)
      sums[m][i % 4] += power;
  }
  for (guint m = 0; m < 5; m++)
    fitter->squares[m] = (sums[m][0] + sums[m][1]) + (sums[m][2] + sums[m][3]);
  fitter->is_tiny = !(fitter->squares[0] >= TINY);
}

/* products[m] += sum of (row - b) b x^m.  Not finite if a value is not finite
 * or single precision overflows. */
#define DEFINE_SUM(name, type, vector_type, to_float)                          \
  OCT_VECTORISED static void name (                                            \
      const OctCpuFitter *f, const type *row, double *products)                \
  {                                                                            \
    guint samples = f->samples, i = 0;                                         \
                                                                               \
    while (i + WIDTH <= samples) {                                             \
      OctVector sums[3][2] = { { { 0 } } };                                    \
      guint end = MIN (i + CHUNK, samples);                                    \
      for (; i + WIDTH <= end; i += WIDTH)                                     \
        for (guint k = 0; k < 2; k++) {                                        \
          guint at = i + k * OCT_VECTOR;                                       \
          OctVector b = *(const OctVector *)(f->high + at);                    \
          OctVector x = *(const OctVector *)(f->x + at);                       \
          OctVector t = to_float (*(const vector_type *)(row + at));           \
          t = ((t - b) - *(const OctVector *)(f->low + at)) * b;               \
          sums[0][k] += t;                                                     \
          t *= x;                                                              \
          sums[1][k] += t;                                                     \
          sums[2][k] += t * x;                                                 \
        }                                                                      \
      for (guint m = 0; m < 3; m++)                                            \
        for (guint k = 0; k < WIDTH; k++)                                      \
          products[m] += sums[m][k / OCT_VECTOR][k % OCT_VECTOR];              \
    }                                                                          \
    for (; i < samples; i++) {                                                 \
      double b = f->high[i], x = f->x[i];                                      \
      double t = (((float)row[i] - f->high[i]) - f->low[i]) * b;               \
      products[0] += t;                                                        \
      products[1] += t * x;                                                    \
      products[2] += t * x * x;                                                \
    }                                                                          \
  }

DEFINE_SUM (cpu_background_fit_sum_u8, guint8, OctCounts8, OCT_COUNTS_TO_FLOAT)
DEFINE_SUM (
    cpu_background_fit_sum_u16, guint16, OctCounts16, OCT_COUNTS_TO_FLOAT)
DEFINE_SUM (cpu_background_fit_sum_f32, float, OctVector, )

static float
cpu_background_fit_get_value (
    OctSampleFormat format, gconstpointer row, guint i)
{
  return format == OCT_SAMPLE_U8    ? ((const guint8 *)row)[i]
         : format == OCT_SAMPLE_U16 ? ((const guint16 *)row)[i]
                                    : ((const float *)row)[i];
}

/* The same in double precision, over the finite samples only. */
static void
sum_finite (const OctCpuFitter *f, gconstpointer row, OctFitSums *sums)
{
  *sums = (OctFitSums){ { 0 }, { 0 } };
  for (guint i = 0; i < f->samples; i++) {
    double b = f->high[i], x = f->x[i], power = b * b;
    double t =
        (cpu_background_fit_get_value (f->format, row, i) - b - f->low[i]) * b;

    if (!isfinite (t))
      continue;
    for (guint m = 0; m < 5; m++, power *= x)
      sums->squares[m] += power;
    for (guint m = 0; m < 3; m++, t *= x)
      sums->products[m] += t;
  }
}

OctCpuFit
oct_cpu_fitter_find (const OctCpuFitter *f, gconstpointer row)
{
  OctFitSums sums = { { 0 }, { 0 } };
  OctCpuFit fit = { { 0 } };

  for (guint m = 0; m < 5; m++)
    sums.squares[m] = f->squares[m];
  if (f->format == OCT_SAMPLE_U8)
    cpu_background_fit_sum_u8 (f, row, sums.products);
  else if (f->format == OCT_SAMPLE_U16)
    cpu_background_fit_sum_u16 (f, row, sums.products);
  else
    cpu_background_fit_sum_f32 (f, row, sums.products);
  if (f->is_tiny || !isfinite (sums.products[0]) || !isfinite (sums.products[1])
      || !isfinite (sums.products[2]))
    sum_finite (f, row, &sums);
  oct_fit_solve (&sums, f->terms, fit.e);
  return fit;
}

#define DEFINE_SUBTRACT(name, type)                                            \
  OCT_VECTORISED static void name (                                            \
      const OctCpuFitter *f, const type *row, const float *e, float *out)      \
  {                                                                            \
    const float *restrict high = f->high, *restrict low = f->low;              \
    const float *restrict x = f->x;                                            \
    float e0 = e[0], e1 = e[1], e2 = e[2];                                     \
    guint samples = f->samples;                                                \
                                                                               \
    OCT_INDEPENDENT for (guint i = 0; i < samples; i++) out[i] =               \
        (((float)row[i] - high[i]) - low[i])                                   \
        - (e0 + x[i] * (e1 + x[i] * e2)) * high[i];                            \
  }

DEFINE_SUBTRACT (cpu_background_fit_subtract_u8, guint8)
DEFINE_SUBTRACT (cpu_background_fit_subtract_u16, guint16)
DEFINE_SUBTRACT (cpu_background_fit_subtract_f32, float)

void
oct_cpu_fitter_subtract (
    const OctCpuFitter *f, gconstpointer row, const OctCpuFit *fit, float *out)
{
  if (f->format == OCT_SAMPLE_U8)
    cpu_background_fit_subtract_u8 (f, row, fit->e, out);
  else if (f->format == OCT_SAMPLE_U16)
    cpu_background_fit_subtract_u16 (f, row, fit->e, out);
  else
    cpu_background_fit_subtract_f32 (f, row, fit->e, out);
}

typedef struct {
  const OctCpuFitter *fitter;
  const OctPlane *in;
  OctCpuFit *fits;
} Loop;

static void
find_fits (gpointer data, guint first, guint end, guint thread)
{
  const Loop *loop = data;

  for (guint line = first; line < end; line++)
    loop->fits[line] =
        oct_cpu_fitter_find (loop->fitter, oct_cpu_row (loop->in, line));
}

void
oct_cpu_fitter_find_all (const OctCpuFitter *fitter, const OctPlane *in,
    guint lines, guint threads, OctCpuFit *fits)
{
  Loop loop = { fitter, in, fits };

  oct_parallel_for (lines, OCT_CPU_GRAIN, threads, find_fits, &loop);
}
