/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* On which side of the zero delay the mirrors are, from given sides, from known
 * distances, or from the fringes. */
#include "oct-mirror-sides.h"

#include <math.h>

#include "oct-curve.h"

/* chi^2 of the next best choice of sides over that of the best. */
#define SURE_OF_SIDES 2.0
#define SURE_BY_POSITION 3.0
/* Times the median width, and rad: no mirror like the others. */
#define WIDE 2.0
#define MISFIT 0.3
/* Some of many, whose sides are tried: so often others where these do not fit. */
#define TRIED_CHOICES 3
/* rad: smaller ones do not determine the sides */
#define SMALL_RESIDUAL 0.01

gboolean
oct_mirror_set_fit_on (OctMirrorSet *set, const double *sides, GError **error)
{
  guint count = set->used->len;
  g_autofree OctFringe **fringes = g_new (OctFringe *, count);

  for (guint i = 0; i < count; i++)
    fringes[i] = oct_mirror_set_get_used (set, i)->fringe;
  oct_mirror_fit_free (set->fit);
  set->fit = oct_mirror_fit_new (fringes, count, sides);
  if (set->fit != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "The fringes do not determine a calibration: no common phase was found "
      "for %s%s; give single mirrors, one depth per file.",
      oct_mirror_set_get_used (set, 0)->name,
      count > 1 ? " and the others" : "");
  return FALSE;
}

/* Peak of mirror i of the fit, after the fit's own calibration. */
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

guint
oct_mirror_set_find_fitting (
    const OctMirrorSet *set, double *widths, gboolean *fits)
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
             && oct_mirror_set_find_fitting (set, widths, fits) == count);
}

gboolean
oct_mirror_set_are_sides_given (const OctMirrorSet *set)
{
  for (guint i = 0; i < set->used->len; i++)
    if (oct_mirror_set_get_used (set, i)->side == 0)
      return FALSE;
  return TRUE;
}

/* [used] positions, NULL if one is unknown. */
static double *
list_positions (const OctMirrorSet *set)
{
  g_autofree double *positions = g_new (double, set->used->len);

  for (guint i = 0; i < set->used->len; i++) {
    positions[i] = oct_mirror_set_get_used (set, i)->position;
    if (isnan (positions[i]))
      return NULL;
  }
  return g_steal_pointer (&positions);
}

/* Two mirrors a known distance apart, pixels of a known span: the sum of their
 * depths or the difference is that distance. */
static gboolean
find_two_sides (const OctMirrorSet *set, const double *positions, double k_span,
    double *sides)
{
  const double *a = set->fit->a;
  double distance = 2 * k_span * fabs (positions[1] - positions[0]);
  double same = fabs (fabs (a[1] - a[0]) - distance) / distance;
  double other = fabs (a[1] + a[0] - distance) / distance;

  if (!(distance > 0) || MIN (same, other) > 0.1 || MAX (same, other) < 0.3)
    return FALSE;
  sides[0] = 1;
  sides[1] = same < other ? 1 : -1;
  return TRUE;
}

/* Whether the distance of two mirrors says of the sides what the fit has. */
static gboolean
confirm_by_distance (const OctMirrorSet *set, double k_span)
{
  g_autofree double *positions = list_positions (set);
  double sides[2];

  return set->used->len == 2 && positions != NULL && k_span > 0
         && find_two_sides (set, positions, k_span, sides)
         && sides[0] * sides[1] == set->fit->sides[0] * set->fit->sides[1];
}

/* From the positions, or from the fringes.  FALSE: undecided. */
static gboolean
find_sides (const OctMirrorSet *set, double k_span, double *sides)
{
  guint count = set->used->len;
  g_autofree double *positions = list_positions (set);

  if (count == 1)
    return TRUE;
  if (positions != NULL && count == 2)
    return k_span > 0 && find_two_sides (set, positions, k_span, sides);
  if (count < 3)
    return FALSE;
  if (positions != NULL
      && oct_mirror_fit_find_sides_by_position (set->fit, positions, sides)
             >= SURE_BY_POSITION)
    return TRUE;
  return oct_mirror_fit_find_sides (set->fit, sides) >= SURE_OF_SIDES;
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
         && second * second >= SURE_OF_SIDES * best * best;
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

gboolean
oct_mirror_set_fit_with_sides (
    OctMirrorSet *set, double k_span, gboolean *found, GError **error)
{
  guint count = set->used->len;
  g_autofree double *sides = g_new (double, count);
  gboolean same = TRUE;

  set->by_distance = FALSE;
  *found = oct_mirror_set_are_sides_given (set);
  for (guint i = 0; i < count; i++)
    sides[i] = *found ? oct_mirror_set_get_used (set, i)->side : 1;
  if (!oct_mirror_set_fit_on (set, sides, error))
    return FALSE;
  if (*found) {
    set->by_distance = confirm_by_distance (set, k_span);
    return TRUE;
  }
  *found = find_sides (set, k_span, sides);
  set->by_distance = *found && count == 2;
  for (guint i = 0; i < count; i++)
    same = same && sides[i] == 1;
  if (*found && !same && !oct_mirror_set_fit_on (set, sides, error))
    return FALSE;
  /* the wrong side of one may have spoilt the result for another */
  if (count > 2 && count <= OCT_MIRROR_SET_MAX_CHOICES
      && (!*found || !oct_mirror_set_is_consistent (set)))
    *found = oct_mirror_set_try_all_sides (set, sides);
  return set->fit != NULL || oct_mirror_set_fit_on (set, sides, error);
}
