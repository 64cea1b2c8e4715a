/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which mirrors make the calibration, and why others do not.
 */
#include "oct-mirror-set.h"

#include <math.h>

#include "oct-curve.h"
#include "oct-mirror-outliers.h"
#include "oct-mirror-sides.h"
#include "oct-number.h"

/* Part of the samples at the largest value: reported, and left out if there are
 * others. */
#define SATURATED 0.02
#define MUCH_SATURATED 0.05
#define COHERENT 0.8
/* dB below the peak: of a second mirror, or a ghost worth a note. */
#define SECOND_MIRROR -10.0
#define GHOST -20.0
/* The same before the wavenumbers are known better than as a cubic. */
#define SECOND_OF_CUBIC -6.0
/* The same of the amplitude of two mirrors that beat (is_rippled ()). */
#define BEAT -16.0
/* dB over the noise floor: not noise */
#define OVER_NOISE 14.0
/* Fraction of the samples, in bins: beyond it a fringe comes near half of the
 * sampling rate, and interpolation between its samples adds an image of it. */
#define DEEP 0.35
/* Other possible causes. */
#define FEW_LINES                                                              \
  "  If it stood still, correct --samples, --header-size, --packing or "       \
  "--sample-format."

/* The highest value of ascan beside the peak at bin `own` and, with
 * `saturated`, its multiples; dB below the peak, at *bin.  -HUGE_VAL: it is not
 * clearly above the noise. */
static double
find_second_peak (
    const double *ascan, guint n, double own, gboolean saturated, double *bin)
{
  guint count = OCT_MIRROR_PEAK_PADDING * n / 2;
  guint from = 2 * OCT_FRINGE_FIRST_BIN * OCT_MIRROR_PEAK_PADDING;
  double highest = 0, most = 0, floor;

  for (guint q = from; q < count; q++) {
    double at = (double)q / OCT_MIRROR_PEAK_PADDING;
    double multiple = saturated ? MAX (rint (at / own), 1) * own : own;

    if (fabs (at - own) < 3)
      highest = MAX (highest, ascan[q]);
    else if (fabs (at - multiple) > MAX (10, 0.05 * multiple)
             && ascan[q] > most) {
      most = ascan[q];
      *bin = at;
    }
  }
  /* median of |a| of noise over its rms */
  floor = oct_curve_quantile (ascan + from, count - from, 0.5) / sqrt (log (2));
  if (20 * log10 (MAX (most, 1e-300) / MAX (floor, 1e-300)) < OVER_NOISE)
    return -HUGE_VAL;
  return 20 * log10 (MAX (most, 1e-300) / MAX (highest, 1e-300));
}

static void
leave_out_deep (OctMirror *mirror)
{
  oct_mirror_leave_out (mirror,
      "%s is left out: its fringes come near half of the sampling rate, where "
      "their phase cannot be measured; move the mirror nearer to the zero "
      "delay.",
      mirror->name);
}

/* How often the wavenumbers ripple along the record, if that is what makes the
 * peak at `bin`; 0: it is another mirror's.  Slower ripples are followed and
 * make no peak. */
static guint
count_ripple (const OctFringe *fringe, double bin)
{
  gboolean within = bin > 0.5 * fringe->frequency
                    && bin < MIN (1.6 * fringe->frequency, fringe->samples / 2);

  guint ripple = within ? oct_fringe_find_ripple (fringe) : 0;

  return ripple > OCT_MIRROR_SET_RIPPLES ? ripple : 0;
}

static void
leave_out_double (OctMirror *mirror, double own, double bin, double level)
{
  if (MIN (own, bin) > DEEP * mirror->fringe->samples) {
    leave_out_deep (mirror);
    return;
  }
  mirror->ripple = count_ripple (mirror->fringe, bin);
  if (mirror->ripple > 0) {
    oct_mirror_leave_out (mirror,
        "%s is left out: its wavenumbers ripple %u times along the record, and "
        "a calibration follows about %u ripples; correct the clock of the "
        "samples, or what is periodic in the spectrometer.",
        mirror->name, mirror->ripple, OCT_MIRROR_SET_RIPPLES);
    return;
  }
  /* the source's spectrum reaches there */
  if (own < 2 * OCT_FRINGE_FIRST_BIN) {
    oct_mirror_leave_out (mirror,
        "%s is left out: its fringe at bin %.0f is too near the zero delay to "
        "be distinguished from the source's spectrum; move the mirror away "
        "from it.",
        mirror->name, own);
    return;
  }
  oct_mirror_leave_out (mirror,
      "%s is left out: beside its fringe at bin %.0f it has one at bin %.0f, "
      "%.0f dB weaker; have one mirror alone in the light, or give the "
      "spectrum "
      "without it as --background.",
      mirror->name, own, bin, MAX (-level, 0));
}

