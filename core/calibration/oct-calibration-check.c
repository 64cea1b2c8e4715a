/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-calibration-check.h"

#include <math.h>

/* Between neighbours, relative: less drowns in the rounding of 2 pi / lambda */
#define MIN_WAVELENGTH_STEP 1e-12
/* In samples */
#define MIN_K_INDEX_STEP 1e-6
/* Fractions of the samples: how far k_index may reach outside the pixels, and
 * how much it must span, else its unit is not samples. */
#define K_INDEX_MARGIN 0.05
#define K_INDEX_SPAN 0.25

static char *
describe_place (const OctCalibrationSource *source, guint i)
{
  return source->lines
             ? g_strdup_printf ("%s, line %u", source->name, source->lines[i])
             : g_strdup_printf ("%s, sample %u", source->name, i);
}

gboolean
oct_calibration_check_range (const OctCalibrationSource *source,
    const char *column, const double *values, guint n, double low, double high,
    const char *advice, GError **error)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *place = NULL;

    if (values[i] >= low && values[i] <= high)
      continue;
    place = describe_place (source, i);
    g_set_error (error, OCT_ERROR, source->code,
        "%s: %s is %.10g, but %.10g to %.10g is expected; %s", place, column,
        values[i], low, high, advice);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_monotone (const OctCalibrationSource *source, const char *column,
    const double *values, guint n, double min_step, GError **error)
{
  double sign = values[n - 1] < values[0] ? -1 : 1;

  for (guint i = 1; i < n; i++) {
    g_autofree char *place = NULL;

    if (sign * (values[i] - values[i - 1]) > min_step)
      continue;
    place = describe_place (source, i);
    g_set_error (error, OCT_ERROR, source->code,
        "%s: %s is %.10g after %.10g, but the values have to %s from each "
        "sample to the next; correct this value",
        place, column, values[i], values[i - 1], sign > 0 ? "rise" : "fall");
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_calibration_check_wavelengths (const OctCalibrationSource *source,
    const double *nm, guint n, GError **error)
{
  return oct_calibration_check_range (source, "wavelength_nm", nm, n,
             OCT_CALIBRATION_MIN_WAVELENGTH, OCT_CALIBRATION_MAX_WAVELENGTH,
             "give wavelengths in nanometres", error)
         && check_monotone (source, "wavelength_nm", nm, n,
             MIN_WAVELENGTH_STEP * MAX (nm[0], nm[n - 1]), error);
}

static gboolean
check_positions (const OctCalibrationSource *source, const char *column,
    const double *values, guint n, GError **error)
{
  double margin = K_INDEX_MARGIN * n;
  double span = K_INDEX_SPAN * (n - 1);

  if (!oct_calibration_check_range (source, column, values, n, -margin,
          n - 1 + margin, "give positions in samples", error)
      || !check_monotone (source, column, values, n, MIN_K_INDEX_STEP, error))
    return FALSE;
  if (fabs (values[n - 1] - values[0]) < span) {
    g_set_error (error, OCT_ERROR, source->code,
        "%s: %s runs from %.10g to %.10g, but at least %.10g samples of "
        "%u are expected; give positions in samples",
        source->name, column, values[0], values[n - 1], span, n);
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_calibration_check_k_index (const OctCalibrationSource *source,
    const double *k_index, guint n, GError **error)
{
  return check_positions (source, "k_index", k_index, n, error);
}

gboolean
oct_calibration_check_k_position (const OctCalibrationSource *source,
    const double *k_position, guint n, GError **error)
{
  return check_positions (source, "k_position", k_position, n, error);
}

gboolean
oct_calibration_check_columns (const OctCalibrationSource *source,
    const OctCalibrationColumns *columns, guint n, GError **error)
{
  const double *const *values = columns->values;

  return (!values[OCT_COLUMN_WAVELENGTH]
             || oct_calibration_check_wavelengths (
                 source, values[OCT_COLUMN_WAVELENGTH], n, error))
         && (!values[OCT_COLUMN_K_INDEX]
             || oct_calibration_check_k_index (
                 source, values[OCT_COLUMN_K_INDEX], n, error))
         && (!values[OCT_COLUMN_K_POSITION]
             || oct_calibration_check_k_position (
                 source, values[OCT_COLUMN_K_POSITION], n, error))
         && (!values[OCT_COLUMN_DISPERSION]
             || oct_calibration_check_range (source, "dispersion_rad",
                 values[OCT_COLUMN_DISPERSION], n, -OCT_CALIBRATION_MAX_PHASE,
                 OCT_CALIBRATION_MAX_PHASE, "give a phase in radians", error))
         && (!values[OCT_COLUMN_BACKGROUND]
             || oct_calibration_check_range (source, "background",
                 values[OCT_COLUMN_BACKGROUND], n, -G_MAXFLOAT, G_MAXFLOAT,
                 "give counts of the camera", error));
}

gboolean
oct_calibration_check_values (const OctCalibrationSource *source, guint n,
    const double *positions, const double *nodes, const double *dispersion,
    const double *sample_dispersion, double k_min, double k_max, GError **error)
{
  double margin = K_INDEX_MARGIN * n;

  if (!positions != !nodes || !(k_max == 0 || (k_min > 0 && k_max > k_min))) {
    g_set_error (error, OCT_ERROR, source->code,
        "%s: positions and nodes have to be given together, and k-min smaller "
        "than k-max; restore the values",
        source->name);
    return FALSE;
  }
  if (sample_dispersion) {
    if (!nodes || !dispersion) {
      g_set_error (error, OCT_ERROR, source->code,
          "%s: sample-dispersion is given, but not nodes and dispersion with "
          "it; restore the values",
          source->name);
      return FALSE;
    }
    if (!oct_calibration_check_range (source, "sample-dispersion",
            sample_dispersion, n, -OCT_CALIBRATION_MAX_PHASE,
            OCT_CALIBRATION_MAX_PHASE, "give a phase in radians", error))
      return FALSE;
  }
  return !positions
         || (oct_calibration_check_range (source, "positions", positions, n,
                 -margin, n - 1 + margin, "give positions in samples", error)
             && check_monotone (source, "positions", positions, n, 0, error)
             && check_monotone (source, "nodes", nodes, n, 0, error));
}

gboolean
oct_calibration_check_samples (guint samples, GError **error)
{
  if (samples >= 2 && samples <= OCT_MAX_SAMPLES)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "A calibration for spectra of %u samples was asked for, but 2 to %u are "
      "possible; set `samples` of octsrc",
      samples, OCT_MAX_SAMPLES);
  return FALSE;
}

gboolean
oct_calibration_check_wavelength_range (
    const OctCalibrationSettings *s, GError **error)
{
  double min = s->wavelength_min, max = s->wavelength_max;

  if (min == 0 && max == 0)
    return TRUE;
  if (min == 0 || max == 0) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`wavelength-%s` is %.10g nm, but `wavelength-%s` is not set; set both",
        min == 0 ? "max" : "min", min == 0 ? max : min,
        min == 0 ? "min" : "max");
    return FALSE;
  }
  /* written so that not-a-number is refused */
  if (!(min >= OCT_CALIBRATION_MIN_WAVELENGTH
          && max <= OCT_CALIBRATION_MAX_WAVELENGTH && min < max)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "`wavelength-min` is %.10g nm and `wavelength-max` %.10g nm, but "
        "%.10g <= min < max <= %.10g is expected; set both in nanometres (for "
        "wavelengths that fall along the pixels set `flip`)",
        min, max, OCT_CALIBRATION_MIN_WAVELENGTH,
        OCT_CALIBRATION_MAX_WAVELENGTH);
    return FALSE;
  }
  return TRUE;
}
