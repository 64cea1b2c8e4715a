/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The parts of oct-calibrate: options, results, and their report.
 */
#pragma once

#include "oct-calibration.h"
#include "oct-mirror-set.h"
#include "oct-reader.h"
#include "oct-window.h"

G_BEGIN_DECLS

/* The command line. */
typedef struct {
  char **mirrors, **other_side, **backgrounds; /* paths */
  gboolean same_side, each_bscan;
  double step_um;   /* NAN: not given */
  char **depths_um; /* numbers, one per mirror */
  double wavelength_min, wavelength_max, centre_nm; /* nm, 0: not given */
  gboolean falling; /* wavelengths, from the first to the last sample */
  OctReaderSettings reader;
  char *output, *check, *plot;
  char *clock;      /* a mirror with its k-clock, whose delay is wanted */
  OctWindow window; /* of the A-scans in the plot */

  char *wavelengths, *sample_format, *packing, *window_name; /* as written */
  gint samples, lines, sample_dimension, channel;
  gint64 header_size;
} OctCalibrateOptions;

/* FALSE with a sentence, for status 2. */
gboolean oct_calibrate_options_parse (
    OctCalibrateOptions *options, char **arguments, GError **error);
void oct_calibrate_options_clear (OctCalibrateOptions *options);

/* The columns and values of a calibration file; [samples] each or NULL. */
typedef struct {
  guint samples;
  double *wavelength_nm, *k_index, *dispersion, *background;
  double bin_um;    /* depth of one bin in air, 0: not known */
  double centre_nm; /* of the light, 0: not known */
} OctCalibrateColumns;

void oct_calibrate_columns_clear (OctCalibrateColumns *columns);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (
    OctCalibrateColumns, oct_calibrate_columns_clear)

/* From the fit of `set`, in the order of ascending wavenumbers if wavelengths
 * are known; notes go to the set.  background[samples] or NULL is copied. */
gboolean oct_calibrate_columns_fill (OctCalibrateColumns *columns,
    OctMirrorSet *set, const OctCalibrateOptions *options,
    const double *background, GError **error);

/* Writes the CSV, whole or not at all; FALSE with a sentence. */
gboolean oct_calibrate_columns_write (const OctCalibrateColumns *columns,
    const OctMirrorSet *set, const char *path, GError **error);

/* Prints the delay of the spectra after the k-clock.  FALSE with a sentence. */
gboolean oct_calibrate_clock (
    const OctCalibrateOptions *options, GError **error);

/* Prints notes, mirrors left out, and the table of peaks. */
void oct_calibrate_print_notes (const OctMirrorSet *set);
void oct_calibrate_print_peaks (const OctMirrorSet *set);
/* Prints the properties of a calibration that was made, or with `check` of an
 * existing one, and the verdict; `exchanged`: of the mirrors on the other sides
 * than given.  FALSE: it is poor. */
gboolean oct_calibrate_print_verdict (const OctMirrorSet *set,
    const OctCalibrateColumns *columns, const char *check, gboolean exchanged);

/* FALSE with a sentence: plots of that name cannot be made. */
gboolean oct_calibrate_plot_check (const char *path, GError **error);
/* Draws before and after, with this window; with the fit of `set` also the
 * result.  FALSE with a sentence. */
gboolean oct_calibrate_plot (const char *path, OctWindow window,
    const OctMirrorSet *set, const OctCalibrateColumns *columns,
    GError **error);

G_END_DECLS
