/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra of a swept source uniform in wavenumber by its k-clock, as
 * OctKclockParams and oct-kclock.h define it: direct sums for the transforms,
 * and the place of a wavenumber by bisection.
 */
#include "reference-plan.h"

#include "oct-kclock.h"

#include <math.h>
#include <string.h>

#define B OCT_KCLOCK_BLOCKS
#define TURN (2 * G_PI)

typedef struct _ReferenceClock {
  guint n, m, lines;
  double low, high;
  double *ref, *amplitude, *weight, *filter;
  double slopes[B], weights[B], limit, first, last;
  OctKclockMethod automatic; /* what AUTO is */
  gboolean cycles;
} Clock;

/* An A-line: its delay, residuals, and z exp (-i ref (n - t)). */
typedef struct {
  double t, residual[B], rms;
  Complex *turned;
} Line;

void
reference_clock_free (Clock *clock)
{
  if (clock == NULL)
    return;
  g_free (clock->ref);
  g_free (clock->amplitude);
  g_free (clock->weight);
  g_free (clock->filter);
  g_free (clock);
}

/* ------------------------------------------------------------ analytic signal */

static double *
less_mean (const Complex *clock, guint n)
{
  double *s = g_new (double, n), mean = 0;

  for (guint i = 0; i < n; i++)
    mean += creal (clock[i]) / n;
  for (guint i = 0; i < n; i++)
    s[i] = creal (clock[i]) - mean;
  return s;
}

/* bins[q], q = 0 .. m / 2 */
static Complex *
transform (const double *s, guint m)
{
  Complex *bins = g_new0 (Complex, m / 2 + 1);
  g_autofree Complex *turns = reference_turns (m);

  for (guint q = 0; q <= m / 2; q++)
    for (guint i = 0; i < m; i++)
      bins[q] += s[i] * turns[(guint64)i * q % m];
  return bins;
}

static Complex *
padded_bins (const Clock *c, const double *s)
{
  g_autofree double *padded = g_new (double, c->m);

  for (gint i = 0; i < (gint)c->m; i++) {
    gint at = abs (i - OCT_KCLOCK_PAD);
    padded[i] = s[at < (gint)c->n ? at : 2 * ((gint)c->n - 1) - at];
  }
  return transform (padded, c->m);
}

static Complex *
analytic (const Clock *c, const Complex *clock)
{
  g_autofree double *s = less_mean (clock, c->n);
  g_autofree Complex *bins = padded_bins (c, s);
  g_autofree Complex *turns = reference_turns (c->m);
  Complex *z = g_new0 (Complex, c->n);

  for (guint i = 0; i < c->n; i++)
    for (guint q = 1; q < c->m / 2; q++)
      z[i] += c->filter[q] * bins[q] / c->m
              * conj (turns[(guint64)(i + OCT_KCLOCK_PAD) * q % c->m]);
  return z;
}

static int
compare_doubles (const void *a, const void *b)
{
  return (*(const double *)a > *(const double *)b)
         - (*(const double *)a < *(const double *)b);
}

