/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Repeated B-scans moved onto the first of a place: docs/elements/octalign.md.
 */
#include "reference-plan.h"

#include <math.h>
#include <string.h>

#define CLEAR 4
#define LATERAL 4
#define BANDS 8
#define PHASES 36

static double
align_power (Complex a)
{
  return creal (a) * creal (a) + cimag (a) * cimag (a);
}

static Complex
align_finite (Complex a)
{
  return CMPLX (isfinite (creal (a)) ? creal (a) : 0,
      isfinite (cimag (a)) ? cimag (a) : 0);
}

static Complex
align_product (const Complex *a, const Complex *b, gint depth, gint u)
{
  Complex sum = 0;

  for (gint q = MAX (0, -u); q < MIN (depth, depth - u); q++)
    sum += b[q + u] * conj (a[q]);
  return sum;
}

/* Where S[0 .. 2 most] is largest, from the middle; FALSE: it is not clear. */
static gboolean
align_peak (const double *S, gint most, double clear, double *peak)
{
  double smallest = INFINITY, l, c, r;
  gint best = 0;

  for (gint i = 0; i <= 2 * most; i++) {
    smallest = MIN (smallest, S[i]);
    if (S[i] > S[best])
      best = i;
  }
  if (best == 0 || best == 2 * most || !(S[best] > clear * smallest))
    return FALSE;
  c = log (S[best]);
  l = S[best - 1] > 0 ? log (S[best - 1]) : c + 1e-30;
  r = S[best + 1] > 0 ? log (S[best + 1]) : c + 1e-30;
  *peak = best - most;
  if (l - 2 * c + r < 0)
    *peak += 0.5 * (l - r) / (l - 2 * c + r);
  return TRUE;
}

/* -------------------------------------------------------------------- axial
 */

static gboolean
align_find_group (const OctAlignParams *p, const Complex *a, const Complex *b,
    guint first, guint end, double *shift)
{
  gint most = (gint)p->max_shift;
  double S[2 * OCT_ALIGN_FARTHEST + 1];

  for (gint u = -most; u <= most; u++) {
    S[u + most] = 0;
    for (gsize line = first; line < end; line++)
      S[u + most] += align_power (align_product (a + line * p->depth_bins,
          b + line * p->depth_bins, (gint)p->depth_bins, u));
  }
  return align_peak (S, most, CLEAR, shift);
}

static double
align_sinc (double x)
{
  return fabs (x) < 1e-9 ? 1 : sin (G_PI * x) / (G_PI * x);
}

static void
align_shift_line (const Complex *b, gint depth, double shift, Complex *out)
{
  gint i = (gint)floor (shift);
  double t = shift - i;

  for (gint q = 0; q < depth; q++) {
    Complex sum = 0;
    double weights = 0;

    for (gint k = -3; k <= 4; k++) {
      double L =
          fabs (t - k) < 4 ? align_sinc (t - k) * align_sinc ((t - k) / 4) : 0;

      weights += L;
      if (q + i + k >= 0 && q + i + k < depth)
        sum += (abs (i + k) % 2 ? -L : L) * b[q + i + k];
    }
    out[q] = sum / weights;
  }
}

/* Linear between the middles of groups. */
static double
align_between (const double *middles, const double *shifts, guint n, double x)
{
  if (x <= middles[0])
    return shifts[0];
  for (guint i = 1; i < n; i++)
    if (x <= middles[i])
      return shifts[i - 1]
             + (shifts[i] - shifts[i - 1]) * (x - middles[i - 1])
                   / (middles[i] - middles[i - 1]);
  return shifts[n - 1];
}

static void
align_axially (
    const OctAlignParams *p, guint lines, const Complex *a, Complex *b)
{
  guint groups = MAX (1, (lines + p->group / 2) / p->group);
  g_autofree double *middles = g_new (double, groups);
  g_autofree double *shifts = g_new (double, groups);
  gsize values = (gsize)lines * p->depth_bins;
  g_autofree Complex *out = g_new (Complex, values);
  double all = 0;

  if (!align_find_group (p, a, b, 0, lines, &all))
    all = 0;
  for (guint i = 0; i < groups; i++) {
    guint first = (guint)((guint64)lines * i / groups);
    guint end = (guint)((guint64)lines * (i + 1) / groups);

    middles[i] = (first + end - 1) / 2.;
    if (!align_find_group (p, a, b, first, end, &shifts[i]))
      shifts[i] = all;
  }
  for (gsize line = 0; line < lines; line++)
    align_shift_line (b + line * p->depth_bins, (gint)p->depth_bins,
        align_between (middles, shifts, groups, (double)line),
        out + line * p->depth_bins);
  memcpy (b, out, values * sizeof *b);
}

/* ------------------------------------------------------------------ lateral
 */

static double
align_sum_power (const Complex *a, guint depth)
{
  double sum = 0;

  for (guint q = 0; q < depth; q++)
    sum += align_power (a[q]);
  return sum;
}

