/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-meter.h"

#include "oct-meter-fft.h"

#include <math.h>
#include <string.h>

#define PAD 8          /* values for each bin */
#define GUARD 0.06     /* of the bins, around the peak and at the first ones */
#define SIDE_LOBES 1.5 /* widths at -20 dB from the peak */

/* The residue of the source, bins: it has its top in the first of them, and
 * ends where it falls no more from this many bins to the next as many. */
#define RESIDUE_TOP 4
#define RESIDUE_STEP 8
#define RESIDUE_FALL 1.12 /* of power: 0.5 dB */
#define RESIDUE_LEAST 4 /* of power: its top above its end, else it is noise */

/* A-scans and the data derived from them. */
typedef struct {
  const float *ascans;
  guint lines, bins;
  guint start;         /* bins from zero delay to the first */
  guint first, end;    /* where the peak is looked for, of these bins */
  guint residue;       /* of the source: bins before this one */
  double residue_top;  /* its highest |a| */
  guint length;        /* of the transform of the bins, a power of two */
  OctMeterFft *coarse; /* of `length` */
  OctMeterFft *fine;   /* of PAD `length` */
  double *re, *im;     /* [PAD length] scratch */
  gboolean *counts;    /* [lines] */
  guint n_lines;
} Meter;

static void
clear_meter (Meter *meter)
{
  oct_meter_fft_free (meter->coarse);
  oct_meter_fft_free (meter->fine);
  g_free (meter->re);
  g_free (meter->im);
  g_free (meter->counts);
}

static const float *
get_line (const Meter *meter, guint line)
{
  return meter->ascans + (gsize)line * 2 * meter->bins;
}

/* Whether all values are finite: the sum of their sizes is then, in double
 * precision. */
static gboolean
meter_is_finite (const float *line, guint bins)
{
  double sum = 0;

  for (guint i = 0; i < 2 * bins; i++)
    sum += fabs (line[i]);
  return isfinite (sum);
}

static void
init_meter (Meter *meter)
{
  /* bins beyond the last are zeros, so that the first do not follow on it */
  meter->length = 1u << g_bit_storage (2 * meter->bins - 1);
  meter->coarse = oct_meter_fft_new (meter->length);
  meter->fine = oct_meter_fft_new (PAD * meter->length);
  meter->re = g_new (double, PAD * meter->length);
  meter->im = g_new (double, PAD * meter->length);
  meter->counts = g_new0 (gboolean, meter->lines);
  for (guint line = 0; line < meter->lines; line++) {
    meter->counts[line] = meter_is_finite (get_line (meter, line), meter->bins);
    meter->n_lines += meter->counts[line];
  }
}

static double
meter_find_largest (const double *values, guint first, guint count)
{
  double largest = values[first];

  for (guint i = first + 1; i < first + count; i++)
    largest = MAX (largest, values[i]);
  return largest;
}

/* mean |a|^2 of every bin over the counted lines */
static double *
meter_make_powers (const Meter *meter)
{
  double *powers = g_new0 (double, meter->bins);

  for (guint line = 0; line < meter->lines; line++)
    for (guint i = 0; meter->counts[line] && i < meter->bins; i++) {
      const float *value = get_line (meter, line) + 2 * i;

      powers[i] += ((double)value[0] * value[0] + (double)value[1] * value[1])
                   / meter->n_lines;
    }
  return powers;
}

/* The spectrum's own envelope, which octdcsub has not removed, stands at zero
 * delay and falls from there.  It is measured at the bins alone: cut off at
 * zero delay, it is not limited to them, and would ring between all others. */
static void
find_residue (Meter *meter)
{
  g_autofree double *powers = meter_make_powers (meter);
  guint bin = 0, step = RESIDUE_STEP;

  if (meter->start > 0 || meter->bins < 2 * step
      || meter_find_largest (powers, 0, RESIDUE_TOP)
             < meter_find_largest (powers, RESIDUE_TOP, step - RESIDUE_TOP))
    return;
  while (bin + 2 * step < meter->bins
         && meter_find_largest (powers, bin, step)
                > RESIDUE_FALL * meter_find_largest (powers, bin + step, step))
    bin++;
  while (bin + 1 < meter->bins && powers[bin + 1] < powers[bin])
    bin++;
  if (!(meter_find_largest (powers, 0, RESIDUE_TOP)
          > RESIDUE_LEAST * powers[bin]))
    return;
  meter->residue_top = sqrt (meter_find_largest (powers, 0, RESIDUE_TOP));
  if (bin + 2 > meter->end) {
    meter->residue_top = HUGE_VAL; /* all there is */
    return;
  }
  meter->residue = bin;
  meter->first = MAX (meter->first, bin);
}

