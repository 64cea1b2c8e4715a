/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-mirrors.h"

#include <math.h>
#include <string.h>

#include "oct-curve.h"
#include "oct-fourier.h"
#include "oct-mirror-solve.h"

/* Penalty of K's third derivative, and where the median SNR is below 30 dB. */
#define SMOOTH 1e-9
#define SMOOTH_WEAK 1e-7
#define WEAK_SNR 30.0
/* rad: errors that do not average out, of ghosts and saturation */
#define SYSTEMATIC 0.03
/* Fraction of the largest amplitude; below, a phase is meaningless. */
#define DARK 0.03
#define MAX_ROUNDS 12
#define MIN_ROUNDS 4

struct _OctMirrorModel {
  OctMirrorPhases *phases;
  OctMirrorSolution *solution;
  double k_scale;
  OctFringe *const *fringes; /* while it is fitted */
};

typedef enum { START_ALL, START_BEST } Start;

static OctMirrorFit *
new_fit (OctFringe *const *fringes, guint count, const double *sides)
{
  OctMirrorFit *f = g_new0 (OctMirrorFit, 1);
  guint n = fringes[0]->samples;
  g_autofree double *snr = g_new (double, count);

  f->samples = n;
  f->mirrors = count;
  f->k = g_new0 (double, n);
  f->d = g_new0 (double, n);
  f->light = g_new0 (double, n);
  f->a = g_new0 (double, count);
  f->sides = g_memdup2 (sides, count * sizeof *sides);
  f->residuals = g_new0 (double, count);
  f->amplitudes = g_new0 (double, (gsize)count *n);
  f->backgrounds = g_new0 (double complex, (gsize)count *n);
  f->model = g_new0 (OctMirrorModel, 1);
  f->model->phases = oct_mirror_phases_new (n, count);
  f->model->solution = oct_mirror_solution_new (n, count);
  f->model->fringes = fringes;
  for (guint m = 0; m < count; m++)
    snr[m] = fringes[m]->snr;
  f->model->phases->smooth =
      oct_curve_quantile (snr, count, 0.5) >= WEAK_SNR ? SMOOTH : SMOOTH_WEAK;
  memcpy (f->model->phases->sides, sides, count * sizeof *sides);
  return f;
}

void
oct_mirror_fit_free (OctMirrorFit *f)
{
  if (f == NULL)
    return;
  g_free (f->k);
  g_free (f->d);
  g_free (f->light);
  g_free (f->a);
  g_free (f->sides);
  g_free (f->residuals);
  g_free (f->amplitudes);
  oct_mirror_phases_free (f->model->phases);
  oct_mirror_solution_free (f->model->solution);
  g_free (f->backgrounds);
  g_free (f->model);
  g_free (f);
}

/* The direction in which the rows[count][3] spread most: the first right
 * singular vector, by repeated multiplication. */
static void
find_direction (double (*rows)[3], guint count, double direction[3])
{
  double best = -1;

  memset (direction, 0, 3 * sizeof *direction);
  for (guint m = 0; m < count; m++) {
    double length = rows[m][0] * rows[m][0] + rows[m][1] * rows[m][1]
                    + rows[m][2] * rows[m][2];

    if (length > best) {
      best = length;
      memcpy (direction, rows[m], 3 * sizeof *direction);
    }
  }
  for (guint round = 0; round < 200; round++) {
    double next[3] = { 0 }, length = 0;

    for (guint m = 0; m < count; m++) {
      double product = 0;

      for (guint i = 0; i < 3; i++)
        product += rows[m][i] * direction[i];
      for (guint i = 0; i < 3; i++)
        next[i] += rows[m][i] * product;
    }
    for (guint i = 0; i < 3; i++)
      length += next[i] * next[i];
    if (!(length > 0))
      return;
    for (guint i = 0; i < 3; i++)
      direction[i] = next[i] / sqrt (length);
  }
}

/* K and D as cubic polynomials, from the cubic phases of the mirrors: their
 * common direction and their mean; FALSE where fewer than two are good. */
