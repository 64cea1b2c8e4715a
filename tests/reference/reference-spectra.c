/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra to spectra: background, resampling, dispersion.
 */
#include "reference-plan.h"
#include "oct-fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------- docs/elements/octdcsub.md */

/* The mean over the lines of this B-scan (Shafer 2.1); values that are not
 * finite do not count, and a sample without any other has no mean. */
static double
mean_of_sample (const OctBackgroundParams *p, const Complex *in, guint i)
{
  double sum = 0;
  guint count = 0;

  for (guint line = 0; line < p->lines; line++) {
    double value = creal (in[(gsize)line * p->samples + i]);
    if (isfinite (value)) {
      sum += value;
      count++;
    }
  }
  return count > 0 ? sum / count : NAN;
}

/* r += weight (mean - r), r the mean at the first */
static void
add_running (OctReference *plan, double *mean)
{
  const OctBackgroundParams *p = plan->params;
  gboolean first = plan->running == NULL;

  if (first)
    plan->running = g_new (double, p->samples);
  for (guint i = 0; i < p->samples; i++) {
    double *r = &plan->running[i];
    if (first || !isfinite (*r))
      *r = mean[i];
    else if (isfinite (mean[i]))
      *r += p->running_weight * (mean[i] - *r);
    mean[i] = *r;
  }
}

/* A-lines that count, scaled to the brightness of the mean: [lines][samples],
 * of which `count` are filled. */
static double *
scale_lines (const OctBackgroundParams *p, const Complex *in, const double *b,
    guint *count)
{
  double *scaled = g_new (double, (gsize)p->lines * p->samples);

  *count = 0;
  for (guint line = 0; line < p->lines; line++) {
    const Complex *a = in + (gsize)line * p->samples;
    double dot = 0, square = 0;
    for (guint i = 0; i < p->samples; i++) {
      dot += creal (a[i]) * b[i];
      square += b[i] * b[i];
    }
    if (!isfinite (dot / square) || dot / square < OCT_PATTERN_DARK)
      continue;
    for (guint i = 0; i < p->samples; i++)
      scaled[(gsize)*count * p->samples + i] = creal (a[i]) * square / dot;
    (*count)++;
  }
  return scaled;
}

/* Mean and variance of one frequency over consecutive lines. */
static Complex
find_frequency (const double *lines, guint count, guint samples, guint q,
    const Complex *turns, double *variance)
{
  g_autofree Complex *f = g_new0 (Complex, count);
  Complex mean = 0;

  for (guint line = 0; line < count; line++) {
    for (guint i = 0; i < samples; i++)
      f[line] +=
          lines[(gsize)line * samples + i] * turns[(guint64)i * q % samples];
    mean += f[line] / count;
  }
  *variance = 0;
  for (guint line = 0; line < count; line++)
    *variance += pow (cabs (f[line] - mean), 2) / count;
  return mean;
}

/* The fixed pattern (Moon, Lee and Chen 2010), from the mean in its place. */
static void
find_pattern (const OctBackgroundParams *p, const Complex *in, double *b)
{
  guint n = p->samples, count, runs, run;
  g_autofree double *lines = scale_lines (p, in, b, &count);
  g_autofree Complex *turns = reference_turns (n);
  g_autofree Complex *pattern = g_new (Complex, n);
  double rounding = 0;

  if (count == 0)
    return;
  runs = CLAMP (count / OCT_PATTERN_LEAST, 1, OCT_PATTERN_RUNS);
  run = count / runs;
  for (guint i = 0; i < n; i++)
    rounding += pow (OCT_PATTERN_ROUNDING * b[i], 2);
  for (guint q = 0; q <= n / 2; q++) {
    double least = INFINITY, variance;
    for (guint k = 0; k < runs; k++) {
      Complex mean = find_frequency (
          lines + (gsize)k * run * n, run, n, q, turns, &variance);
      if (MAX (variance, rounding) >= least)
        continue;
      least = MAX (variance, rounding);
      pattern[q] = mean;
    }
    if (q > 0)
      pattern[n - q] = conj (pattern[q]);
  }
  for (guint i = 0; i < n; i++) {
    b[i] = 0;
    for (guint q = 0; q < n; q++)
      b[i] += creal (pattern[q] * conj (turns[(guint64)i * q % n])) / n;
  }
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  return (*(const double *)a > *(const double *)b)
         - (*(const double *)a < *(const double *)b);
}

