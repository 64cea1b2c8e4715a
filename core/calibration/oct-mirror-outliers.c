/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mirrors that do not fit to the others: which of them, where that is certain.
 */
#include <math.h>

#include "oct-curve.h"
#include "oct-mirror-set-private.h"

/* Times the median width, and rad: no mirror like the others. */
#define WIDE 2.0
#define MISFIT 0.3
/* Up to so many mirrors the rest is fitted without each, and without any two,
 * to find what does not fit. */
#define MAX_SEARCHED 8
/* Some of many, whose sides are tried: so often others where these do not fit. */
#define TRIED_CHOICES 3
/* rad: smaller ones tell no sides; a rest that fits is below, others above. */
#define SMALL_RESIDUAL 0.01
#define CLEAR_RESIDUAL 0.1
#define CLEARLY 3.0

/* Peak of mirror i of the fit behind the fit's own calibration. */
static OctMirrorPeak
measure_fitted (const OctMirrorSet *set, guint i)
{
  guint n = set->samples;
  double bin = oct_mirror_fit_get_bin (set->fit, i);
  g_autofree double *k_index = g_new (double, n);
  g_autofree double *dispersion = g_new (double, n);
  g_autofree double *ascan = NULL;
  OctMirrorPeak peak;

  oct_mirror_fit_fill_columns (
      set->fit, set->fit->sides[i], k_index, dispersion);
  ascan = oct_mirror_peak_transform (
      oct_mirror_set_get_used (set, i)->fringe->average, n, k_index,
      dispersion);
  oct_mirror_peak_measure (
      ascan, n, MAX (0.8 * bin, OCT_FRINGE_FIRST_BIN), 1.25 * bin, &peak);
  return peak;
}

/* Marks the mirrors that are as narrow as the others and have their phases,
 * fits[used]; returns how many. */
static guint
find_fitting (const OctMirrorSet *set, double *widths, gboolean *fits)
{
  guint count = set->used->len, kept = 0;
  double width, residual;

  for (guint i = 0; i < count; i++)
    widths[i] = measure_fitted (set, i).width_6db;
  width = WIDE * oct_curve_quantile (widths, count, 0.5);
  residual =
      MAX (MISFIT, 5 * oct_curve_quantile (set->fit->residuals, count, 0.5));
  for (guint i = 0; i < count; i++) {
    fits[i] = widths[i] <= width && set->fit->residuals[i] <= residual;
    kept += fits[i];
  }
  return kept;
}

gboolean
oct_mirror_set_is_consistent (const OctMirrorSet *set)
{
  guint count = set->used->len;
  g_autofree double *widths = g_new (double, count);
  g_autofree gboolean *fits = g_new (gboolean, count);

  return count < 3
         || (set->fit->residual <= OCT_MIRROR_SET_WORST_RESIDUAL
             && find_fitting (set, widths, fits) == count);
}

gboolean
oct_mirror_set_try_all_sides (OctMirrorSet *set, double *sides)
{
  guint count = set->used->len, found = 0;
  double best = HUGE_VAL, second = HUGE_VAL;

  for (guint choice = 0; choice < 1u << (count - 1); choice++) {
    double residual = HUGE_VAL;

    for (guint i = 0; i < count; i++)
      sides[i] = i > 0 && (choice >> (i - 1) & 1) ? -1 : 1;
    if (oct_mirror_set_fit_on (set, sides, NULL) && set->fit->rising)
      residual = set->fit->residual;
    if (residual < best) {
      second = best;
      best = residual;
      found = choice;
    } else {
      second = MIN (second, residual);
    }
  }
  for (guint i = 0; i < count; i++)
    sides[i] = i > 0 && (found >> (i - 1) & 1) ? -1 : 1;
  best = MAX (best, SMALL_RESIDUAL);
  return oct_mirror_set_fit_on (set, sides, NULL)
         && second * second >= OCT_MIRROR_SET_SURE_OF_SIDES * best * best;
}

static int
compare_frequencies (gconstpointer a, gconstpointer b, gpointer data)
{
  const OctMirrorSet *set = data;
  double x = oct_mirror_set_get (set, *(const guint *)a)->fringe->frequency;
  double y = oct_mirror_set_get (set, *(const guint *)b)->fringe->frequency;

  return (x > y) - (x < y);
}

/* The side on which the fit's calibration makes this mirror's peak higher; of
 * one in the fit the fit's own. */
