/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Fourier transform of OCT_LANES (16) A-lines side by side.
 *
 * Complex values are [n][2][16]: the real parts of the 16 A-lines, then their
 * imaginary parts.  Real values are [n][16], so that real ones of even length
 * are half as many complex ones where they lie.  Arrays are aligned to 64
 * bytes.
 *
 * Nothing is scaled: forward is the sum of x exp (-2 pi i n q / length),
 * backward that with exp (+2 pi i n q / length).  Single precision; the error
 * is that of rounding, about 2e-7 of the norm.  An A-line never touches
 * another: a value that is not a finite number spoils its own.
 *
 * A plan does not change after it was made: any number of threads may run it,
 * each with scratch of its own.
 */
#pragma once

#include "oct-types.h"

G_BEGIN_DECLS

typedef struct _OctLanesFft OctLanesFft;

/* Values first, first + step, ... of A-lines, `count` of them, to values
 * [count][2][16]. */
typedef void (*OctLanesRead) (
    gpointer data, guint first, guint step, guint count, float *values);

/* Bins first, first + step, ..., `count` of them, bins [count][2][16]; may be
 * written to. */
typedef void (*OctLanesWrite) (
    gpointer data, guint first, guint step, guint count, float *bins);

/* Of any length from 1 on; those without prime factors above 7 are the fast
 * ones.  To be freed with oct_lanes_fft_free().  NULL with OCT_ERROR_MEMORY. */
OctLanesFft *oct_lanes_fft_new (
    guint length, gboolean backward, GError **error);

/* The same for real values: forward from real values to bins, backward from
 * bins to real values. */
OctLanesFft *oct_lanes_fft_new_real (
    guint length, gboolean backward, GError **error);

/* For tests: plans made from now on use vectors of at most that many floats, 4,
 * 8 or 16.  FALSE where the machine has none so wide. */
gboolean oct_lanes_fft_set_width (guint floats);

/* NULL is allowed. */
void oct_lanes_fft_free (OctLanesFft *fft);

/* Bytes that run needs, aligned to 64 bytes, with anything in them; a multiple
 * of 64. */
gsize oct_lanes_fft_scratch (const OctLanesFft *fft);

/* Complex to complex, of oct_lanes_fft_new(): in [length][2][16], out
 * [count][2][16] the bins first, first + 1, ... modulo length; first < length,
 * count <= length.  in and out may be the same. */
void oct_lanes_fft_run (const OctLanesFft *fft, const float *in, float *out,
    guint first, guint count, gpointer scratch);

/* The same of values that are made as they are needed, each once, 16 or less at
 * a time, all of them before the first bin is written, and bins that are taken
 * as they come, each of those asked for once and perhaps others, in any order:
 * neither has to stand in memory.  read NULL: in; write NULL: out. */
void oct_lanes_fft_run_through (const OctLanesFft *fft, OctLanesRead read,
    OctLanesWrite write, gpointer data, const float *in, float *out,
    guint first, guint count, gpointer scratch);

/* Real to complex, of oct_lanes_fft_new_real(, FALSE,): in [length][16], out
 * [count][2][16]; first + count <= length / 2 + 1.  in and out may be the same.
 */
void oct_lanes_fft_run_real (const OctLanesFft *fft, const float *in,
    float *out, guint first, guint count, gpointer scratch);

/* The same of values that are made as they are needed, each once, all of them
 * before the first bin is written: pairs of real values, two of them for one
 * complex one (value 2 first, 2 first + 1, 2 (first + step), ...).  `factors`:
 * [count] that the bins are multiplied by, NULL: 1.  Even length alone. */
void oct_lanes_fft_run_real_through (const OctLanesFft *fft, OctLanesRead read,
    gpointer data, const float *factors, float *out, guint first, guint count,
    gpointer scratch);

/* Complex to real, of oct_lanes_fft_new_real(, TRUE,): from bins 0 .. length /
 * 2, in [length / 2 + 1][2][16], those before 0 being their conjugates, to out
 * [length][16].  Imaginary parts of bin 0, and of bin length / 2 of even
 * length, do not count.  in and out may be the same. */
void oct_lanes_fft_run_back_real (
    const OctLanesFft *fft, const float *in, float *out, gpointer scratch);

G_END_DECLS
