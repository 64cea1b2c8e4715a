/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Compressive sensing along the A-line: the computation of every backend and
 * its tables.
 *
 * With T = A^H A, b = A^H y and the gradient g = T x - b every solver begins
 * with x = 0, g = -b and makes a fixed number K of steps s = x' - x, with g +=
 * T s and another length a after each but the last: two FFTs for each step but
 * one, and A^H y, whichever it is.
 *   u  = x - g / a
 *   a' = <s, T s> / |s|^2    (Barzilai and Borwein)
 *
 * OCT_CS_SPARSA (Xu, Huang and Kang, Opt. Express 22, 14871 (2014); Wright,
 * Nowak and Figueiredo, IEEE Trans. Signal Process. 57, 2479 (2009)): a = 1,
 *   x' = soft (u, threshold / a),  threshold = tau sigma_A,
 *   soft (u, t) = u |u|^-1 max (|u| - t, 0),
 * a' within OCT_CS_STEP_MIN .. _MAX; _MAX when s = 0.  The printed procedure as
 * corrected: the ratio of squared norms, the step within limits, the |u|; these
 * are its iterates without its residuals, and the samples are needed once.
 *
 * OCT_CS_CONTINUED: the same minimum (Hale, Yin and Zhang, SIAM J. Optim. 19,
 * 1107 (2008)).  From a = kept / N, the mean of T's diagonal, which is also the
 * least of a'; a' = a when s = 0; and at step k = 0 .. K - 1 the threshold is
 *   max (tau sigma_A,
 *        OCT_CS_CONTINUE max (0, 1 - k / max (K - 2, 1)) rms g)
 *
 * OCT_CS_PERSISTENT: no l1 norm, and no noise that has to be known.  a as
 * above, kappa = 0, and each step
 *   nu = max (rms g, noise sigma_A / noise)   what is not explained, and noise
 *   w  = max (0, 1 - lambda (nu / a)^2 / p),  0 where p = 0; p the mean of
 *        |u|^2 over the depths q - OCT_CS_REACH .. q + OCT_CS_REACH
 *   x' = (w - kappa) u / (1 - kappa),  lambda = OCT_CS_SHRINK,
 *   kappa' = min (mean of w, OCT_CS_KAPPA_MAX)
 * and the last one, lambda = tau^2 / 6,
 *   x' = w^1/2 u.
 * A depth is kept for the values around it (Siedenburg and Doerfler, J. Audio
 * Eng. Soc. 61, 29 (2013); Kowalski, Siedenburg and Doerfler, IEEE Trans.
 * Signal Process. 61, 2498 (2013)), and the part of u that a step merely
 * repeats is taken out, so that the residual stays honest (Donoho, Maleki and
 * Montanari, PNAS 106, 18914 (2009); Ma and Ping, IEEE Access 5, 2020 (2017)).
 * The combination is our own, and there is no proof that it converges.  Its
 * result in single precision differs from double by 1e-6 after 10 steps, 1e-5
 * after 15 and 9e-4 after 25.
 *
 * Depths and means.  The modes that exist stand in a circle: the first follows
 * the last.  rms and mean are those over all of them.  In real A-lines, where
 * half of the modes is computed, the neighbours of q = 0 are those of q = 1 ..
 * again; those of the last mode it itself and the ones before, or with
 * `nyquist` the ones before.
 *
 * Noise.  OCT_CS_PERSISTENT finds the median of nu of its last step over at
 * most OCT_CS_NOISE_LINES A-lines of a B-scan, number (2i + 1) lines / (2n)
 * (rounded down) of n = min (lines, OCT_CS_NOISE_LINES), over the gain of
 * oct_cs_noise_gain().  If the others need sigma_A and the noise is not given,
 * the same is done before they begin, with OCT_CS_NOISE_STEPS steps and noise
 * 0, on these A-lines.  A-lines whose samples are not finite do not count;
 * without any it is 0.  The median of n values is the one that (n - 1) / 2
 * (rounded down) others precede in order.
 *
 * T is applied as
 *   g[c] = sum_q factors[q] x[q] exp (+2 pi i c q / length)   one FFT
 *   h[c] = sum_d band[d][c] g[c + d]                          real, symmetric
 *   (T x)[q] = factors[q] sum_c h[c] exp (-2 pi i c q / length)  another
 * for all three transforms:
 *   FFT     length N; band: 1 at the cells of the samples, else 0
 *   NUDFT   length oct_nufft_grid_length (N, 2), which is 2N if that is a fast
 *   length; T is Toeplitz, t_d = (1/N) sum_i exp (-2 pi i nodes[i] d / N),
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
 * count q = 0 once and the others twice.  For even N there remains q = -N/2.
 * If the samples lie on the uniform grid (`nyquist`) it is N/2 as well, real,
 * and counts once; elsewhere it has no partner, and real A-scans leave it out.
 */
#pragma once

#include "oct-backend.h"
#include "oct-nufft.h"

G_BEGIN_DECLS

#define OCT_CS_STEP_MIN 0.1f
#define OCT_CS_STEP_MAX 1e30f

#define OCT_CS_CONTINUE 1.5
#define OCT_CS_SHRINK 1.3
#define OCT_CS_REACH 4
#define OCT_CS_KAPPA_MAX 0.5

#define OCT_CS_NOISE_LINES 32u
#define OCT_CS_NOISE_STEPS 10u

/* Steps of a solver. */
typedef struct {
  const char *name; /* as users know it */
  guint usual, most;
} OctCsLimits;

extern const OctCsLimits oct_cs_limits[OCT_CS_N_SOLVERS];

/* FALSE with OCT_ERROR_SETTINGS and a sentence when the parameters make no
 * sense. */
gboolean oct_cs_check (const OctCsParams *params, GError **error);

/* sigma_A / noise: (sum of the squared window over the kept samples / N)^1/2 */
double oct_cs_noise_gain (const OctCsParams *params);

/* The number i among the A-lines that the noise is found by, or -1: of A-line
 * `line` of a B-scan of `lines`. */
gint oct_cs_noise_place (guint line, guint lines);

/* The median of the finite ones, which it puts first; 0 without any. */
double oct_cs_noise_median (float *levels, guint count);

/* The tables that are computed once and shared by all A-lines. */
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
   * included; its `factors` are those of q = 0 .. N/2, and replace the factors
   * above after the FFT */
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
 * prime factors above 7: `band` of the NUDFT is this, rounded.  FALSE with
 * OCT_ERROR_MEMORY. */
gboolean oct_cs_toeplitz (const OctCsParams *params, guint length,
    double *multiplier, GError **error);

G_END_DECLS