static void
align_laterally (
    const OctAlignParams *p, gint lines, const Complex *a, Complex *b)
{
  gint depth = (gint)p->depth_bins;
  gsize values = (gsize)lines * p->depth_bins;
  g_autofree Complex *turned = g_new (Complex, values);
  double S[2 * LATERAL + 1], shift, t;
  gint i;

  for (gint j = -LATERAL; j <= LATERAL; j++) {
    double coherent = 0, power = 0;

    for (gint x = MAX (0, -j); x < MIN (lines, lines - j); x++) {
      const Complex *of_a = a + x * depth, *of_b = b + (x + j) * depth;

      coherent += align_power (align_product (of_a, of_b, depth, 0));
      power += align_sum_power (of_a, p->depth_bins)
               * align_sum_power (of_b, p->depth_bins);
    }
    S[j + LATERAL] = power > 0 ? coherent / power : 0;
  }
  if (!align_peak (S, LATERAL, 1, &shift) || !(fabs (shift) > 0.05))
    return;
  i = (gint)floor (shift);
  t = shift - i;
  for (gint x = 0; x < lines; x++) {
    double phase =
        carg (align_product (a + x * depth, b + x * depth, depth, 0));

    for (gint q = 0; q < depth; q++)
      turned[x * depth + q] = b[x * depth + q] * cexp (-_Complex_I * phase);
  }
  for (gint x = 0; x < lines; x++)
    for (gint q = 0; q < depth; q++) {
      Complex g[4];

      for (gint k = 0; k < 4; k++)
        g[k] = turned[CLAMP (x + i + k - 1, 0, lines - 1) * depth + q];
      b[x * depth + q] =
          g[1] + 0.5 * t * (g[2] - g[0])
          + t * t * (g[0] - 2.5 * g[1] + 2 * g[2] - 0.5 * g[3])
          + t * t * t * (0.5 * (g[3] - g[0]) + 1.5 * (g[1] - g[2]));
    }
}

/* -------------------------------------------------------------------- phase
 */

static double
align_find_histogram (const Complex *a, const Complex *b, guint depth)
{
  double h[PHASES] = { 0 }, smooth[PHASES], l, m, r, d = 0;
  guint best = 0;

  for (guint q = 0; q < depth; q++) {
    Complex c = b[q] * conj (a[q]);

    h[(guint)floor ((carg (c) + G_PI) / (2 * G_PI) * PHASES) % PHASES] +=
        cabs (c);
  }
  for (guint i = 0; i < PHASES; i++) {
    smooth[i] = 2 * h[i] + h[(i + 1) % PHASES] + h[(i + PHASES - 1) % PHASES];
    if (smooth[i] > smooth[best])
      best = i;
  }
  l = smooth[(best + PHASES - 1) % PHASES];
  m = smooth[best];
  r = smooth[(best + 1) % PHASES];
  if (l - 2 * m + r < 0)
    d = 0.5 * (l - r) / (l - 2 * m + r);
  return (best + 0.5 + d) * 2 * G_PI / PHASES - G_PI;
}

/* w b conj a */
static Complex
align_weighted (Complex a, Complex b, double phase, double noise)
{
  double s = 2 * noise + 0.02 * (align_power (a) + align_power (b));

  if (s == 0)
    return 0;
  return b * conj (a)
         / (1 + align_power (b * cexp (-_Complex_I * phase) - a) / s);
}

static double
align_find_mode (const Complex *a, const Complex *b, guint depth, double noise)
{
  double phase = align_find_histogram (a, b, depth);

  for (guint i = 0; i < 3; i++) {
    Complex sum = 0;

    for (guint q = 0; q < depth; q++)
      sum += align_weighted (a[q], b[q], phase, noise);
    phase = carg (sum);
  }
  return phase;
}

/* The slope between both parts of P e^-i slope q. */
static double
align_refine_slope (const Complex *P, guint depth, double slope)
{
  double size = 0, middle = 0, sizes[2] = { 0 }, depths[2] = { 0 };
  Complex sums[2] = { 0 };

  for (guint q = 0; q < depth; q++) {
    size += cabs (P[q]);
    middle += q * cabs (P[q]);
  }
  middle /= MAX (size, 1e-300);
  for (guint q = 0; q < depth; q++) {
    guint k = q >= middle;

    sums[k] += P[q] * cexp (-_Complex_I * slope * q);
    sizes[k] += cabs (P[q]);
    depths[k] += q * cabs (P[q]);
  }
  return carg (sums[1] * conj (sums[0]))
         / MAX (1, depths[1] / MAX (sizes[1], 1e-300)
                       - depths[0] / MAX (sizes[0], 1e-300));
}

static void
align_find_line (const Complex *a, const Complex *b, guint depth, double noise,
    double *phase, double *slope)
{
  g_autofree Complex *P = g_new (Complex, depth);

  for (guint i = 0; i < 3; i++) {
    Complex sum = 0;

    for (guint q = 0; q < depth; q++)
      P[q] = i == 0 ? b[q] * conj (a[q])
                    : align_weighted (a[q], b[q], *phase + *slope * q, noise);
    for (guint q = 0; q + 1 < depth; q++)
      sum += P[q + 1] * conj (P[q]);
    *slope = carg (sum);
    for (guint k = 0; k < 2; k++)
      *slope += align_refine_slope (P, depth, *slope);
    sum = 0;
    for (guint q = 0; q < depth; q++)
      sum += P[q] * cexp (-_Complex_I * *slope * q);
    *phase = carg (sum);
  }
}