static gboolean
start_from_all (OctMirrorFit *f, double (*cubics)[4])
{
  g_autofree double (*rows)[3] = g_malloc0_n (f->mirrors, sizeof *rows);
  double direction[3], mean[3] = { 0 }, sum = 0;
  guint good = 0;

  for (guint pass = 0; pass < 2; pass++) {
    for (guint m = 0; m < f->mirrors; m++) {
      double snr = f->model->fringes[m]->snr;
      double weight = snr > 18 ? MIN (snr, 30) / 30 : 0;

      good += pass == 0 && weight > 0;
      sum += pass == 0 ? weight : 0;
      for (guint i = 0; i < 3; i++) {
        double c = cubics[m][i + 1] * f->sides[m];

        if (pass == 0)
          mean[i] += weight * c;
        else
          rows[m][i] = weight * (c - mean[i]);
      }
    }
    for (guint i = 0; pass == 0 && i < 3; i++)
      mean[i] = sum > 0 ? mean[i] / sum : 0;
  }
  if (good < 2)
    return FALSE;
  find_direction (rows, f->mirrors, direction);
  for (guint p = 0; p < f->samples; p++) {
    double legendre[4];

    oct_curve_legendre (p, f->samples, legendre);
    f->k[p] = f->d[p] = 0;
    for (guint i = 0; i < 3; i++) {
      f->k[p] += direction[i] * legendre[i + 1];
      f->d[p] += mean[i] * legendre[i + 1];
    }
  }
  return TRUE;
}

/* K as the phase of the deepest of the strong mirrors, D 0. */
static void
start_from_best (OctMirrorFit *f, double (*cubics)[4])
{
  double best = -HUGE_VAL;
  guint chosen = 0;

  for (guint m = 0; m < f->mirrors; m++) {
    const OctFringe *fringe = f->model->fringes[m];
    double worth = MIN (fringe->snr, 40) + 20 * log10 (fringe->frequency);

    if (worth > best) {
      best = worth;
      chosen = m;
    }
  }
  for (guint p = 0; p < f->samples; p++) {
    double legendre[4];

    oct_curve_legendre (p, f->samples, legendre);
    f->k[p] = f->d[p] = 0;
    for (guint i = 1; i < 4; i++)
      f->k[p] += cubics[chosen][i] * legendre[i];
  }
}

static gboolean
is_rising (const double *k, guint n)
{
  for (guint i = 1; i < n; i++)
    if (!(k[i] > k[i - 1]))
      return FALSE;
  return TRUE;
}

/* The straight line in K that fits D best is depth, and none of D's. */
static double
mirrors_take_line (OctMirrorFit *f, const double *weights)
{
  double offset, slope;

  oct_curve_fit_line (f->k, f->d, weights, f->samples, &offset, &slope);
  for (guint p = 0; p < f->samples; p++)
    f->d[p] -= offset + slope * f->k[p];
  return slope;
}

/* a from the peak of mirror m's spectrum after resampling as K says. */
static double
find_depth (const OctMirrorFit *f, guint m, OctFourier *fourier)
{
  guint n = f->samples, padded = 4 * n, best;
  const OctFringe *fringe = f->model->fringes[m];
  g_autofree double complex *v = g_new (double complex, n);
  g_autofree double complex *x = g_new0 (double complex, padded);
  g_autofree double *index = g_new (double, n);
  g_autofree double *at = g_new (double, n);
  guint low = (guint)(2.4 * fringe->frequency);
  guint high = MIN ((guint)(6 * fringe->frequency), 2 * n);

  for (guint p = 0; p < n; p++) {
    index[p] = p;
    v[p] = fringe->average[p] * cexp (-I * f->sides[m] * f->d[p]);
  }
  for (guint p = 0; p < n; p++)
    at[p] = oct_curve_interpolate (f->k, index, n, p / (n - 1.0));
  for (guint p = 0; p < n; p++) {
    guint i = MIN ((guint)at[p], n - 2);
    double part = at[p] - i;

    x[p] = (v[i] + part * (v[i + 1] - v[i]))
           * (0.5 - 0.5 * cos (2 * G_PI * p / (n - 1)));
  }
  oct_fourier_forward (fourier, x);
  best = low;
  for (guint q = low; q < high; q++)
    if (cabs (x[q]) > cabs (x[best]))
      best = q;
  return 2 * G_PI * best / 4 * (n - 1) / n;
}