/* Whether the fringe is that of one mirror, with wavenumbers that ripple along
 * the record.  Both make a second peak next to the one of a cubic phase, but a
 * ripple changes the phase alone.  The amplitude of two mirrors of amplitudes 1
 * and r beats, |1 + r exp (i t)|, even after the phase of their sum was
 * removed: that leaves peaks of r/2 (1 - r^2/8) / (1 + r^2/4), -12.8 dB for the
 * weaker one that is looked for. */
static gboolean
is_rippled (const OctMirror *mirror)
{
  OctFringe *fringe = mirror->fringe;
  guint n = fringe->samples;
  const double side = 1;
  g_autoptr (OctMirrorFit) own = oct_mirror_fit_new (&fringe, 1, &side);
  g_autofree double complex *y = g_new (double complex, n);
  g_autofree double *k_index = g_new (double, n);
  g_autofree double *dispersion = g_new (double, n);
  g_autofree double *ascan = NULL;
  double bin;

  if (own == NULL || !own->rising)
    return FALSE;
  oct_mirror_fit_fill_columns (own, 1, k_index, dispersion);
  for (guint p = 0; p < n; p++)
    y[p] = fringe->average[p] - own->backgrounds[p];
  ascan = oct_mirror_peak_transform (y, n, k_index, dispersion);
  return find_second_peak (ascan, n, oct_mirror_fit_get_bin (own, 0),
             fringe->saturated > SATURATED, &bin)
         < BEAT;
}

/* Two mirrors near each other beat, which a fit may take for wavenumbers that
 * are uneven: they are seen while it is a cubic. */
static void
look_for_double (OctMirror *mirror)
{
  guint n = mirror->fringe->samples;
  g_autofree double *phase = g_new0 (double, n);
  g_autofree double *index = g_new (double, n);
  g_autofree double *k_index = g_new (double, n);
  g_autofree double *ascan = NULL;
  double cubic[4], legendre[4], bin = 0, level;
  OctMirrorPeak peak;

  if (!oct_fringe_fit_cubic (mirror->fringe, cubic))
    return;
  for (guint p = 0; p < n; p++) {
    index[p] = p;
    oct_curve_legendre (p, n, legendre);
    for (guint i = 0; i < 4; i++)
      phase[p] += cubic[i] * legendre[i];
    if (p > 0 && !(phase[p] > phase[p - 1]))
      return;
  }
  for (guint p = 0; p < n; p++)
    k_index[p] = oct_curve_interpolate (
        phase, index, n, phase[0] + (phase[n - 1] - phase[0]) * p / (n - 1));
  ascan = oct_mirror_peak_transform (mirror->fringe->average, n, k_index, NULL);
  oct_mirror_peak_measure (ascan, n,
      MAX (0.75 * mirror->fringe->frequency, OCT_FRINGE_FIRST_BIN),
      1.33 * mirror->fringe->frequency, &peak);
  level = find_second_peak (
      ascan, n, peak.bin, mirror->fringe->saturated > SATURATED, &bin);
  mirror->falls_apart = level > SECOND_OF_CUBIC && is_rippled (mirror);
  if (level > SECOND_OF_CUBIC && !mirror->falls_apart)
    leave_out_double (mirror, peak.bin, bin, level);
}

/* FALSE: so near to half of the sampling rate that no sample has one, or too
 * few of them to say how deep the mirror is. */
static gboolean
has_phase (OctFringe *fringe)
{
  const double side = 1;
  g_autoptr (OctMirrorFit) own = NULL;

  if (fringe->frequency <= DEEP * fringe->samples)
    return TRUE;
  own = oct_mirror_fit_new (&fringe, 1, &side);
  return own != NULL
         && fabs (oct_mirror_fit_get_bin (own, 0) - fringe->frequency)
                < 0.25 * fringe->frequency;
}