static double
find_sharper_side (const OctMirrorSet *set, guint number)
{
  const OctMirror *mirror = oct_mirror_set_get (set, number);
  guint n = set->samples;
  g_autofree double *k_index = g_new (double, n);
  g_autofree double *dispersion = g_new (double, n);
  double levels[2];

  for (guint i = 0; i < set->used->len; i++)
    if (g_array_index (set->used, guint, i) == number)
      return set->fit->sides[i];
  for (guint other = 0; other < 2; other++) {
    g_autofree double *ascan = NULL;
    OctMirrorPeak peak;

    oct_mirror_fit_fill_columns (set->fit, other ? -1 : 1, k_index, dispersion);
    ascan = oct_mirror_peak_transform (
        mirror->fringe->average, n, k_index, dispersion);
    oct_mirror_peak_measure (ascan, n,
        MAX (0.75 * mirror->fringe->frequency, OCT_FRINGE_FIRST_BIN),
        1.33 * mirror->fringe->frequency, &peak);
    levels[other] = peak.level;
  }
  return levels[1] > levels[0] ? -1 : 1;
}

/* Fits every choice of sides of some mirrors of all[count], which are sorted by
 * depth, those that follow `first` in steps; FALSE: nothing is certain. */
static gboolean
try_some_of (OctMirrorSet *set, const guint *all, guint count, guint first)
{
  double sides[OCT_MIRROR_SET_MAX_CHOICES];
  const guint some = OCT_MIRROR_SET_MAX_CHOICES;

  g_array_set_size (set->used, 0);
  for (guint i = 0; i < some; i++) {
    guint at = (guint)rint ((count - 1.0) * i / (some - 1));

    g_array_append_val (set->used, all[(at + first) % count]);
  }
  return oct_mirror_set_try_all_sides (set, sides)
         && oct_mirror_set_is_consistent (set);
}

gboolean
oct_mirror_set_try_sides_of_some (OctMirrorSet *set, double *sides)
{
  guint count = set->used->len;
  gsize bytes = count * sizeof (guint);
  g_autofree guint *all = g_memdup2 (set->used->data, bytes);
  g_autoptr (GArray) sorted = g_array_copy (set->used);
  g_autofree double *found = g_new (double, count);
  gboolean sure = FALSE;

  g_array_sort_with_data (sorted, compare_frequencies, set);
  /* one that fits to none may be among them: other ones then */
  for (guint first = 0; first < TRIED_CHOICES && !sure; first++)
    sure = try_some_of (set, (const guint *)sorted->data, count, first);
  for (guint i = 0; sure && i < count; i++)
    found[i] = find_sharper_side (set, all[i]);
  g_array_set_size (set->used, 0);
  g_array_append_vals (set->used, all, count);
  for (guint i = 0; sure && i < count; i++)
    sides[i] = found[i] * found[0];
  return oct_mirror_set_fit_on (set, sides, NULL) && sure;
}

/* Of more than MAX_SEARCHED mirrors: what fits least to most of them, as it
 * spoils the fit of others.  FALSE: all or few fit, or at two depths, which
 * always do. */
static gboolean
leave_out_odd (OctMirrorSet *set)
{
  guint count = set->used->len, kept;
  g_autofree double *widths = g_new (double, count);
  g_autofree gboolean *fits = g_new (gboolean, count);
  double most = 0;

  kept = find_fitting (set, widths, fits);
  if (kept == count || 2 * kept < count
      || oct_mirror_set_count_depths (set, fits) < 3)
    return FALSE;
  for (guint i = 0; i < count; i++)
    if (!fits[i])
      most = MAX (most, set->fit->residuals[i] * widths[i]);
  for (guint i = 0; i < count; i++) {
    if (fits[i] || set->fit->residuals[i] * widths[i] < most / 2)
      continue;
    oct_mirror_leave_out (oct_mirror_set_get_used (set, i),
        "%s is left out: its fringe does not fit to those of the others (off "
        "by "
        "%.1f rad, %.1f bins wide); is it one mirror that stands still, of the "
        "same system?",
        oct_mirror_set_get_used (set, i)->name, set->fit->residuals[i],
        widths[i]);
  }
  oct_mirror_set_list_used (set);
  return TRUE;
}

/* On the sides that are known by now, or as they are found. */
static gboolean
fit_rest (OctMirrorSet *set, double k_span)
{
  guint count = set->used->len;
  g_autofree double *sides = g_new (double, count);
  gboolean known = TRUE, found;

  for (guint i = 0; i < count; i++) {
    sides[i] = oct_mirror_set_get_used (set, i)->likely_side;
    known = known && sides[i] != 0;
  }
  return known ? oct_mirror_set_fit_on (set, sides, NULL)
               : oct_mirror_set_fit_with_sides (set, k_span, &found, NULL);
}

/* Fits without the mirrors of `mask`, a bit for each that is used; returns the
 * residual, HUGE_VAL: the rest does not fit each other either. */