static void
mirrors_start (OctMirrorFit *f, Start how, double (*cubics)[4])
{
  guint n = f->samples;
  g_autoptr (OctFourier) fourier = oct_fourier_new (4 * n);
  double first, span;

  if (how == START_BEST || !start_from_all (f, cubics))
    start_from_best (f, cubics);
  first = f->k[0];
  span = f->k[n - 1] - first;
  for (guint p = 0; p < n; p++)
    f->k[p] = (f->k[p] - first) / span;
  if (!is_rising (f->k, n))
    for (guint p = 0; p < n; p++) {
      f->k[p] = p / (n - 1.0);
      f->d[p] = 0;
    }
  mirrors_take_line (f, NULL);
  for (guint m = 0; m < f->mirrors; m++)
    f->a[m] = find_depth (f, m, fourier);
}

/* Half length of the kernel that removes all but the fringe, from the lowest
 * frequency of the fringe: cycles[samples] per sample. */
static guint
choose_kernel (const double *cycles, guint n)
{
  double low = MAX (oct_curve_quantile (cycles, n, 0.05), 1e-9);

  return MAX ((guint)CLAMP (1.5 / low, n / 96.0, n / 6.0), 1);
}

/* The fringe of mirror m without its carrier, v[samples]; the rest goes into
 * the mirror's background. */
static void
mirrors_demodulate (OctMirrorFit *f, guint m, guint half,
    const double complex *carrier, double complex *v)
{
  guint n = f->samples;
  const OctFringe *fringe = f->model->fringes[m];
  double complex *background = f->backgrounds + (gsize)m * n;
  g_autofree double complex *x = g_new (double complex, n);

  for (guint pass = 0; pass < 2; pass++) {
    for (guint p = 0; p < n; p++)
      x[p] = (fringe->average[p] - background[p]) * conj (carrier[p]);
    oct_curve_smooth (x, n, half, v);
    for (guint p = 0; p < n; p++) {
      double complex one = v[p] * carrier[p];

      x[p] = fringe->average[p] - one - fringe->mix * conj (one);
    }
    oct_curve_smooth (x, n, half, background);
  }
}

/* Phases of mirror m with the present K and D, and their weights. */
static void
mirrors_measure (
    OctMirrorFit *f, guint m, const double *slope, const double *bend)
{
  guint n = f->samples, half, brightest = 0;
  OctMirrorPhases *phases = f->model->phases;
  double *amplitude = f->amplitudes + (gsize)m * n, noise;
  g_autofree double *cycles = g_new (double, n);
  g_autofree double *rest = g_new (double, n);
  g_autofree double complex *carrier = g_new (double complex, n);
  g_autofree double complex *v = g_new (double complex, n);

  for (guint p = 0; p < n; p++) {
    cycles[p] =
        MAX (f->a[m] * slope[p] + f->sides[m] * bend[p], 0) / (2 * G_PI);
    carrier[p] = cexp (I * (f->a[m] * f->k[p] + f->sides[m] * f->d[p]));
  }
  half = choose_kernel (cycles, n);
  mirrors_demodulate (f, m, half, carrier, v);
  for (guint p = 0; p < n; p++) {
    amplitude[p] = cabs (v[p]);
    rest[p] = carg (v[p]);
    if (amplitude[p] > amplitude[brightest])
      brightest = p;
  }
  oct_curve_unwrap (rest, n, brightest);
  noise = f->model->fringes[m]->variance * 2 / (0.75 * 2 * half + 1);
  phases->noise[m] = half;
  for (guint i = 0; i < phases->points; i++) {
    guint p = (guint)phases->at[i];
    double square = MAX (amplitude[p] * amplitude[p], 1e-300);
    /* no phase where the fringe stands still or alternates */
    gboolean seen = fabs (2 * cycles[p] - rint (2 * cycles[p])) > 1.2 / half
                    && amplitude[p] > DARK * amplitude[brightest];
    gsize at = (gsize)m * phases->points + i;

    phases->phases[at] = rest[p] + f->a[m] * f->k[p] + f->sides[m] * f->d[p];
    phases->weights[at] = seen ? 1 / (noise / square + SYSTEMATIC * SYSTEMATIC)
                                     / half * n / phases->points
                               : 0;
  }
}