static double
median_of (const double *values, guint count)
{
  g_autofree double *sorted = g_memdup2 (values, count * sizeof *values);

  qsort (sorted, count, sizeof *sorted, compare_doubles);
  return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* FALSE: there is no clock. */
static gboolean
find_band (Clock *c, const Complex *const *clocks, guint lines)
{
  const guint n = c->n, count = n / 2 + 1;
  g_autofree double *power = g_new0 (double, count);
  g_autofree double *p = g_new0 (double, count);
  double floor, least, width;
  gint peak = 0, low, high, gap = (gint)MAX (4, n / 100);

  for (guint l = 0; l < lines; l++) {
    g_autofree double *s = less_mean (clocks[l], n);
    g_autofree Complex *bins = NULL;
    for (guint i = 0; i < n; i++)
      s[i] *= 0.5 - 0.5 * cos (TURN * i / (n - 1));
    bins = transform (s, n);
    for (guint q = 0; q < count; q++)
      power[q] += pow (cabs (bins[q]), 2);
  }
  for (gint q = 0; q < (gint)count; q++)
    for (gint j = MAX (0, q - 4); j <= MIN ((gint)count - 1, q + 4); j++)
      p[q] += power[j] / 9;
  for (gint q = 0; q < (gint)count; q++)
    peak = p[q] > p[peak] ? q : peak;
  floor = median_of (p, count);
  least =
      floor + MAX (1e-3 * (p[peak] - floor), 6 * floor / sqrt (9.0 * lines));
  if (!(p[peak] > least))
    return FALSE;
  low = high = peak;
  for (gint q = peak - 1; q >= 0 && low - q <= gap; q--)
    low = p[q] > least ? q : low;
  for (gint q = peak + 1; q < (gint)count && q - high <= gap; q++)
    high = p[q] > least ? q : high;
  width = 0.3 * (high - low) + 4;
  c->low = MAX (2, low - width) / n;
  c->high = MIN (n / 2.0 - 2, high + width) / n;
  return TRUE;
}

static void
make_filter (Clock *c)
{
  double w = MAX (0.15 * (c->high - c->low), 2.0 / c->m);

  for (guint q = 1; q < c->m / 2; q++) {
    double f = (double)q / c->m;
    double up = CLAMP ((f - c->low + w) / w, 0, 1);
    double down = CLAMP ((c->high + w - f) / w, 0, 1);
    c->filter[q] =
        2 * pow (sin (G_PI / 2 * up), 2) * pow (sin (G_PI / 2 * down), 2);
  }
}

/* ---------------------------------------------------------------------- delays */

/* ref (x): parabolas, and straight lines beyond the ends */
static double
phase_at (const Clock *c, double x)
{
  gint last = (gint)c->n - 1, i = (gint)rint (x);
  double v[3], d = x - i;

  for (gint j = -1; j <= 1; j++) {
    gint at = i + j, end = at < 0 ? 0 : at > last ? last : at;
    double slope =
        end == 0 ? c->ref[1] - c->ref[0] : c->ref[last] - c->ref[last - 1];
    v[j + 1] = c->ref[end] + (at - end) * slope;
  }
  return v[1] + d * (v[2] - v[0]) / 2 + d * d * (v[2] + v[0] - 2 * v[1]) / 2;
}

static double
slope_at (const Clock *c, guint i)
{
  guint before = i > 0 ? i - 1 : 0, after = MIN (i + 1, c->n - 1);

  return (c->ref[after] - c->ref[before]) / (after - before);
}

static void
make_blocks (Clock *c)
{
  guint each = c->n / B;
  double all = 0;

  for (guint b = 0; b < B; b++) {
    c->slopes[b] = c->weights[b] = 0;
    for (guint i = b * each; i < (b + 1) * each; i++) {
      c->weights[b] += c->weight[i];
      c->slopes[b] += c->weight[i] * slope_at (c, i);
    }
    c->slopes[b] /= c->weights[b];
    all += c->weights[b];
  }
  for (guint b = 0; b < B; b++)
    c->weights[b] /= all;
}

static void
turn_back (const Clock *c, const Complex *z, double t, Complex *to)
{
  for (guint i = 0; i < c->n; i++)
    to[i] = z[i] * cexp (-I * phase_at (c, i - t));
}

static double
mean_product (const Clock *c, const double *x, const double *y)
{
  double sum = 0;

  for (guint b = 0; b < B; b++)
    sum += c->weights[b] * x[b] * y[b];
  return sum;
}

/* `against`: of the parts, or NULL */
static void
find_delay (
    const Clock *c, const Complex *z, const Complex *against, Line *line)
{
  static const double ones[B] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1 };
  guint each = c->n / B;
  double *d = line->residual;

  line->t = 0;
  for (guint round = 0; round < 2; round++) {
    double mean, sc = mean_product (c, c->slopes, ones), whole, dt;
    turn_back (c, z, line->t, line->turned);
    for (guint b = 0; b < B; b++) {
      Complex y = 0;
      for (guint i = b * each; i < (b + 1) * each; i++)
        y += line->turned[i];
      d[b] = carg (against != NULL ? y * conj (against[b]) : y);
      if (b > 0)
        d[b] -= TURN * rint ((d[b] - d[b - 1]) / TURN);
    }
    whole = mean = mean_product (c, d, ones);
    if (round == 0 && c->cycles)
      whole -= (mean_product (c, d, c->slopes) - mean * sc)
               / (mean_product (c, c->slopes, c->slopes) - sc * sc) * sc;
    for (guint b = 0; b < B; b++)
      d[b] -= TURN * rint (whole / TURN);
    dt = -mean_product (c, d, c->slopes)
         / mean_product (c, c->slopes, c->slopes);
    line->t += dt;
    for (guint b = 0; b < B; b++)
      d[b] += dt * c->slopes[b];
  }
  line->rms = sqrt (mean_product (c, d, d));
  turn_back (c, z, line->t, line->turned);
}

