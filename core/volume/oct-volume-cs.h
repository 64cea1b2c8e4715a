/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Volumes with a part of their A-lines, and perhaps a part of the samples of
 * each: the others are filled in.
 *
 * Like a renderer this is not an operation: it keeps the stored A-lines of a
 * volume and fills in the others when all have come.  A backend has one table
 * of functions for it (OctVolumeCsTable).
 *
 * The stored A-lines are complex A-scans, or real spectra that are uniform in
 * wavenumber; from spectra the modes 0 .. samples / 2 - 1 of the unitary
 * transform are found, mode 0 being 0.
 */
#pragma once

#include "oct-backend.h"
#include "oct-scan-mask.h"
#include "oct-window.h"

G_BEGIN_DECLS

typedef enum {
  /* Amplitudes between those of the neighbours, first along a B-scan, then
   * from B-scan to B-scan; taken A-scans stay as they are.  If a part of the
   * samples was taken, the A-scans are first made as PAPER makes them. */
  OCT_VOLUME_CS_LINEAR,
  /* All A-lines at once, complex: min 1/2 |A c - y|^2 + sum t |c| of the
   * cosine transform c along both lateral directions, by SpaRSA from 0.  Needs
   * neighbours that are alike with their phase. */
  OCT_VOLUME_CS_JOINT,
  /* Each A-line by itself, from a part of the samples of its spectrum, where
   * all A-lines were taken: thresholds are low where its neighbourhood is
   * bright.  Four times the steps of SpaRSA. */
  OCT_VOLUME_CS_ENVELOPE,
  /* Xu, Huang and Kang, Biomed. Opt. Express 5, 3921 (2014).  First step, of
   * spectra of which samples are missing: each A-line by itself, basis pursuit
   * min |x|_1 with A x = y where samples are kept.  Second and third: amplitudes
   * along each B-scan, then from B-scan to B-scan, of every depth by itself:
   * basis pursuit min |w c|_1 in `basis`, where anything is missing. */
  OCT_VOLUME_CS_PAPER,
} OctVolumeCsMethod;

/* Orthonormal bases of the lines of one direction. */
typedef enum {
  /* periodised db4, 4 levels, on at least 16 places more than there are, with a
   * weight of 0.05 on the approximation */
  OCT_VOLUME_CS_WAVELET,
  OCT_VOLUME_CS_COSINE,  /* DCT-II */
  OCT_VOLUME_CS_FOURIER, /* periodic */
} OctVolumeCsBasis;

/* Spectral masks; A-line x of B-scan y has number (x + 7 y) mod 16: neighbours
 * that lack the same samples would have the same ghosts.  With `same_samples`
 * all 16 are the first. */
#define OCT_VOLUME_CS_MASKS 16u

typedef struct {
  OctScanMask *mask; /* create() keeps a reference */
  gboolean spectra;
  guint columns; /* A-scans: depths; spectra: samples, 4 or more */
  /* of spectra: window, part of the samples that is used, above 0, and the seed
   * of the first of the masks (OCT_MASK_LINEAR_K) */
  OctWindow window;
  double rate;
  guint64 seed;
  gboolean same_samples; /* of all A-lines, as PAPER was published */
} OctVolumeCsParams;

/* Measures of the stored A-lines of a volume. */
typedef struct {
  guint lines; /* that were stored and are numbers */
  /* of neighbours along a B-scan and from B-scan to B-scan: 0 (nothing in
   * common) to 1 (the same but for noise); -1: there are none to compare */
  double coherence_x, coherence_y;
  /* mean phase step, rad, from an A-line to the next and from a B-scan to the
   * next; 0 where there are none to compare */
  double phase_step_x, phase_step_y;
  /* rms of the noise of A-scans of all samples, from the darkest depths; of a
   * part of the samples what exceeds that which they spread: 0 where that is
   * more */
  double noise;
} OctVolumeCsMeasures;

typedef struct {
  OctVolumeCsMethod method;
  /* JOINT: full widths at half maximum of the amplitude of the spot that the
   * sample is seen with, in A-lines and in B-scans; noise as above; the
   * threshold in units of that; steps, 1 or more.  ENVELOPE: noise and steps
   */
  double spot_x, spot_y, noise, tau;
  guint steps; /* PAPER, and LINEAR of a part of the samples: at most */
  OctVolumeCsBasis basis; /* PAPER */
  /* JOINT: as measured.  A scan has such steps where the beam does not meet its
   * mirror at the pivot.  Neighbours are compared without them, and the volume
   * has them again. */
  double phase_step_x, phase_step_y;
} OctVolumeCsSettings;

