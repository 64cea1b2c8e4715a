/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Chains of operations with random settings, always the same ones, and what
 * they are to give by their definitions, in double precision.
 */
#pragma once

#include "oct-sequence.h"
#include "oct-window.h"

#include <complex.h>

#define MAX_SAMPLES 512

/* One sequence with settings of its own, and spectra for it. */
typedef struct {
  guint samples, lines, length, first_bin, bins;
  OctSampleFormat format;
  gboolean has_background, has_resample, has_dispersion;
  gboolean has_fft;   /* a transform, which is that of samples at nodes where */
  gboolean has_nufft; /* this is set too */
  OctBackgroundMode mode;
  OctResampleMethod method;
  guint upsample;
  OctNufftParams nufft; /* its sizes and tables are those of the others */
  OctWindow window_kind;
  gsize in_stride, out_stride, image_stride;
  OctLogscaleParams image;
  double positions[MAX_SAMPLES], phase[MAX_SAMPLES];
  double window[MAX_SAMPLES], stored[MAX_SAMPLES], nodes[MAX_SAMPLES];
  guint8 *raw;  /* [lines][in_stride] */
  guint8 *mean; /* OCT_MEAN_SIZE */
  OctStep *steps[OCT_SEQUENCE_MAX];
  guint n;
} ChainCase;

ChainCase *chain_case_new (guint seed);
void chain_case_free (ChainCase *c);

/* One step more. */
void chain_case_add (
    ChainCase *c, OctOperation operation, gconstpointer params);

/* The output of all steps, [lines][bins]; imaginary parts are 0 if rows are
 * real.  `level`: the norm of so many values on the average of all bins of the
 * transform: rounding errors of strong bins are in all of them. */
complex double *chain_case_exact (const ChainCase *c, double *level);

/* Whether the background removes the whole signal except for rounding: the
 * mean of a single A-line, or a fit with nearly as many terms as there are
 * samples. */
gboolean chain_case_takes_all (const ChainCase *c);