/* The spectrum that a line is the transform of, in re and im, `length` samples:
 * between its bins the line is the transform of it too, but for the residue of
 * the source. */
static void
make_spectrum (Meter *meter, guint line)
{
  const float *values = get_line (meter, line);

  memset (meter->re, 0, meter->length * sizeof *meter->re);
  memset (meter->im, 0, meter->length * sizeof *meter->im);
  for (guint i = meter->residue; i < meter->bins; i++) {
    meter->re[i] = values[2 * i] / meter->length;
    meter->im[i] = values[2 * i + 1] / meter->length;
  }
  oct_meter_fft_run (meter->coarse, meter->im, meter->re);
}

/* magnitude[PAD bins], root of the mean of |a|^2 over the lines */
static double *
make_profile (Meter *meter)
{
  guint n = PAD * meter->bins;
  gsize rest = (gsize)(PAD - 1) * meter->length * sizeof *meter->re;
  double *profile = g_new0 (double, n);

  for (guint line = 0; line < meter->lines; line++) {
    if (!meter->counts[line])
      continue;
    make_spectrum (meter, line);
    memset (meter->re + meter->length, 0, rest);
    memset (meter->im + meter->length, 0, rest);
    oct_meter_fft_run (meter->fine, meter->re, meter->im);
    for (guint i = 0; i < n; i++)
      profile[i] += meter->re[i] * meter->re[i] + meter->im[i] * meter->im[i];
  }
  for (guint i = 0; i < n; i++)
    profile[i] = sqrt (profile[i] / meter->n_lines);
  return profile;
}

/* Where values fall to `level` times that at `top`, to the left and the right,
 * linear between values; not-a-number if they do not. */
static double
meter_find_width (const double *values, guint n, guint top, double level)
{
  double limit = level * values[top];
  guint left = top, right = top;

  while (left > 0 && values[left] > limit)
    left--;
  while (right < n - 1 && values[right] > limit)
    right++;
  if (!(values[left] <= limit && values[right] <= limit) || left == right)
    return NAN;
  return right - (limit - values[right]) / (values[right - 1] - values[right])
         - left - (limit - values[left]) / (values[left + 1] - values[left]);
}

/* The top of the parabola through three logarithms around `top`, relative to
 * it, -0.5 .. 0.5 */
static double
refine_peak (const double *values, guint n, guint top)
{
  double before, here, after, bend;

  if (top == 0 || top == n - 1 || values[top - 1] <= 0 || values[top + 1] <= 0)
    return 0;
  before = log (values[top - 1]);
  here = log (values[top]);
  after = log (values[top + 1]);
  bend = before - 2 * here + after;
  return bend < 0 ? CLAMP (0.5 * (before - after) / bend, -0.5, 0.5) : 0;
}

/* If the source is higher than the peak, its own echoes are higher than those
 * of the peak: bins nearer to zero delay than to the peak are not examined. */
static double
find_side_lobe (
    const Meter *meter, const double *profile, guint top, double width)
{
  guint n = PAD * meter->bins, first = PAD * meter->first;
  double far = SIDE_LOBES * width, highest = 0;

  if (meter->residue_top == HUGE_VAL)
    return NAN;
  if (meter->residue_top > profile[top])
    first = MAX (first, top / 2);
  for (guint i = first; i < n; i++)
    if (fabs ((double)i - top) > far)
      highest = MAX (highest, profile[i]);
  return highest > 0 ? 20 * log10 (highest / profile[top]) : NAN;
}