/* The median over the lines of this B-scan, of finite values. */
static double
median_of_sample (const OctBackgroundParams *p, const Complex *in, guint i)
{
  g_autofree double *values = g_new (double, p->lines);
  guint n = 0;

  for (guint line = 0; line < p->lines; line++) {
    double value = creal (in[(gsize)line * p->samples + i]);
    if (isfinite (value))
      values[n++] = value;
  }
  if (n == 0)
    return NAN;
  qsort (values, n, sizeof *values, compare_doubles);
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* out[i] = a[i] - b[i] - sum_m c[m] p[m][i] over finite samples, where p are
 * b x^m less what the ones before have of them (Gram and Schmidt), and each c
 * the least squares; of a p of next to nothing there is none. */
static void
remove_fitted (
    const Complex *a, const double *b, guint samples, guint terms, Complex *out)
{
  g_autofree double *rest = g_new (double, samples);
  g_autofree double *all = g_new0 (double, (gsize)OCT_FIT_TERMS *samples);
  double *p[OCT_FIT_TERMS];
  double norm[OCT_FIT_TERMS] = { 0 };

  for (guint i = 0; i < samples; i++)
    rest[i] = creal (a[i]) - b[i];
  for (guint m = 0; m < terms; m++) {
    double dot = 0;
    p[m] = all + (gsize)m * samples;
    for (guint i = 0; i < samples; i++)
      if (isfinite (rest[i]))
        p[m][i] = b[i] * pow (samples > 1 ? 2. * i / (samples - 1) - 1 : 0, m);
    for (guint k = 0; k < m; k++) {
      double part = 0;
      for (guint i = 0; i < samples; i++)
        part += p[m][i] * p[k][i];
      for (guint i = 0; i < samples && norm[k] > 0; i++)
        p[m][i] -= part / norm[k] * p[k][i];
    }
    for (guint i = 0; i < samples; i++) {
      norm[m] += p[m][i] * p[m][i];
      dot += isfinite (rest[i]) ? rest[i] * p[m][i] : 0;
    }
    if (!(norm[m] > OCT_FIT_LEAST * norm[0])) {
      norm[m] = 0;
      memset (p[m], 0, samples * sizeof (double));
      continue;
    }
    for (guint i = 0; i < samples; i++)
      rest[i] -= dot / norm[m] * p[m][i];
  }
  for (guint i = 0; i < samples; i++)
    out[i] = rest[i];
}

/* Less the mean of the finite values of the A-lines around it, the outer ones
 * as often as A-lines are missing. */
static void
remove_neighbours (
    const OctBackgroundParams *p, const Complex *in, Complex *out)
{
  gint half = (gint)p->high_pass_lines / 2, last = (gint)p->lines - 1;

  for (gint line = 0; line <= last; line++)
    for (guint i = 0; i < p->samples; i++) {
      double sum = 0;
      guint count = 0;
      for (gint k = line - half; k <= line + half; k++) {
        double value = creal (in[(gsize)CLAMP (k, 0, last) * p->samples + i]);
        if (isfinite (value)) {
          sum += value;
          count++;
        }
      }
      out[(gsize)line * p->samples + i] =
          creal (in[(gsize)line * p->samples + i])
          - (count > 0 ? sum / count : NAN);
    }
}

/* The background to be removed, if it has to be found. */
static void
find_background (OctReference *plan, const Complex *in, double *found)
{
  const OctBackgroundParams *p = plan->params;

  for (guint i = 0; i < p->samples; i++)
    found[i] = p->mode == OCT_BACKGROUND_STORED_SCALED ? p->background[i]
               : p->mode == OCT_BACKGROUND_A_LINE      ? 1
               : p->mode == OCT_BACKGROUND_MEDIAN ? median_of_sample (p, in, i)
                                                  : mean_of_sample (p, in, i);
  if (p->mode == OCT_BACKGROUND_RUNNING)
    add_running (plan, found);
  if (oct_background_modes[p->mode].has_pattern)
    find_pattern (p, in, found);
}

void
reference_mean (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctBackgroundParams *p = plan->params;
  g_autofree double *found = g_new (double, p->samples);

  find_background (plan, in, found);
  for (guint i = 0; i < p->samples; i++)
    out[i] = found[i];
}

/* Counts minus the spectrum of the source (Shafer 2.2). */
void
reference_background (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctBackgroundParams *p = plan->params;
  guint terms = oct_background_modes[p->mode].terms;
  g_autofree double *removed = g_new0 (double, p->samples);

  if (p->mode == OCT_BACKGROUND_HIGH_PASS) {
    remove_neighbours (p, in, out);
    return;
  }
  if (oct_background_modes[p->mode].is_found && !p->found)
    find_background (plan, in, removed);
  for (guint i = 0; i < p->samples; i++)
    removed[i] = p->found                           ? mean[i]
                 : p->mode == OCT_BACKGROUND_STORED ? p->background[i]
                                                    : removed[i];
  for (gsize i = 0; i < (gsize)p->lines * p->samples; i++)
    out[i] = creal (in[i]) - removed[i % p->samples];
  for (gsize i = 0; terms > 0 && i < (gsize)p->lines * p->samples;
       i += p->samples)
    remove_fitted (in + i, removed, p->samples, terms, out + i);
}

/* ------------------------------------------- docs/elements/octkresample.md */

/* Twice as many samples: the Fourier series of the A-line at half steps, its
 * Nyquist term halved (Shafer 2.2.2, algorithm 4.6). */
static void
upsample (const double *y, guint n, double *fine)
{
  g_autofree Complex *turns = reference_turns (2 * n);
  g_autofree Complex *series = g_new0 (Complex, n / 2 + 1);

  for (guint q = 0; q <= n / 2; q++)
    for (guint i = 0; i < n; i++)
      series[q] += y[i] * turns[2 * (guint64)i * q % (2 * n)] / n;
  if (n % 2 == 0)
    series[n / 2] *= 0.5;
  for (guint i = 0; i < 2 * n; i++) {
    double sum = creal (series[0]);
    for (guint q = 1; q <= n / 2; q++)
      sum += 2 * creal (series[q] * conj (turns[(guint64)i * q % (2 * n)]));
    /* of a single sample the only term is its own Nyquist term as well */
    fine[i] = n == 1 ? y[0] : sum;
  }
}

/* Shafer 4.1, Jian 2013 */
static double
read_linear (const double *y, guint n, double s)
{
  guint i = MIN ((guint)s, n - 2);

  return y[i] * (1 - (s - i)) + y[i + 1] * (s - i);
}

static double
sinc (double x)
{
  return x == 0 ? 1 : sin (G_PI * x) / (G_PI * x);
}

/* sinc (x) sinc (x / 4), eight samples of those that there are, their weights
 * divided by their sum. */
static double
read_lanczos (const double *y, guint n, double s)
{
  double sum = 0, total = 0;

  for (gint m = -3; m <= 4; m++) {
    gint i = (gint)floor (s) + m;
    double x = s - i;
    if (i < 0 || i >= (gint)n || fabs (x) >= 4)
      continue;
    sum += sinc (x) * sinc (x / 4) * y[i];
    total += sinc (x) * sinc (x / 4);
  }
  return sum / total;
}

/* Second derivatives of the natural cubic spline through all samples, unit
 * steps (Chan & Tang 2010): M[0] = M[n-1] = 0,
 * M[i-1] + 4 M[i] + M[i+1] = 6 (y[i-1] - 2 y[i] + y[i+1]). */
static void
find_curvature (const double *y, guint n, double *curvature)
{
  g_autofree double *factor = g_new0 (double, n);

  curvature[0] = curvature[n - 1] = 0;
  for (guint i = 1; i + 1 < n; i++) { /* elimination */
    double right = 6 * (y[i - 1] - 2 * y[i] + y[i + 1]);
    double pivot = 4 - factor[i - 1];
    factor[i] = 1 / pivot;
    curvature[i] = (right - curvature[i - 1]) / pivot;
  }
  for (guint i = n - 1; i-- > 1;)
    curvature[i] -= factor[i] * curvature[i + 1];
}

static double
read_cubic (const double *y, const double *m, guint n, double s)
{
  guint i = MIN ((guint)s, n - 2);
  double b = s - i, a = 1 - b;

  return a * y[i] + b * y[i + 1]
         + ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]) / 6;
}

