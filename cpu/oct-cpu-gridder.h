/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Non-uniform FFT of OCT_LANES A-lines side by side (oct-cpu-lanes.h), spectra
 * to A-scans: gridding, FFT, division by the transform of the kernel
 * (oct-nufft.h).
 *
 * The transform reads each cell of the grid once, so that cells are computed
 * from the samples when they are read, and are never in memory.  Two real cells
 * are one complex value of a transform of half the length.
 */
#pragma once

#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-private.h"
#include "oct-nufft.h"

G_BEGIN_DECLS

/* The consecutive samples of a value of the transform.  The weights of the next
 * row show their end. */
typedef struct {
  guint32 first;   /* sample */
  guint32 weights; /* index of the first weight */
} OctCpuGridRow;

typedef struct {
  OctNufftTables tables;
  guint parts; /* of a sample: 1 real, 2 complex */
  guint first_bin, bins;
  /* Value i of the transform is the sum of row i - start and every length-th
   * row after it. */
  guint length, start, rows;
  OctCpuGridRow *row; /* [rows + 1] */
  /* real samples: two each, for the real and the imaginary part */
  float *weights;
  OctLanesFft *fft;
  guint grid;       /* of `fft` */
  gboolean is_half; /* values are two real cells */
  struct {
    OctCpuBuffer row, weights;
  } memory; /* of the arrays above */
} OctCpuGridder;

/* Sets a gridder that is all zeros or was set before; `params` passed
 * oct_nufft_check (, TRUE,).  `phase`: NULL, or [samples] rad: the samples are
 * real, and are multiplied by exp (+i phase) before the transform, so that
 * `params` describes complex values.  FALSE with the errors of
 * oct_nufft_tables_set(): then only clear it or set it again. */
gboolean oct_cpu_gridder_set (OctCpuGridder *gridder,
    const OctNufftParams *params, const double *phase, GError **error);
void oct_cpu_gridder_clear (OctCpuGridder *gridder);

/* Bytes of the scratch of run, aligned to 64 bytes; a multiple of 64. */
gsize oct_cpu_gridder_scratch (const OctCpuGridder *gridder);

/* values: [samples][parts][OCT_LANES], written to; out:
 * [depth_bins][2][OCT_LANES].  Both may be the same memory. */
void oct_cpu_gridder_run (
    const OctCpuGridder *gridder, float *values, float *out, gpointer scratch);

G_END_DECLS
