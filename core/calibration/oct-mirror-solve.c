/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-mirror-solve.h"

#include <math.h>
#include <string.h>

#include "oct-curve.h"

#define SEGMENTS OCT_MIRROR_SEGMENTS
#define SPLINES OCT_MIRROR_SPLINES
#define UNKNOWNS OCT_MIRROR_UNKNOWNS

/* D is penalised more than K, and its values a little. */
#define STIFFER_D 10.0
#define SMALL_D 1e-3
#define ROUNDS 3
#define HUBER 2.0 /* sigma */
/* Up to so many mirrors all patterns of sides are tried. */
#define TRIED 9

/* The normal equations of one mirror for a spline of its phases: without the
 * mean, or without the straight line in K. */
typedef struct {
  double matrix[SPLINES * SPLINES]; /* sum w b b^T */
  double right[SPLINES];            /* sum w b t */
  double square;                    /* sum w t^2 */
} Part;

OctMirrorPhases *
oct_mirror_phases_new (guint samples, guint mirrors)
{
  OctMirrorPhases *p = g_new0 (OctMirrorPhases, 1);
  guint count = MIN (samples, OCT_MIRROR_POINTS);

  p->samples = samples;
  p->mirrors = mirrors;
  p->points = count;
  p->at = g_new (double, count);
  for (guint i = 0; i < count; i++)
    p->at[i] = rint ((samples - 1.0) * i / (count - 1));
  p->phases = g_new0 (double, (gsize)mirrors *count);
  p->weights = g_new0 (double, (gsize)mirrors *count);
  p->noise = g_new0 (double, mirrors);
  p->a = g_new0 (double, mirrors);
  p->sides = g_new0 (double, mirrors);
  return p;
}

void
oct_mirror_phases_free (OctMirrorPhases *p)
{
  if (p == NULL)
    return;
  g_free (p->at);
  g_free (p->phases);
  g_free (p->weights);
  g_free (p->noise);
  g_free (p->a);
  g_free (p->sides);
  g_free (p);
}

OctMirrorSolution *
oct_mirror_solution_new (guint samples, guint mirrors)
{
  OctMirrorSolution *s = g_new0 (OctMirrorSolution, 1);
  guint count = MIN (samples, OCT_MIRROR_POINTS);

  s->k = g_new0 (double, samples);
  s->d = g_new0 (double, samples);
  s->residuals = g_new0 (double, (gsize)mirrors *count);
  s->data = g_new0 (double, UNKNOWNS *UNKNOWNS);
  s->all = g_new0 (double, UNKNOWNS *UNKNOWNS);
  return s;
}

void
oct_mirror_solution_free (OctMirrorSolution *s)
{
  if (s == NULL)
    return;
  g_free (s->k);
  g_free (s->d);
  g_free (s->residuals);
  g_free (s->data);
  g_free (s->all);
  g_free (s);
}

static double
mirror_solve_evaluate (const double *coefficients, guint samples, double at)
{
  double b[4], sum = 0;
  guint first = oct_curve_bspline (SEGMENTS, samples, at, b);

  for (guint i = 0; i < 4; i++)
    sum += coefficients[first + i] * b[i];
  return sum;
}

/* Integral of the square of the third derivative over the record as 0 .. 1. */
static void
fill_roughness (double *rough)
{
  static const double difference[4] = { -1, 3, -3, 1 };
  double scale = pow (SEGMENTS, 5);

  memset (rough, 0, SPLINES * SPLINES * sizeof *rough);
  for (guint i = 0; i < SEGMENTS; i++)
    for (guint r = 0; r < 4; r++)
      for (guint c = 0; c < 4; c++)
        rough[(i + r) * SPLINES + i + c] +=
            scale * difference[r] * difference[c];
}

/* The line in z[points] (NULL: the mean alone) nearest to the phases is taken
 * off them and of the splines. */
