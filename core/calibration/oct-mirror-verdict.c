/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The quality of a calibration: the peaks of mirrors after it is applied. */
#include "oct-mirror-set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oct-curve.h"
#include "oct-number.h"

/* Times the width that the fringe allows. */
#define GOOD_WIDTH OCT_MIRROR_SET_GOOD_WIDTH
#define USABLE_WIDTH 1.25
/* dB that a peak may lose to the one without a calibration: dispersion and
 * uneven wavenumbers may cancel at one depth.  One that is as narrow as its
 * light allows, with phases that are right to so many rad, loses some where the
 * light moves away from the middle of the window, and near half of the sampling
 * rate as it is read between samples. */
#define MAY_LOSE 0.1
#define MAY_LOSE_NARROW 3.0
#define RIGHT_PHASES 0.2
/* Errors of phases that are predicted are lower bounds. */
#define ERROR_FACTOR 3.0
#define ERROR_LIMIT 0.3
/* rad: errors of a mirror's phase that do not average out, of ghosts and
 * saturation */
#define SYSTEMATIC 0.03
/* Depths, and mirrors of them, with cross-validation: each is left out once. */
#define MIN_CROSS_CHECKED 4
#define MAX_CROSS_CHECKED 5
/* Fraction of the square of the brightest sample. */
#define SAMPLES_UNDER_LIGHT 0.01

/* The mirror with exact phases, by itself. */
static void
measure_ideal (const OctMirrorSet *set, OctMirror *mirror)
{
  guint n = set->samples;
  const double side = 1;
  g_autoptr (OctMirrorFit) own = oct_mirror_fit_new (&mirror->fringe, 1, &side);
  g_autofree double *k_index = g_new (double, n);
  g_autofree double *dispersion = g_new (double, n);
  g_autofree double *ascan = NULL;

  memset (&mirror->ideal, 0, sizeof mirror->ideal);
  if (own == NULL)
    return;
  oct_mirror_fit_fill_columns (own, 1, k_index, dispersion);
  ascan = oct_mirror_peak_transform_ideal (
      own->amplitudes, n, k_index, rint (n / 4.0));
  oct_mirror_peak_measure (ascan, n, n / 8.0, n * 3 / 8.0, &mirror->ideal);
  mirror->ideal.bin = oct_mirror_fit_get_bin (own, 0);
}

static OctMirrorPeak
measure_peak (const OctMirrorSet *set, const OctMirror *mirror, double bin,
    const double *k_index, const double *dispersion)
{
  g_autofree double *ascan = oct_mirror_peak_transform (
      mirror->fringe->average, set->samples, k_index, dispersion);
  OctMirrorPeak peak;

  oct_mirror_peak_measure (ascan, set->samples,
      MAX (0.75 * bin, OCT_FRINGE_FIRST_BIN), 1.33 * bin, &peak);
  return peak;
}

void
oct_mirror_set_measure (
    OctMirrorSet *set, const double *k_index, const double *dispersion)
{
  guint n = set->samples;
  /* a calibration may use a part of the record: a bin is deeper then */
  double part = fabs (k_index[n - 1] - k_index[0]) / (n - 1);
  g_autofree double *opposite = g_new0 (double, n);

  for (guint p = 0; dispersion != NULL && p < n; p++)
    opposite[p] = -dispersion[p];
  for (guint i = 0; i < set->used->len; i++) {
    OctMirror *mirror = oct_mirror_set_get_used (set, i);
    double bin = mirror->fringe->frequency;
    OctMirrorPeak here, there;

    measure_ideal (set, mirror);
    mirror->before = measure_peak (set, mirror, bin, NULL, NULL);
    if (mirror->ideal.bin > 0)
      bin = mirror->ideal.bin;
    mirror->ideal.width_6db *= part;
    bin *= part;
    here = measure_peak (set, mirror, bin, k_index, dispersion);
    there = dispersion != NULL
                ? measure_peak (set, mirror, bin, k_index, opposite)
                : here;
    if (mirror->side == 0)
      mirror->side = there.level > here.level ? -1 : 1;
    mirror->after = mirror->side > 0 ? here : there;
    mirror->bin = mirror->after.bin;
  }
}