static double
try_without (OctMirrorSet *set, double k_span, guint mask)
{
  g_autofree guint *all =
      g_memdup2 (set->used->data, set->used->len * sizeof (guint));
  guint count = set->used->len;
  double residual = HUGE_VAL;

  g_array_set_size (set->used, 0);
  for (guint i = 0; i < count; i++)
    if (!(mask >> i & 1))
      g_array_append_val (set->used, all[i]);
  if (fit_rest (set, k_span) && set->fit->rising
      && oct_mirror_set_is_consistent (set))
    residual = set->fit->residual;
  oct_mirror_set_list_used (set);
  return residual;
}

/* The one mirror, or the two, without which the others fit each other, where no
 * other choice is nearly as good: bits.  At least three are left, as two always
 * fit.  0: it is not certain which they are. */
static guint
find_outliers (OctMirrorSet *set, double k_span, double *residual)
{
  guint count = set->used->len;

  for (guint left = 1; left <= 2 && left + 3 <= count; left++) {
    double best = HUGE_VAL, second = HUGE_VAL;
    guint found = 0;

    for (guint mask = 1; mask < 1u << count; mask++) {
      double here;

      if ((guint)__builtin_popcount (mask) != left)
        continue;
      here = try_without (set, k_span, mask);
      second = MIN (second, MAX (here, best));
      if (here < best) {
        best = here;
        found = mask;
      }
    }
    *residual = best;
    if (best < HUGE_VAL)
      return second > MAX (CLEARLY * best, CLEAR_RESIDUAL) ? found : 0;
  }
  return 0;
}

/* The mirrors that would have to be on the other side than is stated for all to
 * fit, by name; NULL: none would. */
static char *
list_wrong_sides (OctMirrorSet *set)
{
  guint count = set->used->len;
  double sides[OCT_MIRROR_SET_MAX_CHOICES];
  GString *names = NULL;

  if (!oct_mirror_set_are_sides_given (set)
      || count > OCT_MIRROR_SET_MAX_CHOICES
      || !oct_mirror_set_try_all_sides (set, sides)
      || !oct_mirror_set_is_consistent (set))
    return NULL;
  names = g_string_new (NULL);
  for (guint i = 1; i < count; i++) {
    const OctMirror *mirror = oct_mirror_set_get_used (set, i);

    if (sides[i] != mirror->side * oct_mirror_set_get_used (set, 0)->side)
      g_string_append_printf (
          names, "%s%s", names->len > 0 ? " and " : "", mirror->name);
  }
  return g_string_free (names, FALSE);
}

/* Some do not fit, and nothing says which. */
static gboolean
set_outlier_error (OctMirrorSet *set, double residual, GError **error)
{
  guint count = set->used->len;
  g_autofree char *wrong = list_wrong_sides (set);

  if (wrong != NULL)
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The phases of the %u mirrors are off by %.1f rad from any common "
        "calibration with the sides that are given, and fit each other with %s "
        "on the other side than %s is; if that is so, correct --same-side or "
        "--other-side.",
        count, residual, wrong, oct_mirror_set_get_used (set, 0)->name);
  else
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The phases of the %u mirrors are off by %.1f rad from any common "
        "calibration, and which of them is wrong is not certain%s; is each one "
        "mirror of the same system, within the depth range, on the side that "
        "--other-side or --same-side says?  Add %s, or leave out the one that "
        "is wrong.",
        count, residual, count == 3 ? ", as any two fit each other" : "",
        count == 3 ? "a fourth one" : "another one");
  return FALSE;
}

gboolean
oct_mirror_set_leave_out_others (
    OctMirrorSet *set, double k_span, gboolean *again, GError **error)
{
  double before = set->fit->residual, residual;
  guint mask, count = set->used->len;

  *again = FALSE;
  if (oct_mirror_set_is_consistent (set))
    return TRUE;
  if (count > MAX_SEARCHED) {
    *again = leave_out_odd (set);
    return *again || set_outlier_error (set, before, error);
  }
  mask = find_outliers (set, k_span, &residual);
  if (mask == 0)
    return set_outlier_error (set, before, error);
  for (guint i = 0; i < count; i++)
    if (mask >> i & 1)
      oct_mirror_leave_out (oct_mirror_set_get_used (set, i),
          "%s is left out: its fringe does not fit to those of the others, "
          "whose phases are off by %.2f rad without it and by %.2f with it; is "
          "it one mirror that stands still, of the same system, within the "
          "depth range, on the side that is given?",
          oct_mirror_set_get_used (set, i)->name, residual, before);
  oct_mirror_set_list_used (set);
  *again = TRUE;
  return TRUE;
}
