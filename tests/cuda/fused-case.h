/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra to A-scans or images by a sequence on the GPU, against the operations
 * of the CPU one by one.
 */
#pragma once

#include "check.h"
#include "nufft-nodes.h"
#include "oct-sequence.h"
#include "oct-window.h"

/* The removed background: an OctBackgroundMode, or no such step; floats. */
#define REMOVE_ABSENT OCT_N_BACKGROUND_MODES
#define N_REMOVES (OCT_N_BACKGROUND_MODES + 1)

#define RESAMPLE_ABSENT 3u /* after the methods */

typedef struct {
  guint samples, lines;
  OctSampleFormat format; /* of the spectra */
  guint padding, offset;  /* values after a row, before the first */
  OctBackgroundMode remove;
  guint method;           /* OctResampleMethod or RESAMPLE_ABSENT */
  guint upsample, length; /* 0: 1, as long as the samples */
  gboolean dispersion;
  /* in place of resampling (RESAMPLE_ABSENT) and FFT; 0 is not a number of
   * cells */
  double oversampling; /* 0: the FFT */
  guint width;
  Nodes nodes;
  OctWindow window;
  guint depth_start, depth_bins;   /* 0 bins: all */
  gboolean image;                  /* else A-scans */
  OctLogscaleParams logscale;      /* depth_bins and lines are those above */
  const OctLogscaleParams *update; /* before the third B-scan, or NULL */
  Fill fill;
  guint bscans;      /* with history, 1 .. MAX_STEPS */
  gboolean reset;    /* before the last of them */
  gboolean in_turn;  /* every second one is done one by one */
  gboolean together; /* all of them in one frame on the GPU */
  gboolean in_parts; /* with `together`: in frames of fewer, after one of all */
  gboolean separate; /* there is no pass for it */
} FusedCase;

/* Runs one, prints a line of the TAP protocol; `what`: printed after the
 * name. */
void fused_case (Check *check, const FusedCase *test, const char *what);

/* All steps of a case; `tables`: to be freed after the steps. */
typedef struct {
  OctStep *steps[4];
  guint n;
  OctBackgroundParams background; /* of the mean, or of the step */
  OctResampleParams resample;
  OctDispersionParams dispersion;
  OctFftParams fft;
  OctNufftParams nufft;
  OctLogscaleParams logscale;
  double *stored, *positions, *phase, *window, *nodes;
} FusedSteps;

/* Whether it is found before it is removed. */
gboolean fused_case_finds (const FusedCase *test);
/* And whether the source goes with it, whatever the input. */
gboolean fused_case_takes_source (const FusedCase *test);

/* For one B-scan in a frame, or `bscans`. */
void fused_steps_init (FusedSteps *steps, const FusedCase *test, guint bscans);
void fused_steps_clear (FusedSteps *steps);
