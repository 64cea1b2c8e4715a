/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes in focus at all depths: docs/elements/octrefocus.md, by direct sums.
 */
#include "reference-plan.h"

#include <math.h>
#include <string.h>

typedef struct {
  const OctRefocusParams *p;
  guint ny, nx;
  Complex *volume; /* [ny][nx][depth_bins], cleaned and aligned */
  Complex *turns_y, *turns_x;
  double focus, c[OCT_REFOCUS_MODES - 1];
} Volume;

static double
refocus_power (Complex a)
{
  return creal (a) * creal (a) + cimag (a) * cimag (a);
}

/* From the last B-scan on, so that those before are as they were; a B-scan that
 * has nothing in common with the one before is turned as that one. */
static void
refocus_align (Volume *v)
{
  gsize size = (gsize)v->nx * v->p->depth_bins;

  for (guint y = v->ny - 1; y > 0; y--) {
    Complex *bscan = v->volume + y * size, sum = 0;

    for (gsize i = 0; i < size; i++)
      sum += bscan[i] * conj ((bscan - size)[i]);
    for (gsize i = 0; i < (v->ny - y) * size && cabs (sum) > 0; i++)
      bscan[i] *= conj (sum) / cabs (sum);
  }
}

/* plane[ny][nx], sums with exp (sign 2 pi i j k / n) along both directions. */
static void
refocus_transform (const Volume *v, Complex *plane, gboolean backward)
{
  g_autofree Complex *former = g_new (Complex, v->ny * v->nx);

  memcpy (former, plane, v->ny * v->nx * sizeof (Complex));
  for (guint y = 0; y < v->ny; y++)
    for (guint x = 0; x < v->nx; x++) {
      Complex sum = 0;

      for (guint j = 0; j < v->nx; j++) {
        Complex turn = v->turns_x[j * x % v->nx];
        sum += former[y * v->nx + j] * (backward ? conj (turn) : turn);
      }
      plane[y * v->nx + x] = sum;
    }
  memcpy (former, plane, v->ny * v->nx * sizeof (Complex));
  for (guint y = 0; y < v->ny; y++)
    for (guint x = 0; x < v->nx; x++) {
      Complex sum = 0;

      for (guint j = 0; j < v->ny; j++) {
        Complex turn = v->turns_y[j * y % v->ny];
        sum += former[j * v->nx + x] * (backward ? conj (turn) : turn);
      }
      plane[y * v->nx + x] = sum;
    }
}

static double
refocus_frequency (guint i, guint n, double spacing)
{
  return 2 * G_PI * (2 * i < n ? (double)i : (double)i - n) / (n * spacing);
}

/* The factor of plane q. */
static Complex
refocus_factor (const Volume *v, guint q, guint y, guint x)
{
  const OctRefocusParams *p = v->p;
  double k = p->wavenumber, unit = G_PI / 2 / fmax (p->x_spacing, p->y_spacing);
  double ux = refocus_frequency (x, v->nx, p->x_spacing);
  double uy = refocus_frequency (y, v->ny, p->y_spacing);
  double u = fmin (ux * ux + uy * uy, 4 * k * k);
  double X = ux / unit, Y = uy / unit, R = X * X + Y * Y;
  double modes[OCT_REFOCUS_MODES - 1] = { X * X - Y * Y, 2 * X * Y,
    (3 * R - 2) * X, (3 * R - 2) * Y, 6 * R * R - 6 * R };
  double phase = (p->depth_start + q - v->focus) * p->z_spacing
                 * (2 * k - sqrt (4 * k * k - u));

  for (guint m = 0; m < OCT_REFOCUS_MODES - 1; m++)
    phase += v->c[m] * modes[m];
  return cexp (I * phase) / (v->ny * v->nx);
}

static void
refocus_read_plane (const Volume *v, guint q, Complex *plane)
{
  for (guint i = 0; i < v->ny * v->nx; i++)
    plane[i] = v->volume[(gsize)i * v->p->depth_bins + q];
}

/* From its transform to the plane in focus. */
static void
refocus_apply (
    const Volume *v, guint q, const Complex *spectrum, Complex *plane)
{
  for (guint y = 0; y < v->ny; y++)
    for (guint x = 0; x < v->nx; x++)
      plane[y * v->nx + x] =
          spectrum[y * v->nx + x] * refocus_factor (v, q, y, x);
  refocus_transform (v, plane, TRUE);
}

/* ------------------------------------------------------------------- search
 */

typedef struct {
  Volume *v;
  guint n, planes[OCT_REFOCUS_PLANES];
  Complex *spectra; /* [n][ny][nx] */
} Search;

static double
search_measure (const Search *s)
{
  guint values = s->v->ny * s->v->nx, bright = 0;
  g_autofree Complex *plane = g_new (Complex, values);
  double mean = 0;

  for (guint i = 0; i < s->n; i++) {
    double sum = 0, squares = 0;

    refocus_apply (s->v, s->planes[i], s->spectra + (gsize)i * values, plane);
    for (guint j = 0; j < values; j++) {
      sum += refocus_power (plane[j]);
      squares += pow (refocus_power (plane[j]), 2);
    }
    if (sum > 0) {
      mean += values * squares / (sum * sum);
      bright++;
    }
  }
  return bright > 0 ? mean / bright : 0;
}