static void
mirror_set_look_at (OctMirrorSet *set, OctMirror *mirror)
{
  OctFringe *fringe = mirror->fringe;
  g_autofree char *least =
      oct_number_beside (fringe->snr, OCT_FRINGE_MIN_SNR, 0);
  g_autofree char *expected =
      oct_number_beside (fringe->snr, OCT_FRINGE_GOOD_SNR, 0);

  if (fringe->snr < OCT_FRINGE_MIN_SNR)
    oct_mirror_leave_out (mirror,
        "%s is left out: no fringe is seen in it (%s dB above the noise, %.0f "
        "are needed); align the mirror, give it more light, or move it away "
        "from "
        "the zero delay.",
        mirror->name, least, OCT_FRINGE_MIN_SNR);
  else if (fringe->folded)
    oct_mirror_leave_out (mirror,
        "%s is left out: its fringes reach half of the sampling rate, beyond "
        "which they fold back; move the mirror nearer to the zero delay.",
        mirror->name);
  else if (!has_phase (fringe))
    leave_out_deep (mirror);
  else if (fringe->snr < OCT_FRINGE_GOOD_SNR)
    oct_mirror_set_note (set,
        "%s has a weak fringe, %s dB above the noise where %.0f are "
        "expected; take more A-lines of it, or give it more light.",
        mirror->name, expected, OCT_FRINGE_GOOD_SNR);
  if (mirror->used)
    look_for_double (mirror);
  if (mirror->used && fringe->lines < fringe->given)
    oct_mirror_set_note (set,
        "%s is at several depths, it moved or is tilted: the %u of its %u "
        "A-lines that agree with the brightest are used; hold it still and "
        "upright, or give one depth per file.%s",
        mirror->name, fringe->lines, fringe->given,
        oct_mirror_has_few_lines (mirror) ? FEW_LINES : "");
  else if (mirror->used && fringe->coherence < COHERENT)
    oct_mirror_set_note (set,
        "The A-lines of %s agree with each other to %.0f %% only, as noise "
        "makes them; give the mirror more light.",
        mirror->name, 100 * fringe->coherence);
}

/* Saturated ones are left out where at least two others are there. */
static void
look_for_saturated (OctMirrorSet *set)
{
  guint others = 0;

  for (guint i = 0; i < set->mirrors->len; i++) {
    const OctMirror *mirror = oct_mirror_set_get (set, i);

    others += mirror->used && mirror->fringe->saturated <= MUCH_SATURATED;
  }
  for (guint i = 0; i < set->mirrors->len; i++) {
    OctMirror *mirror = oct_mirror_set_get (set, i);
    double part = mirror->fringe->saturated;

    if (!mirror->used || part <= SATURATED)
      continue;
    if (others >= 2 && part > MUCH_SATURATED)
      oct_mirror_leave_out (mirror,
          "%s is left out: %.0f %% of its samples are at the largest value, "
          "the "
          "camera is saturated; give it less light.",
          mirror->name, 100 * part);
    else
      oct_mirror_set_note (set,
          "%.0f %% of the samples of %s are at the largest value; if the "
          "camera "
          "is saturated, give it less light.",
          100 * part, mirror->name);
  }
}

gboolean
oct_mirror_set_sort_out (OctMirrorSet *set, GError **error)
{
  for (guint i = 0; i < set->mirrors->len; i++)
    mirror_set_look_at (set, oct_mirror_set_get (set, i));
  look_for_saturated (set);
  oct_mirror_set_list_used (set);
  if (set->used->len > 0)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "No mirror has a fringe that can be used: %s",
      oct_mirror_set_get (set, 0)->reason);
  return FALSE;
}

/* The second peak in the A-scan of mirror i of the fit. */
static double
find_second (const OctMirrorSet *set, guint i, double *bin)
{
  guint n = set->samples;
  const double complex *rests = set->fit->backgrounds + (gsize)i * n;
  g_autofree double complex *y = g_new (double complex, n);
  g_autofree double *k_index = g_new (double, n);
  g_autofree double *dispersion = g_new (double, n);
  g_autofree double *ascan = NULL;

  for (guint p = 0; p < n; p++)
    y[p] = oct_mirror_set_get_used (set, i)->fringe->average[p] - rests[p];
  oct_mirror_fit_fill_columns (
      set->fit, set->fit->sides[i], k_index, dispersion);
  ascan = oct_mirror_peak_transform (y, n, k_index, dispersion);
  return find_second_peak (ascan, n, oct_mirror_fit_get_bin (set->fit, i),
      oct_mirror_set_get_used (set, i)->fringe->saturated > SATURATED, bin);
}

/* Two mirrors in one spectrum: the worst of them.  FALSE: there is none. */
static gboolean
leave_out_doubles (OctMirrorSet *set)
{
  double worst = SECOND_MIRROR, worst_bin = 0, own = 0;
  OctMirror *found = NULL;

  for (guint i = 0; i < set->used->len; i++) {
    double bin = 0, level = find_second (set, i, &bin);

    if (level > worst) {
      found = oct_mirror_set_get_used (set, i);
      worst = level;
      worst_bin = bin;
      own = oct_mirror_fit_get_bin (set->fit, i);
    }
  }
  if (found == NULL)
    return FALSE;
  leave_out_double (found, own, worst_bin, worst);
  oct_mirror_set_list_used (set);
  return set->used->len > 0;
}