/* ------------------------------------------------------------------- reference */

static Complex *
boxed (const Complex *values, guint count, gint half)
{
  Complex *to = g_new0 (Complex, count);
  gint n = (gint)count;

  for (gint i = 0; i < n; i++)
    for (gint j = i - half; j <= i + half; j++) {
      gint at = abs (j);
      to[i] += values[at < n ? at : 2 * (n - 1) - at] / (2 * half + 1);
    }
  return to;
}

static void
begin_reference (Clock *c, Complex *const *z, guint lines)
{
  g_autofree Complex *steps = g_new0 (Complex, c->n);
  g_autofree Complex *smooth = NULL;
  double mean = 0;

  for (guint i = 0; i < c->n; i++) {
    c->weight[i] = 0;
    for (guint l = 0; l < lines; l++) {
      c->weight[i] += pow (cabs (z[l][i]), 2);
      if (i + 1 < c->n)
        steps[i] += z[l][i + 1] * conj (z[l][i]);
    }
    mean += c->weight[i] / c->n;
  }
  for (guint i = 0; i < c->n; i++)
    c->weight[i] /= mean;
  smooth = boxed (steps, c->n - 1, 4);
  c->ref[0] = 0;
  for (guint i = 0; i + 1 < c->n; i++)
    c->ref[i + 1] = c->ref[i] + carg (smooth[i]);
}

static void
strongest (const Clock *c, Complex *const *z, guint lines, Complex *against)
{
  guint each = c->n / B;
  double best = -1;

  for (guint l = 0; l < lines; l++) {
    Complex y[B] = { 0 };
    double sum = 0;
    for (guint i = 0; i < each * B; i++)
      y[i / each] += z[l][i] * cexp (-I * c->ref[i]);
    for (guint b = 0; b < B; b++)
      sum += cabs (y[b]);
    for (guint b = 0; sum > best && b < B; b++)
      against[b] = y[b] / cabs (y[b]);
    best = MAX (best, sum);
  }
}

static void
align (Clock *c, Complex *const *z, guint lines, const Complex *against,
    Line *found, Complex *mean)
{
  g_autofree double *rms = g_new (double, lines);
  g_autofree double *delays = g_new (double, lines);
  guint kept = 0;
  double limit, middle;

  make_blocks (c);
  for (guint l = 0; l < lines; l++) {
    find_delay (c, z[l], against, &found[l]);
    rms[l] = found[l].rms;
  }
  limit = 5 * median_of (rms, lines) + 1e-6;
  for (guint l = 0; l < lines; l++)
    if (rms[l] <= limit)
      delays[kept++] = found[l].t;
  middle = median_of (delays, kept);
  memset (mean, 0, c->n * sizeof *mean);
  for (guint l = 0; l < lines; l++) {
    turn_back (c, z[l], found[l].t - middle, found[l].turned);
    for (guint i = 0; rms[l] <= limit && i < c->n; i++)
      mean[i] += found[l].turned[i] / kept;
  }
}

static void
add_phase (Clock *c, const Complex *mean)
{
  double last = carg (mean[0]);

  for (guint i = 0; i < c->n; i++) {
    double angle = carg (mean[i]);
    last = angle - TURN * rint ((angle - last) / TURN);
    c->ref[i] += last;
  }
}

