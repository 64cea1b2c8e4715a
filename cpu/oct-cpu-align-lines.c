/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-align-lines.h"

#include "oct-cpu-grey.h"
#include "oct-simd.h"

#include <string.h>

OCT_INLINE float
align_finite (float value)
{
  return (oct_cpu_bits (value) & 0x7fffffff) < 0x7f800000 ? value : 0;
}

OCT_VECTORISED static void
align_split (const float *restrict a_scan, guint depth, float *restrict re,
    float *restrict im)
{
  for (guint q = 0; q < depth; q++) {
    re[q] = align_finite (a_scan[2 * q]);
    im[q] = align_finite (a_scan[2 * q + 1]);
  }
}

void
oct_cpu_align_load (const float *a_scan, guint depth, OctCpuParts to)
{
  align_split (a_scan, depth, to.re, to.im);
}

OCT_VECTORISED static void
align_join (const float *restrict re, const float *restrict im, guint depth,
    float *restrict a_scan)
{
  for (guint q = 0; q < depth; q++) {
    a_scan[2 * q] = re[q];
    a_scan[2 * q + 1] = im[q];
  }
}

void
oct_cpu_align_store (OctCpuParts from, guint depth, float *a_scan)
{
  align_join (from.re, from.im, depth, a_scan);
}

OCT_VECTORISED static float
align_sum_power (const float *re, const float *im, guint depth)
{
  float sum = 0;

#pragma omp simd reduction(+ : sum)
  for (guint q = 0; q < depth; q++)
    sum += re[q] * re[q] + im[q] * im[q];
  return sum;
}

double
oct_cpu_align_power (OctCpuParts a, guint depth)
{
  return (double)align_sum_power (a.re, a.im, depth);
}

/* Four lags together, so that a[q] is read once for them. */
OCT_VECTORISED static void
align_four_lags (const float *ar, const float *ai, const float *br,
    const float *bi, guint depth, float *sums)
{
  float r0 = 0, r1 = 0, r2 = 0, r3 = 0, i0 = 0, i1 = 0, i2 = 0, i3 = 0;

#pragma omp simd reduction(+ : r0, r1, r2, r3, i0, i1, i2, i3)
  for (guint q = 0; q < depth; q++) {
    float x = ar[q], y = ai[q];

    r0 += br[q] * x + bi[q] * y;
    i0 += bi[q] * x - br[q] * y;
    r1 += br[q + 1] * x + bi[q + 1] * y;
    i1 += bi[q + 1] * x - br[q + 1] * y;
    r2 += br[q + 2] * x + bi[q + 2] * y;
    i2 += bi[q + 2] * x - br[q + 2] * y;
    r3 += br[q + 3] * x + bi[q + 3] * y;
    i3 += bi[q + 3] * x - br[q + 3] * y;
  }
  sums[0] = r0 * r0 + i0 * i0;
  sums[1] = r1 * r1 + i1 * i1;
  sums[2] = r2 * r2 + i2 * i2;
  sums[3] = r3 * r3 + i3 * i3;
}

void
oct_cpu_align_lags (
    OctCpuParts a, OctCpuParts b, guint depth, guint most, float *sums)
{
  float four[4];

  for (guint u = 0; u <= 2 * most; u += 4) {
    align_four_lags (a.re, a.im, b.re + u - most, b.im + u - most, depth, four);
    memcpy (sums + u, four, MIN (4, 2 * most + 1 - u) * sizeof (float));
  }
}

OCT_VECTORISED static void
align_multiply (const float *ar, const float *ai, const float *br,
    const float *bi, guint depth, float sum[2])
{
  float re = 0, im = 0;

#pragma omp simd reduction(+ : re, im)
  for (guint q = 0; q < depth; q++) {
    re += br[q] * ar[q] + bi[q] * ai[q];
    im += bi[q] * ar[q] - br[q] * ai[q];
  }
  sum[0] = re;
  sum[1] = im;
}

void
oct_cpu_align_product (OctCpuParts a, OctCpuParts b, guint depth, double sum[2])
{
  float parts[2];

  align_multiply (a.re, a.im, b.re, b.im, depth, parts);
  sum[0] = (double)parts[0];
  sum[1] = (double)parts[1];
}