static void
align_turn_line (
    const OctAlignParams *p, const Complex *a, Complex *b, double noise)
{
  double phase = 0, slope = 0;

  switch (p->phase) {
  case OCT_PHASE_MEAN:
    phase = carg (align_product (a, b, (gint)p->depth_bins, 0));
    break;
  case OCT_PHASE_HISTOGRAM:
    phase = align_find_histogram (a, b, p->depth_bins);
    break;
  case OCT_PHASE_MODE:
    phase = align_find_mode (a, b, p->depth_bins, noise);
    break;
  case OCT_PHASE_LINE:
    align_find_line (a, b, p->depth_bins, noise, &phase, &slope);
    break;
  default:
    break;
  }
  for (guint q = 0; q < p->depth_bins; q++)
    b[q] *= cexp (-_Complex_I * (phase + slope * q));
}

/* ---------------------------------------------------------------------- all
 */

static double
align_find_noise (const OctAlignParams *p, guint lines, const Complex *b)
{
  double lowest = INFINITY;

  for (guint band = 0; band < BANDS; band++) {
    guint first = (guint)((guint64)p->depth_bins * band / BANDS);
    guint end = (guint)((guint64)p->depth_bins * (band + 1) / BANDS);
    double sum = 0;

    for (gsize line = 0; line < lines; line++)
      sum += align_sum_power (b + line * p->depth_bins + first, end - first);
    if (end > first)
      lowest = MIN (lowest, sum / (lines * (end - first)));
  }
  return lowest;
}

/* The power of values that say whether a repeat is good. */
static double
align_find_least (
    const OctAlignParams *p, guint lines, const Complex *b, double noise)
{
  double mean = 0;

  for (gsize line = 0; line < lines; line++)
    mean += align_sum_power (b + line * p->depth_bins, p->depth_bins) / lines
            / p->depth_bins;
  return MIN (10 * noise, mean);
}

static gboolean
align_is_good (const OctAlignParams *p, gsize values, const Complex *a,
    const Complex *b, double least)
{
  double of_a = 0, of_b = 0;
  double sum = 0;
  Complex line = 0;

  if (p->repeats < 3)
    return TRUE;
  for (gsize i = 0; i < values; i++) {
    if ((align_power (a[i]) + align_power (b[i])) / 2 > least) {
      line += b[i] * conj (a[i]);
      of_a += align_power (a[i]);
      of_b += align_power (b[i]);
    }
    /* each A-line may have any phase */
    if ((i + 1) % p->depth_bins == 0) {
      sum += cabs (line);
      line = 0;
    }
  }
  return of_a + of_b == 0 || sum >= (1 - p->reject) * sqrt (of_a * of_b);
}

/* The mean of the repeats that were not rejected. */
static Complex *
align_mean (const OctReference *plan, gsize values)
{
  Complex *mean = g_new0 (Complex, values);

  for (GList *link = plan->past.head; link != NULL; link = link->next)
    for (gsize i = 0; i < values; i++)
      mean[i] += ((const Complex *)link->data)[i]
                 / g_queue_get_length ((GQueue *)&plan->past);
  return mean;
}

static void
align_next (OctReference *plan, guint lines, Complex *b)
{
  const OctAlignParams *p = plan->params;
  gsize values = (gsize)lines * p->depth_bins;
  g_autofree Complex *a = align_mean (plan, values);
  double noise = align_find_noise (p, lines, b);
  double least = align_find_least (p, lines, b, noise);

  if (p->registration != OCT_ALIGN_NONE)
    align_axially (p, lines, a, b);
  if (p->registration == OCT_ALIGN_TRANSLATION)
    align_laterally (p, (gint)lines, a, b);
  for (gsize line = 0; line < lines; line++)
    align_turn_line (
        p, a + line * p->depth_bins, b + line * p->depth_bins, noise);
  if (align_is_good (p, values, a, b, least))
    g_queue_push_tail (&plan->past, g_memdup2 (b, values * sizeof *b));
  else
    memset (b, 0, values * sizeof *b);
}

void
reference_align (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctAlignParams *p = plan->params;
  guint lines = p->lines / OCT_BSCANS (p);
  gsize values = (gsize)lines * p->depth_bins;

  for (guint bscan = 0; bscan < OCT_BSCANS (p); bscan++) {
    Complex *b = out + bscan * values;

    for (gsize i = 0; i < values; i++)
      b[i] = align_finite (in[bscan * values + i]);
    if (g_queue_is_empty (&plan->past) || plan->repeats == p->repeats) {
      reference_forget (plan);
      plan->repeats = 0;
      g_queue_push_tail (&plan->past, g_memdup2 (b, values * sizeof *b));
    } else {
      align_next (plan, lines, b);
    }
    plan->repeats++;
    plan->found = plan->repeats - g_queue_get_length (&plan->past);
  }
}