double
oct_mirror_get_excess (const OctMirror *mirror)
{
  return mirror->ideal.width_6db > 0
             ? mirror->after.width_6db / mirror->ideal.width_6db
             : HUGE_VAL;
}

gboolean
oct_mirror_has_few_lines (const OctMirror *mirror)
{
  return mirror->fringe->lines < mirror->fringe->given / 2.0;
}

OctVerdict
oct_mirror_set_judge (const OctMirrorSet *set, const OctMirror **worst)
{
  double most = 0;
  gboolean few = FALSE;

  *worst = NULL;
  for (guint i = 0; i < set->used->len; i++) {
    const OctMirror *mirror = oct_mirror_set_get_used (set, i);

    if (*worst == NULL || oct_mirror_get_excess (mirror) > most) {
      most = oct_mirror_get_excess (mirror);
      *worst = mirror;
    }
    few = few || oct_mirror_has_few_lines (mirror);
  }
  return most <= GOOD_WIDTH && !few ? OCT_VERDICT_GOOD
         : most <= USABLE_WIDTH     ? OCT_VERDICT_USABLE
                                    : OCT_VERDICT_BAD;
}

static int
compare_bins (gconstpointer a, gconstpointer b)
{
  double x = (*(OctMirror *const *)a)->bin, y = (*(OctMirror *const *)b)->bin;

  return (x > y) - (x < y);
}

/* Used mirrors by depth, [used]. */
static OctMirror **
sort_by_depth (const OctMirrorSet *set)
{
  guint count = set->used->len;
  OctMirror **sorted = g_new (OctMirror *, count + 1);

  for (guint i = 0; i < count; i++)
    sorted[i] = oct_mirror_set_get_used (set, i);
  qsort (sorted, count, sizeof *sorted, compare_bins);
  return sorted;
}

static gboolean
is_beside (const OctMirror *a, const OctMirror *b, double deepest)
{
  return fabs (a->bin * a->side - b->bin * b->side)
         < OCT_MIRROR_SET_ONE_DEPTH * deepest;
}

/* The width of `mirror` over its ideal, after a calibration from the mirrors at
 * other depths. */
static double
find_excess_without (
    const OctMirrorSet *set, const OctMirror *mirror, double deepest)
{
  guint n = set->samples, others = 0;
  g_autofree OctFringe **fringes = g_new (OctFringe *, set->used->len);
  g_autofree double *sides = g_new (double, set->used->len);
  g_autofree double *k_index = g_new (double, n);
  g_autofree double *dispersion = g_new (double, n);
  g_autoptr (OctMirrorFit) fit = NULL;

  for (guint i = 0; i < set->used->len; i++) {
    const OctMirror *other = oct_mirror_set_get_used (set, i);

    if (is_beside (other, mirror, deepest))
      continue;
    fringes[others] = other->fringe;
    sides[others++] = other->side;
  }
  fit = oct_mirror_fit_new (fringes, others, sides);
  if (fit == NULL || !(mirror->ideal.width_6db > 0))
    return HUGE_VAL;
  oct_mirror_fit_fill_columns (fit, mirror->side, k_index, dispersion);
  return measure_peak (set, mirror, mirror->bin, k_index, dispersion).width_6db
         / mirror->ideal.width_6db;
}

guint
oct_mirror_set_cross_check (const OctMirrorSet *set, double *excess)
{
  guint count = set->used->len, checked = MIN (count, MAX_CROSS_CHECKED);
  g_autofree OctMirror **sorted = sort_by_depth (set);

  *excess = 0;
  if (oct_mirror_set_count_depths (set, NULL) < MIN_CROSS_CHECKED)
    return 0;
  for (guint i = 0; i < checked; i++) {
    guint which = (guint)rint ((count - 1.0) * i / (checked - 1));

    *excess = MAX (*excess,
        find_excess_without (set, sorted[which], sorted[count - 1]->bin));
  }
  return checked;
}

/* Mirrors that are left out as their wavenumbers ripple: the calibration has to
 * hold for them all the same, as it is for their depths, too. */