void
reference_resample (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctResampleParams *p = plan->params;
  guint n = p->samples * p->upsample;
  g_autofree double *y = g_new (double, p->samples);
  g_autofree double *fine = g_new (double, n);
  g_autofree double *curvature = g_new (double, n);

  for (guint line = 0; line < p->lines; line++) {
    gsize row = (gsize)line * p->samples;
    for (guint i = 0; i < p->samples; i++)
      y[i] = fine[i] = creal (in[row + i]);
    if (p->upsample == 2)
      upsample (y, p->samples, fine);
    find_curvature (fine, n, curvature);
    for (guint j = 0; j < p->samples; j++) {
      double s = p->upsample * CLAMP (p->positions[j], 0, p->samples - 1);
      out[row + j] =
          n == 1                             ? fine[0]
          : p->method == OCT_RESAMPLE_LINEAR ? read_linear (fine, n, s)
          : p->method == OCT_RESAMPLE_CUBIC ? read_cubic (fine, curvature, n, s)
                                            : read_lanczos (fine, n, s);
    }
  }
}

/* ------------------------------------------ docs/elements/octdispersion.md */

/* out = in exp (+i phase) (Shafer, algorithm 4.10 with the sum corrected) */
void
reference_dispersion (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctDispersionParams *p = plan->params;

  for (gsize i = 0; i < (gsize)p->lines * p->samples; i++) {
    double phase = p->phase[i % p->samples];
    out[i] = CMPLX (creal (in[i]) * cos (phase), creal (in[i]) * sin (phase));
  }
}