/* rms of the residuals of each mirror; returns that of all. */
static double
find_residuals (OctMirrorFit *f)
{
  const OctMirrorPhases *phases = f->model->phases;
  double all = 0;

  for (guint m = 0; m < f->mirrors; m++) {
    double sum = 0, weight = 0;

    for (guint i = 0; i < phases->points; i++) {
      gsize at = (gsize)m * phases->points + i;
      double r = f->model->solution->residuals[at];

      sum += r * r * phases->weights[at];
      weight += phases->weights[at];
    }
    f->residuals[m] = sqrt (sum / MAX (weight, 1e-300));
    all += f->residuals[m] * f->residuals[m] / f->mirrors;
  }
  return sqrt (all);
}

/* Measures and solves once; FALSE: no solution. */
static gboolean
mirrors_improve (OctMirrorFit *f)
{
  guint n = f->samples;
  OctMirrorModel *model = f->model;
  g_autofree double *slope = g_new (double, n);
  g_autofree double *bend = g_new (double, n);
  double first;

  oct_curve_gradient (f->k, n, slope);
  oct_curve_gradient (f->d, n, bend);
  for (guint m = 0; m < f->mirrors; m++)
    mirrors_measure (f, m, slope, bend);
  memcpy (model->phases->a, f->a, f->mirrors * sizeof *f->a);
  if (!oct_mirror_solve (model->phases, model->solution))
    return FALSE;
  first = model->solution->k[0];
  model->k_scale = model->solution->k[n - 1] - first;
  if (!(fabs (model->k_scale) > 1e-12))
    return FALSE;
  for (guint p = 0; p < n; p++)
    f->k[p] = (model->solution->k[p] - first) / model->k_scale;
  memcpy (f->d, model->solution->d, n * sizeof *f->d);
  for (guint m = 0; m < f->mirrors; m++)
    f->a[m] = model->phases->a[m] * model->k_scale;
  f->residual = find_residuals (f);
  return isfinite (f->residual);
}

static void
mirrors_find_light (OctMirrorFit *f)
{
  for (guint m = 0; m < f->mirrors; m++) {
    const double *amplitude = f->amplitudes + (gsize)m * f->samples;
    double most = 1e-300;

    for (guint p = 0; p < f->samples; p++)
      most = MAX (most, amplitude[p]);
    for (guint p = 0; p < f->samples; p++)
      f->light[p] += amplitude[p] / most / f->mirrors;
  }
  for (guint p = 0; p < f->samples; p++)
    f->light[p] *= f->light[p];
}

static OctMirrorFit *
fit_from (OctFringe *const *fringes, guint count, const double *sides,
    Start how, double (*cubics)[4])
{
  g_autoptr (OctMirrorFit) f = new_fit (fringes, count, sides);
  double last = HUGE_VAL, slope;

  mirrors_start (f, how, cubics);
  while (f->rounds < MAX_ROUNDS) {
    f->rounds++;
    if (!mirrors_improve (f))
      return NULL;
    if (f->rounds > MIN_ROUNDS && fabs (f->residual - last) < 1e-3 * last)
      break;
    last = f->residual;
  }
  mirrors_find_light (f);
  slope = mirrors_take_line (f, f->light);
  for (guint m = 0; m < count; m++)
    f->a[m] += f->sides[m] * slope;
  f->rising = is_rising (f->k, f->samples);
  f->model->fringes = NULL;
  return g_steal_pointer (&f);
}

OctMirrorFit *
oct_mirror_fit_new (OctFringe *const *fringes, guint count, const double *sides)
{
  g_autofree double (*cubics)[4] = g_malloc0_n (count, sizeof *cubics);
  OctMirrorFit *all, *best;

  for (guint m = 0; m < count; m++)
    if (!oct_fringe_fit_cubic (fringes[m], cubics[m]))
      return NULL;
  all = fit_from (fringes, count, sides, START_ALL, cubics);
  best = fit_from (fringes, count, sides, START_BEST, cubics);
  if (all != NULL
      && (best == NULL
          || all->residual + (all->rising ? 0 : 1e3)
                 <= best->residual + (best->rising ? 0 : 1e3))) {
    oct_mirror_fit_free (best);
    return all;
  }
  oct_mirror_fit_free (all);
  return best;
}

double
oct_mirror_fit_find_sides (const OctMirrorFit *f, double *sides)
{
  return oct_mirror_find_sides (f->model->phases, f->k, sides);
}

