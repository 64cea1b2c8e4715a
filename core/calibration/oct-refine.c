/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-refine.h"

#include "oct-calibration-polynomial.h"
#include "oct-curve.h"

#include <math.h>
#include <string.h>

#define Q_STEP 0.01
/* c2 is looked for again beside each q2, which the first search has mixed */
#define C2_AGAIN 12.0
#define C2_STEP 4.0
#define MAX_ROUNDS 8
/* of the score, relative: rounds end */
#define SAME_SCORE 2e-5

/* Coefficients of two corrections in one, and where they are compared. */
#define COMPOSED 8
#define POINTS 65

typedef struct {
  OctRefineScore score;
  gpointer data;
  const gint *cancelled;
  guint count;
} Search;

static gboolean
is_cancelled (const Search *search)
{
  return search->cancelled != NULL && g_atomic_int_get (search->cancelled);
}

static double
refine_evaluate (Search *search, const double values[OCT_REFINE_VALUES])
{
  if (is_cancelled (search))
    return -INFINITY;
  search->count++;
  return search->score (search->data, values);
}

static double
evaluate_at (Search *search, const double values[OCT_REFINE_VALUES], guint axis,
    double value)
{
  double at[OCT_REFINE_VALUES];

  memcpy (at, values, sizeof at);
  at[axis] = value;
  return refine_evaluate (search, at);
}

/* values[axis] becomes the best of values[axis] +- half; returns its score. */
static double
refine_try_grid (Search *search, double values[OCT_REFINE_VALUES], guint axis,
    double half, double step)
{
  double middle = values[axis], best = -INFINITY;
  gint steps = (gint)(half / step + 0.5);

  for (gint i = -steps; i <= steps; i++) {
    double score = evaluate_at (search, values, axis, middle + i * step);

    if (score > best) {
      best = score;
      values[axis] = middle + i * step;
    }
  }
  return best;
}

/* Golden section search in values[axis] +- half (Kiefer 1953). */
static void
refine_try_golden (Search *search, double values[OCT_REFINE_VALUES], guint axis,
    double half, double tolerance)
{
  const double ratio = (sqrt (5) - 1) / 2;
  double low = values[axis] - half, high = values[axis] + half;
  double left = high - ratio * (high - low), right = low + ratio * (high - low);
  double left_score = evaluate_at (search, values, axis, left);
  double right_score = evaluate_at (search, values, axis, right);

  while (high - low > tolerance) {
    if (left_score > right_score) {
      high = right;
      right = left;
      right_score = left_score;
      left = high - ratio * (high - low);
      left_score = evaluate_at (search, values, axis, left);
    } else {
      low = left;
      left = right;
      left_score = right_score;
      right = low + ratio * (high - low);
      right_score = evaluate_at (search, values, axis, right);
    }
  }
  values[axis] = (low + high) / 2;
}

static void
try_all (Search *search, double values[OCT_REFINE_VALUES])
{
  double best = -INFINITY, start[OCT_REFINE_VALUES];

  memcpy (start, values, sizeof start);
  for (gint i = -12; i <= 12; i++) {
    double t[OCT_REFINE_VALUES];
    double score;

    memcpy (t, start, sizeof t);
    t[OCT_REFINE_Q2] = i * (OCT_REFINE_RANGE2 / 12);
    score = refine_try_grid (search, t, OCT_REFINE_C2, C2_AGAIN, C2_STEP);
    if (score > best) {
      best = score;
      memcpy (values, t, sizeof t);
    }
  }
  refine_try_grid (search, values, OCT_REFINE_Q3, OCT_REFINE_RANGE3, Q_STEP);
}

gboolean
oct_refine_search (OctRefineScore score, gpointer data, double c2, double c3,
    const gint *cancelled, OctRefine *found)
{
  static const struct {
    guint axis;
    double half, tolerance;
  } steps[] = { { OCT_REFINE_Q2, Q_STEP, 5e-4 }, { OCT_REFINE_C2, 4, 0.2 },
    { OCT_REFINE_Q3, Q_STEP, 5e-4 }, { OCT_REFINE_C3, 4, 0.2 } };
  Search search = { score, data, cancelled, 0 };
  double *values = found->values, last, now, alone;

  memset (found->values, 0, sizeof found->values);
  values[OCT_REFINE_C2] = c2;
  values[OCT_REFINE_C3] = c3;
  alone = refine_evaluate (&search, values);
  try_all (&search, values);
  now = refine_evaluate (&search, values);
  for (guint round = 0; round < MAX_ROUNDS; round++) {
    last = now;
    for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
      refine_try_golden (
          &search, values, steps[i].axis, steps[i].half, steps[i].tolerance);
    now = refine_evaluate (&search, values);
    /* negated, so that a cancelled search (-inf less -inf) ends */
    if (!(now - last >= SAME_SCORE * fabs (now)))
      break;
  }
  found->gain = now - alone;
  found->evaluations = search.count;
  return !is_cancelled (&search);
}

gboolean
oct_refine_check (const OctRefine *found, GError **error)
{
  if (fabs (found->values[OCT_REFINE_Q2]) < OCT_REFINE_RANGE2
      && fabs (found->values[OCT_REFINE_Q3]) < OCT_REFINE_RANGE3 + Q_STEP)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "The sharpest A-scans lie at the end of the corrections that are looked "
      "at: this scene does not tell the wavenumbers, or the k map is too far "
      "off "
      "to be mended by one; calibrate with a mirror at two depths "
      "(oct-calibrate), or check the wavelengths.");
  return FALSE;
}

/* -------------------------------------------------------------- compositions
 */

/* The polynomial nearest to y[POINTS] over x[POINTS]. */
static void
refine_fit (const double *x, const double *y, double coefficients[COMPOSED])
{
  double matrix[COMPOSED * COMPOSED] = { 0 };

  memset (coefficients, 0, COMPOSED * sizeof *coefficients);
  for (guint p = 0; p < POINTS; p++)
    for (guint i = 0; i < COMPOSED; i++) {
      for (guint k = 0; k < COMPOSED; k++)
        matrix[i * COMPOSED + k] += pow (x[p], i + k);
      coefficients[i] += y[p] * pow (x[p], i);
    }
  (void)oct_curve_solve (matrix, COMPOSED, coefficients);
}

static char *
refine_format (const double *coefficients, guint n)
{
  GString *text = g_string_new (NULL);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "",
        g_ascii_formatd (number, sizeof number, "%.7g", coefficients[i]));
  return g_string_free (text, FALSE);
}

char *
oct_refine_compose (const double warp[4], const char *current, GError **error)
{
  double x[POINTS], y[POINTS], shift, coefficients[COMPOSED];

  if (current == NULL || *current == '\0')
    return refine_format (warp, 4);
  for (guint p = 0; p < POINTS; p++) {
    x[p] = cos (G_PI * p / (POINTS - 1));
    y[p] = warp[0] + x[p] * (warp[1] + x[p] * (warp[2] + x[p] * warp[3]));
    if (!oct_calibration_polynomial (
            "`k-warp`", "0,0,0.01", current, x[p] + y[p], 0, 1, &shift, error))
      return NULL;
    y[p] += shift;
  }
  refine_fit (x, y, coefficients);
  return refine_format (coefficients, COMPOSED);
}
