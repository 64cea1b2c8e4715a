/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Non-uniform FFT of OCT_LANES A-lines side by side (oct-cpu-lanes.h), spectra
 * to A-scans: gridding, FFT, division by the transform of the kernel
 * (oct-nufft.h).
 *
 * The transform reads the grid cell by cell, each once, so that cells are made
 * of the samples as they are asked for and never stand in memory.  Two real
 * cells are one complex value of a transform of half the length.
 */
#pragma once

#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-private.h"
#include "oct-nufft.h"

G_BEGIN_DECLS

/* The samples that a value of the transform is made of, which follow each
 * other; they end where the weights of the next row begin. */
typedef struct {
  guint32 first;   /* sample */
  guint32 weights; /* number of the first weight */
} OctCpuGridRow;

typedef struct {
  OctNufftTables tables;
  guint parts; /* of a sample: 1 real, 2 complex */
  guint first_bin, bins;
  /* Value i of the transform is the sum of the rows i - start, and of those
   * that are whole lengths behind it. */
  guint length, start, rows;
  OctCpuGridRow *row; /* [rows + 1] */
  /* of real samples two each: for the real and the imaginary part */
  float *weights;
  OctLanesFft *fft;
  guint grid;       /* of `fft` */
  gboolean is_half; /* values are two real cells */
  struct {
    OctCpuBuffer row, weights;
  } memory; /* that these lie in */
} OctCpuGridder;

/* Sets it, from all zeros or once more, for parameters that passed
 * oct_nufft_check (, TRUE,).  `phase`: NULL, or [samples] rad: the samples are
 * real, and what is transformed, which `params` speaks of as complex, is they
 * times exp (+i phase).  FALSE with the errors of oct_nufft_tables_set(); then
 * it can only be cleared, or set again. */
gboolean oct_cpu_gridder_set (OctCpuGridder *gridder,
    const OctNufftParams *params, const double *phase, GError **error);
void oct_cpu_gridder_clear (OctCpuGridder *gridder);

/* Bytes of the scratch of run, aligned to 64 bytes; a multiple of 64. */
gsize oct_cpu_gridder_scratch (const OctCpuGridder *gridder);

/* values: [samples][parts][OCT_LANES], written to; out:
 * [depth_bins][2][OCT_LANES].  Both may be in the same place. */
void oct_cpu_gridder_run (
    const OctCpuGridder *gridder, float *values, float *out, gpointer scratch);

G_END_DECLS