OCT_VECTORISED static void
align_filter (const float *restrict from, const float *taps, guint depth,
    float *restrict to)
{
  for (guint q = 0; q < depth; q++) {
    float sum = 0;

    for (guint k = 0; k < OCT_ALIGN_TAPS; k++)
      sum += taps[k] * from[q + k];
    to[q] = sum;
  }
}

void
oct_cpu_align_shift (OctCpuParts from, float shift, guint depth, OctCpuParts to)
{
  float taps[OCT_ALIGN_TAPS];
  gint whole;

  oct_align_taps (shift, &whole, taps);
  whole -= OCT_ALIGN_TAPS_BEFORE;
  align_filter (from.re + whole, taps, depth, to.re);
  align_filter (from.im + whole, taps, depth, to.im);
}

OCT_VECTORISED static void
align_add_turned (const float *restrict br, const float *restrict bi, float re,
    float im, guint depth, float *restrict tr, float *restrict ti)
{
  for (guint q = 0; q < depth; q++) {
    tr[q] += br[q] * re - bi[q] * im;
    ti[q] += br[q] * im + bi[q] * re;
  }
}

void
oct_cpu_align_add_turned (OctCpuParts b, float weight, float turn_re,
    float turn_im, guint depth, OctCpuParts to)
{
  align_add_turned (
      b.re, b.im, weight * turn_re, weight * turn_im, depth, to.re, to.im);
}

/* -------------------------------------------------------------------- phase
 */

OCT_VECTORISED static void
align_products (const float *restrict ar, const float *restrict ai,
    const float *restrict br, const float *restrict bi, guint depth,
    float *restrict cr, float *restrict ci, float *restrict p)
{
  for (guint q = 0; q < depth; q++) {
    cr[q] = br[q] * ar[q] + bi[q] * ai[q];
    ci[q] = bi[q] * ar[q] - br[q] * ai[q];
    p[q] = br[q] * br[q] + bi[q] * bi[q] + ar[q] * ar[q] + ai[q] * ai[q];
  }
}

/* The angle within 1e-6 rad, by an odd polynomial up to pi / 4; in bins. */
OCT_INLINE gint32
align_phase_bin (float re, float im)
{
  float x = re < 0 ? -re : re, y = im < 0 ? -im : im;
  float large = x > y ? x : y, small = x > y ? y : x;
  float t = large > 0 ? small / large : 0, s = t * t, angle;
  gint32 bin;

  angle = 0.0028662257f;
  angle = angle * s - 0.0161657367f;
  angle = angle * s + 0.0429096138f;
  angle = angle * s - 0.0752896400f;
  angle = angle * s + 0.1065626393f;
  angle = angle * s - 0.1420889944f;
  angle = angle * s + 0.1999355085f;
  angle = angle * s - 0.3333314528f;
  angle = t + t * s * angle;
  angle = y > x ? OCT_ALIGN_PI / 2 - angle : angle;
  angle = re < 0 ? OCT_ALIGN_PI - angle : angle;
  angle = im < 0 ? -angle : angle;
  bin = (gint32)((angle + OCT_ALIGN_PI)
                 * (OCT_ALIGN_PHASES / (2 * OCT_ALIGN_PI)));
  return bin < OCT_ALIGN_PHASES ? bin : 0;
}

OCT_VECTORISED static void
align_find_bins (const float *restrict cr, const float *restrict ci,
    guint depth, gint32 *restrict bins, float *restrict size)
{
  for (guint q = 0; q < depth; q++) {
    bins[q] = align_phase_bin (cr[q], ci[q]);
    size[q] = sqrtf (cr[q] * cr[q] + ci[q] * ci[q]);
  }
}