/* Returns the peak in the profile. */
static guint
measure_psf (Meter *meter, OctMeterPeak *peak)
{
  static const double drops[OCT_METER_N_WIDTHS] = { 3, 6, 20 };
  guint n = PAD * meter->bins, top = PAD * meter->first;
  g_autofree double *profile = make_profile (meter);

  for (guint i = top; i < PAD * meter->end; i++)
    if (profile[i] > profile[top])
      top = i;
  peak->bin = (top + refine_peak (profile, n, top)) / PAD;
  peak->level = profile[top] > 0 ? 20 * log10 (profile[top]) : NAN;
  for (guint i = 0; i < OCT_METER_N_WIDTHS; i++)
    peak->width[i] =
        meter_find_width (profile, n, top, pow (10, -drops[i] / 20)) / PAD;
  peak->side_lobe =
      find_side_lobe (meter, profile, top, PAD * peak->width[OCT_METER_20DB]);
  return top;
}

/* re[lines] and im[lines] of the counted lines between two bins */
static void
read_peak (Meter *meter, guint top, double *re, double *im)
{
  guint next = 0, all = PAD * meter->length;

  for (guint line = 0; line < meter->lines; line++) {
    double sum_re = 0, sum_im = 0;

    if (!meter->counts[line])
      continue;
    make_spectrum (meter, line);
    for (guint i = 0; i < meter->length; i++) {
      double angle = 2 * G_PI * ((guint64)i * top % all) / all;
      double c = cos (angle), s = sin (angle);

      sum_re += meter->re[i] * c + meter->im[i] * s;
      sum_im += meter->im[i] * c - meter->re[i] * s;
    }
    re[next] = sum_re;
    im[next++] = sum_im;
  }
}

static int
meter_compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double
find_median (double *values, guint n)
{
  qsort (values, n, sizeof *values, meter_compare_doubles);
  return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/* E |a - mean a|^2 of one bin over the counted lines */
static double
find_variance (const Meter *meter, guint bin)
{
  double re = 0, im = 0, sum = 0;

  for (guint line = 0; line < meter->lines; line++)
    if (meter->counts[line]) {
      re += get_line (meter, line)[2 * bin];
      im += get_line (meter, line)[2 * bin + 1];
    }
  re /= meter->n_lines;
  im /= meter->n_lines;
  for (guint line = 0; line < meter->lines; line++)
    if (meter->counts[line]) {
      double x = get_line (meter, line)[2 * bin] - re;
      double y = get_line (meter, line)[2 * bin + 1] - im;

      sum += x * x + y * y;
    }
  return sum / (meter->n_lines - 1);
}

/* E |noise|^2 of a bin, not-a-number without bins far from the peak */
static double
meter_find_noise (const Meter *meter, double peak)
{
  double guard = GUARD * meter->bins;
  guint first = MAX ((guint)guard, OCT_METER_FIRST_BIN), n = 0;
  gboolean by_lines = meter->n_lines >= OCT_METER_NOISE_LINES;
  g_autofree double *values =
      g_new (double, (gsize)meter->bins *(by_lines ? 1 : meter->n_lines));

  for (guint bin = first; bin < meter->bins; bin++) {
    if (fabs (bin - peak) <= guard)
      continue;
    if (by_lines) {
      values[n++] = find_variance (meter, bin);
      continue;
    }
    for (guint line = 0; line < meter->lines; line++)
      if (meter->counts[line]) {
        const float *value = get_line (meter, line) + 2 * bin;

        values[n++] = (double)value[0] * value[0] + (double)value[1] * value[1];
      }
  }
  if (n == 0)
    return NAN;
  return find_median (values, n) / (by_lines ? 1 : G_LN2);
}

/* Root of the mean square change from value to value, without its mean. */
static double
find_phase_noise (const double *re, const double *im, guint n)
{
  double mean_re = 0, mean_im = 0, mean = 0, square = 0;

  if (n < 3)
    return NAN;
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 1; i < n; i++) {
      double c = re[i] * re[i - 1] + im[i] * im[i - 1];
      double s = im[i] * re[i - 1] - re[i] * im[i - 1];
      double size = hypot (c, s), step;

      if (pass == 0) {
        mean_re += size > 0 ? c / size : 0;
        mean_im += size > 0 ? s / size : 0;
        continue;
      }
      step = atan2 (s * mean_re - c * mean_im, c * mean_re + s * mean_im);
      mean += step / (n - 1);
      square += step * step / (n - 1);
    }
  return sqrt (MAX (square - mean * mean, 0));
}