static void
fill_part (const OctMirrorPhases *p, guint m, const double *w, const double *z,
    Part *part)
{
  const double *t = p->phases + (gsize)m * p->points;
  double sums[2][SPLINES] = { { 0 } }, zz[3] = { 0 }, zt[2] = { 0 };
  double offset = 0, slope = 0, det;

  memset (part, 0, sizeof *part);
  if (z != NULL)
    oct_curve_fit_line (z, t, w, p->points, &offset, &slope);
  for (guint i = 0; i < p->points; i++) {
    double b[4], x = z != NULL ? z[i] : 0, rest = t[i] - offset - slope * x;
    guint first = oct_curve_bspline (SEGMENTS, p->samples, p->at[i], b);

    zz[0] += w[i];
    zz[1] += w[i] * x;
    zz[2] += w[i] * x * x;
    zt[0] += w[i] * rest;
    zt[1] += w[i] * rest * x;
    part->square += w[i] * rest * rest;
    for (guint r = 0; r < 4; r++) {
      sums[0][first + r] += w[i] * b[r];
      sums[1][first + r] += w[i] * b[r] * x;
      part->right[first + r] += w[i] * b[r] * rest;
      for (guint c = 0; c < 4; c++)
        part->matrix[(first + r) * SPLINES + first + c] += w[i] * b[r] * b[c];
    }
  }
  det = zz[0] * zz[2] - zz[1] * zz[1];
  if (!(zz[0] > 0))
    return;
  for (guint r = 0; r < SPLINES; r++) {
    /* the mean or line of spline r */
    double u = sums[0][r] / zz[0], v = 0;

    if (z != NULL && det > 0) {
      u = (zz[2] * sums[0][r] - zz[1] * sums[1][r]) / det;
      v = (zz[0] * sums[1][r] - zz[1] * sums[0][r]) / det;
    }
    part->right[r] -= u * zt[0] + v * zt[1];
    for (guint c = 0; c < SPLINES; c++)
      part->matrix[r * SPLINES + c] -= u * sums[0][c] + v * sums[1][c];
  }
}

/* Adds the equations of a mirror: its phases are a K + side D. */
static void
add_part (
    const Part *part, double a, double side, double *matrix, double *right)
{
  for (guint r = 0; r < SPLINES; r++) {
    right[r] += a * part->right[r];
    right[SPLINES + r] += side * part->right[r];
    for (guint c = 0; c < SPLINES; c++) {
      double v = part->matrix[r * SPLINES + c];

      matrix[r * UNKNOWNS + c] += a * a * v;
      matrix[r * UNKNOWNS + SPLINES + c] += a * side * v;
      matrix[(SPLINES + r) * UNKNOWNS + c] += a * side * v;
      matrix[(SPLINES + r) * UNKNOWNS + SPLINES + c] += v;
    }
  }
}

/* The penalties, and K (0) near 0 with the weight `pin`. */
static void
add_penalties (
    const OctMirrorPhases *p, const double *rough, double pin, double *matrix)
{
  double square = 0, b[4];
  guint first = oct_curve_bspline (SEGMENTS, p->samples, 0, b);

  for (guint m = 0; m < p->mirrors; m++)
    square += p->a[m] * p->a[m];
  for (guint r = 0; r < SPLINES; r++) {
    double *d = matrix + (SPLINES + r) * UNKNOWNS + SPLINES;

    for (guint c = 0; c < SPLINES; c++) {
      double v = rough[r * SPLINES + c] * p->smooth;

      matrix[r * UNKNOWNS + c] += v * square;
      d[c] += STIFFER_D * v * p->mirrors;
    }
    d[r] += SMALL_D;
    if (pin == 0)
      matrix[r * UNKNOWNS + r] += SMALL_D;
  }
  for (guint r = 0; r < 4; r++)
    for (guint c = 0; c < 4; c++)
      matrix[(first + r) * UNKNOWNS + first + c] += pin * b[r] * b[c];
}

