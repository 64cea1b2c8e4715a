/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Signal meters: how good are the light, the camera and the A-scans of a
 * mirror.
 *
 * Plain arithmetic in double precision on a few hundred A-lines, for a thread
 * that may take its time (some 0.1 s).  No state; any thread.  dB are 20 log10
 * of magnitudes (10 log10 of powers) in the unitary transforms of
 * docs/elements, so that they do not depend on the number of samples.
 */
#pragma once

#include "oct-types.h"
#include "oct-window.h"

G_BEGIN_DECLS

/* ------------------------------------------------------------------- A-scans
 */

/* Bins near zero delay where no peak is looked for, unless said otherwise. */
#define OCT_METER_FIRST_BIN 8
/* The least A-lines that separate noise from a static signal. */
#define OCT_METER_NOISE_LINES 8
#define OCT_METER_MIN_BINS 16

enum { OCT_METER_3DB, OCT_METER_6DB, OCT_METER_20DB, OCT_METER_N_WIDTHS };

/* Measurements of A-scans of a mirror.  An unavailable value is not-a-number.
 */
typedef struct {
  guint lines; /* that counted */

  /* The point-spread function: root of the mean of |a|^2 over the lines, eight
   * values for each bin by interpolation with limited bandwidth. */
  double bin;                       /* of its peak, to a small part of a bin */
  double level;                     /* its dB */
  double width[OCT_METER_N_WIDTHS]; /* full, at -3, -6 and -20 dB, in bins; that
                                     * at -6 dB is the axial resolution */
  double side_lobe; /* dB of the highest value from 1.5 times the width at -20
                     * dB on, to the peak; without the residue of the source */

  /* For a mirror that stands still.  noise n = E |noise|^2 of a bin: the
   * variance of complex a over the lines, if there are OCT_METER_NOISE_LINES,
   * else median |a|^2 / ln 2 (static signals count as noise then); the median
   * over the bins farther than 6 % of them from the peak and from the first.
   * snr = (mean |a (peak)|^2 - n) / n. */
  double snr, floor; /* dB */
  /* rad rms: of the change of phase at the peak from line to line, without its
   * mean, and the limit that the noise sets to one line, (n / signal)^1/2 */
  double phase_noise, phase_limit;
} OctMeterPeak;

/* ascans[lines][bins], complex pairs, those of line i from
 * ascans + 2 i bins on; their first bin is `start` bins from zero delay, from
 * where `first`, `end` and the peak's bin count.  The strongest peak in bins
 * first .. end - 1 (end 0: all), as far as they are there, is measured.  Lines
 * with a value that is not finite do not count.  FALSE with OCT_ERROR_SETTINGS
 * when the bins are too few, and OCT_ERROR_FORMAT when there is nothing to
 * measure.
 *
 * If the bins begin at zero delay, a signal with its top in the first four of
 * them that falls from there is the residue of the source: it is neither a peak
 * nor a side lobe.  If it is higher than the peak, bins nearer to zero delay
 * than to the peak have no side lobes either: the source's own echoes stand
 * there. */
gboolean oct_meter_ascans (const float *ascans, guint lines, guint bins,
    guint start, guint first, guint end, OctMeterPeak *peak, GError **error);

/* The fall-off of several depths (any unit, any order) with their levels in dB:
 * the slope of the least squares line in dB per unit of depth, and the depth
 * where 6 dB less than at the smallest one are reached, linear between depths,
 * not-a-number when that is beyond the last.  FALSE: fewer than two different
 * depths. */
gboolean oct_meter_roll_off (const double *depth, const double *level, guint n,
    double *slope, double *lost_6db);

/* ------------------------------------------------------------------- spectra
 */

/* Measurements of a spectrum of the source.  An unavailable value is
 * not-a-number. */
typedef struct {
  double centroid, fwhm; /* centre of gravity and full width, in samples */
  double centre_nm, fwhm_nm;
  /* Axial resolution in um (air), full width of |a| at half of its maximum:
   * 0.4413 lambda^2 / width; of this spectrum itself; of this spectrum with a
   * Hann window; with the window of the reconstruction, to be compared with
   * OctMeterPeak.width[OCT_METER_6DB] */
  double formula_um, bare_um, hann_um, window_um;
} OctMeterSource;

/* spectrum[n] (n >= 2) without dark counts; k[n]: wavenumber of every sample in
 * rad/um, rising or falling, or NULL; `window`: of the reconstruction.  FALSE
 * with OCT_ERROR_FORMAT when it is dark or not finite. */
gboolean oct_meter_source (const double *spectrum, guint n, const double *k,
    OctWindow window, OctMeterSource *source, GError **error);

/* The camera by photon transfer: variance (p) = read^2 + gain mean (p) + (rin
 * mean (p))^2 over the pixels, weighted by 1 / variance^2, gain and rin not
 * below 0.  Counts without light that were not subtracted take gain times
 * themselves off read^2. */
typedef struct {
  double gain;      /* counts per electron */
  double read;      /* noise in counts; not-a-number: read^2 would be below 0 by
                     * more than errors explain */
  double intensity; /* relative intensity noise of the source */
} OctMeterCamera;

/* Counts of a pixel without light, from mean[n] and variance[n] of `lines`
 * lines of spectra: the mean of the darkest pixels, if at least a twentieth of
 * them are as dark as each other and the others are brighter.  Not-a-number:
 * the light reaches all pixels, and no measurement of it alone determines its
 * own zero: read^2 and gain times the dark counts are one sum in the
 * variance. */
double oct_meter_black_level (
    const double *mean, const double *variance, guint n, guint lines);

/* mean[n], without the dark counts, and variance[n] (over lines - 1) of the
 * counts of the source alone.  FALSE with OCT_ERROR_FORMAT when they have no
 * variance at all. */
gboolean oct_meter_camera (const double *mean, const double *variance, guint n,
    OctMeterCamera *camera, GError **error);

/* dB that shot noise alone leaves in A-scans with that window, from mean[n]
 * counts.  nodes[n]: of each sample on the uniform wavenumber axis
 * (oct_calibration_get_nodes()), or NULL: they are uniform. */
double oct_meter_shot_noise_floor (const double *mean, guint n, double gain,
    const double *nodes, OctWindow window);

/* Summary of all lines. */
typedef struct {
  guint lines;    /* that counted: those without a value that is not finite */
  double largest; /* value; of complex ones their magnitude */
  double full;    /* part of the values, 0 to 1, at `level` or above */
} OctMeterLines;

/* mean[n] and variance[n] (over lines - 1; zeros for one line) of
 * rows[lines][n], `stride` bytes apart; of complex values the magnitude of the
 * mean, and the mean square distance from it.  `level`: that of a full pixel; 0
 * stands for the largest value found.  full[n]: part of the lines, 0 to 1, that
 * reach it at a sample. */
OctMeterLines oct_meter_lines (OctSampleFormat format, gconstpointer rows,
    gsize stride, guint lines, guint n, double level, double *mean,
    double *variance, double *full);

/* Whether `largest` is where cameras of 8, 10, 12, 14 or 16 bits end, with or
 * without zeros after their bits: then it is the level of a full pixel. */
gboolean oct_meter_is_full_scale (double largest);

/* db[bins]: 10 log10 of the mean of |a|^2 over the lines of
 * ascans[lines][bins], as above; minus infinity of zeros, not-a-number if no
 * line counts. */
void oct_meter_profile (
    const float *ascans, guint lines, guint bins, double *db);

G_END_DECLS
