/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-angio-values.h"

#include "oct-cpu-grey.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

/* Running statistics of the repeats, depth by depth: in single precision, sums
 * of a and of |a|^2 would lose small changes in bright tissue that is still. */
typedef struct {
  float n[OCT_CPU_ANGIO_CHUNK];
  float re[OCT_CPU_ANGIO_CHUNK], im[OCT_CPU_ANGIO_CHUNK]; /* mean */
  float q[OCT_CPU_ANGIO_CHUNK];                           /* sum |a - mean|^2 */
  float p[OCT_CPU_ANGIO_CHUNK];
  /* of the method: the value before, and a sum of differences; or the mean
   * amplitude, and a sum of squares */
  float before[2][OCT_CPU_ANGIO_CHUNK];
  float sum[OCT_CPU_ANGIO_CHUNK];
  /* of products: the imaginary part, and the mean power of a pair */
  float other[OCT_CPU_ANGIO_CHUNK], pair[OCT_CPU_ANGIO_CHUNK];
} Statistics;

OCT_INLINE float
is_there (float re, float im)
{
  gint32 a = oct_cpu_bits (re) & 0x7fffffff, b = oct_cpu_bits (im) & 0x7fffffff;

  return (float)((a < 0x7f800000) & (b < 0x7f800000) & ((a | b) != 0));
}

OCT_VECTORISED static void
angio_add_repeat (const float *restrict a, guint count, Statistics *s)
{
  OCT_INDEPENDENT
  for (guint i = 0; i < count; i++) {
    float there = is_there (a[2 * i], a[2 * i + 1]);
    float re = there > 0 ? a[2 * i] : 0, im = there > 0 ? a[2 * i + 1] : 0;
    float n = s->n[i] + there, weight = there / (n > 1 ? n : 1);
    float dre = re - s->re[i], dim = im - s->im[i];
    float mre = s->re[i] + dre * weight, mim = s->im[i] + dim * weight;

    s->q[i] += there * (dre * (re - mre) + dim * (im - mim));
    s->p[i] += (re * re + im * im - s->p[i]) * weight;
    s->n[i] = n;
    s->re[i] = mre;
    s->im[i] = mim;
  }
}

/* After angio_add_repeat() */
OCT_VECTORISED static void
angio_add_difference (const float *restrict a, guint count, Statistics *s)
{
  OCT_INDEPENDENT
  for (guint i = 0; i < count; i++) {
    float there = is_there (a[2 * i], a[2 * i + 1]);
    float re = there > 0 ? a[2 * i] : s->before[0][i];
    float im = there > 0 ? a[2 * i + 1] : s->before[1][i];
    float dre = re - s->before[0][i], dim = im - s->before[1][i];

    s->sum[i] += s->n[i] > 1 ? (dre * dre + dim * dim) / 2 : 0;
    s->before[0][i] = re;
    s->before[1][i] = im;
  }
}

/* After angio_add_repeat() */
OCT_VECTORISED static void
angio_add_amplitude (const float *restrict a, guint count, Statistics *s)
{
  OCT_INDEPENDENT
  for (guint i = 0; i < count; i++) {
    float there = is_there (a[2 * i], a[2 * i + 1]);
    float re = there > 0 ? a[2 * i] : 0, im = there > 0 ? a[2 * i + 1] : 0;
    float weight = there / (s->n[i] > 1 ? s->n[i] : 1);
    float d = sqrtf (re * re + im * im) - s->before[0][i];

    s->before[0][i] += d * weight;
    s->sum[i] += there * d * (d - d * weight);
  }
}

/* After angio_add_repeat(); `is_unit`: of amplitudes 1 */
OCT_VECTORISED static void
angio_add_product (
    const float *restrict a, guint count, float is_unit, Statistics *s)
{
  OCT_INDEPENDENT
  for (guint i = 0; i < count; i++) {
    float there = is_there (a[2 * i], a[2 * i + 1]);
    float re = there > 0 ? a[2 * i] : 0, im = there > 0 ? a[2 * i + 1] : 0;
    float p = re * re + im * im, unit = p > 0 ? 1 / sqrtf (p) : 0;
    float scale = is_unit > 0 ? unit : 1, x = re * scale, y = im * scale;
    float was_x = s->before[0][i], was_y = s->before[1][i];
    float pairs = s->n[i] > 1 ? there : 0;

    s->sum[i] += pairs * (x * was_x + y * was_y);
    s->other[i] += pairs * (y * was_x - x * was_y);
    s->pair[i] +=
        pairs * ((x * x + y * y) + (was_x * was_x + was_y * was_y)) / 2;
    s->before[0][i] = there > 0 ? x : was_x;
    s->before[1][i] = there > 0 ? y : was_y;
  }
}