static double
find_excess (const Clock *c, Complex *const *z, const Line *found, guint lines)
{
  guint each = c->n / B;
  double bandwidth = 0, sum = 0;

  for (guint q = 0; q <= c->m / 2; q++)
    bandwidth += pow (c->filter[q] / 2, 2) / (c->m / 2.0);
  for (guint l = 0; l < lines; l++)
    for (guint b = 1; b + 1 < B; b++) {
      Complex y = 0;
      double noise = 0;
      for (guint i = b * each; i < (b + 1) * each; i++)
        y += found[l].turned[i];
      for (guint i = b * each; i < (b + 1) * each; i++)
        noise +=
            pow (cimag (found[l].turned[i] * conj (y) / cabs (y)), 2) / each;
      sum += pow (found[l].residual[b], 2)
             - noise / pow (cabs (y) / each, 2) / MAX (1, each * bandwidth);
    }
  return sqrt (MAX (0, sum / ((double)lines * (B - 2))));
}

static double
steepest (const Clock *c)
{
  double most = 0;

  for (guint i = 0; i + 1 < c->n; i++)
    most = MAX (most, c->ref[i + 1] - c->ref[i]);
  return most;
}

static Clock *
find_reference (
    const OctKclockParams *p, const Complex *const *clocks, guint lines)
{
  guint n = p->samples;
  Clock *c = g_new0 (Clock, 1);
  g_autofree Complex **z = g_new0 (Complex *, lines);
  g_autofree Line *found = g_new0 (Line, lines);
  g_autofree double *rms = g_new (double, lines);
  g_autofree Complex *mean = g_new (Complex, n);
  Complex against[B];

  c->n = n;
  c->m = oct_reference_fast_length (n + 2 * OCT_KCLOCK_PAD);
  c->ref = g_new0 (double, n);
  c->amplitude = g_new0 (double, n);
  c->weight = g_new0 (double, n);
  c->filter = g_new0 (double, c->m / 2 + 1);
  if (!find_band (c, clocks, lines)) {
    reference_clock_free (c);
    return NULL;
  }
  make_filter (c);
  for (guint l = 0; l < lines; l++) {
    z[l] = analytic (c, clocks[l]);
    found[l].turned = g_new (Complex, n);
  }
  begin_reference (c, z, lines);
  c->cycles = p->max_jitter * steepest (c) > G_PI;
  strongest (c, z, lines, against);
  for (guint round = 0; round < 3; round++) {
    g_autofree Complex *smooth = NULL;
    align (c, z, lines, round == 0 ? against : NULL, found, mean);
    smooth = boxed (mean, n, round == 0 ? 8 : 0);
    add_phase (c, smooth);
  }
  for (guint i = 0; i < n; i++)
    c->amplitude[i] = cabs (mean[i]);
  c->first = c->ref[0];
  c->last = c->ref[n - 1];
  make_blocks (c);
  for (guint l = 0; l < lines; l++) {
    find_delay (c, z[l], NULL, &found[l]);
    rms[l] = found[l].rms;
  }
  c->limit = MAX (0.3, 5 * median_of (rms, lines));
  c->cycles = p->max_jitter * steepest (c) > G_PI;
  c->automatic =
      find_excess (c, z, found, lines) * n * G_PI / (c->last - c->first) < 0.1
          ? OCT_KCLOCK_STATIC
          : OCT_KCLOCK_FIT;
  for (guint l = 0; l < lines; l++) {
    g_free (z[l]);
    g_free (found[l].turned);
  }
  return c;
}

/* ------------------------------------------------------------------------ checks */