static gboolean
has_weight (const double *w, guint n)
{
  for (guint i = 0; i < n; i++)
    if (w[i] > 0)
      return TRUE;
  return FALSE;
}

/* K and D for the given a and weights w. */
static gboolean
solve_linear (const OctMirrorPhases *p, const double *w, const double *rough,
    OctMirrorSolution *s, double *x)
{
  gsize bytes = UNKNOWNS * UNKNOWNS * sizeof (double);
  g_autofree Part *part = g_new (Part, 1);
  g_autofree double *factor = NULL;
  double pin = 0;

  memset (s->data, 0, bytes);
  memset (x, 0, UNKNOWNS * sizeof *x);
  for (guint m = 0; m < p->mirrors; m++) {
    if (!has_weight (w + (gsize)m * p->points, p->points))
      continue;
    fill_part (p, m, w + (gsize)m * p->points, NULL, part);
    add_part (part, p->a[m], p->sides[m], s->data, x);
  }
  for (guint r = 0; r < SPLINES; r++)
    for (guint c = 0; c < SPLINES; c++)
      pin = MAX (pin, s->data[r * UNKNOWNS + c]);
  memcpy (s->all, s->data, bytes);
  add_penalties (p, rough, MAX (pin, 1e-300), s->all);
  factor = g_memdup2 (s->all, bytes);
  return oct_curve_solve (factor, UNKNOWNS, x);
}

/* a of every mirror, its residual phases, and its new weights. */
static void
mirror_solve_update (
    OctMirrorPhases *p, OctMirrorSolution *s, const double *x, double *w)
{
  guint n = p->points;
  g_autofree double *k = g_new (double, n);
  g_autofree double *y = g_new (double, n);
  g_autofree double *off = g_new (double, (gsize)n * p->mirrors);
  guint count = 0;

  for (guint i = 0; i < n; i++)
    k[i] = mirror_solve_evaluate (x, p->samples, p->at[i]);
  for (guint m = 0; m < p->mirrors; m++) {
    double *r = s->residuals + (gsize)m * n, offset;
    const double *weights = p->weights + (gsize)m * n;

    memset (r, 0, n * sizeof *r);
    if (!has_weight (w + (gsize)m * n, n))
      continue;
    for (guint i = 0; i < n; i++)
      y[i] = p->phases[(gsize)m * n + i]
             - p->sides[m]
                   * mirror_solve_evaluate (x + SPLINES, p->samples, p->at[i]);
    oct_curve_fit_line (k, y, w + (gsize)m * n, n, &offset, &p->a[m]);
    for (guint i = 0; i < n; i++) {
      r[i] = y[i] - offset - p->a[m] * k[i];
      if (weights[i] > 0)
        off[count++] =
            fabs (r[i]) * sqrt (weights[i] * p->noise[m] * n / p->samples);
    }
  }
  s->scale = MAX (oct_curve_quantile (off, count, 0.5) / 0.6745, 1e-9);
  for (gsize i = 0; i < (gsize)n * p->mirrors; i++) {
    double u = fabs (s->residuals[i])
               * sqrt (p->weights[i] * p->noise[i / n] * n / p->samples);

    w[i] = p->weights[i] * MIN (1, HUBER * s->scale / MAX (u, 1e-12));
  }
}

gboolean
oct_mirror_solve (OctMirrorPhases *p, OctMirrorSolution *s)
{
  gsize count = (gsize)p->mirrors * p->points;
  g_autofree double *w = g_memdup2 (p->weights, count * sizeof *w);
  g_autofree double *rough = g_new (double, SPLINES *SPLINES);
  double x[UNKNOWNS];

  fill_roughness (rough);
  for (guint round = 0; round < ROUNDS; round++) {
    if (!solve_linear (p, w, rough, s, x))
      return FALSE;
    mirror_solve_update (p, s, x, w);
  }
  for (guint i = 0; i < p->samples; i++) {
    s->k[i] = mirror_solve_evaluate (x, p->samples, i);
    s->d[i] = mirror_solve_evaluate (x + SPLINES, p->samples, i);
  }
  return TRUE;
}

