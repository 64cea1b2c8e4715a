/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The settings of a calibration, with the content of their file.
 */
#pragma once

#include "oct-calibration-csv.h"
#include "oct-file.h"

G_BEGIN_DECLS

/* The calibration settings of an element; all optional, in any combination that
 * makes sense.  Independent of the number of samples except for a file. */
typedef struct {
  char *file;              /* CSV, or NULL */
  OctFileContent *content; /* of `file`, to read it once; NULL: every time */
  double wavelength_min, wavelength_max; /* nm, 0 = not given */
  char *wavelength_polynomial; /* "c0,c1,...": sample p sees sum_i c_i p^i nm;
                                  or NULL */
  char *k_polynomial; /* "c0,c1,...": position of uniform wavenumber j is
                         sum_i c_i (j / (N-1))^i samples; or NULL */
  gboolean flip;      /* all of that is for samples in the opposite order */
  char *k_warp;  /* "c0,c1,...": what lies at x = -1 .. 1 on the uniform axis by
                    all of that is read at x + sum_i c_i x^i; or NULL */
  double a2, a3; /* um^2, um^3: adds -(a2 (k-kc)^2 + a3 (k-kc)^3), k in
                    rad/um, kc the middle, to the dispersion phase */
  double c2, c3; /* rad: adds -(c2 x^2 + c3 x^3), x = -1 .. 1 on the uniform
                    axis; no wavelengths needed */
  char *background; /* "v0,v1,...": counts, a number per sample as they come,
                       whatever `flip` says; in place of another one; or NULL */
} OctCalibrationSettings;

/* TRUE when nothing at all is given; an empty string counts as NULL. */
gboolean oct_calibration_settings_empty (const OctCalibrationSettings *s);
/* TRUE when nothing but a2, a3, c2, c3, flip, k_warp and background are given,
 * which change a calibration from elsewhere. */
gboolean oct_calibration_settings_change_only (const OctCalibrationSettings *s);
/* A file that was set again is another one. */
gboolean oct_calibration_settings_equal (
    const OctCalibrationSettings *a, const OctCalibrationSettings *b);
void oct_calibration_settings_clear (OctCalibrationSettings *s);
/* `to` is overwritten, and shares the content read with `from`. */
void oct_calibration_settings_copy (
    OctCalibrationSettings *to, const OctCalibrationSettings *from);
/* The file, which is read once from now on; NULL = none. */
void oct_calibration_settings_set_file (
    OctCalibrationSettings *s, const char *file);
/* The file may have changed: it is read again, once. */
void oct_calibration_settings_forget_file (OctCalibrationSettings *s);
/* Rows of the file, which is read unless it has been; 0: no file, or none that
 * is a calibration. */
guint oct_calibration_settings_count_rows (const OctCalibrationSettings *s);

/* Fills the table from the file, which is read unless it was before.  The table
 * must be empty.  Errors: OCT_ERROR_NOT_FOUND, _READ, _FORMAT. */
gboolean oct_calibration_settings_read (const OctCalibrationSettings *settings,
    guint samples, OctCalibrationTable *table, GError **error);

G_END_DECLS
