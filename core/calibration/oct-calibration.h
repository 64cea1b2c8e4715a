/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectral calibration: which wavenumber each sample of a spectrum belongs to,
 * the dispersion left to compensate and the background spectrum.
 *
 * Conventions (those of the float64 reference): k = 2 pi / wavelength,
 * ascending uniform wavenumbers j = 0 .. N-1 between the smallest and the
 * largest wavenumber.
 */
#pragma once

#include "oct-calibration-settings.h"

G_BEGIN_DECLS

/* Immutable and reference counted: share freely between threads. */
typedef struct _OctCalibration OctCalibration;

/* Makes the calibration for spectra of `samples` samples (>= 2).
 *
 * CSV: a header line and one line per sample; columns by name in any order:
 * wavelength_nm (per pixel) and/or k_index (position in samples to read for
 * each uniform wavenumber) or, in place of it, k_position (where each pixel
 * lies on the axis of uniform wavenumbers, 0 .. N-1), optional dispersion_rad
 * (phase of exp (+i phase): per pixel with wavelengths alone, per uniform
 * wavenumber otherwise) and background (counts, per pixel).  Blank lines and
 * lines starting with '#' are skipped; a byte order mark and CRLF are accepted.
 * Numbers have a decimal point in every locale.
 *
 * Wavelengths and k_index rise or fall from each entry to the next; k_index
 * lies within 5 % of the samples around the pixels and spans a quarter of them.
 * With both, k_index rules the resampling and the wavelengths the scale: the
 * ends of the uniform axis are the wavenumbers at its first and last position.
 * Both must then agree on the direction in which the wavenumber ascends.
 *
 * wavelength-min/-max, min < max: pixel wavelengths linear from min (first
 * pixel) to max (last pixel); with flip the other way round.  A polynomial may
 * rise or fall.
 * Beside k_index from a file or polynomial they are the ends of the uniform
 * axis, whichever pixel that is.
 *
 * Contradictions (wavelength_nm in the file and wavelength-min/-max, k_index in
 * the file and k-polynomial) and nothing at all are OCT_ERROR_SETTINGS.
 * Further errors: OCT_ERROR_NOT_FOUND, _READ, _FORMAT (the file), _SETTINGS
 * (the properties).
 */
OctCalibration *oct_calibration_new (
    const OctCalibrationSettings *settings, guint samples, GError **error);

/* flip reverses all values per sample, columns of the file included.  k_warp is
 * applied after it; depths and the ends of the axis, and phases of uniform
 * wavenumbers, stay as they are where it has no straight part. */

/* As oct_calibration_new(), but when nothing but changes is given and there is
 * a `base` for as many samples, that one with them. */
OctCalibration *oct_calibration_new_on (const OctCalibration *base,
    const OctCalibrationSettings *settings, guint samples, GError **error);

/* From arrays [samples], each may be NULL (but not all), with the meaning of
 * the columns above; copied, same checks, OCT_ERROR_FORMAT. */
OctCalibration *oct_calibration_new_from_arrays (guint samples,
    const double *wavelength_nm, const double *k_index,
    const double *dispersion_rad, const double *background, GError **error);

/* From the results of the functions below for another calibration (arrays
 * [samples] or NULL, but not all; positions and nodes together, and
 * sample_dispersion with nodes and dispersion alone; k_max 0 = no range): the
 * same to the last bit.  Copied; OCT_ERROR_FORMAT when they cannot be a
 * calibration's. */
OctCalibration *oct_calibration_new_from_values (guint samples,
    const double *positions, const double *nodes, const double *dispersion,
    const double *sample_dispersion, const double *background, double k_min,
    double k_max, GError **error);

OctCalibration *oct_calibration_ref (OctCalibration *calibration);
void oct_calibration_unref (OctCalibration *calibration);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OctCalibration, oct_calibration_unref)

/* TRUE when all values of the two are the same. */
gboolean oct_calibration_equal (
    const OctCalibration *a, const OctCalibration *b);

guint oct_calibration_get_samples (const OctCalibration *calibration);

/* s[samples]: position in samples of uniform wavenumber j, not clamped.
 * NULL when neither wavelengths nor k_index were given (dispersion or
 * background alone). */
const double *oct_calibration_get_positions (const OctCalibration *c);

/* t[samples]: position of sample n on the uniform wavenumber axis, the inverse
 * of s (exact from wavelengths and k_position, else linear between entries and
 * beyond the ends).  NULL as above. */
const double *oct_calibration_get_nodes (const OctCalibration *c);

/* [samples] rad at the uniform wavenumbers (a2, a3 included), or NULL. */
const double *oct_calibration_get_dispersion (const OctCalibration *c);

/* [samples] rad at the wavenumber of each sample (a2, a3 included), as given;
 * NULL if the calibration has it at the uniform wavenumbers alone. */
const double *oct_calibration_get_sample_dispersion (const OctCalibration *c);

/* [samples] counts per pixel, or NULL. */
const double *oct_calibration_get_background (const OctCalibration *c);

/* Smallest and largest wavenumber of the uniform axis, rad/um.  FALSE when no
 * wavelengths were given: then a2, a3 and depths have no scale. */
gboolean oct_calibration_get_k_range (
    const OctCalibration *c, double *k_min, double *k_max);

/* Centre wavelength in metres, that of the middle of the uniform axis; 0: no
 * wavelengths were given. */
double oct_calibration_get_wavelength (const OctCalibration *c);

/* Fills phase[samples] with -(a2 (k-kc)^2 + a3 (k-kc)^3) plus the dispersion of
 * the calibration if it has one: at the uniform wavenumbers or, with
 * `at_samples`, at the wavenumber of every sample.  Phases given at the one are
 * linear between entries at the other, the first and last one beyond, and as
 * they are where they were given.  FALSE with OCT_ERROR_SETTINGS when there is
 * no k range for a2 and a3, no wavenumber axis for `at_samples`, or the phase
 * is absurd (a coefficient in the wrong unit). */
gboolean oct_calibration_fill_phase (const OctCalibration *c,
    gboolean at_samples, double a2, double a3, double *phase, GError **error);

/* Adds -(c2 x^2 + c3 x^3) to phase[samples], x = -1 .. 1 from the first to the
 * last uniform wavenumber; `at_samples` as above.  Needs no k range.  `c` may
 * be NULL without `at_samples`.  FALSE with OCT_ERROR_SETTINGS. */
gboolean oct_calibration_add_phase (const OctCalibration *c,
    gboolean at_samples, guint samples, double c2, double c3, double *phase,
    GError **error);

/* Depth per bin in metres of a transform of `length` bins over `samples`
 * samples: pi / P * samples / length, P = dK N / (N-1); 0 when unknown. */
double oct_calibration_get_z_spacing (const OctCalibration *c, guint length);

G_END_DECLS
