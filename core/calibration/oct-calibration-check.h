/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Whether numbers make sense as a calibration, for oct-calibration.c: units,
 * ranges, order.  Each function returns FALSE with one sentence that names the
 * place, the value there and the expected one.  Numbers that are none (NaN) are
 * refused by every range.
 */
#pragma once

#include "oct-calibration-csv.h"
#include "oct-calibration-settings.h"

G_BEGIN_DECLS

/* Wavelengths in nm that are plausible: 0.84 (um), 8.4e-7 (m) or a wavenumber
 * in 1/m are not.  The limits also keep every sum of oct-calibration.c finite.
 */
#define OCT_CALIBRATION_MIN_WAVELENGTH 1.0
#define OCT_CALIBRATION_MAX_WAVELENGTH 1e6
/* A phase in rad that is beyond it is in the wrong unit. */
#define OCT_CALIBRATION_MAX_PHASE 1e9

/* Where values come from, for messages. */
typedef struct {
  const char *name;   /* "Calibration file 'x.csv'" */
  const guint *lines; /* of the file, per sample, or NULL */
  OctError code;      /* of the errors */
} OctCalibrationSource;

/* The columns [samples] or NULL, and the ends of the scale in nm or 0. */
typedef struct {
  const double *values[OCT_N_COLUMNS];
  double wavelength_min, wavelength_max;
} OctCalibrationColumns;

/* 2 to OCT_MAX_SAMPLES samples; OCT_ERROR_SETTINGS. */
gboolean oct_calibration_check_samples (guint samples, GError **error);

/* The two properties `wavelength-min` and `wavelength-max`: none, or both in
 * nm, the smaller one first; OCT_ERROR_SETTINGS. */
gboolean oct_calibration_check_wavelength_range (
    const OctCalibrationSettings *s, GError **error);

/* values[n], called `column` in the message, from low to high; `advice` ends
 * the message. */
gboolean oct_calibration_check_range (const OctCalibrationSource *source,
    const char *column, const double *values, guint n, double low, double high,
    const char *advice, GError **error);

/* nm[n], n >= 2: plausible, rising or falling throughout. */
gboolean oct_calibration_check_wavelengths (const OctCalibrationSource *source,
    const double *nm, guint n, GError **error);

/* k_index[n], n >= 2, in samples: rising or falling throughout, at most 5 % of
 * n outside of the pixels, over a quarter of them at least. */
gboolean oct_calibration_check_k_index (const OctCalibrationSource *source,
    const double *k_index, guint n, GError **error);

/* The same of k_position[n], positions on the axis of uniform wavenumbers. */
gboolean oct_calibration_check_k_position (const OctCalibrationSource *source,
    const double *k_position, guint n, GError **error);

/* All columns that there are, n >= 2 values each. */
gboolean oct_calibration_check_columns (const OctCalibrationSource *source,
    const OctCalibrationColumns *columns, guint n, GError **error);

/* Checks the arguments of oct_calibration_new_from_values(), arrays [n] or
 * NULL: which go together, and their ranges; dispersion and background are
 * checked as columns. */
gboolean oct_calibration_check_values (const OctCalibrationSource *source,
    guint n, const double *positions, const double *nodes,
    const double *dispersion, const double *sample_dispersion, double k_min,
    double k_max, GError **error);

G_END_DECLS