/* chi^2 of mirrors picked[count] with the sides of `pattern` (bit i: mirror
 * i + 1 of them lies on the other side than mirror 0); x: K and D. */
static double
find_chi (const OctMirrorPhases *p, const Part *parts, const double *rough,
    const guint *picked, guint count, guint pattern, double *matrix, double *x)
{
  double right[UNKNOWNS] = { 0 }, chi = 0;

  memset (matrix, 0, UNKNOWNS * UNKNOWNS * sizeof *matrix);
  add_penalties (p, rough, 0, matrix);
  for (guint i = 0; i < count; i++) {
    double side = i > 0 && (pattern >> (i - 1) & 1) ? -1 : 1;

    add_part (&parts[picked[i]], p->a[picked[i]], side, matrix, right);
    chi += parts[picked[i]].square;
  }
  memcpy (x, right, sizeof right);
  if (!oct_curve_solve (matrix, UNKNOWNS, x))
    return HUGE_VAL;
  for (guint r = 0; r < UNKNOWNS; r++)
    chi -= right[r] * x[r];
  return chi;
}

/* Up to TRIED mirrors spread over depth, the shallowest first. */
static guint
mirror_solve_pick (const OctMirrorPhases *p, guint *picked)
{
  g_autofree guint *order = g_new (guint, p->mirrors);
  guint count = MIN (p->mirrors, TRIED);

  for (guint m = 0; m < p->mirrors; m++) {
    guint i = m;

    for (; i > 0 && p->a[order[i - 1]] > p->a[m]; i--)
      order[i] = order[i - 1];
    order[i] = m;
  }
  for (guint i = 0; i < count; i++)
    picked[i] =
        order[count > 1 ? (guint)rint ((p->mirrors - 1.0) * i / (count - 1))
                        : 0];
  return count;
}

/* Finds the sides of the mirrors that were not picked, each from K and D. */
static void
tell_others (
    const OctMirrorPhases *p, const Part *parts, const double *x, double *sides)
{
  for (guint m = 0; m < p->mirrors; m++) {
    double product = 0;

    if (sides[m] != 0)
      continue;
    for (guint r = 0; r < SPLINES; r++) {
      double rest = parts[m].right[r];

      for (guint c = 0; c < SPLINES; c++)
        rest -= p->a[m] * parts[m].matrix[r * SPLINES + c] * x[c];
      product += rest * x[SPLINES + r];
    }
    sides[m] = product >= 0 ? 1 : -1;
  }
}

double
oct_mirror_find_sides (const OctMirrorPhases *p, const double *k, double *sides)
{
  g_autofree Part *parts = g_new0 (Part, p->mirrors);
  g_autofree double *rough = g_new (double, SPLINES *SPLINES);
  g_autofree double *matrix = g_new (double, UNKNOWNS *UNKNOWNS);
  g_autofree double *z = g_new (double, p->points);
  double best = HUGE_VAL, second = HUGE_VAL, first, x[UNKNOWNS];
  guint picked[TRIED], count = mirror_solve_pick (p, picked), found = 0;

  fill_roughness (rough);
  for (guint i = 0; i < p->points; i++)
    z[i] = k[(guint)p->at[i]];
  for (guint m = 0; m < p->mirrors; m++)
    fill_part (p, m, p->weights + (gsize)m * p->points, z, &parts[m]);
  for (guint pattern = 0; pattern < 1u << (count - 1); pattern++) {
    double chi = find_chi (p, parts, rough, picked, count, pattern, matrix, x);

    if (chi < best) {
      second = best;
      best = chi;
      found = pattern;
    } else {
      second = MIN (second, chi);
    }
  }
  if (!(best < HUGE_VAL) || !(second < HUGE_VAL))
    return 0;
  find_chi (p, parts, rough, picked, count, found, matrix, x);
  memset (sides, 0, p->mirrors * sizeof *sides);
  for (guint i = 0; i < count; i++)
    sides[picked[i]] = i > 0 && (found >> (i - 1) & 1) ? -1 : 1;
  tell_others (p, parts, x, sides);
  first = sides[0];
  for (guint m = 0; m < p->mirrors; m++)
    sides[m] *= first;
  return MAX (second, 0) / MAX (best, 1e-12);
}