static gboolean
check_ripples (const OctMirrorSet *set, GError **error)
{
  guint n = set->samples, count = set->used->len;
  g_autofree double *widths = g_new (double, count);
  g_autofree double *k_index = g_new (double, n);
  g_autofree double *dispersion = g_new (double, n);
  double possible;

  for (guint i = 0; i < count; i++)
    widths[i] = oct_mirror_set_get_used (set, i)->ideal.width_6db;
  possible = oct_curve_quantile (widths, count, 0.5);
  for (guint i = 0; i < set->mirrors->len; i++) {
    const OctMirror *mirror = oct_mirror_set_get (set, i);
    double width = HUGE_VAL;

    if (mirror->ripple == 0)
      continue;
    for (int side = -1; side <= 1; side += 2) {
      oct_mirror_fit_fill_columns (set->fit, side, k_index, dispersion);
      width = MIN (width, measure_peak (set, mirror, mirror->fringe->frequency,
                              k_index, dispersion)
                              .width_6db);
    }
    if (width <= USABLE_WIDTH * possible)
      continue;
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "With the calibration that was found %s would be %.2f bins wide, while "
        "%.2f are possible: its wavenumbers ripple %u times along the record, "
        "and a calibration follows about %u ripples; correct the clock of the "
        "samples, or what is periodic in the spectrometer.",
        mirror->name, width, possible, mirror->ripple, OCT_MIRROR_SET_RIPPLES);
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_mirror_set_check (const OctMirrorSet *set, GError **error)
{
  const OctMirror *worst;
  g_autofree char *residual =
      oct_number_beside (set->fit->residual, OCT_MIRROR_SET_WORST_RESIDUAL, 1);

  if (!set->fit->rising) {
    g_set_error_literal (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The wavenumbers that were found do not rise from each sample to the "
        "next, thus the fringes are not those of mirrors; give one mirror that "
        "stands still per file.");
    return FALSE;
  }
  if (set->fit->residual > OCT_MIRROR_SET_WORST_RESIDUAL
      && set->used->len == 1) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The phase of the fringe of %s is uncertain by %s rad, where at most "
        "%.1f is expected; take more A-lines of it, or give it more light.",
        oct_mirror_set_get_used (set, 0)->name, residual,
        OCT_MIRROR_SET_WORST_RESIDUAL);
    return FALSE;
  }
  if (set->fit->residual > OCT_MIRROR_SET_WORST_RESIDUAL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The phases of the mirrors are off by %s rad from any common "
        "calibration, where at most %.1f is expected; do all files belong to "
        "the same system, and are the mirrors where --other-side says?",
        residual, OCT_MIRROR_SET_WORST_RESIDUAL);
    return FALSE;
  }
  for (guint i = 0; i < set->used->len; i++) {
    const OctMirror *mirror = oct_mirror_set_get_used (set, i);
    gboolean right = mirror->residual <= RIGHT_PHASES
                     && oct_mirror_get_excess (mirror) <= GOOD_WIDTH;
    double may_lose = right ? MAY_LOSE_NARROW : MAY_LOSE;

    if (mirror->after.level < mirror->before.level - may_lose) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "With the calibration that was found the peak of %s would be lower "
          "than without any (%.1f dB instead of %.1f); leave it out, or give "
          "other mirrors, with stronger fringes.",
          mirror->name, mirror->after.level, mirror->before.level);
      return FALSE;
    }
    if (!mirror->falls_apart
        && mirror->after.width_6db > 1.03 * mirror->before.width_6db) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "With the calibration that was found %s would be less sharp than "
          "without any (%.2f bins wide instead of %.2f); leave it out, or give "
          "other mirrors, with stronger fringes.",
          mirror->name, mirror->after.width_6db, mirror->before.width_6db);
      return FALSE;
    }
  }
  if (oct_mirror_set_judge (set, &worst) != OCT_VERDICT_BAD)
    return check_ripples (set, error);
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "With the calibration that was found %s would be %.2f bins wide, while "
      "its fringe allows %.2f; leave it out, or give other mirrors, with "
      "stronger fringes.",
      worst->name, worst->after.width_6db, worst->ideal.width_6db);
  return FALSE;
}

/* The deepest bin whose fringes stay below half of the sampling rate where
 * there is light. */
static double
find_last_bin (const OctMirrorFit *f)
{
  g_autofree double *slope = g_new (double, f->samples);
  double steepest = 0;

  oct_curve_gradient (f->k, f->samples, slope);
  for (guint p = 0; p < f->samples; p++)
    if (f->light[p] > SAMPLES_UNDER_LIGHT)
      steepest = MAX (steepest, slope[p]);
  return MIN (0.5 / MAX (steepest, 1e-9), 0.95 * f->samples / 2);
}

