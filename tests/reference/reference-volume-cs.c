/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference-volume-cs.h"

#include <math.h>
#include <string.h>

typedef struct {
  const OctVolumeCsParams *p;
  guint nx, ny, depths, values; /* values: of an A-line that was taken */
  const guint8 *there;
  double *masks;  /* [taken lines][values] */
  Complex *y;     /* [taken lines][values], masked */
  double *weight; /* [ny][nx] thresholds */
  double phase_step[2];
} Problem;

/* Factor by which an A-line differs from one without phase steps. */
static Complex
phase_of (const Problem *q, guint place)
{
  return cexp (I
               * (q->phase_step[0] * (place % q->nx)
                   + q->phase_step[1] * (place / q->nx)));
}

/* DCT-II, orthonormal, along one direction of [ny][nx][depths]; back: its
 * inverse. */
static void
cosines (const Problem *q, Complex *v, gboolean across, gboolean back)
{
  guint n = across ? q->ny : q->nx;
  gsize step = (gsize)q->depths * (across ? q->nx : 1);
  g_autofree Complex *line = g_new (Complex, n);

  for (guint other = 0; other < (across ? q->nx : q->ny); other++)
    for (guint z = 0; z < q->depths; z++) {
      Complex *at = v + z + other * (gsize)q->depths * (across ? 1 : q->nx);
      for (guint a = 0; a < n; a++) {
        line[a] = 0;
        for (guint b = 0; b < n; b++) {
          guint k = back ? b : a, j = back ? a : b;
          line[a] += at[b * step] * sqrt ((k == 0 ? 1.0 : 2.0) / n)
                     * cos (G_PI * (2 * j + 1) * k / (2.0 * n));
        }
      }
      for (guint a = 0; a < n; a++)
        at[a * step] = line[a];
    }
}

/* A: values of taken line k of its A-scan. */
static void
forward (const Problem *q, guint k, const Complex *scan, Complex *values)
{
  guint n = q->values;

  for (guint i = 0; i < n; i++) {
    if (!q->p->spectra) {
      values[i] = scan[i];
    } else {
      double sum = 0;
      for (guint z = 1; z < q->depths; z++)
        sum += 2 * creal (scan[z] * cexp (2 * G_PI * I * z * i / n));
      values[i] = sum / sqrt (n);
    }
    values[i] *= q->masks[(gsize)k * n + i];
  }
}

/* Its adjoint, where both halves of a real spectrum are one. */
static void
adjoint (const Problem *q, const Complex *values, Complex *scan)
{
  guint n = q->values;

  for (guint z = 0; z < q->depths; z++) {
    scan[z] = q->p->spectra ? 0 : values[z];
    for (guint i = 0; q->p->spectra && z > 0 && i < n; i++)
      scan[z] += values[i] * cexp (-2 * G_PI * I * z * i / n) / sqrt (n);
  }
}

/* S A^H of all taken lines. */
static void
gather (const Problem *q, const Complex *values, Complex *v)
{
  const OctScanMask *mask = q->p->mask;

  memset (v, 0, (gsize)q->nx * q->ny * q->depths * sizeof *v);
  for (guint k = 0; k < mask->count; k++) {
    Complex *scan = v + (gsize)mask->places[k] * q->depths;

    adjoint (q, values + (gsize)k * q->values, scan);
    for (guint z = 0; z < q->depths; z++)
      scan[z] *= conj (phase_of (q, mask->places[k]));
  }
}

static double
norm2 (const Complex *v, gsize count)
{
  double sum = 0;

  for (gsize i = 0; i < count; i++)
    sum += creal (v[i] * conj (v[i]));
  return sum;
}

