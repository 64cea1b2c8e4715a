/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The text of a calibration: columns of numbers, not yet checked for sense.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef enum {
  OCT_COLUMN_WAVELENGTH, /* wavelength_nm */
  OCT_COLUMN_K_INDEX,    /* k_index */
  OCT_COLUMN_K_POSITION, /* k_position */
  OCT_COLUMN_DISPERSION, /* dispersion_rad */
  OCT_COLUMN_BACKGROUND, /* background */
  OCT_N_COLUMNS
} OctColumn;

/* Names of the columns, indexed by OctColumn. */
extern const char *const oct_column_names[OCT_N_COLUMNS];

typedef struct {
  double *values[OCT_N_COLUMNS]; /* [samples] finite numbers, or NULL */
  guint *lines; /* [samples] line of the file of each row, for messages */
  guint rows;   /* of the file, also where it has not `samples`; 0: malformed */
} OctCalibrationTable;

void oct_calibration_table_clear (OctCalibrationTable *table);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (
    OctCalibrationTable, oct_calibration_table_clear)

/* A finite decimal number, in every locale with a point, and nothing else in
 * text[length] but spaces around it. */
gboolean oct_calibration_parse_number (
    const char *text, gsize length, double *number);

/* Parses text[size] of any content.  One column of numbers without a name that
 * runs from about 0 to about one less than their number is a chirp as Thorlabs'
 * Chirp.dat has it: k_position, counted from the largest wavenumber.  `file`
 * begins the messages ("Calibration file 'x.csv'").  The table must be empty.
 * Error: OCT_ERROR_FORMAT. */
gboolean oct_calibration_csv_parse (const char *file, const char *text,
    gsize size, guint samples, OctCalibrationTable *table, GError **error);

/* The text of a file as a GBytes; for oct_file_content_new().  Errors:
 * OCT_ERROR_NOT_FOUND, _READ, _FORMAT (too long). */
gpointer oct_calibration_csv_load (const char *path, GError **error);

/* Reads and parses a file.  Errors: OCT_ERROR_NOT_FOUND, _READ, _FORMAT. */
gboolean oct_calibration_csv_read (const char *path, guint samples,
    OctCalibrationTable *table, GError **error);

G_END_DECLS