static float
align_find_fullest (const OctCpuAlignScratch *s, guint depth)
{
  float counts[2][OCT_ALIGN_PHASES] = { { 0 } };
  float *size = s->weighted.re;

  align_find_bins (s->c.re, s->c.im, depth, s->bins, size);
  for (guint q = 0; q < depth; q++)
    counts[q % 2][s->bins[q]] += size[q];
  for (guint i = 0; i < OCT_ALIGN_PHASES; i++)
    counts[0][i] += counts[1][i];
  return oct_align_fullest (counts[0]);
}

OCT_VECTORISED static void
align_sum (const float *cr, const float *ci, guint depth, float sum[2])
{
  float re = 0, im = 0;

#pragma omp simd reduction(+ : re, im)
  for (guint q = 0; q < depth; q++) {
    re += cr[q];
    im += ci[q];
  }
  sum[0] = re;
  sum[1] = im;
}

/* sum w c */
OCT_VECTORISED static void
align_sum_weighted (const float *cr, const float *ci, const float *p,
    guint depth, float turn_re, float turn_im, float noise, float sum[2])
{
  float re = 0, im = 0;

#pragma omp simd reduction(+ : re, im)
  for (guint q = 0; q < depth; q++) {
    float w = oct_align_weight (cr[q], ci[q], p[q], turn_re, turn_im, noise);

    re += w * cr[q];
    im += w * ci[q];
  }
  sum[0] = re;
  sum[1] = im;
}

static float
align_find_mode (const OctCpuAlignScratch *s, guint depth, float noise)
{
  float phase = align_find_fullest (s, depth), sum[2];

  for (guint i = 0; i < OCT_ALIGN_PASSES; i++) {
    align_sum_weighted (
        s->c.re, s->c.im, s->p, depth, cosf (phase), sinf (phase), noise, sum);
    phase = atan2f (sum[1], sum[0]);
  }
  return phase;
}

/* ---------------------------------------------------------- phase and slope
 */

/* turns[q] = e^i (phase + slope q) */
static void
align_fill_turns (float phase, float slope, guint depth, OctCpuParts turns)
{
  for (guint q = 0; q < depth; q++) {
    float angle = phase + slope * (float)q;

    turns.re[q] = cosf (angle);
    turns.im[q] = sinf (angle);
  }
}

/* P = w c */
OCT_VECTORISED static void
align_weigh (const float *restrict cr, const float *restrict ci,
    const float *restrict p, const float *restrict tr, const float *restrict ti,
    float noise, guint depth, float *restrict wr, float *restrict wi)
{
  for (guint q = 0; q < depth; q++) {
    float w = oct_align_weight (cr[q], ci[q], p[q], tr[q], ti[q], noise);

    wr[q] = w * cr[q];
    wi[q] = w * ci[q];
  }
}

/* The slope between the parts above and below the mean depth of |P|, of P
 * turned back by `turns`. */
static float
align_refine_slope (const OctCpuAlignScratch *s, guint depth)
{
  double size = 0, middle = 0, sizes[2] = { 0 }, depths[2] = { 0 };
  double re[2] = { 0 }, im[2] = { 0 }, apart;

  for (guint q = 0; q < depth; q++) {
    double w = (double)hypotf (s->weighted.re[q], s->weighted.im[q]);

    size += w;
    middle += w * q;
  }
  middle /= MAX (size, 1e-300);
  for (guint q = 0; q < depth; q++) {
    guint k = q >= middle;
    double x = (double)s->weighted.re[q], y = (double)s->weighted.im[q];
    double tr = (double)s->turns.re[q], ti = (double)s->turns.im[q];
    double w = sqrt (x * x + y * y);

    re[k] += x * tr + y * ti;
    im[k] += y * tr - x * ti;
    sizes[k] += w;
    depths[k] += w * q;
  }
  apart =
      depths[1] / MAX (sizes[1], 1e-300) - depths[0] / MAX (sizes[0], 1e-300);
  return (float)(atan2 (im[1] * re[0] - re[1] * im[0],
                     re[1] * re[0] + im[1] * im[0])
                 / MAX (apart, 1));
}

static float
align_first_slope (const OctCpuAlignScratch *s, guint depth)
{
  OctCpuParts below = { s->weighted.re + 1, s->weighted.im + 1 };
  double sum[2];

  oct_cpu_align_product (s->weighted, below, depth - 1, sum);
  return (float)atan2 (sum[1], sum[0]);
}

