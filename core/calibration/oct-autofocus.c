/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-autofocus.h"

#include <math.h>
#include <stdlib.h>

#define C2_STEP 3.0
#define C3_STEP 4.0
/* c2 and c3 replace each other in part: c2 is looked for at several c3, or the
 * result can be a lower top, 15 rad beside */
#define C3_RANGE 60.0
#define C3_COARSE 20.0
/* around the result of the first grids */
#define C2_AGAIN 18.0
#define C3_AGAIN 16.0
#define TOLERANCE 0.1
/* in parts of the lines */
#define PART_RANGE 6.0
#define PART_TOLERANCE 0.3

#define MAX_GRID 512

/* Contrast of the score that is none: twice what it is for noise alone, whose
 * score changes by chance from phase to phase. */
#define NOISE_CONTRAST 0.15 /* over the root of the lines */
#define LEAST_CONTRAST 0.02

typedef struct {
  OctAutofocusScore score;
  gpointer data;
  const gint *cancelled;
  guint part, parts;
  guint count;
} Search;

/* The gain over its standard error, both of the trimmed mean of the parts
 * (Tukey and McLaughlin 1963): three parts at each end are left out.  An
 * instrument gains ten times what tissue does; with the plain mean the few
 * parts that show it make the standard error so large that phases 60 rad off
 * stayed. Let the score be a quadratic form of the phases with the curvature H,
 * its gradient from n independent lines have the covariance s H / n, and the
 * phases in force be right.  The top then lies d = H^-1 g beside them, and the
 * gain d'H d / 2 over its standard error (s d'H d / n)^1/2 is |z| / 2 with z
 * normal, one for each phase: 3 is an offset of 6 standard errors.  Lines
 * beside each other share their speckle, thus the error comes from runs of
 * them, and is uncertain itself (of 8 runs up to twice as far off as of 16). */
#define CERTAIN 3.0
#define TRIMMED 3 /* parts at each end */
/* The top of a scene lies beside the right phases by more than speckle
 * explains, and near it the score is flat.  Gain over contrast, measured at 60
 * places of a rough surface (C-scan of the tests, 200 lines) with right phases:
 * 0.018 at most; with phases that are 5 rad off: 0.06 at least, 7 rad: 0.07, 10
 * rad: 0.2. */
#define LEAST_GAIN 0.04

static double
autofocus_evaluate (Search *search, const double c[2])
{
  if (search->cancelled != NULL && g_atomic_int_get (search->cancelled))
    return -INFINITY;
  search->count++;
  return search->score (search->data, search->part, search->parts, c[0], c[1]);
}

static int
autofocus_compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* c[axis] is set to the best value of c[axis] +- half.  Returns its score, and
 * *contrast, or NULL, by how much it is better than the median. */
static double
autofocus_try_grid (Search *search, double c[2], guint axis, double half,
    double step, double *contrast)
{
  double scores[MAX_GRID], best = -INFINITY, at = c[axis];
  double t[2] = { c[0], c[1] };
  guint n = (guint)(2 * half / step + 0.5) + 1;

  g_assert (n <= MAX_GRID);
  for (guint i = 0; i < n; i++) {
    t[axis] = c[axis] - half + i * step;
    scores[i] = autofocus_evaluate (search, t);
    if (scores[i] > best) {
      best = scores[i];
      at = t[axis];
    }
  }
  c[axis] = at;
  qsort (scores, n, sizeof *scores, autofocus_compare_doubles);
  if (contrast != NULL)
    *contrast = best - 0.5 * (scores[(n - 1) / 2] + scores[n / 2]);
  return best;
}

/* Golden section search in c[axis] +- half (Kiefer 1953). */
static void
autofocus_try_golden (
    Search *search, double c[2], guint axis, double half, double tolerance)
{
  const double ratio = (sqrt (5) - 1) / 2;
  double low = c[axis] - half, high = c[axis] + half;
  double left[2] = { c[0], c[1] }, right[2] = { c[0], c[1] };
  double left_score, right_score;

  left[axis] = high - ratio * (high - low);
  right[axis] = low + ratio * (high - low);
  left_score = autofocus_evaluate (search, left);
  right_score = autofocus_evaluate (search, right);
  while (high - low > tolerance) {
    if (left_score > right_score) {
      high = right[axis];
      right[axis] = left[axis];
      right_score = left_score;
      left[axis] = high - ratio * (high - low);
      left_score = autofocus_evaluate (search, left);
    } else {
      low = left[axis];
      left[axis] = right[axis];
      left_score = right_score;
      right[axis] = low + ratio * (high - low);
      right_score = autofocus_evaluate (search, right);
    }
  }
  c[axis] = (low + high) / 2;
}

/* Standard errors of the mean of all parts, from how the parts differ. */
static void
find_errors (
    Search *search, const double c[2], gboolean third, double errors[2])
{
  double parts[OCT_AUTOFOCUS_PARTS][2];

  search->parts = OCT_AUTOFOCUS_PARTS;
  for (guint part = 0; part < OCT_AUTOFOCUS_PARTS; part++) {
    parts[part][0] = c[0];
    parts[part][1] = c[1];
    search->part = part;
    for (guint axis = 0; axis < (third ? 2 : 1); axis++)
      autofocus_try_golden (
          search, parts[part], axis, PART_RANGE, PART_TOLERANCE);
  }
  search->part = 0;
  search->parts = 1;
  for (guint axis = 0; axis < 2; axis++) {
    double mean = 0, sum = 0;

    for (guint part = 0; part < OCT_AUTOFOCUS_PARTS; part++)
      mean += parts[part][axis] / OCT_AUTOFOCUS_PARTS;
    for (guint part = 0; part < OCT_AUTOFOCUS_PARTS; part++)
      sum += (parts[part][axis] - mean) * (parts[part][axis] - mean);
    errors[axis] = sqrt (sum / (OCT_AUTOFOCUS_PARTS - 1) / OCT_AUTOFOCUS_PARTS);
  }
}

