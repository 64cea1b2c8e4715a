/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mirrors that do not fit to the others: which of them, if that is certain. */
#include "oct-mirror-outliers.h"

#include <math.h>

#include "oct-mirror-sides.h"

/* Up to so many mirrors the rest is fitted without each, and without any two,
 * to find those that do not fit. */
#define MAX_SEARCHED 8
/* rad: a rest that fits is below, others above. */
#define CLEAR_RESIDUAL 0.1
#define CLEARLY 3.0

/* Leaves out the mirrors that fit the majority least, as they spoil the fit of
 * others; for more than MAX_SEARCHED mirrors.  FALSE: all or few fit, or at two
 * depths, which always do. */
static gboolean
leave_out_odd (OctMirrorSet *set)
{
  guint count = set->used->len, kept;
  g_autofree double *widths = g_new (double, count);
  g_autofree gboolean *fits = g_new (gboolean, count);
  double most = 0;

  kept = oct_mirror_set_find_fitting (set, widths, fits);
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

/* The one mirror, or the two, without which the others fit each other, if no
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
