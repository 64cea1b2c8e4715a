/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-meter.h"

#include <math.h>
#include <string.h>

/* Depths that the theoretical resolution is looked for among, to 12 pi over
 * the range of wavenumbers: a narrow source has a wide peak. */
#define DEPTHS 1201
#define DEPTH_RANGE (12 * G_PI)

/* Pixels as dark as the darkest: within so many standard errors of their mean,
 * or that part of the largest signal; the light is so many times brighter. */
#define DARK_ERRORS 4.0
#define DARK 0.0005
#define BRIGHT 20.0
/* Fraction of the least variance: a fit that is negative by less means no read
 * noise. */
#define NO_READ_NOISE 0.05

/* Moving average with a Hann kernel of half length h >= 1 samples, normalised
 * at the ends. */
static double *
meter_source_smooth (const double *values, guint n, guint h)
{
  double *result = g_new (double, n);
  g_autofree double *kernel = NULL;

  h = MAX (h, 1);
  kernel = g_new (double, 2 * h + 1);
  for (guint i = 0; i < 2 * h + 1; i++)
    kernel[i] = 0.5 - 0.5 * cos (G_PI * (i + 1) / (h + 1));
  for (guint i = 0; i < n; i++) {
    double sum = 0, weight = 0;

    for (guint k = i > h ? i - h : 0; k <= MIN (i + h, n - 1); k++) {
      sum += kernel[k + h - i] * values[k];
      weight += kernel[k + h - i];
    }
    result[i] = sum / weight;
  }
  return result;
}

static double
meter_source_interpolate (const double *values, guint n, double at)
{
  guint base;

  at = CLAMP (at, 0, n - 1);
  base = MIN ((guint)at, n - 2);
  return values[base] + (at - base) * (values[base + 1] - values[base]);
}

/* Between the two points of half height around the largest value, dark beyond
 * the ends. */
static double
find_half_width (const double *values, guint n, guint top)
{
  double half = values[top] / 2, left = top, right = top, next = 0;

  for (guint i = top; i-- > 0 && values[i] > half;)
    left = i;
  next = left > 0 ? values[(guint)left - 1] : 0;
  left -= (values[(guint)left] - half) / (values[(guint)left] - next);
  for (guint i = top + 1; i < n && values[i] > half; i++)
    right = i;
  next = right < n - 1 ? values[(guint)right + 1] : 0;
  right += (values[(guint)right] - half) / (values[(guint)right] - next);
  return right - left;
}

/* Full width at half of the maximum, in um, of |sum_p light[p] dk[p] exp (-2 i
 * z k[p])|. */
static double
find_resolution (const double *light, const double *k, guint n)
{
  double range = fabs (k[n - 1] - k[0]),
         step = DEPTH_RANGE / range / (DEPTHS - 1);
  g_autofree double *re = g_new0 (double, DEPTHS);
  g_autofree double *im = g_new0 (double, DEPTHS);
  double before = 0;

  for (guint p = 0; p < n; p++) {
    guint low = p > 0 ? p - 1 : 0, high = MIN (p + 1, n - 1);
    double weight = light[p] * fabs (k[high] - k[low]) / (high - low);
    /* the phase of the first depth is that of any other: k relative */
    double turn = -2 * step * (k[p] - k[0]);
    double c = cos (turn), s = sin (turn), x = weight, y = 0;

    for (guint i = 0; i < DEPTHS; i++) {
      double next = x * c - y * s;

      re[i] += x;
      im[i] += y;
      y = x * s + y * c;
      x = next;
    }
  }
  for (guint i = 0; i < DEPTHS; i++) {
    double value = hypot (re[i], im[i]), half = re[0] / 2;

    if (value < half)
      return 2 * step * (i - (half - value) / (before - value));
    before = value;
  }
  return NAN;
}

/* The same with a window over the range of wavenumbers. */
static double
find_windowed_resolution (
    const double *light, const double *k, guint n, OctWindow window)
{
  double low = MIN (k[0], k[n - 1]), high = MAX (k[0], k[n - 1]);
  g_autofree double *nodes = g_new (double, n);
  g_autofree double *windowed = g_new (double, n);

  for (guint i = 0; i < n; i++)
    nodes[i] = (k[i] - low) / (high - low) * (n - 1);
  oct_window_fill (window, n, nodes, windowed);
  for (guint i = 0; i < n; i++)
    windowed[i] *= light[i];
  return find_resolution (windowed, k, n);
}

static void
measure_resolution (const double *light, guint n, const double *k,
    OctWindow window, OctMeterSource *source)
{
  double left, right;
  g_autofree double *nm = g_new (double, n);

  for (guint i = 0; i < n; i++)
    nm[i] = 2e3 * G_PI / k[i];
  left = meter_source_interpolate (nm, n, source->centroid - source->fwhm / 2);
  right = meter_source_interpolate (nm, n, source->centroid + source->fwhm / 2);
  source->centre_nm = meter_source_interpolate (nm, n, source->centroid);
  source->fwhm_nm = fabs (right - left);
  source->formula_um =
      0.4413 * source->centre_nm * source->centre_nm / source->fwhm_nm / 1e3;
  source->bare_um = find_resolution (light, k, n);
  source->hann_um = find_windowed_resolution (light, k, n, OCT_WINDOW_HANN);
  source->window_um = window == OCT_WINDOW_HANN
                          ? source->hann_um
                          : find_windowed_resolution (light, k, n, window);
}