/* By how many standard errors the trimmed mean of the gains is above 0. */
static double
find_certainty (double *gains)
{
  const guint parts = OCT_AUTOFOCUS_GAIN_PARTS, kept = parts - 2 * TRIMMED;
  double trimmed = 0, mean = 0, sum = 0;

  qsort (gains, parts, sizeof *gains, autofocus_compare_doubles);
  for (guint i = 0; i < parts; i++) {
    if (i >= TRIMMED && i < parts - TRIMMED)
      trimmed += gains[i] / kept;
    gains[i] = CLAMP (gains[i], gains[TRIMMED], gains[parts - 1 - TRIMMED]);
    mean += gains[i] / parts;
  }
  for (guint i = 0; i < parts; i++)
    sum += (gains[i] - mean) * (gains[i] - mean);
  return trimmed * kept / sqrt (sum / (parts - 1) * parts);
}

/* The gain of c over `former`, and its standard error. */
static void
find_gain (Search *search, const double c[2], const double former[2],
    OctAutofocus *found)
{
  const guint parts = OCT_AUTOFOCUS_GAIN_PARTS;
  double gains[OCT_AUTOFOCUS_GAIN_PARTS], mean = 0, sum = 0;

  search->parts = parts;
  for (guint part = 0; part < parts; part++) {
    search->part = part;
    gains[part] =
        autofocus_evaluate (search, c) - autofocus_evaluate (search, former);
    mean += gains[part] / parts;
  }
  for (guint part = 0; part < parts; part++)
    sum += (gains[part] - mean) * (gains[part] - mean);
  found->gain_error = sqrt (sum / (parts - 1) / parts);
  found->certainty = find_certainty (gains);
  search->part = 0;
  search->parts = 1;
  found->score = autofocus_evaluate (search, c);
  found->gain = found->score - autofocus_evaluate (search, former);
}

/* The best c2 of the whole range, at the best of some c3. */
static void
try_range (
    Search *search, double c[2], gboolean third, double range, double *contrast)
{
  double best = -INFINITY;

  for (double c3 = third ? -C3_RANGE : 0; c3 <= (third ? C3_RANGE : 0);
       c3 += C3_COARSE) {
    double t[2] = { 0, c3 }, above;
    double top = autofocus_try_grid (search, t, 0, range, C2_STEP, &above);

    if (top > best) {
      best = top;
      c[0] = t[0];
      c[1] = t[1];
    }
    if (c3 == 0)
      *contrast = above;
  }
}

gboolean
oct_autofocus_search (OctAutofocusScore score, gpointer data, gboolean third,
    const double former[2], const gint *cancelled, OctAutofocus *found)
{
  Search search = { score, data, cancelled, 0, 1, 0 };
  double c[2] = { 0, 0 }, errors[2] = { 0, 0 }, range = OCT_AUTOFOCUS_RANGE;

  try_range (&search, c, third, range, &found->contrast);
  while (fabs (c[0]) > range - 2 * C2_STEP && range < OCT_AUTOFOCUS_MAX_RANGE) {
    range *= 2;
    try_range (&search, c, third, range, &found->contrast);
  }
  if (third) {
    autofocus_try_grid (&search, c, 1, C3_COARSE, C3_STEP, NULL);
    autofocus_try_grid (&search, c, 0, C2_AGAIN, C2_STEP, NULL);
    autofocus_try_grid (&search, c, 1, C3_AGAIN, C3_STEP, NULL);
  }
  for (guint round = 0; round < 3; round++) {
    autofocus_try_golden (&search, c, 0, 4.0 / (1 << round), TOLERANCE);
    if (third)
      autofocus_try_golden (&search, c, 1, 5.2 / (1 << round), TOLERANCE);
  }
  found->c2 = c[0];
  found->c3 = c[1];
  find_gain (&search, c, former, found);
  find_errors (&search, c, third, errors);
  found->error2 = errors[0];
  found->error3 = errors[1];
  found->evaluations = search.count;
  return cancelled == NULL || !g_atomic_int_get (cancelled);
}

gboolean
oct_autofocus_check (const OctAutofocus *found, GError **error)
{
  if (found->contrast
      < MAX (LEAST_CONTRAST, NOISE_CONTRAST / sqrt (found->lines))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "No phase makes the A-scans of this scene sharper: they show nothing "
        "above the noise to judge dispersion by; look at tissue, at a surface "
        "or at a mirror, and set the k map (`calibration`, `wavelength-min` "
        "and "
        "`wavelength-max`) first.");
    return FALSE;
  }
  if (fabs (found->c2) > OCT_AUTOFOCUS_MAX_RANGE - 2 * C2_STEP) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
        "The sharpest A-scans lie at the end of the phases that are looked at, "
        "%.0f rad at the ends of the spectrum; check the wavelengths of the "
        "calibration.",
        found->c2);
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_autofocus_is_certain (const OctAutofocus *found)
{
  return found->certainty > CERTAIN
         && found->gain > LEAST_GAIN * found->contrast;
}