static void
search_planes (Search *s)
{
  const OctRefocusParams *p = s->v->p;
  guint values = s->v->ny * s->v->nx;

  s->n = MIN (p->depth_bins, OCT_REFOCUS_PLANES);
  s->spectra = g_new (Complex, (gsize)s->n * values);
  for (guint i = 0; i < s->n; i++) {
    double most = -1;

    for (guint q = i * p->depth_bins / s->n; q < (i + 1) * p->depth_bins / s->n;
         q++) {
      double power = 0;

      for (guint j = 0; j < values; j++)
        power += refocus_power (s->v->volume[(gsize)j * p->depth_bins + q]);
      if (power > most) {
        most = power;
        s->planes[i] = q;
      }
    }
    refocus_read_plane (s->v, s->planes[i], s->spectra + (gsize)i * values);
    refocus_transform (s->v, s->spectra + (gsize)i * values, FALSE);
  }
}

/* The best of `count` values of *x, with `also` for 1 of it, and how clear it is: the largest sharpness
 * over the mean, 0 at an end. */
static double
search_grid (const Search *s, double *x, double also, double first, double step,
    guint count)
{
  g_autofree double *found = g_new (double, count);
  double mean = 0, bend, offset = 0, clear;
  double begin = *x, focus = s->v->focus;
  guint best = 0;

  for (guint i = 0; i < count; i++) {
    s->v->focus = focus + also * (first + i * step);
    *x = begin + first + i * step;
    found[i] = search_measure (s);
    mean += found[i] / count;
    if (found[i] > found[best])
      best = i;
  }
  clear = mean > 0 && best > 0 && best < count - 1 ? found[best] / mean : 0;
  best = MAX (1, MIN (best, count - 2));
  bend = found[best - 1] - 2 * found[best] + found[best + 1];
  if (bend < 0)
    offset = (found[best - 1] - found[best + 1]) / (2 * bend);
  step *= best + fmax (-1, fmin (1, offset));
  s->v->focus = focus + also * (first + step);
  *x = begin + first + step;
  return clear;
}

/* FALSE: no focus was found. */
static gboolean
refocus_search (Volume *v)
{
  const OctRefocusParams *p = v->p;
  Search s = { .v = v };
  double range = p->depth_bins - 1, extent, clear;
  double step =
      fmax (p->wavenumber * p->x_spacing * p->y_spacing / p->z_spacing,
          range / OCT_REFOCUS_COARSE);
  double width = OCT_REFOCUS_SPAN;
  double also = 16 * p->wavenumber * pow (fmax (p->x_spacing, p->y_spacing), 2)
                / (p->z_spacing * G_PI * G_PI);
  guint count;

  extent = fmax (range / 2, 16 * step);
  count = (guint)ceil ((range + 2 * extent) / step - 1e-9) + 1;
  step = (range + 2 * extent) / (count - 1);
  search_planes (&s);
  v->focus = 0;
  clear = search_grid (&s, &v->focus, 0, p->depth_start - extent, step, count);
  for (guint round = 0;
       round < 3
       && clear > 1 + OCT_REFOCUS_CLEAR / sqrt ((double)s.n * v->ny * v->nx);
       round++) {
    search_grid (&s, &v->focus, 0, -step, step / 4, 9);
    for (guint m = 0; m + 1 < p->modes; m++)
      for (guint i = 0; i < (m < 2 ? 3 : 1); i++)
        search_grid (&s, &v->c[m],
            i == 0   ? 0
            : i == 1 ? -also
                     : also,
            -width, width / 4, 9);
    step /= 4;
    width /= 4;
  }
  clear -= 1 + OCT_REFOCUS_CLEAR / sqrt ((double)s.n * v->ny * v->nx);
  g_free (s.spectra);
  return clear > 0;
}

void
reference_refocus (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctRefocusParams *p = plan->params;
  gsize values = (gsize)p->lines * p->depth_bins;
  Volume v = { .p = p, .ny = OCT_BSCANS (p), .focus = p->focus };
  g_autofree Complex *plane = g_new (Complex, p->lines);
  g_autofree Complex *spectrum = g_new (Complex, p->lines);
  gboolean is_found;

  v.nx = p->lines / v.ny;
  v.volume = out;
  for (gsize i = 0; i < values; i++)
    out[i] = refocus_power (in[i]) <= OCT_FLOW_MOST ? in[i] : 0;
  v.turns_y = reference_turns (v.ny);
  v.turns_x = reference_turns (v.nx);
  if (p->align)
    refocus_align (&v);
  is_found = !p->automatic || refocus_search (&v);
  plan->found = is_found ? v.focus : 0;
  for (guint q = 0; is_found && q < p->depth_bins; q++) {
    refocus_read_plane (&v, q, spectrum);
    refocus_transform (&v, spectrum, FALSE);
    refocus_apply (&v, q, spectrum, plane);
    for (guint i = 0; i < p->lines; i++)
      out[(gsize)i * p->depth_bins + q] = plane[i];
  }
  g_free (v.turns_y);
  g_free (v.turns_x);
}