gboolean
oct_meter_source (const double *spectrum, guint n, const double *k,
    OctWindow window, OctMeterSource *source, GError **error)
{
  g_autofree double *light = meter_source_smooth (spectrum, n, n / 100);
  double sum = 0, moment = 0;
  guint top = 0;

  *source = (OctMeterSource){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
  for (guint i = 0; i < n; i++) {
    light[i] = light[i] < 0 ? 0 : light[i];
    sum += light[i];
    moment += i * light[i];
    if (light[i] > light[top])
      top = i;
  }
  if (!(sum > 0) || !isfinite (sum)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "There is no light in the spectra; look at the source, the camera and "
        "its exposure time.");
    return FALSE;
  }
  source->centroid = moment / sum;
  source->fwhm = find_half_width (light, n, top);
  if (k != NULL && k[0] != k[n - 1])
    measure_resolution (light, n, k, window, source);
  return TRUE;
}

/* ------------------------------------------------------------------- camera */

/* Least squares of some of three columns: solves the normal equations by
 * elimination.  FALSE if they have no unique solution. */
static gboolean
meter_source_solve (double matrix[3][3], const double right[3],
    const guint *active, guint n, double *result)
{
  double a[3][4];

  for (guint i = 0; i < n; i++) {
    for (guint j = 0; j < n; j++)
      a[i][j] = matrix[active[i]][active[j]];
    a[i][n] = right[active[i]];
  }
  for (guint i = 0; i < n; i++) {
    guint pivot = i;

    for (guint j = i + 1; j < n; j++)
      if (fabs (a[j][i]) > fabs (a[pivot][i]))
        pivot = j;
    if (!(fabs (a[pivot][i]) > 1e-14))
      return FALSE;
    for (guint j = 0; j <= n; j++) {
      double value = a[i][j];

      a[i][j] = a[pivot][j];
      a[pivot][j] = value;
    }
    for (guint k = 0; k < n; k++) {
      double factor = k != i ? a[k][i] / a[i][i] : 0;

      for (guint j = i; j <= n && k != i; j++)
        a[k][j] -= factor * a[i][j];
    }
  }
  for (guint i = 0; i < n; i++)
    result[i] = a[i][n] / a[i][i];
  return TRUE;
}

/* The fit, without the columns of light whose part would be negative. */
static void
fit_positive (double matrix[3][3], const double right[3], double result[3])
{
  guint active[3] = { 0, 1, 2 }, n = 3;

  result[0] = result[1] = result[2] = 0;
  while (n > 0) {
    double found[3] = { -1, -1, -1 };
    guint worst = n - 1;
    gboolean solved = meter_source_solve (matrix, right, active, n, found);

    for (guint i = 1; solved && i < n; i++)
      if (found[i] < found[worst])
        worst = i;
    if (solved && (n == 1 || found[worst] >= 0)) {
      for (guint i = 0; i < n; i++)
        result[active[i]] = found[i];
      return;
    }
    n--;
    for (guint i = worst; i < n; i++)
      active[i] = active[i + 1];
  }
}

/* Smallest and largest value. */
static void
find_ends (const double *values, guint n, double *low, double *high)
{
  *low = *high = values[0];
  for (guint i = 1; i < n; i++) {
    *low = MIN (*low, values[i]);
    *high = MAX (*high, values[i]);
  }
}

double
oct_meter_black_level (
    const double *mean, const double *variance, guint n, guint lines)
{
  guint half = MAX (n / 100, 1), dark = 0;
  g_autofree double *level = meter_source_smooth (mean, n, half);
  double low, high, least, most, tolerance, sum = 0;

  find_ends (level, n, &low, &high);
  find_ends (variance, n, &least, &most);
  /* of the mean over the kernel, and a light that nobody sees */
  tolerance = MAX (
      DARK_ERRORS * sqrt (MAX (least, 0) / lines / half), DARK * (high - low));
  if (!(high - low > BRIGHT * tolerance) || !isfinite (high - low))
    return NAN;
  for (guint i = 0; i < n; i++)
    if (level[i] <= low + tolerance) {
      sum += mean[i];
      dark++;
    }
  return dark >= n / 20.0 ? sum / dark : NAN;
}