/* Adds the effect of systematic errors of the mirrors at bins[count]: as in a
 * straight line through them, it grows with the distance from their middle over
 * that between them. */
static void
add_systematic (
    const OctMirrorFit *f, const double *bins, guint count, double *errors)
{
  double mean = 0, square = 0;

  for (guint m = 0; m < f->mirrors; m++)
    mean += f->sides[m] * oct_mirror_fit_get_bin (f, m) / f->mirrors;
  for (guint m = 0; m < f->mirrors; m++) {
    double off = f->sides[m] * oct_mirror_fit_get_bin (f, m) - mean;

    square += off * off;
  }
  for (guint i = 0; i < count; i++) {
    double off = bins[i] - mean, noise = ERROR_FACTOR * errors[i];

    errors[i] =
        sqrt (noise * noise
              + SYSTEMATIC * SYSTEMATIC
                    * (1.0 / f->mirrors + off * off / MAX (square, 1e-12)));
  }
}

gboolean
oct_mirror_set_find_range (const OctMirrorSet *set, double *low, double *high)
{
  double first = OCT_FRINGE_FIRST_BIN, last = find_last_bin (set->fit);
  double bins[129], errors[129];
  gint from, end, best = 0;

  if (oct_mirror_set_is_one_depth (set)) {
    *low = *high = oct_mirror_fit_get_bin (set->fit, 0);
    return FALSE;
  }
  for (guint i = 0; i <= 128; i++)
    bins[i] = first + (last - first) * i / 128;
  oct_mirror_fit_find_errors (set->fit, 1, bins, 129, errors);
  add_systematic (set->fit, bins, 129, errors);
  for (gint i = 1; i <= 128; i++)
    if (errors[i] < errors[best])
      best = i;
  for (from = best; from > 0 && errors[from - 1] < ERROR_LIMIT;)
    from--;
  for (end = best; end < 128 && errors[end + 1] < ERROR_LIMIT;)
    end++;
  *low = bins[from];
  *high = bins[end];
  return TRUE;
}

const char *
oct_mirror_set_advise (const OctMirrorSet *set)
{
  double low, high, last = find_last_bin (set->fit);
  double spread = oct_mirror_fit_get_spread (set->fit), deepest = 0;

  for (guint i = 0; i < set->used->len; i++)
    deepest = MAX (deepest, oct_mirror_fit_get_bin (set->fit, i));
  if (oct_mirror_set_is_one_depth (set))
    return "add a mirror at another depth";
  if (spread < OCT_MIRROR_SET_CLOSE)
    return "add a mirror that is farther away from the others";
  if (set->notes->len > 0 && set->fit->residual > 0.1)
    return "measure the mirrors again that are named above";
  if (deepest < 0.25 * last)
    return "add a mirror near the deep end of the range";
  oct_mirror_set_find_range (set, &low, &high);
  if (high < 0.9 * last)
    return "add a mirror near the deep end of the range, or take more A-lines "
           "of each";
  return NULL;
}

gboolean
oct_mirror_set_find_fall_off (
    const OctMirrorSet *set, double *slope, double *lost_6db)
{
  guint count = set->used->len;
  g_autofree OctMirror **sorted = sort_by_depth (set);
  g_autofree double *bins = g_new (double, count + 1);
  g_autofree double *levels = g_new (double, count + 1);
  double offset;

  for (guint i = 0; i < count; i++) {
    bins[i] = sorted[i]->bin;
    levels[i] = sorted[i]->after.level;
  }
  *lost_6db = 0;
  if (count < 2 || bins[count - 1] - bins[0] < 2)
    return FALSE;
  oct_curve_fit_line (bins, levels, NULL, count, &offset, slope);
  for (guint i = 1; i < count && *lost_6db == 0; i++) {
    double limit = levels[0] - 6;

    if (levels[i] < limit)
      *lost_6db = bins[i - 1]
                  + (bins[i] - bins[i - 1]) * (levels[i - 1] - limit)
                        / (levels[i - 1] - levels[i]);
  }
  return TRUE;
}
