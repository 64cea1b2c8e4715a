/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Parts of oct-cpu-background.c: backgrounds that are fitted to every A-line,
 * the fixed pattern, the median, and the mean of the A-lines around each
 * A-line.
 *
 * Thread-safety: one thread at a time may use a plan, which runs further
 * threads itself.
 */
#pragma once

#include "oct-cpu-private.h"

G_BEGIN_DECLS

/* ------------------------------------------------------------------ fitted */

/* The coefficients of oct-fit.h of an A-line: e0, e1, e2 and 0. */
typedef struct {
  float e[4];
} OctCpuFit;

/* The background that is to be fitted, high + low, and its squares. */
typedef struct {
  guint samples;
  OctSampleFormat format; /* of the A-lines */
  int terms;
  gboolean is_tiny; /* too small for products in single precision */
  const float *high, *low;
  float *x;          /* [samples] -1 .. 1 */
  double squares[5]; /* see OctFitSums */
} OctCpuFitter;

/* x[samples] from -1 to 1. */
void oct_cpu_fit_fill_x (float *x, guint samples);

/* FALSE with OCT_ERROR_MEMORY. */
gboolean oct_cpu_fitter_init (OctCpuFitter *fitter, OctSampleFormat format,
    guint samples, GError **error);
void oct_cpu_fitter_clear (OctCpuFitter *fitter);
/* `high`, `low`: [samples], not copied. */
void oct_cpu_fitter_set (
    OctCpuFitter *fitter, int terms, const float *high, const float *low);
OctCpuFit oct_cpu_fitter_find (const OctCpuFitter *fitter, gconstpointer row);
/* out = row - (high + low) (1 + e0 + e1 x + e2 x^2); they may be the same. */
void oct_cpu_fitter_subtract (const OctCpuFitter *fitter, gconstpointer row,
    const OctCpuFit *fit, float *out);
/* fits: [lines]. */
void oct_cpu_fitter_find_all (const OctCpuFitter *fitter, const OctPlane *in,
    guint lines, guint threads, OctCpuFit *fits);

/* ----------------------------------------------------------- fixed pattern */

typedef struct _OctCpuPattern OctCpuPattern;

/* For up to `threads` threads; NULL with OCT_ERROR_MEMORY. */
OctCpuPattern *oct_cpu_pattern_new (OctSampleFormat format, guint samples,
    guint lines, guint threads, GError **error);
void oct_cpu_pattern_free (OctCpuPattern *pattern);
/* Changes mean[samples], the mean of all A-lines, to the background of
 * OCT_BACKGROUND_FIXED_PATTERN; high + low is that mean. */
void oct_cpu_pattern_find (OctCpuPattern *pattern, const OctPlane *in,
    const float *high, const float *low, guint threads, double *mean);

/* ------------------------------------------------------------------ median */

typedef struct _OctCpuMedian OctCpuMedian;

/* For up to `threads` threads; NULL with OCT_ERROR_MEMORY. */
OctCpuMedian *oct_cpu_median_new (OctSampleFormat format, guint samples,
    guint lines, guint threads, GError **error);
void oct_cpu_median_free (OctCpuMedian *median);
/* result[samples]: the background of OCT_BACKGROUND_MEDIAN; NaN at a sample
 * without a finite value in any A-line. */
void oct_cpu_median_find (
    OctCpuMedian *median, const OctPlane *in, guint threads, double *result);

/* --------------------------------------------------------------- high-pass */

typedef struct _OctCpuHighPass OctCpuHighPass;

OctCpuHighPass *oct_cpu_high_pass_new (OctSampleFormat format, guint samples,
    guint lines, guint threads, GError **error);
void oct_cpu_high_pass_free (OctCpuHighPass *high_pass);
/* OCT_BACKGROUND_HIGH_PASS over `width` A-lines; `in` and `out` may be the same
 * memory. */
void oct_cpu_high_pass_run (OctCpuHighPass *high_pass, guint width,
    const OctPlane *in, const OctPlane *out, guint threads);

G_END_DECLS
