/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Transforms of real A-lines of even length as half as many complex values,
 * z[n] = x[2n] + i x[2n+1], Z = FFT (z) of length H = length / 2, and then
 * X[q] = (Z[q] + Z*[H-q]) / 2 - i/2 exp (-2 pi i q / length) (Z[q] - Z*[H-q]):
 * FFTW's complex transforms are more than twice as fast as its real ones.  The
 * way back is Z[q] = X[q] + X*[H-q] + i exp (+2 pi i q / length) (X[q] -
 * X*[H-q]).
 */
#pragma once

#include <fftw3.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  guint half;          /* H */
  fftwf_plan forward;  /* of length H */
  fftwf_plan backward; /* with oct_cpu_half_add_back() */
  float *turn_swapped; /* [H] x (c, -c) */
  float *turn;         /* [H] x (s, s), exp (-2 pi i q / length) = c + i s */
} OctCpuHalf;

/* FALSE with OCT_ERROR_MEMORY; cleared in any case, from all zeros. */
gboolean oct_cpu_half_init (OctCpuHalf *half, guint length, GError **error);
void oct_cpu_half_clear (OctCpuHalf *half);

/* out[i] = 2 factors[i] X[first + i] (factors NULL: 1), i < count, first +
 * count <= H + 1.  x: [length] aligned to 64 bytes; spectrum: scratch [H + 1],
 * too. */
void oct_cpu_half_run (const OctCpuHalf *half, const float *x,
    fftwf_complex *spectrum, guint first, guint count, const float *factors,
    float *out);

/* The way back as well.  FALSE with OCT_ERROR_MEMORY. */
gboolean oct_cpu_half_add_back (OctCpuHalf *half, GError **error);

/* x[n] = sum over all q of X[q] exp (+2 pi i q n / length), X[-q] = X*[q], from
 * X[0 .. H].  x: [length] aligned to 64 bytes; spectrum: scratch [H], too. */
void oct_cpu_half_run_back (const OctCpuHalf *half, const fftwf_complex *bins,
    fftwf_complex *spectrum, float *x);

G_END_DECLS