static void
fill_joint (const Problem *q, guint steps, Complex *v)
{
  const OctScanMask *mask = q->p->mask;
  gsize size = (gsize)q->nx * q->ny * q->depths;
  gsize given = (gsize)mask->count * q->values;
  g_autofree Complex *c = g_new0 (Complex, size), *g = g_new (Complex, size);
  g_autofree Complex *r = g_new (Complex, given),
                     *next = g_new (Complex, given);
  double alpha = 1, high = 0;

  for (gsize i = 0; i < given; i++)
    r[i] = -q->y[i];
  for (guint step = 0; step < steps; step++) {
    double moved = 0, change, raised;

    gather (q, r, g);
    cosines (q, g, FALSE, FALSE);
    cosines (q, g, TRUE, FALSE);
    for (gsize i = 0; step == 0 && i < size; i++)
      high = MAX (high, cabs (g[i]) / q->weight[i / q->depths]);
    raised = MAX (1, high * pow (0.6, step + 1));
    for (gsize i = 0; i < size; i++) {
      Complex u = c[i] - g[i] / alpha;
      double a = raised * q->weight[i / q->depths] / alpha;
      Complex n = cabs (u) > a ? u * (cabs (u) - a) / cabs (u) : 0;
      moved += creal ((n - c[i]) * conj (n - c[i]));
      c[i] = n;
    }
    memcpy (v, c, size * sizeof *v);
    cosines (q, v, TRUE, TRUE);
    cosines (q, v, FALSE, TRUE);
    for (gsize i = 0; i < size; i++)
      v[i] *= phase_of (q, (guint)(i / q->depths));
    for (guint k = 0; k < mask->count; k++)
      forward (q, k, v + (gsize)mask->places[k] * q->depths,
          next + (gsize)k * q->values);
    for (gsize i = 0; i < given; i++) {
      next[i] -= q->y[i];
      r[i] -= next[i];
    }
    change = norm2 (r, given) / (q->p->spectra ? 2 : 1);
    memcpy (r, next, given * sizeof *r);
    alpha = moved > 0 ? CLAMP (change / moved, 0.1, 1e30) : 1e30;
  }
}

/* One pass of A-lines by themselves, thresholds t [lines][depths]. */
static void
sparsa (const Problem *q, const double *t, guint steps, Complex *v)
{
  guint n = q->values, d = q->depths;
  g_autofree Complex *c = g_new (Complex, d), *g = g_new (Complex, d);
  g_autofree Complex *r = g_new (Complex, n), *next = g_new (Complex, n);

  for (guint k = 0; k < q->p->mask->count; k++) {
    const Complex *y = q->y + (gsize)k * n;
    const double *limit = t + (gsize)q->p->mask->places[k] * d;
    double alpha = 1, high = 0;

    memset (c, 0, d * sizeof *c);
    for (guint i = 0; i < n; i++)
      r[i] = -y[i];
    for (guint step = 0; step < steps; step++) {
      double moved = 0, change = 0, raised;

      adjoint (q, r, g);
      for (guint z = 0; step == 0 && z < d; z++)
        high = MAX (high, cabs (g[z]) / limit[z]);
      raised = MAX (1, high * pow (0.5, step + 1));
      for (guint z = 0; z < d; z++) {
        Complex u = c[z] - g[z] / alpha;
        double a = raised * limit[z] / alpha;
        Complex s = cabs (u) > a ? u * (cabs (u) - a) / cabs (u) : 0;
        moved += pow (cabs (s - c[z]), 2);
        c[z] = s;
      }
      forward (q, k, c, next);
      for (guint i = 0; i < n; i++) {
        next[i] -= y[i];
        change += pow (cabs (next[i] - r[i]), 2) / 2;
        r[i] = next[i];
      }
      alpha = moved > 0 ? CLAMP (change / moved, 0.1, 1e30) : 1e30;
    }
    memcpy (v + (gsize)q->p->mask->places[k] * d, c, d * sizeof *c);
  }
}