gboolean
oct_meter_camera (const double *mean, const double *variance, guint n,
    OctMeterCamera *camera, GError **error)
{
  g_autofree double *level = meter_source_smooth (variance, n, n / 50);
  double matrix[3][3] = { { 0 } }, right[3] = { 0 }, found[3];
  double largest = 0, typical = 0, least, most;

  *camera = (OctMeterCamera){ NAN, NAN, NAN };
  for (guint p = 0; p < n; p++) {
    largest = MAX (largest, fabs (mean[p]));
    typical += variance[p] / n;
  }
  if (!(typical > 0) || !(largest > 0) || !isfinite (typical + largest)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The lines of counts do not differ, so that there is no noise to "
        "measure; record several lines of the source alone.");
    return FALSE;
  }
  for (guint p = 0; p < n; p++) {
    double x = mean[p] / largest, columns[3] = { 1, x, x * x };
    double weight = typical / MAX (level[p], 1e-9);

    for (guint i = 0; i < 3; i++) {
      for (guint j = 0; j < 3; j++)
        matrix[i][j] += columns[i] * columns[j] * weight * weight / n;
      right[i] += columns[i] * variance[p] / typical * weight * weight / n;
    }
  }
  fit_positive (matrix, right, found);
  find_ends (level, n, &least, &most);
  /* a small one is the error of none */
  if (found[0] * typical > -NO_READ_NOISE * least)
    camera->read = sqrt (MAX (found[0], 0) * typical);
  camera->gain = found[1] * typical / largest;
  camera->intensity = sqrt (found[2] * typical) / largest;
  return TRUE;
}

double
oct_meter_shot_noise_floor (const double *mean, guint n, double gain,
    const double *nodes, OctWindow window)
{
  g_autofree double *factors = g_new (double, n);
  double sum = 0;

  oct_window_fill (window, n, nodes, factors);
  for (guint i = 0; i < n; i++)
    sum += gain * MAX (mean[i], 0) * factors[i] * factors[i];
  return 10 * log10 (sum / n);
}

/* -------------------------------------------------------------------- lines */

/* One line as doubles; FALSE: a value is not finite. */
static gboolean
meter_source_read_line (
    OctSampleFormat format, gconstpointer row, guint n, double *re, double *im)
{
  double sum = 0;

  for (guint i = 0; i < n; i++) {
    im[i] = 0;
    switch (format) {
    case OCT_SAMPLE_U8:
      re[i] = ((const guint8 *)row)[i];
      break;
    case OCT_SAMPLE_U16:
      re[i] = GUINT16_FROM_LE (((const guint16 *)row)[i]);
      break;
    case OCT_SAMPLE_F32:
      re[i] = ((const float *)row)[i];
      break;
    case OCT_SAMPLE_CF32:
      re[i] = ((const float *)row)[2 * i];
      im[i] = ((const float *)row)[2 * i + 1];
      break;
    }
    sum += fabs (re[i]) + fabs (im[i]);
  }
  return isfinite (sum);
}

static double
meter_source_get_size (const double *re, const double *im, guint i)
{
  return im[i] != 0 ? hypot (re[i], im[i]) : re[i];
}

/* Values at `level` or above in the lines that count: of each sample, and of
 * all.
 */
static double
count_full (OctSampleFormat format, gconstpointer rows, gsize stride,
    guint lines, guint n, double level, double *re, double *im, double *each)
{
  guint64 full = 0;

  for (guint line = 0; line < lines; line++) {
    if (!meter_source_read_line (
            format, (const guint8 *)rows + line * stride, n, re, im))
      continue;
    for (guint i = 0; i < n; i++)
      if (meter_source_get_size (re, im, i) >= level) {
        each[i]++;
        full++;
      }
  }
  return full;
}

OctMeterLines
oct_meter_lines (OctSampleFormat format, gconstpointer rows, gsize stride,
    guint lines, guint n, double level, double *mean, double *variance,
    double *full)
{
  OctMeterLines result = { 0, -G_MAXDOUBLE, 0 };
  g_autofree double *re = g_new (double, n);
  g_autofree double *im = g_new (double, n);
  g_autofree double *mean_im = g_new0 (double, n);

  memset (mean, 0, n * sizeof *mean);
  memset (variance, 0, n * sizeof *variance);
  memset (full, 0, n * sizeof *full);
  for (guint line = 0; line < lines; line++) {
    double count;

    if (!meter_source_read_line (
            format, (const guint8 *)rows + line * stride, n, re, im))
      continue;
    count = ++result.lines;
    /* Welford: the sum of squares around a mean that moves */
    for (guint i = 0; i < n; i++) {
      double x = re[i] - mean[i], y = im[i] - mean_im[i];

      mean[i] += x / count;
      mean_im[i] += y / count;
      variance[i] += x * (re[i] - mean[i]) + y * (im[i] - mean_im[i]);
      result.largest = MAX (result.largest, meter_source_get_size (re, im, i));
    }
  }
  for (guint i = 0; i < n; i++) {
    mean[i] = meter_source_get_size (mean, mean_im, i);
    variance[i] /= MAX (result.lines, 2) - 1;
  }
  /* dark pixels are not full */
  if (result.lines > 0 && (level > 0 || result.largest > 0))
    result.full = count_full (format, rows, stride, lines, n,
                      level > 0 ? level : result.largest, re, im, full)
                  / result.lines / n;
  for (guint i = 0; i < n; i++)
    full[i] /= MAX (result.lines, 1);
  return result;
}

gboolean
oct_meter_is_full_scale (double largest)
{
  for (guint bits = 8; bits <= 16; bits += 2) {
    double end = (double)(1u << bits) - 1;

    if (largest == end || largest == end * (1u << (16 - bits)))
      return TRUE;
  }
  return FALSE;
}