#define OCT_VOLUME_CS_TAU 0.1
#define OCT_VOLUME_CS_STEPS 25u
#define OCT_VOLUME_CS_ENVELOPE_STEPS 15u
#define OCT_VOLUME_CS_PAPER_STEPS 150u
/* Below this coherence of neighbours a scan does not keep its phase. */
#define OCT_VOLUME_CS_COHERENT 0.6

/* TRUE, or FALSE with OCT_ERROR_SETTINGS. */
gboolean oct_volume_cs_params_check (
    const OctVolumeCsParams *params, GError **error);
gboolean oct_volume_cs_settings_check (const OctVolumeCsParams *params,
    const OctVolumeCsSettings *settings, GError **error);

/* Whether these are spectra of which not all samples are used. */
gboolean oct_volume_cs_lacks_samples (const OctVolumeCsParams *params);

/* Depths of an A-scan. */
guint oct_volume_cs_get_depths (const OctVolumeCsParams *params);
/* Bytes that it takes. */
guint64 oct_volume_cs_get_size (const OctVolumeCsParams *params);

/* The method that fits these measures; *reason: a sentence that says why,
 * static. */
OctVolumeCsMethod oct_volume_cs_choose (const OctVolumeCsParams *params,
    const OctVolumeCsMeasures *measures, const char **reason);

/* Depths that are added up together for measures. */
#define OCT_VOLUME_CS_DEPTHS 16u

/* Sums over 16 depths of the A-scans of a B-scan as they came: their power, and
 * for pairs of neighbours that both came, a and b, re and im of conj (a) b,
 * |a|^2, |b|^2. */
typedef struct {
  double power;
  double along[4];  /* b is the next A-line */
  double across[4]; /* b is of the next B-scan */
} OctVolumeCsSums;

/* For backends: of `valid` [lines that are taken] and sums [bscans][depths /
 * 16, rounded up]. */
void oct_volume_cs_find_measures (const OctVolumeCsParams *params,
    const guint8 *valid, const OctVolumeCsSums *sums,
    OctVolumeCsMeasures *measures);

/* For backends, of PAPER: whether of direction d anything is missing where
 * `valid` [lines that are taken] are there: 0, an A-line of a B-scan that has
 * others; 1, a whole B-scan.  A direction with nothing missing is as it came. */
gboolean oct_volume_cs_is_missing (
    const OctVolumeCsParams *params, const guint8 *valid, guint d);

/* The width of a Gaussian spot whose speckle has this coherence from one line
 * to the next, at most a quarter of `lines`. */
double oct_volume_cs_get_spot (double coherence, guint lines);

/* The phase step to take out of a scan with such a spot: 0 if the spot passes
 * spatial frequencies that are shifted by this step. */
double oct_volume_cs_get_phase_step (double phase_step, double spot);

/* The threshold of cosine j of `count` lines is divided by the root of the
 * product of these (both directions) and a small number. */
double oct_volume_cs_get_transfer (guint j, guint count, double spot);

/* The spectral masks, [OCT_VOLUME_CS_MASKS][samples], g_free().  NULL with
 * OCT_ERROR_SETTINGS. */
guint8 *oct_volume_cs_make_masks (
    const OctVolumeCsParams *params, GError **error);

typedef struct _OctVolumeCs OctVolumeCs;

/* One is used by one thread at a time.  Errors: OCT_ERROR_SETTINGS, _MEMORY
 * (with the bytes needed), _DEVICE.  Rows are where the backend works.  On a
 * GPU all is queued in `stream`, which outlives the OctVolumeCs, and measure()
 * alone waits; NULL on the CPU. */
struct _OctVolumeCsTable {
  OctVolumeCs *(*create) (
      const OctVolumeCsParams *params, gpointer stream, GError **error);
  /* Nothing has been stored of the next volume. */
  void (*clear) (OctVolumeCs *cs);
  /* The A-lines of B-scan `bscan` of a whole volume that the mask takes, in
   * order, one a row; `whole`: rows are all A-lines, and others do not count.
   * A-lines with a value that is not a number count as not taken. */
  gboolean (*store) (OctVolumeCs *cs, guint bscan, const OctPlane *rows,
      gboolean whole, GError **error);
  /* Call after everything is stored. */
  gboolean (*measure) (
      OctVolumeCs *cs, OctVolumeCsMeasures *measures, GError **error);
  /* Call after measure().  `settings` were checked.  If nothing was stored, all
   * is 0. */
  gboolean (*fill) (
      OctVolumeCs *cs, const OctVolumeCsSettings *settings, GError **error);
  /* Copies depths first .. first + count - 1 of all A-lines of a B-scan that
   * was filled in, complex, one A-line a row. */
  gboolean (*fetch) (OctVolumeCs *cs, guint bscan, guint first, guint count,
      const OctPlane *rows, GError **error);
  void (*destroy) (OctVolumeCs *cs);
};

G_END_DECLS