static gboolean
is_weak (const Clock *c, const Complex *clock, double least)
{
  g_autofree double *s = less_mean (clock, c->n);
  g_autofree Complex *bins = padded_bins (c, s);
  double signal = 0, noise = 0;
  guint in = 0, out = 0;

  for (guint q = 1; q < c->m / 2; q++) {
    double f = (double)q / c->m;
    double p = pow (cabs (bins[q] / 2 - (bins[q - 1] + bins[q + 1]) / 4), 2);
    if (f >= c->low && f <= c->high) {
      signal += p;
      in++;
    } else if ((f < c->low - 0.01 || f > c->high + 0.01) && f > 0.005) {
      noise += p;
      out++;
    }
  }
  noise = out > 8 ? noise / out : 0;
  signal -= in * noise;
  return !(signal > 0 && signal >= pow (10, least / 10) * noise * c->m / 2);
}

static gboolean
is_good (const OctKclockParams *p, const Clock *c, const Complex *clock,
    const Line *line)
{
  gint n = (gint)c->n, half = 8;
  double most = 0;
  guint falls = 0;

  for (gint i = 0; i < n; i++)
    most = MAX (most, c->weight[i]);
  for (gint i = 0; i < n; i++) {
    Complex u = 0;
    double typical = 0;
    if (c->weight[i] <= 0.2 * most)
      continue;
    for (gint j = MAX (0, i - half); j <= MIN (n - 1, i + half); j++) {
      u += line->turned[j];
      typical += c->amplitude[j];
    }
    if (!(cabs (u) >= 0.3 * typical) || !(fabs (carg (u)) <= 1.5))
      return FALSE;
    if (i > 0 && i + 1 < n)
      falls += c->ref[i + 1] - c->ref[i - 1]
                   + carg (line->turned[i + 1] * conj (line->turned[i - 1]))
               < 0;
  }
  return falls < 0.01 * n && line->rms <= c->limit
         && fabs (line->t) <= p->max_jitter + 0.5
         && !is_weak (c, clock, p->min_snr);
}

/* -------------------------------------------------------------------- resampling */

/* The weighted least squares by normal equations. */
static void
fit_polynomial (const Clock *c, guint order, const double *values, double *to)
{
  double a[OCT_KCLOCK_MOST_ORDER + 1][OCT_KCLOCK_MOST_ORDER + 2] = { { 0 } };

  for (guint o = 0; o <= order; o++)
    for (guint b = 0; b < B; b++) {
      double angle = acos ((2.0 * b + 1) / B - 1);
      for (guint q = 0; q <= order; q++)
        a[o][q] += c->weights[b] * cos (o * angle) * cos (q * angle);
      a[o][order + 1] += c->weights[b] * cos (o * angle) * values[b];
    }
  for (guint o = 0; o <= order; o++)
    for (guint q = 0; q <= order; q++) {
      double factor = a[q][o] / a[o][o];
      for (guint i = o; q != o && i <= order + 1; i++)
        a[q][i] -= factor * a[o][i];
    }
  for (guint o = 0; o <= order; o++)
    to[o] = a[o][order + 1] / a[o][o];
}

/* The phase at sample x beyond that of the delay. */
static double
line_rest (const OctKclockParams *p, const Clock *c, OctKclockMethod method,
    const Line *line, const double *fit, double x)
{
  double phase = 0;

  if (method == OCT_KCLOCK_FIT) {
    double at = CLAMP ((x + 0.5) / (c->n / B * B) * 2 - 1, -1, 1);
    for (guint o = 0; o <= p->order; o++)
      phase += fit[o] * cos (o * acos (at));
  }
  if (method == OCT_KCLOCK_FULL) {
    double inside = CLAMP (x, 0, c->n - 1.0);
    guint i = MIN ((guint)inside, c->n - 2);
    phase = carg (line->turned[i]
                  + (inside - i) * (line->turned[i + 1] - line->turned[i]));
  }
  return phase;
}

/* p with ref (p) = target, by bisection. */
static double
place_of (const Clock *c, double target)
{
  double low = -20, high = c->n + 20;

  for (guint round = 0; round < 60; round++) {
    double x = (low + high) / 2;
    if (phase_at (c, x) < target)
      low = x;
    else
      high = x;
  }
  return low;
}

