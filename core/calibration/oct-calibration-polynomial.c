/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibration-polynomial.h"

#include "oct-calibration-csv.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Relative to a value, or absolute for values below 1: far below the visible.
 */
#define PRECISION 1e-7

/* [*count] to be freed, NULL with an error. */
static double *
polynomial_parse (const char *property, const char *what, const char *text,
    guint *count, GError **error)
{
  g_auto (GStrv) fields = g_strsplit (text, ",", -1);
  g_autofree double *numbers = NULL;

  *count = g_strv_length (fields);
  numbers = g_new (double, MAX (*count, 1));
  for (guint i = 0; i < *count; i++) {
    if (oct_calibration_parse_number (
            fields[i], strlen (fields[i]), &numbers[i]))
      continue;
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%s: '%s' is not a number; give %s", property, fields[i], what);
    return NULL;
  }
  return g_steal_pointer (&numbers);
}

/* Higham, Accuracy and Stability of Numerical Algorithms, section 5.1: what
 * rounding does to Horner's rule is at most 2 count u times the sum of the
 * terms' magnitudes. */
static gboolean
check_precision (const char *property, const double *c, guint count, double x,
    double value, GError **error)
{
  double magnitude = 0, lost;

  for (guint i = count; i-- > 0;)
    magnitude = magnitude * fabs (x) + fabs (c[i]);
  lost = 2.0 * count * (DBL_EPSILON / 2) * magnitude;
  /* values that are not finite are refused by their range */
  if (!isfinite (value) || !isfinite (lost)
      || lost <= PRECISION * MAX (fabs (value), 1))
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s: at %.6g its %u terms add up to %.10g, but are so much larger that "
      "this is uncertain by %.2g; give fewer coefficients",
      property, x, count, value, lost);
  return FALSE;
}

gboolean
oct_calibration_polynomial (const char *property, const char *example,
    const char *text, double first, double step, guint n, double *values,
    GError **error)
{
  g_autofree char *what =
      g_strdup_printf ("coefficients as in \"%s\"", example);
  guint count;
  g_autofree double *c = polynomial_parse (property, what, text, &count, error);

  if (c == NULL)
    return FALSE;
  memset (values, 0, n * sizeof *values);
  /* Horner's rule, highest order first */
  for (guint i = count; i-- > 0;)
    for (guint j = 0; j < n; j++)
      values[j] = values[j] * (first + step * j) + c[i];
  for (guint j = 0; j < n; j++)
    if (!check_precision (
            property, c, count, first + step * j, values[j], error))
      return FALSE;
  return TRUE;
}

double *
oct_calibration_parse_spectrum (
    const char *property, const char *text, guint n, GError **error)
{
  guint count;
  g_autofree double *values = polynomial_parse (
      property, "a number for each sample", text, &count, error);

  if (values == NULL || count == n)
    return g_steal_pointer (&values);
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%s has %u numbers, but spectra of %u samples are expected; take it anew "
      "with these spectra, or remove it",
      property, count, n);
  return NULL;
}