OCT_VECTORISED static void
angio_finish_residual (const Statistics *s, const OctCpuAngioValues *values)
{
  float *restrict r = values->mean;
  float *restrict p = values->power;
  guint16 *restrict bins = values->bins;
  float there = 0;

#pragma omp simd reduction(+ : there)
  for (guint i = 0; i < values->count; i++) {
    gint32 counts = s->n[i] > 1;

    r[i] = counts ? s->q[i] / (s->n[i] - 1) : 0;
    p[i] = s->p[i];
    bins[i] = (guint16)(counts ? oct_angio_bin (oct_cpu_bits (r[i]))
                               : OCT_CPU_ANGIO_NO_BIN);
    there += counts ? s->n[i] : 0;
  }
  *values->there += (guint64)there;
}

/* sum / (n - less) */
OCT_VECTORISED static void
angio_finish_sum (const Statistics *s, const float *restrict sum, guint count,
    float less, float *restrict mean)
{
  for (guint i = 0; i < count; i++)
    mean[i] = s->n[i] > 1 ? sum[i] / (s->n[i] - less) : 0;
}

static void
angio_add_method (
    OctAngioMethod method, const float *a, guint count, Statistics *s)
{
  switch (method) {
  case OCT_ANGIO_COMPLEX_DIFFERENCE:
    angio_add_difference (a, count, s);
    break;
  case OCT_ANGIO_SPECKLE_VARIANCE:
    angio_add_amplitude (a, count, s);
    break;
  case OCT_ANGIO_PHASE_VARIANCE:
  case OCT_ANGIO_CDV:
    angio_add_product (a, count, method == OCT_ANGIO_PHASE_VARIANCE, s);
    break;
  default:
    break;
  }
}

void
oct_cpu_angio_find (OctAngioMethod method, const OctCpuAngioValues *values)
{
  Statistics s;
  guint count = values->count;

  memset (&s, 0, sizeof s);
  for (guint i = 0; i < values->n; i++) {
    angio_add_repeat (values->repeats[i], count, &s);
    angio_add_method (method, values->repeats[i], count, &s);
  }
  angio_finish_residual (&s, values);
  if (method == OCT_ANGIO_COMPLEX_DIFFERENCE)
    angio_finish_sum (&s, s.sum, count, 1, values->mean);
  else if (method == OCT_ANGIO_SPECKLE_VARIANCE)
    angio_finish_sum (&s, s.sum, count, 0, values->mean);
  if (!oct_angio_needs_products (oct_angio_get_show (method)))
    return;
  angio_finish_sum (&s, s.sum, count, 1, values->mean);
  angio_finish_sum (&s, s.other, count, 1, values->other);
  angio_finish_sum (&s, s.pair, count, 1, values->power);
}

/* ------------------------------------------------------------------ windows */

OCT_VECTORISED void
oct_cpu_angio_add (const float *restrict row, guint count, float *restrict sum)
{
  for (guint i = 0; i < count; i++)
    sum[i] += row[i];
}

OCT_VECTORISED void
oct_cpu_angio_window (const float *restrict from, guint reach,
    const float *restrict weights, float scale, guint count,
    float *restrict mean)
{
  for (guint i = 0; i < count; i++)
    mean[i] = from[i];
  for (guint d = 1; d <= reach; d++) {
    const float *below = from + d, *above = from - d;

    for (guint i = 0; i < count; i++)
      mean[i] += below[i] + above[i];
  }
  for (guint i = 0; i < count; i++)
    mean[i] *= weights[i] * scale;
}

OCT_VECTORISED void
oct_cpu_angio_find_still (const float *restrict R, const float *restrict I,
    float noise, guint count, guint16 *restrict bins)
{
  for (guint i = 0; i < count; i++) {
    float part = (R[i] - noise) / I[i];

    bins[i] = (guint16)(I[i] > 10 * noise ? oct_angio_bin (oct_cpu_bits (part))
                                          : OCT_CPU_ANGIO_NO_BIN);
  }
}

#define ANGIO_SHOW(kind)                                                       \
  for (guint i = 0; i < count; i++)                                            \
  shown[i] = oct_angio_show (kind, R[i], I[i], O[i], noise, still)

OCT_VECTORISED void
oct_cpu_angio_show_line (OctAngioShow show, const float *restrict R,
    const float *restrict I, const float *restrict O, float noise, float still,
    guint count, float *restrict shown)
{
  switch (show) {
  case OCT_ANGIO_SHOW_FLOW:
    ANGIO_SHOW (OCT_ANGIO_SHOW_FLOW);
    break;
  case OCT_ANGIO_SHOW_INDEX:
    ANGIO_SHOW (OCT_ANGIO_SHOW_INDEX);
    break;
  case OCT_ANGIO_SHOW_NOISE_IMMUNE:
    ANGIO_SHOW (OCT_ANGIO_SHOW_NOISE_IMMUNE);
    break;
  case OCT_ANGIO_SHOW_MASK:
    ANGIO_SHOW (OCT_ANGIO_SHOW_MASK);
    break;
  case OCT_ANGIO_SHOW_PHASES:
    ANGIO_SHOW (OCT_ANGIO_SHOW_PHASES);
    break;
  case OCT_ANGIO_SHOW_PRODUCTS:
    ANGIO_SHOW (OCT_ANGIO_SHOW_PRODUCTS);
    break;
  default:
    ANGIO_SHOW (OCT_ANGIO_SHOW_RATIO);
  }
}