/* Gaussian of standard deviation sd, cut at four of them, edges repeated. */
static void
smooth (double *values, gsize step, guint count, double sd)
{
  gint radius = (gint)(4 * sd + 0.5);
  g_autofree double *line = g_new (double, count);
  double sum = 0;

  for (gint k = -radius; k <= radius; k++)
    sum += exp (-0.5 * k * k / sd / sd);
  for (gint i = 0; i < (gint)count; i++) {
    line[i] = 0;
    for (gint k = -radius; k <= radius; k++)
      line[i] += exp (-0.5 * k * k / sd / sd) / sum
                 * values[(gsize)CLAMP (i + k, 0, (gint)count - 1) * step];
  }
  for (guint i = 0; i < count; i++)
    values[i * step] = line[i];
}

static void
fill_envelope (const Problem *q, const OctVolumeCsSettings *s, Complex *v)
{
  guint nx = q->nx, ny = q->ny, d = q->depths;
  gsize size = (gsize)nx * ny * d;
  g_autofree double *t = g_new (double, size);

  memset (v, 0, size * sizeof *v);
  for (guint pass = 0; pass < 4; pass++) {
    for (gsize i = 0; i < size; i++)
      t[i] = cabs (v[i]) * cabs (v[i]);
    for (gsize i = 0; i < (gsize)nx * ny; i++)
      smooth (t + i * d, 1, d, 1);
    for (guint z = 0; z < d; z++) {
      for (guint y = 0; y < ny; y++)
        smooth (t + (gsize)y * nx * d + z, d, nx, 2);
      for (guint x = 0; x < nx; x++)
        smooth (t + (gsize)x * d + z, (gsize)nx * d, ny, 2);
    }
    for (gsize i = 0; i < size; i++)
      t[i] = pass == 0 ? 0.3 * s->noise
                       : s->noise * s->noise / (sqrt (t[i]) + 0.3 * s->noise);
    sparsa (q, t, s->steps, v);
  }
}

/* Basis [places][count]: coefficient of place i of a line that is 1 at j. */
typedef struct {
  guint count, places;
  Complex *at;
  double *weight; /* [places] */
} Basis;

/* Daubechies, Ten Lectures on Wavelets (1992), table 6.1, N = 4. */
static const double db4[8] = { 0.2303778133088964, 0.7148465705529154,
  0.6308807679298587, -0.0279837694168599, -0.1870348117190931,
  0.0308413818355607, 0.0328830116668852, -0.0105974017850690 };

static void
fill_wavelet (Basis *basis)
{
  guint m = basis->places;
  g_autofree double *line = g_new (double, m), *next = g_new (double, m);

  for (guint j = 0; j < basis->count; j++) {
    memset (line, 0, m * sizeof *line);
    line[j] = 1;
    for (guint n = m; n > m / 16; n /= 2) {
      memset (next, 0, n * sizeof *next);
      for (guint i = 0; i < n / 2; i++)
        for (guint t = 0; t < 8; t++) {
          next[i] += db4[t] * line[(2 * i + t) % n];
          next[n / 2 + i] +=
              (t % 2 ? -1 : 1) * db4[7 - t] * line[(2 * i + t) % n];
        }
      memcpy (line, next, n * sizeof *line);
    }
    for (guint i = 0; i < m; i++)
      basis->at[i * basis->count + j] = line[i];
  }
  for (guint i = 0; i < m / 16; i++)
    basis->weight[i] = 0.05;
}

static Basis
make_basis (OctVolumeCsBasis kind, guint n)
{
  guint m = kind == OCT_VOLUME_CS_WAVELET ? 16 * ((n + 15) / 16 + 1) : n;
  Basis basis = { n, m, g_new0 (Complex, m * n), g_new (double, m) };

  for (guint i = 0; i < m; i++)
    basis.weight[i] = 1;
  for (guint i = 0; i < n && kind != OCT_VOLUME_CS_WAVELET; i++)
    for (guint j = 0; j < n; j++)
      basis.at[i * n + j] =
          kind == OCT_VOLUME_CS_FOURIER
              ? cexp (-2 * G_PI * I * i * j / n) / sqrt (n)
              : sqrt ((i == 0 ? 1.0 : 2.0) / n)
                    * cos (G_PI * (2 * j + 1) * i / (2.0 * n));
  if (kind == OCT_VOLUME_CS_WAVELET)
    fill_wavelet (&basis);
  return basis;
}