static double
bessel (double x)
{
  double term = 1, sum = 1;

  for (guint i = 1; i < 60; i++)
    sum += term *= x * x / 4 / ((double)i * i);
  return sum;
}

static double
interpolate (const Complex *spectrum, gint n, double x)
{
  gint i = (gint)floor (x = CLAMP (x, 0, n - 1.0));
  double sum = 0, weights = 0;

  for (gint at = i - 7; at <= i + 8; at++) {
    double d = x - at, r = d / 8;
    double w = fabs (r) >= 1
                   ? 0
                   : (d == 0 ? 1 : sin (G_PI * d) / (G_PI * d))
                         * bessel (OCT_KCLOCK_BETA * sqrt (1 - r * r));
    sum += w * creal (spectrum[CLAMP (at, 0, n - 1)]);
    weights += w;
  }
  return sum / weights;
}

static void
resample (const OctKclockParams *p, const Clock *c, OctKclockMethod method,
    const Line *line, const Complex *spectrum, Complex *out)
{
  double fit[OCT_KCLOCK_MOST_ORDER + 1] = { 0 };

  fit_polynomial (c, p->order, line->residual, fit);
  for (guint j = 0; j < c->n; j++) {
    double place =
        place_of (c, c->first + (c->last - c->first) * j / (c->n - 1));
    double slope =
        (phase_at (c, place + 1e-4) - phase_at (c, place - 1e-4)) / 2e-4;
    double x = place + line->t;
    for (guint round = 0; method != OCT_KCLOCK_STATIC && round < 40; round++)
      x = place + line->t - line_rest (p, c, method, line, fit, x) / slope;
    out[p->falling ? c->n - 1 - j : j] =
        interpolate (spectrum, (gint)c->n, x + p->delay);
  }
}

static void
renew (Clock *c, Complex *mean, guint count, guint average)
{
  double a = MIN (1, (double)count / average);

  for (guint i = 0; count > 0 && i < c->n; i++) {
    Complex v = (1 - a) * c->amplitude[i] + a * mean[i] / count;
    c->amplitude[i] = cabs (v);
    c->ref[i] += carg (v);
  }
}

static Clock *
begin_clock (const OctKclockParams *p, const Complex *in)
{
  guint wanted = MIN (MIN (p->average, p->lines), OCT_KCLOCK_FIRST_LINES);
  g_autofree const Complex **clocks = g_new (const Complex *, wanted);

  for (guint l = 0; l < wanted; l++)
    clocks[l] =
        in + ((gsize)l * p->lines / wanted) * 2 * p->samples + p->samples;
  return find_reference (p, clocks, wanted);
}

void
reference_kclock (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctKclockParams *p = plan->params;
  const guint n = p->samples, step = (p->lines + p->average - 1) / p->average;
  g_autofree Complex *sum = g_new0 (Complex, n);
  Line line = { .turned = g_new (Complex, n) };
  guint good = 0, count = 0;
  Clock *c;

  if (plan->clock == NULL)
    plan->clock = begin_clock (p, in);
  c = plan->clock;
  for (guint l = 0; l < p->lines; l++) {
    const Complex *row = in + (gsize)l * 2 * n;
    g_autofree Complex *z = c != NULL ? analytic (c, row + n) : NULL;
    OctKclockMethod method = p->method;
    if (method == OCT_KCLOCK_AUTO && c != NULL)
      method = c->automatic;
    if (c == NULL) {
      memset (out + (gsize)l * n, 0, n * sizeof *out);
      continue;
    }
    find_delay (c, z, NULL, &line);
    if (is_good (p, c, row + n, &line)) {
      good++;
      count += l % step == 0;
      for (guint i = 0; l % step == 0 && i < n; i++)
        sum[i] += line.turned[i];
    } else {
      line.t = 0;
      method = OCT_KCLOCK_STATIC;
    }
    resample (p, c, method, &line, row, out + (gsize)l * n);
  }
  if (c != NULL && 2 * good < p->lines)
    g_clear_pointer (&plan->clock, reference_clock_free);
  else if (c != NULL)
    renew (c, sum, count, p->average);
  g_free (line.turned);
}