/* The inverse of a matrix with the factor `factor`, times `data`, times the
 * inverse: how errors of the phases come through. */
static double *
find_covariance (const OctMirrorSolution *s)
{
  gsize bytes = UNKNOWNS * UNKNOWNS * sizeof (double);
  g_autofree double *factor = g_memdup2 (s->all, bytes);
  double *c = g_memdup2 (s->data, bytes);
  double column[UNKNOWNS] = { 0 };

  if (!oct_curve_solve (factor, UNKNOWNS, column)) {
    memset (c, 0, bytes);
    return c;
  }
  /* rows of data, then its columns */
  for (guint r = 0; r < UNKNOWNS; r++)
    oct_curve_solve_again (factor, UNKNOWNS, c + r * UNKNOWNS);
  for (guint i = 0; i < UNKNOWNS; i++) {
    for (guint r = 0; r < UNKNOWNS; r++)
      column[r] = c[r * UNKNOWNS + i];
    oct_curve_solve_again (factor, UNKNOWNS, column);
    for (guint r = 0; r < UNKNOWNS; r++)
      c[r * UNKNOWNS + i] = column[r];
  }
  return c;
}

/* free[samples][SPLINES]: the splines without the straight lines in k, rms
 * over the light taken. */
static double *
free_of_lines (const double *k, const double *light, guint samples)
{
  double *f = g_new0 (double, (gsize)samples *SPLINES);
  g_autofree double *y = g_new (double, samples);

  for (guint i = 0; i < samples; i++) {
    double b[4];
    guint first = oct_curve_bspline (SEGMENTS, samples, i, b);

    memcpy (f + (gsize)i * SPLINES + first, b, sizeof b);
  }
  for (guint r = 0; r < SPLINES; r++) {
    double offset, slope;

    for (guint i = 0; i < samples; i++)
      y[i] = f[(gsize)i * SPLINES + r];
    oct_curve_fit_line (k, y, light, samples, &offset, &slope);
    for (guint i = 0; i < samples; i++)
      f[(gsize)i * SPLINES + r] -= offset + slope * k[i];
  }
  return f;
}

void
oct_mirror_find_errors (const OctMirrorPhases *p, const OctMirrorSolution *s,
    const double *k, double k_scale, const double *light, const double *a,
    guint count, double side, double *errors)
{
  g_autofree double *c = find_covariance (s);
  g_autofree double *f = free_of_lines (k, light, p->samples);
  /* sums over the samples of light x variance: of K, of both, of D */
  double kk = 0, kd = 0, dd = 0, sum = 0;

  for (guint i = 0; i < p->samples; i += MAX (p->samples / 512, 1)) {
    const double *b = f + (gsize)i * SPLINES;

    sum += light[i];
    for (guint r = 0; r < SPLINES; r++) {
      for (guint q = 0; q < SPLINES; q++) {
        double w = light[i] * b[r] * b[q];

        kk += w * c[r * UNKNOWNS + q];
        kd += w * c[r * UNKNOWNS + SPLINES + q];
        dd += w * c[(SPLINES + r) * UNKNOWNS + SPLINES + q];
      }
    }
  }
  for (guint j = 0; j < count; j++) {
    /* in the scale of the solution */
    double x = a[j] / k_scale;
    double v = x * x * kk + 2 * x * side * kd + dd;

    errors[j] = sum > 0 ? s->scale * sqrt (MAX (v, 0) / sum) : HUGE_VAL;
  }
}
