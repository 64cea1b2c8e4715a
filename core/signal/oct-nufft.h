/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Gridding for the non-uniform FFT: Fourier sums over samples at any positions
 * from an FFT over a finer uniform grid (Chan & Tang, Biomed. Opt. Express 1,
 * 1309 (2010); Xu, Huang and Kang, Opt. Express 22, 14871 (2014)).
 *
 * Sample n lies at u_n = nodes[n] M / N on a periodic grid of M cells.  Type 1
 * spreads it with a kernel G, W cells wide, over the grid, transforms the grid
 * and divides by the transform of the kernel:
 *   A[q] = N^-1/2 / ghat(q) sum_l exp (-2 pi i l q / M)
 *          sum_n G (l - u_n) window[n] in[n].
 *
 * At most one half of the modes of complex spectra is shown.  Samples are
 * multiplied by exp (-2 pi i nodes[n] c / N), c the middle of the B selected
 * modes: these then lie around 0, where a grid of M = max (R B, N) cells
 * is oversampled M/B times.  With fewer than N cells the others would alias
 * onto them, weakened by the kernel alone (ghosts at -60 dB).  Spectra that are
 * real stay so, and B = N.
 *
 * Kaiser-Bessel: G(u) = I0 (beta sqrt (1 - (2u/W)^2)) / W,
 * beta = pi sqrt ((W/R)^2 (R-1/2)^2 - 0.8), R = M/B (Beatty, Nishimura and
 * Pauly 2005), ghat(q) = sinh (s) / s, s = sqrt (beta^2 - (pi W q/M)^2).
 * Gaussian: G(u) = exp (-u^2 / 4t), t = R W / (8 pi (R-1/2)) cells^2,
 * ghat(q) = sqrt (4 pi t) exp (-t (2 pi q/M)^2) (Greengard and Lee 2004).
 * q counts from c.
 */
#pragma once

#include "oct-backend.h"

G_BEGIN_DECLS

#define OCT_NUFFT_MAX_WIDTH 16u

/* Nodes that lie this close (in samples) to all whole numbers are uniform: the
 * grid then is that of the samples, and the transform an exact FFT. */
#define OCT_NUFFT_UNIFORM 2e-6

/* Weights that a table may have, [cells][taps]: 1 GiB.  taps is the number of
 * samples under one kernel, W N / M where the nodes are evenly spread (7 for W
 * = 8 and M = 1.25 N) and more where they are dense: twice as many at the long
 * end of a spectrometer over an octave; about (2 / pi) (W N^2 / M)^1/2 at the
 * ends of a swept source whose wavenumber follows a cosine from one turning
 * point to the other, which is 410 samples over 82 thousand cells (130 MiB) for
 * the longest A-lines, and 650 MiB (M = 2 N) if they cover 16 periods of the
 * axis.  Beyond 1 GiB the nodes lie in a heap, as no light source makes them.
 */
#define OCT_NUFFT_MAX_WEIGHTS ((gsize)1 << 28)

/* The shortest FFT of at least `oversampling` times `samples` (both positive)
 * that is fast everywhere: even, with no prime factor above 7. */
guint oct_nufft_grid_length (guint samples, double oversampling);

/* Cells of the grid, M, that checked parameters lead to. */
guint oct_nufft_grid_of (const OctNufftParams *params);

/* FALSE with OCT_ERROR_SETTINGS and a sentence when the parameters make no
 * sense: sizes, nodes that are not numbers, repeat or change direction, a
 * window that is not a number, depths that N samples do not have; with
 * `gridded` also an impossible grid or kernel. */
gboolean oct_nufft_check (
    const OctNufftParams *params, gboolean gridded, GError **error);

/* The same where `count` of the samples alone are there: nodes and window are
 * theirs, `params->samples` is the number of all. */
gboolean oct_nufft_check_some (const OctNufftParams *params, guint count,
    gboolean gridded, GError **error);

/**
 * The tables that are computed once for some nodes and shared by all A-lines.
 *
 * The kernel of sample n covers `width` cells from lowest[n] on.  These are
 * cells of a grid without end, which begins where the first kernel does; cell x
 * of it is cell (origin + x) mod grid of the FFT.  A few cells at the ends meet
 * others there, more when the nodes cover more than one period.
 *
 * Type 2 reads the grid sample by sample,
 *   out[n] = sum_m node_weights[n width + m] grid[lowest[n] + m].
 * Type 1 has the same sums stored the other way round, so that the result does
 * not depend on an order of additions:
 *   grid[x] = sum_tap cell_weights[x taps + tap] in[first[x] + tap].
 * The nodes rise or fall, so that the samples that reach a cell follow each
 * other.  All weights include the window.
 */
typedef struct {
  guint samples, width, grid, cells, origin, taps; /* grid: M */
  gint32 *lowest;                                  /* [samples] */
  float *offset;       /* [samples] lowest[n] - u_n, from -width/2 on */
  float *window;       /* [samples] */
  float *node_weights; /* [samples][width] */
  guint32 *first;      /* [cells], first + taps <= samples */
  float *cell_weights; /* [cells][taps] */
  float *factors;      /* [depth_bins], N^-1/2 / ghat: deconvolution */
  gint first_mode;     /* of depth_start, counted from the middle mode */
  float *shifts;       /* [samples] x (re, im), or NULL if nothing is */
  struct {
    guint samples, grid, width, depth_bins;
    gint first_mode;
    OctKernel kernel;
    double parameter;
  } factors_of;     /* the parameters of `factors` */
  double parameter; /* beta or t; 0: uniform nodes, weights are window */
} OctNufftTables;

/* Fills the tables for parameters that passed oct_nufft_check (, TRUE,).  They
 * are all zeros the first time; afterwards their content is replaced, and its
 * memory reused.  `params->weights` says in which precision; with `weights_too`
 * FALSE the two tables of weights are only allocated, for a backend that
 * computes them from offset, window and parameter itself.  FALSE with
 * OCT_ERROR_MEMORY, or with OCT_ERROR_SETTINGS when more than
 * OCT_NUFFT_MAX_WEIGHTS would be needed; then the tables can only be cleared or
 * set again. */
gboolean oct_nufft_tables_set (OctNufftTables *tables,
    const OctNufftParams *params, gboolean weights_too, GError **error);
/* The same where `count` of the samples alone are there; in the tables
 * `samples` is `count` then. */
gboolean oct_nufft_tables_set_some (OctNufftTables *tables,
    const OctNufftParams *params, guint count, gboolean weights_too,
    GError **error);
/* Frees the content of the tables, set or not, and leaves them all zeros, to be
 * set once more.  The struct itself is the caller's. */
void oct_nufft_tables_clear (OctNufftTables *tables);

G_END_DECLS