static void
measure_noise (Meter *meter, guint top, OctMeterPeak *peak)
{
  double noise = meter_find_noise (meter, (double)top / PAD), signal = 0;
  g_autofree double *re = g_new (double, meter->n_lines);
  g_autofree double *im = g_new (double, meter->n_lines);

  if (!(noise > 0))
    return;
  read_peak (meter, top, re, im);
  for (guint i = 0; i < meter->n_lines; i++)
    signal += (re[i] * re[i] + im[i] * im[i]) / meter->n_lines;
  signal -= noise;
  peak->floor = 10 * log10 (noise);
  if (!(signal > 0))
    return;
  peak->snr = 10 * log10 (signal / noise);
  peak->phase_noise = find_phase_noise (re, im, meter->n_lines);
  peak->phase_limit = sqrt (noise / signal);
}

gboolean
oct_meter_ascans (const float *ascans, guint lines, guint bins, guint start,
    guint first, guint end, OctMeterPeak *peak, GError **error)
{
  Meter meter = { .ascans = ascans,
    .lines = lines,
    .bins = bins,
    .start = start,
    .first = first - MIN (first, start),
    .end = end > 0 ? MIN (end - MIN (end, start), bins) : bins };
  guint top;

  *peak =
      (OctMeterPeak){ 0, NAN, NAN, { NAN, NAN, NAN }, NAN, NAN, NAN, NAN, NAN };
  if (bins < OCT_METER_MIN_BINS || meter.first + 2 > meter.end) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A peak is looked for in depth bins %u to %u, but the A-scans, bins %u "
        "to %u, hold too few of them; set the range of bins larger, or "
        "`depth-bins` to %u or more.",
        first, end > 0 ? end : start + bins, start, start + bins,
        OCT_METER_MIN_BINS);
    return FALSE;
  }
  init_meter (&meter);
  if (meter.n_lines > 0) {
    find_residue (&meter);
    top = measure_psf (&meter, peak);
    if (isfinite (peak->level))
      measure_noise (&meter, top, peak);
    peak->bin += start;
  }
  peak->lines = meter.n_lines;
  clear_meter (&meter);
  if (isfinite (peak->level))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "The A-scans hold nothing to measure: they are %s; look at what the "
      "source delivers.",
      peak->lines > 0 ? "zeros" : "no finite numbers");
  return FALSE;
}

void
oct_meter_profile (const float *ascans, guint lines, guint bins, double *db)
{
  guint n = 0;

  memset (db, 0, bins * sizeof *db);
  for (guint line = 0; line < lines; line++) {
    const float *values = ascans + (gsize)line * 2 * bins;

    if (!meter_is_finite (values, bins))
      continue;
    n++;
    for (guint i = 0; i < bins; i++)
      db[i] += (double)values[2 * i] * values[2 * i]
               + (double)values[2 * i + 1] * values[2 * i + 1];
  }
  for (guint i = 0; i < bins; i++)
    db[i] = n > 0 ? 10 * log10 (db[i] / n) : NAN;
}

gboolean
oct_meter_roll_off (const double *depth, const double *level, guint n,
    double *slope, double *lost_6db)
{
  g_autofree double *pairs = g_new (double, 2 * MAX (n, 1));
  double z = 0, v = 0, zz = 0, zv = 0, limit;

  *slope = *lost_6db = NAN;
  for (guint i = 0; i < n; i++) {
    pairs[2 * i] = depth[i];
    pairs[2 * i + 1] = level[i];
    z += depth[i] / n;
    v += level[i] / n;
  }
  for (guint i = 0; i < n; i++) {
    zz += (depth[i] - z) * (depth[i] - z);
    zv += (depth[i] - z) * (level[i] - v);
  }
  if (n < 2 || !(zz > 0))
    return FALSE;
  *slope = zv / zz;
  qsort (pairs, n, 2 * sizeof *pairs, meter_compare_doubles);
  limit = pairs[1] - 6;
  for (guint i = 1; i < n; i++) {
    const double *a = pairs + 2 * (i - 1), *b = pairs + 2 * i;

    if (b[1] < limit) {
      *lost_6db = a[0] + (b[0] - a[0]) * (a[1] - limit) / (a[1] - b[1]);
      break;
    }
  }
  return TRUE;
}