double
oct_mirror_fit_get_bin (const OctMirrorFit *f, guint m)
{
  return f->a[m] / (2 * G_PI) * f->samples / (f->samples - 1.0);
}

double
oct_mirror_fit_get_spread (const OctMirrorFit *f)
{
  double low = HUGE_VAL, high = -HUGE_VAL, deepest = 0;

  for (guint m = 0; m < f->mirrors; m++) {
    low = MIN (low, f->a[m] * f->sides[m]);
    high = MAX (high, f->a[m] * f->sides[m]);
    deepest = MAX (deepest, f->a[m]);
  }
  return (high - low) / deepest;
}

void
oct_mirror_fit_fill_columns (
    const OctMirrorFit *f, double side, double *k_index, double *dispersion)
{
  guint n = f->samples;
  g_autofree double *k = g_memdup2 (f->k, n * sizeof *k);
  g_autofree double *index = g_new (double, n);

  for (guint p = 0; p < n; p++) {
    index[p] = p;
    if (p > 0)
      k[p] = MAX (k[p], k[p - 1] + 1e-12);
  }
  for (guint p = 0; p < n; p++) {
    k_index[p] = oct_curve_interpolate (k, index, n, p / (n - 1.0));
    dispersion[p] = -side * oct_curve_interpolate (index, f->d, n, k_index[p]);
  }
}

void
oct_mirror_fit_find_errors (const OctMirrorFit *f, double side,
    const double *bins, guint count, double *errors)
{
  g_autofree double *a = g_new (double, count);

  for (guint i = 0; i < count; i++)
    a[i] = bins[i] * 2 * G_PI * (f->samples - 1.0) / f->samples;
  oct_mirror_find_errors (f->model->phases, f->model->solution, f->k,
      f->model->k_scale, f->light, a, count, side, errors);
}

void
oct_mirror_fit_forget_dispersion (OctMirrorFit *f)
{
  guint n = f->samples;
  double a = oct_curve_quantile (f->a, f->mirrors, 0.5), first, span;

  for (guint p = 0; p < n; p++) {
    f->k[p] += f->sides[0] * f->d[p] / a;
    f->d[p] = 0;
  }
  first = f->k[0];
  span = f->k[n - 1] - first;
  for (guint p = 0; p < n; p++)
    f->k[p] = (f->k[p] - first) / span;
  for (guint m = 0; m < f->mirrors; m++)
    f->a[m] *= span;
  f->rising = is_rising (f->k, n);
}

void
oct_mirror_scale_clear (OctMirrorScale *scale)
{
  g_clear_pointer (&scale->off, g_free);
}

/* Median of the slopes between all pairs: not disturbed by a few wrong ones. */
static double
find_slope (const double *x, const double *y, guint n)
{
  g_autofree double *slopes = g_new (double, (gsize)n *n);
  guint count = 0;

  for (guint i = 0; i < n; i++)
    for (guint j = i + 1; j < n; j++)
      if (x[i] != x[j])
        slopes[count++] = (y[j] - y[i]) / (x[j] - x[i]);
  return oct_curve_quantile (slopes, count, 0.5);
}

gboolean
oct_mirror_fit_find_scale (
    const OctMirrorFit *f, const double *positions, OctMirrorScale *scale)
{
  guint count = f->mirrors;
  g_autofree double *a = g_new (double, count);
  g_autofree double *rest = g_new (double, count);
  g_autofree double *weights = g_new (double, count);
  double slope, offset, middle, limit, sum = 0, square = 0;
  double low = HUGE_VAL, high = -HUGE_VAL;

  for (guint m = 0; m < count; m++) {
    a[m] = f->a[m] * f->sides[m];
    low = MIN (low, a[m]);
    high = MAX (high, a[m]);
  }
  slope = find_slope (positions, a, count);
  if (slope == 0)
    return FALSE;
  for (guint m = 0; m < count; m++)
    rest[m] = a[m] - slope * positions[m];
  middle = oct_curve_quantile (rest, count, 0.5);
  for (guint m = 0; m < count; m++)
    rest[m] = fabs (rest[m] - middle);
  limit = 5 * oct_curve_quantile (rest, count, 0.5) + 1e-3 * (high - low);
  scale->off = g_new (gboolean, count);
  for (guint m = 0; m < count; m++) {
    scale->off[m] = rest[m] > limit;
    weights[m] = !scale->off[m];
  }
  oct_curve_fit_line (positions, a, weights, count, &offset, &slope);
  for (guint m = 0; m < count; m++) {
    double r = a[m] - offset - slope * positions[m];

    sum += weights[m];
    square += weights[m] * r * r;
  }
  if (slope == 0) {
    oct_mirror_scale_clear (scale);
    return FALSE;
  }
  scale->k_span = fabs (slope) / 2;
  scale->bin_um = G_PI * (f->samples - 1.0) / (f->samples * scale->k_span);
  scale->error_um = sqrt (square / sum) / fabs (slope);
  return TRUE;
}