static void
analyse (
    const Basis *basis, const gboolean *kept, const Complex *line, Complex *c)
{
  for (guint i = 0; i < basis->places; i++) {
    c[i] = 0;
    for (guint j = 0; j < basis->count; j++)
      c[i] += kept[j] ? basis->at[i * basis->count + j] * line[j] : 0;
  }
}

static void
synthesise (const Basis *basis, const Complex *c, Complex *line)
{
  for (guint j = 0; j < basis->count; j++) {
    line[j] = 0;
    for (guint i = 0; i < basis->places; i++)
      line[j] += conj (basis->at[i * basis->count + j]) * c[i];
  }
}

/* YALL1 v1.4 for basis pursuit: coefficients x of the line that goes through b,
 * [count], where it is kept; b is scaled. */
static void
find_coefficients (const Basis *basis, const gboolean *kept, guint steps,
    Complex *b, Complex *x)
{
  guint m = basis->places, n = basis->count, many = 0;
  g_autofree Complex *z = g_new0 (Complex, m);
  g_autofree Complex *u = g_new (Complex, m), *dual = g_new (Complex, m);
  g_autofree Complex *y = g_new (Complex, n);
  double scale = 0, mu = 0, least;

  for (guint j = 0; j < n; j++) {
    scale = MAX (scale, kept[j] ? cabs (b[j]) : 0);
    mu += kept[j] ? cabs (b[j]) : 0;
    many += kept[j];
  }
  if (scale == 0) {
    memset (x, 0, m * sizeof *x);
    return;
  }
  mu /= scale * many;
  least = 1.1e-8 * mu;
  for (guint j = 0; j < n; j++)
    b[j] /= scale;
  analyse (basis, kept, b, x);
  for (guint step = 1; step <= steps; step++) {
    double change = 0, primal = 0, value = 0, rest, gap;

    for (guint i = 0; i < m; i++)
      u[i] = z[i] - x[i] / mu;
    synthesise (basis, u, y);
    for (guint j = 0; j < n; j++) {
      y[j] = kept[j] ? y[j] + b[j] / mu : 0;
      value += creal (conj (b[j]) * y[j]);
    }
    analyse (basis, kept, y, dual);
    for (guint i = 0; i < m; i++) {
      double w = basis->weight[i];
      z[i] = dual[i] + x[i] / mu;
      z[i] *= w / MAX (w, cabs (z[i]));
      u[i] = dual[i] - z[i];
      x[i] += mu * u[i];
      primal += w * cabs (x[i]);
    }
    if (step % 2 == 1 && step < steps)
      continue;
    change = mu * sqrt (norm2 (u, m) / norm2 (x, m));
    if (change < 0.9 * 5e-3)
      break;
    gap = fabs (value - primal) / primal;
    rest = sqrt (norm2 (u, m) / norm2 (z, m));
    if (step > 10 && gap > 50 * rest && mu > least)
      mu *= 0.1;
  }
  for (guint i = 0; i < m; i++)
    x[i] *= scale;
}

/* b, of the lines that are kept, becomes all. */
static void
pursue (const Basis *basis, const gboolean *kept, guint steps, Complex *b)
{
  g_autofree Complex *x = g_new (Complex, basis->places);

  find_coefficients (basis, kept, steps, b, x);
  synthesise (basis, x, b);
  for (guint j = 0; j < basis->count; j++)
    b[j] = creal (b[j]);
}