static void
note_ghosts (OctMirrorSet *set)
{
  for (guint i = 0; i < set->used->len; i++) {
    OctMirror *mirror = oct_mirror_set_get_used (set, i);
    double bin = 0, level = find_second (set, i, &bin);
    guint ripple = level > GHOST ? count_ripple (mirror->fringe, bin) : 0;

    if (ripple > 0)
      oct_mirror_set_note (set,
          "The wavenumbers of %s ripple %u times along the record, which the "
          "calibration follows in part: a peak %.0f dB below the mirror's is "
          "left.",
          mirror->name, ripple, -level);
    else if (level > GHOST)
      oct_mirror_set_note (set,
          "%s has a second reflection at bin %.0f, %.0f dB below the mirror's; "
          "remove or tilt what reflects there, or give the spectrum without "
          "the "
          "mirror as --background.",
          mirror->name, bin, -level);
  }
}

static gboolean
set_sides_error (const OctMirrorSet *set, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "On which side of the zero delay the mirrors lie is not certain from "
      "%u of them, and a wrong guess blurs the images; say it: --other-side "
      "FILE for those on the other side than the sample, or --same-side if "
      "there are none.",
      set->used->len);
  return FALSE;
}

/* Stores the results of the calibration in the mirrors, and adds notes. */
static void
mirror_set_finish (OctMirrorSet *set, gboolean given)
{
  OctMirrorFit *f = set->fit;
  const char *other = NULL;

  for (guint i = 0; i < set->used->len; i++) {
    OctMirror *mirror = oct_mirror_set_get_used (set, i);

    mirror->bin = oct_mirror_fit_get_bin (f, i);
    mirror->residual = f->residuals[i];
    mirror->side = f->sides[i];
    if (f->sides[i] < 0 && other == NULL)
      other = mirror->name;
  }
  if (!given && other != NULL)
    oct_mirror_set_note (set,
        "%s lies on the other side of the zero delay than %s; the calibration "
        "is for samples on the side of %s: name one of the other side first if "
        "yours lie there.",
        other, oct_mirror_set_get_used (set, 0)->name,
        oct_mirror_set_get_used (set, 0)->name);
  if (oct_mirror_set_is_one_depth (set)) {
    oct_mirror_fit_forget_dispersion (f);
    oct_mirror_set_note (set,
        "There is one depth alone, bin %.0f: dispersion cannot be separated "
        "from the wavenumbers, and the calibration is exact at this depth "
        "only; add a mirror at another depth.",
        oct_mirror_fit_get_bin (f, 0));
  } else if (oct_mirror_fit_get_spread (f) < OCT_MIRROR_SET_CLOSE) {
    oct_mirror_set_note (set,
        "The mirrors are close together, within %.0f %% of the deepest: far "
        "from them the calibration is uncertain; add one that is farther away.",
        100 * oct_mirror_fit_get_spread (f));
  }
}

/* The same where they do not fit each other, or nobody knows, and are too many
 * to try every choice: once for all of them, as it takes long. */
static gboolean
find_sides_of_many (OctMirrorSet *set, gboolean *found, GError **error)
{
  guint count = set->used->len;
  g_autofree double *sides =
      g_memdup2 (set->fit->sides, count * sizeof (double));

  for (guint i = 0; i < set->mirrors->len; i++)
    oct_mirror_set_get (set, i)->likely_side = 0;
  if (count <= OCT_MIRROR_SET_MAX_CHOICES
      || (*found && oct_mirror_set_is_consistent (set)))
    return TRUE;
  if (oct_mirror_set_try_sides_of_some (set, sides)) {
    *found = TRUE;
    for (guint i = 0; i < count; i++)
      oct_mirror_set_get_used (set, i)->likely_side = sides[i];
  }
  return set->fit != NULL || oct_mirror_set_fit_on (set, sides, error);
}

gboolean
oct_mirror_set_fit (OctMirrorSet *set, double k_span, GError **error)
{
  gboolean given = oct_mirror_set_are_sides_given (set), found, again;

  do {
    if (!oct_mirror_set_fit_with_sides (set, k_span, &found, error)
        || !(given || find_sides_of_many (set, &found, error))
        || !oct_mirror_set_leave_out_others (set, k_span, &again, error))
      return FALSE;
  } while (again || leave_out_doubles (set));
  if (set->used->len == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "No mirror is left to make a calibration of: %s",
        oct_mirror_set_get (set, 0)->reason);
    return FALSE;
  }
  if (!found)
    return set_sides_error (set, error);
  mirror_set_finish (set, given);
  note_ghosts (set);
  return TRUE;
}