/* Leaves the turns of the line that was found. */
static void
align_find_slope (const OctCpuAlignScratch *s, guint depth, float noise)
{
  float slope = 0, sum[2];

  for (guint i = 0; i < OCT_ALIGN_PASSES; i++) {
    if (i == 0) {
      memcpy (s->weighted.re, s->c.re, depth * sizeof (float));
      memcpy (s->weighted.im, s->c.im, depth * sizeof (float));
    } else {
      align_weigh (s->c.re, s->c.im, s->p, s->turns.re, s->turns.im, noise,
          depth, s->weighted.re, s->weighted.im);
    }
    slope = align_first_slope (s, depth);
    for (guint k = 0; k < 2; k++) {
      align_fill_turns (0, slope, depth, s->turns);
      slope += align_refine_slope (s, depth);
    }
    align_fill_turns (0, slope, depth, s->turns);
    align_multiply (
        s->turns.re, s->turns.im, s->weighted.re, s->weighted.im, depth, sum);
    align_fill_turns (atan2f (sum[1], sum[0]), slope, depth, s->turns);
  }
}

OCT_VECTORISED static void
align_turn_back (float *restrict re, float *restrict im,
    const float *restrict tr, const float *restrict ti, guint depth)
{
  for (guint q = 0; q < depth; q++) {
    float x = re[q], y = im[q];

    re[q] = x * tr[q] + y * ti[q];
    im[q] = y * tr[q] - x * ti[q];
  }
}

OCT_VECTORISED static void
align_turn_all_back (
    float *restrict re, float *restrict im, float tr, float ti, guint depth)
{
  for (guint q = 0; q < depth; q++) {
    float x = re[q], y = im[q];

    re[q] = x * tr + y * ti;
    im[q] = y * tr - x * ti;
  }
}

void
oct_cpu_align_phase (OctAlignPhase phase, OctCpuParts a, OctCpuParts b,
    guint depth, float noise, const OctCpuAlignScratch *s)
{
  float found = 0, sum[2];

  if (phase == OCT_PHASE_NONE)
    return;
  align_products (a.re, a.im, b.re, b.im, depth, s->c.re, s->c.im, s->p);
  switch (phase) {
  case OCT_PHASE_LINE:
    align_find_slope (s, depth, noise);
    align_turn_back (b.re, b.im, s->turns.re, s->turns.im, depth);
    return;
  case OCT_PHASE_HISTOGRAM:
    found = align_find_fullest (s, depth);
    break;
  case OCT_PHASE_MODE:
    found = align_find_mode (s, depth, noise);
    break;
  default:
    align_sum (s->c.re, s->c.im, depth, sum);
    found = atan2f (sum[1], sum[0]);
  }
  align_turn_all_back (b.re, b.im, cosf (found), sinf (found), depth);
}

OCT_VECTORISED static void
align_sum_coherence (const float *ar, const float *ai, const float *br,
    const float *bi, guint depth, float least, float sums[4])
{
  float re = 0, im = 0, a = 0, b = 0;

#pragma omp simd reduction(+ : re, im, a, b)
  for (guint q = 0; q < depth; q++) {
    float pa = ar[q] * ar[q] + ai[q] * ai[q];
    float pb = br[q] * br[q] + bi[q] * bi[q];
    float counts = pa + pb > 2 * least ? 1 : 0;

    re += counts * (br[q] * ar[q] + bi[q] * ai[q]);
    im += counts * (bi[q] * ar[q] - br[q] * ai[q]);
    a += counts * pa;
    b += counts * pb;
  }
  sums[0] = re;
  sums[1] = im;
  sums[2] = a;
  sums[3] = b;
}

void
oct_cpu_align_coherence (
    OctCpuParts a, OctCpuParts b, guint depth, float least, double sums[4])
{
  float line[4];

  align_sum_coherence (a.re, a.im, b.re, b.im, depth, least, line);
  for (guint i = 0; i < 4; i++)
    sums[i] = (double)line[i];
}