/* A-scans of the acquired A-lines, in their places: from a part of the samples
 * by basis pursuit over all modes, those of negative depths too. */
static void
find_scans (const Problem *q, guint steps, Complex *v)
{
  guint n = q->values;
  Basis basis;
  g_autofree gboolean *kept = g_new (gboolean, n);
  g_autofree Complex *x = g_new (Complex, n);

  gather (q, q->y, v);
  if (!q->p->spectra || rint (q->p->rate * n) == n)
    return;
  basis = make_basis (OCT_VOLUME_CS_FOURIER, n);
  for (guint k = 0; k < q->p->mask->count; k++) {
    Complex *to = v + (gsize)q->p->mask->places[k] * q->depths;

    for (guint i = 0; i < n; i++)
      kept[i] = q->masks[(gsize)k * n + i] > 0;
    find_coefficients (&basis, kept, steps, q->y + (gsize)k * n, x);
    for (guint z = 1; z < q->depths; z++)
      to[z] = x[z];
  }
  g_free (basis.at);
  g_free (basis.weight);
}

/* Where nothing is missing along a direction, all is known of it. */
static gboolean
is_missing (
    const Problem *q, guint d, const gboolean *lines, const gboolean *rows)
{
  gboolean missing = FALSE;

  for (guint y = 0; y < q->ny; y++) {
    missing |= d == 1 && !rows[y];
    for (guint x = 0; x < q->nx; x++)
      missing |= d == 0 && rows[y] && !lines[y * q->nx + x];
  }
  return missing;
}

static void
fill_paper (const Problem *q, const OctVolumeCsSettings *s, Complex *v)
{
  const OctScanMask *mask = q->p->mask;
  g_autofree gboolean *lines = g_new0 (gboolean, q->nx * q->ny);
  g_autofree gboolean *rows = g_new0 (gboolean, q->ny);
  g_autofree Complex *line = g_new (Complex, MAX (q->nx, q->ny));

  find_scans (q, s->steps, v);
  for (guint k = 0; k < mask->count; k++)
    if (q->there == NULL || q->there[k])
      lines[mask->places[k]] = rows[mask->places[k] / q->nx] = TRUE;
  for (gsize i = 0; i < (gsize)q->nx * q->ny * q->depths; i++)
    v[i] = cabs (v[i]);
  for (guint d = 0; d < 2; d++) {
    guint n = d == 0 ? q->nx : q->ny;
    gsize step = (gsize)q->depths * (d == 0 ? 1 : q->nx);
    Basis basis;

    if (!is_missing (q, d, lines, rows))
      continue;
    basis = make_basis (s->basis, n);

    for (guint other = 0; other < (d == 0 ? q->ny : q->nx); other++)
      for (guint z = 0; z < q->depths; z++) {
        const gboolean *kept = d == 0 ? lines + other * n : rows;
        Complex *at = v + z + other * (gsize)q->depths * (d == 0 ? n : 1);

        for (guint j = 0; j < n; j++)
          line[j] = kept[j] ? creal (at[j * step]) : 0;
        pursue (&basis, kept, s->steps, line);
        for (guint j = 0; j < n; j++)
          at[j * step] = line[j];
      }
    g_free (basis.at);
    g_free (basis.weight);
  }
}

/* Like numpy.interp, from the A-lines that are there. */
static void
interpolate (
    Complex *v, gsize step, guint depths, const gboolean *there, guint count)
{
  for (guint i = 0; i < count; i++) {
    gint a = (gint)i, b = (gint)i;
    while (a >= 0 && !there[a])
      a--;
    while (b < (gint)count && !there[b])
      b++;
    if (there[i] || (a < 0 && b == (gint)count))
      continue;
    a = a < 0 ? b : a;
    b = b == (gint)count ? a : b;
    for (guint z = 0; z < depths; z++) {
      double w = a == b ? 0 : (double)((gint)i - a) / (b - a);
      v[i * step + z] = (1 - w) * cabs (v[(guint)a * step + z])
                        + w * cabs (v[(guint)b * step + z]);
    }
  }
}