/* Absolute distances of signed depths from their best line over the positions,
 * the median of them. */
static double
find_misfit (const double *positions, const double *a, guint n)
{
  g_autofree double *rest = g_new (double, n);
  double slope = find_slope (positions, a, n), middle;

  for (guint i = 0; i < n; i++)
    rest[i] = a[i] - slope * positions[i];
  middle = oct_curve_quantile (rest, n, 0.5);
  for (guint i = 0; i < n; i++)
    rest[i] = fabs (rest[i] - middle);
  return oct_curve_quantile (rest, n, 0.8);
}

double
oct_mirror_fit_find_sides_by_position (
    const OctMirrorFit *f, const double *positions, double *sides)
{
  guint count = f->mirrors;
  g_autofree double *a = g_new (double, count);
  double best = HUGE_VAL, second = HUGE_VAL, zero = 0, deepest = 0;

  /* those before the position of the zero delay are on one side */
  for (guint split = 0; split < count; split++) {
    double misfit, end = positions[split];

    for (guint m = 0; m < count; m++) {
      a[m] = f->a[m] * (positions[m] < end ? -1 : 1);
      deepest = MAX (deepest, f->a[m]);
    }
    misfit = find_misfit (positions, a, count);
    if (misfit < best) {
      second = best;
      best = misfit;
      zero = end;
    } else if (end != zero) {
      second = MIN (second, misfit);
    }
  }
  for (guint m = 0; m < count; m++)
    sides[m] = (positions[m] < zero) == (positions[0] < zero) ? 1 : -1;
  return second / MAX (best, 1e-3 * deepest);
}

/* Centre of gravity of the light over these wavelengths. */
static double
find_centre (const OctMirrorFit *f, const double *wavelengths)
{
  g_autofree double *step = g_new (double, f->samples);
  double sum = 0, moment = 0;

  oct_curve_gradient (wavelengths, f->samples, step);
  for (guint p = 0; p < f->samples; p++) {
    /* `light` is a square */
    double w = sqrt (f->light[p]) * fabs (step[p]);

    sum += w;
    moment += w * wavelengths[p];
  }
  return sum > 0 ? moment / sum : wavelengths[f->samples / 2];
}

void
oct_mirror_fit_fill_wavelengths (const OctMirrorFit *f, double k_span,
    double centre_nm, gboolean rises, double *wavelengths)
{
  double k_middle = 2e3 * G_PI / centre_nm;

  for (guint round = 0; round < 20; round++) {
    for (guint p = 0; p < f->samples; p++)
      wavelengths[p] =
          2e3 * G_PI / (k_middle + (rises ? -1 : 1) * k_span * (f->k[p] - 0.5));
    k_middle +=
        2e3 * G_PI / centre_nm - 2e3 * G_PI / find_centre (f, wavelengths);
  }
}

void
oct_mirror_fit_fill_wavelengths_between (
    const OctMirrorFit *f, double first_nm, double last_nm, double *wavelengths)
{
  double first = 1 / first_nm, last = 1 / last_nm;

  for (guint p = 0; p < f->samples; p++)
    wavelengths[p] = 1 / (first + (last - first) * f->k[p]);
}

const double *
oct_mirror_fit_get_residuals (const OctMirrorFit *f, guint m, const double **at,
    const double **weights, guint *count)
{
  const OctMirrorPhases *phases = f->model->phases;
  gsize first = (gsize)m * phases->points;

  *at = phases->at;
  *count = phases->points;
  if (weights != NULL)
    *weights = phases->weights + first;
  return f->model->solution->residuals + first;
}
