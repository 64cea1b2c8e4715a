/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing along the A-line: what every backend computes and the
 * tables it computes with (Xu, Huang and Kang, Opt. Express 22, 14871
 * (2014); SpaRSA: Wright, Nowak and Figueiredo, IEEE Trans. Signal Process. 57,
 * 2479 (2009)).  The printed procedure is used as corrected: the ratio of
 * squared norms, the step within limits, u |u|^-1 max (|u| - a, 0) for the
 * soft threshold.
 *
 * With T = A^H A and b = A^H y, from x = 0, T x = 0 and step = 1:
 *   x' = soft (x - (T x - b) / step, threshold / step)
 *   step' = Re <x' - x, T x' - T x> / |x' - x|^2,
 *     within OCT_CS_STEP_MIN .. _MAX; _MAX when x' = x
 * which are the iterates of the paper without its residuals: the samples are
 * needed once, for b.  (In these terms the step is |A (x' - x)|^2 / |x' -
 * x|^2.)
 *
 * T is applied as
 *   g[c] = sum_q factors[q] x[q] exp (+2 pi i c q / length)   one FFT
 *   h[c] = sum_d band[d][c] g[c + d]                          real, symmetric
 *   (T x)[q] = factors[q] sum_c h[c] exp (-2 pi i c q / length)  another
 * for all three transforms:
 *   FFT     length N; band: 1 at the cells of the samples, else 0
 *   NUDFT   length oct_nufft_grid_length (N, 2), which is 2N where that is a
 * fast length; T is Toeplitz, t_d = (1/N) sum_i exp (-2 pi i nodes[i] d / N),
 *           and the band (of one diagonal) its transform, sum_d t_d
 *           exp (+2 pi i d c / length), |d| < N: exact, without gridding
 *   NUFFT   length of the grid; band: S^T S, S what reads the samples from the
 *           grid, of 2 width - 1 diagonals: the gridded A^H A as it is, errors
 *           of the kernel included
 * and b by gridding; the NUDFT grids with a kernel that is accurate to the
 * rounding of floats.
 *
 * Modes.  For complex spectra q = -(N/2) .. (N-1)/2.  For real ones x[-q] is
 * the conjugate of x[q], and q = 0 .. (N-1)/2 are enough: norms and products
 * count q = 0 once and the others twice.  Of even N there remains q = -N/2.
 * Where the samples lie on the uniform grid (`nyquist`) it is N/2 as well,
 * real, and counts once; elsewhere it has no partner, and real A-scans leave it
 * out.
 *
 * Estimated noise.  On at most OCT_CS_NOISE_LINES A-lines, number (2i + 1)
 * lines / (2n) (rounded down) of n = min (lines, OCT_CS_NOISE_LINES), for each
 * OCT_CS_NOISE_STEPS steps as above with the threshold set anew before each,
 *   OCT_CS_NOISE_TAU sigma, sigma = median of |T x - b| / (ln 2)^1/2
 * over the deeper half of the modes, q = N/4 (rounded down) .. (N-1)/2: what
 * stands out of the noise is taken up by x, and with it goes what it spreads
 * over all depths, so that noise is what is left.  The median of a complex
 * normal variable's modulus is (ln 2)^1/2 times its standard deviation.
 * (A lower threshold takes up the noise itself, a higher one leaves too much of
 * tissue.  In simulations 1.5 finds 0.85 to 1.05 of the noise beside mirrors
 * when 30 % of the samples or more are kept; of fewer than 25 % too little,
 * 0.77 at 20 % and 0.53 at 10 %.  In dense tissue, what too few samples cannot
 * resolve counts as noise: 1.1 to 2.2 of it in the phantom of the
 * reference, 1.4 with all samples to 5.7 with 30 % in the default layers of the
 * virtual system.) sigma_A is the median over these lines of the last sigma,
 * computed after the last step; lines where it is not finite do not count, and
 * without any it is 0.  Of n values the median is the one that (n - 1) / 2
 * (rounded down) others precede in order.
 */
#pragma once

#include "oct-backend.h"
#include "oct-nufft.h"

G_BEGIN_DECLS

#define OCT_CS_STEP_MIN 0.1f
#define OCT_CS_STEP_MAX 1e30f

#define OCT_CS_MAX_ITERATIONS 1000u

#define OCT_CS_NOISE_LINES 32u
#define OCT_CS_NOISE_STEPS 20u
#define OCT_CS_NOISE_TAU 1.5

/* FALSE with OCT_ERROR_SETTINGS and a sentence when the parameters make no
 * sense. */
gboolean oct_cs_check (const OctCsParams *params, GError **error);

/* sigma_A / noise: (sum of the squared window over the kept samples / N)^1/2 */
double oct_cs_noise_gain (const OctCsParams *params);

/* What is computed once and shared by all A-lines. */
typedef struct {
  guint samples; /* N */
  guint length;  /* of the FFTs */
  /* of the band, 0 and above: h[c] = band[0][c] g[c] + sum over d = 1 ..
   * diagonals - 1 of band[d][c] g[c + d] + band[d][c - d] g[c - d], all cells
   * modulo length */
  guint diagonals;
  float *band; /* [diagonals][length] */
  /* [N/2 + 1] of T, q = 0, 1, ...; those of -q are the same */
  float *factors;
  /* for b: gridding of `kept` samples over `length` cells, the window
   * included; its `factors` are those of q = 0 .. N/2, and stand in place of
   * the factors above behind the FFT */
  OctNufftTables gridding;
  gboolean nyquist; /* see above */
} OctCsTables;

/* Fills the tables, zeros or set before, for parameters that passed
 * oct_cs_check().  FALSE as oct_nufft_tables_set(); then they can only be
 * cleared or set again. */
gboolean oct_cs_tables_set (
    OctCsTables *tables, const OctCsParams *params, GError **error);
void oct_cs_tables_clear (OctCsTables *tables);

/* multiplier[length] of the exact T in double, length >= 2N even and without
 * prime factors above 7: what `band` of the NUDFT is rounded from.  FALSE with
 * OCT_ERROR_MEMORY. */
gboolean oct_cs_toeplitz (const OctCsParams *params, guint length,
    double *multiplier, GError **error);

G_END_DECLS