static void
fill_linear (const Problem *q, guint steps, Complex *v)
{
  const OctScanMask *mask = q->p->mask;
  g_autofree gboolean *lines = g_new0 (gboolean, q->nx * q->ny);
  g_autofree gboolean *rows = g_new0 (gboolean, q->ny);

  find_scans (q, steps, v);
  for (guint k = 0; k < mask->count; k++)
    if (q->there == NULL || q->there[k])
      lines[mask->places[k]] = rows[mask->places[k] / q->nx] = TRUE;
  for (guint y = 0; y < q->ny; y++)
    interpolate (v + (gsize)y * q->nx * q->depths, q->depths, q->depths,
        lines + y * q->nx, q->nx);
  for (guint x = 0; x < q->nx; x++)
    interpolate (v + (gsize)x * q->depths, (gsize)q->nx * q->depths, q->depths,
        rows, q->ny);
}

static void
set_up (Problem *q, const OctVolumeCsSettings *s, const Complex *given)
{
  const OctScanMask *mask = q->p->mask;
  g_autofree guint8 *masks =
      q->p->spectra ? oct_volume_cs_make_masks (q->p, NULL) : NULL;
  g_autofree double *window = g_new (double, q->values);

  oct_window_fill (q->p->window, q->values, NULL, window);
  for (guint k = 0; k < mask->count; k++)
    for (guint i = 0; i < q->values; i++) {
      gsize at = (gsize)k * q->values + i;
      guint x = mask->places[k] % q->nx, y = mask->places[k] / q->nx;
      gboolean there = q->there == NULL || q->there[k];

      q->masks[at] = !there ? 0
                     : masks == NULL
                         ? 1
                         : masks[(gsize)((x + 7 * y) % 16) * q->values + i];
      q->y[at] =
          !there ? 0
                 : given[at] * q->masks[at] * (q->p->spectra ? window[i] : 1);
    }
  for (guint y = 0; y < q->ny; y++)
    for (guint x = 0; x < q->nx; x++) {
      double fx = G_PI * x / (2.0 * q->nx) * s->spot_x / sqrt (8 * G_LN2);
      double fy = G_PI * y / (2.0 * q->ny) * s->spot_y / sqrt (8 * G_LN2);
      q->weight[y * q->nx + x] =
          s->tau * s->noise / sqrt (exp (-4 * (fx * fx + fy * fy)) + 1e-3);
    }
}

void
oct_reference_fill_volume (const OctVolumeCsParams *params,
    const OctVolumeCsSettings *settings, const Complex *given,
    const guint8 *there, Complex *volume)
{
  const OctScanMask *mask = params->mask;
  gsize size = (gsize)mask->count * params->columns;
  g_autofree double *masks = g_new (double, size);
  g_autofree Complex *y = g_new (Complex, size);
  g_autofree double *weight = g_new (double, mask->lines * mask->bscans);
  Problem q = { .p = params,
    .nx = mask->lines,
    .ny = mask->bscans,
    .depths = params->spectra ? params->columns / 2 : params->columns,
    .values = params->columns,
    .there = there,
    .masks = masks,
    .y = y,
    .weight = weight };

  set_up (&q, settings, given);
  if (settings->method == OCT_VOLUME_CS_JOINT) {
    q.phase_step[0] = settings->phase_step_x;
    q.phase_step[1] = settings->phase_step_y;
    fill_joint (&q, settings->steps, volume);
  } else if (settings->method == OCT_VOLUME_CS_PAPER) {
    fill_paper (&q, settings, volume);
  } else if (settings->method == OCT_VOLUME_CS_ENVELOPE) {
    fill_envelope (&q, settings, volume);
  } else {
    fill_linear (&q, settings->steps, volume);
  }
}
